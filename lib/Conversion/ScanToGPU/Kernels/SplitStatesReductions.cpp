//===- SplitStatesReductions.cpp - Sums over scans of shared states -------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitStatesReductions.h"
#include "../../GPUCommon/Emit.h"
#include "SharedValues.h"

using namespace mlir;
using namespace mlir::scan;

using Elements = SmallVector<Value>;

SplitStatesReductions::SplitStatesReductions(ImplicitLocOpBuilder &b,
                                             KernelFrame &frame,
                                             const StateSplit &split,
                                             const SplitStatesIO &io)
    : frame(frame), io(io) {
  SmallVector<ReductionOutput, 0> reductions = getReductionOutputs(b, frame);
  ArrayRef<ReductionOutput> rest = reductions;
  for (auto [number, view] : llvm::enumerate(frame.getOutputs())) {
    if (view.isStored())
      continue;
    auto dependsOn = [&, &view = view](unsigned dim) {
      return view.map.isFunctionOfDim(dim);
    };
    Output entry;
    entry.output = rest.front();
    rest = rest.drop_front();
    entry.number = number;
    entry.hasParts = split.hasOutputParts[number];
    std::optional<unsigned> inner = frame.getInnerDim();
    entry.isShared = !inner || !dependsOn(*inner);
    entry.isCommon = llvm::none_of(frame.getBatchDims(), dependsOn);
    if (!entry.output.isPerStep) {
      entry.totals = PrivateTotals(frame, view.elementType,
                                   entry.hasParts ? io.getOwnParts() : 1);
      entry.totals.clear(b);
    }
    outputs.push_back(std::move(entry));
  }
}

Elements SplitStatesReductions::createPoint(ImplicitLocOpBuilder &b,
                                            Value position) {
  Elements point(io.getPoint());
  point[frame.getKernel().getDim()] = frame.createIndex(b, position);
  return point;
}

void SplitStatesReductions::addParts(ImplicitLocOpBuilder &b, Value t,
                                     int64_t step, Value inBounds,
                                     ArrayRef<Elements> results) {
  for (Output &entry : outputs) {
    ArrayRef<Value> own = results[entry.number];
    if (own.empty())
      continue;
    if (!entry.output.isPerStep) {
      for (auto [part, value] : llvm::enumerate(own))
        fuseProducts(
            entry.totals.add(b, part, createValueOrZero(b, inBounds, value)));
    } else if (areChunksWhole && entry.isShared) {
      if (entry.pending.empty())
        entry.firstStep = step;
      llvm::append_range(entry.pending, own);
      // With as many values as lanes, an exchange takes the fewest shuffles;
      // with more there would be more registers.
      int64_t next = entry.pending.size() + own.size();
      if (next > getScans().count || step + 1 == io.getSteps())
        reducePending(b, t, entry);
    } else {
      createIf(b, createAnd(b, io.getIsValid(), inBounds),
               [&](ImplicitLocOpBuilder &inner) {
                 Elements point =
                     createPoint(inner, addConstant(inner, t, step));
                 for (auto [part, value] : llvm::enumerate(own))
                   entry.output.addElement(
                       inner, point, io.createPartNumber(inner, part), value);
               });
    }
  }
}

/// Reduces over the scans of the warp what is pending of the chunk from step
/// `t` on, and adds that to memory.
void SplitStatesReductions::reducePending(ImplicitLocOpBuilder &b, Value t,
                                          Output &entry) {
  reduceOverLanes(
      b, entry.pending, getScans(),
      [&](ImplicitLocOpBuilder &inner, Value number, Value total) {
        Value step = number, element = indexConstant(inner, 0);
        if (entry.hasParts) {
          Value parts = indexConstant(inner, io.getOwnParts());
          step = inner.createOrFold<arith::DivUIOp>(number, parts);
          element = inner.createOrFold<arith::AddIOp>(
              io.createPartNumber(inner, 0),
              inner.createOrFold<arith::RemUIOp>(number, parts));
        } else {
          step = io.createOwnStep(inner, number);
        }
        Value position = inner.createOrFold<arith::AddIOp>(
            t, addConstant(inner, step, entry.firstStep));
        createIf(inner, io.getIsValid(), [&](ImplicitLocOpBuilder &valid) {
          entry.output.addElement(valid, createPoint(valid, position), element,
                                  total);
        });
      });
  entry.pending.clear();
}

void SplitStatesReductions::addOwned(ImplicitLocOpBuilder &b, Value t,
                                     Value rest, ArrayRef<Elements> results) {
  for (Output &entry : outputs) {
    if (!results.front()[entry.number])
      continue;
    if (entry.output.isPerStep && areChunksWhole && entry.isShared) {
      for (const Elements &ofStep : results)
        entry.pending.push_back(ofStep[entry.number]);
      entry.firstStep = 0;
      reducePending(b, t, entry);
      continue;
    }
    for (auto [group, ofStep] : llvm::enumerate(results)) {
      Value step = io.createOwnStep(b, indexConstant(b, group));
      Value inBounds =
          rest ? compare(b, arith::CmpIPredicate::ult, step, rest) : Value();
      Value value = ofStep[entry.number];
      if (!entry.output.isPerStep) {
        entry.totals.add(b, 0, createValueOrZero(b, inBounds, value));
        continue;
      }
      createIf(b, createAnd(b, io.getIsValid(), inBounds),
               [&, step = step](ImplicitLocOpBuilder &inner) {
                 Value position = inner.createOrFold<arith::AddIOp>(t, step);
                 entry.output.addElement(inner, createPoint(inner, position),
                                         indexConstant(inner, 0), value);
               });
    }
  }
}

void SplitStatesReductions::finish(ImplicitLocOpBuilder &b) {
  for (Output &entry : outputs) {
    if (entry.output.isPerStep)
      continue;
    Elements totals =
        entry.totals.load(b, 0, entry.hasParts ? io.getOwnParts() : 1);
    // A lane without a scan has walked along with some other's.
    Value isValid = entry.isCommon ? Value() : io.getIsValid();
    if (entry.isCommon)
      for (Value &total : totals)
        total = createValueOrZero(b, io.getIsValid(), total);
    auto add = [&](ImplicitLocOpBuilder &inner, Value element, Value total) {
      createIf(inner, isValid, [&](ImplicitLocOpBuilder &valid) {
        entry.output.addElement(valid, io.getPoint(), element, total);
      });
    };
    if (!entry.hasParts) {
      // Lanes that share a scan have steps of it each.
      LaneGroup warp = {io.getWarpLane(), kWarpSize, /*stride=*/1};
      reduceOverLanes(b, totals, entry.isCommon ? warp : io.getLanes(), add);
      continue;
    }
    auto addPart = [&](ImplicitLocOpBuilder &inner, Value part, Value total) {
      add(inner,
          inner.createOrFold<arith::AddIOp>(io.createPartNumber(inner, 0),
                                            part),
          total);
    };
    if (entry.isCommon)
      reduceOverLanes(b, totals, getScans(), addPart);
    else
      for (auto [part, total] : llvm::enumerate(totals))
        addPart(b, indexConstant(b, part), total);
  }
}
