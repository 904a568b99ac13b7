"""What sweep.py measures: programs, the extents they are run at, and which schedules.

A program with dynamic extents is compiled once for all of its cells.
"""

import dataclasses
import math
import os
import random
import re

import kernels
import programs
from programs import format_schedule
from workloads import Array, Case

# Of a cell: schedules at most, and how much slower than the best one may be predicted.
SCHEDULES, SCHEDULES_DYNAMIC = 16, 7
SLOWEST = 12
# Of those, so many are the best of their kind; the others are drawn.
KINDS = 0.6


@dataclasses.dataclass(frozen=True)
class Program:
    """`text` is MLIR whose first function is the one that is measured."""

    name: str
    text: str
    is_dynamic: bool

    @property
    def function(self):
        return re.search(r"func\.func @(\w+)", self.text)[1]


@dataclasses.dataclass(frozen=True)
class Cell:
    """A program with inputs of these shapes. `steps` is the extent of the scan dimension,
    `batch` the product of the others, as --scan-explain calls them."""

    program: Program
    inputs: tuple
    steps: int
    batch: int
    outputs: tuple = ()

    @property
    def key(self):
        largest = max(self.inputs, key=lambda array: array.nbytes)
        return f"{self.program.name}-{'x'.join(map(str, largest.shape))}"

    @property
    def nbytes(self):
        return sum(array.nbytes for array in (*self.inputs, *self.outputs))


def _static(workload, operator, shape, dim, element="f32", reverse=False):
    case = Case(workload, operator, shape, dim, element, shape[dim], reverse=reverse)
    text, _ = programs.write(case)
    kind = "x".join(map(str, shape))
    element = element.replace("complex<f32>", "c64")
    name = f"{workload}-{operator}-{element}{'-reverse' * reverse}-static-{kind}"
    batch = math.prod(shape) // shape[dim]
    return Cell(Program(name, text, False), tuple(case.inputs), shape[dim], batch)


def _dynamic(workload, operator, shapes, dim, element="f32"):
    """The same program for all shapes: its types have none."""
    cells = []
    for shape in shapes:
        case = Case(workload, operator, shape, dim, element, shape[dim])
        text, _ = programs.write(case)
        given = "tensor<" + "".join(f"{extent}x" for extent in shape)
        text = text.replace(given, "tensor<" + "?x" * len(shape))
        name = f"{workload}-{operator}-{element.replace('complex<f32>', 'c64')}-dynamic{len(shape)}"
        cells.append(Cell(Program(name, text, True), tuple(case.inputs), shape[dim],
                          math.prod(shape) // shape[dim]))
    return cells


def _model(name, shapes, make_inputs):
    path = os.path.join(kernels.ROOT, "examples", name + ".mlir")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    # Only the first function.
    first = text.index("func.func")
    second = text.find("func.func", first + 1)
    program = Program(name, text if second < 0 else text[:text.rindex("\n}\n", 0, second) + 3],
                      True)
    cells = []
    for shape in shapes:
        steps = shape[0] if len(shape) == 2 else shape[1]
        cells.append(Cell(program, tuple(make_inputs(*shape)), steps, math.prod(shape) // steps))
    return cells


def _griffin(b, t, c):
    steps = Array((b, t, c), "f32", "normal")
    return [steps, steps, steps, Array((c,), "f32", "normal"), Array((b, c), "f32", "normal"),
            steps]


def _rglru(b, t, c):
    return _griffin(b, t, c)[:5]


def _mingru(b, t, c):
    steps = Array((b, t, c), "bf16", "normal")
    return [steps, steps, Array((b, c), "bf16", "normal")]


def _mamba(b, t, c):
    steps, channel = Array((b, t, c), "f32", "normal"), Array((c,), "f32", "normal")
    state = Array((b, t, 16), "f32", "normal")
    return [steps, steps, channel, Array((c, 16), "f32", "decays"), state, state, channel, steps]


def _s5(t, n):
    return [Array((t, n), "complex<f32>", "spirals"), Array((t, n), "complex<f32>", "complex")]


def all_cells():
    """Every cell, what matters most first."""
    c64 = "complex<f32>"
    dynamic = _dynamic("d", "recurrence", [
        (16, 4096, 2048), (8, 2048, 1536), (1, 65536, 64), (4, 512, 512), (64, 128, 1024),
        (1, 2048, 1024), (2, 16384, 256)], 1)
    models = [
        *_model("griffin", [(8, 4096, 2048), (1, 16384, 256), (2, 512, 1024)], _griffin),
        *_model("mingru", [(8, 8192, 2048), (1, 2048, 1024), (2, 32768, 128)], _mingru),
        *_model("mamba", [(8, 2048, 2048), (1, 2048, 512), (1, 16384, 128)], _mamba),
        *_model("rglru", [(32, 4096, 512), (1, 8192, 512), (2, 300, 512)], _rglru),
        *_model("s5", [(65536, 256), (16384, 1024), (4096, 64)], _s5)]
    rows = _dynamic("e", "cumsum", [
        (65536, 256), (1048576, 17), (64, 65536), (8, 2048), (1, 2**24), (4096, 4096)], 1)
    one = _dynamic("a", "cumsum", [(2**16,), (2**20,), (2**24,), (2**28,)], 0)
    static = [
        _static("d", "recurrence", (8, 2048, 1536), 1),
        _static("e", "recurrence", (8, 1536, 2048), 2),
        _static("a", "cumsum", (2**24,), 0),
        _static("b", "recurrence", (2**24,), 0),
        _static("c", "cumsum", (4, 2048, 512), 1),
        _static("d", "recurrence", (8, 2048, 1536), 1, "bf16"),
        _static("e", "recurrence", (8, 1536, 2048), 2, "bf16"),
        _static("f", "softmax", (2**24,), 0),
        _static("f", "matrices", (2**22,), 0),
        _static("f", "recurrence", (8, 4096, 1024), 1, c64),
        _static("a", "cumsum", (2**28,), 0),
        _static("b", "recurrence", (2**27,), 0),
        _static("a", "cumsum", (2**20,), 0),
        _static("a", "cumsum", (2**22,), 0),
        _static("b", "recurrence", (2**20,), 0),
        _static("c", "cumsum", (4, 512, 512), 1),
        _static("c", "cumsum", (4, 8192, 512), 1, reverse=True),
        _static("d", "recurrence", (1, 65536, 64), 1),
        _static("d", "recurrence", (2, 65536, 16), 1),
        _static("d", "recurrence", (64, 64, 4096), 1),
        _static("d", "recurrence", (3, 1001, 777), 1),
        _static("d", "recurrence", (5, 3001, 130), 1, "bf16"),
        _static("d", "recurrence", (8, 16384, 1536), 1),
        _static("d", "recurrence", (16, 4096, 512), 1, "bf16"),
        _static("d", "recurrence", (4, 8192, 2048), 1, "bf16"),
        _static("d", "recurrence", (4, 512, 2048), 1),
        _static("e", "recurrence", (8, 1536, 16384), 2),
        _static("e", "recurrence", (8, 1536, 16384), 2, "bf16"),
        _static("e", "recurrence", (8, 1536, 512), 2),
        _static("e", "cumsum", (65536, 256), 1),
        _static("e", "cumsum", (1048576, 17), 1),
        _static("e", "cumsum", (64, 65536), 1),
        _static("e", "cumsum", (16, 2**20), 1),
        _static("e", "cumsum", (333, 10007), 1),
        _static("f", "argmax", (2**24,), 0),
        _static("f", "softmax", (2**20,), 0),
        _static("a", "cumsum", (2**24 + 1,), 0),
        _static("a", "cumsum", (2**16,), 0),
        _static("b", "recurrence", (2**16,), 0),
        _static("c", "cumsum", (4, 8192, 512), 1),
        _static("d", "recurrence", (1, 262144, 128), 1),
        _static("d", "recurrence", (1024, 32, 1024), 1),
        _static("e", "recurrence", (3, 777, 1001), 2)]
    ordered, lists = [], [static, dynamic, models, rows, one]
    # Interleaved, in proportion to how many there are.
    position = [(number + 0.5) / len(cells) for cells in lists for number in range(len(cells))]
    cells = [cell for cells in lists for cell in cells]
    for number in sorted(range(len(cells)), key=lambda number: position[number]):
        ordered.append(cells[number])
    return ordered


def fuse(program, tools):
    """The program as it is given schedules."""
    return kernels.optimize(program.text, programs.TO_KERNELS, tools)


def _extents(cell):
    return f"steps={cell.steps} batch={cell.batch}" if cell.program.is_dynamic else ""


def choices(cell, fused, tools, chip):
    """{what for: schedule}: `chosen` for what the program says, `known` where its extents
    were static, `variant` with dispatch."""
    base = f"chip={chip} "
    found = {"chosen": format_schedule(kernels.explain(fused, tools, base)[0]["schedule"])}
    if cell.program.is_dynamic:
        known = kernels.explain(fused, tools, base + _extents(cell))[0]
        variant = kernels.explain(fused, tools, base + "dispatch " + _extents(cell))[0]
        found.update(known=format_schedule(known["schedule"]),
                     variant=format_schedule(variant["schedule"]))
    return found


def predict(cell, fused, schedules, tools, chip, options=""):
    """{schedule: what --scan-explain says of it} at the cell's extents, with `options`."""
    begin = fused.index("module")
    begin = fused.index("\n", begin) + 1
    header, body = fused[:begin], fused[begin:fused.rindex("}")]
    name = cell.program.function
    copies = [re.sub(rf"@{name}\b", f"@{name}_{number}", programs.give_schedule(body, schedule))
              for number, schedule in enumerate(schedules)]
    rows = kernels.explain(header + "".join(copies) + "}\n", tools,
                           f"chip={chip} {_extents(cell)} {options}")
    first = {row["function"]: row for row in reversed(rows)}
    return {schedule: first[f"{name}_{number}"] for number, schedule in enumerate(schedules)}


def list_schedules(cell, fused, tools, chip, top=0):
    """Some of what the cost model considers: the best of each kind, and others by chance. Or
    the `top` ones that it takes for the fastest."""
    count = SCHEDULES_DYNAMIC if cell.program.is_dynamic else SCHEDULES
    row, = kernels.explain(fused, tools, f"chip={chip} candidates " + _extents(cell))[:1]
    considered = row["considered"]
    if top:
        return [format_schedule(row) for row in considered[:top]]
    best = min(row["nanoseconds"] for row in considered)
    considered = [row for row in considered if row["nanoseconds"] <= SLOWEST * best]
    kinds = {}
    for row in considered:
        key = (row["strategy"], row["scope"], row["threads"] if row["blocks"] else 0,
               row["rows"] > 1, row["lanes"], row["vector"])
        kinds.setdefault(key, row)
    picked = list(kinds.values())[:round(KINDS * count)]
    draw = random.Random(cell.key)
    # Twice as many of the better half.
    half = [row for row in considered[:len(considered) // 2] if row not in picked]
    rest = [row for row in considered if row not in picked and row not in half]
    while len(picked) < count and (half or rest):
        source = half if half and (not rest or draw.random() < 0.67) else rest
        picked.append(source.pop(draw.randrange(len(source))))
    return [format_schedule(row) for row in picked]


def small_cells():
    """One small cell of each kind, for tests."""
    return [_static("a", "cumsum", (5000,), 0), *_dynamic("d", "recurrence", [(2, 300, 40)], 1),
            _static("e", "cumsum", (6, 700), 1)]
