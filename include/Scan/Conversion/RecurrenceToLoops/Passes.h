//===- Passes.h - Recurrences to loops --------------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_CONVERSION_RECURRENCETOLOOPS_PASSES_H
#define SCAN_CONVERSION_RECURRENCETOLOOPS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class RewriterBase;
namespace affine {
class AffineDialect;
} // namespace affine
namespace arith {
class ArithDialect;
} // namespace arith
namespace bufferization {
class BufferizationDialect;
} // namespace bufferization
namespace cf {
class ControlFlowDialect;
} // namespace cf
namespace linalg {
class LinalgDialect;
} // namespace linalg
namespace scf {
class SCFDialect;
} // namespace scf
namespace tensor {
class TensorDialect;
} // namespace tensor
} // namespace mlir

namespace mlir::scan {

class RecurrenceOp;

#define GEN_PASS_DECL
#include "Scan/Conversion/RecurrenceToLoops/Passes.h.inc"

/// Replaces `op`, which has been verified, by a loop on tensors.
void lowerRecurrenceToLoop(RewriterBase &rewriter, RecurrenceOp op);

#define GEN_PASS_REGISTRATION
#include "Scan/Conversion/RecurrenceToLoops/Passes.h.inc"

} // namespace mlir::scan

#endif // SCAN_CONVERSION_RECURRENCETOLOOPS_PASSES_H
