"""Compiles each header of the C interface on its own, as C11 and as C++17.

usage: headers.py FOLDER MLIR_INCLUDE
"""

import os
import subprocess
import sys

LANGUAGES = {
    "C": ["-xc", "-std=c11", "-Wpedantic", "-Wstrict-prototypes"],
    "C++": ["-xc++", "-std=c++17"],
}


def main():
    folder, mlir = sys.argv[1:]
    failed = 0
    headers = sorted(name for name in os.listdir(folder) if name.endswith(".h"))
    for name in headers:
        for language, flags in LANGUAGES.items():
            # Twice: the guard is tested as well.
            source = f'#include "Scan-c/{name}"\n' * 2
            result = subprocess.run(
                ["clang", *flags, "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                 f"-I{os.path.dirname(folder)}", f"-isystem{mlir}", "-"],
                input=source, text=True, check=False)
            if result.returncode:
                print(f"{name}: not {language}", flush=True)
                failed += 1
    print(f"{len(headers)} headers in {len(LANGUAGES)} languages, {failed} failed")
    return 1 if failed or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
