//===- Scatter.td - Ways around scatters -------------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMS_PASSES_SCATTER_TD
#define SCAN_TRANSFORMS_PASSES_SCATTER_TD

include "mlir/Pass/PassBase.td"

def ScanScatterToSelect : Pass<"scan-scatter-to-select"> {
  let summary = "turn scatters of a scalar into constant tensors into elementwise code";
  let description = [{
    A tensor that is a constant but for one element along a dimension, as in the
    gradient of "take state t" or of a cross-entropy loss, need not be filled and
    then written to. Each of its elements is

    ```
    select(iota along the dimension == index, value, fill)
    ```

    which reads the indices only and fuses into a scan that reads it
    (`--scan-fuse-elementwise`). These forms become such a `linalg.generic`:

    *   `scan.scatter` of a scalar (or of a tensor of equal elements) whose index
        tensor has the extent 1 along `dim` and the extents of the destination
        elsewhere.
    *   A nest of `scf.for`, one for each dimension but one, from 0 to the extent
        of the destination by 1, around `tensor.insert` of the scalar; or an
        `scf.forall` over these dimensions with `tensor.parallel_insert_slice` of
        one element. The coordinate along the remaining dimension is a
        `tensor.extract` (behind `arith.index_cast` and `arith.extsi`, if
        anything) from an index tensor at induction variables and constants.
    *   `tensor.scatter` with one `scatter_dims` and one index; or with all
        dimensions, if the coordinates are a `tensor.concat` of iotas
        (`tensor.generate` or `linalg.generic` of an index) and one index tensor.

    The destination is constant if it is a `linalg.fill` (or a `linalg.generic`
    that writes one value), a `tensor.splat` or a splat constant. Extents are
    equal if they are the same constant, value, or dimension of the same tensor.

    A scatter that stays is a missed optimisation: the remark says why. It is
    shown by `--remarks-filter-missed=scan-scatter-to-select`. A scatter stays
    if the index tensor is shorter than the destination; if it writes several
    times along the dimension (a dense index); if the destination is not
    constant; if the source is not a scalar. Loops that are not a scatter are not
    mentioned.

    Before:

    ```mlir
    func.func @one_hot(%index: tensor<4x1xi64>) -> tensor<4x10xf32> {
      %zeros = arith.constant dense<0.0> : tensor<4x10xf32>
      %one = arith.constant 1.0 : f32
      %r = scan.scatter %one into %zeros at %index dim = 1
          : f32 into tensor<4x10xf32> at tensor<4x1xi64>
      return %r : tensor<4x10xf32>
    }
    ```

    After `--scan-scatter-to-select`:

    ```mlir
    func.func @one_hot(%index: tensor<4x1xi64>) -> tensor<4x10xf32> {
      %one = arith.constant 1.0 : f32
      %empty = tensor.empty() : tensor<4x10xf32>
      %r = linalg.generic {
          indexing_maps = [affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%index : tensor<4x1xi64>) outs(%empty : tensor<4x10xf32>) {
      ^bb0(%i: i64, %out: f32):
        %place = arith.index_cast %i : i64 to index
        %value = arith.constant 1.0 : f32
        %fill = arith.constant 0.0 : f32
        %iota = linalg.index 1 : index
        %here = arith.cmpi eq, %iota, %place : index
        %element = arith.select %here, %value, %fill : f32
        linalg.yield %element : f32
      } -> tensor<4x10xf32>
      return %r : tensor<4x10xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numScatters", "scatters", "Scatters turned into selects">,
    Statistic<"numMissed", "missed", "Scatters that stay">];
}

def ScanScatterToLoops : Pass<"scan-scatter-to-loops"> {
  let summary = "turn scatters into loops that write one element after the other";
  let description = [{
    Makes a nest of `scf.for` of each `scan.scatter` and each `tensor.scatter`:
    what `--scan-to-cpu` does to those that `--scan-scatter-to-select` leaves. A
    `scan.scatter` whose extents may not fit stops the program when it runs
    (`cf.assert`), as scans do.

    Before:

    ```mlir
    func.func @put(%x: tensor<8xf32>, %dest: tensor<?xf32>, %index: tensor<8xindex>) -> tensor<?xf32> {
      %r = scan.scatter %x into %dest at %index dim = 0
          : tensor<8xf32> into tensor<?xf32> at tensor<8xindex>
      return %r : tensor<?xf32>
    }
    ```

    After `--scan-scatter-to-loops`:

    ```mlir
    func.func @put(%x: tensor<8xf32>, %dest: tensor<?xf32>, %index: tensor<8xindex>) -> tensor<?xf32> {
      %c8 = arith.constant 8 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r = scf.for %p = %c0 to %c8 step %c1 iter_args(%t = %dest) -> (tensor<?xf32>) {
        %i = tensor.extract %index[%p] : tensor<8xindex>
        %e = tensor.extract %x[%p] : tensor<8xf32>
        %c0_0 = arith.constant 0 : index
        %n = tensor.dim %t, %c0_0 : tensor<?xf32>
        %inside = arith.cmpi ult, %i, %n : index
        %next = scf.if %inside -> (tensor<?xf32>) {
          %u = tensor.insert %e into %t[%i] : tensor<?xf32>
          scf.yield %u : tensor<?xf32>
        } else {
          scf.yield %t : tensor<?xf32>
        }
        scf.yield %next : tensor<?xf32>
      }
      return %r : tensor<?xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numScatters", "scatters", "Scatters turned into loops">];
}

def ScanFuseScatter : Pass<"scan-fuse-scatter"> {
  let summary = "let the scan that computes where elements go write them there";
  let description = [{
    A `scan.scatter` along the scan dimension whose indices a `scan.kernel` computes
    becomes a scattered output of that kernel: the indices are never in memory. Steps
    write in any order, so that the indices of a line have to differ. This is known of
    a stream compaction: an index counts the flags before its own (or up to it), and is
    negative where no flag is; the flag may be an input, or be computed of inputs. A
    count of n bits comes around after 2^n steps: where there may be more, an `scf.if`
    has the kernel and the scatter for them.

    What all elements are filled with at first would be written twice. Counts of flags
    that begin at zero leave as many elements at the end as there are steps without a
    flag: each of these writes the fill value to one of them, from the end on, and the
    result needs no other value.

    A scatter stays if its indices are not known to differ, if its result is not known
    to have the extents of the index tensor, or if something between the kernel and the
    scatter reads the kernel. The remark says why
    (`--remarks-filter-missed=scan-fuse-scatter`).

    Before:

    ```mlir
    func.func @compact(%flag: tensor<?xi1>, %x: tensor<?xf32>) -> tensor<?xf32> {
      %c0_i64 = arith.constant 0 : i64
      %zero = arith.constant 0.0 : f32
      %c0 = arith.constant 0 : index
      %n = tensor.dim %flag, %c0 : tensor<?xi1>
      %e = tensor.empty(%n) : tensor<?xi64>
      %at = scan.kernel dim = 0
          ins(%flag : tensor<?xi1>) init(%c0_i64 : i64) outs(%e : tensor<?xi64>)
          maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>]
          load {
          ^bb0(%f: i1):
            %l = arith.extui %f : i1 to i64
            scan.yield %l : i64
          } initialize {
          ^bb0(%i: i64):
            scan.yield %i : i64
          } combine {
          ^bb0(%acc: i64, %new: i64):
            %s = arith.addi %acc, %new : i64
            scan.yield %s : i64
          } store {
          ^bb0(%inclusive: i64, %before: i64, %f: i1):
            %none = arith.constant -1 : i64
            %place = arith.select %f, %before, %none : i64
            scan.yield %place : i64
          } -> tensor<?xi64>
      %d = tensor.empty(%n) : tensor<?xf32>
      %zeros = linalg.fill ins(%zero : f32) outs(%d : tensor<?xf32>) -> tensor<?xf32>
      %y = scan.scatter %x into %zeros at %at dim = 0 : tensor<?xf32> into tensor<?xf32> at tensor<?xi64>
      return %y : tensor<?xf32>
    }
    ```

    After `--scan-fuse-scatter`:

    ```mlir
    func.func @compact(%arg0: tensor<?xi1>, %arg1: tensor<?xf32>) -> tensor<?xf32> {
      %c0_i64 = arith.constant 0 : i64
      %cst = arith.constant 0.000000e+00 : f32
      %c0 = arith.constant 0 : index
      %dim = tensor.dim %arg0, %c0 : tensor<?xi1>
      %0 = tensor.empty(%dim) : tensor<?xi64>
      %1 = tensor.empty(%dim) : tensor<?xf32>
      %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<?xf32>) -> tensor<?xf32>
      %c0_0 = arith.constant 0 : index
      %dim_1 = tensor.dim %arg0, %c0_0 : tensor<?xi1>
      %3 = tensor.empty(%dim_1) : tensor<?xf32>
      %4:2 = scan.kernel dim = 0
          ins(%arg0, %arg1 : tensor<?xi1>, tensor<?xf32>) init(%c0_i64 : i64) outs(%0, %3 : tensor<?xi64>, tensor<?xf32>)
          maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>]
          load {
          ^bb0(%arg2: i1, %arg3: f32):
            %5 = arith.extui %arg2 : i1 to i64
            scan.yield %5 : i64
          } initialize {
          ^bb0(%arg2: i64):
            scan.yield %arg2 : i64
          } combine {
          ^bb0(%arg2: i64, %arg3: i64):
            %5 = arith.addi %arg2, %arg3 : i64
            scan.yield %5 : i64
          } store {
          ^bb0(%arg2: i64, %arg3: i64, %arg4: i1, %arg5: f32):
            %c-1_i64 = arith.constant -1 : i64
            %5 = arith.select %arg4, %arg3, %c-1_i64 : i64
            %6 = arith.index_cast %arg3 : i64 to index
            %7 = scan.index 0 : index
            %8 = arith.subi %6, %7 : index
            %c1 = arith.constant 1 : index
            %9 = arith.subi %8, %c1 : index
            %cst_2 = arith.constant 0.000000e+00 : f32
            %10 = arith.select %arg4, %arg5, %cst_2 : f32
            %11 = arith.select %arg4, %6, %9 : index
            scan.yield %5, %10, %11 : i64, f32, index
          } -> tensor<?xi64>, tensor<?xf32>
      return %4#1 : tensor<?xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scan::ScanDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numFused", "scatters", "Scatters that became outputs of kernels">,
    Statistic<"numMissed", "missed", "Scatters that stay">];
}

#endif // SCAN_TRANSFORMS_PASSES_SCATTER_TD
