//===- HostArray.cpp - Dense arrays in host memory ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Reference/HostArray.h"
#include "Values.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace mlir;
using namespace mlir::scan;

int64_t HostArray::getNumElements() const {
  return reference::countElements(shape);
}

HostArray HostArray::zeros(Type elementType, ArrayRef<int64_t> shape) {
  HostArray array;
  array.elementType = elementType;
  array.shape.assign(shape.begin(), shape.end());
  array.data.resize(getByteSize(elementType, shape).value_or(0));
  return array;
}

std::optional<int64_t> mlir::scan::getElementByteSize(Type elementType) {
  std::optional<reference::Format> format = reference::getFormat(elementType);
  if (!format)
    return std::nullopt;
  return format->getByteSize();
}

std::optional<int64_t> mlir::scan::getByteSize(Type elementType,
                                               ArrayRef<int64_t> shape) {
  std::optional<int64_t> elementSize = getElementByteSize(elementType);
  if (!elementSize || llvm::any_of(shape, [](int64_t d) { return d < 0; }))
    return std::nullopt;
  int64_t bytes = 0;
  if (llvm::MulOverflow(reference::countElements(shape), *elementSize, bytes))
    return std::nullopt;
  return bytes;
}

int64_t mlir::scan::getMemoryLimit() {
  long pages = sysconf(_SC_PHYS_PAGES);
  long pageSize = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || pageSize <= 0)
    return int64_t(4) << 30;
  return static_cast<int64_t>(pages) / 2 * pageSize;
}

std::string mlir::scan::describeArray(Type elementType,
                                      ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t extent : shape) {
    if (ShapedType::isDynamic(extent))
      os << "?x";
    else
      os << extent << "x";
  }
  os << elementType;
  return text;
}

bool mlir::scan::isCompatible(const HostArray &array, Type type,
                              std::string *reason) {
  Type elementType = type;
  ArrayRef<int64_t> shape;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    elementType = tensor.getElementType();
    shape = tensor.getShape();
  }
  bool matches = array.elementType == elementType &&
                 array.shape.size() == shape.size() &&
                 llvm::all_of(llvm::zip(array.shape, shape), [](auto pair) {
                   auto [found, expected] = pair;
                   return ShapedType::isDynamic(expected) || found == expected;
                 });
  if (!matches && reason)
    *reason = "expected " + describeArray(elementType, shape) + ", found " +
              describeArray(array.elementType, array.shape);
  return matches;
}
