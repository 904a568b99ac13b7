"""Makes a file of bytecode claim more dialects than memory can hold.

usage: damage_bytecode.py FILE DAMAGED

MLIR's reader allocates them before it looks at how long the section is.
"""

import sys


def read_number(data, position):
    """MLIR's numbers: the zeros at the low end of the first byte count further bytes."""
    first = data[position]
    size = 9 if first == 0 else (first & -first).bit_length()
    value = int.from_bytes(data[position:position + size], "little")
    return value >> (8 if size == 9 else size), position + size


def write_number(value):
    """In the longest form."""
    return b"\0" + value.to_bytes(8, "little")


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    assert data[:4] == b"ML\xefR"
    _, position = read_number(data, 4)
    # The producer.
    position = data.index(b"\0", position) + 1
    # The first section has the dialects, and their number is first in it.
    section, position = data[position], position + 1
    assert section == 1, section
    start = position
    length, position = read_number(data, position)
    _, after = read_number(data, position)
    dialects = write_number(2**60) + data[after:position + length]
    data = data[:start] + write_number(len(dialects)) + dialects + data[position + length:]
    with open(sys.argv[2], "wb") as file:
        file.write(data)


main()
