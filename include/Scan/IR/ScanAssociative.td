//===- ScanAssociative.td - scan.associative ---------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_IR_SCANASSOCIATIVE_TD
#define SCAN_IR_SCANASSOCIATIVE_TD

include "Scan/IR/ScanBase.td"

//===----------------------------------------------------------------------===//
// scan.associative
//===----------------------------------------------------------------------===//

def Scan_AssociativeOp : Scan_Op<"associative", [
    AttrSizedOperandSegments, IsolatedFromAbove, NoMemoryEffect, SingleBlock,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<RegionBranchOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>]> {
  let summary = "scan with any associative combine region over any number of leaves";
  let description = [{
    Scans N tensors, the *leaves* `x`, along dimension `dim` with the operator
    `f` that the combine region defines:

    ```
    inclusive, no init:   y_0 = x_0          y_t = f(y_{t-1}, x_t)
    inclusive, init i:    y_0 = f(i, x_0)    y_t = f(y_{t-1}, x_t)
    exclusive, init i:    y_0 = i            y_t = f(y_{t-1}, x_{t-1})
    ```

    `reverse` walks from the last element to the first: `y_t = f(y_{t+1}, x_t)`.
    The accumulated value is the left operand in both directions, so `f` need
    not be commutative. It has to be associative (up to rounding, and to
    overflow: where a part of the scan overflows and the left fold does not,
    results may be infinite or not a number, unless `order = sequential`).

    The combine region has 2N block arguments, first the N accumulated values,
    then the N new ones, and yields the N combined values. Block arguments have
    the element type of their leaf, or, for a leaf with static trailing
    dimensions (small matrices, quaternions), the type of a tensor of these:
    the shape that is left of all leaves without their trailing dimensions is
    the *iteration shape*, and `dim` counts in it.

    There are N results, one per leaf and of its type, or 2N: then the last N
    are the *final states*, the inclusive result after the last step, of the
    leaf's type without the scan dimension. The scan dimension may have any
    extent. The final state of an empty scan (extent 0) is the init, or zero
    where there is none.

    `segments` splits the scan dimension into *segments*, as of packed sequences:
    the state starts anew, from the init if there is one, with each of them. It is
    one of

    *   *offsets*, a tensor of rank 1 of `i32`, `i64` or `index`: 0, then where each
        segment ends (`cu_seqlens`), last the extent of the scan dimension. Offsets
        do not decrease; equal ones enclose an empty segment. With S segments
        (S + 1 offsets) the final states have the extent S in place of the
        scan dimension, one state per segment, and so may an init. The final state
        of an empty segment is its init, or zero.
    *   *flags*, a tensor of `i1`: the walk starts anew at each step whose flag is
        set, and at its first one. Flags have rank 1, one per step, or one per
        point of the iteration shape, where an extent other than that of `dim` may
        be 1 for all points along it. Final states are those after the last step.
        An init of the type of its leaf has one state per step: a walk that starts
        at step t starts from element t. The final state of an empty scan with such
        an init is zero.

    Sum over rows:

    ```mlir
    func.func @cumsum(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %y = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } -> tensor<?x?xf32>
      return %y : tensor<?x?xf32>
    }
    ```

    Two leaves, exclusive and reversed, with an initial value per leaf:

    ```mlir
    func.func @affine(%a: tensor<4x?xf32>, %b: tensor<4x?xf32>,
                      %i: f32, %j: tensor<4xf32>)
        -> (tensor<4x?xf32>, tensor<4x?xf32>) {
      %p, %h = scan.associative ins(%a, %b : tensor<4x?xf32>, tensor<4x?xf32>)
          init(%i, %j : f32, tensor<4xf32>) dim = 1 reverse exclusive {
      ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
        %q = arith.mulf %a1, %a0 : f32
        %t = arith.mulf %a1, %b0 : f32
        %r = arith.addf %t, %b1 : f32
        scan.yield %q, %r : f32, f32
      } -> tensor<4x?xf32>, tensor<4x?xf32>
      return %p, %h : tensor<4x?xf32>, tensor<4x?xf32>
    }
    ```

    A leaf of 2x2 matrices, with the final state as second result:

    ```mlir
    func.func @matmul(%m: tensor<?x2x2xf64>) -> (tensor<?x2x2xf64>, tensor<2x2xf64>) {
      %p, %last = scan.associative ins(%m : tensor<?x2x2xf64>) dim = 0 {
      ^bb0(%acc: tensor<2x2xf64>, %new: tensor<2x2xf64>):
        %zero = arith.constant dense<0.0> : tensor<2x2xf64>
        %c = linalg.matmul ins(%acc, %new : tensor<2x2xf64>, tensor<2x2xf64>)
                           outs(%zero : tensor<2x2xf64>) -> tensor<2x2xf64>
        scan.yield %c : tensor<2x2xf64>
      } -> tensor<?x2x2xf64>, tensor<2x2xf64>
      return %p, %last : tensor<?x2x2xf64>, tensor<2x2xf64>
    }
    ```

    Sequences of different lengths, packed one after the other, each from
    a state of its own:

    ```mlir
    func.func @packed(%x: tensor<?x64xf32>, %cu_seqlens: tensor<?xi32>, %i: tensor<?x64xf32>)
        -> (tensor<?x64xf32>, tensor<?x64xf32>) {
      %y, %last = scan.associative ins(%x : tensor<?x64xf32>) init(%i : tensor<?x64xf32>)
          segments(%cu_seqlens : tensor<?xi32>) dim = 0 {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } -> tensor<?x64xf32>, tensor<?x64xf32>
      return %y, %last : tensor<?x64xf32>, tensor<?x64xf32>
    }
    ```

    Attributes follow the keyword `attributes` before the region:

    *   `order`: how freely the scan may reassociate, `#scan.order`.
    *   `compensated`: asks for a two-term (compensated) sum: the rounding error
        of each addition is carried along as a second term (TwoSum; Knuth, The
        Art of Computer Programming, vol. 2, 4.2.2).
    *   `accumulators`: one type per leaf, the type to accumulate in; as wide as
        the element type or wider. Defaults to `f32` for `f16` and `bf16`, to
        the element type otherwise.
    *   `schedule`: `#scan.schedule`, how the scan is laid over threads.
    *   `scan.assume`: an array of `#scan.invariant`, what holds of every element of
        a leaf and of its init, and of what the operator makes of them. The operator
        need be associative on such values only; proofs and random triples take no
        others. The reference interpreter stops at an element that is not as assumed;
        compiled code does not look. The attribute is discardable: without it the scan
        is the same. Kernels do not have it.

    The largest number so far. With NaN it would depend on the bracketing what is
    the largest: NaN gives way to what follows it, and takes the place of what is
    before it.

    ```mlir
    func.func @largest(%x: tensor<?xf32>) -> tensor<?xf32> {
      %y = scan.associative ins(%x : tensor<?xf32>) dim = 0
          attributes {scan.assume = [#scan.invariant<leaf = 0, not_nan>]} {
      ^bb0(%acc: f32, %new: f32):
        %g = arith.cmpf ogt, %acc, %new : f32
        %s = arith.select %g, %acc, %new : f32
        scan.yield %s : f32
      } -> tensor<?xf32>
      return %y : tensor<?xf32>
    }
    ```

    Constraints:

    *   (C1) There is at least one leaf, and at most 1024.
    *   (C2) Each leaf is a ranked tensor of a supported element type.
    *   (C3) The combine region has 2N block arguments, for each leaf twice its
        element type or a static tensor of that element type and of the
        leaf's trailing dimensions.
    *   (C4) All leaves have the same iteration shape, of rank 1 at least.
    *   (C5) `dim` is in [0, rank of the iteration shape).
    *   (C6) The region yields N values of the types of its block arguments.
    *   (C7) No closure: the region uses no value from outside.
    *   (C8) No mutation: the region has no memory effects.
    *   (C9) No yielded value is a block argument or a view of one.
    *   (C10) No value is yielded twice.
    *   (C11) There is no init, or one per leaf.
    *   (C12) An init is a scalar of the leaf's element type (for a leaf without
        trailing dimensions) or a tensor of the leaf's shape without the scan
        dimension or, with offsets, with the number of segments in its place or,
        with flags, of the type of the leaf.
    *   (C13) `exclusive` needs an init.
    *   (C14) There are N or 2N results, of the types said above.
    *   (C15) `accumulators` has one type per leaf, of the same kind as the
        element type and at least as wide.
    *   (C16) `compensated` needs one leaf of a floating-point type whose combine
        region is one `arith.addf` of its two arguments.
    *   (C17) `order = sequential` excludes a schedule other than `sequential`, or
        `row` with as many rows as threads.
    *   (C18) There is at most one tensor of segments: offsets of rank 1, at least
        one of them, or flags of rank 1 or of the rank of the iteration shape, with
        its extents, or 1 in a dimension other than `dim`.
    *   (C19) `scan.assume` is an array of `#scan.invariant`.
    *   (C20) Each invariant is one of a leaf that there is.
    *   (C21) An invariant fits the element type: of integers it has bounds only,
        without `abs`; of complex numbers, bounds only with `abs`.
    *   (C22) The element type can hold the bounds of an invariant, and a number
        within them.

    C9 and C10 guard against writing the wrong name, and hold where a region is
    written: they are checked when it is parsed and when it is built from a function
    that makes its body. `scan.clone` gives a fresh value where an argument has to be
    passed on. Folding and common subexpression elimination are free to merge equal
    values later, on which no lowering relies: such a region is printed behind the
    keyword `shared_yields`, with which it is parsed without this check.
  }];

  let arguments = (ins
    Variadic<AnyRankedTensor>:$inputs,
    Variadic<AnyType>:$inits,
    Optional<AnyRankedTensor>:$segments,
    I64Attr:$dim,
    UnitAttr:$reverse,
    UnitAttr:$exclusive,
    UnitAttr:$final_states,
    OptionalAttr<Scan_OrderAttr>:$order,
    UnitAttr:$compensated,
    OptionalAttr<TypeArrayAttr>:$accumulators,
    OptionalAttr<Scan_ScheduleAttr>:$schedule
  );
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$combine);

  let builders = [
    // Builds the combine region through `body`, which receives the 2N block
    // arguments and returns the N values to yield. `leafTypes` are the types
    // of the block arguments, one per leaf. `segments` may be null.
    OpBuilder<(ins "::mlir::ValueRange":$inputs, "::mlir::ValueRange":$inits,
      "int64_t":$dim, "bool":$reverse, "bool":$exclusive, "bool":$finalStates,
      "::mlir::TypeRange":$leafTypes,
      "::llvm::function_ref<::llvm::SmallVector<::mlir::Value>(::mlir::OpBuilder &, ::mlir::Location, ::mlir::ValueRange)>":$body,
      CArg<"::mlir::Value", "{}">:$segments)>
  ];

  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// True if the combine region yields an argument, a view of one, or one
    /// value twice, as passes may leave it: what C9 and C10 forbid to write.
    bool hasSharedYields();
    /// N: how many leaves are scanned.
    unsigned getNumLeaves() { return getInputs().size(); }
    /// The block argument type of each leaf: an element type, or a static
    /// tensor for a leaf with trailing dimensions.
    ::mlir::TypeRange getLeafTypes() {
      return ::mlir::TypeRange(getCombine().front().getArgumentTypes())
          .take_front(getNumLeaves());
    }
    /// The number of dimensions that all leaves share.
    int64_t getIterationRank();
    /// True if there are segments, said by offsets.
    bool hasSegmentOffsets();
    /// The results that correspond to the leaves.
    ::mlir::ResultRange getScanResults() {
      return getResults().take_front(getNumLeaves());
    }
    /// The final states; empty if the op does not return them.
    ::mlir::ResultRange getFinalResults() {
      return getResults().drop_front(getNumLeaves());
    }
    /// The type that leaf `i` accumulates in: a scalar type.
    ::mlir::Type getAccumulatorType(unsigned i);
    /// The name of the discardable attribute with what holds of the leaves, an
    /// array of InvariantAttr.
    static ::llvm::StringRef getAssumeName() { return "scan.assume"; }
  }];
}

#endif // SCAN_IR_SCANASSOCIATIVE_TD
