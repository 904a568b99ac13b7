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
#include "TargetDraw.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;
namespace json = llvm::json;

/// Mixes that one child runs.
static constexpr uint64_t kMixesPerChild = 25 * kMixesPerProgram;

/// More refusals than that, of a hundred passes, are no check of anything.
static constexpr uint64_t kMostRefusals = 10;

namespace {
class MixDriver : public FuzzDriver {
public:
  MixDriver(const FuzzOptions &options, llvm::raw_ostream &out,
            llvm::raw_fd_ostream &err)
      : FuzzDriver(options, kMixesPerChild, out, err) {}

private:
  void print(uint64_t index) override;
  void finishChild() override { runner.reset(); }
  json::Object runCase(uint64_t index, MLIRContext &context,
                       ChildStatus &status) override;
  bool takeCase(uint64_t index, const json::Object &result) override;
  void reportFailure(uint64_t index, Outcome &outcome, StringRef) override;
  LogicalResult checkCounts() override;
  void printCounts() override;
  void addCounts(json::Object &summary) override;
  void shrink(Mix &mix, Outcome &outcome);
  std::string makeTest(uint64_t index, const Mix &mix, const Outcome &outcome);
  PassCounts getTotal() const;

  std::map<std::string, PassCounts> counts;
  /// Of a child: cases of one program follow each other.
  std::unique_ptr<MixRunner> runner;
};
} // namespace

bool MixDriver::takeCase(uint64_t index, const json::Object &object) {
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

json::Object MixDriver::runCase(uint64_t index, MLIRContext &context,
                                ChildStatus &status) {
  if (!runner)
    runner = std::make_unique<MixRunner>(context, status, options.fault);
  json::Object result{
      {"outcome", toJSON(runner->run(makeMix(options, index)))}};
  json::Object passes;
  for (const auto &[pass, count] : runner->takeCounts())
    passes[pass] = json::Array{count.runs, count.refusals};
  result["passes"] = std::move(passes);
  return result;
}

/// Takes passes, wraps and parts of the program away for as long as it fails in
/// the same place in the same way.
void MixDriver::shrink(Mix &mix, Outcome &outcome) {
  GreedySearch<Mix> search(
      mix,
      [&](const Mix &candidate) {
        return failsAgain(
            outcome, timeout, [&](MLIRContext &context, ChildStatus &status) {
              return MixRunner(context, status, options.fault).run(candidate);
            });
      },
      options.shrinkSeconds);
  search.keepOne(&Mix::graphCases);
  search.keepOne(&Mix::cases);
  search.repeat([&] {
    search.removeRanges(&Mix::passes);
    search.removeRanges(&Mix::wraps);
    search.applySteps(simplifyMix);
  });
}

std::string MixDriver::makeTest(uint64_t index, const Mix &mix,
                                const Outcome &outcome) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "// " << describe(outcome)
     << "\n// Found by scan-fuzz --mixes --seed=" << options.seed
     << " --only-program=" << index << " and made smaller.\n";
  std::vector<std::string> lines;
  Outcome printed = runInChild(
      timeout,
      [&](MLIRContext &context, ChildStatus &, llvm::raw_ostream &os) {
        std::string inputs;
        auto arguments = makeMixArguments(mix, context);
        for (const HostArray &array : arguments.front())
          inputs += " --input=" + printInputSpec(array);
        os << "// RUN: scan-opt %s --pass-pipeline='builtin.module("
           << llvm::join(mix.passes, ",") << ")' -o %t.mlir\n"
           << "// RUN: scan-run %s --entry=f" << inputs << " > %t.before\n"
           << "// RUN: scan-run %t.mlir --entry=f "
           << printTargetOptions(stringifyMixTarget(mix.target), index)
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
  shrink(mix, outcome);
  out << "FAILED: mix " << index << ": " << describe(outcome) << "\n";
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
  return MixDriver(options, out, err).run();
}
