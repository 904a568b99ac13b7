"""What the tests of mlir_scan._core share: programs, element types, a cache of their own."""

import os
import sys

import pytest

import mlir_scan

# For `sampling`.
sys.path.append(os.path.join(os.path.dirname(__file__), "../../../Inputs"))

# By MLIR's name: the operation that combines, and the names elsewhere.
TYPES = {
    "i1": ("arith.ori", "bool", "bool"),
    "i8": ("arith.addi", "int8", "int8"),
    "i16": ("arith.addi", "int16", "int16"),
    "i32": ("arith.addi", "int32", "int32"),
    "i64": ("arith.addi", "int64", "int64"),
    "f16": ("arith.addf", "float16", "float16"),
    "bf16": ("arith.addf", "bfloat16", "bfloat16"),
    "f32": ("arith.addf", "float32", "float32"),
    "f64": ("arith.addf", "float64", "float64"),
    "complex<f32>": ("complex.add", "complex64", "complex64"),
    "complex<f64>": ("complex.add", "complex128", "complex128"),
}


def scan_text(element, shape="?", dim=0, name="scan"):
    """A program with the prefix sums (of i1: disjunctions) of a tensor."""
    combine, _, _ = TYPES[element]
    tensor = f"tensor<{shape}x{element}>"
    return f"""
func.func @{name}(%x: {tensor}) -> {tensor} {{
  %y = scan.associative ins(%x : {tensor}) dim = {dim} {{
  ^bb0(%a: {element}, %b: {element}):
    %s = {combine} %a, %b : {element}
    scan.yield %s : {element}
  }} -> {tensor}
  return %y : {tensor}
}}
"""


RECURRENCE = """
func.func @recurrence(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %h: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %y, %last = scan.linear_recurrence ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) init(%h : tensor<?xf32>) dim = 1 -> tensor<?x?xf32>, tensor<?xf32>
  return %y, %last : tensor<?x?xf32>, tensor<?xf32>
}
"""

# Numbers and tensors without dimensions, and what the function returns as it is.
SCALARS = """
func.func @scalars(%f: f32, %n: index, %t: tensor<f64>, %b: i1, %h: bf16, %c: complex<f32>, %i: i8) -> (f32, index, tensor<f64>, i1, bf16, complex<f32>, i8) {
  return %f, %n, %t, %b, %h, %c, %i : f32, index, tensor<f64>, i1, bf16, complex<f32>, i8
}
"""


@pytest.fixture(autouse=True)
def cache_folder(tmp_path, monkeypatch):
    """Nothing is read from a cache of the user, and nothing is left there."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("MLIR_SCAN_CACHE_DIR", str(folder))
    return folder


@pytest.fixture(scope="session")
def scans():
    """By element type: prefix sums along the second of two dimensions, compiled."""
    return {element: mlir_scan.parse(scan_text(element, "?x?", 1)).compile("scan")
            for element in TYPES}
