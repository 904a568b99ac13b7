//===- Descriptor.cpp - The published states of tiles ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Descriptor.h"
#include "../../GPUCommon/Emit.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::scan;

static constexpr unsigned kFlagBits = DescriptorLayout::kFlagBits;
/// Nobody but the GPU that runs the launch takes part.
static constexpr StringLiteral kDeviceScope = "device";

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

SmallVector<Value> Descriptor::toParts(ImplicitLocOpBuilder &b,
                                       ValueRange state) const {
  SmallVector<Value> parts;
  auto append = [&](Value value) {
    Type type = value.getType();
    if (!isa<IntegerType>(type))
      value = arith::BitcastOp::create(
          b, b.getIntegerType(type.getIntOrFloatBitWidth()), value);
    parts.push_back(value);
  };
  for (Value leaf : packLeaves(layout.published, state)) {
    if (!isa<ComplexType>(leaf.getType())) {
      append(leaf);
      continue;
    }
    append(complex::ReOp::create(b, leaf));
    append(complex::ImOp::create(b, leaf));
  }
  return parts;
}

State Descriptor::fromParts(ImplicitLocOpBuilder &b, ArrayRef<Value> parts,
                            ValueRange own) const {
  auto take = [&](Type type) -> Value {
    Value part = parts.front();
    parts = parts.drop_front();
    if (isa<IntegerType>(type))
      return part;
    return arith::BitcastOp::create(b, type, part);
  };
  State state;
  for (auto [type, isPublished, mine] :
       llvm::zip_equal(layout.leafTypes, layout.published, own)) {
    auto complexType = dyn_cast<ComplexType>(type);
    if (!isPublished) {
      state.push_back(mine);
      continue;
    }
    if (!complexType) {
      state.push_back(take(type));
      continue;
    }
    Value re = take(complexType.getElementType());
    Value im = take(complexType.getElementType());
    state.push_back(complex::CreateOp::create(b, type, re, im));
  }
  return state;
}

static Value extend(ImplicitLocOpBuilder &b, Value value, unsigned bits) {
  Type type = b.getIntegerType(bits);
  return value.getType() == type ? value
                                 : arith::ExtUIOp::create(b, type, value);
}

static Value truncate(ImplicitLocOpBuilder &b, Value value, unsigned bits) {
  Type type = b.getIntegerType(bits);
  return value.getType() == type ? value
                                 : arith::TruncIOp::create(b, type, value);
}

static Value integerConstant(ImplicitLocOpBuilder &b, Type type,
                             int64_t value) {
  return createConstant(b, b.getIntegerAttr(type, value));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static Value createPointer(ImplicitLocOpBuilder &b, Value address,
                           int64_t offset) {
  if (offset != 0)
    address = arith::AddIOp::create(
        b, address, integerConstant(b, address.getType(), offset));
  constexpr unsigned globalMemory = 1;
  auto type = LLVM::LLVMPointerType::get(b.getContext(), globalMemory);
  return LLVM::IntToPtrOp::create(b, type, address);
}

static Value createLoad(ImplicitLocOpBuilder &b, Value address, int64_t offset,
                        unsigned bits, LLVM::AtomicOrdering ordering) {
  bool isPlain = ordering == LLVM::AtomicOrdering::not_atomic;
  return LLVM::LoadOp::create(
      b, b.getIntegerType(bits), createPointer(b, address, offset),
      /*alignment=*/bits / 8, /*isVolatile=*/false, /*isNonTemporal=*/false,
      /*isInvariant=*/false, /*isInvariantGroup=*/false, ordering,
      isPlain ? StringRef() : StringRef(kDeviceScope));
}

static void createStore(ImplicitLocOpBuilder &b, Value value, Value address,
                        int64_t offset, LLVM::AtomicOrdering ordering) {
  bool isPlain = ordering == LLVM::AtomicOrdering::not_atomic;
  LLVM::StoreOp::create(b, value, createPointer(b, address, offset),
                        /*alignment=*/value.getType().getIntOrFloatBitWidth() /
                            8,
                        /*isVolatile=*/false, /*isNonTemporal=*/false,
                        /*isInvariantGroup=*/false, ordering,
                        isPlain ? StringRef() : StringRef(kDeviceScope));
}

void Descriptor::publish(ImplicitLocOpBuilder &b, Value address,
                         const DescriptorFlags &flags, Kind kind,
                         ValueRange state) const {
  Value flag = kind == Kind::Prefix ? flags.prefix : flags.aggregate;
  SmallVector<Value> parts = toParts(b, state);
  if (layout.isInWords()) {
    SmallVector<Value> words(layout.numWords, extend(b, flag, layout.wordBits));
    for (auto [part, number, offset] :
         llvm::zip_equal(parts, layout.partWords, layout.offsets)) {
      Value extended = extend(b, part, layout.wordBits);
      Value shifted = arith::ShLIOp::create(
          b, extended, integerConstant(b, extended.getType(), offset));
      words[number] = arith::OrIOp::create(b, words[number], shifted);
    }
    for (auto [number, word] : llvm::enumerate(words))
      createStore(b, word, address, layout.getWordOffset(number),
                  LLVM::AtomicOrdering::monotonic);
    return;
  }
  int64_t payload =
      kind == Kind::Prefix ? layout.prefixOffset : layout.aggregateOffset;
  for (auto [part, offset, bits] :
       llvm::zip_equal(parts, layout.offsets, layout.partBits))
    createStore(b, extend(b, part, 8 * DescriptorLayout::getPartBytes(bits)),
                address, payload + offset, LLVM::AtomicOrdering::not_atomic);
  createStore(b, flag, address, 0, LLVM::AtomicOrdering::release);
}

Value Descriptor::isUnset(ImplicitLocOpBuilder &b, Value flag,
                          const DescriptorFlags &flags) const {
  return arith::AndIOp::create(
      b, compare(b, arith::CmpIPredicate::ne, flag, flags.aggregate),
      compare(b, arith::CmpIPredicate::ne, flag, flags.prefix));
}

SmallVector<Value> Descriptor::peek(ImplicitLocOpBuilder &b,
                                    ArrayRef<Value> addresses) const {
  SmallVector<Value> words;
  for (Value address : addresses) {
    for (unsigned word = 0; word < layout.numWords; ++word)
      words.push_back(createLoad(b, address, layout.getWordOffset(word),
                                 layout.wordBits,
                                 LLVM::AtomicOrdering::monotonic));
    if (!layout.isInWords())
      words.push_back(
          createLoad(b, address, 0, kFlagBits, LLVM::AtomicOrdering::acquire));
  }
  return words;
}

/// The words, or flags, at `addresses` once they are what is waited for;
/// `words` were read there last.
SmallVector<Value> Descriptor::waitFor(ImplicitLocOpBuilder &b,
                                       ArrayRef<Value> addresses,
                                       const DescriptorFlags &flags,
                                       Wanted wanted, ValueRange words) const {
  auto loop = scf::WhileOp::create(
      b, words.getTypes(), words,
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        ImplicitLocOpBuilder inner(loc, builder);
        Value first = truncate(inner, carried.front(), kFlagBits);
        Value waits =
            wanted == Wanted::Any
                ? isUnset(inner, first, flags)
                : compare(inner, arith::CmpIPredicate::ne, first, flags.prefix);
        for (Value word : carried.drop_front()) {
          Value differs = compare(inner, arith::CmpIPredicate::ne,
                                  truncate(inner, word, kFlagBits), first);
          waits = arith::OrIOp::create(inner, waits, differs);
        }
        scf::ConditionOp::create(inner, waits, carried);
      },
      [&](OpBuilder &builder, Location loc, ValueRange) {
        ImplicitLocOpBuilder inner(loc, builder);
        scf::YieldOp::create(inner, peek(inner, addresses));
      });
  return SmallVector<Value>(loop.getResults());
}

/// What `words`, which were waited for at `addresses`, say.
Descriptor::Observed Descriptor::read(ImplicitLocOpBuilder &b,
                                      ArrayRef<Value> addresses,
                                      ArrayRef<State> own,
                                      const DescriptorFlags &flags,
                                      ValueRange words) const {
  Observed observed;
  observed.arePrefixes =
      compare(b, arith::CmpIPredicate::eq,
              truncate(b, words.front(), kFlagBits), flags.prefix);
  for (auto [address, mine] : llvm::zip_equal(addresses, own)) {
    SmallVector<Value> parts;
    if (layout.isInWords()) {
      for (auto [number, offset, part] :
           llvm::zip_equal(layout.partWords, layout.offsets, layout.partBits)) {
        Value word = words[number];
        Value shifted = arith::ShRUIOp::create(
            b, word, integerConstant(b, word.getType(), offset));
        parts.push_back(truncate(b, shifted, part));
      }
      words = words.drop_front(layout.numWords);
    } else {
      Type type = address.getType();
      Value payload = arith::AddIOp::create(
          b, address,
          arith::SelectOp::create(
              b, observed.arePrefixes,
              integerConstant(b, type, layout.prefixOffset),
              integerConstant(b, type, layout.aggregateOffset)));
      for (auto [offset, part] :
           llvm::zip_equal(layout.offsets, layout.partBits))
        parts.push_back(
            truncate(b,
                     createLoad(b, payload, offset,
                                8 * DescriptorLayout::getPartBytes(part),
                                LLVM::AtomicOrdering::not_atomic),
                     part));
    }
    observed.states.push_back(fromParts(b, parts, mine));
  }
  return observed;
}

Descriptor::Observed Descriptor::observe(ImplicitLocOpBuilder &b,
                                         ArrayRef<Value> addresses,
                                         ArrayRef<State> own,
                                         const DescriptorFlags &flags,
                                         Wanted wanted) const {
  SmallVector<Value> words = peek(b, addresses);
  return read(b, addresses, own, flags,
              waitFor(b, addresses, flags, wanted, words));
}
