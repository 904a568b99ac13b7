//===- WarpScan.cpp - Scanning across the lanes of a warp -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpScan.h"
#include "../../GPUCommon/Emit.h"
#include "IR/OperatorFacts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::scan;

/// Shuffles `value`, a number of any supported type, as words that
/// gpu.shuffle takes: i32, i64, f32, f64.
static Value shuffleValue(ImplicitLocOpBuilder &b, Value value, Value offset,
                          gpu::ShuffleMode mode) {
  Type type = value.getType();
  if (isa<ComplexType>(type)) {
    Value re = shuffleValue(b, complex::ReOp::create(b, value), offset, mode);
    Value im = shuffleValue(b, complex::ImOp::create(b, value), offset, mode);
    return complex::CreateOp::create(b, type, re, im);
  }
  unsigned width = type.getIntOrFloatBitWidth();
  if (width < 32 && isa<FloatType>(type)) {
    Type bits = b.getIntegerType(width);
    Value moved =
        shuffleValue(b, arith::BitcastOp::create(b, bits, value), offset, mode);
    return arith::BitcastOp::create(b, type, moved);
  }
  if (width < 32) {
    Value extended = arith::ExtUIOp::create(b, b.getI32Type(), value);
    return arith::TruncIOp::create(b, type,
                                   shuffleValue(b, extended, offset, mode));
  }
  return gpu::ShuffleOp::create(b, value, offset, i32Constant(b, kWarpSize),
                                mode)
      .getShuffleResult();
}

/// The value that the lane `delta` below or above holds; their own in lanes for
/// which there is none. Word by word: PTX has this shuffle, and the choice
/// between words becomes one of its instructions
/// (lib/Target/OwnLaneShuffles.h).
static Value shuffleOrOwn(ImplicitLocOpBuilder &b, Value value, int64_t delta,
                          gpu::ShuffleMode mode) {
  Type type = value.getType();
  if (isa<ComplexType>(type)) {
    Value re = shuffleOrOwn(b, complex::ReOp::create(b, value), delta, mode);
    Value im = shuffleOrOwn(b, complex::ImOp::create(b, value), delta, mode);
    return complex::CreateOp::create(b, type, re, im);
  }
  unsigned width = type.getIntOrFloatBitWidth();
  Type bits = b.getIntegerType(width), word = b.getI32Type();
  if (width != 32 && isa<FloatType>(type)) {
    Value integer = arith::BitcastOp::create(b, bits, value);
    return arith::BitcastOp::create(b, type,
                                    shuffleOrOwn(b, integer, delta, mode));
  }
  if (width < 32)
    return arith::TruncIOp::create(
        b, type,
        shuffleOrOwn(b, arith::ExtUIOp::create(b, word, value), delta, mode));
  if (width > 32) {
    Value half = arith::ConstantIntOp::create(b, bits, 32);
    auto move = [&](Value part) -> Value {
      Value moved =
          shuffleOrOwn(b, arith::TruncIOp::create(b, word, part), delta, mode);
      return arith::ExtUIOp::create(b, bits, moved);
    };
    Value low = move(value);
    Value high = move(arith::ShRUIOp::create(b, value, half));
    return arith::OrIOp::create(b, arith::ShLIOp::create(b, high, half), low);
  }
  auto shuffle = gpu::ShuffleOp::create(b, value, i32Constant(b, delta),
                                        i32Constant(b, kWarpSize), mode);
  return arith::SelectOp::create(b, shuffle.getValid(),
                                 shuffle.getShuffleResult(), value);
}

static State shuffleState(ImplicitLocOpBuilder &b, ValueRange state,
                          Value offset, gpu::ShuffleMode mode) {
  State result;
  for (Value value : state)
    result.push_back(shuffleValue(b, value, offset, mode));
  return result;
}

State mlir::scan::shuffleUpOrOwn(ImplicitLocOpBuilder &b, ValueRange state,
                                 int64_t delta) {
  return llvm::map_to_vector(state, [&](Value value) {
    return shuffleOrOwn(b, value, delta, gpu::ShuffleMode::UP);
  });
}

State mlir::scan::shuffleDownOrOwn(ImplicitLocOpBuilder &b, ValueRange state,
                                   int64_t delta) {
  return llvm::map_to_vector(state, [&](Value value) {
    return shuffleOrOwn(b, value, delta, gpu::ShuffleMode::DOWN);
  });
}

void mlir::scan::syncWarp(ImplicitLocOpBuilder &b) {
  NVVM::SyncWarpOp::create(b, i32Constant(b, -1));
}

Value mlir::scan::voteAll(ImplicitLocOpBuilder &b, Value condition) {
  return NVVM::VoteSyncOp::create(b, b.getI1Type(), i32Constant(b, -1),
                                  condition, NVVM::VoteSyncKind::all);
}

State mlir::scan::shuffleUp(ImplicitLocOpBuilder &b, ValueRange state,
                            int64_t delta) {
  return shuffleState(b, state, i32Constant(b, delta), gpu::ShuffleMode::UP);
}

State mlir::scan::shuffleDown(ImplicitLocOpBuilder &b, ValueRange state,
                              int64_t delta) {
  return shuffleState(b, state, i32Constant(b, delta), gpu::ShuffleMode::DOWN);
}

State mlir::scan::shuffleXor(ImplicitLocOpBuilder &b, ValueRange state,
                             int64_t mask) {
  return shuffleState(b, state, i32Constant(b, mask), gpu::ShuffleMode::XOR);
}

State mlir::scan::broadcastLane(ImplicitLocOpBuilder &b, ValueRange state,
                                int64_t lane) {
  return shuffleState(b, state, i32Constant(b, lane), gpu::ShuffleMode::IDX);
}

State mlir::scan::shuffleFrom(ImplicitLocOpBuilder &b, ValueRange state,
                              Value lane) {
  Value from = b.createOrFold<arith::IndexCastOp>(b.getI32Type(), lane);
  return shuffleState(b, state, from, gpu::ShuffleMode::IDX);
}

State mlir::scan::scanWarp(ImplicitLocOpBuilder &b, KernelOp kernel,
                           ValueRange state, Value number, int64_t count,
                           int64_t stride) {
  State scanned(state);
  // A lane that has none so far below it combines its own state with itself.
  bool overlaps =
      count * stride == kWarpSize && getOperatorFacts(kernel).isIdempotent;
  for (int64_t delta = 1; delta < count; delta *= 2) {
    if (overlaps) {
      scanned = combine(b, kernel, shuffleUpOrOwn(b, scanned, delta * stride),
                        scanned);
      continue;
    }
    Prefix earlier;
    earlier.state = shuffleUp(b, scanned, delta * stride);
    earlier.present =
        compare(b, arith::CmpIPredicate::uge, number, indexConstant(b, delta));
    scanned = combineIfPresent(b, kernel, earlier, scanned);
  }
  return scanned;
}

State mlir::scan::reduceWarp(ImplicitLocOpBuilder &b, KernelOp kernel,
                             ValueRange state, int64_t count, int64_t stride) {
  State total(state);
  for (int64_t delta = 1; delta < count; delta *= 2)
    total = combine(b, kernel, shuffleXor(b, total, delta * stride), total);
  return total;
}
