//===- Mutate.h - Programs that are not quite right -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_MUTATE_H
#define SCAN_LIB_FUZZ_MUTATE_H

#include "Random.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace mlir::scan::fuzz {

/// A few edits of the text: tokens and lines taken out, repeated, exchanged;
/// numbers, types and keywords replaced by others.
std::string mutateText(StringRef text, Random &random);

/// A module with a function that holds an operation of the dialect with
/// operands, results, attributes and regions as they happen to come, not
/// verified.
OwningOpRef<ModuleOp> makeRandomModule(MLIRContext &context, Random &random);

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_MUTATE_H
