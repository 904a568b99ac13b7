//===- BlockChain.cpp - What blocks of a row hand on ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockChain.h"
#include "Scratch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

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
                       ArrayRef<bool> held)
    : emitter(emitter), loc(emitter.getLoc()), known(builder, loc) {
  for (auto [type, isCarried] : llvm::zip_equal(
           emitter.getKernel().getLeafTypes(), emitter.getCarried()))
    if (isCarried) {
      stateTypes.push_back(type);
      stateWords += countWords(type);
    }
  if (!held.empty())
    for (Value sum : emitter.zeroReductions(held, /*width=*/1)) {
      sumTypes.push_back(sum.getType());
      sumWords += countWords(sum.getType());
    }
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&getStackBlock(builder));
    // The last state is that behind the last block.
    auto type = MemRefType::get({(kRoundBlocks + 1) * (stateWords + sumWords)},
                                builder.getI64Type());
    Value words = memref::AllocaOp::create(builder, loc, type);
    Value address =
        memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, words);
    address =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), address);
    pointer = LLVM::IntToPtrOp::create(
        builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
        address);
  }
  auto getState = [&](int64_t number) {
    return getPlace(builder, emitter.index(number), /*firstWord=*/0);
  };
  store(builder, getState(0),
        load(builder, getState(kRoundBlocks), stateTypes));
}

Value BlockChain::getPlace(OpBuilder &builder, Value number,
                           int64_t firstWord) const {
  Value word = arith::MulIOp::create(builder, loc, number,
                                     emitter.index(stateWords + sumWords));
  word = arith::AddIOp::create(builder, loc, word, emitter.index(firstWord));
  word = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), word);
  return LLVM::GEPOp::create(builder, loc, pointer.getType(),
                             builder.getI64Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{word});
}

SmallVector<Value> BlockChain::load(OpBuilder &builder, Value place,
                                    TypeRange types) const {
  SmallVector<Value> values;
  int32_t position = 0;
  for (Type type : types) {
    SmallVector<Value> parts;
    for (int64_t i = 0; i < countWords(type); ++i) {
      Value address = LLVM::GEPOp::create(builder, loc, pointer.getType(),
                                          builder.getI64Type(), place,
                                          ArrayRef<LLVM::GEPArg>{position++});
      parts.push_back(LLVM::LoadOp::create(
          builder, loc, builder.getI64Type(), address, kWordBytes,
          /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariant=*/false,
          /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic));
    }
    values.push_back(join(builder, loc, type, parts));
  }
  return values;
}

void BlockChain::store(OpBuilder &builder, Value place,
                       ValueRange values) const {
  int32_t position = 0;
  for (Value value : values)
    for (Value word : split(builder, loc, value)) {
      Value address = LLVM::GEPOp::create(builder, loc, pointer.getType(),
                                          builder.getI64Type(), place,
                                          ArrayRef<LLVM::GEPArg>{position++});
      LLVM::StoreOp::create(builder, loc, word, address, kWordBytes,
                            /*isVolatile=*/false, /*isNonTemporal=*/false,
                            /*isInvariantGroup=*/false,
                            LLVM::AtomicOrdering::monotonic);
    }
}

SmallVector<Value> BlockChain::loadState(OpBuilder &builder,
                                         Value number) const {
  SmallVector<Value> state = emitter.zeroState(/*width=*/1);
  SmallVector<Value> carried =
      load(builder, getPlace(builder, number, /*firstWord=*/0), stateTypes);
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
  store(builder, getPlace(builder, number, /*firstWord=*/0), carried);
  known.raise(builder, number);
}

SmallVector<Value> BlockChain::loadSums(OpBuilder &builder,
                                        Value number) const {
  return load(builder, getPlace(builder, number, stateWords), sumTypes);
}

void BlockChain::storeSums(OpBuilder &builder, Value number,
                           ValueRange sums) const {
  store(builder, getPlace(builder, number, stateWords), sums);
}
