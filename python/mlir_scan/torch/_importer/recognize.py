# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which scan the text of a program is.

`texts` writes the programs of this package's functions, from a few parameters. A text
is recognised by writing it again. Then a graph can have the scan itself, over tensors
that were not folded to [N, T, C], instead of a call.
"""

import functools
import itertools
import re

from ... import texts
from ...scalar import ScalarBuilder, Value


class Known:
    """A program that `texts` writes."""

    def __init__(self, kind, **parameters):
        self.kind = kind
        self.__dict__.update(parameters)

    def scans(self, graph):
        """(region, reverse, init, attributes) of each scan.associative."""
        if self.kind == "associative":
            return [(self.region, self.reverse, "", "")]
        builder = ScalarBuilder()
        method = {"sum": "add", "prod": "mul", "logsumexp": "log_add_exp"}[self.name]
        result = getattr(builder, method)(Value("%acc0", self.element),
                                          Value("%new0", self.element))
        region = "\n".join([f"  ^bb0(%acc0: {self.element}, %new0: {self.element}):",
                            *builder.lines, f"    scan.yield {result.name} : {self.element}"])
        init = ""
        if self.exclusive:
            start = graph.scalar(texts._STARTS[self.name], self.element)
            init = f" init({start} : {self.element})"
        attributes = " exclusive" * self.exclusive \
            + " attributes {compensated}" * self.compensated
        return [(region, reverse, init, attributes)
                for reverse in ([False, True] if self.bidirectional else [self.reverse])]


@functools.lru_cache(maxsize=1024)
def recognize(text):
    """The Known program of that text, or None."""
    header = text.partition(" | ")[0]
    elements = re.findall(r"([a-z0-9<>]+)\[", header)
    if not elements:
        return None
    element, flags = elements[0], (False, True)
    columns = header.partition("]")[0].count(",") == 2
    if "scan.linear_recurrence" in text:
        for repeated, has_init, offsets, reverse, has_final in itertools.product(
                itertools.product(flags, flags), flags, (None, "i32", "i64"), flags, flags):
            if texts.linear_recurrence(element, columns, repeated, has_init, offsets, reverse,
                                       has_final) == text:
                return Known("recurrence", has_init=has_init, offsets=offsets, reverse=reverse,
                             has_final=has_final)
        return None
    return _cumulative(text, element, columns) or _associative(text, elements, columns)


def _cumulative(text, element, columns):
    flags = (False, True)
    for name, reverse, exclusive, bidirectional, compensated in itertools.product(
            ("sum", "prod", "logsumexp"), flags, flags, flags, flags):
        try:
            written = texts.cumulative(name, element, columns, reverse, exclusive, bidirectional,
                                       compensated)
        except Exception:  # An operator that the type does not have.
            continue
        if written == text:
            return Known("cumulative", name=name, element=element, reverse=reverse,
                         exclusive=exclusive, bidirectional=bidirectional,
                         compensated=compensated)
    return None


def _associative(text, elements, columns):
    start = text.find(" { ", text.find("scan.associative")) + 3
    region = text[start:text.find(" } -> ", start)]
    for reverse in (False, True):
        if texts.associative(elements, region, columns, reverse) == text:
            return Known("associative", region=region, reverse=reverse)
    return None


def renamed(text, entry, name):
    """The functions of a module's text as private ones under other names, `entry` as `name`."""
    text = re.sub(r"#(map\w*)\b", rf"#{name}_\1", text)
    lines, inside = [], []
    for line in text.splitlines():
        if line.startswith("module"):
            continue
        (inside if line.startswith("  ") else lines).append(line)
    body = "\n".join(inside)
    body = re.sub(r"@([\w.$-]+)", lambda match: "@" + (
        name if match[1] == entry else f"{name}_{match[1]}"), body)
    body = re.sub(r"func\.func (?!private)(?=@)", "func.func private ", body)
    return "\n".join([line for line in lines if line != "}"] + [body]) + "\n"
