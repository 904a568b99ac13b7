# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes functions on tensors as MLIR text: linalg, tensor and scan operations.

Operations take and return `View`s (`view`). Elementwise operations and reductions read
their bases through indexing maps. Each extent becomes one value of type `index` at the
beginning of the function.
"""

import json

import sympy

from ...scalar import ScalarBuilder, Value, is_float
from .view import View, groups_of, is_static, product_of, same_shape


class Graph:
    """Appends operations to the body of one function."""

    def __init__(self, fail):
        # `fail(message)` raises GraphError with the line of the node that is imported.
        self.fail = fail
        self.location = ""
        self.lines, self._prologue = [], []
        self._count, self._symbols, self._sizes = 0, {}, {}
        self._indent = "  "

    # ---- plumbing ------------------------------------------------------------

    def name(self, stem="t"):
        """A fresh name of a value."""
        self._count += 1
        return f"%{stem}{self._count}"

    def line(self, text):
        """Appends an operation, at the current location."""
        self.lines.append(f"{self._indent}{text}{self.location}")

    def op(self, text, stem="t"):
        """Appends `%name = text`; the name."""
        name = self.name(stem)
        self.line(f"{name} = {text}")
        return name

    def open(self, text):
        """Begins an operation with a region of operations on tensors."""
        self.lines.append(self._indent + text)
        self._indent += "  "

    def close(self, text="}"):
        """Ends it."""
        self._indent = self._indent[:-2]
        self.line(text)

    def body(self):
        """All lines, the extents first."""
        return self._prologue + self.lines

    def at(self, path, line):
        """Sets the location of the operations that follow."""
        self.location = f" loc({json.dumps(path)}:{line}:1)" if path else ""

    @staticmethod
    def type(element, shape):
        """The type of a tensor of these extents."""
        return f"tensor<{''.join(f'{e if is_static(e) else chr(63)}x' for e in shape)}{element}>"

    # ---- extents -------------------------------------------------------------

    def bind(self, symbol, argument, kind, dim):
        """Says that a symbol is the extent of an argument; the first one counts."""
        if symbol not in self._symbols:
            place = self.size(dim)
            self._symbols[symbol] = self._index(f"tensor.dim {argument}, {place} : {kind}")

    def _index(self, text):
        self._count += 1
        self._prologue.append(f"  %n{self._count} = {text}")
        return f"%n{self._count}"

    def size(self, extent):
        """An extent as a value of type index."""
        key = sympy.sympify(extent)
        if key not in self._sizes:
            self._sizes[key] = self._make_size(key)
        return self._sizes[key]

    def _make_size(self, e):
        if e.is_Integer:
            return self._index(f"arith.constant {int(e)} : index")
        if e.is_Symbol:
            if e not in self._symbols:
                self.fail(f"the extent {e} is that of no argument's dimension, and cannot be "
                          "computed before the program runs")
            return self._symbols[e]
        kind = type(e).__name__
        if kind == "Pow" and e.args[1].is_Integer and e.args[1] > 0:
            return self._fold("arith.muli", [e.args[0]] * int(e.args[1]))
        if kind in ("Mod", "PythonMod"):  # Its sign is that of the divisor.
            rest = self._fold("arith.remsi", e.args)
            by = self.size(e.args[1])
            rest = self._index(f"arith.addi {rest}, {by} : index")
            return self._index(f"arith.remsi {rest}, {by} : index")
        ops = {"Add": "arith.addi", "Mul": "arith.muli", "FloorDiv": "arith.floordivsi",
               "CleanDiv": "arith.floordivsi",
               "Max": "arith.maxsi", "Min": "arith.minsi"}
        if kind not in ops:
            self.fail(f"the extent {e} needs '{kind}', which extents do not have here")
        return self._fold(ops[kind], e.args)

    def _fold(self, op, args):
        value, *rest = [self.size(arg) for arg in args]
        for other in rest:
            value = self._index(f"{op} {value}, {other} : index")
        return value

    def mixed(self, extent):
        """An extent as offsets and sizes of slices are written."""
        return str(extent) if is_static(extent) else self.size(extent)

    # ---- tensors -------------------------------------------------------------

    def tensor(self, name, element, shape):
        """The view of a tensor that is there."""
        return View(element, tuple(shape), name, tuple(shape), tuple(range(len(shape))))

    def empty(self, element, shape):
        """The name of a tensor without values."""
        sizes = ", ".join(self.size(e) for e in shape if not is_static(e))
        return self.op(f"tensor.empty({sizes}) : {self.type(element, shape)}")

    def fill(self, number, element, shape):
        """The name of a tensor that holds one number."""
        scalar = self.scalar(number, element)
        kind = self.type(element, shape)
        return self.op(f"linalg.fill ins({scalar} : {element}) outs({self.empty(element, shape)} "
                       f": {kind}) -> {kind}")

    def scalar(self, number, element):
        """The name of a constant."""
        builder = ScalarBuilder(self._indent, self.name("s")[1:] + "_")
        value = builder.constant(number, element)
        self.lines += [line + self.location for line in builder.lines]
        return value.name

    def resolve(self, view):
        """The view with a base: a reshape is carried out."""
        if view.origin is None:
            return view
        if view.base is None:
            name = self._reshape(self.materialize(view.origin), view.origin.shape, view.shape,
                                 view.element)
            view.base, view.base_shape, view.map = name, view.shape, tuple(range(len(view.shape)))
        return view

    def is_plain(self, view):
        """Whether the view is its base."""
        return (view.base is not None and not view.flips
                and view.map == tuple(range(len(view.shape)))
                and same_shape(view.base_shape, view.shape))

    def materialize(self, view):
        """The name of a tensor with the elements of the view, in its order."""
        if view.number is not None:
            return self.fill(view.number, view.element, view.shape)
        view = self.unflip(self.resolve(view))
        if self.is_plain(view):
            return view.base
        kept = [dim for dim in view.map if dim is not None]
        missing = [dim for dim in range(len(view.shape)) if dim not in kept]
        if kept == sorted(kept) and all(view.shape[dim] == 1 for dim in missing):
            return self._reshape(view.base, view.base_shape, view.shape, view.element)
        return self.elementwise(view.shape, view.element, [view], lambda b, x: x).base

    def unflip(self, view):
        """The same elements without flips: read at computed places."""
        if not view.flips:
            return view
        rank = len(view.shape)
        names = [f"%i{dim}" for dim in range(rank)]
        lines = [f"{name} = linalg.index {dim} : index" for dim, name in enumerate(names)]
        for dim in sorted(view.flips):
            last = sympy.sympify(view.shape[dim]) - 1
            lines.append(f"%f{dim} = arith.subi {self.size(last)}, %i{dim} : index")
            names[dim] = f"%f{dim}"
        zero = self.size(0)
        at = ", ".join(zero if dim is None else names[dim] for dim in view.map)
        kind = self.type(view.element, view.base_shape)
        lines.append(f"%e = tensor.extract {view.base}[{at}] : {kind}")
        name = self.generic([], view.element, view.shape, ["parallel"] * rank, range(rank),
                            None, lines, "%e")
        return self.tensor(name, view.element, view.shape)

    def _reshape(self, name, old, new, element):
        """Merges and splits neighbouring dimensions."""
        groups = groups_of(old, new)
        if 0 in new:
            return self.empty(element, new)
        if any(sum(not is_static(shape[dim]) for dim in part) > 1
               for left, right in groups if len(left) + len(right) > 2
               for shape, part in ((old, left), (new, right))):
            return self._renumbered(name, old, new, element)
        merged = tuple(product_of(old[i] for i in left) for left, _ in groups)
        if any(len(left) != 1 for left, _ in groups) or not groups and old:
            merges = ", ".join(str(left) for left, _ in groups)
            name = self.op(f"tensor.collapse_shape {name} [{merges}] : {self.type(element, old)} "
                           f"into {self.type(element, merged)}")
        elif not same_shape(old, merged):  # Equal, but written in another way.
            merged = old
        if any(len(right) != 1 for _, right in groups) or not groups and new:
            splits = ", ".join(str(right) for _, right in groups)
            sizes = ", ".join(self.mixed(extent) for extent in new)
            name = self.op(f"tensor.expand_shape {name} [{splits}] output_shape [{sizes}] : "
                           f"{self.type(element, merged)} into {self.type(element, new)}")
        elif self.type(element, merged) != self.type(element, new):
            name = self.cast(name, element, merged, new)
        return name

    def _renumbered(self, name, old, new, element):
        """A reshape that reads each element where it lies in row-major order.

        Several dynamic extents in one group of a tensor.expand_shape are more than
        MLIR 22 can lower to memory, and the derivative of a collapse expands.
        """
        lines = [f"%i{dim} = linalg.index {dim} : index" for dim in range(len(new))]
        place, count = "%i0", 0

        def op(text):
            nonlocal count
            count += 1
            lines.append(f"%p{count} = {text} : index")
            return f"%p{count}"

        for dim in range(1, len(new)):
            place = op(f"arith.muli {place}, {self.size(new[dim])}")
            place = op(f"arith.addi {place}, %i{dim}")
        at = []
        for extent in reversed(old[1:]):
            at.append(op(f"arith.remui {place}, {self.size(extent)}"))
            place = op(f"arith.divui {place}, {self.size(extent)}")
        at = ", ".join([place, *reversed(at)])
        lines.append(f"%e = tensor.extract {name}[{at}] : {self.type(element, old)}")
        return self.generic([], element, new, ["parallel"] * len(new), range(len(new)), None,
                            lines, "%e")

    def cast(self, name, element, old, new):
        """The tensor with extents that are known, or no longer known, to be static."""
        source, target = self.type(element, old), self.type(element, new)
        return name if source == target else self.op(f"tensor.cast {name} : {source} to {target}")

    # ---- computation ---------------------------------------------------------

    def generic(self, operands, element, shape, iterators, out, start, lines, result):
        """A linalg.generic with one result; its name.

        `operands` are (name, type, indices, argument), indices being loops or None for 0;
        `out` are the loops that index the result, `start` the tensor that it starts from.
        """
        loops = ", ".join(f"d{loop}" for loop in range(len(iterators)))

        def text(indices):
            inner = ", ".join("0" if loop is None else f"d{loop}" for loop in indices)
            return f"affine_map<({loops}) -> ({inner})>"

        kind = self.type(element, shape)
        maps = ", ".join([text(indices) for _, _, indices, _ in operands] + [text(out)])
        types = ", ".join(f'"{iterator}"' for iterator in iterators)
        ins = ""
        if operands:
            ins = (f"ins({', '.join(name for name, _, _, _ in operands)} : "
                   f"{', '.join(kind for _, kind, _, _ in operands)}) ")
        start = start or self.empty(element, shape)
        name = self.name()
        self.lines.append(
            f"{self._indent}{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = "
            f"[{types}]}} {ins}outs({start} : {kind}) {{")
        arguments = [f"{value.name}: {value.type}" for _, _, _, value in operands]
        self.lines.append(f"{self._indent}^bb0({', '.join([*arguments, f'%out: {element}'])}):")
        inner = self._indent + "  "
        self.lines += [f"{inner}{line.strip()}{self.location}" for line in lines]
        self.lines.append(f"{inner}linalg.yield {result} : {element}")
        self.line(f"}} -> {kind}")
        return name

    def reads(self, views, labels, shape):
        """How a generic operation reads views: its operands, and a Value for each view.

        `labels` has for each view the loops of its dimensions, `shape` the extents of the
        loops. Numbers become constants of `builder`, which is the third result.
        """
        operands, values, builder = [], [], ScalarBuilder("")
        for view, loops in zip(views, labels):
            if not isinstance(view, View):  # An extent as a number.
                name = self.op(f"arith.index_cast {self.size(view)} : index to i64")
                value = Value(f"%x{len(operands)}", "i64")
                operands.append((name, "i64", (), value))
            elif view.number is not None:
                value = builder.constant(view.number, view.element)
            else:
                indices = tuple(self._index_of(view, dim, loops, shape) for dim in view.map)
                known = [entry for entry in operands
                         if entry[0] == view.base and entry[2] == indices]
                if known:
                    value = known[0][3]
                else:
                    value = Value(f"%x{len(operands)}", view.element)
                    operands.append((view.base, self.type(view.element, view.base_shape),
                                     indices, value))
            values.append(value)
        return operands, values, builder

    @staticmethod
    def _index_of(view, dim, loops, shape):
        if dim is None:
            return None
        repeated = view.shape[dim] == 1 and shape[loops[dim]] != 1
        return None if repeated else loops[dim]

    def elementwise(self, shape, element, views, function):
        """The view of a tensor computed element by element.

        Views are broadcast to `shape`; an entry may also be an extent, which is read as
        an i64. `function(builder, *values)` makes the element, a Value of that type.
        """
        shape = tuple(shape)
        views = [self.resolve(view) if isinstance(view, View) else view for view in views]
        labels = [range(len(shape) - len(view.shape), len(shape)) if isinstance(view, View)
                  else () for view in views]
        views, flips = self._common_flips(views, labels, len(shape))
        operands, values, builder = self.reads(views, labels, shape)
        result = function(builder, *values)
        name = self.generic(operands, element, shape, ["parallel"] * len(shape),
                            range(len(shape)), None, builder.lines, result.name)
        return self.tensor(name, element, shape).replace(flips=flips)

    def _common_flips(self, views, labels, rank):
        """Flips that all views share stay in the result; others are carried out."""
        flips = set()
        for loop in range(rank):
            states = {loops.index(loop) in view.flips for view, loops in zip(views, labels)
                      if loop in loops and loops.index(loop) in getattr(view, "map", ())
                      and view.shape[loops.index(loop)] != 1}
            if states == {True}:
                flips.add(loop)
        out = []
        for view, loops in zip(views, labels):
            if isinstance(view, View) and view.flips:
                mine = {loops[dim] for dim in view.flips if view.shape[dim] != 1}
                view = view.replace(flips=frozenset()) if mine <= flips else self.unflip(view)
            out.append(view)
        return out, frozenset(flips)

    def contract(self, views, labels, out, shape, element):
        """Sums the product of views over the loops that are not in `out`; a view.

        `labels` has for each view the loops of its dimensions, `shape` all extents.
        """
        views = [self.unflip(self.resolve(view)) for view in views]
        for number, (view, loops) in enumerate(zip(views, labels)):
            # A loop that nothing reads by has no extent: what is repeated is written out.
            if any(loop not in out and dim not in view.map and view.shape[dim] != 1
                   for dim, loop in enumerate(loops)):
                views[number] = self.tensor(self.materialize(view), view.element, view.shape)
        total = "f32" if element in ("f16", "bf16") else element
        operands, values, builder = self.reads(views, labels, shape)
        product = None
        for value in values:
            value = builder.cast(value, total)
            product = value if product is None else builder.mul(product, value)
        result = builder.add(Value("%out", total), product)
        iterators = ["parallel" if loop in out else "reduction" for loop in range(len(shape))]
        target = tuple(shape[loop] for loop in out)
        start = self.fill(0, total, target)
        name = self.generic(operands, total, target, iterators, out, start, builder.lines,
                            result.name)
        return self.convert(self.tensor(name, total, target), element)

    def convert(self, view, element):
        """The view with elements of another type."""
        if view.element == element:
            return view
        if view.number is not None and is_float(view.element) == is_float(element):
            return view.replace(element=element)
        return self.elementwise(view.shape, element, [view],
                                lambda builder, x: builder.cast(x, element))
