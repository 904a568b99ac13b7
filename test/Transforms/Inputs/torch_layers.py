"""Compares gradients of examples/recurrent_cells.mlir in f64 with those of torch.nn.

usage: torch_layers.py WORKDIR
"""

import os
import sys

import numpy as np
import torch

import scan_tools

EXAMPLE = os.path.join(os.path.dirname(__file__), "..", "..", "..", "examples", "recurrent_cells.mlir")
BATCH, TIME, INPUT, HIDDEN = 2, 7, 5, 6


def expected(module, x, states, weights, cotangents):
    """The gradients of all arguments. Torch has weights transposed, and time in front."""
    names = ["weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"]
    given = [torch.tensor(w.T.copy() if w.ndim == 2 else w) for w in weights]
    if len(given) == 3:  # One bias: the other one is none.
        given.append(torch.zeros_like(given[2]))
    with torch.no_grad():
        for name, value in zip(names, given):
            getattr(module, name).copy_(value)
    tx = torch.tensor(x, requires_grad=True)
    ts = [torch.tensor(s.transpose(1, 0, 2).copy(), requires_grad=True) for s in states]
    out, last = module(tx, tuple(ts) if len(ts) > 1 else ts[0])
    final = last[1] if len(ts) > 1 else last
    loss = (out * torch.tensor(cotangents[0])).sum()
    loss = loss + (final * torch.tensor(cotangents[1].transpose(1, 0, 2).copy())).sum()
    loss.backward()
    parameters = [getattr(module, n).grad.numpy() for n in names[: len(weights)]]
    return [tx.grad.numpy(), *[s.grad.numpy().transpose(1, 0, 2) for s in ts],
            *[p.T if p.ndim == 2 else p for p in parameters]]


def main():
    work = sys.argv[1]
    os.makedirs(work, exist_ok=True)
    path = lambda name: os.path.join(work, name)
    with open(EXAMPLE) as file:
        text = file.read().replace("f32", "f64")
    with open(path("cells.mlir"), "w") as file:
        file.write(text)
    random = np.random.default_rng(5)
    draw = lambda *shape: random.uniform(-0.8, 0.8, shape)
    count = differ = 0
    for entry, parts, states, biases in [("lstm", 4, 2, 1), ("gru", 3, 1, 2)]:
        module = (torch.nn.LSTM if entry == "lstm" else torch.nn.GRU)(INPUT, HIDDEN, batch_first=True).double()
        x, inits = draw(BATCH, TIME, INPUT), [draw(BATCH, 1, HIDDEN) for _ in range(states)]
        weights = [draw(INPUT, parts * HIDDEN), draw(HIDDEN, parts * HIDDEN)]
        weights += [draw(parts * HIDDEN) for _ in range(biases)]
        cotangents = [draw(BATCH, TIME, HIDDEN), draw(BATCH, 1, HIDDEN)]
        arguments = [x, *inits, *weights]
        theirs = expected(module, x, inits, weights, cotangents)
        for options, target in [("", "reference"), ("", "cpu"), (" checkpoint=3", "reference"), (" checkpoint=3", "cpu")]:
            scan_tools.check(["scan-opt", path("cells.mlir"), f"--scan-differentiate=function={entry}{options}",
                              "-o", path("vjp.mlir")])
            command = ["scan-run", path("vjp.mlir"), f"--entry={entry}_vjp", f"--target={target}"]
            for i, array in enumerate(arguments + cotangents):
                np.save(path(f"in{i}.npy"), array)
                command.append(f"--input={path(f'in{i}.npy')}")
            outputs = [path(f"out{i}.npy") for i in range(len(arguments))]
            scan_tools.check([*command, *[f"--output={o}" for o in outputs]])
            for i, (output, want) in enumerate(zip(outputs, theirs, strict=True)):
                found = np.load(output)
                count += 1
                if found.shape != want.shape or not np.allclose(found, want, rtol=1e-11, atol=1e-12):
                    differ += 1
                    print(f"{entry}{options} on {target}: gradient {i} is\n{found}\nnot\n{want}")
    print(f"{count} gradients, {differ} differ")
    sys.exit(differ > 0)


main()
