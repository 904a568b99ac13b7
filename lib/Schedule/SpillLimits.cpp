//===- SpillLimits.cpp - Which kernels have to spill ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Estimates of registers are too low for some kernels. Up to which part of the
// registers those of a kind do not spill was fitted to what ptxas says.
//
//===----------------------------------------------------------------------===//

#include "SpillLimits.h"
#include "Estimate.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan;

/// A persistent kernel of more threads has less than half of the registers that
/// a thread can have.
static constexpr unsigned kMostThreadsWithRoom = 512;

/// Registers that a row kernel of wide states takes beside its estimate, for
/// each word of the state: for each doubling of so many warps, whose totals
/// each of its threads walks over.
static constexpr int64_t kFewWarps = 4;

/// The part of the registers that there are up to which row kernels of wide
/// states do not spill: lanes and warps that share a row combine states, of
/// which a thread holds several at a time.
static constexpr double kMostOfWideRow = 0.78;

/// The same of the smallest ones, with one item for each thread; where several
/// warps share a row, a thread holds the total of one beside its own state.
static constexpr double kMostOfSmallWideRow = 1.2;

/// The part up to which warps that share the steps of a scan do not. Where all
/// extents are known, and results are neither sums over scans nor stored for
/// each state, ptxas can compute in another order: those of Mamba's single
/// batch take 193 registers where there are 255, are estimated to take 195, and
/// have what they need in 168. Functions in 16 bits take registers for what is
/// widened.
static constexpr double kMostOfStaticWarps = 1.165, kMostOfWarps = 0.85,
                        kMostOfNarrowWarps = 0.7;

static double getMostOfWarps(const KernelFacts &facts) {
  if (facts.hasNarrowFunctions)
    return kMostOfNarrowWarps;
  bool isForward =
      facts.reductions.empty() &&
      llvm::none_of(facts.operands, [](const KernelFacts::Operand &operand) {
        return !operand.isInput && operand.words > 1;
      });
  return isForward && facts.isExtentStatic && facts.isBatchStatic
             ? kMostOfStaticWarps
             : kMostOfWarps;
}

/// States of tiles of the grid of more words are wide.
static constexpr int64_t kFewWordsOfGridState = 4;

bool mlir::scan::isSmallest(const KernelPlan &plan) {
  return plan.kind == KernelKind::Sequential && plan.schedule.getItems() == 1;
}

/// The part up to which other kernels do not spill, as they are estimated to
/// take: where estimates are near, or too low for some kernels, it is less.
/// Fitted to what ptxas says of test/Models and of their derivatives.
static double getMostRegisters(const KernelPlan &plan, int64_t stateWords,
                               const Chip &chip) {
  // With more, times of the model mean nothing.
  constexpr double most = 1.3;
  // Nothing takes less than one item for each thread.
  if (plan.schedule.getItems() == 1 && plan.vector == 1 &&
      plan.kind != KernelKind::Sequential)
    return most;
  switch (plan.kind) {
  case KernelKind::Sequential:
    return isSmallest(plan) ? std::numeric_limits<double>::infinity() : 1;
  case KernelKind::SplitStates:
    // Before sm_90 addresses of a walk back take some more.
    return plan.checkpointBytes != 0 && chip.computeCapability >= 90 ? 1.06 : 1;
  case KernelKind::Row:
  case KernelKind::Bidirectional:
  case KernelKind::BidirectionalColumn:
  case KernelKind::Column:
    return 1.15;
  case KernelKind::CheckpointedColumn:
    // Of 4 and 8 columns more is unpacked at a time than is counted. Before
    // sm_90 a kernel takes some 5 % more.
    if (plan.vector > 2)
      return 0.8;
    return chip.computeCapability < 90 ? 0.95 : 1;
  case KernelKind::WarpSpecializedRow:
    return 1;
  case KernelKind::PersistentRow:
    // In larger blocks there is no room to compute in another order.
    if (plan.schedule.getThreads() > kMostThreadsWithRoom)
      return 0.85;
    return 1.12;
  case KernelKind::GridRow:
    return 1.11;
  case KernelKind::GridColumn:
    // Neighbouring columns are computed together, and wide states are combined
    // with several others.
    if (plan.vector > 1)
      return 0.94;
    return stateWords > kFewWordsOfGridState ? 0.88 : 1.05;
  }
  llvm_unreachable("unknown kind of kernel");
}

bool mlir::scan::mustSpill(const KernelPlan &plan, const KernelFacts &facts,
                           const Chip &chip) {
  int64_t available = getAvailableRegisters(chip, plan.schedule.getThreads());
  int64_t warps = plan.schedule.getThreadsPerScan() / kWarpSize;
  bool isRow = plan.kind == KernelKind::Row || plan.kind == KernelKind::GridRow;
  // A tile of the grid has leaves that are the same at every step but once.
  int64_t stateWords = plan.schedule.isOneTilePerBlock()
                           ? facts.varyingStateWords
                           : facts.stateWords;
  if (!isRow || stateWords <= kWideStateWords) {
    double most = plan.schedule.getWarps() == 1
                      ? getMostRegisters(plan, stateWords, chip)
                      : getMostOfWarps(facts);
    return plan.mostRegisters > most * available;
  }
  if (plan.schedule.getItems() == 1 && warps <= kFewWarps)
    return plan.mostRegisters + (warps > 1 ? facts.stateWords : 0) >
           kMostOfSmallWideRow * available;
  double walked =
      std::log2(double(std::max<int64_t>(warps, kFewWarps)) / kFewWarps);
  return plan.mostRegisters + facts.stateWords * walked >
         kMostOfWideRow * available;
}
