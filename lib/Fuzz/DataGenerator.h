//===- DataGenerator.h - Random arrays --------------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_DATAGENERATOR_H
#define SCAN_LIB_FUZZ_DATAGENERATOR_H

#include "Scan/Reference/HostArray.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace mlir::scan::fuzz {

/// How the elements of an argument are drawn.
enum class Values {
  Bits,     ///< integers: any bits
  Few,      ///< numbers out of a few, so that there are ties
  Unit,     ///< [-1, 1]; complex: modulus at most 1
  NearOne,  ///< within 0.05 of modulus 1: long products stay in range
  Rotation, ///< rows of a matrix whose moduli add up to 1
  Flag,     ///< 1 in one of eight elements
  Position, ///< the number of the element
  Small,    ///< integers from 0 to 3
  Third,    ///< modulus at most 1/3
  Positive, ///< [0.5, 1]
  Cancel,   ///< magnitudes over many orders, most of which cancel
  Tiny,     ///< around the smallest normal number
  Special,  ///< [-1, 1] with infinities, NaNs and zeros of both signs
  Infinite, ///< [-1, 1] with infinities
  Growing,  ///< magnitudes up to 64, whose products overflow, and some zeros
  Sparse,   ///< zeros, and a few numbers, some of them tiny
};

/// The kind of that name ("near_one"), if there is one.
std::optional<Values> parseValues(llvm::StringRef name);

/// An array of random elements; the same one for the same seed.
HostArray makeRandomArray(Values values, Type elementType,
                          llvm::ArrayRef<int64_t> shape, uint64_t seed);

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_DATAGENERATOR_H
