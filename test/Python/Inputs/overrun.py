"""Errors that the sanitizers find, in a process that this one starts.

usage: overrun.py memory | extension | nothing

memory: a write past the end of allocated memory. extension: an array that claims to be
longer than its memory is handed to mlir_scan. nothing: expects that nothing is preloaded.
"""

import os
import subprocess
import sys

MEMORY = """
import ctypes
everything = ctypes.CDLL(None)
everything.malloc.restype = ctypes.c_void_p
everything.memset(ctypes.c_void_p(everything.malloc(8)), 0, 9)
"""
EXTENSION = """
import numpy
import mlir_scan
scan = mlir_scan.compile('''
func.func @sums(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}''', target="reference", cache=False)
print("right", scan(numpy.ones(3000, numpy.float32))[0].shape, flush=True)
scan(numpy.lib.stride_tricks.as_strided(numpy.ones(3000, numpy.float32), (3001,)))
"""

if sys.argv[1] == "nothing":
    assert not os.environ.get("LD_PRELOAD")
    sys.exit()
script = MEMORY if sys.argv[1] == "memory" else EXTENSION
sys.exit(subprocess.run([sys.executable, "-c", script], check=False).returncode)
