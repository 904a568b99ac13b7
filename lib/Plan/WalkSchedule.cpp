//===- WalkSchedule.cpp - Threads that walk a recurrence ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WalkSchedule.h"
#include "BlockPlan.h"
#include "IR/OperandMemory.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;

std::string scan::checkWalkSchedule(RecurrenceOp op, ScheduleAttr schedule) {
  if (schedule.getStrategy() != Strategy::Sequential)
    return ("the strategy sequential for steps that are walked one after the "
            "other, found " +
            stringifyStrategy(schedule.getStrategy()))
        .str();
  if (schedule.sharesStates())
    return ("no lanes in the schedule of a recurrence, found " +
            Twine(schedule.getLanes()) +
            ": threads may not share what a step computes in order")
        .str();
  int64_t rows = schedule.getRows();
  if (rows > kMostRows)
    return ("at most " + Twine(kMostRows) +
            " rows, the code for all of which is unrolled, found " +
            Twine(rows))
        .str();
  if (schedule.getItems() == 1 && rows == 1)
    return {};
  // Of each input, a thread holds an element of the rows ahead.
  int64_t each = 0;
  for (Value input : op.getInputs())
    each += llvm::divideCeil(
        getStorageBytes(getElementTypeOrSelf(input.getType())), 4);
  int64_t budget = BlockPlan::getRegisterBudget(schedule.getThreads(), rows);
  int64_t registers = each * schedule.getItems() * rows;
  if (registers <= budget)
    return {};
  std::string ofRows, what = "items or threads";
  if (rows != 1) {
    ofRows = (" of " + Twine(rows) + " rows").str();
    what = "items, rows or threads";
  }
  return ("items for which there are registers: " + Twine(budget) +
          " of each of " + Twine(schedule.getThreads()) + " threads, found " +
          Twine(schedule.getItems()) + ", the elements of " +
          Twine(op.getInputs().size()) + " inputs for as many steps ahead" +
          ofRows + ", which take " + Twine(registers) + "; lower " + what)
      .str();
}
