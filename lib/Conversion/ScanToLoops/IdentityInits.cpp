//===- IdentityInits.cpp - Rows that begin at an identity -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state behind the first step of a scan without init is the first element,
// with which nothing is combined. Loops over vectors of a row pay for that at
// every tile, which may be the first one: they select each vector with and
// without the state in front. Behind an identity the first step is like any
// other.
//
//===----------------------------------------------------------------------===//

#include "IdentityInits.h"
#include "IR/KernelParts.h"
#include "IR/OperatorFacts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::scan;

KernelOp mlir::scan::beginRowsAtIdentity(RewriterBase &rewriter,
                                         KernelOp kernel) {
  // The final state of a row without steps is no identity.
  if (kernel.isBidirectional() || kernel.hasInit() ||
      !kernel.getFinals().empty())
    return kernel;
  SmallVector<TypedAttr> identity;
  for (unsigned leaf = 0; leaf < kernel.getNumLeaves(); ++leaf) {
    identity.push_back(getLeafIdentity(kernel, leaf));
    if (!isa_and_nonnull<IntegerAttr, FloatAttr>(identity.back()))
      return kernel;
  }
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  KernelParts parts(kernel);
  auto scalar = AffineMap::get(kernel.getDomainRank(), /*symbolCount=*/0,
                               rewriter.getContext());
  for (TypedAttr constant : identity) {
    parts.inits.push_back(
        arith::ConstantOp::create(rewriter, kernel.getLoc(), constant));
    parts.initMaps.push_back(scalar);
  }
  KernelOp result = parts.rebuild(rewriter, kernel);
  rewriter.eraseOp(kernel);
  Block &initialize = result.getInitialize().front();
  for (TypedAttr constant : identity)
    initialize.addArgument(constant.getType(), result.getLoc());
  initialize.back().setOperands(initialize.getArguments());
  return result;
}
