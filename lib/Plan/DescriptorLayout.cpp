//===- DescriptorLayout.cpp - How a published state lies in memory --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DescriptorLayout.h"
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

DescriptorLayout::DescriptorLayout(KernelOp kernel) {
  int64_t bits = kFlagBits;
  for (Type type : kernel.getLeafTypes())
    appendPartBits(type, partBits);
  for (unsigned part : partBits) {
    offsets.push_back(bits);
    bits += part;
  }
  if (bits <= 128) {
    wordBits = bits <= 64 ? 64 : 128;
    stateBytes = bytes = wordBits / 8;
    return;
  }
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
