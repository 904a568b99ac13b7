//===- FakeDriver.cpp - A CUDA driver that only takes notes ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands in for libcuda.so.1 where there is no GPU: memory is the host's,
// kernels are not run but written to standard error with their launch. So tests
// see what the launcher asks of a driver. Where SCAN_FAKE_CUDA_FAIL names a
// function it fails with an error code. With SCAN_FAKE_CUDA_TRACE set, calls
// that allocate, free, copy, fill or wait are written, too. With
// SCAN_FAKE_CUDA_CAPTURING set, streams are captured, and what may not be then
// fails, as it does between cuStreamBeginCapture and cuStreamEndCapture. With
// SCAN_FAKE_CUDA_STATUS=I,OFFSET,BEFORE,EXTENT the first launch that has a
// status reports these numbers in it (docs/manifest.md); a fifth number says
// how many such launches report nothing before. With SCAN_FAKE_CUDA_QUIET set
// nothing is written; the time of the last launch is there to be read in any
// case, for what measures the launchers.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <string>

/// When cuLaunchKernel was called last: nanoseconds of CLOCK_MONOTONIC.
extern "C" int64_t scanFakeCudaLaunchTime;
int64_t scanFakeCudaLaunchTime = 0;

namespace {
struct Kernel {
  std::string name;
  int parameters;
};
struct Module {
  std::string ptx;
  std::map<std::string, Kernel> kernels;
};

/// Live allocations by address, and how many there were.
std::map<uint64_t, std::string> buffers;
int numBuffers = 0;

const bool isQuiet = std::getenv("SCAN_FAKE_CUDA_QUIET");

/// Says at the end of the process what was not freed.
struct AtExit {
  ~AtExit() {
    if (!isQuiet)
      std::fprintf(stderr, "exit, %zu buffers left\n", buffers.size());
  }
} atExit;

constexpr int kFailure = 700;
constexpr int kIllegalInCapture = 900;

/// Notes a call that is no launch.
void note(const char *function) {
  if (std::getenv("SCAN_FAKE_CUDA_TRACE"))
    std::fprintf(stderr, "%s\n", function);
}

/// The context that was selected last.
void *current = nullptr;

/// A graph: how many operations it has.
struct Graph {
  int operations = 0;
};
/// The one that is captured, whatever the stream.
Graph *captured = nullptr;

bool isCapturing() {
  return captured || (!isQuiet && std::getenv("SCAN_FAKE_CUDA_CAPTURING"));
}

int result(const char *function) {
  const char *failing = std::getenv("SCAN_FAKE_CUDA_FAIL");
  return failing && std::strcmp(failing, function) == 0 ? kFailure : 0;
}
/// Writes what SCAN_FAKE_CUDA_STATUS says into a status.
void reportStatus(uint64_t *status) {
  static int launches = 0;
  const char *text = std::getenv("SCAN_FAKE_CUDA_STATUS");
  if (!text)
    return;
  unsigned index;
  int numbers[3], before = 0;
  if (std::sscanf(text, "%u,%d,%d,%d,%d", &index, &numbers[0], &numbers[1],
                  &numbers[2], &before) < 4)
    std::abort();
  if (launches++ != before)
    return;
  for (int i = 0; i < 3; ++i)
    status[i] = uint64_t(UINT32_MAX - index) << 32 | uint32_t(numbers[i]);
}
} // namespace

extern "C" {
int cuInit(unsigned) { return result("cuInit"); }
int cuDeviceGetCount(int *count) {
  *count = 1;
  return result("cuDeviceGetCount");
}
int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return 0;
}
int cuDeviceGetName(char *name, int length, int) {
  std::snprintf(name, length, "Fake GPU");
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  const char *capability = std::getenv("SCAN_FAKE_CUDA_CAPABILITY");
  int number = capability ? std::atoi(capability) : 90;
  *value = attribute == 75 ? number / 10 : number % 10;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int) {
  *context = &buffers;
  return result("cuDevicePrimaryCtxRetain");
}
int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
int cuCtxSetCurrent(void *context) {
  current = context;
  return 0;
}
int cuCtxGetCurrent(void **context) {
  *context = current;
  return 0;
}
int cuStreamIsCapturing(void *, int *status) {
  *status = isCapturing();
  return 0;
}
int cuStreamCreate(void **stream, unsigned) {
  *stream = &captured;
  return 0;
}
int cuStreamDestroy_v2(void *) { return 0; }
int cuStreamSynchronize(void *) {
  note("cuStreamSynchronize");
  return isCapturing() ? kIllegalInCapture : 0;
}
int cuStreamBeginCapture_v2(void *, int) {
  note("cuStreamBeginCapture");
  captured = new Graph;
  return 0;
}
int cuStreamEndCapture(void *, void **graph) {
  note("cuStreamEndCapture");
  *graph = captured;
  captured = nullptr;
  return 0;
}
int cuGraphInstantiateWithFlags(void **executable, void *graph,
                                unsigned long long) {
  *executable = new Graph(*static_cast<Graph *>(graph));
  return 0;
}
int cuGraphLaunch(void *executable, void *) {
  std::fprintf(stderr, "replay of %d operations\n",
               static_cast<Graph *>(executable)->operations);
  return 0;
}
int cuGraphExecDestroy(void *executable) {
  delete static_cast<Graph *>(executable);
  return 0;
}
int cuGraphDestroy(void *graph) {
  delete static_cast<Graph *>(graph);
  return 0;
}
int cuDriverGetVersion(int *version) {
  *version = 13000;
  return 0;
}
int cuCtxSynchronize() {
  note("cuCtxSynchronize");
  if (isCapturing())
    return kIllegalInCapture;
  return result("cuCtxSynchronize");
}
int cuMemAlloc_v2(uint64_t *pointer, size_t bytes) {
  note("cuMemAlloc");
  if (isCapturing())
    return kIllegalInCapture;
  if (int error = result("cuMemAlloc"))
    return error;
  void *memory = std::calloc(bytes, 1);
  if (!memory)
    return 2; // CUDA_ERROR_OUT_OF_MEMORY
  *pointer = reinterpret_cast<uint64_t>(memory);
  buffers[*pointer] = "buffer" + std::to_string(numBuffers++) + "[" +
                      std::to_string(bytes) + "]";
  return 0;
}
int cuMemFree_v2(uint64_t pointer) {
  note("cuMemFree");
  buffers.erase(pointer);
  std::free(reinterpret_cast<void *>(pointer));
  return 0;
}
int cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  note("cuMemHostAlloc");
  if (isCapturing())
    return kIllegalInCapture;
  if (int error = result("cuMemHostAlloc"))
    return error;
  *pointer = std::malloc(bytes);
  buffers[reinterpret_cast<uint64_t>(*pointer)] =
      "mapped[" + std::to_string(bytes) + "]";
  return 0;
}
int cuMemFreeHost(void *pointer) {
  note("cuMemFreeHost");
  buffers.erase(reinterpret_cast<uint64_t>(pointer));
  std::free(pointer);
  return 0;
}
int cuMemHostGetDevicePointer_v2(uint64_t *pointer, void *host, unsigned) {
  *pointer = reinterpret_cast<uint64_t>(host);
  return 0;
}
int cuMemcpyHtoD_v2(uint64_t target, const void *source, size_t bytes) {
  note("cuMemcpyHtoD");
  std::memcpy(reinterpret_cast<void *>(target), source, bytes);
  return result("cuMemcpyHtoD");
}
int cuMemcpyDtoH_v2(void *target, uint64_t source, size_t bytes) {
  note("cuMemcpyDtoH");
  std::memcpy(target, reinterpret_cast<void *>(source), bytes);
  return result("cuMemcpyDtoH");
}
int cuMemcpyDtoDAsync_v2(uint64_t target, uint64_t source, size_t bytes,
                         void *stream) {
  std::fprintf(stderr, "copy %zu bytes%s\n", bytes,
               stream ? " on a stream" : "");
  // Tests pass addresses of nothing, too.
  if (buffers.count(target) && buffers.count(source))
    std::memcpy(reinterpret_cast<void *>(target),
                reinterpret_cast<void *>(source), bytes);
  return result("cuMemcpyDtoDAsync");
}
int cuMemsetD8_v2(uint64_t target, unsigned char byte, size_t bytes) {
  note("cuMemsetD8");
  std::memset(reinterpret_cast<void *>(target), byte, bytes);
  return 0;
}
int cuMemsetD8Async(uint64_t target, unsigned char byte, size_t bytes,
                    void *stream) {
  if (isQuiet)
    return 0;
  if (captured)
    ++captured->operations;
  auto buffer = buffers.find(target);
  std::fprintf(stderr, "memset %s to %d, %zu bytes%s\n",
               buffer == buffers.end() ? "?" : buffer->second.c_str(), byte,
               bytes, stream ? " on a stream" : "");
  if (int error = result("cuMemsetD8Async"))
    return error;
  std::memset(reinterpret_cast<void *>(target), byte, bytes);
  return 0;
}
/// CU_STREAM_CAPTURE_MODE_GLOBAL at first.
static thread_local int captureMode = 0;
int cuThreadExchangeStreamCaptureMode(int *mode) {
  std::swap(captureMode, *mode);
  return 0;
}
int cuModuleLoadDataEx(void **module, const void *image, unsigned numOptions,
                       int *options, void **values) {
  note("cuModuleLoadDataEx");
  if (isCapturing() && captureMode != 2)
    return kIllegalInCapture;
  if (int error = result("cuModuleLoadDataEx")) {
    for (unsigned i = 0; i < numOptions; ++i)
      if (options[i] == 5)
        std::strcpy(static_cast<char *>(values[i]), "ptxas: line 7 is wrong");
    return error;
  }
  *module = new Module{static_cast<const char *>(image), {}};
  return 0;
}
int cuModuleUnload(void *module) {
  delete static_cast<Module *>(module);
  return 0;
}
int cuModuleGetFunction(void **function, void *handle, const char *name) {
  auto *module = static_cast<Module *>(handle);
  size_t start = module->ptx.find(".entry " + std::string(name) + "(");
  if (start == std::string::npos)
    return 500;
  size_t end = module->ptx.find("\n)", start);
  int parameters = 0;
  for (size_t i = module->ptx.find(".param", start); i < end;
       i = module->ptx.find(".param", i + 1))
    ++parameters;
  Kernel &kernel = module->kernels[name];
  kernel = {name, parameters};
  *function = &kernel;
  return 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  if (isQuiet)
    return 0;
  std::fprintf(stderr, "%s attribute %d %d\n",
               static_cast<Kernel *>(function)->name.c_str(), attribute, value);
  return 0;
}
int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY,
                   unsigned gridZ, unsigned blockX, unsigned blockY,
                   unsigned blockZ, unsigned sharedBytes, void *stream,
                   void **parameters, void **) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  scanFakeCudaLaunchTime = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
  if (isQuiet)
    return 0;
  if (captured)
    ++captured->operations;
  auto *kernel = static_cast<Kernel *>(function);
  std::fprintf(stderr, "launch %s grid %u,%u,%u block %u,%u,%u shared %u:",
               kernel->name.c_str(), gridX, gridY, gridZ, blockX, blockY,
               blockZ, sharedBytes);
  for (int i = 0; i < kernel->parameters; ++i) {
    uint64_t value;
    std::memcpy(&value, parameters[i], sizeof(value));
    auto buffer = buffers.find(value);
    if (buffer != buffers.end() && buffer->second[0] == 'm')
      reportStatus(reinterpret_cast<uint64_t *>(value));
    if (buffer != buffers.end())
      std::fprintf(stderr, " %s", buffer->second.c_str());
    else
      std::fprintf(stderr, " %lld", static_cast<long long>(value));
  }
  std::fprintf(stderr, "%s\n", stream ? " on a stream" : "");
  return result("cuLaunchKernel");
}
int cuEventCreate(void **event, unsigned) {
  note("cuEventCreate");
  *event = &numBuffers;
  return 0;
}
int cuEventDestroy_v2(void *) { return 0; }
int cuEventRecord(void *, void *) { return 0; }
int cuEventSynchronize(void *) {
  note("cuEventSynchronize");
  return 0;
}
int cuStreamWaitEvent(void *stream, void *, unsigned) {
  std::fprintf(stderr, "stream %p waits\n", stream);
  return 0;
}
int cuEventElapsedTime(float *milliseconds, void *, void *) {
  *milliseconds = 1;
  return 0;
}
int cuGetErrorName(int, const char **name) {
  *name = "CUDA_ERROR_FAKE";
  return 0;
}
int cuGetErrorString(int, const char **text) {
  *text = "an injected failure";
  return 0;
}
}
