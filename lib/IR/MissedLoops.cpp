//===- MissedLoops.cpp - Why a loop is still a loop -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/MissedLoops.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::scan;

static constexpr llvm::StringLiteral kWhy = "scan.not_raised";

Location scan::getMissedLoopLoc(Location loop, Location place, StringRef why) {
  Builder builder(loop->getContext());
  auto reason = builder.getDictionaryAttr(
      builder.getNamedAttr(kWhy, builder.getStringAttr(why)));
  return FusedLoc::get(loop->getContext(), {loop, place}, reason);
}

std::optional<MissedLoop> scan::getMissedLoop(Location loop) {
  auto fused = dyn_cast<FusedLocWith<DictionaryAttr>>(LocationAttr(loop));
  if (!fused || fused.getLocations().size() != 2)
    return std::nullopt;
  auto why = fused.getMetadata().getAs<StringAttr>(kWhy);
  if (!why)
    return std::nullopt;
  return MissedLoop{fused.getLocations()[1], why.getValue()};
}
