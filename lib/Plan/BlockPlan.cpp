//===- BlockPlan.cpp - What a block does of a recurrence ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockPlan.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::scan;

static constexpr StringLiteral kKind = "block";

/// The numbers of a plan with their names.
template <typename Plan, typename Function>
static void forEachNumber(Plan &plan, Function function) {
  function("threads", plan.threads);
  function("rows", plan.rows);
  function("shared_bytes", plan.sharedBytes);
  function("temporaries", plan.temporaries);
  function("weight_registers", plan.weightRegisters);
  function("weight_bytes", plan.weightBytes);
  function("streamed_weights", plan.streamedWeights);
  function("streamed_bytes", plan.streamedBytes);
  function("prefetched_rows", plan.prefetchedRows);
  function("prefetched_steps", plan.prefetchedSteps);
  function("one_thread", plan.oneThread);
}

DictionaryAttr BlockPlan::getAttr(MLIRContext *context) const {
  Builder b(context);
  SmallVector<NamedAttribute> entries = {
      b.getNamedAttr("kernel", b.getStringAttr(kKind))};
  forEachNumber(*this, [&](StringRef name, int64_t number) {
    entries.push_back(b.getNamedAttr(name, b.getI64IntegerAttr(number)));
  });
  return b.getDictionaryAttr(entries);
}

std::optional<BlockPlan> BlockPlan::get(DictionaryAttr attr) {
  auto kind = attr ? attr.getAs<StringAttr>("kernel") : StringAttr();
  if (!kind || kind.getValue() != kKind)
    return std::nullopt;
  BlockPlan plan;
  forEachNumber(plan, [&](StringRef name, int64_t &number) {
    if (auto entry = attr.getAs<IntegerAttr>(name))
      number = entry.getInt();
  });
  return plan;
}

int64_t BlockPlan::getRegisterBudget(int64_t threads, int64_t rows) {
  // Of a multiprocessor, of a thread (pairs of registers leave some unused),
  // and for addresses and what a step computes: of each further row a sum and
  // the elements of one access.
  constexpr int64_t all = 65536, mostOfThread = 247, others = 64, ofRow = 8;
  return std::max<int64_t>(0, std::min(all / threads, mostOfThread) - others -
                                  (rows - 1) * ofRow);
}
