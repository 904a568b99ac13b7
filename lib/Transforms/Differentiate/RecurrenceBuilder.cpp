//===- RecurrenceBuilder.cpp - A scan.recurrence part by part -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrenceBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

static RecurrenceOp createHolder(Location loc) {
  OperationState state(loc, RecurrenceOp::getOperationName());
  state.addRegion()->emplaceBlock();
  return cast<RecurrenceOp>(Operation::create(state));
}

RecurrenceBuilder::RecurrenceBuilder(OpBuilder &builder, Location loc,
                                     int64_t dim, bool reverse,
                                     OpFoldResult steps, OrderAttr order)
    : builder(builder), inner(builder.getContext()), loc(loc), dim(dim),
      isReverse(reverse), steps(steps), order(order), holder(createHolder(loc)),
      body(&holder->getBody().front()) {
  body->addArgument(builder.getIndexType(), loc);
  inner.setInsertionPointToEnd(body);
}

static Type getRow(Value tensor, int64_t dim) {
  return RecurrenceOp::getRowType(cast<RankedTensorType>(tensor.getType()),
                                  dim);
}

Value RecurrenceBuilder::addState(Value init) {
  Value row = body->insertArgument(1 + inits.size(), getRow(init, dim), loc);
  inits.push_back(init);
  nexts.push_back(row);
  initOf[row] = init;
  return row;
}

Value RecurrenceBuilder::addInput(Value tensor) {
  Value row = body->insertArgument(1 + inits.size() + inputs.size(),
                                   getRow(tensor, dim), loc);
  inputs.push_back(tensor);
  inputOf[row] = tensor;
  return row;
}

Value RecurrenceBuilder::addCapture(Value value) {
  Value argument = body->addArgument(value.getType(), loc);
  captures.push_back(value);
  captureOf[argument] = value;
  return argument;
}

unsigned RecurrenceBuilder::getUnitDims(Type row) const {
  auto tensor = dyn_cast<RankedTensorType>(row);
  if (!tensor)
    return dim;
  return std::max<int64_t>(std::max<int64_t>(dim, 1) - tensor.getRank(), 0);
}

Value RecurrenceBuilder::padRow(Value row) {
  Type element = getElementTypeOrSelf(row.getType());
  if (!ScanDialect::isSupportedElementType(element))
    return {};
  unsigned units = getUnitDims(row.getType());
  if (units == 0)
    return row;
  auto type = dyn_cast<RankedTensorType>(row.getType());
  SmallVector<int64_t> shape(units, 1);
  if (!type)
    return tensor::FromElementsOp::create(
        inner, loc, RankedTensorType::get(shape, element), row);
  llvm::append_range(shape, type.getShape());
  SmallVector<OpFoldResult> sizes(units, inner.getIndexAttr(1));
  llvm::append_range(sizes, tensor::getMixedSizes(inner, loc, row));
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < type.getRank(); ++i)
    groups.push_back({static_cast<int64_t>(units) + i});
  if (!groups.empty())
    groups.front() = llvm::to_vector<2>(llvm::seq<int64_t>(0, units + 1));
  return tensor::ExpandShapeOp::create(
      inner, loc, RankedTensorType::get(shape, element), row, groups, sizes);
}

unsigned RecurrenceBuilder::addOutput(Value row, ArrayRef<OpFoldResult> sizes) {
  auto [known, isNew] = outputOf.try_emplace(row, outputs.size());
  if (!isNew)
    return known->second;
  SmallVector<OpFoldResult> all(getUnitDims(row.getType()),
                                builder.getIndexAttr(1));
  llvm::append_range(all, sizes);
  outputs.push_back(padRow(row));
  outputSizes.push_back(std::move(all));
  return known->second;
}

OpFoldResult RecurrenceBuilder::getOutside(OpFoldResult index) {
  auto value = dyn_cast<Value>(index);
  if (!value)
    return index;
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return builder.getIndexAttr(*constant);
  Value outside = getOutside(value);
  return outside ? getAsOpFoldResult(outside) : OpFoldResult();
}

Value RecurrenceBuilder::getOutside(Value index) {
  if (Value capture = getCaptureOf(index))
    return capture;
  Operation *op = index.getDefiningOp();
  if (!op || op->getNumResults() != 1 || op->getNumRegions() > 0 || !isPure(op))
    return {};
  if (auto dimOp = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> at = dimOp.getConstantIndex();
    Value row = dimOp.getSource(), tensor = inputOf.lookup(row);
    if (!tensor)
      tensor = initOf.lookup(row);
    if (!at)
      return {};
    if (tensor)
      *at += *at >= dim;
    else if (!(tensor = getCaptureOf(row)))
      return {};
    return builder.createOrFold<tensor::DimOp>(loc, tensor, *at);
  }
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    Value outside = operand.getType().isIndex() ? getOutside(operand) : Value();
    if (!outside)
      return {};
    mapping.map(operand, outside);
  }
  return builder.clone(*op, mapping)->getResult(0);
}

void RecurrenceBuilder::eraseUnused() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  auto erase = [&](SmallVectorImpl<Value> &operands, unsigned first) {
    for (unsigned i = operands.size(); i-- > 0;)
      if (body->getArgument(first + i).use_empty()) {
        body->eraseArgument(first + i);
        operands.erase(operands.begin() + i);
      }
  };
  unsigned first = 1 + inits.size();
  erase(captures, first + inputs.size());
  erase(inputs, first);
}

RecurrenceOp RecurrenceBuilder::create(bool hasSteps) {
  SmallVector<Value> yields(nexts);
  llvm::append_range(yields, outputs);
  YieldOp::create(inner, loc, yields);
  eraseUnused();

  SmallVector<Value> stepsOperand, extents;
  if (hasSteps || inputs.empty())
    stepsOperand.push_back(
        getValueOrCreateConstantIndexOp(builder, loc, steps));
  for (auto [row, sizes] : llvm::zip(outputs, outputSizes))
    if (auto type = dyn_cast<RankedTensorType>(row.getType()))
      for (auto [extent, size] : llvm::zip(type.getShape(), sizes))
        if (ShapedType::isDynamic(extent))
          extents.push_back(
              getValueOrCreateConstantIndexOp(builder, loc, size));

  OperationState state(loc, RecurrenceOp::getOperationName());
  auto &properties = state.getOrAddProperties<RecurrenceOp::Properties>();
  auto count = [](ArrayRef<Value> group) {
    return static_cast<int32_t>(group.size());
  };
  properties.operandSegmentSizes = {count(inputs),   count(inits),
                                    count(captures), count(stepsOperand),
                                    count(extents),  0};
  properties.dim = builder.getI64IntegerAttr(dim);
  properties.final_states = builder.getUnitAttr();
  properties.order = order;
  if (isReverse)
    properties.reverse = builder.getUnitAttr();
  for (ArrayRef<Value> group :
       {ArrayRef(inputs), ArrayRef(inits), ArrayRef(captures),
        ArrayRef(stepsOperand), ArrayRef(extents)})
    state.addOperands(group);
  state.addRegion()->takeBody(holder->getBody());
  LogicalResult inferred = RecurrenceOp::inferReturnTypes(
      builder.getContext(), loc, state.operands,
      state.attributes.getDictionary(builder.getContext()),
      state.getRawProperties(), state.regions, state.types);
  assert(succeeded(inferred) && "rows are made of rows");
  (void)inferred;
  return cast<RecurrenceOp>(builder.create(state));
}
