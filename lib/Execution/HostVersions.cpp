//===- HostVersions.cpp - Code for several processors in one --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   static const char *(*chosen)(arguments);
//   const char *f(arguments) {
//     if (!chosen)
//       chosen = level() >= 4 ? f_v4 : level() >= 3 ? f_v3 : f_v1;
//     return chosen(arguments);
//   }
//
// Two threads that choose at a time choose the same. There is no constructor
// and no ifunc, which not every linker and C library has.
//
//===----------------------------------------------------------------------===//

#include "HostVersions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::scan;

static constexpr StringLiteral levels[] = {"x86-64", "x86-64-v2", "x86-64-v3",
                                           "x86-64-v4"};

/// From 1 on; 0 if it is none.
static unsigned getLevel(StringRef name) {
  const StringLiteral *found = llvm::find(levels, name);
  return found == std::end(levels) ? 0 : found - levels + 1;
}

/// The level of the processor, as the psABI of x86-64 defines it, where the
/// system saves the registers that it takes.
static constexpr StringLiteral levelText = R"(
define internal i32 @scan.level() {
entry:
  %leaf0 = call { i32, i32, i32, i32 } asm "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx}"(i32 0, i32 0)
  %last = extractvalue { i32, i32, i32, i32 } %leaf0, 0
  %leaf1 = call { i32, i32, i32, i32 } asm "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx}"(i32 1, i32 0)
  %c1 = extractvalue { i32, i32, i32, i32 } %leaf1, 2
  %extended = call { i32, i32, i32, i32 } asm "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx}"(i32 -2147483647, i32 0)
  %ce = extractvalue { i32, i32, i32, i32 } %extended, 2
  ; SSE3, SSSE3, CX16, SSE4.1, SSE4.2, POPCNT; LAHF.
  %c2 = and i32 %c1, 9970177
  %has2a = icmp eq i32 %c2, 9970177
  %lahf = and i32 %ce, 1
  %has2b = icmp ne i32 %lahf, 0
  %has2 = and i1 %has2a, %has2b
  ; FMA, MOVBE, OSXSAVE, AVX, F16C; LZCNT; there is a leaf 7.
  %c3 = and i32 %c1, 943722496
  %has3a = icmp eq i32 %c3, 943722496
  %lzcnt = and i32 %ce, 32
  %has3b = icmp ne i32 %lzcnt, 0
  %has3c = icmp ugt i32 %last, 6
  %has3ab = and i1 %has3a, %has3b
  %has3abc = and i1 %has3ab, %has3c
  %may3 = and i1 %has2, %has3abc
  %low = select i1 %has2, i32 2, i32 1
  br i1 %may3, label %wide, label %narrow

narrow:
  ret i32 %low

wide:
  %leaf7 = call { i32, i32, i32, i32 } asm "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx}"(i32 7, i32 0)
  %b7 = extractvalue { i32, i32, i32, i32 } %leaf7, 1
  %saved = call { i32, i32 } asm "xgetbv", "={ax},={dx},{cx}"(i32 0)
  %xcr = extractvalue { i32, i32 } %saved, 0
  ; BMI1, AVX2, BMI2; XMM and YMM.
  %b3 = and i32 %b7, 296
  %has3d = icmp eq i32 %b3, 296
  %xcr3 = and i32 %xcr, 6
  %has3e = icmp eq i32 %xcr3, 6
  %has3 = and i1 %has3d, %has3e
  ; AVX512 F, DQ, CD, BW, VL; masks and ZMM.
  %b4 = and i32 %b7, -805109760
  %has4a = icmp eq i32 %b4, -805109760
  %xcr4 = and i32 %xcr, 230
  %has4b = icmp eq i32 %xcr4, 230
  %has4ab = and i1 %has4a, %has4b
  %has4 = and i1 %has3, %has4ab
  %high = select i1 %has4, i32 4, i32 3
  %level = select i1 %has3, i32 %high, i32 %low
  ret i32 %level
}
)";

llvm::Expected<SmallVector<std::string>>
scan::getVersions(const llvm::Triple &triple, StringRef cpu) {
  SmallVector<StringRef> parts;
  if (cpu == "portable") {
    if (triple.isX86_64())
      parts = {levels[0], levels[2], levels[3]};
    else
      parts = {""};
  } else {
    cpu.split(parts, ',');
  }
  if (parts.size() > 1) {
    for (StringRef part : parts)
      if (!triple.isX86_64() || getLevel(part) == 0)
        return llvm::createStringError(
            "expected several processors to be levels of x86-64, " +
            llvm::join(ArrayRef(levels), ", ") + ", found '" + part + "' for " +
            triple.getArchName());
    llvm::sort(parts);
    parts.erase(llvm::unique(parts), parts.end());
  }
  return llvm::map_to_vector(parts, [](StringRef part) { return part.str(); });
}

HostVersions::HostVersions(llvm::LLVMContext &context) {
  llvm::SMDiagnostic error;
  module = llvm::parseAssemblyString(levelText, error, context);
  assert(module && "expected the text above to be a module");
}

HostVersions::~HostVersions() = default;

void HostVersions::add(std::unique_ptr<llvm::Module> version,
                       const llvm::TargetMachine &machine) {
  cpus.push_back(machine.getTargetCPU().str());
  module->setTargetTriple(version->getTargetTriple());
  module->setDataLayout(version->getDataLayout());
  for (llvm::Function &function : *version) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    if (!function.hasExternalLinkage())
      continue;
    std::string name = function.getName().str();
    function.setName(name + "." + machine.getTargetCPU());
    function.setVisibility(llvm::GlobalValue::HiddenVisibility);
    if (!llvm::is_contained(functions, name))
      functions.push_back(std::move(name));
  }
  [[maybe_unused]] bool failed =
      llvm::Linker::linkModules(*module, std::move(version));
  assert(!failed && "versions of one program have the same declarations");
}

void HostVersions::addChoice(StringRef name) {
  SmallVector<llvm::Function *> versions;
  for (StringRef cpu : cpus) {
    versions.push_back(module->getFunction((name + "." + cpu).str()));
    versions.back()->setLinkage(llvm::GlobalValue::InternalLinkage);
    versions.back()->setVisibility(llvm::GlobalValue::DefaultVisibility);
  }
  llvm::Function *least = versions.front();
  llvm::LLVMContext &context = module->getContext();
  llvm::IRBuilder<> b(context);
  llvm::PointerType *pointer = b.getPtrTy();
  auto *chosen = new llvm::GlobalVariable(
      *module, pointer, /*isConstant=*/false,
      llvm::GlobalValue::InternalLinkage,
      llvm::ConstantPointerNull::get(pointer), name + ".chosen");
  auto *function =
      llvm::Function::Create(least->getFunctionType(),
                             llvm::GlobalValue::ExternalLinkage, name, *module);
  for (unsigned i = 0; i < function->arg_size(); ++i)
    for (auto kind : {llvm::Attribute::SExt, llvm::Attribute::ZExt})
      if (least->hasParamAttribute(i, kind))
        function->addParamAttr(i, kind);
  auto *entry = llvm::BasicBlock::Create(context, "entry", function);
  auto *choose = llvm::BasicBlock::Create(context, "choose", function);
  auto *call = llvm::BasicBlock::Create(context, "call", function);
  llvm::Align alignment = module->getDataLayout().getPointerABIAlignment(0);
  b.SetInsertPoint(entry);
  llvm::LoadInst *known = b.CreateAlignedLoad(pointer, chosen, alignment);
  known->setAtomic(llvm::AtomicOrdering::Monotonic);
  b.CreateCondBr(b.CreateIsNull(known), choose, call);

  b.SetInsertPoint(choose);
  llvm::Value *level = b.CreateCall(module->getFunction("scan.level"));
  llvm::Value *best = least;
  for (unsigned i = 1; i < versions.size(); ++i)
    best = b.CreateSelect(b.CreateICmpUGE(level, b.getInt32(getLevel(cpus[i]))),
                          versions[i], best);
  b.CreateAlignedStore(best, chosen, alignment)
      ->setAtomic(llvm::AtomicOrdering::Monotonic);
  b.CreateBr(call);

  b.SetInsertPoint(call);
  llvm::PHINode *target = b.CreatePHI(pointer, 2);
  target->addIncoming(known, entry);
  target->addIncoming(best, choose);
  SmallVector<llvm::Value *> arguments(
      llvm::make_pointer_range(function->args()));
  llvm::CallInst *result =
      b.CreateCall(function->getFunctionType(), target, arguments);
  result->setAttributes(function->getAttributes());
  result->setTailCall();
  b.CreateRet(result);
}

llvm::Module &HostVersions::finish() {
  for (StringRef name : functions)
    addChoice(name);
  return *module;
}
