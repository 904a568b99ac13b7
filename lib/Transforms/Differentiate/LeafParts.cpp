//===- LeafParts.cpp - The elements of leaves, one by one -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LeafParts.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

void LeafParts::init() {
  for (unsigned leaf = 0, e = op.getNumLeaves(); leaf < e; ++leaf) {
    ArrayRef<int64_t> shape = getTrailingShape(leaf);
    SmallVector<int64_t> strides = computeStrides(shape);
    for (int64_t i = 0, n = ShapedType::getNumElements(shape); i < n; ++i)
      parts.push_back({leaf, delinearize(i, strides)});
  }
}

ArrayRef<int64_t> LeafParts::getTrailingShape(unsigned leaf) {
  auto type = dyn_cast<RankedTensorType>(op.getLeafTypes()[leaf]);
  return type ? type.getShape() : ArrayRef<int64_t>();
}

Value LeafParts::extract(Value tensor, const Part &part) {
  if (part.position.empty())
    return tensor;
  OpBuilder &builder = graph.builder;
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(tensor.getType());
  unsigned leading = type.getRank() - part.position.size();
  SmallVector<OpFoldResult> extents = graph.getSizes(tensor), offsets;
  offsets.assign(leading, builder.getIndexAttr(0));
  for (int64_t position : part.position)
    offsets.push_back(builder.getIndexAttr(position));
  for (unsigned i = leading; i < extents.size(); ++i)
    extents[i] = builder.getIndexAttr(1);
  SmallVector<OpFoldResult> strides(extents.size(), builder.getIndexAttr(1));
  auto sliceType = RankedTensorType::get(type.getShape().take_front(leading),
                                         type.getElementType());
  return tensor::ExtractSliceOp::create(builder, loc, sliceType, tensor,
                                        offsets, extents, strides);
}

Value LeafParts::join(Value like, unsigned leaf, ArrayRef<Value> values,
                      RankedTensorType type) {
  SmallVector<Value> ofLeaf;
  SmallVector<const Part *> places;
  for (auto [part, value] : llvm::zip_equal(parts, values))
    if (part.leaf == leaf) {
      ofLeaf.push_back(value);
      places.push_back(&part);
    }
  if (places.size() == 1 && places.front()->position.empty())
    return ofLeaf.front();
  if (llvm::none_of(ofLeaf, [](Value value) { return bool(value); }))
    return {};
  OpBuilder &builder = graph.builder;
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> extents = graph.getSizes(like);
  Value joined = graph.createFill(loc, type.getElementType(), extents, 0.0);
  unsigned leading = type.getRank() - getTrailingShape(leaf).size();
  SmallVector<OpFoldResult> strides(extents.size(), builder.getIndexAttr(1));
  for (unsigned i = leading; i < extents.size(); ++i)
    extents[i] = builder.getIndexAttr(1);
  for (auto [place, value] : llvm::zip_equal(places, ofLeaf)) {
    if (!value)
      continue;
    SmallVector<OpFoldResult> offsets(leading, builder.getIndexAttr(0));
    for (int64_t position : place->position)
      offsets.push_back(builder.getIndexAttr(position));
    joined = tensor::InsertSliceOp::create(builder, loc, value, joined, offsets,
                                           extents, strides);
  }
  return joined;
}
