"""Models of examples/, and what they take and give: the programs of the workload h, and some of
the workload dynamic."""

import dataclasses
import math
import os
import re

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
BYTES = {"f32": 4, "bf16": 2, "i32": 4, "complex<f32>": 8}


@dataclasses.dataclass(frozen=True)
class Array:
    """An input or output: its shape, element type and, of inputs, what is in it."""

    shape: tuple
    element: str
    values: str = ""

    @property
    def nbytes(self):
        return math.prod(self.shape) * BYTES[self.element]


def _griffin(element, b, t, c):
    steps, state = Array((b, t, c), element, "normal"), Array((b, c), element, "normal")
    return [steps, steps, steps, Array((c,), element, "normal"), state, steps], [steps, state]


def _rglru(element, b, t, c):
    steps, state = Array((b, t, c), element, "normal"), Array((b, c), element, "normal")
    return [steps, steps, steps, Array((c,), element, "normal"), state], [steps, state]


def _mingru(element, b, t, c):
    steps = Array((b, t, c), element, "normal")
    return [steps, steps, Array((b, c), element, "normal")], [steps]


def _mamba(element, b, t, c):
    steps, channel = Array((b, t, c), element, "normal"), Array((c,), element, "normal")
    state = Array((b, t, 16), element, "normal")
    return [steps, steps, channel, Array((c, 16), element, "decays"), state, state, channel,
            steps], [steps]


def _mamba_block(element, b, t, c):
    steps, channel = Array((b, t, c), element, "normal"), Array((c,), element, "normal")
    state = Array((b, t, 16), element, "normal")
    return [steps, Array((4, c), element, "normal"), channel, steps, channel,
            Array((c, 16), element, "decays"), state, state, channel, steps, channel], [steps]


def _s5(_, t, n):
    steps = Array((t, n), "complex<f32>", "complex")
    return [Array((t, n), "complex<f32>", "spirals"), steps], [steps]


def _s5_layer(element, b, t, n):
    steps = Array((b, t, n), element, "normal")
    return [Array((n,), "complex<f32>", "left half"), Array((n,), element, "log steps"),
            Array((b, t, n), "complex<f32>", "complex"), Array((n, n), "complex<f32>", "complex"),
            Array((n,), element, "normal"), steps], [steps]


def _hgrn(element, b, t, c):
    steps = Array((b, t, c), element, "normal")
    return [Array((b, t, c), element, "log decays"), steps], [steps]


# What a model takes and what it gives, by the element type and the shape of its steps.
MODELS = {"griffin": _griffin, "rglru": _rglru, "mingru": _mingru, "mamba": _mamba,
          "mamba_block": _mamba_block, "s5": _s5, "s5_layer": _s5_layer, "hgrn": _hgrn}

# HGRN (Qin et al., 2023, arXiv:2311.04823) without its gates, as other packages have it:
# h_t = exp(g_t) h_{t-1} + x_t.
HGRN = """func.func @hgrn(%g: tensor<?x?x?xf32>, %x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %a = math.exp %g : tensor<?x?x?xf32>
  %h = scan.linear_recurrence ins(%a, %x : tensor<?x?x?xf32>, tensor<?x?x?xf32>) dim = 1
      -> tensor<?x?x?xf32>
  return %h : tensor<?x?x?xf32>
}
"""


# What a block of Mamba has between its products with matrices: functions of the example.
BLOCK = """func.func @scan(%v: tensor<?x?x?xf32>, %w: tensor<4x?xf32>, %bias: tensor<?xf32>,
                    %delta: tensor<?x?x?xf32>, %delta_bias: tensor<?xf32>,
                    %a_log: tensor<?x16xf32>, %b: tensor<?x?x16xf32>, %c: tensor<?x?x16xf32>,
                    %d: tensor<?xf32>, %z: tensor<?x?x?xf32>, %gain: tensor<?xf32>)
    -> tensor<?x?x?xf32> {
  %u = func.call @convolve(%v, %w, %bias)
      : (tensor<?x?x?xf32>, tensor<4x?xf32>, tensor<?xf32>) -> tensor<?x?x?xf32>
  %g = func.call @selective_scan(%u, %delta, %delta_bias, %a_log, %b, %c, %d, %z)
      : (tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?xf32>, tensor<?x16xf32>,
         tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?xf32>, tensor<?x?x?xf32>)
      -> tensor<?x?x?xf32>
  %y = func.call @rms_norm(%g, %gain) : (tensor<?x?x?xf32>, tensor<?xf32>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}
"""


# The arguments of a function, and its results.
_SIGNATURE = re.compile(r"@scan\((.*?)\)\s*->\s*(\(.*?\)|tensor<\S+>)\s*\{\n", re.DOTALL)


def _store_as_bf16(text):
    """The program with arguments and results that are bf16 in memory, and computed in f32."""
    signature = _SIGNATURE.search(text)
    narrow = lambda types: types.replace("f32>", "bf16>")
    widened = "".join(
        f"  {name} = arith.extf {name}_bf16 : {narrow(type)} to {type}\n"
        for name, type in re.findall(r"(%\w+): (tensor<\S+>)", signature[1]))
    arguments = re.sub(r"(%\w+): ", r"\1_bf16: ", narrow(signature[1]))
    results = re.search(r"^  return (.*) : (.*)$", text, re.MULTILINE)
    narrowed = "".join(
        f"  {name}_bf16 = arith.truncf {name} : {type} to {narrow(type)}\n"
        for name, type in zip(results[1].split(", "), results[2].split(", ")))
    names = ", ".join(f"{name}_bf16" for name in results[1].split(", "))
    return (text[:signature.start()] + f"@scan({arguments}) -> {narrow(signature[2])} {{\n" + widened +
            text[signature.end():results.start()] + narrowed + f"  return {names} : {narrow(results[2])}" +
            text[results.end():])


def read(name, element):
    """The program of a model, its function named @scan, with arrays of `element`: one that is
    written for f32 computes in f32."""
    if name == "hgrn":
        text = HGRN
    else:
        with open(os.path.join(EXAMPLES, name + ".mlir"), encoding="utf-8") as file:
            text = file.read()
    first = text.index("func.func")
    if name == "mamba_block":
        parts = text[first:text.index("func.func @mamba_block")]
        parts = re.sub(r"^func\.func private @project\(.*?^}\n", "", parts, flags=re.DOTALL | re.MULTILINE)
        text = text[:first] + BLOCK + parts
    elif (second := text.find("func.func", first + 1)) >= 0:
        text = text[:text.rindex("\n}\n", 0, second) + 3]
    text = text.replace(f"@{name}(", "@scan(")
    return _store_as_bf16(text) if element == "bf16" and "bf16" not in text else text
