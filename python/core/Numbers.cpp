//===- Numbers.cpp - Python numbers in memory -----------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"

#include <cmath>
#include <cstring>

using namespace mlir_scan;

//===----------------------------------------------------------------------===//
// Floating-point numbers of 16 bits
//===----------------------------------------------------------------------===//

namespace {
struct SmallFloat {
  int mantissaBits;
  /// The exponent of the smallest normal number.
  int minExponent;
};
} // namespace

static constexpr SmallFloat half = {10, -14};
static constexpr SmallFloat bfloat = {7, -126};

static uint16_t encode(double value, SmallFloat format) {
  uint32_t sign = std::signbit(value) ? 0x8000 : 0;
  uint32_t infinity = (0x7FFFu >> format.mantissaBits) << format.mantissaBits;
  if (std::isnan(value))
    return sign | infinity | (1u << (format.mantissaBits - 1));
  value = std::fabs(value);
  if (value == 0)
    return sign;
  if (std::isinf(value))
    return sign | infinity;
  int exponent = std::max(std::ilogb(value), format.minExponent);
  if (exponent > 1 - format.minExponent)
    return sign | infinity;
  // The leading one of a normal number adds one to the exponent's field.
  auto bits = static_cast<uint32_t>(
      std::nearbyint(std::ldexp(value, format.mantissaBits - exponent)));
  bits += static_cast<uint32_t>(exponent - format.minExponent)
          << format.mantissaBits;
  return sign | std::min(bits, infinity);
}

static double decode(uint16_t bits, SmallFloat format) {
  uint32_t mantissa = bits & ((1u << format.mantissaBits) - 1);
  uint32_t exponent = (bits & 0x7FFFu) >> format.mantissaBits;
  double value;
  if (exponent == 0x7FFFu >> format.mantissaBits)
    value = mantissa ? NAN : INFINITY;
  else if (exponent == 0)
    value = std::ldexp(mantissa, format.minExponent - format.mantissaBits);
  else
    value = std::ldexp(mantissa + (1u << format.mantissaBits),
                       static_cast<int>(exponent) - 1 + format.minExponent -
                           format.mantissaBits);
  return bits & 0x8000 ? -value : value;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static bool writeInteger(nb::handle number, size_t bytes, bool isFlag,
                         char *target, std::string &why) {
  if (!PyLong_Check(number.ptr())) {
    why = "the number " + std::string(nb::repr(number).c_str());
    return false;
  }
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  bool fits = overflow == 0;
  if (overflow > 0 && bytes == 8) {
    // The upper half of what has no sign.
    unsigned long long large = PyLong_AsUnsignedLongLong(number.ptr());
    fits = !PyErr_Occurred();
    PyErr_Clear();
    value = static_cast<long long>(large);
  } else if (fits && isFlag) {
    fits = value == 0 || value == 1;
  } else if (fits && bytes < 8) {
    long long limit = 1ll << (8 * bytes);
    fits = -limit / 2 <= value && value < limit;
  }
  if (!fits) {
    why = "the number " + std::string(nb::repr(number).c_str()) +
          ", which does not fit";
    return false;
  }
  std::memcpy(target, &value, bytes);
  return true;
}

bool mlir_scan::writeNumber(nb::handle number, MlirScanElementType type,
                            char *target, std::string &why) {
  switch (type) {
  case MlirScanElementTypeI1:
  case MlirScanElementTypeI8:
  case MlirScanElementTypeI16:
  case MlirScanElementTypeI32:
  case MlirScanElementTypeI64:
  case MlirScanElementTypeIndex:
    return writeInteger(number, mlirScanElementTypeGetSize(type),
                        type == MlirScanElementTypeI1, target, why);
  default:
    break;
  }
  bool isComplex = type == MlirScanElementTypeComplexF32 ||
                   type == MlirScanElementTypeComplexF64;
  Py_complex value = {0, 0};
  if (PyComplex_Check(number.ptr()) && !isComplex) {
    why = "the complex number " + std::string(nb::repr(number).c_str());
    return false;
  }
  value = PyComplex_AsCComplex(number.ptr());
  if (value.real == -1.0 && PyErr_Occurred())
    throw nb::python_error();
  auto write = [&](auto part, size_t index = 0) {
    std::memcpy(target + index * sizeof(part), &part, sizeof(part));
  };
  switch (type) {
  case MlirScanElementTypeF16:
    write(encode(value.real, half));
    break;
  case MlirScanElementTypeBF16:
    write(encode(value.real, bfloat));
    break;
  case MlirScanElementTypeF32:
    write(static_cast<float>(value.real));
    break;
  case MlirScanElementTypeF64:
    write(value.real);
    break;
  case MlirScanElementTypeComplexF32:
    write(static_cast<float>(value.real));
    write(static_cast<float>(value.imag), 1);
    break;
  default:
    write(value.real);
    write(value.imag, 1);
    break;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

template <typename T> static T load(const void *source, size_t index = 0) {
  T value;
  std::memcpy(&value, static_cast<const char *>(source) + index * sizeof(T),
              sizeof(T));
  return value;
}

nb::object mlir_scan::readNumber(const void *source, MlirScanElementType type) {
  switch (type) {
  case MlirScanElementTypeI1:
    return nb::bool_(load<uint8_t>(source) != 0);
  case MlirScanElementTypeI8:
    return nb::int_(load<int8_t>(source));
  case MlirScanElementTypeI16:
    return nb::int_(load<int16_t>(source));
  case MlirScanElementTypeI32:
    return nb::int_(load<int32_t>(source));
  case MlirScanElementTypeF16:
    return nb::float_(decode(load<uint16_t>(source), half));
  case MlirScanElementTypeBF16:
    return nb::float_(decode(load<uint16_t>(source), bfloat));
  case MlirScanElementTypeF32:
    return nb::float_(load<float>(source));
  case MlirScanElementTypeF64:
    return nb::float_(load<double>(source));
  case MlirScanElementTypeComplexF32:
    return nb::steal(
        PyComplex_FromDoubles(load<float>(source), load<float>(source, 1)));
  case MlirScanElementTypeComplexF64:
    return nb::steal(
        PyComplex_FromDoubles(load<double>(source), load<double>(source, 1)));
  default:
    return nb::int_(load<int64_t>(source));
  }
}
