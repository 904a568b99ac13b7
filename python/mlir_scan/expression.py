# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The expressions of a manifest, as docs/manifest.md describes them: an integer, a name, or
a list of an operator and its operands."""

import ast
import json
import operator
import re

from .errors import ScanError

# Manifests are written by machines; deeper than this is no honest one, and would
# use up Python's stack.
_MAX_DEPTH = 200
_MINIMUM, _MAXIMUM = -(2**63), 2**63 - 1
_COMPARISONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
                "==": operator.eq, "!=": operator.ne}
# Python rounds quotients down, and its remainder has the divisor's sign.
_BINARY = {"+": operator.add, "-": operator.sub, "*": operator.mul, "mod": operator.mod,
           "floordiv": operator.floordiv, "ceildiv": lambda left, right: -(-left // right)}
_EXTREMA = {"min": min, "max": max}


def evaluate(expression, names):
    """The value of an expression that `check` or `parse` has returned, as an integer; of a
    comparison whether it is true.

    `names` maps each free variable to its value. Fails where a name is unknown, and where a
    number has more than 64 bits.
    """
    try:
        return _compute(expression, names)
    except ZeroDivisionError:
        problem = "a division by zero"
    except KeyError as error:
        problem = f"unknown name '{error.args[0]}'"
    except OverflowError:
        problem = "a number of more than 64 bits"
    raise ScanError(f"{problem} in '{show(expression)}'")


def _compute(expression, names):
    if isinstance(expression, int):
        return expression
    if isinstance(expression, str):
        return names[expression]
    name = expression[0]
    operands = [_compute(operand, names) for operand in expression[1:]]
    if name in _EXTREMA:
        return _EXTREMA[name](operands)
    if name in _COMPARISONS:
        return _COMPARISONS[name](*operands)
    value = _BINARY[name](*operands)
    if not _MINIMUM <= value <= _MAXIMUM:
        raise OverflowError
    return value


def mentions(expression, name):
    """Whether the value of an expression depends on `name`."""
    if isinstance(expression, list):
        return any(mentions(operand, name) for operand in expression[1:])
    return expression == name


def show(expression):
    """As a manifest has it."""
    return expression if isinstance(expression, str) else json.dumps(expression,
                                                                     separators=(",", ":"))


def is_name(text):
    return re.fullmatch(r"[A-Za-z_]\w*", text, re.ASCII) is not None


def check(value, type_name, is_comparison=False, depth=0):
    """Fails with a ScanError unless `value` is an expression, or a comparison; `type_name`
    says what JSON calls the type of something else."""
    if depth == _MAX_DEPTH:
        raise ScanError("an expression that is nested too deeply")
    if isinstance(value, int) and not isinstance(value, bool):
        if not _MINIMUM <= value <= _MAXIMUM:
            raise ScanError(f"expected a number of 64 bits, found {value}")
    elif isinstance(value, str):
        if not is_name(value):
            raise ScanError(f"expected a name, found '{value}'")
    elif not isinstance(value, list):
        raise ScanError(f"expected an integer or an expression, found {type_name(value)}")
    else:
        name = value[0] if value and isinstance(value[0], str) else ""
        if name not in (_COMPARISONS if is_comparison else {**_BINARY, **_EXTREMA}):
            kind = "a comparison" if is_comparison else "an operator"
            raise ScanError(f"expected {kind}, found '{name}'")
        for operand in value[1:]:
            check(operand, type_name, depth=depth + 1)
        has_any_number = name in _EXTREMA
        if len(value) < 2 if has_any_number else len(value) != 3:
            expected = "1 or more" if has_any_number else "2"
            raise ScanError(f"expected {expected} operands of '{name}', found {len(value) - 1}")


# Manifests of versions 1 to 3 have texts instead of trees, in a grammar that is Python's but
# for the names of three operators. What Python has besides it is refused.
_PYTHON_NAMES = {"ceildiv": "@", "floordiv": "//", "mod": "%"}
_ANY_TOKEN = re.compile(r"\w+|[<>=!]=|\S", re.ASCII)
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d+|[-+*(),<>]|[<>=!]=", re.ASCII)
_NODES = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.MatMult: "ceildiv",
          ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
          ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


def parse(text, is_comparison=False):
    """The expression, or comparison, that a text of an older manifest is. Fails with a
    ScanError where it is none."""
    what = "a comparison" if is_comparison else "an expression"
    line = " ".join(text[:200].split())
    refused = ScanError(f"expected {what}, found '{line}'")
    tokens = _ANY_TOKEN.findall(text)
    if not all(map(_TOKEN.fullmatch, tokens)):
        raise refused
    # Python has no numbers with zeros in front.
    names = {token: token.lstrip("0") or "0" for token in tokens if token.isdigit()}
    names.update(_PYTHON_NAMES)
    python = " ".join(names.get(token, token) for token in tokens)
    try:
        tree = _convert(ast.parse(python, mode="eval").body)
        check(tree, lambda value: "a text", is_comparison)
    except (KeyError, AttributeError, ValueError, SyntaxError, RecursionError, MemoryError):
        raise refused from None
    if is_comparison and not isinstance(tree, list):
        raise refused
    return tree


def _convert(node):
    """Fails with a KeyError or an AttributeError for what is not in the grammar."""
    if isinstance(node, ast.BinOp):
        return [_NODES[type(node.op)], _convert(node.left), _convert(node.right)]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return ["-", 0, _convert(node.operand)]
    if isinstance(node, ast.Compare):
        (kind,), (right,) = node.ops, node.comparators
        return [_NODES[type(kind)], _convert(node.left), _convert(right)]
    if isinstance(node, ast.Call):
        return [node.func.id, *map(_convert, node.args)]
    return node.value if isinstance(node, ast.Constant) else node.id
