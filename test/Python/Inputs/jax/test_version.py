"""The version of XLA's interface for custom calls that the handlers were built for."""

import os
import subprocess
import sys

import jax
import pytest
from mlir_scan import _core

PROGRAM = """
import jax
jax.ffi.include_dir = lambda: {include!r}
try:
    import mlir_scan.jax
    print("imported")
except ImportError as error:
    print(error)
print(jax.numpy.arange(4).sum())
"""


@pytest.mark.parametrize("version, message", [
    ((0, 1), "imported"),
    ((1, 0), "imported"),
    ((0, 0), "mlir_scan.jax: expected a jaxlib whose interface for custom calls (XLA FFI) has "
             "version 0.1 or a later one, for which this mlir_scan was built; found jaxlib "
             f"{jax.lib.__version__} with 0.0; install a newer jaxlib, or build mlir_scan with "
             "the headers of an older one")])
def test_version_of_jaxlib(tmp_path, version, message):
    # Later versions of jaxlib load what was built for the first one.
    assert _core.xla_ffi_version == (0, 1)
    header = tmp_path / "xla" / "ffi" / "api" / "c_api.h"
    header.parent.mkdir(parents=True)
    header.write_text("#define XLA_FFI_API_MAJOR {}\n#define XLA_FFI_API_MINOR {}\n".format(
        *version))
    run = subprocess.run([sys.executable, "-c", PROGRAM.format(include=str(tmp_path))],
                         capture_output=True, text=True, check=True,
                         env={**os.environ, "JAX_PLATFORMS": "cpu"})
    # JAX itself works without the handlers.
    assert run.stdout.splitlines() == [message, "6"]
