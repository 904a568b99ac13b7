//===- NewtonIterations.h - Iterations of Newton's method -------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of a recurrence h_t = f(h_{t-1}, x_t) are divided into chunks. F_j
// walks the steps of chunk j from a state to the one behind it, so that the
// states s_j which chunks start from are the root of s_{j+1} - F_j(s_j). An
// iteration takes F_j by its tangent at the states that it has, which are
// called p here,
//
//   s_{j+1} = F_j(p_j) + D_j (s_j - p_j)      D_j = dF_j/ds (p_j)
//
// and this is a linear recurrence over the chunks. D_j is the product of the
// Jacobian matrices of the steps, which the walk of the chunk multiplies. s_0
// is known, and the tangent touches F_0 there, so that each iteration makes one
// more chunk right at the least.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_NEWTON_NEWTONITERATIONS_H
#define SCAN_LIB_TRANSFORMS_NEWTON_NEWTONITERATIONS_H

#include "../Differentiate/AffineMaps.h"
#include "../Differentiate/RecurrenceBuilder.h"
#include "../Normalize/PointwiseParts.h"
#include "NewtonCell.h"

namespace mlir::scan {

/// Tensors with an element per chunk have the dimensions of the inits, with one
/// for the chunks in front of that of time, whose extent is 1. Chunks lie
/// as their steps do: in reverse, the last one comes first.
class NewtonIterations {
public:
  /// Operations that all iterations need are created at the place of
  /// `rewriter`; `steps` is how many steps `op` has.
  NewtonIterations(RewriterBase &rewriter, RecurrenceOp op, NewtonCell &cell,
                   OpFoldResult steps, int64_t chunk);

  /// For each state the states that chunks start from before the first
  /// iteration: the init.
  SmallVector<Value> createStarts();
  /// What is behind the chunks.
  struct Pass {
    /// For each state F_j at the starts.
    SmallVector<Value> ends;
    /// The entries of D_j that are neither 0 nor 1 in all chunks.
    SmallVector<Value> slopes;
  };
  Pass createPass(ValueRange starts);
  /// The starts after one more iteration.
  SmallVector<Value> createNext(ValueRange starts, const Pass &pass);
  /// The largest difference of a start from the end before it, a tensor without
  /// dimensions; not a number where one of them is not.
  Value createResidual(ValueRange starts, ValueRange ends);
  /// The rows of all steps, states and then outputs, of chunks with these
  /// starts and ends.
  SmallVector<Value> createRows(ValueRange starts, ValueRange ends);
  /// The last one in time of `extent` rows, or `init`, one row, where there are
  /// none.
  Value createLast(Value rows, Value init, OpFoldResult extent);

private:
  /// A range of rows as chunks of one length.
  struct Chunks {
    OpFoldResult firstRow, count, length;
  };
  /// The body of `createWalk`: next states and outputs from the previous states
  /// and what the step reads besides.
  using Body = function_ref<SmallVector<Value>(OpBuilder &, ValueRange)>;
  using Sizes = SmallVector<OpFoldResult>;

  /// Walks `chunks` side by side, from a row each of `inits`.
  RecurrenceOp createWalk(const Chunks &chunks, ValueRange inits,
                          ArrayRef<Type> types, Body body);
  /// The rows that a step reads in the body of `walk`; null for indices.
  SmallVector<Value> addReads(differentiate::RecurrenceBuilder &walk,
                              const Chunks &chunks);
  Value createChunks(Value rows, const Chunks &chunks);
  SmallVector<Value> createRowsOf(const Chunks &chunks, ValueRange inits);
  SmallVector<Value> solve(ArrayRef<Value> maps);
  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> symbols);
  OpFoldResult getNumRows(const Chunks &chunks);
  /// What `value` has of `count` chunks.
  Value sliceChunks(Value value, int64_t first, OpFoldResult count);
  Value fillChunks(double number);

  RewriterBase &rewriter;
  RecurrenceOp op;
  NewtonCell &cell;
  Location loc;
  int64_t dim, rank;
  OpFoldResult steps;
  /// All whole chunks, and the steps behind them as one.
  Chunks main, rest;
  /// Of what has an element per chunk.
  AffineMap domain;
  Sizes sizes;
  SmallVector<Value> inits;
  /// What a step reads besides the states; without a source, an index.
  SmallVector<PointwiseParts::Read> reads;
  /// What an iteration scans.
  differentiate::AffineMaps affine;
};

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_NEWTON_NEWTONITERATIONS_H
