//===- StreamingStores.cpp - Stores past the caches -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamingStores.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::scan;

static int64_t getBytes(OpOperand &operand) {
  return getStorageBits(operand.get().getType()) / 8;
}

Value mlir::scan::emitIsLarge(OpBuilder &builder, KernelEmitter &emitter,
                              unsigned laneDim,
                              const ConvertScanToLoopsOptions &options) {
  Location loc = emitter.getLoc();
  int64_t pointBytes = 0;
  for (OpOperand *output : emitter.getContiguousOutputs(laneDim))
    pointBytes += getBytes(*output);
  if (options.streamingBytes == 0 || pointBytes == 0)
    return Value();
  // These outputs cover the domain: others are reductions.
  std::optional<int64_t> staticBytes = pointBytes;
  for (int64_t size : emitter.getStaticSizes())
    if (staticBytes && !ShapedType::isDynamic(size))
      staticBytes = llvm::checkedMul(*staticBytes, size);
    else
      staticBytes = std::nullopt;
  if (staticBytes && *staticBytes < int64_t{options.streamingBytes})
    return Value();
  Value bytes = emitter.index(pointBytes);
  for (Value size : emitter.getSizes())
    bytes = arith::MulIOp::create(builder, loc, bytes, size);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, bytes,
                               emitter.index(options.streamingBytes));
}

StoreAlignment mlir::scan::emitStoreAlignment(OpBuilder &builder,
                                              KernelEmitter &emitter,
                                              const Point &point,
                                              bool reverse) {
  Location loc = emitter.getLoc();
  StoreAlignment result;
  for (OpOperand *output : emitter.getContiguousOutputs(point.laneDim)) {
    int64_t bytes = getBytes(*output), vectorBytes = bytes * point.width;
    if (vectorBytes < kMinStreamedBytes)
      continue;
    Value mask = emitter.index(vectorBytes - 1);
    Value address = emitter.getAddress(*output, point);
    if (!result.points) {
      Value distance = address;
      if (!reverse)
        distance =
            arith::SubIOp::create(builder, loc, emitter.index(0), address);
      distance = arith::AndIOp::create(builder, loc, distance, mask);
      result.points =
          arith::DivUIOp::create(builder, loc, distance, emitter.index(bytes));
    }
    Value skipped = arith::MulIOp::create(builder, loc, result.points,
                                          emitter.index(bytes));
    Value start =
        reverse
            ? arith::SubIOp::create(builder, loc, address, skipped).getResult()
            : arith::AddIOp::create(builder, loc, address, skipped);
    Value rest = arith::AndIOp::create(builder, loc, start, mask);
    Value isAligned = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, rest, emitter.index(0));
    result.isShared =
        result.isShared
            ? arith::AndIOp::create(builder, loc, result.isShared, isAligned)
                  .getResult()
            : isAligned;
  }
  return result;
}
