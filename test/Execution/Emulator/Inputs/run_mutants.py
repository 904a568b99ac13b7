"""Injects faults into correct kernels and sees whether the emulator finds them.

usage: run_mutants.py [--seeds=N] [--clean-seeds=N] [--filter=REGEX] [--keep=FOLDER] [-v]

Runs each kernel of mutants.py as it is with --clean-seeds seeds: there may be no
error, and the numbers have to be those of the reference interpreter. Then runs
each mutant of the table with --seeds seeds: the tool that the table names has to
find it, with every seed unless the table says `sometimes`, and point at the lines
that it names. Ends with

    N mutants, N caught, M seeds; K kernels, S seeds, 0 false alarms

and with a status other than 0 if that is not so.
"""

import argparse
import concurrent.futures
import difflib
import os
import re
import sys
import tempfile

import numpy

import mutants
import sampling
import scan_tools

# How each tool says what it has found. `numbers` is the comparison with the
# reference interpreter, and needs a run without an error.
MESSAGES = {
    "race": r"data race on",
    "bounds": r"bytes? out of bounds",
    "alignment": r"not a multiple of \d+, as a GPU needs it",
    "uninitialised": r"which nobody has written before",
    "unwritten": r"was never written",
    "divergence": r"all threads of a block have to execute|all lanes (below the width|of a warp)",
    "livelock": r"had used up its budget",
    "deadlock": r"no thread of the block can go on",
    "proxy": r"no fence\.proxy\.async orders that write",
    "shuffle": r"the (width|offset) of a shuffle has to be|must not execute it|finds no lane in range",
}


# How many seeds are tried for a fault that only some orders bring out.
MOST_SEEDS = 20


class Mistake(Exception):
    """Something is wrong with the table, not with the emulator."""


def mutate(text, edits):
    """The kernel with the edits done; each has to find exactly what it says."""
    places = 0
    mutant = text
    for edit in edits:
        matches = list(re.finditer(edit.pattern, mutant, re.MULTILINE))
        if len(matches) != edit.of:
            raise Mistake(f"expected {edit.of} matches of {edit.pattern!r}, found {len(matches)}")
        chosen = matches if edit.nth is None else [matches[edit.nth]]
        for match in reversed(chosen):
            new = edit.replacement(match) if callable(edit.replacement) else match.expand(edit.replacement)
            if new == match.group(0):
                raise Mistake(f"{edit.pattern!r} changes nothing at {match.group(0)!r}")
            mutant = mutant[:match.start()] + new + mutant[match.end():]
        places += len(chosen)
    codes = difflib.SequenceMatcher(None, text.splitlines(), mutant.splitlines(), False).get_opcodes()
    regions = sum(code[0] != "equal" for code in codes)
    if not 1 <= regions <= places + sum(edit.moves for edit in edits):
        raise Mistake(f"expected {places} places to differ, found {regions}")
    return mutant


def check(command):
    result = scan_tools.run(command)
    if result.returncode:
        raise Mistake(f"{' '.join(command)}: {result.stderr}")
    return result.stdout


def split_types(text):
    return [part.strip() for part in text.split(",") if part.strip()]


def add_main(text, inputs):
    """Adds a function that returns what the emitted @f writes to its last
    parameters, with the shape of the first one."""
    signature = re.search(r"func\.func @f\((.*?)\)(?: attributes \{.*\})? \{$", text, re.MULTILINE).group(1)
    types = re.findall(r"%arg\d+: (memref<[^>]*>)", signature)
    sources, results = types[:inputs], types[inputs:]
    lines = []
    arguments = []
    for i, type in enumerate(sources):
        tensor = type.replace("memref", "tensor")
        arguments.append(f"%t{i}: {tensor}")
        lines.append(f"%x{i} = bufferization.to_buffer %t{i} read_only : {tensor} to {type}")
    for dim in range(sources[0].count("?")):
        lines += [f"%c{dim} = arith.constant {dim} : index",
                  f"%n{dim} = memref.dim %x0, %c{dim} : {sources[0]}"]
    for i, type in enumerate(results):
        extents = ", ".join(f"%n{dim}" for dim in range(type.count("?")))
        lines.append(f"%y{i} = memref.alloc({extents}) : {type}")
    values = [f"%x{i}" for i in range(len(sources))] + [f"%y{i}" for i in range(len(results))]
    lines += [f"func.call @f({', '.join(values)}) : ({', '.join(types)}) -> ()",
              f"return {', '.join(values[inputs:])} : {', '.join(results)}"]
    main = [f"  func.func @main({', '.join(arguments)}) -> ({', '.join(results)}) {{"]
    main += [f"    {line}" for line in lines] + ["  }"]
    # At the end: the kernel keeps its lines.
    assert text.rstrip().endswith("}")
    return text.rstrip()[:-1] + "\n".join(main) + "\n}\n"


class Kernel:
    """A correct kernel, its inputs, and what has to come out."""

    def __init__(self, base, folder):
        self.base, self.folder = base, folder
        self.expected = {}
        program = self.path("program.mlir")
        with open(program, "w") as file:
            file.write(base.program)
        if base.source:
            with open(os.path.join(os.path.dirname(__file__), base.source)) as file:
                self.text = file.read()
        else:
            self.text = add_main(check(["scan-opt", "--scan-to-gpu", program]), len(base.inputs))

    def path(self, name):
        return os.path.join(self.folder, f"{self.base.name}-{name}")

    def data(self, shape):
        """Options for the inputs of this shape, and the expected outputs."""
        if shape not in self.expected:
            tag = "x".join(map(str, shape))
            random = numpy.random.default_rng(1)
            options = []
            for i, make in enumerate(self.base.inputs):
                path = self.path(f"{tag}-in{i}.npy")
                numpy.save(path, make(random, shape))
                options.append(f"--input={path}")
            outputs = [self.path(f"{tag}-expected{i}.npy") for i in range(self.base.results)]
            check(["scan-run", self.path("program.mlir"), *options, *(f"--output={o}" for o in outputs)])
            self.expected[shape] = options, [open(o, "rb").read() for o in outputs]
        return self.expected[shape]

    def observe(self, path, seed, shape, resident, order="random"):
        """Runs the program in `path`: the tool that found something, or None,
        and what it said."""
        inputs, expected = self.data(shape)
        outputs = [f"{path}-{seed}-{order}-out{i}.npy" for i in range(self.base.results)]
        result = scan_tools.run(["scan-run", path, "--entry=main", "--target=emulator", f"--seed={seed}",
                      f"--schedule={order}", f"--resident-blocks={resident[seed % len(resident)]}",
                      f"--step-budget={self.base.budget}", *inputs, *(f"--output={o}" for o in outputs)])
        if result.returncode:
            found = [(match.start(), tool) for tool, pattern in MESSAGES.items()
                     if (match := re.search(pattern, result.stderr))]
            return min(found)[1] if found else "other", result.stderr.strip()
        same = True
        for output, bytes in zip(outputs, expected):
            same &= open(output, "rb").read() == bytes
            os.remove(output)
        return None if same else "numbers", ""


def lines_of(message, path, text):
    """The lines of the program that a message names."""
    lines = text.splitlines()
    return [lines[int(number) - 1] for number in re.findall(re.escape(path) + r":(\d+):\d+", message)]


def run_kernel(kernel, seeds):
    """The false alarms of a kernel as it is."""
    path = kernel.path("correct.mlir")
    with open(path, "w") as file:
        file.write(kernel.text)
    alarms = []
    cases = [(seed, "random") for seed in range(seeds)] + [(0, "in-order"), (0, "adversarial")]
    for seed, order in cases:
        for shape in kernel.base.shapes:
            tool, message = kernel.observe(path, seed, shape, kernel.base.resident, order)
            if tool:
                alarms.append(f"{kernel.base.name}: {order}, seed {seed}, {shape}: {tool}: {message}")
    return alarms


def run_mutant(mutant, kernel, seeds):
    """Whether a mutant was caught, and what happened."""
    path = kernel.path(f"{mutant.name}.mlir")
    text = mutate(kernel.text, mutant.edits)
    with open(path, "w") as file:
        file.write(text)
    counts, wrong = {}, []
    for seed in range(max(seeds, MOST_SEEDS if mutant.sometimes else 0)):
        if seed >= seeds and mutant.caught_by in counts:
            break
        tool, message = kernel.observe(path, seed, mutant.shape or kernel.base.shapes[0],
                                       mutant.resident or kernel.base.resident)
        counts[tool or "survived"] = counts.get(tool or "survived", 0) + 1
        if tool and tool not in (mutant.caught_by, *mutant.also):
            wrong.append(f"seed {seed}: found by {tool}: {message}")
        if tool == mutant.caught_by:
            lines = lines_of(message, path, text)
            for pattern in mutant.at:
                if not any(re.search(pattern, line) for line in lines):
                    wrong.append(f"seed {seed}: expected a line with {pattern!r}: {message}")
    caught, runs = counts.get(mutant.caught_by, 0), sum(counts.values())
    if caught < (1 if mutant.sometimes else runs):
        wrong.append(f"caught with {caught} of {runs} seeds")
    return counts, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--clean-seeds", type=int, default=100)
    parser.add_argument("--filter", default="")
    parser.add_argument("--part", type=int, default=1,
                        help="run one of so many, another one each day")
    parser.add_argument("--every", type=int, default=1, help="run each N-th mutant only")
    parser.add_argument("--keep", help="leave the programs in this folder")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--mistakes", action="store_true", help="run what must not count as caught")
    parser.add_argument("-v", action="store_true", help="say for each mutant who has found it")
    arguments = parser.parse_args()

    table = mutants.MISTAKES if arguments.mistakes else mutants.MUTANTS
    names = [mutant.name for mutant in table]
    assert len(set(names)) == len(names), "two mutants of the same name"
    chosen = [m for m in table if re.search(arguments.filter, m.name)][::arguments.every]
    chosen = [m for place, m in enumerate(chosen) if sampling.is_of_today(place, arguments.part)]
    with tempfile.TemporaryDirectory() as temporary, \
            concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        folder = arguments.keep or temporary
        os.makedirs(folder, exist_ok=True)
        kernels = {base.name: Kernel(base, folder) for base in mutants.BASES}
        # Before anything runs in parallel.
        for kernel in kernels.values():
            for shape in kernel.base.shapes:
                kernel.data(shape)
        for mutant in chosen:
            if mutant.shape:
                kernels[mutant.base].data(mutant.shape)

        alarms = []
        if arguments.clean_seeds:
            for found in pool.map(lambda k: run_kernel(k, arguments.clean_seeds), kernels.values()):
                alarms += found
        for alarm in alarms:
            print("false alarm:", alarm)

        def attempt(mutant):
            try:
                return run_mutant(mutant, kernels[mutant.base], arguments.seeds)
            except Mistake as mistake:
                return {}, [f"no mutant: {mistake}"]

        caught = 0
        for mutant, (counts, wrong) in zip(chosen, pool.map(attempt, chosen)):
            caught += not wrong
            if arguments.v:
                runs = sum(counts.values())
                shares = ", ".join(f"{count}/{runs} {tool}" for tool, count in sorted(counts.items()))
                print(f"{mutant.name}: {shares}", flush=True)
            for line in wrong:
                print(f"not caught: {mutant.name}: {line}", flush=True)

    print(f"{len(chosen)} mutants, {caught} caught, {arguments.seeds} seeds; {len(kernels)} kernels, "
          f"{arguments.clean_seeds} seeds, {len(alarms)} false alarms")
    return 0 if caught == len(chosen) and not alarms else 1


if __name__ == "__main__":
    sys.exit(main())
