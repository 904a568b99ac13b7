"""Fuses elementwise code in random programs, which must not change a bit.

usage: random_programs.py WORKDIR FIRST_SEED END_SEED

A program is a straight line of elementwise operations, transpositions,
broadcasts, slices, casts, reductions and scans over tensors whose dimensions are
some of three, `a`, `b` and `n`, each static or dynamic; `n` is small and mostly
static. It is run by the interpreter before and after normalisation and fusion; a
second fusion must find nothing to do. Every fourth one is also run by the CPU and
by the emulator.
"""

import os
import random
import sys

import scan_tools

EXTENT = {"a": 3, "b": 4, "n": 2}
SHAPES = ["ab", "ba", "a", "b", "abn", "bn", "anb", "an", "nb", "n"]
# What most of a program is about.
USUAL = ["ab", "ba", "abn", "abn", "anb", "anb", "bn", "b"]


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.dynamic = {d for d in EXTENT if self.random.random() < (0.1 if d == "n" else 0.6)}
        self.count = 0
        self.lines = []
        # Every value that a later operation may read: its name and dimensions.
        self.values = [("%x0", "ab"), ("%x1", "ab"), ("%x2", "ba"), ("%x3", "a"), ("%x4", "b")]
        self.values += [("%x5", "anb"), ("%x6", "abn"), ("%x7", "bn"), ("%x8", "an"), ("%x9", "nb"), ("%x10", "n")]
        self.arguments = list(self.values)

    def type(self, shape):
        return "tensor<" + "".join(("?" if d in self.dynamic else str(EXTENT[d])) + "x" for d in shape) + "f32>"

    def types(self, shapes):
        return ", ".join(map(self.type, shapes))

    def new(self):
        self.count += 1
        return f"%v{self.count}"

    def pick(self, shape=None):
        """An earlier value, more likely one of the last."""
        fitting = [v for v in self.values if shape in (None, v[1])]
        return fitting[-1 - min(int(self.random.expovariate(0.5)), len(fitting) - 1)]

    def empty(self, shape, like=None):
        """A new tensor, with the extents of `like` or of an argument."""
        sizes = self.sizes([d for d in shape if d in self.dynamic], like)
        result = self.new()
        self.lines.append(f"{result} = tensor.empty({', '.join(sizes)}) : {self.type(shape)}")
        return result

    def sizes(self, shape, like=None):
        """The extents of the dimensions."""
        sizes = []
        for d in shape:
            if d not in self.dynamic:
                sizes.append(str(EXTENT[d]))
                continue
            name, dims = like if like and d in like[1] else self.arguments[6]
            sizes.append(self.new())
            self.lines.append(f"{sizes[-1]} = tensor.dim {name}, %c{dims.index(d)} : {self.type(dims)}")
        return sizes

    def define(self, shape, text):
        result = self.new()
        self.lines.append(f"{result} = {text}")
        self.values.append((result, shape))

    def binary(self):
        x, shape = self.pick()
        y, _ = self.pick(shape)
        op = self.random.choice(["arith.addf", "arith.mulf", "arith.subf"])
        self.define(shape, f"{op} {x}, {y} : {self.type(shape)}")

    def unary(self):
        x, shape = self.pick()
        op = self.random.choice(["math.tanh", "arith.negf", "math.absf"])
        self.define(shape, f"{op} {x} : {self.type(shape)}")

    def transpose(self):
        shape = self.random.choice(["ab", "ba"])
        x, old = self.pick(shape[::-1])
        text = f"linalg.transpose ins({x} : {self.type(old)}) outs({self.empty(shape)} : {self.type(shape)})"
        self.define(shape, text + " permutation = [1, 0]")

    def fill(self):
        shape = self.random.choice(USUAL)
        type = self.type(shape)
        self.define(shape, f"linalg.fill ins(%half : f32) outs({self.empty(shape)} : {type}) -> {type}")

    def slice(self):
        """All of one index of a dimension, without that dimension."""
        x, shape = self.pick(self.random.choice([s for s in SHAPES if len(s) > 1]))
        dim = self.random.randrange(len(shape))
        rest = shape[:dim] + shape[dim + 1 :]
        if rest not in SHAPES:
            return
        sizes = self.sizes(shape, (x, shape))
        sizes[dim] = "1"
        offsets = ["0"] * len(shape)
        offsets[dim] = str(self.random.randrange(EXTENT[shape[dim]]))
        parts = [f"[{', '.join(part)}]" for part in (offsets, sizes, ["1"] * len(shape))]
        self.define(rest, f"tensor.extract_slice {x}{' '.join(parts)} : {self.type(shape)} to {self.type(rest)}")

    def cast(self):
        """Elementwise code on a tensor whose extents have been forgotten."""
        x, shape = self.pick()
        loose = f"tensor<{'?x' * len(shape)}f32>"
        for text in (
            f"tensor.cast {x} : {self.type(shape)} to {loose}",
            f"math.absf {{}} : {loose}",
            f"tensor.cast {{}} : {loose} to {self.type(shape)}",
        ):
            result = self.new()
            self.lines.append(f"{result} = {text.format(x)}")
            x = result
        self.values.append((x, shape))

    def reduce(self, shape=None):
        """A sum over one dimension, of one value or of a product of two."""
        if shape:
            x = next(v[0] for v in reversed(self.values) if v[1] == shape)
        else:
            x, shape = self.pick(self.random.choice(["abn", "bn", "anb", "anb", "abn", "ab"]))
        dim = shape[-1] if "n" not in shape else "n"
        rest = shape.replace(dim, "")
        if self.random.random() < 0.5:
            out = self.pick(rest)[0]
        else:
            empty = self.empty(rest, (x, shape))
            out = self.new()
            self.lines.append(
                f"{out} = linalg.fill ins(%half : f32) outs({empty} : {self.type(rest)}) -> {self.type(rest)}"
            )
        if self.random.random() < 0.4:
            op = self.random.choice(["arith.addf", "arith.maximumf"])
            text = f"linalg.reduce {{ {op} }} ins({x} : {self.type(shape)}) outs({out} : {self.type(rest)})"
            self.define(rest, text + f" dimensions = [{shape.index(dim)}]")
            return
        y, other = self.pick(self.random.choice([s for s in SHAPES if set(s) <= set(shape)]))
        order = self.random.sample(shape, len(shape))
        maps = [f"affine_map<({', '.join(order)}) -> ({', '.join(s)})>" for s in (shape, other, rest)]
        iterators = ", ".join('"reduction"' if d == dim else '"parallel"' for d in order)
        self.define(
            rest,
            f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{iterators}]}} "
            f"ins({x}, {y} : {self.types([shape, other])}) outs({out} : {self.type(rest)}) {{\n"
            "^bb0(%i0: f32, %i1: f32, %o: f32):\n%p = arith.mulf %i0, %i1 : f32\n%d = arith.subf %p, %o : f32\n"
            f"linalg.yield %d : f32\n}} -> {self.type(rest)}",
        )

    def generic(self):
        shape = self.random.choice(USUAL)
        inputs = [
            self.pick(self.random.choice([s for s in SHAPES if set(s) <= set(shape)]))
            for _ in range(self.random.randint(1, 3))
        ]
        like = next((v for v in inputs if len(v[1]) == len(shape)), None)
        out = self.empty(shape, like if self.random.random() < 0.5 else None)
        results = [self.new() for _ in range(self.random.randint(1, 2))]
        shapes = [v[1] for v in inputs] + [shape] * len(results)
        maps = [f"affine_map<({', '.join(shape)}) -> ({', '.join(s)})>" for s in shapes]
        iterators = ", ".join(['"parallel"'] * len(shape))
        arguments = [f"%i{k}: f32" for k in range(len(inputs))] + [f"%o{k}: f32" for k in range(len(results))]
        body, total = [], "%i0"
        for k in range(1, len(inputs)):
            body.append(f"%s{k} = arith.addf {total}, %i{k} : f32")
            total = f"%s{k}"
        body += [f"%h = arith.mulf {total}, %half : f32", f"%t = math.tanh {total} : f32"]
        body.append(f"linalg.yield {', '.join(['%h', '%t'][: len(results)])} : {', '.join(['f32'] * len(results))}")
        self.lines.append(
            f"{', '.join(results)} = linalg.generic {{indexing_maps = [{', '.join(maps)}], "
            f"iterator_types = [{iterators}]}} "
            f"ins({', '.join(v[0] for v in inputs)} : {self.types(v[1] for v in inputs)}) "
            f"outs({', '.join([out] * len(results))} : {self.types([shape] * len(results))}) {{\n"
            f"^bb0({', '.join(arguments)}):\n" + "\n".join(body) + f"\n}} -> ({self.types([shape] * len(results))})"
        )
        self.values += [(r, shape) for r in results]

    def scan(self, shape=None):
        dim = self.random.choice([d for d in shape or SHAPES[0] if d != "n"])
        if shape is None:
            shape = self.random.choice(USUAL)
            dim = self.random.choice(shape)
        dim = shape.index(dim)
        rest = shape[:dim] + shape[dim + 1 :]
        x, y = self.pick(shape)[0], self.pick(shape)[0]
        init = self.random.choice(["", "init(%half : f32)", "tensor"])
        if init == "tensor":
            init = f"init({self.pick(rest)[0]} : {self.type(rest)})" if rest else ""
        words = f"{init} dim = {dim}" + self.random.choice(["", " reverse"])
        shapes = [shape] + ([rest] if rest and self.random.random() < 0.5 else [])
        results = [self.new() for _ in shapes]
        if self.random.random() < 0.5:
            text = f"scan.linear_recurrence ins({x}, {y} : {self.types([shape] * 2)}) {words}"
        else:
            op = self.random.choice(["arith.addf", "arith.maximumf"])
            exclusive = " exclusive" if init and self.random.random() < 0.5 else ""
            text = (
                f"scan.associative ins({x} : {self.type(shape)}) {words}{exclusive} {{\n"
                f"^bb0(%p: f32, %q: f32):\n%r = {op} %p, %q : f32\nscan.yield %r : f32\n}}"
            )
        self.lines.append(f"{', '.join(results)} = {text} -> {self.types(shapes)}")
        self.values += zip(results, shapes)

    def build(self):
        """The text, and the number of results."""
        elementwise = [self.binary, self.unary, self.transpose, self.fill, self.generic, self.generic]
        elementwise += [self.slice, self.cast, self.reduce, self.reduce]
        for _ in range(self.random.randint(4, 11)):
            self.random.choice(elementwise + [self.scan] * 3)()
        last = self.random.choice([None, "abn", "anb", "bn", "nb"])
        self.scan(last)
        for _ in range(self.random.randint(0, 4)):
            self.random.choice(elementwise)()
        if last:
            self.reduce(last)
        returned = [self.values[-1]] + [self.pick() for _ in range(self.random.randint(0, 2))]
        arguments = ", ".join(f"{name}: {self.type(shape)}" for name, shape in self.arguments)
        constants = [f"%c{i} = arith.constant {i} : index" for i in range(3)]
        constants.append("%half = arith.constant 0.5 : f32")
        types = self.types(shape for _, shape in returned)
        end = f"return {', '.join(name for name, _ in returned)} : {types}\n}}\n"
        text = "\n".join([f"func.func @f({arguments}) -> ({types}) {{", *constants, *self.lines, end])
        return text, len(returned)


def main():
    work, first, end = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    os.makedirs(work, exist_ok=True)

    def path(name):
        return os.path.join(work, name)

    def read(name):
        with open(path(name), "rb") as file:
            return file.read()

    def run(seed, *command):
        done = scan_tools.run(command)
        if done.returncode:
            sys.exit(f"seed {seed}: {' '.join(command)}\n{done.stderr}")

    bad = 0
    for seed in range(first, end):
        program = Program(seed)
        text, results = program.build()
        with open(path("before.mlir"), "w") as file:
            file.write(text)
        run(seed, "scan-opt", path("before.mlir"), "--scan-normalize", "--scan-fuse-elementwise", "-o", path("after.mlir"))
        run(seed, "scan-opt", path("after.mlir"), "--scan-fuse-elementwise", "-o", path("again.mlir"))
        if read("after.mlir") != read("again.mlir"):
            bad += 1
            print(f"seed {seed}: a second fusion changes the program")
        inputs = [
            f"--input=random:f32:{'x'.join(str(EXTENT[d]) for d in shape)}:{i}"
            for i, (_, shape) in enumerate(program.arguments)
        ]
        for when in ("before", "after"):
            outputs = [f"--output={path(f'{when}{i}.npy')}" for i in range(results)]
            run(seed, "scan-run", path(f"{when}.mlir"), *inputs, *outputs)
        # Of what grows in sums of products more digits may be lost than of one step.
        for target in ("cpu", "emulator") if seed % 4 == 0 else ():
            run(seed, "scan-run", path("before.mlir"), *inputs, f"--target={target}", "--compare=reference", "--tolerance=1e-4")
        if any(read(f"before{i}.npy") != read(f"after{i}.npy") for i in range(results)):
            bad += 1
            print(f"seed {seed}: the results differ")
    print(f"{end - first} programs, {bad} problems")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
