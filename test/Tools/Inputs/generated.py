"""The numbers of random:, computed again from their description."""

import subprocess
import sys
import os

import numpy as np

folder = sys.argv[1]
failures = 0


def splitmix64(z):
    with np.errstate(over="ignore"):
        z = z + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def words(seed, count):
    with np.errstate(over="ignore"):
        return splitmix64(np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.arange(count, dtype=np.uint64))


def generate(spec, type, shape):
    kind = f"tensor<{'?x' * len(shape)}{type}>" if shape else type
    program, out = os.path.join(folder, "f.mlir"), os.path.join(folder, "out.npy")
    with open(program, "w") as file:
        file.write(f"func.func @f(%x: {kind}) -> {kind} {{\n  return %x : {kind}\n}}\n")
    subprocess.run(["scan-run", program, f"--input={spec}", f"--output={out}"], check=True)
    return np.load(out)


def expect(spec, type, shape, expected):
    global failures
    found = generate(spec, type, shape)
    if found.tobytes() != np.asarray(expected).tobytes() or found.shape != tuple(shape):
        failures += 1
        print(f"FAILED {spec}: found {found.ravel()[:4]}, expected {np.ravel(expected)[:4]}")


def uniform(seed, count, precision, low, high):
    unit = (words(seed, count) >> np.uint64(64 - precision)).astype(np.float64) / 2.0**precision
    return low + unit * (high - low)


expect("random:f32:3x5:7", "f32", (3, 5), uniform(7, 15, 24, -1, 1).astype(np.float32))
expect("random:f64:3x5:18446744073709551615", "f64", (3, 5), uniform(2**64 - 1, 15, 53, -1, 1))
expect("random:f16:100:0", "f16", (100,), uniform(0, 100, 11, -1, 1).astype(np.float16))
bf16 = uniform(3, 100, 8, -1, 1).astype(np.float32)  # multiples of 2^-7: exact in bfloat16
expect("random:bf16:100:3", "bf16", (100,), (bf16.view(np.uint32) >> 16).astype(np.uint16))
expect("random:f32:10:7:0.25:0.75", "f32", (10,), uniform(7, 10, 24, 0.25, 0.75).astype(np.float32))
bits = np.array([1.5, -0.0, np.inf, -1e-45, 3.4e38, 0.1], np.float32)
expect("values:f32:2x3:1.5,-0,inf,-1e-45,3.4e38,0.1", "f32", (2, 3), bits.reshape(2, 3))
expect("values:i8:2:-128,255", "i8", (2,), np.array([-128, -1], np.int8))
expect("values:i1:3:1,0,1", "i1", (3,), np.array([True, False, True]))
expect("values:c64:2:1,2,3,-4", "complex<f32>", (2,), np.array([1 + 2j, 3 - 4j], np.complex64))
expect("values:f64:0x3:", "f64", (0, 3), np.zeros((0, 3)))
expect("values:i64::9223372036854775807", "i64", (), np.array(2**63 - 1))
for name, type, part in [("c64", "complex<f32>", np.float32), ("c128", "complex<f64>", np.float64),
                         ("complex<f32>", "complex<f32>", np.float32)]:
    expect(f"random:{name}:4:9", type, (4,), uniform(9, 8, 24 if part == np.float32 else 53, -0.5, 0.5).astype(part))
for type, dtype in [("i8", np.int8), ("i16", np.int16), ("i32", np.int32), ("i64", np.int64)]:
    expect(f"random:{type}:50:1", type, (50,), (words(1, 50) % np.uint64(16)).astype(np.int64).astype(dtype) - dtype(8))
    expect(f"random:{type}:50:1:-3:100", type, (50,),
           ((words(1, 50) % np.uint64(104)).astype(np.int64) - 3).astype(dtype))
expect("random:i64:5:1:-9223372036854775808:9223372036854775807", "i64", (5,),
       words(1, 5) + np.uint64(2**63))
expect("random:index:50:1", "index", (50,), words(1, 50) % np.uint64(16))
expect("random:i1:50:1", "i1", (50,), ((words(1, 50) >> np.uint64(32)) & np.uint64(1)).astype(np.uint8))
expect("random:f32::5", "f32", (), uniform(5, 1, 24, -1, 1).astype(np.float32))
expect("zeros:f64:2x0", "f64", (2, 0), np.zeros(0))
expect("ones:i1:3", "i1", (3,), np.ones(3, np.uint8))
expect("ones:c64:2", "complex<f32>", (2,), np.ones(2, np.complex64))
expect("const:f16:2:1.1", "f16", (2,), np.full(2, 1.1, np.float16))
expect("const:i8:2:255", "i8", (2,), np.full(2, 255, np.uint8))
expect("const:i16::-7", "i16", (), np.int16(-7))
print(f"{failures} failures")
sys.exit(1 if failures else 0)
