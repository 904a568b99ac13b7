//===- PTXTranslator.h - GPU modules to PTX text ----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_PTXTRANSLATOR_H
#define SCAN_LIB_TARGET_PTXTRANSLATOR_H

#include "Libdevice.h"
#include "Scan/Target/PTX.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Support/Timing.h"

namespace mlir::scan {

/// Translates the modules of one program, each in an LLVM context of its own:
/// several threads may do so at a time.
class PTXTranslator {
public:
  /// For a target that resolvePTXIsa accepts. With `isPart` modules are some of
  /// several that become one text: what one defines for itself, such as
  /// functions of libdevice, gets names with the module's in them.
  PTXTranslator(const PTXTarget &target, bool isPart)
      : target(target), isPart(isPart), libdevice(target.libdevice) {}

  /// Translates `module`, whose functions are in the LLVM and NVVM dialects.
  /// Math functions (`__nv_*`) are linked in from libdevice. Arithmetic on f16
  /// and bf16 values is done in f32. Errors (libdevice missing, an operation
  /// that has no translation) are emitted as diagnostics.
  FailureOr<std::string> translate(gpu::GPUModuleOp module,
                                   TimingScope &timing);

private:
  PTXTarget target;
  bool isPart;
  Libdevice libdevice;
};

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_PTXTRANSLATOR_H
