//===- Program.cpp - Loaded PTX and its functions -------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramState.h"
#include "Requirements.h"
#include <cstring>

using namespace mlir::scan::launcher;

//===----------------------------------------------------------------------===//
// Program
//===----------------------------------------------------------------------===//

static Status loadConstants(LoadedProgram &program,
                            const FunctionDescription &function) {
  program.constants.emplace_back();
  for (const BufferDescription &buffer : function.buffers) {
    program.constants.back().push_back(0);
    DevicePointer &pointer = program.constants.back().back();
    int64_t bytes = buffer.data.size();
    Status status = program.device->allocate(bytes, pointer);
    if (status.ok())
      status = program.device->copyToDevice(pointer, buffer.data.data(), bytes);
    if (!status.ok())
      return status;
  }
  return Status::success();
}

Status Program::loadState(const Device &device,
                          std::shared_ptr<LoadedProgram> loaded,
                          Program &program) {
  Status status = device.makeCurrent();
  if (!status.ok())
    return status;
  loaded->device = &device;
  std::vector<Function> functions;
  for (const FunctionDescription &function : loaded->manifest.functions) {
    loaded->kernels.emplace_back(function.kernels.size(), nullptr);
    loaded->statuses.push_back(std::make_unique<Statuses>());
    status = loaded->statuses.back()->allocate(device, function);
    if (status.ok())
      status = loadConstants(*loaded, function);
    if (!status.ok())
      return status;
    functions.push_back(Function(loaded, &function));
  }
  program.functions = std::move(functions);
  program.state = std::move(loaded);
  return Status::success();
}

Status Program::loadManifest(const Device &device, const std::string &manifest,
                             Program &program) {
  auto loaded = std::make_shared<LoadedProgram>();
  Status status = readManifest(manifest, loaded->manifest);
  return status.ok() ? loadState(device, std::move(loaded), program) : status;
}

Status Program::load(const Device &device, const std::string &ptx,
                     const std::string &manifest, Program &program) {
  auto state = std::make_shared<LoadedProgram>();
  Status status = readManifest(manifest, state->manifest);
  std::vector<PTXEntry> entries;
  if (status.ok())
    status = checkPTX(state->manifest, ptx, entries);
  Program loaded;
  if (status.ok())
    status = loadState(device, std::move(state), loaded);
  if (status.ok())
    status = addKernels(*loaded.state, ptx, entries);
  if (status.ok())
    program = std::move(loaded);
  return status;
}

Status Program::add(const std::string &ptx) const {
  if (!state)
    return Status::failure("expected a program, found an empty one; call "
                           "Program::loadManifest first");
  std::vector<PTXEntry> entries;
  Status status = checkPartOfPTX(state->manifest, ptx, entries);
  return status.ok() ? addKernels(*state, ptx, entries) : status;
}

Status Program::check() const {
  for (const Function &function : functions)
    if (Status status = function.check(); !status.ok())
      return status;
  return Status::success();
}

const Function *Program::find(const std::string &name) const {
  for (const Function &function : functions)
    if (function.getName() == name)
      return &function;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Function
//===----------------------------------------------------------------------===//

const std::string &Function::getName() const { return description->name; }
const std::vector<ValueType> &Function::getArguments() const {
  return description->argumentTypes;
}
Status Function::check() const {
  return program->statuses[description - program->manifest.functions.data()]
      ->check();
}
size_t Function::getNumResults() const { return description->results.size(); }

static std::string print(const std::vector<int64_t> &numbers) {
  std::string text = "[";
  for (int64_t number : numbers)
    text += (text.size() > 1 ? ", " : "") + std::to_string(number);
  return text + "]";
}

/// Dynamic extents are negative.
static std::string printShape(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (int64_t extent : shape)
    text += (text.size() > 1 ? ", " : "") +
            (extent < 0 ? std::string("?") : std::to_string(extent));
  return text + "]";
}

/// Binds `name` to what was found, or compares that with the number of the type
/// where there is no name.
static Status checkNumber(const std::string &what, int64_t expected,
                          const std::string &name, int64_t found,
                          Names &names) {
  if (!name.empty())
    names[name] = found;
  else if (found != expected)
    return Status::failure(what + ": expected " + std::to_string(expected) +
                           ", found " + std::to_string(found));
  return Status::success();
}

/// Checks one argument, and binds the names that its type has.
static Status bindArgument(const ArgumentDescription &type,
                           const Argument &argument, Names &names) {
  if (type.type.isScalar) {
    // A name for the value, where it is an integer.
    if (type.type.element[0] == 'i') {
      int64_t value = 0;
      std::memcpy(&value, argument.scalar.data(), 8);
      int unused = 64 - 8 * type.type.elementBytes;
      names[type.name] = int64_t(uint64_t(value) << unused) >> unused;
    }
    return Status::success();
  }
  size_t rank = type.extentNames.size();
  if (argument.shape.size() != rank)
    return Status::failure(type.name + ": expected a tensor of shape " +
                           printShape(type.type.shape) +
                           ", found one of shape " + print(argument.shape));
  if (!argument.strides.empty() && argument.strides.size() != rank)
    return Status::failure(type.name + ": expected " + std::to_string(rank) +
                           " strides or none, found " +
                           std::to_string(argument.strides.size()));
  std::vector<int64_t> strides = argument.strides;
  int64_t dense = 1;
  bool isDense = argument.offset == 0;
  std::vector<int64_t> denseStrides(rank);
  for (size_t i = rank; i-- > 0;) {
    if (argument.shape[i] < 0)
      return Status::failure(type.name + ": negative extent in shape " +
                             print(argument.shape));
    denseStrides[i] = dense;
    // Empty and single dimensions may have any stride.
    if (!strides.empty() && argument.shape[i] > 1 && strides[i] != dense)
      isDense = false;
    if (__builtin_mul_overflow(dense, argument.shape[i], &dense))
      return Status::failure(type.name + ": shape " + print(argument.shape) +
                             " has more elements than 64 bits count");
  }
  if (strides.empty())
    strides = denseStrides;
  if (!type.isStrided && !isDense && dense != 0)
    return Status::failure(
        type.name + ": expected a dense tensor, found strides " +
        print(strides) + " and offset " + std::to_string(argument.offset) +
        "; copy it into a dense one first, or compile with "
        "--strided-arguments");
  for (size_t i = 0; i < rank; ++i) {
    std::string where = type.name + ", dimension " + std::to_string(i);
    Status status = checkNumber(where + ", extent", type.type.shape[i],
                                type.extentNames[i], argument.shape[i], names);
    // The stride of a dimension without neighbours says nothing.
    if (status.ok() && type.isStrided && type.strideNames[i].empty() &&
        (argument.shape[i] == 1 || dense == 0))
      continue;
    if (status.ok() && type.isStrided)
      status = checkNumber(where + ", stride", type.strides[i],
                           type.strideNames[i], strides[i], names);
    if (!status.ok())
      return status;
  }
  if (type.isStrided)
    return checkNumber(type.name + ", offset", type.offset, type.offsetName,
                       argument.offset, names);
  return Status::success();
}

Status
mlir::scan::launcher::evaluateShape(const std::vector<Expression> &expressions,
                                    int64_t elementBytes, const Names &names,
                                    Buffer &buffer) {
  buffer.bytes = elementBytes;
  for (const Expression &expression : expressions) {
    int64_t extent = 0;
    Status status = evaluate(expression, names, extent);
    if (!status.ok())
      return status;
    if (extent < 0 ||
        __builtin_mul_overflow(buffer.bytes, extent, &buffer.bytes))
      return Status::failure("expected an extent of 0 or more and bytes below "
                             "2^63, found extent " +
                             std::to_string(extent) + " from " +
                             expression.text);
    buffer.shape.push_back(extent);
  }
  return Status::success();
}

Status mlir::scan::launcher::prepareKernel(
    const KernelDescription &description, void *handle,
    const std::vector<Argument> &arguments, const Names &names,
    const Statuses *statuses, PreparedKernel &kernel) {
  kernel.description = &description;
  kernel.handle = handle;
  kernel.sharedBytes = description.dynamicSharedBytes;
  Names sizes;
  for (const ParameterDescription &parameter : description.parameters) {
    std::array<uint8_t, 16> value = {};
    if (parameter.kind == ParameterKind::Number) {
      int64_t number = 0;
      Status status = evaluate(parameter.value, names, number);
      if (!status.ok())
        return status;
      std::memcpy(value.data(), &number, sizeof(number));
      if (parameter.isSize)
        sizes[parameter.name] = number;
    } else if (parameter.kind == ParameterKind::Constant) {
      value = parameter.bytes;
    } else if (parameter.kind == ParameterKind::ScalarArgument) {
      value = arguments[parameter.index].scalar;
    } else if (parameter.kind == ParameterKind::Status) {
      DevicePointer address =
          statuses ? statuses->getAddress(parameter.index) : 0;
      std::memcpy(value.data(), &address, sizeof(address));
    }
    kernel.values.push_back(value);
  }
  // The values stay where they are from here on.
  for (std::array<uint8_t, 16> &value : kernel.values)
    kernel.parameters.push_back(value.data());

  constexpr int64_t gridLimits[] = {2147483647, 65535, 65535};
  constexpr int64_t blockLimits[] = {1024, 1024, 64};
  for (int i = 0; i < 3; ++i) {
    int64_t blocks = 0, threads = 0;
    Status status = evaluate(description.grid[i], sizes, blocks);
    if (status.ok())
      status = evaluate(description.block[i], sizes, threads);
    if (!status.ok())
      return status;
    if (blocks < 1 || blocks > gridLimits[i] || threads < 1 ||
        threads > blockLimits[i])
      return Status::failure("kernel '" + description.entry +
                             "': no launch can have " + std::to_string(blocks) +
                             " blocks of " + std::to_string(threads) +
                             " threads in dimension " + std::to_string(i));
    kernel.grid[i] = blocks;
    kernel.block[i] = threads;
  }
  Status status =
      evaluate(description.workspaceBytes, sizes, kernel.workspaceBytes);
  if (status.ok() && kernel.workspaceBytes < 0)
    return Status::failure(
        "kernel '" + description.entry +
        "': expected a workspace of 0 bytes or more, found " +
        std::to_string(kernel.workspaceBytes));
  return status;
}

Status mlir::scan::launcher::setStep(PreparedKernel &kernel,
                                     const Names &names) {
  for (size_t i : kernel.ofStep) {
    int64_t number = 0;
    Status status =
        evaluate(kernel.description->parameters[i].value, names, number);
    if (!status.ok())
      return status;
    std::memcpy(kernel.values[i].data(), &number, sizeof(number));
  }
  return Status::success();
}

/// How often the launches of a function are repeated. All repetitions begin
/// with the step 0, with which what is the same in all steps is settled.
static Status prepareRepeats(const FunctionDescription &function, Names &names,
                             std::vector<int64_t> &steps) {
  for (const RepeatDescription &repeat : function.repeats) {
    int64_t count = 0;
    Status status = evaluate(repeat.steps, names, count);
    if (!status.ok())
      return status;
    if (count < 0)
      return Status::failure("function '" + function.name +
                             "': expected 0 or more repetitions, found " +
                             std::to_string(count) + " from " +
                             repeat.steps.text);
    steps.push_back(count);
  }
  for (const RepeatDescription &repeat : function.repeats)
    names[repeat.name] = 0;
  return Status::success();
}

/// The parameters of kernel `number` that each step of a repetition has its own
/// values of.
static std::vector<size_t> findOfStep(const FunctionDescription &function,
                                      size_t number) {
  std::vector<size_t> found;
  const std::vector<ParameterDescription> &parameters =
      function.kernels[number].parameters;
  for (const RepeatDescription &repeat : function.repeats)
    for (size_t i = 0; i < parameters.size(); ++i)
      if (number >= repeat.first && number < repeat.first + repeat.count &&
          parameters[i].kind == ParameterKind::Number &&
          parameters[i].value.mentions(repeat.name))
        found.push_back(i);
  return found;
}

/// Allocates what a kernel needs besides its buffers. Its contents go on from
/// launch to launch.
static Status allocateWorkspace(const Device &device, PreparedKernel &kernel,
                                std::vector<DevicePointer> &workspaces) {
  if (kernel.workspaceBytes == 0)
    return Status::success();
  const KernelDescription &description = *kernel.description;
  DevicePointer workspace = 0;
  Status status = device.allocate(kernel.workspaceBytes, workspace);
  if (!status.ok())
    return status;
  workspaces.push_back(workspace);
  if (description.isWorkspaceZeroed)
    status = device.fill(workspace, 0, kernel.workspaceBytes);
  // No stream that launches may be ahead of the fill.
  if (status.ok())
    status = device.synchronize();
  kernel.setWorkspace(workspace);
  return status;
}

Status
mlir::scan::launcher::bindArguments(const FunctionDescription &function,
                                    const std::vector<Argument> &arguments,
                                    Names &names) {
  if (arguments.size() != function.arguments.size())
    return Status::failure("function '" + function.name + "' expects " +
                           std::to_string(function.arguments.size()) +
                           " arguments, found " +
                           std::to_string(arguments.size()));
  for (size_t i = 0; i < arguments.size(); ++i) {
    Status status = bindArgument(function.arguments[i], arguments[i], names);
    if (!status.ok())
      return Status::failure("function '" + function.name +
                             "': " + status.getMessage());
  }
  return checkRequirements(function, names);
}

Status Function::prepare(const std::vector<Argument> &arguments, Call &call,
                         Workspaces workspaces, Variants variants) const {
  const FunctionDescription &function = *description;
  Names names;
  Status bound = bindArguments(function, arguments, names);
  if (!bound.ok())
    return bound;

  auto state = std::make_unique<Call::State>();
  state->program = program;
  state->function = description;
  state->bufferNumbers.resize(function.buffers.size());
  state->addresses.resize(function.buffers.size());
  for (BufferKind kind : {BufferKind::Result, BufferKind::Temporary})
    for (size_t i = 0; i < function.buffers.size(); ++i) {
      const BufferDescription &buffer = function.buffers[i];
      if (buffer.kind != kind)
        continue;
      state->bufferNumbers[i] = state->buffers.size();
      state->buffers.push_back({buffer.element, {}, 0});
      Status status = evaluateShape(buffer.shape, buffer.elementBytes, names,
                                    state->buffers.back());
      if (!status.ok())
        return status;
    }
  size_t number = description - program->manifest.functions.data();
  for (const ResultDescription &result : function.results) {
    const BufferDescription &buffer = function.buffers[result.buffer];
    if (buffer.kind == BufferKind::Argument)
      state->places.push_back({Call::ResultPlace::Argument, buffer.index, 0});
    else if (buffer.kind == BufferKind::Constant)
      state->places.push_back({Call::ResultPlace::Constant, 0,
                               program->constants[number][result.buffer]});
    else
      state->places.push_back(
          {Call::ResultPlace::Buffer, state->bufferNumbers[result.buffer], 0});
    state->results.push_back({result.element, {}, 0});
    Status status = evaluateShape(result.shape, result.elementBytes, names,
                                  state->results.back());
    if (!status.ok())
      return status;
  }
  for (const ClearedDescription &cleared : function.cleared) {
    const BufferDescription &buffer = function.buffers[cleared.buffer];
    Buffer extents = {buffer.element, {}, 0};
    Status status =
        evaluateShape(buffer.shape, buffer.elementBytes, names, extents);
    if (!status.ok())
      return status;
    state->clearedBytes.push_back(extents.bytes);
  }
  std::vector<void *> handles = program->getKernels(number);
  std::vector<bool> isLaunched;
  Status chosen = chooseKernels(function, names, isLaunched);
  if (chosen.ok())
    chosen = prepareRepeats(function, names, state->steps);
  if (!chosen.ok())
    return chosen;
  if (variants == Variants::Available)
    state->isBest =
        !replaceMissing(function, handles, arguments, names, isLaunched);
  for (size_t i = 0; i < function.kernels.size(); ++i) {
    if (!isLaunched[i])
      continue;
    if (!handles[i])
      return Status::failure("function '" + function.name + "': the kernel '" +
                             function.kernels[i].entry +
                             "' is not there yet; Program::add loads it");
    PreparedKernel kernel;
    Status status =
        prepareKernel(function.kernels[i], handles[i], arguments, names,
                      program->statuses[number].get(), kernel);
    if (status.ok() && workspaces == Workspaces::OfCall)
      status = allocateWorkspace(*program->device, kernel, state->workspaces);
    else if (status.ok() && kernel.workspaceBytes) {
      kernel.workspaceBuffer = state->buffers.size();
      state->buffers.push_back(
          {"i8", {kernel.workspaceBytes}, kernel.workspaceBytes});
    }
    if (!status.ok())
      return status;
    kernel.ofStep = findOfStep(function, i);
    state->kernels.push_back(std::move(kernel));
  }
  state->names = std::move(names);
  call.state = std::move(state);
  return Status::success();
}
