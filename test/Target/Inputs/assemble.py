"""Compiles many scans to PTX, assembles them, and checks what came out.

usage: assemble.py CHIP,... all|covering|grid|columns_over_grid PTXAS FOLDER [PART SEED]

`grid` and `columns_over_grid` are covering cases with rows and with columns that many
blocks share. With PART, a sample of all cases of all chips: one of so many (sampling.py).

For each case: the PTX assembles (ptxas at its default level, which optimises
fully); float32 sums and linear pairs have no spills; no arithmetic on 16-bit
floats is left; no word that is the same in a warp is taken apart (uniform.py); no
register is read that nothing was written to (defined.py); the manifest agrees with
the PTX. Prints one line per problem and a line with the counts for each chip.
"""

import collections
import dataclasses
import itertools
import json
import os
import re
import subprocess
import sys

import defined
import manifest
import programs
import sampling
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
    yield from defined.check(ptx)
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
    chips, which, ptxas, folder, *sampled = sys.argv[1:]
    part, seed = map(int, sampled or (1, 0))
    os.makedirs(folder, exist_ok=True)
    cases = {"all": programs.all_cases, "covering": programs.covering_cases}.get(
        which, lambda: programs.covering_cases([which]))()
    modules = {chip: collections.defaultdict(list) for chip in chips.split(",")}
    for chip, case in sampling.sample(itertools.product(modules, cases), part, seed,
                                      lambda pair: (pair[0], *dataclasses.astuple(pair[1]))):
        name = f"{case.combiner}_{case.dtype.strip('>').replace('<', '_')}_{chip}"
        modules[chip][name].append(case)
    print(f"seed {seed}")
    failed = False
    for chip, members in modules.items():
        kernels = problems = 0
        for name, cases in members.items():
            kernels += len(cases)
            for problem in check_module(name, cases, chip, ptxas, folder):
                problems += 1
                print(f"{name}: {problem}")
        print(f"{chip}: {len(members)} modules, {kernels} kernels, {problems} problems")
        failed |= problems > 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
