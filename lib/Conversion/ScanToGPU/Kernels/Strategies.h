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

/// One thread per independent scan walks the scan dimension.
void emitSequentialKernel(ImplicitLocOpBuilder &b, KernelFrame &frame);

/// The lanes of a warp that share a scan walk with some of its states each, for
/// a kernel that has a StateSplit.
void emitSplitStatesKernel(ImplicitLocOpBuilder &b, KernelFrame &frame);

/// A block walks the tiles of a row, or of several.
void emitRowKernel(ImplicitLocOpBuilder &b, KernelFrame &frame);

/// Each block takes one tile of a row and looks back for the state before it.
void emitGridRowKernel(ImplicitLocOpBuilder &b, KernelFrame &frame);

/// Either of both for neighbouring columns, tiles of which groups of a block's
/// threads split between them.
void emitColumnKernel(ImplicitLocOpBuilder &b, KernelFrame &frame);

/// A persistent kernel with look-back: a given number of blocks draw tickets
/// for tiles of rows, and have several in a pipeline each.
void emitPipelinedRowKernel(ImplicitLocOpBuilder &b, KernelFrame &frame);

/// The same where the warps of a block have roles: bulk copies load tiles for
/// those that scan them, while another one looks back.
void emitWarpSpecializedRowKernel(ImplicitLocOpBuilder &b, KernelFrame &frame);

/// One block per independent scan holds all of its row in one tile and scans it
/// forward and in reverse: for a bidirectional kernel whose schedule is one
/// tile.
void emitBidirectionalKernel(RewriterBase &rewriter, ImplicitLocOpBuilder &b,
                             KernelFrame &frame);

/// The same for neighbouring columns, which groups of a block's threads hold.
void emitBidirectionalColumnKernel(RewriterBase &rewriter,
                                   ImplicitLocOpBuilder &b, KernelFrame &frame);

/// Blocks walk the tiles of neighbouring columns twice: in the direction of a
/// bidirectional kernel, for the states before each tile, and back.
void emitCheckpointedColumnKernel(RewriterBase &rewriter,
                                  ImplicitLocOpBuilder &b, KernelFrame &frame);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_STRATEGIES_H
