//===- TimeLoops.cpp - Recurrences before they are differentiated ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimeLoops.h"
#include "IR/Extents.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

/// True if a row is known to be empty: no offset is in bounds then, and there
/// is nothing to be moved.
static bool isEmpty(ArrayRef<OpFoldResult> sizes, int64_t dim) {
  for (auto [d, size] : llvm::enumerate(sizes))
    if (static_cast<int64_t>(d) != dim && isConstantIntValue(size, 0))
      return true;
  return false;
}

Value differentiate::createRows(OpBuilder &builder, Location loc, Value tensor,
                                SmallVector<OpFoldResult> sizes, int64_t dim,
                                OpFoldResult first, OpFoldResult count) {
  sizes[dim] = count;
  if (isEmpty(sizes, dim))
    return tensor::EmptyOp::create(builder, loc, sizes,
                                   getElementTypeOrSelf(tensor.getType()));
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(sizes.size(), builder.getIndexAttr(1));
  offsets[dim] = first;
  return tensor::ExtractSliceOp::create(builder, loc, tensor, offsets, sizes,
                                        ones);
}

Value differentiate::insertRows(OpBuilder &builder, Location loc, Value rows,
                                Value tensor, SmallVector<OpFoldResult> sizes,
                                int64_t dim, OpFoldResult first,
                                OpFoldResult count) {
  sizes[dim] = count;
  if (isEmpty(sizes, dim))
    return tensor;
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(sizes.size(), builder.getIndexAttr(1));
  offsets[dim] = first;
  return tensor::InsertSliceOp::create(builder, loc, rows, tensor, offsets,
                                       sizes, ones);
}

static void keepInitRows(IRRewriter &rewriter, RecurrenceOp op) {
  Location loc = op.getLoc();
  int64_t dim = op.getDim();
  rewriter.setInsertionPoint(op);
  ReifiedRankedShapedTypeDims shapes;
  if (failed(op.reifyResultShapes(rewriter, shapes)))
    return;
  SmallVector<Type> types(op.getResultTypes());
  for (unsigned i = 0, e = op.getNumStates(); i < e; ++i) {
    auto type = cast<RankedTensorType>(types[i]);
    SmallVector<int64_t> shape(type.getShape());
    if (!ShapedType::isDynamic(shape[dim]))
      shape[dim] += op.getWindow(i);
    types[i] = RankedTensorType::get(shape, type.getElementType());
  }
  OperationState state(loc, op->getName(), op->getOperands(), types,
                       llvm::to_vector(op->getDiscardableAttrs()));
  state.getOrAddProperties<RecurrenceOp::Properties>() = op.getProperties();
  state.addRegion()->takeBody(op.getBody());
  auto kept = cast<RecurrenceOp>(rewriter.create(state));
  kept.setInitRows(true);
  SmallVector<Value> results(kept.getResults());
  for (unsigned i = 0, e = kept.getNumStates(); i < e; ++i) {
    Value rows = createRows(
        rewriter, loc, results[i], shapes[i], dim,
        rewriter.getIndexAttr(kept.getReverse() ? 0 : kept.getWindow(i)),
        shapes[i][dim]);
    if (rows.getType() != op.getResult(i).getType())
      rows = tensor::CastOp::create(rewriter, loc, op.getResult(i).getType(),
                                    rows);
    results[i] = rows;
  }
  rewriter.replaceOp(op, results);
}

void differentiate::keepInitRows(Operation *root) {
  SmallVector<RecurrenceOp> recurrences;
  root->walk([&](RecurrenceOp op) {
    if (!op.getInitRows())
      recurrences.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  for (RecurrenceOp op : recurrences)
    ::keepInitRows(rewriter, op);
}

bool differentiate::isStepRows(Operation *op) {
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  auto history = slice ? dyn_cast<OpResult>(slice.getSource()) : OpResult();
  auto recurrence =
      history ? dyn_cast<RecurrenceOp>(history.getOwner()) : RecurrenceOp();
  if (!recurrence || !recurrence.getInitRows() ||
      history.getResultNumber() >= recurrence.getNumStates() ||
      slice.getType().getRank() != slice.getSourceType().getRank())
    return false;
  unsigned state = history.getResultNumber();
  int64_t dim = recurrence.getDim();
  for (int64_t d = 0, rank = slice.getType().getRank(); d < rank; ++d) {
    int64_t first =
        d == dim && !recurrence.getReverse() ? recurrence.getWindow(state) : 0;
    OpFoldResult size = slice.getMixedSizes()[d];
    if (!isConstantIntValue(slice.getMixedOffsets()[d], first) ||
        !isConstantIntValue(slice.getMixedStrides()[d], 1))
      return false;
    if (d != dim ? !isExtentOf(size, recurrence.getInits()[state], d)
        : recurrence.getSteps()
            ? !isSameExtent(size, recurrence.getSteps())
            : llvm::none_of(recurrence.getInputs(), [&](Value input) {
                return isExtentOf(size, input, dim);
              }))
      return false;
  }
  return true;
}

SmallVector<tensor::ExtractSliceOp> differentiate::getStepRows(RecurrenceOp op,
                                                               unsigned state) {
  SmallVector<tensor::ExtractSliceOp> slices;
  for (Operation *user : op.getHistories()[state].getUsers())
    if (isStepRows(user))
      slices.push_back(cast<tensor::ExtractSliceOp>(user));
  return slices;
}
