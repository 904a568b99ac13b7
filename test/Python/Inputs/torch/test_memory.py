"""A forward and a backward pass hold at most six arrays of the input's size, beside it."""

import os
import subprocess
import sys

import pytest
import sampling

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "memory.py")


@pytest.mark.parametrize("name, shape", [
    (name, shape) for number, name in enumerate(["linear_recurrence", "affine", "logaddexp",
                                                 "cumprod"])
    for shape in sampling.of_today(["1 262144 16", "16 262144"], number)])
def test_memory_of_the_backward_pass(name, shape):
    # AddressSanitizer would hold memory for a while after it is freed.
    options = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=0"
    ran = subprocess.run([sys.executable, SCRIPT, name, *shape.split()], capture_output=True,
                         text=True, check=False,
                         env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path),
                              "ASAN_OPTIONS": options})
    assert ran.returncode == 0, ran.stderr
    # Results, their gradients and those of the inputs; of `affine` two results. A little
    # is the rest of the process.
    assert 1 < float(ran.stdout.split()[0]) <= 6.1, ran.stdout
