//===- Random.h - Random numbers that a seed repeats ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_RANDOM_H
#define SCAN_LIB_FUZZ_RANDOM_H

#include "Execution/SplitMix64.h"
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>

namespace mlir::scan::fuzz {

/// The same numbers on every platform. Streams with different seeds have
/// nothing to do with each other, so that program 1234 of a seed can be made
/// without its predecessors.
class Random : public SplitMix64 {
public:
  explicit Random(uint64_t seed, uint64_t stream = 0)
      : SplitMix64(mix(seed) + mix(stream * 2 + 1)) {}

  /// Uniform in [0, bound), which is not 0.
  uint64_t below(uint64_t bound) { return next() % bound; }
  /// Uniform in [low, high].
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(high - low + 1));
  }
  bool chance(unsigned percent) { return below(100) < percent; }
  /// Uniform in [low, high).
  double real(double low, double high) {
    return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53;
  }
  template <typename T> T pick(std::initializer_list<T> choices) {
    return *(choices.begin() + below(choices.size()));
  }
  template <typename Range> const auto &pick(const Range &choices) {
    return *(std::begin(choices) + below(std::size(choices)));
  }
};

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_RANDOM_H
