//===- ProgramState.h - Loaded programs and prepared calls ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_LAUNCHER_PROGRAMSTATE_H
#define SCAN_LIB_LAUNCHER_PROGRAMSTATE_H

#include "CudaDriver.h"
#include "ManifestReader.h"
#include "Statuses.h"
#include <cstring>
#include <optional>

namespace mlir::scan::launcher {

/// Selects a device until the end of the scope. What is destroyed can be so at
/// any time, in the middle of work on another device.
class Selected {
public:
  explicit Selected(const Device &device) : driver(*device.getDriver()) {
    if (driver.ctxGetCurrent(&previous) != 0)
      previous = nullptr;
    selected = device.makeCurrent().ok();
  }
  ~Selected() { (void)driver.ctxSetCurrent(previous); }
  explicit operator bool() const { return selected; }

private:
  const CudaDriver &driver;
  void *previous = nullptr;
  bool selected;
};

/// What the functions of a program share.
struct LoadedProgram {
  ~LoadedProgram() {
    if (!device)
      return;
    Selected selected(*device);
    if (!selected)
      return;
    for (const std::vector<DevicePointer> &pointers : constants)
      for (DevicePointer pointer : pointers)
        (void)device->free(pointer);
    for (std::unique_ptr<Statuses> &status : statuses)
      status->free(*device);
    if (module)
      device->getDriver()->moduleUnload(module);
  }

  const Device *device = nullptr;
  void *module = nullptr;
  ManifestDescription manifest;
  /// Per function the handle of each kernel and the address of each buffer that
  /// is a constant (0 for the others).
  std::vector<std::vector<void *>> kernels;
  std::vector<std::vector<DevicePointer>> constants;
  /// Of each function.
  std::vector<std::unique_ptr<Statuses>> statuses;
};

/// A kernel with all but its pointers settled.
struct PreparedKernel {
  const KernelDescription *description;
  void *handle;
  std::array<unsigned, 3> grid, block;
  unsigned sharedBytes;
  int64_t workspaceBytes = 0;
  /// The number of the buffer that is the workspace, if it is the caller's.
  std::optional<size_t> workspaceBuffer;
  /// The values that the parameters point to.
  std::vector<std::array<uint8_t, 16>> values;
  std::vector<void *> parameters;

  void setWorkspace(DevicePointer workspace) {
    for (size_t i = 0; i < values.size(); ++i)
      if (description->parameters[i].kind == ParameterKind::Workspace)
        std::memcpy(values[i].data(), &workspace, sizeof(workspace));
  }
};

struct Call::State {
  State() = default;
  State(const State &) = delete;
  State &operator=(const State &) = delete;
  ~State() {
    if (workspaces.empty())
      return;
    Selected selected(*program->device);
    for (DevicePointer workspace : workspaces)
      (void)program->device->free(workspace);
  }

  std::shared_ptr<LoadedProgram> program;
  const FunctionDescription *function;
  /// Those that are launched with these arguments.
  std::vector<PreparedKernel> kernels;
  /// The bytes of each buffer that the function says is to be cleared.
  std::vector<int64_t> clearedBytes;
  std::vector<Buffer> results, buffers;
  std::vector<ResultPlace> places;
  /// For each buffer of the function the number in `buffers`, where it has one.
  std::vector<size_t> bufferNumbers;
  /// Those that kernels need, one after the other.
  std::vector<DevicePointer> workspaces;
  /// For each buffer of the function its address in the current launch.
  std::vector<DevicePointer> addresses;
};
} // namespace mlir::scan::launcher

#endif // SCAN_LIB_LAUNCHER_PROGRAMSTATE_H
