//===- ColumnOperand.cpp - One operand in tiles of columns ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnOperand.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::scan;

//===----------------------------------------------------------------------===//
// Whether accesses are vectorized
//===----------------------------------------------------------------------===//

/// The number of elements from one index to the next along each dimension of a
/// memref, if the elements of neighbouring columns are neighbours; dynamic for
/// dimensions that need not have a certain one.
static SmallVector<int64_t> getWantedStrides(const OperandView &view,
                                             unsigned innerDim) {
  SmallVector<int64_t> wanted(view.map.getNumResults(), ShapedType::kDynamic);
  wanted[*view.findDim(innerDim)] = view.numElements;
  llvm::append_range(wanted, computeStrides(view.trailing));
  return wanted;
}

ColumnOperand::ColumnOperand(const ColumnPoints &points,
                             const OperandView &view)
    : points(points), view(view) {
  KernelFrame &frame = points.frame;
  std::optional<unsigned> innerDim = frame.getInnerDim();
  varies =
      !view.isReduction && view.map.isFunctionOfDim(frame.getKernel().getDim());
  bool isCommon = !innerDim || !view.findDim(*innerDim);
  access = isCommon ? Access::Common : Access::Single;
  int64_t extent = frame.getStaticInnerExtent(), vector = points.layout.vector;
  bool isDivisible = ShapedType::isDynamic(extent) || extent % vector == 0;
  if (isCommon || !varies || !isDivisible)
    return;
  PackedAccess all =
      PackedAccess::get(view.elementType, vector * view.numElements);
  if (!all.isVectorized())
    return;
  // Strides that are known have to be the right ones; others are tested.
  SmallVector<int64_t> strides;
  int64_t offset;
  auto type = cast<MemRefType>(view.value.getType());
  (void)type.getStridesAndOffset(strides, offset);
  int64_t bytes = getStorageBytes(view.elementType);
  for (auto [stride, wanted] :
       llvm::zip_equal(strides, getWantedStrides(view, *innerDim))) {
    if (ShapedType::isDynamic(stride))
      continue;
    bool isRight = ShapedType::isDynamic(wanted)
                       ? stride * bytes % all.getAccessBytes() == 0
                       : stride == wanted;
    if (!isRight)
      return;
  }
  packed = all;
}

Value ColumnOperand::createCanVectorize(ImplicitLocOpBuilder &b,
                                        Value condition) {
  auto require = [&](Value other) {
    condition = b.createOrFold<arith::AndIOp>(condition, other);
  };
  global = GlobalPointer::get(b, view.value);
  SmallVector<Value> others;
  for (auto [stride, wanted] :
       llvm::zip_equal(global.strides,
                       getWantedStrides(view, *points.frame.getInnerDim()))) {
    if (ShapedType::isDynamic(wanted))
      others.push_back(stride);
    else
      require(compare(b, arith::CmpIPredicate::eq, stride, wanted));
  }
  int64_t elements =
      packed->getAccessBytes() / getStorageBytes(view.elementType);
  require(global.createIsAligned(b, indexConstant(b, 0), others, elements));
  return condition;
}

//===----------------------------------------------------------------------===//
// Columns and steps
//===----------------------------------------------------------------------===//

void ColumnOperand::start(ImplicitLocOpBuilder &b, bool isVectorized) {
  bool isCommon = access == Access::Common;
  if (!isCommon)
    access = isVectorized && packed ? Access::Packed : Access::Single;
  invariant.clear();
  if (!varies && !view.isReduction)
    for (int64_t i = 0; i < (isCommon ? 1 : points.layout.vector); ++i)
      invariant.push_back(loadElements(b, view, points.createPoint(i)));
  if (!varies)
    return;
  KernelOp kernel = points.frame.getKernel();
  Value zero = indexConstant(b, 0);
  if (!packed)
    global = GlobalPointer::get(b, view.value);
  pointer = createAddress(b, points.getFirstPoint(zero));
  indexBytes = mulConstant(b, global.strides[*view.findDim(kernel.getDim())],
                           getStorageBytes(view.elementType));
  stepBytes = kernel.getReverse()
                  ? b.createOrFold<arith::SubIOp>(zero, indexBytes)
                  : indexBytes;
}

/// The address of the first element at a point.
Value ColumnOperand::createAddress(ImplicitLocOpBuilder &b,
                                   ArrayRef<Value> point) const {
  SmallVector<Value> trailing(view.trailing.size(), indexConstant(b, 0));
  return global.createAddress(
      b, global.createOffset(b, getElementIndices(b, view, point, trailing)));
}

void ColumnOperand::startItems(ImplicitLocOpBuilder &b, Value position) {
  if (!varies)
    return;
  itemIndex = points.frame.createIndex(b, position);
  item = offsetPointer(b, pointer,
                       b.createOrFold<arith::MulIOp>(itemIndex, indexBytes));
}

void ColumnOperand::advanceItems(ImplicitLocOpBuilder &b) {
  if (!varies)
    return;
  item = offsetPointer(b, item, stepBytes);
  if (view.shift != 0)
    itemIndex = addConstant(b, itemIndex,
                            points.frame.getKernel().getReverse() ? -1 : 1);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// The address of the first element that is accessed at the item's step for a
/// column; of a shifted input that of the step that it is to see, or of any
/// where that is out of bounds.
Value ColumnOperand::getItemAddress(ImplicitLocOpBuilder &b,
                                    int64_t column) const {
  KernelFrame &frame = points.frame;
  Value address = item;
  int64_t distance = points.getDistance(column);
  if (access == Access::Single && distance != 0)
    address = offsetPointer(
        b, address,
        mulConstant(b, global.strides[*view.findDim(*frame.getInnerDim())],
                    distance * getStorageBytes(view.elementType)));
  if (view.shift == 0)
    return address;
  Value inBounds =
      createShiftedIndex(b, view, itemIndex, frame.getExtent()).inBounds;
  Value shift = mulConstant(b, indexBytes, 0 - uint64_t(view.shift));
  return offsetPointer(
      b, address,
      b.createOrFold<arith::SelectOp>(inBounds, shift, indexConstant(b, 0)));
}

/// The address of the element number `element` of those whose first one is at
/// `address`.
Value ColumnOperand::getElementAddress(ImplicitLocOpBuilder &b, Value address,
                                       int64_t element) const {
  if (element == 0)
    return address;
  Value offset = indexConstant(b, 0);
  ArrayRef<Value> strides =
      ArrayRef(global.strides).take_back(view.trailing.size());
  for (auto [stride, index] : llvm::zip_equal(
           strides, delinearize(element, computeStrides(view.trailing))))
    offset =
        b.createOrFold<arith::AddIOp>(offset, mulConstant(b, stride, index));
  return offsetPointer(
      b, address, mulConstant(b, offset, getStorageBytes(view.elementType)));
}

SmallVector<Value> ColumnOperand::loadAt(ImplicitLocOpBuilder &b,
                                         Value address) const {
  if (access == Access::Packed)
    return loadWords(b, *packed, address);
  SmallVector<Value> values;
  for (int64_t i = 0; i < view.numElements; ++i)
    values.push_back(
        loadElement(b, view.elementType, getElementAddress(b, address, i)));
  return values;
}

SmallVector<Value> ColumnOperand::load(ImplicitLocOpBuilder &b,
                                       int64_t column) const {
  return loadAt(b, getItemAddress(b, column));
}

SmallVector<Value> ColumnOperand::loadNearest(ImplicitLocOpBuilder &b,
                                              int64_t column,
                                              Value position) const {
  KernelFrame &frame = points.frame;
  Value index = createReadIndex(b, view, frame.createIndex(b, position),
                                frame.getExtent());
  return loadAt(b, createAddress(b, points.getPoint(column, index)));
}

void ColumnOperand::store(ImplicitLocOpBuilder &b, int64_t column,
                          ArrayRef<Elements> ofColumns, size_t first) const {
  size_t count = view.numElements;
  Value address = getItemAddress(b, column);
  if (access != Access::Packed) {
    for (size_t i = 0; i < count; ++i)
      storeElement(b, ofColumns[column][first + i],
                   getElementAddress(b, address, i));
    return;
  }
  SmallVector<Value> elements;
  for (const Elements &ofColumn : ofColumns)
    llvm::append_range(elements, ArrayRef(ofColumn).slice(first, count));
  storeWords(b, *packed, address, packWords(b, *packed, elements));
}

SmallVector<Value> ColumnOperand::unpack(ImplicitLocOpBuilder &b,
                                         ValueRange values) const {
  return access == Access::Packed ? unpackWords(b, *packed, values)
                                  : llvm::to_vector(values);
}

Elements ColumnOperand::getElements(ArrayRef<Value> ofStep,
                                    int64_t column) const {
  int64_t count = view.numElements;
  return Elements(
      ofStep.slice(access == Access::Common ? 0 : column * count, count));
}

Elements ColumnOperand::getInvariant(int64_t column) const {
  return invariant[access == Access::Common ? 0 : column];
}
