//===- GraphRun.h - One graph through passes and targets --------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_GRAPHRUN_H
#define SCAN_LIB_FUZZ_GRAPHRUN_H

#include "FuzzOptions.h"
#include "Graph.h"
#include "Isolation.h"
#include <limits>

namespace mlir::scan::fuzz {

/// One call of a graph.
struct GraphCase {
  SmallVector<int64_t> extents;
  uint64_t seed = 0;
};

/// What a graph goes through.
struct GraphPlan {
  /// Pass pipelines, after each of which the interpreter has to find the same
  /// numbers. One that is run a second time has to change nothing if it is the
  /// first.
  std::vector<std::string> pipelines;
  std::vector<std::string> targets;
  /// Of many calls, how many the pipelines and the emulator, which are slow,
  /// are looked at with.
  size_t pipelineCases = std::numeric_limits<size_t>::max(),
         emulatorCases = std::numeric_limits<size_t>::max();
  uint64_t emulatorSeed = 0;
  /// The graph with dynamic arguments goes through the same.
  bool alsoDynamic = true;
};

/// The first difference between the results of a graph; empty if there is none.
/// Zeros of both signs are one number, since a product with zero depends on how
/// it is bracketed.
std::string findDifference(ArrayRef<HostArray> expected,
                           ArrayRef<HostArray> found);

/// What graph number `index` goes through by default.
GraphPlan makeGraphPlan(const FuzzOptions &options, uint64_t index);

/// Runs calls of the function @f of a program by the interpreter, before and
/// after every pipeline, and on the targets. The outcome's target is the
/// pipeline or target that failed, and the status has the number of the call.
/// `dynamic` is the same program with dynamic
/// arguments, which goes through the same then; empty if there is none.
Outcome runText(const std::string &text,
                std::vector<SmallVector<HostArray>> arguments,
                const GraphPlan &plan, Fault fault, MLIRContext &context,
                ChildStatus &status, const std::string &dynamic = "");

/// The same for the cases of a graph.
Outcome runGraph(const Graph &graph, const GraphPlan &plan,
                 ArrayRef<GraphCase> cases, Fault fault, MLIRContext &context,
                 ChildStatus &status);

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_GRAPHRUN_H
