"""Recurrences (scan.recurrence) whose derivatives gradients.py compares with central
differences: all kinds of operands and results in turn, random smooth cells, and layers."""

import itertools

import numpy as np


def tensor(shape, dynamic=True, static=()):
    """The type of a tensor whose dimensions but for `static` are dynamic; a scalar
    without dimensions."""
    if not shape:
        return "f64"
    extents = "".join(f"{n}x" if n is not None and (not dynamic or d in static) else "?x" for d, n in enumerate(shape))
    return f"tensor<{extents}f64>"


class Cell:
    """One recurrence: what test/Reference/Inputs/recurrences.py draws for numbers, here of
    f64 and smooth. `limit`: how many more rows the inputs have than there are steps; None
    without `steps`. `operations` is how many a step has, drawn from `seed`. `segments`:
    "offsets" of two sequences, or "flags" of as many."""

    def __init__(self, row=(3,), dim=0, windows=(1,), limit=None, inputs=1, reverse=False, init_rows=False,
                 finals=True, output=False, dynamic=False, operations=4, seed=0, segments=None):
        self.__dict__.update({k: v for k, v in locals().items() if k != "self"})

    def __str__(self):
        return "cell " + ", ".join(f"{k} = {v}" for k, v in self.__dict__.items())

    def shape(self, extent):
        return self.row[: self.dim] + (extent,) + self.row[self.dim :]

    def make_body(self, row):
        """Lines, and the names of what is yielded. A step is made of bounded functions: no
        state grows, and no derivative is large."""
        random = np.random.default_rng(self.seed)
        names, lines, count = [], [], itertools.count()
        arguments = ["%t: index"]
        for i, k in enumerate(self.windows):
            names += [f"%h{i}_{back}" for back in range(1, k + 1)]
        names += [f"%row{i}" for i in range(self.inputs)] + ["%weight"]
        arguments += [f"{name}: {row}" for name in names] + ["%gain: f64", f"%mat: {tensor(self.matrix, False)}"]

        def emit(text):
            name = f"%v{next(count)}"
            lines.append(f"{name} = {text}")
            return name

        def constant(d):
            return emit(f"arith.constant {d} : index")

        def sizes():
            return [emit(f"tensor.dim %weight, {constant(d)} : {row}") for d in range(len(self.row) if self.dynamic else 0)]

        def splat(scalar):
            if not self.row:
                return scalar
            extents = sizes()
            return emit(f"tensor.splat {scalar}{'[' + ', '.join(extents) + ']' if extents else ''} : {row}")

        def choose():
            return names[int(random.integers(len(names)))]

        for _ in range(self.operations):
            kind = random.choice(["tanh", "sin", "add", "mul", "sub", "gain", "time", "across", "select", "product", "slice", "branch", "repeat"])
            a, b = choose(), choose()
            if kind in ("tanh", "sin"):
                result = emit(f"math.{kind} {a} : {row}")
            elif kind in ("add", "sub", "mul"):
                result = emit(f"arith.{kind}f {a}, {b} : {row}")
            elif kind == "gain":
                result = emit(f"arith.mulf {a}, {splat('%gain')} : {row}")
            elif kind == "time":
                odd = emit(f"arith.index_cast {emit(f'arith.remui %t, {constant(3)} : index')} : index to i32")
                number = emit(f"arith.sitofp {odd} : i32 to f64")
                result = emit(f"arith.mulf {a}, {splat(number)} : {row}")
            elif kind == "branch":
                # Of the side that is not taken the root is not a number.
                third = emit(f"arith.remui %t, {constant(3)} : index")
                which = emit(f"arith.cmpi eq, {third}, {constant(1)} : index")
                bounded = emit(f"math.tanh {a} : {row}")
                below = emit(f"arith.subf {bounded}, {splat(emit('arith.constant 2.0 : f64'))} : {row}")
                n = below[1:]
                result = emit(f"""scf.if {which} -> ({row}) {{
                  %yes{n} = math.sin {a} : {row}
                  %both{n} = arith.mulf %yes{n}, {b} : {row}
                  scf.yield %both{n} : {row}
                }} else {{
                  %root{n} = math.sqrt {below} : {row}
                  %no{n} = scf.if {which} -> ({row}) {{
                    scf.yield %root{n} : {row}
                  }} else {{
                    scf.yield {b} : {row}
                  }}
                  scf.yield %no{n} : {row}
                }}""")
            elif kind == "repeat":
                first, last, step = constant(0), constant(5), constant(2)
                n = first[1:]
                result = emit(f"""scf.for %i{n} = {first} to {last} step {step} iter_args(%acc{n} = {a}) -> ({row}) {{
                  %next{n} = arith.mulf %acc{n}, {b} : {row}
                  %bounded{n} = math.tanh %next{n} : {row}
                  scf.yield %bounded{n} : {row}
                }}""")
            elif kind == "select":
                # Where the root is not a number the other one is taken.
                half = splat(emit("arith.constant 0.5 : f64"))
                root = emit(f"math.sqrt {emit(f'arith.addf {a}, {half} : {row}')} : {row}")
                zero = splat(emit("arith.constant 0.0 : f64"))
                chosen = emit(f"arith.cmpf ogt, {a}, {zero} : {row}")
                condition = row.replace("f64", "i1") + ", " if self.row else ""
                result = emit(f"arith.select {chosen}, {root}, {b} : {condition}{row}")
            elif kind == "across" and self.row and 0 not in self.row:
                places = ", ".join(constant(int(random.integers(n))) for n in self.row)
                result = emit(f"arith.mulf {splat(emit(f'tensor.extract {a}[{places}] : {row}'))}, {b} : {row}")
            elif kind == "product" and len(self.row) == 2 and not self.dynamic:
                # Rows of n x k times k x k.
                result = emit(f"linalg.matmul ins({a}, %mat : {row}, {tensor(self.matrix, False)}) outs({b} : {row}) -> {row}")
            elif kind == "product" and len(self.row) == 1:
                result = emit(f"linalg.matvec ins(%mat, {a} : {tensor(self.matrix, False)}, {row}) outs({b} : {row}) -> {row}")
            elif kind == "slice" and len(self.row) == 1 and self.row[0] > 1 and not self.dynamic:
                part = tensor((self.row[0] - 1,), False)
                n = self.row[0] - 1
                cut = emit(f"tensor.extract_slice {a}[1] [{n}] [1] : {row} to {part}")
                result = emit(f"tensor.insert_slice {cut} into {b}[0] [{n}] [1] : {part} into {row}")
            else:
                result = emit(f"arith.addf {a}, {b} : {row}")
            names.append(result)
        yields = []
        for _ in range(len(self.windows)):
            # Half of all: rows as they come, which may be a state's own.
            a = choose()
            yields.append(emit(f"math.tanh {emit(f'arith.addf {a}, {choose()} : {row}')} : {row}")
                          if random.integers(3) else a)
        if self.output:
            yields.append(choose())
        return arguments, lines, yields

    @property
    def matrix(self):
        n = self.row[-1] if self.row else 1
        return (n, n)

    def program(self, Program, **more):
        dynamic = self.dynamic
        row = tensor(self.row, dynamic)
        init_types = [tensor(self.shape(k), dynamic, static=(self.dim,)) for k in self.windows]
        time = tensor(self.shape(None), dynamic)
        arguments, lines, yields = self.make_body(row)
        body = "\n    ".join(lines)
        each = 2 if self.segments == "offsets" else 1
        final_types = [tensor(self.shape(each * k), dynamic, static=(self.dim,)) for k in self.windows]
        types = [time] * (len(self.windows) + self.output) + (final_types if self.finals else [])
        names = [f"%i{n}: {t}" for n, t in enumerate(init_types)] + [f"%x{n}: {time}" for n in range(self.inputs)]
        names += [f"%w: {row}", "%g: f64", f"%m: {tensor(self.matrix, False)}"]
        if self.limit is not None:
            names.append("%n: index")
        packed = ""
        if self.segments:
            kind = "tensor<3xi32>" if self.segments == "offsets" else "tensor<?xi1>"
            names.append(f"%s: {kind}")
            packed = f" segments(%s : {kind})"
        outer, extents = "", ""
        if self.output and dynamic and self.row:
            places = range(len(self.row))
            outer = "".join(f"  %c{d} = arith.constant {d} : index\n  %e{d} = tensor.dim %w, %c{d} : {row}\n" for d in places)
            extents = f" extents({', '.join(f'%e{d}' for d in places)} : {', '.join('index' for d in places)})"
        ins = ""
        if self.inputs:
            ins = f"ins({', '.join(f'%x{n}' for n in range(self.inputs))} : {', '.join([time] * self.inputs)}) "
        text = f"""func.func @f({', '.join(names)}) -> ({', '.join(types)}) {{
{outer}  %r:{len(types)} = scan.recurrence {ins}init({', '.join(f'%i{n}' for n in range(len(init_types)))} : {', '.join(init_types)})
      captures(%w, %g, %m : {row}, f64, {tensor(self.matrix, False)}){' steps(%n : index)' if self.limit is not None else ''}{extents}{packed}
      dim = {self.dim}{' reverse' if self.reverse else ''}{' init_rows' if self.init_rows else ''} {{
  ^bb0({', '.join(arguments)}):
    {body}
    scan.yield {', '.join(yields)} : {', '.join([row] * len(yields))}
  }} -> {', '.join(types)}
  return {', '.join(f'%r#{n}' for n in range(len(types)))} : {', '.join(types)}
}}
"""

        def make_inputs(random, extent):
            draw = lambda shape: np.asarray(random.uniform(-0.9, 0.9, shape))
            inputs = [draw(self.shape(k)) for k in self.windows]
            inputs += [draw(self.shape(extent + (self.limit or 0))) for _ in range(self.inputs)]
            inputs += [draw(self.row), draw(()), draw(self.matrix)]
            if self.limit is not None:
                inputs.append(np.asarray(extent))
            if self.segments == "offsets":
                inputs.append(np.asarray([0, extent // 2, extent], np.int32))
            elif self.segments:
                inputs.append(np.arange(extent) == extent // 2)
            return inputs

        return Program(str(self), text, make_inputs, len(types), **more)


def cells(Program):
    """Each kind of operand and result, with steps drawn at random."""
    seeds = itertools.count()
    for reverse, init_rows, dim, windows in itertools.product(
        [False, True], [False, True], [0, 1, 2], [(1,), (2,), (1, 3), (2, 1)]
    ):
        yield Cell(row=(2, 3), dim=dim, windows=windows, reverse=reverse, init_rows=init_rows, output=dim == 1,
                   finals=dim != 0, dynamic=dim == 2, inputs=1 + (dim == 1), seed=next(seeds),
                   operations=6).program(Program, orders=1)
    for row, limit, reverse, dynamic in itertools.product([(), (3,), (1, 2)], [None, 0, 2], [False, True], [False, True]):
        inputs = 0 if limit == 0 else 2
        yield Cell(row=row, windows=(2, 1), limit=limit, inputs=inputs, reverse=reverse, dynamic=dynamic,
                   output=not reverse, dim=len(row), seed=next(seeds), operations=5).program(Program, orders=1)
    # In parts of time: as many steps as these have, one more, none, and several states.
    for reverse, init_rows, dim, interval in itertools.product([False, True], [False, True], [0, 1], [1, 2, 4]):
        yield Cell(row=(3,), dim=dim, windows=(1, 3) if interval == 2 else (2,), reverse=reverse, init_rows=init_rows,
                   output=True, dynamic=dim == 1, limit=1 if interval == 4 else None, inputs=0 if dim and interval == 4 else 2,
                   seed=next(seeds), operations=4).program(Program, options=[f"checkpoint={interval}"])
    # Packed sequences, also in parts of time.
    for reverse, kind, dim, interval in itertools.product([False, True], ["offsets", "flags"], [0, 1], [0, 2]):
        more = {"options": [f"checkpoint={interval}"]} if interval else {"orders": 1}
        yield Cell(row=(3,), dim=dim, windows=(2, 1), reverse=reverse, output=dim == 1, segments=kind,
                   seed=next(seeds), operations=4).program(Program, **more)
    # Twice, where the step is short.
    for row, dim, windows in [((), 0, (2,)), ((3,), 0, (1, 2)), ((3,), 1, (1,)), ((2, 2), 1, (1,))]:
        for reverse in (False, True):
            yield Cell(row=row, dim=dim, windows=windows, reverse=reverse, init_rows=reverse, output=True,
                       seed=next(seeds), operations=4).program(Program, orders=2)


def random_cells(Program, seed, count):
    random = np.random.default_rng(seed)
    for _ in range(count):
        row = [(), (3,), (2, 3), (1,), (4, 1, 2), (0,)][random.integers(6)]
        inputs = int(random.integers(3))
        yield Cell(row=row, dim=int(random.integers(len(row) + 1)),
                   windows=tuple(int(k) for k in random.integers(1, 4, random.integers(1, 4))), inputs=inputs,
                   limit=int(random.integers(3)) if inputs == 0 or random.integers(2) else None,
                   reverse=bool(random.integers(2)), init_rows=bool(random.integers(2)),
                   finals=bool(random.integers(2)), dynamic=bool(random.integers(2)),
                   output=bool(random.integers(2)), operations=int(random.integers(1, 10)),
                   seed=int(random.integers(2**31))).program(Program)
