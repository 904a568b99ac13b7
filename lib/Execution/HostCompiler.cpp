//===- HostCompiler.cpp - From the LLVM dialect to machine code -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostCompiler.h"
#include "HostExtrema.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace mlir;
using namespace mlir::scan;

HostVectors HostVectors::get(const llvm::TargetMachine &machine) {
  const llvm::MCSubtargetInfo &processor = *machine.getMCSubtargetInfo();
  HostVectors vectors;
  if (machine.getTargetTriple().isAArch64()) {
    vectors.fusesMultiplyAdd = true;
  } else if (machine.getTargetTriple().isX86()) {
    if (processor.checkFeatures("+avx512f,+avx512bw,+avx512dq,+avx512vl"))
      vectors.bits = 512;
    else if (processor.checkFeatures("+avx2"))
      vectors.bits = 256;
    vectors.fusesMultiplyAdd = processor.checkFeatures("+fma");
  }
  return vectors;
}

void mlir::scan::initializeHostTarget() {
  [[maybe_unused]] static bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    return true;
  }();
}

std::unique_ptr<llvm::Module>
mlir::scan::translateForMachine(ModuleOp module, llvm::LLVMContext &context,
                                llvm::TargetMachine &machine) {
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  registerOpenMPDialectTranslation(*module.getContext());
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context);
  if (!translated) {
    emitError(module.getLoc(), "cannot translate to LLVM IR");
    return nullptr;
  }
  translated->setTargetTriple(machine.getTargetTriple());
  translated->setDataLayout(machine.createDataLayout());
  return translated;
}

/// What changes the code of scans and of linalg operations: the rest of LLVM's
/// default passes takes as long and changes next to nothing. Loops are neither
/// to be unrolled nor unswitched. Vectorisers run between both parts, if at
/// all.
static constexpr StringLiteral kScanPasses(
    "cgscc(inline),function(simplifycfg,sroa,early-cse<memssa>,"
    "loop(loop-rotate),loop-mssa(licm),instcombine<no-verify-fixpoint>,"
    "loop(loop-idiom,loop-deletion),gvn,simplifycfg,");
static constexpr StringLiteral kVectorPasses("loop-vectorize,slp-vectorizer,");
static constexpr StringLiteral kLastScanPasses(
    "vector-combine,instcombine<no-verify-fixpoint>,early-cse,"
    "loop-mssa(licm),dse,simplifycfg<sink-common-insts;hoist-common-insts>)");

/// Whether an innermost loop of `function` may become one on vectors: one that
/// does not say otherwise, and moves more than the counters of threads.
static bool hasScalarLoops(llvm::Function &function) {
  if (function.isDeclaration())
    return false;
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  auto isPlainAccess = [](llvm::Instruction &op) {
    return op.mayReadOrWriteMemory() && !op.isAtomic();
  };
  return llvm::any_of(loops.getLoopsInPreorder(), [&](llvm::Loop *loop) {
    std::optional<bool> wanted =
        llvm::getOptionalBoolLoopAttribute(loop, "llvm.loop.vectorize.enable");
    return loop->isInnermost() && wanted != false &&
           llvm::any_of(loop->blocks(), [&](llvm::BasicBlock *block) {
             return llvm::any_of(*block, isPlainAccess);
           });
  });
}

/// The passes for scans. Emitters have made the vectors that there are to be;
/// a vectoriser that finds nothing takes as long as others.
static std::string getScanPasses(llvm::Module &module) {
  std::string passes = kScanPasses.str();
  if (llvm::any_of(module, hasScalarLoops))
    passes += kVectorPasses;
  return passes += kLastScanPasses;
}

void mlir::scan::optimizeForMachine(llvm::Module &module,
                                    llvm::TargetMachine &machine,
                                    StringRef passes) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  // Scans are bound by memory; unrolling them only costs time to compile.
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::ModulePassManager pipeline;
  llvm::cantFail(builder.parsePassPipeline(
      pipeline, passes.empty() ? getScanPasses(module) : passes.str()));
  pipeline.run(module, modules);
  // LLVM's passes know more of what it is made of.
  expandExtrema(module, machine);
}

namespace {
/// The backend's passes without loop strength reduction, which takes a third of
/// their time. The emitters walk memory by one index per loop, and x86 and
/// AArch64 add that to a base in the instructions that load and store.
struct BackendPasses final : llvm::legacy::PassManager {
  void add(llvm::Pass *pass) override {
    if (pass->getPassID() == strengthReduction->getPassID())
      delete pass;
    else
      PassManager::add(pass);
  }
  std::unique_ptr<llvm::Pass> strengthReduction{
      llvm::createLoopStrengthReducePass()};
};
} // namespace

LogicalResult mlir::scan::emitObject(Location location, llvm::Module &module,
                                     llvm::TargetMachine &machine,
                                     std::string &object) {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  BackendPasses passes;
  if (machine.addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr,
                                  llvm::CodeGenFileType::ObjectFile))
    return emitError(location) << "LLVM makes no object files for "
                               << machine.getTargetTriple().str();
  passes.run(module);
  object = bytes.str().str();
  return success();
}
