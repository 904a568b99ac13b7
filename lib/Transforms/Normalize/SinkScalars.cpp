//===- SinkScalars.cpp - Scalar code into the code of elements ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mean divides by an extent, which front ends convert to a number beside the
// code that divides. The host of a GPU knows extents, but computes nothing of
// them but addresses; and a kernel has no operands of type index.
//
//===----------------------------------------------------------------------===//

#include "IR/MatchCounts.h"
#include "Scan/Transforms/Normalize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANSINKSCALARS
#include "Scan/Transforms/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

static bool isScalar(Type type) { return type.isIntOrIndexOrFloat(); }

/// Whether `op` computes a scalar of scalars and may do so anywhere, but for
/// extents, which have the type index, and these as the integers that sunk code
/// starts from.
static bool isScalarCode(Operation *op) {
  if (!op || op->getNumResults() != 1 || op->getResult(0).getType().isIndex() ||
      (isa<arith::IndexCastOp>(op) && op->getResult(0).getType().isInteger(64)))
    return false;
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
         op->getNumRegions() == 0 && isScalar(op->getResult(0).getType()) &&
         llvm::all_of(op->getOperandTypes(), isScalar) && isPure(op);
}

/// Whether the scalar `value` is an extent, or computed beside the code that
/// reads it.
static bool shouldSink(Value value) {
  return isScalar(value.getType()) && !matchPattern(value, m_Constant()) &&
         (value.getType().isIndex() || isScalarCode(value.getDefiningOp()));
}

namespace {

/// Scalar code that one operation reads, and what that starts from.
struct SunkCode {
  explicit SunkCode(ArrayRef<Value> values) {
    for (Value value : values)
      add(value);
  }

  SetVector<Operation *> ops;
  /// Extents and other scalars that are computed by no such code.
  SetVector<Value> sources;

private:
  void add(Value value) {
    Operation *op = value.getDefiningOp();
    if (!isScalarCode(op)) {
      sources.insert(value);
      return;
    }
    if (ops.contains(op))
      return;
    for (Value operand : op->getOperands())
      add(operand);
    ops.insert(op);
  }
};

} // namespace

/// The scalars that `op` reads, as operands or in its body, and are to be
/// computed there.
static SmallVector<Value> getScalarsToSink(linalg::LinalgOp op) {
  SetVector<Value> scalars;
  for (OpOperand *operand : op.getDpsInputOperands())
    if (shouldSink(operand->get()))
      scalars.insert(operand->get());
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    if (shouldSink(value))
      scalars.insert(value);
  return scalars.takeVector();
}

static void sinkInto(RewriterBase &rewriter, linalg::GenericOp op,
                     ArrayRef<Value> scalars) {
  SunkCode sunk(scalars);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  MLIRContext *context = rewriter.getContext();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<BlockArgument> arguments;
  SmallVector<std::pair<Value, BlockArgument>> replaced;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(operand);
    if (llvm::is_contained(scalars, operand->get())) {
      replaced.emplace_back(operand->get(), argument);
      continue;
    }
    inputs.push_back(operand->get());
    maps.push_back(op.getMatchingIndexingMap(operand));
    arguments.push_back(argument);
  }
  unsigned numKept = inputs.size();
  for (Value source : sunk.sources) {
    if (source.getType().isIndex())
      source = arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(),
                                          source);
    inputs.push_back(source);
    maps.push_back(AffineMap::get(op.getNumLoops(), 0, context));
  }
  for (OpOperand &operand : op.getDpsInitsMutable()) {
    maps.push_back(op.getMatchingIndexingMap(&operand));
    arguments.push_back(op.getMatchingBlockArgument(&operand));
  }
  auto moved = linalg::GenericOp::create(
      rewriter, loc, op->getResultTypes(), inputs, op.getOutputs(), maps,
      op.getIteratorTypesArray(),
      [&](OpBuilder &builder, Location loc, ValueRange values) {
        IRMapping mapping;
        for (auto [i, source] : llvm::enumerate(sunk.sources)) {
          Value value = values[numKept + i];
          if (source.getType().isIndex())
            value = arith::IndexCastOp::create(builder, loc,
                                               builder.getIndexType(), value);
          mapping.map(source, value);
        }
        for (Operation *inner : sunk.ops)
          builder.clone(*inner, mapping);
        for (auto [scalar, argument] : replaced)
          mapping.map(argument, mapping.lookup(scalar));
        for (auto [i, argument] : llvm::enumerate(arguments))
          mapping.map(argument,
                      values[i < numKept ? i : i + sunk.sources.size()]);
        for (Operation &inner : *op.getBody())
          builder.clone(inner, mapping);
      });
  rewriter.replaceOp(op, moved.getResults());
}

namespace {
struct ScanSinkScalarsPass
    : scan::impl::ScanSinkScalarsBase<ScanSinkScalarsPass> {
  void runOnOperation() override {
    uint64_t count = 0;
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics() &&
          isa<FunctionOpInterface>(op->getParentOp()))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      SmallVector<Value> scalars = getScalarsToSink(op);
      if (scalars.empty())
        continue;
      auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      rewriter.setInsertionPoint(op);
      if (!generic) {
        FailureOr<linalg::GenericOp> made =
            linalg::generalizeNamedOp(rewriter, op);
        if (failed(made))
          continue;
        generic = *made;
      }
      sinkInto(rewriter, generic, scalars);
      ++count;
    }
    numSunk += count;
    addMatchCounts(getOperation(), getArgument(), {{"sunk", count}});
  }
};
} // namespace
