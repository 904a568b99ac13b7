//===- WarpScan.h - Scanning across the lanes of a warp ---------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scans with one state per lane, through shuffles. All 32 lanes take part, also
// those whose elements lie beyond the end of the scan: their garbage only
// reaches later lanes, which lie beyond the end too.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_WARPSCAN_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_WARPSCAN_H

#include "Combine.h"
#include "Plan/SharedMemory.h"

namespace mlir::scan {

/// Waits for all lanes of the warp: what one of them has written to shared
/// memory before, the others see. All of them have to get here.
void syncWarp(ImplicitLocOpBuilder &b);

/// i1: whether `condition` holds in all lanes of the warp. All of them have to
/// get here. ptxas knows that they branch alike on it: shuffles in a branch
/// need no code for lanes that come apart.
Value voteAll(ImplicitLocOpBuilder &b, Value condition);

/// The state that the lane `delta` below holds. In the lowest `delta` lanes
/// the result means nothing. Any leaf type: narrow integers and 16-bit floats
/// travel in 32-bit words, complex numbers as two.
State shuffleUp(ImplicitLocOpBuilder &b, ValueRange state, int64_t delta);

/// The state that the lane `delta` above holds. In the highest `delta` lanes
/// the result means nothing.
State shuffleDown(ImplicitLocOpBuilder &b, ValueRange state, int64_t delta);

/// The same with a lane's own state where there is no such lane: for operators
/// that may combine a state with itself.
State shuffleUpOrOwn(ImplicitLocOpBuilder &b, ValueRange state, int64_t delta);
State shuffleDownOrOwn(ImplicitLocOpBuilder &b, ValueRange state,
                       int64_t delta);

/// The state of the lane whose number differs in the bits of `mask`.
State shuffleXor(ImplicitLocOpBuilder &b, ValueRange state, int64_t mask);

/// The state that lane `lane` holds, in all lanes.
State broadcastLane(ImplicitLocOpBuilder &b, ValueRange state, int64_t lane);

/// The state that the lane `lane`, an index, holds; every lane names its own.
State shuffleFrom(ImplicitLocOpBuilder &b, ValueRange state, Value lane);

/// The inclusive scan of `state` over the lanes of the warp, or in each part of
/// it with `count` of them, a power of two, `stride` lanes apart; `number` is
/// the caller's among these, an index. Five steps at most, the earlier lane on
/// the left. Of an operator that is known to be idempotent lanes without an
/// earlier one combine their own state with itself.
State scanWarp(ImplicitLocOpBuilder &b, KernelOp kernel, ValueRange state,
               Value number, int64_t count = kWarpSize, int64_t stride = 1);

/// The combination of `state` over the lanes that scanWarp would scan, in all
/// of them, for an operator that is known to be commutative: no lane has to
/// know which of two states is the earlier one.
State reduceWarp(ImplicitLocOpBuilder &b, KernelOp kernel, ValueRange state,
                 int64_t count = kWarpSize, int64_t stride = 1);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_WARPSCAN_H
