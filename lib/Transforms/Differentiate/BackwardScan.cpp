//===- BackwardScan.cpp - The scan of an associative scan's adjoint -------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BackwardScan.h"
#include "../Utils/ScalarCast.h"

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
      pattern(combine.getAccumulated().transpose().select(carried)),
      closed(pattern.closure()) {
  for (unsigned i = 0; i < carried.size(); ++i)
    for (unsigned j = 0; j < carried.size(); ++j)
      if (closed.at(i, j) == Entry::Value)
        entries.push_back({i, j});
}

/// The affine map after `args[0..]`, accumulated, and `args[E + C..]`, new.
SmallVector<Value> BackwardScan::emitComposition(OpBuilder &b, Location loc,
                                                 ValueRange args) {
  ScalarMath math{b, loc};
  size_t size = carried.size(), half = entries.size() + size;
  // The entry of the accumulated (0) or new (1) matrix; null if it is constant.
  auto getEntry = [&](unsigned which, unsigned row, unsigned column) -> Value {
    for (auto [i, entry] : llvm::enumerate(entries))
      if (entry == std::make_pair(row, column))
        return args[which * half + i];
    return {};
  };
  auto accumulate = [&](Value sum, Value term) {
    return sum ? math.add(sum, term) : term;
  };
  SmallVector<Value> yields;
  for (auto [row, column] : entries) {
    Type type = combine.getType(carried[row]);
    Value sum;
    for (unsigned k = 0; k < size; ++k) {
      if (closed.at(row, k) == Entry::Zero ||
          closed.at(k, column) == Entry::Zero)
        continue;
      Value left = getEntry(1, row, k), right = getEntry(0, k, column);
      if (right)
        right = castScalar(b, loc, right, type);
      Value term = left && right ? math.mul(left, right)
                   : left        ? left
                   : right       ? right
                                 : math.constant(type, 1.0);
      sum = accumulate(sum, term);
    }
    if (!sum)
      sum = math.constant(type, 0.0);
    yields.push_back(sum);
  }
  for (unsigned i = 0; i < size; ++i) {
    Value sum;
    for (unsigned k = 0; k < size; ++k) {
      if (closed.at(i, k) == Entry::Zero)
        continue;
      Value factor = getEntry(1, i, k);
      Value state = castScalar(b, loc, args[entries.size() + k],
                               combine.getType(carried[i]));
      sum = accumulate(sum, factor ? math.mul(factor, state) : state);
    }
    yields.push_back(accumulate(sum, args[half + entries.size() + i]));
  }
  // A region yields no argument, and nothing twice.
  DenseSet<Value> seen;
  for (Value &yield : yields)
    if (isa<BlockArgument>(yield) || !seen.insert(yield).second)
      yield = CloneOp::create(b, loc, yield);
  return yields;
}

Value BackwardScan::createInit(unsigned part) {
  Type type = combine.getType(part);
  Value last = lastCotangents[part];
  if (!last)
    return ScalarMath{builder, loc}.constant(type, 0.0);
  last = graph.castElements(loc, last, type);
  return segments.areFlags() ? segments.spreadLast(last, sizes, type) : last;
}

void BackwardScan::createAssociativeScan(ArrayRef<Value> maps) {
  SmallVector<Value> inits;
  ScalarMath math{builder, loc};
  for (auto [row, column] : entries)
    inits.push_back(math.constant(combine.getType(carried[row]),
                                  row == column ? 1.0 : 0.0));
  SmallVector<Type> types;
  for (auto [row, column] : entries)
    types.push_back(combine.getType(carried[row]));
  for (unsigned i : carried) {
    inits.push_back(createInit(i));
    types.push_back(combine.getType(i));
  }
  bool wantsFirst =
      !segments.areFlags() && llvm::any_of(op.getInits(), [&](Value init) {
        return graph.isActive(init);
      });
  auto scan = AssociativeOp::create(
      builder, loc, maps, inits, dim, !op.getReverse(), /*exclusive=*/true,
      wantsFirst, types,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        return emitComposition(b, loc, args);
      },
      segments.backward);
  scan.setOrderAttr(op.getOrderAttr());
  if (op.getCompensated() && maps.size() == 1)
    scan.setCompensated(true);
  llvm::append_range(states, scan.getScanResults().drop_front(entries.size()));
  if (wantsFirst)
    llvm::append_range(first,
                       scan.getFinalResults().drop_front(entries.size()));
  else
    first.resize(carried.size());
}

void BackwardScan::create(ArrayRef<Value> maps) {
  if (carried.size() != 1 || entries.size() != 1) {
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
