//===- KernelCompiler.h - Kernels to PTX, one by one ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program with dynamic extents has several kernels for a scan, of which a
// process may need one. What comes before the kernels is compiled at once, and
// gives the manifest; each kernel, which is where most of the time goes, when
// it is asked for.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PIPELINES_KERNELCOMPILER_H
#define SCAN_LIB_PIPELINES_KERNELCOMPILER_H

#include "Scan/Pipelines/ScanToPTX.h"
#include "mlir/IR/Dialect.h"

namespace mlir::scan {

/// The kernels of a program before they are lowered, each as bytecode: nothing
/// here depends on the context that the program was in.
class KernelCompiler {
public:
  /// Lowers `module`, whose public functions hold scans on tensors, in place,
  /// up to the kernels. There are more variants of a scan by default than
  /// compileToPTX makes, which compiles all of them. Null after errors, which
  /// are emitted.
  static std::unique_ptr<KernelCompiler> create(ModuleOp module,
                                                const PTXOptions &options);

  /// Writes what `read` makes the same of, with the same version of this
  /// library: so what is in front of the kernels need not be compiled again.
  void write(raw_ostream &os) const;
  /// Null where `bytes` are no such. Bytecode is read without checks: it has to
  /// be from somebody who is trusted.
  static std::unique_ptr<KernelCompiler> read(StringRef bytes);

  /// As compileToPTX gives it, but without the hash of the PTX, which there is
  /// none of yet.
  StringRef getManifest() const { return manifest; }

  /// How many kernels there are, and the name of one.
  size_t getNumKernels() const { return kernels.size(); }
  StringRef getName(size_t kernel) const { return kernels[kernel].name; }

  /// PTX with the kernel of that number, and with others where these cannot be
  /// compiled apart. The same text each time. `registry` has the dialects of
  /// registerAllDialects. Any number of threads may call this at once: each
  /// works in a context of its own. On failure `error` is the first error,
  /// with its location, in one line.
  FailureOr<std::string> compile(size_t kernel, const DialectRegistry &registry,
                                 std::string &error) const;

private:
  struct Kernel {
    std::string name;
    /// The number of the module that it is in.
    size_t module;
  };

  PTXTarget target;
  std::string manifest;
  std::vector<Kernel> kernels;
  /// Modules with one gpu.module each.
  std::vector<std::string> modules;
};

} // namespace mlir::scan

#endif // SCAN_LIB_PIPELINES_KERNELCOMPILER_H
