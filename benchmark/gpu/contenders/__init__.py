"""What is measured side by side. Each module has classes with this interface:

    name              how tables call it
    is_slow           takes long to build: measured for headline cases only, unless asked
    tolerance         how many times the error of others its error may be
    refuse(case)      None, or why it does not do this case
    build(case, sets) a Built: one call per set of inputs and outputs

A contender that is not installed says so in `missing`, and is listed as not measured.
"""

import dataclasses
from typing import Callable, Optional


@dataclasses.dataclass
class Set:
    """Tensors of one call; results may go to `outputs`, which are there already."""

    inputs: list
    outputs: list


@dataclasses.dataclass
class Built:
    """A case made ready.

    calls      per set, launches on PyTorch's current stream
    results    per set, called after its call: a tensor per output of the case, or None
               for what is not computed
    nbytes     what it moves at least, where that differs from the case's compulsory traffic
    sample     instead of calls, for other processes: measures n calls, returns seconds
    check      likewise: the error as a fraction of what is tolerated
    """

    calls: list = dataclasses.field(default_factory=list)
    results: Optional[Callable] = None
    nbytes: Optional[int] = None
    note: str = ""
    sample: Optional[Callable] = None
    check: Optional[Callable] = None
    close: Callable = lambda: None


class Contender:
    name, is_slow, missing, tolerance = "", False, None, 1

    def __init__(self, context):
        self.context = context

    def refuse(self, case):
        raise NotImplementedError

    def build(self, case, sets):
        raise NotImplementedError


def make_all(context):
    """All contenders, also those that are missing here, in the order of the tables."""
    # Each imports what it needs when it is made.
    from . import cub, device_copy, jax_scan, ours, packages, torch_scan, triton_scan

    made = []
    for kind in (*ours.variants(context), device_copy.Copy, torch_scan.Builtin,
                 torch_scan.Associative, torch_scan.Loop, cub.Cub, cub.CubPairs,
                 triton_scan.Sequential, triton_scan.Associative, jax_scan.Associative,
                 packages.Cupy, packages.AcceleratedScan, packages.Fla, packages.MambaSsm):
        made.append(kind(context))
    return made


NAMES = ["ours", "tuned", "static", "fast-math", "static-fast-math", "copy", "torch", "torch-assoc",
         "torch-loop", "cub", "cub-aos", "triton-seq", "triton-assoc", "jax-assoc", "cupy",
         "accelerated-scan", "fla", "mamba-ssm"]
