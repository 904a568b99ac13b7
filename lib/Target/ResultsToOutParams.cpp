//===- ResultsToOutParams.cpp - Returned buffers become arguments ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostAttributes.h"
#include "IndexTracer.h"
#include "Scan/Target/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::scan {
#define GEN_PASS_DEF_RESULTSTOOUTPARAMSPASS
#include "Scan/Target/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

/// The allocation that `value` is, possibly cast, in the body of `function`.
static memref::AllocOp getAllocation(Value value, func::FuncOp function) {
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  auto alloc = value.getDefiningOp<memref::AllocOp>();
  return alloc && alloc->getBlock() == &function.front() ? alloc : nullptr;
}

/// Has what `alloc` was in the dense `argument`, whose dimensions `view`
/// collapses those of `alloc` to.
static void expandArgument(memref::AllocOp alloc, memref::CollapseShapeOp view,
                           Value argument) {
  OpBuilder builder(alloc);
  SmallVector<OpFoldResult> sizes = getMixedValues(
      alloc.getType().getShape(), alloc.getDynamicSizes(), builder);
  Value expanded = memref::ExpandShapeOp::create(
      builder, view.getLoc(), alloc.getType(), argument,
      view.getReassociationIndices(), sizes);
  view.replaceAllUsesWith(argument);
  view.erase();
  alloc.replaceAllUsesWith(expanded);
  alloc.erase();
}

/// Appends the argument for result `index`, which is `value`, and removes the
/// need for the result.
static LogicalResult convertResult(func::FuncOp function,
                                   func::ReturnOp terminator, unsigned index,
                                   Value value, IndexTracer &tracer) {
  memref::AllocOp alloc = getAllocation(value, function);
  auto view = value.getDefiningOp<memref::CollapseShapeOp>();
  memref::AllocOp viewed =
      view ? getAllocation(view.getSrc(), function) : memref::AllocOp();
  Value source = alloc ? alloc.getResult() : value;
  FailureOr<SmallVector<Attribute>> shape = tracer.traceShape(source);
  if (failed(shape))
    return failure();

  Builder attributes(function.getContext());
  NamedAttribute entries[] = {
      attributes.getNamedAttr("index", attributes.getI64IntegerAttr(index)),
      attributes.getNamedAttr("shape", attributes.getArrayAttr(*shape))};
  NamedAttribute result = attributes.getNamedAttr(
      resultAttrName, attributes.getDictionaryAttr(entries));
  unsigned number = function.getNumArguments();
  // The caller allocates dense buffers, whatever view is returned.
  auto type = cast<MemRefType>(source.getType());
  type = MemRefType::get(type.getShape(), type.getElementType(),
                         MemRefLayoutAttrInterface(), type.getMemorySpace());
  if (failed(function.insertArgument(
          number, type, attributes.getDictionaryAttr(result), value.getLoc())))
    return failure();
  BlockArgument argument = function.getArgument(number);
  if (alloc) {
    alloc.replaceAllUsesWith(Value(argument));
    alloc.erase();
    return success();
  }
  if (viewed && viewed.getType() == view.getSrcType()) {
    expandArgument(viewed, view, argument);
    return success();
  }
  OpBuilder builder(terminator);
  memref::CopyOp::create(builder, value.getLoc(), value, argument);
  return success();
}

static LogicalResult returnThroughParams(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError()
           << "expected a function without control flow, found "
           << function.getBody().getBlocks().size() << " blocks";
  auto terminator = cast<func::ReturnOp>(function.front().getTerminator());
  IndexTracer tracer(function);
  BitVector erased(terminator.getNumOperands());
  for (unsigned i = 0; i < terminator.getNumOperands(); ++i) {
    // Not `getOperands()` at once: an earlier result may have replaced it.
    Value value = terminator.getOperand(i);
    if (!isa<MemRefType>(value.getType()))
      continue;
    if (failed(convertResult(function, terminator, i, value, tracer)))
      return failure();
    erased.set(i);
  }
  terminator->eraseOperands(erased);
  return function.eraseResults(erased);
}

namespace {

struct ResultsToOutParams
    : public mlir::scan::impl::ResultsToOutParamsPassBase<ResultsToOutParams> {
  using Base::Base;

  void runOnOperation() override {
    DenseSet<StringRef> called;
    getOperation().walk(
        [&](func::CallOp call) { called.insert(call.getCallee()); });
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration() || called.contains(function.getName()))
        continue;
      if (failed(returnThroughParams(function)))
        return signalPassFailure();
    }
  }
};

} // namespace
