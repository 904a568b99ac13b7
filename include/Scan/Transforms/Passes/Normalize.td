//===- Normalize.td - From scans to kernels ----------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMS_PASSES_NORMALIZE_TD
#define SCAN_TRANSFORMS_PASSES_NORMALIZE_TD

include "mlir/Pass/PassBase.td"

def ScanFastMath : Pass<"scan-fast-math"> {
  let summary = "allow approximate functions and divisions everywhere";
  let description = [{
    Adds the flags `afn` (functions may be approximate), `arcp` (a division may
    be a multiplication with the reciprocal) and `contract` (a product and a sum
    may be rounded once) to all floating-point operations, as
    `--fast-math` of `scan-translate` and `scan-run` does before anything else.
    Flags that are there stay; NaNs, infinities, signed zeros and the order of
    additions keep their meaning.

    What it changes is for the target to decide. On NVIDIA GPUs, in f32, with
    the errors that the CUDA C++ Programming Guide (13.0, "Mathematical
    Functions", intrinsic functions) has for them:

    | operation | becomes | error |
    |---|---|---|
    | `arith.divf` | `div.approx.f32` | 2 ulp, for divisors of magnitude 2^-126 to 2^126 |
    | `math.exp` | `ex2.approx.ftz.f32` of a multiple | 2 + floor(1.173 abs(x)) ulp; 0 below 2^-126 |
    | `math.exp2` | `ex2.approx.ftz.f32` | 2 ulp; 0 below 2^-126 |
    | `math.log`, `math.log2`, `math.log10` | `lg2.approx.f32` times a constant | 2^-21.41 absolute in [0.5, 2], else 3 ulp |
    | `math.sin`, `math.cos` | `sin.approx.f32`, `cos.approx.f32` | 2^-21 absolute in [-pi, pi] |
    | `math.powf` | the exponential of a multiple of the logarithm | that of both |

    ```mlir
    func.func @exp(%x: tensor<8xf32>) -> tensor<8xf32> {
      %y = math.exp %x : tensor<8xf32>
      return %y : tensor<8xf32>
    }
    ```

    After `--scan-fast-math`:

    ```mlir
    func.func @exp(%x: tensor<8xf32>) -> tensor<8xf32> {
      %y = math.exp %x fastmath<arcp,contract,afn> : tensor<8xf32>
      return %y : tensor<8xf32>
    }
    ```
  }];
}

def ScanNormalize : Pass<"scan-normalize"> {
  let summary = "turn every scan into scan.kernel";
  let description = [{
    Rewrites `scan.associative` and `scan.linear_recurrence` to `scan.kernel`,
    the one op that the backends read. Nothing about the numbers is left to
    them:

    *   The leaves of the kernel have the types to accumulate in. `load` and
        `initialize` extend, `store` and `finalize` round once, and the combine
        region is retyped so that no 16-bit floating-point arithmetic is left.
    *   Leaves with trailing dimensions are split into one scalar leaf per
        element, and so are the tensor operations of their combine region. An
        operation that has no such rewrite is an error.
    *   `compensated` becomes a second leaf that carries the rounding errors of
        the first.
    *   `scan.linear_recurrence` becomes the composition of affine maps, of
        which only the offset is stored.

    The results keep their types; the outputs are new (`tensor.empty`).

    Before:

    ```mlir
    func.func @rnn(%a: tensor<?xbf16>, %b: tensor<?xbf16>) -> tensor<?xbf16> {
      %h = scan.linear_recurrence ins(%a, %b : tensor<?xbf16>, tensor<?xbf16>) dim = 0
          -> tensor<?xbf16>
      return %h : tensor<?xbf16>
    }
    ```

    After `--scan-normalize`:

    ```mlir
    func.func @rnn(%a: tensor<?xbf16>, %b: tensor<?xbf16>) -> tensor<?xbf16> {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %b, %c0 : tensor<?xbf16>
      %empty = tensor.empty(%n) : tensor<?xbf16>
      %h = scan.kernel dim = 0
          ins(%a, %b : tensor<?xbf16>, tensor<?xbf16>) outs(%empty : tensor<?xbf16>)
          maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
          load {
          ^bb0(%at: bf16, %bt: bf16):
            %a1 = arith.extf %at : bf16 to f32
            %b1 = arith.extf %bt : bf16 to f32
            scan.yield %a1, %b1 : f32, f32
          } combine {
          ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
            %a2 = arith.mulf %a1, %a0 : f32
            %t = arith.mulf %a1, %b0 : f32
            %b2 = arith.addf %t, %b1 : f32
            scan.yield %a2, %b2 : f32, f32
          } store {
          ^bb0(%ai: f32, %bi: f32, %ae: f32, %be: f32, %at: bf16, %bt: bf16):
            %y = arith.truncf %bi : f32 to bf16
            scan.yield %y : bf16
          } -> tensor<?xbf16>
      return %h : tensor<?xbf16>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::scan::ScanDialect", "::mlir::arith::ArithDialect",
    "::mlir::complex::ComplexDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numKernels", "kernels", "Kernels made">];
}

def ScanNormalizeRecurrence : Pass<"scan-normalize-recurrence"> {
  let summary = "turn recurrences with pointwise steps into scan.kernel";
  let description = [{
    Rewrites each `scan.recurrence` whose step is *pointwise* to `scan.kernel` with
    `order = sequential`: an element of the next rows, and of the outputs, depends on the
    same element of the previous rows, on the inputs and captures under any broadcast,
    on constant indices of these, and on its own index and that of the step. So a thread
    walks with the states of its lane in registers, what it reads is prefetched, and
    elementwise code around the recurrence is fused into it, as with every
    other scan.

    Leaves of the kernel are the k previous rows of each state, then the outputs,
    then what a step reads: the combine region is not associative and need not be, since
    the order is sequential. All of them have the types of the rows, so that each
    operation of the body rounds as it was written to.

    The rows of the init that a result has in front (`init_rows`), and final states,
    are put together by `tensor.insert_slice`, which bufferization does in place.

    Others are left as they are, as are those in the body of another recurrence: reads of
    other lanes, reductions over them, rows of different shapes, loops.

    In `--scan-to-gpu` it comes in the place of `--convert-recurrence-to-loops`.

    Before:

    ```mlir
    func.func @tanh(%x: tensor<9x5xf32>, %init: tensor<1x5xf32>) -> tensor<9x5xf32> {
      %h = scan.recurrence ins(%x : tensor<9x5xf32>) init(%init : tensor<1x5xf32>) dim = 0 {
      ^bb0(%t: index, %before: tensor<5xf32>, %row: tensor<5xf32>):
        %sum = arith.addf %before, %row : tensor<5xf32>
        %next = math.tanh %sum : tensor<5xf32>
        scan.yield %next : tensor<5xf32>
      } -> tensor<9x5xf32>
      return %h : tensor<9x5xf32>
    }
    ```

    After `--scan-normalize-recurrence --canonicalize --cse`:

    ```mlir
    func.func @tanh(%x: tensor<9x5xf32>, %init: tensor<1x5xf32>) -> tensor<9x5xf32> {
      %start = tensor.extract_slice %init[0, 0] [1, 5] [1, 1] : tensor<1x5xf32> to tensor<5xf32>
      %empty = tensor.empty() : tensor<9x5xf32>
      %h = scan.kernel dim = 0
          ins(%x : tensor<9x5xf32>) init(%start : tensor<5xf32>) outs(%empty : tensor<9x5xf32>)
          maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>,
                affine_map<(d0, d1) -> (d0, d1)>] attributes {order = #scan.order<sequential>}
          load {
          ^bb0(%e: f32):
            %zero = arith.constant 0.0 : f32
            scan.yield %zero, %e : f32, f32
          } initialize {
          ^bb0(%h0: f32):
            %zero = arith.constant 0.0 : f32
            scan.yield %h0, %zero : f32, f32
          } combine {
          ^bb0(%before: f32, %unused: f32, %zero: f32, %row: f32):
            %sum = arith.addf %before, %row : f32
            %next = math.tanh %sum : f32
            scan.yield %next, %row : f32, f32
          } store {
          ^bb0(%next: f32, %row: f32, %before: f32, %unused: f32, %e: f32):
            scan.yield %next : f32
          } -> tensor<9x5xf32>
      return %h : tensor<9x5xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::scan::ScanDialect", "::mlir::arith::ArithDialect",
    "::mlir::complex::ComplexDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numKernels", "kernels", "Kernels made">];
}

def ScanSinkScalars : Pass<"scan-sink-scalars"> {
  let summary = "compute scalars in the elementwise code and reductions that read them";
  let description = [{
    Scalars that a `linalg` operation of a function reads, as operands or in its
    body, and that `arith` or `math` operations compute of other scalars, are computed in
    its body. Extents, of type `index`, are handed over as `i64`. So a mean may divide
    by an extent: the host of a GPU computes no other numbers than extents and addresses, and
    a kernel has no operands of type `index`.

    Before:

    ```mlir
    func.func @mean(%sum: tensor<4xf32>, %x: tensor<?xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
      %c0 = arith.constant 0 : index
      %extent = tensor.dim %x, %c0 : tensor<?xf32>
      %integer = arith.index_cast %extent : index to i64
      %count = arith.sitofp %integer : i64 to f32
      %mean = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                              iterator_types = ["parallel"]}
          ins(%sum : tensor<4xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%s: f32, %out: f32):
        %m = arith.divf %s, %count : f32
        linalg.yield %m : f32
      } -> tensor<4xf32>
      return %mean : tensor<4xf32>
    }
    ```

    After `--scan-sink-scalars --canonicalize`:

    ```mlir
    func.func @mean(%sum: tensor<4xf32>, %x: tensor<?xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
      %c0 = arith.constant 0 : index
      %extent = tensor.dim %x, %c0 : tensor<?xf32>
      %integer = arith.index_cast %extent : index to i64
      %mean = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>],
                              iterator_types = ["parallel"]}
          ins(%sum, %integer : tensor<4xf32>, i64) outs(%e : tensor<4xf32>) {
      ^bb0(%s: f32, %i: i64, %out: f32):
        %count = arith.sitofp %i : i64 to f32
        %m = arith.divf %s, %count : f32
        linalg.yield %m : f32
      } -> tensor<4xf32>
      return %mean : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect"];
  let statistics = [Statistic<"numSunk", "sunk", "Operations that compute scalars now">];
}

#endif // SCAN_TRANSFORMS_PASSES_NORMALIZE_TD
