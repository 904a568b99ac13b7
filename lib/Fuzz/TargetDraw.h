//===- TargetDraw.h - How a program is compiled for a target ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_TARGETDRAW_H
#define SCAN_LIB_FUZZ_TARGETDRAW_H

#include "Execution/Targets.h"
#include <string>

namespace mlir::scan::fuzz {

/// The options of program number `index`: the order of the emulator's threads,
/// and for every second program small blocks of columns on the CPU, since
/// extents are too small for several of the usual ones.
TargetOptions drawTargetOptions(uint64_t index);

/// The options of scan-run that run program number `index` in the same way.
std::string printTargetOptions(StringRef target, uint64_t index);

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_TARGETDRAW_H
