//===- TuneDriver.cpp - Measures schedules --------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TuneDriver.h"
#include "Driver/ProgramFile.h"
#include "ExtentRanges.h"
#include "FunctionTimer.h"
#include "ResourceNotes.h"
#include "Schedule/TuningCache.h"
#include "Target/Chips.h"
#include "Target/OutputFiles.h"
#include "TunedFunction.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include <ctime>
#include <map>

using namespace mlir;
using namespace mlir::scan;
using Clock = FunctionTimer::Clock;

/// Of times that differ by less the schedule counts that the model prefers.
static constexpr double kAlike = 1.005;

/// Of the time for one kernel at some extents, the part that compiling may
/// take.
static constexpr double kCompiling = 0.7;

namespace {
/// One run of the tool.
class Tuner {
public:
  Tuner(const TuneOptions &options, TunedFunction function,
        llvm::raw_ostream &out, llvm::raw_ostream &err)
      : options(options), function(std::move(function)), out(out), err(err) {}

  llvm::Error run();

private:
  /// One kernel at some extents.
  struct Task {
    const std::vector<ExtentNumber> *extents;
    const TuningPlan *plan;
    size_t kernel;
  };

  llvm::Error chooseChip();
  llvm::Error makePlans();
  void describe(const Task &task, llvm::raw_ostream &os) const;
  void list();
  llvm::Error measureAll();
  llvm::Error measure(const Task &task, Clock::time_point deadline);
  llvm::Expected<const launcher::Function *>
  compile(ArrayRef<ScheduleAttr> schedules);
  llvm::Error keep(TuningEntry entry);

  const TuneOptions &options;
  TunedFunction function;
  llvm::raw_ostream &out, &err;
  launcher::Device device;
  std::string chip;
  std::vector<std::vector<ExtentNumber>> combinations;
  std::vector<TuningPlan> plans;
  std::vector<Task> tasks;
  /// What was compiled, by the schedules of all kernels.
  std::map<std::vector<const void *>, launcher::Program> programs;
  unsigned numMeasured = 0;
};
} // namespace

static std::string toText(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

/// Today, in UTC, as YYYY-MM-DD.
static std::string getDate() {
  std::time_t now = std::time(nullptr);
  char text[sizeof("YYYY-MM-DD")] = {};
  std::strftime(text, sizeof(text), "%Y-%m-%d", std::gmtime(&now));
  return text;
}

llvm::Error Tuner::chooseChip() {
  bool isNative = options.chip == "native";
  if (!isNative) {
    const Chip *known = lookupChipWithFeatures(options.chip);
    if (!known)
      return llvm::createStringError(
          "expected a known chip or native, found '" + options.chip +
          "'; known are " + getKnownChipNames());
    chip = known->name.str();
    if (options.dryRun)
      return llvm::Error::success();
  }
  if (launcher::Status status = launcher::Device::open(0, device); !status.ok())
    return llvm::createStringError(
        status.getMessage() +
        "; --dry-run --chip=sm_90 lists what would be measured");
  unsigned capability = device.getComputeCapability();
  const Chip *newest = lookupNewestChip(capability);
  if (isNative && newest)
    chip = newest->name.str();
  if (!newest || lookupChip(chip)->computeCapability > capability)
    return llvm::createStringError(
        "expected a GPU of at least " +
        (newest ? chip : getKnownChips().front().name.str()) + ", found " +
        device.getName() + " with compute capability " + Twine(capability));
  return llvm::Error::success();
}

llvm::Error Tuner::makePlans() {
  auto expanded = expandExtents(options.extents);
  if (!expanded)
    return expanded.takeError();
  combinations = std::move(*expanded);
  for (const std::vector<ExtentNumber> &extents : combinations) {
    llvm::Expected<TuningPlan> plan =
        TuningPlan::get(function.getFunction(), chip, extents);
    if (!plan)
      return plan.takeError();
    plans.push_back(std::move(*plan));
  }
  if (plans.front().kernels.empty())
    return llvm::createStringError("expected scans in @" + function.getName() +
                                   ", found none");
  for (auto [extents, plan] : llvm::zip_equal(combinations, plans))
    for (auto [number, kernel] : llvm::enumerate(plan.kernels)) {
      if (kernel.reason.empty())
        tasks.push_back({&extents, &plan, number});
      else if (&plan == &plans.front())
        err << "scan-tune: kernel " << number << " of @" << function.getName()
            << " is not measured: " << kernel.reason << "\n";
    }
  return llvm::Error::success();
}

/// "kernel 0, arg0_d0 = 8: 2048 steps, batch 8, 9 schedules".
void Tuner::describe(const Task &task, llvm::raw_ostream &os) const {
  const TuningPlan::Kernel &kernel = task.plan->kernels[task.kernel];
  os << "kernel " << task.kernel;
  for (const ExtentNumber &extent : *task.extents)
    os << ", " << extent.name << " = " << extent.value;
  os << ": " << kernel.steps << " steps, batch " << kernel.batch << ", "
     << kernel.schedules.size() << " schedules\n";
}

void Tuner::list() {
  out << "@" << function.getName() << " on " << chip << "\n";
  for (const Task &task : tasks) {
    describe(task, out);
    for (ScheduleAttr schedule : task.plan->kernels[task.kernel].schedules)
      out << "  " << Attribute(schedule) << "\n";
  }
}

llvm::Expected<const launcher::Function *>
Tuner::compile(ArrayRef<ScheduleAttr> schedules) {
  std::vector<const void *> key;
  for (ScheduleAttr schedule : schedules)
    key.push_back(schedule.getAsOpaquePointer());
  auto [program, isNew] = programs.try_emplace(std::move(key));
  // What failed once has no functions, and fails again.
  if (isNew) {
    auto compiled = function.compile(schedules, chip);
    if (!compiled)
      return compiled.takeError();
    launcher::Status status = launcher::Program::load(
        device, compiled->ptx, compiled->manifest, program->second);
    if (!status.ok())
      return llvm::createStringError(status.getMessage());
  }
  const launcher::Function *loaded =
      program->second.find(function.getName().str());
  if (!loaded)
    return llvm::createStringError("it cannot be compiled");
  return loaded;
}

/// Adds an entry to the file, beside what others have written since it was
/// read.
llvm::Error Tuner::keep(TuningEntry entry) {
  TuningCache cache;
  if (llvm::sys::fs::exists(options.output)) {
    llvm::Expected<TuningCache> loaded = TuningCache::load(options.output);
    if (!loaded)
      return loaded.takeError();
    cache = std::move(*loaded);
  }
  cache.add(std::move(entry));
  return cache.save(options.output);
}

llvm::Error Tuner::measure(const Task &task, Clock::time_point deadline) {
  const TuningPlan::Kernel &kernel = task.plan->kernels[task.kernel];
  llvm::StringMap<int64_t> numbers;
  for (const ExtentNumber &extent : *task.extents)
    numbers[extent.name] = extent.value;
  llvm::Expected<FunctionTimer> timer =
      FunctionTimer::create(device, function.getFunction().getFunctionType(),
                            task.plan->argumentShapes, numbers);
  if (!timer)
    return timer.takeError();
  // All other kernels have the same schedule all the time.
  SmallVector<ScheduleAttr> schedules;
  for (const TuningPlan::Kernel &other : task.plan->kernels)
    schedules.push_back(other.schedules.front());
  SmallVector<ScheduleAttr> measured;
  auto now = Clock::now();
  auto compileUntil = now + std::chrono::duration_cast<Clock::duration>(
                                kCompiling * (deadline - now));
  for (auto [number, schedule] : llvm::enumerate(kernel.schedules)) {
    // There is nothing to be learnt from fewer than two.
    if (measured.size() >= 2 && Clock::now() >= compileUntil) {
      err << "      the time was up for " << kernel.schedules.size() - number
          << " of the schedules\n";
      break;
    }
    schedules[task.kernel] = schedule;
    llvm::Expected<const launcher::Function *> function = compile(schedules);
    llvm::Error error =
        function ? timer->add(**function) : function.takeError();
    if (error)
      err << "      left out: " << toText(schedule) << ": "
          << llvm::toString(std::move(error)) << "\n";
    else
      measured.push_back(schedule);
  }
  if (measured.empty())
    return llvm::createStringError("no schedule of kernel " +
                                   Twine(task.kernel) + " could be measured");
  if (llvm::Error error = timer->measure(deadline))
    return error;
  size_t best = 0;
  for (size_t i = 1; i < measured.size(); ++i)
    if (timer->getNanoseconds(i) * kAlike < timer->getNanoseconds(best))
      best = i;
  double nanoseconds = timer->getNanoseconds(best);
  err << llvm::formatv("      {0:F4} ms: {1}", nanoseconds * 1e-6,
                       toText(measured[best]));
  if (best > 0)
    err << llvm::formatv("; {0:F2} times as fast as {1}",
                         timer->getNanoseconds(0) / nanoseconds,
                         toText(measured[0]));
  err << "\n";
  ++numMeasured;
  return keep({chip, kernel.hash, kernel.steps, kernel.batch,
               toText(measured[best]), nanoseconds, device.getName(),
               getDate()});
}

llvm::Error Tuner::measureAll() {
  auto end = Clock::now() + std::chrono::seconds(options.budget);
  err << "scan-tune: @" << function.getName() << " on " << device.getName()
      << " (" << chip << "): " << tasks.size() << " measurements in "
      << options.budget << " s at most\n";
  for (auto [number, task] : llvm::enumerate(tasks)) {
    auto now = Clock::now();
    if (now >= end) {
      err << "scan-tune: the time was up for the last " << tasks.size() - number
          << " of them; --budget gives more, or smaller ranges take less\n";
      break;
    }
    err << "[" << number + 1 << "/" << tasks.size() << "] ";
    describe(task, err);
    // What one does not need is left to those behind it.
    auto share = (end - now) / int64_t(tasks.size() - number);
    if (llvm::Error error = measure(task, now + share))
      return error;
  }
  err << "scan-tune: " << numMeasured << " entries written to '"
      << options.output << "'\n";
  return llvm::Error::success();
}

llvm::Error Tuner::run() {
  if (llvm::Error error = chooseChip())
    return error;
  if (llvm::Error error = makePlans())
    return error;
  if (options.dryRun) {
    list();
    return llvm::Error::success();
  }
  // Before a minute is spent: what is there has to be readable, and stays.
  if (llvm::sys::fs::exists(options.output)) {
    llvm::Expected<TuningCache> cache = TuningCache::load(options.output);
    if (!cache)
      return llvm::createStringError(
          llvm::toString(cache.takeError()) +
          "; remove it, or name another file with -o");
  }
  return measureAll();
}

LogicalResult mlir::scan::runTune(const TuneOptions &options,
                                  const DialectRegistry &registry,
                                  llvm::raw_ostream &out,
                                  llvm::raw_ostream &err) {
  auto report = [&](llvm::Error error) {
    if (!error)
      return success();
    err << "scan-tune: error: " << llvm::toString(std::move(error)) << "\n";
    return failure();
  };
  if (!options.dryRun)
    if (llvm::Error error = checkOutputPaths({StringRef(options.output)},
                                             {StringRef(options.program)}))
      return report(std::move(error));
  auto file = readProgramFile(options.program, registry);
  if (!file)
    return report(file.takeError());
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  if (!options.remarks.isEmpty())
    if (llvm::Error error = enableRemarks(context, options.remarks))
      return report(std::move(error));
  SourceMgrDiagnosticHandler diagnostics(sources, &context, err);
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return failure();
  auto function = TunedFunction::get(*module, options.program, options.entry,
                                     options.maxStateBytes);
  if (!function)
    return report(function.takeError());
  if (options.ptxas)
    return report(noteResources(*function, options.chip, options.output, err));
  return report(Tuner(options, std::move(*function), out, err).run());
}
