//===- DescriptorLayout.cpp - How a published state lies in memory --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DescriptorLayout.h"
#include "InvariantLeaves.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::scan;

static void appendPartBits(Type type, SmallVectorImpl<unsigned> &bits) {
  if (auto complexType = dyn_cast<ComplexType>(type)) {
    appendPartBits(complexType.getElementType(), bits);
    appendPartBits(complexType.getElementType(), bits);
    return;
  }
  bits.push_back(type.getIntOrFloatBitWidth());
}

/// The most words of one descriptor: a lane that looks back has all of them in
/// registers.
static constexpr unsigned kMostWords = 8;

/// Places the parts into words, in their order.
void DescriptorLayout::placeInWords() {
  int64_t all = kFlagBits;
  for (unsigned part : partBits)
    all += part;
  wordBits = all <= 64 ? 64 : 128;
  int64_t used = wordBits;
  for (unsigned part : partBits) {
    if (used + part > wordBits) {
      ++numWords;
      used = kFlagBits;
    }
    partWords.push_back(numWords - 1);
    offsets.push_back(used);
    used += part;
  }
  stateBytes = bytes = getWordOffset(numWords);
}

DescriptorLayout::DescriptorLayout(KernelOp kernel)
    : DescriptorLayout(llvm::to_vector(kernel.getLeafTypes()),
                       getPublishedLeaves(kernel)) {}

DescriptorLayout::DescriptorLayout(KernelOp kernel, const StateSplit &split) {
  SmallVector<Type> types;
  for (unsigned i = 0; i < split.sameLeavesPerPart; ++i)
    types.push_back(kernel.getLeafTypes()[split.getLeaf(0, i)]);
  SmallVector<bool> all(types.size(), true);
  *this = DescriptorLayout(std::move(types), std::move(all));
}

DescriptorLayout::DescriptorLayout(SmallVector<Type> types,
                                   SmallVector<bool> arePublished)
    : leafTypes(std::move(types)), published(std::move(arePublished)) {
  for (auto [type, isPublished] : llvm::zip_equal(leafTypes, published))
    if (isPublished)
      appendPartBits(type, partBits);
  for (Type type : leafTypes)
    leafBytes += getStorageBytes(type);
  placeInWords();
  if (numWords <= kMostWords)
    return;
  wordBits = numWords = 0;
  int64_t payload = 0;
  for (auto [offset, part] : llvm::zip_equal(offsets, partBits)) {
    payload = llvm::alignTo(payload, getPartBytes(part));
    offset = payload;
    payload += getPartBytes(part);
  }
  // The widest part has 8 bytes.
  payload = llvm::alignTo(payload, 8);
  aggregateOffset = 8;
  prefixOffset = aggregateOffset + payload;
  bytes = prefixOffset + payload;
  stateBytes = aggregateOffset + payload;
}
