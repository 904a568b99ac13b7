//===- Launcher.h - Launches compiled scans on an NVIDIA GPU ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs what `scan-translate --scan-to-ptx` wrote: PTX, and the manifest that
// docs/manifest.md describes. A library of its own that needs neither MLIR nor
// LLVM nor the CUDA Toolkit; the driver (libcuda) is looked for when a Device
// is opened. Nothing throws.
//
//   Device device;
//   Program program;
//   Call call;
//   Status status = Device::open(0, device);
//   status = Program::load(device, ptx, manifest, program);
//   status = program.find("cumsum")->prepare({tensor}, call);
//   status = call.launch(arguments, results, temporaries, stream);
//   ...
//   status = device.synchronize();
//   status = call.check();
//
// `prepare` computes shapes, grids and parameters once, and allocates the
// workspaces of kernels that need one; `launch` writes the addresses and calls
// the driver, which is a tenth of a microsecond beside what the driver takes.
//
// A launch neither allocates nor synchronizes, so that it may be captured into
// a CUDA graph:
//
//   status = call.launch(arguments, buffers, stream); // once before
//   cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
//   status = call.launch(arguments, buffers, stream);
//   cuStreamEndCapture(stream, &graph);
//
// Before the capture come Program::load, `prepare` with Workspaces::OfCall,
// the memory of all buffers, and one launch (CUDA loads kernels when they are
// first launched). The graph has the addresses of this memory: it, the program
// and the call have to live as long as the graph. Replays must not overlap
// with each other or with launches of the same call; where they are to, each
// graph gets buffers and a call of its own, with a workspace among the buffers
// (Workspaces::OfCaller; `prepare` may then be called during the capture).
// examples/launcher/graph.cpp is a whole program; docs/cuda-graphs.md has more.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LAUNCHER_LAUNCHER_H
#define SCAN_LAUNCHER_LAUNCHER_H

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mlir::scan::launcher {

/// Success, or one line that says what was expected, what was found and the way
/// out.
class [[nodiscard]] Status {
public:
  static Status success() { return Status(); }
  static Status failure(std::string message) {
    Status status;
    status.message = message.empty() ? "unknown error" : std::move(message);
    return status;
  }
  bool ok() const { return message.empty(); }
  const std::string &getMessage() const { return message; }

private:
  std::string message;
};

/// An address in the GPU's memory (CUdeviceptr), 0 for an empty array.
using DevicePointer = uint64_t;
/// A CUstream or cudaStream_t; null is the default stream.
using Stream = void *;

struct CudaDriver;

/// A GPU with its primary context, which it shares with the CUDA runtime and
/// whatever else the process uses.
class Device {
public:
  /// Looks for the driver and opens GPU number `ordinal`. Fails with one line
  /// where there is no driver or no such GPU.
  static Status open(int ordinal, Device &device);

  Device();
  Device(Device &&);
  Device &operator=(Device &&);
  ~Device();

  const std::string &getName() const { return name; }
  /// The compute capability as major * 10 + minor: 90 for an H100.
  int getComputeCapability() const { return capability; }

  /// Memory of `bytes` bytes; 0 bytes give address 0.
  Status allocate(int64_t bytes, DevicePointer &pointer) const;
  Status free(DevicePointer pointer) const;
  Status copyToDevice(DevicePointer target, const void *source,
                      int64_t bytes) const;
  Status copyToHost(void *target, DevicePointer source, int64_t bytes) const;
  /// Copies within the GPU's memory, in the order of `stream`.
  Status copyOnDevice(DevicePointer target, DevicePointer source, int64_t bytes,
                      Stream stream) const;
  /// Sets every byte.
  Status fill(DevicePointer target, uint8_t byte, int64_t bytes) const;
  /// Waits for everything that was launched.
  Status synchronize() const;
  /// Whether what is launched on `stream` becomes part of a graph.
  bool isCapturing(Stream stream) const;
  /// The driver's table of functions and the context, for other parts of this
  /// library.
  const CudaDriver *getDriver() const { return driver; }
  Status makeCurrent() const;

private:
  const CudaDriver *driver = nullptr;
  int ordinal = -1;
  void *context = nullptr;
  int capability = 0;
  std::string name;
};

/// A point in the work of a stream (CUevent), for timing.
class Event {
public:
  static Status create(const Device &device, Event &event);
  Event() = default;
  Event(Event &&other) { *this = std::move(other); }
  Event &operator=(Event &&other);
  ~Event();

  /// Records that `stream` got here.
  Status record(Stream stream) const;
  /// Waits until the recorded point was reached.
  Status synchronize() const;
  /// The milliseconds from `start`, which was recorded before and reached.
  Status getMillisecondsSince(const Event &start, float &milliseconds) const;

private:
  const CudaDriver *driver = nullptr;
  void *handle = nullptr;
};

/// One argument of a call.
struct Argument {
  /// Tensors: the extents, and the distances of neighbours in elements (empty:
  /// dense, row-major) with the first element's distance from the pointer.
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  int64_t offset = 0;
  /// Scalars: the value's bytes, little-endian.
  std::array<uint8_t, 16> scalar = {};
};

/// A parameter or a result of a function, as far as its type says.
struct ValueType {
  bool isScalar = false;
  /// As the manifest spells it: "f32", "complex<f64>".
  std::string element;
  int64_t elementBytes = 0;
  /// The extents; -1 where they are dynamic.
  std::vector<int64_t> shape;
};

/// Memory that the caller supplies, and how its contents are to be read.
struct Buffer {
  std::string element;
  std::vector<int64_t> shape;
  int64_t bytes = 0;
};

/// Who has the memory that kernels need beside their buffers.
enum class Workspaces {
  /// The call, as long as it lives. Kernels leave it as they found it, so that
  /// it is cleared once.
  OfCall,
  /// The caller: it is among the buffers, behind the temporaries, and is
  /// cleared at each launch. So launches may overlap, and be captured into any
  /// number of graphs.
  OfCaller
};

/// Which kernels a call takes where there are several for a scan.
enum class Variants {
  /// Those that are for these extents. `prepare` fails where one was not added
  /// to the program (Program::add).
  Best,
  /// Where one of these was not, another one for the same scan: it computes the
  /// same, if more slowly. Only one that takes a few thousandths of a second,
  /// and a workspace that is small beside the arrays; where there is none,
  /// `prepare` fails as above.
  Available
};

struct FunctionDescription;
struct LoadedProgram;

/// A function with its arguments' shapes and scalars settled.
class Call {
public:
  Call();
  Call(Call &&);
  Call &operator=(Call &&);
  ~Call();

  /// Where a result is: in an argument, in one of `getBuffers()`, each by its
  /// number, or in a constant, which lives as long as the program.
  struct ResultPlace {
    enum Kind { Argument, Buffer, Constant } kind;
    size_t index;
    DevicePointer constant;
  };
  /// The address of result `number` in a launch with these addresses.
  DevicePointer getResult(size_t number,
                          const std::vector<DevicePointer> &arguments,
                          const std::vector<DevicePointer> &buffers) const;
  /// The function's results, in order.
  const std::vector<Buffer> &getResults() const;
  const std::vector<ResultPlace> &getResultPlaces() const;

  /// What the caller allocates: first what holds results, then temporaries, and
  /// workspaces that are the caller's, which may be reused once the launched
  /// work is done. Nothing needs to be cleared. Aligned to 16 bytes.
  const std::vector<Buffer> &getBuffers() const;

  /// Whether its kernels are those for these extents (Variants). A call that
  /// was prepared with others keeps them: prepare another one when what was
  /// missing is there.
  bool isBest() const;

  /// Launches the kernels on `stream`. `arguments` has the address of each
  /// argument (anything for scalars), `buffers` of each of `getBuffers()`.
  /// Returns before the work is done. Where a kernel has a workspace of the
  /// call, launches of one call, and replays of graphs that captured them, must
  /// not overlap on the GPU: prepare a call for each stream, or with workspaces
  /// of the caller.
  ///
  /// Where kernels of an earlier launch of the same function have reported an
  /// error, nothing is launched, and that is the failure (see `check`). It is
  /// reported once.
  Status launch(const std::vector<DevicePointer> &arguments,
                const std::vector<DevicePointer> &buffers, Stream stream);

  /// Fails with what kernels of this function have found wrong so far and was
  /// not reported yet: offsets of packed sequences that do not start with 0,
  /// decrease or do not end with the extent of the scan dimension. Waits for
  /// nothing; call it behind Device::synchronize or what else waits for the
  /// launches, replays of graphs included, to know of all of them. Results of
  /// such a launch mean nothing, but no memory was read or written that does
  /// not belong to it.
  Status check() const;

private:
  friend class Function;
  struct State;
  std::unique_ptr<State> state;
};

/// A function of a program.
class Function {
public:
  const std::string &getName() const;
  const std::vector<ValueType> &getArguments() const;
  size_t getNumResults() const;
  /// Checks the arguments against the function's types, and computes shapes,
  /// grids and parameters, of those kernels that are launched with these
  /// extents (a manifest may have several for one scan). Allocates and clears
  /// the workspaces of kernels that need one, unless these are the caller's;
  /// only then does it wait for the GPU. Calls of one function are independent
  /// of each other.
  Status prepare(const std::vector<Argument> &arguments, Call &call,
                 Workspaces workspaces = Workspaces::OfCall,
                 Variants variants = Variants::Best) const;
  /// The kernels that a call with these arguments launches and that were not
  /// added to the program: what `Variants::Best` waits for.
  Status getMissing(const std::vector<Argument> &arguments,
                    std::vector<std::string> &missing) const;
  /// As Call::check, which is about all calls of the function, too.
  Status check() const;

private:
  friend class Program;
  Function(std::shared_ptr<LoadedProgram> program,
           const FunctionDescription *description)
      : program(std::move(program)), description(description) {}
  std::shared_ptr<LoadedProgram> program;
  const FunctionDescription *description;
};

/// PTX that was loaded onto a device, which has to outlive it.
class Program {
public:
  /// `ptx` and `manifest` are the texts of the two files. Fails where the
  /// manifest is not what docs/manifest.md says, where the PTX is not the one
  /// that it was written with, or where the driver refuses the PTX.
  static Status load(const Device &device, const std::string &ptx,
                     const std::string &manifest, Program &program);

  /// Loads what the manifest says without any kernel, which `add` does.
  static Status loadManifest(const Device &device, const std::string &manifest,
                             Program &program);
  /// Loads a PTX that has some of the kernels. It is checked as `load` does it;
  /// kernels that are there already stay. Any thread may call this, while
  /// others prepare and launch, or capture a stream.
  Status add(const std::string &ptx) const;

  const std::vector<Function> &getFunctions() const { return functions; }
  /// As Function::check, of the first function that has something to report.
  Status check() const;
  /// The function of that name, or null.
  const Function *find(const std::string &name) const;

private:
  static Status loadState(const Device &device,
                          std::shared_ptr<LoadedProgram> loaded,
                          Program &program);
  std::vector<Function> functions;
  std::shared_ptr<LoadedProgram> state;
};

} // namespace mlir::scan::launcher

#endif // SCAN_LAUNCHER_LAUNCHER_H
