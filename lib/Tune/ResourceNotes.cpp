//===- ResourceNotes.cpp - What ptxas says of schedules -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResourceNotes.h"
#include "Schedule/ResourcePlan.h"
#include "Target/Chips.h"
#include "Target/CudaToolkit.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::scan;

/// Choices change as long as they spill; what is left then is what it is.
static constexpr unsigned kMostPlanRounds = 12;

namespace {
/// One run of the tool.
class ResourceNotes {
public:
  ResourceNotes(const TunedFunction &function, StringRef chip,
                llvm::raw_ostream &err)
      : function(function), chip(chip), err(err) {}

  llvm::Error run(StringRef output);

private:
  llvm::Expected<bool> noteChosen();
  llvm::Error assemble(const ResourcePlan &plan, size_t number,
                       ScheduleAttr schedule);

  const TunedFunction &function;
  StringRef chip;
  llvm::raw_ostream &err;
  TuningCache cache;
  unsigned numAssembled = 0, numSpilling = 0;
};
} // namespace

/// Assembles a kernel under one schedule, beside all others.
llvm::Error ResourceNotes::assemble(const ResourcePlan &plan, size_t number,
                                    ScheduleAttr schedule) {
  SmallVector<ScheduleAttr> schedules;
  for (const ResourcePlan::Kernel &kernel : plan.kernels)
    schedules.push_back(kernel.schedule);
  schedules[number] = schedule;
  auto compiled = function.compile(schedules, chip);
  if (!compiled)
    return compiled.takeError();
  auto resources = assemblePTX(findPtxas(), compiled->ptx, chip);
  if (!resources)
    return resources.takeError();
  // Entries are called after the function and the number of the scan.
  std::string entry = (function.getName() + "_scan" + Twine(number)).str();
  auto found = llvm::find_if(*resources, [&](const KernelResources &kernel) {
    return kernel.entry == entry;
  });
  if (found == resources->end())
    return llvm::createStringError("expected a kernel '" + entry +
                                   "' in the PTX, found none");
  std::string text;
  llvm::raw_string_ostream(text) << Attribute(schedule);
  int64_t spilled = found->spillStoreBytes + found->spillLoadBytes;
  err << "kernel " << number << ", " << text << ": " << found->registers
      << " registers, " << spilled << " bytes spilled, " << found->instructions
      << " instructions\n";
  cache.add(ResourceEntry{chip.str(), plan.kernels[number].hash, text,
                          found->registers, spilled, found->instructions});
  ++numAssembled;
  numSpilling += spilled > 0;
  return llvm::Error::success();
}

/// Assembles what is chosen now and not known; whether there was any.
llvm::Expected<bool> ResourceNotes::noteChosen() {
  ResourcePlan plan = ResourcePlan::get(function.getFunction(), chip, cache);
  if (plan.kernels.empty())
    return llvm::createStringError("expected scans in @" + function.getName() +
                                   ", found none");
  bool isNew = false;
  for (auto [number, kernel] : llvm::enumerate(plan.kernels))
    for (ScheduleAttr schedule : kernel.unknown) {
      if (llvm::Error error = assemble(plan, number, schedule))
        return error;
      isNew = true;
    }
  return isNew;
}

llvm::Error ResourceNotes::run(StringRef output) {
  if (llvm::sys::fs::exists(output)) {
    llvm::Expected<TuningCache> loaded = TuningCache::load(output);
    if (!loaded)
      return llvm::createStringError(
          llvm::toString(loaded.takeError()) +
          "; remove it, or name another file with -o");
    cache = std::move(*loaded);
  }
  for (unsigned round = 0; round < kMostPlanRounds; ++round) {
    llvm::Expected<bool> isNew = noteChosen();
    if (!isNew)
      return isNew.takeError();
    if (!*isNew)
      break;
  }
  if (llvm::Error error = cache.save(output))
    return error;
  err << "scan-tune: " << numAssembled << " schedules assembled, "
      << numSpilling << " of them spill; written to '" << output << "'\n";
  return llvm::Error::success();
}

llvm::Error mlir::scan::noteResources(const TunedFunction &function,
                                      StringRef chip, StringRef output,
                                      llvm::raw_ostream &err) {
  const Chip *known = lookupChipWithFeatures(chip);
  if (!known)
    return llvm::createStringError(
        "expected --chip with a known chip, found '" + chip + "'; known are " +
        getKnownChipNames());
  if (findPtxas().empty())
    return llvm::createStringError("expected ptxas, found none: " +
                                   getToolkitHelp());
  return ResourceNotes(function, known->name, err).run(output);
}
