"""Lists the functions that compiled programs and their derivatives call.

usage: object_calls.py FOLDER [--derivatives] FILE.mlir...

Every program is compiled to an object file for this processor, as it is written and, if
asked, with the derivative of each function. Prints the undefined symbols of each object, without
those of memory and of errors, which no loop over the elements of an array calls.
"""

import os
import re
import sys

import scan_tools

QUIET = {"__tls_get_addr", "_setjmp", "longjmp", "malloc", "free", "memcpy", "memmove", "memset"}


def list_calls(folder, program):
    output = os.path.join(folder, "k.o")
    scan_tools.check(["scan-translate", "--scan-to-object", program, "-o", output,
                      f"--header={output}.h", "--cpu=native"])
    names = scan_tools.check(["llvm-nm", "-u", "--just-symbol-name", output]).split()
    return sorted(set(names) - QUIET)


def main():
    folder, *programs = sys.argv[1:]
    with_derivatives = "--derivatives" in programs
    os.makedirs(folder, exist_ok=True)
    for program in programs[with_derivatives:]:
        name = os.path.basename(program)
        print(f"{name} calls: {' '.join(list_calls(folder, program)) or 'nothing'}")
        if not with_derivatives:
            continue
        with open(program) as file:
            functions = re.findall(r"^func\.func @(\w+)", file.read(), re.MULTILINE)
        for function in functions:
            derivative = os.path.join(folder, "derivative.mlir")
            scan_tools.check(["scan-opt", program, f"--scan-differentiate=function={function}",
                              "-o", derivative])
            calls = list_calls(folder, derivative)
            print(f"{name}, derivative of {function}, calls: {' '.join(calls) or 'nothing'}")


main()
