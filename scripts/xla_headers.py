#!/usr/bin/env python3
"""Puts the headers of XLA's custom calls into .venv/xla, from an old jaxlib.

usage: xla_headers.py

XLA loads handlers that were built for its own version of the interface (XLA FFI) or for an
earlier one, and refuses those of a later one. The headers of VERSION have version 0.1,
which every jaxlib from 0.5 on loads; jaxlib 0.10 has 0.3. Run it with the Python of the
environment; what is there already stays.
"""

import glob
import os
import subprocess
import sys
import tempfile
import zipfile

VERSION = "0.6.2"
PREFIX = "jaxlib/include/"


def main():
    folder = os.path.join(sys.prefix, "xla")
    stamp = os.path.join(folder, VERSION)
    if os.path.exists(stamp):
        return
    with tempfile.TemporaryDirectory() as download:
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps",
                        "--disable-pip-version-check", "--no-input", "--only-binary=:all:",
                        "-d", download, f"jaxlib=={VERSION}"], check=True)
        with zipfile.ZipFile(glob.glob(os.path.join(download, "*.whl"))[0]) as wheel:
            for name in wheel.namelist():
                if not name.startswith(PREFIX + "xla/ffi/api/") or name.endswith("/"):
                    continue
                path = os.path.join(folder, "include", name[len(PREFIX):])
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as file:
                    file.write(wheel.read(name))
    with open(stamp, "w", encoding="utf-8"):
        pass


if __name__ == "__main__":
    main()
