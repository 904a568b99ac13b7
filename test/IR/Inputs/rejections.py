"""Each class of programs that torch's associative_scan rejects: scan-opt must
exit with 1 and print one error that says what was expected and what was found.

usage: rejections.py invalid-associative.mlir
"""

import re
import subprocess
import sys

CLASSES = {
    "no leaf": "c1_no_leaf",
    "leaf count differs from yields": "c6_yield_count",
    "wrong element type": "c3_element_type",
    "extents differ": "c4_extents",
    "dim out of range": "c5_dim",
    "an argument is mutated": "c8_mutation",
    "an output aliases an input": "c9_argument",
    "two outputs alias": "c10_twice",
    "capture from outside": "c7_closure",
}

with open(sys.argv[1]) as file:
    sections = file.read().split("// -----\n")
failures = 0
for name, function in CLASSES.items():
    (program,) = [s for s in sections if f"@{function}(" in s]
    program = re.sub(r" *// expected-.*\n", "", program)
    run = subprocess.run(
        ["scan-opt", "-"], input=program, capture_output=True, text=True
    )
    errors = re.findall(r" error: (.*)", run.stderr)
    good = (
        run.returncode == 1
        and not run.stdout
        and len(errors) == 1
        and "expected" in errors[0]
        and "found" in errors[0]
    )
    failures += not good
    print(f"{'ok' if good else 'BAD'}: {name}: exit {run.returncode}: {errors}")
print(f"{len(CLASSES) - failures} of {len(CLASSES)} classes rejected")
sys.exit(failures != 0)
