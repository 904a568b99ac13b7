"""Prints @lstm_heads of benchmark/gpu/recurrences.mlir for heads of another width.

usage: wide_cells.py PROGRAM WIDTH
"""

import re
import sys

path, width = sys.argv[1], int(sys.argv[2])
with open(path, encoding="utf-8") as file:
    text = file.read()
text = text[text.index("func.func @lstm_heads"):]
# What is 64 n in the program becomes n widths: in types, and in slices.
scale = lambda match: str(int(match[0]) // 64 * width)
text = re.sub(r"(?<=x)(64|256)(?=x)", scale, text)
text = re.sub(r"(?<=\[0, 0, )(64|128|192)(?=\])|(?<=%heads, )64(?=\])", scale, text)
print(text)
