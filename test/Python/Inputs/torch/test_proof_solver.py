"""mlir_scan.prove with z3."""

import operators
import pytest
import torch

import mlir_scan


@pytest.mark.parametrize("name", ["add", "mul", "affine", "online_softmax", "matmul2", "max_plus",
                                  "complex_affine", "segmented_sum"])
def test_proved_up_to_rounding(name):
    verdict = mlir_scan.prove(operators.apply(name), operators.leaves(name, (2,)))
    assert verdict.proved and verdict.status == "proved up to rounding", verdict


def test_proved_exactly():
    verdict = mlir_scan.prove(lambda x, y: x * y + x + y, torch.ones(2, dtype=torch.int32))
    assert verdict.proved and verdict.status == "proved" and not verdict.refuted
    assert repr(verdict) == "<Verdict proved>"


def test_refuted():
    verdict = mlir_scan.prove(lambda x, y: (x + y) / 2, torch.rand(3))
    assert verdict.refuted and verdict.left != verdict.right
    assert verdict.a and verdict.b and verdict.c
