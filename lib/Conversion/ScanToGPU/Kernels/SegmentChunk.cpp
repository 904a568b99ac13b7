//===- SegmentChunk.cpp - The steps of a block from flag to flag ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SegmentChunk.h"
#include "../../GPUCommon/Emit.h"
#include "IR/KernelParts.h"
#include "Plan/SegmentChunks.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::scan;

/// Flags in front of a border, and behind it, that a lane has on their way at a
/// time.
static constexpr int64_t kFlagsOfLane = 8;
static constexpr int64_t kFlagsAtOnce = kFlagsOfLane * kWarpSize;

/// Chunks are even if the longest one has at most so many times the steps of a
/// share, a quotient: longer by three quarters, it takes as long on an H200 as
/// all steps of narrower columns do (bf16, four blocks).
static constexpr int64_t kMostOfShare = 7, kMostOfShareDivisor = 4;

/// More than any distance times two of flags that are read at once.
static constexpr int64_t kNone = 4 * kFlagsAtOnce;

namespace {
/// Finds head flags, for which all lanes of a warp look together.
class HeadSearch {
public:
  HeadSearch(KernelFrame &frame, Value lane)
      : frame(frame), kernel(frame.getKernel()),
        chunks(*SegmentChunks::get(kernel)), lane(lane) {}

  /// The position nearest to `border` that has a flag, or is the first one of
  /// all or the one behind the last.
  Value createNearest(ImplicitLocOpBuilder &b, Value border);

private:
  Value createFlag(ImplicitLocOpBuilder &b, Value position);
  Value createKey(ImplicitLocOpBuilder &b, Value border, Value distance);

  KernelFrame &frame;
  KernelOp kernel;
  SegmentChunks chunks;
  Value lane;
};
} // namespace

/// The flag at `position`, an i1.
Value HeadSearch::createFlag(ImplicitLocOpBuilder &b, Value position) {
  SmallVector<ArrayRef<BlockArgument>> arguments =
      getInputArguments(kernel, kernel.getLoad());
  SmallVector<Value> point(kernel.getDomainRank());
  point[kernel.getDim()] = frame.createIndex(b, position);
  IRMapping computed;
  for (unsigned input : chunks.inputs)
    computed.map(arguments[input].front(),
                 loadElements(b, frame.getInputs()[input], point).front());
  for (Operation *op : chunks.operations)
    b.clone(*op, computed);
  return computed.lookup(chunks.flag);
}

/// Of the flags at least `distance` steps away from `border` that the warp
/// reads at once, the nearest one that is set: twice the steps that it is
/// farther away than `distance`, and one more if it is in front of the border;
/// or kNone. An i32, the same in all lanes.
Value HeadSearch::createKey(ImplicitLocOpBuilder &b, Value border,
                            Value distance) {
  Type i32 = b.getI32Type();
  Value zero = indexConstant(b, 0);
  Value nearest = i32Constant(b, kNone);
  Value twice = arith::IndexCastOp::create(b, i32, mulConstant(b, lane, 2));
  auto add = [&](Value flag, int64_t key) {
    Value own = arith::AddIOp::create(b, twice, i32Constant(b, key));
    nearest = arith::MinUIOp::create(
        b, nearest,
        arith::SelectOp::create(b, flag, own, i32Constant(b, kNone)));
  };
  Value offset = arith::AddIOp::create(b, distance, lane);
  Value behind = arith::AddIOp::create(b, border, offset);
  Value before = addConstant(b, arith::SubIOp::create(b, border, offset), -1);
  for (int64_t i = 0; i < kFlagsOfLane; ++i) {
    Value at = addConstant(b, behind, i * kWarpSize);
    Value isEnd = compare(b, arith::CmpIPredicate::uge, at, frame.getExtent());
    add(arith::OrIOp::create(b, isEnd,
                             createFlag(b, frame.clampPosition(b, at))),
        2 * i * kWarpSize);
    at =
        arith::MaxSIOp::create(b, addConstant(b, before, -i * kWarpSize), zero);
    isEnd = compare(b, arith::CmpIPredicate::eq, at, 0);
    // It is one more step away.
    add(arith::OrIOp::create(b, isEnd, createFlag(b, at)),
        2 * (i * kWarpSize + 1) + 1);
  }
  for (int64_t mask = kWarpSize / 2; mask > 0; mask /= 2) {
    Value other =
        gpu::ShuffleOp::create(b, nearest, i32Constant(b, mask),
                               i32Constant(b, kWarpSize), gpu::ShuffleMode::XOR)
            .getShuffleResult();
    nearest = arith::MinUIOp::create(b, nearest, other);
  }
  return nearest;
}

/// The position that `key` says, an index.
static Value createPosition(ImplicitLocOpBuilder &b, Value border,
                            Value distance, Value key) {
  key = arith::IndexCastOp::create(b, b.getIndexType(), key);
  Value two = indexConstant(b, 2);
  distance =
      arith::AddIOp::create(b, distance, arith::DivUIOp::create(b, key, two));
  Value isBehind = compare(b, arith::CmpIPredicate::eq,
                           arith::RemUIOp::create(b, key, two), 0);
  return arith::SelectOp::create(b, isBehind,
                                 arith::AddIOp::create(b, border, distance),
                                 arith::SubIOp::create(b, border, distance));
}

Value HeadSearch::createNearest(ImplicitLocOpBuilder &b, Value border) {
  // How far away the next flags are, and what was found of the last ones.
  SmallVector<Value> inits = {indexConstant(b, -kFlagsAtOnce),
                              i32Constant(b, kNone)};
  auto loop = scf::WhileOp::create(
      b, TypeRange(ValueRange(inits)), inits,
      [&](OpBuilder &builder, Location loc, ValueRange state) {
        ImplicitLocOpBuilder inner(loc, builder);
        Value isMissing = compare(inner, arith::CmpIPredicate::eq, state[1],
                                  i32Constant(inner, kNone));
        scf::ConditionOp::create(inner, isMissing, state);
      },
      [&](OpBuilder &builder, Location loc, ValueRange state) {
        ImplicitLocOpBuilder inner(loc, builder);
        Value distance = addConstant(inner, state[0], kFlagsAtOnce);
        scf::YieldOp::create(
            inner, ValueRange{distance, createKey(inner, border, distance)});
      });
  return createPosition(b, border, loop.getResult(0), loop.getResult(1));
}

SegmentChunkFinder::SegmentChunkFinder(KernelFrame &frame, const ThreadIds &ids)
    : frame(frame), ids(ids), chunks(frame.getSchedule().getBlocks()),
      borders(frame.addSharedBuffer(
          chunks + 1, IntegerType::get(frame.getKernel().getContext(), 64))) {}

/// Each warp of the block finds some of the borders.
void SegmentChunkFinder::createBorders(ImplicitLocOpBuilder &b) const {
  Type i64 = b.getI64Type();
  HeadSearch search(frame, ids.lane);
  Value share = b.createOrFold<arith::CeilDivUIOp>(frame.getExtent(),
                                                   indexConstant(b, chunks));
  // Also those at both ends, which are where they are.
  createFor(
      b, ids.warp, indexConstant(b, chunks + 1),
      indexConstant(b, ids.threads / kWarpSize), {},
      [&](ImplicitLocOpBuilder &inner, Value number, ValueRange) {
        // The last shares may be empty.
        Value border = arith::MinUIOp::create(
            inner, arith::MulIOp::create(inner, number, share),
            frame.getExtent());
        // The first step starts from the init, with a flag or without.
        Value isFirst = compare(inner, arith::CmpIPredicate::eq, number, 0);
        Value nearest =
            arith::SelectOp::create(inner, isFirst, indexConstant(inner, 0),
                                    search.createNearest(inner, border));
        createIf(inner, compare(inner, arith::CmpIPredicate::eq, ids.lane, 0),
                 [&](ImplicitLocOpBuilder &lane) {
                   storeShared(lane,
                               arith::IndexCastOp::create(lane, i64, nearest),
                               borders, number);
                 });
        return SmallVector<Value>();
      });
  gpu::BarrierOp::create(b);
}

SegmentChunk SegmentChunkFinder::create(ImplicitLocOpBuilder &b,
                                        Value number) const {
  auto load = [&](ImplicitLocOpBuilder &inner, Value border) -> Value {
    return arith::IndexCastOp::create(
        inner, inner.getIndexType(),
        loadShared(inner, inner.getI64Type(), borders, border));
  };
  auto find = [&](ImplicitLocOpBuilder &inner) {
    createBorders(inner);
    Value zero = indexConstant(inner, 0), one = indexConstant(inner, 1);
    Value longest =
        createFor(
            inner, zero, indexConstant(inner, chunks), one, {zero},
            [&](ImplicitLocOpBuilder &body, Value chunk, ValueRange carried) {
              Value steps = arith::SubIOp::create(
                  body, load(body, arith::AddIOp::create(body, chunk, one)),
                  load(body, chunk));
              return SmallVector<Value>{
                  arith::MaxUIOp::create(body, carried.front(), steps)};
            })
            .front();
    Value areEven =
        compare(inner, arith::CmpIPredicate::ule,
                mulConstant(inner, longest, kMostOfShareDivisor * chunks),
                mulConstant(inner, frame.getExtent(), kMostOfShare));
    return SmallVector<Value>{
        load(inner, number),
        load(inner, arith::AddIOp::create(inner, number, one)), areEven};
  };
  SmallVector<Value> found = createIfElse(
      b, compare(b, arith::CmpIPredicate::ne, frame.getExtent(), 0), find,
      [&](ImplicitLocOpBuilder &none) {
        Value zero = indexConstant(none, 0);
        return SmallVector<Value>{zero, zero, boolConstant(none, true)};
      });
  return {found[0], found[1], found[2]};
}
