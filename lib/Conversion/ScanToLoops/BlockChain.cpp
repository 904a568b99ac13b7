//===- BlockChain.cpp - What blocks of a row hand on ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockChain.h"
#include "LoopHints.h"
#include "Scratch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::scan;

static constexpr int64_t kWordBits = 64, kWordBytes = kWordBits / 8;

/// The integer type as wide as `type`, and how many words that takes.
static IntegerType getBits(Type type) {
  return IntegerType::get(type.getContext(),
                          type.isIndex() ? kWordBits
                                         : type.getIntOrFloatBitWidth());
}
static int64_t countWords(Type type) {
  return llvm::divideCeil(getBits(type).getWidth(), kWordBits);
}

/// The bits of `value`, as words.
static SmallVector<Value> split(OpBuilder &builder, Location loc, Value value) {
  Type type = value.getType(), word = builder.getI64Type();
  if (type.isIndex())
    return {arith::IndexCastOp::create(builder, loc, word, value)};
  IntegerType bits = getBits(type);
  if (type != bits)
    value = arith::BitcastOp::create(builder, loc, bits, value);
  int64_t count = countWords(type);
  auto whole = builder.getIntegerType(count * kWordBits);
  if (bits != whole)
    value = arith::ExtUIOp::create(builder, loc, whole, value);
  SmallVector<Value> words;
  for (int64_t i = 0; i < count; ++i) {
    Value part = value;
    if (i > 0)
      part = arith::ShRUIOp::create(
          builder, loc, value,
          arith::ConstantIntOp::create(builder, loc, whole, i * kWordBits));
    if (whole != word)
      part = arith::TruncIOp::create(builder, loc, word, part);
    words.push_back(part);
  }
  return words;
}

/// The value of `type` with the bits of `words`.
static Value join(OpBuilder &builder, Location loc, Type type,
                  ArrayRef<Value> words) {
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, words.front());
  auto whole = builder.getIntegerType(words.size() * kWordBits);
  Value value;
  for (auto [i, word] : llvm::enumerate(words)) {
    Value part = word;
    if (whole != word.getType())
      part = arith::ExtUIOp::create(builder, loc, whole, part);
    if (i > 0)
      part = arith::ShLIOp::create(
          builder, loc, part,
          arith::ConstantIntOp::create(builder, loc, whole, i * kWordBits));
    value = value ? arith::OrIOp::create(builder, loc, value, part).getResult()
                  : part;
  }
  IntegerType bits = getBits(type);
  if (bits != whole)
    value = arith::TruncIOp::create(builder, loc, bits, value);
  if (type != bits)
    value = arith::BitcastOp::create(builder, loc, type, value);
  return value;
}

BlockChain::BlockChain(OpBuilder &builder, KernelEmitter &emitter,
                       ArrayRef<bool> held, Value count)
    : emitter(emitter), loc(emitter.getLoc()), known(builder, loc) {
  auto countAll = [](TypeRange types) {
    int64_t words = 0;
    for (Type type : types)
      words += countWords(type);
    return words;
  };
  TypeRange leafTypes = emitter.getKernel().getLeafTypes();
  for (auto [type, isCarried] :
       llvm::zip_equal(leafTypes, emitter.getCarried()))
    if (isCarried)
      stateTypes.push_back(type);
  if (!held.empty())
    for (Value sum : emitter.zeroReductions(held, /*width=*/1))
      sumTypes.push_back(sum.getType());
  totalWord = 1;
  stateWord = totalWord + countAll(leafTypes);
  sumWord = stateWord + countAll(stateTypes);
  numWords = sumWord + countAll(sumTypes);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&getStackBlock(builder));
    // The last state is that behind the last block.
    auto type =
        MemRefType::get({(kRoundBlocks + 1) * numWords}, builder.getI64Type());
    Value words = memref::AllocaOp::create(builder, loc, type);
    Value address =
        memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, words);
    address =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), address);
    pointer = LLVM::IntToPtrOp::create(
        builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
        address);
  }
  store(builder, emitter.index(0), stateWord,
        load(builder, emitter.index(kRoundBlocks), stateWord, stateTypes));
  auto loop = scf::ForOp::create(
      builder, loc, emitter.index(0),
      arith::AddIOp::create(builder, loc, count, emitter.index(1)),
      emitter.index(1));
  disableVectorization(loop);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value unknown = arith::ConstantIntOp::create(
      builder, loc, builder.getI64Type(), int64_t(Status::Unknown));
  storeWord(builder, unknown,
            getPlace(builder, loop.getInductionVar(), /*word=*/0),
            LLVM::AtomicOrdering::monotonic);
}

Value BlockChain::getPlace(OpBuilder &builder, Value number,
                           int64_t word) const {
  Value place =
      arith::MulIOp::create(builder, loc, number, emitter.index(numWords));
  place = arith::AddIOp::create(builder, loc, place, emitter.index(word));
  place = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), place);
  return LLVM::GEPOp::create(builder, loc, pointer.getType(),
                             builder.getI64Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{place});
}

Value BlockChain::loadWord(OpBuilder &builder, Value address,
                           LLVM::AtomicOrdering ordering) const {
  return LLVM::LoadOp::create(
      builder, loc, builder.getI64Type(), address, kWordBytes,
      /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariant=*/false,
      /*isInvariantGroup=*/false, ordering);
}

void BlockChain::storeWord(OpBuilder &builder, Value word, Value address,
                           LLVM::AtomicOrdering ordering) const {
  LLVM::StoreOp::create(builder, loc, word, address, kWordBytes,
                        /*isVolatile=*/false, /*isNonTemporal=*/false,
                        /*isInvariantGroup=*/false, ordering);
}

SmallVector<Value> BlockChain::load(OpBuilder &builder, Value number,
                                    int64_t word, TypeRange types) const {
  SmallVector<Value> values;
  for (Type type : types) {
    SmallVector<Value> parts;
    for (int64_t i = 0; i < countWords(type); ++i)
      parts.push_back(loadWord(builder, getPlace(builder, number, word++),
                               LLVM::AtomicOrdering::monotonic));
    values.push_back(join(builder, loc, type, parts));
  }
  return values;
}

void BlockChain::store(OpBuilder &builder, Value number, int64_t word,
                       ValueRange values) const {
  for (Value value : values)
    for (Value part : split(builder, loc, value))
      storeWord(builder, part, getPlace(builder, number, word++),
                LLVM::AtomicOrdering::monotonic);
}

SmallVector<Value> BlockChain::loadState(OpBuilder &builder,
                                         Value number) const {
  SmallVector<Value> state = emitter.zeroState(/*width=*/1);
  SmallVector<Value> carried = load(builder, number, stateWord, stateTypes);
  size_t next = 0;
  for (auto [leaf, isCarried] : llvm::zip_equal(state, emitter.getCarried()))
    if (isCarried)
      leaf = carried[next++];
  return state;
}

void BlockChain::storeState(OpBuilder &builder, Value number,
                            ValueRange state) const {
  SmallVector<Value> carried;
  for (auto [leaf, isCarried] : llvm::zip_equal(state, emitter.getCarried()))
    if (isCarried)
      carried.push_back(leaf);
  store(builder, number, stateWord, carried);
  known.raise(builder, number);
}

Value BlockChain::loadStatus(OpBuilder &builder, Value number) const {
  return loadWord(builder, getPlace(builder, number, /*word=*/0),
                  LLVM::AtomicOrdering::acquire);
}

Value BlockChain::emitIs(OpBuilder &builder, Value word, Status status) const {
  Value wanted = arith::ConstantIntOp::create(builder, loc, word.getType(),
                                              int64_t(status));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, word,
                               wanted);
}

SmallVector<Value> BlockChain::loadTotal(OpBuilder &builder,
                                         Value number) const {
  return load(builder, number, totalWord, emitter.getKernel().getLeafTypes());
}

void BlockChain::storeTotal(OpBuilder &builder, Value number, ValueRange leaves,
                            Value isUsable) const {
  store(builder, number, totalWord, leaves);
  auto getWord = [&](Status status) -> Value {
    return arith::ConstantIntOp::create(builder, loc, builder.getI64Type(),
                                        int64_t(status));
  };
  Value status =
      arith::SelectOp::create(builder, loc, isUsable, getWord(Status::Usable),
                              getWord(Status::Unusable));
  storeWord(builder, status, getPlace(builder, number, /*word=*/0),
            LLVM::AtomicOrdering::release);
}

SmallVector<Value> BlockChain::loadSums(OpBuilder &builder,
                                        Value number) const {
  return load(builder, number, sumWord, sumTypes);
}

void BlockChain::storeSums(OpBuilder &builder, Value number,
                           ValueRange sums) const {
  store(builder, number, sumWord, sums);
}
