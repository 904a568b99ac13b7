"""Evaluates a kernel's PTX on NumPy arrays: one thread after another, for kernels whose threads
do not meet.

usage: ptx_values.py PTX KERNEL THREADS ARRAY.npy... --into OUT.npy SHAPE

The kernel's parameters are the arrays, then the result, an f32 array of SHAPE (6x3x4), whose
elements it has to write all. Instructions are those that kernels of f32 and static extents
have; another one is an error.
"""

import re
import struct
import sys

import numpy as np

MASK = (1 << 64) - 1


def fma(a, b, c):
    """Rounded once: the product is exact in twice the bits, and so is what the sum of both
    loses there, by which ties are broken."""
    product = np.float64(a) * np.float64(b)
    total = product + np.float64(c)
    if not np.isfinite(total):
        return np.float32(total)
    part = total - product
    lost = (product - (total - part)) + (np.float64(c) - part)
    if lost != 0 and struct.unpack("<Q", struct.pack("<d", total))[0] & 1 == 0:
        total = np.nextafter(total, np.inf if lost > 0 else -np.inf)
    return np.float32(total)


FLOAT = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
         "fma": fma}
INTEGER = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
           "shl": lambda a, b: a << b, "or": lambda a, b: a | b, "and": lambda a, b: a & b}
COMPARE = {"gt": lambda a, b: a > b, "lt": lambda a, b: a < b, "ge": lambda a, b: a >= b,
           "le": lambda a, b: a <= b, "eq": lambda a, b: a == b, "ne": lambda a, b: a != b}


def to_float(bits):
    return np.uint32(bits & 0xFFFFFFFF).view(np.float32)


def to_bits(value):
    return int(np.float32(value).view(np.uint32))


class Thread:
    """Registers hold bits, as integers."""

    def __init__(self, lines, memory, parameters, number):
        self.lines, self.memory, self.parameters = lines, memory, parameters
        self.registers = {"%tid.x": number, "%ctaid.x": 0, "%ctaid.y": 0, "%nctaid.x": 1}
        self.labels = {line[:-1]: i for i, line in enumerate(lines) if line.endswith(":")}
        self.counts = {}

    def read(self, text):
        if text.startswith("%"):
            return self.registers[text]
        return int(text[2:], 16) if text.startswith("0f") else int(text, 0) & MASK

    def find(self, address):
        base, _, offset = address.strip("[]").partition("+")
        place = self.read(base) + int(offset or 0)
        return place >> 32, place & 0xFFFFFFFF

    def move(self, operands):
        """mov, with the halves of a wide register in braces."""
        target, source = operands
        if target.startswith("{"):
            low, high = re.findall(r"%\w+", target)
            value = self.read(source)
            self.registers[low], self.registers[high] = value & 0xFFFFFFFF, value >> 32
        elif source.startswith("{"):
            low, high = (self.read(part) for part in re.findall(r"%\w+|0f\w+", source))
            self.registers[target] = high << 32 | low
        else:
            self.registers[target] = self.read(source)

    def step(self, name, operands):
        """Executes an instruction; the label to go on at, if it branches."""
        parts = name.split(".")
        kind = parts[-1]
        if name.startswith("ld.param"):
            self.registers[operands[0]] = self.parameters[operands[1].strip("[]")]
        elif name in ("ld.global.b32", "ld.global.nc.b32"):
            array, offset = self.find(operands[1])
            self.registers[operands[0]] = int.from_bytes(self.memory[array][offset:offset + 4],
                                                         "little")
        elif name == "st.global.b32":
            array, offset = self.find(operands[0])
            self.memory[array][offset:offset + 4] = self.read(operands[1]).to_bytes(4, "little")
        elif parts[0] == "mov":
            self.move(operands)
        elif parts[0] in ("cvta", "cvt"):
            self.registers[operands[0]] = self.read(operands[1])
        elif parts[0] == "setp":
            self.registers[operands[0]] = COMPARE[parts[1]](*map(self.read, operands[1:]))
        elif parts[0] == "bra":
            return operands[-1]
        elif name == "neg.f32":
            self.registers[operands[0]] = self.read(operands[1]) ^ 0x80000000
            kind = "neg"
        elif kind == "f32" and parts[0] in FLOAT:
            values = [to_float(self.read(operand)) for operand in operands[1:]]
            self.registers[operands[0]] = to_bits(FLOAT[parts[0]](*values))
        elif kind == "f32x2" and parts[0] in FLOAT:
            values = [self.read(operand) for operand in operands[1:]]
            low, high = (to_bits(FLOAT[parts[0]](*(to_float(value >> shift) for value in values)))
                         for shift in (0, 32))
            self.registers[operands[0]] = high << 32 | low
        elif parts[0] in INTEGER and kind[0] in "sub":
            result = INTEGER[parts[0]](*map(self.read, operands[1:]))
            bits = 64 if kind.endswith("64") or "wide" in parts else 32
            self.registers[operands[0]] = result & ((1 << bits) - 1)
        else:
            sys.exit(f"ptx_values.py: cannot evaluate '{name} {', '.join(operands)}'")
        self.counts[kind] = self.counts.get(kind, 0) + 1
        return None

    def run(self):
        at = 0
        while at < len(self.lines):
            line = self.lines[at]
            at += 1
            if line.endswith(":"):
                continue
            guard = re.match(r"@(!?)(%\w+)\s+(.*)", line)
            if guard:
                if bool(self.registers[guard[2]]) == bool(guard[1]):
                    continue
                line = guard[3]
            if line.startswith("ret"):
                return
            name, _, rest = line.rstrip(";").partition(" ")
            operands = [part.strip() for part in re.split(r",\s*(?![^{]*})", rest.strip())]
            label = self.step(name.strip(), operands)
            if label is not None:
                at = self.labels[label]


def evaluate(text, kernel, threads, arrays, shape):
    """The result and how many instructions there were of each type, in all threads."""
    body = text[text.index(f".entry {kernel}("):]
    names = re.findall(r"(%s_param_\d+)[,\n]" % kernel, body[:body.index("{")])
    body = body[body.index("{") + 1:body.index("\n}")]
    lines = [line.split("//")[0].replace("\t", " ").strip() for line in body.splitlines()]
    lines = [line for line in lines if line and not line.startswith(".")]
    memory = [bytearray(array.tobytes()) for array in arrays]
    memory.append(bytearray(np.full(shape, np.nan, np.float32).tobytes()))
    if len(names) != len(memory):
        sys.exit(f"ptx_values.py: expected {len(names)} arrays, found {len(memory)}")
    parameters = {name: number << 32 for number, name in enumerate(names)}
    counts = {}
    for number in range(threads):
        thread = Thread(lines, memory, parameters, number)
        thread.run()
        for kind, count in thread.counts.items():
            counts[kind] = counts.get(kind, 0) + count
    return np.frombuffer(bytes(memory[-1]), np.float32).reshape(shape), counts


def main():
    path, kernel, threads, *rest = sys.argv[1:]
    into = rest.index("--into")
    shape = tuple(map(int, rest[into + 2].split("x")))
    with open(path, encoding="utf-8") as file:
        result, counts = evaluate(file.read(), kernel, int(threads),
                                  [np.load(name) for name in rest[:into]], shape)
    np.save(rest[into + 1], result)
    print(f"f32: {counts.get('f32', 0)}, f32x2: {counts.get('f32x2', 0)}, "
          f"not written: {np.isnan(result).sum()}")


if __name__ == "__main__":
    main()
