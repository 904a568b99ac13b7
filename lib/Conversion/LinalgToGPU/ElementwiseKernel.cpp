//===- ElementwiseKernel.cpp - Launches of elementwise kernels ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of several operations gives each of them blocks of its own, one
// after the other: which one a block belongs to, it finds by its number.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseKernel.h"
#include "../GPUCommon/Emit.h"
#include "../GPUCommon/Grid.h"
#include "ElementwisePart.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

class ElementwiseKernel {
public:
  ElementwiseKernel(RewriterBase &rewriter, ArrayRef<ElementwiseLaunch> group)
      : rewriter(rewriter), b(group.back().op->getLoc(), rewriter),
        group(group) {}

  LogicalResult lower();

private:
  void prepare();
  AffineMap getGrid();
  void emitParts(ImplicitLocOpBuilder &inner, unsigned first, Value block);
  void emitKernel(gpu::GPUFuncOp func);
  Value createBlockCount();

  RewriterBase &rewriter;
  ImplicitLocOpBuilder b;
  ArrayRef<ElementwiseLaunch> group;
  SmallVector<ElementwisePart, 1> parts;
  /// Of all parts.
  SmallVector<FlatOperand> flat;
  SmallVector<KernelArgument> arguments;
  SmallVector<OpFoldResult> extents;
  SmallVector<int64_t> domain;
  /// The first extent of each part.
  SmallVector<unsigned> firstExtents;
  int64_t threads = 0;
  /// In the kernel.
  SmallVector<Value> sizes;
};

} // namespace

void ElementwiseKernel::prepare() {
  unsigned numInputs = 0, numOutputs = 0;
  for (const ElementwiseLaunch &launch : group) {
    ElementwisePart &part = parts.emplace_back(b, launch);
    part.prepare(numInputs, numOutputs);
    firstExtents.push_back(extents.size());
    llvm::append_range(flat, part.getOperands());
    llvm::append_range(extents, part.getExtents());
    llvm::append_range(domain, part.getDomain());
    threads = std::max(threads, part.getThreads());
  }
}

AffineMap ElementwiseKernel::getGrid() {
  SmallVector<AffineExpr> symbolic = getSymbolicExtents(domain, b.getContext());
  AffineExpr blocks;
  for (auto [part, first] : llvm::zip_equal(parts, firstExtents)) {
    AffineExpr own =
        part.countGroups(ArrayRef(symbolic).drop_front(first)).ceilDiv(threads);
    blocks = blocks ? blocks + own : own;
  }
  return getGridMap(blocks, llvm::count_if(domain, ShapedType::isDynamic));
}

/// The parts from `first` on, for the block `block` among theirs.
void ElementwiseKernel::emitParts(ImplicitLocOpBuilder &inner, unsigned first,
                                  Value block) {
  auto emit = [&](ImplicitLocOpBuilder &own) {
    Value thread = gpu::ThreadIdOp::create(own, gpu::Dimension::x);
    Value number =
        arith::AddIOp::create(own, mulConstant(own, block, threads), thread);
    parts[first].emitThread(own, number);
  };
  if (first + 1 == parts.size())
    return emit(inner);
  Value groups = parts[first].countGroups(
      inner, ArrayRef(sizes).drop_front(firstExtents[first]));
  Value blocks = inner.createOrFold<arith::CeilDivUIOp>(
      groups, indexConstant(inner, threads));
  createIf(inner, compare(inner, arith::CmpIPredicate::ult, block, blocks),
           emit, [&](ImplicitLocOpBuilder &rest) {
             Value number = arith::SubIOp::create(rest, block, blocks);
             emitParts(rest, first + 1, number);
           });
}

void ElementwiseKernel::emitKernel(gpu::GPUFuncOp func) {
  func->setAttr("scan.strategy", b.getStringAttr("elementwise"));
  int64_t items = 1;
  for (const ElementwisePart &part : parts)
    items = std::max(items, part.getItems());
  if (items > 1)
    func->setAttr("scan.items", b.getI64IntegerAttr(items));
  // Else ptxas takes few registers, and loads wait for each other.
  if (llvm::any_of(parts, std::mem_fn(&ElementwisePart::isUnrolled)))
    func->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                  b.getI32IntegerAttr(1));
  sizes = createExtents(b, func, arguments, domain);
  ArrayRef<BlockArgument> values(func.getArguments());
  for (auto [part, first] : llvm::zip_equal(parts, firstExtents))
    part.createViews(values,
                     ArrayRef(sizes).slice(first, part.getDomain().size()));
  if (parts.size() == 1)
    parts.front().emitThread(b, createThreadNumber(b, threads));
  else
    emitParts(b, 0, createBlockNumber(b));
  gpu::ReturnOp::create(b);
}

/// The number of blocks, on the host.
Value ElementwiseKernel::createBlockCount() {
  Value blocks;
  for (auto [part, first] : llvm::zip_equal(parts, firstExtents)) {
    SmallVector<Value> own;
    for (OpFoldResult extent : part.getExtents())
      own.push_back(getValueOrCreateConstantIndexOp(b, b.getLoc(), extent));
    Value count = b.createOrFold<arith::CeilDivUIOp>(part.countGroups(b, own),
                                                     indexConstant(b, threads));
    blocks = blocks ? b.createOrFold<arith::AddIOp>(blocks, count) : count;
  }
  return blocks;
}

LogicalResult ElementwiseKernel::lower() {
  Operation *op = group.back().op;
  b.setInsertionPoint(op);
  prepare();
  FailureOr<SmallVector<KernelArgument>> listed =
      listFlatArguments(op, flat, domain);
  if (failed(listed))
    return failure();
  arguments = std::move(*listed);

  gpu::GPUModuleOp module =
      getKernelModule(rewriter, op->getParentOfType<ModuleOp>());
  gpu::GPUFuncOp func;
  {
    OpBuilder::InsertionGuard guard(b);
    func = createKernelFunc(b, module, chooseKernelName(op, "_map", module),
                            flat, arguments, threads, getGrid());
    emitKernel(func);
  }

  SmallVector<Value> operands =
      createLaunchOperands(b, flat, arguments, extents);
  gpu::KernelDim3 grid = createGrid(b, createBlockCount());
  Value one = indexConstant(b, 1);
  gpu::LaunchFuncOp::create(
      b, func, grid, gpu::KernelDim3{indexConstant(b, threads), one, one},
      /*dynamicSharedMemorySize=*/Value(), operands);
  for (const ElementwiseLaunch &launch : group)
    rewriter.eraseOp(launch.op);
  return success();
}

LogicalResult
mlir::scan::lowerToElementwiseKernel(RewriterBase &rewriter,
                                     ArrayRef<ElementwiseLaunch> group) {
  OpBuilder::InsertionGuard guard(rewriter);
  return ElementwiseKernel(rewriter, group).lower();
}
