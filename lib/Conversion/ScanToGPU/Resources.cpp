//===- Resources.cpp - What a scheduled kernel takes up -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Conversion/ScanToGPU/Resources.h"
#include "BlockScan.h"
#include "ColumnScan.h"
#include "GridWorkspace.h"
#include "RowStarts.h"
#include "Strategies.h"
#include "TransposeLayout.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::scan;

int64_t mlir::scan::getStorageBytes(Type type) {
  if (auto complexType = dyn_cast<ComplexType>(type))
    return 2 * getStorageBytes(complexType.getElementType());
  if (type.isIndex())
    return 8;
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

SmallVector<int64_t> mlir::scan::getOperandStrides(ShapedType type) {
  SmallVector<int64_t> strides;
  if (auto memref = dyn_cast<MemRefType>(type)) {
    int64_t offset;
    if (failed(memref.getStridesAndOffset(strides, offset)))
      strides.clear();
    return strides;
  }
  strides.resize(type.getRank());
  int64_t stride = 1;
  for (int64_t i = type.getRank() - 1; i >= 0; --i) {
    strides[i] = stride;
    bool isKnown = !ShapedType::isDynamic(stride) && !type.isDynamicDim(i);
    stride = isKnown ? stride * type.getDimSize(i) : ShapedType::kDynamic;
  }
  return strides;
}

bool mlir::scan::isContiguousAlong(Value operand, AffineMap map, unsigned dim) {
  auto type = dyn_cast<ShapedType>(operand.getType());
  std::optional<unsigned> position =
      map.getResultPosition(getAffineDimExpr(dim, map.getContext()));
  if (!type || !position)
    return false;
  SmallVector<int64_t> strides = getOperandStrides(type);
  if (strides.empty() ||
      strides[*position] != KernelOp::getNumElements(operand, map))
    return false;
  ArrayRef<int64_t> trailing = KernelOp::getTrailingShape(operand, map);
  return ArrayRef(strides).take_back(trailing.size()) ==
         ArrayRef(computeStrides(trailing));
}

/// Bytes of shared memory through which the tiles of a row kernel are moved.
static int64_t getTransposeBytes(KernelOp kernel, ScheduleAttr schedule) {
  int64_t bytes = 0;
  unsigned inits = kernel.getInputs().size();
  unsigned outputs = inits + kernel.getInits().size();
  unsigned finals = outputs + kernel.getOutputs().size();
  for (OpOperand &operand : kernel->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    bool isInput = number < inits;
    bool isMoved = isInput || (number >= outputs && number < finals &&
                               !kernel.isSum(number - outputs));
    int64_t tiles = isInput && schedule.getBlocks() != 0 ? kPipelinedTiles : 1;
    if (isMoved)
      bytes += tiles * TransposeLayout::get(
                           operand.get(), kernel.getIndexingMap(operand),
                           kernel.getDim(), schedule.getThreads(),
                           schedule.getItems())
                           .getBytes();
  }
  return bytes;
}

int64_t mlir::scan::getRequiredSharedBytes(KernelOp kernel,
                                           ScheduleAttr schedule) {
  bool isGrid = schedule.getScope() == Scope::Grid;
  switch (schedule.getStrategy()) {
  case Strategy::Sequential:
    return 0;
  case Strategy::Column: {
    int64_t across = int64_t(schedule.getLanes()) * schedule.getVector();
    return ColumnScan::getSharedBytes(kernel, schedule) +
           (isGrid ? getGridSharedBytes(kernel, across) : 0);
  }
  case Strategy::Row: {
    bool isPersistent = schedule.getBlocks() != 0;
    return BlockScan::getSharedBytes(kernel, schedule.getThreads(),
                                     schedule.getRows()) +
           RowStarts::getSharedBytes(kernel, schedule) +
           (isGrid ? getGridSharedBytes(kernel, isPersistent ? 2 : 1) : 0) +
           (isPersistent ? getTransposeBytes(kernel, schedule) : 0);
  }
  }
  llvm_unreachable("unknown strategy");
}

int64_t mlir::scan::getWantedSharedBytes(KernelOp kernel,
                                         ScheduleAttr schedule) {
  int64_t bytes = getRequiredSharedBytes(kernel, schedule);
  if (schedule.getStrategy() == Strategy::Row && schedule.getBlocks() == 0)
    bytes += getTransposeBytes(kernel, schedule);
  return bytes;
}

int64_t mlir::scan::getLookBackBytes(KernelOp kernel, ScheduleAttr schedule) {
  // Aggregate and prefix are written, and the prefix of the tile before is
  // read.
  constexpr int64_t descriptors = 3;
  return descriptors * getDescriptorBytes(kernel, schedule) +
         RowStarts::getReadBytes(kernel);
}

std::optional<UnsupportedPart>
mlir::scan::getUnsupportedPart(ScheduleAttr schedule) {
  int64_t rowThreads = schedule.getThreads() / schedule.getRows();
  if (schedule.getStrategy() == Strategy::Row && rowThreads % kWarpSize != 0 &&
      !llvm::isPowerOf2_64(rowThreads))
    return UnsupportedPart{
        ("rows of " + Twine(rowThreads) + " threads each").str(),
        "threads that are a power of two"};
  return std::nullopt;
}

LogicalResult mlir::scan::checkIsSupported(KernelOp kernel,
                                           ScheduleAttr schedule) {
  if (kernel.hasStarts() && schedule.getStrategy() != Strategy::Row)
    return kernel.emitOpError()
           << "expected the strategy row for a kernel with lists of starts, "
              "found "
           << stringifyStrategy(schedule.getStrategy())
           << "; read flags instead, as --scan-fuse-starts=max-points=0 leaves "
              "them";
  std::optional<UnsupportedPart> part = getUnsupportedPart(schedule);
  if (!part)
    return success();
  return kernel.emitOpError()
         << "expected a schedule that a GPU kernel can follow, found "
         << part->found << ", which is not supported; use " << part->instead;
}

/// Registers of a thread for what getWordsPerStep counts.
static constexpr int64_t kTileRegisters = 64;
/// So many threads may have all of these registers.
static constexpr int64_t kMaxTileThreads = 512;
static constexpr int64_t kMaxTileItems = 8;

int64_t mlir::scan::getWordsPerStep(KernelOp kernel) {
  auto getWords = [](Type type) {
    return llvm::divideCeil(getStorageBytes(type), 4);
  };
  int64_t words = 0;
  for (auto [input, map] :
       llvm::zip_equal(kernel.getInputs(), kernel.getInputMaps()))
    if (map.isFunctionOfDim(kernel.getDim()))
      words += KernelOp::getNumElements(input, map) *
               getWords(getElementTypeOrSelf(input.getType()));
  for (Type type : kernel.getLeafTypes())
    words += 2 * getWords(type);
  return words;
}

std::optional<ScheduleAttr>
mlir::scan::getOneTileSchedule(MLIRContext *context, int64_t extent,
                               int64_t wordsPerStep) {
  int64_t items = kMaxTileItems;
  while (items > 1 && items * wordsPerStep > kTileRegisters)
    items /= 2;
  int64_t threads = 32;
  while (threads < kMaxTileThreads && threads * items < extent)
    threads *= 2;
  while (items > 1 && threads * items / 2 >= extent)
    items /= 2;
  auto schedule = ScheduleAttr::get(context, Strategy::Row, threads, items);
  if (!isOneTile(extent, schedule))
    return std::nullopt;
  return schedule;
}

bool mlir::scan::isOneTile(int64_t extent, ScheduleAttr schedule) {
  return schedule.getStrategy() == Strategy::Row &&
         schedule.getScope() == Scope::Block && schedule.getRows() == 1 &&
         !ShapedType::isDynamic(extent) && extent >= 1 &&
         extent <= int64_t(schedule.getThreads()) * schedule.getItems();
}
