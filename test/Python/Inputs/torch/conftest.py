"""The device that the tests run on: MLIR_SCAN_TEST_DEVICE, "cpu" if it is not set.

Data are computed on the CPU, so that they are the same everywhere, and moved. Expected
values are computed by PyTorch, on the device or on the CPU.
"""

import os
import sys

import pytest
import torch

import mlir_scan

# For `sampling`.
sys.path.append(os.path.join(os.path.dirname(__file__), "../../../Inputs"))


@pytest.fixture(scope="session")
def device():
    """Where the tensors of a test are."""
    return torch.device(os.environ.get("MLIR_SCAN_TEST_DEVICE", "cpu"))


@pytest.fixture
def default_device(device):
    """The same, where PyTorch makes tensors unless it is told otherwise."""
    before = torch.get_default_device()
    if before.type != device.type:
        torch.set_default_device(device)
    yield device
    if before.type != device.type:
        torch.set_default_device(before)


@pytest.fixture
def cuda(device):
    """The same, for what only GPUs have. Kernels are waited for: what is measured, or captured,
    is the same each time."""
    if device.type != "cuda":
        pytest.skip(f"needs MLIR_SCAN_TEST_DEVICE=cuda; the tests run on '{device}'")
    with mlir_scan.preparing():
        yield device


@pytest.fixture
def cpu(device):
    """The same, for what only the CPU promises."""
    if device.type != "cpu":
        pytest.skip(f"is about the CPU; the tests run on '{device}'")
    return device


@pytest.fixture
def gradients(device):
    """gradcheck and gradgradcheck with the options that the device needs.

    Kernels on a GPU bracket sums as its blocks come along, so that two runs may differ by
    rounding.
    """
    options = {} if device.type == "cpu" else {"nondet_tol": 1e-9}

    class Checks:
        @staticmethod
        def first(function, inputs):
            assert torch.autograd.gradcheck(function, inputs, **options)

        @staticmethod
        def second(function, inputs):
            assert torch.autograd.gradgradcheck(function, inputs, **options)

    return Checks
