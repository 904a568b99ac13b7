//===- ScalarResultsToTensors.cpp - Returned scalars become arrays --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Target/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCALARRESULTSTOTENSORSPASS
#include "Scan/Target/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

static bool isNumber(Type type) {
  return isa<IntegerType, FloatType, ComplexType>(type);
}

/// Whether `op` computes numbers from numbers.
static bool isScalarCode(Operation *op) {
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::all_of(op->getResultTypes(), isNumber) &&
         llvm::none_of(op->getOperandTypes(), llvm::IsaPred<ShapedType>);
}

/// The scalar code that computes `value`, in order, and the elements of tensors
/// that it reads.
static void collectCode(Value value, SmallVectorImpl<Operation *> &code,
                        SetVector<Operation *> &elements) {
  SetVector<Operation *> found;
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op)
      continue;
    if (isa<tensor::ExtractOp>(op))
      elements.insert(op);
    else if (isScalarCode(op) && found.insert(op))
      llvm::append_range(worklist, op->getOperands());
  }
  code = found.takeVector();
  llvm::sort(code,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
}

/// The element that `extract` reads as a tensor without dimensions.
static Value createElement(OpBuilder &builder, tensor::ExtractOp extract) {
  Value source = extract.getTensor();
  SmallVector<OpFoldResult> offsets(extract.getIndices());
  if (offsets.empty())
    return source;
  for (OpFoldResult &offset : offsets)
    if (std::optional<int64_t> known = getConstantIntValue(offset))
      offset = builder.getIndexAttr(*known);
  SmallVector<OpFoldResult> ones(offsets.size(), builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(
      builder, extract.getLoc(), RankedTensorType::get({}, extract.getType()),
      source, offsets, ones, ones);
}

/// `value` as a tensor without dimensions.
static Value createTensor(OpBuilder &builder, Value value) {
  SmallVector<Operation *> code;
  SetVector<Operation *> elements;
  collectCode(value, code, elements);
  SmallVector<Value> inputs;
  for (Operation *element : elements)
    inputs.push_back(createElement(builder, cast<tensor::ExtractOp>(element)));
  Location loc = value.getLoc();
  auto type = RankedTensorType::get({}, value.getType());
  Value empty = tensor::EmptyOp::create(builder, loc, type, ValueRange());
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              AffineMap::get(builder.getContext()));
  return linalg::GenericOp::create(
             builder, loc, TypeRange(type), inputs, ValueRange(empty), maps,
             ArrayRef<utils::IteratorType>(),
             [&](OpBuilder &b, Location, ValueRange arguments) {
               IRMapping mapping;
               for (auto [element, argument] : llvm::zip(elements, arguments))
                 mapping.map(element->getResult(0), argument);
               for (Operation *op : code)
                 b.clone(*op, mapping);
               linalg::YieldOp::create(b, loc, mapping.lookupOrDefault(value));
             })
      .getResult(0);
}

static void returnTensors(func::FuncOp function) {
  auto terminator =
      dyn_cast<func::ReturnOp>(function.getBody().back().getTerminator());
  if (!function.getBody().hasOneBlock() || !terminator)
    return;
  OpBuilder builder(terminator);
  for (OpOperand &operand : terminator->getOpOperands()) {
    Value value = operand.get();
    if (!isNumber(value.getType()))
      continue;
    auto element = value.getDefiningOp<tensor::ExtractOp>();
    operand.set(element && element.getIndices().empty()
                    ? element.getTensor()
                    : createTensor(builder, value));
  }
  function.setFunctionType(builder.getFunctionType(
      function.getArgumentTypes(), terminator->getOperandTypes()));
  // Nobody is left to need what is computed in the loops now.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.front())))
    if ((isScalarCode(&op) || isa<tensor::ExtractOp>(op)) &&
        isOpTriviallyDead(&op))
      op.erase();
}

namespace {

struct ScalarResultsToTensors
    : public mlir::scan::impl::ScalarResultsToTensorsPassBase<
          ScalarResultsToTensors> {
  using Base::Base;

  void runOnOperation() override {
    DenseSet<StringRef> called;
    getOperation().walk(
        [&](func::CallOp call) { called.insert(call.getCallee()); });
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() && !called.contains(function.getName()) &&
          llvm::any_of(function.getResultTypes(), isNumber))
        returnTensors(function);
  }
};

} // namespace
