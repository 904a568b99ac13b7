//===- ExpandCopies.cpp - Copies between arrays with layouts --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Pipelines/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANEXPANDCOPIES
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

static bool hasLayout(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return type && !type.getLayout().isIdentity();
}

static bool isRanked(Value value) { return isa<MemRefType>(value.getType()); }

/// Whether each stride that `type` says, and the offset, is that of `dense` in
/// every run. A cast may also say strides that `dense` does not have.
static bool hasLayoutOfDense(MemRefType type, MemRefType dense) {
  SmallVector<int64_t> strides, denseStrides;
  int64_t offset, denseOffset;
  // The caller has checked that there are strides.
  (void)type.getStridesAndOffset(strides, offset);
  (void)dense.getStridesAndOffset(denseStrides, denseOffset);
  strides.push_back(offset);
  denseStrides.push_back(denseOffset);
  return llvm::all_of(llvm::zip_equal(strides, denseStrides), [](auto pair) {
    auto [stride, denseStride] = pair;
    return ShapedType::isDynamic(stride) || stride == denseStride;
  });
}

/// Allocates an array of type `type` with the extents of `source`. Where the
/// type says strides or an offset that a dense array does not have, it lies in
/// one that is large enough, with the strides of `source`: a type that both can
/// have is met by these.
static Value allocateLike(OpBuilder &b, Location loc, Value source,
                          MemRefType type) {
  auto dense =
      MemRefType::get(type.getShape(), type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, source);
  // A cast that adds extents may have gone into the clone.
  for (auto [size, extent] : llvm::zip_equal(sizes, type.getShape()))
    if (!ShapedType::isDynamic(extent))
      size = b.getIndexAttr(extent);
  auto allocate = [&](MemRefType allocated, ArrayRef<OpFoldResult> extents) {
    SmallVector<Value> dynamic;
    for (auto [extent, size] : llvm::zip_equal(allocated.getShape(), extents))
      if (ShapedType::isDynamic(extent))
        dynamic.push_back(getValueOrCreateConstantIndexOp(b, loc, size));
    return memref::AllocOp::create(b, loc, allocated, dynamic).getResult();
  };
  if (hasLayoutOfDense(type, dense))
    return b.createOrFold<memref::CastOp>(loc, type, allocate(dense, sizes));

  SmallVector<int64_t> staticStrides;
  int64_t staticOffset;
  // The caller has checked that there are strides.
  (void)type.getStridesAndOffset(staticStrides, staticOffset);
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, source);
  auto choose = [&](int64_t known, Value otherwise) -> OpFoldResult {
    if (ShapedType::isDynamic(known))
      return otherwise;
    return b.getIndexAttr(known);
  };
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  OpFoldResult offset = choose(staticOffset, zero);
  SmallVector<OpFoldResult> strides;
  Value last = getValueOrCreateConstantIndexOp(b, loc, offset);
  for (auto [known, stride, size] :
       llvm::zip_equal(staticStrides, metadata.getStrides(), sizes)) {
    strides.push_back(choose(known, stride));
    Value steps = b.createOrFold<arith::SubIOp>(
        loc, getValueOrCreateConstantIndexOp(b, loc, size), one);
    last = b.createOrFold<arith::AddIOp>(
        loc, last,
        b.createOrFold<arith::MulIOp>(
            loc, steps,
            getValueOrCreateConstantIndexOp(b, loc, strides.back())));
  }
  // Without elements the last one may be in front of the first.
  last = b.createOrFold<arith::MaxSIOp>(loc, last, zero);
  OpFoldResult count = b.createOrFold<arith::AddIOp>(loc, last, one);
  auto line =
      MemRefType::get({ShapedType::kDynamic}, type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  return memref::ReinterpretCastOp::create(b, loc, type, allocate(line, count),
                                           offset, sizes, strides);
}

namespace {

struct ScanExpandCopies final
    : scan::impl::ScanExpandCopiesBase<ScanExpandCopies> {
  void runOnOperation() override {
    getOperation()->walk([](bufferization::CloneOp clone) {
      Value source = clone.getInput();
      auto type = dyn_cast<MemRefType>(clone.getType());
      if (!type || !isRanked(source) ||
          (!hasLayout(source) && !hasLayout(clone.getResult())) ||
          !type.isStrided())
        return;
      OpBuilder b(clone);
      Value copy = allocateLike(b, clone.getLoc(), source, type);
      memref::CopyOp::create(b, clone.getLoc(), source, copy);
      clone.replaceAllUsesWith(copy);
      clone.erase();
    });
    getOperation()->walk([](gpu::MemsetOp memset) {
      if (memset.getAsyncToken() || !memset.getAsyncDependencies().empty())
        return;
      OpBuilder b(memset);
      linalg::FillOp::create(b, memset.getLoc(), memset.getValue(),
                             memset.getDst());
      memset.erase();
    });
    getOperation()->walk([](memref::CopyOp copy) {
      Value source = copy.getSource(), target = copy.getTarget();
      if (!isRanked(source) || !isRanked(target) ||
          (!hasLayout(source) && !hasLayout(target)))
        return;
      OpBuilder b(copy);
      linalg::makeMemRefCopyOp(b, copy.getLoc(), source, target);
      copy.erase();
    });
  }
};

} // namespace
