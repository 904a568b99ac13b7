"""Prints the assembly text in the one gpu.binary of an .mlir file."""

import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    (text,) = re.findall(r'gpu\.binary .*?assembly = "((?:[^"\\]|\\.)*)"', file.read())
print(re.sub(r"\\([0-9A-F]{2})", lambda m: chr(int(m.group(1), 16)), text).rstrip("\0"))
