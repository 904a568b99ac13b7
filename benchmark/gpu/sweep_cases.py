"""What sweep.py measures: programs, the extents they are run at, and which schedules.

A program with dynamic extents is compiled once for all of its cells.
"""

import dataclasses
import math
import random
import re

import kernels
import programs
import workloads
from programs import format_schedule
from workloads import Case

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


def _cell(case, is_static=True):
    text, _ = programs.write(case, is_static)
    element = case.element.replace("complex<f32>", "c64")
    name = f"{case.workload}-{case.operator}-{element}{'-reverse' * case.reverse}"
    if case.is_dynamic:
        name += f"-dim{case.dim}"
    name += f"-static-{'x'.join(map(str, case.shape))}" if is_static else f"-of{len(case.shape)}"
    return Cell(Program(name, text, not is_static), tuple(case.inputs), case.shape[case.dim],
                math.prod(case.shape) // case.shape[case.dim])


def _static(workload, operator, shape, dim, element="f32", reverse=False):
    return _cell(Case(workload, operator, shape, dim, element, shape[dim], reverse=reverse))


def all_cells():
    """Every cell, what matters most first."""
    c64 = "complex<f32>"
    cases = workloads.dynamic_cases()
    dynamic = [_cell(case, is_static=False) for case in cases]
    models = [_cell(case) for case in cases if case.operator in workloads.MODELS]
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
    ordered, lists = [], [static, dynamic, models]
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
    were static, `variant` with dispatch, `on_demand` with the variants of JIT users."""
    base = f"chip={chip} "
    alone = kernels.explain(fused, tools, base + "dispatch=false " + _extents(cell))[0]
    found = {"chosen": format_schedule(alone["schedule"])}
    if cell.program.is_dynamic:
        variant = kernels.explain(fused, tools, base + _extents(cell))[0]
        many = f"{base}max-variants={kernels.VARIANTS} "
        on_demand = kernels.explain(fused, tools, many + _extents(cell))[0]
        found.update(known=format_schedule(variant["considered"][0]),
                     variant=format_schedule(variant["schedule"]),
                     on_demand=format_schedule(on_demand["schedule"]))
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
    return [_static("a", "cumsum", (5000,), 0), _static("e", "cumsum", (6, 700), 1),
            _cell(Case("dynamic", "recurrence", (2, 300, 40), 1, "f32", 300), is_static=False)]
