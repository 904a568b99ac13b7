//===- TransposeLayout.h - How a tile lies in shared memory -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Indices into tiles that lie as TransposeLayout says (Plan/TransposeLayout.h).
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_TILE_TRANSPOSELAYOUT_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_TILE_TRANSPOSELAYOUT_H

#include "../Frame/KernelFrame.h"

namespace mlir::scan {

/// The slot of the element (`unit` = 1) or chunk (`unit` = `layout.length`)
/// with the number `number + offset`. `bound`: `number` is less, where that is
/// known.
Value createSlot(ImplicitLocOpBuilder &b, const TransposeLayout &layout,
                 Value number, int64_t offset, int64_t unit,
                 std::optional<int64_t> bound = std::nullopt);
/// The slot of the first chunk of thread `thread`; its others follow.
Value createThreadSlot(ImplicitLocOpBuilder &b, const TransposeLayout &layout,
                       Value thread);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_TILE_TRANSPOSELAYOUT_H
