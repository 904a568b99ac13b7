//===- TileIndices.cpp - scan.index in a tile -----------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileIndices.h"
#include "KernelParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::impl;

/// The indices along `dim` that `region` reads.
static SmallVector<IndexOp> getIndices(Region &region, unsigned dim) {
  SmallVector<IndexOp> indices;
  region.walk([&](IndexOp index) {
    if (index.getDim() == dim)
      indices.push_back(index);
  });
  return indices;
}

LogicalResult scan::impl::verifyTileIndices(KernelOp kernel,
                                            ArrayRef<OpFoldResult> offsets) {
  for (auto [dim, offset] : llvm::enumerate(offsets))
    if (!getConstantIntValue(offset) &&
        !getIndices(kernel.getFinalize(), dim).empty())
      return kernel.emitOpError()
             << "expected no index of dimension " << dim
             << " in 'finalize', which has no operands that could tell where a "
                "tile of it lies, found scan.index "
             << dim << "; tile the other dimensions";
  return success();
}

/// Adds `offset` to the indices, at each of them.
static void addOffset(OpBuilder &builder, ArrayRef<IndexOp> indices,
                      function_ref<Value(Location)> offset) {
  OpBuilder::InsertionGuard guard(builder);
  for (IndexOp index : indices) {
    builder.setInsertionPointAfter(index);
    Value amount = offset(index.getLoc());
    Value sum = arith::AddIOp::create(builder, index.getLoc(), index, amount);
    index.getResult().replaceAllUsesExcept(sum, sum.getDefiningOp());
  }
}

/// Gives `tile` the scalar `value` as one more input or, with `isInit`, init.
static void addScalar(KernelOp tile, Value value, bool isInit) {
  Builder builder(tile);
  unsigned inputs = tile.getInputs().size(), inits = tile.getInits().size();
  KernelParts parts(tile);
  SmallVector<Attribute> maps(tile.getIndexingMaps().getValue());
  AffineMap none =
      AffineMap::get(tile.getDomainRank(), 0, builder.getContext());
  maps.insert(maps.begin() + inputs + (isInit ? inits : 0),
              AffineMapAttr::get(none));
  if (isInit) {
    tile.getInitsMutable().append(value);
  } else {
    parts.addInput(value, none);
    tile.getInputsMutable().append(value);
    tile.setInputShifts(parts.shifts, parts.boundaries);
    tile.setInputSegmentOffsets(parts.segmentOffsets);
    tile.setInputGathers(parts.gathers);
  }
  tile.setIndexingMapsAttr(builder.getArrayAttr(maps));
}

void scan::impl::offsetTileIndices(OpBuilder &builder, KernelOp tile,
                                   ArrayRef<OpFoldResult> offsets) {
  for (unsigned dim = 0; dim < offsets.size(); ++dim) {
    OpFoldResult offset = offsets[dim];
    std::optional<int64_t> known = getConstantIntValue(offset);
    if (known && *known == 0)
      continue;
    if (known) {
      for (Region &region : tile->getRegions())
        addOffset(builder, getIndices(region, dim), [&](Location loc) {
          return arith::ConstantIndexOp::create(builder, loc, *known);
        });
      continue;
    }
    // An index is no element type of a kernel.
    Value word;
    auto pass = [&](ArrayRef<Region *> regions, bool isInit) {
      bool isRead = false;
      for (Region *region : regions)
        isRead |= !getIndices(*region, dim).empty();
      if (!isRead)
        return;
      if (!word) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(tile);
        word = arith::IndexCastOp::create(
            builder, tile.getLoc(), builder.getI64Type(), cast<Value>(offset));
      }
      addScalar(tile, word, isInit);
      for (Region *region : regions) {
        Value argument =
            region->front().addArgument(builder.getI64Type(), tile.getLoc());
        addOffset(builder, getIndices(*region, dim), [&](Location loc) {
          return arith::IndexCastOp::create(builder, loc,
                                            builder.getIndexType(), argument);
        });
      }
    };
    pass({&tile.getLoad(), &tile.getStore()}, /*isInit=*/false);
    pass({&tile.getInitialize()}, /*isInit=*/true);
  }
}
