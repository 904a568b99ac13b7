//===- PrivateMemory.cpp - Buffers on the stacks of fibers ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPUToFibers.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::scan::emulator;

/// How much stack the buffers of one kernel may take; less than
/// Fiber::kStackBytes, and less than the 512 KB of local memory that a thread
/// has on a GPU.
static constexpr int64_t kPrivateBytesLimit = 384 * 1024;

/// Behind a buffer there is as much more as on a GPU, so that what is out of
/// bounds of one is not in another, as far as all that together is no more than
/// the rest of the stack has room for.
static constexpr int64_t kPrivateGap = 128;
static constexpr int64_t kGapBytesLimit = 64 * 1024;

static Value createSize(OpBuilder &builder, LLVM::AllocaOp alloca,
                        int64_t count) {
  Type type = alloca.getArraySize().getType();
  return LLVM::ConstantOp::create(builder, alloca.getLoc(), type,
                                  builder.getIntegerAttr(type, count));
}

void PrivateMemory::addChecks(LLVM::LLVMFuncOp function, LLVM::AllocaOp alloca,
                              int64_t bytes) {
  Location loc = alloca.getLoc();
  StringRef name = getOriginalName(alloca);
  FlatSymbolRefAttr text =
      name.starts_with(kPrivateBuffer)
          ? sites.create(name, UnknownLoc::get(loc.getContext()))
          : sites.create(("the buffer of " + name).str(), loc);
  // Each time that the program gets there the buffer is a new one.
  OpBuilder builder(alloca->getContext());
  builder.setInsertionPointAfter(alloca);
  Value size =
      LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), bytes);
  callRuntime(builder, loc, RuntimeCall::BeginPrivate,
              {getSiteAddress(builder, loc, text), alloca, size});
  function.walk([&](LLVM::ReturnOp exit) {
    builder.setInsertionPoint(exit);
    callRuntime(builder, loc, RuntimeCall::EndPrivate, alloca.getResult());
  });
}

LogicalResult PrivateMemory::layOut(LLVM::LLVMFuncOp function) {
  Block &entry = function.getBody().front();
  DataLayout layout;
  int64_t &sum = ownBytes[function];
  SmallVector<LLVM::AllocaOp> allocas;
  function.walk([&](LLVM::AllocaOp alloca) { allocas.push_back(alloca); });
  for (LLVM::AllocaOp alloca : allocas) {
    APInt number;
    if (!matchPattern(alloca.getArraySize(), m_ConstantInt(&number)))
      return alloca.emitError("the stack of a GPU thread holds buffers of "
                              "static size only");
    int64_t count = number.getSExtValue();
    const int64_t elementBytes =
        layout.getTypeSize(alloca.getElemType()).getFixedValue();
    const int64_t bytes = count * elementBytes;
    sum += bytes;
    if (check && bytes != 0) {
      addChecks(function, alloca, bytes);
      const int64_t more = llvm::divideCeil(kPrivateGap, elementBytes);
      if (gapBytes + more * elementBytes <= kGapBytesLimit) {
        gapBytes += more * elementBytes;
        count += more;
      }
    }
    // A buffer in a loop lives for one iteration; in the entry block it takes
    // its room once and not once per iteration.
    OpBuilder builder(&entry, entry.begin());
    Value size = createSize(builder, alloca, count);
    alloca.getArraySizeMutable().assign(size);
    alloca->moveAfter(size.getDefiningOp());
  }
  return success();
}

int64_t PrivateMemory::getBytes(LLVM::LLVMFuncOp function) {
  auto known = allBytes.find(function);
  if (known != allBytes.end())
    return known->second;
  // No function calls itself (SupportedOps.cpp).
  int64_t below = 0;
  function.walk([&](LLVM::CallOp call) {
    auto name = call.getCalleeAttr();
    auto callee = name ? symbolTables.lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(
                             function, name)
                       : LLVM::LLVMFuncOp();
    if (callee && !callee.isExternal())
      below = std::max(below, getBytes(callee));
  });
  return allBytes[function] = ownBytes.lookup(function) + below;
}

LogicalResult PrivateMemory::checkSize(LLVM::LLVMFuncOp function) {
  const int64_t bytes = getBytes(function);
  if (bytes <= kPrivateBytesLimit)
    return success();
  InFlightDiagnostic diagnostic = function.emitError("expected at most ")
                                  << kPrivateBytesLimit
                                  << " bytes of private memory, found " << bytes
                                  << " in '" << function.getName() << "'";
  if (bytes != ownBytes.lookup(function))
    diagnostic << " and what it calls";
  return diagnostic;
}
