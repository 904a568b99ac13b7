#!/usr/bin/env python3
"""Scans in CUDA graphs: PyTorch's functions, and a call that was prepared by hand.

Replays compute over what is in the captured memory then. Needs a GPU.
Run: python cuda_graph.py
"""

import sys

import torch

import mlir_scan
import mlir_scan.torch as scan
from mlir_scan import runtime

if not torch.cuda.is_available():
    print("no GPU that PyTorch can use: nothing is captured")
    sys.exit()

a = torch.rand(8, 4096, 64, device="cuda")
b = torch.rand(8, 4096, 64, device="cuda")


def warm_up(function):
    """One call before the capture, on another stream, as PyTorch asks for.

    It waits for the kernels that are best for these extents, which the graph then has.
    """
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream), mlir_scan.preparing():
        function()
    torch.cuda.current_stream().wait_stream(stream)


# The first call compiles the program and loads its kernels. In the capture results,
# temporaries and workspaces come from the memory of the graph.
warm_up(lambda: scan.linear_recurrence(a, b))
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    h = scan.linear_recurrence(a, b)
for _ in range(3):
    b.uniform_()
    graph.replay()
    torch.testing.assert_close(h, scan.linear_recurrence(a, b))
print("a recurrence was replayed 3 times")

# The same by hand: loading, `prepare` and the memory of results come before the capture, and
# the call with its workspace has to live as long as the graph.
device = runtime.Device()
program = runtime.Program(device, *mlir_scan.ptx(chip=f"sm_{device.compute_capability}", program="""
  func.func @cumsum(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
    %y = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scan.yield %s : f32
    } -> tensor<?x?xf32>
    return %y : tensor<?x?xf32>
  }"""))
x, y = torch.rand(4, 100_000, device="cuda"), torch.empty(4, 100_000, device="cuda")
call = program["cumsum"].prepare(x)
warm_up(lambda: call.launch(x, out=[y]))
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    call.launch(x, out=[y])
for _ in range(3):
    # Whole numbers: their sums are exact in whatever order.
    x.random_(0, 100)
    graph.replay()
    torch.testing.assert_close(y, torch.cumsum(x, 1))
print("prefix sums were replayed 3 times")
