//===- ScanBase.td - What ops of the dialect share ---------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_IR_SCANBASE_TD
#define SCAN_IR_SCANBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "Scan/IR/ScanAttributes.td"
include "Scan/IR/ScanDialect.td"

class Scan_Op<string mnemonic, list<Trait> traits = []>
    : Op<Scan_Dialect, mnemonic, traits>;

#endif // SCAN_IR_SCANBASE_TD
