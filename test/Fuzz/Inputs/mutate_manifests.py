"""Reads damaged launch manifests with the Python launcher's reader.

usage: mutate_manifests.py SEED COUNT MANIFEST...

Every file is refused by a ScanError of one line, or read; then all expressions in it
are evaluated, likewise. Anything else that is raised is a failure, printed with the
number of the file. Damages are bytes and numbers of the text, and values, keys and
lists of the JSON tree.
"""

import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "..", "python"))
from mlir_scan import expression, manifest
from mlir_scan.errors import ScanError

VALUES = [
    -1, 0, 1, 7, 65536, 2**32 - 1, 2**32, 2**63 - 1, 2**63, -(2**63), 2**64, 10**30, 0.5, 1e308,
    float("inf"), float("nan"), None, True, False, "", "d0", "1 - 2", "1 mod 0", "\0", "\ud800",
    "-9223372036854775808 floordiv -1", "9223372036854775807 * 2", "min(", "min(1,", "²", "١",
    ["floordiv", -2**63, -1], ["*", 2**63 - 1, 2], ["mod", 1, 0], ["min"], ["<", 1, 2], ["+", ["+", 1]],
    "(" * 1000, "-" * 1000, "1" * 5000, [], [[]], {}, "f32", "tensor", "scalar", "workspace",
]
BYTES = [b"0", b"-", b"9" * 25, b"\xff", b"\x00", b'"', b"{", b"]", b",", b"1e999", b"[" * 100000,
         b"null", b"\\ud800", b"\xc3\x28"]


def damage_bytes(text, draw):
    data = bytearray(text)
    for _ in range(draw.choice([1, 1, 2, 5])):
        position = draw.randrange(len(data) + 1)
        length = draw.choice([0, 1, 1, 8, 40])
        part = draw.choice(BYTES) if draw.random() < 0.7 else data[:draw.randrange(40)]
        data[position:position + length] = part
    if draw.random() < 0.1:
        del data[draw.randrange(len(data) + 1):]
    return bytes(data)


def places(tree):
    """All pairs of a container and a key in it."""
    found, rest = [], [tree]
    while rest:
        node = rest.pop()
        keys = node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        for key in keys:
            found.append((node, key))
            rest.append(node[key])
    return found


def damage_tree(text, draw):
    tree = json.loads(text)
    for _ in range(draw.choice([1, 1, 2, 5])):
        all_places = places(tree)
        if not all_places:
            break
        node, key = draw.choice(all_places)
        other, other_key = draw.choice(all_places)
        action = draw.randrange(4)
        if action == 0:
            del node[key]
        elif action == 1:
            node[key] = draw.choice(VALUES)
        elif action == 2:
            # A copy: a tree that contains itself is no text.
            node[key] = json.loads(json.dumps(other[other_key]))
        elif isinstance(node, list):
            node.insert(key, draw.choice(VALUES))
        else:
            node[draw.choice(["", "shape", "when", "strides", "offset", "constant"])] = draw.choice(VALUES)
    return json.dumps(tree).encode()


def refuse(action):
    """Whether `action` raised a ScanError of one line."""
    try:
        action()
    except ScanError as error:
        if not str(error) or "\n" in str(error):
            raise AssertionError(f"a message that is not one line: {error!r}") from None
        return True
    return False


def read(data, draw):
    """Whether the file was read with success."""
    program = None

    def load():
        nonlocal program
        program = manifest.read(data.decode("utf-8", "surrogateescape"))

    if refuse(load):
        return False
    for function in program.functions:
        names = {name: draw.choice([0, 1, 3, 1000, 2**62]) for argument in function.arguments
                 for name in argument.shape + (argument.strides or []) + [argument.offset]
                 if isinstance(name, str)}
        expressions = [extent for buffer in function.buffers for extent in buffer.shape]
        expressions += [extent for result in function.results for extent in result.shape]
        for kernel in function.kernels:
            expressions += [*kernel.grid, *kernel.block, kernel.workspace_bytes]
            expressions += [p.value for p in kernel.parameters if p.kind == "number"]
            expressions += kernel.conditions
        for value in expressions:
            refuse(lambda value=value: expression.evaluate(value, names))
    return True


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    samples = []
    for path in sys.argv[3:]:
        with open(path, "rb") as file:
            samples.append(file.read())
    accepted = failures = 0
    for index in range(count):
        draw = random.Random(f"{seed}.{index}")
        damage = draw.choice([damage_bytes, damage_tree])
        data = damage(draw.choice(samples), draw)
        try:
            accepted += read(data, draw)
        except Exception as error:  # noqa: BLE001: whatever it is, it is a failure
            failures += 1
            if failures <= 5:
                print(f"file {index} of seed {seed}: {type(error).__name__}: {str(error)[:300]}")
    print(f"{count} manifests, {accepted} accepted, {failures} failures")
    sys.exit(failures > 0)


main()
