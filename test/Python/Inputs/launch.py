"""Prepares and launches a call, as scan-launch does with the C++ launcher.

usage: launch.py PTX MANIFEST FUNCTION [ARGUMENT...]

An argument is 4x1000 (a dense tensor), 4x1000:2000,1 (with strides, in elements) or
=42 (a scalar). Prints the results' types, then launches twice.
"""

import sys

import package  # noqa: F401
from mlir_scan import runtime
from mlir_scan.manifest import ELEMENT_BYTES


class Array:
    """Memory that is described by `__cuda_array_interface__`."""

    def __init__(self, memory, tensor, typestr):
        strides = tensor.strides and tuple(
            stride * int(typestr[2:]) for stride in tensor.strides)
        # With strides below 0 all elements are before the first one, and in the memory, too.
        before = sum(-min(stride, 0) * max(extent - 1, 0)
                     for stride, extent in zip(strides or (), tensor.shape))
        self.memory = memory
        self.__cuda_array_interface__ = {
            "shape": tensor.shape, "typestr": typestr, "data": (memory.address + before, False),
            "version": 3, "strides": strides, "stream": None}


def parse(text):
    if text.startswith("="):
        return int(text[1:])
    shape, *strides = text.split(":")
    shape = tuple(int(extent) for extent in shape.split("x"))
    return runtime.Tensor(shape, tuple(map(int, strides[0].split(","))) if strides else None)


def make(device, argument, value):
    if not isinstance(value, runtime.Tensor):
        return value
    size = 1
    for extent in value.shape:
        size *= extent
    # Strides may reach further than the shape.
    typestr = runtime.DeviceArray(device, (), argument.element).__cuda_array_interface__["typestr"]
    memory = runtime.DeviceArray(device, (16 * size,), argument.element)
    assert ELEMENT_BYTES[argument.element] == int(typestr[2:])
    return Array(memory, value, typestr)


def main():
    ptx, manifest, name, *arguments = sys.argv[1:]
    device = runtime.Device()
    function = runtime.Program(device, ptx, manifest)[name]
    values = [parse(argument) for argument in arguments]
    call = function.prepare(*values)
    for result in call.results:
        buffer = function.description.buffers[result.buffer]
        print("result", *result.shape, f"of {result.element}, {result.nbytes} bytes in "
              f"{buffer.kind} {buffer.index}")
    print("internal", call.internal_bytes, flush=True)
    arrays = [make(device, argument, value)
              for argument, value in zip(function.description.arguments, values)]
    results = call.launch(*arrays)
    print("again", file=sys.stderr)
    call.launch(*arrays, stream=4096, out=[
        result if isinstance(result, runtime.DeviceArray) else None for result in results])
    print("done", file=sys.stderr)
    device.synchronize()


if __name__ == "__main__":
    try:
        main()
    except runtime.ScanError as error:
        sys.exit(f"launch.py: error: {error}")
