//===- PackedAccess.h - Vectorized accesses to packed elements --*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Neighbouring elements of one thread are loaded and stored by vectorized
// accesses of up to 16 bytes. In registers they stay packed in words, as narrow
// ones as there are registers for, and become elements where they are computed
// with: two 16-bit floats take one register until then. Whether an address is a
// multiple of the width of its accesses is not known before the kernel runs:
// kernels test it once, at their start (GlobalPointer), and have slower
// accesses for when it is not.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_PACKEDACCESS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_PACKEDACCESS_H

#include "VectorAccess.h"

namespace mlir::scan {

/// How elements that lie side by side in memory are accessed at once.
struct PackedAccess {
  Type elementType;
  int64_t numElements = 0;
  /// An integer of 64 bits for elements whose numbers have so many, else of 32
  /// bits, or fewer where there are fewer bytes.
  IntegerType word;
  int64_t numWords = 0;
  /// Words per access; an access has at most 16 bytes.
  int64_t wordsPerAccess = 0;

  static PackedAccess get(Type elementType, int64_t numElements);

  int64_t getWordBytes() const { return word.getWidth() / 8; }
  /// What the address of every access has to be a multiple of.
  int64_t getAccessBytes() const { return wordsPerAccess * getWordBytes(); }
  /// Whether that is more than loads and stores of elements move at once.
  bool isVectorized() const;
};

/// The elements of `access` in its words, and back.
SmallVector<Value> unpackWords(ImplicitLocOpBuilder &b,
                               const PackedAccess &access, ValueRange words);
SmallVector<Value> packWords(ImplicitLocOpBuilder &b,
                             const PackedAccess &access, ValueRange elements);

/// Loads and stores the elements at `address`, an `!llvm.ptr<1>` that is a
/// multiple of `access.getAccessBytes()`.
SmallVector<Value> loadWords(ImplicitLocOpBuilder &b,
                             const PackedAccess &access, Value address);
void storeWords(ImplicitLocOpBuilder &b, const PackedAccess &access,
                Value address, ValueRange words);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_PACKEDACCESS_H
