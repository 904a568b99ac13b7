//===- ScanOps.td - Operations of the scan dialect ---------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_IR_SCANOPS_TD
#define SCAN_IR_SCANOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "Scan/IR/ScanAttributes.td"
include "Scan/IR/ScanDialect.td"

class Scan_Op<string mnemonic, list<Trait> traits = []>
    : Op<Scan_Dialect, mnemonic, traits>;

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
    not be commutative. It has to be associative (up to rounding).

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

    Constraints:

    *   (C1) There is at least one leaf.
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

    C9 and C10 guard against writing the wrong name; `scan.clone` gives a fresh
    value where an argument has to be passed on. Folding and common
    subexpression elimination are free to merge equal values later: a region
    that was parsed or built without a violation keeps the unit attribute
    `shared_yields`, which lifts C9 and C10 and is printed only when it has
    become necessary.
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
    OptionalAttr<Scan_ScheduleAttr>:$schedule,
    UnitAttr:$shared_yields
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
// scan.shift
//===----------------------------------------------------------------------===//

def Scan_ShiftOp : Scan_Op<"shift", [
    NoMemoryEffect, AllTypesMatch<["source", "result"]>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>]> {
  let summary = "a tensor moved along one dimension, with a boundary value";
  let description = [{
    Moves the elements of `source` by `by` places along dimension `dim`:

    ```
    result_t = source_{t-by}    where 0 <= t - by < extent
    result_t = boundary         elsewhere
    ```

    The result has the type of `source`: what is moved beyond an end is gone.
    `by` may be negative, zero, or larger than the extent, and the extent may be
    0 or 1. `boundary` is a scalar of the element type or a tensor of the shape
    of `source` without `dim`, as an init of a scan.

    States before each step, from the states after it and the initial one:

    ```mlir
    func.func @previous(%h: tensor<2x?x64xf32>, %h0: tensor<2x64xf32>) -> tensor<2x?x64xf32> {
      %p = scan.shift %h boundary(%h0 : tensor<2x64xf32>) dim = 1 by = 1 : tensor<2x?x64xf32>
      return %p : tensor<2x?x64xf32>
    }
    ```

    The elements after next, and -1 behind the last:

    ```mlir
    func.func @ahead(%x: tensor<?xi32>) -> tensor<?xi32> {
      %c = arith.constant -1 : i32
      %y = scan.shift %x boundary(%c : i32) dim = 0 by = -2 : tensor<?xi32>
      return %y : tensor<?xi32>
    }
    ```

    `--scan-fuse-elementwise` makes a shift that a scan along the same dimension
    reads a shifted input of its `scan.kernel`. What is left over,
    `--scan-shift-to-slices` lowers.

    Constraints:

    *   (C1) `source` is a ranked tensor, of rank 1 at least, of a supported
        element type.
    *   (C2) `dim` is in [0, rank).
    *   (C3) `boundary` is a scalar of the element type or a tensor of the
        source's shape without dimension `dim`.
  }];
  let arguments = (ins
    AnyRankedTensor:$source,
    AnyType:$boundary,
    I64Attr:$dim,
    I64Attr:$by
  );
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `boundary` `(` $boundary `:` type($boundary) `)`
    `dim` `=` $dim `by` `=` $by attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// `by`, with its sign.
    int64_t getDistance() { return static_cast<int64_t>(getBy()); }
  }];
}

//===----------------------------------------------------------------------===//
// scan.scatter
//===----------------------------------------------------------------------===//

def Scan_ScatterOp : Scan_Op<"scatter", [
    NoMemoryEffect, DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    AllTypesMatch<["dest", "result"]>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>]> {
  let summary = "writes elements to places along one dimension that an index tensor says";
  let description = [{
    For importers: `torch.scatter` along one dimension. The result is `dest`, but
    for each point `p` of the index tensor, in row-major order,

    ```
    result[p with p[dim] replaced by index[p]] = source[p]      (a scalar source: source)
    ```

    Where several points write to one element, the last one wins. A negative
    `dim` counts from the last dimension; canonicalisation makes it
    non-negative. The index tensor may be shorter than `dest` in any dimension;
    along `dim` it may be longer.

    An index outside of [0, extent of `dest` along `dim`) writes nothing. In
    PyTorch such an index is an error (so that a program without errors means
    the same here), in JAX it is dropped (`mode="drop"`, the default of
    `x.at[...].set`), where a negative index counts from the end, however: an
    importer of JAX adds the extent to it first. Integer indices are signed.

    ```mlir
    func.func @one_hot(%dest: tensor<?x?xf32>, %index: tensor<?x1xi64>, %one: f32) -> tensor<?x?xf32> {
      %r = scan.scatter %one into %dest at %index dim = 1
          : f32 into tensor<?x?xf32> at tensor<?x1xi64>
      return %r : tensor<?x?xf32>
    }
    ```

    A tensor of elements, several of them along `dim`:

    ```mlir
    func.func @columns(%x: tensor<4x3xf32>, %dest: tensor<4x8xf32>, %index: tensor<4x3xi32>) -> tensor<4x8xf32> {
      %r = scan.scatter %x into %dest at %index dim = -1
          : tensor<4x3xf32> into tensor<4x8xf32> at tensor<4x3xi32>
      return %r : tensor<4x8xf32>
    }
    ```

    `--scan-scatter-to-select` makes elementwise code of scatters of a scalar
    into a constant tensor; of the others `--scan-scatter-to-loops` makes loops.

    Constraints:

    *   (C1) `dest` has a rank of 1 at least and a supported element type.
    *   (C2) `dim` is in [-rank, rank).
    *   (C3) The index tensor has the rank of `dest`, and in each dimension but
        `dim` at most its extent.
    *   (C4) Indices are `index`, `i8`, `i16`, `i32` or `i64`.
    *   (C5) `source` is a scalar of the element type of `dest`, or a tensor of
        this element type and of the shape of the index tensor.
  }];

  let arguments = (ins
    AnyType:$source,
    AnyRankedTensor:$dest,
    AnyRankedTensor:$index,
    I64Attr:$dim
  );
  let results = (outs AnyRankedTensor:$result);

  let assemblyFormat = [{
    $source `into` $dest `at` $index `dim` `=` $dim attr-dict
    `:` type($source) `into` type($dest) `at` type($index)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The dimension in [0, rank).
    int64_t getScatterDim() {
      int64_t dim = static_cast<int64_t>(getDim());
      return dim < 0 ? dim + getDest().getType().getRank() : dim;
    }
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

//===----------------------------------------------------------------------===//
// scan.kernel
//===----------------------------------------------------------------------===//

def Scan_KernelOp : Scan_Op<"kernel", [
    AttrSizedOperandSegments, IsolatedFromAbove,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<RegionBranchOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>]> {
  let summary = "the canonical scan: load-map, combine, store-map";
  let description = [{
    The one op that the backends read; `--scan-normalize` makes it from the
    graph-level ops, and fusion grows its maps. It works on tensors, or on
    memrefs after bufferization, in destination-passing style.

    The *domain* of a kernel is a rectangle of index points `d0, d1, ...`, one of
    whose dimensions, `dim`, is scanned. For every point outside `dim`
    independently, with `L` leaves:

    ```
    state = initialize(init elements)                  if there is an init
    for t along dim (backwards with `reverse`):
      new       = load(input elements at t)            L leaves
      exclusive = state
      inclusive = combine(state, new)                  new itself at the first
                                                       step without an init
      output elements at t = store(inclusive, exclusive, input elements at t)
      state     = inclusive
    final elements = finalize(state)
    ```

    Every operand has an indexing map from the domain to its own dimensions, as
    in `linalg.generic`; the maps are listed in the order of operands: inputs,
    inits, outputs, finals. Each result of a map is a domain dimension or the
    constant 0 (a broadcast extent of 1). An operand that has more dimensions
    than its map has results has static *trailing* dimensions: it contributes
    all the elements of its trailing block, in row-major order, as so many
    values to its region. Scalar operands have a map without results and
    contribute one value.

    An output whose map leaves dimensions of the domain out is a *sum*: its elements
    are what they were plus all that `store` yields for them, over all points along
    these dimensions, added up in any order. (All other outputs are written without
    being read.) So gradients of parameters are summed up over the batch and over
    time where they come into being. A sum shares no memory with another operand.

    An input may be *shifted* along the scan dimension. The attributes `shifts`
    and `boundaries` then have one entry per input: an input whose shift s is
    not 0 contributes at step t its elements at t - s, and where that is outside
    of the scan dimension's extent, the elements of the input whose number its
    entry of `boundaries` is. An input that is not shifted has the entries 0 and
    -1. A shifted input must not share memory with an output.

    Regions see scalars only:

    *   `load`: one argument per input element; yields the L leaves.
    *   `initialize`: one argument per init element; yields the L leaves, or
        nothing (and is not printed) if the kernel has no init.
    *   `combine`: the L leaves so far, then the L new ones; yields L leaves.
    *   `store`: L inclusive leaves, L exclusive leaves (not to be used in a
        kernel without init), the input elements; yields one value per output
        element.
    *   `finalize`: the L leaves; yields one value per final element. Not
        printed if the kernel has no finals.

    Where in the domain they are, `scan.index` tells all regions but `combine`.

    With the attribute `opposite = K` the last K leaves go the other way: they are
    scanned from the last element to the first (with `reverse`, from the first to
    the last), as by a second kernel over the same inputs. `combine` must not mix
    the two groups of leaves; `store` may, and sees at step t what either scan has
    there. So two scans share their inputs, and what follows both is computed
    where both are known; `--scan-bidirectional` makes such kernels where
    a lowering reads these inputs once. An output of such a kernel must not share
    memory with an input.

    The types of the leaves are the types to accumulate in. The state before the
    first step of an empty scan without init is zero.

    ```mlir
    func.func @cumsum(%x: tensor<?x8xbf16>, %y: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
      %0 = scan.kernel dim = 0
          ins(%x : tensor<?x8xbf16>) outs(%y : tensor<?x8xbf16>)
          maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
          load {
          ^bb0(%e: bf16):
            %l = arith.extf %e : bf16 to f32
            scan.yield %l : f32
          } combine {
          ^bb0(%acc: f32, %new: f32):
            %s = arith.addf %acc, %new : f32
            scan.yield %s : f32
          } store {
          ^bb0(%inclusive: f32, %exclusive: f32, %e: bf16):
            %r = arith.truncf %inclusive : f32 to bf16
            scan.yield %r : bf16
          } -> tensor<?x8xbf16>
      return %0 : tensor<?x8xbf16>
    }
    ```

    On memrefs there are no results:

    ```mlir
    func.func @cumsum_memref(%x: memref<?xf32>, %y: memref<?xf32>) {
      scan.kernel dim = 0 reverse
          ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
          maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
          load {
          ^bb0(%e: f32):
            scan.yield %e : f32
          } combine {
          ^bb0(%acc: f32, %new: f32):
            %s = arith.addf %acc, %new : f32
            scan.yield %s : f32
          } store {
          ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
            scan.yield %inclusive : f32
          }
      return
    }
    ```

    The product of each new element and the one before it, a boundary value at
    the first step, summed up:

    ```mlir
    func.func @autocorrelation(%x: tensor<?xf32>, %before: f32, %y: tensor<?xf32>) -> tensor<?xf32> {
      %0 = scan.kernel dim = 0
          ins(%x, %x, %before : tensor<?xf32>, tensor<?xf32>, f32) outs(%y : tensor<?xf32>)
          maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>,
                affine_map<(d0) -> (d0)>]
          attributes {boundaries = array<i64: -1, 2, -1>, shifts = array<i64: 0, 1, 0>}
          load {
          ^bb0(%e: f32, %previous: f32, %b: f32):
            %l = arith.mulf %e, %previous : f32
            scan.yield %l : f32
          } combine {
          ^bb0(%acc: f32, %new: f32):
            %s = arith.addf %acc, %new : f32
            scan.yield %s : f32
          } store {
          ^bb0(%inclusive: f32, %exclusive: f32, %e: f32, %previous: f32, %b: f32):
            scan.yield %inclusive : f32
          } -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }
    ```

    The gradient of one decay per channel, added onto what is there:

    ```mlir
    func.func @decay_gradient(%a: tensor<?xf32>, %dh: tensor<?x?x?xf32>, %h: tensor<?x?x?xf32>, %da: tensor<?xf32>)
        -> tensor<?xf32> {
      %0 = scan.kernel dim = 1 reverse
          ins(%a, %dh, %h : tensor<?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%da : tensor<?xf32>)
          maps [affine_map<(b, t, c) -> (c)>, affine_map<(b, t, c) -> (b, t, c)>,
                affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (c)>]
          load {
          ^bb0(%x: f32, %dy: f32, %s: f32):
            %ady = arith.mulf %x, %dy : f32
            scan.yield %x, %ady : f32, f32
          } combine {
          ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
            %a2 = arith.mulf %a1, %a0 : f32
            %p = arith.mulf %a1, %b0 : f32
            %b2 = arith.addf %p, %b1 : f32
            scan.yield %a2, %b2 : f32, f32
          } store {
          ^bb0(%a0: f32, %u: f32, %e0: f32, %e1: f32, %x: f32, %dy: f32, %s: f32):
            %g = arith.mulf %u, %s : f32
            scan.yield %g : f32
          } -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }
    ```

    The sum of all elements up to each one, and of all from each one on, and their
    product:

    ```mlir
    func.func @sums_from_both_ends(%x: tensor<512xf32>, %y: tensor<512xf32>)
        -> (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) {
      %0:3 = scan.kernel dim = 0
          ins(%x : tensor<512xf32>) outs(%y, %y, %y : tensor<512xf32>, tensor<512xf32>, tensor<512xf32>)
          maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>,
                affine_map<(d0) -> (d0)>]
          attributes {opposite = 1 : i64}
          load {
          ^bb0(%e: f32):
            scan.yield %e, %e : f32, f32
          } combine {
          ^bb0(%acc0: f32, %acc1: f32, %new0: f32, %new1: f32):
            %s0 = arith.addf %acc0, %new0 : f32
            %s1 = arith.addf %acc1, %new1 : f32
            scan.yield %s0, %s1 : f32, f32
          } store {
          ^bb0(%up_to: f32, %from: f32, %before: f32, %behind: f32, %e: f32):
            %p = arith.mulf %up_to, %from : f32
            scan.yield %up_to, %from, %p : f32, f32, f32
          } -> tensor<512xf32>, tensor<512xf32>, tensor<512xf32>
      return %0#0, %0#1, %0#2 : tensor<512xf32>, tensor<512xf32>, tensor<512xf32>
    }
    ```

    Constraints:

    *   (C1) Shaped operands are all ranked tensors or all memrefs; outputs and
        finals are shaped; element types are supported ones.
    *   (C2) There is one indexing map per operand, all from the same domain and
        without symbols; each map result is a domain dimension, used once, or
        the constant 0; the maps of outputs and finals have no constants.
    *   (C3) A map has at most as many results as its operand has dimensions;
        further dimensions are static, 1024 elements at most.
    *   (C4) Each domain dimension occurs in the map of some shaped operand, and
        the static extents that belong to one domain dimension are equal; a
        dimension under the constant 0 has extent 1.
    *   (C5) `dim` is a dimension of the domain; the map of every final covers all
        dimensions but `dim`, and no map of an init uses `dim`.
    *   (C6) There is at least one leaf, and at least one output or final.
    *   (C7) `initialize` and `finalize` are written exactly if there are inits
        and finals.
    *   (C8) The arguments and yields of each region are as listed above.
    *   (C9) Without an init the exclusive arguments of `store` are unused.
    *   (C10) No region has memory effects.
    *   (C11) Tensors: one result per output and final, of its type. Memrefs: no
        results.
    *   (C12) `order = sequential` excludes a schedule other than `sequential`.
    *   (C13) No region uses a value from outside.
    *   (C14) `shifts` and `boundaries` are both there or both missing, and have
        one entry per input.
    *   (C15) The map of a shifted input uses `dim`. Its boundary is the number
        of an input; that of an input that is not shifted is -1.
    *   (C16) A boundary has the element type of its input and as many elements,
        or is a scalar; it is not shifted, and its map does not use `dim`.
    *   (C17) `opposite` is at least 1 and less than the number of leaves.
    *   (C18) With `opposite`, what `combine` yields for a leaf depends on
        arguments of leaves of the same direction only.
    *   (C19) With `opposite`, the elements of one final depend on leaves of one
        direction only.
    *   (C20) A sum, an output whose map leaves out dimensions of the domain, has
        elements of type `f32`, `f64`, `complex` of these, `i32` or `i64`.
    *   (C21) `order = sequential` and `order = deterministic` exclude sums of
        floating-point and complex numbers.
  }];

  let arguments = (ins
    Variadic<AnyType>:$inputs,
    Variadic<AnyType>:$inits,
    Variadic<AnyType>:$outputs,
    Variadic<AnyType>:$finals,
    I64Attr:$dim,
    UnitAttr:$reverse,
    AffineMapArrayAttr:$indexing_maps,
    OptionalAttr<Scan_OrderAttr>:$order,
    OptionalAttr<Scan_ScheduleAttr>:$schedule,
    OptionalAttr<DenseI64ArrayAttr>:$shifts,
    OptionalAttr<DenseI64ArrayAttr>:$boundaries,
    OptionalAttr<I64Attr>:$opposite
  );
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region
    SizedRegion<1>:$load,
    SizedRegion<1>:$initialize,
    SizedRegion<1>:$combine,
    SizedRegion<1>:$store,
    SizedRegion<1>:$finalize
  );

  let builders = [
    // A kernel none of whose inputs is shifted, with one direction.
    OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::ValueRange":$inputs,
      "::mlir::ValueRange":$inits, "::mlir::ValueRange":$outputs,
      "::mlir::ValueRange":$finals, "::mlir::IntegerAttr":$dim,
      "::mlir::UnitAttr":$reverse, "::mlir::ArrayAttr":$indexing_maps,
      "::mlir::scan::OrderAttr":$order, "::mlir::scan::ScheduleAttr":$schedule), [{
      build($_builder, $_state, results, inputs, inits, outputs, finals, dim,
            reverse, indexing_maps, order, schedule,
            /*shifts=*/::mlir::DenseI64ArrayAttr(),
            /*boundaries=*/::mlir::DenseI64ArrayAttr(),
            /*opposite=*/::mlir::IntegerAttr());
    }]>
  ];

  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The number of dimensions of the domain.
    unsigned getDomainRank() {
      return ::llvm::cast<::mlir::AffineMapAttr>(getIndexingMaps()[0])
          .getValue().getNumDims();
    }
    /// L: how many values are carried from step to step.
    unsigned getNumLeaves() {
      return getCombine().front().getNumArguments() / 2;
    }
    /// The types that the leaves accumulate in; scalars.
    ::mlir::TypeRange getLeafTypes() {
      return ::mlir::TypeRange(getCombine().front().getArgumentTypes())
          .take_front(getNumLeaves());
    }
    bool hasInit() { return !getInits().empty(); }

    /// How many of the leaves, the last ones, are scanned against the direction
    /// of the kernel.
    unsigned getNumOpposite() { return getOpposite().value_or(0); }
    bool isOpposite(unsigned leaf) {
      return leaf + getNumOpposite() >= getNumLeaves();
    }
    /// Which way the leaves go that a value is computed from: the way of the
    /// kernel (or the value depends on no leaf), the other way, or both.
    enum class Direction { Along, Against, Both };
    /// For each output, and for each final, which is never of both.
    ::llvm::SmallVector<Direction> getOutputDirections();
    ::llvm::SmallVector<Direction> getFinalDirections();

    /// Gives `initialize` and `finalize` of a kernel without inits or finals
    /// their empty bodies. Builders of kernels call it last.
    void addEmptyMaps(::mlir::OpBuilder &builder);

    /// The indexing map of the operand.
    ::mlir::AffineMap getIndexingMap(::mlir::OpOperand &operand);
    /// The indexing maps of one operand group, in order.
    ::llvm::SmallVector<::mlir::AffineMap> getInputMaps();
    ::llvm::SmallVector<::mlir::AffineMap> getInitMaps();
    ::llvm::SmallVector<::mlir::AffineMap> getOutputMaps();
    ::llvm::SmallVector<::mlir::AffineMap> getFinalMaps();

    /// True if output number `output` is a sum: its map leaves out dimensions of
    /// the domain.
    bool isSum(unsigned output);
    /// True if some output is a sum.
    bool hasSums();

    /// By how many steps input number `input` is shifted; 0 if it is not.
    int64_t getShift(unsigned input) {
      std::optional<::llvm::ArrayRef<int64_t>> shifts = getShifts();
      return shifts ? (*shifts)[input] : 0;
    }
    /// The number of the input that a shifted input continues with outside of
    /// the extent; -1 for an input that is not shifted.
    int64_t getBoundary(unsigned input) {
      std::optional<::llvm::ArrayRef<int64_t>> inputs = getBoundaries();
      return inputs ? (*inputs)[input] : -1;
    }
    /// True if input number `input` is the boundary of a shifted one: it is
    /// then needed even if no region looks at its elements.
    bool isBoundary(unsigned input) {
      std::optional<::llvm::ArrayRef<int64_t>> inputs = getBoundaries();
      return inputs &&
             ::llvm::is_contained(*inputs, static_cast<int64_t>(input));
    }
    /// Writes both attributes, or neither where nothing is shifted.
    void setInputShifts(::llvm::ArrayRef<int64_t> shifts,
                        ::llvm::ArrayRef<int64_t> boundaries);

    /// The static trailing shape of `operand` under `map`: the dimensions that
    /// the map does not index. Empty for most operands and for scalars.
    static ::llvm::ArrayRef<int64_t> getTrailingShape(::mlir::Value operand,
                                                      ::mlir::AffineMap map);
    /// How many scalars `operand` contributes to its region.
    static int64_t getNumElements(::mlir::Value operand, ::mlir::AffineMap map);

    /// Extents of the domain; `ShapedType::kDynamic` where no operand says.
    ::llvm::SmallVector<int64_t> getStaticDomainShape();
    /// Extents of the domain, dynamic ones as `tensor.dim` or `memref.dim` of
    /// the first operand that has the dimension.
    ::llvm::SmallVector<::mlir::OpFoldResult>
    getDomainSizes(::mlir::OpBuilder &builder, ::mlir::Location loc);
    /// The operand and its dimension that define extent `d` of the domain.
    std::pair<::mlir::OpOperand *, unsigned> getDomainDimSource(unsigned d);

    bool hasPureTensorSemantics();
    bool hasPureBufferSemantics();

    /// For each leaf: whether a sequential walk has to carry its accumulated
    /// value from step to step, because an exclusive value, a final or the
    /// combine step of another needed leaf reads it. The product of the `a`s
    /// of a linear recurrence, for one, is not carried.
    ::llvm::SmallVector<bool> getCarriedLeaves();
    /// The same for a walk that reassociates (a tree): the leaves whose values,
    /// accumulated or new, reach an output or a final at all.
    ::llvm::SmallVector<bool> getLiveLeaves();
  }];
}

#endif // SCAN_IR_SCANOPS_TD
