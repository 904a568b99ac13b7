//===- KernelFrame.cpp - The gpu.func around a scan -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFrame.h"
#include "../GPUCommon/Emit.h"
#include "Primitives/WarpScan.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::scan;

/// The operands that have an indexing map: all of them, in order.
static SmallVector<std::pair<Value, AffineMap>> getMappedOperands(KernelOp op) {
  SmallVector<std::pair<Value, AffineMap>> result;
  for (OpOperand &operand : op->getOpOperands())
    result.emplace_back(operand.get(), op.getIndexingMap(operand));
  return result;
}

SmallVector<FlatOperand> mlir::scan::getFlatOperands(KernelOp kernel) {
  SmallVector<FlatOperand> operands;
  auto add = [&](OperandRange group, StringRef role, StringRef prefix) {
    for (auto [i, value] : llvm::enumerate(group))
      operands.push_back({value, role, (prefix + Twine(i)).str()});
  };
  add(kernel.getInputs(), "input", "x");
  add(kernel.getInits(), "init", "init");
  add(kernel.getOutputs(), "output", "y");
  add(kernel.getFinals(), "final", "final");
  return operands;
}

SmallVector<int64_t> mlir::scan::getFlatExtents(KernelOp kernel) {
  SmallVector<int64_t> extents = kernel.getStaticDomainShape();
  for (auto [number, input] : llvm::enumerate(kernel.getInputs()))
    if (kernel.isSegmentOffsets(number))
      extents.push_back(cast<MemRefType>(input.getType()).getDimSize(0));
  return extents;
}

SmallVector<OpFoldResult> mlir::scan::createFlatExtents(ImplicitLocOpBuilder &b,
                                                        KernelOp kernel) {
  SmallVector<OpFoldResult> extents = kernel.getDomainSizes(b, b.getLoc());
  for (auto [number, input] : llvm::enumerate(kernel.getInputs()))
    if (kernel.isSegmentOffsets(number))
      extents.push_back(memref::getMixedSize(b, b.getLoc(), input, 0));
  return extents;
}

/// Whether a tile has to be there even if there are no elements, to write the
/// finals.
static bool needsTile(KernelOp kernel) { return !kernel.getFinals().empty(); }

/// The number of parts of a domain with the extents `extents`, under
/// `schedule`: the product of those outside the scan dimension, some of which
/// are divided by what a block has of them; over the grid also of the tiles
/// along the scan dimension. `multiply`, `divide`, which rounds up, and
/// `countTiles` compute it.
template <typename T>
static T countParts(KernelOp kernel, ScheduleAttr schedule, T one,
                    ArrayRef<T> extents, function_ref<T(T, T)> multiply,
                    function_ref<T(T, int64_t)> divide,
                    function_ref<T(T)> countTiles) {
  std::optional<unsigned> inner;
  if (schedule.getStrategy() == Strategy::Column)
    inner = getInnerDim(kernel);
  T blocks = one;
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    if (dim == inner)
      blocks = multiply(blocks, divide(extent, schedule.getScansPerBlock()));
    else if (dim != kernel.getDim())
      blocks = multiply(blocks, extent);
    else if (schedule.isGridWide())
      blocks = multiply(blocks, countTiles(extent));
  }
  int64_t scans = schedule.getScansPerBlock();
  if (schedule.getStrategy() != Strategy::Column && scans != 1)
    blocks = divide(blocks, scans);
  return blocks;
}

AffineExpr mlir::scan::getPartCount(KernelOp kernel, ScheduleAttr schedule) {
  MLIRContext *context = kernel.getContext();
  AffineExpr one = getAffineConstantExpr(1, context);
  SmallVector<AffineExpr> extents;
  unsigned numSymbols = 0;
  for (int64_t extent : kernel.getStaticDomainShape())
    extents.push_back(ShapedType::isDynamic(extent)
                          ? getAffineSymbolExpr(numSymbols++, context)
                          : getAffineConstantExpr(extent, context));
  return countParts<AffineExpr>(
      kernel, schedule, one, extents,
      [](AffineExpr a, AffineExpr b) { return a * b; },
      [](AffineExpr a, int64_t b) { return a.ceilDiv(b); },
      [&](AffineExpr extent) {
        AffineExpr tiles = extent.ceilDiv(schedule.getTileSteps());
        // The second term is 1 for extent 0, and 0 for all others.
        return needsTile(kernel) ? tiles + one.floorDiv(extent + 1) : tiles;
      });
}

/// The tiles along the scan dimension of extent `extent`.
static Value createTileCount(ImplicitLocOpBuilder &b, KernelOp kernel,
                             ScheduleAttr schedule, Value extent) {
  Value tiles = b.createOrFold<arith::CeilDivUIOp>(
      extent, indexConstant(b, schedule.getTileSteps()));
  if (needsTile(kernel))
    tiles = b.createOrFold<arith::MaxUIOp>(tiles, indexConstant(b, 1));
  return tiles;
}

Value mlir::scan::createPartCount(ImplicitLocOpBuilder &b, KernelOp kernel,
                                  ScheduleAttr schedule,
                                  ArrayRef<OpFoldResult> extents) {
  SmallVector<Value> values;
  for (OpFoldResult extent : extents)
    values.push_back(getValueOrCreateConstantIndexOp(b, b.getLoc(), extent));
  return countParts<Value>(
      kernel, schedule, indexConstant(b, 1), values,
      [&](Value lhs, Value rhs) {
        return b.createOrFold<arith::MulIOp>(lhs, rhs);
      },
      [&](Value lhs, int64_t rhs) {
        return b.createOrFold<arith::CeilDivUIOp>(lhs, indexConstant(b, rhs));
      },
      [&](Value extent) {
        return ::createTileCount(b, kernel, schedule, extent);
      });
}

KernelFrame::KernelFrame(ImplicitLocOpBuilder &b, KernelOp kernel,
                         StringRef name, gpu::GPUModuleOp module,
                         ArrayRef<KernelArgument> arguments,
                         KernelPlan kernelPlan)
    : kernel(kernel), plan(std::move(kernelPlan)),
      staticExtents(kernel.getStaticDomainShape()),
      pointDims(getBatchDims(kernel)) {
  unsigned numSymbols = llvm::count_if(arguments, [](const auto &argument) {
    return argument.kind == KernelArgument::Kind::Size;
  });
  ScheduleAttr schedule = plan.schedule;
  AffineExpr parts = getPartCount(kernel, schedule), blocks = parts;
  if (schedule.isPersistent())
    blocks = b.getAffineConstantExpr(schedule.getBlocks());
  AffineMap workspaceBytes;
  if (schedule.isGridWide())
    workspaceBytes =
        AffineMap::get(0, numSymbols, plan.getWorkspaceBytes(parts));
  func = createKernelFunc(b, module, name, getFlatOperands(kernel), arguments,
                          schedule.getThreads(), getGridMap(blocks, numSymbols),
                          workspaceBytes);
  func->setAttr("scan.schedule", schedule);
  createViews(b, arguments);
  for (auto [argument, value] : llvm::zip_first(arguments, func.getArguments()))
    if (argument.kind == KernelArgument::Kind::Workspace)
      workspace = value;
}

Value KernelFrame::createTileCount(ImplicitLocOpBuilder &b) {
  return ::createTileCount(b, kernel, plan.schedule, getExtent());
}

void KernelFrame::createViews(ImplicitLocOpBuilder &b,
                              ArrayRef<KernelArgument> arguments) {
  // Sizes first: the views need them.
  extents = createExtents(b, func, arguments, getFlatExtents(kernel));
  unsigned numLists = 0;
  ArrayRef<BlockArgument> values(func.getArguments());
  SmallVector<OperandView> views;
  for (auto [operand, map] : getMappedOperands(kernel)) {
    OperandView view;
    view.map = map;
    view.trailing = llvm::to_vector(KernelOp::getTrailingShape(operand, map));
    view.numElements = KernelOp::getNumElements(operand, map);
    view.elementType = getElementTypeOrSelf(operand.getType());
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type) {
      view.value = values.front();
      values = values.drop_front();
      views.push_back(view);
      continue;
    }
    if (views.size() < kernel.getInputs().size() &&
        kernel.isSegmentOffsets(views.size())) {
      view.isSegmentOffsets = true;
      view.elementType = b.getI1Type();
      view.count = extents[kernel.getDomainRank() + numLists++];
      view.value = createView(b, type, values, [&](unsigned) -> OpFoldResult {
        return view.count;
      });
      views.push_back(view);
      continue;
    }
    view.value =
        createView(b, type, values, [&](unsigned position) -> OpFoldResult {
          // A dimension under the constant 0 has extent 1.
          auto dim = dyn_cast<AffineDimExpr>(view.map.getResult(position));
          int64_t known = dim ? staticExtents[dim.getPosition()] : 1;
          if (ShapedType::isDynamic(known))
            return extents[dim.getPosition()];
          return b.getIndexAttr(known);
        });
    views.push_back(view);
  }
  ArrayRef<OperandView> all(views);
  auto takeGroup = [&](SmallVector<OperandView> &group, unsigned size) {
    group.append(all.begin(), all.begin() + size);
    all = all.drop_front(size);
  };
  takeGroup(inputs, kernel.getInputs().size());
  for (auto [number, input] : llvm::enumerate(inputs)) {
    input.shift = kernel.getShift(number);
    input.boundary = kernel.getBoundary(number);
  }
  takeGroup(inits, kernel.getInits().size());
  takeGroup(outputs, kernel.getOutputs().size());
  for (auto [number, output] : llvm::enumerate(outputs))
    output.isReduction = kernel.isReduction(number);
  takeGroup(finals, kernel.getFinals().size());
}

ThreadIds KernelFrame::createThreadIds(ImplicitLocOpBuilder &b) {
  ThreadIds ids;
  ids.threads = plan.schedule.getThreads();
  ids.thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  Value warpSize = arith::ConstantIndexOp::create(b, kWarpSize);
  ids.lane = arith::RemUIOp::create(b, ids.thread, warpSize);
  ids.warp = arith::DivUIOp::create(b, ids.thread, warpSize);
  ids.rows = plan.schedule.getRows();
  ids.rowThreads = ids.threads / ids.rows;
  if (ids.rows == 1) {
    ids.row = arith::ConstantIndexOp::create(b, 0);
    ids.rowThread = ids.thread;
    ids.rowLane = ids.lane;
    return ids;
  }
  Value rowThreads = arith::ConstantIndexOp::create(b, ids.rowThreads);
  ids.row = arith::DivUIOp::create(b, ids.thread, rowThreads);
  ids.rowThread = arith::RemUIOp::create(b, ids.thread, rowThreads);
  ids.rowLane = ids.rowThreads < kWarpSize ? ids.rowThread : ids.lane;
  return ids;
}

Value KernelFrame::multiplyExtents(ImplicitLocOpBuilder &b,
                                   ArrayRef<unsigned> dims) {
  Value count = arith::ConstantIndexOp::create(b, 1);
  for (unsigned dim : dims)
    count = b.createOrFold<arith::MulIOp>(count, extents[dim]);
  return count;
}

Value KernelFrame::createPointCount(ImplicitLocOpBuilder &b) {
  return multiplyExtents(b, pointDims);
}

Value KernelFrame::createOuterCount(ImplicitLocOpBuilder &b) {
  ArrayRef<unsigned> dims(pointDims);
  return multiplyExtents(b, dims.empty() ? dims : dims.drop_back());
}

/// The coordinates along `dims` that `number` stands for.
SmallVector<Value> KernelFrame::delinearize(ImplicitLocOpBuilder &b,
                                            Value number,
                                            ArrayRef<unsigned> dims) {
  SmallVector<Value> point(staticExtents.size());
  for (auto [i, dim] : llvm::enumerate(llvm::reverse(dims))) {
    if (i + 1 == dims.size()) {
      point[dim] = number;
      break;
    }
    point[dim] = b.createOrFold<arith::RemUIOp>(number, extents[dim]);
    number = b.createOrFold<arith::DivUIOp>(number, extents[dim]);
  }
  return point;
}

SmallVector<Value> KernelFrame::createPoint(ImplicitLocOpBuilder &b,
                                            Value number) {
  return delinearize(b, number, pointDims);
}

SmallVector<Value> KernelFrame::createOuterPoint(ImplicitLocOpBuilder &b,
                                                 Value number) {
  ArrayRef<unsigned> dims(pointDims);
  return delinearize(b, number, dims.empty() ? dims : dims.drop_back());
}

Value KernelFrame::getInnerExtent(ImplicitLocOpBuilder &b) {
  if (pointDims.empty())
    return arith::ConstantIndexOp::create(b, 1);
  return extents[pointDims.back()];
}

Value KernelFrame::addSharedBuffer(int64_t size, Type type) {
  // A flag takes a byte: there is no addressing single bits.
  if (type.isInteger(1))
    type = IntegerType::get(type.getContext(), 8);
  auto space = gpu::AddressSpaceAttr::get(kernel.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto bufferType =
      MemRefType::get({size}, type, MemRefLayoutAttrInterface(), space);
  int64_t offset = sharedBytes;
  sharedBytes = alignShared(sharedBytes + size * getStorageBytes(type));
  if (plan.kind == KernelKind::PersistentRow) {
    auto b = ImplicitLocOpBuilder::atBlockBegin(kernel.getLoc(),
                                                &func.getBody().front());
    Value all = gpu::DynamicSharedMemoryOp::create(
        b, MemRefType::get({ShapedType::kDynamic}, b.getI8Type(),
                           MemRefLayoutAttrInterface(), space));
    return memref::ViewOp::create(b, bufferType, all, indexConstant(b, offset),
                                  ValueRange());
  }
  unsigned number = func.getNumWorkgroupAttributions();
  Value buffer = func.addWorkgroupAttribution(bufferType, kernel.getLoc());
  // Without it LLVM's optimisations take a large array to start at 16 bytes,
  // and its PTX writer aligns it as its elements: wide accesses are then
  // misaligned.
  func.setWorkgroupAttributionAttr(
      number, LLVM::LLVMDialect::getAlignAttrName(),
      IntegerAttr::get(IntegerType::get(kernel.getContext(), 64),
                       kSharedAlignment));
  return buffer;
}
