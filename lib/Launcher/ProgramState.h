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
#include "PTXEntries.h"
#include "Statuses.h"
#include <cstring>
#include <mutex>
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
    for (void *module : modules)
      device->getDriver()->moduleUnload(module);
  }

  /// The handles of a function's kernels, null where one was not added yet.
  std::vector<void *> getKernels(size_t function) const {
    std::lock_guard<std::mutex> lock(mutex);
    return kernels[function];
  }

  const Device *device = nullptr;
  ManifestDescription manifest;
  /// Per function the address of each buffer that is a constant (0 for the
  /// others).
  std::vector<std::vector<DevicePointer>> constants;
  /// Of each function.
  std::vector<std::unique_ptr<Statuses>> statuses;

  /// For what follows, to which kernels are added while others are launched.
  mutable std::mutex mutex;
  std::vector<void *> modules;
  /// Per function the handle of each kernel.
  std::vector<std::vector<void *>> kernels;
};

/// Loads a PTX that has some of the kernels, or all, which are among `entries`.
Status addKernels(LoadedProgram &program, const std::string &ptx,
                  const std::vector<PTXEntry> &entries);

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
  /// The numbers of those that are other ones in each step of a repetition.
  std::vector<size_t> ofStep;
  std::vector<void *> parameters;

  void setWorkspace(DevicePointer workspace) {
    for (size_t i = 0; i < values.size(); ++i)
      if (description->parameters[i].kind == ParameterKind::Workspace)
        std::memcpy(values[i].data(), &workspace, sizeof(workspace));
  }
};

/// The numbers that the names of a function's manifest stand for, which are in
/// the arguments.
Status bindArguments(const FunctionDescription &function,
                     const std::vector<Argument> &arguments, Names &names);

/// The buffer of that shape.
Status evaluateShape(const std::vector<Expression> &expressions,
                     int64_t elementBytes, const Names &names, Buffer &buffer);

/// Settles the grid and all parameters but for pointers; those to the statuses
/// where these are given.
Status prepareKernel(const KernelDescription &description, void *handle,
                     const std::vector<Argument> &arguments, const Names &names,
                     const Statuses *statuses, PreparedKernel &kernel);

/// Settles what a kernel has for each step of a repetition anew, of which
/// `names` has the number.
Status setStep(PreparedKernel &kernel, const Names &names);

/// Per kernel of `function`, whether it is launched with these arguments.
Status chooseKernels(const FunctionDescription &function, const Names &names,
                     std::vector<bool> &isLaunched);

/// Launches other variants of scans in the place of those of which there is no
/// handle, as far as there are any that do (Variants::Available). Returns
/// whether it did.
bool replaceMissing(const FunctionDescription &function,
                    const std::vector<void *> &handles,
                    const std::vector<Argument> &arguments, const Names &names,
                    std::vector<bool> &isLaunched);

struct Call::State {
  State() = default;
  /// Launches one of `kernels`, whose pointers are those in `addresses`.
  Status launch(PreparedKernel &kernel,
                const std::vector<DevicePointer> &buffers, Stream stream);
  /// Clears what is cleared in front of kernel `before` of the function.
  Status clear(size_t before, Stream stream);

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
  /// Those that are launched with these arguments, and whether all of them are
  /// the ones that the manifest chooses.
  std::vector<PreparedKernel> kernels;
  bool isBest = true;
  /// What the names of the function are, and of each repetition its steps.
  Names names;
  std::vector<int64_t> steps;
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
