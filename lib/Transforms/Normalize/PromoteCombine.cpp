//===- PromoteCombine.cpp - Combine regions in the accumulator types ------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Retyping is by type: every value of type T becomes one of type W(T), where
// W(T) is the widest type that a leaf of type T accumulates in. Integers keep
// their value as sign-extended numbers, which agrees with every operation that
// reads them as signed and with unsigned comparison (sign extension keeps the
// unsigned order); the others see a truncated copy. Values of type i1 are
// conditions as often as numbers and are never retyped.
//
//===----------------------------------------------------------------------===//

#include "../Utils/ScalarCast.h"
#include "CombineRewrite.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

/// W: from types to the types that stand for them in the promoted region.
class WideTypes {
public:
  WideTypes(TypeRange leaves, TypeRange accumulators) {
    for (auto [leaf, accumulator] : llvm::zip_equal(leaves, accumulators)) {
      widenElement(elementOf(leaf), elementOf(accumulator));
      // What a leaf is extended to on the way is as exact as the leaf itself.
      MLIRContext *context = leaf.getContext();
      for (Type between : {Type(Float32Type::get(context)),
                           Type(IntegerType::get(context, 16)),
                           Type(IntegerType::get(context, 32))})
        if (isa<FloatType>(between) == isa<FloatType>(elementOf(leaf)) &&
            !leaf.isInteger(1) && widthOf(between) > widthOf(elementOf(leaf)))
          widenElement(between, elementOf(accumulator));
    }
  }

  Type operator()(Type type) const {
    if (auto complexType = dyn_cast<ComplexType>(type))
      return ComplexType::get((*this)(complexType.getElementType()));
    if (auto it = wide.find(type); it != wide.end())
      return it->second;
    if (type.isF16() || type.isBF16())
      return Float32Type::get(type.getContext());
    return type;
  }

private:
  static Type elementOf(Type type) {
    auto complexType = dyn_cast<ComplexType>(type);
    return complexType ? complexType.getElementType() : type;
  }
  static unsigned widthOf(Type type) { return type.getIntOrFloatBitWidth(); }

  void widenElement(Type type, Type to) {
    if (type.isInteger(1))
      return;
    Type &entry = wide.try_emplace(type, type).first->second;
    if (widthOf(to) > widthOf(entry))
      entry = to;
  }

  DenseMap<Type, Type> wide;
};

/// True if `op` means the same on wider floating-point values, but for
/// rounding.
bool isFloatRetypable(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect,
                         complex::ComplexDialect>(op->getDialect()) &&
         !isa<arith::BitcastOp, arith::ScalingExtFOp, arith::ScalingTruncFOp,
              complex::BitcastOp>(op);
}

/// True if `op` means the same on sign-extended integers, but for wrap-around.
bool isIntegerRetypable(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
             arith::OrIOp, arith::XOrIOp, arith::MaxSIOp, arith::MinSIOp,
             arith::MaxUIOp, arith::MinUIOp, arith::ShLIOp, arith::ShRSIOp,
             arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp,
             arith::FloorDivSIOp, arith::CmpIOp, arith::SelectOp,
             arith::SIToFPOp, arith::FPToSIOp, arith::IndexCastOp, math::AbsIOp,
             math::FPowIOp, math::IPowIOp, complex::PowiOp>(op);
}

class Promoter {
public:
  Promoter(OpBuilder &builder, const WideTypes &wide)
      : builder(builder), wide(wide) {}

  IRMapping mapping;

  /// Copies the operations of `block` but its terminator. Each value of type T
  /// is mapped to one of type W(T).
  void promoteBody(Block &block) {
    for (Operation &op : block.without_terminator())
      promote(&op);
  }

private:
  void promote(Operation *op);
  void promoteRegions(Operation *op);
  void promoteWithCasts(Operation *op, bool retypeFloats, bool retypeIntegers);
  Attribute promoteAttribute(Attribute attr);

  OpBuilder &builder;
  const WideTypes &wide;
};

Attribute Promoter::promoteAttribute(Attribute attr) {
  if (auto number = dyn_cast<FloatAttr>(attr)) {
    auto type = cast<FloatType>(wide(number.getType()));
    APFloat value = number.getValue();
    bool exact;
    value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &exact);
    return FloatAttr::get(type, value);
  }
  if (auto number = dyn_cast<IntegerAttr>(attr)) {
    Type type = wide(number.getType());
    if (type == number.getType())
      return attr;
    return IntegerAttr::get(
        type, number.getValue().sext(type.getIntOrFloatBitWidth()));
  }
  auto parts = cast<ArrayAttr>(attr);
  return ArrayAttr::get(attr.getContext(), {promoteAttribute(parts[0]),
                                            promoteAttribute(parts[1])});
}

void Promoter::promote(Operation *op) {
  Location loc = op->getLoc();
  if (auto clone = dyn_cast<CloneOp>(op))
    return mapping.map(clone.getResult(), mapping.lookup(clone.getInput()));
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (isa<IntegerAttr, FloatAttr>(constant.getValue()))
      return mapping.map(
          constant.getResult(),
          arith::ConstantOp::create(
              builder, loc,
              cast<TypedAttr>(promoteAttribute(constant.getValue())))
              .getResult());
  }
  if (auto constant = dyn_cast<complex::ConstantOp>(op))
    return mapping.map(
        constant.getResult(),
        complex::ConstantOp::create(
            builder, loc, wide(constant.getType()),
            cast<ArrayAttr>(promoteAttribute(constant.getValue())))
            .getResult());
  // Between a leaf's type and its accumulator these have nothing left to do.
  // (Truncating an integer is arithmetic, not rounding: it stays.)
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp>(op) &&
      !op->getOperand(0).getType().isInteger(1)) {
    Value result = op->getResult(0);
    return mapping.map(result, castScalar(builder, loc,
                                          mapping.lookup(op->getOperand(0)),
                                          wide(result.getType())));
  }
  if (isa_and_nonnull<scf::SCFDialect>(op->getDialect()))
    return promoteRegions(op);
  promoteWithCasts(op, isFloatRetypable(op), isIntegerRetypable(op));
}

/// Control flow passes values on: all of them can be retyped at once.
void Promoter::promoteRegions(Operation *op) {
  Operation *copy = builder.cloneWithoutRegions(*op, mapping);
  for (auto [from, to] :
       llvm::zip_equal(op->getResults(), copy->getResults())) {
    to.setType(wide(from.getType()));
    mapping.map(from, to);
  }
  OpBuilder::InsertionGuard guard(builder);
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), copy->getRegions()))
    for (Block &block : from) {
      Block *newBlock = builder.createBlock(&to, to.end());
      for (BlockArgument argument : block.getArguments())
        mapping.map(argument, newBlock->addArgument(wide(argument.getType()),
                                                    argument.getLoc()));
      promoteBody(block);
      if (!block.empty() && block.back().hasTrait<OpTrait::IsTerminator>())
        builder.clone(block.back(), mapping);
    }
}

/// Copies `op`, with floating-point and integer operands and results retyped or
/// converted to the original types and back.
void Promoter::promoteWithCasts(Operation *op, bool retypeFloats,
                                bool retypeIntegers) {
  auto typeIn = [&](Type type) {
    bool isInteger = isa<IntegerType>(type);
    bool isFloat = isa<FloatType, ComplexType>(type);
    return (isInteger && retypeIntegers) || (isFloat && retypeFloats)
               ? wide(type)
               : type;
  };
  IRMapping operands;
  SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  for (Value value : used)
    operands.map(value, castScalar(builder, op->getLoc(), mapping.lookup(value),
                                   typeIn(value.getType())));
  Operation *copy = builder.clone(*op, operands);
  for (auto [from, to] :
       llvm::zip_equal(op->getResults(), copy->getResults())) {
    to.setType(typeIn(from.getType()));
    mapping.map(from,
                castScalar(builder, op->getLoc(), to, wide(from.getType())));
  }
}

} // namespace

void scan::promoteCombine(Region &from, Region &to, TypeRange leafTypes) {
  Block &source = from.front();
  unsigned numLeaves = leafTypes.size();
  OpBuilder builder(source.getTerminator()->getContext());
  Block *target = builder.createBlock(&to);
  WideTypes wide(TypeRange(source.getArgumentTypes()).take_front(numLeaves),
                 leafTypes);
  Promoter promoter(builder, wide);
  for (BlockArgument argument : source.getArguments()) {
    Value leaf = target->addArgument(
        leafTypes[argument.getArgNumber() % numLeaves], argument.getLoc());
    promoter.mapping.map(argument, castScalar(builder, argument.getLoc(), leaf,
                                              wide(argument.getType())));
  }
  promoter.promoteBody(source);
  Operation *yield = source.getTerminator();
  SmallVector<Value> yields;
  for (auto [value, type] : llvm::zip_equal(yield->getOperands(), leafTypes))
    yields.push_back(castScalar(builder, yield->getLoc(),
                                promoter.mapping.lookup(value), type));
  YieldOp::create(builder, yield->getLoc(), yields);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*target)))
    if (isOpTriviallyDead(&op))
      op.erase();
}
