//===- AffineMaps.h - Scans of affine maps ----------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What h_t = A_t h_{t-1} + b_t composes, for small matrices A_t: of these only
// the entries are leaves of the scan that are not 0 or 1 in every product.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_DIFFERENTIATE_AFFINEMAPS_H
#define SCAN_LIB_TRANSFORMS_DIFFERENTIATE_AFFINEMAPS_H

#include "Jacobian.h"

namespace mlir::scan::differentiate {

class AffineMaps {
public:
  /// `pattern` is that of the matrix of one step, `types` has the type of each
  /// state.
  AffineMaps(Sparsity pattern, ArrayRef<Type> types);

  unsigned getNumStates() const { return types.size(); }
  /// Per entry that is scanned its row and column.
  ArrayRef<std::pair<unsigned, unsigned>> getEntries() const { return entries; }
  const Sparsity &getPattern() const { return pattern; }
  Type getType(unsigned state) const { return types[state]; }

  /// The entries of the identity, which a scan starts from.
  SmallVector<Value> createIdentity(ScalarMath math) const;
  /// The types of the leaves: the entries, then the states.
  SmallVector<Type> getLeafTypes() const;
  /// The map of `args[0..]`, accumulated, before that of the other half, both
  /// the entries, then the offsets.
  SmallVector<Value> emitComposition(OpBuilder &builder, Location loc,
                                     ValueRange args) const;
  /// The same, as a combine region yields it.
  SmallVector<Value> emitCombine(OpBuilder &builder, Location loc,
                                 ValueRange args) const;

private:
  Sparsity pattern, closed;
  SmallVector<Type> types;
  SmallVector<std::pair<unsigned, unsigned>> entries;
};

} // namespace mlir::scan::differentiate

#endif // SCAN_LIB_TRANSFORMS_DIFFERENTIATE_AFFINEMAPS_H
