//===- ScanTensors.td - Tensor ops beside scans ------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_IR_SCANTENSORS_TD
#define SCAN_IR_SCANTENSORS_TD

include "Scan/IR/ScanBase.td"

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
// scan.head_flags
//===----------------------------------------------------------------------===//

def Scan_HeadFlagsOp : Scan_Op<"head_flags", [
    Pure,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>]> {
  let summary = "where the segments start that a list of offsets splits steps into";
  let description = [{
    Says of each of `extent` steps whether a walk starts anew there. Segment `s`
    has the steps from `offsets[s]` to `offsets[s+1] - 1`, as `segments` of a scan:

    ```
    result_t = some element of offsets is t        walks go forwards
    result_t = some element of offsets is t + 1    walks go backwards (`reverse`)
    ```

    `offsets` do not decrease. Segments without steps start nowhere.

    A result of integers in place of flags has the number of the segment that starts at a
    step, and -1 where none does: the places of a gathered input of `scan.kernel`.

    Other than `segments` of a scan, `offsets` need not begin with 0 and end with the extent:

    *   Steps in front of the first offset and from the last one on are in no segment. Flags
        mark each offset all the same, where the last segment ends (in reverse, in front of
        where the first one begins), too; there is no number there.
    *   Offsets may be negative, or more than the extent; a segment has those of its steps
        that there are.
    *   A single offset makes a flag and no segment; no offset at all makes neither.

    Where offsets decrease, the interpreter stops with an error. What is compiled has
    unspecified flags and numbers then, and reads nothing out of bounds.

    The mark `scan.covers_steps`, a unit attribute that `--scan-expand-segments` gives to head
    flags of scans, says that the offsets begin with 0 and end with the extent, as these check.
    Then flags are where numbers are, and one offset is compared at a step in place of two.
    With the mark, results are unspecified if that is not so.

    ```mlir
    func.func @head_flags(%offsets: tensor<?xi32>, %steps: index) -> tensor<?xi1> {
      %0 = scan.head_flags %offsets extent(%steps) : tensor<?xi32> -> tensor<?xi1>
      return %0 : tensor<?xi1>
    }
    ```

    `--scan-fuse-segment-offsets` makes it an input of a `scan.kernel` that looks the
    steps up itself, and lowers what is left over.

    Constraints:

    *   (C1) `offsets` is of rank 1 and has elements of type `i32`, `i64` or
        `index`; the result is of rank 1, of `i1`, `i32` or `i64`.
    *   (C2) There is an `extent` exactly if that of the result is dynamic.
  }];
  let arguments = (ins
    AnyRankedTensor:$offsets,
    Optional<Index>:$extent,
    UnitAttr:$reverse
  );
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $offsets (`extent` `(` $extent^ `)`)? (`reverse` $reverse^)? attr-dict
    `:` type($offsets) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether the result has numbers of segments, and no flags.
    bool saysNumbers() {
      return !getResult().getType().getElementType().isInteger(1);
    }
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
    into a constant tensor, and `--scan-fuse-scatter` an output of the scan that
    counts where elements go; of the others `--scan-scatter-to-loops` makes loops
    and, for a GPU, `--scan-scatter-to-linalg` operations over all elements.

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

#endif // SCAN_IR_SCANTENSORS_TD
