//===- Call.cpp - Launches of functions -----------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramState.h"
#include <cstring>

using namespace mlir::scan::launcher;

Call::Call() = default;
Call::Call(Call &&) = default;
Call &Call::operator=(Call &&) = default;
Call::~Call() = default;

const std::vector<Buffer> &Call::getResults() const { return state->results; }
const std::vector<Call::ResultPlace> &Call::getResultPlaces() const {
  return state->places;
}
const std::vector<Buffer> &Call::getBuffers() const { return state->buffers; }
bool Call::isBest() const { return state->isBest; }

DevicePointer Call::getResult(size_t number,
                              const std::vector<DevicePointer> &arguments,
                              const std::vector<DevicePointer> &buffers) const {
  const ResultPlace &place = state->places[number];
  return place.kind == ResultPlace::Argument ? arguments[place.index]
         : place.kind == ResultPlace::Buffer ? buffers[place.index]
                                             : place.constant;
}

Status Call::check() const {
  if (!state)
    return Status::success();
  const LoadedProgram &program = *state->program;
  return program.statuses[state->function - program.manifest.functions.data()]
      ->check();
}

Status Call::State::clear(size_t before, Stream stream) {
  const CudaDriver &cuda = *program->device->getDriver();
  for (size_t i = 0; i < function->cleared.size(); ++i) {
    const ClearedDescription &cleared = function->cleared[i];
    if (cleared.before != before || clearedBytes[i] == 0)
      continue;
    Status status = cuda.check(
        cuda.memsetD8Async(addresses[cleared.buffer], 0, clearedBytes[i],
                           stream),
        ("clearing '" + function->buffers[cleared.buffer].name + "'").c_str());
    if (!status.ok())
      return status;
  }
  return Status::success();
}

Status Call::State::launch(PreparedKernel &kernel,
                           const std::vector<DevicePointer> &buffers,
                           Stream stream) {
  const CudaDriver &cuda = *program->device->getDriver();
  const KernelDescription &description = *kernel.description;
  Status status = setStep(kernel, names);
  if (status.ok() && kernel.workspaceBuffer) {
    DevicePointer workspace = buffers[*kernel.workspaceBuffer];
    kernel.setWorkspace(workspace);
    if (description.isWorkspaceZeroed)
      status = cuda.check(
          cuda.memsetD8Async(workspace, 0, kernel.workspaceBytes, stream),
          "clearing a workspace");
  }
  if (!status.ok())
    return status;
  for (size_t i = 0; i < kernel.values.size(); ++i)
    if (description.parameters[i].kind == ParameterKind::Pointer)
      std::memcpy(kernel.values[i].data(),
                  &addresses[description.parameters[i].index],
                  sizeof(DevicePointer));
  return cuda.check(
      cuda.launchKernel(kernel.handle, kernel.grid[0], kernel.grid[1],
                        kernel.grid[2], kernel.block[0], kernel.block[1],
                        kernel.block[2], kernel.sharedBytes, stream,
                        kernel.parameters.data(), nullptr),
      ("launching '" + description.entry + "'").c_str());
}

Status Call::launch(const std::vector<DevicePointer> &arguments,
                    const std::vector<DevicePointer> &buffers, Stream stream) {
  if (!state)
    return Status::failure("expected a prepared call, found an empty one; call "
                           "Function::prepare first");
  const FunctionDescription &function = *state->function;
  if (arguments.size() != function.arguments.size() ||
      buffers.size() != state->buffers.size())
    return Status::failure(
        "function '" + function.name + "' expects the addresses of " +
        std::to_string(function.arguments.size()) + " arguments and " +
        std::to_string(state->buffers.size()) + " buffers, found " +
        std::to_string(arguments.size()) + " and " +
        std::to_string(buffers.size()));
  LoadedProgram &program = *state->program;
  size_t number = state->function - program.manifest.functions.data();
  Status status = program.statuses[number]->check();
  if (status.ok())
    status = program.device->makeCurrent();
  if (!status.ok())
    return status;
  for (size_t i = 0; i < function.buffers.size(); ++i) {
    const BufferDescription &buffer = function.buffers[i];
    state->addresses[i] = buffer.kind == BufferKind::Argument
                              ? arguments[buffer.index]
                          : buffer.kind == BufferKind::Constant
                              ? program.constants[number][i]
                              : buffers[state->bufferNumbers[i]];
  }
  // Buffers are cleared in front of kernels whether these are launched or not.
  auto next = state->kernels.begin();
  size_t done = 0, repeats = 0;
  while (done < function.kernels.size()) {
    status = state->clear(done, stream);
    if (!status.ok())
      return status;
    const RepeatDescription *repeat = repeats < function.repeats.size()
                                          ? &function.repeats[repeats]
                                          : nullptr;
    if (repeat && repeat->first != done)
      repeat = nullptr;
    int64_t steps = repeat ? state->steps[repeats++] : 1;
    done += repeat ? repeat->count : 1;
    auto first = next;
    while (next != state->kernels.end() &&
           next->description < function.kernels.data() + done)
      ++next;
    for (int64_t step = 0; step < steps; ++step) {
      if (repeat)
        state->names[repeat->name] = step;
      for (auto kernel = first; status.ok() && kernel != next; ++kernel)
        status = state->launch(*kernel, buffers, stream);
      if (!status.ok())
        return status;
    }
  }
  return state->clear(function.kernels.size(), stream);
}
