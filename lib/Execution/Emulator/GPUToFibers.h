//===- GPUToFibers.h - Parts of --convert-gpu-to-fibers ---------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_EMULATOR_GPUTOFIBERS_H
#define SCAN_LIB_EXECUTION_EMULATOR_GPUTOFIBERS_H

#include "AccessSite.h"
#include "FiberRuntime.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace mlir {
class LLVMTypeConverter;
class RewritePatternSet;
namespace gpu {
class GPUModuleOp;
} // namespace gpu

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
  SyncWarp,
  Step,
  Launch,
  Access,
  AccessIf,
  AccessRange,
  AtomicAccess,
  Fence,
  HostWrite,
  AsyncCopy,
  AsyncGroup,
  AsyncWait,
  MBarrierInit,
  MBarrierArrive,
  MBarrierWait,
  BulkCopy,
  ProxyFence,
  DivisionFails,
  BeginPrivate,
  EndPrivate
};

/// Declares all functions of the runtime in `module`.
LogicalResult declareRuntimeCalls(ModuleOp module);

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

/// Marks the locations of all operations that are checked at run time, accesses
/// to memory and divisions, with their names.
void markCheckedOps(gpu::GPUModuleOp gpuModule);

/// The name that the location of `op` was marked with; that of `op` itself if
/// it was not.
StringRef getOriginalName(Operation *op);

/// Adds calls of the runtime where an integer division of `function` has no
/// result.
void checkDivisions(LLVM::LLVMFuncOp function, SiteTable &sites);

/// What the locations of private attributions are marked with, before a number.
constexpr llvm::StringLiteral kPrivateBuffer = "private buffer #";

/// Private memory lies on the stack of a thread's fiber.
class PrivateMemory {
public:
  /// With `check` the runtime is told where it is and how long: accesses are
  /// checked as those to other memory.
  PrivateMemory(SiteTable &sites, bool check) : sites(sites), check(check) {}

  /// Lets all buffers of `function` take their room once, when it is called.
  LogicalResult layOut(LLVM::LLVMFuncOp function);
  /// Emits an error if the buffers of a function, which have been laid out, and
  /// of those that it calls, need more than a thread has.
  LogicalResult checkSize(LLVM::LLVMFuncOp function);

private:
  void addChecks(LLVM::LLVMFuncOp function, LLVM::AllocaOp alloca,
                 int64_t bytes);
  /// Of the buffers of `function` and of those that it calls.
  int64_t getBytes(LLVM::LLVMFuncOp function);

  SiteTable &sites;
  bool check;
  int64_t gapBytes = 0; ///< Of all functions.
  llvm::DenseMap<Operation *, int64_t> ownBytes, allBytes;
  SymbolTableCollection symbolTables; ///< Of what `checkSize` is called for.
};

/// Adds calls of the runtime before every access to memory. Atomic accesses and
/// fences always get one: they are also where a thread that waits for another
/// one ends its quantum.
class MemoryInstrumentation {
public:
  /// With `all` plain accesses get a call as well, and the host's writes.
  MemoryInstrumentation(ModuleOp module, SiteTable &sites, bool all)
      : module(module), sites(sites), all(all) {}

  /// Emits an error if the function accesses memory in an unknown way.
  LogicalResult instrumentDevice(LLVM::LLVMFuncOp function);
  void instrumentHost(LLVM::LLVMFuncOp function);

  /// Makes a constant AccessSite for `op`.
  FlatSymbolRefAttr createSite(Operation *op, int64_t bytes,
                               int64_t elementBytes, AccessKind kind,
                               AccessOrder order = AccessOrder::Plain,
                               AccessScope scope = AccessScope::Device,
                               int64_t alignment = 1);

private:
  LogicalResult instrument(Operation *op);
  LogicalResult addAtomic(Operation *op, Value address, Type type,
                          AccessKind kind, LLVM::AtomicOrdering ordering,
                          bool isVolatile, std::optional<StringRef> syncscope);
  void addAccess(Operation *op, Value address, Type type, AccessKind kind,
                 AccessOrder order, AccessScope scope);
  void addRange(Operation *op, Value address, Value bytes, AccessKind kind);
  /// One lane after the other; `address` is that of the first one, or a vector.
  void addMasked(Operation *op, Value address, Value mask, VectorType type,
                 AccessKind kind);
  static bool accessesMemory(Operation *op);
  static Value getLength(OpBuilder &builder, Location loc, Value length);
  static Value getLength(OpBuilder &builder, Location loc, const APInt &length);

  ModuleOp module;
  SiteTable &sites;
  bool all;
  unsigned numSites = 0;
};

/// A kernel that was in a `gpu.module` and is now a function of the module.
struct KernelInfo {
  /// Its name now; the descriptor is the symbol of this name with the suffix
  /// `kKernelSuffix`.
  std::string name;
  /// "module::function", as the launch says it.
  std::string launchName;
  int64_t sharedBytes = 0;
  int32_t knownBlockSize[3] = {0, 0, 0};
  /// Where the workgroup buffers are here, and all that they take up.
  SmallVector<SharedBuffer> sharedBuffers;
  int64_t sharedLayoutBytes = 0;
  /// Of each argument of the gpu.func how many the function in the LLVM dialect
  /// has, and how many of these, in front, are pointers.
  struct Argument {
    unsigned count = 1, pointers = 0;
    std::string name;
  };
  SmallVector<Argument> arguments;
  /// Whether memrefs are passed as one pointer each, or as descriptors.
  bool barePointers = true;
};
constexpr llvm::StringLiteral kKernelSuffix = ".kernel";

/// By the symbol that launches refer to.
using KernelMap = llvm::MapVector<Attribute, KernelInfo>;

/// Checks that the emulator knows all that the `gpu.module`s in `module` hold
/// and how the host launches it. An error names the first op that is unknown.
LogicalResult checkSupported(ModuleOp module);

/// Says that `op` is not supported, and why.
InFlightDiagnostic unsupported(Operation *op, const Twine &why);

/// The same for what only kernels with mbarriers have; nothing if `op` is no
/// such operation.
std::optional<LogicalResult> checkMBarrierOp(Operation *op);

/// Checks that pointers to the memory of a cluster come from workgroup memory.
LogicalResult checkClusterPointers(Operation *op);

/// Adds to `module` a table of the variables in `globals`, for launches; null
/// if there are none.
LLVM::GlobalOp createGlobalTable(ModuleOp module,
                                 ArrayRef<LLVM::GlobalOp> globals);

/// Adds the function and the descriptor by which a launch finds the kernel.
void addKernelEntry(ModuleOp module, const KernelInfo &kernel,
                    LLVM::GlobalOp globals, size_t numGlobals);

/// Gives the asynchronous copies below `root` the sites of their accesses.
void createAsyncCopySites(Operation *root,
                          MemoryInstrumentation &instrumentation);

/// Adds the patterns for asynchronous copies, and the type of their tokens.
void populateAsyncCopyPatterns(LLVMTypeConverter &converter,
                               RewritePatternSet &patterns);

/// Gives the operations on mbarriers below `root` their sites.
void createMBarrierSites(Operation *root, SiteTable &sites,
                         MemoryInstrumentation &instrumentation);

/// Adds the patterns for mbarriers, bulk copies and fences between proxies.
void populateMBarrierPatterns(const LLVMTypeConverter &converter,
                              RewritePatternSet &patterns);

/// Adds the patterns for operations of the gpu dialect in kernels, and for
/// `gpu.launch_func` in hosts.
void populateGPUOpPatterns(const LLVMTypeConverter &converter,
                           const KernelMap &kernels,
                           RewritePatternSet &patterns);

} // namespace scan::emulator
} // namespace mlir

#endif // SCAN_LIB_EXECUTION_EMULATOR_GPUTOFIBERS_H
