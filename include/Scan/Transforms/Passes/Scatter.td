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

#endif // SCAN_TRANSFORMS_PASSES_SCATTER_TD
