//===- GPUToFibers.h - Parts of --convert-gpu-to-fibers ---------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_EMULATOR_GPUTOFIBERS_H
#define SCAN_LIB_EXECUTION_EMULATOR_GPUTOFIBERS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace mlir {
class LLVMTypeConverter;
class RewritePatternSet;

namespace scan::emulator {

/// The functions of the runtime that kernels and hosts call; the C++ side is
/// RuntimeCalls.cpp.
enum class RuntimeCall {
  ThreadId,
  BlockId,
  BlockDim,
  GridDim,
  LinearThreadId,
  SharedMemory,
  DynamicSharedMemory,
  DynamicSharedBytes,
  Barrier,
  Shuffle,
  Step,
  Launch
};

/// Declares all functions of the runtime in `module`.
void declareRuntimeCalls(ModuleOp module);

/// Removes the declarations of those that nothing calls.
void eraseUnusedRuntimeCalls(ModuleOp module);

/// Builds a call of a function that `declareRuntimeCalls` declared.
LLVM::CallOp callRuntime(OpBuilder &builder, Location loc, RuntimeCall callee,
                         ValueRange arguments);

/// The attribute that names the string which identifies a barrier or shuffle.
constexpr llvm::StringLiteral kSiteAttr = "scan_emulator.site";

/// Makes the strings that tell barriers, shuffles and loops apart at run time
/// and name them in messages.
class SiteTable {
public:
  explicit SiteTable(ModuleOp module) : module(module) {}
  /// A string that says that a `kind` of thing is at `loc`. Each call makes one
  /// with an address of its own.
  FlatSymbolRefAttr create(llvm::StringRef kind, Location loc);

private:
  ModuleOp module;
  unsigned count = 0;
};

/// A null-terminated string in `module` with the name `name`.
LLVM::GlobalOp createString(ModuleOp module, llvm::StringRef name,
                            llvm::StringRef text, Location loc);

/// The address of such a string.
Value getSiteAddress(OpBuilder &builder, Location loc, FlatSymbolRefAttr site);

/// A kernel that was in a `gpu.module` and is now a function of the module.
struct KernelInfo {
  /// Its name now; the descriptor is the symbol of this name with the suffix
  /// `kKernelSuffix`.
  std::string name;
  /// "module::function", as the launch says it.
  std::string launchName;
  int64_t sharedBytes = 0;
  int32_t knownBlockSize[3] = {0, 0, 0};
  /// Whether memrefs are passed as one pointer each, or as descriptors.
  bool barePointers = true;
};
constexpr llvm::StringLiteral kKernelSuffix = ".kernel";

/// By the symbol that launches refer to.
using KernelMap = llvm::MapVector<Attribute, KernelInfo>;

/// Checks that the emulator knows all that the `gpu.module`s in `module` hold
/// and how the host launches it. An error names the first op that is unknown.
LogicalResult checkSupported(ModuleOp module);

/// Adds the patterns for operations of the gpu dialect in kernels, and for
/// `gpu.launch_func` in hosts.
void populateGPUOpPatterns(const LLVMTypeConverter &converter,
                           const KernelMap &kernels,
                           RewritePatternSet &patterns);

} // namespace scan::emulator
} // namespace mlir

#endif // SCAN_LIB_EXECUTION_EMULATOR_GPUTOFIBERS_H
