//===- PassMixDriver.cpp - Looks for lists of passes that go wrong --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Driver/InputSpec.h"
#include "PassMix.h"
#include "Scan/InitAll/InitAll.h"
#include "WorkerProtocol.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;
namespace json = llvm::json;

/// Mixes that one child runs.
static constexpr uint64_t kBatch = 25 * kMixesPerProgram;

/// More refusals than that, of a hundred passes, are no check of anything.
static constexpr uint64_t kMostRefusals = 10;

namespace {
class MixDriver {
public:
  MixDriver(const FuzzOptions &options, llvm::raw_ostream &out,
            llvm::raw_fd_ostream &err)
      : options(options), out(out), err(err),
        start(std::chrono::steady_clock::now()) {}
  LogicalResult run();

private:
  using Body = llvm::function_ref<void(MLIRContext &, ChildStatus &,
                                       llvm::raw_ostream &)>;
  Outcome runChild(Body body, std::vector<std::string> &lines);
  uint64_t runBatch(uint64_t begin, uint64_t end);
  void readLine(StringRef line, uint64_t index);
  void fail(uint64_t index, Outcome outcome);
  void shrink(Mix &mix, Outcome &outcome);
  std::string printTest(uint64_t index, const Mix &mix, const Outcome &outcome);
  bool hasTooManyRefusals();
  void printSummary(uint64_t next);
  double getSeconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  }
  bool isOver() const {
    return failures >= options.maxFailures ||
           (options.minutes && getSeconds() > *options.minutes * 60);
  }

  const FuzzOptions &options;
  llvm::raw_ostream &out;
  llvm::raw_fd_ostream &err;
  std::chrono::steady_clock::time_point start;
  uint64_t mixes = 0;
  unsigned failures = 0;
  std::map<std::string, PassCounts> counts;
};
} // namespace

/// Runs `body` in a child to its end. The outcome tells whether it got there.
Outcome MixDriver::runChild(Body body, std::vector<std::string> &lines) {
  Child child;
  bool hasStarted =
      child.start([&](ChildStatus &status, llvm::raw_ostream &os) {
        DialectRegistry registry;
        registerAllDialects(registry);
        MLIRContext context(registry, MLIRContext::Threading::DISABLED);
        body(context, status, os);
      });
  if (!hasStarted)
    return {Outcome::Error, "fork", "cannot start a process"};
  while (true) {
    Child::State state = child.poll(200, lines);
    if (state == Child::State::Finished)
      return {};
    if (state == Child::State::Crashed)
      return {Outcome::Crash, child.getStatus().stage, child.describeEnd()};
    if (child.getStepSeconds() > options.timeout) {
      std::string stage = child.getStatus().stage;
      child.kill();
      return {Outcome::Timeout, stage, "no answer"};
    }
  }
}

void MixDriver::readLine(StringRef line, uint64_t index) {
  llvm::Expected<json::Value> value = json::parse(line);
  if (!value) {
    llvm::consumeError(value.takeError());
    return;
  }
  const json::Object &object = *value->getAsObject();
  for (const auto &[pass, pair] : *object.getObject("passes")) {
    const json::Array &numbers = *pair.getAsArray();
    counts[pass.str()].runs += numbers[0].getAsInteger().value_or(0);
    counts[pass.str()].refusals += numbers[1].getAsInteger().value_or(0);
  }
  ++mixes;
  Outcome outcome = fromJSON(*object.getObject("outcome"));
  if (outcome.kind != Outcome::Pass)
    fail(index, outcome);
}

/// Runs the mixes from `begin` on, up to the first that ends its child; returns
/// which one comes next.
uint64_t MixDriver::runBatch(uint64_t begin, uint64_t end) {
  std::vector<std::string> lines;
  Outcome outcome = runChild(
      [&](MLIRContext &context, ChildStatus &status, llvm::raw_ostream &os) {
        MixRunner runner(context, status, options.plant);
        for (uint64_t i = begin; i < end; ++i) {
          json::Object object{
              {"outcome", toJSON(runner.run(makeMix(options, i)))}};
          json::Object passes;
          for (const auto &[pass, count] : runner.takeCounts())
            passes[pass] = json::Array{count.runs, count.refusals};
          object["passes"] = std::move(passes);
          os << json::Value(std::move(object)) << "\n";
          os.flush();
        }
      },
      lines);
  uint64_t next = begin;
  for (StringRef line : lines)
    if (!isOver())
      readLine(line, next++);
  if (outcome.kind == Outcome::Pass || isOver())
    return end;
  ++mixes;
  fail(next, outcome);
  return next + 1;
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
  auto begin = std::chrono::steady_clock::now();
  auto isTimeOver = [&] {
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - begin;
    return elapsed.count() > options.shrinkSeconds;
  };
  auto accept = [&](const Mix &candidate) {
    if (isTimeOver())
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
  while (hasProgress && !isTimeOver()) {
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
    for (size_t step = 0; hasOneCall && !isTimeOver(); ++step) {
      Mix candidate = mix;
      bool hasChanged = false;
      if (!simplifyMix(candidate, step, hasChanged))
        break;
      if (hasChanged && accept(candidate))
        hasProgress = true;
    }
  }
}

std::string MixDriver::printTest(uint64_t index, const Mix &mix,
                                 const Outcome &outcome) {
  std::string text, message = outcome.message;
  llvm::replace(message, '\n', ' ');
  llvm::raw_string_ostream os(text);
  os << "// " << outcome.target << ": " << stringifyOutcome(outcome.kind)
     << ": " << message
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

void MixDriver::fail(uint64_t index, Outcome outcome) {
  if (failures >= options.maxFailures)
    return;
  ++failures;
  Mix mix = makeMix(options, index);
  if (options.shrinkSeconds > 0)
    shrink(mix, outcome);
  std::string message = outcome.message;
  llvm::replace(message, '\n', ' ');
  out << "FAILED: mix " << index << ": " << outcome.target << ": "
      << stringifyOutcome(outcome.kind) << ": " << message << "\n";
  std::string test = printTest(index, mix, outcome);
  out << "----- test\n" << test << "-----\n";
  out.flush();
  writeFailure(options,
               "mix-" + std::to_string(options.seed) + "-" +
                   std::to_string(index) + ".mlir",
               test, err);
}

/// Says so if the passes refuse so much that little is checked.
bool MixDriver::hasTooManyRefusals() {
  uint64_t runs = 0, refusals = 0;
  for (const auto &[pass, count] : counts) {
    runs += count.runs;
    refusals += count.refusals;
  }
  // A few passes say nothing.
  if (runs < 200 || refusals * 100 <= runs * kMostRefusals)
    return false;
  out << "FAILED: " << refusals << " of " << runs
      << " passes refused the program, expected at most " << kMostRefusals
      << " of 100\n";
  return true;
}

void MixDriver::printSummary(uint64_t next) {
  uint64_t runs = 0, refusals = 0;
  json::Object refused, run;
  std::string list;
  for (const auto &[pass, count] : counts) {
    runs += count.runs;
    refusals += count.refusals;
    run[pass] = count.runs;
    if (!count.refusals)
      continue;
    refused[pass] = count.refusals;
    list += (list.empty() ? " (" : ", ") + pass + " " +
            std::to_string(count.refusals);
  }
  if (options.json) {
    out << llvm::formatv(
        "{0:2}\n", json::Value(json::Object{{"seed", options.seed},
                                            {"next_program", next},
                                            {"mixes", mixes},
                                            {"passes", std::move(run)},
                                            {"refusals", std::move(refused)},
                                            {"failures", failures},
                                            {"seconds", getSeconds()}}));
    return;
  }
  out << "COUNT: seed " << options.seed << ", " << mixes << " mixes of " << runs
      << " passes, " << refusals << " refusals" << list
      << (list.empty() ? "" : ")") << ", " << failures << " failures; "
      << llvm::format("%.1f", getSeconds()) << " s\n";
}

LogicalResult MixDriver::run() {
  uint64_t next = options.onlyProgram.value_or(options.firstProgram);
  uint64_t end = options.onlyProgram ? next + 1 : next + options.count;
  // Without a limit the sum has wrapped around.
  if (end < next)
    end = std::numeric_limits<uint64_t>::max();
  if (options.print) {
    for (; next < end; ++next) {
      Mix mix = makeMix(options, next);
      out << "// mix " << next << " of " << mix.passes.size() << " passes\n"
          << printTest(next, mix, {});
    }
    return success();
  }
  while (next < end && !isOver()) {
    next = runBatch(next, std::min(end, next + kBatch));
    if (err.is_displayed()) {
      err << llvm::format("\r%llu mixes, %u failed ", (unsigned long long)mixes,
                          failures);
      err.flush();
    }
  }
  if (err.is_displayed())
    err << "\r";
  bool isRefused = hasTooManyRefusals();
  printSummary(next);
  return success(failures == 0 && mixes > 0 && !isRefused);
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
