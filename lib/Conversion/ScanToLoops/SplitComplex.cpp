//===- SplitComplex.cpp - Complex numbers as pairs ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No op of MLIR sees memory of complex numbers as that of their parts, so that
// the view is put together as the descriptor that it becomes in the LLVM
// dialect.
//
//===----------------------------------------------------------------------===//

#include "SplitComplex.h"
#include "IR/KernelParts.h"
#include "Scratch.h"

#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::scan;

static ComplexType getComplex(Type type) {
  return dyn_cast<ComplexType>(getElementTypeOrSelf(type));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static MemRefType getPartsType(MemRefType type) {
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(2);
  Type part = getComplex(type).getElementType();
  MemRefLayoutAttrInterface layout;
  if (!type.getLayout().isIdentity()) {
    auto [strides, offset] = type.getStridesAndOffset();
    auto twice = [](int64_t number) {
      return ShapedType::isDynamic(number) ? number : 2 * number;
    };
    SmallVector<int64_t> all = llvm::map_to_vector(strides, twice);
    all.push_back(1);
    layout = StridedLayoutAttr::get(type.getContext(), twice(offset), all);
  }
  return MemRefType::get(shape, part, layout, type.getMemorySpace());
}

/// The same memory with a trailing dimension of parts.
static Value viewParts(OpBuilder &builder, Location loc, Value memory) {
  auto type = cast<MemRefType>(memory.getType());
  MemRefType partsType = getPartsType(type);
  LLVMTypeConverter converter(builder.getContext());
  Type word = builder.getI64Type();
  auto cast = [&](Value index) -> Value {
    return arith::IndexCastOp::create(builder, loc, word, index);
  };
  Value two = arith::ConstantIntOp::create(builder, loc, word, 2);
  Value one = arith::ConstantIntOp::create(builder, loc, word, 1);
  auto twice = [&](Value index) -> Value {
    return arith::MulIOp::create(builder, loc, cast(index), two);
  };
  Value pointer = LLVM::IntToPtrOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
      cast(memref::ExtractAlignedPointerAsIndexOp::create(builder, loc,
                                                          memory)));
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, memory);
  auto parts =
      MemRefDescriptor::poison(builder, loc, converter.convertType(partsType));
  parts.setAllocatedPtr(builder, loc, pointer);
  parts.setAlignedPtr(builder, loc, pointer);
  parts.setOffset(builder, loc, twice(metadata.getOffset()));
  for (int64_t i = 0; i < type.getRank(); ++i) {
    parts.setSize(builder, loc, i, cast(metadata.getSizes()[i]));
    parts.setStride(builder, loc, i, twice(metadata.getStrides()[i]));
  }
  parts.setSize(builder, loc, type.getRank(), two);
  parts.setStride(builder, loc, type.getRank(), one);
  return UnrealizedConversionCastOp::create(builder, loc, partsType,
                                            Value(parts))
      .getResult(0);
}

/// Puts a number into memory of its own.
static Value spill(OpBuilder &builder, Location loc, Value number) {
  Value memory;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&getStackBlock(builder));
    memory = memref::AllocaOp::create(builder, loc,
                                      MemRefType::get({}, number.getType()));
  }
  memref::StoreOp::create(builder, loc, number, memory, ValueRange());
  return memory;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Makes two arguments and two results of each complex one.
static void splitBlock(OpBuilder &builder, Block &block) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&block);
  for (unsigned i = 0; i < block.getNumArguments(); ++i) {
    BlockArgument number = block.getArgument(i);
    ComplexType type = getComplex(number.getType());
    if (!type)
      continue;
    Location loc = number.getLoc();
    Value re = block.insertArgument(i + 1, type.getElementType(), loc);
    Value im = block.insertArgument(i + 2, type.getElementType(), loc);
    number.replaceAllUsesWith(
        complex::CreateOp::create(builder, loc, type, re, im));
    block.eraseArgument(i++);
  }
  Operation *yield = block.getTerminator();
  builder.setInsertionPoint(yield);
  SmallVector<Value> results;
  for (Value result : yield->getOperands()) {
    if (!getComplex(result.getType())) {
      results.push_back(result);
      continue;
    }
    results.push_back(complex::ReOp::create(builder, yield->getLoc(), result));
    results.push_back(complex::ImOp::create(builder, yield->getLoc(), result));
  }
  yield->setOperands(results);
}

namespace {
/// The part of what is selected is selected from the parts.
template <typename PartOp>
struct PartOfSelect final : OpRewritePattern<PartOp> {
  using OpRewritePattern<PartOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(PartOp op,
                                PatternRewriter &rewriter) const override {
    auto select = op.getComplex().template getDefiningOp<arith::SelectOp>();
    if (!select)
      return rewriter.notifyMatchFailure(op, "not the part of a select");
    Location loc = op.getLoc();
    rewriter.replaceOpWithNewOp<arith::SelectOp>(
        op, select.getCondition(),
        PartOp::create(rewriter, loc, select.getTrueValue()),
        PartOp::create(rewriter, loc, select.getFalseValue()));
    return success();
  }
};
} // namespace

/// Leaves arithmetic of the parts. What upstream has no pattern for stays, and
/// keeps the kernel from being vectors.
static void expandArithmetic(KernelOp kernel) {
  MLIRContext *context = kernel.getContext();
  RewritePatternSet expansions(context);
  populateComplexToStandardConversionPatterns(expansions);
  ConversionTarget target(*context);
  target.addLegalDialect<arith::ArithDialect, math::MathDialect>();
  target.addLegalOp<complex::ConstantOp, complex::CreateOp, complex::ReOp,
                    complex::ImOp>();
  (void)applyPartialConversion(kernel, target, std::move(expansions));
  RewritePatternSet parts(context);
  parts.add<PartOfSelect<complex::ReOp>, PartOfSelect<complex::ImOp>>(context);
  (void)applyPatternsGreedily(kernel, std::move(parts));
}

KernelOp mlir::scan::splitComplex(RewriterBase &rewriter, KernelOp kernel) {
  auto isComplex = [](Type type) { return bool(getComplex(type)); };
  if (llvm::none_of(kernel->getOperandTypes(), isComplex) &&
      llvm::none_of(kernel.getLeafTypes(), isComplex))
    return kernel;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  KernelParts parts(kernel);
  // An operand twice stays one.
  llvm::SmallDenseMap<Value, Value> views;
  for (SmallVector<Value> *group :
       {&parts.inputs, &parts.inits, &parts.outputs, &parts.finals})
    for (Value &operand : *group) {
      if (!isComplex(operand.getType()))
        continue;
      Value &view = views[operand];
      if (!view) {
        Value memory = operand;
        if (!isa<MemRefType>(operand.getType()))
          memory = spill(rewriter, kernel.getLoc(), operand);
        view = viewParts(rewriter, kernel.getLoc(), memory);
      }
      operand = view;
    }
  KernelOp split = parts.rebuild(rewriter, kernel);
  rewriter.eraseOp(kernel);
  for (Region &region : split->getRegions())
    if (!region.empty())
      splitBlock(rewriter, region.front());
  expandArithmetic(split);
  return split;
}
