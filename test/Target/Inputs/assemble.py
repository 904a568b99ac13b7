"""Compiles many scans to PTX, assembles them, and checks what came out.

usage: assemble.py CHIP covering|grid|columns_over_grid|forward|reverse PTXAS FOLDER [EVERY]

`forward` and `reverse` are all cases of one direction, `grid` and `columns_over_grid`
covering ones with rows and with columns that many blocks share. With EVERY, a sample:
one case of so many.

For each case: the PTX assembles (ptxas at its default level, which optimises
fully); float32 sums and linear pairs have no spills; no arithmetic on 16-bit
floats is left; no word that is the same in a warp is taken apart (uniform.py); the
manifest agrees with the PTX. Prints one line per problem and
a line with the counts.
"""

import collections
import json
import os
import re
import subprocess
import sys

import manifest
import programs
import uniform

# Rounding operations on 16-bit floats. Loads, conversions, moves, comparisons,
# selections and negation do not round.
# Mixed ones (add.f32.bf16) widen their 16-bit operand and round to 32 bits.
NARROW = re.compile(
    r"^\s*(?:@%?\S+\s+)?((?:add|sub|mul|fma|mad|div|ex2|tanh)\.(?!\S*f32\.b?f16\s)[\w.]*b?f16\S*)", re.M
)
ENTRY = re.compile(r"Compiling entry function '(\S+)'")
SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")


def spills_of(log):
    """Bytes of spills by entry, from what `ptxas -v` prints."""
    result, entry = {}, None
    for line in log.splitlines():
        if match := ENTRY.search(line):
            entry = match.group(1)
        elif (match := SPILLS.search(line)) and entry:
            result[entry] = int(match.group(1)) + int(match.group(2))
    return result


def run(command):
    return subprocess.run(command, capture_output=True, text=True)


def check_module(name, cases, chip, ptxas, folder):
    """Yields the problems of one module; the number of kernels comes first."""
    base = os.path.join(folder, name)
    with open(base + ".mlir", "w") as file:
        file.writelines(programs.write_function(case) for case in cases)
    done = run(
        ["scan-translate", "--scan-to-ptx", base + ".mlir", "--chip=" + chip]
        + ["-o", base + ".ptx", "--manifest=" + base + ".json"]
    )
    if done.returncode:
        yield f"does not compile: {done.stderr.strip()}"
        return
    ptx = open(base + ".ptx").read()
    for operation in sorted(set(NARROW.findall(ptx))):
        yield f"16-bit arithmetic: {operation}"
    yield from uniform.check(ptx)
    description = json.load(open(base + ".json"))
    yield from manifest.check(description, ptx)
    functions = [function["name"] for function in description["functions"]]
    if functions != [case.name for case in cases]:
        yield f"the manifest has the functions {functions}"

    done = run([ptxas, "-arch=" + chip, "-v", "-o", base + ".cubin", base + ".ptx"])
    if done.returncode:
        yield f"does not assemble: {done.stderr.strip()}"
        return
    spills = spills_of(done.stderr)
    entry_of = {
        function["name"]: [kernel["entry"] for kernel in function["kernels"]]
        for function in description["functions"]
    }
    for case in cases:
        if len(entry_of[case.name]) != 1:
            yield f"{case.name} has the kernels {entry_of[case.name]}"
            continue
        (entry,) = entry_of[case.name]
        if entry not in spills:
            yield f"ptxas does not speak of {entry}"
        elif spills[entry] and case.dtype == "f32" and case.combiner in ("add", "linear"):
            yield f"{case.name} spills {spills[entry]} bytes"


def main():
    chip, which, ptxas, folder = sys.argv[1:5]
    every = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    os.makedirs(folder, exist_ok=True)
    if which == "covering":
        cases = programs.covering_cases()
    elif which in ("grid", "columns_over_grid"):
        cases = programs.covering_cases([which])
    else:
        cases = (case for case in programs.all_cases() if case.reverse == (which == "reverse"))
    modules = collections.defaultdict(list)
    for case in list(cases)[::every]:
        modules[f"{case.combiner}_{case.dtype.strip('>').replace('<', '_')}"].append(case)
    kernels = problems = 0
    for name, members in modules.items():
        kernels += len(members)
        for problem in check_module(name, members, chip, ptxas, folder):
            problems += 1
            print(f"{name}: {problem}")
    print(f"{chip}: {len(modules)} modules, {kernels} kernels, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
