//===- RowVectors.h - Which vectors a row is walked in ----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_ROWVECTORS_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_ROWVECTORS_H

#include "KernelEmitter.h"

namespace mlir::scan {

/// How many steps a row has to have for vectors of so many lanes to be worth
/// it.
int64_t getMinRowSteps(KernelOp kernel, int64_t lanes);

/// How many lanes vectors of neighbouring steps of a row have; 1 where the
/// order or the regions do not allow them or they do not pay.
int64_t chooseRowLanes(KernelEmitter &emitter,
                       const ConvertScanToLoopsOptions &options);

/// Whether all steps of a row can be walked as vectors, of which the last one
/// may be partial: the regions work on lanes that do not exist.
bool canMaskRow(KernelEmitter &emitter);

/// Whether a combine of `kernel` takes long, and its code long to compile.
bool takesLongCombines(KernelOp kernel);

/// The vectors of most tiles, and of those whose combines take long.
inline constexpr int64_t kTileVectors = 4, kLongTileVectors = 8;
/// How many such vectors to scan together: 1, kTileVectors or more.
int64_t chooseRowVectors(KernelEmitter &emitter, int64_t lanes);

/// What of a block is saved when it is added up, for the walk along it.
enum class SavedPart {
  Nothing, ///< Operators that commute are added up without what a walk needs.
  Lanes, ///< The scan over the lanes of each tile, about half of the combines.
  Tiles, ///< All but the combine with the state: where combines take long.
};
SavedPart getSavedPart(KernelOp kernel);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_ROWVECTORS_H
