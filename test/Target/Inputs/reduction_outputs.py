"""Prints the backward pass through a recurrence, with the gradients of its parameters as sums.

usage: reduction_outputs.py STATES [SCHEDULE]

With 1 state, a gated recurrence over bf16 as in Griffin: the gradient of one decay per
channel is added up over batch and time. With more, a selective scan as in Mamba: those
of what all channels share are added up over channels, step by step.
"""

import sys

STATES = int(sys.argv[1])
SCHEDULE = f"attributes {{schedule = #scan.schedule<{sys.argv[2]}>}}" if len(sys.argv) > 2 else ""
ALL = range(STATES)


def values(*names):
    return [f"%{name}{i}" for name in names for i in ALL]


def block(names, types):
    return "^bb0(" + ", ".join(f"{n}: {t}" for n, t in zip(names, types)) + "):"


def scan_yield(names, types):
    return f"scan.yield {', '.join(names)} : {', '.join(types)}"


def maps(*results):
    return ", ".join(f"affine_map<(b, t, c) -> ({result})>" for result in results)


def print_kernel(name, inputs, outputs, load, store, elements):
    """`inputs` and `outputs` are names, types and maps; a name that begins with s is a reduction
    output."""
    leaves, f32 = 2 * STATES, ["f32"]
    arguments = ", ".join(f"%{n}: {t}" for n, t, _ in inputs)
    results = ", ".join(t for _, t, _ in outputs)
    print(f"func.func @{name}({arguments}) -> ({results}) {{")
    print("%zero = arith.constant 0.0 : f32")
    for n, t, _ in outputs:
        empty = n + "_empty" if n[0] == "s" else n
        print(f"%{empty} = tensor.empty() : {t}")
        if n[0] == "s":
            print(f"%{n} = linalg.fill ins(%zero : f32) outs(%{empty} : {t}) -> {t}")
    print(f"%r:{len(outputs)} = scan.kernel dim = 1 reverse")
    print(f"ins({', '.join('%' + n for n, _, _ in inputs)} : {', '.join(t for _, t, _ in inputs)})")
    print("init(%zero : f32)")
    print(f"outs({', '.join('%' + n for n, _, _ in outputs)} : {results})")
    print(f"maps [{maps(*[m for _, _, m in inputs], '', *[m for _, _, m in outputs])}]")
    names, types = zip(*elements)
    print(f"{SCHEDULE} load {{\n{block(names, types)}\n{load}")
    print(scan_yield(values("a", "u"), f32 * leaves))
    print(f"}} initialize {{\n^bb0(%i: f32):\n{scan_yield(['%i'] * leaves, f32 * leaves)}")
    print(f"}} combine {{\n{block(values('a', 'u', 'A', 'U'), f32 * 2 * leaves)}")
    for i in ALL:
        print(f"%m{i} = arith.mulf %A{i}, %a{i} : f32\n%n{i} = arith.mulf %A{i}, %u{i} : f32")
        print(f"%o{i} = arith.addf %n{i}, %U{i} : f32")
    print(scan_yield(values("m", "o"), f32 * leaves))
    print(f"}} store {{\n{block(values('ia', 'iu', 'ea', 'eu') + list(names), f32 * 2 * leaves + list(types))}")
    print(store)
    print(f"}} -> {results}\nreturn {', '.join(f'%r#{i}' for i in range(len(outputs)))} : {results}\n}}")


def print_gated():
    wide, channels = "tensor<8x4096x2048xbf16>", "tensor<2048xf32>"
    point = "b, t, c"
    extends = "".join(f"%{n} = arith.extf %{n}_ : bf16 to f32\n" for n in "rxhd")
    load = extends + """%w = arith.mulf %l, %r : f32
%a0 = math.exp %w : f32
%u0 = arith.mulf %a0, %d : f32"""
    store = extends + """%g = arith.addf %d, %eu0 : f32
%dx = arith.mulf %g, %r : f32
%gh = arith.mulf %g, %h : f32
%dr = arith.mulf %gh, %l : f32
%dl = arith.mulf %gh, %r : f32
%db = arith.mulf %g, %x : f32
%dxb = arith.truncf %dx : f32 to bf16
%drb = arith.truncf %dr : f32 to bf16
scan.yield %dxb, %drb, %dl, %db : bf16, bf16, f32, f32"""
    print_kernel("gated", [("lambda", channels, "c")] + [(f"{n}_in", wide, point) for n in "rxhd"],
                 [("dx_out", wide, point), ("dr_out", wide, point), ("sl", channels, "c"),
                  ("sb", channels, "c")],
                 load, store, [("%l", "f32")] + [(f"%{n}_", "bf16") for n in "rxhd"])


def print_selective():
    wide, states = "tensor<4x2048x1536xf32>", f"tensor<4x2048x1536x{STATES}xf32>"
    shared, own = f"tensor<4x2048x{STATES}xf32>", f"tensor<1536x{STATES}xf32>"
    point = "b, t, c"
    load, store = [], ["%dx = arith.mulf %delta, %x : f32"]
    for i in ALL:
        load += [f"%w{i} = arith.mulf %delta, %l{i} : f32", f"%a{i} = math.exp %w{i} : f32",
                 f"%y{i} = arith.mulf %dy, %c{i} : f32", f"%u{i} = arith.mulf %a{i}, %y{i} : f32"]
        store += [f"%y{i} = arith.mulf %dy, %c{i} : f32", f"%g{i} = arith.addf %y{i}, %eu{i} : f32",
                  f"%db{i} = arith.mulf %g{i}, %dx : f32", f"%dc{i} = arith.mulf %dy, %h{i} : f32",
                  f"%gh{i} = arith.mulf %g{i}, %h{i} : f32",
                  f"%dl{i} = arith.mulf %gh{i}, %delta : f32",
                  f"%k{i} = arith.mulf %g{i}, %b{i} : f32",
                  f"%q{i} = arith.addf {f'%q{i - 1}' if i else '%dx'}, %k{i} : f32"]
    results = [f"%q{STATES - 1}"] + values("db", "dc", "dl")
    store.append(scan_yield(results, ["f32"] * len(results)))
    names = ["%delta", "%x", "%dy"] + values("h", "b", "c", "l")
    print_kernel("selective",
                 [(n, wide, point) for n in ("delta_in", "x_in", "dy_in")] +
                 [("h_in", states, point), ("b_in", shared, "b, t"), ("c_in", shared, "b, t"),
                  ("l_in", own, "c")],
                 [("dx_out", wide, point), ("sb", shared, "b, t"), ("sc", shared, "b, t"),
                  ("sl", own, "c")],
                 "\n".join(load), "\n".join(store), [(n, "f32") for n in names])


print_gated() if STATES == 1 else print_selective()
