//===- SegmentMasks.cpp - Head flags of the steps of a tile ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SegmentMasks.h"
#include "../../GPUCommon/Emit.h"
#include "../Primitives/WarpScan.h"
#include "IR/OffsetsCheck.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::scan;

/// Between so many offsets the search ends: they are read in one go, with what
/// the tile has of others.
static constexpr int64_t kOffsetsAtOnce = 4, kFewOffsets = 2 * kWarpSize;

SegmentMasks::SegmentMasks(KernelFrame &frame, const ThreadIds &ids)
    : frame(frame), ids(ids), items(frame.getSchedule().getItems()) {
  unsigned position = 0;
  Type word = IntegerType::get(frame.getKernel().getContext(), kMaskWordBits);
  for (const OperandView &view : frame.getInputs()) {
    if (view.isSegmentOffsets)
      offsetInputs.push_back(
          {view, position,
           frame.addSharedBuffer(
               frame.getPlan().maskStages * frame.getPlan().maskWords, word)});
    position += view.numElements;
  }
}

Value SegmentMasks::getWord(ImplicitLocOpBuilder &b, Value slot, Value number) {
  return b.createOrFold<arith::AddIOp>(
      mulConstant(b, slot, frame.getPlan().maskWords), number);
}

/// Checks number `first`, and every `stride`th from there on.
void SegmentMasks::check(ImplicitLocOpBuilder &b, Value first, Value stride) {
  for (const SegmentOffsets &input : offsetInputs) {
    if (!input.view.status)
      continue;
    auto load = [&](OpBuilder &builder, Value number) {
      ImplicitLocOpBuilder inner(b.getLoc(), builder);
      return loadOffset(inner, input, number);
    };
    createOffsetsCheck(b, b.getLoc(),
                       {load, input.view.count, frame.getExtent(), first,
                        stride, input.view.status});
  }
}

void SegmentMasks::checkShare(ImplicitLocOpBuilder &b, Value part, Value parts,
                              Value condition) {
  if (!isChecked())
    return;
  int64_t checking = ids.threads;
  if (checking > kWarpSize) {
    checking -= kWarpSize;
    condition =
        createAnd(b, condition,
                  compare(b, arith::CmpIPredicate::ult, ids.thread, checking));
  }
  createIf(b, condition, [&](ImplicitLocOpBuilder &inner) {
    check(inner,
          arith::AddIOp::create(inner, mulConstant(inner, part, checking),
                                ids.thread),
          mulConstant(inner, parts, checking));
  });
}

void SegmentMasks::checkAll(ImplicitLocOpBuilder &b, Value condition) {
  if (!isChecked())
    return;
  createIf(b, condition, [&](ImplicitLocOpBuilder &inner) {
    Value blocks = arith::MulIOp::create(
        inner, gpu::GridDimOp::create(inner, gpu::Dimension::x),
        gpu::GridDimOp::create(inner, gpu::Dimension::y));
    check(inner, createThreadNumber(inner, ids.threads),
          mulConstant(inner, blocks, ids.threads));
  });
}

Value SegmentMasks::createHasNoTiles(ImplicitLocOpBuilder &b) {
  Value steps = compare(b, arith::CmpIPredicate::eq, frame.getExtent(), 0);
  Value scans =
      compare(b, arith::CmpIPredicate::eq, frame.createScanCount(b), 0);
  return b.createOrFold<arith::OrIOp>(steps, scans);
}

/// Sets bits of an i32 in shared memory, atomically.
static void orShared(ImplicitLocOpBuilder &b, Value bits, Value buffer,
                     Value number) {
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
  address = b.createOrFold<arith::AddIOp>(
      address, mulConstant(b, number, kMaskWordBits / 8));
  auto shared = LLVM::LLVMPointerType::get(b.getContext(), /*addressSpace=*/3);
  address = arith::IndexCastOp::create(b, b.getI64Type(), address);
  Value pointer = LLVM::IntToPtrOp::create(b, shared, address);
  LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::_or, pointer, bits,
                            LLVM::AtomicOrdering::monotonic,
                            /*syncscope=*/"block", kMaskWordBits / 8);
}

void SegmentMasks::clearBy(ImplicitLocOpBuilder &b, Value slot, Value thread,
                           int64_t count) {
  int64_t words = frame.getPlan().maskWords;
  Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  for (int64_t first = 0; first < words; first += count) {
    Value number = addConstant(b, thread, first);
    auto store = [&](ImplicitLocOpBuilder &inner) {
      for (const SegmentOffsets &input : offsetInputs)
        storeShared(inner, zero, input.mask, getWord(inner, slot, number));
    };
    if (first + count <= words)
      store(b);
    else
      createIf(b, compare(b, arith::CmpIPredicate::ult, number, words), store);
  }
}

void SegmentMasks::clear(ImplicitLocOpBuilder &b, Value slot) {
  if (any())
    clearBy(b, slot, ids.thread, ids.threads);
}

void SegmentMasks::clearInWarp(ImplicitLocOpBuilder &b, Value slot) {
  clearBy(b, slot, ids.lane, kWarpSize);
  syncWarp(b);
}

static Value castToIndex(ImplicitLocOpBuilder &b, Value offset) {
  return b.createOrFold<arith::IndexCastOp>(b.getIndexType(), offset);
}

/// Offset number `number`, an index.
Value SegmentMasks::loadOffset(ImplicitLocOpBuilder &b,
                               const SegmentOffsets &input, Value number) {
  Value offset = memref::LoadOp::create(b, input.view.value, number);
  return offset.getType().isIndex() ? offset : castToIndex(b, offset);
}

/// An index, as lane `lane` has it.
Value SegmentMasks::shuffle(ImplicitLocOpBuilder &b, Value value, Value lane) {
  Value word = arith::IndexCastOp::create(b, b.getI64Type(), value);
  word = shuffleFrom(b, word, lane).front();
  return arith::IndexCastOp::create(b, b.getIndexType(), word);
}

/// The sum over the lanes of the warp of those in which `condition` holds.
static Value countLanes(ImplicitLocOpBuilder &b, Value condition) {
  Value count = arith::ExtUIOp::create(b, b.getI32Type(), condition);
  for (int64_t mask = 1; mask < kWarpSize; mask *= 2)
    count = arith::AddIOp::create(b, count, shuffleXor(b, count, mask).front());
  return arith::IndexCastOp::create(b, b.getIndexType(), count);
}

/// Each lane looks at an offset between two known ones, of which the first is
/// below `first` and the other is not: alternately around the place where
/// `first` would be if they lay at equal distances, as far as it would be off
/// if they lay at random, and at equal distances. At random, one iteration
/// suffices for a hundred thousand offsets; in the worst case every second one
/// leaves a 33rd.
SegmentMasks::Range SegmentMasks::search(ImplicitLocOpBuilder &b,
                                         const SegmentOffsets &input,
                                         Value first) {
  Type index = b.getIndexType(), f32 = b.getF32Type(), i64 = b.getI64Type();
  auto toFloat = [&](ImplicitLocOpBuilder &inner, Value value) -> Value {
    return arith::SIToFPOp::create(
        inner, f32, arith::IndexCastOp::create(inner, i64, value));
  };
  Value guesses =
      arith::ConstantOp::create(b, b.getIntegerAttr(b.getI1Type(), 1));
  // The numbers of the two offsets, and both: those in front of all and behind
  // all are imagined.
  SmallVector<Value> inits = {indexConstant(b, -1), input.view.count,
                              indexConstant(b, 0), frame.getExtent(), guesses};
  auto loop = scf::WhileOp::create(
      b, TypeRange(ValueRange(inits)), inits,
      [&](OpBuilder &builder, Location loc, ValueRange range) {
        ImplicitLocOpBuilder inner(loc, builder);
        Value size = arith::SubIOp::create(inner, range[1], range[0]);
        scf::ConditionOp::create(
            inner, compare(inner, arith::CmpIPredicate::sgt, size, kFewOffsets),
            range);
      },
      [&](OpBuilder &builder, Location loc, ValueRange range) {
        ImplicitLocOpBuilder inner(loc, builder);
        Value low = range[0], high = range[1];
        Value lowOffset = range[2], highOffset = range[3], guesses = range[4];
        Value size = arith::SubIOp::create(inner, high, low);
        Value one = indexConstant(inner, 1);

        Value width = arith::MaxSIOp::create(
            inner, arith::SubIOp::create(inner, highOffset, lowOffset), one);
        Value part = arith::MaxSIOp::create(
            inner, arith::SubIOp::create(inner, first, lowOffset),
            indexConstant(inner, 0));
        part = arith::MinSIOp::create(inner, part, width);
        Value guess = arith::MulFOp::create(
            inner,
            arith::DivFOp::create(inner, toFloat(inner, part),
                                  toFloat(inner, width),
                                  arith::FastMathFlags::afn),
            toFloat(inner, size));
        guess = arith::IndexCastOp::create(
            inner, index, arith::FPToSIOp::create(inner, i64, guess));
        // All lanes together look at about three times the square root of the
        // size.
        Value zeros = LLVM::CountLeadingZerosOp::create(
            inner, i64, arith::IndexCastOp::create(inner, i64, size),
            /*is_zero_poison=*/false);
        Value bits = arith::SubIOp::create(
            inner, indexConstant(inner, 64),
            arith::IndexCastOp::create(inner, index, zeros));
        Value near = arith::ShRUIOp::create(
            inner,
            arith::ShLIOp::create(
                inner, one,
                arith::ShRUIOp::create(inner, addConstant(inner, bits, -1),
                                       one)),
            indexConstant(inner, 3));
        Value even = arith::DivUIOp::create(
            inner, size, indexConstant(inner, kWarpSize + 1));
        Value distance = arith::SelectOp::create(
            inner, guesses, arith::MaxSIOp::create(inner, near, one), even);
        Value begin = arith::SelectOp::create(
            inner, guesses,
            arith::SubIOp::create(inner, guess,
                                  mulConstant(inner, distance, kWarpSize / 2)),
            distance);
        auto getNumber = [&](Value lane) -> Value {
          Value number = arith::AddIOp::create(
              inner, begin, arith::MulIOp::create(inner, distance, lane));
          number = arith::MaxSIOp::create(inner, number, one);
          number = arith::MinSIOp::create(inner, number,
                                          addConstant(inner, size, -1));
          return arith::AddIOp::create(inner, low, number);
        };
        Value found = loadOffset(inner, input, getNumber(ids.lane));
        Value below = countLanes(
            inner, compare(inner, arith::CmpIPredicate::slt, found, first));
        // The last lane below, and the one after it.
        Value last = arith::MaxSIOp::create(
            inner, addConstant(inner, below, -1), indexConstant(inner, 0));
        Value next = arith::MinSIOp::create(
            inner, below, indexConstant(inner, kWarpSize - 1));
        Value isAny = compare(inner, arith::CmpIPredicate::ne, below, 0);
        Value isAll =
            compare(inner, arith::CmpIPredicate::eq, below, kWarpSize);
        auto choose = [&](Value condition, Value yes, Value no) -> Value {
          return arith::SelectOp::create(inner, condition, yes, no);
        };
        scf::YieldOp::create(
            inner,
            ValueRange{choose(isAny, getNumber(last), low),
                       choose(isAll, high, getNumber(next)),
                       choose(isAny, shuffle(inner, found, last), lowOffset),
                       choose(isAll, highOffset, shuffle(inner, found, next)),
                       createNot(inner, guesses)});
      });
  return {addConstant(b, loop.getResult(0), 1), loop.getResult(1)};
}

/// Loads the offsets of `range`, as they are in memory, or as many of them as
/// come in one go, several in each lane: each has to be waited for. Zeros for
/// others.
Elements SegmentMasks::loadSome(ImplicitLocOpBuilder &b,
                                const SegmentOffsets &input,
                                const Range &range) {
  Elements offsets;
  for (int64_t i = 0; i < kOffsetsAtOnce; ++i) {
    Value mine = createNumber(b, range, i);
    offsets.push_back(
        createIfOrZeros(b,
                        compare(b, arith::CmpIPredicate::slt, mine, range.to),
                        [&](ImplicitLocOpBuilder &some) {
                          return Elements{memref::LoadOp::create(
                              some, input.view.value, mine)};
                        })
            .front());
  }
  return offsets;
}

/// The number of the offset that is number `i` of those that a lane loads.
Value SegmentMasks::createNumber(ImplicitLocOpBuilder &b, const Range &range,
                                 int64_t i) {
  return b.createOrFold<arith::AddIOp>(
      addConstant(b, range.from, i * kWarpSize), ids.lane);
}

/// Sets the bits of `offsets`, which loadSome has loaded of `range`, that
/// belong to the tile whose first offset may be `first`. Returns where to go
/// on, and whether there may be more.
SmallVector<Value> SegmentMasks::markSome(ImplicitLocOpBuilder &b,
                                          const SegmentOffsets &input,
                                          Value first, Value slot,
                                          const Range &range,
                                          ValueRange offsets) {
  int64_t steps = ids.rowThreads * items;
  Value end = addConstant(b, first, steps);
  bool isReverse = frame.getKernel().getReverse();
  Value areBefore;
  for (auto [i, loaded] : llvm::enumerate(offsets)) {
    Value isInBounds = compare(b, arith::CmpIPredicate::slt,
                               createNumber(b, range, i), range.to);
    Value offset = loaded.getType().isIndex() ? loaded : castToIndex(b, loaded);
    Value isBefore = b.createOrFold<arith::OrIOp>(
        createNot(b, isInBounds),
        compare(b, arith::CmpIPredicate::slt, offset, end));
    areBefore = areBefore ? b.createOrFold<arith::AndIOp>(areBefore, isBefore)
                          : isBefore;
    // In reverse the head of a segment is the step before an offset.
    Value bit = isReverse
                    ? arith::SubIOp::create(b, addConstant(b, end, -1), offset)
                    : arith::SubIOp::create(b, offset, first);
    Value isInTile = arith::AndIOp::create(
        b, isInBounds, compare(b, arith::CmpIPredicate::ult, bit, steps));
    createIf(b, isInTile, [&](ImplicitLocOpBuilder &some) {
      Value number =
          getWord(some, slot,
                  arith::DivUIOp::create(some, bit,
                                         indexConstant(some, kMaskWordBits)));
      Value rest =
          arith::RemUIOp::create(some, bit, indexConstant(some, kMaskWordBits));
      Value word = arith::ShLIOp::create(
          some, arith::ConstantOp::create(some, some.getI32IntegerAttr(1)),
          arith::IndexCastOp::create(some, some.getI32Type(), rest));
      orShared(some, word, input.mask, number);
    });
  }
  Value next = b.createOrFold<arith::MinSIOp>(
      range.to, addConstant(b, range.from, kOffsetsAtOnce * kWarpSize));
  return {next, b.createOrFold<arith::AndIOp>(
                    voteAll(b, areBefore), compare(b, arith::CmpIPredicate::slt,
                                                   next, input.view.count))};
}

/// The offset that is the first one a tile at position `base` may have. In
/// reverse position p is step extent - 1 - p, which is the head of a segment
/// where the offset one more is.
Value SegmentMasks::createFirst(ImplicitLocOpBuilder &b, Value base) {
  if (!frame.getKernel().getReverse())
    return base;
  return b.createOrFold<arith::SubIOp>(
      addConstant(b, frame.getExtent(), 1 - ids.rowThreads * items), base);
}

Value SegmentMasks::createIsMarking(ImplicitLocOpBuilder &b) {
  return compare(b, arith::CmpIPredicate::eq, ids.warp,
                 ids.threads / kWarpSize - 1);
}

/// How many offsets are read behind those between which a tile begins: as many
/// as it has of segments of so many steps. If there are more, they have to be
/// waited for.
int64_t SegmentMasks::getUsual() const {
  constexpr int64_t steps = 256;
  return std::clamp<int64_t>(ids.rowThreads * items / steps, kWarpSize / 4,
                             2 * kWarpSize);
}

Elements SegmentMasks::beginMarkInWarp(ImplicitLocOpBuilder &b, Value base) {
  Value first = createFirst(b, base);
  Elements values;
  for (const SegmentOffsets &input : offsetInputs) {
    Range range = search(b, input, first);
    range.to = b.createOrFold<arith::MinSIOp>(
        addConstant(b, range.to, getUsual()), input.view.count);
    values.append({range.from, range.to});
    llvm::append_range(values, loadSome(b, input, range));
  }
  return values;
}

void SegmentMasks::finishMarkInWarp(ImplicitLocOpBuilder &b, Value base,
                                    Value slot, ValueRange begun) {
  Value first = createFirst(b, base);
  for (const SegmentOffsets &input : offsetInputs) {
    Range range = {begun[0], begun[1]};
    ValueRange offsets = begun.slice(2, kOffsetsAtOnce);
    begun = begun.drop_front(2 + kOffsetsAtOnce);
    SmallVector<Value> inits = markSome(b, input, first, slot, range, offsets);
    scf::WhileOp::create(
        b, TypeRange(ValueRange(inits)), inits,
        [&](OpBuilder &builder, Location loc, ValueRange state) {
          ImplicitLocOpBuilder body(loc, builder);
          scf::ConditionOp::create(body, state.back(), state);
        },
        [&](OpBuilder &builder, Location loc, ValueRange state) {
          ImplicitLocOpBuilder body(loc, builder);
          Range rest = {state.front(), input.view.count};
          scf::YieldOp::create(body, markSome(body, input, first, slot, rest,
                                              loadSome(body, input, rest)));
        });
  }
}

Elements SegmentMasks::beginMark(ImplicitLocOpBuilder &b, Value base) {
  if (!any())
    return {};
  return createIfOrZeros(b, createIsMarking(b),
                         [&](ImplicitLocOpBuilder &inner) {
                           return beginMarkInWarp(inner, base);
                         });
}

void SegmentMasks::finishMark(ImplicitLocOpBuilder &b, Value base, Value slot,
                              ValueRange begun) {
  if (!any())
    return;
  createIf(b, createIsMarking(b), [&](ImplicitLocOpBuilder &inner) {
    finishMarkInWarp(inner, base, slot, begun);
  });
}

void SegmentMasks::mark(ImplicitLocOpBuilder &b, Value base, Value slot) {
  finishMark(b, base, slot, beginMark(b, base));
}

void SegmentMasks::addHeadFlags(ImplicitLocOpBuilder &b, Value slot,
                                MutableArrayRef<Elements> elements) {
  if (!any())
    return;
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  Value firstBit = mulConstant(b, ids.rowThread, items);
  Value wordBits = indexConstant(b, kMaskWordBits);
  Value firstWord =
      getWord(b, slot, b.createOrFold<arith::DivUIOp>(firstBit, wordBits));
  Value shift = arith::IndexCastOp::create(
      b, i64, b.createOrFold<arith::RemUIOp>(firstBit, wordBits));
  // Where no thread's items lie in two words.
  bool isEven = kMaskWordBits % items == 0 || items % kMaskWordBits == 0;
  Value one = arith::ConstantOp::create(b, b.getI32IntegerAttr(1));
  for (const SegmentOffsets &input : offsetInputs) {
    auto load = [&](int64_t number) -> Value {
      Value word =
          loadShared(b, i32, input.mask, addConstant(b, firstWord, number));
      return arith::ExtUIOp::create(b, i64, word);
    };
    Value word = load(0);
    for (int64_t first = 0; first < items; first += kMaskWordBits) {
      Value next;
      Value pair = word;
      if (!isEven || first + kMaskWordBits < items)
        next = load(first / kMaskWordBits + 1);
      if (!isEven)
        pair = arith::OrIOp::create(
            b, word,
            arith::ShLIOp::create(b, next,
                                  arith::ConstantOp::create(
                                      b, b.getI64IntegerAttr(kMaskWordBits))));
      Value bits = arith::TruncIOp::create(
          b, i32, arith::ShRUIOp::create(b, pair, shift));
      for (int64_t i = 0; i < kMaskWordBits && first + i < items; ++i) {
        Value bit = arith::ShRUIOp::create(
            b, bits, arith::ConstantOp::create(b, b.getI32IntegerAttr(i)));
        Value isHead = arith::TruncIOp::create(
            b, b.getI1Type(), arith::AndIOp::create(b, bit, one));
        Elements &item = elements[first + i];
        item.insert(item.begin() + input.position, isHead);
      }
      word = next;
    }
  }
}
