//===- StepVectors.cpp - Inputs that lie step by step ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepVectors.h"

using namespace mlir;
using namespace mlir::scan;

std::optional<StepVectors> StepVectors::get(const ColumnPoints &points,
                                            const OperandView &view) {
  KernelOp kernel = points.frame.getKernel();
  AffineExpr step = getAffineDimExpr(kernel.getDim(), kernel.getContext());
  // One without other coordinates is aligned alike in all blocks. Blocks of one
  // tile need every register for its values, which wait for the look-back. The
  // results of a single scan may be stored in its place, and lanes without a
  // column would read it.
  if (kernel.getDomainRank() < 2 || points.frame.getSchedule().isGridWide() ||
      !view.isStored() || view.isScalar() || view.shift != 0 ||
      view.isGathered() || view.numElements != 1 ||
      view.map.getNumResults() != 1 || view.map.getResult(0) != step)
    return std::nullopt;
  PackedAccess access =
      PackedAccess::get(view.elementType, points.layout.items);
  if (!access.isVectorized())
    return std::nullopt;
  return StepVectors(points, view, access);
}

void StepVectors::start(ImplicitLocOpBuilder &b) {
  global = GlobalPointer::get(b, view.value);
  // In reverse the tiles lie behind each other from the last step on.
  Value first = points->frame.getKernel().getReverse()
                    ? points->frame.getExtent()
                    : indexConstant(b, 0);
  int64_t elements =
      access.getAccessBytes() / getStorageBytes(access.elementType);
  canVectorize = b.createOrFold<arith::AndIOp>(
      compare(b, arith::CmpIPredicate::eq, global.strides.front(), 1),
      global.createIsAligned(b, first, {}, elements));
}

/// Words have items as they lie in memory, which in reverse is the other way
/// round.
SmallVector<Value>
StepVectors::inMemoryOrder(SmallVector<Value> elements) const {
  if (points->frame.getKernel().getReverse())
    std::reverse(elements.begin(), elements.end());
  return elements;
}

/// The element of the step at `position`.
Value StepVectors::loadAt(ImplicitLocOpBuilder &b, Value position) const {
  Value index = points->frame.createIndex(b, position);
  return loadElement(b, view.elementType,
                     global.createAddress(b, global.createOffset(b, index)));
}

SmallVector<Value> StepVectors::loadNearest(ImplicitLocOpBuilder &b,
                                            Value position) const {
  if (isSkipped)
    return {};
  SmallVector<Value> elements(access.numElements, loadAt(b, position));
  return packWords(b, access, elements);
}

SmallVector<Value> StepVectors::load(ImplicitLocOpBuilder &b, Value base,
                                     ValueRange otherwise) const {
  if (isSkipped)
    return {};
  auto loadAll = [&](ImplicitLocOpBuilder &inner) {
    int64_t first =
        points->frame.getKernel().getReverse() ? access.numElements - 1 : 0;
    Value index = points->frame.createIndex(
        inner, points->getPosition(inner, base, first));
    return loadWords(
        inner, access,
        global.createAddress(inner, global.createOffset(inner, index)));
  };
  auto loadEach = [&](ImplicitLocOpBuilder &inner) {
    SmallVector<Value> elements = unpack(inner, otherwise);
    for (int64_t item = 0; item < access.numElements; ++item)
      elements[item] =
          createIfElse(
              inner, points->createInBounds(inner, base, item),
              [&](ImplicitLocOpBuilder &there) {
                return SmallVector<Value>{
                    loadAt(there, points->getPosition(there, base, item))};
              },
              [&](ImplicitLocOpBuilder &) {
                return SmallVector<Value>{elements[item]};
              })
              .front();
    return packWords(inner, access, inMemoryOrder(elements));
  };
  Value areAll = points->createAllInBounds(b, base);
  return createIfElse(b, createAnd(b, canVectorize, areAll), loadAll, loadEach);
}

SmallVector<Value> StepVectors::unpack(ImplicitLocOpBuilder &b,
                                       ValueRange values) const {
  if (isSkipped)
    return SmallVector<Value>(access.numElements,
                              createZero(b, view.elementType));
  return inMemoryOrder(unpackWords(b, access, values));
}

//===----------------------------------------------------------------------===//
// All inputs of a kernel
//===----------------------------------------------------------------------===//

bool StepInputs::setSkipped(unsigned number, bool skip) {
  if (inputs[number])
    inputs[number]->setSkipped(skip);
  return inputs[number].has_value();
}

void StepInputs::start(ImplicitLocOpBuilder &b) {
  for (std::optional<StepVectors> &input : inputs)
    if (input)
      input->start(b);
}

int64_t StepInputs::countValues() const {
  int64_t count = 0;
  for (const std::optional<StepVectors> &input : inputs)
    count += input ? input->getNumValues() : 0;
  return count;
}

SmallVector<Value> StepInputs::loadNearest(ImplicitLocOpBuilder &b,
                                           Value position) const {
  SmallVector<Value> values;
  for (const std::optional<StepVectors> &input : inputs)
    if (input)
      llvm::append_range(values, input->loadNearest(b, position));
  return values;
}

SmallVector<Value> StepInputs::load(ImplicitLocOpBuilder &b, Value base,
                                    ValueRange otherwise) const {
  SmallVector<Value> values;
  for (const std::optional<StepVectors> &input : inputs) {
    if (!input)
      continue;
    ValueRange own = otherwise.take_front(input->getNumValues());
    otherwise = otherwise.drop_front(own.size());
    llvm::append_range(values, input->load(b, base, own));
  }
  return values;
}

SmallVector<SmallVector<Value>> StepInputs::unpack(ImplicitLocOpBuilder &b,
                                                   ValueRange values) const {
  SmallVector<SmallVector<Value>> elements(inputs.size());
  for (auto [input, own] : llvm::zip_equal(inputs, elements)) {
    if (!input)
      continue;
    own = input->unpack(b, values.take_front(input->getNumValues()));
    values = values.drop_front(input->getNumValues());
  }
  return elements;
}
