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
#include "llvm/CodeGen/Passes.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar.h"
#include "llvm/Transforms/Utils.h"
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
/// to be unrolled nor unswitched.
static constexpr StringLiteral kFirstPasses(
    "cgscc(inline),function(simplifycfg,sroa,early-cse<memssa>,"
    "loop(loop-rotate),loop-mssa(licm),instcombine<no-verify-fixpoint>,");
/// Behind these, where no loop is to become one on vectors, or a call.
static constexpr StringLiteral
    kLastPasses("gvn,vector-combine,loop-mssa(licm),"
                "simplifycfg<sink-common-insts;hoist-common-insts>)");
/// And where one is. The SLP vectorizer has been left out: LLVM 22's makes code
/// of some sums of f16 that uses values before they are there.
static constexpr StringLiteral kLastPassesOfScalarLoops(
    "loop(loop-idiom,loop-deletion),gvn,simplifycfg,loop-vectorize,"
    "vector-combine,instcombine<no-verify-fixpoint>,early-cse,"
    "loop-mssa(licm),dse,simplifycfg<sink-common-insts;hoist-common-insts>)");

/// Whether an innermost loop of `function` may become one on vectors: one that
/// does not say otherwise, moves more than the counters of threads, and calls
/// nothing.
static bool hasScalarLoops(llvm::Function &function) {
  if (function.isDeclaration())
    return false;
  auto isCall = [](llvm::Instruction &op) {
    return isa<llvm::CallBase>(op) && !isa<llvm::IntrinsicInst>(op);
  };
  auto isPlainAccess = [](llvm::Instruction &op) {
    return op.mayReadOrWriteMemory() && !op.isAtomic();
  };
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  return llvm::any_of(loops.getLoopsInPreorder(), [&](llvm::Loop *loop) {
    if (!loop->isInnermost() ||
        llvm::getOptionalBoolLoopAttribute(
            loop, "llvm.loop.vectorize.enable") == false)
      return false;
    auto contains = [&](auto isSuch) {
      return llvm::any_of(loop->blocks(), [&](llvm::BasicBlock *block) {
        return llvm::any_of(*block, isSuch);
      });
    };
    return contains(isPlainAccess) && !contains(isCall);
  });
}

/// The passes for scans. Emitters have made the vectors that there are to be,
/// as a rule: vectorisers that find nothing take as long as other passes.
static std::string getScanPasses(llvm::Module &module) {
  StringRef last = llvm::any_of(module, hasScalarLoops)
                       ? kLastPassesOfScalarLoops
                       : kLastPasses;
  return (kFirstPasses + last).str();
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
/// The backend's passes without loop strength reduction and what prepares it,
/// which take a third of their time. The emitters walk memory by one index per
/// loop, and x86 and AArch64 add that to a base in the instructions that load
/// and store. Processors of x86 order instructions themselves: for them none
/// are scheduled once registers are allocated.
struct BackendPasses final : llvm::legacy::PassManager {
  explicit BackendPasses(const llvm::Triple &triple) {
    std::unique_ptr<llvm::Pass> strengthReduction(
        llvm::createLoopStrengthReducePass()),
        preparation(llvm::createCanonicalizeFreezeInLoopsPass());
    left = {strengthReduction->getPassID(), preparation->getPassID()};
    if (triple.isX86())
      left.push_back(&llvm::PostRASchedulerID);
  }
  void add(llvm::Pass *pass) override {
    if (llvm::is_contained(left, pass->getPassID()))
      delete pass;
    else
      PassManager::add(pass);
  }
  SmallVector<llvm::AnalysisID> left;
};
} // namespace

LogicalResult mlir::scan::emitObject(Location location, llvm::Module &module,
                                     llvm::TargetMachine &machine,
                                     std::string &object) {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  BackendPasses passes(machine.getTargetTriple());
  if (machine.addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr,
                                  llvm::CodeGenFileType::ObjectFile))
    return emitError(location) << "LLVM makes no object files for "
                               << machine.getTargetTriple().str();
  passes.run(module);
  object = bytes.str().str();
  return success();
}
