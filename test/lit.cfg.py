"""lit configuration: how the tests below this folder run.

Substitutions: %python (with numpy), %examples, %scripts, %source (the
checkout), %build (the build folder), %plugin (for mlir-opt), %llvm_lib and
%llvm_include, %ptxas and %cuda, the root of its toolkit (where the feature is
there).
For what loads the project's libraries without being linked as they are, with or
without sanitizers: %loader_python (Python that does), %pytest (with mlir_scan), and
LD_PRELOAD=%sanitizer_runtime for other programs. %sanitizer_link: the options of clang
that link archives with sanitizers; %leak_sanitizer: those that look for leaks.
%z3: the solver (where the feature z3 is there).
Features: numpy, z3, libomp, python-core (mlir_scan._core, with torch, jax and pytest), ptxas
(ptxas and libdevice), asan, lsan (LeakSanitizer works), tsan (ThreadSanitizer, mlir-translate).
"""

import ctypes
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time

config.name = "mlir-scan"
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.join(config.scan_source_root, "test")
config.test_exec_root = os.path.join(config.scan_build_root, "test")

# The project's own tools first, of two those that start fast, then LLVM's (FileCheck, not,
# split-file).
config.environment["PATH"] = os.pathsep.join(
    [
        os.path.join(config.scan_build_root, "static", "bin"),
        os.path.join(config.scan_build_root, "bin"),
        config.llvm_tools_dir,
        os.environ.get("PATH", ""),
    ]
)
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --dump-input-filter=all"
config.environment["LC_ALL"] = "C.UTF-8"
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
# What one test of mlir_scan has compiled others need not compile again; nothing is left
# among the user's files.
config.environment["MLIR_SCAN_CACHE_DIR"] = os.path.join(config.test_exec_root, "python-cache")
# What scripts of several folders import.
config.environment["PYTHONPATH"] = os.path.join(config.test_source_root, "Inputs")

scripts = os.path.join(config.scan_source_root, "scripts")
sys.path.insert(0, scripts)
sys.dont_write_bytecode = True
import cuda_toolkit
import measured_test

config.test_format = measured_test.MeasuredTest(execute_external=False)
in_ci = os.environ.get("CI", "").lower() in ("1", "true")


def missing(what):
    """Reports a part that bootstrap.sh installs; in CI nothing may be missing."""
    message = f"{what}: run scripts/bootstrap.sh"
    if in_ci:
        lit_config.fatal(message)
    lit_config.note(message)


# Python with numpy: .venv of the checkout, or else the Python that runs lit.
python = os.path.join(config.scan_source_root, ".venv", "bin", "python")
if not os.path.exists(python):
    python = sys.executable
if subprocess.call([python, "-c", "import numpy"], stderr=subprocess.DEVNULL) == 0:
    config.available_features.add("numpy")
else:
    missing("no numpy")

# The extension for Python, and the libraries that it exchanges arrays with.
core = os.path.join(config.scan_build_root, "python", "mlir_scan", "_core.pyi")
if not os.path.exists(core):
    missing("mlir_scan._core was not built: no nanobind or no headers of Python")
elif subprocess.call([python, "-c", "import importlib.util as u, sys\n"
                      "sys.exit(not all(map(u.find_spec, ['torch', 'jax', 'pytest', 'ml_dtypes'])))"]):
    missing("no torch, jax, ml_dtypes or pytest")
else:
    config.available_features.add("python-core")

# ptxas and libdevice: the CUDA Toolkit, or the wheels in .venv.
toolkit = cuda_toolkit.find()
if toolkit:
    config.available_features.add("ptxas")
    config.environment["CUDA_HOME"] = toolkit
    config.substitutions.append(("%ptxas", os.path.join(toolkit, "bin", "ptxas")))
    config.substitutions.append(("%cuda", toolkit))
else:
    missing("no ptxas with libdevice")

# Tools of other front ends, which nothing here needs: those in PATH and of the folder of a
# `pip install --target`. The test says which are missing.
frontends = os.environ.get("SCAN_FRONTENDS", "")
config.substitutions.append(("%frontends_pythonpath", frontends))
config.substitutions.append(("%frontends_path", os.pathsep.join(
    [os.path.join(frontends, "bin")] * bool(frontends)
    + [os.path.dirname(python), config.environment["PATH"]])))

# z3, of the package z3-solver in .venv or of the system. Tools find it in PATH.
z3 = shutil.which("z3", path=os.pathsep.join(
    [os.path.dirname(python), config.environment["PATH"]]))
if z3:
    config.available_features.add("z3")
    config.substitutions.append(("%z3", z3))
    config.environment["PATH"] += os.pathsep + os.path.dirname(z3)
else:
    missing("no z3 (z3-solver)")

# The run-time library of OpenMP, for threads of compiled host code.
try:
    ctypes.CDLL("libomp.so.5")
    config.available_features.add("libomp")
except OSError:
    missing("no libomp.so.5 (libomp5-19)")

# ThreadSanitizer, and what makes LLVM IR of the LLVM dialect for it.
runtimes = os.path.join(config.llvm_tools_dir, "..", "lib", "clang", "*", "lib", "*",
                        "libclang_rt.tsan*.a")
if glob.glob(runtimes) and os.path.exists(
        os.path.join(config.llvm_tools_dir, "mlir-translate")):
    config.available_features.add("tsan")
else:
    missing("no ThreadSanitizer (libclang-rt-22-dev) or mlir-translate (mlir-22-tools)")

# A driver means a GPU: what is said without one cannot be tested then.
try:
    ctypes.CDLL("libcuda.so.1")
    config.available_features.add("cuda-driver")
except OSError:
    pass

loader_python = python
sanitizer_link = ""
if config.scan_has_archives == "ON":
    config.available_features.add("mlir-archives")

if "address" in config.scan_sanitizers:
    config.available_features.add("asan")
    # MLIR's archives have no sanitizers: all tools load its libraries.
    config.excludes.append("static-tools.test")
    suppressions = os.path.join(config.test_source_root, "sanitizers")
    config.environment["ASAN_OPTIONS"] = ":".join(
        [
            # LLVM's bump allocators poison their slabs; libLLVM.so, which has no
            # instrumentation, hands out parts of them without unpoisoning.
            "allow_user_poisoning=0",
            "detect_leaks=1",
            "strict_string_checks=1",
            "abort_on_error=0",
        ]
    )
    config.environment["LSAN_OPTIONS"] = (
        f"suppressions={suppressions}/lsan.supp:print_suppressions=0"
    )
    config.environment["UBSAN_OPTIONS"] = "print_stacktrace=1:halt_on_error=1"
    config.environment["ASAN_SYMBOLIZER_PATH"] = os.path.join(
        config.llvm_tools_dir, "llvm-symbolizer"
    )
    # The runtime of the sanitizers has to come first in a process, and Python is not
    # linked to it; its child processes inherit this. Objects come from malloc, so that
    # each has its own bounds. What the interpreter, numpy, torch and jax hold at their
    # end would be called leaks: these are looked for in the C and C++ programs over the
    # same library, and nanobind names objects of the extension that are left over.
    loader_python = (f"env LD_PRELOAD={config.scan_sanitizer_runtime} PYTHONMALLOC=malloc "
                     f"ASAN_OPTIONS={config.environment['ASAN_OPTIONS']}:detect_leaks=0 {python}")
    sanitizer_link = ("-fsanitize=address -shared-libasan -Wl,-rpath,"
                      + os.path.dirname(config.scan_sanitizer_runtime))

# LeakSanitizer for single programs: its runtime, and a system that lets it look
# into the process (a container may forbid that). A leak made for it says whether it
# works.
with tempfile.TemporaryDirectory() as folder:
    leaky = os.path.join(folder, "leaky")
    compiled = subprocess.run(
        [os.path.join(config.llvm_tools_dir, "clang"), "-fsanitize=leak", "-xc", "-", "-o", leaky],
        input="#include <stdlib.h>\nint main(void) { void *volatile p = malloc(9); p = 0; }\n",
        text=True, capture_output=True, check=False)
    if compiled.returncode:
        missing("no LeakSanitizer (libclang-rt-22-dev)")
    else:
        ran = subprocess.run([leaky], text=True, capture_output=True, check=False)
        if "detected memory leaks" in ran.stderr:
            config.available_features.add("lsan")
        else:
            lit_config.note("LeakSanitizer does not work here: leak tests are skipped")

# Tests of many cases run a sample of them, by default another one each day; all of them
# run with `--param all=1` (make check-all), and few under the sanitizers, which take long.
is_all = lit_config.params.get("all", "") == "1"
asan = "asan" in config.available_features
seed = (os.environ.get("SCAN_TEST_SEED") or os.environ.get("SCAN_MATRIX_SEED")
        or str(int(time.time()) // 86400))
lit_config.note(f"samples of seed {seed}; SCAN_TEST_SEED=N takes another one")
# For scripts that ask sampling.of_today.
config.environment["SCAN_TEST_SEED"] = seed
config.environment["SCAN_TEST_ALL"] = "1" if is_all and not asan else ""
config.substitutions += [
    ("%seed", seed),
    ("%sample_prefix", "FULL" if is_all and not asan else "SAMPLE"),
    # Sanitizers slow large programs down more than small ones.
    ("%growth_factor", "3" if asan else "2"),
]
def of_today(values, count):
    """So many of the values, others each day; all of them with all."""
    if is_all and not asan:
        return values
    return [values[(int(seed) + i) % len(values)] for i in range(count)]


config.substitutions += [
    ("%chips_of_today", ",".join(of_today(["sm_80", "sm_90"], 1))),
    # Of compile_time.py --growth.
    ("%graphs_of_today",
     " ".join(of_today(["side", "summed", "chain", "layers", "recurrences"], 2))),
]
SAMPLES = {
    # One case of so many runs, or as many as bring every pair of values of two factors
    # together (Inputs/sampling.py): with all, usually, with sanitizers.
    "%part_matrix": (1, 6, 13),
    "%part_schedules": (20, 1000000, 1000000),
    "%part_kernels": (1, 9, 53),
    "%part_sequential": (1, 24, 53),
    "%part_row": (1, 24, 53),
    "%part_column": (7, 37, 211),
    "%part_four": (4, 24, 211),
    "%part_many": (4, 24, 211),
    "%part_segment_offsets": (8, 1024, 1024),
    "%part_segment_inits": (4, 60, 1024),
    "%part_wrong_offsets": (1, 1024, 1024),
    "%part_assemble": (1, 16, 13),
    "%part_operator_facts": (4, 80, 400),
    "%part_chips": (1, 4, 7),
    "%part_counted": (1, 5, 12),
    # One of so many, another one each day (sampling.is_of_today).
    "%part_derivatives": (1, 3, 1),
    "%part_numbers": (1, 3, 7),
    "%part_parameters": (1, 3, 6),
    "%part_names": (1, 2, 2),
    "%part_mutants": (1, 2, 1),
    "%part_diagnostics": (1, 3, 3),
    # Every so many-th case.
    "%every_mutant": (1, 1, 9),
    "%every_variant": (1, 8, 12),
    "%every_recurrence": (1, 4, 8),
    "%every_combiner": (1, 30, 200),
    "%sample_every": (1, 1, 7),
    "%every_model": (1, 3, 12),
    "%every_gradient": (1, 2, 8),
    "%every_spill": (1, 10, 12),
    "%every_program": (1, 24, 120),
    # So many cases.
    "%count_long": (96, 10, 2),
    "%count_chips": (7, 2, 1),
    "%count_recurrences_cpu": (150, 30, 10),
    "%count_recurrences_gpu": (60, 10, 4),
    "%count_segments_cpu": (120, 40, 40),
    "%count_segments_emulator": (40, 12, 12),
    "%count_fuzz_emulator": (1500, 300, 60),
    "%count_fuzz_files": (3000, 3000, 150),
    "%count_fuzz_mixes": (520, 200, 12),
    "%count_fuzz_graphs": (150, 60, 10),
    "%count_fuzz_cells": (100000, 10000, 3000),
    "%count_fuzz_verifier": (3000, 2000, 100),
    # A program has some 50 cases, and one of three programs runs in the emulator.
    "%count_fuzz_programs": (18500, 4000, 1200),
}
SAMPLES = {name: str(counts[2 if asan else 0 if is_all else 1])
           for name, counts in SAMPLES.items()}
config.substitutions += SAMPLES.items()

# Longer names first: lit replaces them in this order.
config.substitutions += [
    ("%loader_python", loader_python),
    # What XLA makes of the programs around our calls is run once, and is not what is tested.
    ("%pytest", f"env JAX_DISABLE_MOST_OPTIMIZATIONS=1 PYTHONPATH={config.scan_build_root}/python"
                f":{config.test_source_root}/Inputs {loader_python} -m pytest -q "
                f"-p no:cacheprovider -p parameter_sample --parameter-part={SAMPLES['%part_parameters']} "
                "--basetemp=%t.tmp"),
    ("%sanitizer_runtime", config.scan_sanitizer_runtime),
    ("%sanitizer_link", sanitizer_link),
    ("%leak_sanitizer", sanitizer_link or "-fsanitize=leak"),
    ("%python", python),
    ("%llvm_lib", os.path.join(os.path.dirname(config.llvm_tools_dir), "lib")),
    ("%llvm_include", os.path.join(os.path.dirname(config.llvm_tools_dir), "include")),
    ("%examples", os.path.join(config.scan_source_root, "examples")),
    ("%scripts", scripts),
    ("%source", config.scan_source_root),
    ("%plugin", os.path.join(config.scan_build_root, "lib", "MLIRScanPlugin.so")),
    ("%build", config.scan_build_root),
]
