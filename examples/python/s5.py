#!/usr/bin/env python3
"""An S5 layer (Smith, Warrington, Linderman, arXiv:2208.04933): complex diagonal states.

The states of all steps come from one associative scan over pairs (A, B u_t). Writes
s5.png: the layer's response to an impulse, state by state, against the closed form.
Run: python s5.py [folder for the picture]
"""

import os
import sys

import torch

import mlir_scan.torch as scan

torch.manual_seed(0)
inputs, states, length = 1, 8, 200
# A continuous diagonal system with slow and fast modes, made discrete by a zero-order
# hold with the time step delta.
eigenvalues = torch.complex(-torch.linspace(0.5, 2.0, states), torch.linspace(0, 30, states))
delta = 0.02
decay = torch.exp(eigenvalues * delta)
b = torch.randn(states, inputs, dtype=torch.complex64)
b_bar = ((decay - 1) / eigenvalues)[:, None] * b
c = torch.randn(inputs, states, dtype=torch.complex64)


def combine(x, y):
    return y[0] * x[0], y[0] * x[1] + y[1]


def layer(u):
    """[batch, time, inputs] to the same."""
    driven = u.to(torch.complex64) @ b_bar.T
    _, x = scan.associative_scan(combine, (decay.expand_as(driven), driven), dim=1)
    return (x @ c.T).real, x


impulse = torch.zeros(1, length, inputs)
impulse[:, 0] = 1
response, x = layer(impulse)
steps = torch.arange(length)[:, None]
closed_form = decay ** steps * b_bar[:, 0]
torch.testing.assert_close(x[0], closed_form, rtol=1e-3, atol=1e-5)
print(f"largest difference from the closed form: {(x[0] - closed_form).abs().max():.2e}")

import matplotlib  # noqa: E402

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

figure, (top, bottom) = pyplot.subplots(2, 1, figsize=(7, 5), sharex=True)
top.plot(x[0].real)
top.set_ylabel("states")
bottom.plot(response[0, :, 0])
bottom.set_ylabel("response")
bottom.set_xlabel("step")
figure.tight_layout()
path = os.path.join(sys.argv[1] if len(sys.argv) > 1 else ".", "s5.png")
figure.savefig(path, dpi=100)
print("wrote", path)
