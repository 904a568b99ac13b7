//===- Numbers.cpp - States of a scan as doubles and integers -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"
#include "Reference/Values.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::prove;
using reference::Format;
using reference::Scalar;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Number mlir::scan::prove::loadNumber(const HostArray &array, int64_t index) {
  Format format = *reference::getFormat(array.elementType);
  Scalar value = reference::loadElement(array.data.data(), index, format);
  Number number;
  if (format.isInteger())
    number.integer = format.width == 1
                         ? static_cast<int64_t>(value.i)
                         : reference::signExtend(value.i, format.width);
  else if (format.kind == Format::C32)
    number = {0, value.cf.re, value.cf.im};
  else if (format.kind == Format::C64)
    number = {0, value.cd.re, value.cd.im};
  else
    number.real = reference::toDouble(value, format);
  return number;
}

void mlir::scan::prove::storeNumber(HostArray &array, int64_t index,
                                    const Number &number) {
  Format format = *reference::getFormat(array.elementType);
  Scalar value = {};
  if (format.isInteger()) {
    value.i = reference::truncateBits(number.integer, format.width);
  } else if (format.kind == Format::C32) {
    value.cf.re = static_cast<float>(number.real);
    value.cf.im = static_cast<float>(number.imaginary);
  } else if (format.kind == Format::C64) {
    value.cd.re = number.real;
    value.cd.im = number.imaginary;
  } else {
    value = reference::fromDouble(number.real, format);
  }
  reference::storeElement(array.data.data(), index, format, value);
}

bool mlir::scan::prove::satisfies(ArrayRef<LeafInvariant> invariants,
                                  unsigned leaf, Type type,
                                  const Number &number) {
  return llvm::all_of(invariants, [&](const LeafInvariant &invariant) {
    if (invariant.leaf != leaf)
      return true;
    if (isa<IntegerType>(type))
      return invariant.holds(number.integer);
    if (isa<ComplexType>(type))
      return invariant.holds(number.real, number.imaginary);
    return invariant.holds(number.real);
  });
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

int64_t mlir::scan::prove::countStates(const LeafValues &values) {
  return values.front().shape.front();
}

LeafValues mlir::scan::prove::convertStates(const LeafValues &values,
                                            TypeRange elementTypes) {
  LeafValues converted;
  for (auto [array, type] : llvm::zip_equal(values, elementTypes)) {
    if (array.elementType == type) {
      converted.push_back(array);
      continue;
    }
    HostArray other = HostArray::zeros(type, array.shape);
    for (int64_t i = 0, e = array.getNumElements(); i < e; ++i)
      storeNumber(other, i, loadNumber(array, i));
    converted.push_back(std::move(other));
  }
  return converted;
}

LeafValues mlir::scan::prove::takeStates(const LeafValues &values,
                                         ArrayRef<int64_t> indices) {
  LeafValues taken;
  for (const HostArray &array : values) {
    HostArray some;
    some.elementType = array.elementType;
    some.shape = array.shape;
    some.shape.front() = indices.size();
    int64_t count = array.shape.front();
    size_t size = count ? array.data.size() / count : 0;
    some.data.reserve(size * indices.size());
    for (int64_t index : indices)
      some.data.insert(some.data.end(), array.data.begin() + index * size,
                       array.data.begin() + (index + 1) * size);
    taken.push_back(std::move(some));
  }
  return taken;
}
