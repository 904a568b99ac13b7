//===- CombineRegion.h - Checks shared by the ops with regions ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_COMBINEREGION_H
#define SCAN_LIB_IR_COMBINEREGION_H

#include "Scan/IR/ScanDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::scan::impl {

/// Verifies that no operation in `region` uses a value from outside of it.
/// `constraint` is the number of the constraint ("C7"), `what` names the
/// region, `wayOut` says how the value comes in.
LogicalResult verifyNoCapture(Operation *op, Region &region,
                              StringRef constraint, StringRef what,
                              StringRef wayOut = "pass it as a further leaf");

/// Verifies that no operation in `region` has memory effects.
LogicalResult verifyNoEffects(Operation *op, Region &region,
                              StringRef constraint, StringRef what);

/// Verifies that `region` ends in a scan.yield.
LogicalResult verifyYields(Operation *op, Region &region, StringRef constraint,
                           StringRef what);

/// Verifies that `region` yields values of `types`.
LogicalResult verifyYieldTypes(Operation *op, Region &region, TypeRange types,
                               StringRef constraint, StringRef what);

/// The block argument of `block` that `value` is, or is a view of; null if
/// none.
BlockArgument getViewedArgument(Value value, Block *block);

/// C9 and C10 of scan.associative: fails if the yield of `region` passes a
/// block argument, a view of one, or one value twice, with the error that
/// `emitError` begins, unless that is null.
LogicalResult
checkDistinctYields(Region &region,
                    llvm::function_ref<InFlightDiagnostic()> emitError);

/// Verifies that the order, if any, admits the schedule, if any.
LogicalResult verifySchedule(Operation *op, OrderAttr order,
                             ScheduleAttr schedule, StringRef constraint);

/// Verifies that `accumulator` may accumulate values of `elementType`.
LogicalResult verifyAccumulator(Operation *op, Type elementType,
                                Type accumulator, StringRef constraint);

/// The type in which values of `elementType` accumulate by default.
Type getDefaultAccumulator(Type elementType);

/// `type` without dimension `dim`.
RankedTensorType dropDim(RankedTensorType type, int64_t dim);

/// The type of the final states of `leaf`: without dimension `dim`, or, where
/// `segments` are offsets, with one state per segment in its place.
RankedTensorType getFinalType(RankedTensorType leaf, int64_t dim,
                              Value segments);

/// Makes the sizes of the final states of those of a leaf, `sizes`.
void reifyFinalShape(OpBuilder &builder, Location loc, int64_t dim,
                     Value segments, SmallVectorImpl<OpFoldResult> &sizes);

/// True if `segments` are offsets: there, and not flags.
bool areOffsets(Value segments);

/// Verifies that `segments`, if any, are offsets or flags for a scan along
/// dimension `dim` of `shape`.
LogicalResult verifySegments(Operation *op, Value segments,
                             ArrayRef<int64_t> shape, int64_t dim,
                             StringRef constraint);

/// True if the shapes agree wherever both are static.
bool areShapesCompatible(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs);

/// `shape` as it stands in a type, "4x?x2", for diagnostics.
std::string printShape(ArrayRef<int64_t> shape);

/// Verifies that `init` is a scalar of `leaf`'s element type (if the leaf has
/// no trailing dimensions) or a tensor of its shape without dimension `dim`,
/// or, where `segments` are offsets, of the type of its final states, or, where
/// they are flags, of its own type.
LogicalResult verifyInit(Operation *op, Type init, RankedTensorType leaf,
                         int64_t dim, Value segments, bool hasTrailing,
                         StringRef constraint, const Twine &what);

/// The arguments of the combine region `block` that the value yielded for
/// `leaf` depends on, one bit per argument.
llvm::SmallBitVector getNeededArguments(Block &block, unsigned leaf);

/// Puts a scan over the leaves in `kept` in the place of `op`. Nothing may use
/// the results of the other leaves. Where the values of the kept ones are
/// combined from arguments of others, `substitute` says what stands for these.
AssociativeOp
keepLeaves(RewriterBase &rewriter, AssociativeOp op,
           const llvm::SmallBitVector &kept,
           llvm::function_ref<Value(BlockArgument)> substitute = nullptr);

/// The patterns for scans of whose operators something is known
/// (OperatorFacts.h).
void addFactPatterns(RewritePatternSet &patterns);

} // namespace mlir::scan::impl

#endif // SCAN_LIB_IR_COMBINEREGION_H
