//===- Segments.h - Segments of scans, step by step -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_SEGMENTS_SEGMENTS_H
#define SCAN_LIB_TRANSFORMS_SEGMENTS_SEGMENTS_H

#include "Scan/Transforms/Segments/Passes.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {

/// True if `init` of a scan over `leaf` has the scan dimension: one state per
/// segment, or per step.
bool hasScanDim(Value init, Value leaf);

/// Element `position` of the offsets, as an index.
Value extractOffset(OpBuilder &builder, Location loc, Value offsets,
                    Value position);
/// One less than there are offsets.
Value countSegments(OpBuilder &builder, Location loc, Value offsets);

/// Which of `extent` steps start a walk: a scan.head_flags, of one `i1` per
/// step.
Value createStepFlags(OpBuilder &builder, Location loc, Value offsets,
                      OpFoldResult extent, bool reverse);
/// Which segment each of `extent` steps belongs to, by bisection of the
/// offsets: a tensor of one integer per step. Empty segments have no step.
Value createStepNumbers(OpBuilder &builder, Location loc, Value offsets,
                        OpFoldResult extent);
/// The same at steps that start a walk, and -1 at others, as a scan.head_flags.
Value createHeadNumbers(OpBuilder &builder, Location loc, Value offsets,
                        OpFoldResult extent, bool reverse);

/// What `op` says, as a tensor that is computed by bisection of the offsets.
/// `isAlone` says that one element belongs to a step: where there are many,
/// neighbours share most of the bisection. With the mark to do so it also
/// checks the offsets.
Value createHeadFlags(OpBuilder &builder, HeadFlagsOp op, bool isAlone);

/// Stops the program where `offsets` do not split `extent` steps of dimension
/// `dim`.
void stopAtWrongOffsets(OpBuilder &builder, Location loc, Value offsets,
                        OpFoldResult extent, int64_t dim);

/// Of which states those at the ends of segments are gathered.
struct FinalStates {
  Value offsets;
  /// The number of steps.
  OpFoldResult steps;
  /// The sizes of the states of all steps, or of one.
  llvm::SmallVector<OpFoldResult> sizes;
  int64_t dim;
  bool reverse;
  OffsetsChecking checking;
};

/// Reads a state: at the last step of a segment or, of an empty one, at its
/// number; at a point of all dimensions.
using StateReader =
    function_ref<Value(OpBuilder &, llvm::ArrayRef<Value> point)>;

/// A tensor of the final states of all segments, with the number of the segment
/// as dimension `dim`.
Value gatherFinalStates(OpBuilder &builder, Location loc,
                        const FinalStates &finals, Type elementType,
                        StateReader atEnd, StateReader ofEmpty);

/// Gathers `states`, one per segment along `dim`, to one per step: of the type
/// and the extents of `leaf`. A step gets that of its number, and zeros where
/// there is no such segment.
Value gatherPerStep(OpBuilder &builder, Location loc, Value states,
                    Value numbers, Value leaf, int64_t dim);

/// What gatherPerStep makes, with the extents of its own result, whoever has
/// made it.
struct StepGather {
  Value states, numbers;
  int64_t dim;
};
/// Finds it in `op`; nothing if that is anything else.
std::optional<StepGather> matchStepGather(Operation *op);

/// Selects elementwise between `fresh`, an init of a scan over `like` of any
/// kind but one per segment, where a walk starts and `rest` elsewhere.
/// `flagsMap` is from the dimensions of `like` to those of `headFlags`.
Value selectAtHeads(OpBuilder &builder, Location loc, Value headFlags,
                    AffineMap flagsMap, Value fresh, Value rest, int64_t dim);

/// What a kernel needs to know to start anew.
struct Restarts {
  /// `i1`, set where a walk starts, and its map from the domain.
  Value flags;
  AffineMap map;
  /// The inits of the kernel's leaves, under maps from the domain; none if
  /// nothing is taken in.
  llvm::SmallVector<Value> inits;
  llvm::SmallVector<AffineMap> initMaps;
  /// Some init has one state per step. The kernel's own inits are then of no
  /// account: the first step starts anew, too.
  bool perStep = false;
};

/// The kernel that computes what `kernel` does, but starts anew at the flags:
/// one more leaf, the last one, which is set where a start is among the
/// elements that a state combines. `kernel` is erased; nothing uses it yet.
KernelOp addRestarts(RewriterBase &rewriter, KernelOp kernel,
                     const Restarts &restarts);

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_SEGMENTS_SEGMENTS_H
