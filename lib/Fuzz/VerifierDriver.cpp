//===- VerifierDriver.cpp - Looks for programs that crash the compiler ----===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Scan/InitAll/InitAll.h"
#include "VerifierRun.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;
namespace json = llvm::json;

/// Programs that one child runs.
static constexpr uint64_t kBatch = 250;

namespace {
/// What became of one text in a child.
struct MangledOutcome {
  Outcome::Kind kind = Outcome::Pass;
  std::string stage, message, text;
};

class VerifierDriver {
public:
  VerifierDriver(const FuzzOptions &options, llvm::raw_ostream &out,
                 llvm::raw_fd_ostream &err)
      : options(options), out(out), err(err),
        start(std::chrono::steady_clock::now()) {}
  LogicalResult run();

private:
  MangledOutcome
  runChild(llvm::function_ref<void(ChildStatus &, llvm::raw_ostream &)> body,
           std::vector<std::string> &lines);
  void runBatch(uint64_t begin, uint64_t end);
  void fail(uint64_t index, MangledOutcome outcome);
  void shrink(MangledOutcome &outcome);
  void printSummary(uint64_t next);
  double getSeconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  }
  bool isOver() const {
    return failures.size() >= options.maxFailures ||
           (options.minutes && getSeconds() > *options.minutes * 60);
  }

  const FuzzOptions &options;
  llvm::raw_ostream &out;
  llvm::raw_fd_ostream &err;
  std::chrono::steady_clock::time_point start;
  VerifierCounts counts;
  std::vector<std::pair<uint64_t, MangledOutcome>> failures;
};
} // namespace

static json::Value toJSON(uint64_t next, const VerifierCounts &counts,
                          StringRef complaint) {
  return json::Object{{"next", next},
                      {"programs", counts.programs},
                      {"verified", counts.verified},
                      {"compiled", counts.compiled},
                      {"complaint", complaint}};
}

/// Runs `body` in a child to its end.
MangledOutcome VerifierDriver::runChild(
    llvm::function_ref<void(ChildStatus &, llvm::raw_ostream &)> body,
    std::vector<std::string> &lines) {
  Child child;
  MangledOutcome outcome;
  if (!child.start(body)) {
    err << "scan-fuzz: error: cannot start a process\n";
    return outcome;
  }
  while (outcome.kind == Outcome::Pass) {
    Child::State state = child.poll(200, lines);
    if (state == Child::State::Finished)
      return outcome;
    if (state == Child::State::Crashed)
      outcome.kind = Outcome::Crash;
    else if (child.getStepSeconds() > options.timeout)
      outcome.kind = Outcome::Timeout;
  }
  outcome.stage = child.getStatus().stage;
  outcome.text = child.getStatus().text;
  if (outcome.kind == Outcome::Timeout)
    outcome.message = "no answer";
  else
    outcome.message = child.describeEnd();
  return outcome;
}

/// Runs the programs up to `end`, in as many children as it takes.
void VerifierDriver::runBatch(uint64_t begin, uint64_t end) {
  while (begin < end && !isOver()) {
    std::vector<std::string> lines;
    MangledOutcome outcome = runChild(
        [&](ChildStatus &status, llvm::raw_ostream &os) {
          DialectRegistry registry;
          registerAllDialects(registry);
          MLIRContext context(registry, MLIRContext::Threading::DISABLED);
          for (uint64_t i = begin; i < end; ++i) {
            VerifierCounts own;
            std::string complaint =
                runMangledCase(options, i, context, status, own);
            json::Object line = *toJSON(i + 1, own, complaint).getAsObject();
            if (!complaint.empty())
              line["text"] = json::fixUTF8(status.text);
            os << json::Value(std::move(line)) << "\n";
            os.flush();
          }
        },
        lines);
    for (const std::string &line : lines) {
      llvm::Expected<json::Value> value = json::parse(line);
      if (!value) {
        llvm::consumeError(value.takeError());
        continue;
      }
      const json::Object &object = *value->getAsObject();
      begin = object.getInteger("next").value_or(begin);
      counts.programs += object.getInteger("programs").value_or(0);
      counts.verified += object.getInteger("verified").value_or(0);
      counts.compiled += object.getInteger("compiled").value_or(0);
      StringRef complaint = object.getString("complaint").value_or("");
      if (!complaint.empty())
        fail(begin - 1, {Outcome::Error, "", complaint.str(),
                         object.getString("text").value_or("").str()});
    }
    if (outcome.kind != Outcome::Pass) {
      ++counts.programs;
      fail(begin++, outcome);
    }
  }
}

/// Takes lines, then words, out of the text for as long as it fails in the same
/// place.
void VerifierDriver::shrink(MangledOutcome &outcome) {
  auto begin = std::chrono::steady_clock::now();
  auto isOver = [&] {
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - begin;
    return elapsed.count() > options.shrinkSeconds;
  };
  auto accept = [&](StringRef text) {
    std::vector<std::string> lines;
    MangledOutcome next = runChild(
        [&](ChildStatus &status, llvm::raw_ostream &os) {
          DialectRegistry registry;
          registerAllDialects(registry);
          MLIRContext context(registry, MLIRContext::Threading::DISABLED);
          VerifierCounts own;
          os << runMangled(text, context, status, own) << "\n";
        },
        lines);
    if (next.kind == Outcome::Pass && !lines.empty() && !lines.back().empty())
      next = {Outcome::Error, "", lines.back(), text.str()};
    if (next.kind != outcome.kind ||
        (outcome.kind == Outcome::Error && next.message != outcome.message))
      return false;
    outcome.text = text.str();
    outcome.stage = next.stage;
    return true;
  };
  for (char separator : {'\n', ' '}) {
    SmallVector<StringRef> parts;
    std::string text = outcome.text;
    StringRef(text).split(parts, separator);
    for (size_t size = parts.size() / 2; size > 0 && !isOver(); size /= 2)
      for (size_t i = 0; i + size <= parts.size() && !isOver();) {
        SmallVector<StringRef> fewer(parts);
        fewer.erase(fewer.begin() + i, fewer.begin() + i + size);
        if (accept(llvm::join(fewer, StringRef(&separator, 1))))
          parts = fewer;
        else
          i += size;
      }
  }
}

void VerifierDriver::fail(uint64_t index, MangledOutcome outcome) {
  if (failures.size() >= options.maxFailures)
    return;
  if (options.shrinkSeconds > 0)
    shrink(outcome);
  std::string message = outcome.message;
  llvm::replace(message, '\n', ' ');
  out << "FAILED: mangled program " << index << ": "
      << stringifyOutcome(outcome.kind) << " at '" << outcome.stage
      << "': " << message << "\n";
  std::string test = "// " + stringifyOutcome(outcome.kind).str() + " at '" +
                     outcome.stage + "': " + message + "\n" +
                     "// Found by scan-fuzz --verifier --seed=" +
                     std::to_string(options.seed) + ", program " +
                     std::to_string(index) + ", and made smaller.\n" +
                     "// RUN: not " + getStageCommand(outcome.stage) +
                     " 2>&1 | FileCheck %s\n// CHECK: error:\n" + outcome.text;
  out << "----- test\n" << test << "\n-----\n";
  out.flush();
  writeFailure(options,
               "verifier-" + std::to_string(options.seed) + "-" +
                   std::to_string(index) + ".mlir",
               test, err);
  failures.emplace_back(index, std::move(outcome));
}

void VerifierDriver::printSummary(uint64_t next) {
  double seconds = getSeconds();
  if (err.is_displayed())
    err << "\r";
  if (!options.json) {
    out << "COUNT: seed " << options.seed << ", " << counts.programs
        << " mangled programs, " << counts.verified << " verified, "
        << counts.compiled << " passes succeeded, " << failures.size()
        << " failures; " << llvm::format("%.1f", seconds) << " s\n";
    return;
  }
  json::Array list;
  for (auto &[index, outcome] : failures)
    list.push_back(json::Object{{"program", index},
                                {"kind", stringifyOutcome(outcome.kind)},
                                {"stage", outcome.stage},
                                {"message", json::fixUTF8(outcome.message)}});
  out << llvm::formatv(
      "{0:2}\n", json::Value(json::Object{{"seed", options.seed},
                                          {"next_program", next},
                                          {"programs", counts.programs},
                                          {"verified", counts.verified},
                                          {"passes_succeeded", counts.compiled},
                                          {"seconds", seconds},
                                          {"failures", std::move(list)}}));
}

LogicalResult VerifierDriver::run() {
  uint64_t next = options.onlyProgram.value_or(options.firstProgram);
  uint64_t end = options.onlyProgram ? next + 1 : next + options.count;
  // Without a limit the sum has wrapped around.
  if (end < next)
    end = std::numeric_limits<uint64_t>::max();
  while (next < end && !isOver()) {
    uint64_t last = std::min(end, next + kBatch);
    runBatch(next, last);
    next = last;
    if (err.is_displayed()) {
      err << llvm::format("\r%llu programs, %llu verified, %zu failed ",
                          (unsigned long long)counts.programs,
                          (unsigned long long)counts.verified, failures.size());
      err.flush();
    }
  }
  printSummary(next);
  return success(failures.empty() && counts.programs > 0);
}

LogicalResult fuzz::runVerifier(const FuzzOptions &options,
                                llvm::raw_ostream &out,
                                llvm::raw_fd_ostream &err) {
  return VerifierDriver(options, out, err).run();
}
