# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of scans, as MLIR text that `program.load` takes.

All are in the layouts of `layout.py`: [N, T] for scans along the last dimension,
[N, T, C] (`columns`) for others.
"""

import functools
import math

from .program import make_text
from .scalar import ScalarBuilder, Value

# What exclusive scans begin with.
_STARTS = {"sum": 0, "prod": 1, "logsumexp": -math.inf}


@functools.lru_cache(maxsize=1024)
def _types(elements, columns):
    rank = "?x?x?x" if columns else "?x?x"
    return tuple(f"tensor<{rank}{element}>" for element in elements)


def associative(elements, region, columns, reverse, has_init=False, has_final=False):
    """The program of a scan in the layout [N, T, C], or [N, T] without `columns`.

    Its arguments are the leaves, and with `has_init` as many states [N, C] or [N] to
    start from; its results are the scanned leaves, and with `has_final` the last states.
    """
    types = _types(tuple(elements), columns)
    states = [f"tensor<{'?x?x' if columns else '?x'}{element}>" for element in elements]
    count, rank = len(types), 3 if columns else 2

    def names(prefix):
        return [f"%{prefix}{number}" for number in range(count)]

    operands = [*zip(names("x"), types)] + [*zip(names("i"), states)] * has_init
    arguments = ", ".join(f"{name}: {kind}" for name, kind in operands)
    init = f" init({', '.join(names('i'))} : {', '.join(states)})" * has_init
    kinds = ", ".join([*types, *states * has_final])
    total = count * (2 if has_final else 1)
    results = ", ".join(f"%y#{number}" for number in range(total)) if total > 1 else "%y"
    dims = [(element, [f"{number}.{dim}" for dim in range(rank)])
            for number, element in enumerate(elements)]
    finals = [(element, [part for part in parts if not part.endswith(".1")])
              for element, parts in dims]
    text = (f"func.func @f({arguments}) -> ({kinds}) {{\n"
            f"  %y{f':{total}' if total > 1 else ''} = scan.associative "
            f"ins({', '.join(names('x'))} : {', '.join(types)}){init}"
            f" dim = 1{' reverse' if reverse else ''} {{\n"
            f"{region}\n"
            f"  }} -> {kinds}\n"
            f"  return {results} : {kinds}\n"
            f"}}\n")
    return make_text(dims + finals * has_final, True, text)


@functools.lru_cache(maxsize=512)
def linear_recurrence(element, columns, repeated, has_init, offsets, reverse, has_final):
    """The program of a recurrence in the layout [N, T, C], or [N, T] without `columns`."""
    def kind(*extents):
        return f"tensor<{''.join(f'{extent}x' for extent in extents)}{element}>"

    tail = ("?",) if columns else ()
    a = kind("1" if repeated[0] else "?", "?", *(("1" if repeated[1] else "?",) * columns))
    b = kind("?", "?", *tail)
    state = kind("?", "?", *tail) if offsets else kind("?", *tail)
    arguments = [f"%a: {a}", f"%b: {b}"]
    operands = f"ins(%a, %b : {a}, {b})"
    number = 2
    if has_init:
        arguments.append(f"%h0: {state}")
        operands += f" init(%h0 : {state})"
        number += 1
    if offsets:
        arguments.append(f"%segments: tensor<?x{offsets}>")
        operands += f" segments(%segments : tensor<?x{offsets}>)"
    rank = 3 if columns else 2
    dims = [(element, [f"1.{dim}" for dim in range(rank)])]
    if has_final:
        # One state per segment: one less than there are offsets.
        steps = [f"{number}.0-1"] if offsets else []
        dims.append((element, ["1.0", *steps, *(["1.2"] if columns else [])]))
    types = b if not has_final else f"{b}, {state}"
    shared = [0] * repeated[0] + ([number] if offsets else [])
    text = (f"func.func @f({', '.join(arguments)}) -> ({types}) {{\n"
            f"  %h{', %last' if has_final else ''} = scan.linear_recurrence {operands} dim = 1"
            f"{' reverse' if reverse else ''} -> {types}\n"
            f"  return %h{', %last' if has_final else ''} : {types}\n"
            f"}}\n")
    return make_text(dims, True, text, shared)


@functools.lru_cache(maxsize=512)
def cumulative(name, element, columns, reverse, exclusive, bidirectional, compensated):
    kind = f"tensor<{'?x' * (3 if columns else 2)}{element}>"
    method = {"sum": "add", "prod": "mul", "logsumexp": "log_add_exp"}[name]
    builder = ScalarBuilder()
    result = getattr(builder, method)(Value("%acc", element), Value("%new", element))
    init, lines = "", []
    if exclusive:
        outer = ScalarBuilder("  ", "s")
        init = f" init({outer.constant(_STARTS[name], element).name} : {element})"
        lines += outer.lines
    directions = [False, True] if bidirectional else [reverse]
    for number, is_reverse in enumerate(directions):
        lines += [
            f"  %y{number} = scan.associative ins(%x : {kind}){init} dim = 1"
            f"{' reverse' * is_reverse}{' exclusive' * exclusive}"
            f"{' attributes {compensated}' * compensated} {{",
            f"  ^bb0(%acc: {element}, %new: {element}):", *builder.lines,
            f"    scan.yield {result.name} : {element}", f"  }} -> {kind}"]
    dims = (element, [f"0.{dim}" for dim in range(3 if columns else 2)])
    names = ", ".join(f"%y{number}" for number in range(len(directions)))
    types = ", ".join([kind] * len(directions))
    body = "\n".join(lines)
    text = (f"func.func @f(%x: {kind}) -> ({types}) {{\n{body}\n"
            f"  return {names} : {types}\n}}\n")
    return make_text([dims] * len(directions), True, text)


@functools.lru_cache(maxsize=128)
def extremum(predicate, element, columns, reverse):
    """A scan of pairs (element, its index); the index is computed, not read."""
    rank = 3 if columns else 2
    kind, index = (f"tensor<{'?x' * rank}{part}>" for part in (element, "i64"))
    builder = ScalarBuilder()
    acc, new = Value("%acc", element), Value("%new", element)
    at, later = Value("%at", "i64"), Value("%later", "i64")
    takes = builder.bitwise("or", builder.compare(predicate, new, acc), builder.is_nan(new))
    value, place = builder.select(takes, new, acc), builder.select(takes, later, at)
    axes = ", ".join(f"d{axis}" for axis in range(rank))
    sizes = [f"  %c{axis} = arith.constant {axis} : index\n"
             f"  %n{axis} = tensor.dim %x, %c{axis} : {kind}" for axis in range(rank)]
    body = "\n".join([
        *sizes,
        f"  %empty = tensor.empty({', '.join(f'%n{axis}' for axis in range(rank))}) : {index}",
        _iota_head(axes, rank, index),
        "  ^bb0(%out: i64):",
        "    %i = linalg.index 1 : index",
        "    %step = arith.index_cast %i : index to i64",
        "    linalg.yield %step : i64",
        f"  }} -> {index}",
        f"  %y:2 = scan.associative ins(%x, %steps : {kind}, {index}) dim = 1"
        f"{' reverse' * reverse} {{",
        f"  ^bb0(%acc: {element}, %at: i64, %new: {element}, %later: i64):", *builder.lines,
        f"    scan.yield {value.name}, {place.name} : {element}, i64",
        f"  }} -> {kind}, {index}"])
    dims = [f"0.{dim}" for dim in range(rank)]
    text = (f"func.func @f(%x: {kind}) -> ({kind}, {index}) {{\n{body}\n"
            f"  return %y#0, %y#1 : {kind}, {index}\n}}\n")
    return make_text([(element, dims), ('i64', dims)], True, text)


def _iota_head(axes, rank, index):
    iterators = ", ".join(['"parallel"'] * rank)
    return (f"  %steps = linalg.generic {{indexing_maps = [affine_map<({axes}) -> ({axes})>], "
            f"iterator_types = [{iterators}]}} outs(%empty : {index}) {{")
