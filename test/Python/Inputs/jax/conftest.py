"""What the tests of mlir_scan.jax share: 64-bit types, and the device.

MLIR_SCAN_TEST_DEVICE=cuda runs them on a GPU.
"""

import os

DEVICE = os.environ.get("MLIR_SCAN_TEST_DEVICE", "cpu")
os.environ["JAX_PLATFORMS"] = "cpu" if DEVICE == "cpu" else f"{DEVICE},cpu"

import jax  # pylint: disable=wrong-import-position
import jax.export  # pylint: disable=wrong-import-position
import pytest  # pylint: disable=wrong-import-position

jax.config.update("jax_enable_x64", True)


@pytest.fixture(scope="session", autouse=True)
def _device():
    expected = {"cpu": "cpu", "cuda": "gpu"}[DEVICE]
    assert jax.devices()[0].platform == expected


@pytest.fixture
def on_cpu():
    """Whether the tests run on the CPU."""
    return DEVICE == "cpu"
