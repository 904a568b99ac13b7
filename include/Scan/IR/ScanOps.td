//===- ScanOps.td - Operations of the scan dialect ---------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_IR_SCANOPS_TD
#define SCAN_IR_SCANOPS_TD

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
    *   (C17) `order = sequential` excludes a schedule other than `sequential`.
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

//===----------------------------------------------------------------------===//
// scan.linear_recurrence
//===----------------------------------------------------------------------===//

def Scan_LinearRecurrenceOp : Scan_Op<"linear_recurrence", [
    AttrSizedOperandSegments, NoMemoryEffect, DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>]> {
  let summary = "the first-order linear recurrence h_t = a_t * h_{t-1} + b_t";
  let description = [{
    Computes, along dimension `dim`,

    ```
    no init:    h_0 = b_0                 h_t = a_t * h_{t-1} + b_t
    init h0:    h_0 = a_0 * h0 + b_0      h_t = a_t * h_{t-1} + b_t
    ```

    or, with `reverse`, the same from the last element to the first:
    `h_t = a_t * h_{t+1} + b_t`. With `exclusive` the result is the state before
    each step instead of the state after it: `h0`, then each state but the last.
    The operands are `a` and `b`; the result has
    the type of `b`. `a` may have the static extent 1 in any dimension but the
    scan dimension: it is then read as if repeated along that dimension, and is
    never materialised. `init` is a scalar or a tensor of `b`'s shape without
    the scan dimension. An optional second result is the *final state*, the
    state after the last step; for extent 0 it is the init, or zero where there
    is none. `segments` means what it means on `scan.associative`.

    Elements are floating-point, complex or integer numbers (not `i1`); integers
    wrap around. `f16` and `bf16` accumulate in `f32`.

    A lowering that brackets freely also multiplies coefficients with each other,
    which may overflow where no `h_t` does. Of real numbers such a product is zero
    if a coefficient in it is zero, and counts for nothing where the state that it
    is multiplied by is zero: `h_t = 10 * h_{t-1}` from 0 is 0 however long it is,
    and what is behind a coefficient of zero does not depend on what is before it.
    With this, results are finite, and those of the definition up to rounding,
    wherever the same recurrence of `max(|a_t|, 1)` and `max(|b_t|, 1)`, zeros left
    zero, stays in the range of the type that is accumulated in. Where it does
    not, a product of coefficients may overflow though the state that it is
    multiplied by is small enough, and results from there on be infinite or not
    a number; or underflow, and count as zero though later ones are large. For
    complex numbers nothing is promised about products that overflow. A
    coefficient that is itself infinite may give what is not a number instead of
    infinity. With `order = sequential` all results are those of the definition.

    ```mlir
    func.func @rnn(%a: tensor<2x?x64xbf16>, %b: tensor<2x?x64xbf16>, %h0: tensor<2x64xbf16>)
        -> (tensor<2x?x64xbf16>, tensor<2x64xbf16>) {
      %h, %last = scan.linear_recurrence ins(%a, %b : tensor<2x?x64xbf16>, tensor<2x?x64xbf16>)
          init(%h0 : tensor<2x64xbf16>) dim = 1
          -> tensor<2x?x64xbf16>, tensor<2x64xbf16>
      return %h, %last : tensor<2x?x64xbf16>, tensor<2x64xbf16>
    }
    ```

    One decay per time step and channel, shared by the batch:

    ```mlir
    func.func @shared_decay(%a: tensor<1x?x64xf32>, %b: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
      %h = scan.linear_recurrence ins(%a, %b : tensor<1x?x64xf32>, tensor<?x?x64xf32>) dim = 1 reverse
          -> tensor<?x?x64xf32>
      return %h : tensor<?x?x64xf32>
    }
    ```

    What step t of a recurrence over time owes to the steps after it is a
    reversed, exclusive one: u_T = last, u_t = a_{t+1} * (u_{t+1} + dh_{t+1}).

    ```mlir
    func.func @adjoint(%a: tensor<?x64xf32>, %adh: tensor<?x64xf32>, %last: tensor<64xf32>)
        -> (tensor<?x64xf32>, tensor<64xf32>) {
      %u, %dh0 = scan.linear_recurrence ins(%a, %adh : tensor<?x64xf32>, tensor<?x64xf32>)
          init(%last : tensor<64xf32>) dim = 0 reverse exclusive
          -> tensor<?x64xf32>, tensor<64xf32>
      return %u, %dh0 : tensor<?x64xf32>, tensor<64xf32>
    }
    ```

    The attributes `order`, `accumulator` (one type) and `schedule` mean what
    they mean on `scan.associative`.

    Constraints:

    *   (C1) `a` and `b` are ranked tensors of the same rank, 1 at least.
    *   (C2) `a` and `b` have the same element type: a supported one, not `i1`.
    *   (C3) `dim` is in [0, rank).
    *   (C4) In each dimension `a` has the extent of `b`; in a dimension other
        than `dim` it may have the static extent 1 instead.
    *   (C5) There is at most one init: a scalar of the element type, or a tensor
        of `b`'s shape without the scan dimension or, with offsets, with the number
        of segments in its place or, with flags, of `b`'s type.
    *   (C6) There are one or two results, of the types said above.
    *   (C7) `accumulator` is of the same kind as the element type and at least
        as wide.
    *   (C8) `order = sequential` excludes a schedule other than `sequential`.
    *   (C9) `exclusive` needs an init.
    *   (C10) There is at most one tensor of segments: offsets of rank 1, at least
        one of them, or flags of rank 1 or of `b`'s rank, with its extents, or 1 in
        a dimension other than `dim`.
  }];

  let arguments = (ins
    AnyRankedTensor:$a,
    AnyRankedTensor:$b,
    Optional<AnyType>:$init,
    Optional<AnyRankedTensor>:$segments,
    I64Attr:$dim,
    UnitAttr:$reverse,
    UnitAttr:$exclusive,
    UnitAttr:$final_state,
    OptionalAttr<Scan_OrderAttr>:$order,
    OptionalAttr<TypeAttr>:$accumulator,
    OptionalAttr<Scan_ScheduleAttr>:$schedule
  );
  let results = (outs AnyRankedTensor:$result, Optional<AnyRankedTensor>:$last);

  let builders = [
    // `init` and `segments` may be null; the final state is the second result if
    // there is one.
    OpBuilder<(ins "::mlir::Value":$a, "::mlir::Value":$b, "::mlir::Value":$init,
      "int64_t":$dim, "bool":$reverse, "bool":$exclusive, "bool":$finalState,
      CArg<"::mlir::Value", "{}">:$segments)>
  ];

  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The scalar type to accumulate in.
    ::mlir::Type getAccumulatorType();
    /// True if there are segments, said by offsets.
    bool hasSegmentOffsets();
  }];
}

//===----------------------------------------------------------------------===//
// scan.yield, scan.clone
//===----------------------------------------------------------------------===//

def Scan_YieldOp : Scan_Op<"yield", [
    Pure, Terminator,
    DeclareOpInterfaceMethods<RegionBranchTerminatorOpInterface>,
    ParentOneOf<["AssociativeOp", "KernelOp"]>]> {
  let summary = "ends a region of a scan";
  let description = [{
    Passes the values of a region to the scan around it: the combined values of
    a combine region, one per leaf; the leaves or outputs of the maps of a
    `scan.kernel`.

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

#endif // SCAN_IR_SCANOPS_TD
