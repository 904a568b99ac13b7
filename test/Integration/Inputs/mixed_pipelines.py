"""Runs random programs through random orders of passes and compares.

usage: mixed_pipelines.py WORKDIR FIRST_SEED END_SEED ORDERS [--plant=MISTAKE]

Each seed gives a program: scans with elementwise code, slices, branches, loops and
calls around them. The interpreter runs it as it is. ORDERS times, passes of this
project and of MLIR take a copy to memrefs, in an order drawn at random from those
that make sense (see `Order`), and scan-run compiles and runs what comes out. Every
bit of the results has to be the same, and every array has to be freed once.

--plant checks the check: `leak` leaves deallocation out, `number` turns every scan
around before the passes. Programs have to be found then.
"""

import os
import random
import re
import subprocess
import sys

EXTENT = {"a": 3, "b": 5}


class Program:
    """A module with a function @f; dimensions are `a` and `b`, each of them static
    or dynamic everywhere."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.element = self.random.choice(["f32", "f32", "f64", "i32"])
        self.dynamic = {d for d in EXTENT if self.random.random() < 0.5}
        self.count = 0
        self.depth = 0
        self.functions = []

    # Text.

    def type(self, shape):
        if not shape:
            return f"tensor<{self.element}>"
        return "tensor<" + "".join(("?" if d in self.dynamic else str(EXTENT[d])) + "x" for d in shape) + f"{self.element}>"

    def types(self, shapes):
        return ", ".join(map(self.type, shapes))

    def new(self):
        self.count += 1
        return f"%v{self.count}"

    def op(self, name):
        return f"arith.{name}{'i' if self.element == 'i32' else 'f'}"

    def maximum(self):
        return "arith.maxsi" if self.element == "i32" else "arith.maximumf"

    def constant(self, number):
        return f"{int(4 * number)} : i32" if self.element == "i32" else f"{number} : {self.element}"

    # Values: pairs of a name and a shape such as "ab".

    def pick(self, values, shape=None):
        fitting = [v for v in values if shape in (None, v[1])]
        return fitting[-1 - min(int(self.random.expovariate(0.4)), len(fitting) - 1)]

    def empty(self, lines, values, shape):
        sizes = []
        for d in shape:
            if d in self.dynamic:
                name, dims = self.pick([v for v in values if d in v[1]])
                sizes.append(self.new())
                lines.append(f"{sizes[-1]} = tensor.dim {name}, %c{dims.index(d)} : {self.type(dims)}")
        result = self.new()
        lines.append(f"{result} = tensor.empty({', '.join(sizes)}) : {self.type(shape)}")
        return result

    # Statements: append lines, and the values that they define.

    def binary(self, lines, values):
        x, shape = self.pick(values)
        y, _ = self.pick(values, shape)
        result = self.new()
        lines.append(f"{result} = {self.op(self.random.choice(['add', 'sub', 'mul']))} {x}, {y} : {self.type(shape)}")
        values.append((result, shape))

    def generic(self, lines, values):
        shape = self.random.choice(["ab", "ab", "ba", "a", "b"])
        inputs = []
        for _ in range(self.random.randint(1, 3)):
            inputs.append(self.pick(values, self.random.choice([s for s in ("ab", "ba", "a", "b") if set(s) <= set(shape)])))
        out = self.empty(lines, values, shape)
        results = [self.new() for _ in range(self.random.randint(1, 2))]
        shapes = [v[1] for v in inputs] + [shape] * len(results)
        maps = ", ".join(f"affine_map<({', '.join(shape)}) -> ({', '.join(s)})>" for s in shapes)
        arguments = ", ".join(f"%i{k}: {self.element}" for k in range(len(shapes)))
        body, total = [], "%i0"
        for k in range(1, len(inputs)):
            body.append(f"%s{k} = {self.op('sub')} {total}, %i{k} : {self.element}")
            total = f"%s{k}"
        iterators = ", ".join(['"parallel"'] * len(shape))
        body.append(f"%m = {self.op('mul')} {total}, %half : {self.element}")
        names = ["%m", total][: len(results)]
        lines.append(
            f"{', '.join(results)} = linalg.generic {{indexing_maps = [{maps}], "
            f"iterator_types = [{iterators}]}} "
            f"ins({', '.join(v[0] for v in inputs)} : {self.types(v[1] for v in inputs)}) "
            f"outs({', '.join([out] * len(results))} : {self.types([shape] * len(results))}) {{\n"
            f"^bb0({arguments}):\n" + "\n".join(body) + f"\nlinalg.yield {', '.join(names)} : "
            f"{', '.join([self.element] * len(results))}\n}} -> ({self.types([shape] * len(results))})"
        )
        values += [(r, shape) for r in results]

    def named(self, lines, values):
        kind = self.random.choice(["transpose", "fill", "map", "broadcast"])
        shape = self.random.choice(["ab", "ba"])
        out, type = self.empty(lines, values, shape), self.type(shape)
        result = self.new()
        if kind == "transpose":
            x = self.pick(values, shape[::-1])
            text = f"linalg.transpose ins({x[0]} : {self.type(x[1])}) outs({out} : {type}) permutation = [1, 0]"
        elif kind == "fill":
            text = f"linalg.fill ins(%half : {self.element}) outs({out} : {type}) -> {type}"
        elif kind == "map":
            x, y = self.pick(values, shape), self.pick(values, shape)
            text = f"linalg.map {{ {self.op('mul')} }} ins({x[0]}, {y[0]} : {type}, {type}) outs({out} : {type})"
        else:
            x = self.pick(values, shape[1])
            text = f"linalg.broadcast ins({x[0]} : {self.type(x[1])}) outs({out} : {type}) dimensions = [0]"
        lines.append(f"{result} = {text}")
        values.append((result, shape))

    def slice(self, lines, values):
        """Overwrites one row of a tensor by a row of another."""
        x, shape = self.pick(values, self.random.choice(["ab", "ba"]))
        y, _ = self.pick(values, shape)
        row, result = self.new(), self.new()
        size = EXTENT[shape[1]]
        if shape[1] in self.dynamic:
            size = self.new()
            lines.append(f"{size} = tensor.dim {y}, %c1 : {self.type(shape)}")
        part = self.type(shape[1])
        lines.append(f"{row} = tensor.extract_slice {y}[1, 0] [1, {size}] [1, 1] : {self.type(shape)} to {part}")
        lines.append(f"{result} = tensor.insert_slice {row} into {x}[2, 0] [1, {size}] [1, 1] : {part} into {self.type(shape)}")
        values.append((row, shape[1]))
        values.append((result, shape))

    def scan(self, lines, values):
        shape = self.random.choice(["ab", "ab", "ba", "a", "b"])
        dim = self.random.randrange(len(shape))
        rest = shape[:dim] + shape[dim + 1 :]
        (x, _), (y, _) = self.pick(values, shape), self.pick(values, shape)
        finals = [rest] if rest and self.random.random() < 0.4 else []
        order = self.random.choice(["", " reverse"])
        init = self.random.choice(["", "scalar", "tensor"])
        kind = self.random.choice(["recurrence", "recurrence", "sum", "max", "affine"])
        leaves = 2 if kind == "affine" else 1
        inits = []
        if init == "scalar":
            inits = [("%half", None)] * leaves
        elif init == "tensor" and rest:
            inits = [self.pick(values, rest) for _ in range(leaves)]
        words = ""
        if inits:
            words = f"init({', '.join(i[0] for i in inits)} : {', '.join(self.element if i[1] is None else self.type(i[1]) for i in inits)}) "
        words += f"dim = {dim}{order}"
        shapes = [shape] * leaves + finals * leaves
        results = [self.new() for _ in shapes]
        e = self.element
        if kind == "recurrence":
            text = f"scan.linear_recurrence ins({x}, {y} : {self.types([shape] * 2)}) {words}"
        elif kind == "affine":
            # Composition of maps: associative for integers, and for floats when
            # it is walked in order, as all of these are.
            text = (
                f"scan.associative ins({x}, {y} : {self.types([shape] * 2)}) {words} attributes {{order = #scan.order<sequential>}} {{\n"
                f"^bb0(%a0: {e}, %b0: {e}, %a1: {e}, %b1: {e}):\n%q = {self.op('mul')} %a1, %a0 : {e}\n"
                f"%t = {self.op('mul')} %a1, %b0 : {e}\n%r = {self.op('add')} %t, %b1 : {e}\nscan.yield %q, %r : {e}, {e}\n}}"
            )
        else:
            exclusive = " exclusive" if inits and self.random.random() < 0.5 else ""
            op = self.op("add") if kind == "sum" else self.maximum()
            text = (
                f"scan.associative ins({x} : {self.type(shape)}) {words}{exclusive} {{\n"
                f"^bb0(%p: {e}, %q: {e}):\n%r = {op} %p, %q : {e}\nscan.yield %r : {e}\n}}"
            )
        lines.append(f"{', '.join(results)} = {text} -> {self.types(shapes)}")
        values += zip(results, shapes)

    def branch(self, lines, values):
        """A scan on one side only; the other may hand on what is there."""
        shape = self.random.choice(["ab", "ba"])
        sides = []
        for _ in range(2):
            inner, inside = [], list(values)
            if self.random.random() < 0.7:
                self.block(inner, inside, self.random.randint(1, 2))
            sides.append((inner, self.pick(inside, shape)[0]))
        result, type = self.new(), self.type(shape)
        text = [f"{result} = scf.if {self.random.choice(['%yes', '%no'])} -> ({type}) {{"]
        for k, (inner, value) in enumerate(sides):
            text += inner + [f"scf.yield {value} : {type}", "} else {" if k == 0 else "}"]
        lines.append("\n".join(text))
        values.append((result, shape))

    def loop(self, lines, values):
        shape = self.random.choice(["ab", "ba"])
        start = self.pick(values, shape)[0]
        result, carried, type = self.new(), self.new(), self.type(shape)
        inner, inside = [], values + [(carried, shape)]
        self.block(inner, inside, self.random.randint(1, 2))
        value = self.pick(inside, shape)[0]
        lines.append(
            "\n".join(
                [f"{result} = scf.for %k{result[2:]} = %c0 to %c2 step %c1 iter_args({carried} = {start}) -> ({type}) {{"]
                + inner
                + [f"scf.yield {value} : {type}", "}"]
            )
        )
        values.append((result, shape))

    def call(self, lines, values):
        shapes = ["ab", self.random.choice(["ab", "ba"])]
        if not self.functions or self.random.random() < 0.5:
            name = f"@g{len(self.functions)}"
            self.functions.append(None)
            inner, inside = [], list(zip(["%x0", "%x1", "%x2", "%x3", "%x4"], shapes + ["ba", "a", "b"]))
            arguments = list(inside)
            self.block(inner, inside, self.random.randint(1, 3))
            # Perhaps an argument.
            returned = [self.pick(inside, "ab"), self.pick(inside, self.random.choice(["ab", "ba"]))]
            self.functions[int(name[2:])] = (arguments, returned, self.function(f"private {name}", arguments, inner, returned))
        number = self.random.choice([i for i, f in enumerate(self.functions) if f] or [-1])
        if number < 0:
            return
        arguments, returned, _ = self.functions[number]
        results = [self.new() for _ in returned]
        operands = ", ".join(self.pick(values, shape)[0] for _, shape in arguments)
        lines.append(
            f"{', '.join(results)} = func.call @g{number}({operands}, %yes, %no) : "
            f"({self.types(s for _, s in arguments)}, i1, i1) -> ({self.types(s for _, s in returned)})"
        )
        values += zip(results, (s for _, s in returned))

    def block(self, lines, values, count):
        self.depth += 1
        plain = [self.binary, self.generic, self.generic, self.named, self.slice, self.scan, self.scan]
        control = [self.branch, self.loop, self.call] if self.depth < 3 else []
        for _ in range(count):
            self.random.choice(plain + control)(lines, values)
        self.depth -= 1

    def function(self, name, arguments, lines, returned):
        parameters = ", ".join([f"{n}: {self.type(s)}" for n, s in arguments] + ["%yes: i1", "%no: i1"])
        types = self.types(s for _, s in returned)
        constants = [f"%c{i} = arith.constant {i} : index" for i in range(3)]
        constants.append(f"%half = arith.constant {self.constant(0.5)}")
        end = f"return {', '.join(n for n, _ in returned)} : {types}\n}}\n"
        return "\n".join([f"func.func {name}({parameters}) -> ({types}) {{", *constants, *lines, end])

    def build(self):
        """The text, the shapes of the arguments, and the number of results."""
        arguments = [("%x0", "ab"), ("%x1", "ab"), ("%x2", "ba"), ("%x3", "a"), ("%x4", "b")]
        lines, values = [], list(arguments)
        self.block(lines, values, self.random.randint(2, 6))
        self.scan(lines, values)
        self.block(lines, values, self.random.randint(0, 3))
        returned = [self.pick(values) for _ in range(self.random.randint(1, 3))]
        if self.random.random() < 0.1:
            returned.append(self.random.choice(arguments))
        text = self.function("@f", arguments, lines, returned)
        return "\n".join(f[2] for f in self.functions) + text, [s for _, s in arguments], len(returned)


class Order:
    """A random order of passes from scans on tensors to functions on memrefs."""

    ANY = ["canonicalize", "cse", "loop-invariant-code-motion", "inline", "symbol-dce", "sccp", "control-flow-sink",
           "int-range-optimizations"]
    TENSORS = [
        "scan-fuse-elementwise",
        "func.func(linalg-fuse-elementwise-ops)",
        "func.func(linalg-generalize-named-ops)",
        "func.func(linalg-inline-scalar-operands)",
        "func.func(linalg-fold-unit-extent-dims)",
        "func.func(convert-elementwise-to-linalg)",
        "func.func(linalg-specialize-generic-ops)",
        "resolve-shaped-type-result-dims",
        "loop-invariant-subset-hoisting",
    ]
    KERNELS = ["eliminate-empty-tensors", "scan-assign-schedule", "scan-fuse-elementwise"]
    BUFFERIZE = [
        "scan-bufferize",
        "one-shot-bufferize{bufferize-function-boundaries=1 allow-return-allocs-from-loops=1}",
        "one-shot-bufferize{bufferize-function-boundaries=1 allow-return-allocs-from-loops=1 "
        "function-boundary-type-conversion=identity-layout-map}",
        "one-shot-bufferize{bufferize-function-boundaries=1 allow-return-allocs-from-loops=1 copy-before-write=1}",
    ]
    BUFFERS = ["func.func(buffer-hoisting)", "func.func(buffer-loop-hoisting)", "func.func(promote-buffers-to-stack)"]
    DEALLOCATE = [
        ["buffer-deallocation-pipeline"],
        ["buffer-deallocation-pipeline{private-function-dynamic-ownership=1}"],
        [
            "ownership-based-buffer-deallocation",
            "canonicalize",
            "buffer-deallocation-simplification",
            "bufferization-lower-deallocations",
        ],
    ]

    def __init__(self, seed, plant):
        self.random = random.Random(seed)
        passes = self.draw(self.ANY + self.TENSORS, 3)
        # The scans become kernels somewhere on the way.
        passes += ["scan-normalize"] + self.draw(self.ANY + self.TENSORS + self.KERNELS, 4)
        passes += ["func.func(convert-elementwise-to-linalg)"] + self.draw(self.ANY, 1)
        passes.append(self.random.choice(self.BUFFERIZE))
        passes += self.draw(self.ANY + self.BUFFERS, 2)
        # Deallocation comes before, between or after the conversions to loops.
        deallocate = []
        if plant != "leak":
            for name in self.random.choice(self.DEALLOCATE):
                deallocate += [name] + self.draw(["canonicalize", "cse"], 1)
        steps = [["convert-scan-to-loops"], ["func.func(convert-linalg-to-loops)"], deallocate]
        self.random.shuffle(steps)
        # Buffers are moved only while nothing frees them.
        anywhere = self.ANY + self.BUFFERS
        for step in steps:
            passes += step
            if step is deallocate:
                anywhere = self.ANY
            passes += self.draw(anywhere, 1)
        self.text = "builtin.module(" + ",".join(passes) + ")"

    def draw(self, passes, most):
        return [self.random.choice(passes) for _ in range(self.random.randint(0, most))]


def main():
    work, first, end, orders = sys.argv[1], *map(int, sys.argv[2:5])
    plant = next((a.split("=")[1] for a in sys.argv[5:] if a.startswith("--plant=")), None)
    os.makedirs(work, exist_ok=True)

    def path(name):
        return os.path.join(work, name)

    def run(*command):
        """What went wrong, or None."""
        done = subprocess.run(command, capture_output=True, text=True)
        return f"{' '.join(command)}\n{done.stderr[-2000:]}" if done.returncode else None

    problems, runs = {}, 0
    for seed in range(first, end):
        text, shapes, results = Program(seed).build()
        element = Program(seed).element
        with open(path("program.mlir"), "w") as file:
            file.write(text)
        inputs = ["--entry=f"]
        inputs += [f"--input=random:{element}:{'x'.join(str(EXTENT[d]) for d in s)}:{i}" for i, s in enumerate(shapes)]
        inputs += ["--input=ones:i1:", "--input=zeros:i1:"]
        outputs = {w: [path(f"{w}{i}.npy") for i in range(results)] for w in ("before", "after")}
        error = run("scan-run", path("program.mlir"), *inputs, *(f"--output={o}" for o in outputs["before"]))
        if error:
            sys.exit(f"seed {seed}: {error}")
        source = path("program.mlir")
        if plant == "number":
            source = path("planted.mlir")
            with open(source, "w") as file:
                # Every scan the other way round.
                forward = text.replace(" reverse", " FORWARD")
                file.write(re.sub(r"(scan\..* dim = \d)(?! FORWARD)", r"\1 reverse", forward).replace(" FORWARD", ""))
        for k in range(orders):
            order = Order(f"{seed}.{k}", plant).text
            error = run("scan-opt", source, f"--pass-pipeline={order}", "-o", path("lowered.mlir"))
            if not error:
                error = run(
                    "scan-run", path("lowered.mlir"), "--target=cpu", "--check-memory", *inputs,
                    *(f"--output={o}" for o in outputs["after"]),
                )
            if not error:
                for i, (before, after) in enumerate(zip(*outputs.values())):
                    with open(before, "rb") as left, open(after, "rb") as right:
                        if left.read() != right.read():
                            error = f"result {i} differs"
                            break
            runs += 1
            if error:
                problems.setdefault(seed, []).append(error)
                print(f"seed {seed}, order {k}: {order}\n{error}")
    bad = sum(map(len, problems.values()))
    print(f"{end - first} programs, {runs} orders, {bad} problems in {len(problems)} programs")
    sys.exit(bad > 0)


main()
