//===- TripleSource.h - Random states of a scan -----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PROVE_TRIPLESOURCE_H
#define SCAN_LIB_PROVE_TRIPLESOURCE_H

#include "Numbers.h"
#include "RegionArithmetic.h"
#include <random>

namespace mlir::scan::prove {

/// Draws triples within the invariants of a scan: small integers and binary
/// fractions, on which sums and products are exact, well-scaled random numbers,
/// the least and greatest integers, and now and then equal elements. Where
/// `arithmetic` rounds nothing, also infinities, the least and greatest
/// floating-point numbers, denormal ones, both zeros and, with `withNaN`, NaN;
/// where it does, only with `withNaN`.
class TripleSource {
public:
  TripleSource(AssociativeOp op, const RegionArithmetic &arithmetic,
               uint64_t seed, bool withNaN);
  Triples draw(int64_t count);

private:
  Number drawNumber(unsigned leaf, Type type);
  Number drawAny(Type type);
  Number drawBetween(unsigned leaf, Type type);
  int64_t drawInteger(unsigned width);
  double drawReal(FloatType type);
  uint64_t below(uint64_t bound) { return generator() % bound; }
  double uniform() { return static_cast<double>(generator() >> 11) * 0x1p-53; }

  AssociativeOp op;
  RegionArithmetic arithmetic;
  SmallVector<LeafInvariant> invariants;
  bool withNaN;
  std::mt19937_64 generator;
};

} // namespace mlir::scan::prove

#endif // SCAN_LIB_PROVE_TRIPLESOURCE_H
