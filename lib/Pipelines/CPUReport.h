//===- CPUReport.h - How a CPU runs scans, and how long ---------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PIPELINES_CPUREPORT_H
#define SCAN_LIB_PIPELINES_CPUREPORT_H

#include "Conversion/ScanToLoops/LoopPlan.h"
#include "Schedule/KernelFacts.h"
#include "Schedule/Processor.h"
#include "llvm/Support/raw_ostream.h"

namespace llvm::json {
class OStream;
} // namespace llvm::json

namespace mlir::scan {

/// What the loops of every kernel below an operation are, and what a model says
/// about their time; and whether threads share loops over steps that are none.
class CPUReport {
public:
  /// Of the kernels below `root`, which are on memrefs and are changed: those
  /// of two directions are split.
  CPUReport(Operation *root, const Processor &processor,
            const ConvertScanToLoopsOptions &options,
            const KernelFacts::Question &question);

  /// A paragraph per kernel, and behind them one per loop over steps.
  void printText(llvm::raw_ostream &os) const;
  /// An array with an object per kernel and loop.
  void printJson(llvm::json::OStream &json) const;

private:
  struct Kernel {
    std::string function, location;
    KernelFacts facts;
    LoopPlan plan;
    bool isReverse;
    /// Whether outputs are stored past the caches if their alignment allows it.
    bool streams = false;
    /// How many kernels each block of columns goes through in turn, and which
    /// of them, from 1 on, this one is.
    int64_t groupSize = 1, groupNumber = 1;
    /// How many threads share the work, and whether there is too little of it
    /// for several.
    int64_t threads = 1;
    bool isSmall = false;
    /// Vector instructions for one vector of points, and whether some are calls
    /// of libm, lane by lane.
    double instructions = 0;
    SmallVector<std::string> calls;
    /// Of all operands, each once.
    double bytes = 0;
    /// Nanoseconds that memory takes, and instructions, of one core and of all.
    double memory = 0, compute = 0, memoryOfAll = 0, computeOfAll = 0;

    double getTime() const { return std::max(memory, compute); }
    double getTimeOfAll() const { return std::max(memoryOfAll, computeOfAll); }
    StringRef getBound() const {
      return memory >= compute ? "memory" : "arithmetic";
    }
  };
  /// A loop over steps that are no scan.
  struct Steps {
    std::string function, location;
    int64_t operations = 0;
    /// Why threads do not share it; empty if they do.
    std::string obstacle;
  };
  void addSteps(Operation *root);
  void printText(llvm::raw_ostream &os, const Steps &loop) const;
  void printJson(llvm::json::OStream &json, const Steps &loop) const;

  /// Of kernels that are lowered together.
  void add(ArrayRef<KernelOp> ops, bool areGroup,
           const ConvertScanToLoopsOptions &options,
           const KernelFacts::Question &question);
  void estimate(Kernel &kernel, KernelOp op,
                const ConvertScanToLoopsOptions &options);

  Processor processor;
  std::vector<Kernel> kernels;
  std::vector<Steps> loops;
};

} // namespace mlir::scan

#endif // SCAN_LIB_PIPELINES_CPUREPORT_H
