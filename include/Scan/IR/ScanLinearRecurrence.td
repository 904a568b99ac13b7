//===- ScanLinearRecurrence.td - scan.linear_recurrence ----*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_IR_SCANLINEARRECURRENCE_TD
#define SCAN_IR_SCANLINEARRECURRENCE_TD

include "Scan/IR/ScanBase.td"

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
    *   (C8) `order = sequential` excludes a schedule other than `sequential`, or
        `row` with as many rows as threads.
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

#endif // SCAN_IR_SCANLINEARRECURRENCE_TD
