//===- BackwardScan.cpp - The scan of an associative scan's adjoint -------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BackwardScan.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

BackwardScan::BackwardScan(GraphAdjoint &graph, AssociativeOp op,
                           const BackwardOperands &operands,
                           ArrayRef<unsigned> carried)
    : graph(graph), builder(graph.builder), op(op), loc(op.getLoc()),
      dim(op.getDim()), parts(operands.parts), combine(operands.combine),
      segments(operands.segments), sizes(operands.sizes),
      lastCotangents(operands.lastCotangents), carried(carried),
      affine(combine.getAccumulated().transpose().select(carried),
             llvm::map_to_vector(
                 carried, [&](unsigned i) { return combine.getType(i); })) {}

Value BackwardScan::createInit(unsigned part) {
  Type type = combine.getType(part);
  Value last = lastCotangents[part];
  if (!last)
    return ScalarMath{builder, loc}.constant(type, 0.0);
  last = graph.castElements(loc, last, type);
  return segments.areFlags() ? segments.spreadLast(last, sizes, type) : last;
}

void BackwardScan::createAssociativeScan(ArrayRef<Value> maps) {
  SmallVector<Value> inits = affine.createIdentity({builder, loc});
  for (unsigned i : carried)
    inits.push_back(createInit(i));
  size_t numEntries = getEntries().size();
  bool wantsFirst =
      !segments.areFlags() && llvm::any_of(op.getInits(), [&](Value init) {
        return graph.isActive(init);
      });
  auto scan = AssociativeOp::create(
      builder, loc, maps, inits, dim, !op.getReverse(), /*exclusive=*/true,
      wantsFirst, affine.getLeafTypes(),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        return affine.emitCombine(b, loc, args);
      },
      segments.backward);
  scan.setOrderAttr(op.getOrderAttr());
  if (op.getCompensated() && maps.size() == 1)
    scan.setCompensated(true);
  llvm::append_range(states, scan.getScanResults().drop_front(numEntries));
  if (wantsFirst)
    llvm::append_range(first, scan.getFinalResults().drop_front(numEntries));
  else
    first.resize(carried.size());
}

void BackwardScan::create(ArrayRef<Value> maps) {
  if (carried.size() != 1 || getEntries().size() != 1) {
    createAssociativeScan(maps);
    return;
  }
  // One leaf: the affine maps of a linear recurrence.
  unsigned i = carried.front();
  bool wantsFirst = !op.getInits().empty() && !segments.areFlags() &&
                    graph.isActive(op.getInits()[parts[i].leaf]);
  auto scan = LinearRecurrenceOp::create(
      builder, loc, maps[0], maps[1], createInit(i), dim, !op.getReverse(),
      /*exclusive=*/true, wantsFirst, segments.backward);
  scan.setOrderAttr(op.getOrderAttr());
  states.push_back(scan.getResult());
  first.push_back(scan.getLast());
}
