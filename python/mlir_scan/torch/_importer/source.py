# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which line of the user's a node of a graph comes from."""

import os
import re

import torch

_FRAME = re.compile(r'^\s*File "(.+?)", line ([0-9]+)', re.MULTILINE)
_PACKAGES = tuple(os.path.join(os.path.dirname(os.path.abspath(path)), "") for path in (
    torch.__file__, os.path.join(__file__, os.pardir, os.pardir)))


def where(node):
    """(path, line) of the innermost frame of a node that is the user's; ("", 0) if unknown."""
    trace = (getattr(node, "meta", None) or {}).get("stack_trace") or ""
    frames = [(path, int(line)) for path, line in _FRAME.findall(trace)
              if not path.startswith(("<", "torch/"))]
    own = [frame for frame in frames if not os.path.abspath(frame[0]).startswith(_PACKAGES)]
    return (own or [("", 0)])[-1]
