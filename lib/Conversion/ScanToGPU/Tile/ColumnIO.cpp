//===- ColumnIO.cpp - Moving tiles of columns -----------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnIO.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::scan;

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

ColumnIO::ColumnIO(KernelFrame &frame, const ColumnLayout &layout)
    : frame(frame), kernel(frame.getKernel()), layout(layout),
      innerDim(frame.getInnerDim()) {
  for (const OperandView &view : frame.getInputs())
    inputs.push_back(plan(view));
  for (const OperandView &view : frame.getOutputs())
    outputs.push_back(plan(view));
}

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

ColumnIO::Operand ColumnIO::plan(const OperandView &view) {
  Operand operand;
  operand.view = view;
  operand.isVarying =
      !view.isReduction && view.map.isFunctionOfDim(kernel.getDim());
  bool isCommon = !innerDim || !view.findDim(*innerDim);
  operand.access = isCommon ? Access::Common : Access::Single;
  int64_t extent = frame.getStaticInnerExtent();
  bool isDivisible =
      ShapedType::isDynamic(extent) || extent % layout.vector == 0;
  if (isCommon || !operand.isVarying || !isDivisible)
    return operand;
  WordRun run =
      WordRun::get(view.elementType, layout.vector * view.numElements);
  if (!run.isWide())
    return operand;
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
                       ? stride * bytes % run.getAccessBytes() == 0
                       : stride == wanted;
    if (!isRight)
      return operand;
  }
  operand.run = run;
  return operand;
}

bool ColumnIO::mayBeWide() const {
  return llvm::any_of(llvm::concat<const Operand>(inputs, outputs),
                      [](const Operand &operand) { return operand.run; });
}

Value ColumnIO::createIsWide(ImplicitLocOpBuilder &b) {
  Value rest = b.createOrFold<arith::RemUIOp>(frame.getInnerExtent(b),
                                              indexConstant(b, layout.vector));
  Value isWide = compare(b, arith::CmpIPredicate::eq, rest, 0);
  auto require = [&](Value condition) {
    isWide = b.createOrFold<arith::AndIOp>(isWide, condition);
  };
  for (Operand &operand : llvm::concat<Operand>(inputs, outputs)) {
    if (!operand.run)
      continue;
    operand.address = GlobalPointer::get(b, operand.view.value);
    SmallVector<Value> others;
    for (auto [dim, wanted] :
         llvm::enumerate(getWantedStrides(operand.view, *innerDim))) {
      if (ShapedType::isDynamic(wanted))
        others.push_back(operand.address.strides[dim]);
      else
        require(compare(b, arith::CmpIPredicate::eq,
                        operand.address.strides[dim], wanted));
    }
    int64_t elements = operand.run->getAccessBytes() /
                       getStorageBytes(operand.view.elementType);
    require(operand.address.createIsAligned(b, indexConstant(b, 0), others,
                                            elements));
  }
  return isWide;
}

//===----------------------------------------------------------------------===//
// Columns and steps
//===----------------------------------------------------------------------===//

void ColumnIO::start(ImplicitLocOpBuilder &b, ArrayRef<Value> outerPoint,
                     Value first, bool isWide) {
  outer = llvm::to_vector(outerPoint);
  columns.clear();
  Value extent = frame.getInnerExtent(b);
  int64_t known = frame.getStaticInnerExtent();
  bool areAllActive =
      !ShapedType::isDynamic(known) && known % layout.getColumns() == 0;
  Value lane =
      isWide ? mulConstant(b, layout.lane, layout.vector) : layout.lane;
  Value index = b.createOrFold<arith::AddIOp>(first, lane);
  Value last = addConstant(b, extent, -1);
  for (int64_t i = 0; i < layout.vector; ++i) {
    Column column;
    column.index = addConstant(b, index, isWide ? i : i * layout.lanes);
    if (isWide && i > 0) {
      // All columns of a thread are there, or none is.
      column.isActive = columns.front().isActive;
      column.index = addConstant(b, columns.front().index, i);
    } else if (!areAllActive) {
      column.isActive =
          compare(b, arith::CmpIPredicate::ult, column.index, extent);
      Value nearest = isWide ? addConstant(b, extent, -layout.vector) : last;
      column.index = b.createOrFold<arith::MinUIOp>(column.index, nearest);
    }
    columns.push_back(column);
  }

  Value zero = indexConstant(b, 0);
  for (Operand &operand : llvm::concat<Operand>(inputs, outputs)) {
    if (operand.access != Access::Common)
      operand.access = isWide && operand.run ? Access::Run : Access::Single;
    operand.invariant.clear();
    if (!operand.isVarying && !operand.view.isReduction) {
      bool isCommon = operand.access == Access::Common;
      for (int64_t i = 0; i < (isCommon ? 1 : layout.vector); ++i)
        operand.invariant.push_back(
            loadElements(b, operand.view, createPoint(i)));
    }
    if (operand.access != Access::Run)
      continue;
    SmallVector<Value> trailing(operand.view.trailing.size(), zero);
    Value offset = operand.address.createOffset(
        b, getElementIndices(b, operand.view, getPoint(0, zero), trailing));
    int64_t bytes = getStorageBytes(operand.view.elementType);
    operand.pointer = offsetPointer(b, operand.address.pointer,
                                    mulConstant(b, offset, bytes));
    unsigned dim = *operand.view.findDim(kernel.getDim());
    operand.indexBytes = mulConstant(b, operand.address.strides[dim], bytes);
    operand.stepBytes =
        kernel.getReverse()
            ? b.createOrFold<arith::SubIOp>(zero, operand.indexBytes)
            : operand.indexBytes;
  }
}

/// Whether all tiles are full, as far as is known.
bool ColumnIO::isExactTile() const {
  int64_t known = frame.getStaticExtent();
  return !ShapedType::isDynamic(known) && known % layout.getTileSteps() == 0;
}

Value ColumnIO::getPosition(ImplicitLocOpBuilder &b, Value base, int64_t item) {
  Value first = b.createOrFold<arith::AddIOp>(
      base, mulConstant(b, layout.group, layout.items));
  return addConstant(b, first, item);
}

Value ColumnIO::getIndex(ImplicitLocOpBuilder &b, Value position) {
  if (!kernel.getReverse())
    return position;
  return b.createOrFold<arith::SubIOp>(addConstant(b, frame.getExtent(), -1),
                                       position);
}

SmallVector<Value> ColumnIO::getPoint(int64_t column, Value index) {
  SmallVector<Value> point(outer);
  if (innerDim)
    point[*innerDim] = columns[column].index;
  point[kernel.getDim()] = index;
  return point;
}

SmallVector<Value> ColumnIO::createPoint(int64_t column) {
  return getPoint(column, Value());
}

SmallVector<Value> ColumnIO::createPoint(ImplicitLocOpBuilder &b,
                                         int64_t column, Value base,
                                         int64_t item) {
  Value position = getPosition(b, base, item);
  if (!isExactTile())
    position = b.createOrFold<arith::MinUIOp>(
        position, addConstant(b, frame.getExtent(), -1));
  return getPoint(column, getIndex(b, position));
}

Value ColumnIO::createIsThere(ImplicitLocOpBuilder &b, Value base,
                              int64_t item) {
  if (isExactTile())
    return Value();
  return compare(b, arith::CmpIPredicate::ult, getPosition(b, base, item),
                 frame.getExtent());
}
