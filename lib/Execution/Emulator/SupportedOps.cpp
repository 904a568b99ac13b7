//===- SupportedOps.cpp - What the emulator can run -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A list of what is allowed instead of what is not: an operation that was
// not considered is refused, not computed differently than on a GPU.
//
//===----------------------------------------------------------------------===//

#include "GPUToFibers.h"
#include "IR/LinePrefetch.h"
#include "Target/HostMemory.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::scan::emulator;

static bool isPortableDialect(StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"affine", "arith", "cf", "complex", "func", "index", "math"},
             true)
      .Cases({"memref", "scf", "ub", "vector"}, true)
      .Default(false);
}

InFlightDiagnostic mlir::scan::emulator::unsupported(Operation *op,
                                                     const Twine &why) {
  InFlightDiagnostic diagnostic = op->emitError("'");
  diagnostic << op->getName()
             << "' is not supported by the SIMT emulator: " << why;
  return diagnostic;
}

static bool isWorkgroup(MemRefType type) {
  auto space = dyn_cast_or_null<IntegerAttr>(type.getMemorySpace());
  return gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type) ||
         (space && space.getInt() == 3);
}

//===----------------------------------------------------------------------===//
// Types of device code
//===----------------------------------------------------------------------===//

/// Global, workgroup and private memory, by their names or by the numbers that
/// NVPTX has for them. All memory of the device becomes memory of the process:
/// texture or constant memory would silently become global memory.
static bool isKnownSpace(Attribute space) {
  if (auto number = dyn_cast_or_null<IntegerAttr>(space))
    return llvm::is_contained({0, 1, 3, 5}, number.getInt());
  return !space || isa<gpu::AddressSpaceAttr>(space);
}

/// Why the emulator has no values of `type`; empty if it has.
static StringRef getTypeProblem(Type type) {
  StringRef problem;
  type.walk([&](Type part) {
    if (auto memref = dyn_cast<BaseMemRefType>(part)) {
      if (!isKnownSpace(memref.getMemorySpace()))
        problem = "expected global, workgroup or private memory";
    } else if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(part)) {
      // The memory of a cluster, of which there is the block's own here.
      if (!llvm::is_contained({0, 1, 3, 5, 7}, pointer.getAddressSpace()))
        problem = "expected global, workgroup or private memory";
    } else if (auto vector = dyn_cast<VectorType>(part)) {
      if (vector.isScalable())
        problem = "expected vectors of fixed size";
    } else if (auto integer = dyn_cast<IntegerType>(part)) {
      if (integer.getWidth() > 128)
        problem = "expected integers of at most 128 bits";
    } else if (auto number = dyn_cast<FloatType>(part)) {
      // What is narrower is stored and converted, but not computed with.
      if (number.getWidth() > 8 && !number.isF16() && !number.isBF16() &&
          !number.isF32() && !number.isF64())
        problem = "expected numbers of type f16, bf16, f32 or f64";
    } else if (isa<FunctionType>(part)) {
      problem = "functions are called by their names";
    } else if (!isa<BuiltinDialect, LLVM::LLVMDialect>(part.getDialect()) &&
               !isa<nvgpu::DeviceAsyncTokenType>(part)) {
      problem = "nothing says what its values would be on a GPU";
    }
    return problem.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return problem;
}

static LogicalResult checkTypes(Operation *op) {
  auto check = [&](Type type) -> LogicalResult {
    StringRef problem = getTypeProblem(type);
    if (problem.empty())
      return success();
    return unsupported(op, problem) << ", found " << type;
  };
  for (Type type : op->getResultTypes())
    if (failed(check(type)))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (failed(check(type)))
          return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Device code
//===----------------------------------------------------------------------===//

static LogicalResult checkShuffle(gpu::ShuffleOp op) {
  Type type = op.getValue().getType();
  if (type.isInteger(32) || type.isInteger(64) || type.isF32() || type.isF64())
    return success();
  return unsupported(op,
                     "expected a value of type i32, i64, f32 or f64, found ")
         << type << "; nothing else has a shuffle on NVIDIA hardware, pack the "
         << "value into words";
}

static LogicalResult checkGPUFunc(gpu::GPUFuncOp func) {
  if (func.isExternal())
    return unsupported(func, "it has no body");
  if (!func.isKernel())
    return unsupported(func,
                       "it is not a kernel; use 'func.func' for functions "
                       "that kernels call");
  auto attributions = llvm::concat<const BlockArgument>(
      func.getWorkgroupAttributions(), func.getPrivateAttributions());
  for (BlockArgument attribution : attributions) {
    auto type = dyn_cast<MemRefType>(attribution.getType());
    if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity())
      return unsupported(func, "expected attributions of static shape and "
                               "identity layout, found ")
             << attribution.getType();
  }
  return success();
}

static LogicalResult checkMemRefOp(Operation *op) {
  if (isa<memref::AllocOp, memref::DeallocOp, memref::ReallocOp>(op))
    return unsupported(op, "kernels have no heap");
  if (auto global = dyn_cast<memref::GlobalOp>(op))
    if (isWorkgroup(global.getType()))
      return unsupported(op, "workgroup memory is declared by a workgroup "
                             "attribution of the kernel");
  if (auto alloca = dyn_cast<memref::AllocaOp>(op))
    if (!alloca.getType().hasStaticShape() || isWorkgroup(alloca.getType()))
      return unsupported(op,
                         "expected a static shape in private memory, found ")
             << alloca.getType();
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    for (Value side : {copy.getSource(), copy.getTarget()}) {
      auto type = dyn_cast<MemRefType>(side.getType());
      if (!type || (!type.getLayout().isIdentity() &&
                    !memref::isStaticShapeAndContiguousRowMajor(type)))
        return unsupported(op, "expected memory without gaps, found ")
               << side.getType() << "; copy it element by element";
    }
  return success();
}

static LogicalResult checkCall(CallOpInterface call) {
  if (isa<SymbolRefAttr>(call.getCallableForCallee()))
    return success();
  return unsupported(call, "functions are called by their names");
}

static LogicalResult checkLLVMOp(Operation *op) {
  if (scan::isLinePrefetch(op))
    return success();
  if (isa<LLVM::InlineAsmOp, LLVM::CallIntrinsicOp>(op))
    return unsupported(op, "it means something on the GPU only");
  if (auto global = dyn_cast<LLVM::GlobalOp>(op))
    if (global.getAddrSpace() == 3)
      return unsupported(op, "workgroup memory is declared by a workgroup "
                             "attribution of the kernel");
  return success();
}

static LogicalResult checkMask(Operation *op, Value mask) {
  if (getConstantIntValue(mask) == -1)
    return success();
  return unsupported(op, "expected the mask of all lanes, the constant -1");
}

static LogicalResult checkDeviceOp(Operation *op) {
  if (isa<gpu::GPUModuleOp>(op))
    return success();
  if (isa<gpu::ThreadIdOp, gpu::BlockIdOp, gpu::BlockDimOp, gpu::GridDimOp,
          gpu::GlobalIdOp, gpu::LaneIdOp, gpu::SubgroupIdOp,
          gpu::SubgroupSizeOp, gpu::NumSubgroupsOp, gpu::BarrierOp,
          gpu::ReturnOp, gpu::DynamicSharedMemoryOp, nvgpu::DeviceAsyncCopyOp,
          nvgpu::DeviceAsyncCreateGroupOp, nvgpu::DeviceAsyncWaitOp>(op))
    return success();
  if (failed(checkTypes(op)) || failed(checkClusterPointers(op)))
    return failure();
  if (std::optional<LogicalResult> result = checkMBarrierOp(op))
    return *result;
  if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op))
    return checkShuffle(shuffle);
  if (auto sync = dyn_cast<NVVM::SyncWarpOp>(op))
    return checkMask(op, sync.getMask());
  if (auto vote = dyn_cast<NVVM::VoteSyncOp>(op)) {
    if (vote.getKind() == NVVM::VoteSyncKind::all)
      return checkMask(op, vote.getMask());
    return unsupported(
        op, "expected the kind 'all', the only one that is emulated");
  }
  if (auto func = dyn_cast<gpu::GPUFuncOp>(op))
    return checkGPUFunc(func);
  if (auto func = dyn_cast<FunctionOpInterface>(op))
    if (func.isExternal())
      return unsupported(op, "the function '")
             << func.getName() << "' has no body here";
  if (auto call = dyn_cast<CallOpInterface>(op))
    if (failed(checkCall(call)))
      return failure();
  if (isa<vector::PrintOp, vector::VectorScaleOp>(op))
    return unsupported(op, "nothing says what it would do on a GPU");
  if (op->getDialect() && isa<memref::MemRefDialect>(op->getDialect()))
    return checkMemRefOp(op);
  if (op->getDialect() && isa<LLVM::LLVMDialect>(op->getDialect()))
    return checkLLVMOp(op);
  if (isPortableDialect(op->getName().getDialectNamespace()))
    return success();
  return unsupported(op, "nothing says what it would do on a GPU");
}

/// Whether `func` can be reached again from within itself.
static bool isRecursive(Operation *func, SymbolTable &symbols,
                        SmallPtrSetImpl<Operation *> &done,
                        SmallVectorImpl<Operation *> &active) {
  if (llvm::is_contained(active, func))
    return true;
  if (!done.insert(func).second)
    return false;
  active.push_back(func);
  WalkResult result = func->walk([&](CallOpInterface call) {
    auto callee = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
    Operation *target =
        callee ? symbols.lookup(callee.getLeafReference()) : nullptr;
    return target && isRecursive(target, symbols, done, active)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  active.pop_back();
  return result.wasInterrupted();
}

static LogicalResult checkDeviceModule(gpu::GPUModuleOp gpuModule) {
  // From outside to inside: what is nested in an operation that is not
  // supported is not supported either, but is not what the user wrote.
  WalkResult result = gpuModule.walk<WalkOrder::PreOrder>([](Operation *op) {
    return failed(checkDeviceOp(op)) ? WalkResult::interrupt()
                                     : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  // The stack of a fiber is sized for a fixed depth of calls.
  SymbolTable symbols(gpuModule);
  SmallPtrSet<Operation *, 8> done;
  for (auto func : gpuModule.getOps<FunctionOpInterface>()) {
    SmallVector<Operation *> active;
    if (isRecursive(func, symbols, done, active))
      return unsupported(func, "the function '")
             << func.getName() << "' is recursive";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Host code
//===----------------------------------------------------------------------===//

static LogicalResult checkLaunch(gpu::LaunchFuncOp launch) {
  if (launch.getAsyncToken() || !launch.getAsyncDependencies().empty() ||
      launch.getAsyncObject())
    return unsupported(launch, "expected a launch that is not asynchronous");
  if (launch.hasClusterSize())
    return unsupported(launch, "expected a launch without clusters");
  auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
      launch, launch.getKernel());
  if (!kernel)
    return launch.emitError("expected the name of a 'gpu.func' in a "
                            "'gpu.module', found ")
           << launch.getKernel();
  if (TypeRange(kernel.getArgumentTypes()) !=
      TypeRange(launch.getKernelOperands()))
    return launch.emitError("expected arguments of the types (")
           << kernel.getArgumentTypes() << ") of the kernel, found ("
           << launch.getKernelOperands().getTypes() << ")";
  // Here host and device share one memory; on a GPU they do not.
  for (Value operand : launch.getKernelOperands())
    if (isa<BaseMemRefType>(operand.getType()) &&
        failed(scan::checkReachable(launch, operand)))
      return failure();
  return success();
}

static LogicalResult checkHostOp(Operation *op) {
  if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
    return checkLaunch(launch);
  if (isa<gpu::LaunchOp>(op))
    return unsupported(op, "run --gpu-kernel-outlining before");
  if (op->getDialect() && isa<gpu::GPUDialect>(op->getDialect()))
    return unsupported(op, "host code may use 'gpu.launch_func' only; host and "
                           "device share one memory");
  return success();
}

LogicalResult mlir::scan::emulator::checkSupported(ModuleOp module) {
  WalkResult result = module.walk<WalkOrder::PreOrder>([](Operation *op) {
    if (auto gpuModule = dyn_cast<gpu::GPUModuleOp>(op))
      return failed(checkDeviceModule(gpuModule)) ? WalkResult::interrupt()
                                                  : WalkResult::skip();
    return failed(checkHostOp(op)) ? WalkResult::interrupt()
                                   : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
