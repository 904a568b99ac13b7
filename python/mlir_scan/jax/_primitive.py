# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as primitives of JAX.

`call` computes a program. Its tangent is the linear primitive `tangent`, whose
transposition is a call of the program's vector-Jacobian product; so reverse mode is what
the compiler generates. Where a tangent itself is computed (forward mode), it is the
transposed of that product, which is linear in the cotangents: the derivative of the
derivative by them.
"""

import functools
import os
import re

import jax
import jaxlib
from jax.extend import core
from jax.interpreters import ad, batching, mlir, partial_eval

from .. import _core
from ..errors import ScanError
from ..program import load
from ._trace import DTYPES

_TARGET = "mlir_scan_call"
_has_target = hasattr(_core, "jax_handler")

call_p = core.Primitive("mlir_scan_call")
call_p.multiple_results = True
tangent_p = core.Primitive("mlir_scan_tangent")
tangent_p.multiple_results = True


def _dtype(element):
    return jax.numpy.dtype(DTYPES[element])


def _results(text, inputs):
    program = load(text)
    return [jax.core.ShapedArray(shape, _dtype(element)) for shape, element in
            zip(program.shapes([item.shape for item in inputs]), program.elements)]


def _is_differentiable(dtype):
    return jax.numpy.issubdtype(dtype, jax.numpy.inexact)


def _conjugate(array):
    """The compiler's rules for complex numbers are PyTorch's, the conjugates of JAX's."""
    return jax.numpy.conj(array) if jax.numpy.iscomplexobj(array) else array


def call(text, *arrays):
    """The results of a program for these arrays, a list; differentiable."""
    return call_p.bind(*arrays, text=text)


# ---- call --------------------------------------------------------------------

@call_p.def_abstract_eval
def _abstract(*inputs, text):
    return _results(text, inputs)


def _compile(text, device):
    """What XLA's custom calls run: code for the CPU (device -1), or kernels for a GPU."""
    program = load(text)
    return program.executable if device < 0 else program.kernels(device)


def _check_version():
    """Raises ImportError where XLA would refuse the handlers, and with them all of a backend."""
    path = os.path.join(jax.ffi.include_dir(), "xla", "ffi", "api", "c_api.h")
    with open(path, encoding="utf-8") as file:
        header = file.read()
    found = tuple(int(re.search(rf"#define XLA_FFI_API_{part} (\d+)", header)[1])
                  for part in ("MAJOR", "MINOR"))
    if found < _core.xla_ffi_version:
        raise ImportError(
            "mlir_scan.jax: expected a jaxlib whose interface for custom calls (XLA FFI) has "
            "version {}.{} or a later one, for which this mlir_scan was built; ".format(
                *_core.xla_ffi_version) +
            "found jaxlib {} with {}.{}; install a newer jaxlib, or build mlir_scan with the "
            "headers of an older one".format(jaxlib.__version__, *found))


if _has_target:
    _check_version()
    _core.set_jax_compiler(_compile)
    jax.ffi.register_ffi_target(_TARGET, _core.jax_handler(), platform="cpu")
    jax.ffi.register_ffi_target(_TARGET, _core.jax_cuda_handler(), platform="CUDA")


def _lower(context, *operands, text, prepare):
    if not _has_target:
        raise ScanError("this build of mlir_scan has no support for JAX: jaxlib was not "
                        "there when it was built; install jax and build again")
    # What cannot be compiled is found now, where Python can say so.
    prepare(load(text))
    return jax.ffi.ffi_lowering(_TARGET)(context, *operands, program=text)


def _prepare_for_cpu(program):
    return program.executable


def _prepare_for_cuda(program):
    """PTX for the GPUs that are there, if any: XLA may compile for others' machines."""
    for capability in _capabilities():
        program.ptx(capability)


@functools.cache
def _capabilities():
    try:
        devices = jax.local_devices(backend="cuda")
    except RuntimeError:
        return ()
    return tuple(sorted({int(device.compute_capability.replace(".", ""))
                         for device in devices}))


mlir.register_lowering(call_p, functools.partial(_lower, prepare=_prepare_for_cpu),
                       platform="cpu")
mlir.register_lowering(call_p, functools.partial(_lower, prepare=_prepare_for_cuda),
                       platform="cuda")


@functools.lru_cache(maxsize=4096)
def _compiled(primitive, parameters):
    return jax.jit(lambda *items: primitive.bind(*items, **dict(parameters)))


def _run(primitive, *arrays, **parameters):
    """Outside of `jit`: a compiled function for each program."""
    return _compiled(primitive, tuple(parameters.items()))(*arrays)


call_p.def_impl(functools.partial(_run, call_p))


def _drop_unused(used, eqn):
    """What nobody uses of the results is neither computed nor written."""
    if not any(used):
        return [False] * len(eqn.invars), None
    if not all(used):
        kept = tuple(number for number, use in enumerate(used) if use)
        text = load(eqn.params["text"]).select(kept).text
        eqn = eqn.replace(params=dict(eqn.params, text=text),
                          outvars=[eqn.outvars[number] for number in kept])
    return [True] * len(eqn.invars), eqn


partial_eval.dce_rules[call_p] = _drop_unused


# ---- derivatives -------------------------------------------------------------

def _jvp(primals, tangents, *, text):
    outputs = call(text, *primals)
    program = load(text)
    results = tuple(number for number, element in enumerate(program.elements)
                    if _is_differentiable(_dtype(element)))
    wanted = tuple(number for number, tangent in enumerate(tangents)
                   if not isinstance(tangent, ad.Zero)
                   and _is_differentiable(primals[number].dtype))
    zeros = [ad.Zero(jax.typeof(output).to_tangent_aval()) for output in outputs]
    if not wanted or not results:
        return outputs, zeros
    found = tangent_p.bind(*primals, *(tangents[number] for number in wanted), text=text,
                           wanted=wanted, results=results)
    for number, tangent in zip(results, found):
        zeros[number] = tangent
    return outputs, zeros


ad.primitive_jvps[call_p] = _jvp


@tangent_p.def_abstract_eval
def _tangent_abstract(*inputs, text, wanted, results):
    count = len(inputs) - len(wanted)
    all_results = _results(text, inputs[:count])
    return [all_results[number] for number in results]


def _compute_tangent(*inputs, text, wanted, results):
    """J v as the derivative, by the cotangents, of J^T ct."""
    count = len(inputs) - len(wanted)
    primals, tangents = inputs[:count], inputs[count:]
    product = load(text).vjp(wanted, results)
    arguments = tuple(range(count, count + len(results)))
    outputs = _results(text, primals)
    zeros = [jax.numpy.zeros(outputs[number].shape, outputs[number].dtype) for number in results]
    transposed = product.vjp(arguments, tuple(range(len(wanted))))
    # J^H is what the product multiplies with; its adjoint is J.
    return call(transposed.text, *primals, *zeros, *tangents)


mlir.register_lowering(tangent_p, mlir.lower_fun(_compute_tangent, multiple_results=True))
tangent_p.def_impl(functools.partial(_run, tangent_p))


def _transpose(cotangents, *inputs, text, wanted, results):
    count = len(inputs) - len(wanted)
    primals = inputs[:count]
    present = [number for number, cotangent in enumerate(cotangents)
               if not isinstance(cotangent, ad.Zero)]
    gradients = [None] * len(inputs)
    if not present:
        return gradients
    product = load(text).vjp(wanted, tuple(results[number] for number in present))
    values = [_conjugate(cotangents[number]) for number in present]
    for number, gradient in enumerate(call(product.text, *primals, *values)):
        gradients[count + number] = _conjugate(gradient)
    return gradients


ad.primitive_transposes[tangent_p] = _transpose


def _tangent_jvp(primals, tangents, **parameters):
    return jax.jvp(functools.partial(_compute_tangent, **parameters), tuple(primals),
                   tuple(ad.instantiate_zeros(tangent) for tangent in tangents))


ad.primitive_jvps[tangent_p] = _tangent_jvp


# ---- batching ----------------------------------------------------------------

def _batch(arrays, dims, *, text):
    """Where a program's first dimension is a batch, one more merges into it."""
    program = load(text)
    shared = program.shared
    if shared is None or any(dims[number] is not None for number in shared):
        return _batch_in_turn(arrays, dims, text)
    size = next(array.shape[dim] for array, dim in zip(arrays, dims) if dim is not None)
    merged, shapes = [], []
    for number, (array, dim) in enumerate(zip(arrays, dims)):
        if number not in shared:
            array = jax.numpy.broadcast_to(array, (size, *array.shape)) if dim is None \
                else jax.numpy.moveaxis(array, dim, 0)
            shapes.append(array.shape[1:])
            merged.append(array.reshape(size * array.shape[1], *array.shape[2:]))
        else:
            shapes.append(array.shape)
            merged.append(array)
    outputs = call(text, *merged)
    return [output.reshape(size, *shape) for output, shape in
            zip(outputs, program.shapes(shapes))], [0] * len(outputs)


def _batch_in_turn(arrays, dims, text):
    """One call after the other, in a loop."""
    def body(parts):
        rest = iter(parts)
        return call(text, *(array if dim is None else next(rest)
                            for array, dim in zip(arrays, dims)))

    outputs = jax.lax.map(body, [jax.numpy.moveaxis(array, dim, 0)
                                 for array, dim in zip(arrays, dims) if dim is not None])
    return outputs, [0] * len(outputs)


batching.primitive_batchers[call_p] = _batch


def _tangent_batch(arrays, dims, **parameters):
    results = jax.vmap(lambda *items: _compute_tangent(*items, **parameters),
                       list(dims))(*arrays)
    return results, [0] * len(results)


batching.primitive_batchers[tangent_p] = _tangent_batch
