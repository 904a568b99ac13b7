//===- KernelOperands.cpp - Operands of scan.kernel on tensors ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelOperands.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::reference;

SmallVector<int64_t> KernelOperand::getDomainStrides(const Tensor &tensor,
                                                     unsigned rank) const {
  SmallVector<int64_t> domainStrides(rank, 0);
  if (!use.slot.isTensor)
    return domainStrides;
  SmallVector<int64_t> strides = getStrides(
      ArrayRef<int64_t>(tensor.shape).take_front(map.getNumResults()));
  for (auto [stride, expr] : llvm::zip(strides, map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      domainStrides[dim.getPosition()] = stride;
  return domainStrides;
}

Scalar reference::readElement(Frame &frame, const BoundOperand &bound,
                              ArrayRef<int64_t> point, int64_t i) {
  if (!bound.operand->use.slot.isTensor)
    return frame.scalar(bound.operand->use.slot);
  return bound.tensor.load(dot(point, bound.strides) * bound.operand->count +
                           i);
}

Scalar reference::readStart(const BoundOperand &bound, int64_t t,
                            bool reverse) {
  Scalar isStart = {};
  isStart.i = isInOffsets(bound.tensor, t + reverse);
  return isStart;
}

std::optional<int64_t> reference::findGathered(Frame &frame,
                                               const BoundOperand &bound,
                                               const BoundOperand &gathered,
                                               ArrayRef<int64_t> point) {
  int64_t place = readElement(frame, bound, point, 0).i;
  unsigned dim = gathered.operand->gatheredDim;
  ArrayRef<int64_t> shape =
      ArrayRef<int64_t>(gathered.tensor.shape)
          .take_front(gathered.operand->map.getNumResults());
  if (place < 0 || place >= shape[dim])
    return std::nullopt;
  return dot(point, gathered.strides) + place * getStrides(shape)[dim];
}

void reference::passElements(Frame &frame, ArrayRef<BoundOperand> operands,
                             ArrayRef<int64_t> point, const Slot *argument) {
  for (const BoundOperand &bound : operands)
    for (int64_t i = 0; i < bound.operand->count; ++i)
      frame.scalar(*argument++) = readElement(frame, bound, point, i);
}

/// The sum of two numbers of a format that reduction outputs have.
static Scalar addNumbers(Format format, Scalar a, Scalar b) {
  Scalar sum = {};
  switch (format.kind) {
  case Format::C32:
    sum.cf = {a.cf.re + b.cf.re, a.cf.im + b.cf.im};
    break;
  case Format::C64:
    sum.cd = {a.cd.re + b.cd.re, a.cd.im + b.cd.im};
    break;
  case Format::F64:
    sum.d = a.d + b.d;
    break;
  case Format::Integer:
    sum.i = a.i + b.i;
    break;
  default:
    sum.f = a.f + b.f;
  }
  return sum;
}

void reference::storeYields(Frame &frame,
                            MutableArrayRef<BoundOperand> operands,
                            ArrayRef<int64_t> point, const Use *yield) {
  const Use *first = yield;
  for (BoundOperand &bound : operands) {
    int64_t position = dot(point, bound.strides);
    if (std::optional<unsigned> dim = bound.operand->placeDim) {
      ArrayRef<int64_t> shape =
          ArrayRef<int64_t>(bound.tensor.shape)
              .take_front(bound.operand->map.getNumResults());
      int64_t extent = shape[*dim];
      int64_t place = frame.scalar(first[bound.operand->placeNumber].slot).i;
      // Differences of 64 bits may overflow: compare on the same side of zero.
      if (place < -extent || place >= extent) {
        yield += bound.operand->count;
        continue;
      }
      position +=
          (place < 0 ? place + extent : place) * getStrides(shape)[*dim];
    }
    position *= bound.operand->count;
    for (int64_t i = 0; i < bound.operand->count; ++i) {
      Scalar value = frame.scalar((yield++)->slot);
      if (bound.operand->isReduction)
        value = addNumbers(bound.tensor.format, bound.tensor.load(position + i),
                           value);
      bound.tensor.store(position + i, value);
    }
  }
}
