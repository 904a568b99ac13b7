//===- SharedWeights.cpp - Weights in shared memory -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedWeights.h"
#include "../GPUCommon/Emit.h"
#include "../GPUCommon/Grid.h"
#include "IR/OperandMemory.h"

using namespace mlir;
using namespace mlir::scan;

/// How many loads of a thread are in flight while the copy is made.
static constexpr int64_t kCopiedAtATime = 8;

std::optional<SharedWeights> SharedWeights::get(linalg::LinalgOp op,
                                                OpOperand &operand,
                                                ArrayRef<unsigned> walked,
                                                ArrayRef<unsigned> divided,
                                                int64_t skipped) {
  auto type = cast<MemRefType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  // Single bits are not addressed.
  if (!type.hasStaticShape() || type.getNumElements() == 0 ||
      !map.isProjectedPermutation() || type.getElementType().isInteger(1))
    return std::nullopt;
  SharedWeights weights;
  weights.memref = operand.get();
  weights.elementType = type.getElementType();
  for (AffineExpr expr : map.getResults())
    weights.loops.push_back(cast<AffineDimExpr>(expr).getPosition());
  llvm::append_range(weights.extents, type.getShape());
  // Points of several reductions are numbered across the dimensions.
  bool canSkip = walked.size() == 1 && map.isFunctionOfDim(walked.front());
  if (skipped > 0 && canSkip) {
    weights.skippedDim =
        llvm::find(weights.loops, walked.front()) - weights.loops.begin();
    weights.skipped = skipped;
    weights.extents[weights.skippedDim] -= skipped;
  }
  weights.strides.assign(weights.loops.size(), 0);
  int64_t stride = 1;
  auto place = [&](ArrayRef<unsigned> group) {
    for (unsigned loop : llvm::reverse(group))
      for (auto [dim, own] : llvm::enumerate(weights.loops))
        if (own == loop) {
          weights.strides[dim] = stride;
          stride *= weights.extents[dim];
        }
  };
  place(divided);
  int64_t bytes = getStorageBytes(weights.elementType);
  int64_t word = std::max<int64_t>(bytes, 4);
  int64_t words = llvm::divideCeil(stride * bytes, word) | 1;
  stride = words * word / bytes;
  place(walked);
  weights.size = stride;
  return weights;
}

Value SharedWeights::getIndex(ImplicitLocOpBuilder &b,
                              function_ref<Value(unsigned)> getNumber) const {
  Value index = indexConstant(b, 0);
  for (auto [dim, stride] : llvm::enumerate(strides))
    index = b.createOrFold<arith::AddIOp>(
        index, mulConstant(b, getNumber(dim), stride));
  return index;
}

void SharedWeights::fill(ImplicitLocOpBuilder &b, BlockBody &body,
                         Value target) {
  buffer = target;
  int64_t count = 1;
  SmallVector<Value> sizes;
  for (int64_t extent : extents) {
    count *= extent;
    sizes.push_back(indexConstant(b, extent));
  }
  SmallVector<unsigned> dims =
      llvm::to_vector(llvm::seq<unsigned>(0, sizes.size()));
  // In the order of global memory, from element `first` on: first all loads, of
  // which none waits for another.
  int64_t threads = body.getThreads();
  auto copy = [&](ImplicitLocOpBuilder &at, Value first, int64_t times) {
    SmallVector<Value> indices, values;
    for (int64_t i = 0; i < times; ++i) {
      SmallVector<Value> point(sizes.size());
      createCoordinates(at, addConstant(at, first, i * threads), sizes, dims,
                        point);
      indices.push_back(getIndex(at, [&](unsigned dim) { return point[dim]; }));
      if (skipped > 0)
        point[skippedDim] = addConstant(at, point[skippedDim], skipped);
      values.push_back(body.load(at, memref, point));
    }
    for (auto [index, value] : llvm::zip_equal(indices, values))
      memref::StoreOp::create(at, value, buffer, index);
  };
  int64_t step = threads * kCopiedAtATime, whole = count / step * step;
  Value thread = body.getThread();
  if (whole > 0)
    createFor(b, thread, indexConstant(b, whole), indexConstant(b, step), {},
              [&](ImplicitLocOpBuilder &inner, Value first, ValueRange) {
                copy(inner, first, kCopiedAtATime);
                return SmallVector<Value>();
              });
  int64_t rest = count - whole, last = rest % threads;
  copy(b, addConstant(b, thread, whole), rest / threads);
  if (last > 0)
    createIf(b, compare(b, arith::CmpIPredicate::ult, thread, last),
             [&](ImplicitLocOpBuilder &inner) {
               copy(inner, addConstant(inner, thread, count - last), 1);
             });
}

Value SharedWeights::load(ImplicitLocOpBuilder &b,
                          ArrayRef<Value> point) const {
  Value index = getIndex(b, [&](unsigned dim) {
    bool isSkipped = skipped > 0 && dim == skippedDim;
    return isSkipped ? addConstant(b, point[loops[dim]], -skipped)
                     : point[loops[dim]];
  });
  return memref::LoadOp::create(b, buffer, index);
}
