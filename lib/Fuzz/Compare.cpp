//===- Compare.cpp - Results within a derived bound -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bound. Every combiner with rounding errors is built from additions and
// multiplications. An element that k combines lead to, with at most c roundings
// each, is a sum of products of input elements. Whatever the order in which the
// combines are done, a term takes part in each of them at most once, so that it
// carries at most n = c*k + f factors (1 + d), |d| <= u, where f counts
// roundings in code after the scan, and the error of the element is at most
//
//     gamma * F(|x|),   gamma = n*u / (1 - n*u)
//
// where F(|x|) is the same fold over the moduli of the inputs (Higham, Accuracy
// and Stability of Numerical Algorithms, 2nd edition, sections 3.1 and 5.1).
// The interpreter and the code under test both have an error of at most that
// much, so that they differ by at most twice as much. u is the unit roundoff of
// the type that is accumulated in: f32 for f16 and bf16. Each of two 16-bit
// results is then rounded once, to within half a unit in the last place, and
// once more by each operation after the scan. Where numbers underflow the error
// is absolute: at most the smallest subnormal number for each rounding. F(|x|)
// is computed in the same type and may itself be too small by a factor of 1 - 2
// gamma.
//
// A recurrence h -> a h + b that is bracketed freely has products of
// coefficients, too, which may be larger than any term. Let G be the fold over
// max(|a|, 1) and max(|b|, 1), zeros left zero. Where a product of coefficients
// is multiplied by a state that is not zero, and none of them is zero, G is no
// smaller than either. So where G is finite nothing overflows but products that
// meet a zero, and these have to be zero; and what underflows, to within a
// subnormal number, grows by G at most. Where G is not finite there is no
// bound.
//
// A maximum changes no number by more than its arguments were changed, and has
// no roundings of its own. What is infinite or not a number has to be so in
// both results.
//
//===----------------------------------------------------------------------===//

#include "Compare.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

bool fuzz::isFloatLike(Type type) { return isa<FloatType, ComplexType>(type); }

/// The real type of a floating-point or complex type.
static FloatType getRealType(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    type = complex.getElementType();
  return cast<FloatType>(type);
}

static double readReal(const char *bytes, FloatType type) {
  if (type.isF64()) {
    double value;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
  }
  if (type.isF32()) {
    float value;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
  }
  uint16_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return APFloat(type.getFloatSemantics(), APInt(16, value)).convertToDouble();
}

static void writeReal(char *bytes, FloatType type, double number) {
  if (type.isF64()) {
    std::memcpy(bytes, &number, sizeof(number));
    return;
  }
  if (type.isF32()) {
    auto value = static_cast<float>(number);
    std::memcpy(bytes, &value, sizeof(value));
    return;
  }
  APFloat rounded(number);
  bool losesInfo;
  rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  auto value = static_cast<uint16_t>(rounded.bitcastToAPInt().getZExtValue());
  std::memcpy(bytes, &value, sizeof(value));
}

std::complex<double> fuzz::getElement(const HostArray &array, int64_t i) {
  FloatType real = getRealType(array.elementType);
  int64_t width = real.getWidth() / 8;
  if (isa<ComplexType>(array.elementType)) {
    const char *bytes = array.data.data() + i * 2 * width;
    return {readReal(bytes, real), readReal(bytes + width, real)};
  }
  return readReal(array.data.data() + i * width, real);
}

void fuzz::setElement(HostArray &array, int64_t i, std::complex<double> value) {
  FloatType real = getRealType(array.elementType);
  int64_t width = real.getWidth() / 8;
  if (isa<ComplexType>(array.elementType)) {
    char *bytes = array.data.data() + i * 2 * width;
    writeReal(bytes, real, value.real());
    writeReal(bytes + width, real, value.imag());
    return;
  }
  writeReal(array.data.data() + i * width, real, value.real());
}

HostArray fuzz::makeModuli(const HostArray &array) {
  HostArray moduli = array;
  if (isFloatLike(array.elementType))
    for (int64_t i = 0, e = array.getNumElements(); i < e; ++i)
      setElement(moduli, i, std::abs(getElement(array, i)));
  return moduli;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// How far two results may be apart whose moduli fold to `modulus` in `steps`
/// combines, and whose underflows are multiplied by `growth`.
static double getBound(double modulus, double growth, double magnitude,
                       int64_t steps, const Tolerance &tolerance,
                       FloatType real) {
  bool isShort = real.getWidth() == 16;
  double unit = real.isF64() ? 0x1p-53 : 0x1p-24;
  double subnormal =
      (real.isF64() ? 0x1p-1074 : 0x1p-149) * std::max(growth, 1.0);
  double errors =
      static_cast<double>(tolerance.roundings) * static_cast<double>(steps) +
      static_cast<double>(tolerance.fixedRoundings);
  double gamma = errors * unit / (1 - errors * unit);
  modulus /= 1 - 2 * gamma;
  if (!isShort)
    return 2 * (gamma * modulus + errors * subnormal);
  // The moduli are themselves rounded to 16 bits, hence the factor.
  unsigned digits = APFloat::semanticsPrecision(real.getFloatSemantics());
  double shortUnit = std::ldexp(1.0, -static_cast<int>(digits));
  double shortSubnormal =
      real.isBF16() ? std::ldexp(1.0, -133) : std::ldexp(1.0, -24);
  auto shortErrors = static_cast<double>(tolerance.shortRoundings);
  double sum = gamma * modulus * (1 + 2 * shortErrors * shortUnit) +
               errors * subnormal +
               // All but the last of them may be of something larger.
               (shortErrors - 1) * (2 * shortUnit * modulus + shortSubnormal);
  return 2 * (sum + shortUnit * (magnitude + sum) + shortSubnormal / 2);
}

std::string fuzz::printElement(const HostArray &array, int64_t i) {
  if (isFloatLike(array.elementType)) {
    std::complex<double> value = getElement(array, i);
    if (isa<ComplexType>(array.elementType))
      return llvm::formatv("({0:e9}, {1:e9})", value.real(), value.imag());
    return llvm::formatv("{0:e9}", value.real());
  }
  int64_t width = *getElementByteSize(array.elementType), value = 0;
  std::memcpy(&value, array.data.data() + i * width, width);
  return std::to_string(value << (64 - 8 * width) >> (64 - 8 * width));
}

/// Whether a part of element `i` is not a number, in both arrays.
static bool areBothNaN(const HostArray &expected, const HostArray &found,
                       int64_t i) {
  auto isNaN = [i](const HostArray &array) {
    if (!isFloatLike(array.elementType))
      return false;
    std::complex<double> value = getElement(array, i);
    return std::isnan(value.real()) || std::isnan(value.imag());
  };
  return isNaN(expected) && isNaN(found);
}

/// Records that element `i` is outside its bound.
static void recordMismatch(Comparison &result, const HostArray &expected,
                           const HostArray &found, int64_t i, double bound) {
  if (result.mismatches++)
    return;
  result.first =
      llvm::formatv("element {0} of {1}: expected {2}, found {3}, bound {4:e2}",
                    i, describeArray(expected.elementType, expected.shape),
                    printElement(expected, i), printElement(found, i), bound);
}

Comparison fuzz::compare(const HostArray &expected, const HostArray &found,
                         const HostArray *moduli, const HostArray *growths,
                         const Tolerance &tolerance) {
  Comparison result;
  if (expected.elementType != found.elementType ||
      expected.shape != found.shape ||
      expected.data.size() != found.data.size()) {
    result.mismatches = 1;
    result.bitwiseEqual = false;
    result.first = "expected " +
                   describeArray(expected.elementType, expected.shape) +
                   ", found " + describeArray(found.elementType, found.shape);
    return result;
  }
  result.elements = expected.getNumElements();
  result.bitwiseEqual = expected.data == found.data;
  if (result.bitwiseEqual)
    return result;
  if (!isFloatLike(expected.elementType) || tolerance.isExact()) {
    int64_t width = *getElementByteSize(expected.elementType);
    for (int64_t i = 0; i < result.elements; ++i)
      if (std::memcmp(&expected.data[i * width], &found.data[i * width],
                      width) != 0 &&
          !areBothNaN(expected, found, i))
        recordMismatch(result, expected, found, i, 0);
    return result;
  }

  // Elements behind one step of the scan dimension.
  int64_t inner = 1;
  if (tolerance.dim)
    for (int64_t extent :
         ArrayRef(expected.shape).drop_front(*tolerance.dim + 1))
      inner *= extent;
  FloatType real = getRealType(expected.elementType);
  for (int64_t i = 0; i < result.elements; ++i) {
    int64_t steps = tolerance.extent;
    if (tolerance.dim) {
      int64_t position = i / inner % tolerance.extent;
      steps = tolerance.reverse ? tolerance.extent - position : position + 1;
    }
    std::complex<double> value = getElement(expected, i);
    std::complex<double> other = getElement(found, i);
    double growth = growths ? std::abs(getElement(*growths, i)) : 0;
    if (!std::isfinite(growth)) {
      ++result.unbounded;
      continue;
    }
    double bound = getBound(std::abs(getElement(*moduli, i)), growth,
                            std::abs(value), steps, tolerance, real);
    if (!std::isfinite(value.real()) || !std::isfinite(value.imag())) {
      // The finite part of such a complex number has no bound.
      auto agree = [](double a, double b) {
        return a == b || (std::isfinite(a) && std::isfinite(b));
      };
      if ((!agree(value.real(), other.real()) ||
           !agree(value.imag(), other.imag())) &&
          !areBothNaN(expected, found, i))
        recordMismatch(result, expected, found, i, bound);
      continue;
    }
    // Where the moduli overflow there is no bound.
    if (!std::isfinite(bound)) {
      ++result.unbounded;
      continue;
    }
    double error = std::abs(value - other);
    result.maxError = std::max(result.maxError, error);
    result.maxBound = std::max(result.maxBound, bound);
    // Also true if the error is not a number.
    if (!(error <= bound))
      recordMismatch(result, expected, found, i, bound);
    else if (bound > 0)
      result.maxRatio = std::max(result.maxRatio, error / bound);
  }
  return result;
}
