//===- WorkerProtocol.h - Outcomes as lines of text -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_WORKERPROTOCOL_H
#define SCAN_LIB_FUZZ_WORKERPROTOCOL_H

#include "ProgramRunner.h"
#include "llvm/Support/JSON.h"

namespace mlir::scan::fuzz {

llvm::json::Object toJSON(const Outcome &outcome);
Outcome fromJSON(const llvm::json::Object &object);

/// One line.
void printOutcome(const Outcome &outcome, llvm::raw_ostream &os);
Outcome parseOutcome(StringRef line);

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_WORKERPROTOCOL_H
