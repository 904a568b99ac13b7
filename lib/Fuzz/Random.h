//===- Random.h - Random numbers that a seed repeats ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_RANDOM_H
#define SCAN_LIB_FUZZ_RANDOM_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>

namespace mlir::scan::fuzz {

/// splitmix64: the same numbers on every platform. Streams with different seeds
/// have nothing to do with each other, so that program 1234 of a seed can be
/// made without its predecessors.
class Random {
public:
  explicit Random(uint64_t seed, uint64_t stream = 0)
      : state(mix(seed) + mix(stream * 2 + 1)) {}

  uint64_t next() {
    state += 0x9E3779B97F4A7C15ull;
    return mix(state);
  }
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

private:
  static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  uint64_t state;
};

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_RANDOM_H
