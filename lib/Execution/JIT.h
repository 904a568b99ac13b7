//===- JIT.h - Machine code from the LLVM dialect ---------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_JIT_H
#define SCAN_LIB_EXECUTION_JIT_H

#include "HostCompiler.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CodeGen.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Module;
namespace orc {
class LLJIT;
} // namespace orc
} // namespace llvm

namespace mlir::scan {

/// A function that compiled code may call by name.
struct JITSymbol {
  StringRef name;
  void *address;
};

struct JITOptions {
  /// The passes of `optimizeForMachine`.
  StringRef passes;
  /// How much the backend does.
  llvm::CodeGenOptLevel level = llvm::CodeGenOptLevel::Default;
  /// Functions that take precedence over those of this process.
  std::vector<JITSymbol> symbols;
  /// Called with the module before it is optimised.
  std::function<void(llvm::Module &)> prepare;
  /// How many threads may compile parts of the module.
  unsigned threads = 1;
};

/// A module in machine code, in this process and for this processor.
class JITModule {
public:
  /// Compiles `module`, which is in the LLVM dialect. Fails after an error was
  /// emitted at it.
  static FailureOr<std::unique_ptr<JITModule>> compile(ModuleOp module,
                                                       JITOptions options);
  /// Links object files that getObjects() returned, perhaps in another process,
  /// with the functions of `symbols`. Fails after an error was emitted at
  /// `location`.
  static FailureOr<std::unique_ptr<JITModule>>
  load(Location location, std::vector<std::string> objects,
       ArrayRef<JITSymbol> symbols);
  ~JITModule();

  /// Which processor code is compiled for: this machine's triple, processor and
  /// its features. Object files are good for the same.
  static std::string getProcessor();
  /// What this processor has for vectors.
  static HostVectors getVectors();

  /// The address of a function, which is compiled now. Null, with the reason in
  /// `error`, if there is none of that name or if it calls what does not exist.
  void *lookup(StringRef name, std::string &error);

  /// The object files of what was compiled.
  ArrayRef<std::string> getObjects() const { return objects; }

private:
  JITModule();
  /// Sets up `jit`, with `symbols`.
  LogicalResult initialize(Location location, ArrayRef<JITSymbol> symbols);

  // These have to outlive `jit`, which reads and writes them.
  std::vector<std::string> objects;
  std::string sessionErrors;
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace mlir::scan

#endif // SCAN_LIB_EXECUTION_JIT_H
