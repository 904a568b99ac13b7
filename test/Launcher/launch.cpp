//===- launch.cpp - Prepares and launches a call --------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: scan-launch [--time=LAUNCHES] PTX MANIFEST FUNCTION [ARGUMENT...]
//
// An argument is 4x1000 (a dense tensor), 4x1000:2000,1:8 (with strides and an
// offset, in elements) or =42 (a scalar, an integer). Prints the results' types
// and what the caller has to allocate, then launches twice. With --time it
// launches that often, and prints what a launch takes, as JSON: nanoseconds
// until cuLaunchKernel was called (of the driver that takes notes, which says
// when that was), and until the launch returned; medians. Linked with the
// launcher alone, as programs without MLIR are.
//
//===----------------------------------------------------------------------===//

#include "Scan/Launcher/Launcher.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fstream>
#include <sstream>

using namespace mlir::scan::launcher;

static std::string read(const char *path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

static std::vector<int64_t> parseNumbers(const std::string &text,
                                         char separator) {
  std::vector<int64_t> numbers;
  std::istringstream stream(text);
  std::string number;
  while (std::getline(stream, number, separator))
    numbers.push_back(std::strtoll(number.c_str(), nullptr, 10));
  return numbers;
}

static Argument parseArgument(const std::string &text) {
  Argument argument;
  if (text[0] == '=') {
    int64_t value = std::strtoll(text.c_str() + 1, nullptr, 10);
    std::memcpy(argument.scalar.data(), &value, sizeof(value));
    return argument;
  }
  std::istringstream stream(text);
  std::string shape, strides, offset;
  std::getline(stream, shape, ':');
  std::getline(stream, strides, ':');
  std::getline(stream, offset, ':');
  argument.shape = parseNumbers(shape, 'x');
  argument.strides = parseNumbers(strides, ',');
  argument.offset = std::strtoll(offset.c_str(), nullptr, 10);
  return argument;
}

static void print(const char *what, const Buffer &buffer) {
  std::printf("%s", what);
  for (int64_t extent : buffer.shape)
    std::printf(" %lld", static_cast<long long>(extent));
  std::printf(" of %s, %lld bytes\n", buffer.element.c_str(),
              static_cast<long long>(buffer.bytes));
}

static int64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static int64_t getMedian(std::vector<int64_t> &times) {
  auto middle = times.begin() + times.size() / 2;
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

static Status measure(const Device &device, Call &call,
                      const std::vector<DevicePointer> &inputs,
                      const std::vector<DevicePointer> &buffers,
                      size_t launches) {
  // Of the driver that takes notes: when it was last asked for a launch.
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  auto *reached = static_cast<const volatile int64_t *>(
      dlsym(driver, "scanFakeCudaLaunchTime"));
  std::vector<int64_t> untilReached, untilReturned;
  for (size_t i = 0; i < launches; ++i) {
    int64_t start = now();
    Status status = call.launch(inputs, buffers, nullptr);
    int64_t end = now();
    // A GPU that is behind would make launches wait.
    if (status.ok() && i % 256 == 0)
      status = device.synchronize();
    if (!status.ok())
      return status;
    untilReached.push_back(reached ? *reached - start : 0);
    untilReturned.push_back(end - start);
  }
  std::printf("{");
  if (reached)
    std::printf("\"reached_ns\": %lld, ",
                static_cast<long long>(getMedian(untilReached)));
  std::printf("\"returned_ns\": %lld}\n",
              static_cast<long long>(getMedian(untilReturned)));
  return Status::success();
}

static Status run(int argc, char **argv, size_t launches) {
  Device device;
  Program program;
  Call call;
  if (Status status = Device::open(0, device); !status.ok())
    return status;
  if (Status status =
          Program::load(device, read(argv[1]), read(argv[2]), program);
      !status.ok())
    return status;
  const Function *function = program.find(argv[3]);
  if (!function)
    return Status::failure("no function '" + std::string(argv[3]) + "'");
  std::vector<Argument> arguments;
  for (int i = 4; i < argc; ++i)
    arguments.push_back(parseArgument(argv[i]));
  if (Status status = function->prepare(arguments, call); !status.ok())
    return status;
  for (size_t i = 0; i < call.getResults().size(); ++i) {
    print("result", call.getResults()[i]);
    Call::ResultPlace place = call.getResultPlaces()[i];
    const char *const kinds[] = {"argument", "buffer", "constant"};
    std::printf("  in %s %zu\n", kinds[place.kind], place.index);
  }
  std::vector<DevicePointer> inputs, buffers;
  for (const Argument &argument : arguments) {
    inputs.push_back(0);
    int64_t bytes = 16 * (argument.offset + 1);
    for (int64_t extent : argument.shape)
      bytes *= extent;
    if (Status status = device.allocate(bytes, inputs.back()); !status.ok())
      return status;
  }
  for (const Buffer &buffer : call.getBuffers()) {
    print("buffer", buffer);
    buffers.push_back(0);
    if (Status status = device.allocate(buffer.bytes, buffers.back());
        !status.ok())
      return status;
  }
  std::fflush(stdout);
  if (launches) {
    Status status = measure(device, call, inputs, buffers, launches);
    if (!status.ok())
      return status;
  } else {
    for (Stream stream : {Stream(nullptr), Stream(&device)})
      if (Status status = call.launch(inputs, buffers, stream); !status.ok())
        return status;
  }
  for (DevicePointer pointer : inputs)
    (void)device.free(pointer);
  for (DevicePointer pointer : buffers)
    (void)device.free(pointer);
  if (Status status = device.synchronize(); !status.ok())
    return status;
  return call.check();
}

int main(int argc, char **argv) {
  size_t launches = 0;
  if (argc > 1 && std::strncmp(argv[1], "--time=", 7) == 0) {
    launches = std::strtoull(argv[1] + 7, nullptr, 10);
    ++argv, --argc;
  }
  if (argc < 4) {
    std::fprintf(stderr, "usage: scan-launch [--time=LAUNCHES] PTX MANIFEST "
                         "FUNCTION [ARG...]\n");
    return 1;
  }
  Status status = run(argc, argv, launches);
  if (status.ok())
    return 0;
  std::fprintf(stderr, "scan-launch: error: %s\n", status.getMessage().c_str());
  return 1;
}
