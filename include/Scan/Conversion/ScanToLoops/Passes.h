//===- Passes.h - Scans to loops --------------------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_CONVERSION_SCANTOLOOPS_PASSES_H
#define SCAN_CONVERSION_SCANTOLOOPS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class RewriterBase;
namespace arith {
class ArithDialect;
} // namespace arith
namespace cf {
class ControlFlowDialect;
} // namespace cf
namespace complex {
class ComplexDialect;
} // namespace complex
namespace LLVM {
class LLVMDialect;
} // namespace LLVM
namespace math {
class MathDialect;
} // namespace math
namespace linalg {
class LinalgDialect;
} // namespace linalg
namespace memref {
class MemRefDialect;
} // namespace memref
namespace scf {
class SCFDialect;
} // namespace scf
namespace tensor {
class TensorDialect;
} // namespace tensor
namespace vector {
class VectorDialect;
} // namespace vector
} // namespace mlir

namespace mlir::scan {

class KernelOp;

#define GEN_PASS_DECL
#include "Scan/Conversion/ScanToLoops/Passes.h.inc"

/// Emits an error where `options` make no sense: vectors of other than a power
/// of two of bits, or none of what has to be one at least.
LogicalResult
checkLoopOptions(const ConvertScanToLoopsOptions &options,
                 llvm::function_ref<InFlightDiagnostic()> emitError);

/// Replaces `kernel` by loops. Fails, after an error was emitted at the kernel,
/// if it does not work on memrefs.
LogicalResult lowerKernelToLoops(RewriterBase &rewriter, KernelOp kernel,
                                 const ConvertScanToLoopsOptions &options);

#define GEN_PASS_REGISTRATION
#include "Scan/Conversion/ScanToLoops/Passes.h.inc"

} // namespace mlir::scan

#endif // SCAN_CONVERSION_SCANTOLOOPS_PASSES_H
