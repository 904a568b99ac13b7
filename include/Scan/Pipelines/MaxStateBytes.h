//===- MaxStateBytes.h - How far pipelines unroll kernels -------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The option that tools and pipelines have in common.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_PIPELINES_MAXSTATEBYTES_H
#define SCAN_PIPELINES_MAXSTATEBYTES_H

#include "Scan/Transforms/Fusion.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::scan {

constexpr int64_t kDefaultMaxStateBytes = FusionOptions().maxStateBytes;

constexpr llvm::StringLiteral kMaxStateBytesDescription =
    "The most bytes of states that fusion may give a thread for each scan: "
    "kernels are unrolled over a dimension to fuse a sum over it (default: "
    "256; 0: never)";

/// The option of pipelines, FusionOptions::maxStateBytes.
struct MaxStateBytesOption : mlir::detail::PassOptions::Option<int64_t> {
  explicit MaxStateBytesOption(mlir::detail::PassOptions &parent)
      : Option(parent, "max-state-bytes",
               llvm::cl::desc(kMaxStateBytesDescription),
               llvm::cl::init(kDefaultMaxStateBytes)) {}
  using Option::operator=;
};

} // namespace mlir::scan

#endif // SCAN_PIPELINES_MAXSTATEBYTES_H
