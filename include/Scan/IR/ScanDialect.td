//===- ScanDialect.td - The scan dialect -------------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_IR_SCANDIALECT_TD
#define SCAN_IR_SCANDIALECT_TD

include "mlir/IR/DialectBase.td"

def Scan_Dialect : Dialect {
  let name = "scan";
  let cppNamespace = "::mlir::scan";
  let summary = "Scans: prefix sums, linear recurrences, any associative operator";
  let description = [{
    A scan walks one dimension of its inputs and returns every intermediate
    state of the walk. `scan.associative` takes any associative combine region
    over any number of tensors (its *leaves*), `scan.linear_recurrence` is the
    frequent special case `h_t = a_t * h_{t-1} + b_t`. Both live on tensors.
    `--scan-normalize` turns either into `scan.kernel`, the one op that the
    backends read, which works on tensors and, after bufferization, on memrefs.
    `scan.recurrence` is the general one, whose step need not be associative and
    may read several states of several steps before: it is walked step by step,
    lowered by itself (`--convert-recurrence-to-loops`), and what is said below of
    *all three scans* is not said of it.

    Terms used throughout:

    *   *leaf*: one tensor that is scanned. A scan over N leaves carries N
        values from step to step.
    *   *iteration shape*: the dimensions that all leaves share. A leaf may have
        further, static *trailing* dimensions (a 2x2 matrix per element).
    *   *scan dimension*: the dimension `dim` of the iteration shape. All other
        dimensions are independent of each other.
    *   *final state*: the state after the last step.

    Element types are `i1`, `i8`, `i16`, `i32`, `i64`, `f16`, `bf16`, `f32`,
    `f64`, `complex<f32>` and `complex<f64>`. The 16-bit floats accumulate in
    `f32`; each result is rounded once.

    All three scans (`scan.associative`, `scan.linear_recurrence`, `scan.kernel`) tile
    and fuse through upstream's `TilingInterface`
    (`transform.structured.tile_using_for`, `tile_using_forall`, `fuse`,
    `fuse_into_containing_op`), on tensors and `scan.kernel` on memrefs, too:

    *   Every dimension but the scan dimension tiles. A tile has all of the scan
        dimension, as each step needs the one before: a tile size there is an
        error, unless it is the static extent. Trailing dimensions are no
        dimensions to tile, a tile has all of them.
    *   Of an operand that is broadcast (a coefficient of extent 1, a map with
        the constant 0), every tile has the one element.
    *   Extents that have to agree are taken to agree: tiles of a program in
        which they do not reach past the end of the shorter operand. Untiled
        programs are stopped by an assertion at run time.
    *   A scan whose result, or operand, is cut along the scan dimension is not
        fused. A remark says so, as those who try to fuse may go on without.

    Scans on tensors have no side effects: equal ones are one, unused ones none.
    A loop that may run no iteration lets a scan go only if nothing can stop the
    scan: if its regions divide by nothing, and if no two operands can disagree on
    an extent, which are static, or followed to one source. Compiled code checks
    what remains when it runs.

    Bytecode carries the version of the dialect; that of a newer one is rejected
    (`include/Scan/IR/DialectVersion.h`).
  }];

  // What canonicalisation and tiling create.
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect"];

  let useDefaultAttributePrinterParser = 1;
  // `scan.assume` belongs on scan.associative.
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Adds the attributes; they are defined in a file of their own.
    void registerAttributes();
    /// True if `type` is one of the element types that scans are defined for.
    static bool isSupportedElementType(::mlir::Type type);
    /// The list of supported element types, for diagnostics.
    static ::llvm::StringRef getSupportedElementTypes();
    /// Parses operations under the names that they had one release ago.
    std::optional<ParseOpHook>
    getParseOperationHook(::llvm::StringRef name) const override;
  }];
}

#endif // SCAN_IR_SCANDIALECT_TD
