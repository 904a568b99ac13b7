//===- ElementwisePart.cpp - Threads that share out output elements -------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   the element of this thread in the dimensions that all outputs have:
//     load what the other dimensions do not change
//     for each index of the other dimensions, in the order of the loops:
//       load the rest, compute; the outputs stay in registers
//     store the outputs
//
// Where there are no other dimensions, a thread may have several neighbouring
// elements (ElementwiseGroup.cpp).
//
// Nothing is passed between threads, so that results are those of the loops to
// the bit, reductions included.
//
//===----------------------------------------------------------------------===//

#include "ElementwisePart.h"
#include "../GPUCommon/Emit.h"
#include "../GPUCommon/Grid.h"
#include "IR/OffsetsCheck.h"
#include "IR/OperandMemory.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;

/// Where each thread walks, as many blocks as that are made of few elements:
/// about as many as a GPU has multiprocessors, each of which loads at a rate of
/// its own.
static constexpr int64_t kWalkBlocks = 128;
/// So many points of a walk are computed by one iteration of a loop, their
/// loads in flight together: a point that waits for its own takes some 40 ns.
static constexpr int64_t kWalkPoints = 32;

static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

void ElementwisePart::collectOperands(unsigned &numInputs,
                                      unsigned &numOutputs) {
  SetVector<Value> seen;
  auto add = [&](Value value, StringRef role, const std::string &name) {
    if (isConstant(value))
      constants.insert(value);
    else if (seen.insert(value))
      flat.push_back({value, role, name});
  };
  // An input that is an output, too, is passed as the latter.
  for (OpOperand &output : op.getDpsInitsMutable())
    seen.insert(output.get());
  for (OpOperand *input : op.getDpsInputOperands())
    add(input->get(), "input", "x" + std::to_string(numInputs++));
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    if (writesByAddress(op, value))
      add(value, "output", "y" + std::to_string(numOutputs++));
    else
      add(value, "input", "x" + std::to_string(numInputs++));
  for (Value initial : initialValues)
    if (initial)
      add(initial, "input", "x" + std::to_string(numInputs++));
  seen.clear();
  for (OpOperand &output : op.getDpsInitsMutable()) {
    if (seen.insert(output.get()))
      flat.push_back(
          {output.get(), "output", "y" + std::to_string(numOutputs)});
    ++numOutputs;
  }
}

void ElementwisePart::collectDomain() {
  for (Range range : op.createLoopRanges(b, b.getLoc()))
    extents.push_back(range.size);
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    if (auto type = dyn_cast<MemRefType>(value.getType()))
      for (unsigned dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim)) {
          capturedExtents[{value, dim}] = extents.size();
          extents.push_back(memref::getMixedSize(b, b.getLoc(), value, dim));
        }
  for (OpFoldResult &extent : extents) {
    std::optional<int64_t> known = getConstantIntValue(extent);
    domain.push_back(known ? *known : ShapedType::kDynamic);
    if (known)
      extent = b.getIndexAttr(*known);
  }
}

/// Shares out the loops, and puts that one last along which the threads access
/// most bytes contiguously.
void ElementwisePart::orderLoops() {
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    (isThreadLoop(op, loop) ? shared : walked).push_back(loop);
  SmallVector<int64_t> contiguous(op.getNumLoops(), 0);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type || type.getRank() == 0)
      continue;
    SmallVector<int64_t> strides = getOperandStrides(type);
    auto dim = dyn_cast<AffineDimExpr>(
        op.getMatchingIndexingMap(&operand).getResults().back());
    if (!dim || strides.back() != 1)
      continue;
    // A scattered write costs a whole sector, and what is read in every step of
    // a walk counts as often.
    int64_t weight = 8 * getStorageBytes(type.getElementType());
    if (op.isDpsInit(&operand))
      weight += 1;
    else if (!isInvariant(operand))
      weight *= 8;
    contiguous[dim.getPosition()] += weight;
  }
  moveContiguousLast(shared, contiguous);
}

int64_t ElementwisePart::getThreads() const {
  // Of dynamic extents nothing is known. Where threads walk long, small blocks
  // do not harm many elements.
  constexpr int64_t enough = kElementwiseThreads * kWalkBlocks;
  int64_t elements = 1;
  for (unsigned loop : shared) {
    if (!ShapedType::isDynamic(domain[loop]))
      elements = std::min(enough, elements * std::min(domain[loop], enough));
    else if (!isUnrolled())
      return kElementwiseThreads;
  }
  if (isUnrolled())
    elements /= kWalkBlocks;
  elements /= width;
  return std::clamp<int64_t>(llvm::alignTo(elements, 32), 32,
                             kElementwiseThreads);
}

AffineExpr
ElementwisePart::countGroups(ArrayRef<AffineExpr> loopExtents) const {
  AffineExpr groups = b.getAffineConstantExpr(1);
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (llvm::is_contained(shared, loop))
      groups = groups * (isGrouped(loop) ? loopExtents[loop].ceilDiv(width)
                                         : loopExtents[loop]);
  return groups;
}

SmallVector<Value> ElementwisePart::getGroups(ImplicitLocOpBuilder &inner,
                                              ValueRange loopExtents) const {
  SmallVector<Value> groups(loopExtents);
  if (width > 1)
    groups[shared.back()] = inner.createOrFold<arith::CeilDivUIOp>(
        groups[shared.back()], indexConstant(inner, width));
  return groups;
}

Value ElementwisePart::countGroups(ImplicitLocOpBuilder &inner,
                                   ValueRange loopExtents) const {
  return multiplyExtents(inner, getGroups(inner, loopExtents), shared);
}

/// The operands inside the kernel.
void ElementwisePart::createViews(ArrayRef<BlockArgument> &values,
                                  ArrayRef<Value> domainSizes) {
  sizes = llvm::to_vector(domainSizes);
  auto asFold = [&](unsigned i) -> OpFoldResult {
    if (ShapedType::isDynamic(domain[i]))
      return sizes[i];
    return b.getIndexAttr(domain[i]);
  };
  for (const FlatOperand &operand : flat) {
    auto type = dyn_cast<MemRefType>(operand.value.getType());
    if (!type) {
      inKernel.map(operand.value, values.front());
      values = values.drop_front();
      continue;
    }
    AffineMap map;
    for (OpOperand &use : op->getOpOperands())
      if (use.get() == operand.value)
        map = op.getMatchingIndexingMap(&use);
    auto getExtent = [&](unsigned position) -> OpFoldResult {
      auto captured = capturedExtents.find({operand.value, position});
      if (captured != capturedExtents.end())
        return asFold(captured->second);
      AffineExpr expr = map.getResult(position);
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        return asFold(dim.getPosition());
      // One more than the last element that the loops reach: nothing but the
      // last of the loops' iterations is asked for it.
      SmallVector<Value> last;
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
        last.push_back(addConstant(b, sizes[loop], -1));
      return addConstant(
          b, affine::expandAffineExpr(b, b.getLoc(), expr, last, {}), 1);
    };
    inKernel.map(operand.value, createView(b, type, values, getExtent));
  }
  for (Value constant : constants)
    inKernel.map(constant,
                 b.clone(*constant.getDefiningOp())
                     ->getResult(cast<OpResult>(constant).getResultNumber()));
}

SmallVector<Value> ElementwisePart::getIndices(ImplicitLocOpBuilder &inner,
                                               AffineMap map) {
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults())
    indices.push_back(
        affine::expandAffineExpr(inner, inner.getLoc(), expr, point, {}));
  return indices;
}

Value ElementwisePart::load(ImplicitLocOpBuilder &inner, OpOperand &operand) {
  Value value = getValue(operand.get());
  if (!isa<MemRefType>(operand.get().getType()))
    return value;
  return memref::LoadOp::create(
      inner, value, getIndices(inner, op.getMatchingIndexingMap(&operand)));
}

void ElementwisePart::store(ImplicitLocOpBuilder &inner, Value value,
                            OpOperand &output) {
  memref::StoreOp::create(
      inner, value, getValue(output.get()),
      getIndices(inner, op.getMatchingIndexingMap(&output)));
}

/// Where the elements are that the reduction of a carried output starts from.
OpOperand &ElementwisePart::getStart(OpOperand &output) {
  auto start = op->getAttrOfType<DenseI64ArrayAttr>(kStartAttrName);
  if (start && start[0] == output.getOperandNumber() - op.getNumDpsInputs())
    return *op.getDpsInputOperand(start[1]);
  return output;
}

/// Runs the body at the current point, with the values `carried` of carried
/// outputs; returns what it yields.
SmallVector<Value> ElementwisePart::computeBody(ImplicitLocOpBuilder &inner,
                                                ValueRange carried) {
  Block *body = op.getBlock();
  IRMapping mapping(inKernel);
  ValueRange rest = carried;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    Value value;
    if (op.isDpsInit(&operand) && isCarried(operand)) {
      value = rest.front();
      rest = rest.drop_front();
    } else if (argument.use_empty()) {
      continue;
    } else {
      value = preloaded.lookup(operand.getOperandNumber());
      if (!value)
        value = load(inner, operand);
    }
    mapping.map(argument, value);
  }
  for (Operation &inside : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inside)) {
      mapping.map(index.getResult(), point[index.getDim()]);
      continue;
    }
    if (isAhead(inside))
      continue;
    Operation *clone = inner.clone(inside, mapping);
    clone->walk([&](linalg::IndexOp index) {
      index.replaceAllUsesWith(point[index.getDim()]);
      index.erase();
    });
  }
  return llvm::map_to_vector(
      body->getTerminator()->getOperands(),
      [&](Value yielded) { return mapping.lookupOrDefault(yielded); });
}

/// Runs the body at the current point and stores there what is not carried;
/// returns the next values of the carried outputs.
SmallVector<Value> ElementwisePart::emitBody(ImplicitLocOpBuilder &inner,
                                             ValueRange carried) {
  SmallVector<Value> next;
  for (auto [output, value] :
       llvm::zip_equal(op.getDpsInitsMutable(), computeBody(inner, carried))) {
    if (isCarried(output))
      next.push_back(value);
    else
      store(inner, value, output);
  }
  return next;
}

bool ElementwisePart::isUnrolled() const {
  constexpr size_t most = 16;
  if (walked.empty())
    return false;
  int64_t extent = domain[walked.back()];
  Block *body = op.getBlock();
  return (ShapedType::isDynamic(extent) || extent >= 2 * kWalkPoints) &&
         body->getOperations().size() <= most &&
         llvm::none_of(*body,
                       [](Operation &inside) {
                         return inside.getNumRegions() != 0 ||
                                isa<memref::StoreOp>(inside);
                       }) &&
         llvm::all_of(op.getDpsInitsMutable(),
                      [&](OpOperand &output) { return isCarried(output); });
}

/// Walks the loops `rest`, the outermost first.
SmallVector<Value> ElementwisePart::emitLoops(ImplicitLocOpBuilder &inner,
                                              ArrayRef<unsigned> rest,
                                              ValueRange carried) {
  if (rest.empty())
    return emitBody(inner, carried);
  unsigned loop = rest.front();
  Value from = indexConstant(inner, 0), to = sizes[loop];
  auto walk = [&](int64_t points, Value begin, Value end,
                  ValueRange values) -> SmallVector<Value> {
    return createFor(
        inner, begin, end, indexConstant(inner, points), values,
        [&](ImplicitLocOpBuilder &nested, Value index, ValueRange before) {
          SmallVector<Value> next(before);
          for (int64_t k = 0; k < points; ++k) {
            point[loop] = addConstant(nested, index, k);
            next = emitLoops(nested, rest.drop_front(), next);
          }
          return next;
        });
  };
  if (rest.size() > 1 || !isUnrolled())
    return walk(1, from, to, carried);
  Value left =
      inner.createOrFold<arith::RemUIOp>(to, indexConstant(inner, kWalkPoints));
  Value middle = inner.createOrFold<arith::SubIOp>(to, left);
  SmallVector<Value> next = walk(kWalkPoints, from, middle, carried);
  if (getConstantIntValue(left) == 0)
    return next;
  return walk(1, middle, to, next);
}

/// Computes the elements at which this thread stores outputs.
void ElementwisePart::emitElement(ImplicitLocOpBuilder &inner) {
  for (OpOperand *input : op.getDpsInputOperands())
    if (!walked.empty() && isInvariant(*input) &&
        op.payloadUsesValueFromOperand(input))
      preloaded[input->getOperandNumber()] = load(inner, *input);
  SmallVector<Value> carried;
  for (auto [output, initial] :
       llvm::zip_equal(op.getDpsInitsMutable(), initialValues))
    if (isCarried(output))
      carried.push_back(initial ? getValue(initial)
                                : load(inner, getStart(output)));
  SmallVector<Value> results = emitLoops(inner, walked, carried);
  ValueRange rest(results);
  for (OpOperand &output : op.getDpsInitsMutable()) {
    if (!isCarried(output))
      continue;
    store(inner, rest.front(), output);
    rest = rest.drop_front();
  }
}

/// Whether `inside`, of the body, is a loop that checks offsets and is not done
/// at the element of the thread but in front: there are offsets to check where
/// there are no elements, too.
bool ElementwisePart::isAhead(Operation &inside) {
  auto loop = dyn_cast<scf::ForOp>(inside);
  return loop && loop->hasAttr(offsetsLoopAttrName) && op.getNumLoops() == 1 &&
         walked.empty() &&
         loop.getLowerBound().getDefiningOp<linalg::IndexOp>();
}

bool ElementwisePart::hasAhead() {
  return llvm::any_of(*op.getBlock(),
                      [&](Operation &inside) { return isAhead(inside); });
}

/// Does the loops that are ahead, with the number of the thread for that of its
/// element, in as many threads as their step says.
void ElementwisePart::emitAhead(ImplicitLocOpBuilder &inner, Value number) {
  if (!hasAhead())
    return;
  IRMapping mapping(inKernel);
  auto isKnown = [&](Value value) { return mapping.contains(value); };
  for (Operation &inside : op.getBlock()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inside)) {
      mapping.map(index.getResult(), number);
    } else if (isAhead(inside)) {
      auto loop = cast<scf::ForOp>(inside);
      Value count = mapping.lookupOrDefault(loop.getStep());
      createIf(
          inner, compare(inner, arith::CmpIPredicate::ult, number, count),
          [&](ImplicitLocOpBuilder &some) { some.clone(inside, mapping); });
    } else if (inside.getNumRegions() == 0 && isMemoryEffectFree(&inside) &&
               llvm::all_of(inside.getOperands(), isKnown)) {
      inner.clone(inside, mapping);
    }
  }
}

void ElementwisePart::emitThread(ImplicitLocOpBuilder &inner, Value number) {
  emitAhead(inner, number);
  SmallVector<Value> groups = getGroups(inner, sizes);
  Value count = multiplyExtents(inner, groups, shared);
  createIf(inner, compare(inner, arith::CmpIPredicate::ult, number, count),
           [&](ImplicitLocOpBuilder &some) {
             createCoordinates(some, number, groups, shared, point);
             if (width > 1)
               emitGroup(some);
             else
               emitElement(some);
           });
}

void ElementwisePart::prepare(unsigned &numInputs, unsigned &numOutputs) {
  collectOperands(numInputs, numOutputs);
  collectDomain();
  orderLoops();
  width = chooseWidth();
}
