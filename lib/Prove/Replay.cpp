//===- Replay.cpp - Combining given states by the interpreter -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Replay.h"
#include "Scan/Reference/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::prove;

static constexpr StringLiteral kEntry = "combine";

/// The shape of a leaf's part of one state.
static ArrayRef<int64_t> getTrailingShape(Type leaf) {
  if (auto tensor = dyn_cast<RankedTensorType>(leaf))
    return tensor.getShape();
  return {};
}

/// f(a, b) is the final state of a scan over two steps without an init. The
/// module has one function of a scan over N lines of two.
Replay::Replay(AssociativeOp op)
    : op(op), module(ModuleOp::create(op.getLoc())) {
  OpBuilder builder(module->getBodyRegion());
  Location loc = op.getLoc();
  SmallVector<Type> inputs, results;
  for (Type leaf : op.getLeafTypes()) {
    Type element = getElementTypeOrSelf(leaf);
    SmallVector<int64_t> shape{ShapedType::kDynamic};
    llvm::append_range(shape, getTrailingShape(leaf));
    results.push_back(RankedTensorType::get(shape, element));
    shape.insert(shape.begin() + 1, 2);
    inputs.push_back(RankedTensorType::get(shape, element));
  }
  auto function = func::FuncOp::create(
      builder, loc, kEntry, builder.getFunctionType(inputs, results));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  SmallVector<Type> scanResults(inputs);
  llvm::append_range(scanResults, results);
  UnitAttr unset;
  auto scan = AssociativeOp::create(
      builder, loc, scanResults, body->getArguments(), /*inits=*/ValueRange(),
      /*segments=*/Value(), builder.getI64IntegerAttr(1), /*reverse=*/unset,
      /*exclusive=*/unset, /*final_states=*/builder.getUnitAttr(),
      /*order=*/OrderAttr(), /*compensated=*/unset, op.getAccumulatorsAttr(),
      /*schedule=*/ScheduleAttr());
  IRMapping mapping;
  op.getCombine().cloneInto(&scan.getCombine(), mapping);
  func::ReturnOp::create(builder, loc, scan.getFinalResults());
}

/// The states of `a` and `b` in turn: an array of [N, 2, trailing].
static HostArray interleave(const HostArray &a, const HostArray &b) {
  SmallVector<int64_t> shape(a.shape);
  shape.insert(shape.begin() + 1, 2);
  HostArray both;
  both.elementType = a.elementType;
  both.shape = std::move(shape);
  both.data.reserve(a.data.size() * 2);
  size_t count = a.shape.front();
  size_t size = count ? a.data.size() / count : 0;
  for (size_t i = 0; i < count; ++i)
    for (const HostArray *side : {&a, &b})
      both.data.insert(both.data.end(), side->data.begin() + i * size,
                       side->data.begin() + (i + 1) * size);
  return both;
}

/// Whether `values` are `count` states of the scan.
static bool isStates(AssociativeOp op, const LeafValues &values, int64_t count,
                     std::string &reason) {
  if (values.size() != op.getNumLeaves()) {
    reason = "expected " + std::to_string(op.getNumLeaves()) +
             " leaves, found " + std::to_string(values.size());
    return false;
  }
  for (auto [value, leaf] : llvm::zip_equal(values, op.getLeafTypes())) {
    SmallVector<int64_t> shape{count};
    llvm::append_range(shape, getTrailingShape(leaf));
    if (!isCompatible(value,
                      RankedTensorType::get(shape, getElementTypeOrSelf(leaf)),
                      &reason))
      return false;
  }
  return true;
}

FailureOr<LeafValues> Replay::combine(const LeafValues &a, const LeafValues &b,
                                      std::string &reason) {
  int64_t count =
      a.empty() || a.front().shape.empty() ? 0 : a.front().shape.front();
  if (!isStates(op, a, count, reason) || !isStates(op, b, count, reason))
    return failure();
  LeafValues inputs;
  for (auto [left, right] : llvm::zip_equal(a, b))
    inputs.push_back(interleave(left, right));
  // Errors of the interpreter are the caller's to report. Those of other
  // threads are not for this handler.
  reason.clear();
  uint64_t thread = llvm::get_threadid();
  ScopedDiagnosticHandler handler(op.getContext(),
                                  [&](Diagnostic &diagnostic) -> LogicalResult {
                                    if (llvm::get_threadid() != thread)
                                      return failure();
                                    if (reason.empty())
                                      reason = diagnostic.str();
                                    return success();
                                  });
  return interpret(*module, kEntry, inputs);
}

FailureOr<std::pair<LeafValues, LeafValues>>
Replay::evaluateTriples(const LeafValues &a, const LeafValues &b,
                        const LeafValues &c, std::string &reason) {
  FailureOr<LeafValues> ab = combine(a, b, reason);
  if (failed(ab))
    return failure();
  FailureOr<LeafValues> bc = combine(b, c, reason);
  if (failed(bc))
    return failure();
  FailureOr<LeafValues> left = combine(*ab, c, reason);
  if (failed(left))
    return failure();
  FailureOr<LeafValues> right = combine(a, *bc, reason);
  if (failed(right))
    return failure();
  return std::make_pair(std::move(*left), std::move(*right));
}

FailureOr<std::pair<LeafValues, LeafValues>>
mlir::scan::prove::evaluateTriple(AssociativeOp op, const LeafValues &a,
                                  const LeafValues &b, const LeafValues &c) {
  std::string reason;
  return Replay(op).evaluateTriples(a, b, c, reason);
}
