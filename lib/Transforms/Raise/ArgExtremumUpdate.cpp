//===- ArgExtremumUpdate.cpp - Extrema and where they are -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   larger = x > m;  m = larger ? x : m;  i = larger ? t : i
//
// By themselves m is an extremum, and i is reset by a comparison with what m
// was: a scan for either, and the second one reads the first one. Together they
// are one scan over (x, t):
//
//   (m1, i1) (m2, i2) = m2 > m1 or m1 is no number ? (m2, i2) : (m1, i1)
//
// which finds the first place of the extremum, or the last with >=. A walk that
// starts from a number passes over elements that are none (ExtremumUpdate);
// a part that begins with such elements is what follows them.
//
//===----------------------------------------------------------------------===//

#include "RecurrenceUpdate.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::scan;

/// What the state of a group of one becomes where `condition` holds, if it is
/// selected by that, stays what it was elsewhere, and is the same whatever the
/// states of the loop are; null if not.
static const Expr *getPlace(RecurrenceLoop &loop, const RecurrenceGroup &group,
                            const Expr *condition) {
  if (group.states.size() != 1)
    return nullptr;
  const Expr *update = loop.states[group.states.front()].update;
  if (update->kind != Expr::Op ||
      !isa_and_nonnull<arith::SelectOp>(update->op) ||
      update->operands[0] != condition ||
      group.getState(update->operands[2]) != 0 ||
      update->operands[1]->states.any())
    return nullptr;
  return update->operands[1];
}

/// The scan of the extremum, by `compare`, and of what goes with it.
static ScanOperator makeOperator(const Expr *compare, const Expr *element,
                                 ArrayRef<const Expr *> places,
                                 ArrayRef<unsigned> states) {
  ScanOperator op;
  op.leaves.push_back({element, states.front(), {}});
  for (auto [place, state] : llvm::zip_equal(places, states.drop_front()))
    op.leaves.push_back({place, state, {}});
  for (unsigned i = 0; i < states.size(); ++i)
    op.results.push_back(i);
  bool isElementFirst = compare->operands[0] == element;
  op.combine = [compare = compare->op,
                isElementFirst](OpBuilder &builder, Location loc,
                                ValueRange before, ValueRange after) {
    Operation *copy = compare->clone();
    copy->setOperand(isElementFirst ? 0 : 1, after[0]);
    copy->setOperand(isElementFirst ? 1 : 0, before[0]);
    copy->getResult(0).setType(builder.getI1Type());
    builder.insert(copy);
    Value isLater = copy->getResult(0);
    if (isa<FloatType>(before[0].getType())) {
      Value isNoNumber = arith::CmpFOp::create(
          builder, loc, arith::CmpFPredicate::UNO, before[0], before[0]);
      isLater = arith::OrIOp::create(builder, loc, isLater, isNoNumber);
    }
    SmallVector<Value> results;
    for (auto [earlier, later] : llvm::zip_equal(before, after))
      results.push_back(
          arith::SelectOp::create(builder, loc, isLater, later, earlier));
    return results;
  };
  return op;
}

void scan::joinArgExtrema(RecurrenceLoop &loop,
                          std::vector<RecurrenceGroup> &groups) {
  for (unsigned i = 0; i < groups.size(); ++i) {
    RecurrenceGroup &extremum = groups[i];
    if (extremum.states.size() != 1)
      continue;
    const Expr *update = loop.states[extremum.states.front()].update;
    if (update->kind != Expr::Op ||
        !isa_and_nonnull<arith::SelectOp>(update->op) ||
        failed(matchExtremumUpdate(loop, extremum)))
      continue;
    // It is a selection by a comparison with the state.
    const Expr *compare = update->operands[0];
    SmallVector<const Expr *> places;
    for (unsigned j = i + 1; j < groups.size();) {
      const Expr *place = getPlace(loop, groups[j], compare);
      if (!place) {
        ++j;
        continue;
      }
      extremum.states.push_back(groups[j].states.front());
      extremum.members |= groups[j].members;
      places.push_back(place);
      groups.erase(groups.begin() + j);
    }
    extremum.op.reset();
    if (!places.empty())
      groups[i].op =
          makeOperator(compare, update->operands[1], places, groups[i].states);
  }
}
