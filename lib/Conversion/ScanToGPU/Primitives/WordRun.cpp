//===- WordRun.cpp - Neighbouring elements of one thread ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WordRun.h"
#include "../../GPUCommon/Emit.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::scan;

/// The numbers that an element consists of.
static Type getPartType(Type elementType) {
  auto complexType = dyn_cast<ComplexType>(elementType);
  return complexType ? complexType.getElementType() : elementType;
}

WordRun WordRun::get(Type elementType, int64_t numElements) {
  WordRun run;
  run.elementType = elementType;
  run.numElements = numElements;
  int64_t bytes = numElements * getStorageBytes(elementType);
  int64_t wordBytes = getStorageBytes(getPartType(elementType));
  while (wordBytes < 4 && bytes % (2 * wordBytes) == 0)
    wordBytes *= 2;
  run.word = IntegerType::get(elementType.getContext(), 8 * wordBytes);
  run.numWords = bytes / wordBytes;
  run.wordsPerAccess = 1;
  while (2 * run.getAccessBytes() <= kMaxVectorBytes &&
         run.numWords % (2 * run.wordsPerAccess) == 0)
    run.wordsPerAccess *= 2;
  return run;
}

bool WordRun::isWide() const {
  // Complex numbers are loaded and stored in two halves.
  return getAccessBytes() > getStorageBytes(getPartType(elementType));
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
                                           const WordRun &run,
                                           ValueRange words) {
  Type partType = getPartType(run.elementType);
  int64_t partBits = 8 * getStorageBytes(partType);
  Type bits = b.getIntegerType(partBits);
  SmallVector<Value> parts;
  for (Value word : words)
    for (int64_t shift = 0; shift < run.word.getWidth(); shift += partBits) {
      Value part = word;
      if (shift != 0)
        part = b.createOrFold<arith::ShRUIOp>(
            part, arith::ConstantIntOp::create(b, run.word, shift));
      if (bits != run.word)
        part = b.createOrFold<arith::TruncIOp>(bits, part);
      parts.push_back(partType == bits ? part : fromBits(b, partType, part));
    }
  if (partType == run.elementType)
    return parts;
  SmallVector<Value> elements;
  for (size_t i = 0; i < parts.size(); i += 2)
    elements.push_back(
        complex::CreateOp::create(b, run.elementType, parts[i], parts[i + 1]));
  return elements;
}

SmallVector<Value> mlir::scan::packWords(ImplicitLocOpBuilder &b,
                                         const WordRun &run,
                                         ValueRange elements) {
  SmallVector<Value> parts;
  for (Value element : elements) {
    if (isa<ComplexType>(run.elementType)) {
      parts.push_back(toBits(b, complex::ReOp::create(b, element)));
      parts.push_back(toBits(b, complex::ImOp::create(b, element)));
    } else {
      parts.push_back(toBits(b, element));
    }
  }
  int64_t partsPerWord = parts.size() / run.numWords;
  SmallVector<Value> words;
  for (int64_t first = 0; first < int64_t(parts.size());
       first += partsPerWord) {
    Value word = parts[first];
    if (partsPerWord > 1)
      word = arith::ExtUIOp::create(b, run.word, word);
    for (int64_t i = 1; i < partsPerWord; ++i) {
      Value part = arith::ExtUIOp::create(b, run.word, parts[first + i]);
      Value shift = arith::ConstantIntOp::create(
          b, run.word, i * run.word.getWidth() / partsPerWord);
      word =
          arith::OrIOp::create(b, word, arith::ShLIOp::create(b, part, shift));
    }
    words.push_back(word);
  }
  return words;
}

/// Calls `action` with the address, the first word and the type of each access.
static void forEachAccess(ImplicitLocOpBuilder &b, const WordRun &run,
                          Value address,
                          function_ref<void(Value, int64_t, Type)> action) {
  Type type = run.word;
  if (run.wordsPerAccess > 1)
    type = VectorType::get({run.wordsPerAccess}, run.word);
  for (int64_t word = 0; word < run.numWords; word += run.wordsPerAccess) {
    Value at = address;
    if (word != 0)
      at = offsetPointer(b, address,
                         indexConstant(b, word * run.getWordBytes()));
    action(at, word, type);
  }
}

static Value i32Constant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIntOp::create(b, b.getI32Type(), value);
}

SmallVector<Value> mlir::scan::loadWords(ImplicitLocOpBuilder &b,
                                         const WordRun &run, Value address) {
  SmallVector<Value> words;
  forEachAccess(b, run, address, [&](Value at, int64_t, Type type) {
    Value loaded = LLVM::LoadOp::create(b, type, at, run.getAccessBytes());
    if (run.wordsPerAccess == 1) {
      words.push_back(loaded);
      return;
    }
    for (int64_t i = 0; i < run.wordsPerAccess; ++i)
      words.push_back(
          LLVM::ExtractElementOp::create(b, loaded, i32Constant(b, i)));
  });
  return words;
}

void mlir::scan::storeWords(ImplicitLocOpBuilder &b, const WordRun &run,
                            Value address, ValueRange words) {
  forEachAccess(b, run, address, [&](Value at, int64_t first, Type type) {
    Value value = words[first];
    if (run.wordsPerAccess > 1) {
      value = LLVM::PoisonOp::create(b, type);
      for (int64_t i = 0; i < run.wordsPerAccess; ++i)
        value = LLVM::InsertElementOp::create(b, value, words[first + i],
                                              i32Constant(b, i));
    }
    LLVM::StoreOp::create(b, value, at, run.getAccessBytes());
  });
}
