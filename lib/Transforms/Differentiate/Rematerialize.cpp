//===- Rematerialize.cpp - Rematerialization for the backward pass --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise code that only one kernel needs is fused into it. An elementwise
// value that the forward and the backward pass both need would have to be
// written to memory for the other; computed twice, each side fuses its copy.
//
//===----------------------------------------------------------------------===//

#include "Rematerialize.h"
#include "Analysis/Traffic.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

namespace {

/// What a dynamic extent counts as where bytes are compared.
constexpr int64_t kComparedExtent = 1024;

int64_t estimateBytes(Type type) {
  auto tensorType = dyn_cast<RankedTensorType>(type);
  if (!tensorType)
    return 0;
  int64_t elements = 1;
  for (int64_t extent : tensorType.getShape())
    elements *= ShapedType::isDynamic(extent) ? kComparedExtent : extent;
  return elements * getElementBytes(type);
}

bool isElementwise(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.hasPureTensorSemantics() && linalgOp.isAllParallelLoops();
  return isa<tensor::CastOp>(op) ||
         (OpTrait::hasElementwiseMappableTraits(op) &&
          op->getNumRegions() == 0 && op->getNumResults() > 0 &&
          isa<RankedTensorType>(op->getResult(0).getType()) &&
          isMemoryEffectFree(op));
}

class Rematerialization {
public:
  Rematerialization(const SmallPtrSetImpl<Operation *> &all,
                    RematerializeMode mode)
      : forward(all.begin(), all.end()), mode(mode) {}

  unsigned run(Block &block);

private:
  bool isForward(Operation *op) const { return op && forward.contains(op); }
  /// What `op` reads from memory: its own operands, or theirs as far as they
  /// are elementwise.
  void collectLeaves(Operation *op, SetVector<Value> &leaves) const;
  bool isWorthwhile(Operation *op) const;
  Value rematerialize(OpBuilder &builder, Value value);

  /// What the forward pass needs.
  SmallPtrSet<Operation *, 32> forward;
  RematerializeMode mode;
  /// The tensors that the backward pass reads anyway.
  SetVector<Value> readAnyway;
  IRMapping copies;
  unsigned numCopies = 0;
};

void Rematerialization::collectLeaves(Operation *op,
                                      SetVector<Value> &leaves) const {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (linalgOp && !linalgOp.payloadUsesValueFromOperand(&operand))
      continue;
    Operation *definition = operand.get().getDefiningOp();
    if (isForward(definition) && isElementwise(definition))
      collectLeaves(definition, leaves);
    else
      leaves.insert(operand.get());
  }
}

/// Storing a value costs writing and reading it; computing it again, reading
/// what it is computed from, unless that is read anyway.
bool Rematerialization::isWorthwhile(Operation *op) const {
  if (mode != RematerializeMode::Auto)
    return mode == RematerializeMode::Always;
  int64_t stored = 0, read = 0;
  for (Value result : op->getResults())
    stored += 2 * estimateBytes(result.getType());
  SetVector<Value> leaves;
  collectLeaves(op, leaves);
  for (Value leaf : leaves)
    if (!readAnyway.contains(leaf))
      read += estimateBytes(leaf.getType());
  return read <= stored;
}

Value Rematerialization::rematerialize(OpBuilder &builder, Value value) {
  if (Value copy = copies.lookupOrNull(value))
    return copy;
  Operation *op = value.getDefiningOp();
  if (!isForward(op) || !isElementwise(op))
    return value;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  for (OpOperand &operand : op->getOpOperands())
    if (!linalgOp || linalgOp.payloadUsesValueFromOperand(&operand)) {
      Value source = rematerialize(builder, operand.get());
      if (source != operand.get())
        copies.map(operand.get(), source);
    }
  builder.clone(*op, copies);
  ++numCopies;
  return copies.lookup(value);
}

unsigned Rematerialization::run(Block &block) {
  // What only the backward pass reads is its own.
  for (Operation &op : llvm::reverse(block))
    if (isForward(&op) && isElementwise(&op) &&
        llvm::none_of(op.getUsers(), [&](Operation *user) {
          Operation *ancestor = block.findAncestorOpInBlock(*user);
          return ancestor == block.getTerminator() || isForward(ancestor);
        }))
      forward.erase(&op);
  SmallVector<Operation *> back;
  for (Operation &op : block)
    if (!isForward(&op) && !op.hasTrait<OpTrait::IsTerminator>())
      back.push_back(&op);
  if (back.empty() || mode == RematerializeMode::Never)
    return 0;
  auto getReads = [](Operation *op) {
    SetVector<Value> reads(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), reads);
    return reads.takeVector();
  };
  for (Operation *op : back)
    if (!isa<tensor::DimOp>(op))
      for (Value value : getReads(op)) {
        Operation *definition = value.getDefiningOp();
        if (!isForward(definition) || !isElementwise(definition))
          readAnyway.insert(value);
      }
  for (Operation *op : back) {
    if (isa<tensor::DimOp>(op))
      continue;
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *definition = operand.get().getDefiningOp();
      if (!isForward(definition) || !isElementwise(definition) ||
          !(copies.contains(operand.get()) || isWorthwhile(definition)))
        continue;
      operand.set(rematerialize(builder, operand.get()));
    }
  }
  return numCopies;
}

} // namespace

unsigned
differentiate::rematerializeForward(func::FuncOp function,
                                    const SmallPtrSetImpl<Operation *> &forward,
                                    RematerializeMode mode) {
  return Rematerialization(forward, mode).run(function.front());
}
