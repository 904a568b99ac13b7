//===- OwnLaneShuffles.h - Shuffles that keep a lane's own value -*- C++
//-*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_OWNLANESHUFFLES_H
#define SCAN_LIB_TARGET_OWNLANESHUFFLES_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::scan {

/// Replaces `valid ? shuffled : own` by `shuffled`, where a shuffle of 32 bits
/// gave `shuffled` and `valid` for the lane's own value `own`. gpu.shuffle
/// gives poison where the lane that is named is out of range, so that programs
/// have to choose; the PTX instruction gives the lane's own value ("If the
/// computed source lane index j is in range, the returned i32 is the value of a
/// from lane j; otherwise, the returned value is its own a", PTX ISA,
/// shfl.sync).
void dropOwnLaneSelects(llvm::Module &module);

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_OWNLANESHUFFLES_H
