//===- ExplainReport.h - Why a scan has its schedule ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_SCHEDULE_EXPLAINREPORT_H
#define SCAN_LIB_SCHEDULE_EXPLAINREPORT_H

#include "CostModel.h"
#include "Plan/BlockPlan.h"
#include "Plan/OperatorUse.h"
#include "Roofline.h"
#include "Variants.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

namespace llvm::json {
class OStream;
} // namespace llvm::json

namespace mlir::scan {

/// FILE:LINE:COLUMN, the file without its folder; empty if unknown.
std::string describeLocation(Location location);
/// A number of bytes for people, such as 32.0 MiB.
std::string formatBytes(double bytes);

/// What the cost model says of every kernel below an operation.
class ExplainReport {
public:
  /// An operation that computes what a kernel reads, or reads what it computes,
  /// and is not part of it.
  struct Beside {
    std::string operation, location;
    bool isBehind;
    /// Why it is not.
    std::string reason;
  };
  /// A recurrence whose rows thread blocks compute.
  struct Blocks {
    std::string function, location;
    /// Why no thread of its own walks each lane.
    std::string reason;
    /// Why launches compute each step, and how many of them; empty if blocks do
    /// by `plan`.
    std::string launchReason;
    int64_t launches = 0;
    BlockPlan plan;
  };
  struct Options {
    /// Whether kernels may have several schedules.
    bool dispatch = true;
    /// At most so many schedules per kernel (0: the default).
    unsigned maxVariants = 0;
    /// Whether all candidates are listed, not only the best of each strategy.
    bool allCandidates = false;
    /// Extents to explain for, where they are dynamic.
    KernelFacts::Question question;
    /// Calibrations to predict times by, beside that of the GPU; what else was
    /// considered for kernels whose schedule is given is left out then.
    ArrayRef<Calibration> calibrations;
    /// What stays beside each kernel, in the order of the kernels; empty if
    /// nobody has looked.
    ArrayRef<SmallVector<Beside>> beside;
    /// What comes behind the kernels.
    ArrayRef<Blocks> blocks;
  };

  /// Estimates the schedules that the kernels below `root` have, and for those
  /// without one the schedule that would be chosen: of several, the one for the
  /// extents that are asked for or assumed. Emits an error if one breaks a
  /// limit of `gpu`.
  static FailureOr<ExplainReport> get(Operation *root, const GPUModel &gpu,
                                      const Options &options);

  /// A paragraph per kernel.
  void printText(llvm::raw_ostream &os) const;

  /// An array with an object per kernel.
  void printJson(llvm::json::OStream &json) const;

private:
  struct Kernel {
    /// Chooses the variants, and among them the schedule.
    void choose(KernelOp op, const GPUModel &gpu, const VariantLimits &limits);
    std::string describeOrigin() const;

    std::string function, location, hash;
    /// With which extents the kernel is run, if the host chooses (StepsRange).
    std::string runsWhen;
    KernelFacts facts;
    /// Whether these extents are neither static nor asked for.
    bool isExtentAssumed, isBatchAssumed;
    ScheduleAttr schedule;
    /// Whether the program says it.
    bool isGiven;
    /// The measurement that it comes from; none if the model chose it.
    std::optional<TuningEntry> measured;
    /// What was measured to be faster at these extents, but has no variant:
    /// there are more measurements than variants. Mostly empty.
    std::string missed;
    /// What the host chooses among; not if the schedule is given.
    VariantTree variants;
    /// Those of its leaves whose schedules come from measurements.
    llvm::SmallPtrSet<const VariantTree *, 8> tunedLeaves;
    Estimate estimate;
    /// What is known of the operator and used.
    SmallVector<OperatorUse> uses;
    /// By each of the calibrations that were asked for.
    SmallVector<double> predictions;
    /// The best of each strategy and scope, or all; the best first.
    SmallVector<Candidate> considered;
    SmallVector<Beside> beside;
  };
  Roofline getRoofline(const KernelFacts &facts) const;
  void printText(llvm::raw_ostream &os, const Blocks &block) const;
  void printJson(llvm::json::OStream &json, const Blocks &block) const;

  const GPUModel *gpu = nullptr;
  std::vector<Kernel> kernels;
  std::vector<Blocks> blocks;
};

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_EXPLAINREPORT_H
