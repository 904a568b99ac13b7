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

/// How many blocks a thread adds up before it walks the first of them.
static constexpr int64_t kBlocksAhead = 2;

namespace {

/// The blocks between two meetings of all threads: `count` of them, from number
/// `begin` of all on. `extents` are those of the dimensions of `blocks`, and
/// the blocks of a row.
class Round {
public:
  Round(OpBuilder &builder, MutableArrayRef<KernelEmitter> kernels,
        ArrayRef<int64_t> lanes, ArrayRef<Value> isLarge, ThreadParts &parts,
        const RowBlocks &blocks, ArrayRef<Value> extents, Value begin,
        Value count);

  /// Emits the loop of each thread, and what is done behind it.
  void emit();

private:
  BlockPlace getPlace(Value number);
  Value exists(Value number);
  BlockLoops::Part emitPart(Value number, Value slot);
  void emitBlocks();
  /// `buffers` are those of all kernels.
  void emitWalks(BlockLoops::Part current, BlockLoops::Part next,
                 ArrayRef<Value> buffers);

  OpBuilder &builder;
  KernelEmitter &emitter; ///< The first one.
  Location loc;
  ThreadParts &parts;
  const RowBlocks &blocks;
  ArrayRef<Value> extents;
  Value begin, count;
  Turn turn;                        ///< The next block that a thread takes.
  SmallVector<BlockLoops, 2> loops; ///< Of each kernel.
  /// The leaves that are saved, and how many elements of each a block has.
  SmallVector<Type> savedTypes;
  int64_t savedElements = 0;
};

} // namespace

Round::Round(OpBuilder &builder, MutableArrayRef<KernelEmitter> kernels,
             ArrayRef<int64_t> lanes, ArrayRef<Value> isLarge,
             ThreadParts &parts, const RowBlocks &blocks,
             ArrayRef<Value> extents, Value begin, Value count)
    : builder(builder), emitter(kernels.front()), loc(emitter.getLoc()),
      parts(parts), blocks(blocks), extents(extents), begin(begin),
      count(count), turn(builder, loc) {
  for (auto [each, width, large] : llvm::zip_equal(kernels, lanes, isLarge)) {
    BlockLoops &loop = loops.emplace_back(builder, each, width, large, count);
    ArrayRef<Type> types = loop.getSavedTypes();
    llvm::append_range(savedTypes, types);
    if (!types.empty())
      savedElements =
          std::max(savedElements, loop.getSavedElements(blocks.staticSteps));
  }
}

BlockPlace Round::getPlace(Value number) {
  Value zero = emitter.index(0);
  BlockPlace place;
  place.number = number;
  place.row.indices.assign(emitter.getStaticSizes().size(), zero);
  SmallVector<Value> indices = parts.getIndices(
      extents, arith::AddIOp::create(builder, loc, begin, number));
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

Value Round::exists(Value number) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, number,
                               count);
}

BlockLoops::Part Round::emitPart(Value number, Value slot) {
  Value isOne = exists(number);
  number =
      arith::SelectOp::create(builder, loc, isOne, number, emitter.index(0));
  Value first =
      arith::MulIOp::create(builder, loc, slot, emitter.index(savedElements));
  return {number, isOne, {/*buffers=*/{}, first}};
}

void Round::emitWalks(BlockLoops::Part current, BlockLoops::Part next,
                      ArrayRef<Value> buffers) {
  for (BlockLoops &loop : loops) {
    size_t numLeaves = loop.getSavedTypes().size();
    for (BlockLoops::Part *part : {&current, &next})
      part->saved.buffers = llvm::to_vector(buffers.take_front(numLeaves));
    buffers = buffers.drop_front(numLeaves);
    loop.walk(current, next, [&](Value number) { return getPlace(number); });
  }
}

void Round::emitBlocks() {
  // Blocks are saved in slots, which are used in turns: that behind the newest
  // block's has the oldest.
  Value one = emitter.index(1), numSlots = emitter.index(kBlocksAhead + 1);
  SmallVector<Value> buffers = allocateScratch(
      builder, loc, savedTypes, (kBlocksAhead + 1) * savedElements);
  // Carries the blocks that are added up and still to be walked, the next one
  // to add up, and its slot.
  SmallVector<Value> inits(kBlocksAhead, count);
  inits.push_back(turn.take(builder));
  inits.push_back(emitter.index(0));
  scf::WhileOp::create(
      builder, loc, ValueRange(inits).getTypes(), inits,
      [&](OpBuilder &, Location, ValueRange values) {
        Value isOne = exists(values.front());
        for (Value number : values.drop_front().drop_back())
          isOne = arith::OrIOp::create(builder, loc, isOne, exists(number));
        scf::ConditionOp::create(builder, loc, isOne, values);
      },
      [&](OpBuilder &, Location, ValueRange values) {
        ValueRange numbers = values.drop_back();
        Value slot = values.back();
        Value following = arith::RemUIOp::create(
            builder, loc, arith::AddIOp::create(builder, loc, slot, one),
            numSlots);
        emitWalks(emitPart(numbers.front(), following),
                  emitPart(numbers.back(), slot), buffers);
        SmallVector<Value> after = llvm::to_vector(numbers.drop_front());
        after.push_back(turn.take(builder));
        after.push_back(following);
        scf::YieldOp::create(builder, loc, after);
      });
}

void Round::emit() {
  Value workers =
      arith::MinUIOp::create(builder, loc, count, emitter.index(kMaxParts));
  parts.emitParallel(workers, [&](Value) { emitBlocks(); });
  for (BlockLoops &loop : loops)
    loop.finish(count, [&](Value number) { return getPlace(number); });
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
  Round(builder, kernels, lanes, isLarge, parts, blocks, extents, begin,
        arith::MinUIOp::create(builder, loc, rest, most))
      .emit();
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
