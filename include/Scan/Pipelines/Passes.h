//===- Passes.h - Passes that only pipelines need ---------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_PIPELINES_PASSES_H
#define SCAN_PIPELINES_PASSES_H

#include "Scan/Pipelines/StridedArguments.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
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
namespace func {
class FuncDialect;
} // namespace func
namespace LLVM {
class LLVMDialect;
} // namespace LLVM
namespace linalg {
class LinalgDialect;
} // namespace linalg
namespace math {
class MathDialect;
} // namespace math
namespace memref {
class MemRefDialect;
} // namespace memref
namespace omp {
class OpenMPDialect;
} // namespace omp
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

/// How `--scan-print-traffic` and `--scan-explain` print.
enum class ReportFormat { Table, Json };

/// The name that `--scan-rename-symbols=all` gives a function, and the way back
/// for messages; other names are returned as they are.
std::string getRenamedSymbol(StringRef name);
StringRef getNameBeforeRenaming(StringRef name);

#define GEN_PASS_DECL
#include "Scan/Pipelines/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Scan/Pipelines/Passes.h.inc"

} // namespace mlir::scan

#endif // SCAN_PIPELINES_PASSES_H
