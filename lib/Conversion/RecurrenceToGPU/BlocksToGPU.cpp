//===- BlocksToGPU.cpp - Loops over thread blocks to GPU kernels ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The frame around the code of a block: what it is passed, its index along each
// batch dimension, and its buffers.
//
//===----------------------------------------------------------------------===//

#include "../GPUCommon/Emit.h"
#include "../GPUCommon/FlatArguments.h"
#include "../GPUCommon/Grid.h"
#include "BatchTile.h"
#include "BlockBody.h"
#include "IR/MatchCounts.h"
#include "Scan/Conversion/RecurrenceToGPU/Passes.h"
#include "Scan/IR/ScanRecurrence.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::scan {
#define GEN_PASS_DEF_CONVERTBLOCKSTOGPU
#include "Scan/Conversion/RecurrenceToGPU/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

/// The most threads that a block has, which leaves each of them 128 registers,
/// and how many it has where extents are dynamic.
static constexpr int64_t kMostThreads = 512, kSomeThreads = 256;

namespace {

class BlockKernel {
public:
  /// Whose blocks have `sharedMemory` bytes at most, and compute `rows` indices
  /// of the batch dimensions each.
  BlockKernel(RewriterBase &rewriter, scf::ForallOp blocks,
              int64_t sharedMemory, int64_t rows)
      : rewriter(rewriter), b(blocks.getLoc(), rewriter), blocks(blocks),
        memory(sharedMemory), tile(blocks, rows) {
    plan.rows = rows;
  }

  /// Makes the kernel, and says what it is planned to be.
  FailureOr<BlockPlan> emit();
  /// Takes back what `emit` has made.
  void erase();
  /// Launches the kernel in place of the loop.
  void launch();

private:
  int64_t chooseThreads();
  LogicalResult placeBuffers();
  LogicalResult makeTemporary(memref::AllocOp alloc);
  void collectOperands();
  void addExtent(Value value);
  void mapTemporaries(ImplicitLocOpBuilder &inner, Value block,
                      BlockRows &rows);
  LogicalResult emitKernel();
  Value createBlockCount();

  RewriterBase &rewriter;
  ImplicitLocOpBuilder b;
  scf::ForallOp blocks;
  BlockPlan plan;
  BlockMemory memory;
  BatchTile tile;
  gpu::GPUFuncOp func;
  /// With a place for each row.
  SmallVector<std::pair<memref::AllocOp, SmallVector<BlockMemory::Place>>>
      shared;
  /// Temporaries of the host, and the buffers that they are.
  SmallVector<std::pair<Value, memref::AllocOp>> temporaries;
  SmallVector<FlatOperand> flat;
  SmallVector<KernelArgument> arguments;
  /// Numbers that the kernel is passed: those of blocks, extents of operands,
  /// and others.
  SmallVector<OpFoldResult> extents;
  SmallVector<int64_t> domain;
  DenseMap<std::pair<Value, unsigned>, unsigned> extentNumbers;
  DenseMap<Value, unsigned> scalarNumbers;
  SetVector<Value> constants;
  /// The buffers from outside that nothing in the block writes.
  DenseSet<Value> constantBuffers;
};

} // namespace

/// As many as the operation that writes most has elements, if that is known.
int64_t BlockKernel::chooseThreads() {
  int64_t most = 32;
  auto add = [&](ArrayRef<int64_t> shape) {
    int64_t count = 1;
    for (int64_t extent : shape)
      count = ShapedType::isDynamic(extent) || count < 0 ? -1 : count * extent;
    most = std::max(most, count < 0 ? kSomeThreads : count);
  };
  blocks->walk([&](Operation *op) {
    if (auto copy = dyn_cast<memref::CopyOp>(op))
      add(cast<MemRefType>(copy.getTarget().getType()).getShape());
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      for (Value output : linalgOp.getDpsInits())
        add(cast<MemRefType>(output.getType()).getShape());
  });
  return std::min<int64_t>(llvm::alignTo(most, 32), kMostThreads);
}

/// Makes a temporary of the host, with a part for each row, of a buffer whose
/// extents are known in front of the loop.
LogicalResult BlockKernel::makeTemporary(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) { return blocks->isAncestor(op); };
  IRMapping onHost;
  SmallVector<Value> sizes;
  for (Value size : alloc.getDynamicSizes()) {
    SetVector<Operation *> slice;
    (void)getBackwardSlice(size, &slice, options);
    for (Operation *op : slice) {
      SetVector<Value> used(op->operand_begin(), op->operand_end());
      bool isKnown = op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
                     llvm::all_of(used, [&](Value value) {
                       return !blocks->isAncestor(
                                  value.getParentRegion()->getParentOp()) ||
                              onHost.contains(value);
                     });
      if (!isKnown)
        return alloc.emitOpError()
               << "cannot be made in front of a kernel: expected the extents "
                  "of rows to be known before the first step of a "
                  "scan.recurrence; give them static extents, or compile the "
                  "program for the CPU, by --scan-to-cpu";
      if (!onHost.contains(op->getResult(0)))
        b.clone(*op, onHost);
    }
    sizes.push_back(onHost.lookupOrDefault(size));
  }
  Value count = mulConstant(b, createBlockCount(), plan.rows);
  SmallVector<int64_t> shape(type.getShape());
  std::optional<int64_t> known = getConstantIntValue(count);
  shape.insert(shape.begin(), known.value_or(ShapedType::kDynamic));
  if (!known)
    sizes.insert(sizes.begin(), count);
  Value temporary = memref::AllocOp::create(
      b, MemRefType::get(shape, type.getElementType()), sizes);
  temporaries.push_back({temporary, alloc});
  ++plan.temporaries;
  return success();
}

LogicalResult BlockKernel::placeBuffers() {
  SmallVector<memref::AllocOp> allocs;
  blocks->walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
  for (memref::AllocOp alloc : allocs) {
    MemRefType type = alloc.getType();
    SmallVector<BlockMemory::Place> places;
    if (type.hasStaticShape() && type.getLayout().isIdentity())
      places = memory.take(type, plan.rows);
    if (!places.empty())
      shared.push_back({alloc, places});
    else if (failed(makeTemporary(alloc)))
      return failure();
  }
  plan.sharedBytes = memory.getBytes();
  return success();
}

void BlockKernel::addExtent(Value value) {
  if (scalarNumbers.try_emplace(value, extents.size()).second)
    extents.push_back(getAsOpFoldResult(value));
}

Value BlockKernel::createBlockCount() {
  return tile.createBlockCount(
      b, getValueOrCreateConstantIndexOp(b, b.getLoc(),
                                         blocks.getMixedUpperBound()));
}

/// What the block uses from outside.
void BlockKernel::collectOperands() {
  for (OpFoldResult extent : blocks.getMixedUpperBound())
    extents.push_back(extent);
  SetVector<Value> captured, written;
  getUsedValuesDefinedAbove(blocks.getRegion(), captured);
  blocks->walk([&](Operation *op) {
    if (auto copy = dyn_cast<memref::CopyOp>(op))
      written.insert(getBuffer(copy.getTarget()));
    if (auto store = dyn_cast<memref::StoreOp>(op))
      written.insert(getBuffer(store.getMemRef()));
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      for (Value output : linalgOp.getDpsInits())
        written.insert(getBuffer(output));
  });
  unsigned numInputs = 0, numOutputs = 0, numTemporaries = 0;
  auto add = [&](Value value, bool isTemporary) {
    bool isOutput = isTemporary || written.contains(getBuffer(value));
    std::string name = isTemporary ? "w" + std::to_string(numTemporaries++)
                       : isOutput  ? "y" + std::to_string(numOutputs++)
                                   : "x" + std::to_string(numInputs++);
    flat.push_back({value, isOutput ? "output" : "input", name});
    auto type = dyn_cast<MemRefType>(value.getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim)) {
        extentNumbers[{value, dim}] = extents.size();
        extents.push_back(memref::getMixedSize(b, b.getLoc(), value, dim));
      }
  };
  for (Value value : captured) {
    Operation *op = value.getDefiningOp();
    if (op && op->hasTrait<OpTrait::ConstantLike>() &&
        !isa<MemRefType>(value.getType()))
      constants.insert(value);
    else if (value.getType().isIndex())
      addExtent(value);
    else
      add(value, /*isTemporary=*/false);
    if (isa<MemRefType>(value.getType()) && !written.contains(getBuffer(value)))
      constantBuffers.insert(getBuffer(value));
  }
  for (auto [temporary, alloc] : temporaries)
    add(temporary, /*isTemporary=*/true);
  for (OpFoldResult &extent : extents) {
    std::optional<int64_t> known = getConstantIntValue(extent);
    domain.push_back(known ? *known : ShapedType::kDynamic);
    if (known)
      extent = b.getIndexAttr(*known);
  }
}

/// The parts of the temporaries that belong to the current row.
void BlockKernel::mapTemporaries(ImplicitLocOpBuilder &inner, Value block,
                                 BlockRows &rows) {
  Value number = addConstant(inner, mulConstant(inner, block, plan.rows),
                             rows.getNumber());
  for (auto [temporary, alloc] : temporaries) {
    Value all = rows.lookUp(temporary);
    auto type = cast<MemRefType>(all.getType());
    SmallVector<OpFoldResult> offsets(type.getRank(), inner.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(type.getRank(), inner.getIndexAttr(1));
    SmallVector<OpFoldResult> own =
        memref::getMixedSizes(inner, inner.getLoc(), all);
    offsets[0] = number;
    own[0] = inner.getIndexAttr(1);
    MemRefType part = memref::SubViewOp::inferRankReducedResultType(
        alloc.getType().getShape(), type, offsets, own, strides);
    rows.map(alloc.getResult(),
             memref::SubViewOp::create(inner, part, all, offsets, own, strides)
                 .getResult());
  }
}

LogicalResult BlockKernel::emitKernel() {
  func->setAttr("scan.strategy", b.getStringAttr("recurrence"));
  SmallVector<Value> sizes = createExtents(b, func, arguments, domain);
  BlockRows rows(plan.rows);
  for (Value constant : constants)
    rows.mapAll(constant,
                b.clone(*constant.getDefiningOp())
                    ->getResult(cast<OpResult>(constant).getResultNumber()));
  for (auto [value, number] : scalarNumbers)
    rows.mapAll(value, sizes[number]);
  ArrayRef<BlockArgument> values(func.getArguments());
  for (const FlatOperand &operand : flat) {
    auto type = dyn_cast<MemRefType>(operand.value.getType());
    if (!type) {
      rows.mapAll(operand.value, values.front());
      values = values.drop_front();
      continue;
    }
    rows.mapAll(operand.value,
                createView(b, type, values, [&](unsigned dim) -> OpFoldResult {
                  unsigned number = extentNumbers.lookup({operand.value, dim});
                  if (ShapedType::isDynamic(domain[number]))
                    return sizes[number];
                  return b.getIndexAttr(domain[number]);
                }));
  }
  for (auto &[alloc, places] : shared) {
    SmallVector<Value> ofRows;
    for (const BlockMemory::Place &place : places)
      ofRows.push_back(BlockMemory::create(func, place));
    rows.mapEach(alloc.getResult(), ofRows);
  }

  Value number = createBlockNumber(b);
  ArrayRef<Value> batch = ArrayRef(sizes).take_front(blocks.getRank());
  Value count = tile.createBlockCount(b, batch);
  LogicalResult result = success();
  auto emit = [&](ImplicitLocOpBuilder &inner) {
    tile.createRows(inner, number, batch, rows);
    rows.forEach([&] { mapTemporaries(inner, number, rows); });
    Value thread = gpu::ThreadIdOp::create(inner, gpu::Dimension::x);
    BlockBody body(rows, plan, memory, func, thread, constantBuffers);
    result = body.emit(inner, *blocks.getBody());
  };
  // The grid may have a few blocks more than there is work for.
  createIf(b, compare(b, arith::CmpIPredicate::ult, number, count), emit);
  gpu::ReturnOp::create(b);
  func->setAttr("scan.plan", plan.getAttr(b.getContext()));
  return result;
}

FailureOr<BlockPlan> BlockKernel::emit() {
  b.setInsertionPoint(blocks);
  auto schedule =
      blocks->getAttrOfType<ScheduleAttr>(RecurrenceOp::getScheduleName());
  plan.threads = schedule ? schedule.getThreads() : chooseThreads();
  if (schedule)
    plan.prefetchedSteps = schedule.getItems();
  if (failed(placeBuffers()))
    return failure();
  collectOperands();
  FailureOr<SmallVector<KernelArgument>> listed =
      listFlatArguments(blocks, flat, domain);
  if (failed(listed))
    return failure();
  arguments = std::move(*listed);
  gpu::GPUModuleOp module =
      getKernelModule(rewriter, blocks->getParentOfType<ModuleOp>());
  OpBuilder::InsertionGuard guard(b);
  func = createKernelFunc(b, module,
                          chooseKernelName(blocks, "_recurrence", module), flat,
                          arguments, plan.threads, tile.getGrid(domain));
  if (failed(emitKernel()))
    return failure();
  return plan;
}

void BlockKernel::erase() {
  rewriter.eraseOp(func);
  for (auto [temporary, alloc] : temporaries)
    rewriter.eraseOp(temporary.getDefiningOp());
}

void BlockKernel::launch() {
  b.setInsertionPoint(blocks);
  b.setLoc(blocks.getLoc());
  SmallVector<Value> operands =
      createLaunchOperands(b, flat, arguments, extents);
  gpu::KernelDim3 grid = createGrid(b, createBlockCount());
  Value one = indexConstant(b, 1);
  Value dynamicBytes;
  if (int64_t bytes = memory.getDynamicBytes())
    dynamicBytes = i32Constant(b, bytes);
  gpu::LaunchFuncOp::create(
      b, func, grid, gpu::KernelDim3{indexConstant(b, plan.threads), one, one},
      dynamicBytes, operands);
  rewriter.eraseOp(blocks);
}

/// Lowers `blocks`, with the batch tile of their schedule or, if there is none,
/// the one that pays on `processors` multiprocessors: what a block of one row
/// takes is known when it has been made.
static LogicalResult lowerBlocks(RewriterBase &rewriter, scf::ForallOp blocks,
                                 int64_t sharedMemory, int64_t processors) {
  auto schedule =
      blocks->getAttrOfType<ScheduleAttr>(RecurrenceOp::getScheduleName());
  int64_t rows = schedule ? schedule.getRows() : 1;
  if (failed(BatchTile(blocks, rows).check()))
    return failure();
  BlockKernel kernel(rewriter, blocks, sharedMemory, rows);
  FailureOr<BlockPlan> plan = kernel.emit();
  if (failed(plan))
    return failure();
  int64_t best =
      schedule
          ? rows
          : BatchTile(blocks, rows).choose(*plan, sharedMemory, processors);
  if (best == rows) {
    kernel.launch();
    return success();
  }
  kernel.erase();
  BlockKernel tiled(rewriter, blocks, sharedMemory, best);
  if (failed(tiled.emit()))
    return failure();
  tiled.launch();
  return success();
}

namespace {

struct ConvertBlocksToGPU
    : scan::impl::ConvertBlocksToGPUBase<ConvertBlocksToGPU> {
  using ConvertBlocksToGPUBase::ConvertBlocksToGPUBase;

  void runOnOperation() override {
    SmallVector<scf::ForallOp> loops;
    getOperation()->walk<WalkOrder::PreOrder>([&](scf::ForallOp blocks) {
      std::optional<ArrayAttr> mapping = blocks.getMapping();
      if (mapping &&
          llvm::all_of(*mapping, llvm::IsaPred<gpu::GPUBlockMappingAttr>))
        loops.push_back(blocks);
      return WalkResult::skip();
    });
    IRRewriter rewriter(&getContext());
    for (scf::ForallOp blocks : loops)
      if (failed(lowerBlocks(rewriter, blocks, sharedMemory, processors)))
        return signalPassFailure();
    numLowered += loops.size();
    addMatchCounts(getOperation(), getArgument(),
                   {{"kernels-lowered", loops.size()}});
  }
};

} // namespace
