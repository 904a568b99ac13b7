//===- Candidates.h - The schedules that are worth an estimate --*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_SCHEDULE_CANDIDATES_H
#define SCAN_LIB_SCHEDULE_CANDIDATES_H

#include "CostModel.h"

namespace mlir::scan {

/// Estimates tell times apart that differ by this factor.
constexpr double kDistinct = 1.02;

/// Lists the schedules that are worth an estimate.
class Candidates {
public:
  /// With `onlyBest`, those are left out that cannot be the best, nor as good.
  Candidates(ScheduleRater &rater, const KernelFacts &facts, bool onlyBest)
      : rater(rater), kernel(rater.getKernel()), facts(facts),
        gpu(rater.getGPU()), onlyBest(onlyBest) {}

  SmallVector<Candidate> take();

private:
  void add(ScheduleAttr schedule);
  void addEvenIfSpilling(function_ref<void()> addAll);
  bool addBidirectional();
  void addSequential();
  void addSharedStates();
  void addTilesOfStates(int64_t parts, bool isForward);
  void addThreadPerRow();
  void addRows();
  void addWarpSpecialized();
  void addColumns();
  void addSegmentChunks(unsigned threads, unsigned items, unsigned lanes,
                        unsigned vector);

  ScheduleRater &rater;
  KernelOp kernel;
  const KernelFacts &facts;
  const GPUModel &gpu;
  bool onlyBest;
  /// Who takes more nanoseconds is left out.
  double most = std::numeric_limits<double>::infinity();
  SmallVector<Candidate> candidates;
};

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_CANDIDATES_H
