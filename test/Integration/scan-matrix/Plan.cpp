//===- Plan.cpp - Reads what scan-matrix runs -----------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"
#include <optional>

using namespace mlir::scan;
using namespace mlir::scan::matrix;
namespace json = llvm::json;

// These are found by argument-dependent lookup from ObjectMapper.
namespace mlir::scan::fuzz {
static bool fromJSON(const json::Value &value, Values &values,
                     json::Path path) {
  std::string text;
  if (!json::fromJSON(value, text, path))
    return false;
  std::optional<Values> found = parseValues(text);
  if (!found) {
    path.report("unknown kind of values");
    return false;
  }
  values = *found;
  return true;
}

} // namespace mlir::scan::fuzz

namespace mlir::scan::emulator {
static bool fromJSON(const json::Value &value, Schedule &order,
                     json::Path path) {
  std::string text;
  if (!json::fromJSON(value, text, path))
    return false;
  auto found = llvm::StringSwitch<std::optional<Schedule>>(text)
                   .Case("in-order", Schedule::InOrder)
                   .Case("random", Schedule::Random)
                   .Case("adversarial", Schedule::Adversarial)
                   .Default(std::nullopt);
  if (!found) {
    path.report("expected in-order, random or adversarial");
    return false;
  }
  order = *found;
  return true;
}
} // namespace mlir::scan::emulator

namespace mlir::scan::matrix {

template <typename T>
static bool fromJSON(const json::Value &value, llvm::SmallVector<T> &result,
                     json::Path path) {
  std::vector<T> elements;
  if (!json::fromJSON(value, elements, path))
    return false;
  result.assign(elements.begin(), elements.end());
  return true;
}

static bool fromJSON(const json::Value &value, Operand &operand,
                     json::Path path) {
  json::ObjectMapper mapper(value, path);
  std::vector<int64_t> trailing;
  bool ok = mapper && mapper.map("type", operand.elementType) &&
            mapper.map("trailing", trailing) &&
            mapper.map("collapsed", operand.collapsed) &&
            mapper.map("values", operand.values);
  operand.trailing.assign(trailing.begin(), trailing.end());
  return ok;
}

static bool fromJSON(const json::Value &value, Tested &tested,
                     json::Path path) {
  json::ObjectMapper mapper(value, path);
  if (!mapper || !mapper.map("name", tested.name) ||
      !mapper.map("module", tested.module) ||
      !mapper.map("order", tested.order) ||
      !mapper.map("resident", tested.residentBlocks))
    return false;
  if (tested.residentBlocks != 0)
    return true;
  path.field("resident").report("expected at least 1");
  return false;
}

/// A module alone, or several with how to run them.
static bool fromJSON(const json::Value &value,
                     llvm::SmallVector<Tested, 1> &tested, json::Path path) {
  if (value.kind() == json::Value::String)
    return json::fromJSON(value, tested.emplace_back().module, path);
  std::vector<Tested> all;
  if (!json::fromJSON(value, all, path))
    return false;
  tested.assign(all.begin(), all.end());
  return true;
}

static bool fromJSON(const json::Value &value, Configuration &configuration,
                     json::Path path) {
  json::ObjectMapper mapper(value, path);
  std::vector<std::vector<int64_t>> shapes;
  bool ok = mapper && mapper.map("name", configuration.name) &&
            mapper.map("module", configuration.module) &&
            mapper.map("tested", configuration.tested) &&
            mapper.map("dim", configuration.dim) &&
            mapper.map("reverse", configuration.reverse) &&
            mapper.map("roundings", configuration.roundings) &&
            mapper.map("shapes", shapes) &&
            mapper.map("inputs", configuration.inputs) &&
            mapper.map("outputs", configuration.outputs);
  for (const std::vector<int64_t> &shape : shapes)
    configuration.shapes.emplace_back(shape.begin(), shape.end());
  return ok;
}

llvm::Expected<std::vector<Configuration>> readPlan(llvm::StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError(buffer.getError(), "cannot read " + path);
  llvm::Expected<json::Value> value = json::parse((*buffer)->getBuffer());
  if (!value)
    return value.takeError();
  std::vector<Configuration> plan;
  json::Path::Root root("plan");
  if (!fromJSON(*value, plan, root))
    return root.getError();
  return plan;
}

} // namespace mlir::scan::matrix
