#!/usr/bin/env python3
"""Prefill in chunks, then decode token by token, with the numbers of one long scan.

Writes decode.png: the states, colored by how they were computed.
Run: python decode.py [folder for the picture]
"""

import os
import sys

import torch

import mlir_scan.torch as scan

torch.manual_seed(0)
batch, total, channels = 1, 96, 2
a = torch.sigmoid(torch.randn(batch, total, channels) + 3)
b = torch.randn(batch, total, channels)
whole = scan.linear_recurrence(a, b)

state = torch.zeros(batch, channels)
pieces = []
for start in range(0, 64, 32):                     # the prompt, 32 tokens at a time
    chunk = slice(start, start + 32)
    h, state = scan.linear_recurrence(a[:, chunk], b[:, chunk], state, return_final_state=True)
    pieces.append(h)
for step in range(64, total):                      # then one token at a time
    state = scan.linear_recurrence_step(state, a[:, step], b[:, step])
    pieces.append(state[:, None])
streamed = torch.cat(pieces, 1)
assert torch.equal(streamed, whole), "not bit for bit the same"
print("prefill in chunks and decoding give the numbers of the whole, bit for bit")

import matplotlib  # noqa: E402

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

figure, axes = pyplot.subplots(figsize=(7, 3.5))
for name, (start, end) in {"chunk 1": (0, 32), "chunk 2": (32, 64), "decoded": (64, 96)}.items():
    axes.plot(range(start, end), streamed[0, start:end, 0], ".-", label=name)
axes.legend()
axes.set_xlabel("token")
figure.tight_layout()
path = os.path.join(sys.argv[1] if len(sys.argv) > 1 else ".", "decode.png")
figure.savefig(path, dpi=100)
print("wrote", path)
