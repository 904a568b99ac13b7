//===- ColumnBlock.cpp - What the column kernels have in common -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnBlock.h"
#include "../Primitives/InitAndFinals.h"

using namespace mlir;
using namespace mlir::scan;

ColumnBlock::Groups ColumnBlock::createGroups(ImplicitLocOpBuilder &b) {
  Groups groups;
  if (io.mayVectorize())
    groups.isVectorized = io.createCanVectorize(b);
  groups.perRow = b.createOrFold<arith::CeilDivUIOp>(
      frame.getInnerExtent(b), indexConstant(b, layout.getColumns()));
  groups.count =
      b.createOrFold<arith::MulIOp>(frame.createOuterCount(b), groups.perRow);
  return groups;
}

void ColumnBlock::startGroup(ImplicitLocOpBuilder &b, const Groups &groups,
                             Value number,
                             function_ref<void(ImplicitLocOpBuilder &)> body) {
  SmallVector<Value> outer = frame.createOuterPoint(
      b, b.createOrFold<arith::DivUIOp>(number, groups.perRow));
  Value first =
      mulConstant(b, b.createOrFold<arith::RemUIOp>(number, groups.perRow),
                  layout.getColumns());
  auto emitWith = [&](ImplicitLocOpBuilder &inner, Value isVectorized) {
    io.start(inner, outer, first, isVectorized);
    body(inner);
  };
  if (!groups.isVectorized || !columns.addsStepsOfColumns())
    return emitWith(b, groups.isVectorized);
  // Each step of each column then has an address and a condition. Of columns
  // that are known to be neighbours, which exist together, they are almost one;
  // of others they would take registers, and a branch each.
  auto emitFor = [&](bool isVectorized) {
    return [&, isVectorized](ImplicitLocOpBuilder &inner) {
      emitWith(inner, boolConstant(inner, isVectorized));
    };
  };
  createIf(b, groups.isVectorized, emitFor(true), emitFor(false));
}

SmallVector<SmallVector<Value>> ColumnBlock::getPoints() {
  SmallVector<SmallVector<Value>> points;
  for (int64_t column = 0; column < layout.vector; ++column)
    points.push_back(io.getPoints().createPoint(column));
  return points;
}

SmallVector<State> ColumnBlock::createStarts(ImplicitLocOpBuilder &b) {
  SmallVector<State> starts;
  for (ArrayRef<Value> point : getPoints())
    starts.push_back(createStartState(b, frame, point));
  return starts;
}

void ColumnBlock::forBlock(ImplicitLocOpBuilder &b, const Groups &groups,
                           Value number,
                           function_ref<void(ImplicitLocOpBuilder &)> body) {
  Value inBounds = compare(b, arith::CmpIPredicate::ult, number, groups.count);
  createIf(b, inBounds, [&](ImplicitLocOpBuilder &inner) {
    startGroup(inner, groups, number, [&](ImplicitLocOpBuilder &ofGroup) {
      ifSteps(
          ofGroup,
          [&](ImplicitLocOpBuilder &none) { return createInits(none); }, body);
    });
  });
}

SmallVector<State> ColumnBlock::createInits(ImplicitLocOpBuilder &b) {
  SmallVector<State> inits;
  for (ArrayRef<Value> point : getPoints())
    inits.push_back(createInitialState(b, frame, point));
  return inits;
}

void ColumnBlock::ifSteps(
    ImplicitLocOpBuilder &b,
    function_ref<SmallVector<State>(ImplicitLocOpBuilder &)> inits,
    function_ref<void(ImplicitLocOpBuilder &)> body, Value storesInits) {
  auto storeInits = [&](ImplicitLocOpBuilder &inner) {
    if (frame.getFinals().empty())
      return;
    Value isFirst = compare(inner, arith::CmpIPredicate::eq, layout.group, 0);
    createIf(inner, createAnd(inner, isFirst, storesInits),
             [&](ImplicitLocOpBuilder &group) {
               columns.storeFinalsOf(group, inits(group));
             });
  };
  int64_t known = frame.getStaticExtent();
  if (!ShapedType::isDynamic(known))
    return known == 0 ? storeInits(b) : body(b);
  createIf(b, compare(b, arith::CmpIPredicate::ne, frame.getExtent(), 0), body,
           storeInits);
}
