//===- AssignSchedule.cpp - --scan-assign-schedule ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"
#include "Dispatch.h"
#include "IR/MatchCounts.h"
#include "Plan/KernelPlan.h"
#include "Scan/Schedule/Passes.h"
#include "Target/HostAttributes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Threading.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANASSIGNSCHEDULE
#include "Scan/Schedule/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

/// A schedule that was asked for, or whose kernel has grown by fusion, may ask
/// for more shared memory than there is.
static void explainSharedMemory(KernelOp kernel, const GPUModel &gpu) {
  ScheduleAttr schedule = kernel.getScheduleAttr();
  int64_t limit = getSharedLimit(schedule, gpu.chip);
  int64_t bytes = KernelPlan::get(kernel, schedule, limit).wantedSharedBytes;
  if (bytes <= limit)
    return;
  auto function = kernel->getParentOfType<FunctionOpInterface>();
  remark::missed(kernel.getLoc(),
                 remark::RemarkOpts::name("AssignSchedule")
                     .category("scan-assign-schedule")
                     .function(function ? function.getName() : StringRef()))
      << "operands find no room in shared memory and are accessed in a slower "
         "order"
      << remark::reason("the schedule takes {0} bytes of {1}; lower threads or "
                        "items",
                        bytes, limit);
}

/// The leaf of this number, counted from 1; the last one if there are fewer.
static VariantTree takeLeaf(const VariantTree &tree, unsigned number) {
  VariantTree taken;
  tree.forEachLeaf([&](const VariantTree &leaf, StringRef) {
    if (number > 0)
      taken.schedule = leaf.schedule;
    number -= number > 0;
  });
  return taken;
}

/// A number that no scan has which was dispatched before.
static int64_t getFreshNumber(ArrayRef<KernelOp> kernels) {
  int64_t fresh = 0;
  for (KernelOp kernel : kernels)
    if (auto variant = dyn_cast_or_null<DenseI64ArrayAttr>(
            kernel->getDiscardableAttr(variantAttrName));
        variant && !variant.empty())
      fresh = std::max(fresh, variant[0] + 1);
  return fresh;
}

namespace {
struct ScanAssignSchedule
    : public scan::impl::ScanAssignScheduleBase<ScanAssignSchedule> {
  using ScanAssignScheduleBase::ScanAssignScheduleBase;

  /// The schedules of `kernel`, which has none. It depends on nothing but the
  /// kernel and what is around it, and changes nothing.
  VariantTree choose(KernelOp kernel, const GPUModel &gpu) const {
    if (variant == 0 && !(dispatch && succeeded(checkDispatchable(kernel))))
      return VariantTree(chooseSchedule(kernel, gpu));
    VariantLimits limits = getVariantLimits(kernel, gpu, maxVariants);
    // Alone, only the largest tile is right for all extents.
    if (variant > 0 && kernel.isBidirectional())
      limits.most = 1;
    VariantTree variants = chooseVariants(kernel, gpu, limits);
    return variant > 0 ? takeLeaf(variants, variant) : std::move(variants);
  }

  void runOnOperation() override {
    const GPUModel *known = lookupGPUModel(chip);
    if (!known) {
      getOperation()->emitError()
          << "expected a known chip, found '" << chip.getValue()
          << "'; known are " << getKnownChipNames();
      return signalPassFailure();
    }
    GPUModel gpu = *known;
    std::optional<TuningCache> cache = TuningCache::open(tuning, &getContext());
    gpu.tuning = cache ? &*cache : nullptr;
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    unsigned assigned = 0, kept = 0, dispatched = 0;
    int64_t number = getFreshNumber(kernels);
    IRRewriter rewriter(&getContext());
    // Before there are copies of any of them, which count as scans together.
    SmallVector<VariantTree> choices(kernels.size());
    parallelFor(&getContext(), 0, kernels.size(), [&](size_t i) {
      if (!kernels[i].getScheduleAttr())
        choices[i] = choose(kernels[i], gpu);
    });
    for (auto [kernel, variants] : llvm::zip_equal(kernels, choices)) {
      if (ScheduleAttr schedule = kernel.getScheduleAttr()) {
        ++kept;
        if (failed(checkSchedule(kernel, schedule, gpu)))
          return signalPassFailure();
        explainSharedMemory(kernel, gpu);
        continue;
      }
      ++assigned;
      createDispatch(rewriter, kernel, variants, number + dispatched);
      dispatched += !variants.isLeaf();
    }
    numAssigned += assigned;
    numKept += kept;
    numDispatched += dispatched;
    addMatchCounts(getOperation(), getArgument(),
                   {{"schedules-assigned", assigned},
                    {"schedules-kept", kept},
                    {"kernels-dispatched", dispatched}});
  }
};
} // namespace
