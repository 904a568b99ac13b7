//===- ArrayView.cpp - Views of arrays that others own --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Execution/ArrayView.h"
#include <cstring>

using namespace mlir;
using namespace mlir::scan;

SmallVector<int64_t> mlir::scan::getDenseStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  // Those of an array without elements are never used, and could overflow.
  if (!llvm::is_contained(shape, 0))
    for (size_t i = shape.size(); i-- > 1;)
      strides[i - 1] = strides[i] * shape[i];
  return strides;
}

ArrayView ArrayView::get(const HostArray &array) {
  return {array.elementType, array.shape, getDenseStrides(array.shape),
          array.data.data()};
}

bool ArrayView::isDense() const {
  if (llvm::is_contained(shape, 0))
    return true;
  int64_t run = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    // The stride of a dimension without neighbours says nothing.
    if (shape[i] != 1 && strides[i] != run)
      return false;
    run *= shape[i];
  }
  return true;
}

bool ArrayView::isInnermostDense() const {
  return llvm::is_contained(shape, 0) || shape.empty() || shape.back() == 1 ||
         strides.back() == 1;
}

static void copyRecursive(const char *source, ArrayRef<int64_t> sourceStrides,
                          char *target, ArrayRef<int64_t> targetStrides,
                          ArrayRef<int64_t> shape, int64_t elementBytes) {
  // The longest run of trailing dimensions that is dense on both sides.
  int64_t run = 1;
  size_t outer = shape.size();
  while (outer > 0 &&
         (shape[outer - 1] == 1 ||
          (sourceStrides[outer - 1] == run && targetStrides[outer - 1] == run)))
    run *= shape[--outer];
  if (outer == 0) {
    std::memcpy(target, source, run * elementBytes);
    return;
  }
  int64_t sourceStep = sourceStrides.front() * elementBytes;
  int64_t targetStep = targetStrides.front() * elementBytes;
  for (int64_t i = 0; i < shape.front(); ++i)
    copyRecursive(source + i * sourceStep, sourceStrides.drop_front(),
                  target + i * targetStep, targetStrides.drop_front(),
                  shape.drop_front(), elementBytes);
}

void mlir::scan::copyElements(const ArrayView &source, char *target,
                              ArrayRef<int64_t> targetStrides) {
  if (!llvm::is_contained(source.shape, 0))
    copyRecursive(source.data, source.strides, target, targetStrides,
                  source.shape, *getElementByteSize(source.elementType));
}

HostArray mlir::scan::copyToHostArray(const ArrayView &source) {
  HostArray array = HostArray::zeros(source.elementType, source.shape);
  copyElements(source, array.data.data(), getDenseStrides(source.shape));
  return array;
}
