//===- ExplainReport.cpp - Why a scan has its schedule --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplainReport.h"
#include "IR/StepsRange.h"
#include "KernelHash.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::scan;

std::string scan::describeLocation(Location location) {
  auto file = location->findInstanceOf<FileLineColLoc>();
  if (!file)
    return "";
  return (llvm::sys::path::filename(file.getFilename().getValue()) + ":" +
          Twine(file.getLine()) + ":" + Twine(file.getColumn()))
      .str();
}

/// The measurement that `leaf` has its schedule from, one near to the extents
/// of `facts` if there are several; null if there is none.
static const TuningEntry *findMeasured(const MeasuredSchedules &measured,
                                       const VariantTree &tree,
                                       const VariantTree &leaf,
                                       const KernelFacts &facts) {
  const MeasuredSchedules::Measured *near = measured.find(facts);
  const TuningEntry *found = nullptr;
  for (const MeasuredSchedules::Measured &one : measured.getAll()) {
    const VariantTree &chosen = tree.find(one.entry->steps, one.entry->batch);
    if (&chosen == &leaf && one.schedule == leaf.schedule &&
        (!found || &one == near))
      found = one.entry;
  }
  return found;
}

FailureOr<ExplainReport> ExplainReport::get(Operation *root,
                                            const GPUModel &gpu,
                                            const Options &options) {
  ExplainReport report;
  report.gpu = &gpu;
  report.blocks.assign(options.blocks.begin(), options.blocks.end());
  WalkResult result = root->walk([&](KernelOp op) {
    Kernel kernel;
    if (auto function = op->getParentOfType<FunctionOpInterface>())
      kernel.function = function.getName().str();
    kernel.location = describeLocation(op.getLoc());
    kernel.hash = getKernelHash(op);
    if (hasStepsRange(op))
      kernel.runsWhen = getStepsRange(op).describe();
    kernel.facts = KernelFacts::get(op, options.question);
    kernel.isExtentAssumed = kernel.facts.isExtentAssumed;
    kernel.isBatchAssumed = kernel.facts.isBatchAssumed;
    kernel.schedule = op.getScheduleAttr();
    kernel.isGiven = kernel.schedule != nullptr;
    // All estimates are for these extents.
    kernel.facts =
        KernelFacts::get(op, {kernel.facts.extent, kernel.facts.batch});
    // What the model says, whatever was measured.
    GPUModel model = gpu;
    TuningCache resources;
    if (gpu.tuning) {
      resources = gpu.tuning->getWithoutTimes();
      model.tuning = &resources;
    }
    SmallVector<Candidate> ranked;
    if (!kernel.isGiven || options.calibrations.empty())
      ranked = ScheduleRater(op, model).rank(kernel.facts);
    if (!kernel.isGiven)
      kernel.choose(op, gpu,
                    options.dispatch
                        ? getVariantLimits(op, gpu, options.maxVariants)
                        : VariantLimits{/*most=*/1});
    if (failed(checkSchedule(op, kernel.schedule, gpu)))
      return WalkResult::interrupt();
    KernelPlan plan = KernelPlan::get(
        op, kernel.schedule, getSharedLimit(kernel.schedule, gpu.chip));
    bool areRegistersKnown = MeasuredSchedules::get(op, gpu).setResources(plan);
    kernel.estimate = estimateSchedule(plan, kernel.facts, gpu);
    kernel.estimate.areRegistersKnown = areRegistersKnown;
    kernel.uses = getOperatorUses(op, plan);
    for (const Calibration &calibration : options.calibrations)
      kernel.predictions.push_back(
          estimateSchedule(plan, kernel.facts,
                           {gpu.chip, calibration.scaleTo(gpu.chip)})
              .nanoseconds);
    for (const Candidate &candidate : ranked) {
      bool isNew = options.allCandidates ||
                   llvm::none_of(kernel.considered, [&](const Candidate &seen) {
                     ScheduleAttr a = seen.schedule, b = candidate.schedule;
                     return a.getStrategy() == b.getStrategy() &&
                            a.getScope() == b.getScope() &&
                            a.isPersistent() == b.isPersistent();
                   });
      if (isNew)
        kernel.considered.push_back(candidate);
    }
    if (report.kernels.size() < options.beside.size())
      kernel.beside = options.beside[report.kernels.size()];
    report.kernels.push_back(std::move(kernel));
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return report;
}

void ExplainReport::Kernel::choose(KernelOp op, const GPUModel &gpu,
                                   const VariantLimits &limits) {
  variants = chooseVariants(op, gpu, limits);
  const VariantTree &chosen = variants.find(facts.extent, facts.batch);
  schedule = chosen.schedule;
  MeasuredSchedules known = MeasuredSchedules::get(op, gpu);
  const MeasuredSchedules::Measured *near = known.find(facts);
  if (near && near->schedule != schedule)
    missed = near->entry->schedule;
  variants.forEachLeaf([&](const VariantTree &leaf, StringRef) {
    const TuningEntry *entry = findMeasured(known, variants, leaf, facts);
    if (!entry)
      return;
    tunedLeaves.insert(&leaf);
    if (&leaf == &chosen)
      measured = *entry;
  });
}

/// Where a schedule comes from, for people.
std::string ExplainReport::Kernel::describeOrigin() const {
  if (isGiven)
    return "given";
  std::string text = "chosen by the model";
  if (measured)
    text = llvm::formatv("tuned ({0:F4} ms measured at {1} steps, batch {2}, "
                         "on {3}, {4})",
                         measured->nanoseconds * 1e-6, measured->steps,
                         measured->batch, measured->gpu, measured->date);
  if (!missed.empty())
    text +=
        "; no variant is left for what was measured to be faster, " + missed;
  return text;
}

std::string scan::formatBytes(double bytes) {
  static constexpr StringRef units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  unsigned unit = 0;
  while (bytes >= 1024 && unit + 1 < std::size(units)) {
    bytes /= 1024;
    ++unit;
  }
  return llvm::formatv("{0:F1} {1}", bytes, units[unit]);
}

static std::string toMilliseconds(double nanoseconds) {
  return llvm::formatv("{0:F4} ms", nanoseconds * 1e-6);
}

/// The schedule as the attribute spells it, without the brackets.
static std::string describeSchedule(ScheduleAttr schedule) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << Attribute(schedule);
  StringRef inner(text);
  inner.consume_front("#scan.schedule<");
  inner.consume_back(">");
  return inner.str();
}

/// "row", "row over the grid", "row over the grid, persistent".
static std::string nameStrategy(ScheduleAttr schedule) {
  std::string name = stringifyStrategy(schedule.getStrategy()).str();
  if (schedule.isGridWide())
    name += " over the grid";
  if (schedule.isPersistent())
    name += ", persistent";
  return name;
}

Roofline ExplainReport::getRoofline(const KernelFacts &facts) const {
  return Roofline::get(facts, gpu->chip, gpu->getReachableBandwidth());
}

void ExplainReport::printText(llvm::raw_ostream &os) const {
  for (const Kernel &kernel : kernels) {
    const KernelFacts &facts = kernel.facts;
    const Estimate &estimate = kernel.estimate;
    const Occupancy &occupancy = estimate.occupancy;
    auto line = [&](StringRef name) -> llvm::raw_ostream & {
      return os << "  " << llvm::left_justify(name, 12);
    };
    os << "@" << kernel.function;
    if (!kernel.location.empty())
      os << " (" << kernel.location << ")";
    os << " on " << gpu->chip.name << "\n";
    line("scan") << facts.extent << " steps"
                 << (kernel.isExtentAssumed ? " (assumed)" : "") << ", "
                 << facts.batch << " independent scans"
                 << (kernel.isBatchAssumed ? " (assumed)" : "") << "\n";
    if (!kernel.runsWhen.empty())
      line("run") << "where " << kernel.runsWhen << "\n";
    line("schedule") << describeSchedule(kernel.schedule) << "; "
                     << kernel.describeOrigin() << "\n";
    line("tile") << estimate.tileSteps << " steps, " << estimate.tilesPerBlock
                 << " per block, " << estimate.blocks << " blocks\n";
    line("occupancy") << occupancy.blocksPerSM << " blocks, "
                      << occupancy.blocksPerSM * kernel.schedule.getThreads()
                      << " threads per multiprocessor, limited by "
                      << occupancy.limit << " ("
                      << (estimate.areRegistersKnown ? "" : "about ")
                      << estimate.registers << " registers, "
                      << estimate.sharedBytes << " bytes of shared memory)\n";
    if (estimate.codeInstructions)
      line("code") << estimate.codeInstructions
                   << " instructions; a tile takes "
                   << int64_t(estimate.tileInstructions) << " of a thread\n";
    if (estimate.wantedSharedBytes > estimate.sharedBytes)
      line("shared") << estimate.wantedSharedBytes
                     << " bytes are wanted: operands without room are accessed "
                        "in a slower order, which times leave out\n";
    line("in flight") << formatBytes(estimate.bytesInFlight)
                      << " per multiprocessor; "
                      << formatBytes(estimate.bytesNeeded)
                      << " give nine tenths of the memory's speed\n";
    line("moves") << formatBytes(estimate.traffic) << "; compulsory "
                  << formatBytes(estimate.compulsory) << "\n";
    line("time") << toMilliseconds(estimate.nanoseconds) << "; lower bound "
                 << toMilliseconds(estimate.lowerBoundNanoseconds) << ", "
                 << llvm::formatv("{0:F2}", estimate.getFractionOfLowerBound())
                 << " of its speed; bound by " << estimate.bound << "\n";
    getRoofline(facts).printText(line("roofline"), estimate.nanoseconds);
    for (const OperatorUse &use : kernel.uses) {
      line("operator") << use.fact << ": " << use.use;
      if (use.savedSelects)
        os << ", which saves " << use.savedSelects
           << " selects per thread and tile";
      os << "\n";
    }
    if (!gpu->isMeasured())
      line("calibration") << "not measured: times are those of "
                          << gpu->calibration.chip << " ("
                          << gpu->calibration.gpu << ", "
                          << gpu->calibration.date
                          << "), scaled to the clock and the bandwidth of "
                          << gpu->chip.product << "\n";
    line("considered");
    llvm::interleave(
        kernel.considered, os,
        [&](const Candidate &candidate) {
          os << nameStrategy(candidate.schedule) << " "
             << toMilliseconds(candidate.estimate.nanoseconds);
        },
        "; ");
    os << "\n";
    for (const Beside &beside : kernel.beside)
      line("outside") << beside.operation
                      << (beside.location.empty() ? "" : " (")
                      << beside.location << (beside.location.empty() ? "" : ")")
                      << (beside.isBehind ? ", which reads a result"
                                          : ", which computes an operand")
                      << ": " << beside.reason << "\n";
    if (kernel.isGiven || kernel.variants.isLeaf())
      continue;
    line("variants");
    StringRef separator = "";
    kernel.variants.forEachLeaf([&](const VariantTree &leaf, StringRef when) {
      os << separator << when << ": " << describeSchedule(leaf.schedule)
         << (kernel.tunedLeaves.contains(&leaf) ? " (tuned)" : "");
      separator = "; ";
    });
    os << "\n";
  }
  for (const Blocks &block : blocks)
    printText(os, block);
}

static void printSchedule(llvm::json::OStream &json, ScheduleAttr schedule) {
  json.attribute("strategy", stringifyStrategy(schedule.getStrategy()));
  json.attribute("scope", stringifyScope(schedule.getScope()));
  json.attribute("threads", int64_t(schedule.getThreads()));
  json.attribute("items", int64_t(schedule.getItems()));
  json.attribute("rows", int64_t(schedule.getRows()));
  json.attribute("lanes", int64_t(schedule.getLanes()));
  json.attribute("vector", int64_t(schedule.getVector()));
  json.attribute("blocks", int64_t(schedule.getBlocks()));
  json.attribute("stages", int64_t(schedule.getStages()));
  json.attribute("warps", int64_t(schedule.getWarps()));
}

static void printMeasured(llvm::json::OStream &json,
                          const TuningEntry &measured) {
  json.attributeObject("measured", [&] {
    json.attribute("steps", measured.steps);
    json.attribute("batch", measured.batch);
    json.attribute("nanoseconds", measured.nanoseconds);
    json.attribute("gpu", measured.gpu);
    json.attribute("date", measured.date);
  });
}

static void printCalibration(llvm::json::OStream &json, const GPUModel &gpu) {
  json.attributeObject("calibration", [&] {
    json.attribute("measured", gpu.isMeasured());
    json.attribute("chip", gpu.calibration.chip);
    json.attribute("gpu", gpu.calibration.gpu);
    json.attribute("date", gpu.calibration.date);
    json.attribute("command", gpu.calibration.command);
    gpu.calibration.printConstants(json);
  });
}

void ExplainReport::printJson(llvm::json::OStream &json) const {
  json.array([&] {
    for (const Kernel &kernel : kernels)
      json.object([&] {
        const Estimate &estimate = kernel.estimate;
        json.attribute("function", kernel.function);
        json.attribute("location", kernel.location);
        json.attribute("kernel", kernel.hash);
        json.attribute("chip", gpu->chip.name);
        printCalibration(json, *gpu);
        json.attribute("steps", kernel.facts.extent);
        json.attribute("steps_assumed", kernel.isExtentAssumed);
        if (!kernel.runsWhen.empty())
          json.attribute("when", kernel.runsWhen);
        json.attribute("batch", kernel.facts.batch);
        json.attribute("batch_assumed", kernel.isBatchAssumed);
        json.attributeObject("schedule",
                             [&] { printSchedule(json, kernel.schedule); });
        json.attribute("given", kernel.isGiven);
        json.attribute("origin", kernel.isGiven    ? "given"
                                 : kernel.measured ? "tuned"
                                                   : "model");
        if (kernel.measured)
          printMeasured(json, *kernel.measured);
        if (!kernel.missed.empty())
          json.attribute("measured_faster", kernel.missed);
        json.attribute("tile_steps", estimate.tileSteps);
        json.attribute("tiles_per_block", estimate.tilesPerBlock);
        json.attribute("blocks", estimate.blocks);
        json.attribute("blocks_per_multiprocessor",
                       estimate.occupancy.blocksPerSM);
        json.attribute("occupancy_limit", estimate.occupancy.limit);
        json.attribute("registers", estimate.registers);
        json.attribute("shared_bytes", estimate.sharedBytes);
        json.attribute("wanted_shared_bytes", estimate.wantedSharedBytes);
        json.attribute("bytes_in_flight", estimate.bytesInFlight);
        json.attribute("bytes_needed_in_flight", estimate.bytesNeeded);
        json.attribute("traffic_bytes", estimate.traffic);
        json.attribute("compulsory_bytes", estimate.compulsory);
        json.attribute("nanoseconds", estimate.nanoseconds);
        json.attribute("lower_bound_nanoseconds",
                       estimate.lowerBoundNanoseconds);
        json.attribute("bound", estimate.bound);
        getRoofline(kernel.facts).printJson(json);
        if (!kernel.predictions.empty())
          json.attributeArray("predicted_nanoseconds", [&] {
            for (double nanoseconds : kernel.predictions)
              json.value(nanoseconds);
          });
        json.attribute("instructions", kernel.facts.instructions);
        json.attribute("tile_instructions", estimate.tileInstructions);
        if (estimate.codeInstructions)
          json.attribute("code_instructions", estimate.codeInstructions);
        if (!kernel.uses.empty())
          json.attributeArray("operator", [&] {
            for (const OperatorUse &use : kernel.uses)
              json.object([&] {
                json.attribute("fact", use.fact);
                json.attribute("use", use.use);
                json.attribute("saved_selects", use.savedSelects);
              });
          });
        json.attributeArray("considered", [&] {
          for (const Candidate &candidate : kernel.considered)
            json.object([&] {
              printSchedule(json, candidate.schedule);
              json.attribute("nanoseconds", candidate.estimate.nanoseconds);
            });
        });
        json.attributeArray("outside", [&] {
          for (const Beside &beside : kernel.beside)
            json.object([&] {
              json.attribute("operation", beside.operation);
              json.attribute("location", beside.location);
              json.attribute("reads", beside.isBehind);
              json.attribute("reason", beside.reason);
            });
        });
        if (kernel.isGiven || kernel.variants.isLeaf())
          return;
        json.attributeArray("variants", [&] {
          kernel.variants.forEachLeaf([&](const VariantTree &leaf,
                                          StringRef when) {
            json.object([&] {
              json.attribute("when", when);
              json.attribute("origin", kernel.tunedLeaves.contains(&leaf)
                                           ? "tuned"
                                           : "model");
              json.attributeObject("schedule",
                                   [&] { printSchedule(json, leaf.schedule); });
            });
          });
        });
      });
    for (const Blocks &block : blocks)
      printJson(json, block);
  });
}
