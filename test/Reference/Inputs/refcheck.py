"""Helpers of the interpreter's tests: dtypes, bfloat16, running a program.

A bfloat16 array is a `BF16`: its values as float32 (all of them bfloat16
numbers), which travel as 16-bit words.
"""

import os
import subprocess
import sys
import tempfile

import numpy as np

import scan_tools

# The type names of MLIR and what numpy calls them; bf16 has no name there.
DTYPES = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "f16": np.float16,
    "bf16": np.float32,
    "f32": np.float32,
    "f64": np.float64,
    "complex<f32>": np.complex64,
    "complex<f64>": np.complex128,
}
FLOATS = ["f16", "bf16", "f32", "f64"]
INTEGERS = ["i8", "i16", "i32", "i64"]
COMPLEX = ["complex<f32>", "complex<f64>"]


def to_bf16(values):
    """Rounds to the nearest bfloat16, ties to even, once; returns float32."""
    wide = np.asarray(values, np.float64)
    with np.errstate(all="ignore"):
        # 8 bits of precision from 53, in the range of float32's exponents.
        mantissa, exponent = np.frexp(wide)
        exponent = np.maximum(exponent, -125)
        scaled = np.ldexp(wide, 8 - exponent)
        rounded = np.ldexp(np.rint(scaled), exponent - 8)
        result = np.where(np.isfinite(wide), rounded, wide)
        limit = np.ldexp(255.5, 120)
        result = np.where(np.abs(result) >= limit, np.copysign(np.inf, result), result)
        result = np.where(np.isnan(wide), np.nan, result)
    return result.astype(np.float32)


def bf16_bits(values):
    words = np.ascontiguousarray(values, np.float32).view(np.uint32) >> 16
    return words.astype(np.uint16).reshape(np.shape(values))


def bf16_from_bits(bits):
    words = np.ascontiguousarray(bits).view(np.uint16).astype(np.uint32) << 16
    return words.view(np.float32).reshape(np.shape(bits))


def rounded(values, type):
    """`values`, computed more precisely, as numbers of `type`."""
    with np.errstate(all="ignore"):
        return to_bf16(values) if type == "bf16" else np.asarray(values).astype(DTYPES[type])


def accumulator(type):
    """The dtype that scans over `type` accumulate in."""
    return np.float32 if type in ("f16", "bf16") else DTYPES[type]


def transform(program, *options):
    """The program after `scan-opt` with these options."""
    result = subprocess.run(["scan-opt", *options], input=program, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"scan-opt {' '.join(options)}: {result.stderr}\n{program}")
    return result.stdout


def run(program, entry, inputs, outputs, *options):
    """Calls a function with arrays `inputs`, pairs (array, type), and returns
    one array per type in `outputs`."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.mlir")
        with open(path, "w") as file:
            file.write(program)
        command = ["scan-run", path, f"--entry={entry}", *options]
        for i, (array, type) in enumerate(inputs):
            name = os.path.join(folder, f"in{i}.npy")
            np.save(name, bf16_bits(array) if type == "bf16" else
                    np.asarray(array, DTYPES.get(type, np.int64)))
            command.append(f"--input={name}")
        names = [os.path.join(folder, f"out{i}.npy") for i in range(len(outputs))]
        command += [f"--output={name}" for name in names]
        result = scan_tools.run(command)
        if result.returncode != 0:
            sys.exit(f"{entry}: {result.stderr}\n{program}")
        arrays = [np.load(name) for name in names]
    return [bf16_from_bits(array) if type == "bf16" else array
            for array, type in zip(arrays, outputs)]


class Batch:
    """Many small functions in one program: a process each would take minutes."""

    def __init__(self):
        self.functions, self.calls = [], []
        self.parameters, self.inputs, self.kinds, self.outputs = [], [], [], []
        self.handlers = []

    def add(self, body, inputs, names, kinds, results, handle):
        """A function with the operations `body`, which ends with a return.
        `inputs`: pairs (array, element type); `names`, `kinds`: what `body`
        calls them, and their types; `results`: pairs (type, element type).
        `handle` gets the arrays of the results."""
        number, first = len(self.handlers), len(self.inputs)
        types = ", ".join(type for type, _ in results)
        parameters = ", ".join(f"{n}: {k}" for n, k in zip(names, kinds))
        self.functions.append(f"func.func private @f{number}({parameters}) -> ({types}) {{\n{body}\n}}\n")
        mine = [f"%x{first + i}" for i in range(len(inputs))]
        self.parameters += [f"{n}: {k}" for n, k in zip(mine, kinds)]
        self.inputs += inputs
        self.calls.append(f"%r{number}:{len(results)} = func.call @f{number}({', '.join(mine)}) : "
                          f"({', '.join(kinds)}) -> ({types})")
        self.kinds += [(f"%r{number}#{i}", type) for i, (type, _) in enumerate(results)]
        self.outputs += [element for _, element in results]
        self.handlers.append((len(results), handle))

    def run_on(self, target):
        """The same on a target of scan-run."""
        self.run(run_options=[f"--target={target}"])

    def run(self, *options, run_options=()):
        """Runs all functions, after `scan-opt` with `options` if there are any,
        and passes their results to the handlers."""
        types = ", ".join(type for _, type in self.kinds)
        program = "".join(self.functions) + (
            f"func.func @main({', '.join(self.parameters)}) -> ({types}) {{\n  " + "\n  ".join(self.calls) +
            f"\n  return {', '.join(name for name, _ in self.kinds)} : {types}\n}}\n")
        if options:
            program = transform(program, *options)
        found = run(program, "main", self.inputs, self.outputs, *run_options)
        for count, handle in self.handlers:
            handle(found[:count])
            found = found[count:]


class Checker:
    """Counts comparisons and says which failed."""

    def __init__(self):
        self.count = 0
        self.failures = 0

    def equal(self, what, found, expected):
        """Equal in each bit, but for the payload of a NaN."""
        self.close(what, found, expected, None, 0)

    def check(self, what, holds):
        """Says `what` unless it holds."""
        self.count += 1
        if not holds:
            self.failures += 1
            print(what)

    def close(self, what, found, expected, type, ulps):
        """Within `ulps` units in the last place of `expected` in `type`."""
        self.count += 1
        found, expected = np.asarray(found), np.asarray(expected)
        if found.shape != expected.shape or found.dtype != expected.dtype:
            self.fail(what, f"{found.dtype}{found.shape}", f"{expected.dtype}{expected.shape}")
            return
        with np.errstate(all="ignore"):
            same = (found == expected) | ((found != found) & (expected != expected))
            if found.dtype.kind == "f":
                zero = (found == 0) & (expected == 0)
                same &= ~zero | (np.signbit(found) == np.signbit(expected))
            if ulps:
                # Parts of a complex number may cancel: its magnitude counts.
                limit = ulps * ulp(np.abs(expected), type)
                same |= np.abs(found.astype(np.clongdouble) - expected) <= limit
        if not np.all(same):
            at = tuple(np.argwhere(~same)[0])
            self.fail(f"{what} at {at}", found[at], expected[at])

    def fail(self, what, found, expected):
        self.failures += 1
        print(f"{what}: found {found!r}, expected {expected!r}")

    def finish(self):
        print(f"{self.count} comparisons, {self.failures} differ")
        sys.exit(1 if self.failures else 0)


def ulp(magnitude, type):
    """The distance between neighbours of `type` at these magnitudes."""
    precision, smallest = {
        "f16": (11, -14), "bf16": (8, -126), "f32": (24, -126), "f64": (53, -1022),
        "complex<f32>": (24, -126), "complex<f64>": (53, -1022)}[type]
    magnitude = np.where(np.isfinite(magnitude), magnitude, 0).astype(np.float64)
    exponent = np.maximum(np.frexp(magnitude)[1] - 1, smallest)
    return np.ldexp(1.0, exponent - (precision - 1))
