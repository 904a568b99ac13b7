#!/usr/bin/env python3
"""Packed sequences: many lengths in one tensor, each with its own state and gradient.

Writes packed.png: the states of three sequences that lie one after the other.
Run: python packed.py [folder for the picture]
"""

import os
import sys

import torch

import mlir_scan.torch as scan

torch.manual_seed(0)
lengths = [30, 5, 65]
offsets = torch.tensor([0, *torch.tensor(lengths).cumsum(0)], dtype=torch.int32)
total, channels = int(offsets[-1]), 3
a = torch.sigmoid(torch.randn(1, total, channels) + 2).requires_grad_()
b = torch.randn(1, total, channels, requires_grad=True)
h0 = torch.randn(1, len(lengths), channels, requires_grad=True)

h, last = scan.linear_recurrence(a, b, h0, segments=offsets, return_final_state=True)
last.square().sum().backward()

# The same, one sequence at a time.
for number, (start, end) in enumerate(zip(offsets[:-1], offsets[1:])):
    alone = scan.linear_recurrence(a[:, start:end], b[:, start:end], h0[:, number])
    assert torch.equal(alone, h[:, start:end])
print("final states", tuple(last.shape), "gradients", tuple(h0.grad.shape))

import matplotlib  # noqa: E402

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

figure, axes = pyplot.subplots(figsize=(7, 3.5))
axes.plot(h[0].detach())
for edge in offsets:
    axes.axvline(float(edge), color="gray", linewidth=0.8)
axes.set_xlabel("step of the packed tensor")
axes.set_ylabel("states")
figure.tight_layout()
path = os.path.join(sys.argv[1] if len(sys.argv) > 1 else ".", "packed.png")
figure.savefig(path, dpi=100)
print("wrote", path)
