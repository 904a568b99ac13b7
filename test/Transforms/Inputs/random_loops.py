"""Writes random loops that --scan-raise-recurrence turns into scans.

usage: random_loops.py SEED COUNT > PROGRAMS.mlir

States are scalars or tensors of one or two dimensions; time is any dimension of
what is read and another of what is written. Each function has the line that
agreement.py wants: its inputs, with N steps.
"""

import random
import sys


class Loop:
    def __init__(self, rng, name):
        self.rng = rng
        self.name = name
        self.element = rng.choice(["f32", "f64", "i32", "i64"])
        self.isFloat = self.element[0] == "f"
        self.space = rng.choice([[], [], [3], [2], [2, 3]])
        self.reverse = rng.random() < 0.4
        self.lines = []
        self.count = 0
        self.inputs = []  # where the time is

    def type(self, time=None):
        if time is None:
            return f"tensor<{''.join(f'{n}x' for n in self.space)}{self.element}>" if self.space else self.element
        shape = [str(n) for n in self.space]
        shape.insert(time, "?")
        return f"tensor<{'x'.join(shape)}x{self.element}>"

    def part(self, time):
        """Offsets, sizes and strides of a step."""
        def row(values, at):
            values = [str(v) for v in values]
            values.insert(time, at)
            return f"[{', '.join(values)}]"
        return f"{row([0] * len(self.space), '%i')} {row(self.space, '1')} {row([1] * len(self.space), '1')}"

    def value(self, text, kind=None):
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"    {name} = {text}" + ("" if kind == "" else f" : {kind or self.type()}"))
        return name

    def op(self, name, *operands):
        suffix = "f" if self.isFloat else "i"
        if name in ("max", "min"):
            suffix = "imumf" if self.isFloat else "si"
        return self.value(f"arith.{name}{suffix} {', '.join(operands)}")

    def read(self):
        """A slice of a new input, or of one that there is already."""
        number = self.rng.randrange(len(self.inputs) + 1)
        if number == len(self.inputs):
            if number == 3:
                number = 2
            else:
                self.inputs.append(self.rng.randrange(len(self.space) + 1))
        time = self.inputs[number]
        if not self.space:
            return self.value(f"tensor.extract %x{number}[%i]", self.type(time))
        return self.value(f"tensor.extract_slice %x{number}{self.part(time)}", f"{self.type(time)} to {self.type()}")

    def gate(self, depth=0):
        """Something that does not depend on the state."""
        if depth == 2 or self.rng.random() < 0.5:
            return self.read()
        return self.op(self.rng.choice(["add", "sub", "mul"]), self.gate(depth + 1), self.gate(depth + 1))

    def swap(self, *operands):
        return operands[::-1] if self.rng.random() < 0.5 else operands

    def update(self, state):
        form = self.rng.choice(["linear", "linear", "linear", "minus", "from", "sum", "less", "product", "max", "min"]
                               + ([] if self.isFloat else ["bits"]))
        if form in ("linear", "minus", "from"):
            a, b = self.gate(), self.gate()
            scaled = self.op("mul", *self.swap(a, state))
            if form == "linear":
                return self.op("add", *self.swap(scaled, b))
            return self.op("sub", *((scaled, b) if form == "minus" else (b, scaled)))
        if form == "sum":
            return self.op("add", *self.swap(state, self.gate()))
        if form == "less":
            return self.op("sub", state, self.gate())
        if form == "bits":
            return self.value(f"arith.{self.rng.choice(['and', 'or', 'xor'])}i {', '.join(self.swap(state, self.gate()))}")
        return self.op({"product": "mul"}.get(form, form), *self.swap(state, self.gate()))

    def write(self):
        rng = self.rng
        states = rng.choice([1, 1, 2])
        carried = [f"%h{k}" for k in range(states)]
        updated = [self.update(h) for h in carried]
        outputs = []
        for k in range(rng.choice([1, 1, 2])):
            state = rng.randrange(states)
            stored = rng.choice([updated[state], updated[state], carried[state]])
            if rng.random() < 0.4:
                stored = self.op("mul", stored, self.gate())
            time = rng.randrange(len(self.space) + 1)
            if self.space:
                text = f"tensor.insert_slice {stored} into %o{k}{self.part(time)}"
                kind = f"{self.type()} into {self.type(time)}"
            else:
                text, kind = f"tensor.insert {stored} into %o{k}[%i]", self.type(time)
            outputs.append((self.value(text, kind), time))

        types = [self.type(time) for _, time in outputs] + [self.type()] * states
        arguments = [f"%x{k}: {self.type(time)}" for k, time in enumerate(self.inputs)]
        arguments += [f"%i{k}: {self.type()}" for k in range(states)]
        shapes = []
        for time in self.inputs:
            shape = [str(n) for n in self.space]
            shape.insert(time, "N")
            shapes.append("x".join(shape))
        shapes += ["x".join(map(str, self.space))] * states
        low, high = ("0.5", "1.5") if self.isFloat else ("-9", "9")
        runs = []
        for k, shape in enumerate(shapes):
            runs.append(f"random:{self.element}:{shape}:{k + 1}:{low}:{high}" if shape
                        else f"const:{self.element}::{k + 2}")
        empties = [f"  %e{k} = tensor.empty(%n) : {self.type(time)}" for k, (_, time) in enumerate(outputs)]
        carry = [f"%o{k} = %e{k}" for k in range(len(outputs))] + [f"%h{k} = %i{k}" for k in range(states)]
        index = ["    %last = arith.subi %n, %c1 : index", "    %i = arith.subi %last, %t : index"] if self.reverse else [
            "    %i = arith.addi %t, %c0 : index"]
        results = [f"%r#{k}" for k in range(len(types))]
        returned = list(types)
        tail = []
        if not self.space:
            for k in range(len(outputs), len(types)):
                tail.append(f"  %s{k} = tensor.from_elements {results[k]} : tensor<{self.element}>")
                results[k], returned[k] = f"%s{k}", f"tensor<{self.element}>"
        print(f"// roughly: {' '.join(runs)}" if self.isFloat else f"// run: {' '.join(runs)}")
        print("\n".join(
            [f"func.func @{self.name}({', '.join(arguments)}) -> ({', '.join(returned)}) {{",
             "  %c0 = arith.constant 0 : index", "  %c1 = arith.constant 1 : index",
             f"  %d = arith.constant {self.inputs[0]} : index",
             f"  %n = tensor.dim %x0, %d : {self.type(self.inputs[0])}"]
            + empties
            + [f"  %r:{len(types)} = scf.for %t = %c0 to %n step %c1 iter_args({', '.join(carry)}) -> ({', '.join(types)}) {{"]
            + index + self.lines
            + [f"    scf.yield {', '.join([o for o, _ in outputs] + updated)} : {', '.join(types)}", "  }"]
            + tail
            + [f"  return {', '.join(results)} : {', '.join(returned)}", "}", ""]))


def main():
    rng = random.Random(int(sys.argv[1]))
    for number in range(int(sys.argv[2])):
        Loop(rng, f"loop{number}").write()


main()
