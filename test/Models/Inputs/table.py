"""The models: what each takes, and what has to hold of it (corpus.py).

`inputs` has one line per argument: TYPE, SHAPE (extents by letter, comma-separated; `-` for
a scalar), and for numbers the bounds that they are drawn from. `launches` is how many
it takes: as many as it has loops over time that depend on each other. `known` has what does
not hold yet, as it was measured:

  launches    how many there are, or the message with which it is refused
  traffic     the ratio, as it is printed
  spills      by chip, the most bytes that one kernel spills
  numbers, gradients   the message with which they are refused
"""

import dataclasses
import zlib

import numpy as np

CHIPS = ("sm_80", "sm_90", "sm_100")
SMALL = {"B": 2, "C": 5, "H": 3, "N": 4, "P": 3, "1": 1, "2": 2, "3": 3, "4": 4, "8": 8}
LARGE = SMALL | {"B": 8, "C": 512, "H": 16, "P": 64}
TYPES = {"f32": np.float32, "c64": np.complex64, "i32": np.int32, "i1": np.bool_}


@dataclasses.dataclass
class Model:
    name: str
    inputs: list
    reference: str = ""
    launches: int = 1
    differentiable: bool = True
    known: dict = dataclasses.field(default_factory=dict)

    def __post_init__(self):
        self.reference = self.reference or self.name

    def shapes(self, steps, large=False):
        extents = (LARGE if large else SMALL) | {"T": steps}
        return [tuple(extents[letter] for letter in words.split()[1].split(",") if letter != "-")
                for words in self.inputs]

    def make_inputs(self, steps):
        random = np.random.default_rng([zlib.crc32(self.name.encode()), steps])
        arrays = []
        for words, shape in zip(self.inputs, self.shapes(steps)):
            kind, _, *bounds = words.split()
            low, high = map(float, bounds or (-1, 1))
            if kind == "i1":
                array = random.random(shape) < 0.2
            elif kind == "i32":
                array = random.integers(int(low), int(high) + 1, shape)
            else:
                array = random.uniform(low, high, shape)
                if kind == "c64":
                    array = array + 1j * random.uniform(low, high, shape)
            arrays.append(np.asarray(array, TYPES[kind]))
        return arrays


MODELS = [
    Model("biquad", ["f32 B,T", "f32 -", "f32 -", "f32 -", "f32 2,2 -0.5 0.5"],
          known={"traffic": "unknown", "launches": 6,
                 "gradients": "'tensor.concat' op moves elements in a way that has no derivative here"}),
    Model("cummax_index", ["f32 B,T"]),
    Model("discounted_return", ["f32 B,T", "i1 B,T", "f32 B"]),
    Model("ema", ["f32 B,T,C", "f32 C 0.1 0.95"]),
    Model("hmm_forward", ["f32 2,2 0.1 0.9", "f32 B,T,2 0.1 0.9", "f32 2 0.2 0.8"], known={"traffic": "3.33", "launches": 2, "spills": {chip: 8 for chip in CHIPS}}),
    Model("logcumsumexp", ["f32 B,T -3 3"]),
    Model("mingru", ["f32 B,T,C -2 2", "f32 B,T,C", "f32 B,C"]),
    Model("mingru_tbc", ["f32 T,B,C -2 2", "f32 T,B,C", "f32 B,C"]),
    Model("minlstm", ["f32 B,T,C -2 2", "f32 B,T,C -2 2", "f32 B,T,C"]),
    Model("prefix_softmax", ["f32 B,T,C -3 3", "f32 B,T,C"], known={"spills": {chip: 8 for chip in CHIPS}}),
    Model("segmented_sum", ["i1 B,T", "f32 B,T"], known={"spills": {"sm_100": 8}}),
]
