//===- CWrapper.cpp - Functions that C calls, in LLVM IR ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   const char *f(arguments) {
//     struct frame here = {.previous = frame};         a thread-local variable
//     frame = &here;
//     if (_setjmp(here.registers) == 0)
//       the function on memref descriptors
//     else
//       free all of here.blocks
//     frame = here.previous;
//     return here.message;
//   }
//   puts(message)  { frame->message = message; }
//   abort()        { longjmp(frame->registers, 1); }
//   malloc(size)   { a block of malloc's, put in front of frame->blocks }
//   free(pointer)  { takes the block out of the list, and frees it }
//
// Code below has no destructors: what it has allocated when a check fails, the
// list of blocks knows.
//
//===----------------------------------------------------------------------===//

#include "CWrapper.h"
#include "Scan/Pipelines/Passes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::scan;

/// Room for a jmp_buf of any C library, in words: glibc's has 200 bytes for
/// x86-64 and 312 for AArch64.
static constexpr unsigned kJumpBufferWords = 64;

namespace {
/// What all wrappers of a module share.
class Frames {
public:
  explicit Frames(llvm::Module &module);

  /// Defines `puts` and `abort`, where they are called.
  void defineFailures();
  /// Lets `malloc` and `free`, where they are called, keep the list of blocks.
  void defineMemory();
  /// Emits the loop that frees all blocks of `frame`, up to a jump to `end`.
  void freeBlocks(llvm::IRBuilder<> &b, llvm::Value *frame,
                  llvm::BasicBlock *end);

  llvm::StructType *frameType;
  llvm::PointerType *pointerType;
  /// The frame of the innermost wrapper that this thread runs.
  llvm::GlobalVariable *current;

  enum Field { Message, Previous, Blocks, Registers };
  llvm::Value *getField(llvm::IRBuilder<> &b, llvm::Value *frame, Field field) {
    return b.CreateStructGEP(frameType, frame, field);
  }

private:
  llvm::IRBuilder<> define(llvm::Function *function);
  void defineMalloc(llvm::Function *function);
  void defineFree(llvm::Function *function);
  llvm::FunctionCallee getFree();

  llvm::Module &module;
  bool allocates = false;
};

/// The wrapper of one function.
class Wrapper {
public:
  Wrapper(llvm::Module &module, Frames &frames, const CSignature &signature)
      : module(module), frames(frames), signature(signature),
        b(module.getContext()) {}

  void add();

private:
  llvm::Type *getScalarType(Type type);
  llvm::Function *declare();
  llvm::Value *evaluate(Attribute extent);
  llvm::Value *convert(llvm::Value *value, llvm::Type *type);
  void appendDescriptor(const CParameter &parameter,
                        SmallVectorImpl<llvm::Value *> &operands);
  void callTarget();

  llvm::Module &module;
  Frames &frames;
  const CSignature &signature;
  llvm::IRBuilder<> b;
  llvm::Function *target = nullptr;
  /// By the names that the header has.
  llvm::StringMap<llvm::Value *> arguments;
};
} // namespace

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

Frames::Frames(llvm::Module &module) : module(module) {
  llvm::LLVMContext &context = module.getContext();
  pointerType = llvm::PointerType::getUnqual(context);
  frameType = llvm::StructType::get(
      pointerType, pointerType, pointerType,
      llvm::ArrayType::get(llvm::Type::getInt64Ty(context), kJumpBufferWords));
  current = new llvm::GlobalVariable(
      module, pointerType, /*isConstant=*/false,
      llvm::GlobalValue::InternalLinkage,
      llvm::ConstantPointerNull::get(pointerType), "scan.frame", nullptr,
      llvm::GlobalValue::GeneralDynamicTLSModel);
}

llvm::IRBuilder<> Frames::define(llvm::Function *function) {
  // Not a function of the C library any more.
  function->setName("scan." + function->getName());
  function->setLinkage(llvm::GlobalValue::InternalLinkage);
  return llvm::IRBuilder<>(
      llvm::BasicBlock::Create(module.getContext(), "entry", function));
}

void Frames::defineFailures() {
  if (llvm::Function *puts = module.getFunction("puts")) {
    llvm::IRBuilder<> b = define(puts);
    llvm::Value *frame = b.CreateLoad(pointerType, current);
    b.CreateStore(puts->getArg(0), getField(b, frame, Message));
    if (puts->getReturnType()->isVoidTy())
      b.CreateRetVoid();
    else
      b.CreateRet(llvm::Constant::getNullValue(puts->getReturnType()));
  }
  if (llvm::Function *abort = module.getFunction("abort")) {
    llvm::IRBuilder<> b = define(abort);
    llvm::Value *frame = b.CreateLoad(pointerType, current);
    llvm::FunctionCallee jump = module.getOrInsertFunction(
        "longjmp", b.getVoidTy(), pointerType, b.getInt32Ty());
    cast<llvm::Function>(jump.getCallee())->setDoesNotReturn();
    b.CreateCall(jump, {getField(b, frame, Registers), b.getInt32(1)});
    b.CreateUnreachable();
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

// In front of each block are two pointers: to the next block of the list and to
// the pointer that points to this one. Blocks are aligned as malloc aligns.

/// The bytes of both.
static constexpr unsigned kLinkBytes = 16;

llvm::FunctionCallee Frames::getFree() {
  return module.getOrInsertFunction(
      "free", llvm::Type::getVoidTy(module.getContext()), pointerType);
}

void Frames::defineMalloc(llvm::Function *function) {
  llvm::IRBuilder<> b = define(function);
  llvm::LLVMContext &context = module.getContext();
  auto *link = llvm::BasicBlock::Create(context, "link", function);
  auto *fix = llvm::BasicBlock::Create(context, "fix", function);
  auto *done = llvm::BasicBlock::Create(context, "done", function);
  auto *none = llvm::BasicBlock::Create(context, "none", function);
  llvm::Value *size = function->getArg(0);
  llvm::FunctionCallee malloc =
      module.getOrInsertFunction("malloc", pointerType, size->getType());
  // Sizes are those that can be addressed: this does not wrap around.
  llvm::Value *block = b.CreateCall(
      malloc,
      b.CreateAdd(size, llvm::ConstantInt::get(size->getType(), kLinkBytes)));
  b.CreateCondBr(b.CreateIsNull(block), none, link);
  b.SetInsertPoint(none);
  b.CreateRet(block);
  b.SetInsertPoint(link);
  llvm::Value *head = getField(b, b.CreateLoad(pointerType, current), Blocks);
  llvm::Value *next = b.CreateLoad(pointerType, head);
  b.CreateStore(next, block);
  b.CreateStore(head, b.CreateConstGEP1_64(pointerType, block, 1));
  b.CreateStore(block, head);
  b.CreateCondBr(b.CreateIsNull(next), done, fix);
  b.SetInsertPoint(fix);
  b.CreateStore(block, b.CreateConstGEP1_64(pointerType, next, 1));
  b.CreateBr(done);
  b.SetInsertPoint(done);
  b.CreateRet(b.CreateConstGEP1_64(b.getInt8Ty(), block, kLinkBytes));
}

void Frames::defineFree(llvm::Function *function) {
  llvm::IRBuilder<> b = define(function);
  llvm::LLVMContext &context = module.getContext();
  auto *unlink = llvm::BasicBlock::Create(context, "unlink", function);
  auto *fix = llvm::BasicBlock::Create(context, "fix", function);
  auto *done = llvm::BasicBlock::Create(context, "done", function);
  auto *none = llvm::BasicBlock::Create(context, "none", function);
  llvm::Value *pointer = function->getArg(0);
  b.CreateCondBr(b.CreateIsNull(pointer), none, unlink);
  b.SetInsertPoint(none);
  b.CreateRetVoid();
  b.SetInsertPoint(unlink);
  llvm::Value *block =
      b.CreateConstGEP1_64(b.getInt8Ty(), pointer, -int64_t{kLinkBytes});
  llvm::Value *next = b.CreateLoad(pointerType, block);
  llvm::Value *place =
      b.CreateLoad(pointerType, b.CreateConstGEP1_64(pointerType, block, 1));
  b.CreateStore(next, place);
  b.CreateCondBr(b.CreateIsNull(next), done, fix);
  b.SetInsertPoint(fix);
  b.CreateStore(place, b.CreateConstGEP1_64(pointerType, next, 1));
  b.CreateBr(done);
  b.SetInsertPoint(done);
  b.CreateCall(getFree(), block);
  b.CreateRetVoid();
}

void Frames::defineMemory() {
  llvm::Function *malloc = module.getFunction("malloc");
  allocates = malloc != nullptr;
  if (malloc)
    defineMalloc(malloc);
  if (llvm::Function *free = module.getFunction("free"))
    defineFree(free);
}

void Frames::freeBlocks(llvm::IRBuilder<> &b, llvm::Value *frame,
                        llvm::BasicBlock *end) {
  if (!allocates) {
    b.CreateBr(end);
    return;
  }
  llvm::LLVMContext &context = module.getContext();
  llvm::Function *function = b.GetInsertBlock()->getParent();
  auto *look = llvm::BasicBlock::Create(context, "look", function);
  auto *release = llvm::BasicBlock::Create(context, "release", function);
  llvm::Value *head = getField(b, frame, Blocks);
  b.CreateBr(look);
  b.SetInsertPoint(look);
  llvm::Value *block = b.CreateLoad(pointerType, head);
  b.CreateCondBr(b.CreateIsNull(block), end, release);
  b.SetInsertPoint(release);
  b.CreateStore(b.CreateLoad(pointerType, block), head);
  b.CreateCall(getFree(), block);
  b.CreateBr(look);
}

//===----------------------------------------------------------------------===//
// Wrappers
//===----------------------------------------------------------------------===//

/// As C passes it.
llvm::Type *Wrapper::getScalarType(Type type) {
  if (type.isIndex())
    return b.getInt64Ty();
  if (type.isF16())
    return b.getHalfTy();
  if (type.isBF16())
    return b.getBFloatTy();
  if (type.isF32())
    return b.getFloatTy();
  if (type.isF64())
    return b.getDoubleTy();
  return b.getIntNTy(type.getIntOrFloatBitWidth());
}

llvm::Function *Wrapper::declare() {
  struct Argument {
    std::string name;
    llvm::Type *type;
    llvm::Attribute::AttrKind extension = llvm::Attribute::None;
  };
  SmallVector<Argument> list;
  for (const CParameter *parameter : signature.getOrdered()) {
    bool isPointer = parameter->isArray || parameter->result;
    Argument argument{parameter->name,
                      isPointer ? frames.pointerType
                                : getScalarType(parameter->elementType)};
    // Smaller integers fill an int.
    if (argument.type->isIntegerTy() &&
        argument.type->getIntegerBitWidth() < 32)
      argument.extension = argument.type->isIntegerTy(1)
                               ? llvm::Attribute::ZExt
                               : llvm::Attribute::SExt;
    list.push_back(std::move(argument));
    if (!parameter->isArray || parameter->result)
      continue;
    for (Attribute extent : parameter->shape)
      if (auto name = dyn_cast<StringAttr>(extent))
        list.push_back({name.str(), b.getInt64Ty()});
  }
  SmallVector<llvm::Type *> types;
  for (const Argument &argument : list)
    types.push_back(argument.type);
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(frames.pointerType, types, /*isVarArg=*/false),
      llvm::GlobalValue::ExternalLinkage, signature.name, module);
  for (auto [i, argument] : llvm::enumerate(list)) {
    if (argument.extension != llvm::Attribute::None)
      function->addParamAttr(i, argument.extension);
    arguments[argument.name] = function->getArg(i);
  }
  return function;
}

/// An extent, where all numbers are those of arrays: none is negative.
llvm::Value *Wrapper::evaluate(Attribute extent) {
  if (auto number = dyn_cast<IntegerAttr>(extent))
    return b.getInt64(number.getInt());
  if (auto name = dyn_cast<StringAttr>(extent)) {
    int64_t number;
    if (!name.getValue().getAsInteger(10, number))
      return b.getInt64(number);
    return b.CreateSExtOrTrunc(arguments.lookup(name), b.getInt64Ty());
  }
  auto tree = cast<ArrayAttr>(extent);
  StringRef op = cast<StringAttr>(tree[0]);
  llvm::Value *value = evaluate(tree[1]);
  for (Attribute operand : tree.getValue().drop_front(2)) {
    llvm::Value *next = evaluate(operand);
    if (op == "+")
      value = b.CreateAdd(value, next);
    else if (op == "-")
      value = b.CreateSub(value, next);
    else if (op == "*")
      value = b.CreateMul(value, next);
    else if (op == "mod")
      value = b.CreateSRem(value, next);
    else if (op == "floordiv")
      value = b.CreateSDiv(value, next);
    else if (op == "ceildiv")
      value = b.CreateSDiv(b.CreateAdd(value, b.CreateSub(next, b.getInt64(1))),
                           next);
    else if (op == "min")
      value = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value, next);
    else if (op == "max")
      value = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, next);
    else
      llvm_unreachable("an operator that launch manifests do not have");
  }
  return value;
}

/// The same bits as `type`, which the lowering may have chosen.
llvm::Value *Wrapper::convert(llvm::Value *value, llvm::Type *type) {
  return value->getType() == type ? value : b.CreateBitCast(value, type);
}

/// Two pointers, an offset, extents and strides.
void Wrapper::appendDescriptor(const CParameter &parameter,
                               SmallVectorImpl<llvm::Value *> &operands) {
  llvm::Value *data = arguments.lookup(parameter.name);
  operands.append({data, data, b.getInt64(0)});
  SmallVector<llvm::Value *> strides;
  llvm::Value *stride = b.getInt64(1);
  SmallVector<llvm::Value *> extents;
  for (Attribute extent : parameter.shape)
    extents.push_back(evaluate(extent));
  for (llvm::Value *extent : llvm::reverse(extents)) {
    strides.push_back(stride);
    stride = b.CreateMul(stride, extent);
  }
  llvm::append_range(operands, extents);
  llvm::append_range(operands, llvm::reverse(strides));
}

void Wrapper::callTarget() {
  SmallVector<llvm::Value *> operands;
  for (const CParameter &parameter : signature.parameters) {
    if (parameter.isArray)
      appendDescriptor(parameter, operands);
    else
      operands.push_back(convert(arguments.lookup(parameter.name),
                                 target->getArg(operands.size())->getType()));
  }
  llvm::Value *result = b.CreateCall(target, operands);
  for (auto [i, parameter] : llvm::enumerate(signature.returned)) {
    llvm::Value *value = signature.returned.size() == 1
                             ? result
                             : b.CreateExtractValue(result, i);
    if (value->getType()->isIntegerTy(1))
      value = b.CreateZExt(value, b.getInt8Ty());
    b.CreateStore(value, arguments.lookup(parameter.name));
  }
}

void Wrapper::add() {
  target = module.getFunction(getRenamedSymbol(signature.name));
  llvm::Function *function = declare();
  llvm::LLVMContext &context = module.getContext();
  auto *entry = llvm::BasicBlock::Create(context, "entry", function);
  auto *run = llvm::BasicBlock::Create(context, "run", function);
  auto *failed = llvm::BasicBlock::Create(context, "failed", function);
  auto *leave = llvm::BasicBlock::Create(context, "leave", function);
  b.SetInsertPoint(entry);
  llvm::AllocaInst *frame = b.CreateAlloca(frames.frameType);
  frame->setAlignment(llvm::Align(16));
  llvm::Value *message = frames.getField(b, frame, Frames::Message);
  auto *null = llvm::ConstantPointerNull::get(frames.pointerType);
  b.CreateStore(null, message);
  b.CreateStore(null, frames.getField(b, frame, Frames::Blocks));
  llvm::Value *previous = frames.getField(b, frame, Frames::Previous);
  b.CreateStore(b.CreateLoad(frames.pointerType, frames.current), previous);
  b.CreateStore(frame, frames.current);
  llvm::FunctionCallee setjmp =
      module.getOrInsertFunction("_setjmp", b.getInt32Ty(), frames.pointerType);
  cast<llvm::Function>(setjmp.getCallee())
      ->addFnAttr(llvm::Attribute::ReturnsTwice);
  llvm::CallInst *status =
      b.CreateCall(setjmp, frames.getField(b, frame, Frames::Registers));
  status->addFnAttr(llvm::Attribute::ReturnsTwice);
  b.CreateCondBr(b.CreateIsNull(status), run, failed);
  b.SetInsertPoint(run);
  callTarget();
  b.CreateBr(leave);
  b.SetInsertPoint(failed);
  frames.freeBlocks(b, frame, leave);
  b.SetInsertPoint(leave);
  b.CreateStore(b.CreateLoad(frames.pointerType, previous), frames.current);
  b.CreateRet(b.CreateLoad(frames.pointerType, message));
}

void mlir::scan::addCWrappers(llvm::Module &module,
                              ArrayRef<CSignature> signatures) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  Frames frames(module);
  frames.defineFailures();
  frames.defineMemory();
  for (const CSignature &signature : signatures)
    Wrapper(module, frames, signature).add();
}
