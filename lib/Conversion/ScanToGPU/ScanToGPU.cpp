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

/// Makes the gpu.func of `kernel` in `module` and launches it instead.
static LogicalResult convertKernel(KernelOp kernel, gpu::GPUModuleOp module,
                                   StringRef name) {
  FailureOr<SmallVector<KernelArgument>> arguments = listArguments(kernel);
  if (failed(arguments))
    return failure();
  ScheduleAttr schedule = kernel.getScheduleAttr();

  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  KernelFrame frame(b, kernel, name, module, *arguments, schedule);
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
  gpu::LaunchFuncOp::create(b, frame.getFunc(), grid, block,
                            /*dynamicSharedMemorySize=*/Value(), operands);
  kernel.erase();
  return success();
}

namespace {
struct ConvertScanToGPU
    : public scan::impl::ConvertScanToGPUBase<ConvertScanToGPU> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<KernelOp> kernels;
    module.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    if (kernels.empty())
      return;
    for (KernelOp kernel : kernels)
      if (failed(checkKernel(kernel)))
        return signalPassFailure();

    SymbolTable symbols(module);
    ImplicitLocOpBuilder b(module.getLoc(), module.getContext());
    auto gpuModule = gpu::GPUModuleOp::create(b, "scan_kernels");
    symbols.insert(gpuModule);
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    b.getUnitAttr());
    llvm::StringMap<unsigned> numbers;
    for (KernelOp kernel : kernels) {
      auto function = kernel->getParentOfType<FunctionOpInterface>();
      StringRef base = function ? function.getName() : "kernel";
      std::string name = (base + "_scan" + Twine(numbers[base]++)).str();
      if (failed(convertKernel(kernel, gpuModule, name)))
        return signalPassFailure();
    }
    numLowered += kernels.size();
  }
};
} // namespace
