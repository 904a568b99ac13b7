"""The programs of recurrences.mlir with other widths, layouts and types.

usage: recurrence_variants.py VARIANT...

Prints a module with the functions of these variants:

  gru_lanes_time      time is innermost in memory, [batch, channels, time]
  gru_lanes_bf16      rows of bf16, computed in f32
  lstm_heads_WIDTH    heads of another width
"""

import os
import re
import sys

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recurrences.mlir")


def function(name):
    """The text of one function of the program."""
    with open(PROGRAM, encoding="utf-8") as file:
        text = file.read()
    return re.search(rf"^func\.func @{name}\(.*?^}}\n", text, re.DOTALL | re.MULTILINE)[0]


def time_innermost():
    text = function("gru_lanes").replace("@gru_lanes", "@gru_lanes_time")
    return text.replace("?x1x?x", "?x?x1x").replace("dim = 1", "dim = 2")


def narrow():
    text = function("gru_lanes").replace("@gru_lanes", "@gru_lanes_bf16")
    text = re.sub(r"(tensor<[?x1]+x)f32", r"\1bf16", text)
    # The elements of a row: extended, and rounded where they are yielded.
    start = re.search(r"\^bb0\(%a: f32.*?\):\n", text)
    names = re.findall(r"%(\w+): f32", start[0])
    wide = "".join(f"      %{name} = arith.extf %{name}n : bf16 to f32\n" for name in names)
    header = re.sub(r"%(\w+): f32", r"%\1n: bf16", start[0])
    text = text.replace(start[0], header + wide)
    return text.replace("      linalg.yield %sum : f32",
                        "      %narrow = arith.truncf %sum : f32 to bf16\n"
                        "      linalg.yield %narrow : bf16")


def widen(width):
    """What is 64 n in the program becomes n widths: in types, and in slices."""
    text = function("lstm_heads").replace("@lstm_heads", f"@lstm_heads_{width}")
    scale = lambda match: str(int(match[0]) // 64 * width)
    text = re.sub(r"(?<=x)(64|256)(?=x)", scale, text)
    return re.sub(r"(?<=\[0, 0, )(64|128|192)(?=\])|(?<=%heads, )64(?=\])", scale, text)


def variant(name):
    """The text of a variant."""
    if name == "gru_lanes_time":
        return time_innermost()
    if name == "gru_lanes_bf16":
        return narrow()
    width = re.fullmatch(r"lstm_heads_([1-9]\d*)", name)
    if not width:
        sys.exit(f"recurrence_variants.py: expected gru_lanes_time, gru_lanes_bf16 or "
                 f"lstm_heads_WIDTH, found {name}")
    return widen(int(width[1]))


if __name__ == "__main__":
    print("\n".join(variant(name) for name in sys.argv[1:]))
