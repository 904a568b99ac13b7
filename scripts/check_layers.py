#!/usr/bin/env python3
"""Checks that every #include points down the layers.

usage: check_layers.py [ROOT]

The layers and the reasons for them are in docs/architecture.md. A folder may
include itself and any folder of a lower level; two folders of one level do not
know each other, with the exceptions given below, where there are narrower rules
for some folders as well. The same holds for the rooms that some folders have.

An #include names a header of include/ by its path from there (Scan/IR/ScanDialect.h),
one of lib/ by its path from lib/ (Analysis/Traffic.h) or, within a folder of lib/, from
the file (Rules.h, ../ScalarCast.h). Headers of include/ are installed, and those of lib/
are not: the former do not include the latter.
"""

import os
import re
import sys

# Folder of lib/ and include/Scan/, and its level; the headers of CAPI are in
# include/Scan-c/.
LEVELS = {
    "IR": 1,
    "Launcher": 1,
    "Target": 1,
    "Analysis": 2,
    "Conversion": 3,
    "Plan": 2,
    "Prove": 3,
    "ReductionPatterns": 2,
    "Reference": 2,
    "Schedule": 3,
    "Transforms": 3,
    "Pipelines": 4,
    "TransformOps": 4,
    "Execution": 5,
    "InitAll": 5,
    "CAPI": 6,
    "Driver": 6,
    "Reduce": 7,
    "Fuzz": 8,
    "Tune": 7,
}
# The rooms of a folder of lib/, from the lowest to the highest; files in the folder
# itself are above all of them.
ROOMS = {
    "Conversion/ScanToGPU": ["Frame", "Primitives", "Tile", "LookBack", "Kernels"],
}
TOOLS = 9  # tools/, python/ and the programs below test/
PROGRAMS = ("tools", "python")

# Arrows within a level. The manifest names the schedules of the dialect; InitAll
# registers the passes of the emulator.
WITHIN_LEVEL = {("Target", "IR"), ("InitAll", "Execution")}

# The interpreter is what every lowering is compared with: it may not share code
# with any of them, whether the project's or upstream's.
# The launcher is linked into programs that have no MLIR. What a program moves is
# said by the program alone.
# The extension for Python is one of the programs that the C interface is there for.
ONLY = {"Analysis": {"IR"}, "Reference": {"IR"}, "Launcher": set(), "python": {"CAPI"}}
FORBIDDEN_UPSTREAM = {
    "Reference": re.compile(r"mlir/(Conversion|Dialect/\w+/(Transforms|Pipelines)|ExecutionEngine)/"),
    "Launcher": re.compile(r"(mlir|llvm)/"),
    "python": re.compile(r"(mlir|llvm)/"),
}

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]')


def layer_of(path):
    """The folder name in LEVELS that `path` (below the root) belongs to."""
    parts = path.split("/")
    if parts[0] == "lib" and len(parts) > 2:
        return parts[1]
    if parts[:2] == ["include", "Scan"] and len(parts) > 3:
        return parts[2]
    if parts[:2] == ["include", "Scan-c"]:
        return "CAPI"
    if parts[0] in ("tools", "test", "examples"):
        return "tools"
    if parts[0] == "python":
        return "python"
    return None


def find_header(root, path, included):
    """Where the header `included` of the file `path` is, below `root`; None if it is not
    one of this project's."""
    parts = included.split("/")
    beside = os.path.normpath(os.path.join(os.path.dirname(path), included)).replace(os.sep, "/")
    if ".." in parts or os.path.exists(os.path.join(root, beside)):
        return beside
    if parts[0] == "Scan-c" or parts[0] == "Scan" and len(parts) > 2:
        return "include/" + included
    if parts[0] in LEVELS and len(parts) > 1:
        return "lib/" + included
    return None


def room_of(path):
    """The folder in ROOMS that `path` (below the root) is in, and the number and the
    name of its room; (None, None, None) if it is in none."""
    for folder, rooms in ROOMS.items():
        if path.startswith(f"lib/{folder}/"):
            room = path.split("/")[folder.count("/") + 2]
            return folder, rooms.index(room) if room in rooms else len(rooms), room
    return None, None, None


def check_room(path, header):
    """Returns why `path` may not include `header` of another room, or None."""
    folder, level, room = room_of(path)
    target_folder, target_level, target = room_of(header)
    if folder == target_folder and folder and target_level > level:
        return f"the room {room} may not include {target}"
    return None


def check_include(root, path, layer, included):
    """Returns why the file `path` of `layer` may not include the header `included`, or
    None."""
    upstream = FORBIDDEN_UPSTREAM.get(layer)
    if upstream and upstream.match(included):
        return f"{layer} must not use this part of MLIR and LLVM"
    header = find_header(root, path, included)
    if not header:
        return None
    if path.startswith("include/") and not header.startswith("include/"):
        return "a header that is installed may not include one that is not"
    target = layer_of(header)
    if target is None:
        return None
    if target == layer:
        return check_room(path, header)
    return check_layer(layer, target) or (
        f"expected the path from {header.split('/')[0]}/" if ".." in included.split("/") else None)


def check_layer(layer, target):
    """Returns why `layer` may not include headers of `target`, another one, or None."""
    if target not in LEVELS:
        return f"unknown layer {target}: add it to LEVELS"
    if layer in ONLY and target not in ONLY[layer]:
        return f"{layer} may include only {', '.join(sorted(ONLY[layer])) or 'itself'}"
    if (layer, target) in WITHIN_LEVEL:
        return None
    level = TOOLS if layer in PROGRAMS else LEVELS[layer]
    if LEVELS[target] >= level:
        return f"{layer} (level {level}) may not include {target} (level {LEVELS[target]})"
    return None


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")
    files = errors = includes = 0
    for top in ("include", "lib", "python", "tools", "test"):
        for folder, _, names in sorted(os.walk(os.path.join(root, top))):
            for name in sorted(names):
                if not name.endswith((".h", ".c", ".cpp")):
                    continue
                path = os.path.relpath(os.path.join(folder, name), root)
                layer = layer_of(path)
                files += 1
                if layer is None:
                    continue
                if layer not in PROGRAMS and layer not in LEVELS:
                    print(f"{path}:1: unknown layer {layer}: add it to LEVELS")
                    errors += 1
                    continue
                with open(os.path.join(root, path), encoding="utf-8") as file:
                    for number, line in enumerate(file, 1):
                        match = INCLUDE.match(line)
                        if not match:
                            continue
                        includes += 1
                        reason = check_include(root, path, layer, match.group(1))
                        if reason:
                            print(f"{path}:{number}: {reason}: {match.group(1)}")
                            errors += 1
    print(f"{files} files, {includes} includes, {errors} that point the wrong way")
    return 1 if errors or not includes else 0


if __name__ == "__main__":
    sys.exit(main())
