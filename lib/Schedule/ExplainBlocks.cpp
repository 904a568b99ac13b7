//===- ExplainBlocks.cpp - What is done of recurrences --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplainReport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::scan;

void ExplainReport::printText(llvm::raw_ostream &os,
                              const Blocks &block) const {
  auto line = [&](StringRef name) -> llvm::raw_ostream & {
    return os << "  " << llvm::left_justify(name, 12);
  };
  const BlockPlan &plan = block.plan;
  os << "@" << block.function;
  if (!block.location.empty())
    os << " (" << block.location << ")";
  os << " on " << gpu->chip.name << "\n";
  if (!block.launchReason.empty()) {
    line("recurrence") << "its steps one after the other, " << block.launches
                       << (block.launches == 1 ? " launch" : " launches")
                       << " of the whole grid for each\n";
    line("because");
    if (!block.reason.empty())
      os << "a step " << block.reason << "; ";
    os << block.launchReason << "\n";
    return;
  }
  line("recurrence")
      << "its steps one after the other, a thread block for each "
         "index of the dimensions that no step reads across\n";
  line("because") << "a step " << block.reason << "\n";
  line("block") << plan.threads << " threads, " << plan.sharedBytes
                << " bytes of shared memory for states and stages";
  if (plan.rows > 1)
    os << "; " << plan.rows
       << " indices of these dimensions, for which weights are read together";
  if (plan.temporaries)
    os << "; " << plan.temporaries
       << " buffers in global memory, too large for it or of dynamic extents";
  os << "\n";
  if (plan.weightRegisters || plan.weightBytes) {
    line("weights");
    if (plan.weightRegisters)
      os << plan.weightRegisters << " registers of each thread, ";
    if (plan.weightBytes)
      os << plan.weightBytes << " bytes of shared memory, ";
    os << "over all steps\n";
  }
  if (plan.streamedWeights) {
    line("streamed") << plan.streamedWeights
                     << " weights are read from global memory in each step, ";
    if (plan.streamedBytes)
      os << plan.streamedBytes
         << " bytes by each block: they fit neither registers nor the "
         << gpu->chip.maxSharedPerBlock << " bytes of shared memory\n";
    else
      os << "as their extents are not known\n";
  }
  if (plan.prefetchedRows)
    line("prefetch") << "the rows of " << plan.prefetchedRows << " inputs, "
                     << plan.prefetchedSteps << " steps ahead\n";
  if (plan.oneThread)
    line("one thread") << "does " << plan.oneThread
                       << " loops or branches of each step: what they write "
                          "depends on itself\n";
}

void ExplainReport::printJson(llvm::json::OStream &json,
                              const Blocks &block) const {
  json.object([&] {
    json.attribute("function", block.function);
    json.attribute("location", block.location);
    json.attribute("chip", gpu->chip.name);
    json.attribute("reason", block.reason);
    if (!block.launchReason.empty()) {
      json.attributeObject("launches", [&] {
        json.attribute("per_step", block.launches);
        json.attribute("reason", block.launchReason);
      });
      return;
    }
    json.attributeObject("blocks", [&] {
      json.attribute("threads", block.plan.threads);
      json.attribute("rows", block.plan.rows);
      json.attribute("shared_bytes", block.plan.sharedBytes);
      json.attribute("temporaries", block.plan.temporaries);
      json.attribute("weight_registers", block.plan.weightRegisters);
      json.attribute("weight_bytes", block.plan.weightBytes);
      json.attribute("streamed_weights", block.plan.streamedWeights);
      json.attribute("streamed_bytes", block.plan.streamedBytes);
      json.attribute("prefetched_rows", block.plan.prefetchedRows);
      json.attribute("prefetched_steps", block.plan.prefetchedSteps);
      json.attribute("one_thread", block.plan.oneThread);
    });
  });
}
