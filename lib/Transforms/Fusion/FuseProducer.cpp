//===- FuseProducer.cpp - Elementwise code into load and initialize -------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/Traffic.h"
#include "ConsumerPlan.h"
#include "KernelFusion.h"
#include "UnrollLimits.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

/// From here on more makes no difference.
constexpr int64_t kMany = int64_t(1) << 30;

/// So many numbers are cheap to read in every thread.
constexpr int64_t kFewNumbers = 64;

/// More terms of reductions than that are not inlined at a point.
constexpr int64_t kMaxInlinedTerms = 64;

/// An operand of a kernel, and the elementwise code that computes it placed in
/// the kernel's domain.
struct ProducerPlan {
  /// The plan for a kernel of the shape `shape`. Where it fails because
  /// dimensions of the domain had to be unrolled, they are set in `unrolled`.
  /// Operands of a reduction are not sliced: of a product of matrices, that
  /// would be one for each term.
  static std::optional<ProducerPlan>
  get(KernelOp kernel, const KernelShape &shape, OpOperand &operand,
      const ElementwiseView &view, std::string &why,
      llvm::SmallBitVector &unrolled);
  static std::optional<ProducerPlan> get(KernelOp kernel, OpOperand &operand,
                                         const ElementwiseView &view,
                                         std::string &why) {
    llvm::SmallBitVector unrolled;
    return get(kernel, KernelShape(kernel), operand, view, why, unrolled);
  }
  /// All points of the reduced loops for the trailing point `point`.
  SmallVector<SmallVector<int64_t>> getPoints(ArrayRef<int64_t> point) const;

  /// What the kernel reads more for each point of the operand, and less.
  int64_t newBytes = 0, oldBytes = 0;
  SmallVector<LoopPlace> loops;
  SmallVector<PlacedOperand> operands;
  AffineMap map;
  SmallVector<int64_t> trailingShape;
  /// The extents of the reduced loops, which are behind the trailing ones.
  SmallVector<int64_t> reducedShape;

private:
  bool placeReductions(const ElementwiseView &view, unsigned domainRank,
                       std::string &why);
};

/// Places the loops of a reduction that are reduced: each element of the
/// operand is computed at one point, from a few terms.
bool ProducerPlan::placeReductions(const ElementwiseView &view,
                                   unsigned domainRank, std::string &why) {
  why = "it is a reduction that many points would compute, or of several "
        "results, or of many or an unknown number of terms";
  int64_t terms = ShapedType::getNumElements(trailingShape);
  if (view.getOperation()->getNumResults() != 1 || !view.getAccumulator(0) ||
      !view.getOperation()->hasOneUse() || countDims(map) != domainRank)
    return false;
  for (auto [i, loop] : llvm::enumerate(loops)) {
    if (!view.isReduction(i))
      continue;
    int64_t extent = view.getLoopExtents()[i];
    if (ShapedType::isDynamic(extent) || extent == 0 ||
        extent > kMaxInlinedTerms || (terms *= extent) > kMaxInlinedTerms)
      return false;
    loop.trailing = trailingShape.size() + reducedShape.size();
    reducedShape.push_back(extent);
  }
  return true;
}

/// Sets the dimensions of the domain that stand behind unrolled ones in `map`.
void findHidden(AffineMap map, ArrayRef<LoopPlace> loops,
                llvm::SmallBitVector &dims) {
  bool isBehind = false;
  for (AffineExpr expr : map.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop)
      continue;
    const LoopPlace &place = loops[loop.getPosition()];
    auto dim = dyn_cast_or_null<AffineDimExpr>(place.expr);
    if (dim && isBehind)
      dims.set(dim.getPosition());
    isBehind |= !place.expr;
  }
}

std::optional<ProducerPlan>
ProducerPlan::get(KernelOp kernel, const KernelShape &shape, OpOperand &operand,
                  const ElementwiseView &view, std::string &why,
                  llvm::SmallBitVector &unrolled) {
  ProducerPlan plan;
  plan.map = shape[operand].map;
  plan.trailingShape = llvm::to_vector(shape[operand].getTrailingShape());
  unsigned result = cast<OpResult>(operand.get()).getResultNumber();
  plan.loops = placeLoops(view.getResultMap(result), plan.map);
  if (view.hasReductions()) {
    if (!plan.placeReductions(view, shape.domainRank, why))
      return std::nullopt;
    unrolled.resize(shape.domainRank);
    for (const ElementwiseView::Operand &source : view.getOperands())
      findHidden(source.map, plan.loops, unrolled);
  }
  unsigned numDims = countDims(plan.map);
  plan.oldBytes =
      getTraffic(getElementTypeOrSelf(operand.get().getType()), plan.map,
                 ShapedType::getNumElements(plan.trailingShape), numDims);
  for (auto [i, viewed] : llvm::enumerate(view.getOperands())) {
    ElementwiseView::Operand source = viewed;
    if (view.hasReductions() && view.getAccumulator(0) == i) {
      source.constant = source.value ? getSplat(source.value) : source.constant;
      source.value = {};
      source.map = AffineMap::get(view.getNumLoops(), 0, kernel.getContext());
      if (!source.constant) {
        why = "a reduction that does not start from a constant";
        return std::nullopt;
      }
    }
    std::optional<PlacedOperand> placed = placeOperand(
        source, plan.loops, shape.domainRank, why,
        /*shape=*/std::nullopt, /*maySlice=*/!view.hasReductions());
    if (!placed)
      return std::nullopt;
    if (placed->getNumElements() > 1024) {
      why = "an operand has too many trailing elements";
      return std::nullopt;
    }
    bool isKnown = false;
    for (OpOperand &other : kernel->getOpOperands())
      isKnown |= other.get() == source.value && !placed->isSliced() &&
                 other.getOperandNumber() < kernel.getInputs().size() &&
                 kernel.getIndexingMap(other) == placed->map;
    for (const PlacedOperand &other : plan.operands)
      isKnown |= other.source.value == source.value &&
                 other.map == placed->map &&
                 other.slicedDims == placed->slicedDims;
    if (source.value && !isKnown)
      plan.newBytes += getTraffic(source.elementType, placed->map,
                                  placed->getNumElements(), numDims);
    plan.operands.push_back(std::move(*placed));
  }
  return plan;
}

SmallVector<SmallVector<int64_t>>
ProducerPlan::getPoints(ArrayRef<int64_t> point) const {
  SmallVector<SmallVector<int64_t>> points;
  SmallVector<int64_t> strides = computeStrides(reducedShape);
  for (int64_t i = 0, e = ShapedType::getNumElements(reducedShape); i < e;
       ++i) {
    points.emplace_back(point);
    llvm::append_range(points.back(), delinearize(i, strides));
  }
  return points;
}

/// The bytes that the elementwise operation itself moves, in the same unit.
int64_t getOwnBytes(const ElementwiseView &view) {
  int64_t bytes = 0;
  unsigned numLoops = view.getNumLoops();
  for (const ElementwiseView::Operand &operand : view.getOperands())
    if (operand.value)
      bytes += getTraffic(operand.elementType, operand.map, 1, numLoops);
  for (Value result : view.getOperation()->getResults())
    bytes += getTraffic(
        getElementTypeOrSelf(result.getType()),
        AffineMap::getMultiDimIdentityMap(numLoops, result.getContext()), 1,
        numLoops);
  return bytes;
}

/// True if `kernel` needs what readers of `producer` compute that are no
/// elementwise code, such as products of matrices. Its results are stored in
/// any case then, and what they are computed from may be not.
bool isStoredAnyway(Operation *producer, KernelOp kernel) {
  Block *block = kernel->getBlock();
  std::string why;
  SetVector<Operation *> after;
  for (Operation *user : producer->getUsers())
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(user);
        linalgOp && !ElementwiseView::get(user, why))
      after.insert(user);
  for (size_t i = 0; i < after.size(); ++i)
    for (Operation *user : after[i]->getUsers()) {
      Operation *outer = block->findAncestorOpInBlock(*user);
      if (outer == kernel)
        return true;
      if (outer && outer->isBeforeInBlock(kernel))
        after.insert(outer);
    }
  return false;
}

/// True if inlining the code into `kernel` and into all other kernels that read
/// its results moves no more bytes than before.
bool isProfitable(KernelOp kernel, const ProducerPlan &plan,
                  const ElementwiseView &view) {
  Operation *producer = view.getOperation();
  if (plan.newBytes < plan.oldBytes)
    return true;
  if (plan.newBytes == plan.oldBytes)
    return !isStoredAnyway(producer, kernel);
  if (producer->getBlock() != kernel->getBlock() ||
      isConsumerOfOther(producer, kernel))
    return false;
  int64_t more = 0;
  bool isOnlyUser = true;
  for (OpOperand &use : producer->getUses()) {
    auto user = dyn_cast<KernelOp>(use.getOwner());
    std::string why;
    if (!user || user->getBlock() != producer->getBlock() ||
        use.getOperandNumber() >=
            user.getInputs().size() + user.getInits().size())
      return false;
    std::optional<ProducerPlan> other = ProducerPlan::get(user, use, view, why);
    if (!other)
      return false;
    isOnlyUser &= user == kernel;
    more += other->newBytes - other->oldBytes;
  }
  return isOnlyUser || more <= getOwnBytes(view);
}

/// How many points of the domain compute what the code computed once, where
/// that is more than one; the scanned dimension does not count. What does not
/// vary along it is computed once per walk, which takes many steps, in front of
/// them. But a few numbers, such as the coefficients of a time-invariant model,
/// are what a kernel reads that has few scans: these are split among thousands
/// of threads, each of which would compute all of them for a few steps.
int64_t countRecomputations(KernelOp kernel, const ProducerPlan &plan,
                            OpOperand &operand) {
  auto type = dyn_cast<ShapedType>(operand.get().getType());
  bool areFew = type && type.hasStaticShape() &&
                type.getNumElements() <= kFewNumbers &&
                operand.getOperandNumber() < kernel.getInputs().size();
  if (!areFew && !plan.map.isFunctionOfDim(kernel.getDim()))
    return 1;
  int64_t count = 1;
  for (auto [dim, extent] : llvm::enumerate(kernel.getStaticDomainShape())) {
    if (plan.map.isFunctionOfDim(dim))
      continue;
    if (ShapedType::isDynamic(extent) || extent > kMany)
      return kMany;
    count = std::min(kMany, count * std::max<int64_t>(extent, 1));
  }
  return count;
}

/// True if `view` is a reshape and what it reads is computed by nothing that a
/// kernel could inline or read a part of: a view then, which costs nothing.
bool isViewOnly(const ElementwiseView &view) {
  if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(view.getOperation()))
    return false;
  std::string why;
  Operation *source = view.getOperation()->getOperand(0).getDefiningOp();
  if (auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(source))
    source = slice.getSource().getDefiningOp();
  return !source || !ElementwiseView::get(source, why);
}

/// True if `kernel` may be unrolled over `dims` to inline what computes
/// `operand`; otherwise says why not.
bool mayUnroll(KernelOp kernel, OpOperand &operand,
               const llvm::SmallBitVector &dims, const ElementwiseView &view,
               const FusionOptions &options, std::string &why) {
  std::optional<KernelShape> shape =
      KernelShape::getUnrolled(kernel, dims, why);
  if (!shape)
    return false;
  why = "the kernel would have to be unrolled, but has operands with the "
        "dimension before others";
  if (shape->operands.empty() ||
      llvm::any_of(shape->operands, [](const KernelShape::Operand &placed) {
        return placed.isSliced || !llvm::is_sorted(placed.order);
      }))
    return false;
  llvm::SmallBitVector left;
  std::optional<ProducerPlan> plan;
  if (succeeded(checkUnrollLimits(kernel, dims, /*registers=*/0, options, why)))
    plan = ProducerPlan::get(kernel, *shape, operand, view, why, left);
  if (!plan)
    return false;
  int64_t registers = 0;
  for (const PlacedOperand &read : plan->operands)
    registers += countRegisters(read);
  return succeeded(checkUnrollLimits(kernel, dims, registers, options, why));
}

/// Puts the code of a producer in place of the elements that it computes, in
/// the regions of the kernel.
struct ProducerInliner {
  RewriterBase &rewriter;
  Location loc;
  const ElementwiseView &view;
  const ProducerPlan &plan;
  /// The result of the producer that the kernel reads.
  unsigned result;
  /// Which elements of the kernel's operands were that result.
  int64_t oldFirst, oldCount;
  /// Where the elements of each operand are among those that the kernel will
  /// have; none for constants.
  SmallVector<SmallVector<int64_t>> positions;
  /// The elements that the kernel did not have.
  SmallVector<Type> added;

  /// Adds the operands of the producer to `parts`, among the inits if `isInit`
  /// is set.
  void addOperands(KernelParts &parts, bool isInit);
  /// Replaces the arguments of `block` that were the result. From argument
  /// `base` on it has the elements of the kernel's inputs (or inits).
  void inlineInto(Block &block, unsigned base);
};

void ProducerInliner::addOperands(KernelParts &parts, bool isInit) {
  SmallVector<Value> &values = isInit ? parts.inits : parts.inputs;
  SmallVector<AffineMap> &maps = isInit ? parts.initMaps : parts.inputMaps;
  for (const PlacedOperand &placed : plan.operands) {
    positions.emplace_back();
    if (!placed.source.constant)
      positions.back() = addElements(
          rewriter, loc, placed, values, maps,
          [&](unsigned i) { return isInit || parts.isPlain(i); }, added);
  }
}

void ProducerInliner::inlineInto(Block &block, unsigned base) {
  SmallVector<Value> old(block.getArguments().slice(base + oldFirst, oldCount));
  block.addArguments(added, SmallVector<Location>(added.size(), loc));
  // Positions are those of after the old arguments are gone.
  auto argumentAt = [&](int64_t position) -> Value {
    return block.getArgument(base + position +
                             (position < oldFirst ? 0 : oldCount));
  };
  rewriter.setInsertionPointToStart(&block);
  SmallVector<int64_t> strides = computeStrides(plan.trailingShape);
  for (auto [i, argument] : llvm::enumerate(old)) {
    if (argument.use_empty())
      continue;
    Value value;
    for (ArrayRef<int64_t> point : plan.getPoints(delinearize(i, strides))) {
      SmallVector<Value> elements;
      for (auto [placed, where] : llvm::zip_equal(plan.operands, positions))
        elements.push_back(where.empty()
                               ? materializeScalar(rewriter, loc,
                                                   placed.source.elementType,
                                                   placed.source.constant)
                               : argumentAt(where[placed.getPosition(point)]));
      if (value)
        elements[*view.getAccumulator(0)] = value;
      auto getIndex = [&](unsigned loop) {
        return createLoopIndex(rewriter, loc, plan.loops[loop], point);
      };
      value = view.inlineBody(rewriter, elements, getIndex)[result];
    }
    rewriter.replaceAllUsesWith(argument, value);
  }
  block.eraseArguments(base + oldFirst, oldCount);
}

} // namespace

LogicalResult scan::fuseProducer(RewriterBase &rewriter, KernelOp kernel,
                                 OpOperand &operand,
                                 const FusionOptions &options) {
  auto fail = [&](const Twine &reason) {
    return rewriter.notifyMatchFailure(kernel, reason);
  };
  auto produced = dyn_cast<OpResult>(operand.get());
  if (!produced || !kernel.hasPureTensorSemantics())
    return fail("no operation computes the operand, or it is a buffer");
  unsigned number = operand.getOperandNumber();
  bool isInit = number >= kernel.getInputs().size();
  if (!isInit && (kernel.getShift(number) != 0 || kernel.isBoundary(number)))
    return fail("the input is shifted, or the boundary of a shifted one");
  if (!isInit && kernel.isSegmentOffsets(number))
    return fail("the input is a list of segment offsets");
  if (!isInit && (kernel.isGathered(number) || kernel.isPlaces(number)))
    return fail("the input is gathered, or holds the places of a gathered one");
  std::string why;
  std::optional<ElementwiseView> view = ElementwiseView::get(
      produced.getOwner(), why, /*allowReductions=*/!isInit);
  if (!view)
    return fail("the producer cannot be inlined: " + why);
  if (isInit && !isa<ShapedType>(produced.getType()))
    return fail("a scalar constant as init stays an operand");
  llvm::SmallBitVector unrolled;
  std::optional<ProducerPlan> plan = ProducerPlan::get(
      kernel, KernelShape(kernel), operand, *view, why, unrolled);
  if (!plan && unrolled.any() &&
      mayUnroll(kernel, operand, unrolled, *view, options, why)) {
    // The next attempt inlines it.
    unrollDomain(rewriter, kernel, unrolled);
    return success();
  }
  if (!plan)
    return fail("the producer cannot be inlined: " + why);
  if (!isProfitable(kernel, *plan, *view))
    return fail("the producer has other users, and the kernel would read more");
  if (isViewOnly(*view))
    return fail("the producer is a view, which can be read as it is");
  if (view->isExpensive() &&
      countRecomputations(kernel, *plan, operand) > options.maxRecompute)
    return fail("expensive code would be computed too often");

  KernelParts parts(kernel);
  SmallVector<Value> &values = isInit ? parts.inits : parts.inputs;
  SmallVector<AffineMap> &maps = isInit ? parts.initMaps : parts.inputMaps;
  unsigned index = isInit ? number - parts.inputs.size() : number;
  std::pair<unsigned, unsigned> range = getElementRange(values, maps, index);
  const int64_t oldFirst = range.first, oldCount = range.second;
  if (isInit) {
    values.erase(values.begin() + index);
    maps.erase(maps.begin() + index);
  } else {
    parts.eraseInput(index);
  }

  // A kernel has an init as long as it has an operand for one, so constants are
  // handed over as scalars there.
  auto staysConstant = [&](const PlacedOperand &placed) {
    return placed.source.constant &&
           !(isInit &&
             ScanDialect::isSupportedElementType(placed.source.elementType));
  };
  if (isInit && values.empty() && llvm::all_of(plan->operands, staysConstant))
    return fail("no operand would be left to initialise from");
  KernelParts trial(parts);
  for (const PlacedOperand &placed : plan->operands)
    if (placed.source.value) {
      trial.inputs.push_back(placed.source.value);
      trial.inputMaps.push_back(placed.map);
    }
  if (!trial.coversDomain())
    return fail("the operand is the only one to say an extent");

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  Location loc = produced.getOwner()->getLoc();
  for (PlacedOperand &placed : plan->operands)
    if (placed.source.constant && !staysConstant(placed)) {
      placed.source.value = materializeScalar(
          rewriter, loc, placed.source.elementType, placed.source.constant);
      placed.source.constant = {};
    }

  unsigned result = produced.getResultNumber();
  ProducerInliner inliner{rewriter, loc,      *view, *plan, result,
                          oldFirst, oldCount, {},    {}};
  inliner.addOperands(parts, isInit);
  KernelOp fused = parts.rebuild(rewriter, kernel);
  if (isInit) {
    inliner.inlineInto(fused.getInitialize().front(), 0);
  } else {
    inliner.inlineInto(fused.getLoad().front(), 0);
    inliner.inlineInto(fused.getStore().front(), 2 * fused.getNumLeaves());
  }
  rewriter.replaceOp(kernel, fused.getResults());
  return success();
}
