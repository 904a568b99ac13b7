//===- VerifierDriver.cpp - Looks for programs that crash the compiler ----===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "FuzzDriver.h"
#include "Reduce/GreedySearch.h"
#include "VerifierRun.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;
namespace json = llvm::json;

/// Programs that one child runs.
static constexpr uint64_t kMutantsPerChild = 250;

namespace {
class VerifierDriver : public FuzzDriver {
public:
  VerifierDriver(const FuzzOptions &options, llvm::raw_ostream &out,
                 llvm::raw_fd_ostream &err)
      : FuzzDriver(options, kMutantsPerChild, out, err) {}

private:
  void print(uint64_t index) override;
  json::Object runCase(uint64_t index, MLIRContext &context,
                       ChildStatus &status) override;
  bool takeCase(uint64_t index, const json::Object &result) override;
  void takeEnd(uint64_t index, const Outcome &outcome,
               const ChildStatus &status) override {
    fail(index, outcome, status.text);
  }
  void reportFailure(uint64_t index, Outcome &outcome, StringRef text) override;
  void printCounts() override;
  void addCounts(json::Object &summary) override;
  void shrink(Outcome &outcome, std::string &text);

  VerifierCounts counts;
};
} // namespace

json::Object VerifierDriver::runCase(uint64_t index, MLIRContext &context,
                                     ChildStatus &status) {
  VerifierCounts own;
  std::string complaint = runMutatedCase(options, index, context, status, own);
  json::Object result{{"verified", own.verified},
                      {"compiled", own.compiled},
                      {"complaint", json::fixUTF8(complaint)}};
  if (!complaint.empty())
    result["text"] = json::fixUTF8(status.text);
  return result;
}

/// Prints the text after it went through parser, verifier and passes: that it
/// is made in a child is part of what is tried.
void VerifierDriver::print(uint64_t index) {
  std::vector<std::string> lines;
  std::string text;
  Outcome outcome = runInChild(
      timeout,
      [&](MLIRContext &context, ChildStatus &status, llvm::raw_ostream &os) {
        VerifierCounts own;
        runMutatedCase(options, index, context, status, own);
        os << status.text << "\n";
      },
      lines, &text);
  if (outcome.kind == Outcome::Pass)
    text = llvm::join(lines, "\n");
  out << "// mutated program " << index << "\n" << text << "\n";
}

bool VerifierDriver::takeCase(uint64_t index, const json::Object &object) {
  counts.verified += object.getInteger("verified").value_or(0);
  counts.compiled += object.getInteger("compiled").value_or(0);
  StringRef complaint = object.getString("complaint").value_or("");
  if (!complaint.empty())
    fail(index, {Outcome::Error, "", complaint.str()},
         object.getString("text").value_or(""));
  return true;
}

/// Takes lines, then words, out of the text for as long as it fails in the same
/// way.
void VerifierDriver::shrink(Outcome &outcome, std::string &text) {
  auto fails = [&](const std::string &candidate) {
    Outcome next = runCaseInChild(
        timeout, [&](MLIRContext &context, ChildStatus &status) -> Outcome {
          VerifierCounts own;
          std::string complaint = runMutated(candidate, context, status, own);
          if (complaint.empty())
            return {};
          return {Outcome::Error, "", complaint};
        });
    if (next.kind != outcome.kind ||
        (outcome.kind == Outcome::Error && next.message != outcome.message))
      return false;
    outcome.target = next.target;
    return true;
  };
  GreedySearch<std::string> search(text, fails, options.shrinkSeconds);
  for (char separator : {'\n', ' '})
    search.removeRanges(
        StringRef(text).count(separator) + 1,
        [separator](std::string &candidate, size_t begin, size_t size) {
          SmallVector<StringRef> parts;
          StringRef(candidate).split(parts, separator);
          parts.erase(parts.begin() + begin, parts.begin() + begin + size);
          candidate = llvm::join(parts, StringRef(&separator, 1));
          return true;
        });
}

void VerifierDriver::reportFailure(uint64_t index, Outcome &outcome,
                                   StringRef text) {
  std::string program = text.str();
  shrink(outcome, program);
  std::string what = stringifyOutcome(outcome.kind).str() + " at '" +
                     outcome.target + "': " + joinLines(outcome.message);
  out << "FAILED: mutated program " << index << ": " << what << "\n";
  printTest("verifier", index,
            "// " + what + "\n" + "// Found by scan-fuzz --verifier --seed=" +
                std::to_string(options.seed) + ", program " +
                std::to_string(index) + ", and made smaller.\n" +
                "// RUN: not " + getStageCommand(outcome.target) +
                " 2>&1 | FileCheck %s\n// CHECK: error:\n" + program);
}

void VerifierDriver::printCounts() {
  out << ", " << cases << " mutated programs, " << counts.verified
      << " verified, " << counts.compiled << " passes succeeded, "
      << failures.size() << " failures";
}

void VerifierDriver::addCounts(json::Object &summary) {
  json::Array list;
  for (auto &[index, outcome] : failures)
    list.push_back(json::Object{{"program", index},
                                {"kind", stringifyOutcome(outcome.kind)},
                                {"stage", outcome.target},
                                {"message", json::fixUTF8(outcome.message)}});
  summary["programs"] = cases;
  summary["verified"] = counts.verified;
  summary["passes_succeeded"] = counts.compiled;
  summary["failures"] = std::move(list);
}

LogicalResult fuzz::runVerifier(const FuzzOptions &options,
                                llvm::raw_ostream &out,
                                llvm::raw_fd_ostream &err) {
  return VerifierDriver(options, out, err).run();
}
