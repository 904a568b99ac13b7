//===- ColumnBlock.h - What the column kernels have in common ---*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The columns of a block: which they are, how a tile of them is moved and
// mapped, the states before their first step, and what becomes of columns
// without steps. How a tile is scanned is left to each kernel.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_COLUMNBLOCK_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_COLUMNBLOCK_H

#include "../Tile/ColumnTile.h"

namespace mlir::scan {

struct ColumnBlock {
  /// `b` is in a block of the function that is run once.
  ColumnBlock(ImplicitLocOpBuilder &b, KernelFrame &frame,
              const ColumnLayout &layout)
      : frame(frame), kernel(frame.getKernel()), layout(layout),
        io(frame, layout), columns(b, frame, layout, io) {}

  /// Groups of columns, one for each block or tile: their numbers in all, and
  /// of those side by side along the innermost dimension; indices.
  /// `isVectorized`: i1, whether vectorized accesses are possible; null: never.
  struct Groups {
    Value count, perRow, isVectorized;
  };
  Groups createGroups(ImplicitLocOpBuilder &b);
  /// Emits `body` for the columns of group number `number`: once, or for both
  /// ways to access them.
  void startGroup(ImplicitLocOpBuilder &b, const Groups &groups, Value number,
                  function_ref<void(ImplicitLocOpBuilder &)> body);

  /// Of a kernel with a block for each of `groups`: emits `body` for the
  /// columns of group number `number` where there are such and steps; all
  /// threads of the block get to the same barriers.
  void forBlock(ImplicitLocOpBuilder &b, const Groups &groups, Value number,
                function_ref<void(ImplicitLocOpBuilder &)> body);

  SmallVector<SmallVector<Value>> getPoints();
  /// What the steps are combined with, and the states of scans without steps.
  SmallVector<State> createStarts(ImplicitLocOpBuilder &b);
  SmallVector<State> createInits(ImplicitLocOpBuilder &b);

  /// Emits `body` where there are steps; else stores finals, if the i1
  /// `storesInits` is null or set.
  void ifSteps(ImplicitLocOpBuilder &b,
               function_ref<SmallVector<State>(ImplicitLocOpBuilder &)> inits,
               function_ref<void(ImplicitLocOpBuilder &)> body,
               Value storesInits = Value());

  KernelFrame &frame;
  KernelOp kernel;
  ColumnLayout layout;
  ColumnIO io;
  ColumnTile columns;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_COLUMNBLOCK_H
