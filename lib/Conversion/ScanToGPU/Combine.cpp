//===- Combine.cpp - The regions of a scan.kernel on values ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::scan;

SmallVector<Value> mlir::scan::inlineRegion(ImplicitLocOpBuilder &b,
                                            Region &region, ValueRange args,
                                            ArrayRef<Value> point) {
  Block &block = region.front();
  IRMapping mapping;
  mapping.map(block.getArguments(), args);
  for (Operation &op : block.without_terminator()) {
    if (auto index = dyn_cast<IndexOp>(op)) {
      mapping.map(index.getResult(), point[index.getDim()]);
      continue;
    }
    b.clone(op, mapping)->walk([&](IndexOp index) {
      index.replaceAllUsesWith(point[index.getDim()]);
      index.erase();
    });
  }
  SmallVector<Value> results;
  for (Value yielded : block.getTerminator()->getOperands())
    results.push_back(mapping.lookup(yielded));
  return results;
}

State mlir::scan::selectState(ImplicitLocOpBuilder &b, Value condition,
                              ValueRange a, ValueRange c) {
  State result;
  for (auto [ifTrue, ifFalse] : llvm::zip_equal(a, c))
    result.push_back(
        b.createOrFold<arith::SelectOp>(condition, ifTrue, ifFalse));
  return result;
}

Value mlir::scan::createZero(ImplicitLocOpBuilder &b, Type type) {
  if (auto complexType = dyn_cast<ComplexType>(type)) {
    Attribute zero = b.getZeroAttr(complexType.getElementType());
    return complex::ConstantOp::create(b, complexType,
                                       b.getArrayAttr({zero, zero}));
  }
  return arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(type)));
}

State mlir::scan::zeroState(ImplicitLocOpBuilder &b, KernelOp kernel) {
  State state;
  for (Type type : kernel.getLeafTypes())
    state.push_back(createZero(b, type));
  return state;
}

State mlir::scan::combine(ImplicitLocOpBuilder &b, KernelOp kernel,
                          ValueRange earlier, ValueRange later) {
  State args(earlier);
  llvm::append_range(args, later);
  return inlineRegion(b, kernel.getCombine(), args);
}

State mlir::scan::combineIfPresent(ImplicitLocOpBuilder &b, KernelOp kernel,
                                   const Prefix &prefix, ValueRange later) {
  State combined = combine(b, kernel, prefix.state, later);
  // A select, not a branch: combining with garbage is harmless, since regions
  // have no effects, and neighbouring threads disagree about the condition.
  if (!prefix.present)
    return combined;
  return selectState(b, prefix.present, combined, later);
}
