//===- ScanOps.td - Operations of the scan dialect ---------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_IR_SCANOPS_TD
#define SCAN_IR_SCANOPS_TD

include "Scan/IR/ScanBase.td"
include "Scan/IR/ScanAssociative.td"
include "Scan/IR/ScanLinearRecurrence.td"
include "Scan/IR/ScanRecurrenceSchedule.td"

//===----------------------------------------------------------------------===//
// scan.yield, scan.clone
//===----------------------------------------------------------------------===//

def Scan_YieldOp : Scan_Op<"yield", [
    Pure, Terminator,
    DeclareOpInterfaceMethods<RegionBranchTerminatorOpInterface>,
    ParentOneOf<["AssociativeOp", "KernelOp", "RecurrenceOp"]>]> {
  let summary = "ends a region of a scan";
  let description = [{
    Passes the values of a region to the scan around it: the combined values of
    a combine region, one per leaf; the leaves or outputs of the maps of a
    `scan.kernel`; the rows of a step of a `scan.recurrence`.

    ```mlir
    func.func @cummax(%x: tensor<8xi32>) -> tensor<8xi32> {
      %y = scan.associative ins(%x : tensor<8xi32>) dim = 0 {
      ^bb0(%acc: i32, %new: i32):
        %m = arith.maxsi %acc, %new : i32
        scan.yield %m : i32
      } -> tensor<8xi32>
      return %y : tensor<8xi32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let builders = [
    OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>
  ];
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

def Scan_CloneOp : Scan_Op<"clone", [
    Pure, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>]> {
  let summary = "a fresh value, equal to its operand";
  let description = [{
    A combine region must not yield one of its block arguments, nor one value
    twice (C9 and C10 of `scan.associative`). Where that is what is meant, as
    for the operator "keep the newer value", `scan.clone` says so.
    `--scan-normalize` removes it.

    ```mlir
    func.func @newest(%flag: tensor<?xi1>, %x: tensor<?xf32>) -> tensor<?xf32> {
      %f, %y = scan.associative ins(%flag, %x : tensor<?xi1>, tensor<?xf32>) dim = 0 {
      ^bb0(%f0: i1, %x0: f32, %f1: i1, %x1: f32):
        %f = arith.ori %f0, %f1 : i1
        %n = scan.clone %x1 : f32
        scan.yield %f, %n : i1, f32
      } -> tensor<?xi1>, tensor<?xf32>
      return %y : tensor<?xf32>
    }
    ```
  }];
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

//===----------------------------------------------------------------------===//
// scan.index
//===----------------------------------------------------------------------===//

def Scan_IndexOp : Scan_Op<"index", [Pure]> {
  let summary = "where in the domain a region of scan.kernel is";
  let description = [{
    In a region of `scan.kernel` other than `combine`, the index along dimension
    `dim` of the domain of the point that the region is evaluated for. It counts
    in memory order, not in the order of a `reverse` scan.

    Running totals of an array with one element per time step left out:

    ```mlir
    func.func @all_but(%x: tensor<?xf32>, %y: tensor<?xf32>, %left_out: i64) -> tensor<?xf32> {
      %0 = scan.kernel dim = 0
          ins(%x, %left_out : tensor<?xf32>, i64) outs(%y : tensor<?xf32>)
          maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>]
          load {
          ^bb0(%e: f32, %k: i64):
            %zero = arith.constant 0.0 : f32
            %t = scan.index 0 : index
            %i = arith.index_cast %t : index to i64
            %is = arith.cmpi eq, %i, %k : i64
            %l = arith.select %is, %zero, %e : f32
            scan.yield %l : f32
          } combine {
          ^bb0(%acc: f32, %new: f32):
            %s = arith.addf %acc, %new : f32
            scan.yield %s : f32
          } store {
          ^bb0(%inclusive: f32, %exclusive: f32, %e: f32, %k: i64):
            scan.yield %inclusive : f32
          } -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }
    ```

    Constraints:

    *   (C1) It is in a region of `scan.kernel` other than `combine`.
    *   (C2) `dim` is a dimension of the kernel's domain.
    *   (C3) In `initialize` and `finalize` it is not the scan dimension.
  }];
  let arguments = (ins I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

include "Scan/IR/ScanTensors.td"
include "Scan/IR/ScanKernel.td"
include "Scan/IR/ScanRecurrence.td"

#endif // SCAN_IR_SCANOPS_TD
