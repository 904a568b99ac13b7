//===- StepsRange.cpp - Between which extents a kernel runs ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepsRange.h"

using namespace mlir;
using namespace mlir::scan;

/// What the attribute says; nothing if it is none.
static std::optional<StepsRange> readRange(Attribute value) {
  auto numbers = dyn_cast_or_null<DenseI64ArrayAttr>(value);
  if (!numbers || numbers.empty() || numbers.size() > 2)
    return std::nullopt;
  StepsRange range = {numbers[0],
                      numbers.size() > 1 ? numbers[1] : StepsRange::kUnlimited};
  if (range.least < 0 || range.most < range.least)
    return std::nullopt;
  return range;
}

std::string StepsRange::describe() const {
  std::string from = std::to_string(least), to = std::to_string(most);
  if (!isLimited())
    return "steps >= " + from;
  return (least > 0 ? from + " <= " : "") + "steps <= " + to;
}

StepsRange scan::getStepsRange(KernelOp kernel) {
  int64_t extent = kernel.getStaticDomainShape()[kernel.getDim()];
  if (!ShapedType::isDynamic(extent))
    return {extent, extent};
  return readRange(kernel->getAttr(kStepsRangeAttrName)).value_or(StepsRange());
}

static void setRange(KernelOp kernel, StringRef name, StepsRange range) {
  SmallVector<int64_t> numbers = {range.least};
  if (range.isLimited())
    numbers.push_back(range.most);
  kernel->setAttr(name, DenseI64ArrayAttr::get(kernel.getContext(), numbers));
}

void scan::setStepsRange(KernelOp kernel, StepsRange range) {
  setRange(kernel, kStepsRangeAttrName, range);
}

StepsRange scan::getScansRange(KernelOp kernel) {
  return readRange(kernel->getAttr(kScansRangeAttrName)).value_or(StepsRange());
}

void scan::setScansRange(KernelOp kernel, StepsRange range) {
  setRange(kernel, kScansRangeAttrName, range);
}

LogicalResult scan::impl::verifyRange(Operation *op, NamedAttribute attribute) {
  if (!isa<KernelOp>(op))
    return op->emitOpError()
           << "expected '" << attribute.getName().getValue() << "' on a '"
           << KernelOp::getOperationName() << "' only";
  if (!readRange(attribute.getValue()))
    return op->emitOpError()
           << "expected '" << attribute.getName().getValue()
           << "' to be array<i64: LEAST, MOST> or array<i64: LEAST>, with 0 <= "
              "LEAST <= MOST, found "
           << attribute.getValue();
  return success();
}
