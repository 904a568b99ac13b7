//===- KernelEntry.cpp - What a launch has to know of a kernel ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPUToFibers.h"
#include "Scan/Pipelines/Passes.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;
using namespace mlir::scan::emulator;

/// A constant struct or array of `fields` at the position of `builder`.
static Value createAggregate(OpBuilder &builder, Location loc, Type type,
                             ArrayRef<Value> fields) {
  Value value = LLVM::PoisonOp::create(builder, loc, type);
  for (auto [i, field] : llvm::enumerate(fields))
    value = LLVM::InsertValueOp::create(builder, loc, value, field, i);
  return value;
}

/// A constant `name` in `module`, whose value `build` makes.
static LLVM::GlobalOp
createConstant(ModuleOp module, Location loc, StringRef name, Type type,
               LLVM::Linkage linkage,
               function_ref<Value(OpBuilder &builder)> build) {
  OpBuilder builder(module.getBody(), module.getBody()->end());
  auto global = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                       linkage, name, Attribute());
  builder.createBlock(&global.getInitializer());
  LLVM::ReturnOp::create(builder, loc, build(builder));
  return global;
}

/// The same for an array of structs, each of which `build` makes by its number.
/// Returns null if there are none.
static LLVM::GlobalOp
createTable(ModuleOp module, Location loc, StringRef name, Type element,
            size_t count,
            function_ref<Value(OpBuilder &builder, size_t)> build) {
  if (count == 0)
    return nullptr;
  auto type = LLVM::LLVMArrayType::get(element, count);
  return createConstant(module, loc, name, type, LLVM::Linkage::Internal,
                        [&](OpBuilder &builder) {
                          SmallVector<Value> values;
                          for (size_t i = 0; i < count; ++i)
                            values.push_back(build(builder, i));
                          return createAggregate(builder, loc, type, values);
                        });
}

static Value constant(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), value);
}

/// Adds `void <name>.entry(ptr arguments)`, which calls `function` with the
/// arguments that an array points to.
static LLVM::LLVMFuncOp createEntry(LLVM::LLVMFuncOp function) {
  Location loc = function.getLoc();
  MLIRContext *context = function.getContext();
  OpBuilder builder(context);
  builder.setInsertionPointAfter(function);
  auto pointer = LLVM::LLVMPointerType::get(context);
  auto entry = LLVM::LLVMFuncOp::create(
      builder, loc, (function.getName() + ".entry").str(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), {pointer}),
      LLVM::Linkage::Internal);
  Block *body = entry.addEntryBlock(builder);
  builder.setInsertionPointToStart(body);
  SmallVector<Value> arguments;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    Value slot = LLVM::GEPOp::create(
        builder, loc, pointer, pointer, body->getArgument(0),
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    Value address = LLVM::LoadOp::create(builder, loc, pointer, slot);
    arguments.push_back(LLVM::LoadOp::create(builder, loc, type, address));
  }
  LLVM::CallOp::create(builder, loc, function, arguments);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  return entry;
}

LLVM::GlobalOp
mlir::scan::emulator::createGlobalTable(ModuleOp module,
                                        ArrayRef<LLVM::GlobalOp> globals) {
  Type pointer = LLVM::LLVMPointerType::get(module.getContext());
  Type i64 = IntegerType::get(module.getContext(), 64);
  // struct GlobalBuffer of FiberRuntime.h
  auto type = LLVM::LLVMStructType::getLiteral(module.getContext(),
                                               {pointer, i64, pointer});
  Location loc = module.getLoc();
  SmallVector<LLVM::GlobalOp> names;
  for (auto [i, global] : llvm::enumerate(llvm::to_vector(globals)))
    names.push_back(
        createString(module, "scan_emulator.global." + std::to_string(i),
                     getNameBeforeRenaming(global.getSymName()), loc));
  return createTable(
      module, loc, "scan_emulator.globals", type, globals.size(),
      [&](OpBuilder &builder, size_t i) {
        LLVM::GlobalOp global = globals[i];
        int64_t bytes =
            DataLayout().getTypeSize(global.getGlobalType()).getFixedValue();
        return createAggregate(
            builder, loc, type,
            {LLVM::AddressOfOp::create(builder, loc, global),
             constant(builder, loc, bytes),
             LLVM::AddressOfOp::create(builder, loc, names[i])});
      });
}

/// struct KernelArgument of FiberRuntime.h, one for each of the function's.
static std::pair<LLVM::GlobalOp, int64_t>
createArgumentTable(ModuleOp module, Location loc, const KernelInfo &kernel) {
  Type pointer = LLVM::LLVMPointerType::get(module.getContext());
  Type i64 = IntegerType::get(module.getContext(), 64);
  auto type =
      LLVM::LLVMStructType::getLiteral(module.getContext(), {i64, pointer});
  // Of a memref only the second pointer, to where its elements start.
  SmallVector<std::pair<int64_t, LLVM::GlobalOp>> entries;
  for (auto [i, argument] : llvm::enumerate(kernel.arguments)) {
    LLVM::GlobalOp name;
    if (argument.pointers != 0 && !argument.name.empty())
      name = createString(module, kernel.name + ".arg" + std::to_string(i),
                          argument.name, loc);
    for (unsigned k = 0; k < argument.count; ++k) {
      const bool counts = k + 1 == argument.pointers;
      entries.push_back({counts ? static_cast<int64_t>(i) : -1,
                         counts ? name : LLVM::GlobalOp()});
    }
  }
  LLVM::GlobalOp table = createTable(
      module, loc, kernel.name + ".arguments", type, entries.size(),
      [&](OpBuilder &builder, size_t i) {
        Value name =
            entries[i].second
                ? LLVM::AddressOfOp::create(builder, loc, entries[i].second)
                      .getResult()
                : LLVM::ZeroOp::create(builder, loc, pointer).getResult();
        return createAggregate(
            builder, loc, type,
            {constant(builder, loc, entries[i].first), name});
      });
  return {table, entries.size()};
}

void mlir::scan::emulator::addKernelEntry(ModuleOp module,
                                          const KernelInfo &kernel,
                                          LLVM::GlobalOp globals,
                                          size_t numGlobals) {
  MLIRContext *context = module.getContext();
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kernel.name);
  Location loc = function.getLoc();
  LLVM::LLVMFuncOp entry = createEntry(function);
  auto pointer = LLVM::LLVMPointerType::get(context);
  Type i64 = IntegerType::get(context, 64);
  LLVM::GlobalOp name =
      createString(module, kernel.name + ".name", kernel.launchName, loc);

  // struct SharedBuffer of FiberRuntime.h
  auto sharedType = LLVM::LLVMStructType::getLiteral(context, {i64, i64});
  LLVM::GlobalOp shared = createTable(
      module, loc, kernel.name + ".shared", sharedType,
      kernel.sharedBuffers.size(), [&](OpBuilder &builder, size_t i) {
        return createAggregate(
            builder, loc, sharedType,
            {constant(builder, loc, kernel.sharedBuffers[i].offset),
             constant(builder, loc, kernel.sharedBuffers[i].bytes)});
      });
  std::pair<LLVM::GlobalOp, int64_t> arguments =
      createArgumentTable(module, loc, kernel);

  // struct KernelDescriptor of FiberRuntime.h
  auto sizes = LLVM::LLVMArrayType::get(IntegerType::get(context, 32), 3);
  auto type = LLVM::LLVMStructType::getLiteral(
      context, {pointer, pointer, i64, sizes, i64, pointer, i64, pointer, i64,
                pointer, i64});
  createConstant(
      module, loc, kernel.name + kKernelSuffix.str(), type,
      LLVM::Linkage::External, [&](OpBuilder &builder) {
        auto address = [&](LLVM::GlobalOp table) -> Value {
          if (!table)
            return LLVM::ZeroOp::create(builder, loc, pointer);
          return LLVM::AddressOfOp::create(builder, loc, table);
        };
        Value known = LLVM::ConstantOp::create(
            builder, loc, sizes,
            builder.getI32TensorAttr(ArrayRef<int32_t>(kernel.knownBlockSize)));
        return createAggregate(
            builder, loc, type,
            {LLVM::AddressOfOp::create(builder, loc, entry), address(name),
             constant(builder, loc, kernel.sharedBytes), known,
             constant(builder, loc, kernel.sharedLayoutBytes), address(shared),
             constant(builder, loc, kernel.sharedBuffers.size()),
             address(arguments.first), constant(builder, loc, arguments.second),
             address(globals), constant(builder, loc, numGlobals)});
      });
}
