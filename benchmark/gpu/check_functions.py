#!/usr/bin/env python3
"""Checks functions of kernels on an NVIDIA GPU for all arguments.

examples:
  check_functions.py --prepare kernels --chip sm_90   compile here, ...
  check_functions.py --kernels kernels                ... and run on a machine without the compiler

Each function of functions.mlir is computed of all 2^32 numbers in f32, or of all 2^16 in bf16,
infinities and NaNs among them, and compared with the same in double precision. Printed is the
largest error of each result, in units in the last place, and where it is. The status is 1 if one
is larger than what passes.md says of --scan-gpu-to-nvvm: 4 units, but for exponentials of
arguments that have errors themselves, and results that may be zero below 2^-126.
"""

import argparse
import os
import sys

import kernels

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "functions.mlir")
# Of numbers that are computed at once.
CHUNK = 2**26
UNITS = 4.0
# What may be zero.
FLUSHED = 2.0**-126


def sigmoid(x):
    return 1 / (1 + (-x).exp())


def softplus(x):
    return x.clamp(min=0) + (-x.abs()).exp().log1p()


def coefficients(x):
    """The exponent of a is off by some units, and a by as many of its own, times the exponent.
    An exponent below 2^-126 has fewer bits."""
    exponent = 8 * softplus(x)
    return [((-exponent).exp(), UNITS + 4 * exponent, 0),
            ((-(-2 * exponent).expm1()).sqrt(), UNITS, (16 * FLUSHED) ** 0.5)]


# What the functions are of numbers in double precision: for each result that, how many units in
# the last place it may be off by, and by how much besides.
FUNCTIONS = {
    # 1 + exp(-x) may be infinite in f32.
    "sigmoid": lambda x: [(sigmoid(x), UNITS, FLUSHED)],
    "pair": lambda x: [(sigmoid(x), UNITS, FLUSHED), (sigmoid(-x), UNITS, FLUSHED)],
    "narrow_sigmoid": lambda x: [(sigmoid(x), UNITS, FLUSHED)],
    "narrow_pair": lambda x: [(sigmoid(x), UNITS, FLUSHED), (sigmoid(-x), UNITS, FLUSHED)],
    "silu": lambda x: [(x / (1 + (-x).exp()), UNITS, 104 * FLUSHED)],
    "sides": lambda x: [(2 * sigmoid(2 * x), UNITS, 2 * FLUSHED),
                        (2 * sigmoid(-2 * x), UNITS, 2 * FLUSHED)],
    "coefficients": coefficients,
}


def prepare(folder, chip, tools):
    os.makedirs(folder, exist_ok=True)
    with open(SOURCE, encoding="utf-8") as file:
        kernels.translate(file.read(), tools, chip, os.path.join(folder, "functions"))
    print(f"{len(FUNCTIONS)} functions compiled for {chip}")


def make_arguments(torch, is_narrow):
    """All numbers, chunk by chunk."""
    count = 2**16 if is_narrow else 2**32
    for begin in range(0, count, CHUNK):
        bits = torch.arange(begin, min(begin + CHUNK, count), device="cuda")
        if is_narrow:
            yield bits.to(torch.int16).view(torch.bfloat16)
        else:
            yield bits.to(torch.int32).view(torch.float32)


def find_worst(torch, x, found, expected, limit, least):
    """The largest error beyond `least` as a part of what it may be, how many units it is, and
    the argument that has it."""
    rounded = expected.to(torch.float32)
    same = (found == rounded) | (found.isnan() & expected.isnan())
    exponent = torch.frexp(rounded.abs().double())[1].clamp(min=-125) - 24
    unit = torch.ldexp(torch.ones_like(expected), exponent)
    units = ((found.double() - expected).abs() - least).clamp(min=0) / unit
    units[same] = 0
    # Where one is infinite, or not a number, and the other is not.
    units[~same & ~(found.isfinite() & rounded.isfinite())] = float("inf")
    part = torch.where(units == 0, 0.0, units / limit)
    place = int(part.argmax())
    return float(part[place]), float(units[place]), float(x[place])


def check(torch, program, name):
    """Prints a line for each result of a function; how many are too far off."""
    worst = {}
    for x in make_arguments(torch, name.startswith("narrow")):
        expected = FUNCTIONS[name](x.double())
        found = program[name](x)
        found = found if isinstance(found, (list, tuple)) else [found]
        for number, (exact, limit, least) in enumerate(expected):
            mine = torch.as_tensor(found[number], device="cuda")
            part = find_worst(torch, x, mine, exact, limit, least)
            worst[number] = max(worst.get(number, (-1.0, 0.0, 0.0)), part)
    bad = 0
    for number, (part, units, place) in worst.items():
        is_wrong = not part <= 1
        bad += is_wrong
        print(f"  {name:15} result {number}: {units:6.2f} units at {place!r}, {part:.2f} of what it "
              f"may be{'  WRONG' if is_wrong else ''}", flush=True)
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prepare", metavar="FOLDER", help="compile into this folder")
    parser.add_argument("--kernels", metavar="FOLDER", help="run what is compiled there")
    parser.add_argument("--chip", default="sm_90", help="such as sm_90 (default)")
    parser.add_argument("--bin", metavar="FOLDER", help="where scan-translate is")
    options = parser.parse_args()
    if bool(options.prepare) == bool(options.kernels):
        parser.error("expected either --prepare or --kernels")
    if options.prepare:
        prepare(options.prepare, options.chip, kernels.find_tools(options.bin))
        return 0
    import torch  # pylint: disable=import-outside-toplevel
    runtime = kernels.import_runtime()
    stem = os.path.join(options.kernels, "functions")
    program = runtime.Program(runtime.Device(), stem + ".ptx", stem + ".json")
    print(torch.cuda.get_device_name())
    bad = sum(check(torch, program, name) for name in FUNCTIONS)
    print(f"{len(FUNCTIONS)} functions, {bad} results too far off")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
