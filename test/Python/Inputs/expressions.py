"""Compares the values of random expressions, as trees and as texts of older manifests, with
those that they were made of."""

import math
import random
from fractions import Fraction

import package  # noqa: F401
from mlir_scan import ScanError
from mlir_scan.expression import check, evaluate, parse

NAMES = {"n0": 3, "n1": 0, "arg0_d1": 1000, "_x": -7, "min1": 2**40}

# Expression, and the value or a part of the message.
CASES = [
    (42, 42), ("arg0_d1", 1000), ("min1", 2**40), (["max", -1, "_x"], -1), (["min", 4, "n0", 9], 3),
    (["max", 7], 7), (["-", ["-", 7, 2], 1], 4), (["-", 7, ["-", 2, 1]], 6),
    (["floordiv", -7, 2], -4), (["ceildiv", -7, 2], -3), (["ceildiv", 7, -2], -3),
    (["mod", -7, 3], 2), (["mod", 7, -3], -2), (2**63 - 1, 2**63 - 1), (-(2**63), -(2**63)),
    (["max", ["ceildiv", "n0", ["+", ["floordiv", "n0", 2147483648], 1]], 1], 3),
    ("nope", "unknown name 'nope' in 'nope'"), ("", "expected a name, found ''"),
    ("1 + 2", "expected a name, found '1 + 2'"), ("7", "expected a name"), ("\u0661", "a name"),
    ("__import__('os')", "expected a name"), (1.5, "expected an integer or an expression, found"),
    (True, "expected an integer or an expression"), (None, "expected an integer or an expression"),
    ({}, "expected an integer or an expression"), ([], "expected an operator, found ''"),
    ([["+"], 1, 2], "expected an operator, found ''"), (["/", 1, 2], "an operator, found '/'"),
    (["<", 1, 2], "expected an operator, found '<'"), (["+", 1], "expected 2 operands of '+', found 1"),
    (["-", 1, 2, 3], "expected 2 operands of '-', found 3"),
    (["max"], "expected 1 or more operands of 'max', found 0"),
    (["mod", 1, "n1"], """a division by zero in '["mod",1,"n1"]'"""),
    (["ceildiv", 1, 0], "a division by zero"), (2**63, "expected a number of 64 bits"),
    (["+", 2**63 - 1, 1], "a number of more than 64 bits"),
    (["*", "min1", "min1"], "a number of more than 64 bits"),
    (["floordiv", -(2**63), -1], "a number of more than 64 bits"),
]
DEEP = 1
for _ in range(300):
    DEEP = ["+", DEEP, 1]
CASES.append((DEEP, "nested too deeply"))

# Comparisons likewise.
COMPARISONS = [
    (["<", "n0", 4], True), (["<", "n0", 3], False), (["<=", "n0", 3], True),
    (["<=", "n0", 2], False), ([">", "n0", 2], True), ([">", "n0", 3], False),
    ([">=", "n0", 3], True), ([">=", "n0", 4], False), (["!=", "n0", 3], False),
    (["==", ["*", "n0", 2], ["-", 7, 1]], True), (["==", "n0", -3], False),
    (["+", "n0", 3], "expected a comparison, found '+'"), (["=", "n0", 3], "a comparison, found '='"),
    (["<", ["<", 1, 2], 3], "expected an operator, found '<'"),
    (["<", 1, 2, 3], "expected 2 operands of '<', found 3"), (["<", "x", 1], "unknown name 'x'"),
]

# As manifests of versions 1 to 3 have them.
TEXTS = [
    ("1 + 2 * 3", 7), ("(1 + 2) * 3", 9), ("7 - 2 - 1", 4), ("-7 floordiv 2", -4),
    ("-7 ceildiv 2", -3), ("7 ceildiv -2", -3), ("-7 mod 3", 2), ("7 mod -3", -2),
    ("--5", 5), ("-2 * 3 + 1", -5), ("100 floordiv 7 mod 4", 2), ("min(3)", 3),
    ("min(4, n0, 9) + max(-1, _x)", 2), ("max(n0 ceildiv ((n0 floordiv 2147483648) + 1), 1)", 3),
    ("9223372036854775807", 2**63 - 1), ("-9223372036854775807 - 1", -(2**63)),
    ("min1", 2**40), ("  arg0_d1  ", 1000), ("00012", 12), ("1\n +1", 2),
    ("", "expected an expression, found ''"), ("1 +", "expected an expression, found '1 +'"),
    ("1 2", "expected an expression"), ("(1", "expected an expression"), ("min 3", "an expression"),
    ("min()", "expected 1 or more operands of 'min'"), ("1 / 2", "expected an expression"),
    ("1 // 2", "expected an expression"), ("2 ** 2", "expected an expression"),
    ("2 * * 2", "expected an expression"), ("1 % 2", "expected an expression"),
    ("3 $ 4", "expected an expression"), ("nope", "unknown name 'nope'"),
    ("n0()", "expected an operator, found 'n0'"), ("__import__('os')", "expected an expression"),
    ("1 if 1 else 2", "expected an expression"), ("not 1", "expected an expression"),
    ("True", "expected an integer or an expression"), ("1, 2", "expected an expression"),
    ("1_000", "expected an expression"), ("0x10", "expected an expression"), ("1e3", "expression"),
    ("1 mod n1", "a division by zero"), ("9223372036854775808", "expected a number of 64 bits"),
    ("1x", "expected an expression"), ("9" * 10000, "expected an expression"),
    ("9223372036854775807 + 1", "more than 64 bits"), ("(" * 100000, "expected an expression"),
    ("-" * 100000, "expected an expression"), ("1" + "+1" * 100000, "expected an expression"),
    ("a" * 5000 + "$", "expected an expression"), ("1" * 5000 + "x", "expected an expression"),
    ("\u0661", "expected an expression"), ("1 < 2", "expected an operator, found '<'"),
]
COMPARISON_TEXTS = [
    ("n0 < 4", True), ("n0 < 3", False), ("n0 <= 3", True), ("n0 <= 2", False),
    ("n0 > 2", True), ("n0 > 3", False), ("n0 >= 3", True), ("n0>=4", False),
    ("n0 * 2 == 7 - 1", True), ("n0 == -3", False), ("n0 != 3", False), ("_x!=3", True),
    ("n0", "expected a comparison, found 'n0'"), ("n0 = 3", "expected a comparison"),
    ("n0 ! 3", "expected a comparison"), ("1 < 2 < 3", "expected a comparison"),
    ("1 <", "expected a comparison"), ("x < 1", "unknown name 'x'"), ("1 + 2", "a comparison"),
    ("n0 in n1", "expected a comparison"),
]


def draw(random_source, depth):
    """A random expression: its text, how tightly that binds, its tree, its value or None."""
    if depth == 0 or random_source.random() < 0.1:
        if random_source.random() < 0.4:
            name = random_source.choice(list(NAMES))
            return name, 2, name, NAMES[name]
        number = random_source.choice([0, 1, 2, 3, 7, 31, 32, 2147483648])
        return str(number), 2, number, number
    kind = random_source.choice(["+", "-", "*", "ceildiv", "floordiv", "mod", "min", "max", "neg"])
    parts = [draw(random_source, depth - 1) for _ in range(1 if kind == "neg" else 2)]
    trees, values = [part[2] for part in parts], [part[3] for part in parts]
    known = None not in values
    if kind == "neg":
        return f"-{wrap(parts[0], 2)}", 2, ["-", 0, *trees], -values[0] if known else None
    if kind in ("min", "max"):
        value = (min if kind == "min" else max)(values) if known else None
        return f"{kind}({parts[0][0]}, {parts[1][0]})", 2, [kind, *trees], value
    level = 0 if kind in "+-" else 1
    text = f"{wrap(parts[0], level)} {kind} {wrap(parts[1], level + 1)}"
    if not known or (kind in ("ceildiv", "floordiv", "mod") and values[1] == 0):
        return text, level, [kind, *trees], None
    left, right = values
    value = {"+": lambda: left + right, "-": lambda: left - right, "*": lambda: left * right,
             "ceildiv": lambda: math.ceil(Fraction(left, right)),
             "floordiv": lambda: math.floor(Fraction(left, right)),
             "mod": lambda: left - right * math.floor(Fraction(left, right))}[kind]()
    return text, level, [kind, *trees], value if -(2**63) <= value < 2**63 else None


def wrap(part, level):
    return part[0] if part[1] >= level else f"({part[0]})"


def outcome(read, value, *options):
    """What `read` and then `evaluate` make of it, or the message."""
    try:
        return evaluate(read(value, *options), NAMES)
    except ScanError as error:
        assert "\n" not in str(error)
        return str(error)


def checked(value, is_comparison=False):
    check(value, lambda value: type(value).__name__, is_comparison)
    return value


def main():
    random_source = random.Random(1)
    wrong = 0
    cases = [(checked, *case) for case in CASES]
    cases += [(checked, *case, True) for case in COMPARISONS]
    cases += [(parse, *case) for case in TEXTS]
    cases += [(parse, *case, True) for case in COMPARISON_TEXTS]
    for read, value, expected, *options in cases:
        found = outcome(read, value, *options)
        good = expected in found if isinstance(expected, str) and isinstance(found, str) else (
            found == expected)
        if not good:
            wrong += 1
            print(f"{str(value)[:60]}: expected {expected}, found {str(found)[:100]}")
    drawn = failing = 0
    while drawn < 3000:
        text, _, tree, expected = draw(random_source, 4)
        drawn += 1
        failing += expected is None
        for read, value in ((checked, tree), (parse, text)):
            found = outcome(read, value)
            if (found if isinstance(found, int) else None) != expected:
                wrong += 1
                print(f"{value}: expected {expected}, found {found}")
    assert 0 < failing < drawn / 2
    print(f"{len(cases)} cases, {drawn} random expressions, {wrong} wrong")


if __name__ == "__main__":
    main()
