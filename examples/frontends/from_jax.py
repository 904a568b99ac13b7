"""Writes functions of JAX as StableHLO.

usage: from_jax.py FOLDER
"""

import pathlib
import sys

import jax
import jax.numpy as jnp

X = jax.ShapeDtypeStruct((4, 64), jnp.float32)


def gated(x, g):
    """A cumulative sum, which JAX lowers to a window of all elements before."""
    return jnp.cumsum(x * jax.nn.sigmoid(g), axis=1)


def loop(a, b):
    """A loop over time, which JAX lowers to a while loop."""
    def step(h, ab):
        h = ab[0] * h + ab[1]
        return h, h
    return jax.lax.scan(step, jnp.zeros(a.shape[1:]), (a, b))[1]


for function in (gated, loop):
    text = str(jax.jit(function).lower(X, X).compiler_ir("stablehlo"))
    (pathlib.Path(sys.argv[1]) / f"{function.__name__}.stablehlo.mlir").write_text(text)
