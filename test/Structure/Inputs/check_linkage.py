"""Checks that binaries use the shared MLIR and LLVM and contain no copy of them.

usage: check_linkage.py BINARY...

A binary has to load libMLIR.so (itself or through libMLIRScan.so) and libLLVM.so,
and must not define any symbol that those libraries define strongly: two copies
of MLIR in one process have two sets of type ids.
"""

import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def loaded(binary):
    """Names and paths of the shared libraries that `binary` loads."""
    return dict(re.findall(r"^\s*(\S+) => (\S+)", output("ldd", binary), re.MULTILINE))


def defined(binary, kinds, *options):
    lines = output("llvm-nm", "--defined-only", *options, binary).splitlines()
    fields = [line.split() for line in lines]
    return {f[2] for f in fields if len(f) == 3 and f[1] in kinds}


def main():
    upstream = set()
    errors = 0
    for binary in sys.argv[1:]:
        libraries = loaded(binary)
        shared = [p for n, p in libraries.items() if re.match(r"lib(MLIR|LLVM)\.so", n)]
        if len(shared) != 2:
            print(f"{binary}: expected libMLIR.so and libLLVM.so, loads {sorted(libraries)}")
            errors += 1
        if not upstream:
            for library in shared:
                upstream |= {s for s in defined(library, "T", "-D") if "mlir" in s or "llvm" in s}
        # Also without the symbols that the linker hid: an object has them all.
        own = defined(binary, "Tt")
        copies = sorted(own & upstream)
        print(f"{binary}: {len(own)} functions, {len(copies)} of them copies")
        if copies:
            print(f"{binary}: for example {copies[0]}")
            errors += 1
    if not upstream:
        print("no symbols found in the shared libraries")
        errors += 1
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
