#!/usr/bin/env python3
"""A small RG-LRU network (De et al., Griffin, arXiv:2402.19427) learns selective copying.

Somewhere in a sequence of noise there is one symbol; the network has to say at the end
which one, so its gates must let it in and keep it. Writes rglru_copy.png, the loss by
step.
Run: python rglru_copy.py [folder for the picture]
"""

import os
import sys

import torch
from torch import nn
from torch.nn import functional as F

import mlir_scan.torch as scan


class RGLRU(nn.Module):
    """h_t = a_t h_{t-1} + sqrt(1 - a_t^2) (i_t x_t), a_t = exp(-8 softplus(L) r_t)."""

    def __init__(self, width):
        super().__init__()
        self.gates = nn.Linear(width, 2 * width)
        # a between 0.9 and 0.999 where the gate is one half, as in the paper.
        decay = torch.empty(width).uniform_(0.9, 0.999)
        self.lamb = nn.Parameter(torch.log(torch.expm1(-torch.log(decay) / 4)))

    def forward(self, x, state=None):
        """[batch, time, width] to the same; also the state to go on from."""
        r, i = torch.sigmoid(self.gates(x)).chunk(2, -1)
        log_a = -8 * F.softplus(self.lamb) * r
        b = torch.sqrt(-torch.expm1(2 * log_a)) * (i * x)
        return scan.linear_recurrence(log_a.exp(), b, state, return_final_state=True)


class Network(nn.Module):
    def __init__(self, symbols, noise, width):
        super().__init__()
        self.embed = nn.Embedding(symbols + noise, width)
        self.cell = RGLRU(width)
        self.read = nn.Linear(width, symbols)

    def forward(self, tokens):
        return self.read(self.cell(self.embed(tokens))[0][:, -1])


torch.manual_seed(0)
symbols, noise, length, batch = 4, 4, 32, 64
network = Network(symbols, noise, 32)
optimizer = torch.optim.Adam(network.parameters(), lr=1e-2)
losses = []
for step in range(150):
    tokens = torch.randint(symbols, symbols + noise, (batch, length))
    wanted = torch.randint(0, symbols, (batch,))
    tokens[torch.arange(batch), torch.randint(0, length, (batch,))] = wanted
    loss = F.cross_entropy(network(tokens), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    if step % 30 == 0 or step == 149:
        print(f"step {step:3d}  loss {losses[-1]:.3f}")
assert losses[-1] < 0.5 * losses[0], "the network has not learned"

import matplotlib  # noqa: E402

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

figure, axes = pyplot.subplots(figsize=(6, 3.5))
axes.plot(losses)
axes.set_xlabel("step")
axes.set_ylabel("cross entropy")
figure.tight_layout()
path = os.path.join(sys.argv[1] if len(sys.argv) > 1 else ".", "rglru_copy.png")
figure.savefig(path, dpi=100)
print("wrote", path)
