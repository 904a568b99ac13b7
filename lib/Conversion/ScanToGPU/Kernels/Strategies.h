//===- Strategies.h - The bodies of the GPU kernels -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_STRATEGIES_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_STRATEGIES_H

#include "../Frame/KernelFrame.h"

namespace mlir::scan {

/// One thread per point outside the scan dimension walks the scan dimension.
void emitSequentialKernel(ImplicitLocOpBuilder &b, KernelFrame &frame);

/// One block per point outside the scan dimension walks tiles of the scan
/// dimension.
void emitRowKernel(ImplicitLocOpBuilder &b, KernelFrame &frame);

/// One block per `lanes * vector` neighbouring points outside the scan
/// dimension: groups of its threads split tiles of the scan dimension between
/// them.
void emitColumnKernel(ImplicitLocOpBuilder &b, KernelFrame &frame);

/// Many blocks take the tiles of each row, one tile each, and look back for the
/// state before it.
void emitGridRowKernel(ImplicitLocOpBuilder &b, KernelFrame &frame);

/// The same with a given number of blocks, which take tiles by turns and have
/// four under way each.
void emitPipelinedRowKernel(ImplicitLocOpBuilder &b, KernelFrame &frame);

/// The same for neighbouring points, whose columns the threads of a block share
/// as those of emitColumnKernel do.
void emitGridColumnKernel(ImplicitLocOpBuilder &b, KernelFrame &frame);

/// One block per point outside the scan dimension holds all of its row in one
/// tile and scans it both ways: for a kernel with `opposite` whose schedule is
/// one tile.
void emitBothWaysKernel(RewriterBase &rewriter, ImplicitLocOpBuilder &b,
                        KernelFrame &frame);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_STRATEGIES_H
