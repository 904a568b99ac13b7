//===- CudaExecutable.cpp - Scans on this machine's GPU -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution/CUDA.h"
#include "Scan/Pipelines/ScanToPTX.h"
#include "Target/Chips.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <cstring>
#include <mutex>

using namespace mlir;
using namespace mlir::scan;
using launcher::DevicePointer;
using launcher::Status;

/// What results hold before a kernel has written them.
static constexpr uint8_t kUnwritten = 0xFB;

/// The first GPU, opened at the first call; null with `error` set if there
/// is none. It stays open: a destructor at the end of the process could find
/// the driver gone.
static const launcher::Device *getDevice(std::string &error) {
  static std::mutex mutex;
  static launcher::Device *device = nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  if (device)
    return device;
  launcher::Device opened;
  if (Status status = launcher::Device::open(0, opened); !status.ok()) {
    error = status.getMessage();
    return nullptr;
  }
  device = new launcher::Device(std::move(opened));
  return device;
}

FailureOr<std::unique_ptr<CudaExecutable>>
CudaExecutable::compile(ModuleOp module, StringRef entry, bool dispatch,
                        StringRef tuning, int64_t maxStateBytes) {
  FailureOr<HostCall> call = HostCall::get(module, entry);
  if (failed(call))
    return failure();
  Location loc = call->getLoc();
  std::string error;
  const launcher::Device *device = getDevice(error);
  if (!device)
    return emitError(loc) << error;
  PTXOptions options;
  options.dispatch = dispatch;
  options.tuning = tuning.str();
  options.maxStateBytes = maxStateBytes;
  const Chip *chip = lookupNewestChip(device->getComputeCapability());
  if (!chip)
    return emitError(loc) << "expected a GPU of at least "
                          << getKnownChips().front().name << ", found "
                          << device->getName() << " with compute capability "
                          << device->getComputeCapability();
  options.chip = chip->name.str();
  std::unique_ptr<CudaExecutable> executable(
      new CudaExecutable(std::move(*call), *device));

  // Only what the entry calls is compiled.
  OwningOpRef<ModuleOp> clone = module.clone();
  for (auto function : clone->getOps<func::FuncOp>())
    function.setVisibility(function.getName() == entry
                               ? SymbolTable::Visibility::Public
                               : SymbolTable::Visibility::Private);
  std::string ptx, manifest;
  if (failed(compileToPTX(*clone, options, ptx, manifest)))
    return failure();
  Status status =
      launcher::Program::load(*device, ptx, manifest, executable->program);
  if (!status.ok())
    return emitError(loc) << status.getMessage();
  return executable;
}

Status CudaExecutable::launch(ArrayRef<HostArray> inputs,
                              launcher::Call &prepared,
                              SmallVectorImpl<DevicePointer> &memory,
                              SmallVectorImpl<HostArray> &outputs) {
  Status status = Status::success();
  auto allocate = [&](int64_t bytes) {
    DevicePointer pointer = 0;
    if (status.ok())
      status = device.allocate(bytes, pointer);
    memory.push_back(pointer);
    return pointer;
  };
  std::vector<DevicePointer> arguments, buffers;
  for (const HostArray &input : inputs) {
    arguments.push_back(allocate(input.data.size()));
    if (status.ok())
      status = device.copyToDevice(arguments.back(), input.data.data(),
                                   input.data.size());
  }
  for (const launcher::Buffer &buffer : prepared.getBuffers()) {
    buffers.push_back(allocate(buffer.bytes));
    if (status.ok())
      status = device.fill(buffers.back(), kUnwritten, buffer.bytes);
  }
  launcher::Event start, end;
  if (status.ok())
    status = launcher::Event::create(device, start);
  if (status.ok())
    status = launcher::Event::create(device, end);
  if (status.ok())
    status = start.record(nullptr);
  if (status.ok())
    status = prepared.launch(arguments, buffers, /*stream=*/nullptr);
  if (status.ok())
    status = end.record(nullptr);
  if (status.ok())
    status = device.synchronize();
  if (status.ok())
    status = prepared.check();
  float milliseconds = 0;
  if (status.ok())
    status = end.getMillisecondsSince(start, milliseconds);
  lastSeconds = milliseconds / 1000.0;

  for (size_t i = 0; status.ok() && i < prepared.getResults().size(); ++i) {
    const launcher::Buffer &result = prepared.getResults()[i];
    Type type = call.getResultTypes()[i];
    HostArray output = HostArray::zeros(
        getElementTypeOrSelf(type),
        SmallVector<int64_t>(result.shape.begin(), result.shape.end()));
    status = device.copyToHost(output.data.data(),
                               prepared.getResult(i, arguments, buffers),
                               output.data.size());
    outputs.push_back(std::move(output));
  }
  return status;
}

LogicalResult CudaExecutable::run(ArrayRef<HostArray> inputs,
                                  SmallVectorImpl<HostArray> &outputs) {
  outputs.clear();
  if (failed(call.checkInputs(inputs)))
    return failure();
  std::vector<launcher::Argument> arguments;
  for (const HostArray &input : inputs) {
    launcher::Argument &argument = arguments.emplace_back();
    argument.shape.assign(input.shape.begin(), input.shape.end());
    if (input.shape.empty())
      std::memcpy(argument.scalar.data(), input.data.data(),
                  std::min(argument.scalar.size(), input.data.size()));
  }
  launcher::Call prepared;
  const launcher::Function *function = program.find(call.getEntry().str());
  if (!function)
    return emitError(call.getLoc())
           << "'" << call.getEntry() << "' is not in the compiled program";
  Status status = function->prepare(arguments, prepared);
  SmallVector<DevicePointer> memory;
  if (status.ok())
    status = launch(inputs, prepared, memory, outputs);
  for (DevicePointer pointer : memory) {
    Status freed = device.free(pointer);
    if (status.ok())
      status = freed;
  }
  if (status.ok())
    return success();
  outputs.clear();
  return emitError(call.getLoc()) << status.getMessage();
}
