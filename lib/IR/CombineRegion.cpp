//===- CombineRegion.cpp - Checks shared by the ops with regions ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CombineRegion.h"
#include "LeafInvariants.h"
#include "OperatorFacts.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::scan;

LogicalResult scan::impl::verifyNoCapture(Operation *op, Region &region,
                                          StringRef constraint, StringRef what,
                                          StringRef wayOut) {
  WalkResult result = region.walk([&](Operation *inner) {
    for (auto [index, operand] : llvm::enumerate(inner->getOperands())) {
      if (region.isAncestor(operand.getParentRegion()))
        continue;
      InFlightDiagnostic diag =
          op->emitOpError() << constraint << ": the " << what
                            << " must not use values from outside: expected "
                               "block arguments and values defined in the "
                               "region, found a captured value of type "
                            << operand.getType() << "; " << wayOut
                            << ", or define it inside the region if it is "
                               "constant";
      diag.attachNote(inner->getLoc())
          << "operand #" << index << " of '" << inner->getName()
          << "' is captured here";
      diag.attachNote(operand.getLoc()) << "the captured value is defined here";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult scan::impl::verifyNoEffects(Operation *op, Region &region,
                                          StringRef constraint,
                                          StringRef what) {
  for (Operation &inner : region.front()) {
    if (isMemoryEffectFree(&inner))
      continue;
    InFlightDiagnostic diag =
        op->emitOpError() << constraint << ": the " << what
                          << " must not read or write memory: expected "
                             "operations without memory effects, found '"
                          << inner.getName()
                          << "'; compute a new value instead of changing one "
                             "in place";
    diag.attachNote(inner.getLoc()) << "the operation with effects is here";
    return failure();
  }
  return success();
}

LogicalResult scan::impl::verifyYields(Operation *op, Region &region,
                                       StringRef constraint, StringRef what) {
  Block &block = region.front();
  if (!block.empty() && isa<YieldOp>(block.back()))
    return success();
  InFlightDiagnostic diag = op->emitOpError()
                            << constraint << ": expected the " << what
                            << " to end in 'scan.yield', found ";
  if (block.empty())
    diag << "an empty region";
  else
    diag << "'" << block.back().getName() << "'";
  return diag;
}

LogicalResult scan::impl::verifyYieldTypes(Operation *op, Region &region,
                                           TypeRange types,
                                           StringRef constraint,
                                           StringRef what) {
  auto yield = cast<YieldOp>(region.front().back());
  if (yield.getNumOperands() != types.size()) {
    InFlightDiagnostic diag = op->emitOpError()
                              << constraint << ": expected the " << what
                              << " to yield " << types.size()
                              << " value(s), found " << yield.getNumOperands();
    diag.attachNote(yield.getLoc()) << "the yield is here";
    return diag;
  }
  for (auto [index, expected, found] :
       llvm::enumerate(types, yield.getOperandTypes())) {
    if (expected == found)
      continue;
    InFlightDiagnostic diag = op->emitOpError()
                              << constraint << ": expected the " << what
                              << " to yield " << expected << " as value #"
                              << index << ", found " << found;
    diag.attachNote(yield.getLoc()) << "the yield is here";
    return diag;
  }
  return success();
}

BlockArgument scan::impl::getViewedArgument(Value value, Block *block) {
  while (true) {
    if (auto arg = dyn_cast<BlockArgument>(value))
      return arg.getOwner() == block ? arg : BlockArgument();
    Operation *def = value.getDefiningOp();
    if (!isa<ViewLikeOpInterface, tensor::CastOp, tensor::ExtractSliceOp,
             tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ReshapeOp>(
            def))
      return BlockArgument();
    value = def->getOperand(0);
  }
}

LogicalResult
scan::impl::checkDistinctYields(Region &region,
                                function_ref<InFlightDiagnostic()> emitError) {
  if (region.empty() || region.front().empty() ||
      !isa<YieldOp>(region.front().back()))
    return success();
  Block &block = region.front();
  Operation &yield = block.back();
  llvm::SmallDenseMap<Value, unsigned> seen;
  for (auto [i, value] : llvm::enumerate(yield.getOperands())) {
    if (BlockArgument argument = getViewedArgument(value, &block)) {
      if (!emitError)
        return failure();
      InFlightDiagnostic diag = emitError();
      diag << "C9: expected a fresh value as yielded value #" << i << ", found "
           << (value == argument ? "" : "a view of ") << "block argument #"
           << argument.getArgNumber()
           << "; wrap it in 'scan.clone' if it is meant to be passed on";
      diag.attachNote(yield.getLoc()) << "the yield is here";
      return failure();
    }
    auto [it, inserted] = seen.try_emplace(value, i);
    if (inserted)
      continue;
    if (!emitError)
      return failure();
    InFlightDiagnostic diag = emitError();
    diag << "C10: expected all yielded values to be different, found one value "
            "as #"
         << it->second << " and as #" << i
         << "; wrap one of them in 'scan.clone' if that is meant";
    diag.attachNote(yield.getLoc()) << "the yield is here";
    return failure();
  }
  return success();
}

LogicalResult scan::impl::verifySchedule(Operation *op, OrderAttr order,
                                         ScheduleAttr schedule,
                                         StringRef constraint) {
  if (!order || !schedule || order.getValue() != Order::Sequential ||
      schedule.keepsOrder())
    return success();
  return op->emitOpError()
         << constraint
         << ": 'order = sequential' needs the strategy 'sequential', or 'row' "
            "with as many rows as threads, found '"
         << stringifyStrategy(schedule.getStrategy())
         << "', which reassociates; drop the schedule or relax the order";
}

LogicalResult scan::impl::verifyAccumulator(Operation *op, Type elementType,
                                            Type accumulator,
                                            StringRef constraint) {
  auto kindAndWidth = [](Type type) -> std::pair<int, unsigned> {
    if (auto complex = dyn_cast<ComplexType>(type))
      return {2, complex.getElementType().getIntOrFloatBitWidth()};
    return {isa<FloatType>(type) ? 1 : 0, type.getIntOrFloatBitWidth()};
  };
  if (ScanDialect::isSupportedElementType(accumulator)) {
    auto [kind, width] = kindAndWidth(elementType);
    auto [accKind, accWidth] = kindAndWidth(accumulator);
    // f16 and bf16 have one width, but neither holds the other.
    bool holds = accWidth > width || accumulator == elementType;
    if (kind == accKind && holds)
      return success();
  }
  return op->emitOpError() << constraint
                           << ": expected an accumulator of the same kind as "
                           << elementType << " and at least as wide, found "
                           << accumulator;
}

Type scan::impl::getDefaultAccumulator(Type elementType) {
  if (elementType.isF16() || elementType.isBF16())
    return Float32Type::get(elementType.getContext());
  return elementType;
}

RankedTensorType scan::impl::dropDim(RankedTensorType type, int64_t dim) {
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  return RankedTensorType::get(shape, type.getElementType());
}

bool scan::impl::areShapesCompatible(ArrayRef<int64_t> lhs,
                                     ArrayRef<int64_t> rhs) {
  return succeeded(verifyCompatibleShape(lhs, rhs));
}

std::string scan::impl::printShape(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      shape, os,
      [&](int64_t extent) {
        if (ShapedType::isDynamic(extent))
          os << '?';
        else
          os << extent;
      },
      "x");
  return text;
}

LogicalResult scan::impl::verifyInit(Operation *op, Type init,
                                     RankedTensorType leaf, int64_t dim,
                                     Value segments, bool hasTrailing,
                                     StringRef constraint, const Twine &what) {
  RankedTensorType expected = dropDim(leaf, dim);
  if (!hasTrailing && init == leaf.getElementType())
    return success();
  auto isLike = [tensor =
                     dyn_cast<RankedTensorType>(init)](RankedTensorType type) {
    return tensor && tensor.getElementType() == type.getElementType() &&
           areShapesCompatible(tensor.getShape(), type.getShape());
  };
  RankedTensorType perSegment = segments && !areOffsets(segments)
                                    ? leaf
                                    : getFinalType(leaf, dim, segments);
  if (isLike(expected) || isLike(perSegment))
    return success();
  InFlightDiagnostic diag = op->emitOpError()
                            << constraint << ": expected " << what << " to be ";
  if (!hasTrailing)
    diag << leaf.getElementType() << " or ";
  diag << expected;
  if (perSegment != expected)
    diag << " or, one per " << (perSegment == leaf ? "step" : "segment") << ", "
         << perSegment;
  return diag << ", found " << init;
}

bool scan::impl::areOffsets(Value segments) {
  return segments && !getElementTypeOrSelf(segments.getType()).isInteger(1);
}

RankedTensorType scan::impl::getFinalType(RankedTensorType leaf, int64_t dim,
                                          Value segments) {
  if (!areOffsets(segments))
    return dropDim(leaf, dim);
  auto offsets = cast<RankedTensorType>(segments.getType());
  SmallVector<int64_t> shape(leaf.getShape());
  bool isStatic = offsets.getRank() == 1 && !offsets.isDynamicDim(0) &&
                  offsets.getDimSize(0) > 0;
  shape[dim] = isStatic ? offsets.getDimSize(0) - 1 : ShapedType::kDynamic;
  return RankedTensorType::get(shape, leaf.getElementType());
}

void scan::impl::reifyFinalShape(OpBuilder &builder, Location loc, int64_t dim,
                                 Value segments,
                                 SmallVectorImpl<OpFoldResult> &sizes) {
  if (!areOffsets(segments)) {
    sizes.erase(sizes.begin() + dim);
    return;
  }
  OpFoldResult offsets = tensor::getMixedSize(builder, loc, segments, 0);
  AffineExpr count = builder.getAffineSymbolExpr(0);
  sizes[dim] =
      affine::makeComposedFoldedAffineApply(builder, loc, count - 1, offsets);
}

LogicalResult scan::impl::verifySegments(Operation *op, Value segments,
                                         ArrayRef<int64_t> shape, int64_t dim,
                                         StringRef constraint) {
  if (!segments)
    return success();
  auto type = cast<RankedTensorType>(segments.getType());
  Type element = type.getElementType();
  auto fail = [&](const Twine &expected) {
    return op->emitOpError() << constraint << ": expected segments to be "
                             << expected << ", found " << type;
  };
  if (element.isInteger(32) || element.isInteger(64) || element.isIndex()) {
    if (type.getRank() != 1 || type.getDimSize(0) == 0)
      return fail("offsets of rank 1, one more than there are segments");
    return success();
  }
  if (!element.isInteger(1))
    return fail("offsets of type i32, i64 or index, or flags of type i1");
  int64_t rank = shape.size();
  SmallVector<int64_t> flags(type.getShape());
  if (type.getRank() == rank)
    for (int64_t i = 0; i < rank; ++i)
      if (i != dim && flags[i] == 1)
        flags[i] = shape[i];
  if (areShapesCompatible(flags, shape) ||
      areShapesCompatible(flags, shape[dim]))
    return success();
  return fail("flags of extents " + printShape(shape) +
              ", or 1 in dimensions other than dim = " + Twine(dim) +
              ", or of rank 1 with the extent " + printShape(shape[dim]));
}

llvm::SmallBitVector scan::impl::getNeededArguments(Block &block,
                                                    unsigned leaf) {
  llvm::SmallBitVector needed(block.getNumArguments());
  llvm::SmallPtrSet<Value, 16> seen;
  SmallVector<Value> worklist{block.back().getOperand(leaf)};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      if (arg.getOwner() == &block)
        needed.set(arg.getArgNumber());
      continue;
    }
    // An operation with regions needs what its body uses, too.
    value.getDefiningOp()->walk([&](Operation *nested) {
      llvm::append_range(worklist, nested->getOperands());
    });
  }
  return needed;
}

AssociativeOp
scan::impl::keepLeaves(RewriterBase &rewriter, AssociativeOp op,
                       const llvm::SmallBitVector &kept,
                       llvm::function_ref<Value(BlockArgument)> substitute) {
  const unsigned leaves = op.getNumLeaves();
  // What stands for a leaf that others need may not be what it was.
  OperatorFacts facts;
  if (!substitute) {
    llvm::BitVector dropped(leaves, true);
    for (unsigned i : kept.set_bits())
      dropped.reset(i);
    facts = dropLeafFacts(getOperatorFacts(op), dropped);
  }
  auto pick = [&](auto &&range) {
    SmallVector<Value> picked;
    for (auto [i, value] : llvm::enumerate(range))
      if (kept.test(i % leaves))
        picked.push_back(value);
    return picked;
  };
  SmallVector<Value> inputs = pick(op.getInputs()), inits = pick(op.getInits()),
                     results = pick(op.getResults());
  OperationState state(op.getLoc(), op->getName());
  state.addOperands(inputs);
  state.addOperands(inits);
  if (Value segments = op.getSegments())
    state.addOperands(segments);
  state.addTypes(ValueRange(results).getTypes());
  AssociativeOp::Properties &properties =
      state.getOrAddProperties<AssociativeOp::Properties>();
  properties = op.getProperties();
  properties.operandSegmentSizes = {static_cast<int32_t>(inputs.size()),
                                    static_cast<int32_t>(inits.size()),
                                    op.getSegments() ? 1 : 0};
  if (std::optional<ArrayAttr> accumulators = op.getAccumulators()) {
    SmallVector<Attribute> types;
    for (unsigned i : kept.set_bits())
      types.push_back((*accumulators)[i]);
    properties.accumulators = rewriter.getArrayAttr(types);
  }
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    Attribute value = attribute.getValue();
    if (attribute.getName() == AssociativeOp::getAssumeName())
      value = keepInvariants(value, kept);
    if (attribute.getName() == kOperatorFactsAttrName)
      continue;
    if (value)
      state.addAttribute(attribute.getName(), value);
  }
  state.addRegion();
  auto smaller = cast<AssociativeOp>(rewriter.create(state));
  rewriter.inlineRegionBefore(op.getCombine(), smaller.getCombine(),
                              smaller.getCombine().end());
  rewriter.modifyOpInPlace(smaller, [&] {
    llvm::BitVector gone(leaves), goneTwice(2 * leaves);
    for (unsigned i = 0; i < leaves; ++i)
      if (!kept.test(i)) {
        gone.set(i);
        goneTwice.set(i);
        goneTwice.set(leaves + i);
      }
    Block &body = smaller.getCombine().front();
    body.back().eraseOperands(gone);
    for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&inner))
        rewriter.eraseOp(&inner);
    for (unsigned i : goneTwice.set_bits())
      if (BlockArgument argument = body.getArgument(i); !argument.use_empty()) {
        rewriter.setInsertionPointToStart(&body);
        rewriter.replaceAllUsesWith(argument, substitute(argument));
      }
    body.eraseArguments(goneTwice);
    setOperatorFacts(smaller, facts);
  });
  rewriter.replaceAllUsesWith(results, smaller.getResults());
  rewriter.eraseOp(op);
  return smaller;
}
