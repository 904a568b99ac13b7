//===- ExpandSegments.cpp - From offsets of segments to flags -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Utils/ScalarCast.h"
#include "IR/Divisions.h"
#include "IR/OffsetsCheck.h"
#include "Scan/Transforms/Segments/Passes.h"
#include "Segments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANEXPANDSEGMENTS
#include "Scan/Transforms/Segments/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

//===----------------------------------------------------------------------===//
// The two operations
//===----------------------------------------------------------------------===//

static SmallVector<Value> getScanned(AssociativeOp op) {
  return op.getInputs();
}
static SmallVector<Value> getScanned(LinearRecurrenceOp op) {
  return {op.getB()};
}
static SmallVector<Value> getInits(AssociativeOp op) { return op.getInits(); }
static SmallVector<Value> getInits(LinearRecurrenceOp op) {
  return op.getInit() ? SmallVector<Value>{op.getInit()} : SmallVector<Value>();
}

/// True if a step can be done on any state: kernels combine each step's init
/// with its element, and select what comes of it at starts only.
static bool isSafeOnZeros(AssociativeOp op) {
  return !hasUnsafeOperation(op.getCombine());
}
static bool isSafeOnZeros(LinearRecurrenceOp) { return true; }

/// True if one step can be done on the elements of the result without being
/// further off than the scan is.
static bool canRepeatStep(AssociativeOp op) {
  if (op.getCompensated())
    return false;
  for (auto [i, type] : llvm::enumerate(op.getLeafTypes()))
    if (type != op.getAccumulatorType(i))
      return false;
  return true;
}
static bool canRepeatStep(LinearRecurrenceOp op) {
  return op.getAccumulatorType() == getElementTypeOrSelf(op.getB().getType());
}

/// The state of leaf `leaf` after the step at `point`, given those of all
/// leaves before it.
static Value repeatStep(OpBuilder &b, AssociativeOp op, unsigned leaf,
                        ValueRange before, ArrayRef<Value> point) {
  Block &body = op.getCombine().front();
  IRMapping mapping;
  unsigned leaves = op.getNumLeaves();
  for (unsigned i = 0; i < leaves; ++i) {
    mapping.map(body.getArgument(i), before[i]);
    mapping.map(
        body.getArgument(leaves + i),
        tensor::ExtractOp::create(b, op.getLoc(), op.getInputs()[i], point));
  }
  for (Operation &inner : body.without_terminator()) {
    if (auto clone = dyn_cast<CloneOp>(inner)) {
      mapping.map(clone.getResult(), mapping.lookupOrDefault(clone.getInput()));
      continue;
    }
    // Those in branches are not lowered outside of kernels, either.
    b.clone(inner, mapping)->walk([](CloneOp clone) {
      clone.getResult().replaceAllUsesWith(clone.getInput());
      clone->erase();
    });
  }
  return mapping.lookupOrDefault(body.back().getOperand(leaf));
}
static Value repeatStep(OpBuilder &b, LinearRecurrenceOp op, unsigned,
                        ValueRange before, ArrayRef<Value> point) {
  Location loc = op.getLoc();
  auto aType = cast<RankedTensorType>(op.getA().getType());
  SmallVector<Value> aPoint(point);
  for (unsigned d = 0; d < point.size(); ++d)
    if (d != op.getDim() && aType.getDimSize(d) == 1)
      aPoint[d] = arith::ConstantIndexOp::create(b, loc, 0);
  Value a = tensor::ExtractOp::create(b, loc, op.getA(), aPoint);
  Value x = tensor::ExtractOp::create(b, loc, op.getB(), point);
  if (isa<ComplexType>(x.getType())) {
    Value product = complex::MulOp::create(b, loc, a, before[0]);
    return complex::AddOp::create(b, loc, product, x);
  }
  if (isa<FloatType>(x.getType())) {
    Value product = arith::MulFOp::create(b, loc, a, before[0]);
    return arith::AddFOp::create(b, loc, product, x);
  }
  Value product = arith::MulIOp::create(b, loc, a, before[0]);
  return arith::AddIOp::create(b, loc, product, x);
}

//===----------------------------------------------------------------------===//
// Around the scan
//===----------------------------------------------------------------------===//

void scan::stopAtWrongOffsets(OpBuilder &builder, Location loc, Value offsets,
                              OpFoldResult extent, int64_t dim) {
  Value steps = getValueOrCreateConstantIndexOp(builder, loc, extent);
  Value count = countSegments(builder, loc, offsets);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value isTrue = createScalarConstant(builder, loc, builder.getI1Type(), 1);
  Value none = tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>(),
                                       builder.getI1Type());
  Value start = linalg::FillOp::create(builder, loc, isTrue, none).getResult(0);
  using Predicate = arith::CmpIPredicate;
  auto generic = linalg::GenericOp::create(
      builder, loc, start.getType(), offsets, start,
      ArrayRef<AffineMap>{builder.getMultiDimIdentityMap(1),
                          AffineMap::get(1, 0, builder.getContext())},
      utils::IteratorType::reduction,
      [&](OpBuilder &b, Location, ValueRange args) {
        auto compare = [&](Predicate predicate, Value x, Value y) -> Value {
          return arith::CmpIOp::create(b, loc, predicate, x, y);
        };
        Value i = linalg::IndexOp::create(b, loc, 0);
        Value offset = args[0];
        if (!offset.getType().isIndex())
          offset = arith::IndexCastOp::create(b, loc, b.getIndexType(), offset);
        Value isFirst = compare(Predicate::eq, i, zero);
        Value isLast = compare(Predicate::eq, i, count);
        Value before = arith::SubIOp::create(b, loc, i, one);
        before = arith::SelectOp::create(b, loc, isFirst, zero, before);
        Value previous = extractOffset(b, loc, offsets, before);
        Value begins = arith::SelectOp::create(
            b, loc, isFirst, compare(Predicate::eq, offset, zero),
            compare(Predicate::sle, previous, offset));
        Value ends = arith::SelectOp::create(
            b, loc, isLast, compare(Predicate::eq, offset, steps), isTrue);
        Value both = arith::AndIOp::create(b, loc, begins, ends);
        Value all = arith::AndIOp::create(b, loc, both, args[1]);
        linalg::YieldOp::create(b, loc, all);
      });
  Value isValid = tensor::ExtractOp::create(builder, loc, generic.getResult(0),
                                            ValueRange());
  Value hasOne =
      arith::CmpIOp::create(builder, loc, Predicate::sge, count, zero);
  isValid = arith::AndIOp::create(builder, loc, isValid, hasOne);
  cf::AssertOp::create(builder, loc, isValid, describeOffsetsError(dim));
}

Value scan::gatherFinalStates(OpBuilder &builder, Location loc,
                              const FinalStates &finals, Type elementType,
                              StateReader atEnd, StateReader ofEmpty) {
  Value offsets = finals.offsets;
  int64_t dim = finals.dim, rank = finals.sizes.size();
  SmallVector<OpFoldResult> sizes(finals.sizes);
  sizes[dim] = getAsOpFoldResult(countSegments(builder, loc, offsets));
  Value steps = getValueOrCreateConstantIndexOp(builder, loc, finals.steps);
  Value out = tensor::EmptyOp::create(builder, loc, sizes, elementType);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, out.getType(), ValueRange(), out,
      builder.getMultiDimIdentityMap(rank), iterators,
      [&](OpBuilder &b, Location, ValueRange) {
        SmallVector<Value> point;
        for (int64_t d = 0; d < rank; ++d)
          point.push_back(linalg::IndexOp::create(b, loc, d));
        Value zero = arith::ConstantIndexOp::create(b, loc, 0);
        Value one = arith::ConstantIndexOp::create(b, loc, 1);
        Value next = arith::AddIOp::create(b, loc, point[dim], one);
        Value begin = extractOffset(b, loc, offsets, point[dim]);
        Value end = extractOffset(b, loc, offsets, next);
        Value isEmpty = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                              begin, end);
        // Even where the offsets are none no step is read that there is not.
        if (finals.checking == OffsetsChecking::InKernels) {
          Value hasNone = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::eq, steps, zero);
          isEmpty = arith::OrIOp::create(b, loc, isEmpty, hasNone);
        }
        auto chosen = scf::IfOp::create(
            b, loc, isEmpty,
            [&](OpBuilder &inner, Location) {
              scf::YieldOp::create(inner, loc, ofEmpty(inner, point));
            },
            [&](OpBuilder &inner, Location) {
              // Inside of the tensor even where the offsets are none.
              Value last = arith::SubIOp::create(inner, loc, end, one);
              Value bound = arith::SubIOp::create(inner, loc, steps, one);
              Value step = arith::MinSIOp::create(
                  inner, loc, finals.reverse ? begin : last, bound);
              SmallVector<Value> at(point);
              at[dim] = arith::MaxSIOp::create(inner, loc, step, zero);
              scf::YieldOp::create(inner, loc, atEnd(inner, at));
            });
        linalg::YieldOp::create(b, loc, chosen.getResult(0));
      });
  return generic.getResult(0);
}

/// The final states of leaf `leaf`, gathered from `results`, those of all
/// leaves of a scan over the same segments as `op`. `repeat` says that these
/// are the states before each step.
template <typename OpTy>
static Value gatherFinals(OpBuilder &builder, OpTy op, ValueRange results,
                          unsigned leaf, OpFoldResult extent, bool repeat,
                          OffsetsChecking checking) {
  Location loc = op.getLoc();
  SmallVector<Value> inits = getInits(op);
  Value scanned = getScanned(op)[leaf];
  auto type =
      cast<RankedTensorType>(op->getResult(results.size() + leaf).getType());
  int64_t dim = op.getDim();
  FinalStates states{op.getSegments(),
                     extent,
                     tensor::getMixedSizes(builder, loc, scanned),
                     dim,
                     op.getReverse(),
                     checking};
  Value finals = gatherFinalStates(
      builder, loc, states, type.getElementType(),
      [&](OpBuilder &inner, ArrayRef<Value> at) -> Value {
        SmallVector<Value> found(results.size());
        for (auto [i, result] : llvm::enumerate(results))
          if (repeat || i == leaf)
            found[i] = tensor::ExtractOp::create(inner, loc, result, at);
        return repeat ? repeatStep(inner, op, leaf, found, at) : found[leaf];
      },
      [&](OpBuilder &inner, ArrayRef<Value> point) -> Value {
        if (inits.empty())
          return createScalarConstant(inner, loc, type.getElementType(), 0);
        Value init = inits[leaf];
        if (!isa<RankedTensorType>(init.getType()))
          return init;
        SmallVector<Value> at(point);
        if (!hasScanDim(init, scanned))
          at.erase(at.begin() + dim);
        return tensor::ExtractOp::create(inner, loc, init, at);
      });
  return finals.getType() == type
             ? finals
             : tensor::CastOp::create(builder, loc, type, finals);
}

//===----------------------------------------------------------------------===//
// The scan
//===----------------------------------------------------------------------===//

template <typename OpTy>
static OpTy expand(RewriterBase &rewriter, OpTy op, OffsetsChecking checking) {
  if (!op.hasSegmentOffsets())
    return op;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  int64_t dim = op.getDim();
  SmallVector<Value> scanned = getScanned(op), inits = getInits(op);
  unsigned leaves = scanned.size();
  bool hasFinals = op->getNumResults() > leaves;
  bool repeat = op.getExclusive() && hasFinals && canRepeatStep(op);
  bool shifts = op.getExclusive() && hasFinals && !repeat;
  OpFoldResult extent =
      tensor::getMixedSize(rewriter, loc, scanned.front(), dim);
  if (checking == OffsetsChecking::Stop)
    stopAtWrongOffsets(rewriter, loc, op.getSegments(), extent, dim);
  bool perSegment = false;
  for (auto [i, init] : llvm::enumerate(inits))
    perSegment |= hasScanDim(init, scanned[i]);
  Value headFlags =
      createStepFlags(rewriter, loc, op.getSegments(), extent, op.getReverse());
  if (checking == OffsetsChecking::InKernels)
    headFlags.getDefiningOp()->setAttr(checkOffsetsAttrName,
                                       rewriter.getI64IntegerAttr(dim));
  Value numbers;
  if (perSegment)
    numbers = isSafeOnZeros(op)
                  ? createHeadNumbers(rewriter, loc, op.getSegments(), extent,
                                      op.getReverse())
                  : createStepNumbers(rewriter, loc, op.getSegments(), extent);

  unsigned firstInit = op->getNumOperands() - 1 - inits.size();
  SmallVector<Value> operands(op->getOperands());
  operands.back() = headFlags;
  for (auto [i, init] : llvm::enumerate(inits))
    if (hasScanDim(init, scanned[i]))
      operands[firstInit + i] =
          gatherPerStep(rewriter, loc, init, numbers, scanned[i], dim);

  OperationState state(loc, op->getName());
  state.addOperands(operands);
  state.addTypes(ValueRange(scanned).getTypes());
  typename OpTy::Properties &properties =
      state.getOrAddProperties<typename OpTy::Properties>();
  properties = op.getProperties();
  if constexpr (std::is_same_v<OpTy, AssociativeOp>)
    properties.final_states = UnitAttr();
  else
    properties.final_state = UnitAttr();
  if (shifts)
    properties.exclusive = UnitAttr();
  state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
  IRMapping mapping;
  for (Region &region : op->getRegions())
    region.cloneInto(state.addRegion(), mapping);
  auto flagged = cast<OpTy>(rewriter.create(state));

  SmallVector<Value> results(flagged->getResults());
  if (hasFinals)
    for (unsigned i = 0; i < leaves; ++i)
      results.push_back(gatherFinals(rewriter, op,
                                     ValueRange(flagged->getResults()), i,
                                     extent, repeat, checking));
  if (shifts)
    for (unsigned i = 0; i < leaves; ++i) {
      auto type = cast<RankedTensorType>(results[i].getType());
      // Each first step of all is a start.
      Value zero =
          createScalarConstant(rewriter, loc, type.getElementType(), 0);
      Value before = ShiftOp::create(
          rewriter, loc, type, results[i], zero, op.getDimAttr(),
          rewriter.getI64IntegerAttr(op.getReverse() ? -1 : 1));
      AffineMap map =
          AffineMap::get(type.getRank(), 0, rewriter.getAffineDimExpr(dim));
      results[i] = selectAtHeads(rewriter, loc, headFlags, map,
                                 operands[firstInit + i], before, dim);
    }
  rewriter.replaceOp(op, results);
  return flagged;
}

AssociativeOp scan::expandSegmentOffsets(RewriterBase &rewriter,
                                         AssociativeOp op,
                                         OffsetsChecking checking) {
  return expand(rewriter, op, checking);
}

LinearRecurrenceOp scan::expandSegmentOffsets(RewriterBase &rewriter,
                                              LinearRecurrenceOp op,
                                              OffsetsChecking checking) {
  return expand(rewriter, op, checking);
}

namespace {

struct ScanExpandSegmentsPass
    : scan::impl::ScanExpandSegmentsBase<ScanExpandSegmentsPass> {
  using ScanExpandSegmentsBase::ScanExpandSegmentsBase;

  void runOnOperation() override {
    OffsetsChecking checking = checkInKernels ? OffsetsChecking::InKernels
                               : checkOffsets ? OffsetsChecking::Stop
                                              : OffsetsChecking::None;
    SmallVector<Operation *> scans;
    getOperation()->walk([&](Operation *op) {
      auto associative = dyn_cast<AssociativeOp>(op);
      auto recurrence = dyn_cast<LinearRecurrenceOp>(op);
      if ((associative && associative.hasSegmentOffsets()) ||
          (recurrence && recurrence.hasSegmentOffsets()))
        scans.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : scans) {
      if (auto associative = dyn_cast<AssociativeOp>(op))
        expandSegmentOffsets(rewriter, associative, checking);
      else
        expandSegmentOffsets(rewriter, cast<LinearRecurrenceOp>(op), checking);
      ++numExpanded;
    }
    if (checking == OffsetsChecking::InKernels)
      markAlike();
  }

private:
  /// Gives head flags of the same offsets the same mark, so that those which
  /// derivatives read are no others than those of the scan. Those of other
  /// steps are not to be checked.
  void markAlike() {
    DenseMap<Value, Attribute> marks;
    SmallVector<HeadFlagsOp> ops;
    getOperation()->walk([&](HeadFlagsOp op) {
      // Numbers are there beside flags, which are checked.
      if (op.saysNumbers() || !op->hasAttr(coversStepsAttrName))
        return;
      ops.push_back(op);
      if (Attribute mark = op->getAttr(checkOffsetsAttrName))
        marks.try_emplace(op.getOffsets(), mark);
    });
    for (HeadFlagsOp op : ops)
      if (Attribute mark = marks.lookup(op.getOffsets()))
        op->setAttr(checkOffsetsAttrName, mark);
  }
};

} // namespace
