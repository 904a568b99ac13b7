"""Round trips of .npy files through scan-run, and files that are no good."""

import os
import struct
import subprocess
import sys

import numpy as np

folder = sys.argv[1]
failures = 0


def path(name):
    return os.path.join(folder, name)


def scan_run(type, source, target=None):
    """Passes a file through the identity on `type`."""
    with open(path("identity.mlir"), "w") as file:
        file.write(f"func.func @f(%x: {type}) -> {type} {{\n  return %x : {type}\n}}\n")
    command = ["scan-run", path("identity.mlir"), f"--input={source}"]
    if target:
        command.append(f"--output={target}")
    return subprocess.run(command, capture_output=True, text=True)


def expect(condition, what):
    global failures
    if not condition:
        failures += 1
        print("FAILED", what)


def round_trip(type, array, version=None, written=None, extents=None):
    """`written`: the dtype that comes back, if not the one that goes in."""
    shape = "x".join(extents or ["?"] * array.ndim)
    kind = f"tensor<{shape}x{type}>" if array.ndim else type
    with open(path("in.npy"), "wb") as file:
        np.lib.format.write_array(file, array, version=version)
    result = scan_run(kind, path("in.npy"), path("out.npy"))
    expect(result.returncode == 0, f"{type} {array.dtype} {array.shape}: {result.stderr}")
    if result.returncode:
        return
    back = np.load(path("out.npy"))
    same = back.dtype == np.dtype(written or array.dtype) and back.shape == array.shape
    same = same and back.tobytes() == np.ascontiguousarray(array).tobytes()
    expect(same and back.flags.c_contiguous, f"round trip of {type} {array.dtype} {array.shape}: {back.dtype} {back.shape}")
    with open(path("out.npy"), "rb") as file:
        header = file.read(10)
    expect((struct.unpack("<H", header[8:])[0] + 10) % 64 == 0, f"{type}: data is not aligned")


rng = np.random.default_rng(5)
dtypes = {"i1": ["?"], "i8": ["i1", "u1"], "i16": ["<i2", "<u2"], "i32": ["<i4", "<u4"], "i64": ["<i8", "<u8"],
          "index": ["<i8", "<u8"], "f16": ["<f2"], "bf16": ["V2", "<u2"], "f32": ["<f4"], "f64": ["<f8"],
          "complex<f32>": ["<c8"], "complex<f64>": ["<c16"]}
for type, names in dtypes.items():
    for name in names:
        size = np.dtype(name).itemsize
        for shape in [(), (0,), (5,), (2, 3), (3, 0, 2), (2, 3, 4)]:
            data = rng.integers(0, 2 if name == "?" else 256, int(np.prod(shape)) * size, dtype=np.uint8)
            array = np.frombuffer(data.tobytes(), name).reshape(shape)
            for version in [(1, 0), (2, 0), (3, 0)] if shape == (2, 3) else [(1, 0)]:
                round_trip(type, array, version, names[0])
            if len(shape) > 1:
                round_trip(type, np.asfortranarray(array), written=names[0])
round_trip("f32", np.ones((2, 3), np.float32), extents=["2", "3"])

# Files that are no good: one line on stderr that says why, no output file.
good = path("good.npy")
np.save(good, np.arange(6, dtype=np.float32).reshape(2, 3))
with open(good, "rb") as file:
    content = file.read()
HEADER = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"


def with_header(header, data=content[128:], version=1):
    text = header.encode("latin1")
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + data


def bad(what, data, message, type="tensor<2x3xf32>"):
    name = path("bad.npy")
    if data is not None:
        with open(name, "wb") as file:
            file.write(data)
    target = path("never.npy")
    result = scan_run(type, name if data is not None else what, target)
    lines = result.stderr.splitlines()
    expect(result.returncode == 1 and len(lines) == 1 and message in lines[0] and not result.stdout,
           f"{what}: expected '{message}', found {result.returncode} {result.stderr!r}")
    expect(not os.path.exists(target), f"{what}: left an output file")


NO = "not a readable .npy file: "
bad("no/such/file.npy", None, "cannot read 'no/such/file.npy': No such file or directory")
bad(folder, None, f"cannot read '{folder}': Is a directory")
bad("empty", b"", NO + "the file is empty")
bad("text", b"hello, world, this is text", NO + "expected it to start with \\x93NUMPY")
bad("magic only", content[:7], NO + "the header is truncated")
bad("no header", content[:10], NO + "the header is truncated: expected 118 bytes, found 0")
bad("half a header", content[:70], NO + "the header is truncated: expected 118 bytes, found 60")
bad("truncated", content[:-1], NO + "expected 24 bytes of data for its shape, found 23")
bad("no data", content[:128], NO + "expected 24 bytes of data for its shape, found 0")
bad("too much data", content + b"x", NO + "expected 24 bytes of data for its shape, found 25")
bad("version 9", content[:6] + b"\x09" + content[7:], NO + "expected format version 1, 2 or 3, found 9")
bad("version 2, truncated", with_header(HEADER, version=2)[:11], NO + "the header is truncated")
bad("huge header", b"\x93NUMPY\x02\x00" + b"\xff" * 4 + content[10:], NO + "the header is truncated: expected 4294967295")
bad("garbage header", with_header("\x00\xff\x01"), NO + "header: expected '{'")
bad("no key", with_header("{descr: 1}"), NO + "header: expected a key in quotes")
bad("no colon", with_header("{'descr' '<f4'}"), NO + "header: expected ':' after a key")
bad("open string", with_header("{'descr"), NO + "header: expected a key in quotes")
bad("open dictionary", with_header("{'descr': '<f4'"), NO + "header: expected ',' or '}'")
bad("missing keys", with_header("{'descr': '<f4', }"), NO + "header: expected the keys 'descr', 'fortran_order' and 'shape'")
bad("other key", with_header(HEADER.replace("}", "'x\n': 1}")), NO + "header: unexpected key 'x\\0A'")
bad("order", with_header(HEADER.replace("False", "Maybe")), NO + "header: expected True or False after 'fortran_order'")
bad("shape", with_header(HEADER.replace("(2, 3)", "[2, 3]")), NO + "header: expected a tuple of extents after 'shape'")
bad("negative", with_header(HEADER.replace("(2, 3)", "(-2, 3)")), NO + "header: expected a tuple of extents after 'shape'")
bad("not a number", with_header(HEADER.replace("(2, 3)", "(2, x)")), NO + "header: expected a tuple of extents after 'shape'")
bad("too large a number", with_header(HEADER.replace("(2, 3)", "(99999999999999999999, 3)")),
    NO + "header: expected a tuple of extents after 'shape'")
bad("open shape", with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3"), NO + "header: expected a tuple")
bad("after the dictionary", with_header(HEADER + "x"), NO + "header: unexpected text after '}'")
bad("structured", with_header(HEADER.replace("'<f4'", "[('x', '<f4')]")), "structured dtypes are not supported")
bad("objects", with_header(HEADER.replace("<f4", "|O")), "expected dtype <f4, found |O")
bad("big-endian", with_header(HEADER.replace("<f4", ">f4")),
    "expected dtype <f4, found >f4 (big-endian; write it with .astype('<f4'))")
bad("other dtype", with_header(HEADER.replace("<f4", "<f8")), "expected dtype <f4, found <f8")
bad("i16 for bf16", with_header(HEADER.replace("<f4", "<i2")), "expected dtype |V2 or <V2 or <u2, found <i2", "tensor<2x3xbf16>")
bad("f32 for i1", content, "expected dtype |b1, found <f4", "tensor<2x3xi1>")
bad("u4 for i8", with_header(HEADER.replace("<f4", "<u4")), "expected dtype |i1 or |u1, found <u4", "tensor<2x3xi8>")
bad("rank", content, "expected ?xf32, found 2x3xf32", "tensor<?xf32>")
bad("scalar", content, "expected f32, found 2x3xf32", "f32")
bad("extent", content, "expected ?x4xf32, found 2x3xf32", "tensor<?x4xf32>")
huge = HEADER.replace("(2, 3)", "(4611686018427387904, 4611686018427387904)")
bad("huge shape", with_header(huge), NO + "the shape has too many elements", "tensor<?x?xf32>")
large = HEADER.replace("(2, 3)", "(1000000, 1000000)")
bad("large shape", with_header(large), NO + "expected 4000000000000 bytes of data for its shape, found 24", "tensor<?x?xf32>")

# Outputs: all or none, and nothing else left behind.
with open(path("two.mlir"), "w") as file:
    file.write("func.func @f(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {\n"
               "  return %x, %x : tensor<2x3xf32>, tensor<2x3xf32>\n}\n")
before = sorted(os.listdir(folder))
for first, second in [("one.npy", "no/such/two.npy"), ("one.npy", "."), ("one.npy", "/dev/full")]:
    second = second if second.startswith("/") else path(second)
    result = subprocess.run(["scan-run", path("two.mlir"), f"--input={good}", f"--output={path(first)}",
                             f"--output={second}"], capture_output=True, text=True)
    expect(result.returncode == 1 and result.stderr.startswith(f"scan-run: error: cannot write '{second}': ")
           and result.stderr.count("\n") == 1, f"{second}: {result.returncode} {result.stderr!r}")
    expect(sorted(os.listdir(folder)) == before, f"{second}: left files behind: {os.listdir(folder)}")

# An existing file is replaced, an input and /dev/null are not.
with open(path("old.npy"), "w") as file:
    file.write("old")
result = subprocess.run(["scan-run", path("two.mlir"), f"--input={good}", f"--output={path('old.npy')}",
                         "--output=/dev/null"], capture_output=True, text=True)
expect(result.returncode == 0 and np.load(path("old.npy")).shape == (2, 3), f"replacing: {result.stderr}")
with open(good, "rb") as file:
    contents = file.read()
result = subprocess.run(["scan-run", path("two.mlir"), f"--input={good}", f"--output={good}", "--output=/dev/null"],
                        capture_output=True, text=True)
with open(good, "rb") as file:
    expect(result.returncode == 1 and "would be overwritten" in result.stderr and file.read() == contents,
           f"an input: {result.returncode} {result.stderr}")
expect(not os.path.isfile("/dev/null"), "replaced /dev/null")
print(f"{failures} failures")
sys.exit(1 if failures else 0)
