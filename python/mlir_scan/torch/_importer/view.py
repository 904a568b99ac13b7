# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views: tensors as they are seen while a graph is imported, and their shapes.

Permutations, expansions, flips, and extents of 1 that come and go are kept in the view
instead of being written, so that a gate that is broadcast to the states never exists in
memory. Extents are integers or SymPy expressions of the symbols of the exported program.
"""

import dataclasses

import sympy

from ...errors import ScanError


class GraphError(ScanError):
    """A graph has an operation that cannot be imported; names it and its source line."""


@dataclasses.dataclass(eq=False)
class View:
    """Elements of `base`, or of one number, read at permuted and repeated indices."""

    element: str
    shape: tuple
    # The tensor's name in the text, its shape, and for each of its dimensions that of the
    # view which indexes it (None: its extent is 1, and it is read at 0).
    base: str | None = None
    base_shape: tuple = ()
    map: tuple = ()
    # Dimensions of the view that are read from the last element to the first.
    flips: frozenset = frozenset()
    # All elements are this number; there is no base.
    number: object = None
    # What this is a reshape of; the base is there once somebody needs it.
    origin: "View | None" = None

    def replace(self, **changes):
        """A copy with other fields."""
        return dataclasses.replace(self, **changes)


def is_static(extent):
    """Whether an extent is a number."""
    return isinstance(extent, int)


def extents(shape):
    """A shape of integers, SymInts and SymPy expressions as integers and expressions."""
    return tuple(_extent(extent) for extent in shape)


def _extent(extent):
    if isinstance(extent, int):
        return extent
    expression = extent if isinstance(extent, sympy.Expr) else extent.node.expr
    return int(expression) if expression.is_Integer else expression


def same(left, right):
    """Whether two extents are equal for all values of the symbols."""
    return left == right or sympy.expand(sympy.sympify(left) - right) == 0


def same_shape(left, right):
    """The same for shapes."""
    return len(left) == len(right) and all(map(same, left, right))


def product_of(factors):
    """The product of extents."""
    result = sympy.Integer(1)
    for factor in factors:
        result *= factor
    return _extent(sympy.expand(result))


def _divides(part, whole):
    return sympy.fraction(sympy.cancel(sympy.sympify(whole) / part))[1] == 1


def groups_of(old, new):
    """Runs of dimensions of two shapes that hold the same elements, as lists of numbers."""
    if 0 in old or 0 in new:
        return [(list(range(len(old))), list(range(len(new))))]
    groups, i, j = [], 0, 0
    while i < len(old) and j < len(new):
        left, right, mine, theirs = [i], [j], old[i], new[j]
        i, j = i + 1, j + 1
        while not same(mine, theirs):
            if i < len(old) and _divides(mine, theirs):
                left.append(i)
                mine, i = product_of((mine, old[i])), i + 1
            elif j < len(new) and _divides(theirs, mine):
                right.append(j)
                theirs, j = product_of((theirs, new[j])), j + 1
            else:
                return [(list(range(len(old))), list(range(len(new))))]
        groups.append((left, right))
    if groups:  # Extents of 1 at the end.
        groups[-1][0].extend(range(i, len(old)))
        groups[-1][1].extend(range(j, len(new)))
    return groups
