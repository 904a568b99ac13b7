//===- PassMixDriver.cpp - Looks for lists of passes that go wrong --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Driver/InputSpec.h"
#include "FuzzDriver.h"
#include "PassMix.h"
#include "Scan/InitAll/InitAll.h"
#include "WorkerProtocol.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;
namespace json = llvm::json;

/// Mixes that one child runs.
static constexpr uint64_t kBatch = 25 * kMixesPerProgram;

/// More refusals than that, of a hundred passes, are no check of anything.
static constexpr uint64_t kMostRefusals = 10;

namespace {
class MixDriver : public FuzzDriver {
public:
  MixDriver(const FuzzOptions &options, llvm::raw_ostream &out,
            llvm::raw_fd_ostream &err)
      : FuzzDriver(options, kBatch, out, err) {}

private:
  void print(uint64_t index) override;
  void runCases(uint64_t begin, uint64_t end, ChildStatus &status,
                llvm::raw_ostream &os) override;
  bool takeLine(uint64_t index, StringRef line) override;
  void reportFailure(uint64_t index, Outcome &outcome, StringRef) override;
  LogicalResult checkCounts() override;
  void printCounts() override;
  void addCounts(json::Object &summary) override;
  void shrink(Mix &mix, Outcome &outcome);
  std::string makeTest(uint64_t index, const Mix &mix, const Outcome &outcome);
  PassCounts getTotal() const;

  std::map<std::string, PassCounts> counts;
};
} // namespace

bool MixDriver::takeLine(uint64_t index, StringRef line) {
  llvm::Expected<json::Value> value = json::parse(line);
  if (!value) {
    llvm::consumeError(value.takeError());
    return false;
  }
  const json::Object &object = *value->getAsObject();
  for (const auto &[pass, pair] : *object.getObject("passes")) {
    const json::Array &numbers = *pair.getAsArray();
    counts[pass.str()].runs += numbers[0].getAsInteger().value_or(0);
    counts[pass.str()].refusals += numbers[1].getAsInteger().value_or(0);
  }
  Outcome outcome = fromJSON(*object.getObject("outcome"));
  if (outcome.kind != Outcome::Pass)
    fail(index, outcome);
  return true;
}

void MixDriver::runCases(uint64_t begin, uint64_t end, ChildStatus &status,
                         llvm::raw_ostream &os) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  MixRunner runner(context, status, options.plant);
  for (uint64_t i = begin; i < end; ++i) {
    json::Object object{{"outcome", toJSON(runner.run(makeMix(options, i)))}};
    json::Object passes;
    for (const auto &[pass, count] : runner.takeCounts())
      passes[pass] = json::Array{count.runs, count.refusals};
    object["passes"] = std::move(passes);
    os << json::Value(std::move(object)) << "\n";
    os.flush();
  }
}

/// What two messages about one mistake have in common.
static std::string getKind(const Outcome &outcome) {
  std::string kind;
  for (char c : outcome.message)
    if (outcome.kind == Outcome::Error && llvm::isAlpha(c) && kind.size() < 60)
      kind += c;
  return kind;
}

/// Takes passes, wraps and parts of the program away for as long as it fails in
/// the same place in the same way.
void MixDriver::shrink(Mix &mix, Outcome &outcome) {
  ShrinkClock clock(options);
  auto accept = [&](const Mix &candidate) {
    if (clock.isOver())
      return false;
    std::vector<std::string> lines;
    Outcome next = runChild(
        [&](MLIRContext &context, ChildStatus &status, llvm::raw_ostream &os) {
          printOutcome(MixRunner(context, status, options.plant).run(candidate),
                       os);
        },
        lines);
    if (next.kind == Outcome::Pass && !lines.empty())
      next = parseOutcome(lines.back());
    if (next.kind != outcome.kind || next.target != outcome.target ||
        getKind(next) != getKind(outcome))
      return false;
    mix = candidate;
    outcome = next;
    return true;
  };
  // One call, of which the simplifications may change the extents.
  for (size_t i = 0, e = mix.graphCases.size() + mix.cases.size(); i < e; ++i) {
    Mix candidate = mix;
    if (mix.isGraph)
      candidate.graphCases = {mix.graphCases[i]};
    else
      candidate.cases = {mix.cases[i]};
    if (accept(candidate))
      break;
  }
  bool hasOneCall = mix.graphCases.size() + mix.cases.size() == 1;
  bool hasProgress = true;
  while (hasProgress && !clock.isOver()) {
    hasProgress = false;
    for (size_t size = std::max<size_t>(mix.passes.size() / 2, 1); size > 0;
         size /= 2)
      for (size_t i = 0; i + size <= mix.passes.size();) {
        Mix candidate = mix;
        candidate.passes.erase(candidate.passes.begin() + i,
                               candidate.passes.begin() + i + size);
        if (accept(candidate))
          hasProgress = true;
        else
          i += size;
      }
    for (size_t i = 0; i < mix.wraps.size();) {
      Mix candidate = mix;
      candidate.wraps.erase(candidate.wraps.begin() + i);
      if (accept(candidate))
        hasProgress = true;
      else
        ++i;
    }
    for (size_t step = 0; hasOneCall && !clock.isOver(); ++step) {
      Mix candidate = mix;
      bool hasChanged = false;
      if (!simplifyMix(candidate, step, hasChanged))
        break;
      if (hasChanged && accept(candidate))
        hasProgress = true;
    }
  }
}

std::string MixDriver::makeTest(uint64_t index, const Mix &mix,
                                const Outcome &outcome) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "// " << outcome.target << ": " << stringifyOutcome(outcome.kind)
     << ": " << joinLines(outcome.message)
     << "\n// Found by scan-fuzz --mixes --seed=" << options.seed
     << " --only-program=" << index << " and made smaller.\n";
  std::vector<std::string> lines;
  Outcome printed = runChild(
      [&](MLIRContext &context, ChildStatus &, llvm::raw_ostream &os) {
        std::string inputs;
        auto arguments = makeMixArguments(mix, context);
        for (const HostArray &array : arguments.front())
          inputs += " --input=" + printInputSpec(array);
        os << "// RUN: scan-opt %s --pass-pipeline='builtin.module("
           << llvm::join(mix.passes, ",") << ")' -o %t.mlir\n"
           << "// RUN: scan-run %s --entry=f" << inputs << " > %t.before\n"
           << "// RUN: scan-run %t.mlir --entry=f --target="
           << stringifyMixTarget(mix.target)
           << (mix.target == MixTarget::CPU ? " --check-memory" : "") << inputs
           << " > %t.after\n"
           << "// RUN: diff %t.before %t.after\n\n";
        if (OwningOpRef<ModuleOp> module = makeMixModule(mix, context))
          module->print(os);
        os << "\n";
      },
      lines);
  if (printed.kind != Outcome::Pass)
    lines.push_back("// The program cannot be printed: " + printed.message);
  os << llvm::join(lines, "\n") << "\n";
  return text;
}

void MixDriver::reportFailure(uint64_t index, Outcome &outcome, StringRef) {
  Mix mix = makeMix(options, index);
  if (options.shrinkSeconds > 0)
    shrink(mix, outcome);
  out << "FAILED: mix " << index << ": " << outcome.target << ": "
      << stringifyOutcome(outcome.kind) << ": " << joinLines(outcome.message)
      << "\n";
  printTest("mix", index, makeTest(index, mix, outcome));
}

void MixDriver::print(uint64_t index) {
  Mix mix = makeMix(options, index);
  out << "// mix " << index << " of " << mix.passes.size() << " passes\n"
      << makeTest(index, mix, {});
}

PassCounts MixDriver::getTotal() const {
  PassCounts total;
  for (const auto &[pass, count] : counts) {
    total.runs += count.runs;
    total.refusals += count.refusals;
  }
  return total;
}

/// Fails if the passes refuse so much that little is checked.
LogicalResult MixDriver::checkCounts() {
  auto [runs, refusals] = getTotal();
  // A few passes say nothing.
  if (runs < 200 || refusals * 100 <= runs * kMostRefusals)
    return success();
  out << "FAILED: " << refusals << " of " << runs
      << " passes refused the program, expected at most " << kMostRefusals
      << " of 100\n";
  return failure();
}

void MixDriver::printCounts() {
  auto [runs, refusals] = getTotal();
  out << ", " << cases << " mixes of " << runs << " passes, " << refusals
      << " refusals";
  StringRef separator = " (";
  for (const auto &[pass, count] : counts)
    if (count.refusals)
      out << std::exchange(separator, ", ") << pass << " " << count.refusals;
  out << (refusals ? ")" : "") << ", " << failures.size() << " failures";
}

void MixDriver::addCounts(json::Object &summary) {
  json::Object refused, run;
  for (const auto &[pass, count] : counts) {
    run[pass] = count.runs;
    if (count.refusals)
      refused[pass] = count.refusals;
  }
  summary["mixes"] = cases;
  summary["passes"] = std::move(run);
  summary["refusals"] = std::move(refused);
  summary["failures"] = failures.size();
}

LogicalResult fuzz::runMixes(const FuzzOptions &options, llvm::raw_ostream &out,
                             llvm::raw_fd_ostream &err) {
  registerAllPasses();
  OpPassManager manager(ModuleOp::getOperationName());
  if (!options.passes.empty() &&
      failed(parsePassPipeline(options.passes, manager, llvm::nulls()))) {
    err << "scan-fuzz: error: option '--passes' expects a pass pipeline, found "
           "'"
        << options.passes << "'\n";
    return failure();
  }
  return MixDriver(options, out, err).run();
}
