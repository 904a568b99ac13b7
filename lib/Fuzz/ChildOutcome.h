//===- ChildOutcome.h - What becomes of work in a child ---------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_CHILDOUTCOME_H
#define SCAN_LIB_FUZZ_CHILDOUTCOME_H

#include "Isolation.h"
#include "ProgramRunner.h"
#include "llvm/Support/JSON.h"

namespace mlir::scan::fuzz {

llvm::json::Object toJSON(const Outcome &outcome);
Outcome fromJSON(const llvm::json::Object &object);

/// Whether both are the same mistake: of the same kind, at the same target,
/// with messages that are alike.
bool failsAlike(const Outcome &lhs, const Outcome &rhs);

/// What a child does, in a context of its own; and what it does for one case.
using ChildBody =
    llvm::function_ref<void(MLIRContext &, ChildStatus &, llvm::raw_ostream &)>;
using CaseBody = llvm::function_ref<Outcome(MLIRContext &, ChildStatus &)>;

/// Where the context of a child is destroyed: the last stage of each.
constexpr llvm::StringLiteral kCleanUp = "clean up";

/// Starts `body` in a child. Its context is destroyed, or kept.
bool startInContext(Child &child, ChildBody body, bool keepsContext = false);

/// How a child ended, which crashed or, if it runs, is ended here.
Outcome endChild(Child &child, Child::State state);

/// Runs `body` in a child, where a step may take `timeout` seconds. The outcome
/// tells whether it came to its end; `lines` gets what it has written, and
/// `text` the text at hand if it did not.
Outcome runInChild(unsigned timeout, ChildBody body,
                   std::vector<std::string> &lines,
                   std::string *text = nullptr);

/// The same for one case, whose outcome it is if it came to its end.
Outcome runCaseInChild(unsigned timeout, CaseBody body);

/// Whether a case fails in a child like `outcome`, which then becomes its
/// outcome.
bool failsAgain(Outcome &outcome, unsigned timeout, CaseBody body);

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_CHILDOUTCOME_H
