"""Uses an installed package.

usage: installed.py SITE [LIBRARY]

The library is in the folder LIBRARY, or beside the extension.
"""

import os
import pathlib
import sys

import numpy

import mlir_scan
from mlir_scan import _core, runtime  # noqa: F401

site = pathlib.Path(sys.argv[1])
package = site / "mlir_scan"
assert pathlib.Path(mlir_scan.__file__).parent == package
scan = mlir_scan.compile("""
func.func @sums(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}""")
print(numpy.asarray(scan(numpy.array([1, 2, 3], numpy.float32))[0]).tolist())
library = pathlib.Path(_core.library_path)
if len(sys.argv) > 2:
    assert os.path.samefile(library.parent, sys.argv[2])
    print("the library:", library.name)
else:
    assert os.path.samefile(library.parent, package)
    print("the library beside the extension:", library.name)
print(*(name for name in ("_core.pyi", "py.typed") if (package / name).exists()))
