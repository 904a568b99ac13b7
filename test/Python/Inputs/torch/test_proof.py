"""mlir_scan.prove, and what associative_scan makes of functions that are not associative."""

import time

import operators
import pytest
import torch

import mlir_scan
from mlir_scan import proof
from mlir_scan import torch as scan

PROGRAM = """
  func.func @f(%x: tensor<?xi8>) -> tensor<?xi8> {
    %y = scan.associative ins(%x : tensor<?xi8>) dim = 0 {
    ^bb0(%a: i8, %b: i8):
      %s = arith.{op} %a, %b : i8
      scan.yield %s : i8
    } -> tensor<?xi8>
    return %y : tensor<?xi8>
  }
"""


def subtract(x, y):
    return x - y


def swapped(x, y):
    """Affine functions, with one operand in the wrong place."""
    return y[0] * x[0], x[0] * x[1] + y[1]


def average(x, y):
    return (x + y) / 2


def test_refuted():
    verdict = mlir_scan.prove(subtract, torch.ones(2, dtype=torch.int32), solver=False)
    assert verdict.refuted and not verdict.proved
    assert verdict == proof.Verdict("refuted", "", 0, 0, 1, -1, 1)
    assert (verdict.a, verdict.b, verdict.c, verdict.left, verdict.right) == (0, 0, 1, -1, 1)
    assert repr(verdict) == ("<Verdict refuted: with a = 0, b = 0, c = 1, "
                             "f(f(a, b), c) = -1 but f(a, f(b, c)) = 1>")


def test_the_counterexample_is_one():
    """What is said to be computed is what the function makes of the numbers."""
    x = torch.ones(2, dtype=torch.float64)
    verdict = mlir_scan.prove(swapped, (x, x), solver=False)
    a, b, c = verdict.a, verdict.b, verdict.c
    assert swapped(swapped(a, b), c) == verdict.left
    assert swapped(a, swapped(b, c)) == verdict.right
    assert verdict.left != verdict.right


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64,
                                   torch.complex64])
def test_the_numbers_are_those_of_the_type(dtype):
    """Rounded to their type, as the operator computes it."""
    verdict = mlir_scan.prove(lambda x, y: (x + y) / 3, torch.ones(2, dtype=dtype), solver=False)
    assert verdict.refuted
    for value in (verdict.a, verdict.b, verdict.c, verdict.left, verdict.right):
        assert isinstance(value, complex if dtype == torch.complex64 else float)
        assert torch.tensor(value, dtype=dtype).item() == value


def test_numbers_of_small_matrices():
    program = """
func.func @f(%x: tensor<?x2x2xi16>, %y: tensor<?xi1>) -> tensor<?x2x2xi16> {
  %z:2 = scan.associative ins(%x, %y : tensor<?x2x2xi16>, tensor<?xi1>) dim = 0 {
  ^bb0(%a: tensor<2x2xi16>, %p: i1, %b: tensor<2x2xi16>, %q: i1):
    %r = arith.subi %a, %b : tensor<2x2xi16>
    %s = arith.andi %p, %q : i1
    scan.yield %r, %s : tensor<2x2xi16>, i1
  } -> tensor<?x2x2xi16>, tensor<?xi1>
  return %z#0 : tensor<?x2x2xi16>
}"""
    verdict = mlir_scan.prove(program, solver=False)
    assert verdict.refuted
    (a, p), (b, _), (c, _) = verdict.a, verdict.b, verdict.c
    assert a.shape == (2, 2) and a.dtype == "int16" and isinstance(p, bool)
    assert ((a - b) - c == verdict.left[0]).all()
    assert (a - (b - c) == verdict.right[0]).all()
    assert (verdict.left[0] != verdict.right[0]).any()


def test_unknown_without_a_solver():
    for z3 in ({"solver": False}, {"z3": "/nowhere/z3"}):
        verdict = mlir_scan.prove(operators.affine, (torch.rand(3), torch.rand(3)), triples=500,
                                  **z3)
        assert verdict.status == "unknown" and not verdict.proved and not verdict.refuted
        assert verdict.reason.endswith("500 random triples agree"), verdict


def test_programs():
    assert mlir_scan.prove(PROGRAM.replace("{op}", "subi"), solver=False).refuted
    assert mlir_scan.prove(mlir_scan.parse(PROGRAM.replace("{op}", "addi")),
                           solver=False).status == "unknown"
    with pytest.raises(mlir_scan.ScanError, match="one scan.associative, found 0"):
        mlir_scan.prove("func.func @f() { return }")
    with pytest.raises(mlir_scan.CompileError):
        mlir_scan.prove("func.func @f() {")


def test_wrong_arguments():
    with pytest.raises(mlir_scan.ScanError, match="expected a pytree of torch tensors"):
        mlir_scan.prove(subtract, 3)
    with pytest.raises(mlir_scan.ScanError, match="expected one shape"):
        mlir_scan.prove(swapped, (torch.ones(2), torch.ones(3)))
    with pytest.raises(mlir_scan.ScanError, match="timeout: expected 1 or more"):
        mlir_scan.prove(subtract, torch.ones(2), timeout=0)
    with pytest.raises(mlir_scan.ScanError, match="triples: expected 0 or more"):
        mlir_scan.prove(subtract, torch.ones(2), triples=-1)
    with pytest.raises(scan.TraceError):
        mlir_scan.prove(lambda x, y: x.sum() + y, torch.ones(2))


@pytest.mark.parametrize("name", sorted(operators.GALLERY))
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.float64])
def test_rounding_refutes_nothing(name, dtype):
    """Also of other triples than those that associative_scan looks at."""
    function = operators.apply(name)
    example = operators.leaves(name, (2,), dtype)
    verdict = mlir_scan.prove(function, example, solver=False, triples=1000)
    assert verdict.status == "unknown", verdict


def test_associative_scan_refuses():
    x = torch.rand(2, 5)
    with pytest.raises(mlir_scan.AssociativityError,
                       match=r"combine_fn is not associative: with a = 0, b = 0, c = 1, .*"
                             "check_associativity=False") as caught:
        scan.associative_scan(average, x, 1)
    assert caught.value.verdict.refuted
    assert isinstance(caught.value, mlir_scan.ScanError)
    # Not only the first time.
    for _ in range(2):
        with pytest.raises(mlir_scan.AssociativityError):
            scan.associative_scan(average, x, 1, combine_mode="generic")
    with pytest.raises(mlir_scan.AssociativityError):
        scan.associative_scan_step(average, x[0], x[1])


def test_it_goes_on_without_the_check(monkeypatch):
    x = torch.tensor([4.0, 8.0, 2.0])
    expected = [4.0, 6.0, 4.0]
    assert scan.associative_scan(average, x, 0, check_associativity=False).tolist() == expected
    # What was made without the check is not taken where it is asked for.
    with pytest.raises(mlir_scan.AssociativityError):
        scan.associative_scan(average, x, 0)
    assert scan.associative_scan_step(average, x[:2], x[1:],
                                      check_associativity=False).tolist() == [6.0, 5.0]
    for value in ("0", "off"):
        monkeypatch.setenv("SCAN_CHECK_ASSOCIATIVITY", value)
        assert scan.associative_scan(lambda p, q: (p + q) / 2, x, 0).tolist() == expected


def test_an_operator_is_looked_at_once(monkeypatch):
    texts = []
    verdicts = proof._verdicts

    def count(text, **options):
        texts.append(text)
        return verdicts(text, **options)

    monkeypatch.setattr(proof, "_verdicts", count)
    proof._quick.cache_clear()

    def combine(x, y):
        return x + y * 1.0

    for steps in (3, 5, 7):
        scan.associative_scan(combine, torch.ones(steps), 0)
    assert len(texts) == 1
    scan.associative_scan(combine, torch.ones(3, dtype=torch.float64), 0)
    assert len(texts) == 2


@pytest.mark.parametrize("name", ["add", "affine", "online_softmax", "quaternion"])
def test_the_check_is_quick(name):
    """5 ms of processor time on current machines; ten times as much is a mistake."""
    text = scan._associative.proof_text(operators.apply(name), operators.leaves(name, (2,)))
    times = []
    for _ in range(5):
        proof._quick.cache_clear()
        start = time.process_time()
        proof.check(text, name)
        times.append(time.process_time() - start)
    print(f"{name}: {min(times) * 1e3:.2f} ms")
    assert min(times) < 0.05
