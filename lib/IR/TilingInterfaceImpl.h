//===- TilingInterfaceImpl.h - Tiling of scans ------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_TILINGINTERFACEIMPL_H
#define SCAN_LIB_IR_TILINGINTERFACEIMPL_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace mlir::scan::impl {

/// Gives all scans the TilingInterface. The dialect calls it once its ops are
/// known to the context, so the interface needs no registration of its own.
void attachTilingInterface(MLIRContext &context);

} // namespace mlir::scan::impl

#endif // SCAN_LIB_IR_TILINGINTERFACEIMPL_H
