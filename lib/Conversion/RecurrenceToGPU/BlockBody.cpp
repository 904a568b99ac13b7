//===- BlockBody.cpp - What the threads of a block do ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockBody.h"
#include "../GPUCommon/Emit.h"
#include "../GPUCommon/Grid.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::scan;

using By = BlockAccess::By;

bool mlir::scan::isForOneThread(Operation *op) {
  if (op->getNumRegions() == 0 || isa<linalg::LinalgOp>(op))
    return false;
  bool hasStores = false, isScalar = true;
  op->walk([&](Operation *inner) {
    hasStores |= isa<memref::StoreOp>(inner);
    isScalar &= !isa<linalg::LinalgOp, memref::CopyOp, memref::AllocOp>(inner);
  });
  return hasStores && isScalar;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Flags lie in shared memory as bytes.
static bool isByte(Value memref, Type type) {
  return type.isInteger(1) &&
         !cast<MemRefType>(memref.getType()).getElementType().isInteger(1);
}

Value BlockBody::load(ImplicitLocOpBuilder &b, Value memref,
                      ValueRange indices) {
  Value place = lookUp(memref);
  Value value = memref::LoadOp::create(b, place, indices);
  Type type = getElementTypeOrSelf(memref.getType());
  if (isByte(place, type))
    return arith::TruncIOp::create(b, type, value);
  return value;
}

void BlockBody::store(ImplicitLocOpBuilder &b, Value value, Value memref,
                      ValueRange indices) {
  Value place = lookUp(memref);
  if (isByte(place, value.getType()))
    value = arith::ExtUIOp::create(b, b.getI8Type(), value);
  createIf(b, isStoredOnlyIfPresent(memref) ? rows.getPresent() : Value(),
           [&](ImplicitLocOpBuilder &inner) {
             memref::StoreOp::create(inner, value, place, indices);
           });
}

/// Buffers of the block are those of one row each.
bool BlockBody::isStoredOnlyIfPresent(Value memref) const {
  return !getBuffer(memref).getDefiningOp<memref::AllocOp>();
}

Value BlockBody::createExtent(ImplicitLocOpBuilder &b, Value memref,
                              int64_t dim) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(dim))
    return indexConstant(b, type.getDimSize(dim));
  return b.createOrFold<memref::DimOp>(lookUp(memref), indexConstant(b, dim));
}

void BlockBody::divide(
    ImplicitLocOpBuilder &b, ArrayRef<Value> extents,
    function_ref<void(ImplicitLocOpBuilder &, ArrayRef<Value>)> body) {
  SmallVector<unsigned> dims;
  Value count = indexConstant(b, 1);
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    dims.push_back(dim);
    count = b.createOrFold<arith::MulIOp>(count, extent);
  }
  auto emitPoint = [&](ImplicitLocOpBuilder &inner, Value number) {
    SmallVector<Value> point(extents.size());
    createCoordinates(inner, number, extents, dims, point);
    body(inner, point);
  };
  std::optional<int64_t> known = getConstantIntValue(count);
  if (known && *known == threads)
    return emitPoint(b, thread);
  if (known && *known < threads)
    return createIf(
        b, compare(b, arith::CmpIPredicate::ult, thread, count),
        [&](ImplicitLocOpBuilder &inner) { emitPoint(inner, thread); });
  createFor(b, thread, count, indexConstant(b, threads), {},
            [&](ImplicitLocOpBuilder &inner, Value number, ValueRange) {
              emitPoint(inner, number);
              return SmallVector<Value>();
            });
}

void BlockBody::emitCopy(ImplicitLocOpBuilder &b, memref::CopyOp copy) {
  Value source = copy.getSource(), target = copy.getTarget();
  auto type = cast<MemRefType>(target.getType());
  SmallVector<Value> extents;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    extents.push_back(
        createExtent(b, type.isDynamicDim(dim) ? source : target, dim));
  SmallVector<BlockAccess> all = {{target, By::Owner, true}};
  ArrayRef<Value> ahead;
  if (auto loaded = loadedAhead.find(copy); loaded != loadedAhead.end())
    ahead = loaded->second;
  else
    all.push_back({source, By::Owner, false});
  accesses.add(b, all);
  divide(b, extents, [&](ImplicitLocOpBuilder &inner, ArrayRef<Value> point) {
    SmallVector<Value> values(ahead);
    if (ahead.empty())
      rows.forEach([&] { values.push_back(load(inner, source, point)); });
    rows.forEach(
        [&] { store(inner, values[rows.getNumber()], target, point); });
  });
}

//===----------------------------------------------------------------------===//
// What stays, and what comes early
//===----------------------------------------------------------------------===//

int64_t BlockBody::takeRegisters(int64_t count, int64_t each) {
  int64_t left =
      BlockPlan::getRegisterBudget(threads, plan.rows) - plan.weightRegisters;
  count = std::max<int64_t>(0, std::min(count, left / each));
  plan.weightRegisters += count * each;
  return count;
}

Value BlockBody::takeShared(MemRefType type) {
  int64_t before = memory.getBytes();
  std::optional<BlockMemory::Place> place = memory.take(type);
  if (!place)
    return {};
  plan.weightBytes += memory.getBytes() - before;
  return BlockMemory::create(func, *place);
}

void BlockBody::noteStreamed(int64_t bytes) {
  ++plan.streamedWeights;
  plan.streamedBytes += bytes;
}

bool BlockBody::isInvariant(Value memref) const {
  return timeLoop && constants.contains(getBuffer(memref)) &&
         !timeLoop->isAncestor(memref.getParentBlock()->getParentOp());
}

void BlockBody::moveInFront(ImplicitLocOpBuilder &b) const {
  b.restoreInsertionPoint(inFront);
}

SmallVector<BlockBody::Prefetched> BlockBody::findPrefetched(scf::ForOp loop) {
  SmallVector<Prefetched> found;
  for (auto copy : loop.getBody()->getOps<memref::CopyOp>()) {
    auto type = cast<MemRefType>(copy.getTarget().getType());
    if (!type.hasStaticShape() || type.getNumElements() > threads ||
        !constants.contains(getBuffer(copy.getSource())))
      continue;
    // In the order of the block.
    DenseSet<Value> needed = {copy.getSource()};
    SmallVector<Operation *> slice;
    for (Operation &op : llvm::reverse(*loop.getBody()))
      if (op.isBeforeInBlock(copy) &&
          llvm::any_of(op.getResults(),
                       [&](Value value) { return needed.contains(value); })) {
        slice.push_back(&op);
        needed.insert(op.operand_begin(), op.operand_end());
      }
    std::reverse(slice.begin(), slice.end());
    bool isAddress = llvm::all_of(slice, [&](Operation *op) {
      return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
             llvm::all_of(op->getOperands(), [&](Value operand) {
               auto argument = dyn_cast<BlockArgument>(operand);
               return !argument || argument.getOwner() != loop.getBody() ||
                      argument == loop.getInductionVar();
             });
    });
    if (isAddress && !slice.empty())
      found.push_back({copy, slice});
  }
  return found;
}

/// This thread's element of what `copy` copies in iteration `step`, of each
/// row, or zeros if there is no such iteration.
SmallVector<Value> BlockBody::loadAhead(ImplicitLocOpBuilder &b,
                                        scf::ForOp loop,
                                        const Prefetched &prefetched,
                                        Value step) {
  auto copy = cast<memref::CopyOp>(prefetched.copy);
  auto type = cast<MemRefType>(copy.getTarget().getType());
  Value isIn =
      compare(b, arith::CmpIPredicate::slt, step, lookUp(loop.getUpperBound()));
  // Of fewer steps than are loaded ahead, which are known: there is no address.
  if (getConstantIntValue(isIn) == 0)
    return SmallVector<Value>(rows.size(),
                              createZero(b, type.getElementType()));
  if (type.getNumElements() < threads)
    isIn = createAnd(
        b, isIn,
        compare(b, arith::CmpIPredicate::ult, thread, type.getNumElements()));
  return createIfOrZeros(b, isIn, [&](ImplicitLocOpBuilder &inner) {
    SmallVector<Value> sources;
    rows.forEach([&] {
      IRMapping values(rows.getMapping());
      values.map(loop.getInductionVar(), step);
      for (Operation *op : prefetched.address) {
        if (isa<memref::SubViewOp>(op))
          emitSubview(inner, op, values);
        else
          inner.clone(*op, values);
      }
      sources.push_back(values.lookup(copy.getSource()));
    });
    SmallVector<Value> extents, point(type.getRank());
    SmallVector<unsigned> dims;
    for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
      extents.push_back(indexConstant(inner, extent));
      dims.push_back(dim);
    }
    createCoordinates(inner, thread, extents, dims, point);
    return llvm::map_to_vector(sources, [&](Value source) -> Value {
      return memref::LoadOp::create(inner, source, point);
    });
  });
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult BlockBody::emitLoop(ImplicitLocOpBuilder &b, scf::ForOp loop) {
  bool isOverTime = !timeLoop;
  SmallVector<Prefetched> prefetched;
  if (isOverTime) {
    timeLoop = loop;
    prefetched = findPrefetched(loop);
    plan.prefetchedRows += prefetched.size();
  }
  Value first = lookUp(loop.getLowerBound()), width = lookUp(loop.getStep());
  auto stepAfter = [&](ImplicitLocOpBuilder &at, Value step, int64_t count) {
    return at.createOrFold<arith::AddIOp>(
        step, at.createOrFold<arith::MulIOp>(width, indexConstant(at, count)));
  };
  SmallVector<Value> inits = rows.lookUpAll(loop.getInitArgs());
  unsigned numCarried = inits.size();
  int64_t numAhead = plan.prefetchedSteps * rows.size();
  for (const Prefetched &copy : prefetched)
    for (int64_t ahead = 0; ahead < plan.prefetchedSteps; ++ahead)
      llvm::append_range(inits,
                         loadAhead(b, loop, copy, stepAfter(b, first, ahead)));
  if (isOverTime)
    inFront = b.saveInsertionPoint();
  LogicalResult result = success();
  SmallVector<Value> results = createFor(
      b, first, lookUp(loop.getUpperBound()), width, inits,
      [&](ImplicitLocOpBuilder &inner, Value step, ValueRange carried) {
        SmallVector<Value> ahead(carried.drop_front(numCarried)), next;
        Value later = stepAfter(inner, step, plan.prefetchedSteps);
        for (auto [i, copy] : llvm::enumerate(prefetched)) {
          auto own = ArrayRef(ahead).slice(i * numAhead, numAhead);
          loadedAhead[copy.copy].assign(own.begin(), own.begin() + rows.size());
          llvm::append_range(next, own.drop_front(rows.size()));
          llvm::append_range(next, loadAhead(inner, loop, copy, later));
        }
        // Also for what the iteration before has done.
        gpu::BarrierOp::create(inner);
        BlockAccesses before = std::exchange(accesses, BlockAccesses());
        rows.mapAll(loop.getInductionVar(), step);
        rows.mapEach(loop.getRegionIterArgs(), carried.take_front(numCarried));
        result = emit(inner, *loop.getBody());
        // It may not run.
        accesses.join(before);
        SmallVector<Value> yields =
            rows.lookUpAll(loop.getBody()->getTerminator()->getOperands());
        llvm::append_range(yields, next);
        return yields;
      });
  if (isOverTime) {
    timeLoop = {};
    loadedAhead.clear();
  }
  rows.mapEach(loop.getResults(), results);
  return result;
}

LogicalResult BlockBody::emitBranch(ImplicitLocOpBuilder &b, scf::IfOp branch) {
  LogicalResult result = success();
  BlockAccesses before = accesses, joined;
  auto emitRegion = [&](Region &region) {
    return [&](ImplicitLocOpBuilder &inner) {
      accesses = before;
      SmallVector<Value> yields;
      if (!region.empty()) {
        if (failed(emit(inner, region.front())))
          result = failure();
        yields = rows.lookUpAll(region.front().getTerminator()->getOperands());
      }
      joined.join(accesses);
      return yields;
    };
  };
  SmallVector<Value> results = createIfElse(b, lookUp(branch.getCondition()),
                                            emitRegion(branch.getThenRegion()),
                                            emitRegion(branch.getElseRegion()));
  rows.mapEach(branch.getResults(), results);
  accesses = joined;
  return result;
}

LogicalResult BlockBody::emitByFirst(ImplicitLocOpBuilder &b, Operation *op) {
  SmallVector<BlockAccess> all;
  op->walk([&](Operation *inner) {
    if (auto load = dyn_cast<memref::LoadOp>(inner))
      all.push_back({load.getMemRef(), By::First, false});
    else if (auto store = dyn_cast<memref::StoreOp>(inner))
      all.push_back({store.getMemRef(), By::First, true});
  });
  // What is copied as it is has to fit the memrefs of the kernel.
  bool fits = llvm::none_of(all, [&](const BlockAccess &access) {
    return isByte(lookUp(access.memref),
                  getElementTypeOrSelf(access.memref.getType()));
  });
  op->walk([&](ViewLikeOpInterface view) {
    Value source = view.getViewSource();
    fits &= lookUp(source).getType() == source.getType();
  });
  if (!fits)
    return op->emitOpError()
           << "cannot be done by one thread of a block: expected loops and "
              "branches that read and write elements of rows of numbers, found "
              "slices in one, or a row of flags (i1); take slices in front of "
              "it and extend flags by arith.extui, or compile the program for "
              "the CPU, by --scan-to-cpu (scan-run --target=cpu)";
  accesses.add(b, all);
  ++plan.oneThread;
  bool storesOutside = llvm::any_of(all, [&](const BlockAccess &access) {
    return access.isWrite && isStoredOnlyIfPresent(access.memref);
  });
  createIf(b, compare(b, arith::CmpIPredicate::eq, thread, 0),
           [&](ImplicitLocOpBuilder &inner) {
             rows.forEach([&] {
               createIf(inner, storesOutside ? rows.getPresent() : Value(),
                        [&](ImplicitLocOpBuilder &row) {
                          row.clone(*op, rows.getMapping());
                        });
             });
           });
  return success();
}

/// Copies a view, which may have another layout in the kernel.
void BlockBody::emitSubview(ImplicitLocOpBuilder &b, Operation *op,
                            IRMapping &values) {
  auto view = cast<memref::SubViewOp>(op);
  Value source = values.lookupOrDefault(view.getSource());
  auto look = [&](ArrayRef<OpFoldResult> numbers) {
    return llvm::map_to_vector(numbers, [&](OpFoldResult number) {
      auto value = dyn_cast<Value>(number);
      return value ? getAsOpFoldResult(values.lookupOrDefault(value)) : number;
    });
  };
  SmallVector<OpFoldResult> offsets = look(view.getMixedOffsets());
  SmallVector<OpFoldResult> sizes = look(view.getMixedSizes());
  SmallVector<OpFoldResult> strides = look(view.getMixedStrides());
  MemRefType type = memref::SubViewOp::inferRankReducedResultType(
      view.getType().getShape(), cast<MemRefType>(source.getType()), offsets,
      sizes, strides);
  values.map(view.getResult(),
             memref::SubViewOp::create(b, type, source, offsets, sizes, strides)
                 .getResult());
}

LogicalResult BlockBody::emit(ImplicitLocOpBuilder &b, Operation *op) {
  b.setLoc(op->getLoc());
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return emitStage(b, linalgOp);
  if (isForOneThread(op) && op->getNumResults() == 0)
    return emitByFirst(b, op);
  bool isKnown = llvm::none_of(op->getResultTypes(), llvm::IsaPred<MemRefType>);
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && isKnown)
    return emitLoop(b, loop);
  if (auto branch = dyn_cast<scf::IfOp>(op); branch && isKnown)
    return emitBranch(b, branch);
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    emitCopy(b, copy);
    return success();
  }
  // Buffers have been made, and are the block's to its end.
  if (isa<memref::AllocOp, memref::DeallocOp>(op))
    return success();
  if (isa<memref::SubViewOp>(op)) {
    rows.forEachUnlessUniform(op,
                              [&] { emitSubview(b, op, rows.getMapping()); });
    return success();
  }
  if (auto cast = dyn_cast<memref::CastOp>(op)) {
    rows.forEach([&] { rows.map(cast.getResult(), lookUp(cast.getSource())); });
    return success();
  }
  auto lookUpIndices = [&](ValueRange indices) {
    return llvm::map_to_vector(indices,
                               [&](Value index) { return lookUp(index); });
  };
  if (auto read = dyn_cast<memref::LoadOp>(op)) {
    accesses.add(b, {{read.getMemRef(), By::Any, false}});
    rows.forEachUnlessUniform(op, [&] {
      rows.map(read.getResult(),
               load(b, read.getMemRef(), lookUpIndices(read.getIndices())));
    });
    return success();
  }
  if (auto write = dyn_cast<memref::StoreOp>(op)) {
    accesses.add(b, {{write.getMemRef(), By::First, true}});
    createIf(b, compare(b, arith::CmpIPredicate::eq, thread, 0),
             [&](ImplicitLocOpBuilder &inner) {
               rows.forEach([&] {
                 store(inner, lookUp(write.getValue()), write.getMemRef(),
                       lookUpIndices(write.getIndices()));
               });
             });
    return success();
  }
  // Which buffer a memref is has to be known where it is accessed.
  bool isView = isa<ViewLikeOpInterface>(op) ||
                llvm::none_of(op->getResultTypes(), llvm::IsaPred<MemRefType>);
  if (op->getNumRegions() == 0 && isMemoryEffectFree(op) && isView) {
    rows.forEachUnlessUniform(op, [&] { b.clone(*op, rows.getMapping()); });
    return success();
  }
  return op->emitOpError()
         << "cannot be part of a thread block's step: expected operations of "
            "linalg, copies, loads and stores, and branches and counted loops "
            "that write tensors of static extents; compute it outside, or "
            "compile the program for the CPU, by --scan-to-cpu (scan-run "
            "--target=cpu)";
}

LogicalResult BlockBody::emit(ImplicitLocOpBuilder &b, Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(emit(b, &op)))
      return failure();
  return success();
}
