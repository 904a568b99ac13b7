"""Runs a program whose functions have the names of functions that compiled code calls.

usage: function_names.py FOLDER TARGET

The program has an exported function, a private one that it calls for each element, and
a private one on tensors. Each takes each of the names, the results are those of the
interpreter.
"""

import os
import sys

import sampling
import scan_tools

# math.cbrt, math.erf and f16 arithmetic are calls of libraries; a check of extents that
# fails calls puts and abort. Neither reversed sums nor 2 a b + b may change places.
PROGRAM = """
func.func private @"SCALAR"(%x: f32) -> f32 {
  %c3 = arith.constant 3.0 : f32
  %y = arith.mulf %x, %c3 : f32
  return %y : f32
}
func.func private @"TENSOR"(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %y, %last = scan.associative ins(%x : tensor<?x3xf32>) dim = 0 reverse {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?x3xf32>, tensor<3xf32>
  return %y : tensor<?x3xf32>
}
func.func @"PUBLIC"(%x: tensor<?x3xf32>, %w: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %e = math.exp %x : tensor<?x3xf32>
  %b = math.cbrt %e : tensor<?x3xf32>
  %p = math.powf %e, %b : tensor<?x3xf32>
  %t = math.tan %p : tensor<?x3xf32>
  %g = math.erf %t : tensor<?x3xf32>
  %h = linalg.map ins(%g : tensor<?x3xf32>) outs(%x : tensor<?x3xf32>) (%v: f32, %i: f32) {
    %n = arith.truncf %v : f32 to f16
    %m = arith.extf %n : f16 to f32
    SCALAR_CALL
    linalg.yield %u : f32
  }
  %r = call @"TENSOR"(%h) : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %y = scan.linear_recurrence ins(%r, %w : tensor<?x3xf32>, tensor<?x3xf32>) dim = 0
      -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
"""
CALL = '%u = func.call @"SCALAR"(%m) : (f32) -> f32'
NAMES = ["abort", "calloc", "cbrtf", "erff", "exit", "expf", "fmaf", "free", "main", "malloc",
         "memcpy", "memmove", "memrefCopy", "memset", "powf", "puts", "tanf", "_start", "__truncsfhf2",
         "__gnu_f2h_ieee", "llvm.exp.f32", "llvm.memcpy.p0.p0.i64", r"\01malloc", "scan.call",
         "scan.user.f", "scan_kernels", "scan_emulator_launch", "scan_emulator_access", "assert_msg",
         "a name / of \\\\ anything"]


def main():
    folder, target, part = sys.argv[1:]
    path = os.path.join(folder, "in.mlir")
    count = wrong = 0
    for number, name in enumerate(NAMES):
        for place in ("PUBLIC", "SCALAR", "TENSOR"):
            # Two programs per name would take twice as long: places take turns.
            if place != ("PUBLIC", "SCALAR", "TENSOR")[number % 3] and place != "PUBLIC":
                continue
            if not sampling.is_of_today(number, int(part)):
                continue
            text = PROGRAM.replace("SCALAR_CALL", CALL).replace(place, name)
            for other in ("PUBLIC", "SCALAR", "TENSOR"):
                text = text.replace(other, other.lower())
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            result = scan_tools.run(
                ["scan-run", path, f"--target={target}", "--compare=reference",
                 "--tolerance=1e-4", "--input=random:f32:5x3:1", "--input=random:f32:5x3:2"])
            count += 1
            if result.returncode != 0:
                wrong += 1
                print(f"{place} {name}: {result.returncode}\n{result.stderr[:400]}")
    print(f"{count} programs, {wrong} wrong")


if __name__ == "__main__":
    main()
