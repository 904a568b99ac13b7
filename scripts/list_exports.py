#!/usr/bin/env python3
"""Writes the linker's version script of libMLIRScan.so: what others may use.

usage: list_exports.py --nm NM --cxxfilt CXXFILT --include PATH... --out FILE
                       OBJECT...

The names that the headers PATH or below the folders PATH declare are visible outside
of the library, all others are not: a class that is added to a public header is there
for other programs, a helper in lib/ cannot be called from outside or be replaced by
a function of the same name elsewhere, and nothing has to be marked. A PATH is
include/, or a header of lib/ that the tools use, which come with the library. In
detail, these stay visible:

*   functions of the C interface, mlir...;
*   members of the namespace mlir::scan if every part of their names occurs in a
    public header, their vtables, and static data of theirs;
*   the type ids of such classes, which `isa` compares by address;
*   the objects by whose address MLIR knows the effects and resources of memory. With
    a copy of its own, the library would tell upstream's analyses of accesses to a
    memory that they have never heard of.
"""

import argparse
import os
import re
import subprocess

NAME = r"mlir::scan::((?:\w+::)*~?\w+)"
OF_HEADERS = re.compile(
    rf"^(?:vtable for |guard variable for )?{NAME}(?:\[abi:\w+\])?(?:\(.*|::\w+)?$"
    rf"|^mlir::detail::TypeIDResolver<{NAME}, void>::id$"
)
SHARED = re.compile(r"^(?:guard variable for )?mlir::SideEffects::.*::get(?:<.*>)?\(\)::instance$")


def headers(paths):
    """The headers among `paths` and below them."""
    for path in paths:
        if os.path.isfile(path):
            yield path
        for folder, _, names in os.walk(path):
            yield from (os.path.join(folder, name) for name in names
                        if name.endswith((".h", ".h.inc")))


def declared(paths):
    """The words in the headers that `paths` are or have, without comments and strings."""
    words = set()
    for path in headers(paths):
        with open(path, encoding="utf-8") as file:
            text = re.sub(r'//[^\n]*|/\*.*?\*/|"[^"\n]*"', " ", file.read(), flags=re.S)
        words.update(re.findall(r"\w+", text))
    return words


def is_exported(symbol, name, words):
    if symbol.startswith("mlir") or SHARED.match(name):
        return True
    match = OF_HEADERS.match(name)
    return match is not None and words.issuperset(re.findall(r"\w+", match[1] or match[2]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nm", required=True)
    parser.add_argument("--cxxfilt", required=True)
    parser.add_argument("--include", action="append", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("objects", nargs="+")
    options = parser.parse_args()

    lines = subprocess.run(
        [options.nm, "--defined-only", "--extern-only", "--format=just-symbols", "--no-sort"]
        + options.objects,
        check=True, capture_output=True, text=True,
    ).stdout.splitlines()
    symbols = sorted({line for line in lines if line and not line.endswith(":")})
    names = subprocess.run(
        [options.cxxfilt], input="\n".join(symbols), check=True, capture_output=True, text=True
    ).stdout.splitlines()
    assert len(names) == len(symbols)

    words = declared(options.include)
    exported = [s for s, name in zip(symbols, names) if is_exported(s, name, words)]
    lines = ["{", "global:", *[f"  {symbol};" for symbol in exported], "local:", "  *;", "};", ""]
    with open(options.out, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


if __name__ == "__main__":
    main()
