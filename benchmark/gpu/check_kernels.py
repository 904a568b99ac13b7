"""Checks the kernels of workloads a to f and packed sums without a GPU: what they move, and what they
take up of a multiprocessor.

usage: check_kernels.py moved|occupancy [--bin=BUILD/bin] [--chip=sm_90] [--match=REGEX] [--large]
                        [--part=N --seed=S]

`moved` counts the bytes that the emulator sees against the compulsory traffic, each input
read once and each output written once: at most 1.02 times that, in whole sectors; 1.04 where
rows have so few tiles that a look-back is to take little time, and 1.10 where extents are
odd. Schedules are those that the cost model chooses for the cases of the
benchmark from 2^16 elements on, each once; they are counted at smaller shapes, of
the same extent along the scan where that is possible, and of at least 2^16 elements.
With --large shapes have up to 2^20 elements, also odd ones, and derivatives and
exclusive scans are counted too; with --part one case of so many, others for another seed.
Blocks run one after the other: those that wait for others read what they wait for again and
again, which is no traffic of the memory's.

`occupancy` compares what ptxas says of the kernels with what --scan-explain claims:
the schedule is the one explained, none spills, and registers times threads leave room for
as many blocks; of some cases, with --large of all that are given other schedules, packed
sequences included.
"""

import argparse
import collections
import dataclasses
import json
import math
import os
import re
import sys
import tempfile

import kernels
import programs
import workloads
from programs import format_schedule

# What may be moved, of the compulsory traffic; where rows have no more than FEW_TILES, of
# which each looks at more than it needs (LookBackWindow); and where extents are odd.
LIMIT = 1.02
LIMIT_FEW_TILES, FEW_TILES = 1.04, 64
LIMIT_ODD = 1.10
SECTOR = 32
WIDEST_ACCESS = 16
REGISTERS, REGISTER_UNIT = 65536, 8
# Of a thread. Where fewer are in use, ptxas spills so many bytes at most of its own accord,
# to make room for another block.
MOST_REGISTERS, CHOSEN_SPILL = 255, 32

# Cases of the benchmark whose kernels ptxas is asked about.
OCCUPIED = (
    "a-cumsum-268435456-f32", "b-recurrence-268435456-f32", "c-cumsum-4x8192x512-f32",
    "c-cumsum-4x512x512-f32", "d-recurrence-8x2048x1536-f32", "d-recurrence-8x2048x1536-bf16",
    "d-recurrence-8x16384x1536-bf16", "e-recurrence-8x1536x2048-f32",
    "e-recurrence-8x1536x2048-bf16", "e-recurrence-8x1536x16384-f32",
    "e-recurrence-8x1536x16384-bf16", "f-softmax-67108864-f32", "f-argmax-67108864-f32",
    "f-matrices-67108864-f32", "f-recurrence-8x4096x1024-c64", "g-packed-sum-262144-f32",
)


def prepare(text, passes, tools):
    """The program, derivatives taken and fused, as it is given schedules."""
    return kernels.optimize(text, [*passes, *programs.TO_KERNELS, "--scan-fuse-segment-offsets"], tools)


def write(case, tools):
    return prepare(*programs.write(case), tools)


def explain(text, tools, chip):
    return kernels.explain(text, tools, f"chip={chip}")


def static_cases():
    """Those whose programs have the extents of the case."""
    return [case for case in workloads.all_cases() if not case.is_dynamic]


@dataclasses.dataclass
class Counted:
    """A scan of a case at a shape, by the schedules of the case."""

    case: workloads.Case
    shape: tuple
    schedules: list
    is_exclusive: bool = False
    limit: float = LIMIT

    @property
    def name(self):
        return self.case.key + "-exclusive" * self.is_exclusive


def count_tiles(extent, schedules):
    """Of a row that many blocks take a tile of each."""
    return max((math.ceil(extent / (schedule["threads"] * schedule["items"]))
                for schedule in schedules
                if schedule["strategy"] == "row" and schedule["scope"] == "grid"
                and not schedule["blocks"]), default=0)


def shrink(case, schedules, elements, add=0):
    """A shape of about so many elements, at most the case's own; `add` makes it odd. Where the
    case has more than FEW_TILES, this one has, too."""
    if len(case.shape) == 1:
        extent = min(case.shape[0], elements)
        while count_tiles(extent, schedules) <= FEW_TILES < count_tiles(case.shape[0], schedules):
            extent += elements
        return (extent + add,)
    extent = case.shape[case.dim]
    others = min(max(elements // extent, 1), math.prod(case.shape) // extent)
    inner = case.dim != len(case.shape) - 1
    if inner:
        # As many columns as there are threads and vectors side by side.
        others = max(others, *(schedule["lanes"] * schedule["vector"] for schedule in schedules))
    shape = [1, 1, 1]
    shape[case.dim] = min(extent, max(elements // others, 2**11)) + add
    shape[2 if inner else 1] = others + add
    return tuple(shape)


def different_cases(tools, chip, match, part=1, seed=0):
    """Every case of at least 2^16 elements whose schedules no other has had before, with
    these; or one case of `part`."""
    seen = set()
    for case in static_cases()[seed % part::part]:
        if case.elements < 2**16 or not re.search(match, case.key):
            continue
        claims = explain(write(case, tools), tools, chip)
        schedules = [claim["schedule"] for claim in claims]
        key = (case.workload, case.operator, case.element, case.reverse, case.is_derivative,
               *map(format_schedule, schedules))
        if key not in seen:
            seen.add(key)
            yield case, schedules


def counted_kernels(tools, options):
    """What is counted of these, and at which shapes."""
    large = options.large
    for case, schedules in different_cases(tools, options.chip, options.match, options.part,
                                           options.seed):
        # The forward scan of a derivative is a case of its own. Columns of packed sequences
        # read flags that a kernel of its own writes.
        if case.operator == "packed recurrence" or case.is_derivative and not large:
            continue
        sizes = (2**16, 2**18 if case.operator == "matrices" else 2**20)[:1 + large]
        for shape in dict.fromkeys(shrink(case, schedules, size) for size in sizes):
            is_few = 0 < count_tiles(shape[0], schedules) <= FEW_TILES and len(shape) == 1
            yield Counted(case, shape, schedules, limit=LIMIT_FEW_TILES if is_few else LIMIT)
        if not large:
            continue
        yield Counted(case, shrink(case, schedules, 2**17, add=3), schedules, limit=LIMIT_ODD)
        if not case.is_derivative and case.operator not in ("recurrence", "packed sum"):
            yield Counted(case, shrink(case, schedules, 2**16), schedules, is_exclusive=True)


def read_kernels(stem):
    """What the manifest of STEM says of each kernel of a scan, by its entry."""
    with open(stem + ".json", encoding="utf-8") as file:
        return {kernel["entry"]: kernel for function in json.load(file)["functions"]
                for kernel in function["kernels"]}


def count(counted, tools, chip, folder):
    """The row of a table: the case, its schedule, compulsory and moved bytes, and what is wrong."""
    case = counted.case
    small = dataclasses.replace(case, shape=counted.shape)
    if case.operator == "packed sum":
        small = dataclasses.replace(small, size=small.elements)
    stem = os.path.join(folder, "program")
    path = stem + ".mlir"
    text, passes = programs.write(small)
    if counted.is_exclusive:
        text = programs.exclude(text)
    text = prepare(text, passes, tools)
    # Fewer blocks of a persistent kernel for the tiles of the small program.
    few = [{**schedule, "blocks": min(schedule["blocks"], 4)} for schedule in counted.schedules]
    text = programs.give_schedule(text, [format_schedule(schedule) for schedule in few])
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    kernels.translate(text, tools, chip, stem)
    inputs = [f"--input={describe_input(small, array, number)}"
              for number, array in enumerate(small.inputs)]
    entry = "scan_vjp" if case.is_derivative else "scan"
    said = kernels.run_tool([os.path.join(tools, "scan-run"), path, f"--entry={entry}",
                             "--target=emulator", "--stats", "--json", "--resident-blocks=1",
                             *inputs])
    statistics = json.loads(said)["statistics"]
    reads, writes = statistics["global_reads"], statistics["global_writes"]
    moved = reads["bytes"] + writes["bytes"]
    problems = []
    if moved > counted.limit * small.nbytes:
        problems.append(f"more than {counted.limit} times the lower bound")
    if counted.limit != LIMIT_ODD:
        problems += wasted(small, read_kernels(stem).values(), statistics)
    schedules = "; ".join(dict.fromkeys(map(format_schedule, counted.schedules)))
    ratio = writes["sectors"] * SECTOR / writes["bytes"]
    return [counted.name, "x".join(map(str, counted.shape)), schedules, str(small.nbytes),
            str(moved), f"{moved / small.nbytes:.4f}", f"{ratio:.4f}"], problems


def describe_input(case, array, number):
    """As scan-run takes it."""
    shape = "x".join(map(str, array.shape))
    if array.values == "offsets":
        return f"values:{array.element}:{shape}:{','.join(map(str, case.offsets))}"
    return f"random:{array.element.replace('complex<f32>', 'c64')}:{shape}:{number}"


def wasted(case, launched, statistics):
    """What is accessed in more sectors, or more slowly, than it has to be; `launched` are the
    kernels as the manifest has them."""
    reads, writes = statistics["global_reads"], statistics["global_writes"]
    launched = [kernel for kernel in launched if "plan" in kernel]
    is_row = all(kernel["strategy"] == "row" for kernel in launched)
    # A descriptor is one access where flag and state fit in it. Where they do not, each thread
    # that looks back reads sectors of its own, and each that publishes writes several times:
    # the flag and the words of the state. It has room for two states.
    accesses = max(1 if size <= WIDEST_ACCESS else size // 8
                   for size in (kernel["plan"]["descriptor_bytes"] for kernel in launched))
    # Inputs begin anywhere in a sector here, so that what a request reads side by side
    # may touch one more; results begin at one.
    runs = max(32 // kernel["schedule"].get("lanes", 32) for kernel in launched)
    limit = 1.2 if accesses > 1 else LIMIT
    if reads["sectors"] > limit * (reads["bytes"] / SECTOR + runs * reads["requests"]):
        yield "reads more sectors than it has to"
    # An aggregate and a prefix of each tile are parts of sectors.
    published = sum(2 * accesses * math.ceil(case.elements / kernel["plan"]["tile_steps"])
                    for kernel in launched if is_row and kernel["plan"]["descriptor_bytes"])
    if (writes["sectors"] - published) * SECTOR > LIMIT * writes["bytes"]:
        yield "writes parts of sectors"
    # Segment offsets are marked where they are.
    offsets = case.sequences if case.operator == "packed sum" else 0
    if case.element == "f32" and is_row and statistics["bank_conflicts"] > offsets:
        yield "bank conflicts"


def occupy(case, tools, chip, folder):
    """Rows of a table, of each kernel of the case, and what is wrong."""
    claims = explain(write(case, tools), tools, chip)
    stem = os.path.join(folder, "case")
    found = {name: rest for name, *rest in
             kernels.compile_case(case, tools, chip, stem, ptxas=True)}
    compiled = read_kernels(stem)
    of_function = collections.Counter()
    for claim in claims:
        function = claim["function"]
        name = f"{function}_scan{of_function[function]}"
        of_function[function] += 1
        if name not in found:
            raise kernels.CompileError(f"{name} explained, but only {', '.join(found)} compiled")
        registers, spilled = found[name]
        threads = claim["schedule"]["threads"]
        per_block = threads * math.ceil(registers / REGISTER_UNIT) * REGISTER_UNIT
        blocks, claimed = REGISTERS // per_block, claim["blocks_per_multiprocessor"]
        # What a launch asks for is more than the regions where it is aligned for bulk copies.
        planned = compiled[name]["shared_bytes"]["dynamic"] or sum(
            region["bytes"] for region in compiled[name]["plan"]["shared_regions"])
        has_room = registers + REGISTER_UNIT <= min(MOST_REGISTERS, REGISTERS // threads)
        is_choice = has_room and spilled <= CHOSEN_SPILL
        problems = [f"spills {spilled} bytes"] * (spilled > 0 and not is_choice)
        schedule = format_schedule(claim["schedule"])
        if schedule != format_schedule(compiled[name]["schedule"]):
            problems.append(f"compiled with {format_schedule(compiled[name]['schedule'])}")
        if planned != claim["shared_bytes"]:
            problems.append(f"compiled with {planned} bytes of shared memory, explained with "
                            f"{claim['shared_bytes']}")
        if blocks < claimed:
            problems.append("less room than claimed")
        yield [case.key, name, schedule, str(registers), str(claim["registers"]),
               str(blocks), str(claimed)], problems


def occupied_cases(tools, chip, match, large):
    """Cases with the kernels of their derivatives; with `large` one case for each choice
    of schedules, packed sequences too."""
    if not large:
        for case in static_cases():
            is_small = case.shape in ((8, 2048, 1536), (8, 1536, 2048))
            if (case.key in OCCUPIED or case.is_derivative and is_small) \
                    and re.search(match, case.key):
                yield case
        return
    for case, _ in different_cases(tools, chip, match):
        yield case


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["moved", "occupancy"])
    parser.add_argument("--bin", help="the folder of the tools (default: build/bin)")
    parser.add_argument("--chip", default="sm_90", help="for occupancy also several: sm_80,sm_90")
    parser.add_argument("--match", default="", help="only cases whose key has this")
    parser.add_argument("--large", action="store_true",
                        help="count at more shapes, some of 2^20 elements")
    parser.add_argument("--part", type=int, default=1, help="count one case of so many")
    parser.add_argument("--seed", type=int, default=0, help="which of them")
    options = parser.parse_args()
    tools = kernels.find_tools(options.bin)
    checked = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        def rows():
            if options.what == "occupancy":
                yield "case kernel schedule registers (claimed) blocks (claimed)".split(), []
                for chip in options.chip.split(","):
                    for case in occupied_cases(tools, chip, options.match, options.large):
                        yield from occupy(case, tools, chip, folder)
                return
            yield ["case", "counted", "schedule", "lower bound", "moved", "ratio", "writes"], []
            for counted in counted_kernels(tools, options):
                yield count(counted, tools, options.chip, folder)
        try:
            for row, problems in rows():
                print(" | ".join([*row, *problems]), flush=True)
                checked += 1
                wrong += bool(problems)
        except (kernels.CompileError, ValueError) as error:
            sys.exit(f"check_kernels.py: {error}")
    print(f"{checked - 1} checked on {options.chip}, {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
