"""The models: what each takes, and what has to hold of it (corpus.py).

`inputs` has one line per argument: TYPE, SHAPE (extents by letter, comma-separated; `-` for
a scalar), and for numbers the bounds that they are drawn from. `launches` is how many
it takes: as many as it has loops over time that depend on each other. `least` is what these
move, each what it has to read and to write, over the compulsory traffic of the program: 1 for
one loop. `backward` is how many its gradient takes, with the forward pass that it needs:
MOST_BACKWARD at most. It moves MOST_BACKWARD_TRAFFIC times at most what it has to: states that
are as large as the inputs are written by the one pass and read by the other, and both read the
inputs. `extents` has extents of the gradient that those of the arguments do not say: of
cotangents, and how many steps a shift by one moves out, min(T, 1). `known` has what does not
hold yet, as it was measured:

  launches    how many there are, or the message with which it is refused
  traffic     the ratio, as it is printed
  spills      by chip, the most bytes that one kernel has to spill
  backward    how many launches the gradient takes, or the message with which it is refused
  backward_traffic    the ratio for the gradient, as it is printed
  numbers, gradients   the message with which they are refused
"""

import dataclasses
import zlib

import numpy as np

CHIPS = ("sm_80", "sm_90", "sm_100")
MOST_BACKWARD = 4
MOST_BACKWARD_TRAFFIC = 3
SMALL = {"B": 2, "C": 5, "H": 3, "N": 4, "P": 3, "1": 1, "2": 2, "3": 3, "4": 4, "8": 8}
LARGE = SMALL | {"B": 8, "C": 512, "H": 16, "P": 64}
TYPES = {"f32": np.float32, "c64": np.complex64, "i32": np.int32, "i1": np.bool_}


@dataclasses.dataclass
class Model:
    name: str
    inputs: list
    reference: str = ""
    launches: int = 1
    least: float = 1
    backward: int = 2
    differentiable: bool = True
    # Extents besides those of the arguments, for the traffic of the gradient.
    extents: dict = dataclasses.field(default_factory=dict)
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


BTC = "f32 B,T,C"
MODELS = [
    Model("bidirectional", [BTC + " 0 0.9", BTC]),
    Model("bidirectional_bct", ["f32 B,C,T 0 0.9", "f32 B,C,T"]),
    # What the taps give to the input is read at other steps.
    Model("biquad", ["f32 B,T", "f32 -", "f32 -", "f32 -", "f32 2,2 -0.5 0.5"], backward=3,
          known={"backward_traffic": "3.33"}),
    # Each step writes one element of the result, which is not filled. Its gradient asks who was the last to write to a
    # place, as places of a scatter may be equal.
    Model("compaction", ["i1 T", "f32 T"], backward=3, extents={"arg2_d0": 1024},
          known={"backward_traffic": "4.56"}),
    # What is gated in front of the convolution is computed once for all of its steps, by itself; and what the
    # convolution gives to its input is read at other steps.
    Model("conv_bct", ["f32 B,C,T", "f32 B,C,T", "f32 C,3", "f32 C 0 0.9"], backward=4,
          known={"backward_traffic": "3.4"}),
    Model("conv_gate_carry", [BTC, "f32 4,C", BTC, BTC, "f32 B,C"], backward=3),
    Model("counter", ["i32 B,T 0 255"], differentiable=False),
    Model("cummax_index", ["f32 B,T"]),
    Model("discounted_return", ["f32 B,T", "i1 B,T", "f32 B"], backward=1),
    Model("ema", [BTC, "f32 C 0.1 0.95"]),
    Model("fill_forward", ["i1 B,T", "f32 B,T"], backward=1),
    Model("gae", ["f32 B,T", "f32 B,T", "f32 B,1"], backward=3,
          extents={"n0": 1, "arg3_d0": 8, "arg3_d1": 1024}),
    Model("hgrn2", ["f32 B,T,4 0 1", BTC, "f32 B,T,4"]),
    Model("hmm_forward", ["f32 2,2 0.1 0.9", "f32 B,T,2 0.1 0.9", "f32 2 0.2 0.8"], known={"backward_traffic": "3.8"}),
    Model("holt", ["f32 B,T", "f32 - 0.2 0.8", "f32 - 0.1 0.5"]),
    Model("kalman", ["f32 B,T", "f32 B,T 0.1 1", "f32 B,T 0.1 1", "f32 B", "f32 B 0.5 1"]),
    # The features of q and k are the same for all channels, and a kernel of their own: eight exponentials per step and
    # channel take longer (recompute.test). In the gradient, those of the features come at the end, when the sums over the
    # channels are complete.
    Model("linear_attention", ["f32 B,T,4", "f32 B,T,4", BTC], backward=4, known={"launches": 2}),
    Model("logcumsumexp", ["f32 B,T -3 3"]),
    Model("loglik", ["f32 B,T", "f32 B,T", "f32 B,T"], backward=1),
    Model("lru", [BTC, "f32 C -3 0", "f32 C 0 3"]),
    Model("mamba", [BTC, BTC + " 0.1 1", "f32 C,4 -2 -0.1", "f32 B,T,4", "f32 B,T,4"],
          known={"backward_traffic": "3.19"}),
    Model("mamba2", ["f32 B,T,H,P", "f32 B,T,H 0 0.9", "f32 B,T,4", "f32 B,T,4"], known={"backward_traffic": "4.3"}),
    Model("mamba_bct", ["f32 B,C,T", "f32 B,C,T 0.1 1", "f32 C,4 -2 -0.1", "f32 B,4,T", "f32 B,4,T"], backward=3,
          known={"backward_traffic": "4.19"}),
    # The norm needs the sum over all channels: what it is of is written and read once more, in another launch. So it is in the
    # gradient, for which states are computed twice; the gradient of the convolution reads that of its result at other steps.
    Model("mamba_block", [BTC, "f32 4,C", "f32 C", BTC, "f32 C", "f32 C,4 -2 -0.1", "f32 B,T,4", "f32 B,T,4", "f32 C", BTC, "f32 C"],
          launches=2, least=1.5, backward=4),
    Model("mamba_tbc", ["f32 T,B,C", "f32 T,B,C 0.1 1", "f32 C,4 -2 -0.1", "f32 T,B,4", "f32 T,B,4"],
          known={"backward_traffic": "3.19"}),
    Model("mingru", [BTC + " -2 2", BTC, "f32 B,C"]),
    Model("mingru_norm", [BTC, BTC, "f32 B,C", "f32 C", BTC], launches=2, least=1.5, backward=3),
    Model("mingru_tbc", ["f32 T,B,C -2 2", "f32 T,B,C", "f32 B,C"]),
    Model("minlstm", [BTC + " -2 2", BTC + " -2 2", BTC]),
    Model("prefix_softmax", [BTC + " -3 3", BTC]),
    # The gradients of two convolutions and of what they share are three arrays, in one launch.
    Model("qrnn", [BTC, "f32 2,C", "f32 2,C", BTC], backward=3),
    Model("rglru", [BTC, BTC, BTC, "f32 C -2 2"]),
    Model("s5", ["c64 4 -0.5 0.5", "c64 B,T,4", "c64 2,4", "f32 2", "f32 B,T,2"]),
    Model("segmented_sum", ["i1 B,T", "f32 B,T"], backward=1),
    Model("sru", [BTC, BTC, BTC, BTC]),
    Model("sru_tbc", ["f32 T,B,C", "f32 T,B,C", "f32 T,B,C", "f32 T,B,C"]),
    Model("token_shift", [BTC, "f32 B,C", "f32 C 0 1", "f32 C 0 0.9"], backward=4, extents={"n0": 1}),
    # Pivots, elimination and substitution are loops that depend on each other: each needs results at other steps, or all of
    # the one before. The first reads a, b and c and writes the ratio that the others need, the second reads that, a, b and
    # d and writes what it eliminates to, the third reads both and writes x: 4 arrays, 5 and 3. The gradient has six loops
    # over time, of which four depend on each other: that of the substitution, which needs the pivots only, goes with the
    # elimination, and that of the elimination with the substitution.
    Model("tridiagonal", ["f32 B,T", "f32 B,T 2.5 3", "f32 B,T", "f32 B,T"], launches=3, least=12 / 5, backward=4,
          known={"backward_traffic": "4.67"}),
    Model("welford", ["f32 B,T"]),
    Model("wkv", [BTC, BTC, "f32 C 0.1 1", "f32 C"]),
]
