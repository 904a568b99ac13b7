//===- RecurrenceGroups.cpp - States that are updated together ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrenceUpdate.h"

using namespace mlir;
using namespace mlir::scan;

/// Groups of states that depend on each other, directly or through others;
/// first those that no other group has to come before.
static std::vector<RecurrenceGroup> getGroups(ArrayRef<CarriedState> states) {
  unsigned count = states.size();
  SmallVector<llvm::SmallBitVector> reads;
  for (const CarriedState &state : states)
    reads.push_back(state.update->states);
  // The transitive closure (Warshall).
  for (unsigned k = 0; k < count; ++k)
    for (unsigned i = 0; i < count; ++i)
      if (reads[i].test(k))
        reads[i] |= reads[k];
  std::vector<RecurrenceGroup> groups;
  llvm::SmallBitVector done(count);
  while (!done.all()) {
    for (unsigned i = 0; i < count; ++i) {
      if (done.test(i))
        continue;
      RecurrenceGroup group;
      group.members.resize(count);
      for (unsigned j = 0; j < count; ++j)
        if (j == i || (reads[i].test(j) && reads[j].test(i))) {
          group.members.set(j);
          group.states.push_back(j);
        }
      llvm::SmallBitVector before = reads[i];
      before.reset(group.members);
      before.reset(done);
      if (before.any())
        continue;
      done |= group.members;
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

/// A state that is what it reads, whatever it was: the newest element.
static void keepNewest(RecurrenceGroup &group, const Expr *update) {
  ScanOperator op;
  op.leaves.push_back({update, group.states.front(), {}});
  op.results = {0};
  op.combine = [](OpBuilder &builder, Location loc, ValueRange,
                  ValueRange after) {
    return SmallVector<Value>{
        CloneOp::create(builder, loc, after.front()).getResult()};
  };
  group.op = std::move(op);
}

/// Finds the operation of an update that keeps it from being a scan: the first
/// that is none of those that sums and products are made of, from the last one
/// of the step backwards; else the last one.
static const Expr *findCulprit(const RecurrenceGroup &group, const Expr *expr) {
  if (group.isFree(expr) || expr->kind != Expr::Op || !expr->op)
    return nullptr;
  if (!isAddition(expr->op) && !isSubtraction(expr->op) &&
      !isProduct(expr->op) && !isNegation(expr->op))
    return expr;
  for (const Expr *operand : expr->operands)
    if (const Expr *found = findCulprit(group, operand))
      return found;
  return nullptr;
}

static LogicalResult matchGroup(RecurrenceLoop &loop, RecurrenceGroup &group) {
  const Expr *update = loop.states[group.states.front()].update;
  if (group.states.size() == 1) {
    if (group.isFree(update)) {
      keepNewest(group, update);
      return success();
    }
    if (update->type.isInteger(1) && !matchRecurrenceUpdate(group, update))
      return loop.fail(update->op, "a linear recurrence of i1");
    group.update = matchRecurrenceUpdate(group, update);
    if (group.update)
      return success();
  }
  // One family per file; the first that takes it.
  for (auto match :
       {matchResetUpdate, matchExtremumUpdate, matchLogAddExpUpdate,
        matchAffineUpdate, matchFractionalUpdate, matchProvedUpdate})
    if (succeeded(match(loop, group)))
      return success();
  Operation *culprit = loop.loop.getBody()->getTerminator();
  for (unsigned state : llvm::reverse(group.states)) {
    const Expr *update = loop.states[state].update;
    const Expr *found = findCulprit(group, update);
    if (!found)
      found = update;
    if (found->op)
      culprit = found->op;
  }
  return loop.fail(
      culprit,
      "the update of a carried value h is none of a * h + b, with a and b that "
      "do not depend on h, of the sums, products, minima, maxima, and, or and "
      "xor of h and such a value, of a selection of such updates, "
      "log(exp(h) + exp(b)) and (a * h + b) / (c * h + d)");
}

std::optional<std::vector<RecurrenceGroup>>
scan::matchRecurrenceGroups(RecurrenceLoop &loop) {
  std::vector<RecurrenceGroup> groups = getGroups(loop.states);
  joinArgExtrema(loop, groups);
  for (RecurrenceGroup &group : groups)
    if (!group.op && failed(matchGroup(loop, group)))
      return std::nullopt;
  return groups;
}
