//===- Numbers.h - States of a scan as doubles and integers -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PROVE_NUMBERS_H
#define SCAN_LIB_PROVE_NUMBERS_H

#include "IR/LeafInvariants.h"
#include "Replay.h"
#include <array>

namespace mlir::scan::prove {

/// One number of a state, of any element type: of an integer `integer` is set
/// (sign-extended; i1 is 0 or 1), of real and complex numbers the others.
struct Number {
  int64_t integer = 0;
  double real = 0, imaginary = 0;
};

/// Element `index` of an array. Stored numbers are rounded to the element type.
Number loadNumber(const HostArray &array, int64_t index);
void storeNumber(HostArray &array, int64_t index, const Number &number);

/// Whether `number`, of type `type`, is as all of `invariants` say that are of
/// leaf `leaf`.
bool satisfies(ArrayRef<LeafInvariant> invariants, unsigned leaf, Type type,
               const Number &number);

/// States with the numbers of `values` in other element types, one per leaf.
LeafValues convertStates(const LeafValues &values, TypeRange elementTypes);

/// The states with these indices, in this order; the same one may stand twice.
LeafValues takeStates(const LeafValues &values, ArrayRef<int64_t> indices);
int64_t countStates(const LeafValues &values);

/// The states a, b and c of each of N triples.
using Triples = std::array<LeafValues, 3>;

} // namespace mlir::scan::prove

#endif // SCAN_LIB_PROVE_NUMBERS_H
