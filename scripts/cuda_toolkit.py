#!/usr/bin/env python3
"""Finds ptxas and libdevice: the CUDA Toolkit, or its wheels in .venv.

As a program, prints the root folder (the one that holds bin/ptxas and
nvvm/libdevice/libdevice.10.bc), or fails with one line if there is none.
"""

import os
import shutil
import sys

LIBDEVICE = os.path.join("nvvm", "libdevice", "libdevice.10.bc")


def candidates():
    """Folders that may be the root of a toolkit, the preferred one first."""
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(variable):
            yield os.environ[variable]
    yield "/usr/local/cuda"
    ptxas = shutil.which("ptxas")
    if ptxas:
        yield os.path.dirname(os.path.dirname(os.path.realpath(ptxas)))
    checkout = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    library = os.path.join(checkout, ".venv", "lib")
    if os.path.isdir(library):
        for python in sorted(os.listdir(library)):
            yield os.path.join(library, python, "site-packages", "nvidia", "cu13")


def find():
    """The root folder of a toolkit with both parts, or None."""
    for root in candidates():
        if os.access(os.path.join(root, "bin", "ptxas"), os.X_OK) and os.path.isfile(
            os.path.join(root, LIBDEVICE)
        ):
            return root
    return None


if __name__ == "__main__":
    root = find()
    if root is None:
        sys.exit(
            "no ptxas with libdevice: set CUDA_HOME to a CUDA Toolkit, "
            "or run scripts/bootstrap.sh to install its wheels"
        )
    print(root)
