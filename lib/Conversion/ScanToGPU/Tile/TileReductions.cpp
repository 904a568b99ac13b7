//===- TileReductions.cpp - Reduction outputs of tiles --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileReductions.h"
#include "../../GPUCommon/Emit.h"

using namespace mlir;
using namespace mlir::scan;

TileReductions::TileReductions(ImplicitLocOpBuilder &b, KernelFrame &frame,
                               ReductionLanes scanLanes)
    : lanes(std::move(scanLanes)) {
  for (const ReductionOutput &output : getReductionOutputs(b, frame)) {
    Output entry;
    entry.output = output;
    // Each step has a place of its own.
    entry.isCommon =
        output.view.isReduction && llvm::none_of(lanes.dims, [&](unsigned dim) {
          return output.view.map.isFunctionOfDim(dim);
        });
    if (!output.isPerStep)
      entry.totals = PrivateTotals(frame, output.view.elementType,
                                   output.view.numElements *
                                       (entry.isCommon ? 1 : lanes.scans));
    outputs.push_back(std::move(entry));
  }
}

bool TileReductions::addsStepsOfScans() const {
  return llvm::any_of(outputs, [&](const Output &entry) {
    return entry.output.isPerStep && !(entry.isCommon && lanes.sameStep);
  });
}

void TileReductions::start(ImplicitLocOpBuilder &b) {
  for (Output &entry : outputs)
    if (!entry.output.isPerStep)
      entry.totals.clear(b);
}

/// The elements of the output, each reduced over the thread's scans.
Elements TileReductions::reduceScans(ImplicitLocOpBuilder &b,
                                     const TilePoints &points,
                                     const ReductionOutput &output,
                                     Value inBounds,
                                     ArrayRef<Elements> ofScans) const {
  Elements total;
  for (auto [scan, results] : llvm::enumerate(ofScans)) {
    Value mask = createAnd(b, inBounds, points.isActive(scan));
    for (auto [i, element] : llvm::enumerate(output.getElements(results))) {
      Value value = createValueOrZero(b, mask, element);
      if (scan == 0)
        total.push_back(value);
      else
        total[i] = createSum(b, total[i], value);
    }
  }
  return total;
}

void TileReductions::addToTotals(ImplicitLocOpBuilder &b,
                                 const TilePoints &points, Output &entry,
                                 Value inBounds, ArrayRef<Elements> ofScans) {
  if (entry.isCommon) {
    Elements reduced = reduceScans(b, points, entry.output, inBounds, ofScans);
    for (auto [i, value] : llvm::enumerate(reduced))
      entry.totals.add(b, i, value);
    return;
  }
  // Totals of a scan that does not exist are left out in the end.
  for (auto [scan, results] : llvm::enumerate(ofScans)) {
    ValueRange elements = entry.output.getElements(results);
    for (auto [i, element] : llvm::enumerate(elements))
      entry.totals.add(b, scan * elements.size() + i,
                       createValueOrZero(b, inBounds, element));
  }
}

void TileReductions::add(ImplicitLocOpBuilder &b, const TilePoints &points,
                         Value base, int64_t item, ArrayRef<Elements> ofScans) {
  if (outputs.empty())
    return;
  Value inBounds = points.createInBounds(b, base, item);
  for (Output &entry : outputs) {
    const ReductionOutput &output = entry.output;
    if (!output.isPerStep) {
      addToTotals(b, points, entry, inBounds, ofScans);
    } else if (entry.isCommon && lanes.sameStep) {
      // Steps out of bounds are left out when their totals are added to memory;
      // scans that do not exist have to be left out here.
      if (entry.pending.empty())
        entry.firstItem = item;
      llvm::append_range(entry.pending,
                         reduceScans(b, points, output,
                                     /*inBounds=*/Value(), ofScans));
      // With twice as many values it takes twice as many shuffles, and more
      // registers.
      int64_t next = entry.pending.size() + output.view.numElements;
      if (next > lanes.sameStep->count / 2 || item + 1 == lanes.items)
        reducePending(b, points, entry, base);
    } else {
      for (auto [scan, results] : llvm::enumerate(ofScans))
        createIf(
            b, createAnd(b, inBounds, points.isActive(scan)),
            [&, &scan = scan, &results = results](ImplicitLocOpBuilder &inner) {
              output.addToMemory(
                  inner, points.createPoint(inner, scan, base, item), results);
            });
    }
  }
}

/// Reduces over lanes what is pending of the tile at `base`, and adds that to
/// memory.
void TileReductions::reducePending(ImplicitLocOpBuilder &b,
                                   const TilePoints &points, Output &entry,
                                   Value base) {
  reduceOverLanes(
      b, entry.pending, *lanes.sameStep,
      [&](ImplicitLocOpBuilder &inner, Value number, Value total) {
        Value count = indexConstant(inner, entry.output.view.numElements);
        Value item = inner.createOrFold<arith::DivUIOp>(number, count);
        Value element = inner.createOrFold<arith::RemUIOp>(number, count);
        Value position = inner.createOrFold<arith::AddIOp>(
            base, addConstant(inner, item, entry.firstItem));
        auto addTotal = [&](ImplicitLocOpBuilder &step) {
          entry.output.addElement(
              step, points.createPoint(step, 0, position, 0), element, total);
        };
        createIf(inner, points.createInBounds(inner, position, 0), addTotal);
      });
  entry.pending.clear();
}

void TileReductions::finish(ImplicitLocOpBuilder &b, const TilePoints &points) {
  for (Output &entry : outputs) {
    const ReductionOutput &output = entry.output;
    if (output.isPerStep)
      continue;
    int64_t count = output.view.numElements;
    for (int64_t scan = 0; scan < (entry.isCommon ? 1 : lanes.scans); ++scan)
      reduceOverLanes(
          b, entry.totals.load(b, scan * count, count),
          entry.isCommon ? lanes.warp : lanes.sameScan,
          [&](ImplicitLocOpBuilder &inner, Value element, Value total) {
            // A lane without a scan has the total of others only where all
            // scans share it.
            Value isActive = entry.isCommon ? Value() : points.isActive(scan);
            createIf(inner, isActive, [&](ImplicitLocOpBuilder &active) {
              output.addElement(active, points.createPoint(scan), element,
                                total);
            });
          });
  }
}
