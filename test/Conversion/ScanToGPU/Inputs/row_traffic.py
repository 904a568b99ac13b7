"""Counts what scans of aligned rows of f32 do to memory, by schedules of all three kinds.

usage: row_traffic.py FOLDER

Whole tiles: each request of a warp is for 512 bytes in 16 sectors. Look-back traffic comes
on top, a few requests for each tile. Partial tiles: each byte once.
No tile has bank conflicts. Programs are written to FOLDER; prints what is wrong, and how
many were counted.
"""

import json
import os
import sys

import scan_tools

SECTOR, REQUEST = 32, 512
# To draw a number, to publish an aggregate and a prefix, and to look for those of others.
TOLD = 5

OPERATORS = {
    "sum": ("%acc: f32, %new: f32", ["%s = arith.addf %acc, %new : f32"], ["%s"]),
    "pair": ("%a0: f32, %b0: f32, %a1: f32, %b1: f32",
             ["%p = arith.mulf %a1, %a0 : f32", "%q = arith.mulf %a1, %b0 : f32",
              "%r = arith.addf %q, %b1 : f32"], ["%p", "%r"]),
}
# Threads, items, rows, persistent blocks (None: one block for a row).
SCHEDULES = [(128, 8, 1, None), (64, 16, 1, None), (96, 12, 1, None), (64, 5, 1, None),
             (128, 16, 2, None), (128, 8, 8, None),
             (128, 4, 1, 0), (128, 24, 1, 0), (256, 12, 1, 0),
             (384, 20, 1, 3)]
# What shared memory has room for, of three tiles of the inputs and one of the outputs.
LARGE = {"sum": (640, 20, 1, 3), "pair": (512, 12, 1, 3)}


def write(operator, schedule, rows, extent, flags):
    arguments, lines, results = OPERATORS[operator]
    threads, items, side, blocks = schedule
    memref = f"memref<{rows}x{extent}xf32>"
    names = [f"%x{i}" for i in range(len(results))] + ["%y"]
    text = f"strategy = row, threads = {threads}, items = {items}, rows = {side}"
    if blocks is not None:
        text += ", scope = grid" + f", blocks = {blocks}" * (blocks > 0)
    alloc = [f"{n} = memref.alloc() {{alignment = 128 : i64}} : {memref}" for n in names]
    # By a loop on the host, which is not counted.
    fill = ["scf.for %i = %c0 to %rows step %c1 {\nscf.for %j = %c0 to %extent step %c1 {",
            *(f"memref.store %one, {n}[%i, %j] : {memref}" for n in names[:-1]), "}\n}"]
    types = ", ".join(["f32"] * len(results))
    both = [f"%{kind}{i}" for kind in "ie" for i in range(len(results))]
    stored = both[2 * len(results) - 1 if "exclusive" in flags else len(results) - 1]
    elements = [f"%e{n[1:]}_" for n in names[:-1]]
    initial = "init(%one : f32)" if "exclusive" in flags else ""
    initialize = (f"initialize {{\n^bb0(%i: f32):\nscan.yield {', '.join(['%i'] * len(results))}"
                  f" : {types}\n}}") if initial else ""
    maps = ["#rt"] * len(names)
    if initial:
        maps.insert(len(names) - 1, "#scalar")
    body = "\n".join([*alloc, *fill])
    combined = "\n".join(lines)
    return f"""#rt = affine_map<(r, t) -> (r, t)>
#scalar = affine_map<(r, t) -> ()>
func.func @main() {{
%one = arith.constant 1.0 : f32
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%rows = arith.constant {rows} : index
%extent = arith.constant {extent} : index
{body}
scan.kernel dim = 1 {'reverse' if 'reverse' in flags else ''}
ins({', '.join(names[:-1])} : {', '.join([memref] * len(results))}) {initial}
outs(%y : {memref}) maps [{', '.join(maps)}]
attributes {{schedule = #scan.schedule<{text}>}}
load {{
^bb0({', '.join(e + ': f32' for e in elements)}):
scan.yield {', '.join(elements)} : {types}
}} {initialize} combine {{
^bb0({arguments}):
{combined}
scan.yield {', '.join(results)} : {types}
}} store {{
^bb0({', '.join(e + ': f32' for e in [*both, *elements])}):
scan.yield {stored} : f32
}}
{chr(10).join(f'memref.dealloc {n} : {memref}' for n in names)}
return
}}
"""


def count(folder, *parts):
    path = os.path.join(folder, "program.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(write(*parts))
    done = scan_tools.run(["scan-run", path, "--entry=main", "--target=emulator", "--stats",
                           "--json", "--resident-blocks=1"])
    if done.returncode:
        sys.exit(f"{parts}: {done.stderr}")
    return json.loads(done.stdout)["statistics"]


def find_wrong(statistics, tiles, is_whole):
    for kind in "global_reads", "global_writes":
        counts = statistics[kind]
        told = TOLD * tiles
        if counts["bytes"] > counts["compulsory_bytes"] + told * SECTOR:
            yield f"{kind}: {counts['bytes']} bytes of {counts['compulsory_bytes']}"
        ideal = counts["compulsory_bytes"] // REQUEST
        if is_whole and counts["requests"] > ideal + told:
            yield f"{kind}: {counts['requests']} requests, expected {ideal} and {told}"
        sectors = counts["compulsory_bytes"] // SECTOR
        if is_whole and counts["sectors"] > sectors + told:
            yield f"{kind}: {counts['sectors']} sectors, expected {sectors} and {told}"
    if statistics["bank_conflicts"]:
        yield f"{statistics['bank_conflicts']} bank conflicts"


def main():
    wrong = counted = 0
    for operator in OPERATORS:
        for number, schedule in enumerate([*SCHEDULES, LARGE[operator]]):
            threads, items, side, blocks = schedule
            tile = threads // side * items
            # Each with another of the directions and of the two kinds.
            flags = [[], ["reverse"], ["exclusive"], ["reverse", "exclusive"]][
                (number + (operator == "pair")) % 4]
            for extent, is_whole in ((4 * tile, items % 4 == 0), (3 * tile - 5, False)):
                rows = side + 1 if blocks is None else 1
                tiles = 0 if blocks is None else -(-extent // tile)
                statistics = count(sys.argv[1], operator, schedule, rows, extent, flags)
                counted += 1
                for problem in find_wrong(statistics, tiles, is_whole):
                    wrong += 1
                    print(operator, schedule, rows, extent, *flags, problem)
    print(f"{counted} counted, {wrong} wrong")


main()
