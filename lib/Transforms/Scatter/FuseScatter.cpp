//===- FuseScatter.cpp - Scatters as outputs of kernels -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel that counts where elements go can write them there itself. Steps
// then write at the same time, or in any order, so that no two of a line may
// have one place: those of a stream compaction, which count flags, differ as
// long as their integers can count.
//
// A result that is filled with one value beforehand would be written twice. But
// steps without a flag write nothing, and there are as many of them as elements
// that stay what they were filled with: such a step writes that value, from the
// end on, and each element is written once.
//
//===----------------------------------------------------------------------===//

#include "Analysis/CompactionIndices.h"
#include "IR/ElementwiseView.h"
#include "IR/Extents.h"
#include "IR/KernelParts.h"
#include "IR/MatchCounts.h"
#include "IR/StepsRange.h"
#include "ScalarScatter.h"
#include "Scan/Transforms/Scatter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANFUSESCATTER
#include "Scan/Transforms/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

namespace {
class ScatterFusion {
public:
  ScatterFusion(RewriterBase &rewriter, ScatterOp op)
      : rewriter(rewriter), op(op), dim(op.getScatterDim()) {}

  /// Whether it can be done; otherwise says why not.
  bool match(std::string &why);
  void fuse();

private:
  bool matchMemory(std::string &why);
  bool matchSteps(std::string &why);
  bool matchOrder(std::string &why);
  std::optional<unsigned> findStored();
  Value createEmpty();
  void createChoice();
  KernelOp addOutput(KernelOp kernel, Value dest);
  std::pair<Value, Value> emitStep(ImplicitLocOpBuilder &b, Value source,
                                   function_ref<Value()> getFill);

  RewriterBase &rewriter;
  ScatterOp op;
  int64_t dim;
  CompactionPlaces places;
  /// The value that the result is filled with where no flag is, if each step is
  /// to write an element.
  UniformValue fill;
  /// With more steps than that, some of a line may have one place.
  int64_t mostSteps = StepsRange::kUnlimited;
  bool isChosen = false;
};
} // namespace

/// What the result starts from.
bool ScatterFusion::matchMemory(std::string &why) {
  Value dest = op.getDest(), index = op.getIndex();
  for (int64_t d = 0, e = op.getDest().getType().getRank(); d < e; ++d)
    if (!haveSameExtent(index, d, dest, d)) {
      why = "its result is not known to have the extents of its indices";
      return false;
    }
  if (places.isFromZero)
    fill = getUniformValue(dest);
  if (dest.getDefiningOp() != places.kernel)
    return true;
  why = "its destination is a result of the kernel that computes its indices";
  return false;
}

/// Up to how many steps places differ.
bool ScatterFusion::matchSteps(std::string &why) {
  StepsRange range = getStepsRange(places.kernel);
  int64_t most = places.mostSteps;
  if (most == StepsRange::kUnlimited)
    return true;
  // As signed numbers, half of the counts are negative: flags without a place.
  if (fill && most / 2 < range.most && range.most <= most)
    fill = {};
  mostSteps = fill ? most / 2 : most;
  if (range.most <= mostSteps)
    return true;
  why = "it has more steps than " + std::to_string(mostSteps) +
        ", of which some may have one place";
  if (hasStepsRange(places.kernel) || range.least > mostSteps)
    return false;
  // Both ways write to the same memory, which is made in front of the choice.
  if (!fill && (!op.getDest().hasOneUse() ||
                !op.getDest().getDefiningOp<DestinationStyleOpInterface>())) {
    why = "it may have more steps than " + std::to_string(mostSteps) +
          ", and its destination is no memory of its own";
    return false;
  }
  isChosen = true;
  return true;
}

/// Which of the values that the kernel stores the source is, if it is one.
std::optional<unsigned> ScatterFusion::findStored() {
  KernelParts parts(places.kernel);
  auto own = dyn_cast<OpResult>(op.getSource());
  if (!own || own.getOwner() != places.kernel ||
      own.getResultNumber() >= parts.outputs.size() ||
      parts.outputMaps[own.getResultNumber()] !=
          parts.outputMaps[places.output])
    return std::nullopt;
  return getElementRange(parts.outputs, parts.outputMaps, own.getResultNumber())
      .first;
}

/// The kernel moves down to where the scatter is.
bool ScatterFusion::matchOrder(std::string &why) {
  if (op.getSource().getDefiningOp() == places.kernel && !findStored()) {
    why = "its source is another result of the kernel, at other elements";
    return false;
  }
  for (Operation *user : places.kernel->getUsers()) {
    Operation *inBlock = op->getBlock()->findAncestorOpInBlock(*user);
    if (!inBlock || (inBlock != op && inBlock->isBeforeInBlock(op))) {
      why = "something between the kernel and the scatter reads the kernel";
      return false;
    }
  }
  return true;
}

bool ScatterFusion::match(std::string &why) {
  std::optional<CompactionPlaces> found = findCompaction(op.getIndex(), dim);
  why = "its indices are not known to differ: expected those of a stream "
        "compaction, which count the flags before a flag and are negative "
        "elsewhere, from a scan";
  if (!found)
    return false;
  places = *found;
  KernelOp kernel = places.kernel;
  if (!kernel.hasPureTensorSemantics() || kernel.isBidirectional() ||
      kernel->getBlock() != op->getBlock()) {
    why = "the kernel that computes its indices is not beside it";
    return false;
  }
  return matchMemory(why) && matchSteps(why) && matchOrder(why);
}

/// What a step writes, and where.
std::pair<Value, Value> ScatterFusion::emitStep(ImplicitLocOpBuilder &b,
                                                Value source,
                                                function_ref<Value()> getFill) {
  Type index = b.getIndexType();
  if (!fill) {
    // Negative places are none here, and count from the end in a kernel.
    Value place = places.stored;
    if (!place.getType().isIndex())
      place = arith::IndexCastOp::create(b, index, place);
    Value isNone = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, place,
                                         arith::ConstantIndexOp::create(b, 0));
    Value none =
        arith::ConstantIndexOp::create(b, std::numeric_limits<int64_t>::min());
    return {source, arith::SelectOp::create(b, isNone, none, place)};
  }
  Value count = arith::IndexCastOp::create(b, index, places.count);
  Value step = IndexOp::create(b, places.kernel.getDim());
  // Of `step` steps in front of this one, `count` have flags: the others have
  // written the last step - count elements, of which a place in front of the
  // first one is -1 from the end.
  Value other;
  if (places.kernel.getReverse())
    other = arith::AddIOp::create(b, step, count);
  else
    other = arith::SubIOp::create(b, arith::SubIOp::create(b, count, step),
                                  arith::ConstantIndexOp::create(b, 1));
  return {arith::SelectOp::create(b, places.flag, source, getFill()),
          arith::SelectOp::create(b, places.flag, count, other)};
}

/// Replaces `kernel` by one that writes the result of the scatter to `dest`,
/// its last output.
KernelOp ScatterFusion::addOutput(KernelOp kernel, Value dest) {
  KernelParts parts(kernel);
  AffineMap map = kernel.getOutputMaps()[places.output];
  AffineMap scalar = AffineMap::get(map.getNumDims(), 0, rewriter.getContext());
  SmallVector<AffineExpr> results(map.getResults());
  results[dim] = rewriter.getAffineConstantExpr(0);
  Type element = getElementTypeOrSelf(dest.getType());

  // The values that the step needs: those that the kernel stores, or inputs.
  SmallVector<unsigned> numbers;
  unsigned added = 0, outputs = parts.outputs.size();
  auto read = [&](Value value) {
    AffineMap used = isa<ShapedType>(value.getType()) ? map : scalar;
    std::optional<unsigned> input = parts.findInput(value, used);
    if (!input) {
      input = parts.addInput(value, used);
      ++added;
    }
    numbers.push_back(
        getElementRange(parts.inputs, parts.inputMaps, *input).first);
  };
  Value source = op.getSource();
  std::optional<unsigned> stored = findStored();
  if (!stored)
    read(source);
  if (fill && !fill.constant)
    read(fill.value);

  unsigned elements =
      getElementRange(parts.outputs, parts.outputMaps, outputs - 1).first +
      getElementRange(parts.outputs, parts.outputMaps, outputs - 1).second;
  parts.outputs.push_back(dest);
  parts.outputMaps.push_back(
      AffineMap::get(map.getNumDims(), 0, results, rewriter.getContext()));
  rewriter.setInsertionPoint(kernel);
  KernelOp fused = parts.rebuild(rewriter, kernel);
  SmallVector<Type> types(added, element);
  SmallVector<Location> locations(added, op.getLoc());
  fused.getLoad().front().addArguments(types, locations);
  Block &store = fused.getStore().front();
  store.addArguments(types, locations);

  Operation *yield = store.getTerminator();
  ImplicitLocOpBuilder b(op.getLoc(), yield);
  auto getInput = [&](unsigned which) {
    return store.getArgument(2 * fused.getNumLeaves() + numbers[which]);
  };
  auto [value, place] = emitStep(
      b, stored ? yield->getOperand(*stored) : Value(getInput(0)), [&]() {
        return fill.constant
                   ? materializeScalar(b, b.getLoc(), element, fill.constant)
                   : Value(getInput(numbers.size() - 1));
      });
  yield->insertOperands(elements, value);
  yield->insertOperands(yield->getNumOperands(), place);
  return fused;
}

/// Memory for a result that is written everywhere.
Value ScatterFusion::createEmpty() {
  RankedTensorType type = op.getDest().getType();
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      sizes.push_back(getValueOrCreateConstantIndexOp(
          rewriter, op.getLoc(),
          createExtent(rewriter, op.getLoc(), op.getDest(), d)));
  return tensor::EmptyOp::create(rewriter, op.getLoc(), type, sizes);
}

/// One kernel for as many steps as there are places for, and the kernel and the
/// scatter for more.
void ScatterFusion::createChoice() {
  KernelOp kernel = places.kernel;
  Location loc = op.getLoc();
  Value extent = getValueOrCreateConstantIndexOp(
      rewriter, loc, kernel.getDomainSizes(rewriter, loc)[kernel.getDim()]);
  Value areFew = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::ule, extent,
      arith::ConstantIndexOp::create(rewriter, loc, mostSteps));
  Value dest = fill ? createEmpty() : op.getDest();
  unsigned outputs = kernel.getOutputs().size();
  SmallVector<OpResult> results;
  for (OpResult result : kernel->getResults())
    if (llvm::any_of(result.getUsers(),
                     [&](Operation *user) { return user != op; }))
      results.push_back(result);
  SmallVector<Type> types;
  for (OpResult result : results)
    types.push_back(result.getType());
  types.push_back(dest.getType());
  auto choice = scf::IfOp::create(rewriter, loc, types, areFew,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);

  rewriter.setInsertionPointToEnd(choice.elseBlock());
  IRMapping mapping;
  auto plain = cast<KernelOp>(rewriter.clone(*kernel, mapping));
  setStepsRange(plain, {mostSteps + 1});
  if (fill) {
    Value value =
        fill.constant
            ? materializeScalar(rewriter, loc,
                                op.getDest().getType().getElementType(),
                                fill.constant)
            : fill.value;
    mapping.map(
        op.getDest(),
        linalg::FillOp::create(rewriter, loc, value, dest).getResult(0));
  }
  Operation *scatter = rewriter.clone(*op, mapping);
  SmallVector<Value> yielded;
  for (OpResult result : results)
    yielded.push_back(mapping.lookup(Value(result)));
  yielded.push_back(scatter->getResult(0));
  scf::YieldOp::create(rewriter, loc, yielded);

  rewriter.moveOpBefore(kernel, choice.thenBlock(), choice.thenBlock()->end());
  KernelOp fused = addOutput(kernel, dest);
  setStepsRange(fused, {0, mostSteps});
  rewriter.setInsertionPointAfter(fused);
  yielded.clear();
  for (OpResult result : results) {
    unsigned number = result.getResultNumber();
    yielded.push_back(fused.getResult(number + (number >= outputs)));
  }
  yielded.push_back(fused.getResult(outputs));
  scf::YieldOp::create(rewriter, loc, yielded);
  for (auto [result, chosen] : llvm::zip_first(results, choice.getResults()))
    rewriter.replaceAllUsesWith(result, chosen);
  rewriter.replaceOp(op, choice.getResults().back());
  rewriter.eraseOp(kernel);
}

void ScatterFusion::fuse() {
  rewriter.setInsertionPoint(op);
  if (isChosen)
    return createChoice();
  KernelOp kernel = places.kernel;
  Value dest = fill ? createEmpty() : op.getDest();
  rewriter.moveOpBefore(kernel, op);
  unsigned outputs = kernel.getOutputs().size();
  KernelOp fused = addOutput(kernel, dest);
  rewriter.replaceOp(op, fused.getResult(outputs));
  SmallVector<Value> results(fused.getResults());
  results.erase(results.begin() + outputs);
  rewriter.replaceOp(kernel, results);
}

namespace {
struct ScanFuseScatter : scan::impl::ScanFuseScatterBase<ScanFuseScatter> {
  void runOnOperation() override {
    SmallVector<ScatterOp> scatters;
    getOperation()->walk([&](ScatterOp op) { scatters.push_back(op); });
    IRRewriter rewriter(&getContext());
    uint64_t fused = 0;
    for (ScatterOp op : scatters) {
      std::string why;
      ScatterFusion fusion(rewriter, op);
      if (!fusion.match(why)) {
        remark::missed(op.getLoc(), getOptions(op))
            << "a scatter stays" << remark::reason("{0}", why);
        continue;
      }
      remark::passed(op.getLoc(), getOptions(op))
          << "a scatter becomes an output of the scan that says where to";
      fusion.fuse();
      ++fused;
    }
    numFused += fused;
    numMissed += scatters.size() - fused;
    addMatchCounts(getOperation(), getArgument(),
                   {{"scatters", fused}, {"missed", scatters.size() - fused}});
  }

private:
  static remark::RemarkOpts getOptions(Operation *op) {
    auto function = op->getParentOfType<FunctionOpInterface>();
    return remark::RemarkOpts::name("FuseScatter")
        .category("scan-fuse-scatter")
        .function(function ? function.getName() : StringRef());
  }
};
} // namespace
