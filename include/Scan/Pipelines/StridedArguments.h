//===- StridedArguments.h - Which strides arguments may have ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_PIPELINES_STRIDEDARGUMENTS_H
#define SCAN_PIPELINES_STRIDEDARGUMENTS_H

#include "mlir/Pass/PassOptions.h"

namespace mlir::scan {

/// Which strides and offsets the tensor arguments of functions may have once
/// they are memrefs.
enum class StridedArguments {
  /// Dense and row-major, offset 0.
  None,
  /// The innermost dimension is contiguous; the other strides and the offset
  /// are those of the call.
  Outer,
  /// All strides and the offset are those of the call.
  Any
};

/// The values of options, by name.
inline llvm::cl::ValuesClass getStridedArgumentsValues() {
  return llvm::cl::values(
      clEnumValN(StridedArguments::None, "none", "dense and row-major"),
      clEnumValN(StridedArguments::Outer, "outer",
                 "any strides but of the innermost dimension, which is "
                 "contiguous"),
      clEnumValN(StridedArguments::Any, "any", "any strides"));
}

/// The option of pipelines.
struct StridedArgumentsOption
    : mlir::detail::PassOptions::Option<StridedArguments> {
  explicit StridedArgumentsOption(mlir::detail::PassOptions &parent)
      : Option(parent, "strided-arguments",
               llvm::cl::desc("The strides and offsets that tensor arguments "
                              "may have at run time: none (dense), outer (the "
                              "innermost dimension is contiguous) or any"),
               llvm::cl::init(StridedArguments::None),
               getStridedArgumentsValues()) {}
  using Option::operator=;
};

} // namespace mlir::scan

#endif // SCAN_PIPELINES_STRIDEDARGUMENTS_H
