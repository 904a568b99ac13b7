//===- ProvedUpdate.cpp - Updates that are proved to be scans -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// h = f(h, x), for states h and as many elements x of the same types that do
// not depend on them. If f, seen as an operator on states, is associative, then
// the loop is the scan of the elements by f: the element stands for the update
// by it. Which element goes with which state is tried.
//
//===----------------------------------------------------------------------===//

#include "RecurrenceUpdate.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::scan;

/// So many states are updated together at most.
static constexpr unsigned kMaxStates = 3;

namespace {
/// The updates of a group as scalar code of states and elements.
struct UpdateCode {
  UpdateCode(const RecurrenceLoop &loop, const RecurrenceGroup &group)
      : group(group) {
    for (unsigned state : group.states)
      updates.push_back(loop.states[state].update);
  }

  /// Finds the elements; fails if something is no scalar code.
  LogicalResult analyze();
  bool findElements(const Expr *expr);
  /// The updated states.
  SmallVector<Value> emit(OpBuilder &builder, Location loc, ValueRange states,
                          ValueRange elements) const;

  RecurrenceGroup group;
  SmallVector<const Expr *> updates;
  /// The largest expressions without states of the group, but for constants and
  /// for what is computed in the region of others.
  llvm::SetVector<const Expr *> elements;
  llvm::DenseSet<const Expr *> computed;
  llvm::DenseSet<const Expr *> visited;
};
} // namespace

/// The number that an expression is everywhere.
static TypedAttr getConstant(const Expr *expr) {
  Attribute constant;
  if (expr->kind != Expr::Invariant || !expr->value ||
      !matchPattern(expr->value, m_Constant(&constant)))
    return {};
  if (auto splat = dyn_cast<SplatElementsAttr>(constant))
    constant = splat.getSplatValue<Attribute>();
  auto typed = dyn_cast<TypedAttr>(constant);
  return typed && typed.getType() == expr->type ? typed : TypedAttr();
}

static bool isScalarCode(const Expr *expr) {
  return expr->kind == Expr::Op &&
         (expr->create || (expr->op && expr->op->getNumRegions() == 0 &&
                           isMemoryEffectFree(expr->op)));
}

/// How many operations lie one behind the other.
static unsigned getDepth(const Expr *expr,
                         llvm::DenseMap<const Expr *, unsigned> &depths) {
  if (auto it = depths.find(expr); it != depths.end())
    return it->second;
  unsigned depth = 0;
  for (const Expr *operand : expr->operands)
    depth = std::max(depth, getDepth(operand, depths) + 1);
  return depths[expr] = depth;
}

bool UpdateCode::findElements(const Expr *expr) {
  if (group.getState(expr) >= 0 || getConstant(expr) ||
      !visited.insert(expr).second)
    return true;
  if (group.isFree(expr) && !computed.contains(expr)) {
    elements.insert(expr);
    return true;
  }
  if (expr->kind == Expr::Updated && !expr->isMoved())
    return true;
  return isScalarCode(expr) &&
         llvm::all_of(expr->operands, [&](const Expr *operand) {
           return findElements(operand);
         });
}

LogicalResult UpdateCode::analyze() {
  // x and 255 - x are one element: the deepest of too many are computed.
  constexpr unsigned maxRounds = 64;
  llvm::DenseMap<const Expr *, unsigned> depths;
  for (unsigned round = 0; round < maxRounds; ++round) {
    elements.clear();
    visited.clear();
    for (const Expr *update : updates)
      if (!findElements(update))
        return failure();
    if (elements.size() <= updates.size())
      return success(elements.size() == updates.size());
    const Expr *deepest = nullptr;
    for (const Expr *element : elements)
      if (isScalarCode(element) &&
          (!deepest || getDepth(element, depths) > getDepth(deepest, depths)))
        deepest = element;
    if (!deepest)
      return failure();
    computed.insert(deepest);
  }
  return failure();
}

SmallVector<Value> UpdateCode::emit(OpBuilder &builder, Location loc,
                                    ValueRange states, ValueRange given) const {
  llvm::DenseMap<const Expr *, Value> values;
  for (auto [element, value] : llvm::zip_equal(elements, given))
    values[element] = value;
  std::function<Value(const Expr *)> emit = [&](const Expr *expr) -> Value {
    if (int64_t state = group.getState(expr); state >= 0)
      return states[state];
    if (Value known = values.lookup(expr))
      return known;
    if (TypedAttr constant = getConstant(expr))
      return values[expr] = arith::ConstantOp::create(builder, loc, constant);
    if (expr->kind == Expr::Updated) {
      size_t number = std::distance(group.states.begin(),
                                    llvm::find(group.states, expr->number));
      return values[expr] = emit(updates[number]);
    }
    SmallVector<Value> operands;
    for (const Expr *operand : expr->operands)
      operands.push_back(emit(operand));
    if (expr->create)
      return values[expr] = expr->create(builder, loc, operands);
    Operation *copy = expr->op->clone();
    copy->setOperands(operands);
    for (Value result : copy->getResults())
      result.setType(getElementTypeOrSelf(result.getType()));
    builder.insert(copy);
    return values[expr] = copy->getResult(expr->result);
  };
  SmallVector<Value> results;
  for (const Expr *update : updates) {
    Value value = emit(update);
    // What is yielded is made in the region, and once.
    if (isa<BlockArgument>(value) || llvm::is_contained(results, value))
      value = CloneOp::create(builder, loc, value);
    results.push_back(value);
  }
  return results;
}

/// Whether the operator is proved associative.
static bool isProved(RecurrenceLoop &loop, TypeRange types,
                     const LeafCombiner &combine) {
  Location loc = loop.loop.getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder builder = OpBuilder::atBlockBegin(module->getBody());
  SmallVector<Value> inputs;
  for (Type type : types)
    inputs.push_back(
        tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>{1}, type));
  auto scan = AssociativeOp::create(
      builder, loc, inputs, /*inits=*/ValueRange(), /*dim=*/0,
      /*reverse=*/false, /*exclusive=*/false, /*finalStates=*/false,
      SmallVector<Type>(types),
      [&](OpBuilder &inner, Location, ValueRange arguments) {
        return combine(inner, loc, arguments.take_front(types.size()),
                       arguments.drop_front(types.size()));
      });
  return loop.isAssociative(scan);
}

LogicalResult scan::matchProvedUpdate(RecurrenceLoop &loop,
                                      RecurrenceGroup &group) {
  if (!loop.isAssociative || group.states.size() > kMaxStates)
    return failure();
  UpdateCode code(loop, group);
  if (failed(code.analyze()))
    return failure();
  SmallVector<Type> types;
  for (const Expr *update : code.updates)
    types.push_back(update->type);
  // Element number order[i] goes with state i.
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(0, group.states.size()));
  do {
    if (!llvm::all_of_zip(order, types, [&](unsigned element, Type type) {
          return code.elements[element]->type == type;
        }))
      continue;
    LeafCombiner combine = [code, order](OpBuilder &builder, Location loc,
                                         ValueRange before, ValueRange after) {
      SmallVector<Value> elements(order.size());
      for (auto [state, element] : llvm::enumerate(order))
        elements[element] = after[state];
      return code.emit(builder, loc, before, elements);
    };
    if (!isProved(loop, types, combine))
      continue;
    ScanOperator op;
    for (auto [i, state] : llvm::enumerate(group.states)) {
      op.leaves.push_back({code.elements[order[i]], state, {}});
      op.results.push_back(i);
    }
    op.combine = std::move(combine);
    group.op = std::move(op);
    return success();
  } while (std::next_permutation(order.begin(), order.end()));
  return failure();
}
