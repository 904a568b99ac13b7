#!/usr/bin/env python3
"""usage: many_leaves.py associative|kernel N: prints a sum of N leaves."""

import sys

kind, leaves = sys.argv[1], int(sys.argv[2])


def join(pattern, count=leaves):
    return ", ".join(pattern.format(i) for i in range(count))


arguments = f"{join('%a{}: f32')}, {join('%b{}: f32')}"
sums = "".join(f"  %s{i} = arith.addf %a{i}, %b{i} : f32\n" for i in range(leaves))
combine = f"^bb0({arguments}):\n{sums}  scan.yield {join('%s{}')} : {join('f32')}\n"
if kind == "associative":
    types = join("tensor<?xf32>")
    print(f"func.func @f({join('%x{}: tensor<?xf32>')}) -> ({types}) {{")
    print(f"%y:{leaves} = scan.associative ins({join('%x{}')} : {types}) dim = 0 {{")
    print(f"{combine}}} -> {types}")
    print(f"return {join('%y#{}')} : {types}\n}}")
else:
    map_ = "affine_map<(d0) -> (d0)>"
    print("func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {")
    print("%0 = scan.kernel dim = 0 ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>)")
    print(f"maps [{map_}, {map_}]")
    print(f"load {{\n^bb0(%e: f32):\n  scan.yield {join('%e')} : {join('f32')}\n}}")
    print(f"combine {{\n{combine}}} store {{")
    print(f"^bb0({join('%i{}: f32')}, {join('%e{}: f32')}, %e: f32):")
    print("  scan.yield %i0 : f32\n} -> tensor<?xf32>\nreturn %0 : tensor<?xf32>\n}")
