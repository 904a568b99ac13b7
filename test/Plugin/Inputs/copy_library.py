"""Copies the library and the plugin under other names, as if another installation
had another version of them.

usage: copy_library.py FROM TO

The copies are libMLIRScam.so.* and MLIRScamPlugin.so; the plugin loads the former.
The new names have as many letters, so that the files need no other change.
"""

import glob
import os
import sys

source, target = sys.argv[1:]
for path in glob.glob(os.path.join(source, "*MLIRScan*.so*")):
    with open(path, "rb") as file:
        content = file.read()
    copy = content.replace(b"libMLIRScan.so", b"libMLIRScam.so")
    assert copy != content, path
    name = os.path.basename(path).replace("MLIRScan", "MLIRScam")
    with open(os.path.join(target, name), "wb") as file:
        file.write(copy)
