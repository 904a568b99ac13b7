"""Writes random functions of several scans over shared inputs, for agreement.py.

usage: random_pairs.py SEED COUNT

Directions, dimensions, initial and final states, exclusive results, operators
that do not commute, shifts, and elementwise code before and between the scans
are drawn; numbers are integers, so that every result is exact.
"""

import random
import sys

AFFINE = """  {names} = scan.associative ins({a}, {b} : {t}, {t}){init} dim = {dim}{flags} {{
  ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
    %q = arith.muli %a1, %a0 : i32
    %t = arith.muli %a1, %b0 : i32
    %r = arith.addi %t, %b1 : i32
    scan.yield %q, %r : i32, i32
  }} -> {results}
"""
ONE = """  {names} = scan.associative ins({a} : {t}){init} dim = {dim}{flags} {{
  ^bb0(%a0: i32, %a1: i32):
{body}
    scan.yield %r : i32
  }} -> {results}
"""
BODIES = [
    "    %r = arith.addi %a0, %a1 : i32",
    "    %r = arith.maxsi %a1, %a0 : i32",
    # The newer value, unless it is even.
    "    %c1 = arith.constant 1 : i32\n    %o = arith.andi %a1, %c1 : i32\n"
    "    %c = arith.cmpi eq, %o, %c1 : i32\n    %r = arith.select %c, %a1, %a0 : i32",
]


def write(random, number):
    full, rows, columns = "tensor<3x?xi32>", "tensor<?xi32>", "tensor<3xi32>"
    code, values, results = [], ["%x0", "%x1", "%x2"], []
    common = [random.randrange(2), random.random() < 0.5, random.random() < 0.5]
    for scan in range(random.randrange(2, 5)):
        # Mostly scans that can be merged.
        dim, reverse, init = [
            value if random.random() < 0.85 else random.randrange(2) for value in common]
        inputs = []
        for leaf in range(2):
            value = random.choice(values[:3] if random.random() < 0.7 else values)
            for step in range(random.randrange(2)):
                name = f"%e{len(code)}"
                code.append(random.choice([
                    f"  {name} = arith.addi {value}, {random.choice(values[:3])} : {full}\n",
                    f"  {name} = scan.shift {value} boundary(%i : i32) dim = {dim} "
                    f"by = {random.choice([-2, -1, 1])} : {full}\n"]))
                value = name
            inputs.append(value)
        two = random.random() < 0.5
        count = 2 if two else 1
        finals = random.random() < 0.4
        names = [f"%s{scan}_{i}" for i in range(count * (2 if finals else 1))]
        state = columns if dim == 1 else rows
        initial = random.choice(["%i : i32", f"%h{dim} : {state}"])
        value, kind = initial.split(" : ")
        types = [full] * count + [state] * (len(names) - count)
        exclusive = " exclusive" if init and random.random() < 0.4 else ""
        code.append((AFFINE if two else ONE).format(
            names=", ".join(names), a=inputs[0], b=inputs[1], t=full, dim=dim,
            init=f" init({', '.join([value] * count)} : {', '.join([kind] * count)})" if init else "",
            flags=(" reverse" if reverse else "") + exclusive, results=", ".join(types),
            body=random.choice(BODIES)))
        values.append(names[count - 1])
        results += list(zip(names, types))
    print(f"// run: random:i32:3xN:{number}:-9:9 random:i32:3xN:{number + 1}:-9:9 "
          f"random:i32:3xN:{number + 2}:-9:9 random:i32::4:-9:9 random:i32:N:5:-9:9 random:i32:3:6:-9:9")
    print(f"func.func @f{number}(%x0: {full}, %x1: {full}, %x2: {full}, %i: i32, %h0: {rows}, %h1: {columns})\n"
          f"    -> ({', '.join(kind for _, kind in results)}) {{")
    print("".join(code), end="")
    print(f"  return {', '.join(name for name, _ in results)} : {', '.join(kind for _, kind in results)}\n}}\n")


def main():
    seed, count = map(int, sys.argv[1:])
    for number in range(count):
        write(random.Random(f"{seed} {number}"), number)


main()
