//===- Libdevice.h - Math functions for NVIDIA's GPUs -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_LIBDEVICE_H
#define SCAN_LIB_TARGET_LIBDEVICE_H

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"
#include <memory>
#include <mutex>
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::scan {

/// What a program calls of libdevice, the CUDA Toolkit's library of math
/// functions in bitcode. Kernels are compiled in contexts of their own, and to
/// read the list of all functions for each of them takes as long as some passes
/// do: what one has called is kept for the others.
class Libdevice {
public:
  /// The library in the file `path`; if that is empty, it is looked for.
  explicit Libdevice(StringRef path) : path(path) {}

  /// Links the functions that `module` calls and does not define into it, as
  /// internal functions. An error is emitted once, at the `location` of the
  /// module that came first. Modules of several threads may come at a time.
  LogicalResult link(llvm::Module &module, Location location);

private:
  using Bitcode = SmallVector<char, 0>;

  /// A module with the functions `called`, and perhaps others; null if there is
  /// none.
  std::shared_ptr<const Bitcode> getPart(ArrayRef<std::string> called,
                                         Location location);
  LogicalResult readPart(Location location);

  std::string path;
  std::mutex mutex;
  /// Functions that were called, and a module with these alone.
  SmallVector<std::string> names;
  std::shared_ptr<const Bitcode> part;
  bool hasFailed = false;
};

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_LIBDEVICE_H
