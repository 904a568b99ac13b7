//===- SplitMix64.h - Random numbers, the same everywhere -------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The generator behind generated inputs, the emulator's scheduling and the
// fuzzer. The standard library's engines are reproducible, but their
// distributions differ between implementations.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_SPLITMIX64_H
#define SCAN_LIB_EXECUTION_SPLITMIX64_H

#include <cstdint>

namespace mlir::scan {

/// splitmix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number
/// Generators", 2014).
class SplitMix64 {
public:
  /// What the state advances by.
  static constexpr uint64_t kGamma = 0x9E3779B97F4A7C15u;

  explicit SplitMix64(uint64_t seed) : state(seed) {}

  uint64_t next() { return mix(state += kGamma); }

  /// The output function: a bijection of 64 bits.
  static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

private:
  uint64_t state;
};

} // namespace mlir::scan

#endif // SCAN_LIB_EXECUTION_SPLITMIX64_H
