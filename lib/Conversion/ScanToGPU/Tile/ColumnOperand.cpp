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
    : points(points), view(view), steps(points.frame, view) {
  KernelFrame &frame = points.frame;
  std::optional<unsigned> innerDim = frame.getInnerDim();
  varies =
      view.isStored() && view.map.isFunctionOfDim(frame.getKernel().getDim());
  isCommon = !innerDim || !view.findDim(*innerDim);
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
  steps.prepare(b);
  const GlobalPointer &global = steps.getGlobal();
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

void ColumnOperand::start(ImplicitLocOpBuilder &b) {
  invariant.clear();
  if (!varies) {
    if (view.isStored() && !view.isGathered())
      for (int64_t i = 0; i < (isCommon ? 1 : points.layout.vector); ++i)
        invariant.push_back(loadElements(b, view, points.createPoint(i)));
    return;
  }
  // What was looked up for columns in another branch does not dominate these.
  if (!packed)
    steps = StepPointer(points.frame, view);
  steps.prepare(b);
  steps.start(b, points.getFirstPoint(Value()));
}

void ColumnOperand::startItems(ImplicitLocOpBuilder &b, Value position) {
  if (varies && !isSkipped)
    steps.startAt(b, position);
}

void ColumnOperand::advanceItems(ImplicitLocOpBuilder &b) {
  if (varies && !isSkipped)
    steps.advance(b);
}

//===----------------------------------------------------------------------===//
// Elements in registers
//===----------------------------------------------------------------------===//

int64_t ColumnOperand::getNumValues() const {
  if (!varies || isSkipped)
    return 0;
  if (packed)
    return packed->numWords;
  return (isCommon ? 1 : points.layout.vector) * view.numElements;
}

SmallVector<Value> ColumnOperand::pack(ImplicitLocOpBuilder &b,
                                       ArrayRef<Value> elements) const {
  if (isSkipped)
    return {};
  return packed ? packWords(b, *packed, elements) : llvm::to_vector(elements);
}

SmallVector<Value> ColumnOperand::unpack(ImplicitLocOpBuilder &b,
                                         ValueRange values) const {
  if (isSkipped && varies)
    return SmallVector<Value>((isCommon ? 1 : points.layout.vector) *
                                  view.numElements,
                              createZero(b, view.elementType));
  return packed ? unpackWords(b, *packed, values) : llvm::to_vector(values);
}

Elements ColumnOperand::getElements(ArrayRef<Value> ofStep,
                                    int64_t column) const {
  int64_t count = view.numElements;
  return Elements(ofStep.slice(isCommon ? 0 : column * count, count));
}

Elements ColumnOperand::getInvariant(int64_t column) const {
  return invariant[isCommon ? 0 : column];
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// The address of the first element that is accessed for a column.
Value ColumnOperand::getItemAddress(ImplicitLocOpBuilder &b, int64_t column,
                                    bool isVectorized) const {
  Value address = steps.getAddress(b);
  int64_t distance = points.getDistance(column, isVectorized);
  if (isCommon || distance == 0)
    return address;
  const GlobalPointer &global = steps.getGlobal();
  Value stride = global.strides[*view.findDim(*points.frame.getInnerDim())];
  return global.moveAddress(b, address, mulConstant(b, stride, distance));
}

SmallVector<Value> ColumnOperand::load(ImplicitLocOpBuilder &b) const {
  if (isSkipped)
    return {};
  if (packed)
    return loadWords(b, *packed, steps.getAddress(b));
  SmallVector<Value> elements;
  for (int64_t column = 0; column < points.layout.vector; ++column)
    if (isAccessedFor(column))
      llvm::append_range(elements,
                         steps.load(b, getItemAddress(b, column, true)));
  return elements;
}

void ColumnOperand::store(ImplicitLocOpBuilder &b, ValueRange values) const {
  if (packed)
    return storeWords(b, *packed, steps.getAddress(b), values);
  SmallVector<Value> elements = llvm::to_vector(values);
  for (int64_t column = 0; column < points.layout.vector; ++column)
    if (isAccessedFor(column))
      steps.store(b, getElements(elements, column),
                  getItemAddress(b, column, true));
}

SmallVector<Value> ColumnOperand::loadColumn(ImplicitLocOpBuilder &b,
                                             int64_t column) const {
  return steps.load(b, getItemAddress(b, column, false));
}

void ColumnOperand::storeColumn(ImplicitLocOpBuilder &b, int64_t column,
                                ValueRange elements) const {
  steps.store(b, elements, getItemAddress(b, column, false));
}

SmallVector<Value> ColumnOperand::loadNearest(ImplicitLocOpBuilder &b,
                                              Value position,
                                              bool isVectorized) const {
  if (isSkipped)
    return {};
  KernelFrame &frame = points.frame;
  Value index = createReadIndex(b, view, frame.createIndex(b, position),
                                frame.getExtent());
  auto addressOf = [&](int64_t column) {
    return steps.createAddress(b, points.getPoint(column, index));
  };
  if (isVectorized && packed)
    return loadWords(b, *packed, addressOf(0));
  SmallVector<Value> elements;
  for (int64_t column = 0; column < points.layout.vector; ++column)
    if (isAccessedFor(column))
      llvm::append_range(elements, steps.load(b, addressOf(column)));
  return pack(b, elements);
}
