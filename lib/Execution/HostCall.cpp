//===- HostCall.cpp - Calls of compiled functions with arrays -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Execution/HostCall.h"
#include "Scan/Pipelines/Passes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include <chrono>
#include <cstddef>
#include <cstring>

using namespace mlir;
using namespace mlir::scan;

//===----------------------------------------------------------------------===//
// Signature
//===----------------------------------------------------------------------===//

/// Whether an array can be passed as, or taken from, a memref of this type:
/// results may have any strides, arguments are dense.
static bool hasUsableLayout(MemRefType type, bool isArgument) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return false;
  if (!isArgument)
    return true;
  int64_t dense = 1;
  for (auto [extent, stride] :
       llvm::reverse(llvm::zip_equal(type.getShape(), strides))) {
    if (!ShapedType::isDynamic(stride) && stride != dense)
      return false;
    dense = ShapedType::isDynamic(extent) || ShapedType::isDynamic(dense)
                ? ShapedType::kDynamic
                : dense * extent;
  }
  return offset == 0 || ShapedType::isDynamic(offset);
}

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
  auto asTensor = [&](Type type, bool isArgument) -> Type {
    auto memref = dyn_cast<MemRefType>(type);
    if (!acceptMemRefs || !memref || !hasUsableLayout(memref, isArgument))
      return type;
    return RankedTensorType::get(memref.getShape(), memref.getElementType());
  };
  auto check = [&](Type type, StringRef kind, unsigned i) -> LogicalResult {
    Type element = asTensor(type, kind == "argument");
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
    call.arguments.push_back(asTensor(type, /*isArgument=*/true));
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    if (failed(check(type, "result", i)))
      return failure();
    call.results.push_back(asTensor(type, /*isArgument=*/false));
  }
  return call;
}

FailureOr<HostCall> HostCall::restore(StringRef entry, Location loc,
                                      FunctionType type, ResultLayout layout) {
  HostCall call(entry, loc);
  for (Type part :
       llvm::concat<const Type>(type.getInputs(), type.getResults())) {
    auto tensor = dyn_cast<RankedTensorType>(part);
    if (!getElementByteSize(tensor ? tensor.getElementType() : part))
      return emitError(loc)
             << "expected ranked tensors and scalars, found " << part;
  }
  llvm::append_range(call.arguments, type.getInputs());
  llvm::append_range(call.results, type.getResults());
  bool fits = layout.offsets.size() == call.results.size();
  for (auto [result, offset] : llvm::zip(call.results, layout.offsets)) {
    // As a memref descriptor, or the value.
    auto tensor = dyn_cast<RankedTensorType>(result);
    size_t size = tensor ? (3 + 2 * tensor.getRank()) * sizeof(int64_t)
                         : *getElementByteSize(result);
    fits &= offset <= layout.bytes && size <= layout.bytes - offset;
  }
  if (!fits)
    return emitError(loc) << "the layout of the results of '" << entry
                          << "' is not one of " << type;
  call.layout = std::move(layout);
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
  llvm::Function *target = module.getFunction(getRenamedSymbol(entry));
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  llvm::LLVMContext &context = module.getContext();
  const llvm::DataLayout &dataLayout = module.getDataLayout();
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
  llvm::CallInst *result = builder.CreateCall(target, operands);
  // A call costs less than it takes to make the body a part of this function.
  result->setIsNoInline();
  llvm::Type *resultType = target->getReturnType();
  if (!resultType->isVoidTy()) {
    builder.CreateStore(result, trampoline->getArg(1));
    layout.bytes = dataLayout.getTypeAllocSize(resultType);
    layout.offsets.assign(1, 0);
    if (results.size() > 1) {
      layout.offsets.clear();
      const llvm::StructLayout *structLayout =
          dataLayout.getStructLayout(llvm::cast<llvm::StructType>(resultType));
      for (unsigned i = 0; i < results.size(); ++i)
        layout.offsets.push_back(structLayout->getElementOffset(i));
    }
  }
  builder.CreateRetVoid();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

LogicalResult HostCall::call(void *address, HostRuntime &runtime,
                             ArrayRef<HostArray> inputs,
                             SmallVectorImpl<HostArray> &outputs,
                             double &seconds) const {
  SmallVector<ArrayView> views = llvm::map_to_vector(inputs, ArrayView::get);
  auto receive = [&](CallResults &results) {
    for (const ArrayView &result : results.getViews())
      outputs.push_back(copyToHostArray(result));
    return success();
  };
  return call(address, runtime, views, receive, seconds);
}

LogicalResult HostCall::call(void *address, HostRuntime &runtime,
                             ArrayRef<ArrayView> inputs, ResultReceiver receive,
                             double &seconds) const {
  // Every field of every descriptor, in order; words hold pointers and indices.
  // Their number is known beforehand: addresses of words must not change.
  size_t numWords = 0;
  for (const ArrayView &input : inputs)
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
    const char *data = input.data ? input.data : nothing;
    if (!isa<RankedTensorType>(type)) {
      slots.push_back(data);
      continue;
    }
    addWord(reinterpret_cast<intptr_t>(data));
    addWord(reinterpret_cast<intptr_t>(data));
    addWord(0);
    for (int64_t extent : input.shape)
      addWord(extent);
    // Those of dimensions without neighbours may be anything.
    for (int64_t stride :
         input.isDense() ? getDenseStrides(input.shape) : input.strides)
      addWord(stride);
  }

  SmallVector<int64_t> storage(layout.bytes / sizeof(int64_t) + 1);
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
  CallResults views(runtime);
  status = getResults(result, views);
  if (succeeded(status) && runtime.isChecked()) {
    std::string wrong = runtime.describeMemoryErrors(views.blocks);
    if (!wrong.empty())
      status = emitError(loc) << "'" << entry << "' " << wrong;
  }
  if (succeeded(status))
    status = receive(views);
  runtime.releaseAll();
  return status;
}

LogicalResult HostCall::getResults(const char *result,
                                   CallResults &found) const {
  for (auto [type, offset] : llvm::zip_equal(results, layout.offsets)) {
    const char *fields = result + offset;
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor) {
      found.views.push_back({type, {}, {}, fields});
      found.blocks.push_back(nullptr);
      continue;
    }
    int64_t rank = tensor.getRank();
    // As C sees a memref descriptor: two pointers, then numbers.
    void *block = nullptr;
    const char *data = nullptr;
    std::memcpy(static_cast<void *>(&block), fields, sizeof(block));
    std::memcpy(static_cast<void *>(&data), fields + sizeof(block),
                sizeof(data));
    SmallVector<int64_t> numbers(1 + 2 * rank);
    std::memcpy(numbers.data(), fields + 2 * sizeof(block),
                numbers.size() * sizeof(int64_t));
    ArrayRef<int64_t> shape = ArrayRef(numbers).slice(1, rank);
    ArrayRef<int64_t> strides = ArrayRef(numbers).slice(1 + rank, rank);
    Type element = tensor.getElementType();
    std::optional<int64_t> bytes = getByteSize(element, shape);
    if (!bytes || *bytes > getMemoryLimit())
      return emitError(loc)
             << "'" << entry << "' failed: a result of shape "
             << describeArray(element, shape) << " does not fit into memory";
    found.views.push_back({element, SmallVector<int64_t>(shape),
                           SmallVector<int64_t>(strides),
                           data + numbers[0] * *getElementByteSize(element)});
    found.blocks.push_back(block);
  }
  return success();
}

HostBlock CallResults::take(size_t index) {
  const ArrayView &view = views[index];
  if (!blocks[index] || !view.isDense() ||
      reinterpret_cast<uintptr_t>(view.data) % alignof(std::max_align_t) != 0)
    return nullptr;
  // Alignment and reuse make blocks a little larger than what lies in them.
  size_t bytes = *getByteSize(view.elementType, view.shape);
  return runtime.detach(blocks[index], bytes + bytes / 2 + 4096);
}
