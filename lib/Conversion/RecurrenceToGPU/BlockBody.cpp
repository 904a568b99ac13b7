//===- BlockBody.cpp - What the threads of a block do ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockBody.h"
#include "../GPUCommon/Emit.h"
#include "../GPUCommon/Grid.h"

#include "mlir/Dialect/Affine/Utils.h"
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
  memref::StoreOp::create(b, value, place, indices);
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

void BlockBody::emitCopy(ImplicitLocOpBuilder &b, Value source, Value target) {
  accesses.add(b, {{source, By::Owner, false}, {target, By::Owner, true}});
  SmallVector<Value> extents;
  auto type = cast<MemRefType>(target.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    extents.push_back(
        createExtent(b, type.isDynamicDim(dim) ? source : target, dim));
  divide(b, extents, [&](ImplicitLocOpBuilder &inner, ArrayRef<Value> point) {
    store(inner, load(inner, source, point), target, point);
  });
}

//===----------------------------------------------------------------------===//
// Structured operations
//===----------------------------------------------------------------------===//

LogicalResult BlockBody::emitLinalg(ImplicitLocOpBuilder &b,
                                    linalg::LinalgOp op) {
  unsigned numLoops = op.getNumLoops();
  SmallVector<Value> extents(numLoops);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
        Value &extent = extents[loop.getPosition()];
        if (!extent || !getConstantIntValue(extent))
          extent = createExtent(b, operand.get(), dim);
      }
  }
  SmallVector<unsigned> divided, walked;
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray()))
    (type == utils::IteratorType::parallel ? divided : walked).push_back(loop);
  AffineMap own = AffineMap::get(
      numLoops, 0,
      llvm::map_to_vector(
          divided, [&](unsigned loop) { return b.getAffineDimExpr(loop); }),
      b.getContext());
  SmallVector<BlockAccess> all;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    By by = map == own ? By::Owner : By::Any;
    bool isOutput = op.isDpsInit(&operand);
    if (isOutput && (!map.isProjectedPermutation() ||
                     map.getNumResults() != divided.size() ||
                     llvm::any_of(walked, [&](unsigned loop) {
                       return map.isFunctionOfDim(loop);
                     })))
      return op->emitOpError()
             << "cannot be computed by a thread block: expected each element "
                "of its outputs to be written at one point of its parallel "
                "loops, found the map "
             << AffineMapAttr::get(map);
    if (isOutput || !op.getMatchingBlockArgument(&operand).use_empty())
      all.push_back({operand.get(), by, isOutput});
  }
  accesses.add(b, all);

  SmallVector<Value> dividedExtents;
  for (unsigned loop : divided)
    dividedExtents.push_back(extents[loop]);
  Block *body = op.getBlock();
  divide(b, dividedExtents,
         [&](ImplicitLocOpBuilder &inner, ArrayRef<Value> numbers) {
           SmallVector<Value> point(numLoops);
           for (auto [loop, number] : llvm::zip_equal(divided, numbers))
             point[loop] = number;
           auto indices = [&](ImplicitLocOpBuilder &at, OpOperand &operand) {
             SmallVector<Value> place;
             for (AffineExpr expr :
                  op.getMatchingIndexingMap(&operand).getResults())
               place.push_back(
                   affine::expandAffineExpr(at, at.getLoc(), expr, point, {}));
             return place;
           };
           auto loadOperand = [&](ImplicitLocOpBuilder &at,
                                  OpOperand &operand) {
             if (!isa<MemRefType>(operand.get().getType()))
               return lookUp(operand.get());
             return load(at, operand.get(), indices(at, operand));
           };
           SmallVector<Value> results;
           for (OpOperand &output : op.getDpsInitsMutable()) {
             BlockArgument argument = op.getMatchingBlockArgument(&output);
             results.push_back(argument.use_empty()
                                   ? createZero(inner, argument.getType())
                                   : loadOperand(inner, output));
           }
           auto emitPoint = [&](ImplicitLocOpBuilder &at, ValueRange carried) {
             IRMapping values(mapping);
             for (OpOperand *input : op.getDpsInputOperands())
               if (BlockArgument argument = op.getMatchingBlockArgument(input);
                   !argument.use_empty())
                 values.map(argument, loadOperand(at, *input));
             for (auto [output, value] :
                  llvm::zip_equal(op.getDpsInitsMutable(), carried))
               values.map(op.getMatchingBlockArgument(&output), value);
             for (Operation &code : body->without_terminator()) {
               if (auto index = dyn_cast<linalg::IndexOp>(code))
                 values.map(index.getResult(), point[index.getDim()]);
               else
                 at.clone(code, values);
             }
             return llvm::map_to_vector(
                 body->getTerminator()->getOperands(),
                 [&](Value value) { return values.lookupOrDefault(value); });
           };
           std::function<SmallVector<Value>(ImplicitLocOpBuilder &, unsigned,
                                            ValueRange)>
               walk = [&](ImplicitLocOpBuilder &at, unsigned depth,
                          ValueRange carried) -> SmallVector<Value> {
             if (depth == walked.size())
               return emitPoint(at, carried);
             return createFor(at, indexConstant(at, 0), extents[walked[depth]],
                              indexConstant(at, 1), carried,
                              [&](ImplicitLocOpBuilder &deeper, Value number,
                                  ValueRange values) {
                                point[walked[depth]] = number;
                                return walk(deeper, depth + 1, values);
                              });
           };
           results = walk(inner, 0, results);
           for (auto [output, value] :
                llvm::zip_equal(op.getDpsInitsMutable(), results))
             store(inner, value, output.get(), indices(inner, output));
         });
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult BlockBody::emitLoop(ImplicitLocOpBuilder &b, scf::ForOp loop) {
  SmallVector<Value> inits;
  for (Value init : loop.getInitArgs())
    inits.push_back(lookUp(init));
  LogicalResult result = success();
  SmallVector<Value> results = createFor(
      b, lookUp(loop.getLowerBound()), lookUp(loop.getUpperBound()),
      lookUp(loop.getStep()), inits,
      [&](ImplicitLocOpBuilder &inner, Value number, ValueRange carried) {
        // Also for what the iteration before has done.
        gpu::BarrierOp::create(inner);
        BlockAccesses before = std::exchange(accesses, BlockAccesses());
        mapping.map(loop.getInductionVar(), number);
        for (auto [argument, value] :
             llvm::zip_equal(loop.getRegionIterArgs(), carried))
          mapping.map(argument, value);
        result = emit(inner, *loop.getBody());
        // It may not run.
        accesses.join(before);
        return llvm::map_to_vector(
            loop.getBody()->getTerminator()->getOperands(),
            [&](Value value) { return lookUp(value); });
      });
  for (auto [from, to] : llvm::zip_equal(loop.getResults(), results))
    mapping.map(from, to);
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
        for (Value value : region.front().getTerminator()->getOperands())
          yields.push_back(lookUp(value));
      }
      joined.join(accesses);
      return yields;
    };
  };
  SmallVector<Value> results = createIfElse(b, lookUp(branch.getCondition()),
                                            emitRegion(branch.getThenRegion()),
                                            emitRegion(branch.getElseRegion()));
  for (auto [from, to] : llvm::zip_equal(branch.getResults(), results))
    mapping.map(from, to);
  accesses = joined;
  return result;
}

void BlockBody::emitByFirst(ImplicitLocOpBuilder &b, Operation *op) {
  SmallVector<BlockAccess> all;
  op->walk([&](Operation *inner) {
    if (auto load = dyn_cast<memref::LoadOp>(inner))
      all.push_back({load.getMemRef(), By::First, false});
    else if (auto store = dyn_cast<memref::StoreOp>(inner))
      all.push_back({store.getMemRef(), By::First, true});
  });
  accesses.add(b, all);
  createIf(b, compare(b, arith::CmpIPredicate::eq, thread, 0),
           [&](ImplicitLocOpBuilder &inner) { inner.clone(*op, mapping); });
}

void BlockBody::emitSubview(ImplicitLocOpBuilder &b, Operation *op) {
  auto view = cast<memref::SubViewOp>(op);
  Value source = lookUp(view.getSource());
  auto look = [&](ArrayRef<OpFoldResult> numbers) {
    return llvm::map_to_vector(numbers, [&](OpFoldResult number) {
      auto value = dyn_cast<Value>(number);
      return value ? getAsOpFoldResult(lookUp(value)) : number;
    });
  };
  SmallVector<OpFoldResult> offsets = look(view.getMixedOffsets());
  SmallVector<OpFoldResult> sizes = look(view.getMixedSizes());
  SmallVector<OpFoldResult> strides = look(view.getMixedStrides());
  // The layout in the kernel may be another one.
  MemRefType type = memref::SubViewOp::inferRankReducedResultType(
      view.getType().getShape(), cast<MemRefType>(source.getType()), offsets,
      sizes, strides);
  mapping.map(view.getResult(), memref::SubViewOp::create(
                                    b, type, source, offsets, sizes, strides)
                                    .getResult());
}

LogicalResult BlockBody::emit(ImplicitLocOpBuilder &b, Operation *op) {
  b.setLoc(op->getLoc());
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return emitLinalg(b, linalgOp);
  if (isForOneThread(op) && op->getNumResults() == 0) {
    emitByFirst(b, op);
    return success();
  }
  bool isKnown = llvm::none_of(op->getResultTypes(), llvm::IsaPred<MemRefType>);
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && isKnown)
    return emitLoop(b, loop);
  if (auto branch = dyn_cast<scf::IfOp>(op); branch && isKnown)
    return emitBranch(b, branch);
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    emitCopy(b, copy.getSource(), copy.getTarget());
    return success();
  }
  // Buffers have been made, and are the block's to its end.
  if (isa<memref::AllocOp, memref::DeallocOp>(op))
    return success();
  if (isa<memref::SubViewOp>(op)) {
    emitSubview(b, op);
    return success();
  }
  if (auto cast = dyn_cast<memref::CastOp>(op)) {
    mapping.map(cast.getResult(), lookUp(cast.getSource()));
    return success();
  }
  SmallVector<Value> indices;
  if (auto read = dyn_cast<memref::LoadOp>(op)) {
    accesses.add(b, {{read.getMemRef(), By::Any, false}});
    for (Value index : read.getIndices())
      indices.push_back(lookUp(index));
    mapping.map(read.getResult(), load(b, read.getMemRef(), indices));
    return success();
  }
  if (auto write = dyn_cast<memref::StoreOp>(op)) {
    accesses.add(b, {{write.getMemRef(), By::First, true}});
    for (Value index : write.getIndices())
      indices.push_back(lookUp(index));
    createIf(b, compare(b, arith::CmpIPredicate::eq, thread, 0),
             [&](ImplicitLocOpBuilder &inner) {
               store(inner, lookUp(write.getValue()), write.getMemRef(),
                     indices);
             });
    return success();
  }
  // Which buffer a memref is has to be known where it is accessed.
  bool isView = isa<ViewLikeOpInterface>(op) ||
                llvm::none_of(op->getResultTypes(), llvm::IsaPred<MemRefType>);
  if (op->getNumRegions() == 0 && isMemoryEffectFree(op) && isView) {
    b.clone(*op, mapping);
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
