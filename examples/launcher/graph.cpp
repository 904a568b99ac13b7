//===- graph.cpp - A scan in a CUDA graph ---------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Captures the prefix sums of examples/cumsum.mlir into a CUDA graph, and
// replays it over other numbers in the same memory:
//
//   scan-translate --scan-to-ptx cumsum.mlir -o k.ptx --manifest=k.json
//   c++ -std=c++17 graph.cpp -lMLIRScanLauncher -lcuda -o graph
//   ./graph k.ptx k.json
//
//===----------------------------------------------------------------------===//

#include "Scan/Launcher/Launcher.h"
#include <cstdio>
#include <fstream>
#include <sstream>

using namespace mlir::scan::launcher;

// Of cuda.h, which this example does without.
extern "C" {
int cuStreamCreate(Stream *stream, unsigned flags);
int cuStreamSynchronize(Stream stream);
int cuStreamBeginCapture_v2(Stream stream, int mode);
int cuStreamEndCapture(Stream stream, void **graph);
int cuGraphInstantiateWithFlags(void **executable, void *graph,
                                unsigned long long flags);
int cuGraphLaunch(void *executable, Stream stream);
int cuGraphExecDestroy(void *executable);
int cuGraphDestroy(void *graph);
int cuStreamDestroy_v2(Stream stream);
}
static constexpr unsigned kNonBlocking = 1; // CU_STREAM_NON_BLOCKING
static constexpr int kGlobalMode = 0;       // CU_STREAM_CAPTURE_MODE_GLOBAL

static std::string read(const char *path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

static Status check(int result, const char *what) {
  return result == 0 ? Status::success()
                     : Status::failure(std::string(what) + " failed: error " +
                                       std::to_string(result));
}

/// Stops `run` at the first failure.
#define TRY(expression)                                                        \
  if (Status status = (expression); !status.ok())                              \
  return status

static Status run(const char *ptx, const char *manifest) {
  constexpr int64_t kRows = 4, kSteps = 1000, kBytes = 4 * kRows * kSteps;
  Device device;
  Program program;
  Call call;
  TRY(Device::open(0, device));
  // All that allocates or waits comes before the capture: the PTX is loaded,
  // `prepare` allocates and clears the workspaces, and the caller has memory
  // for results and temporaries.
  TRY(Program::load(device, read(ptx), read(manifest), program));
  const Function *function = program.find("cumsum");
  if (!function)
    return Status::failure("no function 'cumsum'");
  Argument tensor;
  tensor.shape = {kRows, kSteps};
  TRY(function->prepare({tensor}, call));
  std::vector<DevicePointer> arguments(1), buffers;
  TRY(device.allocate(kBytes, arguments[0]));
  for (const Buffer &buffer : call.getBuffers())
    TRY(device.allocate(buffer.bytes, buffers.emplace_back()));
  // With its lazy loading CUDA brings a kernel onto the GPU at the first
  // launch.
  Stream stream = nullptr;
  TRY(check(cuStreamCreate(&stream, kNonBlocking), "cuStreamCreate"));
  TRY(call.launch(arguments, buffers, stream));
  TRY(check(cuStreamSynchronize(stream), "cuStreamSynchronize"));

  void *graph = nullptr, *executable = nullptr;
  TRY(check(cuStreamBeginCapture_v2(stream, kGlobalMode),
            "cuStreamBeginCapture"));
  Status launched = call.launch(arguments, buffers, stream);
  TRY(check(cuStreamEndCapture(stream, &graph), "cuStreamEndCapture"));
  TRY(launched);
  TRY(check(cuGraphInstantiateWithFlags(&executable, graph, 0),
            "cuGraphInstantiate"));

  // Each replay reads and writes the memory that was captured. `call` has to
  // live as long as the graph: its workspace is in there.
  std::vector<float> host(kRows * kSteps);
  for (float number : {1.0f, 2.0f}) {
    host.assign(host.size(), number);
    TRY(device.copyToDevice(arguments[0], host.data(), kBytes));
    TRY(check(cuGraphLaunch(executable, stream), "cuGraphLaunch"));
    TRY(check(cuStreamSynchronize(stream), "cuStreamSynchronize"));
    TRY(device.copyToHost(host.data(), call.getResult(0, arguments, buffers),
                          kBytes));
    std::printf("the sum of %lld times %g is %g\n",
                static_cast<long long>(kSteps), number, host[kSteps - 1]);
  }

  TRY(check(cuGraphExecDestroy(executable), "cuGraphExecDestroy"));
  TRY(check(cuGraphDestroy(graph), "cuGraphDestroy"));
  TRY(check(cuStreamDestroy_v2(stream), "cuStreamDestroy"));
  for (DevicePointer pointer : buffers)
    TRY(device.free(pointer));
  return device.free(arguments[0]);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: graph PTX MANIFEST\n");
    return 1;
  }
  Status status = run(argv[1], argv[2]);
  if (status.ok())
    return 0;
  std::fprintf(stderr, "graph: error: %s\n", status.getMessage().c_str());
  return 1;
}
