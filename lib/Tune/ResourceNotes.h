//===- ResourceNotes.h - What ptxas says of schedules -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TUNE_RESOURCENOTES_H
#define SCAN_LIB_TUNE_RESOURCENOTES_H

#include "TunedFunction.h"

namespace mlir::scan {

/// Has ptxas assemble the kernels of `function` for `chip` under the schedules
/// that the cost model chooses for them, over all extents, and adds what it
/// says to the tuning cache at `output`, which the model reads: what spills
/// registers is not chosen again. That goes on until everything that is chosen
/// is known. Lines for people go to `err`. The error is one line.
llvm::Error noteResources(const TunedFunction &function, StringRef chip,
                          StringRef output, llvm::raw_ostream &err);

} // namespace mlir::scan

#endif // SCAN_LIB_TUNE_RESOURCENOTES_H
