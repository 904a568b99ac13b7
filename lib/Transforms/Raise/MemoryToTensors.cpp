//===- MemoryToTensors.cpp - Loops on memrefs become loops on tensors -----===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A loop nest that loads from memrefs and stores to them is one that carries
// their contents: what mem2reg does for scalars. Contents are read before the
// nest and written back after it.
//
//===----------------------------------------------------------------------===//

#include "LoopPreparation.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

class MemoryPromoter {
public:
  MemoryPromoter(RewriterBase &rewriter, Operation *scope, Obstacle &obstacle)
      : rewriter(rewriter), scope(scope), obstacle(obstacle) {}

  LogicalResult run();

private:
  using Contents = llvm::MapVector<Value, Value>;

  LogicalResult collect();
  LogicalResult addBase(Operation *user, Value memref);
  /// The memref from outside that `memref` is a view of.
  static Value getBase(Value memref);
  /// Those that operations in `op` store to.
  SmallVector<Value> getStored(Operation *op);
  LogicalResult convert(Block &block, Contents &contents);
  LogicalResult convertLoop(scf::ForOp loop, Contents &contents);
  LogicalResult convertIf(scf::IfOp branch, Contents &contents);
  LogicalResult convertLinalg(linalg::LinalgOp op, Contents &contents);
  Value read(Location loc, Value memref, Contents &contents);
  void write(Location loc, Value memref, Value value, Contents &contents);

  RewriterBase &rewriter;
  Operation *scope;
  Obstacle &obstacle;
  llvm::SetVector<Value> bases;
};

} // namespace

Value MemoryPromoter::getBase(Value memref) {
  while (auto view = memref.getDefiningOp<memref::SubViewOp>())
    memref = view.getSource();
  return memref;
}

LogicalResult MemoryPromoter::addBase(Operation *user, Value memref) {
  Value base = getBase(memref);
  auto type = dyn_cast<MemRefType>(base.getType());
  Operation *def = base.getDefiningOp();
  auto argument = dyn_cast<BlockArgument>(base);
  bool isDistinct = (argument && isa<FunctionOpInterface>(
                                     argument.getOwner()->getParentOp())) ||
                    isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(def);
  if (!type || scope->isAncestor(base.getParentRegion()->getParentOp()) ||
      !isDistinct)
    return obstacle.set(user, "it accesses memory that may overlap with other "
                              "memory: expected a memref that is an argument "
                              "of the function or allocated in front of the "
                              "loop");
  bases.insert(base);
  return success();
}

/// Finds all memrefs, and operations that cannot be converted.
LogicalResult MemoryPromoter::collect() {
  WalkResult result = scope->walk([&](Operation *op) -> WalkResult {
    bool usesMemory = llvm::any_of(op->getOperands(), [](Value value) {
      return isa<BaseMemRefType>(value.getType());
    });
    bool isKnown =
        isa<memref::LoadOp, memref::StoreOp, memref::SubViewOp, memref::DimOp>(
            op);
    if (auto structured = dyn_cast<linalg::LinalgOp>(op))
      isKnown = structured.hasPureBufferSemantics();
    if (!usesMemory && !isa<memref::AllocOp, memref::AllocaOp>(op))
      return WalkResult::advance();
    if (!isKnown) {
      (void)obstacle.set(op, "'" + op->getName().getStringRef() +
                                 "' uses memory: expected memref.load, "
                                 "memref.store, memref.subview or linalg");
      return WalkResult::interrupt();
    }
    for (Value operand : op->getOperands())
      if (isa<BaseMemRefType>(operand.getType()) &&
          failed(addBase(op, operand)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

SmallVector<Value> MemoryPromoter::getStored(Operation *op) {
  llvm::SetVector<Value> stored;
  op->walk([&](Operation *inner) {
    if (auto store = dyn_cast<memref::StoreOp>(inner))
      stored.insert(getBase(store.getMemref()));
    if (auto structured = dyn_cast<linalg::LinalgOp>(inner))
      for (Value init : structured.getDpsInits())
        if (isa<MemRefType>(init.getType()))
          stored.insert(getBase(init));
  });
  return stored.takeVector();
}

static RankedTensorType getTensorType(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

Value MemoryPromoter::read(Location loc, Value memref, Contents &contents) {
  auto view = memref.getDefiningOp<memref::SubViewOp>();
  if (!view)
    return contents[memref];
  return tensor::ExtractSliceOp::create(
      rewriter, loc, getTensorType(memref),
      read(loc, view.getSource(), contents), view.getMixedOffsets(),
      view.getMixedSizes(), view.getMixedStrides());
}

void MemoryPromoter::write(Location loc, Value memref, Value value,
                           Contents &contents) {
  auto view = memref.getDefiningOp<memref::SubViewOp>();
  if (!view) {
    contents[memref] = value;
    return;
  }
  Value source = view.getSource();
  Value updated = tensor::InsertSliceOp::create(
      rewriter, loc, value, read(loc, source, contents), view.getMixedOffsets(),
      view.getMixedSizes(), view.getMixedStrides());
  write(loc, source, updated, contents);
}

LogicalResult MemoryPromoter::convertLoop(scf::ForOp loop, Contents &contents) {
  SmallVector<Value> stored = getStored(loop);
  SmallVector<Value> inits = llvm::map_to_vector(
      stored, [&](Value memref) { return contents[memref]; });
  auto carry = [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
    return SmallVector<Value>(arguments.begin(), arguments.end());
  };
  unsigned before = loop.getInitArgs().size();
  rewriter.setInsertionPoint(loop);
  FailureOr<LoopLikeOpInterface> replaced = loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, carry);
  if (failed(replaced))
    return failure();
  auto carrying = cast<scf::ForOp>(replaced->getOperation());
  Contents inner = contents;
  for (auto [i, memref] : llvm::enumerate(stored))
    inner[memref] = carrying.getRegionIterArg(before + i);
  if (failed(convert(*carrying.getBody(), inner)))
    return failure();
  Operation *yield = carrying.getBody()->getTerminator();
  for (auto [i, memref] : llvm::enumerate(stored)) {
    yield->setOperand(before + i, inner[memref]);
    contents[memref] = carrying.getResult(before + i);
  }
  return success();
}

LogicalResult MemoryPromoter::convertIf(scf::IfOp branch, Contents &contents) {
  SmallVector<Value> stored = getStored(branch);
  SmallVector<Type> types(branch.getResultTypes());
  for (Value memref : stored)
    types.push_back(contents[memref].getType());
  Location loc = branch.getLoc();
  rewriter.setInsertionPoint(branch);
  auto carrying = scf::IfOp::create(rewriter, loc, types, branch.getCondition(),
                                    /*addThenBlock=*/false,
                                    /*addElseBlock=*/false);
  for (auto [from, to] :
       llvm::zip(branch->getRegions(), carrying->getRegions())) {
    rewriter.inlineRegionBefore(from, to, to.end());
    if (to.empty()) {
      rewriter.createBlock(&to);
      scf::YieldOp::create(rewriter, loc);
    }
    Contents inner = contents;
    if (failed(convert(to.front(), inner)))
      return failure();
    Operation *yield = to.front().getTerminator();
    SmallVector<Value> yielded(yield->getOperands());
    for (Value memref : stored)
      yielded.push_back(inner[memref]);
    yield->setOperands(yielded);
  }
  unsigned before = branch.getNumResults();
  rewriter.replaceOp(branch, carrying.getResults().take_front(before));
  for (auto [i, memref] : llvm::enumerate(stored))
    contents[memref] = carrying.getResult(before + i);
  return success();
}

LogicalResult MemoryPromoter::convertLinalg(linalg::LinalgOp op,
                                            Contents &contents) {
  Location loc = op.getLoc();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isa<MemRefType>(operand.getType())
                           ? read(loc, operand, contents)
                           : operand);
  SmallVector<Type> types;
  for (OpOperand &init : op.getDpsInitsMutable())
    types.push_back(operands[init.getOperandNumber()].getType());
  Operation *copy = cloneWithoutRegions(rewriter, op, types, operands);
  for (auto [from, to] : llvm::zip(op->getRegions(), copy->getRegions()))
    rewriter.inlineRegionBefore(from, to, to.end());
  for (auto [init, result] : llvm::zip(op.getDpsInits(), copy->getResults()))
    write(loc, init, result, contents);
  rewriter.eraseOp(op);
  return success();
}

LogicalResult MemoryPromoter::convert(Block &block, Contents &contents) {
  SmallVector<Operation *> views;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    rewriter.setInsertionPoint(&op);
    Location loc = op.getLoc();
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      rewriter.replaceOpWithNewOp<tensor::ExtractOp>(
          load, read(loc, load.getMemref(), contents), load.getIndices());
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      Value updated;
      if (store.getIndices().empty())
        updated = tensor::FromElementsOp::create(
            rewriter, loc, getTensorType(store.getMemref()), store.getValue());
      else
        updated = tensor::InsertOp::create(
            rewriter, loc, store.getValue(),
            read(loc, store.getMemref(), contents), store.getIndices());
      write(loc, store.getMemref(), updated, contents);
      rewriter.eraseOp(store);
    } else if (auto dim = dyn_cast<memref::DimOp>(op)) {
      rewriter.replaceOpWithNewOp<tensor::DimOp>(
          dim, read(loc, dim.getSource(), contents), dim.getIndex());
    } else if (isa<bufferization::ToTensorOp>(op)) {
      // Ours: the contents before the nest.
      continue;
    } else if (isa<memref::SubViewOp>(op)) {
      views.push_back(&op);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (failed(convertLoop(loop, contents)))
        return failure();
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (failed(convertIf(branch, contents)))
        return failure();
    } else if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
      if (structured.hasPureBufferSemantics() &&
          failed(convertLinalg(structured, contents)))
        return failure();
    } else if (!isMemoryEffectFree(&op) &&
               !op.hasTrait<OpTrait::IsTerminator>()) {
      return obstacle.set(&op, "'" + op.getName().getStringRef() +
                                   "' has side effects");
    }
  }
  for (Operation *view : llvm::reverse(views))
    rewriter.eraseOp(view);
  return success();
}

LogicalResult MemoryPromoter::run() {
  if (failed(collect()))
    return failure();
  if (bases.empty())
    return success();
  Block &block = scope->getRegion(0).front();
  rewriter.setInsertionPointToStart(&block);
  Location loc = scope->getLoc();
  Contents before, contents;
  for (Value memref : bases)
    before[memref] = bufferization::ToTensorOp::create(
        rewriter, loc, getTensorType(memref), memref, /*restrict=*/true,
        /*writable=*/true);
  contents = before;
  SmallVector<Value> stored = getStored(scope);
  if (failed(convert(block, contents)))
    return failure();
  rewriter.setInsertionPoint(block.getTerminator());
  for (Value memref : stored)
    bufferization::MaterializeInDestinationOp::create(
        rewriter, loc, Type(), contents[memref], memref, /*restrict=*/true,
        /*writable=*/true);
  return success();
}

LogicalResult scan::promoteMemory(RewriterBase &rewriter, Operation *scope,
                                  Obstacle &obstacle) {
  return MemoryPromoter(rewriter, scope, obstacle).run();
}
