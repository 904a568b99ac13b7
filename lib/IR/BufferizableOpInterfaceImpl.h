//===- BufferizableOpInterfaceImpl.h - Bufferization of scans ---*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_BUFFERIZABLEOPINTERFACEIMPL_H
#define SCAN_LIB_IR_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::scan {

/// Teaches one-shot bufferization the ops of the scan dialect. `scan.kernel`
/// goes from tensors to memrefs; it reads its inputs and inits, and writes its
/// outputs and finals without reading them. An output may take the buffer of an
/// input that has the same indexing map. Graph-level ops are rejected with an
/// error that says to run `--scan-normalize` first.
void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);

} // namespace mlir::scan

#endif // SCAN_LIB_IR_BUFFERIZABLEOPINTERFACEIMPL_H
