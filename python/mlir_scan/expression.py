# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The expressions of a manifest: docs/manifest.md has their grammar."""

import operator
import re

from .errors import ScanError

# Manifests are written by machines; deeper than this is no honest one, and would
# use up Python's stack.
_MAX_DEPTH = 150
_TOKEN = re.compile(r"\s*(\w+|[<>=!]=|\S)", re.ASCII)
_COMPARISONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
                "==": operator.eq, "!=": operator.ne}
_MINIMUM, _MAXIMUM = -(2**63), 2**63 - 1


def evaluate(expression, names):
    """The value of `expression`, an integer or a text, as an integer.

    `names` maps each free variable to its value. Fails where a name is unknown,
    where a number has more than 64 bits, and for what is no expression.
    """
    if isinstance(expression, int):
        return expression
    return _Evaluator(expression, names).evaluate()


def holds(comparison, names):
    """Whether `comparison`, a text of two expressions, is true; fails likewise."""
    return _Evaluator(comparison, names).compare()


class _Evaluator:
    """Evaluates by recursive descent, as it reads."""

    def __init__(self, text, names):
        self.text, self.names = text, names
        self.tokens = [match[1] for match in _TOKEN.finditer(text)] + [""]
        self.position = self.depth = 0

    def evaluate(self):
        value = self.expression()
        if self.token:
            self.fail(f"expected the end, found '{self.token}'")
        return value

    def compare(self):
        left = self.expression()
        comparison = self.accept(*_COMPARISONS)
        if not comparison:
            self.fail(f"expected a comparison, found '{self.token}'")
        right = self.expression()
        if self.token:
            self.fail(f"expected the end, found '{self.token}'")
        return _COMPARISONS[comparison](left, right)

    @property
    def token(self):
        return self.tokens[self.position]

    def fail(self, what):
        raise ScanError(f"{what} in '{self.text}'")

    def accept(self, *expected):
        """The token, if it is one of `expected`, which it then goes past."""
        token = self.token
        if token not in expected:
            return None
        self.position += 1
        return token

    def expect(self, expected):
        if not self.accept(expected):
            self.fail(f"expected '{expected}', found '{self.token}'")

    def check(self, value):
        if not _MINIMUM <= value <= _MAXIMUM:
            self.fail("a number of more than 64 bits")
        return value

    def expression(self):
        value = self.term()
        while sign := self.accept("+", "-"):
            right = self.term()
            value = self.check(value + right if sign == "+" else value - right)
        return value

    def term(self):
        value = self.factor()
        while name := self.accept("*", "ceildiv", "floordiv", "mod"):
            right = self.factor()
            if name == "*":
                value = self.check(value * right)
                continue
            if right == 0:
                self.fail("a division by zero")
            # Python rounds quotients down, and its remainder has the divisor's sign.
            if name == "mod":
                value = value % right
            else:
                value = self.check(value // right if name == "floordiv" else -(-value // right))
        return value

    def factor(self):
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            self.fail("too many parentheses")
        value = self.primary()
        self.depth -= 1
        return value

    def primary(self):
        if self.accept("-"):
            return self.check(-self.factor())
        if self.accept("("):
            value = self.expression()
            self.expect(")")
            return value
        if function := self.accept("min", "max"):
            self.expect("(")
            values = [self.expression()]
            while self.accept(","):
                values.append(self.expression())
            self.expect(")")
            return min(values) if function == "min" else max(values)
        word = self.token
        if not re.fullmatch(r"\w+", word, re.ASCII):
            self.fail(f"expected a number or a name, found '{word}'")
        self.position += 1
        if not word[0].isdigit():
            if word not in self.names:
                self.fail(f"unknown name '{word}'")
            return self.names[word]
        # Longer texts are not converted: Python refuses some, in words of its own.
        if not word.isdigit() or len(word.lstrip("0")) > 19 or int(word) > _MAXIMUM:
            self.fail(f"expected a number of 64 bits, found '{word}'")
        return int(word)
