//===- FactoredTotals.cpp - Sums over parts without shared factors --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FactoredTotals.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::scan;

/// The sums that `term` contributes to, multiplied by `factors`.
SmallVector<FactoredTotals::Addend>
FactoredTotals::factor(Value term, SmallVector<Value> factors,
                       const DenseSet<Value> &ofParts) {
  // A term that others need as it is, is computed anyway.
  Operation *op = term.hasOneUse() ? term.getDefiningOp() : nullptr;
  if (auto sum = dyn_cast_if_present<arith::AddFOp>(op)) {
    SmallVector<Addend> addends = factor(sum.getLhs(), factors, ofParts);
    llvm::append_range(addends, factor(sum.getRhs(), factors, ofParts));
    return addends;
  }
  if (auto product = dyn_cast_if_present<arith::MulFOp>(op)) {
    Value shared = product.getLhs(), rest = product.getRhs();
    if (ofParts.contains(shared))
      std::swap(shared, rest);
    if (!ofParts.contains(shared)) {
      factors.push_back(shared);
      return factor(rest, factors, ofParts);
    }
  }
  terms.insert(term);
  unsigned number = llvm::find(terms, term) - terms.begin();
  return {{number, factors}};
}

FactoredTotals::FactoredTotals(KernelOp kernel, const StateSplit &split,
                               ArrayRef<StateSplit::Total> ofSplit) {
  DenseSet<Value> ofParts =
      SharedValues::getOfParts(kernel, kernel.getStore(), split);
  for (const StateSplit::Total &total : ofSplit)
    totals.push_back(
        {total.value, factor(total.term, {}, ofParts), total.others});
}

void FactoredTotals::map(ImplicitLocOpBuilder &b, ValueRange sums,
                         IRMapping &mapping) const {
  for (const Total &total : totals) {
    Value value;
    auto add = [&](Value addend) {
      value = value ? createSum(b, value, addend) : addend;
      fuseProducts(value);
    };
    for (const Addend &addend : total.addends) {
      Value product = sums[addend.term];
      for (Value factor : addend.factors)
        product =
            arith::MulFOp::create(b, product, cloneValue(b, factor, mapping));
      add(product);
    }
    for (Value other : total.others)
      if (!matchPattern(other, m_AnyZeroFloat()))
        add(cloneValue(b, other, mapping));
    mapping.map(total.value, value);
  }
}
