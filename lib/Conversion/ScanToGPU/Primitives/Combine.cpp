//===- Combine.cpp - The regions of a scan.kernel on values ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combine.h"
#include "../../GPUCommon/Emit.h"
#include "IR/Divisions.h"
#include "IR/OperatorFacts.h"
#include "ProductGuard.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::scan;

/// `product + added` of complex numbers, in four operations.
static Value createMultiplyAdd(ImplicitLocOpBuilder &b, complex::MulOp product,
                               Value added) {
  auto re = [&](Value value) { return complex::ReOp::create(b, value); };
  auto im = [&](Value value) { return complex::ImOp::create(b, value); };
  Value lhs = product.getLhs(), rhs = product.getRhs();
  Value reLhs = re(lhs), imLhs = im(lhs), reRhs = re(rhs), imRhs = im(rhs);
  Value real =
      math::FmaOp::create(b, arith::NegFOp::create(b, imLhs), imRhs, re(added));
  Value imaginary = math::FmaOp::create(b, imLhs, reRhs, im(added));
  return complex::CreateOp::create(
      b, added.getType(), math::FmaOp::create(b, reLhs, reRhs, real),
      math::FmaOp::create(b, reLhs, imRhs, imaginary));
}

void mlir::scan::contractProducts(KernelOp kernel) {
  if (kernel.getOrder() == Order::Sequential)
    return;
  for (Operation &op :
       llvm::make_early_inc_range(kernel.getCombine().front())) {
    if (auto product = dyn_cast<complex::MulOp>(op))
      product.setFastmath(product.getFastmath() |
                          arith::FastMathFlags::contract);
    auto sum = dyn_cast<complex::AddOp>(op);
    if (!sum || sum.getLhs() == sum.getRhs())
      continue;
    Value terms[] = {sum.getLhs(), sum.getRhs()};
    Value *term = llvm::find_if(terms, [](Value value) {
      return value.getDefiningOp<complex::MulOp>() && value.hasOneUse();
    });
    if (term == std::end(terms))
      continue;
    auto product = term->getDefiningOp<complex::MulOp>();
    ImplicitLocOpBuilder b(sum.getLoc(), sum);
    sum.replaceAllUsesWith(
        createMultiplyAdd(b, product, terms[term == terms ? 1 : 0]));
    sum.erase();
    product.erase();
  }
}

using CreateProduct = Value (*)(ImplicitLocOpBuilder &, Operation &, Value,
                                Value);

static SmallVector<Value> cloneRegion(ImplicitLocOpBuilder &b, Region &region,
                                      ValueRange args, ArrayRef<Value> point,
                                      CreateProduct createProduct) {
  Block &block = region.front();
  IRMapping mapping;
  mapping.map(block.getArguments(), args);
  for (Operation &op : block.without_terminator()) {
    if (auto index = dyn_cast<IndexOp>(op)) {
      mapping.map(index.getResult(), point[index.getDim()]);
      continue;
    }
    if (isGuardedProduct(op)) {
      mapping.map(op.getResult(0),
                  createProduct(b, op, mapping.lookup(op.getOperand(0)),
                                mapping.lookup(op.getOperand(1))));
      continue;
    }
    b.clone(op, mapping)->walk([&](IndexOp index) {
      index.replaceAllUsesWith(point[index.getDim()]);
      index.erase();
    });
  }
  SmallVector<Value> results;
  for (Value yielded : block.getTerminator()->getOperands())
    results.push_back(mapping.lookup(yielded));
  return results;
}

SmallVector<Value> mlir::scan::inlineRegion(ImplicitLocOpBuilder &b,
                                            Region &region, ValueRange args,
                                            ArrayRef<Value> point) {
  return cloneRegion(b, region, args, point, createPlainProduct);
}

State mlir::scan::selectState(ImplicitLocOpBuilder &b, Value condition,
                              ValueRange a, ValueRange c) {
  State result;
  for (auto [ifTrue, ifFalse] : llvm::zip_equal(a, c))
    result.push_back(
        b.createOrFold<arith::SelectOp>(condition, ifTrue, ifFalse));
  return result;
}

State mlir::scan::zeroState(ImplicitLocOpBuilder &b, KernelOp kernel) {
  State state;
  for (Type type : kernel.getLeafTypes())
    state.push_back(createZero(b, type));
  return state;
}

State mlir::scan::createIdentity(ImplicitLocOpBuilder &b, KernelOp kernel) {
  State state;
  for (auto [constant, type] :
       llvm::zip(getOperatorFacts(kernel).identity, kernel.getLeafTypes())) {
    auto number = dyn_cast<complex::NumberAttr>(constant);
    if (!number) {
      state.push_back(createConstant(b, cast<TypedAttr>(constant)));
      continue;
    }
    Type part = cast<ComplexType>(type).getElementType();
    Attribute parts[] = {FloatAttr::get(part, number.getReal()),
                         FloatAttr::get(part, number.getImag())};
    state.push_back(
        complex::ConstantOp::create(b, type, b.getArrayAttr(parts)));
  }
  return state;
}

bool mlir::scan::hasStartState(KernelOp kernel) {
  return kernel.hasInit() || !getOperatorFacts(kernel).identity.empty();
}

/// Whether `state` is the constant that createIdentity makes.
static bool isIdentity(KernelOp kernel, ValueRange state) {
  SmallVector<Attribute> identity = getOperatorFacts(kernel).identity;
  return !identity.empty() && llvm::all_of_zip(state, identity, isConstantOf);
}

static State combineBy(ImplicitLocOpBuilder &b, KernelOp kernel,
                       ValueRange earlier, ValueRange later,
                       CreateProduct createProduct) {
  if (isIdentity(kernel, earlier))
    return State(later);
  State args(earlier);
  llvm::append_range(args, later);
  return cloneRegion(b, kernel.getCombine(), args, /*point=*/{}, createProduct);
}

static State combineIfPresentBy(ImplicitLocOpBuilder &b, KernelOp kernel,
                                const Prefix &prefix, ValueRange later,
                                CreateProduct createProduct) {
  if (!prefix.present || matchPattern(prefix.present, m_One()))
    return combineBy(b, kernel, prefix.state, later, createProduct);
  // A select, not a branch: combining with garbage is harmless, since regions
  // have no effects, and the condition differs between neighbouring threads.
  // But a division by garbage may be one by zero, or a loop not end.
  if (!hasUnsafeOperation(kernel.getCombine())) {
    State combined = combineBy(b, kernel, prefix.state, later, createProduct);
    return selectState(b, prefix.present, combined, later);
  }
  return createIfElse(
      b, prefix.present,
      [&](ImplicitLocOpBuilder &inner) {
        return combineBy(inner, kernel, prefix.state, later, createProduct);
      },
      [&](ImplicitLocOpBuilder &) { return State(later); });
}

State mlir::scan::combineItem(ImplicitLocOpBuilder &b, KernelOp kernel,
                              ValueRange earlier, ValueRange item) {
  return combineBy(b, kernel, earlier, item, createPlainProduct);
}

State mlir::scan::combineItemIfPresent(ImplicitLocOpBuilder &b, KernelOp kernel,
                                       const Prefix &prefix, ValueRange item) {
  return combineIfPresentBy(b, kernel, prefix, item, createPlainProduct);
}

State mlir::scan::combine(ImplicitLocOpBuilder &b, KernelOp kernel,
                          ValueRange earlier, ValueRange later) {
  return combineBy(b, kernel, earlier, later, createGuardedProduct);
}

State mlir::scan::combineIfPresent(ImplicitLocOpBuilder &b, KernelOp kernel,
                                   const Prefix &prefix, ValueRange later) {
  return combineIfPresentBy(b, kernel, prefix, later, createGuardedProduct);
}

Prefix mlir::scan::createAbsent(ImplicitLocOpBuilder &b, KernelOp kernel) {
  State identity = createIdentity(b, kernel);
  if (!identity.empty())
    return {identity, boolConstant(b, true)};
  return {zeroState(b, kernel), boolConstant(b, false)};
}

Prefix mlir::scan::joinPrefixes(ImplicitLocOpBuilder &b, KernelOp kernel,
                                const Prefix &earlier, const Prefix &later) {
  Prefix joined;
  if (matchPattern(later.present, m_One()))
    return {combineIfPresent(b, kernel, earlier, later.state), later.present};
  if (hasUnsafeOperation(kernel.getCombine()))
    joined.state = createIfElse(
        b, later.present,
        [&](ImplicitLocOpBuilder &inner) {
          return combineIfPresent(inner, kernel, earlier, later.state);
        },
        [&](ImplicitLocOpBuilder &) { return earlier.state; });
  else
    joined.state = selectState(
        b, later.present, combineIfPresent(b, kernel, earlier, later.state),
        earlier.state);
  if (earlier.present)
    joined.present =
        b.createOrFold<arith::OrIOp>(earlier.present, later.present);
  return joined;
}

bool mlir::scan::readsScanIndex(KernelOp kernel) {
  return kernel
      ->walk([&](IndexOp index) {
        return index.getDim() == kernel.getDim() ? WalkResult::interrupt()
                                                 : WalkResult::advance();
      })
      .wasInterrupted();
}

SmallVector<Value>
mlir::scan::computeResults(ImplicitLocOpBuilder &b, KernelOp kernel,
                           ValueRange inclusive, ValueRange exclusive,
                           ValueRange elements, ArrayRef<Value> point) {
  SmallVector<Value> args(inclusive);
  llvm::append_range(args, exclusive);
  llvm::append_range(args, elements);
  return inlineRegion(b, kernel.getStore(), args, point);
}

SmallVector<Value> mlir::scan::packLeaves(ArrayRef<bool> kept,
                                          ValueRange state) {
  SmallVector<Value> packed;
  for (auto [isKept, leaf] : llvm::zip_equal(kept, state))
    if (isKept)
      packed.push_back(leaf);
  return packed;
}

State mlir::scan::unpackLeaves(ImplicitLocOpBuilder &b, KernelOp kernel,
                               ArrayRef<bool> kept, ValueRange packed) {
  State state;
  for (auto [isKept, type] : llvm::zip_equal(kept, kernel.getLeafTypes())) {
    if (!isKept) {
      state.push_back(createZero(b, type));
      continue;
    }
    state.push_back(packed.front());
    packed = packed.drop_front();
  }
  return state;
}

SmallVector<Value> mlir::scan::packCarried(KernelOp kernel, ValueRange state) {
  return packLeaves(kernel.getCarriedLeaves(), state);
}

State mlir::scan::unpackCarried(ImplicitLocOpBuilder &b, KernelOp kernel,
                                ValueRange carried) {
  return unpackLeaves(b, kernel, kernel.getCarriedLeaves(), carried);
}
