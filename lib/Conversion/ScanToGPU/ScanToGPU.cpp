//===- ScanToGPU.cpp - --convert-scan-to-gpu ------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "KernelFrame.h"
#include "Scan/Conversion/ScanToGPU/Passes.h"
#include "Strategies.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::scan {
#define GEN_PASS_DEF_CONVERTSCANTOGPU
#include "Scan/Conversion/ScanToGPU/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

static LogicalResult checkKernel(KernelOp kernel) {
  if (!kernel.hasPureBufferSemantics())
    return kernel.emitOpError()
           << "expected memref operands to become a GPU kernel, found "
              "tensors; run one-shot-bufferize before convert-scan-to-gpu";
  if (kernel->getParentOfType<gpu::LaunchOp>() ||
      kernel->getParentOfType<gpu::GPUModuleOp>())
    return kernel.emitOpError()
           << "expected a kernel on the host to become a GPU kernel, found one "
              "in device code; convert-scan-to-loops makes loops of it there";
  if (!kernel->getParentOfType<ModuleOp>())
    return kernel.emitOpError()
           << "expected a module around it to put the GPU kernel into";
  if (!kernel.getScheduleAttr())
    return kernel.emitOpError()
           << "expected a schedule to become a GPU kernel, found none; run "
              "scan-assign-schedule before convert-scan-to-gpu";
  return success();
}

/// Passes the operands of the scan.kernel as flat arguments.
static SmallVector<Value>
createLaunchOperands(ImplicitLocOpBuilder &b, KernelOp kernel,
                     ArrayRef<KernelArgument> arguments,
                     ArrayRef<OpFoldResult> extents) {
  using Kind = KernelArgument::Kind;
  SmallVector<Value> operands;
  memref::ExtractStridedMetadataOp metadata;
  for (const KernelArgument &argument : arguments) {
    Value operand = kernel->getOperand(argument.operand);
    switch (argument.kind) {
    case Kind::Pointer:
      metadata = memref::ExtractStridedMetadataOp::create(b, operand);
      operands.push_back(metadata.getBaseBuffer());
      break;
    case Kind::Offset:
      operands.push_back(metadata.getOffset());
      break;
    case Kind::Stride:
      operands.push_back(metadata.getStrides()[argument.dim]);
      break;
    case Kind::Scalar:
      operands.push_back(operand);
      break;
    case Kind::Size:
      operands.push_back(cast<Value>(extents[argument.dim]));
      break;
    }
  }
  return operands;
}

/// The grid that `scan.grid` says, with one block, which finds nothing to do,
/// where that is empty: a launch needs one.
static gpu::KernelDim3 createGrid(ImplicitLocOpBuilder &b, KernelOp kernel,
                                  ScheduleAttr schedule,
                                  ArrayRef<OpFoldResult> extents) {
  Value one = indexConstant(b, 1);
  Value blocks = one;
  for (auto [dim, extent] : llvm::enumerate(extents))
    if (dim != kernel.getDim())
      blocks = b.createOrFold<arith::MulIOp>(
          blocks, getValueOrCreateConstantIndexOp(b, b.getLoc(), extent));
  if (schedule.getStrategy() == Strategy::Sequential)
    blocks = b.createOrFold<arith::CeilDivUIOp>(
        blocks, indexConstant(b, schedule.getThreads()));
  Value y = addConstant(
      b, b.createOrFold<arith::DivUIOp>(blocks, indexConstant(b, kGridLimit)),
      1);
  Value x = b.createOrFold<arith::MaxUIOp>(
      b.createOrFold<arith::CeilDivUIOp>(blocks, y), one);
  return {x, y, one};
}

/// The gpu.module that kernels of `module` are put into, made if there is none.
static gpu::GPUModuleOp getKernelModule(RewriterBase &rewriter,
                                        ModuleOp module) {
  constexpr StringRef name = "scan_kernels";
  SymbolTable symbols(module);
  if (auto found = symbols.lookup<gpu::GPUModuleOp>(name))
    return found;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(module.getBody());
  auto created = gpu::GPUModuleOp::create(rewriter, module.getLoc(), name);
  // Renames it if something else has the name.
  symbols.insert(created);
  rewriter.modifyOpInPlace(module, [&] {
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    rewriter.getUnitAttr());
  });
  return created;
}

/// A name for the gpu.func of `kernel` that is not taken in `module`.
static std::string chooseName(KernelOp kernel, gpu::GPUModuleOp module) {
  auto function = kernel->getParentOfType<FunctionOpInterface>();
  StringRef base = function ? function.getName() : "kernel";
  std::string name;
  for (unsigned i = 0; name.empty() || module.lookupSymbol(name); ++i)
    name = (base + "_scan" + Twine(i)).str();
  return name;
}

FailureOr<Operation *> mlir::scan::lowerKernelToGPU(RewriterBase &rewriter,
                                                    KernelOp kernel) {
  if (failed(checkKernel(kernel)))
    return failure();
  FailureOr<SmallVector<KernelArgument>> arguments = listArguments(kernel);
  if (failed(arguments))
    return failure();
  ScheduleAttr schedule = kernel.getScheduleAttr();
  gpu::GPUModuleOp module =
      getKernelModule(rewriter, kernel->getParentOfType<ModuleOp>());

  OpBuilder::InsertionGuard guard(rewriter);
  ImplicitLocOpBuilder b(kernel.getLoc(), rewriter);
  KernelFrame frame(b, kernel, chooseName(kernel, module), module, *arguments,
                    schedule);
  if (schedule.getStrategy() == Strategy::Row)
    emitRowKernel(b, frame);
  else
    emitSequentialKernel(b, frame);

  b.setInsertionPoint(kernel);
  SmallVector<OpFoldResult> extents = kernel.getDomainSizes(b, b.getLoc());
  SmallVector<Value> operands =
      createLaunchOperands(b, kernel, *arguments, extents);
  Value one = indexConstant(b, 1);
  gpu::KernelDim3 grid = createGrid(b, kernel, schedule, extents);
  gpu::KernelDim3 block{indexConstant(b, schedule.getThreads()), one, one};
  Operation *launch =
      gpu::LaunchFuncOp::create(b, frame.getFunc(), grid, block,
                                /*dynamicSharedMemorySize=*/Value(), operands);
  rewriter.eraseOp(kernel);
  return launch;
}

namespace {
struct ConvertScanToGPU
    : public scan::impl::ConvertScanToGPUBase<ConvertScanToGPU> {
  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels)
      if (failed(checkKernel(kernel)))
        return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (KernelOp kernel : kernels)
      if (failed(lowerKernelToGPU(rewriter, kernel)))
        return signalPassFailure();
    numLowered += kernels.size();
  }
};
} // namespace
