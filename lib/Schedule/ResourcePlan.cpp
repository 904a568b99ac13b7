//===- ResourcePlan.cpp - What ptxas should be asked about ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResourcePlan.h"
#include "CostModel.h"
#include "KernelHash.h"
#include "Variants.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::scan;

/// The schedules of all variants, of programs that are compiled beforehand and
/// of those whose kernels are compiled when they are first needed.
static llvm::SetVector<ScheduleAttr> listChosen(KernelOp kernel,
                                                const GPUModel &gpu) {
  llvm::SetVector<ScheduleAttr> schedules;
  schedules.insert(chooseSchedule(kernel, gpu));
  for (unsigned asked : {0u, kMostVariantsOnDemand})
    chooseVariants(kernel, gpu, getVariantLimits(kernel, gpu, asked))
        .forEachLeaf([&](const VariantTree &leaf, StringRef) {
          schedules.insert(leaf.schedule);
        });
  return schedules;
}

ResourcePlan ResourcePlan::get(FunctionOpInterface function, StringRef chip,
                               const TuningCache &cache) {
  GPUModel gpu = *lookupGPUModel(chip);
  gpu.tuning = &cache;
  ResourcePlan plan;
  function.walk([&](KernelOp kernel) {
    Kernel &planned = plan.kernels.emplace_back();
    planned.hash = getKernelHash(kernel);
    planned.schedule = kernel.getScheduleAttr();
    planned.isGiven = planned.schedule != nullptr;
    if (planned.isGiven)
      return;
    llvm::SetVector<ScheduleAttr> chosen = listChosen(kernel, gpu);
    planned.schedule = chosen.front();
    MeasuredSchedules known = MeasuredSchedules::get(kernel, gpu);
    llvm::copy_if(
        chosen, std::back_inserter(planned.unknown),
        [&](ScheduleAttr schedule) { return !known.findResources(schedule); });
  });
  return plan;
}
