//===- ManifestReader.cpp - A manifest in memory --------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ManifestReader.h"
#include "ManifestValues.h"

using namespace mlir::scan::launcher;

namespace {
/// Reads one manifest.
class Reader : private ManifestValues {
public:
  Status read(const std::string &text, ManifestDescription &manifest);

private:
  size_t findBuffer(const FunctionDescription &function,
                    const std::string &name, const std::string &where);

  FunctionDescription readFunction(const Json &json);
  ArgumentDescription readArgument(const Json &json, const std::string &where);
  BufferDescription readBuffer(const Json &json, const std::string &where);
  StatusDescription readStatus(const Json &json,
                               const FunctionDescription &function,
                               const std::string &where);
  RepeatDescription readRepeat(const Json &json,
                               const FunctionDescription &function,
                               const std::string &where);
  ClearedDescription readCleared(const Json &json,
                                 const FunctionDescription &function,
                                 const std::string &where);
  KernelDescription readKernel(const Json &json,
                               const FunctionDescription &function);
  ParameterDescription readParameter(const Json &json,
                                     const FunctionDescription &function,
                                     const std::string &where);
};
} // namespace

size_t Reader::findBuffer(const FunctionDescription &function,
                          const std::string &name, const std::string &where) {
  for (size_t i = 0; i < function.buffers.size(); ++i)
    if (function.buffers[i].name == name)
      return i;
  fail(where, "unknown buffer '" + name + "'");
  return 0;
}

ArgumentDescription Reader::readArgument(const Json &json,
                                         const std::string &where) {
  ArgumentDescription argument;
  argument.name = getString(json, "name", where);
  argument.type.element = getString(json, "element", where);
  argument.type.elementBytes = getElementBytes(argument.type.element, where);
  std::string kind = getString(json, "kind", where);
  if (kind == "scalar") {
    argument.type.isScalar = true;
    return argument;
  }
  if (kind != "tensor") {
    fail(where, "unknown kind '" + kind + "'");
    return argument;
  }
  for (const Json &extent : getArray(json, "shape", where)) {
    int64_t number = -1;
    std::string name;
    getNumberOrName(extent, where, number, name);
    argument.type.shape.push_back(name.empty() ? number : -1);
    argument.extentNames.push_back(name);
  }
  if (!json.is_object() || !json.contains("strides"))
    return argument;
  argument.isStrided = true;
  for (const Json &stride : getArray(json, "strides", where)) {
    argument.strides.push_back(0);
    argument.strideNames.emplace_back();
    getNumberOrName(stride, where, argument.strides.back(),
                    argument.strideNames.back());
  }
  if (argument.strides.size() != argument.extentNames.size())
    fail(where, "'strides' and 'shape' differ in length");
  getNumberOrName(get(json, "offset", where, Json::value_t::discarded), where,
                  argument.offset, argument.offsetName);
  return argument;
}

BufferDescription Reader::readBuffer(const Json &json,
                                     const std::string &where) {
  BufferDescription buffer;
  buffer.name = getString(json, "name", where);
  buffer.index = getCount(json, "index", where);
  buffer.element = getString(json, "element", where);
  buffer.elementBytes = getElementBytes(buffer.element, where);
  buffer.shape = getShape(json, "shape", where);
  std::string kind = getString(json, "kind", where);
  if (kind == "argument")
    buffer.kind = BufferKind::Argument;
  else if (kind == "result")
    buffer.kind = BufferKind::Result;
  else if (kind == "temporary")
    buffer.kind = BufferKind::Temporary;
  else if (kind == "constant")
    buffer.kind = BufferKind::Constant;
  else
    fail(where, "unknown kind '" + kind + "'");
  if (kind == "constant")
    buffer.data = getHex(json, "data", 0, where);
  return buffer;
}

ParameterDescription Reader::readParameter(const Json &json,
                                           const FunctionDescription &function,
                                           const std::string &where) {
  ParameterDescription parameter;
  parameter.name = getString(json, "name", where);
  std::string kind = getString(json, "kind", where);
  if (kind == "pointer") {
    parameter.kind = ParameterKind::Pointer;
    parameter.index =
        findBuffer(function, getString(json, "buffer", where), where);
  } else if (kind == "size" || kind == "stride" || kind == "offset") {
    parameter.kind = ParameterKind::Number;
    parameter.isSize = kind == "size";
    parameter.value = getExpression(
        get(json, "value", where, Json::value_t::discarded), where);
  } else if (kind == "scalar" && json.contains("constant")) {
    parameter.kind = ParameterKind::Constant;
    int64_t bytes = getElementBytes(getString(json, "element", where), where);
    std::vector<uint8_t> data = getHex(json, "constant", bytes, where);
    std::copy(data.begin(), data.begin() + std::min<size_t>(data.size(), 16),
              parameter.bytes.begin());
  } else if (kind == "scalar") {
    const Json &value = get(json, "value", where, Json::value_t::discarded);
    std::string name = value.is_string() ? value.get<std::string>() : "";
    parameter.kind = ParameterKind::ScalarArgument;
    size_t index = 0, count = function.arguments.size();
    while (index < count && function.arguments[index].name != name)
      ++index;
    parameter.index = index;
    std::string element = getString(json, "element", where);
    if (index == count && (element == "index" || element[0] == 'i')) {
      // Computed from extents. Little-endian: narrow integers come first.
      parameter.kind = ParameterKind::Number;
      parameter.value = getExpression(value, where);
    } else if (index == count || !function.arguments[index].type.isScalar) {
      fail(where, "'" + name + "' is no scalar argument of the function");
    } else if (const ValueType &type = function.arguments[index].type;
               element != type.element &&
               (element[0] != 'i' || type.element[0] != 'i' ||
                getElementBytes(element, where) > type.elementBytes)) {
      // Narrow integers are the first bytes of wide ones, as above.
      fail(where, "'" + parameter.name + "' is of type " + element +
                      ", expected that of '" + name + "', " + type.element);
    }
  } else if (kind == "workspace") {
    parameter.kind = ParameterKind::Workspace;
  } else if (kind == "status") {
    parameter.kind = ParameterKind::Status;
    parameter.index = getCount(json, "index", where);
    if (version < 5)
      fail(where, "it has a status, which version " + std::to_string(version) +
                      " has none of");
    else if (parameter.index >= function.statuses.size())
      fail(where, "'" + parameter.name + "' is a status that is not listed");
  } else {
    fail(where, "unknown kind '" + kind + "'");
  }
  if (kind == "scalar")
    parameter.size = getElementBytes(getString(json, "element", where), where);
  if (int64_t bytes = getCount(json, "bytes", where); bytes != parameter.size)
    fail(where, "expected " + std::to_string(parameter.size) + " bytes for '" +
                    parameter.name + "', found " + std::to_string(bytes));
  return parameter;
}

KernelDescription Reader::readKernel(const Json &json,
                                     const FunctionDescription &function) {
  KernelDescription kernel;
  std::string where = "function " + function.name;
  kernel.entry = getString(json, "entry", where);
  where = "kernel " + kernel.entry;
  if (json.is_object() && json.contains("when")) {
    for (const Json &condition : getArray(json, "when", where))
      kernel.conditions.push_back(
          getExpression(condition, where, /*isComparison=*/true));
    if (version < 3)
      fail(where, "it has conditions, which version " +
                      std::to_string(version) + " has none of");
  }
  if (json.is_object() && json.contains("variant")) {
    const Json &variant = get(json, "variant", where, Json::value_t::object);
    kernel.scan = getCount(variant, "scan", where);
    kernel.variant = getCount(variant, "number", where);
  }
  for (const Json &parameter : getArray(json, "arguments", where))
    kernel.parameters.push_back(readParameter(parameter, function, where));
  std::vector<Expression> grid = getShape(json, "grid", where);
  std::vector<Expression> block = getShape(json, "block", where);
  if (grid.size() != 3 || block.size() != 3) {
    fail(where, "expected three extents in 'grid' and in 'block'");
    return kernel;
  }
  std::move(grid.begin(), grid.end(), kernel.grid.begin());
  std::move(block.begin(), block.end(), kernel.block.begin());
  const Json &shared = get(json, "shared_bytes", where, Json::value_t::object);
  int64_t dynamic = getCount(shared, "dynamic", where);
  if (dynamic > std::numeric_limits<int>::max())
    fail(where, "expected 'dynamic' to be a number of 31 bits, found " +
                    std::to_string(dynamic));
  kernel.dynamicSharedBytes = static_cast<unsigned>(dynamic);
  const Json &workspace = get(json, "workspace", where, Json::value_t::object);
  const Json &bytes = get(workspace, "bytes", where, Json::value_t::discarded);
  kernel.workspaceBytes = getExpression(bytes, where);
  const Json &zeroed = get(workspace, "zeroed", where, Json::value_t::boolean);
  kernel.isWorkspaceZeroed = zeroed.is_boolean() && zeroed.get<bool>();
  if (version == 1 && !kernel.workspaceBytes.isZero())
    fail(where, "it asks for a workspace, which version 1 has none of");
  for (const ParameterDescription &parameter : kernel.parameters)
    if (parameter.kind == ParameterKind::Workspace &&
        kernel.workspaceBytes.isZero())
      fail(where, "'" + parameter.name + "' is a workspace of 0 bytes");
  return kernel;
}

RepeatDescription Reader::readRepeat(const Json &json,
                                     const FunctionDescription &function,
                                     const std::string &where) {
  RepeatDescription repeat;
  repeat.first = getCount(json, "first", where);
  repeat.count = getCount(json, "kernels", where);
  repeat.name = getString(json, "step", where);
  repeat.steps =
      getExpression(get(json, "steps", where, Json::value_t::discarded), where);
  if (version < 6)
    fail(where, "it has launches that are repeated, which version " +
                    std::to_string(version) + " has none of");
  else if (!isName(repeat.name))
    fail(where, "expected a name, found '" + repeat.name + "'");
  const size_t behind =
      function.repeats.empty()
          ? 0
          : function.repeats.back().first + function.repeats.back().count;
  const size_t all = function.kernels.size();
  if (repeat.count == 0 || repeat.first < behind || repeat.first >= all ||
      repeat.count > all - repeat.first) {
    fail(where, "expected 'repeat' to be of kernels from " +
                    std::to_string(behind) + " to " + std::to_string(all) +
                    ", found " + std::to_string(repeat.count) + " from " +
                    std::to_string(repeat.first) + " on");
    return repeat;
  }
  // The grid is that of all steps.
  for (size_t i = repeat.first; i < repeat.first + repeat.count; ++i)
    for (const ParameterDescription &parameter : function.kernels[i].parameters)
      if (parameter.isSize && parameter.value.mentions(repeat.name))
        fail("kernel " + function.kernels[i].entry,
             "'" + parameter.name + "' is a size that depends on the step");
  return repeat;
}

ClearedDescription Reader::readCleared(const Json &json,
                                       const FunctionDescription &function,
                                       const std::string &where) {
  ClearedDescription cleared;
  cleared.buffer =
      findBuffer(function, getString(json, "buffer", where), where);
  cleared.before = getCount(json, "before", where);
  if (version < 3)
    fail(where, "it has buffers to be cleared, which version " +
                    std::to_string(version) + " has none of");
  else if (cleared.before > function.kernels.size())
    fail(where, "'before' is " + std::to_string(cleared.before) +
                    ", more than the number of kernels");
  for (const RepeatDescription &repeat : function.repeats)
    if (cleared.before > repeat.first &&
        cleared.before < repeat.first + repeat.count)
      fail(where, "a buffer is cleared among launches that are repeated");
  if (status.ok() &&
      function.buffers[cleared.buffer].kind == BufferKind::Constant)
    fail(where, "a constant is to be cleared");
  return cleared;
}

StatusDescription Reader::readStatus(const Json &json,
                                     const FunctionDescription &function,
                                     const std::string &where) {
  StatusDescription described;
  std::string kind = getString(json, "kind", where);
  if (status.ok() && kind != "segment-offsets")
    fail(where, "unknown kind '" + kind + "'");
  if (!json.is_object() || !json.contains("argument"))
    return described;
  std::string name = getString(json, "argument", where);
  size_t index = 0, count = function.arguments.size();
  while (index < count && function.arguments[index].name != name)
    ++index;
  if (index == count)
    fail(where, "'" + name + "' is no argument of the function");
  described.argument = index;
  return described;
}

FunctionDescription Reader::readFunction(const Json &json) {
  FunctionDescription function;
  function.name = getString(json, "name", "functions");
  std::string where = "function " + function.name;
  for (const Json &argument : getArray(json, "arguments", where)) {
    function.arguments.push_back(readArgument(argument, where));
    function.argumentTypes.push_back(function.arguments.back().type);
  }
  for (const Json &buffer : getArray(json, "buffers", where)) {
    function.buffers.push_back(readBuffer(buffer, where));
    const BufferDescription &read = function.buffers.back();
    if (read.kind == BufferKind::Argument &&
        read.index >= function.arguments.size())
      fail(where, "buffer '" + read.name + "' is no argument");
  }
  for (const Json &result : getArray(json, "results", where)) {
    ResultDescription read;
    read.buffer =
        findBuffer(function, getString(result, "buffer", where), where);
    read.element = getString(result, "element", where);
    read.elementBytes = getElementBytes(read.element, where);
    read.shape = getShape(result, "shape", where);
    function.results.push_back(std::move(read));
  }
  if (json.is_object() && json.contains("status"))
    for (const Json &entry : getArray(json, "status", where))
      function.statuses.push_back(readStatus(entry, function, where));
  if (json.is_object() && json.contains("requires"))
    for (const Json &entry : getArray(json, "requires", where))
      function.requirements.push_back(
          getExpression(entry, where, /*isComparison=*/true, "requires"));
  for (const Json &kernel : getArray(json, "kernels", where))
    function.kernels.push_back(readKernel(kernel, function));
  if (json.is_object() && json.contains("repeat"))
    for (const Json &entry : getArray(json, "repeat", where))
      function.repeats.push_back(readRepeat(entry, function, where));
  if (json.is_object() && json.contains("cleared"))
    for (const Json &entry : getArray(json, "cleared", where))
      function.cleared.push_back(readCleared(entry, function, where));
  return function;
}

Status Reader::read(const std::string &text, ManifestDescription &manifest) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    return Status::failure("the manifest is not valid: it is no JSON text");
  version = getCount(json, "version", "the whole");
  if (status.ok() && (version < 1 || version > 6))
    return Status::failure(
        "expected a manifest of version 1 to 6, found version " +
        std::to_string(version) + "; a newer launcher is needed");
  manifest.chip = getString(json, "chip", "the whole");
  if (json.is_object() && json.contains("ptx_sha256"))
    manifest.hash = getHex(json, "ptx_sha256", 32, "the whole");
  for (const Json &function : getArray(json, "functions", "the whole"))
    manifest.functions.push_back(readFunction(function));
  return status;
}

Status mlir::scan::launcher::readManifest(const std::string &text,
                                          ManifestDescription &manifest) {
  ManifestDescription read;
  Status status = Reader().read(text, read);
  if (status.ok())
    manifest = std::move(read);
  return status;
}
