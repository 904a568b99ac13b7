//===- VerifierRun.h - A mutated program through the compiler ---*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_VERIFIERRUN_H
#define SCAN_LIB_FUZZ_VERIFIERRUN_H

#include "FuzzOptions.h"
#include "Isolation.h"

namespace mlir::scan::fuzz {

/// What has become of many mutated programs.
struct VerifierCounts {
  uint64_t verified = 0; ///< accepted by parser and verifier
  uint64_t compiled = 0; ///< passes that came to their end with success
};

/// Runs the text through parser, verifier and passes. Returns what is wrong
/// with how it went, if it came back at all: a failure without a message, or a
/// program that is printed so that it cannot be read again. Empty: nothing.
std::string runMutated(StringRef text, MLIRContext &context,
                       ChildStatus &status, VerifierCounts &counts);

/// Makes the mutated program of that number and runs it.
std::string runMutatedCase(const FuzzOptions &options, uint64_t index,
                           MLIRContext &context, ChildStatus &status,
                           VerifierCounts &counts);

/// The command line that goes through the same stage.
std::string getStageCommand(StringRef stage);

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_VERIFIERRUN_H
