"""Programs that are not fused into scans as a whole, for every element type.

usage: programs.py numbers FOLDER                runs them in the emulator
       programs.py ptx PTXAS FOLDER CHIP...      assembles them

One function of several kernels per type: a scan in between, and before and after
it elementwise code with broadcasts, reductions over each dimension and over all,
a transposition, slices, a product of matrices, numbers of elements. The numbers
have to be the interpreter's to the bit. Prints one line per problem and a line with
the counts.
"""

import os
import subprocess
import sys

import sampling
import scan_tools

TYPES = ["i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "complex<f32>",
         "complex<f64>"]
# Extents that are empty, single, and around those of warps and blocks.
SHAPES = [(2, 37), (1, 1), (0, 5), (3, 0), (33, 9)]


def spell(t):
    """add, multiply and a constant of type `t`."""
    if t == "i1":
        return "arith.xori", "arith.andi", "arith.constant true"
    if t.startswith("complex"):
        part = t[8:-1]
        return "complex.add", "complex.mul", f"complex.constant [0.5 : {part}, 0.25 : {part}]"
    if t[0] == "i":
        return "arith.addi", "arith.muli", f"arith.constant 3 : {t}"
    return "arith.addf", "arith.mulf", f"arith.constant 0.5 : {t}"


def make(t):
    add, mul, constant = spell(t)
    if t.startswith("complex"):
        constant += f" : {t}"
    return f"""
#id = affine_map<(a, b, c) -> (a, b, c)>
#first = affine_map<(a, b, c) -> (a)>
func.func @f(%x: tensor<?x?x3x{t}>, %w: tensor<?x{t}>, %s: {t})
    -> (tensor<?x?x3x{t}>, tensor<?x3x{t}>, tensor<?x?x{t}>, tensor<{t}>, tensor<3x?x?x{t}>,
        tensor<?x?x5x{t}>, tensor<?x3x{t}>, tensor<?x?x3xi32>, tensor<?x2x{t}>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = {constant}
  %m = tensor.dim %x, %c0 : tensor<?x?x3x{t}>
  %n = tensor.dim %x, %c1 : tensor<?x?x3x{t}>
  // A product with a broadcast that more than the scan reads.
  %e = tensor.empty(%m, %n) : tensor<?x?x3x{t}>
  %p = linalg.generic {{indexing_maps = [#id, #first, #id], iterator_types = ["parallel", "parallel", "parallel"]}}
      ins(%x, %w : tensor<?x?x3x{t}>, tensor<?x{t}>) outs(%e : tensor<?x?x3x{t}>) {{
  ^bb0(%a: {t}, %b: {t}, %o: {t}):
    %q = {mul} %a, %b : {t}
    %r = {add} %q, %s : {t}
    linalg.yield %r : {t}
  }} -> tensor<?x?x3x{t}>
  %y = scan.associative ins(%p : tensor<?x?x3x{t}>) dim = 1 reverse
      attributes {{order = #scan.order<sequential>}} {{
  ^bb0(%a: {t}, %b: {t}):
    %q = {add} %a, %b : {t}
    scan.yield %q : {t}
  }} -> tensor<?x?x3x{t}>
  // Reductions over the outermost, the innermost, and all dimensions.
  %e0 = tensor.empty(%n) : tensor<?x3x{t}>
  %f0 = linalg.fill ins(%k : {t}) outs(%e0 : tensor<?x3x{t}>) -> tensor<?x3x{t}>
  %r0 = linalg.reduce {{ {add} }} ins(%p : tensor<?x?x3x{t}>) outs(%f0 : tensor<?x3x{t}>) dimensions = [0]
  %e1 = tensor.empty(%m, %n) : tensor<?x?x{t}>
  %f1 = linalg.fill ins(%s : {t}) outs(%e1 : tensor<?x?x{t}>) -> tensor<?x?x{t}>
  %r1 = linalg.reduce {{ {mul} }} ins(%y : tensor<?x?x3x{t}>) outs(%f1 : tensor<?x?x{t}>) dimensions = [2]
  %e2 = tensor.empty() : tensor<{t}>
  %f2 = linalg.fill ins(%k : {t}) outs(%e2 : tensor<{t}>) -> tensor<{t}>
  %r2 = linalg.reduce {{ {add} }} ins(%y : tensor<?x?x3x{t}>) outs(%f2 : tensor<{t}>) dimensions = [0, 1, 2]
  // Other orders and other shapes.
  %e3 = tensor.empty(%m, %n) : tensor<3x?x?x{t}>
  %t3 = linalg.transpose ins(%p : tensor<?x?x3x{t}>) outs(%e3 : tensor<3x?x?x{t}>) permutation = [2, 0, 1]
  %e4 = tensor.empty(%m, %n) : tensor<?x?x5x{t}>
  %f4 = linalg.fill ins(%k : {t}) outs(%e4 : tensor<?x?x5x{t}>) -> tensor<?x?x5x{t}>
  %s4 = tensor.extract_slice %y[0, 0, 1] [%m, %n, 2] [1, 1, 1] : tensor<?x?x3x{t}> to tensor<?x?x2x{t}>
  %i4 = tensor.insert_slice %s4 into %f4[0, 0, 2] [%m, %n, 2] [1, 1, 1] : tensor<?x?x2x{t}> into tensor<?x?x5x{t}>
  %e5 = tensor.empty(%m) : tensor<?x3x{t}>
  %f5 = linalg.fill ins(%k : {t}) outs(%e5 : tensor<?x3x{t}>) -> tensor<?x3x{t}>
  %m5 = linalg.matmul ins(%r1, %r0 : tensor<?x?x{t}>, tensor<?x3x{t}>) outs(%f5 : tensor<?x3x{t}>) -> tensor<?x3x{t}>
  %e6 = tensor.empty(%m, %n) : tensor<?x?x3xi32>
  %g6 = linalg.generic {{indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel"]}}
      outs(%e6 : tensor<?x?x3xi32>) {{
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %l = arith.addi %i, %j : index
    %v = arith.index_cast %l : index to i32
    linalg.yield %v : i32
  }} -> tensor<?x?x3xi32>
  // A result that is a part of something.
  %s7 = tensor.extract_slice %m5[0, 1] [%m, 2] [1, 1] : tensor<?x3x{t}> to tensor<?x2x{t}>
  return %y, %r0, %r1, %r2, %t3, %i4, %m5, %g6, %s7
      : tensor<?x?x3x{t}>, tensor<?x3x{t}>, tensor<?x?x{t}>, tensor<{t}>, tensor<3x?x?x{t}>,
        tensor<?x?x5x{t}>, tensor<?x3x{t}>, tensor<?x?x3xi32>, tensor<?x2x{t}>
}}
"""


def run(command, text):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def numbers(folder):
    """i32 and bf16 with all shapes; of the other types, half of them each day."""
    os.makedirs(folder, exist_ok=True)
    runs = problems = 0
    names = {"complex<f32>": "c64", "complex<f64>": "c128"}
    for number, t in enumerate(TYPES):
        name = names.get(t, t)
        path = os.path.join(folder, f"{name}.mlir")
        if t not in ("i32", "bf16") and not sampling.is_of_today(number, 2):
            continue
        with open(path, "w", encoding="utf-8") as file:
            file.write(make(t))
        for m, n in SHAPES if t in ("i32", "bf16") else SHAPES[:1]:
            command = ["scan-run", path, "--target=emulator", "--compare=reference",
                       "--tolerance=0", f"--seed={number}", f"--input=random:{name}:{m}x{n}x3:1",
                       f"--input=random:{name}:{m}:2", f"--input=random:{name}::3"]
            result = scan_tools.run(command)
            runs += 1
            if result.returncode:
                problems += 1
                print(" ".join(command), result.stdout, result.stderr)
    print(f"{runs} runs, {problems} problems")


def assemble(ptxas, folder, chips):
    kernels = problems = 0
    os.makedirs(folder)
    for index, chip in enumerate(chips):
        for number, t in enumerate(TYPES):
            # Every type on some chip, those of 16 bits on all.
            if t not in ("f16", "bf16") and number % len(chips) != index:
                continue
            ptx = os.path.join(folder, f"{chip}-{number}.ptx")
            result = run(["scan-translate", "--scan-to-ptx", "-", f"--chip={chip}", "--dispatch=false", "-o", ptx,
                          f"--manifest={ptx}.json"], make(t))
            if result.returncode == 0:
                with open(ptx, encoding="utf-8") as file:
                    kernels += file.read().count(".visible .entry")
                result = run([ptxas, f"-arch={chip}", "-v", ptx, "-o", os.devnull], "")
            # The library's code for pow and the like may need a stack; this has none.
            if result.returncode or "spill stores" in result.stderr.replace("0 bytes spill stores",
                                                                            ""):
                problems += 1
                print(chip, t, result.stdout, result.stderr)
    print(f"{len(chips)} chips, {kernels} kernels, {problems} problems")


if __name__ == "__main__":
    if sys.argv[1] == "numbers":
        numbers(sys.argv[2])
    else:
        assemble(sys.argv[2], sys.argv[3], sys.argv[4:])
