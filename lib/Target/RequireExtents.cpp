//===- RequireExtents.cpp - Extents of arguments that have to agree -------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels read an extent from one operand and cannot stop where another one is
// shorter. What launches them knows the extents of all arguments: it is told
// which ones have to agree, as far as that follows from the arguments alone.
//
//===----------------------------------------------------------------------===//

#include "HostAttributes.h"
#include "HostExpression.h"
#include "IR/IndexedScan.h"
#include "IndexTracer.h"
#include "Scan/IR/ScanRecurrence.h"
#include "Scan/Target/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANREQUIREEXTENTS
#include "Scan/Target/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

namespace {

/// Collects what one function requires.
class Requirements {
public:
  explicit Requirements(func::FuncOp function)
      : function(function), tracer(IndexTracer::getSilent(function)) {
    auto known = function->getAttrOfType<ArrayAttr>(requirementsAttrName);
    if (!known)
      return;
    llvm::append_range(comparisons, known);
    for (Attribute comparison : known)
      if (auto tree = cast<ArrayAttr>(comparison); tree[0] == getName("=="))
        unite(tree[1], tree[2]);
  }

  void addOperation(Operation *op);

  /// Sets the attribute of the function, if anything is required.
  void finish() {
    if (!comparisons.empty())
      function->setAttr(requirementsAttrName,
                        ArrayAttr::get(function.getContext(), comparisons));
  }

private:
  /// What is known of one extent: null where it does not follow from the
  /// arguments.
  Attribute trace(Value tensor, unsigned dim) {
    if (isa<RecurrenceOp>(tensor.getParentBlock()->getParentOp()))
      return traceRow(tensor, dim);
    return tracer.traceTensor(tensor, dim).value_or(Attribute());
  }
  Attribute traceRow(Value row, unsigned dim);
  /// The representative of all extents that have to be `extent`.
  Attribute find(Attribute extent) {
    while (Attribute parent = parents.lookup(extent))
      extent = parent;
    return extent;
  }

  Attribute getName(StringRef name) {
    return StringAttr::get(function.getContext(), name);
  }
  /// Makes two extents one; a number stands for all that are equal to it.
  void unite(Attribute lhs, Attribute rhs) {
    Attribute left = find(lhs), right = find(rhs);
    if (isa<IntegerAttr>(left))
      std::swap(left, right);
    if (left != right)
      parents[left] = right;
  }

  void requireEqual(Attribute lhs, Attribute rhs);
  void requireAtMost(Attribute lhs, Attribute rhs);
  void addMaps(ValueRange operands, ArrayRef<AffineMap> maps);
  void addRecurrence(RecurrenceOp recurrence);
  void addScatter(ScatterOp scatter);
  void addConcat(tensor::ConcatOp concat);
  void addSlice(tensor::ExtractSliceOp slice);
  void addInsert(tensor::InsertSliceOp insert);
  void addCast(tensor::CastOp cast);
  void addExpansion(tensor::ExpandShapeOp expand);
  void addElementwise(Operation *op);

  func::FuncOp function;
  IndexTracer tracer;
  SmallVector<Attribute> comparisons;
  DenseMap<Attribute, Attribute> parents;
};

} // namespace

void Requirements::requireEqual(Attribute lhs, Attribute rhs) {
  if (!lhs || !rhs)
    return;
  Attribute left = find(lhs), right = find(rhs);
  if (left == right)
    return;
  unite(lhs, rhs);
  // A number that is known of one of them comes last.
  if (isa<IntegerAttr>(left)) {
    std::swap(left, right);
    std::swap(lhs, rhs);
  }
  comparisons.push_back(
      getHostExpression("==", {lhs, isa<IntegerAttr>(right) ? right : rhs},
                        function.getContext()));
}

void Requirements::requireAtMost(Attribute lhs, Attribute rhs) {
  if (!lhs || !rhs || find(lhs) == find(rhs))
    return;
  auto left = dyn_cast<IntegerAttr>(lhs), right = dyn_cast<IntegerAttr>(rhs);
  if (left && right && left.getInt() <= right.getInt())
    return;
  Attribute comparison =
      getHostExpression("<=", {lhs, rhs}, function.getContext());
  if (!llvm::is_contained(comparisons, comparison))
    comparisons.push_back(comparison);
}

/// Dimensions of operands that one loop runs over.
void Requirements::addMaps(ValueRange operands, ArrayRef<AffineMap> maps) {
  SmallVector<Attribute> extents;
  for (auto [operand, map] : llvm::zip_equal(operands, maps)) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    extents.resize(map.getNumDims());
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        continue;
      Attribute &extent = extents[loop.getPosition()];
      Attribute found = trace(operand, i);
      requireEqual(extent, found);
      if (!extent)
        extent = found;
    }
  }
}

/// The same in the body of a recurrence.
Attribute Requirements::traceRow(Value row, unsigned dim) {
  if (auto argument = dyn_cast<BlockArgument>(row)) {
    auto op = cast<RecurrenceOp>(argument.getOwner()->getParentOp());
    bool isWhole = llvm::is_contained(op.getCaptureArguments(), argument);
    return trace(op.getOperandOf(argument),
                 dim + (!isWhole && dim >= uint64_t(op.getDim())));
  }
  Operation *op = row.getDefiningOp();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return trace(linalgOp.getTiedOpOperand(cast<OpResult>(row))->get(), dim);
  if (!op->hasTrait<OpTrait::Elementwise>())
    return {};
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      return trace(operand, dim);
  return {};
}

/// How many steps there are, and what the body reads together in each.
void Requirements::addRecurrence(RecurrenceOp recurrence) {
  for (Operation &op : recurrence.getBody().front())
    if (isa<linalg::LinalgOp>(op) || op.hasTrait<OpTrait::Elementwise>())
      addOperation(&op);
  unsigned dim = recurrence.getDim();
  ValueRange inputs = recurrence.getInputs();
  Value steps = recurrence.getSteps();
  if (!steps) {
    for (Value input : inputs.drop_front())
      requireEqual(trace(inputs.front(), dim), trace(input, dim));
    return;
  }
  Attribute count = tracer.trace(steps).value_or(Attribute());
  requireAtMost(Builder(function.getContext()).getI64IntegerAttr(0), count);
  for (Value input : inputs)
    requireAtMost(count, trace(input, dim));
}

void Requirements::addScatter(ScatterOp scatter) {
  Value source = scatter.getSource();
  for (int64_t i = 0; i < scatter.getIndex().getType().getRank(); ++i) {
    Attribute index = trace(scatter.getIndex(), i);
    if (isa<RankedTensorType>(source.getType()))
      requireEqual(trace(source, i), index);
    if (i != scatter.getScatterDim())
      requireAtMost(index, trace(scatter.getDest(), i));
  }
}

void Requirements::addConcat(tensor::ConcatOp concat) {
  Value first = concat.getInputs().front();
  for (unsigned i = 0; i < concat.getResultType().getRank(); ++i)
    if (i != concat.getDim())
      for (Value input : concat.getInputs().drop_front())
        requireEqual(trace(first, i), trace(input, i));
}

/// Ends of a slice that are known in front of the program: the first row of a
/// tensor that may have none. An empty slice fits anywhere: where other sizes
/// are dynamic, both sides are multiplied by these.
void Requirements::addSlice(tensor::ExtractSliceOp slice) {
  MLIRContext *context = function.getContext();
  SmallVector<Attribute> sizes;
  for (OpFoldResult size : slice.getMixedSizes()) {
    sizes.push_back(tracer.trace(size).value_or(Attribute()));
    if (!sizes.back() || isConstantIntValue(size, 0))
      return;
  }
  auto multiply = [&](Attribute value) {
    for (Attribute size : sizes)
      if (!isa<IntegerAttr>(size))
        value =
            isa<IntegerAttr>(value) && cast<IntegerAttr>(value).getInt() == 1
                ? size
                : getHostExpression("*", {value, size}, context);
    return value;
  };
  for (int64_t i = 0; i < slice.getSourceType().getRank(); ++i) {
    int64_t offset = slice.getStaticOffset(i), size = slice.getStaticSize(i),
            stride = slice.getStaticStride(i);
    Attribute extent = trace(slice.getSource(), i);
    if (!slice.getSourceType().isDynamicDim(i) || !extent ||
        ShapedType::isDynamic(offset) || ShapedType::isDynamic(size) ||
        ShapedType::isDynamic(stride) || offset < 0 || stride <= 0)
      continue;
    int64_t end = offset + (size - 1) * stride + 1;
    requireAtMost(multiply(Builder(context).getI64IntegerAttr(end)),
                  multiply(extent));
  }
}

void Requirements::addInsert(tensor::InsertSliceOp insert) {
  llvm::SmallBitVector dropped = insert.getDroppedDims();
  unsigned kept = 0;
  for (auto [i, size] : llvm::enumerate(insert.getMixedSizes()))
    if (!dropped.test(i))
      requireEqual(trace(insert.getSource(), kept++),
                   tracer.trace(size).value_or(Attribute()));
}

void Requirements::addCast(tensor::CastOp cast) {
  auto from = dyn_cast<RankedTensorType>(cast.getSource().getType());
  auto to = dyn_cast<RankedTensorType>(cast.getType());
  if (!from || !to)
    return;
  for (int64_t i = 0; i < to.getRank(); ++i)
    if (!to.isDynamicDim(i))
      requireEqual(trace(cast.getSource(), i), trace(cast, i));
}

void Requirements::addExpansion(tensor::ExpandShapeOp expand) {
  MLIRContext *context = function.getContext();
  SmallVector<OpFoldResult> shape = expand.getMixedOutputShape();
  for (auto [i, group] : llvm::enumerate(expand.getReassociationIndices())) {
    int64_t constant = 1;
    Attribute product;
    for (int64_t part : group) {
      FailureOr<Attribute> factor = tracer.trace(shape[part]);
      if (failed(factor))
        constant = 0;
      else if (auto number = dyn_cast<IntegerAttr>(*factor))
        constant *= number.getInt();
      else
        product = product ? getHostExpression("*", {product, *factor}, context)
                          : *factor;
    }
    Attribute number = Builder(context).getI64IntegerAttr(constant);
    if (!product)
      product = number;
    else if (constant != 1)
      product = getHostExpression("*", {product, number}, context);
    // An extent of 0 has any others beside it.
    if (constant != 0)
      requireEqual(trace(expand.getSrc(), i), product);
  }
}

void Requirements::addElementwise(Operation *op) {
  Value first;
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      continue;
    if (!first)
      first = operand;
    for (int64_t i = 0; i < type.getRank(); ++i)
      requireEqual(trace(first, i), trace(operand, i));
  }
}

void Requirements::addOperation(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<AssociativeOp, LinearRecurrenceOp, ShiftOp, KernelOp>([&](auto op) {
        addMaps(op->getOperands(),
                mlir::scan::impl::IndexedScan(op).operandMaps);
      })
      .Case([&](linalg::LinalgOp op) {
        addMaps(op->getOperands(), op.getIndexingMapsArray());
      })
      .Case([&](RecurrenceOp op) { addRecurrence(op); })
      .Case([&](ScatterOp op) { addScatter(op); })
      .Case([&](tensor::ConcatOp op) { addConcat(op); })
      .Case([&](tensor::ExtractSliceOp op) { addSlice(op); })
      .Case([&](tensor::InsertSliceOp op) { addInsert(op); })
      .Case([&](tensor::CastOp op) { addCast(op); })
      .Case([&](tensor::ExpandShapeOp op) { addExpansion(op); })
      .Default([&](Operation *op) {
        if (op->hasTrait<OpTrait::Elementwise>())
          addElementwise(op);
      });
}

namespace {

struct RequireExtents
    : public mlir::scan::impl::ScanRequireExtentsBase<RequireExtents> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    Attribute known = function->getAttr(requirementsAttrName);
    if (known && (!isa<ArrayAttr>(known) ||
                  !llvm::all_of(cast<ArrayAttr>(known), isHostComparison))) {
      function.emitError() << "expected '" << requirementsAttrName
                           << "' to be an array of comparisons, such as "
                              "[\"==\", \"arg0_d1\", 8], found "
                           << known;
      return signalPassFailure();
    }
    Requirements requirements(function);
    // What is in a branch or a loop may not run.
    for (Operation &op : function.front())
      requirements.addOperation(&op);
    requirements.finish();
  }
};

} // namespace
