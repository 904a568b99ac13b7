//===- PTX.cpp - GPU modules to PTX text ----------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's own serialisation of GPU modules (gpu-module-to-binary) would do, but
// it parses libdevice whole whether or not a math function is called, and
// leaves a missing one to the assembler. Here the steps are taken one by one.
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "KernelModules.h"
#include "NarrowComparisons.h"
#include "OwnLaneShuffles.h"
#include "PTXTranslator.h"
#include "PTXWrapping.h"
#include "PackedArithmetic.h"
#include "PackedRounding.h"
#include "UniformHalves.h"
#include "WideMaxima.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

constexpr StringLiteral nvptxTriple = "nvptx64-nvidia-cuda";
/// The PTX ISA versions that LLVM 22 writes, from that of the oldest chip on.
constexpr unsigned knownIsas[] = {70, 71, 72, 73, 74, 75, 76, 77, 78, 80,
                                  81, 82, 83, 84, 85, 86, 87, 88, 90};

std::string printIsa(unsigned isa) {
  return std::to_string(isa / 10) + "." + std::to_string(isa % 10);
}

void initializeNVPTX() {
  static const bool once = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)once;
}

std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const PTXTarget &target, unsigned isa, Location location) {
  initializeNVPTX();
  std::string error;
  llvm::Triple triple(nvptxTriple);
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend) {
    emitError(location) << "this LLVM has no NVPTX backend: " << error;
    return nullptr;
  }
  std::string features = "+ptx" + std::to_string(isa);
  std::unique_ptr<llvm::TargetMachine> machine(backend->createTargetMachine(
      triple, target.chip, features, llvm::TargetOptions(), llvm::Reloc::PIC_,
      std::nullopt,
      // At the third level the backend adds two runs of global value numbering,
      // which find nothing.
      static_cast<llvm::CodeGenOptLevel>(std::min(target.optLevel, 2u))));
  if (!machine)
    emitError(location) << "LLVM's NVPTX backend cannot be set up for "
                        << target.chip;
  return machine;
}

/// True for `half`, `bfloat` and vectors of them.
bool isSixteenBitFloat(llvm::Type *type) {
  type = type->getScalarType();
  return type->isHalfTy() || type->isBFloatTy();
}

/// True for operations that round their result to 16 bits.
bool isSixteenBitArithmetic(const llvm::Instruction &instruction) {
  if (!isSixteenBitFloat(instruction.getType()))
    return false;
  if (isa<llvm::BinaryOperator>(instruction))
    return true;
  auto *call = dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && (call->getIntrinsicID() == llvm::Intrinsic::fma ||
                  call->getIntrinsicID() == llvm::Intrinsic::fmuladd ||
                  call->getIntrinsicID() == llvm::Intrinsic::sqrt);
}

/// LLVM narrows trunc(ext(x) + ext(y)) to an addition in 16 bits where that is
/// exact. Kernels promise arithmetic in 32 bits, also to readers of the PTX, so
/// what was narrowed is widened again.
void widenSixteenBitArithmetic(llvm::Module &module) {
  SmallVector<llvm::Instruction *> narrowed;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (isSixteenBitArithmetic(instruction))
        narrowed.push_back(&instruction);
  for (llvm::Instruction *instruction : narrowed) {
    llvm::IRBuilder<> builder(instruction);
    llvm::Type *narrow = instruction->getType();
    llvm::Type *wide = narrow->getWithNewType(builder.getFloatTy());
    auto *call = dyn_cast<llvm::IntrinsicInst>(instruction);
    SmallVector<llvm::Value *> operands;
    for (llvm::Value *operand :
         call ? llvm::to_vector(llvm::map_range(
                    call->args(), [](llvm::Use &use) { return use.get(); }))
              : SmallVector<llvm::Value *>(instruction->operand_values()))
      operands.push_back(builder.CreateFPExt(operand, wide));
    llvm::Value *result =
        call ? builder.CreateIntrinsic(call->getIntrinsicID(), wide, operands)
             : builder.CreateBinOp(static_cast<llvm::Instruction::BinaryOps>(
                                       instruction->getOpcode()),
                                   operands[0], operands[1]);
    instruction->replaceAllUsesWith(builder.CreateFPTrunc(result, narrow));
    instruction->eraseFromParent();
  }
}

/// Those passes of LLVM's third level that make kernels of scans better: these
/// are long and have few loops and no calls but those of math functions. The
/// others find nothing in them, in three quarters of the time. A second run of
/// instcombine is not among them: instruction selection combines what the
/// passes for loops leave, with as many instructions and registers. Nor is
/// indvars: the emitters make induction variables of the width that they need,
/// and what it rewrites ptxas makes the same machine code of. Remainders are
/// computed from quotients first of all, so that divisors are not kept in
/// registers until then, and again for what other passes make.
constexpr StringLiteral kernelPasses =
    "nvvm-reflect,function(nvvm-intr-range),cgscc(inline),globalopt,globaldce,"
    "function(sroa<modify-cfg>,early-cse,div-rem-pairs,"
    "simplifycfg<speculate-blocks>,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,reassociate,"
    "loop-mssa(loop-rotate,licm<allowspeculation>),"
    "loop(loop-deletion,loop-unroll-full),early-cse,loop-unroll<O3>,"
    "div-rem-pairs,simplifycfg<speculate-unpredictables;"
    "hoist-loads-stores-with-cond-faulting>),globaldce,constmerge";

void optimize(llvm::Module &module, llvm::TargetMachine &machine,
              unsigned level) {
  const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  // A thread has no vector arithmetic: the vectorisers would only cost time.
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  if (level == 0)
    passes = builder.buildO0DefaultPipeline(levels[0]);
  else if (level < 3)
    passes = builder.buildPerModuleDefaultPipeline(levels[level]);
  else
    llvm::cantFail(builder.parsePassPipeline(passes, kernelPasses));
  passes.run(module, modules);
}

/// The backend's passes but for these:
///
///   * Loop strength reduction. To that pass each address in a loop over tiles
///     is an induction variable of its own unless it lies a constant away from
///     another: with strides that are not known, two registers per operand and
///     item, all over the loop. What the emitters make are one multiplication
///     per operand and tile, and additions from item to item.
///   * Merging of loads and stores that lie side by side. The emitters make one
///     access of them where their alignment is known or tested; of those to
///     shared memory, as of complex states, ptxas makes one, too.
///   * Strength reduction and reassociation in straight lines of code, which
///     make other addresses but no fewer: kernels take as many registers, and
///     their code is as long, in a tenth of the backend's time.
///   * Early CSE, which finds nothing that the optimizations before and
///     instruction selection do not.
///   * Hoisting of constants, of which NVPTX has none that are expensive, and
///     duplication of tails, which finds none.
struct BackendPasses : llvm::legacy::PassManager {
  BackendPasses() {
    for (llvm::Pass *pass : std::initializer_list<llvm::Pass *>{
             llvm::createLoopStrengthReducePass(),
             llvm::createLoadStoreVectorizerPass(),
             llvm::createStraightLineStrengthReducePass(),
             llvm::createNaryReassociatePass(),
             llvm::createConstantHoistingPass(), llvm::createEarlyCSEPass()}) {
      leftOut.insert(pass->getPassID());
      delete pass;
    }
    leftOut.insert(&llvm::EarlyTailDuplicateLegacyID);
  }
  void add(llvm::Pass *pass) override {
    if (leftOut.contains(pass->getPassID()))
      delete pass;
    else
      PassManager::add(pass);
  }
  llvm::SmallPtrSet<const void *, 8> leftOut;
};

/// Takes the size of blocks from kernels whose blocks can be launched whatever
/// registers a thread takes. Of kernels whose size of blocks it knows, ptxas
/// spills a few registers to make room for one more block, predicates and
/// halves of addresses mostly; without it none. Passes that use the size come
/// before. Where a kernel says how many blocks there are to be room for, it
/// stays.
void forgetBlockSizes(llvm::Module &module, const Chip &chip) {
  constexpr StringLiteral sizeName = "nvvm.maxntid";
  constexpr StringLiteral blocksName = "nvvm.minctasm";
  int64_t most = chip.registersPerSM / (chip.maxRegistersPerThread + 1);
  for (llvm::Function &function : module) {
    if (!function.hasFnAttribute(sizeName) ||
        function.hasFnAttribute(blocksName))
      continue;
    int64_t threads = 1;
    StringRef sizes = function.getFnAttribute(sizeName).getValueAsString();
    for (StringRef size : llvm::split(sizes, ',')) {
      int64_t number = 0;
      threads *= size.trim().getAsInteger(10, number) ? most + 1 : number;
    }
    if (threads <= most)
      function.removeFnAttr(sizeName);
  }
}

/// Emits an error at what the lowering to NVVM has left as it was.
LogicalResult checkTranslatable(gpu::GPUModuleOp module) {
  WalkResult result = module.walk([&](Operation *op) {
    if (op == module ||
        isa<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect()))
      return WalkResult::advance();
    emitError(op->getLoc())
        << "'" << op->getName()
        << "' op has no lowering for NVIDIA GPUs: expected operations that "
           "LLVM or libdevice knows; express it by others";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Names of the functions that are short of registers.
llvm::StringSet<> getScarceKernels(gpu::GPUModuleOp module) {
  llvm::StringSet<> names;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr(scarceRegistersAttrName))
      names.insert(function.getName());
  return names;
}

/// A launch passes so many bytes of parameters; more since PTX ISA 8.1.
LogicalResult checkParameters(const llvm::Module &module, unsigned isa,
                              Location location) {
  const uint64_t limit = isa >= 81 ? 32764 : 4096;
  for (const llvm::Function &function : module) {
    if (function.getCallingConv() != llvm::CallingConv::PTX_Kernel)
      continue;
    uint64_t bytes = 0;
    for (const llvm::Argument &argument : function.args()) {
      llvm::Type *type = argument.getType();
      const llvm::DataLayout &layout = module.getDataLayout();
      bytes = llvm::alignTo(bytes, layout.getABITypeAlign(type)) +
              layout.getTypeAllocSize(type);
    }
    if (bytes <= limit)
      continue;
    InFlightDiagnostic error = emitError(location);
    error << "expected kernels of at most " << limit
          << " bytes of parameters, as a launch passes with PTX ISA "
          << printIsa(isa) << ", found " << bytes << " bytes for '"
          << function.getName().str()
          << "'; scan fewer tensors in one operation";
    if (isa < 81)
      error << ", or use PTX ISA 8.1 or newer, where 32764 bytes are passed";
    return error;
  }
  return success();
}

/// Passes errors of LLVM on as MLIR diagnostics.
struct DiagnosticForwarder : llvm::DiagnosticHandler {
  DiagnosticForwarder(Location location, bool &failed)
      : location(location), failed(failed) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    failed = true;
    std::string message;
    llvm::raw_string_ostream stream(message);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    emitError(location) << "LLVM's NVPTX backend: " << message;
    return true;
  }
  Location location;
  bool &failed;
};

} // namespace

llvm::Expected<unsigned> mlir::scan::resolvePTXIsa(const PTXTarget &target) {
  auto fail = [](const Twine &message) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
  };
  const Chip *chip = lookupChip(target.chip);
  if (!chip)
    return fail("unknown chip '" + target.chip + "': expected one of " +
                getKnownChipNames());
  if (target.optLevel > 3)
    return fail("expected an optimisation level from 0 to 3, found " +
                Twine(target.optLevel));
  if (target.ptxIsa == 0)
    return chip->ptxIsa;
  if (target.ptxIsa < chip->ptxIsa ||
      !llvm::is_contained(knownIsas, target.ptxIsa))
    return fail("expected a PTX ISA version from " + printIsa(chip->ptxIsa) +
                " to " + printIsa(*std::prev(std::end(knownIsas))) + " for " +
                target.chip + ", found " + printIsa(target.ptxIsa));
  return target.ptxIsa;
}

/// The address space of shared memory in LLVM IR for NVIDIA's GPUs.
static constexpr unsigned kSharedMemory = 3;

FailureOr<std::string> PTXTranslator::translate(gpu::GPUModuleOp module,
                                                TimingScope &timing) {
  Location location = module.getLoc();
  llvm::Expected<unsigned> isa = resolvePTXIsa(target);
  if (!isa)
    return emitError(location) << llvm::toString(isa.takeError());
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(target, *isa, location);
  if (!machine)
    return failure();

  if (failed(checkTranslatable(module)))
    return failure();

  bool hadError = false;
  TimingScope step = timing.nest("Translation to LLVM IR");
  llvm::LLVMContext context;
  context.setDiagnosticHandler(
      std::make_unique<DiagnosticForwarder>(location, hadError));
  // The module that it is made of has been verified.
  std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(
      module, context, module.getName(), /*disableVerification=*/true);
  if (!translated)
    return failure();
  translated->setTargetTriple(machine->getTargetTriple());
  translated->setDataLayout(machine->createDataLayout());
  if (failed(checkParameters(*translated, *isa, location)))
    return failure();

  step = timing.nest("Libdevice");
  if (failed(libdevice.link(*translated, location)))
    return failure();
  // Upstream declares the dynamic shared memory as a variable of this module,
  // without elements; PTX wants it to be an external one.
  for (llvm::GlobalVariable &global : translated->globals())
    if (global.getAddressSpace() == kSharedMemory &&
        llvm::isa<llvm::ArrayType>(global.getValueType()) &&
        global.getValueType()->getArrayNumElements() == 0) {
      global.setInitializer(nullptr);
      global.setLinkage(llvm::GlobalValue::ExternalLinkage);
    }
  step = timing.nest("LLVM's optimizations");
  dropOwnLaneSelects(*translated);
  optimize(*translated, *machine, target.optLevel);
  if (isPart)
    renameLocalSymbols(*translated, module.getName());
  widenSixteenBitArithmetic(*translated);
  packRoundings(*translated, *lookupChip(target.chip));
  widenMaximaWithZero(*translated, *lookupChip(target.chip));
  forgetBlockSizes(*translated, *lookupChip(target.chip));
  keepUniformHalvesApart(*translated, *machine);
  narrowComparisons(*translated);
  packArithmetic(*translated, *lookupChip(target.chip),
                 getScarceKernels(module));

  step = timing.nest("LLVM's NVPTX backend");
  SmallVector<char, 0> text;
  llvm::raw_svector_ostream stream(text);
  BackendPasses codegen;
  if (machine->addPassesToEmitFile(codegen, stream, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return emitError(location) << "LLVM's NVPTX backend cannot emit PTX";
  codegen.run(*translated);
  if (hadError)
    return failure();
  return spellOutWrapping(StringRef(text.data(), text.size()));
}

void mlir::scan::registerPTXTranslation(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}
