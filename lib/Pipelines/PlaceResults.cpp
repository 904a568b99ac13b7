//===- PlaceResults.cpp - Results in memory that the caller chooses -------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Pipelines/Passes.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANPLACERESULTS
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

static constexpr StringLiteral kAllocateResult = "scan.allocate_result";

/// The allocation, made once in a call of `function`, whose memory `result` has
/// from its first byte to its last one; null if there is none.
static memref::AllocOp findAllocation(Value result, func::FuncOp function) {
  while (Operation *view = result.getDefiningOp()) {
    if (!isa<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp>(
            view))
      break;
    result = view->getOperand(0);
  }
  auto alloc = result.getDefiningOp<memref::AllocOp>();
  if (!alloc || alloc->getBlock() != &function.getBody().front())
    return nullptr;
  MemRefType type = alloc.getType();
  // The address is all that is known of the memory.
  return type.getLayout().isIdentity() && !type.getMemorySpace() ? alloc
                                                                 : nullptr;
}

namespace {

class ScanPlaceResults final
    : public scan::impl::ScanPlaceResultsBase<ScanPlaceResults> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (module.lookupSymbol(kAllocateResult))
      return;
    LLVMTypeConverter converter(&getContext());
    for (auto function : module.getOps<func::FuncOp>())
      // More blocks have branches among them, which may go back.
      if (function.isPublic() && function.getBody().hasOneBlock())
        placeResults(function, converter);
  }

  void placeResults(func::FuncOp function, const LLVMTypeConverter &converter) {
    auto operands = function.getBody().front().getTerminator()->getOperands();
    SmallVector<std::pair<unsigned, memref::AllocOp>> allocations;
    llvm::SmallPtrSet<Operation *, 4> known;
    for (auto [index, result] : llvm::enumerate(operands))
      if (memref::AllocOp alloc = findAllocation(result, function))
        if (known.insert(alloc).second)
          allocations.push_back({index, alloc});
    for (auto [index, alloc] : allocations)
      replace(alloc, index, converter);
  }

  void replace(memref::AllocOp alloc, unsigned index,
               const LLVMTypeConverter &converter);
  LLVM::LLVMFuncOp getFunction();
};

} // namespace

/// Its declaration, added when it is first needed.
LLVM::LLVMFuncOp ScanPlaceResults::getFunction() {
  ModuleOp module = getOperation();
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kAllocateResult))
    return function;
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  Type word = builder.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMPointerType::get(&getContext()), {word, word, word});
  auto function =
      LLVM::LLVMFuncOp::create(builder, module.getLoc(), kAllocateResult, type);
  // It is neither an argument's nor another allocation's.
  function.setResultAttr(0, LLVM::LLVMDialect::getNoAliasAttrName(),
                         builder.getUnitAttr());
  return function;
}

void ScanPlaceResults::replace(memref::AllocOp alloc, unsigned index,
                               const LLVMTypeConverter &converter) {
  OpBuilder builder(alloc);
  Location loc = alloc.getLoc();
  MemRefType type = alloc.getType();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  };
  // --scan-check-allocations has seen to it that the products do not overflow.
  SmallVector<Value> sizes, strides(type.getRank());
  auto dynamic = alloc.getDynamicSizes().begin();
  for (int64_t extent : type.getShape())
    sizes.push_back(ShapedType::isDynamic(extent)
                        ? arith::IndexCastOp::create(
                              builder, loc, builder.getI64Type(), *dynamic++)
                              .getResult()
                        : number(extent));
  Value count = number(1);
  for (int64_t dim = type.getRank(); dim-- > 0;) {
    strides[dim] = count;
    count = arith::MulIOp::create(builder, loc, count, sizes[dim]);
  }
  DataLayout layout = DataLayout::closest(alloc);
  Type element = type.getElementType();
  uint64_t elementBytes =
      llvm::alignTo(layout.getTypeSize(element).getFixedValue(),
                    layout.getTypeABIAlignment(element));
  Value bytes =
      arith::MulIOp::create(builder, loc, count, number(elementBytes));
  uint64_t alignment = std::max(alloc.getAlignment().value_or(1), elementBytes);
  auto call = LLVM::CallOp::create(
      builder, loc, getFunction(),
      ValueRange{number(index), bytes, number(llvm::PowerOf2Ceil(alignment))});
  Value address = call.getResult();
  SmallVector<Value> fields = {address, address, number(0)};
  llvm::append_range(fields, sizes);
  llvm::append_range(fields, strides);
  Value descriptor =
      MemRefDescriptor::pack(builder, loc, converter, type, fields);
  alloc.replaceAllUsesWith(
      UnrealizedConversionCastOp::create(builder, loc, type, descriptor)
          .getResult(0));
  alloc.erase();
}
