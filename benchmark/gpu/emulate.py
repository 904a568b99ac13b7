"""Checks the programs' numbers without a GPU: their kernels in the emulator, which also
finds races, and on the CPU, at small odd sizes against a left fold in float64."""

import os
import subprocess

import kernels
import programs
import reference
import workloads


def make_inputs(numpy, case, seed=1):
    """Inputs as the kernels get them (bf16 as float32 that is rounded to it)."""
    random = numpy.random.default_rng(seed)
    arrays = []
    for array in case.inputs:
        shape = array.shape
        if array.values == "integers":
            value = random.integers(-8, 9, shape).astype(numpy.float32)
        elif array.values == "decays":
            value = random.uniform(0.5, 0.99, shape).astype(numpy.float32)
        elif array.values == "offsets":
            value = numpy.array(case.offsets, numpy.int32)
        elif array.values == "normal":
            value = random.standard_normal(shape).astype(numpy.float32)
        elif array.values == "complex":
            value = random.standard_normal((*shape, 2)).astype(numpy.float32).view(
                numpy.complex64)[..., 0]
        elif array.values == "spirals":
            radius, angle = random.uniform(0.5, 0.99, shape), random.uniform(-3, 3, shape)
            value = (radius * numpy.exp(1j * angle)).astype(numpy.complex64)
        else:  # rotations
            angle = random.uniform(-3, 3, shape[:-2])
            rows = [[numpy.cos(angle), -numpy.sin(angle)], [numpy.sin(angle), numpy.cos(angle)]]
            value = numpy.moveaxis(numpy.array(rows), (0, 1), (-2, -1)).astype(numpy.float32)
        arrays.append(round_bf16(numpy, value) if array.element == "bf16" else value)
    return arrays


def round_bf16(numpy, value):
    bits = numpy.ascontiguousarray(value).view(numpy.uint32)
    bits = bits + 0x7FFF + (bits >> 16 & 1)
    return (bits & 0xFFFF0000).astype(numpy.uint32).view(numpy.float32)


def store(numpy, path, value, element):
    if element == "bf16":
        value = (value.view(numpy.uint32) >> 16).astype(numpy.uint16)
    numpy.save(path, value)


def load(numpy, path, element):
    value = numpy.load(path)
    if element == "bf16":
        bits = numpy.ascontiguousarray(value).view(numpy.uint16).astype(numpy.uint32)
        value = (bits << 16).view(numpy.float32)
    kind = numpy.complex128 if element.startswith("complex") else numpy.float64
    return value.astype(kind)


def check_case(case, tools, folder, target="emulator", schedule=None):
    """The error of the case's program at a small size, as a fraction of what is tolerated."""
    import numpy  # pylint: disable=import-outside-toplevel

    case = workloads.small(case)
    text, passes = programs.write(case)
    if schedule:
        passes = passes + programs.TO_KERNELS
    source = os.path.join(folder, "program.mlir")
    text = kernels.optimize(text, passes, tools)
    if schedule:
        text = programs.give_schedule(text, schedule)
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    inputs = make_inputs(numpy, case)
    command = [os.path.join(tools, "scan-run"), source, f"--target={target}",
               f"--entry={'scan_vjp' if case.is_derivative else 'scan'}"]
    for number, (array, value) in enumerate(zip(case.inputs, inputs)):
        path = os.path.join(folder, f"in{number}.npy")
        store(numpy, path, value, array.element)
        command.append(f"--input={path}")
    results = [os.path.join(folder, f"out{number}.npy") for number in range(len(case.outputs))]
    command += [f"--output={path}" for path in results]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise kernels.CompileError(lines[0] if lines else f"exit status {done.returncode}")
    wide = [value.astype(numpy.complex128 if numpy.iscomplexobj(value) else numpy.float64)
            for value in inputs]
    expected = reference.evaluate(numpy, case, wide, fold=True)
    # The way that is taken for long scans has to agree with the fold.
    steps = reference.evaluate(numpy, case, wide)
    for one, other in zip(expected, steps):
        numpy.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
    found = [load(numpy, path, array.element) for path, array in zip(results, case.outputs)]
    return reference.difference(numpy, case, found, expected)
