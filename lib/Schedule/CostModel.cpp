//===- CostModel.cpp - Which schedule suits a scan ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scan is bound by memory: each strategy takes the larger of the time that
// its traffic needs and the time that its longest chain of dependent steps
// needs. The strategy with the smaller estimate wins; threads and items follow
// from its shape.
//
//===----------------------------------------------------------------------===//

#include "Scan/Schedule/CostModel.h"
#include "Scan/Conversion/ScanToGPU/Resources.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::scan;

/// Assumed where an extent is dynamic.
static constexpr int64_t kAssumedExtent = 2048;
static constexpr int64_t kAssumedPoints = 4096;

/// From here on more points make no difference to a decision.
static constexpr int64_t kManyPoints = int64_t(1) << 30;

/// Nanoseconds from a load to its value, and for one tile of a row with its
/// barriers and shuffles.
static constexpr int64_t kLoadLatency = 700;
static constexpr int64_t kTileLatency = 2000;

/// The hardware fetches memory in sectors of so many bytes.
static constexpr int64_t kSectorBytes = 32;

/// Registers of a thread that elements in flight may take: a row holds one tile
/// of them, a sequential walk two chunks.
static constexpr int64_t kTileRegisters = 64;
static constexpr int64_t kChunkRegisters = 96;

/// Bytes that each multiprocessor wants to have in flight.
static constexpr int64_t kBytesInFlight = 32 * 1024;

static int64_t getWords(Type type) {
  return llvm::divideCeil(getStorageBytes(type), 4);
}

KernelFacts KernelFacts::get(KernelOp kernel) {
  KernelFacts facts = {};
  unsigned scanDim = kernel.getDim();
  facts.points = 1;
  facts.isExtentStatic = facts.arePointsStatic = true;
  for (auto [dim, extent] : llvm::enumerate(kernel.getStaticDomainShape())) {
    bool isDynamic = ShapedType::isDynamic(extent);
    if (dim == scanDim) {
      facts.isExtentStatic = !isDynamic;
      facts.extent = isDynamic ? kAssumedExtent : extent;
    } else if (isDynamic) {
      facts.arePointsStatic = false;
    } else {
      // Nobody launches more points than this; no overflow in what follows.
      facts.points = std::min<int64_t>(
          kManyPoints, facts.points * std::min<int64_t>(extent, kManyPoints));
    }
  }
  if (!facts.arePointsStatic)
    facts.points = std::max(facts.points, kAssumedPoints);

  auto addOperands = [&](ValueRange operands, ArrayRef<AffineMap> maps,
                         bool isInput) {
    for (auto [number, operand, map] : llvm::enumerate(operands, maps)) {
      int64_t elements = KernelOp::getNumElements(operand, map);
      Type type = getElementTypeOrSelf(operand.getType());
      if (!map.isFunctionOfDim(scanDim))
        continue;
      int64_t bytes = elements * getStorageBytes(type);
      if (isInput)
        facts.inputWords += elements * getWords(type);
      // An array that is read at two shifts comes from memory once.
      bool isKnown = false;
      for (unsigned i = 0; i < number; ++i)
        isKnown |= operands[i] == operand && maps[i] == map;
      if (isKnown)
        continue;
      facts.bytesMoved += bytes;
      if (isInput)
        facts.bytesRead += bytes;
      for (unsigned dim = 0; dim < kernel.getDomainRank(); ++dim)
        if (isContiguousAlong(operand, map, dim))
          (dim == scanDim ? facts.bytesContiguousInScan
                          : facts.bytesContiguousAcross) += bytes;
    }
  };
  addOperands(kernel.getInputs(), kernel.getInputMaps(), true);
  addOperands(kernel.getOutputs(), kernel.getOutputMaps(), false);
  for (Type type : kernel.getLeafTypes())
    facts.stateWords += getWords(type);
  return facts;
}

/// Bytes that the memory moves per point and step if neighbouring threads are
/// neighbours along the dimension in which `contiguous` of the bytes are dense;
/// the others waste most of each sector.
static int64_t getTraffic(const KernelFacts &facts, int64_t contiguous) {
  int64_t scattered = facts.bytesMoved - contiguous;
  return contiguous + std::min(8 * scattered, 2 * kSectorBytes + scattered);
}

/// The largest power of two of elements in flight that registers allow.
static int64_t limitItems(int64_t items, int64_t wordsPerItem,
                          int64_t registers) {
  while (items > 1 && items * wordsPerItem > registers)
    items /= 2;
  return items;
}

static ScheduleAttr chooseSequential(KernelOp kernel, const KernelFacts &facts,
                                     const Target &target) {
  // Small blocks spread over more multiprocessors.
  int64_t threads = 128;
  while (threads > 32 && facts.points / threads < 2 * target.numSMs)
    threads /= 2;
  // Load so far ahead that enough bytes are in flight.
  int64_t perSM = std::clamp<int64_t>(
      llvm::divideCeil(facts.points, target.numSMs), 1, target.maxThreadsPerSM);
  int64_t perStep = std::max<int64_t>(1, perSM * facts.bytesRead);
  int64_t items = llvm::PowerOf2Ceil(llvm::divideCeil(kBytesInFlight, perStep));
  items = limitItems(std::clamp<int64_t>(items, 4, 16), 2 * facts.inputWords,
                     kChunkRegisters);
  while (facts.isExtentStatic && items > 1 && items > facts.extent)
    items /= 2;
  return ScheduleAttr::get(kernel.getContext(), Strategy::Sequential, threads,
                           items);
}

static ScheduleAttr chooseRow(KernelOp kernel, const KernelFacts &facts,
                              const Target &target) {
  // One row occupies one multiprocessor: few rows want large blocks.
  int64_t maxThreads = facts.points < target.numSMs ? 512 : 128;
  int64_t items =
      limitItems(8, facts.inputWords + facts.stateWords, kTileRegisters);
  int64_t threads = maxThreads;
  // No larger tile than the row.
  while (threads > 32 && facts.isExtentStatic &&
         threads / 2 * items >= facts.extent)
    threads /= 2;
  while (facts.isExtentStatic && items > 1 &&
         threads * items / 2 >= facts.extent)
    items /= 2;
  auto get = [&]() {
    return ScheduleAttr::get(kernel.getContext(), Strategy::Row, threads,
                             items);
  };
  while (items > 1 && getWantedSharedBytes(kernel, get()) > kMaxSharedBytes)
    items /= 2;
  return get();
}

/// Estimated nanoseconds.
static double estimateSequential(const KernelFacts &facts,
                                 ScheduleAttr schedule, const Target &target) {
  double chain = double(llvm::divideCeil(facts.extent, schedule.getItems())) *
                 kLoadLatency;
  // Rows so short that a thread reads its whole sectors itself waste nothing.
  int64_t contiguous = facts.bytesContiguousAcross;
  if (facts.extent <= 8 * kSectorBytes / std::max<int64_t>(1, facts.bytesMoved))
    contiguous = facts.bytesMoved;
  double traffic =
      double(facts.extent) * facts.points * getTraffic(facts, contiguous);
  return std::max(chain, traffic / target.bandwidth);
}

static double estimateRow(const KernelFacts &facts, ScheduleAttr schedule,
                          const Target &target) {
  int64_t tile = int64_t(schedule.getThreads()) * schedule.getItems();
  int64_t tiles = llvm::divideCeil(facts.extent, tile);
  int64_t blocksPerSM =
      std::max<int64_t>(1, target.maxThreadsPerSM / 2 / schedule.getThreads());
  int64_t waves = llvm::divideCeil(facts.points, blocksPerSM * target.numSMs);
  double traffic = double(facts.extent) * facts.points *
                   getTraffic(facts, facts.bytesContiguousInScan);
  return std::max(double(waves) * tiles * kTileLatency,
                  traffic / target.bandwidth);
}

ScheduleAttr mlir::scan::chooseSchedule(KernelOp kernel, const Target &target) {
  KernelFacts facts = KernelFacts::get(kernel);
  ScheduleAttr sequential = chooseSequential(kernel, facts, target);
  if (kernel.getOrder() == Order::Sequential)
    return sequential;
  ScheduleAttr row = chooseRow(kernel, facts, target);
  // With extents that are only assumed, a strategy that wastes traffic has to
  // win clearly: more points than assumed make it lose by the waste.
  bool isGuess = !facts.isExtentStatic || !facts.arePointsStatic;
  bool isWasteful =
      getTraffic(facts, facts.bytesContiguousInScan) > facts.bytesMoved;
  double handicap = isGuess && isWasteful ? 4.0 : 1.0;
  bool isRowFaster = handicap * estimateRow(facts, row, target) <
                     estimateSequential(facts, sequential, target);
  return isRowFaster ? row : sequential;
}

LogicalResult mlir::scan::checkSchedule(KernelOp kernel, ScheduleAttr schedule,
                                        const Target &target) {
  int64_t threads = schedule.getThreads();
  if (threads > target.maxThreadsPerBlock)
    return kernel.emitOpError()
           << "expected a schedule of at most " << target.maxThreadsPerBlock
           << " threads per block for " << target.chip << ", found " << threads;
  if (kernel.getOrder() == Order::Sequential &&
      schedule.getStrategy() != Strategy::Sequential)
    return kernel.emitOpError()
           << "expected the strategy sequential for the order sequential, "
              "found "
           << stringifyStrategy(schedule.getStrategy());
  int64_t bytes = getWantedSharedBytes(kernel, schedule);
  bool isColumn = schedule.getStrategy() == Strategy::Column;
  if (bytes > target.staticSharedPerBlock && isColumn)
    return kernel.emitOpError()
           << "expected a schedule with at most " << target.staticSharedPerBlock
           << " bytes of shared memory per block for " << target.chip
           << ", found " << threads << " threads in " << schedule.getLanes()
           << " lanes with " << schedule.getVector()
           << " columns each, which take " << bytes
           << " bytes; lower threads, lanes or vector";
  if (bytes > target.staticSharedPerBlock)
    return kernel.emitOpError()
           << "expected a schedule with at most " << target.staticSharedPerBlock
           << " bytes of shared memory per "
           << "block for " << target.chip << ", found " << threads
           << " threads with " << schedule.getItems() << " items, which take "
           << bytes << " bytes; lower threads or items";
  return success();
}
