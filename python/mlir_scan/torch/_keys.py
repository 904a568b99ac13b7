# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a traced function depends on, as a key for caches.

A function is its code and what the code reads: numbers and strings in closures,
defaults and globals are part of the key by value, other functions by their own keys.
What reads anything else (tensors, attributes of objects) has no key and is traced at
every call, which costs a fraction of a millisecond and is never wrong.
"""

import builtins
import functools
import math
import operator
import types

import torch

_SCALARS = (bool, int, float, complex, str, bytes, type(None), torch.dtype, torch.device)
# Modules whose functions do not change.
_LIBRARIES = (torch, math, operator)
_LIBRARY_NAMES = ("torch", "math", "cmath", "operator", "functools", "numpy", "mlir_scan")


class _NoKey(Exception):
    """The function reads something that has no value as a key."""


def key_of(function):
    """A hashable key of a function; None if there is none."""
    try:
        return _key(function, 0)
    except _NoKey:
        return None


def _key(function, depth):
    if depth > 8:
        raise _NoKey
    if isinstance(function, functools.partial):
        items = sorted(function.keywords.items())
        return ("partial", _key(function.func, depth + 1),
                tuple(_value_key(value, depth) for value in function.args),
                tuple((name, _value_key(value, depth)) for name, value in items))
    if not isinstance(function, types.FunctionType):
        return _value_key(function, depth)
    code = function.__code__
    names = _global_names(code)
    if function.__closure__ is None and not names and function.__defaults__ is None \
            and function.__kwdefaults__ is None:
        return code
    parts = [code]
    if function.__closure__:
        parts.extend(_value_key(_contents(cell), depth) for cell in function.__closure__)
    if function.__defaults__:
        parts.extend(_value_key(value, depth) for value in function.__defaults__)
    if function.__kwdefaults__:
        parts.extend((name, _value_key(value, depth))
                     for name, value in sorted(function.__kwdefaults__.items()))
    scope = function.__globals__
    for name in names:
        if name in scope:
            parts.append((name, _value_key(scope[name], depth)))
        elif not hasattr(builtins, name):
            parts.append((name, None))
    return tuple(parts)


def _contents(cell):
    try:
        return cell.cell_contents
    except ValueError:  # A name that was not assigned yet.
        return None


@functools.lru_cache(maxsize=1024)
def _global_names(code):
    """The names that the code, and the functions defined in it, may look up as globals.

    Names of attributes are among them, which costs a look-up and no more.
    """
    names = dict.fromkeys(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names.update(dict.fromkeys(_global_names(constant)))
    return tuple(names)


def _value_key(value, depth):
    if isinstance(value, float):
        return (float, value.hex())  # -0.0 is not 0.0, and NaN is NaN.
    if isinstance(value, complex):
        return (complex, value.real.hex(), value.imag.hex())
    if isinstance(value, _SCALARS):
        return (type(value), value)
    if isinstance(value, (tuple, frozenset)):
        items = value if isinstance(value, tuple) else sorted(value, key=repr)
        return (type(value), tuple(_value_key(item, depth) for item in items))
    if isinstance(value, types.FunctionType):
        module = (value.__module__ or "").partition(".")[0]
        if module in _LIBRARY_NAMES:
            return (types.FunctionType, value)
        return _key(value, depth + 1)
    if isinstance(value, functools.partial):
        return _key(value, depth + 1)
    if isinstance(value, types.ModuleType):
        if value.__name__.partition(".")[0] in _LIBRARY_NAMES:
            return (types.ModuleType, value.__name__)
        raise _NoKey
    if isinstance(value, (types.BuiltinFunctionType, type)):
        return (type, value)
    raise _NoKey
