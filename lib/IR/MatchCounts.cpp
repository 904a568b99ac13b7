//===- MatchCounts.cpp - How often passes found something -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatchCounts.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::scan;

DictionaryAttr scan::getMatchCounts(Operation *op) {
  auto matches = op->getAttrOfType<DictionaryAttr>(kMatchesAttrName);
  return matches ? matches : DictionaryAttr::get(op->getContext());
}

void scan::addMatchCounts(Operation *op, StringRef pass,
                          ArrayRef<MatchCount> counts) {
  if (!op->hasAttrOfType<DictionaryAttr>(kMatchesAttrName))
    return;
  Builder builder(op->getContext());
  NamedAttrList matches(getMatchCounts(op)), ofPass;
  if (auto before = dyn_cast_or_null<DictionaryAttr>(matches.get(pass)))
    ofPass.append(before.begin(), before.end());
  for (const MatchCount &match : counts) {
    auto before = dyn_cast_or_null<IntegerAttr>(ofPass.get(match.name));
    int64_t sum = match.count;
    // What somebody has written there by hand may be of any type.
    if (before && before.getType().isInteger(64))
      sum += before.getInt();
    ofPass.set(match.name, builder.getI64IntegerAttr(sum));
  }
  matches.set(pass, builder.getDictionaryAttr(ofPass));
  op->setAttr(kMatchesAttrName, builder.getDictionaryAttr(matches));
}
