"""Makes one kernel of a model, with the extents as they are and with static ones.

usage: models.py PROGRAM.mlir ENTRY WORKDIR EXTENTS [--ptxas]

EXTENTS are what is put in for dynamic extents: `3=2x20x8,1=8` makes three of them in
one type 2x20x8, and a single one 8. After normalisation and fusion the function
must have one kernel and compute nothing else, and a second fusion must change
nothing. The static program is run by the CPU and the emulator and compared with the
interpreter; so is the dynamic one. With --ptxas both are assembled instead, and no
kernel may spill a register.
"""

import os
import re
import sys

import scan_tools

program, entry, work, extents = sys.argv[1:5]
os.makedirs(work, exist_ok=True)
NO_WORK = {"scan.kernel", "tensor.dim", "tensor.empty", "tensor.cast", "arith.constant", "complex.constant", "return"}
# Coefficients of four states.
FEW_NUMBERS = re.compile(r"outs\(%[^)]* : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>\)")
ELEMENTS = {"complex<f32>": "c64"}
problems = []


def run(*command):
    done = scan_tools.run(command)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def make_static(text):
    known = dict(word.split("=") for word in extents.split(","))
    text = re.sub(r"tensor<((?:\?x)+)", lambda m: f"tensor<{known[str(m[1].count('?'))]}x", text)
    return re.sub(r"tensor\.empty\([^)]*\)", "tensor.empty()", text)


def check_fused(name, path):
    fused, again = (os.path.join(work, f"{name}.{n}.mlir") for n in ("fused", "again"))
    run("scan-opt", path, "--scan-normalize", "--scan-fuse-elementwise", "-o", fused)
    run("scan-opt", fused, "--scan-fuse-elementwise", "-o", again)
    text = open(fused).read()
    if text != open(again).read():
        problems.append(f"{name}: a second fusion changes the program")
    body = re.search(rf"^  func\.func @{entry}\((?:.|\n)*?^  \}}", text, re.M)[0]
    # The operations of the function itself, not those in the regions of the kernel.
    ops = [op for op, line in re.findall(r"^    (?:%[^=]* = )?([\w.]+)(.*)", body, re.M)
           if not (op == "linalg.generic" and FEW_NUMBERS.search(line))]
    if ops.count("scan.kernel") != 1:
        problems.append(f"{name}: {ops.count('scan.kernel')} kernels")
    problems.extend(f"{name}: {op} is left" for op in ops if op not in NO_WORK)


def check_numbers(name, path, types):
    inputs = []
    for i, type in enumerate(types):
        shape, element = re.fullmatch(r"((?:\d+x)*)(.*)", type).groups()
        # Of a range in which no model grows without bounds.
        inputs.append(f"--input=random:{ELEMENTS.get(element, element)}:{shape[:-1]}:{i + 1}:-1:0.5")
    for target in ("cpu", "emulator"):
        run("scan-run", path, f"--entry={entry}", f"--target={target}", "--compare=reference", "--tolerance=1e-2"
            if "bf16" in types[0] else "--tolerance=1e-5", *inputs)


def check_registers(name, path):
    table = run("scan-translate", "--scan-to-ptx", path, "--chip=sm_90", "--ptxas",
                "-o", os.path.join(work, "x.ptx"), f"--manifest={os.path.join(work, 'x.json')}")
    for line in table.splitlines()[1:]:
        kernel, _, spilled, *_ = line.split()
        if int(spilled):
            problems.append(f"{name}: {kernel} spills {spilled} bytes")


static = os.path.join(work, "static.mlir")
with open(static, "w") as file:
    file.write(make_static(open(program).read()))
signature = re.search(rf"func\.func @{entry}\(([^)]*)\)", open(static).read())[1]
types = re.findall(r"tensor<((?:[^<>]|<[^>]*>)*)>", signature)
for name, path in (("dynamic", program), ("static", static)):
    if "--ptxas" in sys.argv:
        check_registers(name, path)
        continue
    check_fused(name, path)
    check_numbers(name, path, types)
print("\n".join(problems) + ("\n" if problems else "") + f"{entry}: {len(problems)} problems")
sys.exit(len(problems) > 0)
