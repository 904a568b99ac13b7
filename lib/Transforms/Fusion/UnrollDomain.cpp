//===- UnrollDomain.cpp - Static dimensions of the domain as leaves -------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/KernelParts.h"
#include "IR/OperatorFacts.h"
#include "KernelFusion.h"
#include "KernelShape.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

/// The elements that an operand contributes to its region: `count` before, and
/// now so many for each combination of the unrolled dimensions that it has.
/// These are in the order of its dimensions, as indices into the list of all.
struct OperandElements {
  SmallVector<unsigned> unrolled;
  int64_t count;
};

class DomainUnroller {
public:
  DomainUnroller(RewriterBase &rewriter, KernelOp kernel,
                 const llvm::SmallBitVector &dims, const KernelShape &shape);
  KernelOp unroll();

private:
  OperandElements getElements(OpOperand &operand);
  int64_t getNewCount(const OperandElements &elements) const;
  /// Where the old element `element` at the unrolled point `point` is among the
  /// new ones.
  int64_t getPosition(const OperandElements &elements, ArrayRef<int64_t> point,
                      int64_t element) const;

  void addRead(OpOperand &operand, SmallVector<Value> &values,
               SmallVector<AffineMap> &maps);
  void addWritten(OpOperand &operand, SmallVector<Value> &values,
                  SmallVector<AffineMap> &maps);
  Value slice(OpOperand &operand, int64_t number);

  /// What `index` reads at the unrolled point `point`.
  Value createIndex(IndexOp index, ArrayRef<int64_t> point);
  /// Replaces the block of a region by one copy of it per unrolled point. Its
  /// arguments are `numGroups` times the leaves, then the elements of `ins`; it
  /// yields the elements of `outs`, or leaves if `yieldsLeaves`.
  void unrollRegion(Region &region, unsigned numGroups,
                    ArrayRef<OperandElements> ins,
                    ArrayRef<OperandElements> outs, bool yieldsLeaves);

  RewriterBase &rewriter;
  KernelOp kernel;
  Location loc;
  const KernelShape &shape;
  unsigned numLeaves;
  SmallVector<unsigned> dims;
  SmallVector<int64_t> extents;
  /// All points of the unrolled dimensions.
  SmallVector<SmallVector<int64_t>> points;
};

} // namespace

static SmallVector<SmallVector<int64_t>> getPoints(ArrayRef<int64_t> extents) {
  SmallVector<int64_t> strides = computeStrides(extents);
  SmallVector<SmallVector<int64_t>> points;
  for (int64_t i = 0, e = ShapedType::getNumElements(extents); i < e; ++i)
    points.push_back(delinearize(i, strides));
  return points;
}

static Value addNumbers(OpBuilder &builder, Location loc, Value a, Value b) {
  if (isa<ComplexType>(a.getType()))
    return complex::AddOp::create(builder, loc, a, b);
  if (isa<FloatType>(a.getType()))
    return arith::AddFOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, a, b);
}

DomainUnroller::DomainUnroller(RewriterBase &rewriter, KernelOp kernel,
                               const llvm::SmallBitVector &which,
                               const KernelShape &shape)
    : rewriter(rewriter), kernel(kernel), loc(kernel.getLoc()), shape(shape),
      numLeaves(kernel.getNumLeaves()) {
  SmallVector<int64_t> domain = kernel.getStaticDomainShape();
  for (unsigned d : which.set_bits()) {
    dims.push_back(d);
    extents.push_back(domain[d]);
  }
  points = getPoints(extents);
}

OperandElements DomainUnroller::getElements(OpOperand &operand) {
  AffineMap map = kernel.getIndexingMap(operand);
  OperandElements elements = {{}, KernelOp::getNumElements(operand.get(), map)};
  for (AffineExpr expr : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      const auto *found = llvm::find(dims, dim.getPosition());
      if (found != dims.end())
        elements.unrolled.push_back(found - dims.begin());
    }
  return elements;
}

int64_t DomainUnroller::getNewCount(const OperandElements &elements) const {
  int64_t count = elements.count;
  for (unsigned i : elements.unrolled)
    count *= extents[i];
  return count;
}

int64_t DomainUnroller::getPosition(const OperandElements &elements,
                                    ArrayRef<int64_t> point,
                                    int64_t element) const {
  int64_t position = 0;
  for (unsigned i : elements.unrolled)
    position = position * extents[i] + point[i];
  return position * elements.count + element;
}

/// The slice with the number `number` of an operand that is sliced.
Value DomainUnroller::slice(OpOperand &operand, int64_t number) {
  const KernelShape::Operand &placed = shape[operand];
  SmallVector<int64_t> dropped, at;
  AffineMap map = kernel.getIndexingMap(operand);
  for (int64_t i = map.getNumResults() - 1; i >= 0; --i) {
    if (llvm::is_contained(placed.order, i))
      continue;
    dropped.push_back(i);
    at.push_back(0);
    if (auto dim = dyn_cast<AffineDimExpr>(map.getResult(i))) {
      int64_t extent =
          extents[llvm::find(dims, dim.getPosition()) - dims.begin()];
      at.back() = number % extent;
      number /= extent;
    }
  }
  return createSliceAt(rewriter, loc, operand.get(), dropped, at);
}

void DomainUnroller::addRead(OpOperand &operand, SmallVector<Value> &values,
                             SmallVector<AffineMap> &maps) {
  const KernelShape::Operand &placed = shape[operand];
  if (placed.isSliced) {
    OperandElements elements = getElements(operand);
    int64_t count =
        getNewCount(elements) / std::max<int64_t>(1, elements.count);
    for (int64_t number = 0; number < count; ++number) {
      values.push_back(slice(operand, number));
      maps.push_back(placed.map);
    }
    return;
  }
  Value value = operand.get();
  if (auto type = dyn_cast<RankedTensorType>(value.getType());
      type && type.getShape() != ArrayRef(placed.shape))
    value = tensor::CastOp::create(
        rewriter, loc,
        RankedTensorType::get(placed.shape, type.getElementType()), value);
  values.push_back(value);
  maps.push_back(placed.map);
}

void DomainUnroller::addWritten(OpOperand &operand, SmallVector<Value> &values,
                                SmallVector<AffineMap> &maps) {
  const KernelShape::Operand &placed = shape[operand];
  Value value = operand.get();
  if (!llvm::is_sorted(placed.order)) {
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, value);
    auto reordered = llvm::map_to_vector(
        placed.order, [&](int64_t dim) { return sizes[dim]; });
    value = tensor::EmptyOp::create(
        rewriter, loc, reordered,
        cast<RankedTensorType>(value.getType()).getElementType());
  }
  values.push_back(value);
  maps.push_back(placed.map);
}

Value DomainUnroller::createIndex(IndexOp index, ArrayRef<int64_t> point) {
  const auto *found = llvm::find(dims, index.getDim());
  if (found != dims.end())
    return arith::ConstantIndexOp::create(rewriter, index.getLoc(),
                                          point[found - dims.begin()]);
  unsigned before =
      llvm::count_if(dims, [&](unsigned d) { return d < index.getDim(); });
  return IndexOp::create(rewriter, index.getLoc(), index.getType(),
                         index.getDim() - before);
}

void DomainUnroller::unrollRegion(Region &region, unsigned numGroups,
                                  ArrayRef<OperandElements> ins,
                                  ArrayRef<OperandElements> outs,
                                  bool yieldsLeaves) {
  OpBuilder::InsertionGuard guard(rewriter);
  Block *old = &region.front();
  SmallVector<Type> types;
  for (unsigned group = 0; group < numGroups; ++group)
    for (size_t point = 0; point < points.size(); ++point)
      llvm::append_range(types, kernel.getLeafTypes());
  unsigned oldFirst = numGroups * numLeaves;
  for (const OperandElements &elements : ins) {
    // All elements of one operand have one type.
    if (elements.count > 0)
      types.append(getNewCount(elements), old->getArgument(oldFirst).getType());
    oldFirst += elements.count;
  }
  Block *block = rewriter.createBlock(&region, region.end(), types,
                                      SmallVector<Location>(types.size(), loc));

  Operation *oldYield = old->getTerminator();
  SmallVector<Value> yields;
  if (!yieldsLeaves) {
    int64_t count = 0;
    for (const OperandElements &elements : outs)
      count += getNewCount(elements);
    yields.resize(count);
  }
  for (size_t number = 0; number < points.size(); ++number) {
    ArrayRef<int64_t> point = points[number];
    IRMapping mapping;
    unsigned from = 0;
    for (unsigned group = 0; group < numGroups; ++group)
      for (unsigned leaf = 0; leaf < numLeaves; ++leaf)
        mapping.map(old->getArgument(from++),
                    block->getArgument(
                        (group * points.size() + number) * numLeaves + leaf));
    int64_t to = numGroups * points.size() * numLeaves;
    for (const OperandElements &elements : ins) {
      for (int64_t i = 0; i < elements.count; ++i)
        mapping.map(old->getArgument(from++),
                    block->getArgument(to + getPosition(elements, point, i)));
      to += getNewCount(elements);
    }
    for (Operation &op : old->without_terminator()) {
      if (auto index = dyn_cast<IndexOp>(op)) {
        mapping.map(index.getResult(), createIndex(index, point));
        continue;
      }
      rewriter.clone(op, mapping)->walk([&](IndexOp index) {
        OpBuilder::InsertionGuard guard(rewriter);
        rewriter.setInsertionPoint(index);
        rewriter.replaceOp(index, createIndex(index, point));
      });
    }
    SmallVector<Value> values =
        llvm::map_to_vector(oldYield->getOperands(),
                            [&](Value value) { return mapping.lookup(value); });
    if (yieldsLeaves) {
      llvm::append_range(yields, values);
      continue;
    }
    ValueRange rest(values);
    int64_t first = 0;
    for (const OperandElements &elements : outs) {
      // A reduction output that leaves out an unrolled dimension has one
      // element for all of its points.
      for (int64_t i = 0; i < elements.count; ++i) {
        Value &yield = yields[first + getPosition(elements, point, i)];
        yield = yield ? addNumbers(rewriter, loc, yield, rest[i]) : rest[i];
      }
      rest = rest.drop_front(elements.count);
      first += getNewCount(elements);
    }
  }
  YieldOp::create(rewriter, oldYield->getLoc(), yields);
  rewriter.eraseBlock(old);
}

KernelOp DomainUnroller::unroll() {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  KernelParts parts(kernel);
  SmallVector<OperandElements> inputs, inits, outputs, finals;
  parts.inputs.clear(), parts.inits.clear();
  parts.outputs.clear(), parts.finals.clear();
  parts.inputMaps.clear(), parts.initMaps.clear();
  parts.outputMaps.clear(), parts.finalMaps.clear();
  SmallVector<int64_t> firstInputs;
  parts.shifts.clear();
  for (OpOperand &operand : kernel.getInputsMutable()) {
    inputs.push_back(getElements(operand));
    firstInputs.push_back(parts.inputs.size());
    addRead(operand, parts.inputs, parts.inputMaps);
    parts.shifts.resize(parts.inputs.size(),
                        kernel.getShift(operand.getOperandNumber()));
  }
  parts.boundaries.assign(parts.inputs.size(), -1);
  for (auto [i, first] : llvm::enumerate(firstInputs))
    if (kernel.getShift(i) != 0)
      parts.boundaries[first] = firstInputs[kernel.getBoundary(i)];
  for (OpOperand &operand : kernel.getInitsMutable()) {
    inits.push_back(getElements(operand));
    addRead(operand, parts.inits, parts.initMaps);
  }
  for (OpOperand &operand : kernel.getOutputsMutable()) {
    outputs.push_back(getElements(operand));
    addWritten(operand, parts.outputs, parts.outputMaps);
  }
  for (OpOperand &operand : kernel.getFinalsMutable()) {
    finals.push_back(getElements(operand));
    addWritten(operand, parts.finals, parts.finalMaps);
  }

  unrollRegion(kernel.getLoad(), 0, inputs, {}, /*yieldsLeaves=*/true);
  if (kernel.hasInit())
    unrollRegion(kernel.getInitialize(), 0, inits, {}, /*yieldsLeaves=*/true);
  unrollRegion(kernel.getStore(), 2, inputs, outputs, /*yieldsLeaves=*/false);
  unrollRegion(kernel.getFinalize(), 1, {}, finals, /*yieldsLeaves=*/false);
  // Last: the leaf types are those of its arguments.
  unrollRegion(kernel.getCombine(), 2, {}, {}, /*yieldsLeaves=*/true);
  KernelOp unrolled = parts.rebuild(rewriter, kernel);
  uint64_t dim = kernel.getDim();
  rewriter.modifyOpInPlace(unrolled, [&] {
    // A leaf has become several.
    unrolled->removeDiscardableAttr(kOperatorFactsAttrName);
    unrolled.setDim(dim -
                    llvm::count_if(dims, [&](uint64_t d) { return d < dim; }));
  });

  SmallVector<Value> results;
  for (OpResult result : kernel->getResults()) {
    Value value = unrolled->getResult(result.getResultNumber());
    if (shape.isReordered(result)) {
      // Dimension k of the new result is dimension order[k] of the old one.
      ArrayRef<int64_t> order = shape[result].order;
      value = linalg::TransposeOp::create(
                  rewriter, loc, value, kernel.getTiedOpOperand(result)->get(),
                  invertPermutationVector(order))
                  ->getResult(0);
    }
    results.push_back(value);
  }
  rewriter.replaceOp(kernel, results);
  return unrolled;
}

KernelOp scan::unrollDomain(RewriterBase &rewriter, KernelOp kernel,
                            const llvm::SmallBitVector &dims) {
  std::string why;
  std::optional<KernelShape> shape =
      KernelShape::getUnrolled(kernel, dims, why);
  assert(shape && "not to be unrolled");
  return DomainUnroller(rewriter, kernel, dims, *shape).unroll();
}
