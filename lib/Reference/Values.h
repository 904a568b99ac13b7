//===- Values.h - What the interpreter computes with ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_REFERENCE_VALUES_H
#define SCAN_LIB_REFERENCE_VALUES_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

namespace mlir::scan::reference {

/// How a number is held. This is not its type in the program: in a combine
/// region a `bf16` value is held as F32.
struct Format {
  enum Kind : uint8_t { Integer, F16, BF16, F32, F64, C32, C64 };
  Kind kind = Integer;
  /// Bits, of integers only: 1 to 64.
  uint8_t width = 64;

  static Format integer(unsigned width) {
    return {Integer, static_cast<uint8_t>(width)};
  }
  bool isInteger() const { return kind == Integer; }
  /// A real floating-point number.
  bool isFloat() const { return kind >= F16 && kind <= F64; }
  bool isComplex() const { return kind >= C32; }
  bool operator==(const Format &other) const {
    return kind == other.kind && width == other.width;
  }
  bool operator!=(const Format &other) const { return !(*this == other); }
  /// Bytes of an element of a tensor.
  int64_t getByteSize() const;
};

/// The format that holds values of a scalar type; nothing if unsupported.
std::optional<Format> getFormat(Type type);

/// A number in some format. Integers are zero-extended to 64 bits; F16 and BF16
/// numbers are the equal `float`.
union Scalar {
  uint64_t i;
  float f;
  double d;
  struct {
    float re, im;
  } cf;
  // The widest member: `{}` must leave no byte undefined, whichever member is
  // read afterwards.
  struct {
    double re, im;
  } cd = {0, 0};
};

inline uint64_t truncateBits(uint64_t value, unsigned width) {
  return width >= 64 ? value : value & ((uint64_t(1) << width) - 1);
}
inline int64_t signExtend(uint64_t value, unsigned width) {
  return static_cast<int64_t>(value << (64 - width)) >> (64 - width);
}

float halfToFloat(uint16_t bits);
uint16_t floatToHalf(float value);
inline float bfloatToFloat(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}
uint16_t floatToBFloat(float value);

/// Rounds to the nearest number of a real format, ties to even.
float roundFloat(float value, Format format);
/// The same from `double`, rounding once.
float roundDouble(double value, Format format);

/// A real number as `double`, exactly.
double toDouble(Scalar value, Format format);
/// A real number rounded to a real format.
Scalar fromDouble(double value, Format format);

/// `value` in another format of the same kind. Integers are sign-extended or
/// truncated, floats extended or rounded once.
Scalar convert(Scalar value, Format from, Format to);

/// Element `index` of the elements that start at `data`.
Scalar loadElement(const char *data, int64_t index, Format format);
void storeElement(char *data, int64_t index, Format format, Scalar value);

/// The bytes of live tensors, against which each allocation is checked.
struct MemoryMeter {
  int64_t live = 0;
  int64_t limit = 0;
};

/// The elements of a tensor, counted by a meter for as long as they live.
struct Storage {
  Storage(std::shared_ptr<MemoryMeter> meter, int64_t size)
      : meter(std::move(meter)), size(size), bytes(size) {
    this->meter->live += size;
  }
  ~Storage() { meter->live -= size; }
  Storage(const Storage &) = delete;
  Storage &operator=(const Storage &) = delete;

  std::shared_ptr<MemoryMeter> meter;
  int64_t size;
  std::vector<char> bytes;
};

/// A dense row-major tensor. Copies share their elements; whoever writes makes
/// them unique first.
struct Tensor {
  Format format;
  SmallVector<int64_t, 4> shape;
  std::shared_ptr<Storage> storage;

  /// A tensor of zeros; nothing if it would exceed the memory limit.
  static std::optional<Tensor> create(const std::shared_ptr<MemoryMeter> &meter,
                                      Format format, ArrayRef<int64_t> shape);
  int64_t getNumElements() const;
  const char *data() const { return storage->bytes.data(); }
  bool isUnique() const { return storage.use_count() == 1; }

  Scalar load(int64_t index) const {
    return loadElement(storage->bytes.data(), index, format);
  }
  void store(int64_t index, Scalar value) {
    storeElement(storage->bytes.data(), index, format, value);
  }
};

/// The distance, in elements, between neighbours along each dimension.
SmallVector<int64_t> getStrides(ArrayRef<int64_t> shape);

/// Advances `point` to the next index of the box `extents`, last dimension
/// fastest; false after the last one.
bool nextPoint(MutableArrayRef<int64_t> point, ArrayRef<int64_t> extents);

/// Product of extents; saturates instead of overflowing.
int64_t countElements(ArrayRef<int64_t> shape);

} // namespace mlir::scan::reference

#endif // SCAN_LIB_REFERENCE_VALUES_H
