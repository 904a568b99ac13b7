//===- VariantTree.cpp - Which schedule is for which extents --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Variants.h"
#include "llvm/ADT/StringExtras.h"
#include <array>

using namespace mlir;
using namespace mlir::scan;

const VariantTree &VariantTree::find(int64_t steps, int64_t batch) const {
  if (isLeaf())
    return *this;
  return (condition.holds(steps, batch) ? below : above)->find(steps, batch);
}

namespace {
/// Extents of a node: from `from` to before `before`, of steps and of batches.
struct LeafRange {
  std::array<int64_t, 2> from = {0, 0};
  std::array<int64_t, 2> before = {ShapedType::kDynamic, ShapedType::kDynamic};

  std::string describe() const {
    SmallVector<std::string> parts;
    for (unsigned axis : {0, 1}) {
      std::string name = axis == 0 ? "steps" : "batch";
      if (from[axis] > 0)
        parts.push_back(name + " >= " + std::to_string(from[axis]));
      if (!ShapedType::isDynamic(before[axis]))
        parts.push_back(name + " < " + std::to_string(before[axis]));
    }
    return llvm::join(parts, " and ");
  }
};
} // namespace

static void
visitLeaves(const VariantTree &tree, const LeafRange &range,
            function_ref<void(const VariantTree &, StringRef)> visit) {
  if (tree.isLeaf())
    return visit(tree, range.describe());
  unsigned axis = tree.condition.isOnSteps ? 0 : 1;
  LeafRange below = range, above = range;
  below.before[axis] = above.from[axis] = tree.condition.limit;
  visitLeaves(*tree.below, below, visit);
  visitLeaves(*tree.above, above, visit);
}

void VariantTree::forEachLeaf(
    function_ref<void(const VariantTree &, StringRef)> visit) const {
  visitLeaves(*this, LeafRange(), visit);
}
