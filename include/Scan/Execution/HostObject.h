//===- HostObject.h - Scans as object files with a C header -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ahead of time: the functions of a program in machine code, which C calls
// without MLIR at run time. docs/objects.md says what the functions look like.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_EXECUTION_HOSTOBJECT_H
#define SCAN_EXECUTION_HOSTOBJECT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::scan {

struct HostObjectOptions {
  /// What to compile for, as clang's --target; empty: this machine's system.
  /// Its code generator has to be registered with LLVM if it is not this
  /// machine's.
  std::string triple;
  /// The processor, as clang's -mcpu or -march; "native": this machine's, with
  /// its features; empty: what every processor of the triple has.
  std::string cpu;
  /// The most bytes of states of a fused kernel, as in ScanToCPUOptions.
  int64_t maxStateBytes = -1;
  /// Whether independent scans are divided among the threads of OpenMP: the
  /// object calls functions of libomp then.
  bool threads = false;
};

struct HostObject {
  std::string object; ///< A relocatable object file, position independent.
  std::string header; ///< C and C++ declarations of its functions.
};

/// Fails if there is no such system or processor.
llvm::Error checkHostObjectOptions(const HostObjectOptions &options);

/// Compiles every public function of `module`, which is on tensors and is
/// lowered in place. Fails after an error was emitted.
FailureOr<HostObject> compileToObject(ModuleOp module,
                                      const HostObjectOptions &options);

} // namespace mlir::scan

#endif // SCAN_EXECUTION_HOSTOBJECT_H
