"""Compares the values of random expressions with those of the trees that they print."""

import math
import random
from fractions import Fraction

import package  # noqa: F401
from mlir_scan import ScanError
from mlir_scan.expression import evaluate, holds

NAMES = {"n0": 3, "n1": 0, "arg0_d1": 1000, "_x": -7, "min1": 2**40}

# Text, and the value or a part of the message.
CASES = [
    ("1 + 2 * 3", 7), ("(1 + 2) * 3", 9), ("7 - 2 - 1", 4), ("-7 floordiv 2", -4),
    ("-7 ceildiv 2", -3), ("7 ceildiv -2", -3), ("-7 mod 3", 2), ("7 mod -3", -2),
    ("--5", 5), ("-2 * 3 + 1", -5), ("100 floordiv 7 mod 4", 2), ("min(3)", 3),
    ("min(4, n0, 9) + max(-1, _x)", 2), ("max(n0 ceildiv ((n0 floordiv 2147483648) + 1), 1)", 3),
    ("9223372036854775807", 2**63 - 1), ("-9223372036854775807 - 1", -(2**63)),
    ("min1", 2**40), ("  arg0_d1  ", 1000), ("00012", 12), (42, 42),
    ("", "expected a number or a name, found '' in ''"),
    ("1 +", "expected a number or a name, found ''"),
    ("1 2", "expected the end, found '2'"),
    ("(1", "expected ')', found ''"), ("min 3", "expected '(', found '3'"),
    ("min()", "expected a number or a name, found ')'"), ("max(1,)", "found ')'"),
    ("1 / 2", "expected the end, found '/'"), ("3 $ 4", "expected the end, found '$'"),
    ("nope", "unknown name 'nope'"), ("n0()", "expected the end, found '('"),
    ("__import__('os')", "unknown name '__import__'"),
    ("1 mod n1", "a division by zero"), ("1 ceildiv 0", "a division by zero"),
    ("9223372036854775808", "expected a number of 64 bits"), ("1x", "expected a number of 64 bits"),
    ("9" * 10000, "expected a number of 64 bits"),
    ("9223372036854775807 + 1", "more than 64 bits"), ("min1 * min1", "more than 64 bits"),
    ("(" * 100000, "too many parentheses"), ("-" * 100000, "too many parentheses"),
    ("\u0661", "expected a number or a name"),
]

# Comparisons likewise.
COMPARISONS = [
    ("n0 < 4", True), ("n0 < 3", False), ("n0 <= 3", True), ("n0 <= 2", False),
    ("n0 > 2", True), ("n0 > 3", False), ("n0 >= 3", True), ("n0>=4", False),
    ("n0 * 2 == 7 - 1", True), ("n0 == -3", False), ("n0 != 3", False), ("_x!=3", True),
    ("n0", "expected a comparison, found ''"), ("n0 = 3", "expected a comparison, found '='"),
    ("n0 ! 3", "expected a comparison, found '!'"), ("1 < 2 < 3", "expected the end, found '<'"),
    ("1 <", "expected a number or a name, found ''"), ("x < 1", "unknown name 'x'"),
    ("(1 < 2)", "expected ')', found '<'"),
]


def draw(random_source, depth):
    """The text of a random expression, how tightly it binds, and its value or None."""
    if depth == 0 or random_source.random() < 0.1:
        if random_source.random() < 0.4:
            name = random_source.choice(list(NAMES))
            return name, 2, NAMES[name]
        number = random_source.choice([0, 1, 2, 3, 7, 31, 32, 2147483648])
        return str(number), 2, number
    kind = random_source.choice(["+", "-", "*", "ceildiv", "floordiv", "mod", "min", "max", "neg"])
    parts = [draw(random_source, depth - 1) for _ in range(1 if kind == "neg" else 2)]
    values = [value for _, _, value in parts]
    known = None not in values
    if kind == "neg":
        return f"-{wrap(parts[0], 2)}", 2, -values[0] if known else None
    if kind in ("min", "max"):
        value = (min if kind == "min" else max)(values) if known else None
        return f"{kind}({parts[0][0]}, {parts[1][0]})", 2, value
    level = 0 if kind in "+-" else 1
    text = f"{wrap(parts[0], level)} {kind} {wrap(parts[1], level + 1)}"
    if not known or (kind in ("ceildiv", "floordiv", "mod") and values[1] == 0):
        return text, level, None
    left, right = values
    value = {"+": lambda: left + right, "-": lambda: left - right, "*": lambda: left * right,
             "ceildiv": lambda: math.ceil(Fraction(left, right)),
             "floordiv": lambda: math.floor(Fraction(left, right)),
             "mod": lambda: left - right * math.floor(Fraction(left, right))}[kind]()
    return text, level, value if -(2**63) <= value < 2**63 else None


def wrap(part, level):
    return part[0] if part[1] >= level else f"({part[0]})"


def outcome(text, function=evaluate):
    try:
        return function(text, NAMES)
    except ScanError as error:
        assert "\n" not in str(error)
        return str(error)


def main():
    random_source = random.Random(1)
    wrong = 0
    cases = [(text, expected, evaluate) for text, expected in CASES]
    cases += [(text, expected, holds) for text, expected in COMPARISONS]
    for text, expected, function in cases:
        found = outcome(text, function)
        good = expected in found if isinstance(expected, str) and isinstance(found, str) else (
            found == expected)
        if not good:
            wrong += 1
            print(f"{str(text)[:60]}: expected {expected}, found {str(found)[:100]}")
    drawn = failing = 0
    while drawn < 3000:
        text, _, expected = draw(random_source, 4)
        found = outcome(text)
        drawn += 1
        failing += expected is None
        if (found if isinstance(found, int) else None) != expected:
            wrong += 1
            print(f"{text}: expected {expected}, found {found}")
    assert 0 < failing < drawn / 2
    print(f"{len(cases)} cases, {drawn} random expressions, {wrong} wrong")


if __name__ == "__main__":
    main()
