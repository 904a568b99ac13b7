"""Prints how many arrays of an input's size a forward and backward pass hold at most.

usage: memory.py FUNCTION EXTENT...   (of the scan along dimension 1)

Beside the inputs. A process of its own, as the highest point of the memory in use is
that of a process: /proc/self/status has it, or PyTorch's allocator on a GPU.
"""

import os
import sys

import operators
import torch

import mlir_scan.torch as scan

FUNCTIONS = {
    "linear_recurrence": (2, lambda a, b: scan.linear_recurrence(a, b)),
    "affine": (2, lambda a, b: scan.associative_scan(operators.affine, (a, b), 1)[1]),
    "logaddexp": (1, lambda x: scan.associative_scan(torch.logaddexp, x, 1)),
    "cumprod": (1, lambda x: scan.cumprod(x, 1)),
}


def peak(device):
    """The most bytes that were in use since the last `reset`."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
        return torch.cuda.max_memory_allocated(device)
    with open("/proc/self/status") as status:
        line, = (line for line in status if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def reset(device):
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    else:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")


def main(name, *shape):
    device = torch.device(os.environ.get("MLIR_SCAN_TEST_DEVICE", "cpu"))
    torch.set_num_threads(1)
    count, function = FUNCTIONS[name]

    def run(shape):
        leaves = [torch.full(shape, 0.999, device=device, requires_grad=True)
                  for _ in range(count)]
        reset(device)
        before = peak(device)
        result = function(*leaves)
        result.backward(torch.ones_like(result))
        used = peak(device) - before
        assert all(leaf.grad.isfinite().all() for leaf in leaves)
        return used / (leaves[0].numel() * leaves[0].element_size())

    run((shape[0], 64, *shape[2:]))
    print(f"{run(shape):.2f} arrays")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
