//===- BeginAtIdentity.cpp - Initial states that change nothing -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of two kernels only one of which has initial states, the other one is given
// some, with which it computes the same to the bit. Sums and products have an
// identity. The step h = a h' + b of a recurrence has none: 0 times an infinite
// a is not a number. But where nobody looks at the products of the coefficients
// a, the first one is of no account, and may be 1.
//
//===----------------------------------------------------------------------===//

#include "IR/KernelParts.h"
#include "IR/OperatorFacts.h"
#include "MergeKernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

/// How each leaf of a kernel begins.
struct Beginnings {
  /// Fails where a leaf has no beginning that changes nothing.
  static FailureOr<Beginnings> get(KernelOp kernel);

  SmallVector<TypedAttr> identities;
  /// The leaves that are one at the first step: coefficients.
  llvm::SmallBitVector coefficients;
};

} // namespace

/// The leaf whose later value `combine` multiplies the earlier value of `leaf`
/// by before it adds the later one; nothing if it does anything else.
static std::optional<unsigned> getCoefficient(KernelOp kernel, unsigned leaf) {
  Block &combine = kernel.getCombine().front();
  unsigned numLeaves = kernel.getNumLeaves();
  Value earlier = combine.getArgument(leaf),
        later = combine.getArgument(leaf + numLeaves);
  auto add = combine.back().getOperand(leaf).getDefiningOp<arith::AddFOp>();
  if (!add || !earlier.hasOneUse() || !later.hasOneUse())
    return std::nullopt;
  bool isFirst = add.getLhs() == later;
  if (!isFirst && add.getRhs() != later)
    return std::nullopt;
  auto product =
      (isFirst ? add.getRhs() : add.getLhs()).getDefiningOp<arith::MulFOp>();
  if (!product || !product->hasOneUse() ||
      !llvm::is_contained(product->getOperands(), earlier))
    return std::nullopt;
  auto factor = dyn_cast<BlockArgument>(
      product.getLhs() == earlier ? product.getRhs() : product.getLhs());
  if (!factor || factor.getOwner() != &combine ||
      factor.getArgNumber() < numLeaves)
    return std::nullopt;
  return factor.getArgNumber() - numLeaves;
}

/// True if `combine` only multiplies the leaf `coefficient` by itself and those
/// of `states` by it, and `store` does not look at it.
static bool isOnlyCoefficient(KernelOp kernel, unsigned coefficient,
                              const llvm::SmallBitVector &states) {
  unsigned numLeaves = kernel.getNumLeaves();
  Block &combine = kernel.getCombine().front(),
        &store = kernel.getStore().front();
  if (!store.getArgument(coefficient).use_empty() ||
      !store.getArgument(coefficient + numLeaves).use_empty())
    return false;
  Operation *product = combine.back().getOperand(coefficient).getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp>(product) || !product->hasOneUse())
    return false;
  auto isState = [&](Operation *user) {
    return llvm::any_of(states.set_bits(), [&](unsigned leaf) {
      return llvm::is_contained(user->getOperands(), combine.getArgument(leaf));
    });
  };
  return llvm::all_of(combine.getArgument(coefficient).getUsers(),
                      [&](Operation *user) { return user == product; }) &&
         llvm::all_of(
             combine.getArgument(coefficient + numLeaves).getUsers(),
             [&](Operation *user) { return user == product || isState(user); });
}

FailureOr<Beginnings> Beginnings::get(KernelOp kernel) {
  unsigned numLeaves = kernel.getNumLeaves();
  Beginnings beginnings;
  beginnings.coefficients.resize(numLeaves);
  llvm::SmallBitVector states(numLeaves);
  for (unsigned leaf = 0; leaf < numLeaves; ++leaf) {
    TypedAttr identity = getLeafIdentity(kernel, leaf);
    if (!identity) {
      std::optional<unsigned> coefficient = getCoefficient(kernel, leaf);
      if (!coefficient)
        return failure();
      beginnings.coefficients.set(*coefficient);
      states.set(leaf);
      // One times it is itself, and so is that plus anything.
      auto type = cast<FloatType>(kernel.getLeafTypes()[leaf]);
      identity = FloatAttr::get(
          type, APFloat::getZero(type.getFloatSemantics(), /*Negative=*/true));
    }
    beginnings.identities.push_back(identity);
  }
  for (unsigned leaf : beginnings.coefficients.set_bits())
    if (!isOnlyCoefficient(kernel, leaf, states))
      return failure();
  return beginnings;
}

bool scan::canBeginAtIdentity(KernelOp kernel) {
  return !kernel.hasInit() && kernel.getFinals().empty() &&
         succeeded(Beginnings::get(kernel));
}

/// Lets `load` of `kernel` yield one at the first step for the leaves in
/// `coefficients`. In reverse, its last argument is the number of that step.
static void setFirstCoefficients(RewriterBase &rewriter, KernelOp kernel,
                                 const llvm::SmallBitVector &coefficients) {
  Block &load = kernel.getLoad().front();
  Location loc = kernel.getLoc();
  rewriter.setInsertionPoint(&load.back());
  Value step =
      IndexOp::create(rewriter, loc, rewriter.getIndexType(), kernel.getDim());
  step = arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), step);
  Value first = kernel.getReverse()
                    ? Value(load.getArguments().back())
                    : arith::ConstantOp::create(rewriter, loc,
                                                rewriter.getI64IntegerAttr(0));
  Value isFirst = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                        step, first);
  rewriter.modifyOpInPlace(&load.back(), [&] {
    for (unsigned leaf : coefficients.set_bits()) {
      OpOperand &yielded = load.back().getOpOperand(leaf);
      auto type = cast<FloatType>(yielded.get().getType());
      Value one = arith::ConstantOp::create(rewriter, loc,
                                            rewriter.getFloatAttr(type, 1.0));
      yielded.set(
          arith::SelectOp::create(rewriter, loc, isFirst, one, yielded.get()));
    }
  });
}

/// The number of the last step of `kernel`, with which it begins in reverse.
static Value createLastStep(RewriterBase &rewriter, KernelOp kernel) {
  Location loc = kernel.getLoc();
  Value extent = getValueOrCreateConstantIndexOp(
      rewriter, loc, kernel.getDomainSizes(rewriter, loc)[kernel.getDim()]);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value last = rewriter.createOrFold<arith::SubIOp>(loc, extent, one);
  return arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), last);
}

KernelOp scan::beginAtIdentity(RewriterBase &rewriter, KernelOp kernel,
                               KernelOp other) {
  OpBuilder::InsertionGuard guard(rewriter);
  FailureOr<Beginnings> beginnings = Beginnings::get(kernel);
  assert(succeeded(beginnings) && "no beginning that changes nothing");
  KernelParts parts(kernel);
  parts.inits = llvm::to_vector(other.getInits());
  parts.initMaps = other.getInitMaps();
  bool hasCoefficients = beginnings->coefficients.any();
  bool hasLastStep = hasCoefficients && kernel.getReverse();
  if (hasLastStep) {
    // Where the merged kernel will be, which has the extents of both.
    KernelOp first = kernel->isBeforeInBlock(other) ? kernel : other;
    rewriter.setInsertionPoint(first);
    parts.addInput(
        createLastStep(rewriter, first),
        AffineMap::get(kernel.getDomainRank(), 0, rewriter.getContext()));
  }
  rewriter.setInsertionPoint(kernel);
  KernelOp result = parts.rebuild(rewriter, kernel);
  rewriter.replaceOp(kernel, result.getResults());
  if (hasLastStep)
    for (Region *region : {&result.getLoad(), &result.getStore()})
      region->front().addArgument(rewriter.getI64Type(), result.getLoc());
  if (hasCoefficients)
    setFirstCoefficients(rewriter, result, beginnings->coefficients);
  Block &initialize = result.getInitialize().front();
  for (BlockArgument argument : other.getInitialize().front().getArguments())
    initialize.addArgument(argument.getType(), result.getLoc());
  rewriter.setInsertionPoint(&initialize.back());
  SmallVector<Value> identity;
  for (TypedAttr attribute : beginnings->identities)
    identity.push_back(
        arith::ConstantOp::create(rewriter, result.getLoc(), attribute));
  rewriter.modifyOpInPlace(&initialize.back(),
                           [&] { initialize.back().setOperands(identity); });
  return result;
}
