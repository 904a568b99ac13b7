//===- ExtentTable.h - Which dynamic extents are equal ----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_ANALYSIS_EXTENTTABLE_H
#define SCAN_LIB_ANALYSIS_EXTENTTABLE_H

#include "SymbolicPolynomial.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::scan {

/// The extents of all tensors and memrefs below an operation, and the indices
/// that are computed from extents, as quantities. Extents that are equal in
/// every run that succeeds are one symbol: those that an operation needs to be
/// equal, those of a destination and its result, a `dim` and what it asks for,
/// what a loop passes on from step to step.
///
/// Symbols are called as in a launch manifest: `arg0_d1` is the extent of
/// dimension 1 of argument 0, `arg2` an index argument; what is neither is
/// `n0`, `n1`, ...
class ExtentTable {
public:
  /// Of everything below `root`; the names are those of the arguments of `root`
  /// if it is a function. What is created later is not known to the table, but
  /// may be asked for, and gets symbols of its own.
  explicit ExtentTable(Operation *root);
  /// Of the blocks around `at`, up to that of `root`, without what lies in
  /// regions beside them: equal is then only what is so whenever `at` is
  /// reached, and not what a branch that is not taken would need. Rewrites have
  /// to ask this table.
  ExtentTable(Operation *root, Operation *at);

  SymbolicPolynomial getExtent(Value shaped, unsigned dim);
  llvm::SmallVector<SymbolicPolynomial> getExtents(Value shaped);
  SymbolicPolynomial getNumElements(Value shaped);
  /// The value of an index or of a constant.
  SymbolicPolynomial getIndex(OpFoldResult index);
  /// A number that nothing is known about.
  SymbolicPolynomial makeUnknown();

  std::string getName(SymbolicPolynomial::Symbol symbol) const {
    return names[symbol];
  }
  unsigned getNumSymbols() const { return names.size(); }
  std::string toString(const SymbolicPolynomial &polynomial) const;

  /// What a name stands for: a symbol, or, for `arg0_d1` or `arg2` where that
  /// is known, a constant or an expression. Several names may stand for one
  /// symbol: `arg0_d1` and `arg1_d1` may be the same extent. Nothing if no
  /// argument and no symbol so far is called so.
  std::optional<SymbolicPolynomial> lookup(llvm::StringRef name);

private:
  /// A dimension of a shaped value, or, as dimension `kIndex`, an index.
  using Key = std::pair<Value, unsigned>;
  static constexpr unsigned kIndex = ~0u;

  unsigned getClass(Key key);
  unsigned find(unsigned number);
  /// Whether this was news.
  bool unify(Key a, Key b);
  void unify(Key a, OpFoldResult b);
  void unifyShapes(Value a, Value b);
  void unifyMapped(ValueRange values, ArrayRef<AffineMap> maps);

  void addOperation(Operation *op);
  void addShapeOperation(Operation *op);
  void addLoops(Operation *root);
  SymbolicPolynomial getValue(Key key);
  /// What an index is computed from, or the extent of a reshaped dimension.
  std::optional<SymbolicPolynomial> getDefinition(Key key);
  SymbolicPolynomial makeSymbol(std::string name);

  /// The members of the class of which `number` is the representative.
  llvm::SmallVector<Key> getMembers(unsigned number) const;

  /// Keys are numbered in the order in which they are seen first.
  llvm::DenseMap<Key, unsigned> classes;
  std::vector<Key> keys;
  std::vector<unsigned> parents;
  /// The members of a class are a list that starts with its representative:
  /// the next member of each, the last one's being itself, and, at the
  /// representative, the last one. So joining two classes takes no time in
  /// proportion to either.
  std::vector<unsigned> next, last;
  llvm::DenseMap<unsigned, SymbolicPolynomial> values;
  llvm::DenseSet<unsigned> inProgress;
  std::vector<std::string> names;
  Operation *root;
  unsigned numUnknown = 0;
};

} // namespace mlir::scan

#endif // SCAN_LIB_ANALYSIS_EXTENTTABLE_H
