//===- ChildOutcome.cpp - What becomes of work in a child -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChildOutcome.h"
#include "Scan/InitAll/InitAll.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;
namespace json = llvm::json;

/// JSON has no infinities.
static double clamp(double value) { return std::isfinite(value) ? value : 1; }

json::Object fuzz::toJSON(const Outcome &outcome) {
  return json::Object{{"kind", static_cast<int64_t>(outcome.kind)},
                      {"target", outcome.target},
                      {"message", json::fixUTF8(outcome.message)},
                      {"dynamic", outcome.hasDynamicArguments},
                      {"error", clamp(outcome.relativeError)},
                      {"bound", clamp(outcome.relativeBound)}};
}

Outcome fuzz::fromJSON(const json::Object &object) {
  Outcome outcome;
  outcome.kind =
      static_cast<Outcome::Kind>(object.getInteger("kind").value_or(0));
  outcome.target = object.getString("target").value_or("").str();
  outcome.message = object.getString("message").value_or("").str();
  outcome.hasDynamicArguments = object.getBoolean("dynamic").value_or(false);
  outcome.relativeError = object.getNumber("error").value_or(0);
  outcome.relativeBound = object.getNumber("bound").value_or(0);
  return outcome;
}

/// What two messages about one mistake have in common.
static std::string getLetters(StringRef message) {
  std::string letters;
  for (char c : message)
    if (llvm::isAlpha(c) && letters.size() < 60)
      letters += c;
  return letters;
}

bool fuzz::failsAlike(const Outcome &lhs, const Outcome &rhs) {
  return lhs.kind == rhs.kind && lhs.target == rhs.target &&
         (lhs.kind != Outcome::Error ||
          getLetters(lhs.message) == getLetters(rhs.message));
}

bool fuzz::startInContext(Child &child, ChildBody body, bool keepsContext) {
  return child.start([&](ChildStatus &status, llvm::raw_ostream &os) {
    DialectRegistry registry;
    registerAllDialects(registry);
    auto context = std::make_unique<MLIRContext>(
        registry, MLIRContext::Threading::DISABLED);
    body(*context, status, os);
    status.hasDynamicArguments = false;
    status.setStage(kCleanUp);
    if (keepsContext)
      (void)context.release();
  });
}

Outcome fuzz::endChild(Child &child, Child::State state) {
  if (state == Child::State::Running)
    child.kill();
  bool isCrash = state == Child::State::Crashed;
  return {isCrash ? Outcome::Crash : Outcome::Timeout, child.getStatus().stage,
          isCrash ? child.describeEnd() : "no answer",
          child.getStatus().hasDynamicArguments};
}

Outcome fuzz::runInChild(unsigned timeout, ChildBody body,
                         std::vector<std::string> &lines, std::string *text) {
  Child child;
  if (!startInContext(child, body))
    return {Outcome::Error, "fork", "cannot start a process"};
  Child::State state = Child::State::Running;
  while (state == Child::State::Running && child.getStepSeconds() <= timeout)
    state = child.poll(200, lines);
  if (state == Child::State::Finished)
    return {};
  if (text)
    *text = child.getStatus().text;
  return endChild(child, state);
}

Outcome fuzz::runCaseInChild(unsigned timeout, CaseBody body) {
  std::vector<std::string> lines;
  Outcome end = runInChild(
      timeout,
      [&](MLIRContext &context, ChildStatus &status, llvm::raw_ostream &os) {
        os << json::Value(toJSON(body(context, status))) << "\n";
      },
      lines);
  if (end.kind != Outcome::Pass || lines.empty())
    return end;
  llvm::Expected<json::Value> value = json::parse(lines.back());
  if (!value || !value->getAsObject()) {
    llvm::consumeError(value.takeError());
    return {};
  }
  return fromJSON(*value->getAsObject());
}

bool fuzz::failsAgain(Outcome &outcome, unsigned timeout, CaseBody body) {
  Outcome next = runCaseInChild(timeout, body);
  if (!failsAlike(next, outcome))
    return false;
  outcome = std::move(next);
  return true;
}
