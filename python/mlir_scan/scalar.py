# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes scalar MLIR: the body of a combine region or of an elementwise operation.

A `ScalarBuilder` appends one operation a line and hands out `Value`s, names with
a type. Front ends map the operations of their framework to its methods, which have
the semantics that NumPy, PyTorch and JAX share. Types are spelled as MLIR spells
them: "f32", "i1", "complex<f64>". Integers are signed.
"""

import math
import struct
from dataclasses import dataclass

FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("i8", "i16", "i32", "i64")
COMPLEX = ("complex<f32>", "complex<f64>")

_INTEGER_BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
_FLOAT_BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
# The bit patterns of what has no decimal notation: inf, -inf, NaN.
_SPECIAL_BITS = {
    "f16": ("0x7C00", "0xFC00", "0x7E00"),
    "bf16": ("0x7F80", "0xFF80", "0x7FC0"),
    "f32": ("0x7F800000", "0xFF800000", "0x7FC00000"),
    "f64": ("0x7FF0000000000000", "0xFFF0000000000000", "0x7FF8000000000000"),
}

_FLOAT_PREDICATES = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"}
_INTEGER_PREDICATES = {"eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"}


class Unsupported(Exception):
    """An operation that has no meaning on values of this type; says which."""


@dataclass(frozen=True)
class Value:
    """A scalar: its name in the text and its type."""

    name: str
    type: str


def is_float(kind):
    """Whether the type is a real floating-point one."""
    return kind in FLOATS


def is_integer(kind):
    """Whether the type is an integer; i1 is none."""
    return kind in INTEGERS


def is_complex(kind):
    """Whether the type is complex."""
    return kind in COMPLEX


def part_of(kind):
    """The type of the real part: "f32" for "complex<f32>", other types themselves."""
    return kind[len("complex<"):-1] if is_complex(kind) else kind


def literal(number, kind):
    """A number as an attribute of that type, without the type."""
    if is_float(kind):
        number = float(number)
        if math.isinf(number) or math.isnan(number):
            return _SPECIAL_BITS[kind][2 if math.isnan(number) else int(number < 0)]
        if kind == "f32" and number:
            # Decimals of f64 are rounded once more; beyond f32 that is infinity.
            try:
                number = struct.unpack("f", struct.pack("f", number))[0]
            except OverflowError:
                return literal(math.copysign(math.inf, number), kind)
        text = repr(number)
        return text if "." in text else text.replace("e", ".0e")
    if kind == "i1":
        return "true" if number else "false"
    bits = _INTEGER_BITS[kind]
    wrapped = int(number) & ((1 << bits) - 1)
    return str(wrapped - (1 << bits) if wrapped >> (bits - 1) else wrapped)


class ScalarBuilder:
    """Appends operations to `lines`; equal constants are written once."""

    def __init__(self, indent="    ", prefix="v"):
        self.lines = []
        self._indent, self._prefix, self._count = indent, prefix, 0
        self._constants = {}

    # ---- plumbing ------------------------------------------------------------

    def emit(self, text, kind):
        """Appends `%name = text`; the Value of type `kind` that it defines."""
        value = Value(f"%{self._prefix}{self._count}", kind)
        self._count += 1
        self.lines.append(f"{self._indent}{value.name} = {text}")
        return value

    def _unary(self, op, x, result=None):
        result = result or x.type
        types = x.type if result == x.type or op.startswith(("math.is", "complex.")) \
            else f"{x.type} to {result}"
        return self.emit(f"{op} {x.name} : {types}", result)

    def _binary(self, op, x, y):
        if x.type != y.type:
            raise Unsupported(f"{op} of {x.type} and {y.type}")
        return self.emit(f"{op} {x.name}, {y.name} : {x.type}", x.type)

    def constant(self, number, kind):
        """A number of that type; integers wrap around as conversions do."""
        if is_complex(kind):
            part = part_of(kind)
            number = complex(number)
            text = (f"complex.constant [{literal(number.real, part)} : {part}, "
                    f"{literal(number.imag, part)} : {part}] : {kind}")
        elif kind == "i1":
            text = f"arith.constant {literal(number, kind)}"
        else:
            text = f"arith.constant {literal(number, kind)} : {kind}"
        if text not in self._constants:
            self._constants[text] = self.emit(text, kind)
        return self._constants[text]

    def clone(self, x):
        """A fresh value equal to x, as combine regions must yield."""
        return self._unary("scan.clone", x)

    # ---- conversions ---------------------------------------------------------

    def cast(self, x, kind):
        """x converted as NumPy's astype does; complex to real takes the real part."""
        if x.type == kind:
            return x
        if is_complex(x.type):
            if is_complex(kind):
                part = part_of(kind)
                return self.complex(self.cast(self.real(x), part), self.cast(self.imag(x), part))
            return self.cast(self.real(x), kind)
        if is_complex(kind):
            part = part_of(kind)
            return self.complex(self.cast(x, part), self.constant(0.0, part))
        if kind == "i1":
            return self.compare("ne", x, self.constant(0, x.type))
        if is_float(kind):
            return self._to_float(x, kind)
        if is_float(x.type):
            return self._unary("arith.fptosi", x, kind)
        if x.type == "i1":
            return self._unary("arith.extui", x, kind)
        grows = _INTEGER_BITS[kind] > _INTEGER_BITS[x.type]
        return self._unary("arith.extsi" if grows else "arith.trunci", x, kind)

    def _to_float(self, x, kind):
        if not is_float(x.type):
            return self._unary("arith.uitofp" if x.type == "i1" else "arith.sitofp", x, kind)
        if _FLOAT_BITS[x.type] == _FLOAT_BITS[kind]:  # f16 and bf16
            return self.cast(self.cast(x, "f32"), kind)
        grows = _FLOAT_BITS[kind] > _FLOAT_BITS[x.type]
        return self._unary("arith.extf" if grows else "arith.truncf", x, kind)

    # ---- arithmetic ----------------------------------------------------------

    def _arith(self, name, x, y):
        if is_complex(x.type):
            return self._binary(f"complex.{name}", x, y)
        suffix = "f" if is_float(x.type) else "i"
        return self._binary(f"arith.{name}{suffix}", x, y)

    def add(self, x, y):
        """x + y; of booleans: or."""
        return self.bitwise("or", x, y) if x.type == "i1" else self._arith("add", x, y)

    def sub(self, x, y):
        """x - y."""
        if x.type == "i1":
            raise Unsupported("subtraction of booleans")
        return self._arith("sub", x, y)

    def mul(self, x, y):
        """x * y; of booleans: and."""
        return self.bitwise("and", x, y) if x.type == "i1" else self._arith("mul", x, y)

    def div(self, x, y):
        """x / y of floating-point or complex numbers."""
        if not (is_float(x.type) or is_complex(x.type)):
            raise Unsupported(f"true division of {x.type}")
        return self._arith("div", x, y)

    def floor_div(self, x, y):
        """The largest integer not above x / y."""
        if is_float(x.type):
            # (x - mod) / y is an integer but for rounding.
            return self.floor_exact(self.div(self.sub(x, self.floor_mod(x, y)), y))
        self._need_integer("floor division", x)
        return self._binary("arith.floordivsi", x, y)

    def floor_exact(self, x):
        """The integer nearest to x, which is one but for rounding."""
        return self.call("roundeven", x)

    def trunc_div(self, x, y):
        """x / y without its fraction."""
        if is_float(x.type):
            return self.call("trunc", self.div(x, y))
        self._need_integer("truncating division", x)
        return self._binary("arith.divsi", x, y)

    def trunc_mod(self, x, y):
        """The rest of trunc_div, with the sign of x (C's fmod and %)."""
        if is_float(x.type):
            return self._binary("arith.remf", x, y)
        self._need_integer("remainder", x)
        return self._binary("arith.remsi", x, y)

    def floor_mod(self, x, y):
        """The rest of floor_div, with the sign of y (Python's %)."""
        rest = self.trunc_mod(x, y)
        zero = self.constant(0, x.type)
        differ = self.bitwise("xor", self.compare("lt", rest, zero), self.compare("lt", y, zero))
        moves = self.bitwise("and", differ, self.compare("ne", rest, zero))
        return self.select(moves, self.add(rest, y), rest)

    def neg(self, x):
        """-x."""
        if is_complex(x.type):
            return self._unary("complex.neg", x)
        if is_float(x.type):
            return self._unary("arith.negf", x)
        return self.sub(self.constant(0, x.type), x)

    def abs(self, x):
        """The magnitude, which is real."""
        if is_complex(x.type):
            return self._unary("complex.abs", x, part_of(x.type))
        if x.type == "i1":
            return x
        return self.call("absf" if is_float(x.type) else "absi", x)

    def sign(self, x):
        """-1, 0 or 1; z / |z|, or 0, of complex numbers."""
        if is_complex(x.type):
            return self._unary("complex.sign", x)
        if x.type == "i1":
            return x
        zero, one = self.constant(0, x.type), self.constant(1, x.type)
        below = self.select(self.compare("lt", x, zero), self.constant(-1, x.type), zero)
        return self.select(self.compare("gt", x, zero), one, below)

    def _extremum(self, name, x, y):
        if is_float(x.type):
            return self._binary(f"arith.{name}imumf", x, y)
        if is_complex(x.type):
            raise Unsupported(f"the {name}imum of complex numbers")
        if x.type == "i1":
            return self.bitwise("or" if name == "max" else "and", x, y)
        return self._binary(f"arith.{name}si", x, y)

    def maximum(self, x, y):
        """The larger one; NaN if either is."""
        return self._extremum("max", x, y)

    def minimum(self, x, y):
        """The smaller one; NaN if either is."""
        return self._extremum("min", x, y)

    def number_maximum(self, x, y):
        """The larger one; the other one if one is NaN (C's fmax)."""
        return self._binary("arith.maxnumf", x, y) if is_float(x.type) else self.maximum(x, y)

    def number_minimum(self, x, y):
        """The smaller one; the other one if one is NaN (C's fmin)."""
        return self._binary("arith.minnumf", x, y) if is_float(x.type) else self.minimum(x, y)

    # ---- booleans and bits ---------------------------------------------------

    def compare(self, predicate, x, y):
        """eq, ne, lt, le, gt or ge; with NaN only ne holds."""
        if x.type != y.type:
            raise Unsupported(f"a comparison of {x.type} and {y.type}")
        if is_complex(x.type):
            if predicate not in ("eq", "ne"):
                raise Unsupported("the order of complex numbers")
            op = "complex.eq" if predicate == "eq" else "complex.neq"
            return self.emit(f"{op} {x.name}, {y.name} : {x.type}", "i1")
        if is_float(x.type):
            text = f"arith.cmpf {_FLOAT_PREDICATES[predicate]}, {x.name}, {y.name} : {x.type}"
        else:
            signed = _INTEGER_PREDICATES[predicate]
            # The bit of an i1 is no sign.
            name = "u" + signed[1:] if x.type == "i1" and signed[0] == "s" else signed
            text = f"arith.cmpi {name}, {x.name}, {y.name} : {x.type}"
        return self.emit(text, "i1")

    def select(self, condition, x, y):
        """x where the condition holds, else y."""
        if x.type != y.type:
            raise Unsupported(f"a choice of {x.type} and {y.type}")
        return self.emit(
            f"arith.select {condition.name}, {x.name}, {y.name} : {x.type}", x.type)

    def bitwise(self, name, x, y):
        """and, or or xor of integers or booleans."""
        if not (is_integer(x.type) or x.type == "i1"):
            raise Unsupported(f"bitwise {name} of {x.type}")
        return self._binary(f"arith.{name}i", x, y)

    def invert(self, x):
        """All bits flipped; of booleans: not."""
        return self.bitwise("xor", x, self.constant(-1, x.type))

    def shift_left(self, x, y):
        """x * 2^y; 0 where y is not less than the width, or negative."""
        return self._shift("arith.shli", x, y, self.constant(0, x.type))

    def shift_right(self, x, y):
        """x / 2^y, rounded down; all sign bits where y is out of range."""
        bits = self.constant(_INTEGER_BITS.get(x.type, 1) - 1, x.type)
        return self._shift("arith.shrsi", x, y, self._binary("arith.shrsi", x, bits))

    def _shift(self, op, x, y, beyond):
        self._need_integer("a shift", x)
        bits = self.constant(_INTEGER_BITS[x.type], x.type)
        zero = self.constant(0, x.type)
        fits = self.bitwise("and", self.compare("ge", y, zero), self.compare("lt", y, bits))
        # A shift by the width or more is undefined, also where nobody looks.
        return self.select(fits, self._binary(op, x, self.select(fits, y, zero)), beyond)

    def is_nan(self, x):
        """Whether x is not a number."""
        if is_complex(x.type):
            return self.bitwise("or", self.is_nan(self.real(x)), self.is_nan(self.imag(x)))
        if not is_float(x.type):
            return self.constant(0, "i1")
        return self.emit(f"arith.cmpf uno, {x.name}, {x.name} : {x.type}", "i1")

    def is_infinite(self, x):
        """Whether x is inf or -inf."""
        if not is_float(x.type):
            return self.constant(0, "i1")
        return self.compare("eq", self.abs(x), self.constant(math.inf, x.type))

    def _need_integer(self, what, x):
        if not is_integer(x.type):
            raise Unsupported(f"{what} of {x.type}")

    # ---- functions -----------------------------------------------------------

    def call(self, name, x):
        """A function of the math dialect, or of the complex one."""
        if is_complex(x.type):
            return self._unary(f"complex.{name}", x)
        if name not in ("absi",) and not is_float(x.type):
            raise Unsupported(f"{name} of {x.type}")
        return self._unary(f"math.{name}", x)

    def power(self, x, y):
        """x to the power of y; of integers with y >= 0."""
        if is_complex(x.type):
            return self._binary("complex.pow", x, y)
        return self._binary("math.powf" if is_float(x.type) else "math.ipowi", x, y)

    def integer_power(self, x, exponent):
        """x to the power of a known integer, by squaring."""
        if exponent < 0:
            return self.div(self.constant(1, x.type), self.integer_power(x, -exponent))
        result, square = None, x
        while exponent:
            if exponent & 1:
                result = square if result is None else self.mul(result, square)
            exponent >>= 1
            if exponent:
                square = self.mul(square, square)
        return self.constant(1, x.type) if result is None else result

    def copysign(self, x, y):
        """x with the sign of y."""
        return self._binary("math.copysign", x, y)

    def atan2(self, x, y):
        """The angle of the point (y, x)."""
        return self._binary("math.atan2", x, y)

    def sigmoid(self, x):
        """1 / (1 + exp(-x))."""
        one = self.constant(1.0, x.type)
        return self.div(one, self.add(one, self.call("exp", self.neg(x))))

    def softplus(self, x):
        """log(1 + exp(x)), in the form that does not overflow."""
        zero = self.constant(0.0, x.type)
        tail = self.call("log1p", self.call("exp", self.neg(self.abs(x))))
        return self.add(self.maximum(x, zero), tail)

    def log_add_exp(self, x, y):
        """log(exp(x) + exp(y)); right for infinite arguments, too."""
        larger = self.maximum(x, y)
        distance = self.abs(self.sub(x, y))
        tail = self.call("log1p", self.call("exp", self.neg(distance)))
        # Equal infinities have no distance: inf - inf is not a number.
        same = self.bitwise("and", self.compare("eq", x, y), self.is_infinite(x))
        return self.select(same, x, self.add(larger, tail))

    # ---- complex numbers -----------------------------------------------------

    def complex(self, real, imag):
        """A complex number of its parts."""
        kind = f"complex<{real.type}>"
        if kind not in COMPLEX:
            raise Unsupported(f"complex numbers of {real.type}")
        return self.emit(f"complex.create {real.name}, {imag.name} : {kind}", kind)

    def real(self, x):
        """The real part; x itself if it is real."""
        return self._unary("complex.re", x, part_of(x.type)) if is_complex(x.type) else x

    def imag(self, x):
        """The imaginary part; 0 of real numbers."""
        if not is_complex(x.type):
            return self.constant(0, x.type)
        return self._unary("complex.im", x, part_of(x.type))

    def conj(self, x):
        """The complex conjugate."""
        return self._unary("complex.conj", x) if is_complex(x.type) else x
