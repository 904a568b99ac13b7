//===- AffineUpdate.cpp - Updates by a matrix -----------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// States h that are updated to M h + v, where M and v do not depend on them: a
// single one, in whatever way its update is written, or several that read each
// other. The composition of two such maps is one: (M2 M1, M2 v1 + v2).
//
//===----------------------------------------------------------------------===//

#include "RecurrenceUpdate.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

/// A sum of multiples of states; null is zero.
struct AffineForm {
  SmallVector<const Expr *> factors;
  const Expr *offset = nullptr;
};

class AffineParser {
public:
  AffineParser(RecurrenceLoop &loop, const RecurrenceGroup &group)
      : loop(loop), group(group),
        type(loop.states[group.states.front()].update->type) {
    one = loop.makeOp(
        type, {}, [type = type](OpBuilder &builder, Location loc, ValueRange) {
          return createOne(builder, loc, type);
        });
  }

  std::optional<AffineForm> parse(const Expr *expr);
  const Expr *one;

private:
  const Expr *add(const Expr *lhs, const Expr *rhs);
  const Expr *negate(const Expr *expr);
  const Expr *multiply(const Expr *lhs, const Expr *rhs);
  std::optional<AffineForm> parseOp(const Expr *expr);
  std::optional<AffineForm> parseSelect(const Expr *expr);
  AffineForm map(const AffineForm &form,
                 function_ref<const Expr *(const Expr *)> f) {
    AffineForm result;
    for (const Expr *factor : form.factors)
      result.factors.push_back(factor ? f(factor) : nullptr);
    result.offset = form.offset ? f(form.offset) : nullptr;
    return result;
  }
  AffineForm sum(const AffineForm &lhs, const AffineForm &rhs) {
    AffineForm result;
    for (auto [l, r] : llvm::zip(lhs.factors, rhs.factors))
      result.factors.push_back(add(l, r));
    result.offset = add(lhs.offset, rhs.offset);
    return result;
  }

  RecurrenceLoop &loop;
  const RecurrenceGroup &group;
  Type type;
};

} // namespace

const Expr *AffineParser::add(const Expr *lhs, const Expr *rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return loop.makeOp(type, {lhs, rhs},
                     [](OpBuilder &builder, Location loc, ValueRange values) {
                       return createSum(builder, loc, values[0], values[1]);
                     });
}

const Expr *AffineParser::negate(const Expr *expr) {
  return loop.makeOp(type, {expr},
                     [](OpBuilder &builder, Location loc, ValueRange values) {
                       return createNegation(builder, loc, values[0]);
                     });
}

const Expr *AffineParser::multiply(const Expr *lhs, const Expr *rhs) {
  if (lhs == one || rhs == one)
    return lhs == one ? rhs : lhs;
  return loop.makeOp(type, {lhs, rhs},
                     [](OpBuilder &builder, Location loc, ValueRange values) {
                       return createProduct(builder, loc, values[0], values[1]);
                     });
}

std::optional<AffineForm> AffineParser::parse(const Expr *expr) {
  AffineForm form;
  form.factors.resize(group.states.size());
  if (group.isFree(expr)) {
    form.offset = expr;
    return form;
  }
  if (int64_t state = group.getState(expr); state >= 0) {
    form.factors[state] = one;
    return form;
  }
  if (expr->kind == Expr::Updated && !expr->isMoved())
    return parse(loop.states[expr->number].update);
  if (expr->kind != Expr::Op || !expr->op || expr->type != type)
    return std::nullopt;
  return parseOp(expr);
}

std::optional<AffineForm> AffineParser::parseOp(const Expr *expr) {
  Operation *op = expr->op;
  if (isa<arith::SelectOp>(op))
    return parseSelect(expr);
  if (isNegation(op)) {
    std::optional<AffineForm> form = parse(expr->operands[0]);
    if (!form)
      return std::nullopt;
    return map(*form, [&](const Expr *e) { return negate(e); });
  }
  bool isFma = isa<math::FmaOp>(op);
  if (isProduct(op) || isFma) {
    unsigned free = group.isFree(expr->operands[0]) ? 0 : 1;
    const Expr *factor = expr->operands[free];
    std::optional<AffineForm> form = parse(expr->operands[1 - free]);
    if (!group.isFree(factor) || !form)
      return std::nullopt;
    AffineForm product =
        map(*form, [&](const Expr *e) { return multiply(e, factor); });
    if (!isFma)
      return product;
    std::optional<AffineForm> addend = parse(expr->operands[2]);
    if (!addend)
      return std::nullopt;
    return sum(product, *addend);
  }
  if (!isAddition(op) && !isSubtraction(op))
    return std::nullopt;
  std::optional<AffineForm> lhs = parse(expr->operands[0]);
  std::optional<AffineForm> rhs = parse(expr->operands[1]);
  if (!lhs || !rhs)
    return std::nullopt;
  if (isSubtraction(op))
    rhs = map(*rhs, [&](const Expr *e) { return negate(e); });
  return sum(*lhs, *rhs);
}

/// A selection of two affine functions, both of the same states: what a
/// multiple of zero would do to numbers that are not finite it does not do.
std::optional<AffineForm> AffineParser::parseSelect(const Expr *expr) {
  const Expr *condition = expr->operands[0];
  std::optional<AffineForm> lhs = parse(expr->operands[1]);
  std::optional<AffineForm> rhs = parse(expr->operands[2]);
  if (!group.isFree(condition) || !lhs || !rhs)
    return std::nullopt;
  auto select = [&](const Expr *l, const Expr *r) -> const Expr * {
    if (l == r)
      return l;
    return loop.makeOp(
        type, {condition, l, r},
        [](OpBuilder &builder, Location loc, ValueRange values) -> Value {
          return arith::SelectOp::create(builder, loc, values[0], values[1],
                                         values[2]);
        });
  };
  AffineForm form;
  for (auto [l, r] : llvm::zip(lhs->factors, rhs->factors)) {
    if (!l != !r)
      return std::nullopt;
    form.factors.push_back(l ? select(l, r) : nullptr);
  }
  if (lhs->offset || rhs->offset) {
    if (isa<ComplexType>(type) && (!lhs->offset || !rhs->offset))
      return std::nullopt;
    // h + -0.0 is h, whatever h is.
    auto getOffset = [&](const Expr *offset) {
      if (offset)
        return offset;
      return loop.makeOp(
          type, {},
          [type = type](OpBuilder &builder, Location loc, ValueRange) {
            return arith::ConstantOp::create(builder, loc,
                                             getNumber(type, -0.0))
                .getResult();
          });
    };
    form.offset = select(getOffset(lhs->offset), getOffset(rhs->offset));
  }
  return form;
}

/// The scan of one state of which no other is read.
static LogicalResult setSingle(RecurrenceLoop &loop, RecurrenceGroup &group,
                               const AffineForm &form, const Expr *one) {
  RecurrenceUpdate update;
  Type type = loop.states[group.states.front()].update->type;
  update.isRounded = isa<FloatType>(type);
  if (!form.factors.front() || (!form.offset && isa<ComplexType>(type)))
    return failure();
  update.b.expr = form.offset;
  // a h + -0.0 is a h, whatever it is.
  if (!form.offset)
    update.b.expr = loop.makeOp(
        type, {}, [type](OpBuilder &builder, Location loc, ValueRange) {
          return arith::ConstantOp::create(builder, loc, getNumber(type, -0.0))
              .getResult();
        });
  if (form.factors.front() != one) {
    update.kind = RecurrenceUpdate::Linear;
    update.a.expr = form.factors.front();
  }
  group.update = update;
  return success();
}

LogicalResult scan::matchAffineUpdate(RecurrenceLoop &loop,
                                      RecurrenceGroup &group) {
  unsigned n = group.states.size();
  const CarriedState &first = loop.states[group.states.front()];
  // More leaves than threads have registers for are no gain.
  constexpr unsigned kMaxStates = 4;
  if (n > kMaxStates || first.update->type.isInteger(1))
    return failure();
  AffineParser parser(loop, group);
  SmallVector<AffineForm> forms;
  for (unsigned state : group.states) {
    if (loop.states[state].type != first.type)
      return failure();
    std::optional<AffineForm> form = parser.parse(loop.states[state].update);
    if (!form)
      return failure();
    forms.push_back(*form);
  }
  if (n == 1)
    return setSingle(loop, group, forms.front(), parser.one);

  // The entries that products of such matrices have.
  SmallVector<llvm::SmallBitVector> entries(n, llvm::SmallBitVector(n));
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < n; ++j)
      if (forms[i].factors[j])
        entries[i].set(j);
  for (unsigned k = 0; k < n; ++k)
    for (unsigned i = 0; i < n; ++i)
      if (entries[i].test(k))
        entries[i] |= entries[k];

  Type type = first.update->type;
  if (isa<ComplexType>(type))
    return failure();
  auto getConstant = [&](double value) {
    return loop.makeOp(
        type, {}, [type, value](OpBuilder &builder, Location loc, ValueRange) {
          return arith::ConstantOp::create(builder, loc, getNumber(type, value))
              .getResult();
        });
  };
  ScanOperator op;
  op.isRounded = isa<FloatType>(type);
  SmallVector<SmallVector<int64_t>> leafOf(n, SmallVector<int64_t>(n, -1));
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j : entries[i].set_bits()) {
      leafOf[i][j] = op.leaves.size();
      const Expr *factor = forms[i].factors[j];
      op.leaves.push_back({factor ? factor : getConstant(0.0), -1,
                           getNumber(type, i == j ? 1.0 : 0.0)});
    }
  for (unsigned i = 0; i < n; ++i) {
    op.results.push_back(op.leaves.size());
    const Expr *offset = forms[i].offset;
    op.leaves.push_back({offset ? offset : getConstant(0.0),
                         static_cast<int64_t>(group.states[i]),
                         {}});
  }
  op.combine = [n, leafOf,
                results = op.results](OpBuilder &builder, Location loc,
                                      ValueRange before, ValueRange after) {
    SmallVector<Value> yielded;
    auto addProduct = [&](Value sum, Value lhs, Value rhs) {
      Value product = createProduct(builder, loc, lhs, rhs);
      return sum ? createSum(builder, loc, sum, product) : product;
    };
    for (unsigned i = 0; i < n; ++i)
      for (unsigned j = 0; j < n; ++j) {
        if (leafOf[i][j] < 0)
          continue;
        Value sum;
        for (unsigned k = 0; k < n; ++k)
          if (leafOf[i][k] >= 0 && leafOf[k][j] >= 0)
            sum = addProduct(sum, after[leafOf[i][k]], before[leafOf[k][j]]);
        // Not in a product of two: a third makes it.
        if (!sum)
          sum = arith::ConstantOp::create(
              builder, loc, getNumber(after.front().getType(), 0.0));
        yielded.push_back(sum);
      }
    for (unsigned i = 0; i < n; ++i) {
      Value sum;
      for (unsigned k = 0; k < n; ++k)
        if (leafOf[i][k] >= 0)
          sum = addProduct(sum, after[leafOf[i][k]], before[results[k]]);
      yielded.push_back(
          sum ? createSum(builder, loc, sum, after[results[i]])
              : CloneOp::create(builder, loc, after[results[i]]).getResult());
    }
    return yielded;
  };
  group.op = std::move(op);
  return success();
}
