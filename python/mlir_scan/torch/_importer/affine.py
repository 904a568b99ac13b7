# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites the body of a loop so that an update that is affine reads a * h + b.

`h + z * (x - h)` and `h * s * w + x` are affine in the state h, but only after
distribution. `--scan-raise-recurrence` looks for the form itself; here it is made, on
the graph of the body. Products are bracketed differently then, as any parallel
evaluation of a recurrence brackets them.
"""

import operator

import torch

from .._pointwise import base_name

_ATEN = torch.ops.aten
_NUMBERS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul,
            "div": operator.truediv}


class _Body:
    """One body: for each node that is affine in one state, (state, a, b).

    a and b are nodes or numbers; what depends on no state is (None, 0, itself).
    """

    def __init__(self, graph, states):
        self.graph = graph
        self.forms = {state: (state, 1, 0) for state in states}
        self.depends = set(states)

    def visit(self, node):
        """Notes whether a node depends on a state, and how."""
        if not any(item in self.depends for item in node.all_input_nodes):
            return
        self.depends.add(node)
        form = self._form(node)
        if form is not None:
            self.forms[node] = form

    def _form(self, node):
        name = base_name(node.target)
        if name not in ("add", "sub", "mul", "div", "neg", "rsub") or node.kwargs \
                or len(node.args) > 2:
            return None
        sides = [self.forms.get(item) if item in self.depends else (None, 0, item)
                 for item in node.args]
        if None in sides:
            return None
        states = {side[0] for side in sides} - {None}
        if len(states) != 1:
            return None
        if name == "rsub":
            name, sides = "sub", sides[::-1]
        with self.graph.inserting_before(node):
            if name == "neg":
                pair = [self.call("mul", part, -1) for part in sides[0][1:]]
            elif name in ("add", "sub"):
                pair = [self.call(name, *parts) for parts in zip(sides[0][1:], sides[1][1:])]
            else:
                if name == "mul" and sides[0][0] is None:
                    sides = sides[::-1]
                if sides[1][0] is not None or sides[0][0] is None:
                    return None  # The state times itself, or below a fraction line.
                pair = [self.call(name, part, sides[1][2]) for part in sides[0][1:]]
        return (*states, *pair)

    def call(self, name, x, y):
        """A node, or what needs none."""
        nodes = [item for item in (x, y) if isinstance(item, torch.fx.Node)]
        if not nodes:
            return _NUMBERS[name](x, y)
        if x is nodes[0] and y in ({"mul": 1, "div": 1}.get(name, 0),):
            return x
        if y is nodes[-1]:
            if x == 0:
                return {"add": y, "mul": 0, "div": 0}[name] if name != "sub" \
                    else self.call("mul", y, -1)
            if x == 1 and name == "mul":
                return y
        if name == "mul" and y == 0:
            return 0
        if x is not nodes[0]:
            if name in ("add", "mul"):
                x, y = y, x
            else:
                number, x = x, self.graph.call_function(_ATEN.full_like.default, (y, x))
                x.meta = {**y.meta, "val": _ATEN.full_like.default(y.meta["val"], number)}
        overload = getattr(getattr(_ATEN, name),
                           "Tensor" if isinstance(y, torch.fx.Node) else "Scalar")
        node = self.graph.call_function(overload, (x, y))
        node.meta = {**x.meta, "val": overload(*(
            item.meta["val"] if isinstance(item, torch.fx.Node) else item for item in (x, y)))}
        return node


def make_affine(module, count):
    """A copy of a loop's body; its first `count` inputs and outputs are the states."""
    graph, copies = torch.fx.Graph(), {}
    results = list(graph.graph_copy(module.graph, copies))
    states = [copies[node] for node in module.graph.nodes if node.op == "placeholder"][:count]
    body = _Body(graph, states)
    for node in list(graph.nodes):
        if node.op == "call_function":
            body.visit(node)
    for number, node in enumerate(results[:count]):
        state, a, b = body.forms.get(node, (None, 0, 0))
        if state is not states[number] or node is state or _is_plain(node, state):
            continue
        with graph.inserting_before(node):
            value = body.call("add", body.call("mul", state, a), b)
        if not isinstance(value, torch.fx.Node) or any(
                getattr(value.meta["val"], part) != getattr(node.meta["val"], part)
                for part in ("shape", "dtype")):
            continue
        results = [value if item is node else item for item in results]
        node.replace_all_uses_with(value)
    graph.output(results)
    graph.eliminate_dead_code()
    return torch.fx.GraphModule(module, graph)


def _is_plain(node, state):
    """h * a + b in so many words."""
    def is_product(item):
        return item is state or isinstance(item, torch.fx.Node) and \
            base_name(item.target) == "mul" and state in item.args
    name = base_name(node.target)
    return is_product(node) or name == "add" and any(is_product(item) for item in node.args) \
        and sum(_reaches(item, state) for item in node.args) == 1


def _reaches(item, state):
    if not isinstance(item, torch.fx.Node):
        return False
    return item is state or any(_reaches(part, state) for part in item.all_input_nodes)
