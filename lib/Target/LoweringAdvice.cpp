//===- LoweringAdvice.cpp - What to make of an operation ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringAdvice.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

StringRef mlir::scan::getLoweringAdvice(Operation *op) {
  // By name: what front ends print may be of dialects that are not registered.
  StringRef byOperation =
      llvm::StringSwitch<StringRef>(op->getName().getStringRef())
          .Cases({"linalg.pack", "linalg.unpack"},
                 "lower it first by transform.structured.lower_pack or "
                 "lower_unpack")
          .StartsWith("linalg.", "lower it first by "
                                 "transform.structured.decompose_interface")
          .Case("tensor.gather",
                "write it as a linalg.generic that reads with tensor.extract")
          .Case("tensor.bitcast",
                "write it as a linalg.generic with arith.bitcast")
          .Case("scan.recurrence",
                "make kernels of it first by --scan-normalize-recurrence and "
                "--scan-recurrence-to-blocks")
          .Case("scan.clone", "outside of combine regions use its operand")
          .Default("");
  if (!byOperation.empty())
    return byOperation;
  return llvm::StringSwitch<StringRef>(op->getName().getDialectNamespace())
      .Case("tosa", "lower it first by scan-opt --pass-pipeline="
                    "'builtin.module(func.func(tosa-to-linalg-named,"
                    "tosa-to-linalg,tosa-to-arith,tosa-to-tensor))'")
      .Cases({"stablehlo", "chlo", "mhlo"},
             "lower it first by stablehlo-opt --chlo-legalize-to-stablehlo "
             "--stablehlo-legalize-to-linalg")
      .Case("torch", "lower it first by torch-mlir-opt --pass-pipeline="
                     "'builtin.module("
                     "torch-backend-to-linalg-on-tensors-backend-pipeline)'")
      .Case("sparse_tensor", "use dense tensors")
      .Case("shape", "lower it first by scan-opt --convert-shape-to-std")
      .Default("");
}
