//===- Launcher.h - Launches PTX on an NVIDIA GPU -------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_SCAN_PYTHON_LAUNCHER_H
#define MLIR_SCAN_PYTHON_LAUNCHER_H

#include "Executable.h"

#include <atomic>
#include <list>
#include <unordered_map>

namespace mlir_scan {

class Device {
public:
  explicit Device(int ordinal);
  ~Device();
  Device(const Device &) = delete;

  MlirScanDevice get() const { return handle; }
  bool isCapturing(uintptr_t stream) const {
    return mlirScanDeviceIsCapturing(handle, reinterpret_cast<void *>(stream));
  }
  uint64_t allocate(int64_t bytes);
  void free(uint64_t pointer);
  void copyToDevice(uint64_t target, nb::bytes bytes);
  nb::bytes copyToHost(uint64_t source, int64_t bytes);
  void synchronize();

  const int ordinal;

private:
  MlirScanDevice handle;
};

/// PTX on a device.
class Program {
public:
  Program(std::shared_ptr<Device> device, std::string_view ptx,
          std::string_view manifest);
  /// Without any kernel: `loader`, an object of Python, is asked for those that
  /// are missing (mlir_scan/kernels.py says how).
  Program(std::shared_ptr<Device> device, std::string_view manifest,
          nb::object loader);
  ~Program();
  Program(const Program &) = delete;

  std::vector<std::string> names() const;
  /// Raises ScanError if there is none of that name.
  MlirScanFunction find(std::string_view name) const;
  /// Loads PTX with some of the kernels.
  void add(std::string_view ptx);
  /// Has calls look again for kernels that were missing.
  void notify() { ++generation; }
  /// Raises ScanError where kernels have found something wrong.
  void check() const;

  const std::shared_ptr<Device> device;
  /// None if all kernels are there.
  const nb::object loader;
  /// How often kernels were added.
  std::atomic<uint64_t> generation = 0;

private:
  MlirScanProgram handle;
};

/// A function with shapes and scalars settled.
class Call {
public:
  Call(std::shared_ptr<Program> program, MlirScanCall handle,
       uint64_t generation);
  ~Call();
  Call(const Call &) = delete;

  void launch(const std::vector<uint64_t> &arguments,
              const std::vector<uint64_t> &memory, uintptr_t stream);

  /// Whether it launches the best kernels, as far as one knows: others were
  /// taken before kernels were added that are there now.
  bool isUpToDate() const {
    return isBest || generation == program->generation;
  }

  const std::shared_ptr<Program> program;
  std::vector<MlirScanBuffer> buffers, results;
  std::vector<MlirScanResultPlace> places;
  const bool isBest;
  /// Of the program, before the call was prepared.
  const uint64_t generation;

private:
  MlirScanCall handle;
};

class Function {
public:
  Function(std::shared_ptr<Program> program, MlirScanFunction handle);

  /// With the kernels for these extents, which are waited for.
  std::shared_ptr<Call> prepare(const std::vector<MlirScanBuffer> &buffers,
                                bool forGraph = false);
  /// The same; but where kernels are missing that others can stand in for, with
  /// those, while the missing ones are made ready.
  std::shared_ptr<Call>
  prepareAvailable(const std::vector<MlirScanBuffer> &buffers, bool forGraph);
  /// Waits for the kernels for these extents.
  void require(const std::vector<MlirScanBuffer> &buffers) const;
  /// The kernels that a call needs and that are not there. Needs no GIL.
  /// Nothing after an error, which `prepare` has, too.
  std::vector<std::string>
  getMissing(const std::vector<MlirScanBuffer> &buffers) const;

  const std::shared_ptr<Program> program;
  const MlirScanFunction handle;
  const std::string name;
  std::vector<ArrayType> arguments;

  /// Calls that were prepared, the last used one first, by stream, whether it
  /// is captured, shapes, strides and numbers.
  struct Remembered {
    std::string key;
    std::shared_ptr<Call> call;
  };
  std::list<Remembered> order;
  std::unordered_map<std::string_view, std::list<Remembered>::iterator> calls;
};

nb::tuple getShape(const MlirScanBuffer &buffer);
std::shared_ptr<Call> prepareCall(Function &self, nb::args arguments);
nb::object callFunction(Function &self, nb::args arguments);

} // namespace mlir_scan

#endif // MLIR_SCAN_PYTHON_LAUNCHER_H
