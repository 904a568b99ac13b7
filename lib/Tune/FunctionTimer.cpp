//===- FunctionTimer.cpp - Times programs side by side --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionTimer.h"
#include "Driver/InputSpec.h"
#include "Driver/RunDriver.h"
#include "Launcher/CudaDriver.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace mlir::scan;
using launcher::Status;

/// Of an argument, so many elements are drawn, again and again.
static constexpr int64_t kDrawnElements = int64_t(1) << 18;

/// Of a result, so many elements are compared at its beginning, in its middle
/// and at its end.
static constexpr int64_t kComparedElements = int64_t(1) << 16;

/// What results hold before a kernel has written them.
static constexpr uint8_t kUnwritten = 0xFB;

/// Rounds, at least and at most.
static constexpr unsigned kFewestTimedRounds = 3, kMostTimedRounds = 25;

/// A program that is so many times slower than the best one is not measured any
/// more.
static constexpr double kFarSlower = 4;

/// CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE.
static constexpr int kL2CacheSize = 38;

static llvm::Error toError(const Status &status) {
  if (status.ok())
    return llvm::Error::success();
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 status.getMessage());
}

/// How far results may differ, of the largest one: they are added in another
/// order.
static double getTolerance(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  if (!isa<FloatType>(element))
    return 0;
  unsigned width = element.getIntOrFloatBitWidth();
  return width >= 64 ? 1e-9 : width >= 32 ? 1e-3 : 3e-2;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

FunctionTimer::Memory::~Memory() {
  if (pointer)
    (void)device->free(pointer);
}

llvm::Error FunctionTimer::Memory::allocate(int64_t wanted) {
  if (wanted <= bytes)
    return llvm::Error::success();
  if (pointer)
    if (llvm::Error error = toError(device->free(pointer)))
      return error;
  pointer = 0;
  bytes = wanted;
  return toError(device->allocate(wanted, pointer));
}

FunctionTimer::~FunctionTimer() = default;

llvm::Expected<FunctionTimer>
FunctionTimer::create(const launcher::Device &device, FunctionType type,
                      ArrayRef<SmallVector<int64_t>> shapes,
                      const llvm::StringMap<int64_t> &numbers) {
  FunctionTimer timer(device, type);
  for (auto [i, input, shape] : llvm::enumerate(type.getInputs(), shapes)) {
    auto number = numbers.find("arg" + std::to_string(i));
    std::optional<int64_t> value;
    if (number != numbers.end())
      value = number->second;
    if (llvm::Error error = timer.addArgument(input, shape, value, i + 1))
      return std::move(error);
  }
  // Twice the cache, so that nothing stays in it.
  const launcher::CudaDriver &driver = *device.getDriver();
  launcher::CuDevice handle = 0;
  int cacheBytes = 0;
  if (llvm::Error error = toError(driver.check(
          driver.deviceGet(&handle, /*ordinal=*/0), "finding the GPU")))
    return std::move(error);
  if (llvm::Error error = toError(driver.check(
          driver.deviceGetAttribute(&cacheBytes, kL2CacheSize, handle),
          "asking the size of the L2 cache")))
    return std::move(error);
  if (llvm::Error error = timer.flushed.allocate(2 * int64_t(cacheBytes)))
    return std::move(error);
  return timer;
}

llvm::Error FunctionTimer::addArgument(Type type, ArrayRef<int64_t> shape,
                                       std::optional<int64_t> number,
                                       unsigned seed) {
  auto shaped = dyn_cast<ShapedType>(type);
  Type element = shaped ? shaped.getElementType() : type;
  int64_t count = ShapedType::getNumElements(shape);
  int64_t drawn = std::min(count, kDrawnElements);
  std::string name;
  llvm::raw_string_ostream(name) << element;
  std::string size = shaped ? std::to_string(drawn) : "";
  std::string spec = llvm::formatv("random:{0}:{1}:{2}{3}", name, size, seed,
                                   element.isIntOrIndex() ? ":0:1" : "");
  if (number)
    spec = llvm::formatv("const:{0}:{1}:{2}", name, size, *number);
  if (shaped)
    type = RankedTensorType::get({drawn}, element);
  llvm::Expected<HostArray> data = makeInput(spec, type);
  if (!data)
    return data.takeError();
  launcher::Argument &argument = arguments.emplace_back();
  argument.shape.assign(shape.begin(), shape.end());
  Memory &memory = argumentMemory.emplace_back(*device);
  if (!shaped) {
    std::memcpy(argument.scalar.data(), data->data.data(),
                std::min(argument.scalar.size(), data->data.size()));
  } else {
    int64_t elementBytes = *getElementByteSize(element);
    if (llvm::Error error = memory.allocate(count * elementBytes))
      return error;
    for (int64_t at = 0; at < count; at += drawn) {
      Status status = device->copyToDevice(
          memory.pointer + at * elementBytes, data->data.data(),
          std::min(drawn, count - at) * elementBytes);
      if (!status.ok())
        return toError(status);
    }
  }
  argumentPointers.push_back(memory.pointer);
  return llvm::Error::success();
}

/// All programs have the same buffers, each of the largest size.
llvm::Error FunctionTimer::reserveBuffers(const launcher::Call &call) {
  const std::vector<launcher::Buffer> &wanted = call.getBuffers();
  while (buffers.size() < wanted.size())
    buffers.emplace_back(*device);
  bufferPointers.resize(buffers.size());
  for (auto [i, buffer] : llvm::enumerate(wanted)) {
    if (llvm::Error error = buffers[i].allocate(buffer.bytes))
      return error;
    bufferPointers[i] = buffers[i].pointer;
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

llvm::Expected<std::vector<HostArray>>
FunctionTimer::readResults(const launcher::Call &call) {
  std::vector<HostArray> parts;
  for (auto [i, result] : llvm::enumerate(call.getResults())) {
    Type element = getElementTypeOrSelf(type.getResult(i));
    int64_t elementBytes = *getElementByteSize(element);
    int64_t count = result.bytes / elementBytes;
    int64_t length = std::min(count, kComparedElements);
    std::vector<int64_t> starts = {0};
    if (count > length)
      starts = {0, (count - length) / 2, count - length};
    for (int64_t start : starts) {
      HostArray &part = parts.emplace_back(HostArray::zeros(element, {length}));
      if (llvm::Error error = toError(device->copyToHost(
              part.data.data(),
              call.getResult(i, argumentPointers, bufferPointers) +
                  start * elementBytes,
              length * elementBytes)))
        return std::move(error);
    }
  }
  return parts;
}

llvm::Error FunctionTimer::checkResults(const launcher::Call &call) {
  llvm::Expected<std::vector<HostArray>> found = readResults(call);
  if (!found)
    return found.takeError();
  if (!expected) {
    expected = std::move(*found);
    return llvm::Error::success();
  }
  for (auto [part, other] : llvm::zip_equal(*found, *expected)) {
    ResultError difference = compareArrays(part, other);
    double tolerance = getTolerance(part.elementType);
    // Where it is infinite or not a number it is above any tolerance.
    if (tolerance == 0 ? difference.count > 0
                       : !(difference.relative <= tolerance))
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          llvm::formatv("its results differ from those of the first schedule: "
                        "expected at most {0} of the largest, found {1}",
                        tolerance, difference.relative));
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

llvm::Error FunctionTimer::launch(Contender &contender) {
  Status status = Status::success();
  if (flushed.pointer)
    status = device->fill(flushed.pointer, 0, flushed.bytes);
  if (status.ok())
    status = contender.start.record(nullptr);
  if (status.ok())
    status = contender.call.launch(argumentPointers, bufferPointers,
                                   /*stream=*/nullptr);
  if (status.ok())
    status = contender.end.record(nullptr);
  return toError(status);
}

/// Reads the time of the last launch, which has to be done.
llvm::Error FunctionTimer::collect(Contender &contender) {
  float milliseconds = 0;
  if (llvm::Error error = toError(
          contender.end.getMillisecondsSince(contender.start, milliseconds)))
    return error;
  contender.nanoseconds.push_back(milliseconds * 1e6);
  return llvm::Error::success();
}

llvm::Error FunctionTimer::add(const launcher::Function &function) {
  auto added = std::make_unique<Contender>();
  Contender &contender = *added;
  Status status = function.prepare(arguments, contender.call);
  if (status.ok())
    status = launcher::Event::create(*device, contender.start);
  if (status.ok())
    status = launcher::Event::create(*device, contender.end);
  if (!status.ok())
    return toError(status);
  if (llvm::Error error = reserveBuffers(contender.call))
    return error;
  for (const Memory &buffer : buffers)
    if (status.ok())
      status = device->fill(buffer.pointer, kUnwritten, buffer.bytes);
  if (!status.ok())
    return toError(status);
  // The first run, which may wait for the driver, and one that is timed.
  for (bool isTimed : {false, true}) {
    if (llvm::Error error = launch(contender))
      return error;
    if (llvm::Error error = toError(device->synchronize()))
      return error;
    if (!isTimed)
      if (llvm::Error error = checkResults(contender.call))
        return error;
  }
  if (llvm::Error error = collect(contender))
    return error;
  contenders.push_back(std::move(added));
  return llvm::Error::success();
}

llvm::Error FunctionTimer::measure(Clock::time_point deadline) {
  double best = std::numeric_limits<double>::max();
  for (size_t i = 0; i < contenders.size(); ++i)
    best = std::min(best, getNanoseconds(i));
  std::vector<Contender *> order;
  for (auto [i, contender] : llvm::enumerate(contenders))
    if (getNanoseconds(i) <= kFarSlower * best)
      order.push_back(contender.get());
  for (unsigned round = 0; round < kMostTimedRounds; ++round) {
    if (round >= kFewestTimedRounds && Clock::now() >= deadline)
      break;
    for (Contender *contender : order)
      if (llvm::Error error = launch(*contender))
        return error;
    if (llvm::Error error = toError(device->synchronize()))
      return error;
    for (Contender *contender : order)
      if (llvm::Error error = collect(*contender))
        return error;
    // Each comes behind another one, and none always first.
    std::rotate(order.begin(), order.begin() + 1, order.end());
    if (round % 2)
      std::reverse(order.begin(), order.end());
  }
  return llvm::Error::success();
}

double FunctionTimer::getNanoseconds(size_t number) const {
  std::vector<double> times = contenders[number]->nanoseconds;
  std::sort(times.begin(), times.end());
  size_t middle = times.size() / 2;
  return times.size() % 2 ? times[middle]
                          : (times[middle - 1] + times[middle]) / 2;
}
