//===- RegionArithmetic.cpp - How a combine region rounds -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionArithmetic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::prove;

/// The type of the numbers of `type`, of the parts of complex ones.
static Type getNumberType(Type type) {
  type = getElementTypeOrSelf(type);
  auto complex = dyn_cast<ComplexType>(type);
  return complex ? complex.getElementType() : type;
}

static bool hasFloats(TypeRange types) {
  return llvm::any_of(
      types, [](Type type) { return isa<FloatType>(getNumberType(type)); });
}

/// Operations whose floating-point results are operands of theirs, or such as
/// need no rounding.
static bool isExact(Operation *op) {
  if (auto convert = dyn_cast<arith::SIToFPOp>(op))
    return cast<FloatType>(getElementTypeOrSelf(convert.getType()))
               .getFPMantissaWidth() >=
           getElementTypeOrSelf(convert.getIn().getType())
               .getIntOrFloatBitWidth();
  if (auto convert = dyn_cast<arith::UIToFPOp>(op))
    return cast<FloatType>(getElementTypeOrSelf(convert.getType()))
               .getFPMantissaWidth() >=
           getElementTypeOrSelf(convert.getIn().getType())
               .getIntOrFloatBitWidth();
  return isa<arith::ConstantOp, arith::SelectOp, arith::CmpFOp, arith::NegFOp,
             arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp, arith::ExtFOp, arith::BitcastOp, arith::FPToSIOp,
             arith::FPToUIOp, arith::RemFOp, math::AbsFOp, math::CopySignOp,
             math::FloorOp, math::CeilOp, math::RoundOp, math::RoundEvenOp,
             math::TruncOp, math::ClampFOp, math::IsFiniteOp, math::IsInfOp,
             math::IsNaNOp, math::IsNormalOp, complex::ConstantOp,
             complex::CreateOp, complex::ReOp, complex::ImOp, complex::NegOp,
             complex::ConjOp, complex::EqualOp, complex::NotEqualOp>(op) ||
         isa<tensor::TensorDialect, ScanDialect>(op->getDialect()) ||
         op->getNumRegions() != 0 || op->hasTrait<OpTrait::IsTerminator>();
}

/// Operations that are exact for operands of few digits.
static bool isSumOrProduct(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp,
             complex::AddOp, complex::SubOp, complex::MulOp, arith::SIToFPOp,
             arith::UIToFPOp, arith::TruncFOp>(op);
}

/// Operations whose result jumps where an operand crosses some value.
static bool isChoice(Operation *op) {
  return isa<arith::CmpFOp, arith::FPToSIOp, arith::FPToUIOp, arith::RemFOp,
             math::CopySignOp, math::FloorOp, math::CeilOp, math::RoundOp,
             math::RoundEvenOp, math::TruncOp, math::IsFiniteOp, math::IsInfOp,
             math::IsNaNOp, math::IsNormalOp, complex::EqualOp,
             complex::NotEqualOp>(op);
}

static bool hasPoison(Operation *op) {
  if (auto overflow = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
    if (overflow.getOverflowAttr().getValue() !=
        arith::IntegerOverflowFlags::none)
      return true;
  if (auto fastMath = dyn_cast<arith::ArithFastMathInterface>(op))
    if (arith::FastMathFlagsAttr flags = fastMath.getFastMathFlagsAttr())
      if (arith::bitEnumContainsAny(flags.getValue(),
                                    arith::FastMathFlags::nnan |
                                        arith::FastMathFlags::ninf))
        return true;
  return op->hasAttr("isExact") || op->hasAttr("isDisjoint") ||
         op->hasAttr("nonNeg");
}

RegionArithmetic mlir::scan::prove::analyzeArithmetic(AssociativeOp op) {
  RegionArithmetic result;
  bool hasChoice = false, hasQuotient = false;
  auto addTypes = [&](TypeRange types) {
    for (Type type : types)
      if (auto real = dyn_cast<FloatType>(getNumberType(type)))
        result.hasFixedPrecision |=
            !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(real);
  };
  op.getCombine().walk([&](Operation *inner) {
    addTypes(inner->getOperandTypes());
    addTypes(inner->getResultTypes());
    result.hasPoison |= hasPoison(inner);
    hasChoice |= isChoice(inner);
    if (!hasFloats(inner->getOperandTypes()) &&
        !hasFloats(inner->getResultTypes()))
      return;
    result.hasFixedPrecision |= isa<arith::BitcastOp, tensor::BitcastOp>(inner);
    if (isExact(inner))
      return;
    result.rounds = true;
    hasQuotient |= !isSumOrProduct(inner);
  });
  result.choosesByRounded = hasChoice && hasQuotient;
  return result;
}

//===----------------------------------------------------------------------===//
// Another precision
//===----------------------------------------------------------------------===//

static APFloat convertTo(APFloat value, FloatType type) {
  bool losesInfo;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value;
}

/// Replaces types and constants below `root`.
static void setPrecision(Operation *root, FloatType precision) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([=](FloatType) -> Type { return precision; });
  replacer.addReplacement(
      [=](FloatAttr number) -> std::pair<Attribute, WalkResult> {
        return {
            FloatAttr::get(precision, convertTo(number.getValue(), precision)),
            WalkResult::skip()};
      });
  replacer.addReplacement(
      [=](DenseElementsAttr dense)
          -> std::optional<std::pair<Attribute, WalkResult>> {
        Type number = getNumberType(dense.getElementType());
        if (!isa<FloatType>(number))
          return std::pair<Attribute, WalkResult>(dense, WalkResult::skip());
        if (isa<ComplexType>(dense.getElementType())) {
          SmallVector<std::complex<APFloat>> parts;
          for (std::complex<APFloat> part :
               dense.getValues<std::complex<APFloat>>())
            parts.push_back({convertTo(part.real(), precision),
                             convertTo(part.imag(), precision)});
          auto type = dense.getType().clone(ComplexType::get(precision));
          return std::pair<Attribute, WalkResult>(
              DenseElementsAttr::get(type, parts), WalkResult::skip());
        }
        SmallVector<APFloat> values;
        for (const APFloat &value : dense.getValues<APFloat>())
          values.push_back(convertTo(value, precision));
        return std::pair<Attribute, WalkResult>(
            DenseElementsAttr::get(dense.getType().clone(precision), values),
            WalkResult::skip());
      });
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  root->walk([](Operation *op) {
    if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
    }
  });
}

OwningOpRef<ModuleOp> mlir::scan::prove::cloneInPrecision(AssociativeOp op,
                                                          FloatType precision,
                                                          AssociativeOp &scan) {
  if (analyzeArithmetic(op).hasFixedPrecision)
    return nullptr;
  Location loc = op.getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder builder(module->getBodyRegion());
  auto function = func::FuncOp::create(
      builder, loc, "scan",
      builder.getFunctionType(op.getInputs().getTypes(), {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  UnitAttr unset;
  scan = AssociativeOp::create(
      builder, loc, op.getInputs().getTypes(), function.getArguments(),
      /*inits=*/ValueRange(), /*segments=*/Value(), op.getDimAttr(),
      /*reverse=*/unset, /*exclusive=*/unset, /*final_states=*/unset,
      /*order=*/OrderAttr(), /*compensated=*/unset, /*accumulators=*/nullptr,
      /*schedule=*/ScheduleAttr());
  IRMapping mapping;
  op.getCombine().cloneInto(&scan.getCombine(), mapping);
  func::ReturnOp::create(builder, loc);
  setPrecision(*module, precision);
  return module;
}
