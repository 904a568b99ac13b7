//===- LinalgTile.h - Points of a structured operation ----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_LINALGTILE_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_LINALGTILE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <optional>

namespace mlir::scan {

/// Which points are computed together: `rows` of them along one loop, times
/// `vectors` of `lanes` neighbours along another.
struct TileShape {
  int64_t rows = 1, vectors = 1, lanes = 1;
};

/// Emits the code of one tile of a structured operation on memrefs. What it
/// computes stays in registers over all reductions. What does not differ from
/// row to row, or from lane to lane, is loaded and computed once.
class LinalgTile {
public:
  /// `laneLoop` is one along which outputs are contiguous, and inputs are so or
  /// do not vary; `rowLoop` another parallel one. `fuses` says that a product
  /// that is added up is rounded with the sum only. Code that all tiles need is
  /// emitted in front.
  LinalgTile(OpBuilder &builder, linalg::LinalgOp op, unsigned laneLoop,
             std::optional<unsigned> rowLoop, bool fuses);

  /// Emits the tile whose first point has the indices `first`, one per loop;
  /// those of reductions need not be set.
  void emit(ArrayRef<Value> first, TileShape shape);

private:
  /// Whether a value differs from row to row, and from lane to lane.
  struct Variation {
    bool ofRows = false, ofLanes = false;
  };
  /// What an argument of the body, or a selection of two, is loaded from.
  struct Source {
    Value memref;
    AffineMap map;
  };
  /// Calls `each` for all points of the tile among which `variation` says there
  /// is a difference.
  void forPoints(Variation variation,
                 function_ref<void(int64_t row, int64_t vector)> each);

  void chooseMemRefs();
  void findVariations();
  Variation getVariation(AffineMap map) const;
  Variation getVariation(Value value) const { return variations.lookup(value); }
  Value index(int64_t number);
  Value getIndex(unsigned loop, int64_t row, int64_t vector);
  SmallVector<Value> getIndices(AffineMap map, int64_t row, int64_t vector);

  /// The values of a value of the body that was emitted: of points `row` and
  /// `vector`, as a vector if `asVector`.
  Value get(Value value, int64_t row, int64_t vector, bool asVector);
  void set(Value value, int64_t row, int64_t vector, Value emitted);
  Value widen(Value scalar);

  /// The product that `sum` adds to an output, if it is rounded with it.
  arith::MulFOp getFusedProduct(arith::AddFOp sum);
  /// What a single operation of the body gives, a vector if `asVector`.
  SmallVector<Value> emitPoint(Operation &inner, int64_t row, int64_t vector,
                               bool asVector);
  Value load(const Source &source, int64_t row, int64_t vector);
  void emitOperation(Operation &op);
  SmallVector<Value> emitReductions(ArrayRef<unsigned> loops,
                                    SmallVector<Value> outputs);
  /// Emits the body; `outputs` are the elements of all outputs so far.
  SmallVector<Value> emitBody(ValueRange outputs);

  OpBuilder &builder;
  linalg::LinalgOp op;
  Location loc;
  Block &body;
  unsigned laneLoop;
  std::optional<unsigned> rowLoop;
  bool fuses;
  SmallVector<Value> sizes;
  /// Of what is read, and not the operands of outputs.
  llvm::MapVector<Value, Source> sources;
  llvm::DenseMap<Value, Variation> variations;

  TileShape shape;
  SmallVector<Value> point;
  /// By value of the body, row and vector.
  llvm::DenseMap<std::tuple<Value, int64_t, int64_t>, Value> emitted;
  llvm::DenseMap<Value, Value> widened;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_LINALGTILE_H
