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

/// More than any distance times two of flags that are read at once.
static constexpr int64_t kNone = 4 * kFlagsAtOnce;

namespace {
/// Finds head flags, for which all lanes of a warp look together.
class HeadSearch {
public:
  HeadSearch(KernelFrame &frame, Value lane)
      : frame(frame), kernel(frame.getKernel()),
        chunks(*SegmentChunks::get(kernel)), lane(lane) {}

  /// Of each of `borders` the nearest position that has a flag, or is the
  /// first one of all or the one behind the last.
  SmallVector<Value> createNearest(ImplicitLocOpBuilder &b,
                                   ArrayRef<Value> borders);

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
/// reads at once, the nearest one that is set: twice its distance less
/// `distance`, and one more if it is in front of the border; or kNone. An i32,
/// the same in all lanes.
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

SmallVector<Value> HeadSearch::createNearest(ImplicitLocOpBuilder &b,
                                             ArrayRef<Value> borders) {
  size_t count = borders.size();
  // How far away the next flags are; whether each border has its position, and
  // that.
  SmallVector<Value> inits = {indexConstant(b, 0)};
  inits.append(count, boolConstant(b, false));
  llvm::append_range(inits, borders);
  auto loop = scf::WhileOp::create(
      b, TypeRange(ValueRange(inits)), inits,
      [&](OpBuilder &builder, Location loc, ValueRange state) {
        ImplicitLocOpBuilder inner(loc, builder);
        Value areFound;
        for (Value isFound : state.slice(1, count))
          areFound = createAnd(inner, areFound, isFound);
        scf::ConditionOp::create(inner, createNot(inner, areFound), state);
      },
      [&](OpBuilder &builder, Location loc, ValueRange state) {
        ImplicitLocOpBuilder inner(loc, builder);
        Value distance = state.front();
        SmallVector<Value> found, positions;
        // Those of all borders are on their way together.
        for (auto [border, wasFound, position] : llvm::zip_equal(
                 borders, state.slice(1, count), state.drop_front(1 + count))) {
          Value key = createKey(inner, border, distance);
          Value isFound = compare(inner, arith::CmpIPredicate::ne, key,
                                  i32Constant(inner, kNone));
          found.push_back(arith::OrIOp::create(inner, wasFound, isFound));
          positions.push_back(arith::SelectOp::create(
              inner, wasFound, position,
              createPosition(inner, border, distance, key)));
        }
        SmallVector<Value> next = {addConstant(inner, distance, kFlagsAtOnce)};
        llvm::append_range(next, found);
        llvm::append_range(next, positions);
        scf::YieldOp::create(inner, next);
      });
  return llvm::to_vector_of<Value>(loop.getResults().drop_front(1 + count));
}

SegmentChunk SegmentChunk::create(ImplicitLocOpBuilder &b, KernelFrame &frame,
                                  Value lane, Value number) {
  Value share = b.createOrFold<arith::CeilDivUIOp>(
      frame.getExtent(), indexConstant(b, frame.getSchedule().getBlocks()));
  // The last shares may be empty.
  auto createBorder = [&](Value shares) {
    return b.createOrFold<arith::MinUIOp>(
        b.createOrFold<arith::MulIOp>(shares, share), frame.getExtent());
  };
  SmallVector<Value> nearest =
      HeadSearch(frame, lane)
          .createNearest(b, {createBorder(number),
                             createBorder(addConstant(b, number, 1))});
  // The first step starts from the init, whether it has a flag or not.
  Value isFirst = compare(b, arith::CmpIPredicate::eq, number, 0);
  return {arith::SelectOp::create(b, isFirst, indexConstant(b, 0), nearest[0]),
          nearest[1]};
}
