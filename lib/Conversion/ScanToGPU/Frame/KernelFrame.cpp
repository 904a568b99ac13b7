//===- KernelFrame.cpp - The gpu.func around a scan -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFrame.h"
#include "../../GPUCommon/Emit.h"
#include "GridSize.h"
#include "IR/ScatteredOutputs.h"
#include "Target/PackedArithmetic.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::scan;

/// Blocks of at most so many threads can be launched whatever registers a
/// thread takes.
static constexpr unsigned kMostThreadsOfSmallBlock = 256;

/// Registers of a multiprocessor.
static constexpr int64_t kRegisters = 65536;

/// As many registers as a thread may have; they are handed out in units to
/// warps, as many of which as there are schedulers.
static constexpr int64_t kMostOfThread = 255, kRegisterUnit = 8,
                         kThreadsOfUnit = 4 * kWarpSize;

/// The share of the registers that there are for a thread up to which numbers
/// may lie in pairs of them: of 903 kernels assembled for sm_100 none spilled
/// then that does not without pairs; of those of bf16 from 0.81 on.
static constexpr double kShareForPairs = 0.8;

/// Registers of a thread of which ptxas may choose to use fewer, where lanes
/// share states: with them there is room for twelve warps.
static constexpr int64_t kMostRegistersOfShared = 168;
/// Where more lanes share them, chunks are so long that ptxas takes all
/// registers as it is.
static constexpr int64_t kMostSharing = 4;
/// Those that it takes of more: a number that no schedule of Mamba spills with,
/// in f32 and bf16, for sm_80 and sm_90, and the fastest of them on an H100.
static constexpr int64_t kRegistersOfShared = 208;

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

/// The dimension of input number `input` whose extent is its own.
static std::optional<unsigned> findOwnDim(KernelOp kernel, unsigned input) {
  if (kernel.isSegmentOffsets(input))
    return 0;
  if (kernel.isGathered(input))
    return KernelOp::getGatheredDim(kernel.getInputMaps()[input]);
  return std::nullopt;
}

SmallVector<int64_t> mlir::scan::getFlatExtents(KernelOp kernel) {
  SmallVector<int64_t> extents = kernel.getStaticDomainShape();
  for (auto [number, input] : llvm::enumerate(kernel.getInputs()))
    if (std::optional<unsigned> dim = findOwnDim(kernel, number))
      extents.push_back(cast<MemRefType>(input.getType()).getDimSize(*dim));
  return extents;
}

SmallVector<OpFoldResult> mlir::scan::createFlatExtents(ImplicitLocOpBuilder &b,
                                                        KernelOp kernel) {
  SmallVector<OpFoldResult> extents = kernel.getDomainSizes(b, b.getLoc());
  for (auto [number, input] : llvm::enumerate(kernel.getInputs()))
    if (std::optional<unsigned> dim = findOwnDim(kernel, number))
      extents.push_back(memref::getMixedSize(b, b.getLoc(), input, *dim));
  return extents;
}

KernelFrame::KernelFrame(ImplicitLocOpBuilder &b, KernelOp kernel,
                         StringRef name, gpu::GPUModuleOp module,
                         ArrayRef<KernelArgument> arguments,
                         KernelPlan kernelPlan)
    : kernel(kernel), plan(std::move(kernelPlan)),
      staticExtents(kernel.getStaticDomainShape()),
      batchDims(scan::getBatchDims(kernel)) {
  unsigned numSymbols = llvm::count_if(arguments, [](const auto &argument) {
    return argument.kind == KernelArgument::Kind::Size;
  });
  ScheduleAttr schedule = plan.schedule;
  AffineExpr parts = getPartCount(kernel, schedule), blocks = parts;
  if (schedule.isPersistent())
    blocks = b.getAffineConstantExpr(schedule.getBlocks());
  AffineMap workspaceBytes;
  if (plan.hasWorkspace())
    workspaceBytes = AffineMap::get(
        0, numSymbols,
        plan.getWorkspaceBytes(getWorkspaceEntries(kernel, plan)));
  func = createKernelFunc(b, module, name, getFlatOperands(kernel), arguments,
                          schedule.getThreads(), getGridMap(blocks, numSymbols),
                          workspaceBytes);
  // Registers for a second block are of no use to a persistent kernel, which
  // has one on each multiprocessor, nor to a large block that is planned to
  // have more than half of them. To make room for one, ptxas spills; in a large
  // row over the grid in front of a look-back that others wait for.
  bool isAlone =
      schedule.isPersistent() ||
      (schedule.getThreads() > kMostThreadsOfSmallBlock &&
       (plan.kind == KernelKind::GridRow ||
        2 * plan.mostRegisters * schedule.getThreads() > kRegisters));
  if (isAlone)
    func->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                  b.getI32IntegerAttr(1));
  // Lanes that share states and add nothing up, and are planned to have many
  // registers, hide latency by the instructions of a chunk: ptxas would give up
  // a quarter of the speed to make room for a block more. With all that a
  // thread can have it spills a few; tiles over the grid, which are walked
  // twice, spill a few with less.
  if (plan.kind == KernelKind::SplitStates && plan.checkpointBytes == 0 &&
      !KernelOp(kernel).hasReductions() &&
      schedule.getThreadsPerState() <= kMostSharing &&
      plan.mostRegisters > kMostRegistersOfShared)
    func->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                  b.getI32IntegerAttr(schedule.isGridWide()
                                          ? kMostOfThread
                                          : kRegistersOfShared));
  // Where lanes share states, these are most of what there is to pair.
  int64_t room = std::min(
      kMostOfThread,
      int64_t(llvm::alignDown(
          kRegisters / llvm::alignTo(schedule.getThreads(), kThreadsOfUnit),
          kRegisterUnit)));
  double share = plan.kind == KernelKind::SplitStates ? 1 : kShareForPairs;
  if (plan.mostRegisters > share * room)
    func->setAttr(scarceRegistersAttrName, b.getUnitAttr());
  func->setAttr("scan.schedule", schedule);
  func->setAttr("scan.plan", plan.getAttr(b.getContext()));
  createViews(b, arguments);
  for (auto [argument, value] : llvm::zip_first(arguments, func.getArguments()))
    if (argument.kind == KernelArgument::Kind::Workspace)
      workspace = value;
    else if (argument.kind == KernelArgument::Kind::Status)
      // Inputs are the first operands.
      inputs[argument.operand].status = value;
}

Value KernelFrame::createTileCount(ImplicitLocOpBuilder &b) {
  return scan::createTileCount(b, kernel, plan.schedule, getExtent());
}

void KernelFrame::createViews(ImplicitLocOpBuilder &b,
                              ArrayRef<KernelArgument> arguments) {
  // Sizes first: the views need them.
  extents = createExtents(b, func, arguments, getFlatExtents(kernel));
  unsigned numOwn = 0;
  unsigned firstOutput = kernel.getInputs().size() + kernel.getInits().size();
  ArrayRef<BlockArgument> values(func.getArguments());
  SmallVector<OperandView> views;
  for (OpOperand &use : kernel->getOpOperands()) {
    Value operand = use.get();
    AffineMap map = kernel.getIndexingMap(use);
    OperandView view;
    view.map = map;
    unsigned output = use.getOperandNumber() - firstOutput;
    if (output < kernel.getOutputs().size() && isScattered(kernel, output)) {
      view.map = getWrittenMap(map, kernel.getDim());
      view.placeNumber = getPlaceNumber(kernel, output);
    }
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
      view.count = extents[kernel.getDomainRank() + numOwn++];
      view.value = createView(b, type, values, [&](unsigned) -> OpFoldResult {
        return view.count;
      });
      views.push_back(view);
      continue;
    }
    if (views.size() < kernel.getInputs().size() &&
        kernel.isGathered(views.size()))
      view.count = extents[kernel.getDomainRank() + numOwn++];
    view.isDense = type.getLayout().isIdentity();
    auto getExtent = [&](unsigned position) -> OpFoldResult {
      // A dimension under the constant 0 has extent 1, but for places.
      auto dim = dyn_cast<AffineDimExpr>(view.map.getResult(position));
      if (!dim && view.count)
        return view.count;
      int64_t known = dim ? staticExtents[dim.getPosition()] : 1;
      if (ShapedType::isDynamic(known))
        return extents[dim.getPosition()];
      return b.getIndexAttr(known);
    };
    // Where a forward and a backward pass are one kernel there are so many
    // arrays that a stride for each would take the registers of a tile.
    view.value = createView(b, type, values, getExtent,
                            /*sharesStrides=*/plan.kind ==
                                KernelKind::CheckpointedColumn);
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
    input.places = kernel.getPlacesInput(number);
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
  if (plan.schedule.isWarpSpecialized())
    ids.rowThreads = plan.schedule.getThreadsPerScan();
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

SmallVector<Value> KernelFrame::createPoint(ImplicitLocOpBuilder &b,
                                            Value number,
                                            ArrayRef<unsigned> dims) {
  SmallVector<Value> point(staticExtents.size());
  createCoordinates(b, number, extents, dims, point);
  return point;
}

Value KernelFrame::createIndex(ImplicitLocOpBuilder &b, Value position,
                               int64_t offset) {
  if (!kernel.getReverse())
    return addConstant(b, position, offset);
  Value last = addConstant(b, getExtent(), -1);
  return addConstant(b, b.createOrFold<arith::SubIOp>(last, position), -offset);
}

Value KernelFrame::clampPosition(ImplicitLocOpBuilder &b, Value position) {
  return b.createOrFold<arith::MinUIOp>(position,
                                        addConstant(b, getExtent(), -1));
}

Value KernelFrame::getInnerExtent(ImplicitLocOpBuilder &b) {
  if (batchDims.empty())
    return arith::ConstantIndexOp::create(b, 1);
  return extents[batchDims.back()];
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
  if (plan.hasDynamicSharedMemory()) {
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
  // and its PTX writer aligns it as its elements: vectorized accesses are
  // then misaligned.
  func.setWorkgroupAttributionAttr(
      number, LLVM::LLVMDialect::getAlignAttrName(),
      IntegerAttr::get(IntegerType::get(kernel.getContext(), 64),
                       kSharedAlignment));
  return buffer;
}

Value mlir::scan::loadShared(ImplicitLocOpBuilder &b, Type type, Value buffer,
                             Value index) {
  Value value = memref::LoadOp::create(b, buffer, index);
  if (value.getType() != type)
    value = arith::TruncIOp::create(b, type, value);
  return value;
}

void mlir::scan::storeShared(ImplicitLocOpBuilder &b, Value value, Value buffer,
                             Value index) {
  Type type = cast<MemRefType>(buffer.getType()).getElementType();
  if (value.getType() != type)
    value = arith::ExtUIOp::create(b, type, value);
  memref::StoreOp::create(b, value, buffer, index);
}
