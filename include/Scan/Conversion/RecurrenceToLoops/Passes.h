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
class ForOp;
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

/// What a loop over the steps of a recurrence is for.
enum class LoopUse {
  /// Code, which checks extents and is unrolled as `scan.loops` says.
  Code,
  /// Launches. All histories have the rows of the init, so that each step
  /// reads its rows where the others do: their results are slices then. A step
  /// overwrites no row that it reads. Launchers check extents.
  Launches
};

/// Replaces `op`, which has been verified, by a loop on tensors. Returns the
/// loop; none where it is known that there are no steps.
scf::ForOp lowerRecurrenceToLoop(RewriterBase &rewriter, RecurrenceOp op,
                                 LoopUse use = LoopUse::Code);

#define GEN_PASS_REGISTRATION
#include "Scan/Conversion/RecurrenceToLoops/Passes.h.inc"

} // namespace mlir::scan

#endif // SCAN_CONVERSION_RECURRENCETOLOOPS_PASSES_H
