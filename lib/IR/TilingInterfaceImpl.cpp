//===- TilingInterfaceImpl.cpp - Tiling of scans --------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every dimension of a scan but the scanned one is parallel and tiles. Along
// the scanned one each step needs the one before: a tile has all of it. So it
// has of a dimension that a reduction output leaves out: tiles that are
// computed at a time would add to the same elements.
//
// Who asks for a tile that cannot be had is told so. Where an error is not for
// this file to emit, as the caller may go on without the fusion that it tried,
// it is a remark.
//
//===----------------------------------------------------------------------===//

#include "TilingInterfaceImpl.h"
#include "Extents.h"
#include "IndexedScan.h"
#include "TileIndices.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::impl;

namespace {

using Mixed = SmallVector<OpFoldResult>;
using MixedRef = ArrayRef<OpFoldResult>;

bool isZero(OpFoldResult value) { return isConstantIntValue(value, 0); }

/// The segments of a scan; null if it has none.
Value getSegments(Operation *op) {
  if (auto scan = dyn_cast<AssociativeOp>(op))
    return scan.getSegments();
  auto scan = dyn_cast<LinearRecurrenceOp>(op);
  return scan ? scan.getSegments() : Value();
}

/// The part of `value`, an operand or result of `op`, that belongs to a tile of
/// the domain. Trailing dimensions and those of segments belong to it whole.
std::pair<Mixed, Mixed> getPart(OpBuilder &builder, Operation *op,
                                AffineMap map, Value value, MixedRef offsets,
                                MixedRef sizes) {
  auto type = cast<ShapedType>(value.getType());
  Mixed partOffsets, partSizes;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    partOffsets.push_back(dim ? offsets[dim.getPosition()]
                              : builder.getIndexAttr(0));
    partSizes.push_back(dim ? sizes[dim.getPosition()]
                            : IndexedScan::getExtentOutside(
                                  builder, getSegments(op), value, i));
  }
  for (int64_t extent : type.getShape().drop_front(map.getNumResults())) {
    partOffsets.push_back(builder.getIndexAttr(0));
    partSizes.push_back(builder.getIndexAttr(extent));
  }
  return {partOffsets, partSizes};
}

/// A slice of a tensor, or a view of a memref.
Value createSlice(OpBuilder &builder, Location loc, Value source,
                  MixedRef offsets, MixedRef sizes) {
  Mixed strides(offsets.size(), builder.getIndexAttr(1));
  if (isa<TensorType>(source.getType()))
    return tensor::ExtractSliceOp::create(builder, loc, source, offsets, sizes,
                                          strides);
  return memref::SubViewOp::create(builder, loc, source, offsets, sizes,
                                   strides);
}

/// The types of the results of `op` over `operands`.
SmallVector<Type> inferResultTypes(KernelOp op, ValueRange operands) {
  return llvm::to_vector(operands.take_back(op->getNumResults()).getTypes());
}
template <typename GraphOp>
SmallVector<Type> inferResultTypes(GraphOp op, ValueRange operands) {
  SmallVector<Type> types;
  LogicalResult inferred = GraphOp::inferReturnTypes(
      op.getContext(), op.getLoc(), operands,
      op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
      op->getRegions(), types);
  assert(succeeded(inferred) && "the ranks are those of the verified op");
  (void)inferred;
  return types;
}

/// True if the type of operand `i` decides the type of a result: the operand
/// has to be a slice of the very sizes that the result is said to have.
bool shapesResult(KernelOp op, unsigned i) {
  return i + op.getNumDpsInits() >= op->getNumOperands();
}
bool shapesResult(AssociativeOp op, unsigned i) {
  return i < op.getNumLeaves();
}
bool shapesResult(LinearRecurrenceOp op, unsigned i) {
  return op->getOperand(i) == op.getB();
}
bool shapesResult(ShiftOp op, unsigned i) { return i == 0; }

/// True if a reduction output of `op` leaves out domain dimension `d`.
template <typename OpTy> bool isReduced(OpTy op, unsigned d) {
  if constexpr (std::is_same_v<OpTy, KernelOp>)
    return llvm::any_of(op.getOutputMaps(),
                        [&](AffineMap map) { return !map.isFunctionOfDim(d); });
  return false;
}

//===----------------------------------------------------------------------===//
// From a tile of the domain
//===----------------------------------------------------------------------===//

/// The scan over a tile of the domain, which has all of the scanned dimension.
/// `sliced` are operands to slice even where the tile has all of them.
template <typename OpTy>
FailureOr<TilingResult>
createTile(OpTy op, const IndexedScan &scan, OpBuilder &builder,
           MixedRef offsets, MixedRef sizes, ArrayRef<unsigned> sliced = {}) {
  if constexpr (std::is_same_v<OpTy, KernelOp>)
    if (failed(verifyTileIndices(op, offsets)))
      return failure();
  llvm::SmallBitVector whole(scan.rank);
  for (unsigned d = 0; d < scan.rank; ++d)
    whole[d] = isZero(offsets[d]) && scan.isExtent(sizes[d], d);

  TilingResult tile;
  SmallVector<Value> operands;
  for (auto [i, operand, map] :
       llvm::enumerate(op->getOperands(), scan.operandMaps)) {
    bool isWhole = llvm::all_of(map.getResults(), [&](AffineExpr expr) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      return !dim || whole[dim.getPosition()];
    });
    // What all tiles share is not sliced, and so not computed again per tile
    // when its producer is fused along the slices.
    auto type = dyn_cast<ShapedType>(operand.getType());
    if (!type ||
        (isWhole && !shapesResult(op, i) && !llvm::is_contained(sliced, i))) {
      operands.push_back(operand);
      continue;
    }
    auto [partOffsets, partSizes] =
        getPart(builder, op, map, operand, offsets, sizes);
    operands.push_back(
        createSlice(builder, op.getLoc(), operand, partOffsets, partSizes));
    tile.generatedSlices.push_back(operands.back().getDefiningOp());
  }
  Operation *tiled = mlir::clone(builder, op.getOperation(),
                                 inferResultTypes(op, operands), operands);
  if constexpr (std::is_same_v<OpTy, KernelOp>)
    offsetTileIndices(builder, cast<KernelOp>(tiled), offsets);
  tile.tiledOps.push_back(tiled);
  llvm::append_range(tile.tiledValues, tiled->getResults());
  return tile;
}

/// "offset 0 and size 3", for diagnostics.
std::string describePart(OpFoldResult offset, OpFoldResult size) {
  std::optional<int64_t> constantOffset = getConstantIntValue(offset),
                         constantSize = getConstantIntValue(size);
  if (!constantOffset && !constantSize)
    return "a part that is known at run time only";
  auto print = [](std::optional<int64_t> value) {
    return value ? std::to_string(*value) : "known at run time only";
  };
  return "offset " + print(constantOffset) + " and size " + print(constantSize);
}

//===----------------------------------------------------------------------===//
// From a tile of an operand or a result
//===----------------------------------------------------------------------===//

/// Finds the tile of the domain that belongs to a part of an operand or result.
struct DomainTile {
  DomainTile(const IndexedScan &scan)
      : scan(scan), offsets(scan.rank), sizes(scan.rank) {}

  /// Takes in that the tile has this part of a value of type `type`. Fails with
  /// a reason in `reason` if no tile of the domain does. `exact` says that a
  /// tile must not have more than the part.
  LogicalResult add(AffineMap map, ShapedType type, MixedRef partOffsets,
                    MixedRef partSizes, bool exact);

  /// Fails with a reason if the tile has part of a dimension that a reduction
  /// output of `op` leaves out.
  template <typename OpTy> LogicalResult checkReductions(OpTy op);

  /// Fills in dimensions that nothing was said about: the tile has all of them.
  void complete(OpBuilder &builder) {
    for (unsigned d = 0; d < scan.rank; ++d)
      if (!sizes[d]) {
        offsets[d] = builder.getIndexAttr(0);
        sizes[d] = scan.getExtent(builder, d);
      }
  }

  const IndexedScan &scan;
  Mixed offsets, sizes;
  std::string reason;

private:
  LogicalResult fail(const Twine &why) {
    reason = why.str();
    return failure();
  }
};

LogicalResult DomainTile::add(AffineMap map, ShapedType type,
                              MixedRef partOffsets, MixedRef partSizes,
                              bool exact) {
  for (int64_t i = 0; i < type.getRank(); ++i) {
    bool mapped = i < map.getNumResults();
    auto dim = dyn_cast_or_null<AffineDimExpr>(mapped ? map.getResult(i)
                                                      : AffineExpr());
    OpFoldResult offset = partOffsets[i], size = partSizes[i];
    auto found = [&] {
      return ", found " + describePart(offset, size) + " in dimension " +
             std::to_string(i);
    };
    if (dim && dim.getPosition() != scan.dim) {
      OpFoldResult &tileOffset = offsets[dim.getPosition()];
      OpFoldResult &tileSize = sizes[dim.getPosition()];
      if (tileSize && !(isEqualConstantIntOrValue(tileOffset, offset) &&
                        isEqualConstantIntOrValue(tileSize, size)))
        return fail("expected the tiles of all operands to belong to one tile "
                    "of the scan" +
                    found());
      tileOffset = offset;
      tileSize = size;
      continue;
    }
    // A broadcast dimension has the one element, whatever is said of it.
    if (mapped && !dim && type.getDimSize(i) == 1)
      continue;
    // A part of the scanned or of a trailing dimension, or of one of segments:
    // the tile has all of it.
    bool isWhole = dim ? scan.isExtent(size, scan.dim)
                       : isConstantIntValue(size, type.getDimSize(i));
    if (mapped && !dim && (exact || !isZero(offset)))
      return fail("expected all of the dimension of the segments" + found());
    if (!isZero(offset) || (exact && !isWhole))
      return fail((dim ? Twine("expected all of the scanned dimension, as each "
                               "step needs the one before")
                       : Twine("expected all of a trailing dimension")) +
                  found());
  }
  return success();
}

template <typename OpTy> LogicalResult DomainTile::checkReductions(OpTy op) {
  for (unsigned d = 0; d < scan.rank; ++d)
    if (d != scan.dim && sizes[d] && isReduced(op, d) &&
        !(isZero(offsets[d]) && scan.isExtent(sizes[d], d)))
      return fail(
          "expected all of dimension " + Twine(d) +
          " of the domain, as a reduction output leaves it out, found " +
          describePart(offsets[d], sizes[d]));
  return success();
}

/// The tile of `op` that result `number`, or a part of it, is computed from.
template <typename OpTy>
FailureOr<DomainTile> getTileOfResult(OpTy op, const IndexedScan &scan,
                                      unsigned number, MixedRef offsets,
                                      MixedRef sizes, bool explain) {
  DomainTile tile(scan);
  auto type = cast<ShapedType>(op->getResult(number).getType());
  if (succeeded(tile.add(scan.resultMaps[number], type, offsets, sizes,
                         /*exact=*/false)) &&
      succeeded(tile.checkReductions(op)))
    return tile;
  if (explain)
    op.emitRemark() << "result #" << number
                    << " not fused into its consumer: " << tile.reason
                    << "; tile the consumer in other dimensions only";
  return failure();
}

/// The tile of `op` that reads these tiles of its operands.
template <typename OpTy>
FailureOr<DomainTile> getTileOfOperands(OpTy op, const IndexedScan &scan,
                                        ArrayRef<unsigned> numbers,
                                        ArrayRef<Mixed> offsets,
                                        ArrayRef<Mixed> sizes, bool explain) {
  DomainTile tile(scan);
  for (auto [number, partOffsets, partSizes] :
       llvm::zip_equal(numbers, offsets, sizes)) {
    auto type = cast<ShapedType>(op->getOperand(number).getType());
    if (succeeded(tile.add(scan.operandMaps[number], type, partOffsets,
                           partSizes, /*exact=*/true)) &&
        succeeded(tile.checkReductions(op)))
      continue;
    if (explain)
      op.emitRemark() << "not fused after the tiles of operand #" << number
                      << ": " << tile.reason
                      << "; tile the producer in other dimensions only";
    return failure();
  }
  return tile;
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

template <typename OpTy>
struct TilingModel
    : public TilingInterface::ExternalModel<TilingModel<OpTy>, OpTy> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *op) const {
    IndexedScan scan(cast<OpTy>(op));
    SmallVector<utils::IteratorType> types(scan.rank,
                                           utils::IteratorType::parallel);
    for (unsigned d = 0; d < scan.rank; ++d)
      if (d == scan.dim || isReduced(cast<OpTy>(op), d))
        types[d] = utils::IteratorType::reduction;
    return types;
  }

  SmallVector<Range> getIterationDomain(Operation *op,
                                        OpBuilder &builder) const {
    IndexedScan scan(cast<OpTy>(op));
    SmallVector<Range> domain;
    for (unsigned d = 0; d < scan.rank; ++d)
      domain.push_back({builder.getIndexAttr(0), scan.getExtent(builder, d),
                        builder.getIndexAttr(1)});
    return domain;
  }

  FailureOr<TilingResult> getTiledImplementation(Operation *op,
                                                 OpBuilder &builder,
                                                 MixedRef offsets,
                                                 MixedRef sizes) const {
    IndexedScan scan(cast<OpTy>(op));
    // A tile as large as the dimension is the first and only one, whatever
    // computes its offset.
    std::optional<int64_t> extent = scan.getStaticExtent(scan.dim);
    bool isOnly = extent && isConstantIntValue(sizes[scan.dim], *extent);
    if (!isOnly && !(isZero(offsets[scan.dim]) &&
                     scan.isExtent(sizes[scan.dim], scan.dim))) {
      return op->emitOpError()
             << "expected a tile with all of dimension " << scan.dim
             << ", which is scanned: each step needs the one before; found "
             << describePart(offsets[scan.dim], sizes[scan.dim])
             << "; give it the tile size 0, no threads, and tile the others";
    }
    Mixed tileOffsets(offsets);
    tileOffsets[scan.dim] = builder.getIndexAttr(0);
    for (unsigned d = 0; d < scan.rank; ++d) {
      std::optional<int64_t> whole = scan.getStaticExtent(d);
      if (d == scan.dim || !isReduced(cast<OpTy>(op), d) ||
          (whole && isConstantIntValue(sizes[d], *whole)) ||
          (isZero(offsets[d]) && scan.isExtent(sizes[d], d)))
        continue;
      return op->emitOpError()
             << "expected a tile with all of dimension " << d
             << ", which a reduction output leaves out; found "
             << describePart(offsets[d], sizes[d])
             << "; give it the tile size 0, no threads, and tile the others";
    }
    return createTile(cast<OpTy>(op), scan, builder, tileOffsets, sizes);
  }

  LogicalResult getResultTilePosition(Operation *op, OpBuilder &builder,
                                      unsigned number, MixedRef offsets,
                                      MixedRef sizes, Mixed &resultOffsets,
                                      Mixed &resultSizes) const {
    IndexedScan scan(cast<OpTy>(op));
    Mixed tileOffsets(offsets);
    tileOffsets[scan.dim] = builder.getIndexAttr(0);
    std::tie(resultOffsets, resultSizes) =
        getPart(builder, op, scan.resultMaps[number], op->getResult(number),
                tileOffsets, sizes);
    return success();
  }

  LogicalResult getIterationDomainTileFromResultTile(
      Operation *op, OpBuilder &builder, unsigned number, MixedRef offsets,
      MixedRef sizes, SmallVectorImpl<OpFoldResult> &domainOffsets,
      SmallVectorImpl<OpFoldResult> &domainSizes) const {
    IndexedScan scan(cast<OpTy>(op));
    FailureOr<DomainTile> tile = getTileOfResult(
        cast<OpTy>(op), scan, number, offsets, sizes, /*explain=*/true);
    if (failed(tile))
      return failure();
    tile->complete(builder);
    domainOffsets = tile->offsets;
    domainSizes = tile->sizes;
    return success();
  }

  FailureOr<TilingResult>
  generateResultTileValue(Operation *op, OpBuilder &builder, unsigned number,
                          MixedRef offsets, MixedRef sizes) const {
    IndexedScan scan(cast<OpTy>(op));
    FailureOr<DomainTile> tile = getTileOfResult(
        cast<OpTy>(op), scan, number, offsets, sizes, /*explain=*/true);
    if (failed(tile))
      return failure();
    tile->complete(builder);
    FailureOr<TilingResult> tiled =
        createTile(cast<OpTy>(op), scan, builder, tile->offsets, tile->sizes);
    if (failed(tiled))
      return failure();
    Value value = tiled->tiledValues[number];
    // The consumer may want the first steps only, or may get its extent from
    // another of its operands.
    auto type = cast<RankedTensorType>(value.getType());
    AffineMap map = scan.resultMaps[number];
    bool isWhole = true;
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (i >= map.getNumResults() || !isa<AffineDimExpr>(map.getResult(i)) ||
          map.getDimPosition(i) == scan.dim)
        isWhole &= isExtentOf(sizes[i], value, i);
    if (!isWhole)
      value =
          createSlice(builder, op->getLoc(), value,
                      Mixed(type.getRank(), builder.getIndexAttr(0)), sizes);
    tiled->tiledValues = {value};
    return tiled;
  }

  LogicalResult getIterationDomainTileFromOperandTiles(
      Operation *op, OpBuilder &builder, ArrayRef<unsigned> numbers,
      ArrayRef<Mixed> offsets, ArrayRef<Mixed> sizes,
      SmallVectorImpl<OpFoldResult> &domainOffsets,
      SmallVectorImpl<OpFoldResult> &domainSizes) const {
    IndexedScan scan(cast<OpTy>(op));
    FailureOr<DomainTile> tile = getTileOfOperands(
        cast<OpTy>(op), scan, numbers, offsets, sizes, /*explain=*/true);
    if (failed(tile))
      return failure();
    tile->complete(builder);
    domainOffsets = tile->offsets;
    domainSizes = tile->sizes;
    return success();
  }

  FailureOr<TilingResult> getTiledImplementationFromOperandTiles(
      Operation *op, OpBuilder &builder, ArrayRef<unsigned> numbers,
      ArrayRef<Mixed> offsets, ArrayRef<Mixed> sizes) const {
    IndexedScan scan(cast<OpTy>(op));
    FailureOr<DomainTile> tile = getTileOfOperands(
        cast<OpTy>(op), scan, numbers, offsets, sizes, /*explain=*/true);
    if (failed(tile))
      return failure();
    tile->complete(builder);
    // The caller puts the tiles in the place of the slices of these operands.
    return createTile(cast<OpTy>(op), scan, builder, tile->offsets, tile->sizes,
                      numbers);
  }

  bool isOpFusableWithConsumerSlice(Operation *op, unsigned number,
                                    MixedRef offsets, MixedRef sizes) const {
    IndexedScan scan(cast<OpTy>(op));
    return succeeded(getTileOfResult(cast<OpTy>(op), scan, number, offsets,
                                     sizes, /*explain=*/false));
  }

  bool isOpFusableWithProducerSlices(Operation *op, ArrayRef<unsigned> numbers,
                                     ArrayRef<Mixed> offsets,
                                     ArrayRef<Mixed> sizes) const {
    IndexedScan scan(cast<OpTy>(op));
    return succeeded(getTileOfOperands(cast<OpTy>(op), scan, numbers, offsets,
                                       sizes, /*explain=*/false));
  }
};

} // namespace

void scan::impl::attachTilingInterface(MLIRContext &context) {
  KernelOp::attachInterface<TilingModel<KernelOp>>(context);
  AssociativeOp::attachInterface<TilingModel<AssociativeOp>>(context);
  LinearRecurrenceOp::attachInterface<TilingModel<LinearRecurrenceOp>>(context);
  ShiftOp::attachInterface<TilingModel<ShiftOp>>(context);
}
