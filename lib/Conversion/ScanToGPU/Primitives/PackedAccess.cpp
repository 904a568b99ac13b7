//===- PackedAccess.cpp - Vectorized accesses to packed elements ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedAccess.h"
#include "../../GPUCommon/Emit.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::scan;

/// The numbers that an element consists of.
static Type getNumberType(Type elementType) {
  auto complexType = dyn_cast<ComplexType>(elementType);
  return complexType ? complexType.getElementType() : elementType;
}

PackedAccess PackedAccess::get(Type elementType, int64_t numElements) {
  PackedAccess access;
  access.elementType = elementType;
  access.numElements = numElements;
  int64_t bytes = numElements * getStorageBytes(elementType);
  int64_t wordBytes = getStorageBytes(getNumberType(elementType));
  while (wordBytes < 4 && bytes % (2 * wordBytes) == 0)
    wordBytes *= 2;
  access.word = IntegerType::get(elementType.getContext(), 8 * wordBytes);
  access.numWords = bytes / wordBytes;
  access.wordsPerAccess = 1;
  while (2 * access.getAccessBytes() <= kMaxVectorBytes &&
         access.numWords % (2 * access.wordsPerAccess) == 0)
    access.wordsPerAccess *= 2;
  return access;
}

bool PackedAccess::isVectorized() const {
  // Complex numbers are loaded and stored in two halves.
  return getAccessBytes() > getStorageBytes(getNumberType(elementType));
}

/// A number of `type` from its bits, and back; a flag takes a byte.
static Value fromBits(ImplicitLocOpBuilder &b, Type type, Value bits) {
  if (isa<IntegerType>(type))
    return b.createOrFold<arith::TruncIOp>(type, bits);
  return b.createOrFold<arith::BitcastOp>(type, bits);
}
static Value toBits(ImplicitLocOpBuilder &b, Value value) {
  Type type = value.getType();
  if (type.isInteger(1))
    return b.createOrFold<arith::ExtUIOp>(b.getI8Type(), value);
  if (isa<IntegerType>(type))
    return value;
  return b.createOrFold<arith::BitcastOp>(
      b.getIntegerType(type.getIntOrFloatBitWidth()), value);
}

SmallVector<Value> mlir::scan::unpackWords(ImplicitLocOpBuilder &b,
                                           const PackedAccess &access,
                                           ValueRange words) {
  Type partType = getNumberType(access.elementType);
  int64_t partBits = 8 * getStorageBytes(partType);
  Type bits = b.getIntegerType(partBits);
  SmallVector<Value> parts;
  for (Value word : words)
    for (int64_t shift = 0; shift < access.word.getWidth(); shift += partBits) {
      Value part = word;
      if (shift != 0)
        part = b.createOrFold<arith::ShRUIOp>(
            part, createConstant(b, b.getIntegerAttr(access.word, shift)));
      if (bits != access.word)
        part = b.createOrFold<arith::TruncIOp>(bits, part);
      parts.push_back(partType == bits ? part : fromBits(b, partType, part));
    }
  if (partType == access.elementType)
    return parts;
  SmallVector<Value> elements;
  for (size_t i = 0; i < parts.size(); i += 2)
    elements.push_back(complex::CreateOp::create(b, access.elementType,
                                                 parts[i], parts[i + 1]));
  return elements;
}

/// Two numbers of half a word as a word: as a vector, which LLVM rounds by one
/// instruction for both.
static Value packHalves(ImplicitLocOpBuilder &b, Type word, Value low,
                        Value high) {
  Value pair = LLVM::PoisonOp::create(b, VectorType::get({2}, low.getType()));
  pair = LLVM::InsertElementOp::create(b, pair, low, i32Constant(b, 0));
  pair = LLVM::InsertElementOp::create(b, pair, high, i32Constant(b, 1));
  return LLVM::BitcastOp::create(b, word, pair);
}

SmallVector<Value> mlir::scan::packWords(ImplicitLocOpBuilder &b,
                                         const PackedAccess &access,
                                         ValueRange elements) {
  SmallVector<Value> parts, words;
  if (isa<BFloat16Type, Float16Type>(access.elementType) &&
      access.getWordBytes() == 4) {
    for (size_t i = 0; i < elements.size(); i += 2)
      words.push_back(packHalves(b, access.word, elements[i], elements[i + 1]));
    return words;
  }
  for (Value element : elements) {
    if (isa<ComplexType>(access.elementType)) {
      parts.push_back(toBits(b, complex::ReOp::create(b, element)));
      parts.push_back(toBits(b, complex::ImOp::create(b, element)));
    } else {
      parts.push_back(toBits(b, element));
    }
  }
  int64_t partsPerWord = parts.size() / access.numWords;
  for (int64_t first = 0; first < int64_t(parts.size());
       first += partsPerWord) {
    Value word = parts[first];
    if (partsPerWord > 1)
      word = arith::ExtUIOp::create(b, access.word, word);
    for (int64_t i = 1; i < partsPerWord; ++i) {
      Value part = arith::ExtUIOp::create(b, access.word, parts[first + i]);
      Value shift = createConstant(
          b, b.getIntegerAttr(access.word,
                              i * access.word.getWidth() / partsPerWord));
      word =
          arith::OrIOp::create(b, word, arith::ShLIOp::create(b, part, shift));
    }
    words.push_back(word);
  }
  return words;
}

/// Calls `action` with the address, the first word and the type of each access.
static void forEachAccess(ImplicitLocOpBuilder &b, const PackedAccess &access,
                          Value address,
                          function_ref<void(Value, int64_t, Type)> action) {
  Type type = access.word;
  if (access.wordsPerAccess > 1)
    type = VectorType::get({access.wordsPerAccess}, access.word);
  for (int64_t word = 0; word < access.numWords;
       word += access.wordsPerAccess) {
    Value at = address;
    if (word != 0)
      at = offsetPointer(b, address,
                         indexConstant(b, word * access.getWordBytes()));
    action(at, word, type);
  }
}

SmallVector<Value> mlir::scan::loadWords(ImplicitLocOpBuilder &b,
                                         const PackedAccess &access,
                                         Value address) {
  SmallVector<Value> words;
  forEachAccess(b, access, address, [&](Value at, int64_t, Type type) {
    Value loaded = LLVM::LoadOp::create(b, type, at, access.getAccessBytes());
    if (access.wordsPerAccess == 1) {
      words.push_back(loaded);
      return;
    }
    for (int64_t i = 0; i < access.wordsPerAccess; ++i)
      words.push_back(
          LLVM::ExtractElementOp::create(b, loaded, i32Constant(b, i)));
  });
  return words;
}

void mlir::scan::storeWords(ImplicitLocOpBuilder &b, const PackedAccess &access,
                            Value address, ValueRange words) {
  forEachAccess(b, access, address, [&](Value at, int64_t first, Type type) {
    Value value = words[first];
    if (access.wordsPerAccess > 1) {
      value = LLVM::PoisonOp::create(b, type);
      for (int64_t i = 0; i < access.wordsPerAccess; ++i)
        value = LLVM::InsertElementOp::create(b, value, words[first + i],
                                              i32Constant(b, i));
    }
    LLVM::StoreOp::create(b, value, at, access.getAccessBytes());
  });
}
