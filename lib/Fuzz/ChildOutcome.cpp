//===- WorkerProtocol.cpp - Outcomes as lines of text ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkerProtocol.h"
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

void fuzz::printOutcome(const Outcome &outcome, llvm::raw_ostream &os) {
  os << json::Value(toJSON(outcome)) << "\n";
}

Outcome fuzz::parseOutcome(StringRef line) {
  llvm::Expected<json::Value> value = json::parse(line);
  if (!value) {
    llvm::consumeError(value.takeError());
    return {};
  }
  const json::Object *object = value->getAsObject();
  return object ? fromJSON(*object) : Outcome();
}
