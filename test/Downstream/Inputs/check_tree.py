"""Checks an installed tree.

usage: check_tree.py TREE LLVM_LIB FORBIDDEN...

*   The files have less than 16 MB together.
*   libMLIRScan.so is versioned: a link to the soname, a link to the file.
*   What is loaded at run time needs the tree's own library, libMLIR, libLLVM and the
    C++ runtime, and beyond that only what libLLVM needs itself.
*   It is looked for relative to where the tree is, and in LLVM_LIB.
*   No file names one of the paths FORBIDDEN: the tree can be anywhere.
"""

import os
import re
import subprocess
import sys

LIMIT = 16e6
NEEDED = re.compile(
    r"(libMLIRScan|libMLIR|libLLVM|libstdc\+\+|libgcc_s|libm|libc|ld-linux-x86-64)\.so\b"
)


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def dynamic(path, tag):
    """The values of the entries `tag` in the dynamic section."""
    section = output("llvm-readelf", "-d", path)
    return re.findall(rf"\({tag}\)[^\[]*\[([^\]]*)\]", section)


def loaded(path):
    """What is loaded with `path`: names, to where they were found (or None)."""
    lines = output("ldd", path).splitlines()
    pairs = [re.match(r"\s*(\S+) => (not found|\S+)", line) for line in lines]
    return {m[1]: None if m[2] == "not found" else m[2] for m in pairs if m}


def check_loadable(path, tree, llvm):
    for name in dynamic(path, "NEEDED"):
        if not NEEDED.match(name):
            yield f"needs {name}"
    for folder in ":".join(dynamic(path, "RUNPATH") + dynamic(path, "RPATH")).split(":"):
        if folder and not folder.startswith("$ORIGIN") and folder != llvm:
            yield f"looks for libraries in {folder}"
    allowed = loaded(os.path.join(llvm, "libLLVM.so"))
    for name, found in loaded(path).items():
        if found is None:
            yield f"does not find {name}"
        elif name.startswith("libMLIRScan"):
            if not os.path.realpath(found).startswith(os.path.realpath(tree) + os.sep):
                yield f"finds {found}, outside of the tree"
        elif name not in allowed and not NEEDED.match(name):
            yield f"loads {name}"


def check_links(tree):
    """Follows libMLIRScan.so; the middle is its soname, the end has three numbers."""
    folder = os.path.join(tree, "lib")
    chain = ["libMLIRScan.so"]
    while os.path.islink(os.path.join(folder, chain[-1])):
        chain.append(os.readlink(os.path.join(folder, chain[-1])))
    print(" -> ".join(chain))
    library = os.path.join(folder, chain[-1])
    if len(chain) != 3 or not re.fullmatch(r"libMLIRScan\.so(\.\d+){3}", chain[-1]):
        yield "libMLIRScan.so: expected a link to a link to a file with a version"
    elif dynamic(library, "SONAME") != [chain[1]]:
        yield f"{chain[-1]}: soname {dynamic(library, 'SONAME')}, expected {chain[1]}"


def main():
    tree, llvm, *forbidden = sys.argv[1:]
    llvm = os.path.realpath(llvm)
    errors = list(check_links(tree))
    files = size = loadable = 0
    for folder, _, names in sorted(os.walk(tree)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.islink(path):
                continue
            with open(path, "rb") as file:
                content = file.read()
            files += 1
            size += len(content)
            short = os.path.relpath(path, tree)
            for text in forbidden:
                if (text + "/").encode() in content:
                    errors.append(f"{short}: names {text}")
            if content.startswith(b"\x7fELF"):
                loadable += 1
                errors += [f"{short}: {what}" for what in check_loadable(path, tree, llvm)]
    if size >= LIMIT:
        errors.append(f"{size} bytes, expected less than {LIMIT:.0f}")
    for error in errors:
        print("error:", error)
    print(f"{files} files, {size / 1e6:.1f} MB, {loadable} of them loadable, {len(errors)} errors")
    return 1 if errors or not loadable else 0


if __name__ == "__main__":
    sys.exit(main())
