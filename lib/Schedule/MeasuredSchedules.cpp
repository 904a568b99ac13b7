//===- MeasuredSchedules.cpp - What was measured of one kernel ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MeasuredSchedules.h"
#include "CostModel.h"
#include "KernelHash.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan;

MeasuredSchedules MeasuredSchedules::get(KernelOp kernel, const GPUModel &gpu) {
  MeasuredSchedules result;
  if (!gpu.tuning ||
      (gpu.tuning->getEntries().empty() && gpu.tuning->getResources().empty()))
    return result;
  MLIRContext *context = kernel.getContext();
  std::string hash = getKernelHash(kernel);
  // An entry whose schedule this version cannot have is none: the file may be
  // from another version.
  ScopedDiagnosticHandler ignoreAll(context,
                                    [](Diagnostic &) { return success(); });
  // Null where the entry is not of the kernel and the chip.
  auto read = [&](const auto &entry) -> ScheduleAttr {
    if (entry.kernel != hash || gpu.chip.name != entry.chip)
      return nullptr;
    auto schedule =
        dyn_cast_or_null<ScheduleAttr>(parseAttribute(entry.schedule, context));
    if (!schedule || failed(checkSchedule(kernel, schedule, gpu)))
      return nullptr;
    return schedule;
  };
  for (const TuningEntry &entry : gpu.tuning->getEntries())
    if (ScheduleAttr schedule = read(entry))
      result.all.push_back({&entry, schedule});
  for (const ResourceEntry &entry : gpu.tuning->getResources())
    if (ScheduleAttr schedule = read(entry))
      result.resources[schedule] = &entry;
  return result;
}

/// How far apart two numbers are, on a logarithmic scale.
static double getDistance(int64_t a, int64_t b) {
  return std::abs(std::log2(double(std::max<int64_t>(a, 1))) -
                  std::log2(double(std::max<int64_t>(b, 1))));
}

static bool areStepsNear(int64_t a, int64_t b) {
  return llvm::Log2_64_Ceil(std::max<int64_t>(a, 1)) ==
         llvm::Log2_64_Ceil(std::max<int64_t>(b, 1));
}

static bool isBatchNear(int64_t measured, int64_t batch) {
  return measured <= 2 * batch && batch < 2 * measured;
}

const MeasuredSchedules::Measured *
MeasuredSchedules::find(const KernelFacts &facts) const {
  const Measured *nearest = nullptr;
  std::pair<double, double> least;
  for (const Measured &measured : all) {
    int64_t steps = measured.entry->steps, batch = measured.entry->batch;
    std::pair distance(getDistance(batch, facts.batch),
                       getDistance(steps, facts.extent));
    bool isNear = (facts.isExtentStatic ? steps == facts.extent
                                        : areStepsNear(steps, facts.extent)) &&
                  (facts.isBatchStatic ? batch == facts.batch
                                       : isBatchNear(batch, facts.batch));
    if (isNear && (!nearest || distance < least)) {
      nearest = &measured;
      least = distance;
    }
  }
  return nearest;
}

const ResourceEntry *MeasuredSchedules::setResources(KernelPlan &plan) const {
  constexpr int64_t registerBytes = 4;
  const ResourceEntry *known = findResources(plan.schedule);
  if (known) {
    plan.registers = known->registers + known->spilledBytes / registerBytes;
    plan.codeInstructions = known->instructions;
  }
  return known;
}
