//===- HostCall.cpp - Calls of compiled functions with arrays -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Execution/HostCall.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include <chrono>
#include <cstring>

using namespace mlir;
using namespace mlir::scan;

//===----------------------------------------------------------------------===//
// Signature
//===----------------------------------------------------------------------===//

FailureOr<HostCall> HostCall::get(ModuleOp module, StringRef entry,
                                  bool acceptMemRefs) {
  auto function = module.lookupSymbol<FunctionOpInterface>(entry);
  if (!function) {
    InFlightDiagnostic diagnostic =
        emitError(module.getLoc(), "expected a function named '")
        << entry << "', found ";
    std::string names;
    for (auto other : module.getOps<FunctionOpInterface>())
      names += (names.empty() ? "" : ", ") + other.getName().str();
    return diagnostic << (names.empty() ? "no functions" : names);
  }
  if (function.isExternal())
    return emitError(function->getLoc(), "expected a function with a body, "
                                         "found a declaration of '")
           << entry << "'";
  HostCall call(entry, function->getLoc());
  auto asTensor = [&](Type type) -> Type {
    auto memref = dyn_cast<MemRefType>(type);
    if (!acceptMemRefs || !memref || !memref.getLayout().isIdentity())
      return type;
    return RankedTensorType::get(memref.getShape(), memref.getElementType());
  };
  auto check = [&](Type type, StringRef kind, unsigned i) -> LogicalResult {
    Type element = asTensor(type);
    if (auto tensor = dyn_cast<RankedTensorType>(element))
      element = tensor.getElementType();
    if (getElementByteSize(element))
      return success();
    return emitError(function->getLoc(),
                     "expected a ranked tensor or a scalar as ")
           << kind << " #" << i << " of '" << entry << "', found " << type;
  };
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (failed(check(type, "argument", i)))
      return failure();
    call.arguments.push_back(asTensor(type));
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    if (failed(check(type, "result", i)))
      return failure();
    call.results.push_back(asTensor(type));
  }
  return call;
}

LogicalResult HostCall::checkInputs(ArrayRef<HostArray> inputs) const {
  if (inputs.size() != arguments.size())
    return emitError(loc) << "'" << entry << "' takes " << arguments.size()
                          << " inputs, found " << inputs.size();
  for (auto [i, input] : llvm::enumerate(inputs)) {
    std::string reason;
    if (!isCompatible(input, arguments[i], &reason))
      return emitError(loc)
             << "input #" << i << " of '" << entry << "': " << reason;
  }
  return success();
}

void HostCall::addTrampoline(llvm::Module &module) {
  llvm::Function *target = module.getFunction(entry);
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  llvm::LLVMContext &context = module.getContext();
  const llvm::DataLayout &layout = module.getDataLayout();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                       {pointer, pointer}, /*isVarArg=*/false);
  auto *trampoline = llvm::Function::Create(
      type, llvm::GlobalValue::ExternalLinkage, getTrampolineName(), module);
  llvm::IRBuilder<> builder(
      llvm::BasicBlock::Create(context, "entry", trampoline));
  SmallVector<llvm::Value *> operands;
  for (auto [i, parameter] : llvm::enumerate(target->args())) {
    llvm::Value *slot =
        builder.CreateConstInBoundsGEP1_64(pointer, trampoline->getArg(0), i);
    llvm::Value *address = builder.CreateLoad(pointer, slot);
    operands.push_back(builder.CreateLoad(parameter.getType(), address));
  }
  llvm::Value *result = builder.CreateCall(target, operands);
  llvm::Type *resultType = target->getReturnType();
  if (!resultType->isVoidTy()) {
    builder.CreateStore(result, trampoline->getArg(1));
    resultBytes = layout.getTypeAllocSize(resultType);
    resultOffsets.assign(1, 0);
    if (results.size() > 1) {
      resultOffsets.clear();
      const llvm::StructLayout *structLayout =
          layout.getStructLayout(llvm::cast<llvm::StructType>(resultType));
      for (unsigned i = 0; i < results.size(); ++i)
        resultOffsets.push_back(structLayout->getElementOffset(i));
    }
  }
  builder.CreateRetVoid();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Copies the elements of a strided array to `target` in row-major order.
static void copyDense(const char *source, ArrayRef<int64_t> shape,
                      ArrayRef<int64_t> strides, int64_t elementBytes,
                      char *&target) {
  if (shape.empty()) {
    std::memcpy(target, source, elementBytes);
    target += elementBytes;
    return;
  }
  // The longest run of trailing dimensions that is contiguous in the source.
  int64_t run = 1;
  bool isDense = true;
  for (size_t i = shape.size(); isDense && i-- > 0;) {
    isDense = shape[i] == 1 || strides[i] == run;
    run *= shape[i];
  }
  if (isDense) {
    std::memcpy(target, source, run * elementBytes);
    target += run * elementBytes;
    return;
  }
  for (int64_t i = 0; i < shape.front(); ++i)
    copyDense(source + i * strides.front() * elementBytes, shape.drop_front(),
              strides.drop_front(), elementBytes, target);
}

LogicalResult HostCall::call(void *address, HostRuntime &runtime,
                             ArrayRef<HostArray> inputs,
                             SmallVectorImpl<HostArray> &outputs,
                             double &seconds) const {
  // Every field of every descriptor, in order; words hold pointers and indices.
  // Their number is known beforehand: addresses of words must not change.
  size_t numWords = 0;
  for (const HostArray &input : inputs)
    numWords += 3 + 2 * input.shape.size();
  SmallVector<int64_t> words;
  words.reserve(numWords);
  SmallVector<const void *> slots;
  auto addWord = [&](int64_t word) {
    words.push_back(word);
    slots.push_back(&words.back());
  };
  alignas(64) static char nothing[64];
  for (auto [input, type] : llvm::zip_equal(inputs, arguments)) {
    const char *data = input.data.empty() ? nothing : input.data.data();
    if (!isa<RankedTensorType>(type)) {
      slots.push_back(data);
      continue;
    }
    addWord(reinterpret_cast<intptr_t>(data));
    addWord(reinterpret_cast<intptr_t>(data));
    addWord(0);
    for (int64_t extent : input.shape)
      addWord(extent);
    for (size_t i = 0; i < input.shape.size(); ++i) {
      int64_t stride = 1;
      for (int64_t extent : ArrayRef(input.shape).drop_front(i + 1))
        stride *= extent;
      addWord(stride);
    }
  }

  SmallVector<int64_t> storage(resultBytes / sizeof(int64_t) + 1);
  char *result = reinterpret_cast<char *>(storage.data());
  auto *function =
      reinterpret_cast<void (*)(const void *const *, void *)>(address);
  std::string error;
  auto begin = std::chrono::steady_clock::now();
  LogicalResult status =
      runtime.run([&] { function(slots.data(), result); }, error);
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - begin;
  seconds = elapsed.count();
  if (failed(status))
    return emitError(loc) << "'" << entry << "' failed: " << error;

  for (auto [type, offset] : llvm::zip_equal(results, resultOffsets)) {
    const char *fields = result + offset;
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor) {
      HostArray output = HostArray::zeros(type, {});
      std::memcpy(output.data.data(), fields, output.data.size());
      outputs.push_back(std::move(output));
      continue;
    }
    SmallVector<int64_t> descriptor(3 + 2 * tensor.getRank());
    std::memcpy(descriptor.data(), fields, descriptor.size() * sizeof(int64_t));
    ArrayRef<int64_t> shape = ArrayRef(descriptor).slice(3, tensor.getRank());
    ArrayRef<int64_t> strides =
        ArrayRef(descriptor).slice(3 + tensor.getRank(), tensor.getRank());
    std::optional<int64_t> bytes = getByteSize(tensor.getElementType(), shape);
    if (!bytes || *bytes > getMemoryLimit()) {
      runtime.releaseAll();
      return emitError(loc) << "'" << entry << "' failed: a result of shape "
                            << describeArray(tensor.getElementType(), shape)
                            << " does not fit into memory";
    }
    HostArray output = HostArray::zeros(tensor.getElementType(), shape);
    if (*bytes != 0) {
      int64_t elementBytes = *getElementByteSize(tensor.getElementType());
      char *target = output.data.data();
      copyDense(reinterpret_cast<const char *>(descriptor[1]) +
                    descriptor[2] * elementBytes,
                shape, strides, elementBytes, target);
    }
    outputs.push_back(std::move(output));
  }
  runtime.releaseAll();
  return success();
}
