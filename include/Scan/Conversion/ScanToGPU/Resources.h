//===- Resources.h - What a scheduled kernel takes up -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_CONVERSION_SCANTOGPU_RESOURCES_H
#define SCAN_CONVERSION_SCANTOGPU_RESOURCES_H

#include "Scan/IR/ScanDialect.h"

namespace mlir::scan {

/// Shared memory that a block can have on every chip without asking for more,
/// in bytes. Only rows whose tiles blocks take by turns use more than that.
constexpr int64_t kMaxSharedBytes = int64_t(48) * 1024;
/// The most that a kernel can ask for at its launch, on any GPU.
constexpr int64_t kMaxDynamicSharedBytes = int64_t(227) * 1024;

/// Words per thread that the next tile of a row may take up in registers. Rows
/// with larger tiles do not read ahead.
constexpr int64_t kMaxWordsAhead = 16;

/// Bytes that one value of a supported element type takes in memory.
int64_t getStorageBytes(Type type);

/// Strides of a shaped operand in elements: of the memref's layout, row-major
/// for a tensor; dynamic where unknown. Empty if the layout is not strided.
SmallVector<int64_t> getOperandStrides(ShapedType type);

/// Whether consecutive positions along domain dimension `dim` are neighbours
/// in `operand`'s memory, each with its dense block of trailing elements.
bool isContiguousAlong(Value operand, AffineMap map, unsigned dim);

/// The domain dimension other than the scanned one along which most bytes lie
/// contiguously, if there is another: the one along which threads lie.
std::optional<unsigned> getInnerDim(KernelOp kernel);

/// What of a schedule the conversion does not support, and what to use instead.
struct UnsupportedPart {
  std::string found;
  StringRef instead;
};
std::optional<UnsupportedPart> getUnsupportedPart(ScheduleAttr schedule);
/// Emits an error at `kernel` if there is such a part.
LogicalResult checkIsSupported(KernelOp kernel, ScheduleAttr schedule);

/// Bytes of shared memory per block that `kernel` cannot do without under
/// `schedule`. All that persistent kernels want is counted, since the
/// conversion does not know how much a launch may ask for.
int64_t getRequiredSharedBytes(KernelOp kernel, ScheduleAttr schedule);

/// The same with what makes it faster: operands of rows that find no room
/// within kMaxSharedBytes are accessed in a slower order.
int64_t getWantedSharedBytes(KernelOp kernel, ScheduleAttr schedule);

/// Bytes that a tile of `schedule`, over the grid, moves at the least to tell
/// others the states of its scans and to learn those before it.
int64_t getLookBackBytes(KernelOp kernel, ScheduleAttr schedule);

/// The 32-bit words that a thread of a `row` kernel that scans both ways holds
/// per step: the input elements that vary along the scan dimension, and the
/// states before and behind.
int64_t getWordsPerStep(KernelOp kernel);

/// The `row` schedule whose block holds a row of `extent` steps in one tile, if
/// each takes that many words; nothing where registers do not suffice.
std::optional<ScheduleAttr>
getOneTileSchedule(MLIRContext *context, int64_t extent, int64_t wordsPerStep);

/// True if under `schedule` each row is one tile of a block. Where it is,
/// a kernel with `opposite` reads its inputs once; else it is split in two.
bool isOneTile(int64_t extent, ScheduleAttr schedule);

} // namespace mlir::scan

#endif // SCAN_CONVERSION_SCANTOGPU_RESOURCES_H
