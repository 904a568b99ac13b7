"""Writes a module of PyTorch as torch-mlir lowers it to linalg, in the generic form.

usage: from_torch.py FILE.mlir
"""

import pathlib
import sys

import torch
from torch_mlir import fx


class Gated(torch.nn.Module):
    def forward(self, x, g):
        return torch.cumsum(x * torch.sigmoid(g), dim=1)


# Two tensors: one that is passed twice is exported as one argument.
inputs = torch.ones(4, 64), torch.ones(4, 64)
module = fx.export_and_import(Gated(), *inputs, output_type="linalg-on-tensors", func_name="main")
text = module.operation.get_asm(print_generic_op_form=True)
pathlib.Path(sys.argv[1]).write_text(text)
