"""mlir_scan.prove with z3."""

import concurrent.futures
import shutil
import signal
import time

import operators
import pytest
import torch

import mlir_scan
from mlir_scan import proof

needs_z3 = pytest.mark.skipif(not (shutil.which("z3") or proof._find_z3()), reason="no z3 here")


@needs_z3
@pytest.mark.parametrize("name", ["add", "mul", "affine", "online_softmax", "matmul2", "max_plus",
                                  "complex_affine", "segmented_sum"])
def test_proved_up_to_rounding(name):
    verdict = mlir_scan.prove(operators.apply(name), operators.leaves(name, (2,)),
                              timeout=60)
    assert verdict.proved and verdict.status == "proved up to rounding", verdict


@needs_z3
def test_proved_exactly():
    verdict = mlir_scan.prove(lambda x, y: x * y + x + y, torch.ones(2, dtype=torch.int32),
                              timeout=60)
    assert verdict.proved and verdict.status == "proved" and not verdict.refuted
    assert repr(verdict) == "<Verdict proved>"


def test_refuted():
    verdict = mlir_scan.prove(lambda x, y: (x + y) / 2, torch.rand(3))
    assert verdict.refuted and verdict.left != verdict.right
    assert all(isinstance(value, float) for value in (verdict.a, verdict.b, verdict.c))


@pytest.fixture
def slow_z3(tmp_path):
    """A solver that does not answer, and does not end by itself."""
    path = tmp_path / "z3"
    path.write_text("#!/bin/sh\nexec sleep 1000\n")
    path.chmod(0o755)
    return str(path)


def prove_in_threads(count, *arguments, **options):
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        asked = [pool.submit(mlir_scan.prove, *arguments, **options) for _ in range(count)]
        return [future.result() for future in asked]


@needs_z3
def test_two_threads_prove_at_once():
    verdicts = prove_in_threads(2, lambda x, y: x * y + x + y, torch.ones(2, dtype=torch.int32),
                                timeout=60)
    assert [verdict.status for verdict in verdicts] == ["proved", "proved"]


def test_the_limit_is_by_the_clock_in_each_thread(slow_z3):
    begin = time.monotonic()
    verdicts = prove_in_threads(2, lambda x, y: x * y + x + y, torch.ones(2, dtype=torch.int32),
                                timeout=1, triples=0, z3=slow_z3)
    # The two at the same time, and the one second of each: a sleeping process takes no
    # processor time. (What else the machine does may take a while.)
    assert time.monotonic() - begin < 30
    for verdict in verdicts:
        assert verdict.status == "unknown" and "within 1 s" in verdict.reason, verdict


def test_timers_of_the_host_go_on(slow_z3):
    """A process has one alarm, and it is the host's."""
    rings = []

    def ring(*_):
        rings.append(time.monotonic())

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
        verdict = mlir_scan.prove(lambda x, y: x * y + x + y, torch.ones(2, dtype=torch.int32),
                                  timeout=1, triples=0, z3=slow_z3)
        assert verdict.status == "unknown"
        assert signal.getsignal(signal.SIGALRM) is ring
        assert signal.getitimer(signal.ITIMER_REAL)[1] == pytest.approx(0.05)
        count, end = len(rings), time.monotonic() + 30
        while len(rings) == count and time.monotonic() < end:
            time.sleep(0.01)
        assert len(rings) > count
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
