#!/usr/bin/env python3
"""Installs the newest wheel of a folder into a fresh environment, and uses it there.

usage: check_wheel.py FOLDER

The environment sees no package of another one. Where the system allows a namespace of
mounts, LLVM, MLIR and libomp are hidden as well; in any case the extension may need no library but
those that every system has, and shows nothing but what Python looks for. The wheel has to
have at most 40 MB.
"""

import glob
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

LIMIT = 40_000_000
# zstd is needed by dpkg and by systemd.
ALLOWED = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libz.so.1",
           "libzstd.so.1", "ld-linux-x86-64.so.2", "libstdc++.so.6", "libgcc_s.so.1"}

USE = """
import array
import mlir_scan
from mlir_scan import _core

TEXT = '''
func.func @scan(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %h: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %g = math.NAME %a : tensor<?x?xf32>
  %y, %last = scan.linear_recurrence ins(%g, %b : tensor<?x?xf32>, tensor<?x?xf32>) init(%h : tensor<?xf32>) dim = 1 -> tensor<?x?xf32>, tensor<?xf32>
  return %y, %last : tensor<?x?xf32>, tensor<?xf32>
}'''
module = mlir_scan.parse(TEXT.replace("NAME", "tanh"))
a = memoryview(array.array("f", [0, 1, 2, 3, 4, 5])).cast("B").cast("f", (2, 3))
h = array.array("f", [1, 2])

def rounded(results):
    return [round(number, 4) for number in memoryview(results[1]).tolist()]

cpu = module.compile("scan")
want = rounded(cpu(a, a, h))
for target in ("reference", "emulator"):
    assert rounded(module.compile("scan", target)(a, a, h)) == want, target
assert rounded(mlir_scan.Executable.from_bytes(cpu.to_bytes())(a, a, h)) == want
module.clone().run("scan-normalize,canonicalize,cse")
assert _core.xla_ffi_version == (0, 1), "later ones are refused by older versions of jaxlib"
assert ".visible .entry" in mlir_scan.ptx(TEXT.replace("NAME", "absf"))[0]
try:
    mlir_scan.parse("?")
except mlir_scan.CompileError as error:
    assert error.diagnostics[0].line == 1
print("used:", want, "with MLIR", _core.mlir_version)
"""

# Enough work for several threads, which the wheel's own libomp has to make.
THREADS = """
import array
import os
import sys
import mlir_scan

TEXT = '''
func.func @scan(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = scan.linear_recurrence ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) dim = 1 -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}'''
a = memoryview(array.array("f", [0.5]) * (1 << 21)).cast("B").cast("f", (64, 1 << 15))

def run():
    return bytes(memoryview(mlir_scan.compile(TEXT, "scan")(a, a)[0]))

want = run()
mlir_scan.set_num_threads(2)
assert run() == want
with open("/proc/self/maps") as maps:
    found = {line.split()[-1] for line in maps if "libomp" in line}
threads = len(os.listdir("/proc/self/task"))
print("threads:", threads, "by", *found)
if found != {os.path.realpath(sys.argv[1])} or threads < 2:
    sys.exit(f"expected two threads by {sys.argv[1]}, found {threads} by {found}")
"""

# Python unwinds the threads that are at work when it ends.
END = """
import itertools
import threading
import time
import mlir_scan

TEXT = '''
func.func @NAME(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = scan.linear_recurrence ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) dim = 1 -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}'''

def compile_on(thread):
    for number in itertools.count():
        mlir_scan.ptx(TEXT.replace("NAME", f"scan{thread}_{number}"))

for thread in range(3):
    threading.Thread(target=compile_on, args=(thread,), daemon=True).start()
time.sleep(0.3)
"""


def run(*command, **options):
    done = subprocess.run(command, text=True, capture_output=True, check=False, **options)
    if done.returncode:
        sys.exit(f"error: {command[0]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def check_extension(path):
    dynamic = run("readelf", "-dW", path)
    needed = {line.split("[")[1].rstrip("]") for line in dynamic.splitlines() if "(NEEDED)" in line}
    if needed - ALLOWED:
        sys.exit(f"error: the extension needs {', '.join(sorted(needed - ALLOWED))}")
    table = run("nm", "-D", "--defined-only", path).splitlines()
    symbols = [line.split()[-1] for line in table]
    if symbols != ["PyInit__core"]:
        sys.exit(f"error: expected to see PyInit__core alone, found {symbols[:5]}")
    print("needs:", *sorted(needed))


def check_licence(library):
    """Of the library that is handed on: what it says, and the text that this refers to."""
    folder = os.path.dirname(library)
    for name, text in (("libomp.copyright", "APACHE-2-LLVM-EXCEPTIONS"),
                       ("LICENSE", "LLVM Exceptions to the Apache 2.0 License")):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            if text not in file.read():
                sys.exit(f"error: expected {text!r} in {name}")


def hide_llvm(command, folder):
    """The command in a namespace where LLVM and MLIR cannot be found."""
    paths = [path for path in glob.glob("/usr/lib/llvm-*") if os.path.isdir(path)]
    libraries = [os.path.realpath(path) for name in ("LLVM", "MLIR", "omp")
                 for path in glob.glob(f"/usr/lib/*/lib{name}[.0-9-]*so*")]
    # Those in the folders are hidden with them.
    libraries = sorted({path for path in libraries if not path.startswith(tuple(paths))})
    empty = os.path.join(folder, "empty")
    os.makedirs(empty, exist_ok=True)
    script = "".join(f"mount --bind {empty} {path}\n" for path in paths)
    script += "".join(f"mount --bind /dev/null {path}\n" for path in libraries)
    isolate = ["unshare", "--mount"] + (["--map-root-user"] if os.geteuid() else [])
    if subprocess.run([*isolate, "sh", "-ec", script], capture_output=True, check=False).returncode:
        print("LLVM is not hidden: the system allows no mounts here")
        return command
    print("hidden:", *paths, *libraries)
    return [*isolate, "sh", "-ec", script + 'exec "$@"', "sh", *command]


def main():
    wheel = max(glob.glob(os.path.join(sys.argv[1], "*.whl")), key=os.path.getmtime)
    size = os.path.getsize(wheel)
    print(f"{wheel}: {size / 1e6:.1f} MB")
    if size > LIMIT:
        sys.exit(f"error: expected at most {LIMIT / 1e6:.0f} MB")
    with tempfile.TemporaryDirectory() as folder:
        environment = os.path.join(folder, "venv")
        run(sys.executable, "-m", "venv", "--without-pip", environment)
        python = os.path.join(environment, "bin", "python")
        site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(site)
        extension, = glob.glob(os.path.join(site, "mlir_scan", "_core.*.so"))
        check_extension(extension)
        clean = {"PATH": "/usr/sbin:/usr/bin:/bin",
                 "MLIR_SCAN_CACHE_DIR": os.path.join(folder, "cache")}
        print(run(*hide_llvm([python, "-I", "-c", USE], folder), env=clean, cwd=folder).strip())
        own = os.path.join(site, "mlir_scan", "libomp.so.5")
        check_licence(own)
        print(run(*hide_llvm([python, "-I", "-c", THREADS, own], folder), env=clean,
                  cwd=folder).strip())
        # Another one is taken where the user names it.
        other = shutil.copy(own, os.path.join(folder, "libomp-other.so"))
        print(run(python, "-I", "-c", THREADS, other, env={**clean, "SCAN_LIBOMP": other},
                  cwd=folder).strip())
        for _ in range(5):
            run(python, "-I", "-c", END, env={**clean, "MLIR_SCAN_CACHE_DIR": ""}, cwd=folder)


if __name__ == "__main__":
    main()
