//===- RuntimeInterface.cpp - Calls of the runtime in the IR --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPUToFibers.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::scan::emulator;

static StringRef getName(RuntimeCall call) {
  switch (call) {
  case RuntimeCall::ThreadId:
    return "scan_emulator_thread_id";
  case RuntimeCall::BlockId:
    return "scan_emulator_block_id";
  case RuntimeCall::BlockDim:
    return "scan_emulator_block_dim";
  case RuntimeCall::GridDim:
    return "scan_emulator_grid_dim";
  case RuntimeCall::LinearThreadId:
    return "scan_emulator_linear_thread_id";
  case RuntimeCall::SharedMemory:
    return "scan_emulator_shared_memory";
  case RuntimeCall::DynamicSharedMemory:
    return "scan_emulator_dynamic_shared_memory";
  case RuntimeCall::DynamicSharedBytes:
    return "scan_emulator_dynamic_shared_bytes";
  case RuntimeCall::Barrier:
    return "scan_emulator_barrier";
  case RuntimeCall::Shuffle:
    return "scan_emulator_shuffle";
  case RuntimeCall::SyncWarp:
    return "scan_emulator_sync_warp";
  case RuntimeCall::Step:
    return "scan_emulator_step";
  case RuntimeCall::Launch:
    return "scan_emulator_launch";
  case RuntimeCall::Access:
    return "scan_emulator_access";
  case RuntimeCall::AccessIf:
    return "scan_emulator_access_if";
  case RuntimeCall::AccessRange:
    return "scan_emulator_access_range";
  case RuntimeCall::AtomicAccess:
    return "scan_emulator_atomic_access";
  case RuntimeCall::Fence:
    return "scan_emulator_fence";
  case RuntimeCall::HostWrite:
    return "scan_emulator_host_write";
  case RuntimeCall::AsyncCopy:
    return "scan_emulator_async_copy";
  case RuntimeCall::AsyncGroup:
    return "scan_emulator_async_group";
  case RuntimeCall::AsyncWait:
    return "scan_emulator_async_wait";
  case RuntimeCall::MBarrierInit:
    return "scan_emulator_mbarrier_init";
  case RuntimeCall::MBarrierArrive:
    return "scan_emulator_mbarrier_arrive";
  case RuntimeCall::MBarrierWait:
    return "scan_emulator_mbarrier_wait";
  case RuntimeCall::BulkCopy:
    return "scan_emulator_bulk_copy";
  case RuntimeCall::ProxyFence:
    return "scan_emulator_proxy_fence";
  case RuntimeCall::DivisionFails:
    return "scan_emulator_division_fails";
  case RuntimeCall::BeginPrivate:
    return "scan_emulator_begin_private";
  case RuntimeCall::EndPrivate:
    return "scan_emulator_end_private";
  }
  llvm_unreachable("unknown runtime call");
}

static constexpr RuntimeCall kAllCalls[] = {RuntimeCall::ThreadId,
                                            RuntimeCall::BlockId,
                                            RuntimeCall::BlockDim,
                                            RuntimeCall::GridDim,
                                            RuntimeCall::LinearThreadId,
                                            RuntimeCall::SharedMemory,
                                            RuntimeCall::DynamicSharedMemory,
                                            RuntimeCall::DynamicSharedBytes,
                                            RuntimeCall::Barrier,
                                            RuntimeCall::Shuffle,
                                            RuntimeCall::SyncWarp,
                                            RuntimeCall::Step,
                                            RuntimeCall::Launch,
                                            RuntimeCall::Access,
                                            RuntimeCall::AccessIf,
                                            RuntimeCall::AccessRange,
                                            RuntimeCall::AtomicAccess,
                                            RuntimeCall::Fence,
                                            RuntimeCall::HostWrite,
                                            RuntimeCall::AsyncCopy,
                                            RuntimeCall::AsyncGroup,
                                            RuntimeCall::AsyncWait,
                                            RuntimeCall::MBarrierInit,
                                            RuntimeCall::MBarrierArrive,
                                            RuntimeCall::MBarrierWait,
                                            RuntimeCall::BulkCopy,
                                            RuntimeCall::ProxyFence,
                                            RuntimeCall::DivisionFails,
                                            RuntimeCall::BeginPrivate,
                                            RuntimeCall::EndPrivate};

/// Whether equal calls of one thread have equal results and no effect.
static bool isPureCall(RuntimeCall call) { return call < RuntimeCall::Barrier; }

/// Whether the call notes something and touches no memory of the program, so
/// that the optimiser need not keep every access in its place.
static bool isInstrumentation(RuntimeCall call) {
  return call == RuntimeCall::Access || call == RuntimeCall::AccessIf ||
         call == RuntimeCall::AccessRange || call == RuntimeCall::HostWrite ||
         call == RuntimeCall::BeginPrivate || call == RuntimeCall::EndPrivate;
}

static LLVM::LLVMFunctionType getFunctionType(RuntimeCall call,
                                              MLIRContext *context) {
  Type none = LLVM::LLVMVoidType::get(context);
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i32 = IntegerType::get(context, 32);
  Type i64 = IntegerType::get(context, 64);
  auto function = [](Type result, ArrayRef<Type> arguments) {
    return LLVM::LLVMFunctionType::get(result, arguments);
  };
  switch (call) {
  case RuntimeCall::ThreadId:
  case RuntimeCall::BlockId:
  case RuntimeCall::BlockDim:
  case RuntimeCall::GridDim:
    return function(i64, {i32});
  case RuntimeCall::LinearThreadId:
  case RuntimeCall::DynamicSharedBytes:
    return function(i64, {});
  case RuntimeCall::SharedMemory:
  case RuntimeCall::DynamicSharedMemory:
    return function(pointer, {});
  case RuntimeCall::Barrier:
  case RuntimeCall::SyncWarp:
  case RuntimeCall::Step:
  case RuntimeCall::Fence:
  case RuntimeCall::EndPrivate:
    return function(none, {pointer});
  case RuntimeCall::Access:
  case RuntimeCall::AtomicAccess:
    return function(none, {pointer, pointer});
  case RuntimeCall::AccessIf:
  case RuntimeCall::MBarrierInit:
  case RuntimeCall::MBarrierArrive:
  case RuntimeCall::MBarrierWait:
    return function(none, {pointer, pointer, i32});
  case RuntimeCall::DivisionFails:
    return function(none, {pointer, i32});
  case RuntimeCall::AccessRange:
  case RuntimeCall::BeginPrivate:
    return function(none, {pointer, pointer, i64});
  case RuntimeCall::HostWrite:
    return function(none, {pointer, i64});
  case RuntimeCall::AsyncCopy:
    return function(none, {pointer, pointer, pointer, pointer, i64, i64});
  case RuntimeCall::BulkCopy:
    return function(none, {pointer, pointer, pointer, pointer, pointer, i32});
  case RuntimeCall::AsyncGroup:
  case RuntimeCall::ProxyFence:
    return function(none, {});
  case RuntimeCall::AsyncWait:
    return function(none, {i64});
  case RuntimeCall::Shuffle:
    return function(LLVM::LLVMStructType::getLiteral(context, {i64, i64}),
                    {pointer, i32, i64, i32, i32});
  case RuntimeCall::Launch:
    return function(none,
                    {pointer, i64, i64, i64, i64, i64, i64, i64, pointer});
  }
  llvm_unreachable("unknown runtime call");
}

LogicalResult mlir::scan::emulator::declareRuntimeCalls(ModuleOp module) {
  SymbolTable symbols(module);
  for (RuntimeCall call : kAllCalls)
    if (Operation *taken = symbols.lookup(getName(call)))
      return emitError(taken->getLoc())
             << "expected no symbol called '" << getName(call)
             << "', a function of the emulator's run-time library; rename it";
  OpBuilder builder(module.getBody(), module.getBody()->begin());
  MLIRContext *context = module.getContext();
  for (RuntimeCall call : kAllCalls) {
    auto function =
        LLVM::LLVMFuncOp::create(builder, module.getLoc(), getName(call),
                                 getFunctionType(call, context));
    function.setNoUnwind(true);
    // Other memory, that of arguments, and what the program cannot access.
    SmallVector<LLVM::ModRefInfo, 6> effects(6, LLVM::ModRefInfo::NoModRef);
    if (isPureCall(call))
      function.setWillReturn(true);
    else if (isInstrumentation(call))
      effects[2] = LLVM::ModRefInfo::ModRef;
    else
      continue;
    function.setMemoryEffectsAttr(
        LLVM::MemoryEffectsAttr::get(context, effects));
  }
  return success();
}

void mlir::scan::emulator::eraseUnusedRuntimeCalls(ModuleOp module) {
  llvm::StringSet<> used;
  module.walk([&](LLVM::CallOp call) {
    if (std::optional<StringRef> callee = call.getCallee())
      used.insert(*callee);
  });
  for (RuntimeCall call : kAllCalls)
    if (!used.contains(getName(call)))
      if (Operation *declaration = module.lookupSymbol(getName(call)))
        declaration->erase();
}

LLVM::CallOp mlir::scan::emulator::callRuntime(OpBuilder &builder, Location loc,
                                               RuntimeCall callee,
                                               ValueRange arguments) {
  return LLVM::CallOp::create(builder, loc,
                              getFunctionType(callee, builder.getContext()),
                              getName(callee), arguments);
}

LLVM::GlobalOp mlir::scan::emulator::createString(ModuleOp module,
                                                  StringRef name,
                                                  StringRef text,
                                                  Location loc) {
  OpBuilder builder(module.getBody(), module.getBody()->begin());
  std::string bytes = text.str();
  bytes.push_back('\0');
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
  return LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                LLVM::Linkage::Internal, name,
                                builder.getStringAttr(bytes));
}

FlatSymbolRefAttr SiteTable::create(StringRef kind, Location loc) {
  std::string text = kind.str();
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    llvm::raw_string_ostream(text)
        << " at " << file.getFilename().strref() << ":" << file.getLine() << ":"
        << file.getColumn();
  std::string name = "scan_emulator.site." + std::to_string(count++);
  return FlatSymbolRefAttr::get(createString(module, name, text, loc));
}

Value mlir::scan::emulator::getSiteAddress(OpBuilder &builder, Location loc,
                                           FlatSymbolRefAttr site) {
  return LLVM::AddressOfOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
      site.getValue());
}
