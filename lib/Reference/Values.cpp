//===- Values.cpp - What the interpreter computes with --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Values.h"
#include "IR/Extents.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::scan::reference;

std::optional<Format> mlir::scan::reference::getFormat(Type type) {
  if (type.isIndex())
    return Format::integer(64);
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.getWidth() < 1 || integer.getWidth() > 64)
      return std::nullopt;
    return Format::integer(integer.getWidth());
  }
  if (type.isF16())
    return Format{Format::F16, 16};
  if (type.isBF16())
    return Format{Format::BF16, 16};
  if (type.isF32())
    return Format{Format::F32, 32};
  if (type.isF64())
    return Format{Format::F64, 64};
  if (auto complex = dyn_cast<ComplexType>(type)) {
    if (complex.getElementType().isF32())
      return Format{Format::C32, 64};
    if (complex.getElementType().isF64())
      return Format{Format::C64, 128};
  }
  return std::nullopt;
}

int64_t Format::getByteSize() const {
  switch (kind) {
  case Integer:
    return width <= 8 ? 1 : llvm::PowerOf2Ceil(width) / 8;
  case F16:
  case BF16:
    return 2;
  case F32:
    return 4;
  case F64:
  case C32:
    return 8;
  case C64:
    return 16;
  }
  llvm_unreachable("all kinds are covered");
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

static uint32_t toBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

static float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

float mlir::scan::reference::halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 0x1f;
  uint32_t mantissa = bits & 0x3ff;
  if (exponent == 0x1f)
    return fromBits(sign | 0x7f800000 | (mantissa << 13));
  if (exponent == 0) {
    // Subnormal: mantissa * 2^-24 is exact in float.
    float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return fromBits(sign | toBits(magnitude));
  }
  return fromBits(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

uint16_t mlir::scan::reference::floatToHalf(float value) {
  uint32_t bits = toBits(value);
  uint16_t sign = (bits >> 16) & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) // NaN: quiet, payload truncated.
    return sign | 0x7e00 | ((magnitude >> 13) & 0x3ff);
  if (magnitude >= 0x477ff000) // 65520 and more round to infinity.
    return sign | 0x7c00;
  if (magnitude < 0x38800000) {
    // Below 2^-14 the result is a multiple of 2^-24. In [0.5, 1) neighbouring
    // floats are 2^-24 apart, so that the addition rounds as wanted.
    float shifted = fromBits(magnitude) + 0.5f;
    return sign | static_cast<uint16_t>(toBits(shifted) - toBits(0.5f));
  }
  uint32_t odd = (magnitude >> 13) & 1;
  magnitude += 0xfff + odd;
  return sign | static_cast<uint16_t>((magnitude - (112u << 23)) >> 13);
}

uint16_t mlir::scan::reference::floatToBFloat(float value) {
  uint32_t bits = toBits(value);
  if ((bits & 0x7fffffff) > 0x7f800000) // NaN: quiet, payload truncated.
    return static_cast<uint16_t>((bits >> 16) | 0x40);
  uint32_t odd = (bits >> 16) & 1;
  return static_cast<uint16_t>((bits + 0x7fff + odd) >> 16);
}

float mlir::scan::reference::roundFloat(float value, Format format) {
  if (format.kind == Format::F16)
    return halfToFloat(floatToHalf(value));
  if (format.kind == Format::BF16)
    return bfloatToFloat(floatToBFloat(value));
  return value;
}

float mlir::scan::reference::roundDouble(double value, Format format) {
  float single = static_cast<float>(value);
  if (format.kind != Format::F16 && format.kind != Format::BF16)
    return single;
  if (static_cast<double>(single) == value || value != value)
    return roundFloat(single, format);
  // Rounding to float first could round twice in the same direction.
  llvm::APFloat exact(value);
  bool losesInfo = false;
  exact.convert(format.kind == Format::F16 ? llvm::APFloat::IEEEhalf()
                                           : llvm::APFloat::BFloat(),
                llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  uint16_t bits = exact.bitcastToAPInt().getZExtValue();
  return format.kind == Format::F16 ? halfToFloat(bits) : bfloatToFloat(bits);
}

double mlir::scan::reference::toDouble(Scalar value, Format format) {
  return format.kind == Format::F64 ? value.d : static_cast<double>(value.f);
}

Scalar mlir::scan::reference::fromDouble(double value, Format format) {
  Scalar result = {};
  if (format.kind == Format::F64)
    result.d = value;
  else
    result.f = roundDouble(value, format);
  return result;
}

Scalar mlir::scan::reference::convert(Scalar value, Format from, Format to) {
  if (from == to)
    return value;
  Scalar result = {};
  if (from.isInteger()) {
    result.i = truncateBits(signExtend(value.i, from.width), to.width);
  } else if (from.isFloat()) {
    if (from.kind == Format::F64)
      return fromDouble(value.d, to);
    if (to.kind == Format::F64)
      result.d = value.f;
    else
      result.f = roundFloat(value.f, to);
  } else if (from.kind == Format::C32) {
    result.cd.re = value.cf.re;
    result.cd.im = value.cf.im;
  } else {
    result.cf.re = static_cast<float>(value.cd.re);
    result.cf.im = static_cast<float>(value.cd.im);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Elements in memory
//===----------------------------------------------------------------------===//

template <typename T> static T read(const char *data, int64_t index) {
  T value;
  std::memcpy(&value, data + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T> static void write(char *data, int64_t index, T value) {
  std::memcpy(data + index * sizeof(T), &value, sizeof(T));
}

Scalar mlir::scan::reference::loadElement(const char *data, int64_t index,
                                          Format format) {
  Scalar result = {};
  switch (format.kind) {
  case Format::Integer:
    if (format.width == 1)
      result.i = data[index] != 0;
    else if (format.width <= 8)
      result.i = truncateBits(read<uint8_t>(data, index), format.width);
    else if (format.width <= 16)
      result.i = truncateBits(read<uint16_t>(data, index), format.width);
    else if (format.width <= 32)
      result.i = truncateBits(read<uint32_t>(data, index), format.width);
    else
      result.i = truncateBits(read<uint64_t>(data, index), format.width);
    break;
  case Format::F16:
    result.f = halfToFloat(read<uint16_t>(data, index));
    break;
  case Format::BF16:
    result.f = bfloatToFloat(read<uint16_t>(data, index));
    break;
  case Format::F32:
    result.f = read<float>(data, index);
    break;
  case Format::F64:
    result.d = read<double>(data, index);
    break;
  case Format::C32:
    result.cf.re = read<float>(data, 2 * index);
    result.cf.im = read<float>(data, 2 * index + 1);
    break;
  case Format::C64:
    result.cd.re = read<double>(data, 2 * index);
    result.cd.im = read<double>(data, 2 * index + 1);
    break;
  }
  return result;
}

void mlir::scan::reference::storeElement(char *data, int64_t index,
                                         Format format, Scalar value) {
  switch (format.kind) {
  case Format::Integer:
    if (format.width <= 8)
      write<uint8_t>(data, index, static_cast<uint8_t>(value.i));
    else if (format.width <= 16)
      write<uint16_t>(data, index, static_cast<uint16_t>(value.i));
    else if (format.width <= 32)
      write<uint32_t>(data, index, static_cast<uint32_t>(value.i));
    else
      write<uint64_t>(data, index, value.i);
    break;
  case Format::F16:
    write(data, index, floatToHalf(value.f));
    break;
  case Format::BF16:
    write(data, index, floatToBFloat(value.f));
    break;
  case Format::F32:
    write(data, index, value.f);
    break;
  case Format::F64:
    write(data, index, value.d);
    break;
  case Format::C32:
    write(data, 2 * index, value.cf.re);
    write(data, 2 * index + 1, value.cf.im);
    break;
  case Format::C64:
    write(data, 2 * index, value.cd.re);
    write(data, 2 * index + 1, value.cd.im);
    break;
  }
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

int64_t mlir::scan::reference::countElements(ArrayRef<int64_t> shape) {
  return scan::countElements(shape);
}

std::optional<Tensor> Tensor::create(const std::shared_ptr<MemoryMeter> &meter,
                                     Format format, ArrayRef<int64_t> shape) {
  int64_t bytes = 0;
  if (llvm::MulOverflow(countElements(shape), format.getByteSize(), bytes) ||
      bytes > meter->limit - meter->live)
    return std::nullopt;
  Tensor tensor;
  tensor.format = format;
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.storage = std::make_shared<Storage>(meter, bytes);
  return tensor;
}

int64_t Tensor::getNumElements() const { return countElements(shape); }

SmallVector<int64_t>
mlir::scan::reference::getStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  // Without elements strides are never used, and need not even fit.
  if (countElements(shape) == 0)
    return strides;
  for (size_t i = shape.size(); i > 1; --i)
    strides[i - 2] = strides[i - 1] * shape[i - 1];
  return strides;
}

bool mlir::scan::reference::nextPoint(MutableArrayRef<int64_t> point,
                                      ArrayRef<int64_t> extents) {
  for (size_t i = point.size(); i > 0; --i) {
    if (++point[i - 1] < extents[i - 1])
      return true;
    point[i - 1] = 0;
  }
  return false;
}
