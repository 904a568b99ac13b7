//===- Normalize.cpp - From graph-level scans to scan.kernel --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Segments/Segments.h"
#include "../Utils/ScalarCast.h"
#include "CombineRewrite.h"
#include "IR/CombineRegion.h"
#include "IR/Extents.h"
#include "IR/MatchCounts.h"
#include "IR/OperatorFacts.h"
#include "Scan/Transforms/Segments/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANNORMALIZE
#include "Scan/Transforms/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

namespace {

/// Collects the operands of a kernel over the domain of `rank` dimensions, then
/// makes it.
class KernelAssembly {
public:
  KernelAssembly(RewriterBase &rewriter, Operation *op, unsigned rank,
                 unsigned dim)
      : rewriter(rewriter), op(op), dim(dim),
        domain(rewriter.getMultiDimIdentityMap(rank)) {}

  void addInput(Value value) { addInput(value, domain); }
  void addInput(Value value, AffineMap map) {
    inputs.push_back(value);
    inputMaps.push_back(map);
  }
  void addInit(Value value) {
    inits.push_back(value);
    initMaps.push_back(
        isa<ShapedType>(value.getType())
            ? domain.dropResult(dim)
            : AffineMap::get(domain.getNumDims(), 0, rewriter.getContext()));
  }
  /// Adds an output of the type of `source`, an operand of the same extents.
  void addOutput(Value source) {
    outputs.push_back(createEmpty(source,
                                  cast<RankedTensorType>(source.getType()),
                                  /*dropDim=*/false));
  }
  /// Adds a final of `type`: that of `source` without the scan dimension.
  void addFinal(Value source, Type type) {
    finals.push_back(createEmpty(source, cast<RankedTensorType>(type),
                                 /*dropDim=*/true));
  }

  /// The outputs and finals.
  SmallVector<Value> getOuts() const {
    SmallVector<Value> outs(outputs);
    llvm::append_range(outs, finals);
    return outs;
  }

  /// The kernel, with empty regions. `schedule` and `order` are those of the
  /// scan.
  KernelOp create(bool reverse, OrderAttr order, ScheduleAttr schedule) {
    SmallVector<AffineMap> maps(inputMaps);
    llvm::append_range(maps, initMaps);
    maps.append(outputs.size(), domain);
    maps.append(finals.size(), domain.dropResult(dim));
    SmallVector<Type> types;
    for (Value value : getOuts())
      types.push_back(value.getType());
    auto kernel =
        KernelOp::create(rewriter, op->getLoc(), types, inputs, inits, outputs,
                         finals, rewriter.getI64IntegerAttr(dim),
                         reverse ? rewriter.getUnitAttr() : UnitAttr(),
                         rewriter.getAffineMapArrayAttr(maps), order, schedule);
    // What the dialect says of a scan (`scan.assume`) it says of the elements
    // and of the combine region that were, not of those of the kernel.
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      if (attribute.getNameDialect() != op->getDialect())
        kernel->setDiscardableAttr(attribute.getName(), attribute.getValue());
    return kernel;
  }

private:
  Value createEmpty(Value source, RankedTensorType type, bool dropDim) {
    SmallVector<Value> sizes;
    for (auto [i, extent] : llvm::enumerate(type.getShape()))
      if (ShapedType::isDynamic(extent))
        sizes.push_back(rewriter.createOrFold<tensor::DimOp>(
            op->getLoc(), source, dropDim && i >= dim ? i + 1 : i));
    return tensor::EmptyOp::create(rewriter, op->getLoc(), type, sizes);
  }

  RewriterBase &rewriter;
  Operation *op;
  unsigned dim;
  AffineMap domain;
  SmallVector<Value> inputs, inits, outputs, finals;
  SmallVector<AffineMap> inputMaps, initMaps;
};

/// Creates the block of a map region and ends it with what `body` returns for
/// the block arguments.
void buildMap(RewriterBase &rewriter, Location loc, Region &region,
              TypeRange types,
              function_ref<SmallVector<Value>(ValueRange)> body) {
  OpBuilder::InsertionGuard guard(rewriter);
  Block *block = rewriter.createBlock(&region, region.end(), types,
                                      SmallVector<Location>(types.size(), loc));
  YieldOp::create(rewriter, loc, body(block->getArguments()));
}

/// The numbers of one leaf of scan.associative.
struct Leaf {
  Type element, accumulator;
  int64_t size;
};

/// Carries the rounding error of each addition along (TwoSum), as second leaf.
/// What the sum was meant to be is the first leaf plus the second.
struct Compensation {
  RewriterBase &rewriter;
  Location loc;

  Value add(Value a, Value b) {
    return arith::AddFOp::create(rewriter, loc, a, b);
  }
  Value sub(Value a, Value b) {
    return arith::SubFOp::create(rewriter, loc, a, b);
  }
  SmallVector<Value> lift(Value value) {
    return {value, createScalarConstant(rewriter, loc, value.getType(), 0)};
  }
  SmallVector<Value> combine(ValueRange leaves) {
    Value sum = add(leaves[0], leaves[2]);
    Value second = sub(sum, leaves[0]);
    Value first = sub(sum, second);
    Value firstError = sub(leaves[0], first);
    Value secondError = sub(leaves[2], second);
    Value error = add(firstError, secondError);
    Value errors = add(leaves[1], leaves[3]);
    return {sum, add(errors, error)};
  }
  /// The error of a sum that has overflowed is not a number, the sum is.
  Value total(Value sum, Value error) {
    Value isNumber = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::ORD, error, error);
    return arith::SelectOp::create(rewriter, loc, isNumber, add(sum, error),
                                   sum);
  }
};

/// Any state: what stands for an init of one state per step, `init`, where
/// a kernel's own is called for and not looked at.
Value createUnusedInit(RewriterBase &rewriter, Location loc, Value init,
                       unsigned rank, unsigned dim) {
  auto type = cast<RankedTensorType>(init.getType());
  Value zero = createScalarConstant(rewriter, loc, type.getElementType(), 0);
  if (type.getRank() == rank)
    return zero;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, init);
  sizes.erase(sizes.begin() + dim);
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
  return linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
}

/// Gives `kernel`, made of `op` as if this had no segments, the starts that its
/// flags say.
template <typename OpTy>
KernelOp addSegments(RewriterBase &rewriter, OpTy op, KernelOp kernel,
                     ValueRange scanned, ValueRange inits) {
  if (!op.getSegments())
    return kernel;
  unsigned rank = kernel.getDomainRank(), dim = kernel.getDim();
  MLIRContext *context = rewriter.getContext();
  AffineMap domain = rewriter.getMultiDimIdentityMap(rank);
  Restarts restarts;
  restarts.flags = op.getSegments();
  auto type = cast<RankedTensorType>(restarts.flags.getType());
  SmallVector<AffineExpr> exprs;
  for (unsigned i = 0, e = type.getRank(); i < e; ++i) {
    unsigned d = e == rank ? i : dim;
    exprs.push_back(d != dim && type.getDimSize(i) == 1
                        ? rewriter.getAffineConstantExpr(0)
                        : rewriter.getAffineDimExpr(d));
  }
  restarts.map = AffineMap::get(rank, 0, exprs, context);
  for (auto [init, leaf] : llvm::zip(inits, scanned)) {
    restarts.inits.push_back(init);
    bool isTensor = isa<RankedTensorType>(init.getType());
    restarts.perStep |= hasScanDim(init, leaf);
    restarts.initMaps.push_back(hasScanDim(init, leaf) ? domain
                                : isTensor ? domain.dropResult(dim)
                                           : AffineMap::get(rank, 0, context));
  }
  return addRestarts(rewriter, kernel, restarts);
}

} // namespace

FailureOr<KernelOp> scan::normalizeScan(RewriterBase &rewriter,
                                        AssociativeOp op,
                                        NormalizeObstacle &obstacle) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  bool compensated = op.getCompensated();

  SmallVector<Leaf> leaves;
  SmallVector<Type> elementTypes, leafTypes;
  for (auto [i, type] : llvm::enumerate(op.getLeafTypes())) {
    auto block = dyn_cast<RankedTensorType>(type);
    Leaf leaf = {getElementTypeOrSelf(type), op.getAccumulatorType(i),
                 block ? countElements(block.getShape()) : 1};
    if (leaf.size > 1024) {
      obstacle = {op, ("has " + Twine(leaf.size) +
                       (leaf.size == INT64_MAX ? " or more" : "") +
                       " trailing elements in leaf " + Twine(i) +
                       ", and at most 1024 are supported")
                          .str()};
      return failure();
    }
    leaves.push_back(leaf);
    elementTypes.append(leaf.size, leaf.element);
    leafTypes.append(leaf.size, leaf.accumulator);
  }

  Region scalars, combine;
  if (!compensated) {
    if (failed(scalarizeCombine(op.getCombine(), scalars, obstacle)))
      return failure();
    promoteCombine(scalars, combine, leafTypes);
  }

  op = expandSegmentOffsets(rewriter, op, OffsetsChecking::None);
  rewriter.setInsertionPoint(op);
  KernelAssembly assembly(rewriter, op, op.getIterationRank(), op.getDim());
  for (Value input : op.getInputs())
    assembly.addInput(input);
  for (auto [init, input] : llvm::zip(op.getInits(), op.getInputs()))
    assembly.addInit(hasScanDim(init, input)
                         ? createUnusedInit(rewriter, loc, init,
                                            op.getIterationRank(), op.getDim())
                         : init);
  for (Value input : op.getInputs())
    assembly.addOutput(input);
  for (auto [input, result] : llvm::zip(op.getInputs(), op.getFinalResults()))
    assembly.addFinal(input, result.getType());
  if (leafTypes.empty()) {
    rewriter.replaceOp(op, assembly.getOuts());
    return KernelOp();
  }
  KernelOp kernel =
      assembly.create(op.getReverse(), op.getOrderAttr(), op.getScheduleAttr());

  Compensation compensation{rewriter, loc};
  auto extend = [&](ValueRange values) -> SmallVector<Value> {
    SmallVector<Value> yields;
    for (auto [value, type] : llvm::zip_equal(values, leafTypes))
      yields.push_back(castScalar(rewriter, loc, value, type));
    return compensated ? compensation.lift(yields.front()) : yields;
  };
  auto round = [&](ValueRange values) -> SmallVector<Value> {
    SmallVector<Value> yields(values);
    if (compensated)
      yields = {compensation.total(values[0], values[1])};
    for (auto [value, type] : llvm::zip_equal(yields, elementTypes))
      value = castScalar(rewriter, loc, value, type);
    return yields;
  };

  SmallVector<Type> carried(leafTypes);
  if (compensated)
    carried.append(leafTypes);
  SmallVector<Type> pairTypes(carried);
  llvm::append_range(pairTypes, carried);
  buildMap(rewriter, loc, kernel.getLoad(), elementTypes, extend);
  if (kernel.hasInit())
    buildMap(rewriter, loc, kernel.getInitialize(), elementTypes, extend);
  if (compensated)
    buildMap(
        rewriter, loc, kernel.getCombine(), pairTypes,
        [&](ValueRange arguments) { return compensation.combine(arguments); });
  else
    kernel.getCombine().takeBody(combine);
  SmallVector<Type> storeTypes(pairTypes);
  llvm::append_range(storeTypes, elementTypes);
  buildMap(rewriter, loc, kernel.getStore(), storeTypes,
           [&](ValueRange arguments) {
             return round(arguments.slice(
                 op.getExclusive() ? carried.size() : 0, carried.size()));
           });
  if (!op.getFinalResults().empty())
    buildMap(rewriter, loc, kernel.getFinalize(), carried, round);
  kernel.addEmptyMaps(rewriter);
  // Of numbers of another type, or with their rounding errors, nothing has been
  // proved.
  if (leafTypes == elementTypes && !compensated)
    setOperatorFacts(kernel, splitIntoScalars(getOperatorFacts(op)));
  kernel = addSegments(rewriter, op, kernel, op.getInputs(), op.getInits());
  rewriter.replaceOp(op, kernel.getResults());
  return kernel;
}

KernelOp scan::normalizeScan(RewriterBase &rewriter, LinearRecurrenceOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  op = expandSegmentOffsets(rewriter, op, OffsetsChecking::None);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  auto aType = cast<RankedTensorType>(op.getA().getType());
  auto bType = cast<RankedTensorType>(op.getB().getType());
  Type element = bType.getElementType();
  Type leaf = op.getAccumulatorType();
  int64_t dim = op.getDim();

  SmallVector<AffineExpr> aIndices;
  for (int64_t i = 0; i < aType.getRank(); ++i)
    aIndices.push_back(i != dim && aType.getDimSize(i) == 1 &&
                               bType.getDimSize(i) != 1
                           ? rewriter.getAffineConstantExpr(0)
                           : rewriter.getAffineDimExpr(i));
  KernelAssembly assembly(rewriter, op, bType.getRank(), dim);
  assembly.addInput(op.getA(), AffineMap::get(bType.getRank(), 0, aIndices,
                                              rewriter.getContext()));
  assembly.addInput(op.getB());
  if (op.getInit())
    assembly.addInit(hasScanDim(op.getInit(), op.getB())
                         ? createUnusedInit(rewriter, loc, op.getInit(),
                                            bType.getRank(), dim)
                         : op.getInit());
  assembly.addOutput(op.getB());
  if (op.getLast())
    assembly.addFinal(op.getB(), op.getLast().getType());
  KernelOp kernel =
      assembly.create(op.getReverse(), op.getOrderAttr(), op.getScheduleAttr());

  auto multiply = [&](Value x, Value y) -> Value {
    if (isa<ComplexType>(leaf))
      return complex::MulOp::create(rewriter, loc, x, y);
    if (isa<FloatType>(leaf))
      return arith::MulFOp::create(rewriter, loc, x, y);
    return arith::MulIOp::create(rewriter, loc, x, y);
  };
  auto add = [&](Value x, Value y) -> Value {
    if (isa<ComplexType>(leaf))
      return complex::AddOp::create(rewriter, loc, x, y);
    if (isa<FloatType>(leaf))
      return arith::AddFOp::create(rewriter, loc, x, y);
    return arith::AddIOp::create(rewriter, loc, x, y);
  };
  // A pair (a, b) stands for the map h -> a * h + b; the new map is applied
  // after the accumulated one.
  buildMap(rewriter, loc, kernel.getLoad(), {element, element},
           [&](ValueRange ab) -> SmallVector<Value> {
             return {castScalar(rewriter, loc, ab[0], leaf),
                     castScalar(rewriter, loc, ab[1], leaf)};
           });
  if (kernel.hasInit())
    buildMap(rewriter, loc, kernel.getInitialize(), {element},
             [&](ValueRange h0) -> SmallVector<Value> {
               return {createScalarConstant(rewriter, loc, leaf, 1),
                       castScalar(rewriter, loc, h0[0], leaf)};
             });
  buildMap(rewriter, loc, kernel.getCombine(), {leaf, leaf, leaf, leaf},
           [&](ValueRange pairs) -> SmallVector<Value> {
             return {multiply(pairs[2], pairs[0]),
                     add(multiply(pairs[2], pairs[1]), pairs[3])};
           });
  buildMap(rewriter, loc, kernel.getStore(),
           {leaf, leaf, leaf, leaf, element, element},
           [&](ValueRange arguments) -> SmallVector<Value> {
             return {castScalar(rewriter, loc,
                                arguments[op.getExclusive() ? 3 : 1], element)};
           });
  if (op.getLast())
    buildMap(rewriter, loc, kernel.getFinalize(), {leaf, leaf},
             [&](ValueRange pair) -> SmallVector<Value> {
               return {castScalar(rewriter, loc, pair[1], element)};
             });
  kernel.addEmptyMaps(rewriter);
  SmallVector<Value> inits;
  if (op.getInit())
    inits.push_back(op.getInit());
  kernel = addSegments(rewriter, op, kernel, op.getB(), inits);
  rewriter.replaceOp(op, kernel.getResults());
  return kernel;
}

namespace {

struct NormalizeAssociative : OpRewritePattern<AssociativeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AssociativeOp op,
                                PatternRewriter &rewriter) const override {
    NormalizeObstacle obstacle;
    if (failed(normalizeScan(rewriter, op, obstacle)))
      return rewriter.notifyMatchFailure(obstacle.op, obstacle.reason);
    return success();
  }
};

struct NormalizeLinearRecurrence : OpRewritePattern<LinearRecurrenceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LinearRecurrenceOp op,
                                PatternRewriter &rewriter) const override {
    normalizeScan(rewriter, op);
    return success();
  }
};

/// Not the greedy driver: one walk is enough, nothing else may change, and an
/// obstacle is an error of the program.
struct ScanNormalizePass : scan::impl::ScanNormalizeBase<ScanNormalizePass> {
  /// What it takes to expand segments, besides.
  void getDependentDialects(DialectRegistry &registry) const override {
    ScanNormalizeBase::getDependentDialects(registry);
    registry.insert<linalg::LinalgDialect, scf::SCFDialect>();
  }

  /// Scans of whose operators something is known need less: in kernels it would
  /// be too late for that.
  void simplifyKnownOperators() {
    SmallVector<Operation *> known;
    getOperation()->walk([&](AssociativeOp op) {
      if (op->hasAttr(kOperatorFactsAttrName))
        known.push_back(op);
    });
    if (known.empty())
      return;
    RewritePatternSet patterns(&getContext());
    scan::impl::addFactPatterns(patterns);
    (void)applyOpPatternsGreedily(known, std::move(patterns));
  }

  void runOnOperation() override {
    simplifyKnownOperators();
    SmallVector<Operation *> scans = getScans();
    unsigned before = scans.size();
    RewritePatternSet patterns(&getContext());
    populateScanNormalizePatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    scans = getScans();
    numKernels += before - scans.size();
    addMatchCounts(getOperation(), getArgument(),
                   {{"kernels", before - scans.size()}});
    IRRewriter rewriter(&getContext());
    for (Operation *op : scans) {
      // Only to learn why not.
      NormalizeObstacle obstacle;
      (void)normalizeScan(rewriter, cast<AssociativeOp>(op), obstacle);
      InFlightDiagnostic diagnostic = obstacle.op->emitOpError(obstacle.reason);
      if (obstacle.op != op)
        diagnostic.attachNote(op->getLoc())
            << "in the combine region of this scan; its leaves have trailing "
               "dimensions or it computes with tensors, which works with "
               "elementwise operations, with linalg operations of static "
               "shape, and with tensor operations at constant indices";
      return signalPassFailure();
    }
  }

  SmallVector<Operation *> getScans() {
    SmallVector<Operation *> scans;
    getOperation()->walk([&](Operation *op) {
      if (isa<AssociativeOp, LinearRecurrenceOp>(op))
        scans.push_back(op);
    });
    return scans;
  }
};

} // namespace

void scan::populateScanNormalizePatterns(RewritePatternSet &patterns) {
  patterns.add<NormalizeAssociative, NormalizeLinearRecurrence>(
      patterns.getContext());
}
