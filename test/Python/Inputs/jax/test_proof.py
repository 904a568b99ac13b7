"""mlir_scan.prove, and functions that are not associative, for JAX."""

import jax
import pytest
from jax import numpy as jnp

import mlir_scan
import mlir_scan.jax as scan


def affine(x, y):
    return y[0] * x[0], y[0] * x[1] + y[1]


def average(x, y):
    return (x + y) / 2


def test_prove():
    x = jnp.ones(3)
    verdict = mlir_scan.prove(affine, (x, x), solver=False, triples=500)
    assert verdict.status == "unknown" and verdict.reason == "500 random triples agree"
    verdict = mlir_scan.prove(average, jax.ShapeDtypeStruct((), jnp.float32), solver=False)
    assert verdict.refuted
    assert (verdict.a, verdict.b, verdict.c) == (0, 0, 1)
    assert (verdict.left, verdict.right) == (0.5, 0.25)
    with pytest.raises(mlir_scan.ScanError, match="expected one shape"):
        mlir_scan.prove(affine, (x, jnp.ones(4)))
    with pytest.raises(mlir_scan.ScanError, match="JAX arrays"):
        mlir_scan.prove(affine, "x")


def test_associative_scan_refuses(monkeypatch):
    x = jnp.asarray([4.0, 8.0, 2.0])
    for call in (scan.associative_scan, jax.jit(scan.associative_scan, static_argnums=0)):
        with pytest.raises(mlir_scan.AssociativityError, match="fn is not associative: with a = 0"):
            call(average, x)
    found = scan.associative_scan(average, x, check_associativity=False)
    assert found.tolist() == [4, 6, 4]
    monkeypatch.setenv("SCAN_CHECK_ASSOCIATIVITY", "0")
    assert scan.associative_scan(average, x).tolist() == [4, 6, 4]
