//===- RowBlockLoops.cpp - Threads that share long rows -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop of each thread, as RowBlocks.h has it.
//
//===----------------------------------------------------------------------===//

#include "BlockLoops.h"
#include "RowBlocks.h"
#include "Scratch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::scan;

/// The block that `number` of all stands for; `extents` are those of the
/// dimensions of `blocks`, and the blocks of a row.
static BlockPlace getPlace(OpBuilder &builder, KernelEmitter &emitter,
                           ThreadParts &parts, const RowBlocks &blocks,
                           ArrayRef<Value> extents, Value number) {
  Location loc = emitter.getLoc();
  Value zero = emitter.index(0);
  BlockPlace place;
  place.row.indices.assign(emitter.getStaticSizes().size(), zero);
  SmallVector<Value> indices = parts.getIndices(extents, number);
  Value block = indices.pop_back_val();
  for (auto [d, i] : llvm::zip_equal(blocks.dims, indices))
    place.row.indices[d] = i;
  Value length = emitter.getSizes()[emitter.getKernel().getDim()];
  place.begin = arith::MulIOp::create(builder, loc, block, blocks.steps);
  place.end = arith::AddIOp::create(builder, loc, place.begin, blocks.steps);
  place.end = arith::MinUIOp::create(builder, loc, place.end, length);
  place.isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        block, zero);
  place.isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       place.end, length);
  return place;
}

/// Whether a tile of one block, and what the total of another takes, are in
/// registers at a time.
static bool fitsTwoTiles(KernelEmitter &emitter, int64_t lanes) {
  // Half of those that AVX-512 and AArch64 have.
  constexpr int64_t mostVectors = 16;
  return 2 * emitter.getKernel().getNumLeaves() *
             chooseRowVectors(emitter, lanes) <=
         mostVectors;
}

/// Emits the loop over the blocks of a round that threads take: `count` of
/// them, from number `begin` on.
static void emitRound(OpBuilder &builder,
                      MutableArrayRef<KernelEmitter> kernels,
                      ArrayRef<int64_t> lanes, ArrayRef<Value> isLarge,
                      ThreadParts &parts, const RowBlocks &blocks,
                      ArrayRef<Value> extents, Value begin, Value count) {
  KernelEmitter &emitter = kernels.front();
  Location loc = emitter.getLoc();
  SmallVector<BlockLoops, 2> loops;
  SmallVector<Type> types;
  int64_t elements = 0;
  for (auto [each, width, large] : llvm::zip_equal(kernels, lanes, isLarge)) {
    loops.emplace_back(builder, each, width, large);
    llvm::append_range(types, each.getKernel().getLeafTypes());
    elements =
        std::max(elements, loops.back().getSavedElements(blocks.staticSteps));
  }
  auto placeOf = [&](Value number) {
    Value ofAll = arith::AddIOp::create(builder, loc, begin, number);
    BlockPlace place =
        getPlace(builder, emitter, parts, blocks, extents, ofAll);
    place.number = number;
    return place;
  };
  Turn next(builder, loc);
  bool looksAhead =
      llvm::all_of(llvm::zip_equal(kernels, lanes), [](const auto &each) {
        auto &[emitter, width] = each;
        return !savesTiles(emitter.getKernel()) && fitsTwoTiles(emitter, width);
      });
  auto emitBlock = [&](Value number, ArrayRef<Value> saved) {
    for (auto [each, loop] : llvm::zip_equal(kernels, loops)) {
      size_t numLeaves =
          savesTiles(each.getKernel()) ? each.getKernel().getNumLeaves() : 0;
      loop.walk(number, placeOf, saved.take_front(numLeaves));
      saved = saved.drop_front(numLeaves);
    }
  };
  auto isBlock = [&](Value number) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                 number, count);
  };
  // Carries the block that is walked next, for each kernel whether its total is
  // usable, and the block whose total is computed meanwhile.
  auto emitAhead = [&] {
    Value none = arith::ConstantIntOp::create(builder, loc, 0, /*width=*/1);
    SmallVector<Value> inits = {count};
    inits.append(kernels.size(), none);
    inits.push_back(next.take(builder));
    scf::WhileOp::create(
        builder, loc, ValueRange(inits).getTypes(), inits,
        [&](OpBuilder &, Location, ValueRange values) {
          Value isOne = arith::OrIOp::create(
              builder, loc, isBlock(values.front()), isBlock(values.back()));
          scf::ConditionOp::create(builder, loc, isOne, values);
        },
        [&](OpBuilder &, Location, ValueRange values) {
          Value current = values.front(), number = values.back();
          Value isCurrent = isBlock(current), isNext = isBlock(number);
          SmallVector<Value> after = {number};
          for (auto [loop, isUsable] :
               llvm::zip_equal(loops, values.drop_front().drop_back()))
            after.push_back(loop.walkAhead(current, isCurrent, isUsable, number,
                                           isNext, placeOf));
          after.push_back(next.take(builder));
          scf::YieldOp::create(builder, loc, after);
        });
  };
  Value workers =
      arith::MinUIOp::create(builder, loc, count, emitter.index(kMaxParts));
  parts.emitParallel(workers, [&](Value) {
    if (looksAhead)
      return emitAhead();
    SmallVector<Value> saved = allocateScratch(builder, loc, types, elements);
    scf::WhileOp::create(
        builder, loc, builder.getIndexType(), /*inits=*/ValueRange(),
        [&](OpBuilder &, Location, ValueRange) {
          Value number = next.take(builder);
          scf::ConditionOp::create(builder, loc, isBlock(number), number);
        },
        [&](OpBuilder &, Location, ValueRange number) {
          emitBlock(number.front(), saved);
          scf::YieldOp::create(builder, loc);
        });
  });
  for (BlockLoops &loop : loops)
    loop.finish(count, placeOf);
}

/// Emits all blocks, one round after the other.
static void emitCut(OpBuilder &builder, MutableArrayRef<KernelEmitter> kernels,
                    ArrayRef<int64_t> lanes, ArrayRef<Value> isLarge,
                    ThreadParts &parts, const RowBlocks &blocks) {
  KernelEmitter &emitter = kernels.front();
  Location loc = emitter.getLoc();
  SmallVector<Value> extents;
  for (unsigned d : blocks.dims)
    extents.push_back(emitter.getSizes()[d]);
  extents.push_back(blocks.count);
  Value count = parts.countNumbers(extents), most = emitter.index(kRoundBlocks);
  auto rounds = scf::ForOp::create(builder, loc, emitter.index(0), count, most);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(rounds.getBody());
  Value begin = rounds.getInductionVar();
  Value rest = arith::SubIOp::create(builder, loc, count, begin);
  emitRound(builder, kernels, lanes, isLarge, parts, blocks, extents, begin,
            arith::MinUIOp::create(builder, loc, rest, most));
}

void mlir::scan::emitRowBlocks(OpBuilder &builder,
                               MutableArrayRef<KernelEmitter> kernels,
                               ArrayRef<int64_t> lanes, ArrayRef<Value> isLarge,
                               const ConvertScanToLoopsOptions &options,
                               function_ref<void()> emitWhole) {
  ThreadParts parts(builder, kernels, options);
  RowBlocks blocks(builder, kernels, lanes, parts, options);
  auto branch = scf::IfOp::create(builder, kernels.front().getLoc(),
                                  blocks.isCut, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitCut(builder, kernels, lanes, isLarge, parts, blocks);
  builder.setInsertionPointToStart(branch.elseBlock());
  emitWhole();
}
