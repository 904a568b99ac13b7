# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Combine regions from the jaxpr of a function."""

import os

import jax
import numpy
from jax.extend import core

from ..errors import ScanError
from ..scalar import ScalarBuilder, Unsupported, Value

ELEMENTS = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
            "complex64": "complex<f32>", "complex128": "complex<f64>", "int8": "i8",
            "int16": "i16", "int32": "i32", "int64": "i64", "bool": "i1"}
DTYPES = {element: name for name, element in ELEMENTS.items()}


_PACKAGES = tuple(os.path.join(os.path.dirname(os.path.abspath(path)), "") for path in (
    jax.__file__, os.path.join(__file__, os.pardir)))


class TraceError(ScanError):
    """The function does something that a combine region cannot; says where."""


def element_of(dtype, what):
    """The element type of a dtype; `what` names the array in the error."""
    element = ELEMENTS.get(numpy.dtype(dtype).name)
    if element is None:
        raise ScanError(f"{what} has the dtype {dtype}, which scans do not have; convert it to "
                        f"one of {', '.join(ELEMENTS)}")
    return element


def _two(method):
    return lambda b, eqn, x, y: getattr(b, method)(x, y)


def _one(method):
    return lambda b, eqn, x: getattr(b, method)(x)


def _math(name):
    return lambda b, eqn, x: b.call(name, x)


def _compare(predicate):
    return lambda b, eqn, x, y: b.compare(predicate, x, y)


def _bits(name):
    return lambda b, eqn, x, y: b.bitwise(name, x, y)


def _div(b, eqn, x, y):
    return b.trunc_div(x, y) if x.type.startswith("i") else b.div(x, y)


def _select_n(b, eqn, which, *cases):
    if len(cases) != 2 or which.type != "i1":
        raise Unsupported(f"a choice among {len(cases)}")
    return b.select(which, cases[1], cases[0])


def _clamp(b, eqn, low, x, high):
    return b.minimum(b.maximum(x, low), high)


def _exp2(b, eqn, x):
    return b.call("exp2", x)


def _same(b, eqn, x):
    return x


def _convert(b, eqn, x):
    return b.cast(x, ELEMENTS.get(eqn.params["new_dtype"].name, "none"))


def _square(b, eqn, x):
    return b.mul(x, x)


def _is_finite(b, eqn, x):
    return b.compare("lt", b.abs(x), b.constant(float("inf"), x.type))


_TABLE = {
    "add": _two("add"), "add_any": _two("add"), "sub": _two("sub"), "mul": _two("mul"),
    "div": _div, "rem": _two("trunc_mod"), "max": _two("maximum"), "min": _two("minimum"),
    "pow": _two("power"), "atan2": _two("atan2"), "complex": _two("complex"),
    "neg": _one("neg"), "abs": _one("abs"), "sign": _one("sign"), "logistic": _one("sigmoid"),
    "real": _one("real"), "imag": _one("imag"), "conj": _one("conj"), "not": _one("invert"),
    "exp": _math("exp"), "exp2": _exp2, "expm1": _math("expm1"), "log": _math("log"),
    "log1p": _math("log1p"), "sqrt": _math("sqrt"), "rsqrt": _math("rsqrt"),
    "tanh": _math("tanh"), "sin": _math("sin"), "cos": _math("cos"), "tan": _math("tan"),
    "asin": _math("asin"), "acos": _math("acos"), "atan": _math("atan"),
    "sinh": _math("sinh"), "cosh": _math("cosh"), "asinh": _math("asinh"),
    "acosh": _math("acosh"), "atanh": _math("atanh"), "erf": _math("erf"),
    "floor": _math("floor"), "ceil": _math("ceil"), "round": _math("roundeven"),
    "is_finite": _is_finite, "square": _square,
    "integer_pow": lambda b, eqn, x: b.integer_power(x, eqn.params["y"]),
    "eq": _compare("eq"), "ne": _compare("ne"), "lt": _compare("lt"), "le": _compare("le"),
    "gt": _compare("gt"), "ge": _compare("ge"),
    "and": _bits("and"), "or": _bits("or"), "xor": _bits("xor"),
    "select_n": _select_n, "clamp": _clamp, "convert_element_type": _convert,
    # Arrays of one shape: what does not change it is the value itself.
    "copy": _same, "copy_p": _same, "stop_gradient": _same, "optimization_barrier": _same,
}
_CALLS = {"jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr",
          "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr",
          "custom_vjp_call_jaxpr": "fun_jaxpr", "remat": "jaxpr", "checkpoint": "jaxpr"}


def _find_line(eqn):
    """The user's line that an equation is from; empty where JAX has not kept it."""
    traceback = eqn.source_info.traceback
    for frame in traceback.frames if traceback is not None else ():
        if not os.path.abspath(frame.file_name).startswith(_PACKAGES):
            return f"{frame.file_name}:{frame.line_num}"
    return ""


class _Reader:
    """Appends the equations of jaxprs to a builder."""

    def __init__(self, builder, shape):
        self.builder, self.shape = builder, shape
        self.line = "<unknown>"

    def read(self, jaxpr, constants, arguments):
        values = dict(zip(jaxpr.constvars, constants)) | dict(zip(jaxpr.invars, arguments))

        def get(atom):
            return self._literal(atom.val, atom.aval) if isinstance(atom, core.Literal) \
                else values[atom]

        for eqn in jaxpr.eqns:
            results = self._equation(eqn, [get(atom) for atom in eqn.invars])
            values.update(zip(eqn.outvars, results))
        return [get(atom) for atom in jaxpr.outvars]

    def _literal(self, value, aval):
        if isinstance(value, jax.core.Tracer):
            raise TraceError(
                f"the function uses a value of shape {value.shape} that jit, grad or vmap traces "
                "and that is none of its arguments; pass it in as a leaf of elems (broadcast to "
                "its shape)")
        array = numpy.asarray(value)
        if array.size != 1:
            raise TraceError(
                f"the function uses an array of shape {array.shape} that is none of its "
                "arguments; pass it in as a leaf of elems (broadcast to its shape)")
        return self.builder.constant(array.reshape(()).item(),
                                     element_of(aval.dtype, "a constant"))

    def _equation(self, eqn, operands):
        name = eqn.primitive.name
        # Functions of libraries are traced once, far from where they are called.
        self.line = _find_line(eqn) or self.line
        if name in _CALLS:
            inner = eqn.params[_CALLS[name]]
            closed = isinstance(inner, core.ClosedJaxpr)
            constants = [self._literal(value, variable.aval) for value, variable in
                         zip(inner.consts, inner.jaxpr.constvars)] if closed else []
            return self.read(inner.jaxpr if closed else inner, constants, operands)
        if name == "broadcast_in_dim" and not eqn.invars[0].aval.shape:
            return operands
        for variable in (*eqn.invars, *eqn.outvars):
            if variable.aval.shape not in ((), self.shape):
                name = f"{name} to the shape {variable.aval.shape}"
                break
        else:
            if name in _TABLE:
                try:
                    result = _TABLE[name](self.builder, eqn, *operands)
                    return [self.builder.cast(result, element_of(eqn.outvars[0].aval.dtype,
                                                                 f"the result of '{name}'"))]
                except Unsupported as error:
                    raise TraceError(f"{self.line}: '{name}': {error} is not supported") \
                        from None
        raise TraceError(f"{self.line}: '{name}' is no pointwise operation that a combine "
                         "region can hold; jax.lax.associative_scan takes any function")


def trace_combine(fn, tree, dtypes, shape):
    """The combine region of a function over leaves of these dtypes and of one shape.

    The function sees arrays with the scan axis, as that of jax.lax.associative_scan does.
    Raises TraceError, with file and line, for what a region cannot hold.
    """
    leaves = [jax.ShapeDtypeStruct(shape, dtype) for dtype in dtypes]
    tree_of = jax.tree_util.tree_unflatten
    closed, out = jax.make_jaxpr(lambda x, y: fn(tree_of(tree, x), tree_of(tree, y)),
                                 return_shape=True)(leaves, leaves)
    found, out_tree = jax.tree_util.tree_flatten(out)
    if out_tree != tree:
        raise TraceError(f"the function returns {out_tree}; expected the tree of elems, {tree}")
    for number, (leaf, dtype) in enumerate(zip(found, dtypes)):
        if leaf.dtype != dtype or leaf.shape != shape:
            raise TraceError(f"the function returns {leaf.dtype}{list(leaf.shape)} for leaf "
                             f"{number}; expected {dtype}{list(shape)}")
    builder = ScalarBuilder()
    elements = [element_of(dtype, f"leaf {number} of elems")
                for number, dtype in enumerate(dtypes)]
    names = [Value(f"%{side}{number}", element) for side in ("acc", "new")
             for number, element in enumerate(elements)]
    reader = _Reader(builder, tuple(shape))
    constants = [reader._literal(value, variable.aval) for value, variable in
                 zip(closed.consts, closed.jaxpr.constvars)]
    values = reader.read(closed.jaxpr, constants, names)
    used = set()
    for number, value in enumerate(values):
        if value.name.startswith(("%acc", "%new")) or value.name in used:
            values[number] = builder.clone(value)
        used.add(value.name)
    return elements, "\n".join([
        f"  ^bb0({', '.join(f'{name.name}: {name.type}' for name in names)}):", *builder.lines,
        f"    scan.yield {', '.join(value.name for value in values)} : "
        f"{', '.join(value.type for value in values)}"])
