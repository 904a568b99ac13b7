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

void SegmentMasks::clear(ImplicitLocOpBuilder &b, Value slot) {
  if (!any())
    return;
  int64_t words = frame.getPlan().maskWords;
  Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  for (int64_t first = 0; first < words; first += ids.threads) {
    Value number = addConstant(b, ids.thread, first);
    auto store = [&](ImplicitLocOpBuilder &inner) {
      for (const SegmentOffsets &input : offsetInputs)
        storeShared(inner, zero, input.mask, getWord(inner, slot, number));
    };
    if (first + ids.threads <= words)
      store(b);
    else
      createIf(b, compare(b, arith::CmpIPredicate::ult, number, words), store);
  }
}

/// Offset number `number`, an index.
Value SegmentMasks::loadOffset(ImplicitLocOpBuilder &b,
                               const SegmentOffsets &input, Value number) {
  Value offset = memref::LoadOp::create(b, input.view.value, number);
  return offset.getType().isIndex()
             ? offset
             : arith::IndexCastOp::create(b, b.getIndexType(), offset)
                   .getResult();
}

/// An index, as lane `lane` has it.
Value SegmentMasks::shuffle(ImplicitLocOpBuilder &b, Value value,
                            int64_t lane) {
  Value word = arith::IndexCastOp::create(b, b.getI64Type(), value);
  word = broadcastLane(b, word, lane).front();
  return arith::IndexCastOp::create(b, b.getIndexType(), word);
}

/// Of where `first` would be if the offsets between two known ones lay at equal
/// distances, lane 0 looks a little before, and lane 1 a little behind: as far
/// as it would be off if they lay at random. Lane 2 looks into the middle, so
/// that no search takes more iterations than bisection does.
SegmentMasks::Range SegmentMasks::search(ImplicitLocOpBuilder &b,
                                         const SegmentOffsets &input,
                                         Value first) {
  // So many offsets are read one by one.
  constexpr int64_t few = 8;
  constexpr int64_t probes = 3;
  Type index = b.getIndexType(), f32 = b.getF32Type(), i64 = b.getI64Type();
  auto toFloat = [&](ImplicitLocOpBuilder &inner, Value value) -> Value {
    return arith::SIToFPOp::create(
        inner, f32, arith::IndexCastOp::create(inner, i64, value));
  };
  // The numbers of an offset below `first` and of one that is not, and both:
  // those in front of all and behind all are imagined.
  SmallVector<Value> inits = {indexConstant(b, -1), input.view.count,
                              indexConstant(b, 0), frame.getExtent()};
  auto loop = scf::WhileOp::create(
      b, TypeRange{index, index, index, index}, inits,
      [&](OpBuilder &builder, Location loc, ValueRange range) {
        ImplicitLocOpBuilder inner(loc, builder);
        Value size = arith::SubIOp::create(inner, range[1], range[0]);
        scf::ConditionOp::create(
            inner, compare(inner, arith::CmpIPredicate::sgt, size, few), range);
      },
      [&](OpBuilder &builder, Location loc, ValueRange range) {
        ImplicitLocOpBuilder inner(loc, builder);
        Value low = range[0], high = range[1];
        Value lowOffset = range[2], highOffset = range[3];
        Value size = arith::SubIOp::create(inner, high, low);
        Value one = indexConstant(inner, 1);
        Value most = arith::SubIOp::create(inner, size, one);

        Value width = arith::MaxSIOp::create(
            inner, arith::SubIOp::create(inner, highOffset, lowOffset), one);
        Value part = arith::MaxSIOp::create(
            inner, arith::SubIOp::create(inner, first, lowOffset),
            indexConstant(inner, 0));
        part = arith::MinSIOp::create(inner, part, width);
        Value guess = arith::MulFOp::create(
            inner,
            arith::DivFOp::create(inner, toFloat(inner, part),
                                  toFloat(inner, width)),
            toFloat(inner, size));
        guess = arith::IndexCastOp::create(
            inner, index, arith::FPToSIOp::create(inner, i64, guess));
        // About the square root of the size, rounded down.
        Value zeros = LLVM::CountLeadingZerosOp::create(
            inner, i64, arith::IndexCastOp::create(inner, i64, size),
            /*is_zero_poison=*/false);
        Value bits = arith::SubIOp::create(
            inner, indexConstant(inner, 64),
            arith::IndexCastOp::create(inner, index, zeros));
        Value distance = arith::ShLIOp::create(
            inner, one,
            arith::ShRUIOp::create(inner, addConstant(inner, bits, -1), one));
        auto clamp = [&](Value number) -> Value {
          number = arith::MaxSIOp::create(inner, number, one);
          return arith::MinSIOp::create(inner, number, most);
        };
        Value numbers[probes] = {
            clamp(arith::SubIOp::create(inner, guess, distance)),
            clamp(arith::AddIOp::create(inner, guess, distance)),
            arith::ShRUIOp::create(inner, size, one)};
        Value mine = numbers[probes - 1];
        for (int64_t lane = 0; lane + 1 < probes; ++lane)
          mine = arith::SelectOp::create(
              inner, compare(inner, arith::CmpIPredicate::eq, ids.lane, lane),
              numbers[lane], mine);
        Value found =
            createIfElse(
                inner,
                compare(inner, arith::CmpIPredicate::ult, ids.lane, probes),
                [&](ImplicitLocOpBuilder &lane) {
                  Value number = arith::AddIOp::create(lane, low, mine);
                  return SmallVector<Value>{loadOffset(lane, input, number)};
                },
                [&](ImplicitLocOpBuilder &lane) {
                  return SmallVector<Value>{indexConstant(lane, 0)};
                })
                .front();
        for (int64_t lane = 0; lane < probes; ++lane) {
          Value number = arith::AddIOp::create(inner, range[0], numbers[lane]);
          Value offset = shuffle(inner, found, lane);
          Value isBelow =
              compare(inner, arith::CmpIPredicate::slt, offset, first);
          auto choose = [&](bool below, Value candidate, Value known,
                            arith::CmpIPredicate isCloser, Value candidateKey,
                            Value knownKey) -> Value {
            Value closer = compare(inner, isCloser, candidateKey, knownKey);
            Value side = below ? isBelow : createNot(inner, isBelow);
            return arith::SelectOp::create(
                inner, arith::AndIOp::create(inner, side, closer), candidate,
                known);
          };
          Value newLow =
              choose(true, number, low, arith::CmpIPredicate::sgt, number, low);
          lowOffset = choose(true, offset, lowOffset, arith::CmpIPredicate::sgt,
                             number, low);
          Value newHigh = choose(false, number, high, arith::CmpIPredicate::slt,
                                 number, high);
          highOffset = choose(false, offset, highOffset,
                              arith::CmpIPredicate::slt, number, high);
          low = newLow;
          high = newHigh;
        }
        scf::YieldOp::create(inner,
                             ValueRange{low, high, lowOffset, highOffset});
      });
  return {loop.getResult(0), loop.getResult(1), loop.getResult(3)};
}

/// Sets the bits of the offsets from `first` on that belong to the tile.
void SegmentMasks::markOffsets(ImplicitLocOpBuilder &b,
                               const SegmentOffsets &input, Value first,
                               Value slot) {
  int64_t steps = ids.rowThreads * items;
  Value end = addConstant(b, first, steps);
  bool isReverse = frame.getKernel().getReverse();
  // Offsets number `number` and, `count` times, every 32nd behind it, as far as
  // they come before number `limit`: in one go, as each has to be waited for.
  // Returns the last one.
  auto markSome = [&](ImplicitLocOpBuilder &inner, Value number, int64_t count,
                      Value limit) {
    SmallVector<Value> offsets;
    for (int64_t i = 0; i < count; ++i) {
      Value mine = addConstant(inner, number, i * kWarpSize);
      offsets.push_back(
          createIfElse(
              inner, compare(inner, arith::CmpIPredicate::slt, mine, limit),
              [&](ImplicitLocOpBuilder &some) {
                return SmallVector<Value>{loadOffset(some, input, mine)};
              },
              [&](ImplicitLocOpBuilder &) { return SmallVector<Value>{end}; })
              .front());
    }
    for (Value offset : offsets) {
      // In reverse the head of a segment is the step before an offset.
      Value bit = isReverse ? arith::SubIOp::create(
                                  inner, addConstant(inner, end, -1), offset)
                            : arith::SubIOp::create(inner, offset, first);
      createIf(inner, compare(inner, arith::CmpIPredicate::ult, bit, steps),
               [&](ImplicitLocOpBuilder &some) {
                 Value number = getWord(
                     some, slot,
                     arith::DivUIOp::create(
                         some, bit, indexConstant(some, kMaskWordBits)));
                 Value rest = arith::RemUIOp::create(
                     some, bit, indexConstant(some, kMaskWordBits));
                 Value word = arith::ShLIOp::create(
                     some,
                     arith::ConstantOp::create(some, some.getI32IntegerAttr(1)),
                     arith::IndexCastOp::create(some, some.getI32Type(), rest));
                 orShared(some, word, input.mask, number);
               });
    }
    return offsets.back();
  };
  Range range = search(b, input, first);
  Value next = addConstant(b, range.low, 1);
  markSome(b, b.createOrFold<arith::AddIOp>(next, ids.lane), 1, range.high);
  // Mostly there are few more in the tile; else many are read at a time. What
  // is carried is where to go on, and the last offset that was read.
  constexpr int64_t atOnce = 4;
  auto go = [&](ImplicitLocOpBuilder &inner, Value from, int64_t count) {
    Value last =
        markSome(inner, inner.createOrFold<arith::AddIOp>(from, ids.lane),
                 count, input.view.count);
    return SmallVector<Value>{addConstant(inner, from, count * kWarpSize),
                              shuffle(inner, last, kWarpSize - 1)};
  };
  auto hasMore = [&](ImplicitLocOpBuilder &inner, Value seen) {
    return compare(inner, arith::CmpIPredicate::slt, seen, end);
  };
  createIf(b, hasMore(b, range.highOffset), [&](ImplicitLocOpBuilder &more) {
    scf::WhileOp::create(
        more, TypeRange{b.getIndexType(), b.getIndexType()},
        go(more, range.high, 1),
        [&](OpBuilder &builder, Location loc, ValueRange state) {
          ImplicitLocOpBuilder inner(loc, builder);
          scf::ConditionOp::create(inner, hasMore(inner, state[1]), state);
        },
        [&](OpBuilder &builder, Location loc, ValueRange state) {
          ImplicitLocOpBuilder inner(loc, builder);
          scf::YieldOp::create(inner, go(inner, state[0], atOnce));
        });
  });
}

void SegmentMasks::mark(ImplicitLocOpBuilder &b, Value base, Value slot) {
  if (!any())
    return;
  Value isLast = compare(b, arith::CmpIPredicate::eq, ids.warp,
                         ids.threads / kWarpSize - 1);
  createIf(b, isLast, [&](ImplicitLocOpBuilder &inner) {
    // In reverse position p is step extent - 1 - p, which is the head of a
    // segment where the offset one more is.
    Value first = base;
    if (frame.getKernel().getReverse())
      first = inner.createOrFold<arith::SubIOp>(
          addConstant(inner, frame.getExtent(), 1 - ids.rowThreads * items),
          base);
    for (const SegmentOffsets &input : offsetInputs)
      markOffsets(inner, input, first, slot);
  });
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
