//===- TileVariants.cpp - Tiles that hold a row in both directions --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/StepsRange.h"
#include "Plan/OneTileSchedule.h"
#include "Variants.h"

using namespace mlir;
using namespace mlir::scan;

std::optional<VariantTree>
mlir::scan::chooseTileVariants(KernelOp kernel, const VariantLimits &limits) {
  constexpr int64_t kLargeTile = 1024, kSmallestTile = 32;
  StepsRange range = getStepsRange(kernel);
  bool isDynamic =
      ShapedType::isDynamic(kernel.getStaticDomainShape()[kernel.getDim()]);
  if (!kernel.isBidirectional() || !isDynamic || !range.isLimited() ||
      kernel.getOrder() == Order::Sequential)
    return std::nullopt;
  int64_t most = std::max<int64_t>(range.most, 1);
  std::optional<ScheduleAttr> schedule = getOneTileSchedule(kernel, most);
  if (!schedule)
    return std::nullopt;
  VariantTree tree(*schedule);
  for (unsigned count = 1; count < limits.most; ++count) {
    most /= most > kLargeTile ? 2 : 4;
    std::optional<ScheduleAttr> smaller = getOneTileSchedule(kernel, most);
    if (!smaller || most < std::max(kSmallestTile, range.least))
      break;
    // The tree so far is for what is larger.
    VariantTree larger = std::move(tree);
    tree = VariantTree();
    tree.condition = {/*isOnSteps=*/true, most + 1};
    tree.below = std::make_unique<VariantTree>(*smaller);
    tree.above = std::make_unique<VariantTree>(std::move(larger));
  }
  return tree;
}
