# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's pointwise functions as scalar MLIR.

The table goes by the name of a function, which `torch.add`, `Tensor.add`,
`Tensor.__add__` and the operator `aten.add.Tensor` share (`base_name`), so that the
tracer of combine functions and the importer of graphs read the same one. An entry
takes a `Call`: the arguments as PyTorch's signature has them, each a `Value`, a
number or something else, and the types that PyTorch computes in and returns.
"""

import math
from dataclasses import dataclass

from ..scalar import ScalarBuilder, Unsupported, Value, is_complex, is_float


@dataclass
class Call:
    """A call of a pointwise function, as PyTorch's rules of promotion type it."""

    builder: ScalarBuilder
    args: tuple
    kwargs: dict
    # The element type of the result.
    out: str
    # What the operands are promoted to (PyTorch's result_type).
    common: str

    def get(self, position, name=None, default=None):
        """An argument by position or name."""
        if position < len(self.args):
            return self.args[position]
        return self.kwargs.get(name, default)

    def value(self, argument, kind):
        """An argument as a value of that type."""
        if isinstance(argument, Value):
            return self.builder.cast(argument, kind)
        if isinstance(argument, (bool, int, float, complex)):
            return self.builder.constant(argument, kind)
        raise Unsupported(f"an argument of type {type(argument).__name__}")

    def operand(self, position, name=None, kind=None):
        """An argument that has to be there, as a value of the result's type."""
        argument = self.get(position, name)
        if argument is None:
            raise Unsupported("a call without that argument")
        return self.value(argument, kind or self.out)

    def forbid(self, *names):
        """Refuses keyword arguments that change what is computed."""
        for name in names:
            if self.kwargs.get(name) not in (None, False):
                raise Unsupported(f"the argument '{name}'")


def _unary(method):
    return lambda call: getattr(call.builder, method)(call.operand(0, "input"))


def _math(name):
    return lambda call: call.builder.call(name, call.operand(0, "input"))


def _binary(method):
    return lambda call: getattr(call.builder, method)(
        call.operand(0, "input"), call.operand(1, "other"))


def _reversed(method):
    return lambda call: getattr(call.builder, method)(call.operand(1), call.operand(0))


def _compare(predicate):
    return lambda call: call.builder.compare(
        predicate, call.operand(0, "input", call.common), call.operand(1, "other", call.common))


def _logical(name):
    return lambda call: call.builder.bitwise(
        name, call.operand(0, "input", "i1"), call.operand(1, "other", "i1"))


def _bitwise(name):
    return lambda call: call.builder.bitwise(
        name, call.operand(0, "input"), call.operand(1, "other"))


def _scaled(call, position, name):
    """The other operand of add and sub, times alpha."""
    other, alpha = call.operand(position, name), call.kwargs.get("alpha", 1)
    return other if alpha == 1 else call.builder.mul(other, call.value(alpha, call.out))


def _add(call):
    return call.builder.add(call.operand(0, "input"), _scaled(call, 1, "other"))


def _sub(call):
    return call.builder.sub(call.operand(0, "input"), _scaled(call, 1, "other"))


def _rsub(call):
    return call.builder.sub(call.operand(1, "other"), _scaled(call, 0, "input"))


def _div(call):
    mode = call.get(2, "rounding_mode")
    x, y = call.operand(0, "input"), call.operand(1, "other")
    method = {None: "div", "floor": "floor_div", "trunc": "trunc_div"}[mode]
    return getattr(call.builder, method)(x, y)


def _abs(call):
    # The magnitude of a complex number has the type of its parts.
    argument = call.get(0, "input")
    return call.builder.abs(call.value(argument, argument.type if isinstance(argument, Value)
                                       and is_complex(argument.type) else call.out))


def _raw(method):
    """Of the operand as it is: the result has a type of its own."""
    return lambda call: getattr(call.builder, method)(call.get(0, "input"))


def _logical_not(call):
    return call.builder.invert(call.operand(0, "input", "i1"))


def _pow(call):
    exponent, out = call.get(1, "exponent"), call.out
    base = call.operand(0, "input")
    if isinstance(exponent, (int, float)) and not isinstance(exponent, bool):
        if float(exponent).is_integer() and abs(exponent) <= 64:
            if exponent >= 0 or is_float(out) or is_complex(out):
                return call.builder.integer_power(base, int(exponent))
        if exponent == 0.5 and is_float(out):
            return call.builder.call("sqrt", base)
        if exponent == -0.5 and is_float(out):
            return call.builder.call("rsqrt", base)
    return call.builder.power(base, call.value(exponent, out))


def _rpow(call):
    return call.builder.power(call.operand(1), call.operand(0))


def _where(call):
    if len(call.args) + len(call.kwargs) < 3:
        raise Unsupported("where() with a condition alone, whose result has no fixed size")
    return call.builder.select(call.operand(0, "condition", "i1"), call.operand(1, "input"),
                               call.operand(2, "other"))


def _method_where(call):
    # x.where(condition, y).
    return call.builder.select(call.operand(1, "condition", "i1"), call.operand(0, "self"),
                               call.operand(2, "other"))


def _masked_fill(call):
    return call.builder.select(call.operand(1, "mask", "i1"), call.operand(2, "value"),
                               call.operand(0, "input"))


def _clamp(call):
    x = call.operand(0, "input")
    low, high = call.get(1, "min"), call.get(2, "max")
    if low is not None:
        x = call.builder.maximum(x, call.value(low, call.out))
    if high is not None:
        x = call.builder.minimum(x, call.value(high, call.out))
    return x


def _clamp_min(call):
    return call.builder.maximum(call.operand(0, "input"), call.operand(1, "min"))


def _clamp_max(call):
    return call.builder.minimum(call.operand(0, "input"), call.operand(1, "max"))


def _clone(call):
    # Conversions, copies and what only changes how memory is seen.
    return call.operand(0, "input")


def _constant_like(number):
    return lambda call: call.builder.constant(number, call.out)


def _full_like(call):
    return call.operand(1, "fill_value")


def _lerp(call):
    start, end = call.operand(0, "input"), call.operand(1, "end")
    weight = call.operand(2, "weight")
    return call.builder.add(start, call.builder.mul(weight, call.builder.sub(end, start)))


def _addc(method):
    def emit(call):
        value = call.kwargs.get("value", 1)
        term = getattr(call.builder, method)(call.operand(1, "tensor1"),
                                             call.operand(2, "tensor2"))
        if value != 1:
            term = call.builder.mul(call.value(value, call.out), term)
        return call.builder.add(call.operand(0, "input"), term)
    return emit


def _reciprocal(call):
    return call.builder.div(call.builder.constant(1, call.out), call.operand(0, "input"))


def _square(call):
    x = call.operand(0, "input")
    return call.builder.mul(x, x)


def _softplus(call):
    beta, threshold = call.get(1, "beta", 1), call.get(2, "threshold", 20)
    x, b = call.operand(0, "input"), call.builder
    scaled = x if beta == 1 else b.mul(x, call.value(beta, call.out))
    soft = b.softplus(scaled)
    if beta != 1:
        soft = b.div(soft, call.value(beta, call.out))
    return b.select(b.compare("gt", scaled, call.value(threshold, call.out)), x, soft)


def _log_sigmoid(call):
    b = call.builder
    return b.neg(b.softplus(b.neg(call.operand(0, "input"))))


def _silu(call):
    call.forbid("inplace")
    x = call.operand(0, "input")
    return call.builder.mul(x, call.builder.sigmoid(x))


def _relu(call):
    call.forbid("inplace")
    return call.builder.maximum(call.operand(0, "input"), call.builder.constant(0, call.out))


def _gelu(call):
    x, b = call.operand(0, "input"), call.builder
    half, one = b.constant(0.5, call.out), b.constant(1.0, call.out)
    if call.get(1, "approximate", "none") == "tanh":
        cube = b.mul(b.mul(x, x), x)
        inner = b.add(x, b.mul(b.constant(0.044715, call.out), cube))
        bell = b.call("tanh", b.mul(b.constant(math.sqrt(2 / math.pi), call.out), inner))
    else:
        bell = b.call("erf", b.mul(x, b.constant(math.sqrt(0.5), call.out)))
    return b.mul(b.mul(half, x), b.add(one, bell))


def _leaky_relu(call):
    call.forbid("inplace")
    x, b = call.operand(0, "input"), call.builder
    slope = call.value(call.get(1, "negative_slope", 0.01), call.out)
    return b.select(b.compare("gt", x, b.constant(0, call.out)), x, b.mul(x, slope))


def _elu(call):
    call.forbid("inplace")
    x, b = call.operand(0, "input"), call.builder
    zero = b.constant(0, call.out)
    # ATen's operator has two factors more; Python's function has not.
    scale, inner = (call.value(call.kwargs.get(name, 1.0), call.out)
                    for name in ("scale", "input_scale"))
    # expm1 of what is not positive: the other side of the choice stays finite.
    low = b.mul(call.value(call.get(1, "alpha", 1.0), call.out),
                b.call("expm1", b.mul(b.minimum(x, zero), inner)))
    return b.mul(scale, b.select(b.compare("gt", x, zero), x, low))


def _log_add_exp2(call):
    b = call.builder
    scale = b.constant(math.log(2.0), call.out)
    both = b.log_add_exp(b.mul(call.operand(0, "input"), scale),
                         b.mul(call.operand(1, "other"), scale))
    return b.div(both, scale)


def _xlogy(call):
    x, y, b = call.operand(0, "input"), call.operand(1, "other"), call.builder
    zero = b.constant(0, call.out)
    product = b.select(b.compare("eq", x, zero), zero, b.mul(x, b.call("log", y)))
    return b.select(b.is_nan(y), y, product)


def _hypot(call):
    x, y, b = call.operand(0, "input"), call.operand(1, "other"), call.builder
    return b.call("sqrt", b.add(b.mul(x, x), b.mul(y, y)))


def _complex(call):
    b = call.builder
    return b.complex(call.get(0, "real"), call.get(1, "imag"))


def _polar(call):
    b, size, angle = call.builder, call.get(0, "abs"), call.get(1, "angle")
    return b.complex(b.mul(size, b.call("cos", angle)), b.mul(size, b.call("sin", angle)))


def _remainder(method):
    return lambda call: getattr(call.builder, method)(
        call.operand(0, "input"), call.operand(1, "other"))


def _rounding(name):
    def emit(call):
        if call.get(1, "decimals", 0):
            raise Unsupported("rounding to decimals")
        x = call.operand(0, "input")
        return call.builder.call(name, x) if is_float(call.out) else x
    return emit


def _isfinite(call):
    b, x = call.builder, call.get(0, "input")
    if not is_float(x.type):
        raise Unsupported(f"isfinite of {x.type}")
    return b.compare("lt", b.abs(x), b.constant(math.inf, x.type))


_TABLE = {
    "add": _add, "radd": _add, "sub": _sub, "subtract": _sub, "rsub": _rsub,
    "mul": _binary("mul"), "multiply": _binary("mul"), "rmul": _binary("mul"),
    "div": _div, "divide": _div, "true_divide": _div, "truediv": _div,
    "rdiv": _reversed("div"), "rtruediv": _reversed("div"),
    "floordiv": _binary("floor_div"), "floor_divide": _binary("floor_div"),
    "rfloordiv": _reversed("floor_div"),
    "mod": _remainder("floor_mod"), "remainder": _remainder("floor_mod"),
    "rmod": _reversed("floor_mod"), "fmod": _remainder("trunc_mod"),
    "pow": _pow, "rpow": _rpow, "float_power": _pow,
    "neg": _unary("neg"), "negative": _unary("neg"), "pos": _clone, "positive": _clone,
    "abs": _abs, "absolute": _abs, "sign": _unary("sign"), "sgn": _unary("sign"),
    "reciprocal": _reciprocal, "square": _square,
    "maximum": _binary("maximum"), "minimum": _binary("minimum"),
    "fmax": _binary("number_maximum"), "fmin": _binary("number_minimum"),
    "clamp": _clamp, "clip": _clamp, "clamp_min": _clamp_min, "clamp_max": _clamp_max,
    "eq": _compare("eq"), "ne": _compare("ne"), "not_equal": _compare("ne"),
    "lt": _compare("lt"), "less": _compare("lt"), "le": _compare("le"),
    "less_equal": _compare("le"), "gt": _compare("gt"), "greater": _compare("gt"),
    "ge": _compare("ge"), "greater_equal": _compare("ge"),
    "logical_and": _logical("and"), "logical_or": _logical("or"),
    "logical_xor": _logical("xor"), "logical_not": _logical_not,
    "and": _bitwise("and"), "rand": _bitwise("and"), "bitwise_and": _bitwise("and"),
    "or": _bitwise("or"), "ror": _bitwise("or"), "bitwise_or": _bitwise("or"),
    "xor": _bitwise("xor"), "rxor": _bitwise("xor"), "bitwise_xor": _bitwise("xor"),
    "invert": _unary("invert"), "bitwise_not": _unary("invert"),
    "lshift": _binary("shift_left"), "bitwise_left_shift": _binary("shift_left"),
    "rshift": _binary("shift_right"), "bitwise_right_shift": _binary("shift_right"),
    "where": _where, "masked_fill": _masked_fill,
    "exp": _math("exp"), "exp2": _math("exp2"), "expm1": _math("expm1"), "log": _math("log"),
    "log2": _math("log2"), "log10": _math("log10"), "log1p": _math("log1p"),
    "sqrt": _math("sqrt"), "rsqrt": _math("rsqrt"), "sin": _math("sin"), "cos": _math("cos"),
    "tan": _math("tan"), "asin": _math("asin"), "arcsin": _math("asin"), "acos": _math("acos"),
    "arccos": _math("acos"), "atan": _math("atan"), "arctan": _math("atan"),
    "sinh": _math("sinh"), "cosh": _math("cosh"), "tanh": _math("tanh"),
    "asinh": _math("asinh"), "arcsinh": _math("asinh"), "acosh": _math("acosh"),
    "arccosh": _math("acosh"), "atanh": _math("atanh"), "arctanh": _math("atanh"),
    "erf": _math("erf"), "erfc": _math("erfc"), "special_erf": _math("erf"),
    "floor": _rounding("floor"), "ceil": _rounding("ceil"), "round": _rounding("roundeven"),
    "trunc": _rounding("trunc"), "fix": _rounding("trunc"),
    "atan2": _binary("atan2"), "arctan2": _binary("atan2"), "copysign": _binary("copysign"),
    "hypot": _hypot, "logaddexp": _binary("log_add_exp"), "logaddexp2": _log_add_exp2,
    "xlogy": _xlogy, "special_xlogy": _xlogy, "lerp": _lerp,
    "addcmul": _addc("mul"), "addcdiv": _addc("div"),
    "sigmoid": _unary("sigmoid"), "expit": _unary("sigmoid"),
    "special_expit": _unary("sigmoid"), "logsigmoid": _log_sigmoid,
    "log_sigmoid": _log_sigmoid, "silu": _silu, "relu": _relu, "gelu": _gelu,
    "softplus": _softplus, "leaky_relu": _leaky_relu, "elu": _elu,
    "isnan": _raw("is_nan"), "isinf": _raw("is_infinite"), "isfinite": _isfinite,
    "real": _raw("real"), "imag": _raw("imag"), "conj": _unary("conj"),
    "conj_physical": _unary("conj"), "resolve_conj": _clone, "resolve_neg": _clone,
    "complex": _complex, "polar": _polar,
    "clone": _clone, "contiguous": _clone, "alias": _clone,
    "_to_copy": _clone, "to": _clone, "type": _clone, "type_as": _clone, "float": _clone,
    "double": _clone, "half": _clone, "bfloat16": _clone, "int": _clone, "long": _clone,
    "short": _clone, "char": _clone, "bool": _clone, "cfloat": _clone, "cdouble": _clone,
    "zeros_like": _constant_like(0), "ones_like": _constant_like(1), "full_like": _full_like,
}


def base_name(function):
    """The name that the table goes by: "add" for `Tensor.__add__` and `aten.add.Tensor`."""
    packet = getattr(function, "overloadpacket", None)
    name = packet.__name__ if packet is not None else getattr(function, "__name__", "")
    if name.startswith("__") and name.endswith("__"):
        name = name[2:-2]
    return name


def is_pointwise(name):
    """Whether the table has it."""
    return name in _TABLE


def emit(call, function, name):
    """Appends the function's operations; the result, of the type `call.out`."""
    method_where = name == "where" and getattr(function, "__objclass__", None) is not None
    result = (_method_where if method_where else _TABLE[name])(call)
    return call.builder.cast(result, call.out)
