//===- StepBranches.cpp - Steps of recurrences without control flow -------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Short loops of a step are unrolled, and branches become selections: of the
// side that is not taken the cotangents are masked zeros, whatever it computes.
//
//===----------------------------------------------------------------------===//

#include "IR/Branches.h"
#include "Scan/IR/ScanRecurrence.h"
#include "TimeLoops.h"
using namespace mlir;
using namespace mlir::scan;

void differentiate::flattenSteps(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  SmallVector<RecurrenceOp> recurrences;
  function.walk([&](RecurrenceOp op) { recurrences.push_back(op); });
  for (RecurrenceOp op : recurrences)
    flattenControl(rewriter, op);
}
