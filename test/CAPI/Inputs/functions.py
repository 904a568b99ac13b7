"""Compares what the headers of the C interface declare with what the library
exports and with what the test programs call.

usage: functions.py HEADERS LIBRARY PROGRAMS
"""

import os
import re
import subprocess
import sys


def read(folder, suffixes):
    text = ""
    for name in sorted(os.listdir(folder)):
        if name.endswith(suffixes):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text += file.read()
    # Comments name functions, too.
    return re.sub(r"//[^\n]*", "", text)


def main():
    headers, library, programs = sys.argv[1:]
    text = read(headers, (".h",))
    declared = set(re.findall(r"MLIR_CAPI_EXPORTED[^;(]*?\b(mlir\w+)\s*\(", text))
    for namespace in re.findall(r"MLIR_DECLARE_CAPI_DIALECT_REGISTRATION\(\w+, (\w+)\)", text):
        declared.add(f"mlirGetDialectHandle__{namespace}__")
    symbols = subprocess.run(["llvm-nm", "-D", "--defined-only", library],
                             check=True, capture_output=True, text=True).stdout
    exported = set(re.findall(r" T (mlir\w+)$", symbols, re.MULTILINE))
    called = set(re.findall(r"\b(mlir\w+)\s*\(", read(programs, (".c", ".h"))))

    problems = [f"{name}: declared, but not exported" for name in sorted(declared - exported)]
    problems += [f"{name}: exported, but not declared" for name in sorted(exported - declared)]
    problems += [f"{name}: called by no test" for name in sorted(declared - called)]
    for problem in problems:
        print(problem)
    print(f"{len(declared)} functions, {len(problems)} problems")
    return 1 if problems or not declared else 0


if __name__ == "__main__":
    sys.exit(main())
