"""What is measured: workloads, each a list of cases.

    a  float32 sum, 1-D                     e  d with time innermost
    b  linear pair, 1-D                     f  softmax pair, argmax, 2x2 matrices,
    c  cumsum [4, L, 512] along L              complex recurrence
    d  linear recurrence [B, T, C], forward g  packed sequences
       and forward with backward

    h  models of examples/ and their gradients, with dynamic and with static extents
    dynamic  programs whose extents are dynamic, at extents from 1 to 2^30 elements: few
             long scans, many short ones, and what is in between; models of examples/ too
"""

import dataclasses
import math
import random

from models import MODELS, Array

TITLES = {
    "a": "float32 sum, 1-D", "b": "linear pair, 1-D", "c": "cumsum [4, L, 512] along L",
    "d": "linear recurrence [B, T, C]", "e": "linear recurrence [B, C, T]",
    "f": "other operators", "g": "packed sequences", "h": "models and their gradients",
    "dynamic": "dynamic extents, beside static ones with the best measured schedule",
}
BATCH_CHANNELS = ((4, 2048), (8, 1536), (8, 1024), (16, 512))


@dataclasses.dataclass(frozen=True)
class Case:
    """One program at one shape.

    `size` is what grows within a workload (elements of 1-D scans, else time steps);
    `shape` is that of the scanned arrays, without the dimensions of small matrices.
    Headline cases are measured first; contenders that take long to build see only
    these, unless asked for all.
    """

    workload: str
    operator: str
    shape: tuple
    dim: int
    element: str
    size: int
    reverse: bool = False
    is_derivative: bool = False
    is_headline: bool = False
    is_default: bool = True

    @property
    def is_dynamic(self):
        """Whether the program's types leave its extents open."""
        return self.workload in ("h", "dynamic")

    @property
    def key(self):
        parts = [self.workload, self.operator.replace(" ", "-"), "x".join(map(str, self.shape)),
                 self.element.replace("complex<f32>", "c64")]
        parts += [f"dim{self.dim}"] * (self.is_dynamic and len(self.shape) > 1)
        parts += ["reverse"] * self.reverse + ["backward"] * self.is_derivative
        return "-".join(parts)

    @property
    def series(self):
        """Cases that differ in size only."""
        fixed = [str(extent) if dim != self.dim else "N" for dim, extent in enumerate(self.shape)]
        name = f"{self.operator} [{', '.join(fixed)}] {self.element}"
        return (name + " reverse" * self.reverse + " forward+backward" * self.is_derivative)

    @property
    def inputs(self):
        if self.operator == "cumsum":
            return [Array(self.shape, self.element, "integers")]
        if self.operator == "recurrence":
            kinds = (("spirals", "complex") if self.element.startswith("complex")
                     else ("decays", "normal"))
            arrays = [Array(self.shape, self.element, kind) for kind in kinds]
            # The cotangent of the states.
            return arrays + [Array(self.shape, self.element, "normal")] * self.is_derivative
        if self.operator == "matrices":
            return [Array((*self.shape, 2, 2), "f32", "rotations")]
        if self.operator.startswith("packed"):
            kinds = ("integers",) if self.operator == "packed sum" else ("decays", "normal")
            arrays = [Array(self.shape, self.element, kind) for kind in kinds]
            return arrays + [Array((self.sequences + 1,), "i32", "offsets")]
        if self.operator in MODELS:
            inputs, outputs = MODELS[self.operator](self.element, *self.shape)
            return inputs + outputs * self.is_derivative
        return [Array(self.shape, "f32", "normal")]

    @property
    def outputs(self):
        if self.operator in MODELS:
            inputs, outputs = MODELS[self.operator](self.element, *self.shape)
            return outputs + inputs * self.is_derivative
        if self.operator == "cumsum":
            return [Array(self.shape, self.element)]
        if self.operator == "recurrence":
            # With the gradients of a and b.
            return [Array(self.shape, self.element)] * (3 if self.is_derivative else 1)
        if self.operator == "matrices":
            return [Array((*self.shape, 2, 2), "f32")]
        if self.operator.startswith("packed"):
            return [Array(self.shape, self.element)]
        second = "i32" if self.operator == "argmax" else "f32"
        return [Array(self.shape, "f32"), Array(self.shape, second)]

    @property
    def sequences(self):
        """How many are packed: of 512 steps on average."""
        return max(3, self.size // 512)

    @property
    def offsets(self):
        """Where they begin and, last, where all of them end; of any length, 0 too."""
        draw = random.Random(self.size)
        cuts = [draw.randint(0, self.size) for _ in range(self.sequences - 1)]
        return [0, *sorted(cuts), self.size]

    @property
    def elements(self):
        return math.prod(self.shape)

    @property
    def nbytes(self):
        """Compulsory traffic: each input read once, each output written once.

        The backward pass of a recurrence needs a and the states once more: 3 arrays forward, 5
        backward; that of a model its inputs.
        """
        return sum(array.nbytes for array in self.outputs) + self.read_bytes

    @property
    def read_bytes(self):
        read = sum(array.nbytes for array in self.inputs)
        if not self.is_derivative:
            return read
        if self.operator in MODELS:
            inputs, _ = MODELS[self.operator](self.element, *self.shape)
            return read + sum(array.nbytes for array in inputs)
        return read + 2 * Array(self.shape, self.element).nbytes


def _one_dimensional(workload, operator, exponents, headline, default, element="f32"):
    return [Case(workload, operator, (2**k,), 0, element, 2**k, is_headline=k in headline,
                 is_default=k in default) for k in exponents]


def _recurrences(workload, innermost):
    cases = []
    for batch, channels in BATCH_CHANNELS:
        for exponent in range(7, 17):
            time = 2**exponent
            shape = (batch, channels, time) if innermost else (batch, time, channels)
            for element in ("bf16", "f32"):
                for is_derivative in (False, True):
                    cases.append(Case(
                        workload, "recurrence", shape, 2 if innermost else 1, element, time,
                        is_derivative=is_derivative,
                        is_headline=(batch, channels) == (8, 1536) and exponent in (11, 14),
                        is_default=exponent in (7, 9, 11, 13, 14, 16)))
    return cases


def dynamic_cases():
    """Those of the workload `dynamic`."""
    cases = []

    def add(operator, dim, element, *shapes):
        for shape in shapes:
            cases.append(Case("dynamic", operator, shape, dim, element, shape[dim],
                              is_headline=shape == shapes[0]))

    add("cumsum", 0, "f32", (2**28,), (1,), (1000,), (2**14,), (2**17,), (2**20,), (2**24,),
        (2**30,))
    add("cumsum", 1, "f32", (16, 2**23), (1, 1), (10**7, 8), (10**6, 100), (4096, 4096),
        (64, 65536), (65536, 256), (3, 1001), (1, 2**26))
    add("cumsum", 1, "f32", (1, 65536, 64), (1, 2**20, 8), (64, 128, 4096), (4, 8192, 512))
    add("recurrence", 0, "f32", (2**24,), (2**10,), (2**16,), (2**20,), (2**27,))
    add("recurrence", 1, "f32", (8, 2048, 1536), (1, 65536, 64), (1, 2**20, 8), (64, 128, 4096),
        (16, 4096, 2048), (1, 2048, 1024), (2, 16384, 256), (4, 512, 512), (1024, 32, 1024),
        (3, 1001, 777))
    add("recurrence", 1, "bf16", (8, 2048, 1536), (1, 65536, 64), (4, 8192, 2048),
        (64, 128, 4096))
    add("recurrence", 2, "f32", (8, 1536, 2048), (8, 1536, 16384), (1, 64, 2**18),
        (64, 1024, 64))
    add("softmax", 0, "f32", (2**20,), (2**12,), (2**26,))
    add("matrices", 0, "f32", (2**22,), (2**14,))
    add("argmax", 0, "f32", (2**26,), (2**20,))
    add("mamba", 1, "f32", (8, 2048, 2048), (2, 8192, 2048), (1, 512, 256))
    add("mingru", 1, "bf16", (8, 8192, 2048), (1, 2048, 1024))
    add("griffin", 1, "f32", (8, 4096, 2048), (1, 16384, 256))
    add("s5", 0, "complex<f32>", (65536, 256), (4096, 64))
    return cases


def model_cases():
    """Those of the workload h."""
    cases = []

    def add(operator, elements, forward, backward):
        for element in elements:
            for shape, is_derivative in ((forward, False), (backward, True)):
                cases.append(Case("h", operator, shape, 1, element, shape[1], is_headline=True,
                                  is_derivative=is_derivative))

    add("mamba", ("f32", "bf16"), (8, 2048, 2048), (4, 2048, 2048))
    # Long sequences, few of them, few channels, many short sequences.
    for shape, element in (((2, 8192, 2048), "f32"), ((1, 2048, 2048), "f32"),
                           ((1, 16384, 256), "f32"), ((32, 512, 1024), "bf16")):
        cases.append(Case("h", "mamba", shape, 1, element, shape[1]))
    for shape in ((1, 2048, 2048), (1, 16384, 256)):
        cases.append(Case("h", "mamba", shape, 1, "f32", shape[1], is_derivative=True))
    add("mamba_block", ("f32", "bf16"), (8, 2048, 2048), (4, 2048, 2048))
    add("hgrn", ("bf16", "f32"), (8, 4096, 2048), (8, 4096, 2048))
    add("mingru", ("bf16",), (8, 4096, 2048), (8, 4096, 2048))
    add("griffin", ("f32", "bf16"), (8, 4096, 2048), (8, 4096, 2048))
    add("rglru", ("f32", "bf16"), (16, 8192, 512), (16, 8192, 512))
    add("s5_layer", ("f32",), (64, 65536, 4), (64, 65536, 4))
    return cases


def all_cases():
    """Every case of the workloads, in their order."""
    even = range(10, 31, 2)
    cases = _one_dimensional("a", "cumsum", range(10, 31), (16, 20, 24, 28), even)
    cases += _one_dimensional("b", "recurrence", range(10, 29), (16, 20, 24, 28), even)
    for length in (512, 1024, 2048, 4096, 8192):
        for reverse in (False, True):
            cases.append(Case("c", "cumsum", (4, length, 512), 1, "f32", length, reverse=reverse,
                              is_headline=length in (512, 8192)))
    cases += _recurrences("d", False) + _recurrences("e", True)
    # One long sequence: fewer blocks of columns than multiprocessors.
    for time in (2**14, 2**16):
        for element in ("f32", "bf16"):
            cases.append(Case("d", "recurrence", (1, time, 2048), 1, element, time))
    for operator in ("softmax", "argmax", "matrices"):
        cases += _one_dimensional("f", operator, (16, 18, 20, 22, 24, 26), (20, 26),
                                  (16, 20, 24, 26))
    for time in (1024, 4096, 16384):
        cases.append(Case("f", "recurrence", (8, time, 1024), 1, "complex<f32>", time,
                          is_headline=time == 4096))
    for exponent in range(12, 18):
        for element in ("bf16", "f32"):
            cases.append(Case("g", "packed recurrence", (2**exponent, 2048), 0, element,
                              2**exponent, is_headline=exponent in (14, 16)))
    cases += _one_dimensional("g", "packed sum", range(16, 29, 2), (20, 26), range(16, 29, 2))
    return cases + model_cases() + dynamic_cases()


# What a workload cannot be measured for.
NOT_MEASURED = {}


def small(case):
    """The case at a size that an emulator and a left fold manage: odd extents."""
    if len(case.shape) == 1:
        shape, size = (1003,), 1003
    elif len(case.shape) == 2:
        shape, size = (77, 35), 77
    else:
        time, others = 77, [2, 35]
        shape = tuple(time if dim == case.dim else others.pop(0) for dim in range(3))
        size = time
    return dataclasses.replace(case, shape=shape, size=size)
