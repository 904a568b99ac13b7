#!/usr/bin/env python3
"""Cumulative sums and products, and an operator of one's own.

Writes cumulative.png: a random walk, its running maximum, and the drawdown, all
computed by scans. Run: python cumulative.py [folder for the picture]
"""

import os
import sys

import torch

import mlir_scan.torch as scan

torch.manual_seed(0)
steps = torch.randn(4, 1000)
walk = scan.cumsum(steps, dim=1)
torch.testing.assert_close(walk, torch.cumsum(steps, 1), rtol=1e-4, atol=1e-4)

growth = scan.cumprod(1 + steps / 100, dim=1)
peak = scan.cummax(growth, dim=1).values
drawdown = 1 - growth / peak


# Any associative operator over any pytree of tensors: mean and variance so far, by the
# formula that does not cancel (Chan, Golub and LeVeque, 1983).
def merge(x, y):
    count = x["n"] + y["n"]
    delta = y["mean"] - x["mean"]
    return {"n": count,
            "mean": x["mean"] + delta * y["n"] / count,
            "m2": x["m2"] + y["m2"] + delta * delta * x["n"] * y["n"] / count}


moments = scan.associative_scan(
    merge, {"n": torch.ones_like(steps), "mean": steps, "m2": torch.zeros_like(steps)}, dim=1)
deviation = (moments["m2"] / moments["n"]).sqrt()
print(f"mean so far {moments['mean'][0, -1]:+.4f}, torch.mean {steps[0].mean():+.4f}")
print(f"deviation   {deviation[0, -1]:+.4f}, torch.std  {steps[0].std(correction=0):+.4f}")
torch.testing.assert_close(deviation[:, -1], steps.std(1, correction=0), rtol=1e-4, atol=1e-4)

import matplotlib  # noqa: E402

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 3.5))
left.plot(growth[0], label="cumprod")
left.plot(peak[0], label="cummax")
left.fill_between(range(1000), growth[0], peak[0], alpha=0.2, label="drawdown")
left.legend()
right.plot(moments["mean"][0], label="mean so far")
right.plot(deviation[0], label="deviation so far")
right.legend()
figure.tight_layout()
path = os.path.join(sys.argv[1] if len(sys.argv) > 1 else ".", "cumulative.png")
figure.savefig(path, dpi=100)
print("wrote", path)
