//===- RegisterEstimate.cpp - Registers of a planned kernel ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts what a thread holds at a time. The constants were fitted to what ptxas
// says of the kernels (benchmark/gpu/check_kernels.py occupancy): they are the
// compiler's, not a chip's.
//
//===----------------------------------------------------------------------===//

#include "RegisterEstimate.h"
#include "IR/OperandMemory.h"
#include "IR/Sigmoids.h"
#include "KernelOperands.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::scan;

/// Registers of any kernel, and for the address and the counter of each array.
static constexpr int64_t kBase = 20;
static constexpr int64_t kPerArray = 2;

/// Words of an array that does not vary along the scan: the other constants
/// were fitted to kernels that have so many.
static constexpr int64_t kFittedInvariant = 16;

/// Registers for each further dimension that the scans of a block go along
/// whose warps share the steps.
static constexpr int64_t kDimOfWarps = 2;

/// Registers for addresses where strides are dynamic: in a row for each item,
/// in columns in all. Where an array is read at several shifts that is more,
/// and in tiles of the grid with states of more than a few words, or in large
/// blocks.
static constexpr int64_t kDynamicPerItem = 3;
static constexpr int64_t kDynamicColumn = 4, kDynamicGridColumn = 14,
                         kDynamicWideColumn = 30;
static constexpr int64_t kFewGridWords = 4, kMostGridThreads = 256;

/// Registers for the address of a reduction output; and one for each item that
/// is on its way there.
static constexpr int64_t kPerReduction = 6;

/// Registers of columns for each item of an input of bits, as head flags are:
/// these lie in words, or become predicates.
static constexpr double kBitOfColumns = 0.5;

/// Registers of an item of a row for each word of its state, or of its inputs;
/// for whether a segment starts at it; and what is around a tile at the least.
static constexpr double kStatePerItem = 1.1;
static constexpr double kOffsetsPerItem = 1.2;
static constexpr int64_t kLeastAround = 8;

/// Registers for each word of a tile of a row without the next one: of a tile
/// that is the only one of its row, and of one of several where elements take
/// a register each, or where narrow ones are unpacked in a loop.
static constexpr double kSingleTile = 4.0 / 3;
static constexpr double kTileOfWords = 2.8;
static constexpr double kTileOfNarrow = 1.77;

/// Tiles of which a thread of a persistent kernel holds inputs in registers
/// that do not lie in shared memory: the one that is stored, the one that waits
/// for the state before it, the one that is scanned and the next one; and
/// addresses.
static constexpr int64_t kDirectTiles = 5;

/// Tiles of which `get` counts the inputs of a persistent kernel.
static constexpr int64_t kPipelinedTiles = 2;

/// Registers for divisions and square roots, whose rare cases are a call: what
/// else a thread holds stays in registers around it. Of a persistent kernel the
/// first and each other one of `combine`, and each of `load`, while the next
/// tile is on its way; and each of `store` in a column kernel of the grid.
static constexpr int64_t kPipelinedDivision = 42, kPipelinedDivisions = 10;
static constexpr double kPipelinedLoadDivision = 17;
static constexpr double kColumnStoreDivision = 6.5;

/// Which part of the narrow elements of a block's columns is unpacked at a
/// time, where registers are wanted for another block: 0.2 to 0.7 of them are,
/// as ptxas has it for Griffin, RG-LRU and minGRU with 4 and 8 items.
static constexpr double kUnpackedInBlock = 0.25;

/// Registers for each element of a thread in a tile of the grid, where a thread
/// has several columns.
static constexpr double kElementOfGridVectors = 0.3;

/// Registers for each function that is kept, and each element of a thread.
static constexpr double kKeptFunctions = 0.8;

/// Registers for each word of the chunks, and of the carried states, of a walk
/// by a thread of its own: this one and the next one; and by lanes that share
/// states, of which each step has its words in shared memory at first, and
/// which load a rest step by step, where outputs have nothing of each state.
static constexpr double kChunksOfWalk = 2, kChunksOfSplitWalk = 5.0 / 3,
                        kChunksOfTiledWalk = 1;

/// Registers of a walk back that computes states again, beside what is counted
/// of other walks, which hold chunks that are loaded ahead: in all, which is
/// less; for each carried word of a lane; and where strides are not known.
/// Fitted to what ptxas says of Mamba's derivative.
static constexpr int64_t kWalkBack = -55, kWordOfWalkBack = 3,
                         kDynamicWalkBack = 20;

/// Registers of columns that are walked there and back, besides a tile of
/// inputs: in all, and where extents are not known; and for each element of
/// more than so many of a thread if they are not narrow. Fitted to what ptxas
/// says of the derivatives of Griffin, RG-LRU, minGRU and HGRN.
static constexpr int64_t kColumnsBack = 32, kDynamicColumnsBack = 2;
static constexpr int64_t kFewOfColumnsBack = 16, kManyOfColumnsBack = 5;

namespace {
/// Besides: for each warp; for each element of a thread; and there for each
/// function of `load`, which `store` of a backward pass has, too, with what is
/// computed of it.
struct ColumnsBack {
  double ofWarp, ofElement, ofFunction;
};
} // namespace

/// What ptxas takes where there are enough, and what it does not spill with,
/// for one or two columns of a thread if arrays are narrow: it computes results
/// of functions again then, which it keeps otherwise.
static constexpr ColumnsBack kUsualBack{2, 1, 2.4}, kLeastBack{1.5, 3.4, 1.25};

/// For addresses of each item where extents are not known: ptxas computes them
/// again where there are no registers for them.
static constexpr int64_t kDynamicItemOfColumnsBack = 2;

/// States that rows side by side take more than one row: the one before a row
/// is not the one before the tile.
static constexpr int64_t kRowsSideBySide = 4;

namespace {
class RegisterCount {
public:
  RegisterCount(KernelOp kernel, const KernelPlan &plan,
                const KernelOperands &operands);

  int64_t get() const;
  int64_t getMost() const;

private:
  int64_t countWords(bool isInput) const;
  int64_t getWords(const KernelOperands::Operand &operand) const;
  /// Whether elements of columns are bits.
  bool areBits(const KernelOperands::Operand &operand) const {
    return isColumn() &&
           getElementTypeOrSelf(operand.value.getType()).isInteger(1);
  }
  int64_t countBits() const;
  int64_t countRepeatedWords() const;
  double countPipelined() const;
  bool isNarrow() const;
  int64_t countUnpacked() const;
  double countDivisions() const;
  double countKeptFunctions() const;
  int64_t countVaryingFunctions() const;
  int64_t countFurtherDims() const;
  int64_t countColumnsBack(ColumnsBack back) const;
  int64_t countInvariants() const;
  int64_t countReductions() const;
  int64_t countRow() const;
  double getChunks() const;
  bool isColumn() const { return schedule.getStrategy() == Strategy::Column; }

  KernelOp kernel;
  const KernelPlan &plan;
  ScheduleAttr schedule;
  const KernelOperands &operands;
  /// Of the scan dimension, maybe dynamic.
  int64_t extent;
  bool isDynamic;
  int64_t items, state, inputs, outputs;
};
} // namespace

RegisterCount::RegisterCount(KernelOp kernel, const KernelPlan &plan,
                             const KernelOperands &operands)
    : kernel(kernel), plan(plan), schedule(plan.schedule), operands(operands),
      items(schedule.getItems()), state(operands.stateWords) {
  SmallVector<int64_t> shape = kernel.getStaticDomainShape();
  extent = shape[kernel.getDim()];
  isDynamic = ShapedType::isDynamicShape(shape);
  if (isColumn())
    state -= llvm::count_if(kernel.getLeafTypes(),
                            [](Type type) { return type.isInteger(1); });
  inputs = countWords(/*isInput=*/true);
  outputs = countWords(/*isInput=*/false);
}

/// Registers for the varying elements of one step of the neighbouring scans
/// that come in one access; of an array that is read at several shifts, once.
int64_t RegisterCount::countWords(bool isInput) const {
  int64_t words = 0;
  for (const KernelOperands::Operand &operand : operands.operands)
    if (operand.isVarying && operand.isInput == isInput && !areBits(operand))
      words += getWords(operand);
  return words;
}

int64_t RegisterCount::countBits() const {
  int64_t bits = llvm::count_if(operands.operands, [&](const auto &operand) {
    return operand.isVarying && operand.isInput && areBits(operand);
  });
  return int64_t(kBitOfColumns * double(items * bits));
}

int64_t RegisterCount::getWords(const KernelOperands::Operand &operand) const {
  return plan.vector == 1
             ? operand.words
             : llvm::divideCeil(plan.vector * operand.elementBytes, 4);
}

/// Registers for what else is loaded of these arrays, at other shifts.
int64_t RegisterCount::countRepeatedWords() const {
  int64_t words = 0;
  for (const KernelOperands::Operand &operand : operands.operands)
    if (operand.isVarying && operand.isInput)
      words += (operand.reads - 1) * getWords(operand);
  return words;
}

/// Registers for what does not vary along the scan, which a walk reads once.
int64_t RegisterCount::countInvariants() const {
  int64_t words = 0;
  for (const KernelOperands::Operand &operand : operands.operands)
    if (operand.isInput && !operand.isVarying && !operand.isOffsets)
      words += std::max<int64_t>(0, operand.words - kFittedInvariant);
  return words;
}

/// Registers of the totals that a thread keeps of reductions, and of what it
/// adds up over lanes.
int64_t RegisterCount::countReductions() const {
  int64_t kept = 0, exchanged = 0;
  for (const KernelOperands::Reduction &reduction : operands.reductions) {
    if (!reduction.isPerStep)
      kept += reduction.words *
              (isColumn() && !reduction.isShared ? plan.vector : 1);
    else if (isColumn() && reduction.isShared)
      exchanged += reduction.words *
                   std::clamp<int64_t>(
                       schedule.getLanes() / 2 / reduction.elements, 1, items);
  }
  // With several groups to a warp, each has the state before it besides, and
  // there is nothing to spare.
  if (isColumn() && schedule.getLanes() < 32 && !operands.reductions.empty())
    exchanged += state;
  return kept + exchanged +
         (kPerReduction + items) * int64_t(operands.reductions.size());
}

/// Whether there are elements narrower than a register.
bool RegisterCount::isNarrow() const {
  return llvm::any_of(operands.operands, [](const auto &operand) {
    return operand.isVarying && operand.elementBytes < 4 * operand.words;
  });
}

/// A tile with its states and the next one; only the tile where the next one is
/// not prefetched. Persistent kernels have one tile in registers, one being
/// prefetched, and some of the states.
int64_t RegisterCount::countRow() const {
  // A thread that walks a row of its own has one state at a time, and the
  // results of its items until all are stored, with their addresses.
  if (KernelOp(kernel).getOrder() == Order::Sequential)
    return items * (inputs * (plan.prefetches ? 2 : 1) + 4 * outputs) +
           2 * operands.carriedWords;
  int64_t words;
  if (schedule.isPersistent()) {
    words = items * (kPipelinedTiles * inputs + state / 2.0);
  } else if (plan.prefetches) {
    words = items * (2 * inputs + state);
  } else {
    // Walks whose number of tiles is not known take no more than single tiles.
    bool isWalk = !schedule.isGridWide() && !ShapedType::isDynamic(extent) &&
                  schedule.getTileSteps() < extent;
    words = items * inputs *
            (!isWalk      ? kSingleTile
             : isNarrow() ? kTileOfNarrow
                          : kTileOfWords);
  }
  // Of one tile of the grid, states that are wider than the inputs, and
  // segment offsets. Leaves that are the same at every step have no item.
  if (schedule.isOneTilePerBlock()) {
    bool hasOffsets = llvm::any_of(operands.operands, [](const auto &operand) {
      return operand.isOffsets;
    });
    double perItem =
        kStatePerItem * double(std::max(inputs, operands.varyingStateWords)) +
        (hasOffsets ? kOffsetsPerItem : 0);
    words = std::max<int64_t>(words, kLeastAround + items * perItem);
  }
  if (isDynamic)
    words += kDynamicPerItem * items;
  words += 3 * state;
  if (schedule.getRows() > 1)
    words += kRowsSideBySide * state;
  return words;
}

/// Chunks of a walk that are in registers at a time.
double RegisterCount::getChunks() const {
  if (plan.kind != KernelKind::SplitStates)
    return kChunksOfWalk;
  // What is stored of each state takes them, too.
  bool isTiled = plan.stages > 1 && plan.checkpointBytes == 0 &&
                 operands.reductions.empty() &&
                 llvm::none_of(operands.operands, [](const auto &operand) {
                   return !operand.isInput && operand.words > 1;
                 });
  return isTiled ? kChunksOfTiledWalk : kChunksOfSplitWalk;
}

/// Dimensions that scans go along, beyond the first one of more than one index.
int64_t RegisterCount::countFurtherDims() const {
  KernelOp op = kernel;
  int64_t count = 0;
  for (auto [dim, extent] : llvm::enumerate(op.getStaticDomainShape()))
    count += dim != op.getDim() && extent != 1;
  return std::max<int64_t>(0, count - 1);
}

/// Functions of `load` whose operands vary along the scan.
int64_t RegisterCount::countVaryingFunctions() const {
  llvm::DenseSet<Value> varying = getVaryingInLoad(kernel);
  int64_t functions = 0;
  for (Operation &inner : KernelOp(kernel).getLoad().front()) {
    if (llvm::none_of(inner.getOperands(),
                      [&](Value v) { return varying.contains(v); }))
      continue;
    functions += isa<arith::DivFOp>(inner) ||
                 (isa_and_present<math::MathDialect>(inner.getDialect()) &&
                  !isa<math::FmaOp, math::AbsFOp>(inner));
  }
  return functions;
}

/// Columns that are walked there and back.
int64_t RegisterCount::countColumnsBack(ColumnsBack back) const {
  int64_t elements = items * plan.vector;
  int64_t many =
      isNarrow() ? 0 : std::max<int64_t>(0, elements - kFewOfColumnsBack);
  return kColumnsBack + (isDynamic ? kDynamicColumnsBack : 0) +
         int64_t(back.ofWarp * (schedule.getThreads() / 32)) +
         countReductions() + items * inputs + kManyOfColumnsBack * many +
         int64_t(double(elements) *
                 (back.ofElement +
                  back.ofFunction * double(countVaryingFunctions())));
}

int64_t RegisterCount::get() const {
  if (plan.kind == KernelKind::CheckpointedColumn)
    return countColumnsBack(kUsualBack) +
           (isDynamic ? kDynamicItemOfColumnsBack * items : 0);
  // An array that is read at several shifts has an address for each.
  bool isWideGrid =
      schedule.isGridWide() &&
      (state > kFewGridWords || schedule.getThreads() > kMostGridThreads);
  int64_t dynamicColumn = isWideGrid || countRepeatedWords() != 0
                              ? kDynamicWideColumn
                          : schedule.isGridWide() ? kDynamicGridColumn
                                                  : kDynamicColumn;
  int64_t base = kBase + kPerArray * int64_t(operands.operands.size()) +
                 countInvariants() + countReductions() + outputs;
  if (plan.checkpointBytes != 0)
    base +=
        kWalkBack + (isDynamic ? kDynamicWalkBack : 0) +
        kWordOfWalkBack * operands.carriedWords / schedule.getThreadsPerState();
  switch (schedule.getStrategy()) {
  case Strategy::Sequential:
    // Lanes that share a scan have a part of a chunk each; where tiles are
    // walked twice, they carry all leaves at first.
    if (schedule.getWarps() != 1)
      base += kDimOfWarps * countFurtherDims();
    return base +
           int64_t(getChunks() *
                   double(items * inputs + (schedule.walksTilesTwice()
                                                ? state
                                                : operands.carriedWords)) /
                   double(schedule.getThreadsPerState()));
  case Strategy::Row:
    return base + countRow();
  case Strategy::Column:
    // A tile and the next one, and the states around it.
    if (plan.kind != KernelKind::GridColumn)
      base += int64_t(kUnpackedInBlock * double(countUnpacked()));
    else
      base += countUnpacked() +
              (plan.vector > 1
                   ? int64_t(kElementOfGridVectors * items * plan.vector)
                   : 0);
    return base + (isDynamic ? dynamicColumn : 0) + countBits() +
           items * inputs * (plan.prefetches ? 2 : 1) +
           plan.vector * (3 * state + operands.carriedWords);
  }
  llvm_unreachable("unknown strategy");
}

/// What one item of a persistent kernel takes more than `get` says: elements
/// that do not pass through shared memory stay in registers, and narrow ones
/// that do are on their way there as they lie in memory.
double RegisterCount::countPipelined() const {
  double words = kPipelinedTiles * countRepeatedWords();
  for (auto [value, map, input] :
       llvm::zip_equal(KernelOp(kernel).getInputs(),
                       KernelOp(kernel).getInputMaps(), plan.inputs)) {
    int64_t bytes = getStorageBytes(getElementTypeOrSelf(value.getType()));
    int64_t elements = KernelOp::getNumElements(value, map);
    int64_t inRegisters = elements * llvm::divideCeil(bytes, 4);
    if (input.access == OperandPlan::Access::Direct)
      words += (kDirectTiles - kPipelinedTiles) * inRegisters;
    else if (input.access == OperandPlan::Access::Transposed)
      words -= inRegisters - elements * bytes / 4.0;
  }
  return words;
}

/// Registers around the calls that divisions may be.
double RegisterCount::countDivisions() const {
  auto count = [](Region &region) {
    return llvm::count_if(region.front(), [](Operation &op) {
      return isa<math::SqrtOp, math::RsqrtOp>(op) ||
             (isa<arith::DivFOp>(op) && !isSigmoid(&op));
    });
  };
  KernelOp op = kernel;
  if (plan.kind == KernelKind::GridColumn)
    return kColumnStoreDivision * double(count(op.getStore()));
  if (!schedule.isPersistent())
    return 0;
  int64_t combined = count(op.getCombine());
  return (combined == 0
              ? 0
              : kPipelinedDivision + kPipelinedDivisions * (combined - 1)) +
         kPipelinedLoadDivision * double(count(op.getLoad()));
}

/// Of functions that both `load` and `store` have, as backward passes do, LLVM
/// keeps results while a tile of the grid looks back.
double RegisterCount::countKeptFunctions() const {
  if (plan.kind != KernelKind::GridColumn)
    return 0;
  auto count = [](Region &region) {
    return llvm::count_if(region.front(), [](Operation &op) {
      return isa<arith::DivFOp>(op) ||
             (isa_and_present<math::MathDialect>(op.getDialect()) &&
              !isa<math::FmaOp>(op));
    });
  };
  KernelOp op = kernel;
  return kKeptFunctions * double(items * plan.vector) *
         double(std::min(count(op.getLoad()), count(op.getStore())));
}

/// Narrow elements of neighbouring columns come in words: how many registers
/// more they take unpacked. All are in a tile of the grid while it looks back,
/// and all may be while other warps are waited for.
int64_t RegisterCount::countUnpacked() const {
  int64_t words = 0;
  for (const KernelOperands::Operand &operand : operands.operands)
    if (operand.isVarying && operand.isInput && !areBits(operand))
      words += plan.vector * operand.words - getWords(operand);
  return items * words;
}

int64_t RegisterCount::getMost() const {
  if (plan.kind == KernelKind::CheckpointedColumn)
    return countColumnsBack(isNarrow() && plan.vector <= 2 ? kLeastBack
                                                           : kUsualBack);
  double more = countDivisions() + countKeptFunctions();
  if (schedule.isPersistent())
    return get() + int64_t(items * countPipelined() + more);
  if (isColumn() && plan.kind != KernelKind::GridColumn)
    more += double(countUnpacked()) * (1 - kUnpackedInBlock);
  return get() + items * countRepeatedWords() * (plan.prefetches ? 2 : 1) +
         int64_t(more);
}

RegisterEstimate mlir::scan::estimateRegisters(KernelOp kernel,
                                               const KernelPlan &plan,
                                               const KernelOperands &operands) {
  RegisterCount count(kernel, plan, operands);
  return {count.get(), count.getMost()};
}
