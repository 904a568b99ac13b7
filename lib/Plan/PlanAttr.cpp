//===- PlanAttr.cpp - What a manifest says of a kernel's plan -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelPlan.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::scan;

static StringRef stringifyKernelKind(KernelKind kind) {
  switch (kind) {
  case KernelKind::Sequential:
    return "sequential";
  case KernelKind::SplitStates:
    return "split-states";
  case KernelKind::Row:
    return "row";
  case KernelKind::GridRow:
    return "grid-row";
  case KernelKind::PersistentRow:
    return "persistent-row";
  case KernelKind::WarpSpecializedRow:
    return "warp-specialized-row";
  case KernelKind::Bidirectional:
    return "bidirectional";
  case KernelKind::BidirectionalColumn:
    return "bidirectional-column";
  case KernelKind::CheckpointedColumn:
    return "checkpointed-column";
  case KernelKind::Column:
    return "column";
  case KernelKind::GridColumn:
    return "grid-column";
  }
  llvm_unreachable("unknown kind of kernel");
}

DictionaryAttr KernelPlan::getAttr(MLIRContext *context) const {
  Builder b(context);
  SmallVector<Attribute> places;
  for (const SharedRegion &region : regions)
    places.push_back(b.getDictionaryAttr(
        {b.getNamedAttr("name", b.getStringAttr(region.name)),
         b.getNamedAttr("bytes", b.getI64IntegerAttr(region.bytes))}));
  return b.getDictionaryAttr(
      {b.getNamedAttr("kernel", b.getStringAttr(stringifyKernelKind(kind))),
       b.getNamedAttr("tile_steps",
                      b.getI64IntegerAttr(schedule.getTileSteps())),
       b.getNamedAttr("stages", b.getI64IntegerAttr(stages)),
       b.getNamedAttr("prefetches", b.getBoolAttr(prefetches)),
       b.getNamedAttr("shared_regions", b.getArrayAttr(places)),
       b.getNamedAttr("descriptor_bytes", b.getI64IntegerAttr(descriptorBytes)),
       b.getNamedAttr("look_back_bytes", b.getI64IntegerAttr(lookBackBytes))});
}
