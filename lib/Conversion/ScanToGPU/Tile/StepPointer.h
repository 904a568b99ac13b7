//===- StepPointer.h - An operand from step to step -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where an operand that varies along the scan dimension lies in global memory,
// for one scan: one pointer per thread, to which a multiple of the stride is
// added per tile, and the stride from step to step. As so many multiples of a
// stride that is not known, the addresses of a tile would take two registers
// each.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_TILE_STEPPOINTER_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_TILE_STEPPOINTER_H

#include "../Primitives/VectorAccess.h"

namespace mlir::scan {

class StepPointer {
public:
  StepPointer(KernelFrame &frame, const OperandView &view)
      : frame(&frame), view(view) {}

  /// Looks the operand up, if that is still to be done.
  void prepare(ImplicitLocOpBuilder &b);
  const GlobalPointer &getGlobal() const { return global; }

  /// Begins with the scan at `point`, in which the coordinate along the scan
  /// dimension does not count.
  void start(ImplicitLocOpBuilder &b, ArrayRef<Value> point);
  /// The next access is `ahead` positions after `position`; and then at the
  /// position after, where `condition`, which may be null, holds.
  void startAt(ImplicitLocOpBuilder &b, Value position, int64_t ahead = 0);
  void advance(ImplicitLocOpBuilder &b, Value condition = Value());
  /// The address of the first element there; of a shifted input that of the
  /// step that it is to see, or of any where that is out of bounds.
  Value getAddress(ImplicitLocOpBuilder &b) const;
  /// `elements`, which were loaded there; of a shifted input those of
  /// `boundary` where that is out of bounds.
  SmallVector<Value> selectInBounds(ImplicitLocOpBuilder &b,
                                    ValueRange elements,
                                    ValueRange boundary) const;

  /// The address of the first element at a point.
  Value createAddress(ImplicitLocOpBuilder &b, ArrayRef<Value> point) const;
  /// Loads or stores the elements of which the first one is at `address`.
  SmallVector<Value> load(ImplicitLocOpBuilder &b, Value address) const;
  void store(ImplicitLocOpBuilder &b, ValueRange elements, Value address) const;

private:
  Value getElementAddress(ImplicitLocOpBuilder &b, Value address,
                          int64_t element) const;

  KernelFrame *frame;
  OperandView view;
  GlobalPointer global;
  /// The address at index 0 along the scan dimension, the bytes from index to
  /// index and from step to step.
  Value pointer, indexBytes, stepBytes;
  /// The step that is accessed: its address and its index.
  Value address, index;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TILE_STEPPOINTER_H
