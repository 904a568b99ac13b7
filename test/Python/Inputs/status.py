"""Launches a scan over packed sequences, and asks for what its kernel reports.

usage: status.py PTX MANIFEST

Launches three times, by two calls that are prepared, and prints what each raised.
"""

import sys

import package  # noqa: F401
from mlir_scan import runtime


def attempt(what, function, *arguments, **options):
    try:
        function(*arguments, **options)
    except runtime.ScanError as error:
        print(f"{what} raised: {error}", flush=True)


def main():
    ptx, manifest = sys.argv[1:]
    device = runtime.Device()
    program = runtime.Program(device, ptx, manifest)
    x = runtime.DeviceArray(device, (1000,), "f32")
    offsets = runtime.DeviceArray(device, (4,), "i32")
    y = runtime.DeviceArray(device, (1000,), "f32")
    for launches in (2, 1):
        call = program["packed"].prepare(x, offsets)
        for _ in range(launches):
            attempt("launch", call.launch, x, offsets, out=[y])
    device.synchronize()
    for checked in (program, program["packed"], call):
        attempt("check", checked.check)


if __name__ == "__main__":
    main()
