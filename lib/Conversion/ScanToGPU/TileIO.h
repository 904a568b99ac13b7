//===- TileIO.h - Moving tiles between memory and registers -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile is `threads * items` consecutive steps of the scan dimension, counted
// in scan order: with `reverse`, position p lies at index extent - 1 - p, and
// no data is ever flipped. Each thread computes on `items` consecutive
// positions (blocked), but memory is fast when neighbouring threads access
// neighbouring elements (striped). Operands that are contiguous along the scan
// dimension are therefore transposed through shared memory, which is padded
// so that neither side has bank conflicts for powers of two and odd `items`.
// Other operands are accessed in blocked order directly.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_TILEIO_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_TILEIO_H

#include "KernelFrame.h"

namespace mlir::scan {

/// The elements of all inputs (or outputs) at one step, operand by operand.
using Elements = SmallVector<Value>;

/// How a tile of one operand lies in shared memory while it is transposed.
struct TransposeLayout {
  /// Number of values, 0 if the operand is not transposed: threads hold one
  /// value each, or neighbouring threads access no neighbouring elements.
  int64_t slots = 0;
  /// After every `groupSize` values, which cover all banks, `padding` slots
  /// stay unused.
  int64_t groupSize = 0, padding = 0;
  int64_t valueBytes = 0;

  int64_t getBytes() const { return alignShared(slots * valueBytes); }
  static TransposeLayout get(Value operand, AffineMap map, unsigned dim,
                             int64_t threads, int64_t items);
};

class TileIO {
public:
  /// Decides how each operand is accessed and allocates shared memory, at
  /// most `sharedBudget` bytes: operands beyond that are accessed directly.
  TileIO(ImplicitLocOpBuilder &b, KernelFrame &frame, const ThreadIds &ids,
         int64_t items, int64_t sharedBudget);

  /// Turns to the row at `point` outside the scan dimension, and reads what
  /// does not vary along the scan dimension.
  void startRow(ImplicitLocOpBuilder &b, ArrayRef<Value> point);

  /// Reads the input elements at the thread's positions of the tile that
  /// begins at position `base`. With `isPartial` the tile reaches beyond the
  /// end of the scan, and positions there repeat the last element.
  SmallVector<Elements> load(ImplicitLocOpBuilder &b, Value base,
                             bool isPartial);

  /// Writes the output elements at the thread's positions; with `isPartial`
  /// only those before the end of the scan.
  void store(ImplicitLocOpBuilder &b, Value base, bool isPartial,
             ArrayRef<Elements> items);

  /// The index along the scan dimension of the thread's item number `item`; at
  /// positions beyond the end that of the last element.
  Value createIndex(ImplicitLocOpBuilder &b, Value base, int64_t item,
                    bool isPartial);

  /// Whether `load` and `store` contain a barrier, between writing and reading
  /// their own part of shared memory.
  bool loadsThroughShared() const { return anyShared(inputs); }
  bool storesThroughShared() const { return anyShared(outputs); }

private:
  enum class Access { Invariant, Direct, Shared };
  struct Operand {
    OperandView view;
    Access access;
    /// Access::Shared: the buffer and its layout.
    Value buffer;
    TransposeLayout layout;
    /// Access::Invariant: the elements at the current row.
    Elements invariant;
  };
  /// One element in memory: its position in the scan and, for operands with
  /// trailing dimensions, its number in the trailing block (else null).
  struct StripedElement {
    Value base, trailing;
    int64_t offset;
  };

  static bool anyShared(ArrayRef<Operand> operands) {
    return llvm::any_of(operands, [](const Operand &operand) {
      return operand.access == Access::Shared;
    });
  }
  Operand plan(const OperandView &view, int64_t &sharedBudget);
  Value getSlot(ImplicitLocOpBuilder &b, const Operand &operand, Value base,
                int64_t multiple, int64_t offset);
  Value getStripedSlot(ImplicitLocOpBuilder &b, const Operand &operand,
                       int64_t step);
  Value getBlockedSlot(ImplicitLocOpBuilder &b, const Operand &operand,
                       int64_t number);
  StripedElement getStriped(ImplicitLocOpBuilder &b, const Operand &operand,
                            Value tileBase, int64_t step);
  SmallVector<Value> getStripedIndices(ImplicitLocOpBuilder &b,
                                       const Operand &operand,
                                       const StripedElement &element,
                                       bool isPartial);
  Value getIndex(ImplicitLocOpBuilder &b, Value base, int64_t offset,
                 bool isClamped);
  Value getReadIndex(ImplicitLocOpBuilder &b, const Operand &operand,
                     Value index);

  KernelFrame &frame;
  KernelOp kernel;
  ThreadIds ids;
  int64_t items;
  SmallVector<Operand> inputs, outputs;
  SmallVector<Value> point;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TILEIO_H
