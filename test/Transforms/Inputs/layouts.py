"""A selective state space layer with its tensors in any order of dimensions.

usage: layouts.py WORKDIR SEED COUNT

The states have the dimensions b (batch), d (channel), n (state) and l (time), in all 24
orders; the order of the other tensors is drawn with the seed. The read-out is written
as one operation, as two, and as what upstream's fusion of elementwise operations makes of
these. Each has to become one kernel that moves no more than compulsory traffic. COUNT of
the programs are compared with the interpreter on the CPU and in the emulator.
"""

import itertools
import os
import random
import sys

import scan_tools

EXTENTS = {"b": 2, "d": 3, "n": 4, "l": 9}
FUSE = ["--scan-normalize", "--scan-fuse-elementwise"]


def tensor(dims, static):
    return "tensor<" + "x".join([str(EXTENTS[c]) if c in static else "?" for c in dims] + ["f32>"])


def access(loops, dims):
    return f"affine_map<({', '.join(loops)}) -> ({', '.join(dims)})>"


def generic(name, loops, reduced, ins, outs, static, body):
    """A linalg.generic; operands are pairs of a name and dimensions."""
    maps = ", ".join(access(loops, dims) for _, dims in ins + outs)
    kinds = ", ".join('"reduction"' if c in reduced else '"parallel"' for c in loops)

    def group(operands):
        names = ", ".join(f"%{n}" for n, _ in operands)
        return f"{names} : {', '.join(tensor(d, static) for _, d in operands)}"

    results = ", ".join(tensor(d, static) for _, d in outs)
    arguments = ", ".join(f"%x{i}: f32" for i in range(len(ins) + len(outs)))
    return f"""  {name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
      ins({group(ins)}) outs({group(outs)}) {{
  ^bb0({arguments}):
{body}  }} -> ({results})
"""


def program(order, form, draw, reverse):
    """The text, and the dimensions of each argument."""

    def shuffled(dims):
        return "".join(draw.sample(dims, len(dims)))

    static = draw.choice(["n", "nd", "nl", "bdnl"])
    u, a, b, y = shuffled("bdl"), shuffled("dn"), shuffled("bnl"), shuffled("bdl")
    arguments = {"u": u, "delta": u, "a": a, "b": b, "c": shuffled("bnl")}
    signature = ", ".join(f"%{n}: {tensor(d, static)}" for n, d in arguments.items())
    text = [f"func.func @f({signature}) -> {tensor(y, static)} {{\n"]
    text.append("  %zero = arith.constant 0.0 : f32\n")
    for c in "bdl":
        if c not in static:
            text.append(f"  %i{c} = arith.constant {u.index(c)} : index\n")
            text.append(f"  %n{c} = tensor.dim %u, %i{c} : {tensor(u, static)}\n")

    def empty(name, dims):
        sizes = ", ".join(f"%n{c}" for c in dims if c not in static)
        text.append(f"  %{name} = tensor.empty({sizes}) : {tensor(dims, static)}\n")

    empty("states", order)
    empty("out", y)
    text.append(generic(
        "%decay, %in", order, "", [("delta", u), ("u", u), ("a", a), ("b", b)],
        [("states", order), ("states", order)], static,
        """    %da = arith.mulf %x0, %x2 : f32
    %e = math.exp %da : f32
    %du = arith.mulf %x0, %x1 : f32
    %dbu = arith.mulf %du, %x3 : f32
    linalg.yield %e, %dbu : f32, f32
"""))
    whole = tensor(order, static)
    text.append(f"  %h = scan.linear_recurrence ins(%decay, %in : {whole}, {whole}) init(%zero : f32) "
                f"dim = {order.index('l')}{' reverse' if reverse else ''} -> {whole}\n")
    text.append(f"  %start = linalg.fill ins(%zero : f32) outs(%out : {tensor(y, static)}) "
                f"-> {tensor(y, static)}\n")
    product = "    %p = arith.mulf %x0, %x1 : f32\n"
    if form == "one":
        text.append(generic("%y", y + "n", "n", [("h", order), ("c", arguments["c"])], [("start", y)],
                            static, product + "    %s = arith.addf %x2, %p : f32\n    linalg.yield %s : f32\n"))
    else:
        text.append(generic("%hc", order, "", [("h", order), ("c", arguments["c"])], [("states", order)],
                            static, product + "    linalg.yield %p : f32\n"))
        text.append(generic("%y", order, "n", [("hc", order)], [("start", y)], static,
                            "    %s = arith.addf %x1, %x0 : f32\n    linalg.yield %s : f32\n"))
    text.append(f"  return %y : {tensor(y, static)}\n}}\n")
    return "".join(text), list(arguments.values())


def find_problem(path, fused, form):
    upstream = ["--linalg-fuse-elementwise-ops"] if form == "upstream" else []
    done = scan_tools.run(["scan-opt", path, *upstream, *FUSE, "--scan-print-traffic", "-o", fused])
    if done.returncode:
        return done.stderr
    text = open(fused).read()
    ratio = [line.split()[-1] for line in (done.stdout + done.stderr).splitlines()
             if "total / compulsory" in line]
    if text.count("scan.kernel") != 1 or "linalg." in text or ratio != ["1"]:
        return f"{text.count('scan.kernel')} kernels, total / compulsory: {ratio}\n{text}"
    return ""


def main():
    work, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    os.makedirs(work, exist_ok=True)
    draw = random.Random(seed)
    bad = 0
    programs = []
    for order in map("".join, itertools.permutations("bdnl")):
        for form in ("one", "two", "upstream"):
            text, arguments = program(order, form, draw, draw.choice([False, True]))
            path = os.path.join(work, f"{order}-{form}.mlir")
            with open(path, "w") as file:
                file.write(text)
            problem = find_problem(path, os.path.join(work, f"{order}-{form}.fused.mlir"), form)
            bad += bool(problem)
            if problem:
                print(f"{path}: {problem}")
            programs.append((path, arguments))
    for path, arguments in draw.sample(programs, count):
        inputs = [f"--input=random:f32:{'x'.join(str(EXTENTS[c]) for c in dims)}:{i}:-1:1"
                  for i, dims in enumerate(arguments)]
        for target in ("cpu", "emulator"):
            done = scan_tools.run(["scan-run", path, "--entry=f", f"--target={target}", *inputs,
                                   "--compare=reference", "--tolerance=1e-5"])
            bad += done.returncode != 0
            if done.returncode:
                print(f"{path} on {target}: {done.stdout}{done.stderr}")
    print(f"{len(programs)} programs, {bad} problems")
    sys.exit(bad > 0)


main()
