//===- PointwiseChecks.cpp - Extents that the lanes of a step have --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/Extents.h"
#include "IR/RecurrenceSteps.h"
#include "PointwiseBody.h"

using namespace mlir;
using namespace mlir::scan;

void PointwiseBody::createChecks(OpBuilder &builder) {
  Location loc = op.getLoc();
  unsigned dim = op.getDim();
  Value first = op.getInits().front();
  auto getPlace = [&](unsigned lane) { return lane + (lane >= dim); };
  auto require = [&](unsigned lane, Value shaped, unsigned d,
                     const Twine &what) {
    if (!haveSameExtent(shaped, d, first, getPlace(lane)))
      createExtentCheck(builder, op, createExtent(builder, loc, shaped, d),
                        createExtent(builder, loc, first, getPlace(lane)),
                        what);
  };
  auto describe = [](unsigned state) {
    return ("the row of state #" + Twine(state) +
            " has other extents than its init")
        .str();
  };
  for (auto [i, init] : llvm::enumerate(op.getInits().drop_front()))
    for (unsigned lane = 0; lane < numLanes; ++lane)
      require(lane, init, getPlace(lane), describe(i + 1));
  // What no lane reads may have any.
  for (const Element &element : elements) {
    if (!element.row || element.extent)
      continue;
    auto capture = llvm::find(op.getCaptureArguments(), element.row);
    bool isInput = capture == op.getCaptureArguments().end();
    unsigned number = capture - op.getCaptureArguments().begin();
    for (auto [d, expr] : llvm::enumerate(element.map.getResults()))
      if (auto lane = dyn_cast<AffineDimExpr>(expr))
        require(lane.getPosition(), op.getOperandOf(element.row),
                isInput ? getPlace(d) : d,
                isInput ? describe(0)
                        : "capture #" + std::to_string(number) +
                              " has other extents than rows");
  }
  for (unsigned i = 0, e = op.getNumOutputs(); i < e; ++i)
    for (auto [lane, size] : llvm::enumerate(op.getOutputRowSizes(i)))
      if (isa<Value>(size) && !isExtentOf(size, first, getPlace(lane)))
        createExtentCheck(builder, op, size,
                          createExtent(builder, loc, first, getPlace(lane)),
                          "the row of output #" + Twine(i) +
                              " has other extents than 'extents' says");
}
