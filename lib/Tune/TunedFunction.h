//===- TunedFunction.h - The function that is tuned -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TUNE_TUNEDFUNCTION_H
#define SCAN_LIB_TUNE_TUNEDFUNCTION_H

#include "Scan/IR/ScanDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::scan {

/// A function of a program, with its scans as the kernels that are given
/// schedules: what compileToPTX makes of it before it chooses them. It makes
/// the same of its result.
class TunedFunction {
public:
  /// The public function `entry` of `module`, the program from the file
  /// `program`; the only one if `entry` is empty. The module becomes that of
  /// the kernels, which fusion gives `maxStateBytes` of states at most. Errors
  /// are one line.
  static llvm::Expected<TunedFunction> get(ModuleOp module, StringRef program,
                                           StringRef entry,
                                           int64_t maxStateBytes);

  func::FuncOp getFunction() const { return function; }
  StringRef getName() const { return name; }

  struct Compiled {
    std::string ptx, manifest;
  };
  /// The program for `chip` with a schedule for each of its kernels, in the
  /// order of a walk. The error is what the compiler said first.
  llvm::Expected<Compiled> compile(ArrayRef<ScheduleAttr> schedules,
                                   StringRef chip) const;

private:
  TunedFunction(ModuleOp module, func::FuncOp function, int64_t maxStateBytes)
      : module(module), function(function), name(function.getName()),
        maxStateBytes(maxStateBytes) {}

  mutable ModuleOp module;
  mutable func::FuncOp function;
  std::string name;
  int64_t maxStateBytes;
};

} // namespace mlir::scan

#endif // SCAN_LIB_TUNE_TUNEDFUNCTION_H
