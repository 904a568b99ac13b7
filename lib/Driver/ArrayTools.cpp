//===- ArrayTools.cpp - Compares and prints arrays ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunDriver.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Format.h"
#include <cmath>
#include <complex>
#include <cstring>

using namespace mlir;
using namespace mlir::scan;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static double readFloat(const char *data, FloatType type) {
  uint64_t bits = 0;
  std::memcpy(&bits, data, type.getWidth() / 8);
  llvm::APFloat number(type.getFloatSemantics(),
                       llvm::APInt(type.getWidth(), bits));
  bool losesInfo = false;
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

/// A real or complex floating-point element.
static std::complex<double> readNumber(const HostArray &array, int64_t index) {
  if (auto complex = dyn_cast<ComplexType>(array.elementType)) {
    auto part = cast<FloatType>(complex.getElementType());
    int64_t size = part.getWidth() / 8;
    const char *data = array.data.data() + 2 * index * size;
    return {readFloat(data, part), readFloat(data + size, part)};
  }
  auto type = cast<FloatType>(array.elementType);
  return readFloat(array.data.data() + index * (type.getWidth() / 8), type);
}

static int64_t readInteger(const HostArray &array, int64_t index) {
  int64_t size = *getElementByteSize(array.elementType);
  uint64_t bits = 0;
  std::memcpy(&bits, array.data.data() + index * size, size);
  if (array.elementType.isInteger(1))
    return bits != 0;
  unsigned unused = 64 - 8 * size;
  return static_cast<int64_t>(bits << unused) >> unused;
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

/// |a - b| of parts that may be infinite or NaN.
static double getDistance(double a, double b) {
  if (a == b || (a != a && b != b))
    return 0;
  double distance = std::fabs(a - b);
  return distance == distance ? distance : HUGE_VAL;
}

/// The distance between neighbours of `type` at a magnitude.
static double getUlp(double magnitude, FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  int precision = llvm::APFloat::semanticsPrecision(semantics);
  int exponent = llvm::APFloat::semanticsMinExponent(semantics);
  if (std::isfinite(magnitude) && magnitude > 0)
    exponent = std::max(exponent, std::ilogb(magnitude));
  return std::ldexp(1.0, exponent - (precision - 1));
}

ResultError mlir::scan::compareArrays(const HostArray &result,
                                      const HostArray &expected) {
  ResultError error;
  double largest = 0;
  Type type = expected.elementType;
  if (auto complex = dyn_cast<ComplexType>(type))
    type = complex.getElementType();
  auto floatType = dyn_cast<FloatType>(type);
  for (int64_t i = 0, e = expected.getNumElements(); i < e; ++i) {
    double distance = 0, magnitude = 0, ulps = 0;
    if (floatType) {
      std::complex<double> found = readNumber(result, i);
      std::complex<double> wanted = readNumber(expected, i);
      distance = std::hypot(getDistance(found.real(), wanted.real()),
                            getDistance(found.imag(), wanted.imag()));
      magnitude = std::abs(wanted);
      ulps = distance / getUlp(magnitude, floatType);
      error.overflows +=
          std::isfinite(magnitude) && !std::isfinite(std::abs(found));
    } else {
      int64_t found = readInteger(result, i), wanted = readInteger(expected, i);
      uint64_t gap = found > wanted ? uint64_t(found) - uint64_t(wanted)
                                    : uint64_t(wanted) - uint64_t(found);
      distance = ulps = static_cast<double>(gap);
      magnitude = std::fabs(static_cast<double>(wanted));
    }
    error.count += distance != 0;
    error.absolute = std::max(error.absolute, distance);
    error.ulps = std::max(error.ulps, ulps);
    if (std::isfinite(magnitude))
      largest = std::max(largest, magnitude);
  }
  if (error.absolute > 0)
    error.relative = largest > 0 ? error.absolute / largest : HUGE_VAL;
  return error;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// Arrays of more elements show this many at both ends of each dimension.
static constexpr int64_t kMaxPrinted = 1000;
static constexpr int64_t kEdge = 3;

static void printElement(const HostArray &array, int64_t index,
                         llvm::raw_ostream &os) {
  Type type = array.elementType;
  if (type.isIntOrIndex()) {
    os << readInteger(array, index);
    return;
  }
  auto complex = dyn_cast<ComplexType>(type);
  Type part = complex ? complex.getElementType() : type;
  unsigned digits = part.isF64() ? 12 : part.isF32() ? 7 : part.isF16() ? 4 : 3;
  std::complex<double> value = readNumber(array, index);
  auto print = [&](const char *format, double number) {
    char text[64];
    std::snprintf(text, sizeof(text), format, digits, number);
    os << text;
  };
  print("%.*g", value.real());
  if (complex) {
    print("%+.*g", value.imag());
    os << "j";
  }
}

static void printDim(const HostArray &array, size_t dim, int64_t start,
                     int64_t size, bool isAbbreviated, llvm::raw_ostream &os) {
  if (dim == array.shape.size()) {
    printElement(array, start, os);
    return;
  }
  int64_t extent = array.shape[dim];
  int64_t step = extent > 0 ? size / extent : 0;
  bool isInnermost = dim + 1 == array.shape.size();
  os << "[";
  for (int64_t i = 0; i < extent; ++i) {
    if (i > 0) {
      os << (isInnermost ? ", " : ",\n");
      if (!isInnermost)
        os.indent(dim + 1);
    }
    if (isAbbreviated && i == kEdge && extent > 2 * kEdge) {
      os << "...";
      i = extent - kEdge - 1;
      continue;
    }
    printDim(array, dim + 1, start + i * step, step, isAbbreviated, os);
  }
  os << "]";
}

void mlir::scan::printArray(const HostArray &array, llvm::raw_ostream &os) {
  int64_t count = array.getNumElements();
  printDim(array, 0, 0, count, count > kMaxPrinted, os);
  os << "\n";
}
