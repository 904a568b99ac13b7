//===- GPUToFibers.cpp - GPU kernels to functions for the emulator --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass --convert-gpu-to-fibers, in three steps: kernels become functions of
// the module (prepare), everything becomes LLVM dialect (convert), and loops
// and entry points are added to what has come out (finish).
//
//===----------------------------------------------------------------------===//

#include "GPUToFibers.h"
#include "IR/LinePrefetch.h"
#include "Plan/KernelPlan.h"
#include "Scan/Execution/Emulator/Passes.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::scan {
#define GEN_PASS_DEF_CONVERTGPUTOFIBERS
#include "Scan/Execution/Emulator/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan::emulator;

/// Between workgroup buffers there is as much more as on a GPU, so that what is
/// out of bounds of one is not in another. A multiple of what all banks of
/// workgroup memory have side by side: each element stays in its bank.
static constexpr int64_t kSharedGap = 128;

/// What the runtime's memory for hosts is aligned to.
static constexpr int64_t kHostAlignment = 64;

namespace {

class ConvertGPUToFibers
    : public mlir::scan::impl::ConvertGPUToFibersBase<ConvertGPUToFibers> {
public:
  using ConvertGPUToFibersBase::ConvertGPUToFibersBase;
  void runOnOperation() override;

private:
  LogicalResult prepare(SiteTable &sites,
                        MemoryInstrumentation &instrumentation);
  void hoist(gpu::GPUModuleOp gpuModule, SymbolTable &symbols);
  void prepareKernel(gpu::GPUFuncOp kernel, KernelInfo &info);
  LogicalResult convert();
  LogicalResult finish(SiteTable &sites,
                       MemoryInstrumentation &instrumentation);
  void countIterations(LLVM::LLVMFuncOp function, SiteTable &sites);

  KernelMap kernels;
  /// Names of the functions that run on the device.
  llvm::DenseSet<StringAttr> deviceFunctions;
};

} // namespace

//===----------------------------------------------------------------------===//
// Step 1: kernels become functions of the module
//===----------------------------------------------------------------------===//

/// All memory of the device is memory of the process.
static void dropMemorySpaces(Operation *root) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](MemRefType type) -> Type {
    return MemRefType::Builder(type).setMemorySpace(nullptr);
  });
  replacer.addReplacement([](UnrankedMemRefType type) -> Type {
    return UnrankedMemRefType::get(type.getElementType(), nullptr);
  });
  replacer.addReplacement([](LLVM::LLVMPointerType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  root->walk([](Operation *op) {
    if (!isa<memref::MemorySpaceCastOp, LLVM::AddrSpaceCastOp>(op))
      return;
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  });
}

/// A memref of static shape at `address`.
static Value createMemRef(OpBuilder &builder, Location loc, MemRefType type,
                          const LLVMTypeConverter &converter, Value address) {
  Value descriptor =
      MemRefDescriptor::fromStaticShape(builder, loc, converter, type, address);
  return UnrealizedConversionCastOp::create(builder, loc, type, descriptor)
      .getResult(0);
}

/// The number of bytes that an identity-layout memref takes.
static int64_t getByteCount(MemRefType type,
                            const LLVMTypeConverter &converter) {
  Type element = converter.convertType(type.getElementType());
  DataLayout layout;
  return type.getNumElements() *
         static_cast<int64_t>(layout.getTypeSize(element).getFixedValue());
}

/// What becomes of the arguments in the LLVM dialect. Names are those that
/// --convert-scan-to-gpu has given them.
static void describeArguments(gpu::GPUFuncOp kernel, KernelInfo &info) {
  auto descriptions = kernel->getAttrOfType<ArrayAttr>("scan.args");
  for (auto [i, type] : llvm::enumerate(kernel.getFunctionType().getInputs())) {
    KernelInfo::Argument &argument = info.arguments.emplace_back();
    if (descriptions && i < descriptions.size())
      if (auto description = dyn_cast<DictionaryAttr>(descriptions[i]))
        if (auto name = description.getAs<StringAttr>("name"))
          argument.name = name.str();
    if (isa<LLVM::LLVMPointerType>(type)) {
      argument.pointers = 1;
    } else if (auto memref = dyn_cast<MemRefType>(type)) {
      argument.pointers = info.barePointers ? 1 : 2;
      argument.count = info.barePointers ? 1 : 3 + 2 * memref.getRank();
    } else if (isa<UnrankedMemRefType>(type)) {
      argument.count = 2;
    }
  }
}

void ConvertGPUToFibers::prepareKernel(gpu::GPUFuncOp kernel,
                                       KernelInfo &info) {
  LLVMTypeConverter converter(&getContext());
  OpBuilder builder(kernel);
  Location loc = kernel.getLoc();

  auto function = func::FuncOp::create(builder, loc, kernel.getName(),
                                       kernel.getFunctionType());
  function.setPrivate();
  Block &body = kernel.getBody().front();
  builder.setInsertionPointToStart(&body);
  Value shared;
  for (BlockArgument attribution : kernel.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(attribution.getType());
    if (!shared)
      shared =
          callRuntime(builder, loc, RuntimeCall::SharedMemory, {}).getResult();
    info.sharedBytes = llvm::alignTo(info.sharedBytes, scan::kSharedAlignment);
    const int64_t offset =
        info.sharedBytes + kSharedGap * info.sharedBuffers.size();
    Value address = LLVM::GEPOp::create(
        builder, loc, shared.getType(), builder.getI8Type(), shared,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
    attribution.replaceAllUsesWith(
        createMemRef(builder, loc, type, converter, address));
    const int64_t bytes = getByteCount(type, converter);
    info.sharedBytes += bytes;
    info.sharedBuffers.push_back({offset, bytes});
    info.sharedLayoutBytes = offset + bytes + kSharedGap;
  }
  unsigned number = 0;
  for (BlockArgument attribution : kernel.getPrivateAttributions()) {
    Attribute name = builder.getStringAttr(kPrivateBuffer + Twine(number++));
    attribution.replaceAllUsesWith(memref::AllocaOp::create(
        builder, FusedLoc::get(&getContext(), {attribution.getLoc()}, name),
        cast<MemRefType>(attribution.getType()),
        builder.getI64IntegerAttr(scan::kSharedAlignment)));
  }
  unsigned numArguments = kernel.getFunctionType().getNumInputs();
  body.eraseArguments(numArguments, body.getNumArguments() - numArguments);

  for (auto returnOp :
       llvm::make_early_inc_range(kernel.getBody().getOps<gpu::ReturnOp>())) {
    builder.setInsertionPoint(returnOp);
    func::ReturnOp::create(builder, returnOp.getLoc());
    returnOp.erase();
  }
  function.getBody().takeBody(kernel.getBody());

  info.barePointers = llvm::all_of(function.getArgumentTypes(), [](Type type) {
    auto memref = dyn_cast<BaseMemRefType>(type);
    return !memref || LLVMTypeConverter::canConvertToBarePtr(memref);
  });
  if (info.barePointers)
    function->setAttr("llvm.bareptr", builder.getUnitAttr());
  describeArguments(kernel, info);
  if (auto known = kernel.getKnownBlockSize())
    llvm::copy(*known, info.knownBlockSize);
  info.name = kernel.getName().str();
  kernel.erase();
}

void ConvertGPUToFibers::hoist(gpu::GPUModuleOp gpuModule,
                               SymbolTable &symbols) {
  StringAttr moduleName = gpuModule.getSymNameAttr();
  for (Operation &op : llvm::make_early_inc_range(*gpuModule.getBody())) {
    StringAttr name = SymbolTable::getSymbolName(&op);
    std::string newName = (moduleName.strref() + "__" + name.strref()).str();
    while (symbols.lookup(newName))
      newName += "_";
    auto newNameAttr = StringAttr::get(&getContext(), newName);
    // The body of the module still holds all that may refer to the op.
    (void)SymbolTable::replaceAllSymbolUses(&op, newNameAttr, gpuModule);
    SymbolTable::setSymbolName(&op, newNameAttr);
  }
  for (Operation &op : llvm::make_early_inc_range(*gpuModule.getBody())) {
    op.moveBefore(gpuModule);
    symbols.insert(&op);
    if (isa<FunctionOpInterface>(op)) {
      SymbolTable::setSymbolVisibility(&op, SymbolTable::Visibility::Private);
      deviceFunctions.insert(SymbolTable::getSymbolName(&op));
    }
  }
}

LogicalResult
ConvertGPUToFibers::prepare(SiteTable &sites,
                            MemoryInstrumentation &instrumentation) {
  ModuleOp module = getOperation();
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>())
    markCheckedOps(gpuModule);
  dropMemorySpaces(module);
  if (failed(declareRuntimeCalls(module)))
    return failure();
  // Alignment is made by asking for more; then nothing would know any more
  // where a buffer ends.
  if (checkMemory)
    module.walk([](memref::AllocOp alloc) {
      if (alloc.getAlignment() && *alloc.getAlignment() <= kHostAlignment)
        alloc.removeAlignmentAttr();
    });

  SymbolTable symbols(module);
  for (auto gpuModule :
       llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>())) {
    SmallVector<std::pair<gpu::GPUFuncOp, SymbolRefAttr>> found;
    for (auto kernel : gpuModule.getOps<gpu::GPUFuncOp>())
      found.emplace_back(kernel,
                         SymbolRefAttr::get(gpuModule.getSymNameAttr(),
                                            {FlatSymbolRefAttr::get(kernel)}));
    gpuModule.walk([&](Operation *op) {
      if (isa<gpu::BarrierOp, gpu::ShuffleOp, NVVM::SyncWarpOp,
              NVVM::VoteSyncOp>(op))
        op->setAttr(kSiteAttr,
                    sites.create(op->getName().getStringRef(), op->getLoc()));
      // There are no caches.
      if (isLinePrefetch(op))
        op->erase();
    });
    createAsyncCopySites(gpuModule, instrumentation);
    createMBarrierSites(gpuModule, sites, instrumentation);
    hoist(gpuModule, symbols);
    gpuModule.erase();
    for (auto [kernel, reference] : found) {
      KernelInfo &info = kernels[reference];
      info.launchName = (reference.getRootReference().strref() +
                         "::" + reference.getLeafReference().strref())
                            .str();
      symbols.remove(kernel);
      prepareKernel(kernel, info);
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Step 2: everything becomes LLVM dialect
//===----------------------------------------------------------------------===//

LogicalResult ConvertGPUToFibers::convert() {
  MLIRContext *context = &getContext();
  LLVMTypeConverter converter(context);
  RewritePatternSet patterns(context);
  populateGPUOpPatterns(converter, kernels, patterns);
  populateAsyncCopyPatterns(converter, patterns);
  populateMBarrierPatterns(converter, patterns);
  SymbolTableCollection symbolTables;
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateComplexToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  cf::populateAssertToLLVMConversionPattern(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns, &symbolTables);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns,
                                                 &symbolTables);
  // libm first: some of upstream's lowerings to LLVM are inaccurate (expm1).
  populateMathToLibmConversionPatterns(patterns, /*benefit=*/2);
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/false);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);

  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  if (failed(applyFullConversion(getOperation(), target, std::move(patterns))))
    return failure();
  SmallVector<UnrealizedConversionCastOp> casts, left;
  getOperation().walk(
      [&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
  reconcileUnrealizedCasts(casts, &left);
  for (UnrealizedConversionCastOp cast : left)
    return cast.emitError("could not convert ")
           << cast.getOperandTypes() << " to " << cast.getResultTypes();
  return success();
}

//===----------------------------------------------------------------------===//
// Step 3: loops and entry points
//===----------------------------------------------------------------------===//

/// Blocks that a depth-first walk comes back to while it is still below them:
/// every cycle of the control flow has one.
static SmallVector<std::pair<Block *, Location>> findLoopHeads(Region &region) {
  SmallVector<std::pair<Block *, Location>> heads;
  llvm::DenseSet<Block *> seen, active, known;
  SmallVector<std::pair<Block *, unsigned>> path;
  auto enter = [&](Block *block) {
    seen.insert(block);
    active.insert(block);
    path.emplace_back(block, 0);
  };
  enter(&region.front());
  while (!path.empty()) {
    auto &[block, next] = path.back();
    if (next == block->getNumSuccessors()) {
      active.erase(block);
      path.pop_back();
      continue;
    }
    Operation *terminator = block->getTerminator();
    Block *successor = block->getSuccessor(next++);
    if (active.contains(successor)) {
      if (known.insert(successor).second)
        heads.emplace_back(successor, terminator->getLoc());
    } else if (!seen.contains(successor)) {
      enter(successor);
    }
  }
  return heads;
}

void ConvertGPUToFibers::countIterations(LLVM::LLVMFuncOp function,
                                         SiteTable &sites) {
  for (auto [head, loc] : findLoopHeads(function.getBody())) {
    OpBuilder builder(head, head->begin());
    FlatSymbolRefAttr site = sites.create("the loop", loc);
    callRuntime(builder, loc, RuntimeCall::Step,
                getSiteAddress(builder, loc, site));
  }
}

LogicalResult
ConvertGPUToFibers::finish(SiteTable &sites,
                           MemoryInstrumentation &instrumentation) {
  ModuleOp module = getOperation();
  SmallVector<LLVM::GlobalOp> globals;
  if (checkMemory)
    for (auto global : module.getOps<LLVM::GlobalOp>())
      if (!global.getSymName().starts_with("scan_emulator."))
        globals.push_back(global);
  auto functions = llvm::to_vector(module.getOps<LLVM::LLVMFuncOp>());
  PrivateMemory privateMemory(sites, checkMemory);
  SmallVector<LLVM::LLVMFuncOp> onDevice;
  for (LLVM::LLVMFuncOp function : functions) {
    if (!deviceFunctions.contains(function.getSymNameAttr())) {
      instrumentation.instrumentHost(function);
      continue;
    }
    onDevice.push_back(function);
    if (failed(instrumentation.instrumentDevice(function)) ||
        failed(privateMemory.layOut(function)))
      return failure();
    checkDivisions(function, sites);
    countIterations(function, sites);
  }
  for (LLVM::LLVMFuncOp function : onDevice)
    if (failed(privateMemory.checkSize(function)))
      return failure();
  LLVM::GlobalOp table = createGlobalTable(module, globals);
  for (auto &[reference, kernel] : kernels)
    addKernelEntry(module, kernel, table, globals.size());
  eraseUnusedRuntimeCalls(module);
  module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  return success();
}

void ConvertGPUToFibers::runOnOperation() {
  kernels.clear();
  deviceFunctions.clear();
  SiteTable sites(getOperation());
  MemoryInstrumentation instrumentation(getOperation(), sites, checkMemory);
  if (failed(checkSupported(getOperation())) ||
      failed(prepare(sites, instrumentation)) || failed(convert()) ||
      failed(finish(sites, instrumentation)))
    signalPassFailure();
}
