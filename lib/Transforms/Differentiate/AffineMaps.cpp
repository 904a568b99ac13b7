//===- AffineMaps.cpp - Scans of affine maps ------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AffineMaps.h"
#include "../Utils/ScalarCast.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

AffineMaps::AffineMaps(Sparsity pattern, ArrayRef<Type> types)
    : pattern(std::move(pattern)), closed(this->pattern.closure()),
      types(types) {
  for (unsigned i = 0; i < types.size(); ++i)
    for (unsigned j = 0; j < types.size(); ++j)
      if (closed.at(i, j) == Entry::Value)
        entries.push_back({i, j});
}

SmallVector<Value> AffineMaps::createIdentity(ScalarMath math) const {
  return llvm::map_to_vector(entries, [&](std::pair<unsigned, unsigned> entry) {
    return math.constant(types[entry.first],
                         entry.first == entry.second ? 1.0 : 0.0);
  });
}

SmallVector<Type> AffineMaps::getLeafTypes() const {
  SmallVector<Type> leaves;
  for (auto [row, column] : entries)
    leaves.push_back(types[row]);
  llvm::append_range(leaves, types);
  return leaves;
}

SmallVector<Value> AffineMaps::emitCombine(OpBuilder &b, Location loc,
                                           ValueRange args) const {
  SmallVector<Value> yields = emitComposition(b, loc, args);
  // A region yields no argument, and nothing twice.
  DenseSet<Value> seen;
  for (Value &yield : yields)
    if (isa<BlockArgument>(yield) || !seen.insert(yield).second)
      yield = CloneOp::create(b, loc, yield);
  return yields;
}

SmallVector<Value> AffineMaps::emitComposition(OpBuilder &b, Location loc,
                                               ValueRange args) const {
  ScalarMath math{b, loc};
  size_t size = types.size(), half = entries.size() + size;
  // The entry of the accumulated (0) or new (1) matrix; null if it is constant.
  auto getEntry = [&](unsigned which, unsigned row, unsigned column) -> Value {
    for (auto [i, entry] : llvm::enumerate(entries))
      if (entry == std::make_pair(row, column))
        return args[which * half + i];
    return {};
  };
  auto accumulate = [&](Value sum, Value term) {
    return sum ? math.add(sum, term) : term;
  };
  SmallVector<Value> yields;
  for (auto [row, column] : entries) {
    Type type = types[row];
    Value sum;
    for (unsigned k = 0; k < size; ++k) {
      if (closed.at(row, k) == Entry::Zero ||
          closed.at(k, column) == Entry::Zero)
        continue;
      Value left = getEntry(1, row, k), right = getEntry(0, k, column);
      if (right)
        right = castScalar(b, loc, right, type);
      Value term = left && right ? math.mul(left, right)
                   : left        ? left
                   : right       ? right
                                 : math.constant(type, 1.0);
      sum = accumulate(sum, term);
    }
    if (!sum)
      sum = math.constant(type, 0.0);
    yields.push_back(sum);
  }
  for (unsigned i = 0; i < size; ++i) {
    Value sum;
    for (unsigned k = 0; k < size; ++k) {
      if (closed.at(i, k) == Entry::Zero)
        continue;
      Value factor = getEntry(1, i, k);
      Value state = castScalar(b, loc, args[entries.size() + k], types[i]);
      sum = accumulate(sum, factor ? math.mul(factor, state) : state);
    }
    Value offset = args[half + entries.size() + i];
    yields.push_back(sum ? math.add(sum, offset) : offset);
  }
  return yields;
}
