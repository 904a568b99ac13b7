//===- ModuleParts.cpp - Modules that are compiled at a time --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Like llvm/Transforms/Utils/SplitModule.h, which keeps together what refers to
// the same local symbol, and so a parallel region and the function it is in. A
// context of LLVM is for one thread: parts go to others as bitcode, of which
// only their functions are read.
//
//===----------------------------------------------------------------------===//

#include "ModuleParts.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include <tuple>

using namespace mlir::scan;

/// Instructions of LLVM that take as long to compile as a thread takes to
/// start, to read its part and to make a target machine: one millisecond.
static constexpr unsigned kLeastPart = 50;

namespace {
/// Functions that are compiled together.
struct Group {
  llvm::SmallVector<llvm::Function *> functions;
  unsigned instructions = 0;
};
} // namespace

/// Each part may have its own copy of constants that are not seen from outside.
/// Whatever else is no function would have to be in one part.
static bool canDivide(const llvm::Module &module) {
  return module.alias_empty() && module.ifunc_empty() &&
         llvm::all_of(module.globals(), [](const llvm::GlobalVariable &global) {
           return global.isDeclaration() ||
                  (global.isConstant() && global.hasLocalLinkage());
         });
}

static std::vector<Group> getGroups(llvm::Module &module) {
  llvm::EquivalenceClasses<llvm::Function *> callers;
  auto isDefined = [](const llvm::Function &function) {
    return !function.isDeclaration();
  };
  for (llvm::Function &function : llvm::make_filter_range(module, isDefined)) {
    callers.insert(&function);
    for (llvm::User *user : function.users())
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(user);
          call && call->getCalledOperand() == &function)
        callers.unionSets(call->getFunction(), &function);
  }
  llvm::MapVector<llvm::Function *, Group> groups;
  for (llvm::Function &function : llvm::make_filter_range(module, isDefined)) {
    Group &group = groups[callers.getLeaderValue(&function)];
    group.functions.push_back(&function);
    group.instructions += function.getInstructionCount();
  }
  std::vector<Group> result;
  for (auto &[leader, group] : groups)
    result.push_back(std::move(group));
  return result;
}

/// The largest group first, to the part that has the least until then.
static std::vector<Group> balance(std::vector<Group> groups, unsigned most) {
  llvm::sort(groups, [](const Group &a, const Group &b) {
    return std::make_tuple(b.instructions, a.functions.front()->getName()) <
           std::make_tuple(a.instructions, b.functions.front()->getName());
  });
  auto hasLess = [](const Group &a, const Group &b) {
    return a.instructions < b.instructions;
  };
  std::vector<Group> parts;
  for (Group &group : groups) {
    if (parts.empty() ||
        (parts.size() < most && group.instructions >= kLeastPart)) {
      parts.push_back(std::move(group));
      continue;
    }
    Group &part = *llvm::min_element(parts, hasLess);
    llvm::append_range(part.functions, group.functions);
    part.instructions += group.instructions;
  }
  return parts;
}

static bool isUsedOutside(const llvm::Function &function, const Group &part) {
  return llvm::any_of(function.users(), [&](const llvm::User *user) {
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(user);
    return !instruction ||
           !llvm::is_contained(part.functions, instruction->getFunction());
  });
}

ModuleParts::ModuleParts(llvm::Module &module, unsigned most) {
  std::vector<Group> parts;
  if (most > 1 && canDivide(module))
    parts = balance(getGroups(module), most);
  if (parts.size() < 2) {
    names.resize(1);
    return;
  }
  for (const Group &part : parts) {
    std::vector<std::string> &namesOfPart = names.emplace_back();
    for (llvm::Function *function : part.functions) {
      if (function->hasLocalLinkage() && isUsedOutside(*function, part)) {
        function->setLinkage(llvm::GlobalValue::ExternalLinkage);
        function->setVisibility(llvm::GlobalValue::HiddenVisibility);
      }
      namesOfPart.push_back(function->getName().str());
    }
  }
  llvm::raw_svector_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(module, stream);
}

std::unique_ptr<llvm::Module>
ModuleParts::read(unsigned part, llvm::LLVMContext &context) const {
  llvm::MemoryBufferRef buffer(llvm::StringRef(bitcode.data(), bitcode.size()),
                               "part");
  // It is what this process wrote.
  std::unique_ptr<llvm::Module> module =
      llvm::cantFail(llvm::getLazyBitcodeModule(buffer, context));
  llvm::StringSet<> kept;
  for (const std::string &name : names[part])
    kept.insert(name);
  for (llvm::Function &function : *module)
    if (!function.isDeclaration() && !kept.contains(function.getName()))
      function.deleteBody();
  llvm::cantFail(module->materializeAll());
  for (llvm::GlobalVariable &global :
       llvm::make_early_inc_range(module->globals()))
    if (global.use_empty())
      global.eraseFromParent();
  return module;
}
