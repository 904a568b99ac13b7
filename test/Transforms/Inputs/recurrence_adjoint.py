"""Compares the derivative of scan.linear_recurrence with one written by hand.

usage: recurrence_adjoint.py WORKDIR TARGET
"""

import os
import sys

import numpy as np

import scan_tools

PROGRAM = """func.func @f(%a: tensor<?x3xT>, %b: tensor<?x3xT>, %i: tensor<3xT>) -> (tensor<?x3xT>, tensor<3xT>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<?x3xT>, tensor<?x3xT>) init(%i : tensor<3xT>) dim = 0 WORDS
      -> tensor<?x3xT>, tensor<3xT>
  return %h, %last : tensor<?x3xT>, tensor<3xT>
}
"""
# Type, how arrays have it, and the unit roundoff.
TYPES = [
    ("f64", np.float64, 2.0**-53),
    ("f32", np.float32, 2.0**-24),
    ("f16", np.float16, 2.0**-11),
    ("complex<f64>", np.complex128, 2.0**-51),
    ("complex<f32>", np.complex64, 2.0**-22),
]


def run(*command):
    done = scan_tools.run(command)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")


def adjoint(a, b, i, dh, dlast):
    """h_t = a_t h_{t-1} + b_t, there and back, step by step."""
    h, states = i, []
    for t in range(len(a)):
        states.append(h)
        h = a[t] * h + b[t]
    g, da, db = dlast, np.zeros_like(a), np.zeros_like(b)
    for t in reversed(range(len(a))):
        g = g + dh[t]
        db[t] = g
        da[t] = np.conj(states[t]) * g
        g = np.conj(a[t]) * g
    return da, db, g


def main():
    work, target = sys.argv[1:]
    os.makedirs(work, exist_ok=True)

    def path(name):
        return os.path.join(work, name)

    count = wrong = 0
    for name, dtype, unit in TYPES:
        for words in ("", "reverse"):
            with open(path("f.mlir"), "w") as file:
                file.write(PROGRAM.replace("xT", "x" + name).replace("WORDS", words))
            run("scan-opt", path("f.mlir"), "--scan-differentiate=function=f", "-o", path("g.mlir"))
            for extent in (1, 33):
                random = np.random.default_rng(extent)

                def draw(*shape, low=-1.0):
                    values = random.uniform(low, 1, shape)
                    if np.dtype(dtype).kind == "c":
                        values = values + 1j * random.uniform(low, 1, shape)
                        values = values / np.sqrt(2)
                    return values.astype(dtype)

                arrays = [draw(extent, 3) * dtype(0.9), draw(extent, 3), draw(3), draw(extent, 3), draw(3)]
                inputs = []
                for k, array in enumerate(arrays):
                    np.save(path(f"in{k}.npy"), array)
                    inputs.append(f"--input={path(f'in{k}.npy')}")
                outputs = [path(f"out{k}.npy") for k in range(3)]
                run("scan-run", path("g.mlir"), "--entry=f_vjp", f"--target={target}", *inputs, *[f"--output={o}" for o in outputs])
                wide = np.complex128 if np.dtype(dtype).kind == "c" else np.float64
                a, b, i, dh, dlast = [x.astype(wide) for x in arrays]
                if words:
                    a, b, dh = a[::-1], b[::-1], dh[::-1]
                da, db, di = adjoint(a, b, i, dh, dlast)
                if words:
                    da, db = da[::-1], db[::-1]
                # States are stored in the type: a few roundings, decaying, and
                # those of f32 on the way.
                steps = 8 if unit > 2.0**-20 else 8 * extent
                count += 1
                for k, (found, expected) in enumerate(zip(outputs, (da, db, di))):
                    found = np.load(found)
                    size = np.max(np.abs(expected)) if expected.size else 0
                    if found.dtype != dtype or np.any(np.abs(found - expected) > steps * unit * (1 + size)):
                        wrong += 1
                        print(f"{name} {words} {extent}: gradient {k} is\n{found}\nnot\n{expected}")
    print(f"{count} derivatives, {wrong} wrong")
    sys.exit(wrong > 0)


main()
