"""Compares the hashes that a program prints with known ones and with Python's.

usage: hash.py PROGRAM FOLDER
"""

import hashlib
import os
import random
import subprocess
import sys

# NIST's examples for SHA-256.
VECTORS = [
    (b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    (b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    (b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
     b"lmnopqrsmnopqrstnopqrstu",
     "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"),
    (b"a" * 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
]


def main():
    program, folder = sys.argv[1:]
    draw = random.Random(1)
    cases = VECTORS + [(data, hashlib.sha256(data).hexdigest())
                       for data in (draw.randbytes(length) for length in (*range(200), 100003))]
    paths = []
    for number, (data, _) in enumerate(cases):
        paths.append(os.path.join(folder, str(number)))
        with open(paths[-1], "wb") as file:
            file.write(data)
    found = subprocess.run([program, *paths], capture_output=True, text=True, timeout=60,
                           check=True).stdout.split()
    wrong = [number for number, (_, expected) in enumerate(cases) if found[number] != expected]
    print(f"{len(cases)} files, {len(wrong)} wrong", *wrong)


if __name__ == "__main__":
    main()
