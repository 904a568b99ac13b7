//===- BytecodeVersion.cpp - Writes bytecode of any dialect version -------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/IR/DialectVersion.h"
#include "Scan/IR/ScanDialect.h"
#include "TestPasses.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

struct WriteBytecode
    : public PassWrapper<WriteBytecode, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WriteBytecode)
  WriteBytecode() = default;
  WriteBytecode(const WriteBytecode &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "test-write-bytecode"; }
  StringRef getDescription() const final {
    return "Writes the module as bytecode that claims another version of the "
           "dialect";
  }

  void runOnOperation() final {
    ScanDialectVersion version(major, minor);
    if (ask && failed(verifyBytecodeVersion(getOperation(), version)))
      return signalPassFailure();
    BytecodeWriterConfig config;
    config.setDialectVersion<ScanDialect>(
        std::make_unique<ScanDialectVersion>(version));
    if (format != 0)
      config.setDesiredBytecodeVersion(format);
    std::error_code error;
    llvm::raw_fd_ostream file(path, error);
    if (error) {
      getOperation().emitError()
          << "cannot write " << path << ": " << error.message();
      return signalPassFailure();
    }
    if (failed(writeBytecodeToFile(getOperation(), file, config)))
      signalPassFailure();
  }

  Option<uint64_t> major{*this, "major", llvm::cl::desc("the major version")};
  Option<uint64_t> minor{*this, "minor", llvm::cl::desc("the minor version")};
  Option<uint64_t> format{
      *this, "format",
      llvm::cl::desc("the version of MLIR's format, 0 for the newest")};
  Option<bool> ask{*this, "ask", llvm::cl::init(true),
                   llvm::cl::desc("ask first whether this version holds what "
                                  "there is")};
  Option<std::string> path{*this, "path", llvm::cl::desc("the file to write")};
};

} // namespace

void scan::test::registerWriteBytecode() { PassRegistration<WriteBytecode>(); }
