//===- RegressionTest.cpp - A failure as a test ---------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChildOutcome.h"
#include "Driver/RunDriver.h"
#include "Scan/Reference/Interpreter.h"
#include "Shrink.h"
#include "TargetDraw.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

/// Results of both kinds print alike only without a NaN, whose sign is nobody's
/// business.
static bool hasNaN(ArrayRef<HostArray> results) {
  for (const HostArray &array : results)
    for (int64_t i = 0, e = array.getNumElements();
         i < e && isFloatLike(array.elementType); ++i) {
      std::complex<double> value = getElement(array, i);
      if (std::isnan(value.real()) || std::isnan(value.imag()))
        return true;
    }
  return false;
}

/// The interpreter's results as scan-run prints them, as lines to check.
static void printChecks(ArrayRef<HostArray> results, llvm::raw_ostream &os) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (auto [i, array] : llvm::enumerate(results)) {
    stream << "result " << i << ": "
           << describeArray(array.elementType, array.shape) << "\n";
    printArray(array, stream);
  }
  SmallVector<StringRef> lines;
  StringRef(text).trim().split(lines, '\n');
  // Two brackets would be a variable.
  for (auto [i, line] : llvm::enumerate(lines))
    os << (i ? "// CHECK-NEXT{LITERAL}: " : "// CHECK{LITERAL}: ")
       << line.trim() << "\n";
}

/// With --tolerance, where the target may differ by rounding: no more than the
/// bound, and less than it does.
static std::string getTolerance(const Failure &failure) {
  if (isExact(failure.program))
    return "0";
  double tolerance = failure.outcome.relativeBound;
  if (failure.outcome.relativeError > 0)
    tolerance = std::min(tolerance, failure.outcome.relativeError / 2);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.1e", tolerance);
  return text;
}

static void printTest(const Failure &failure, const FuzzOptions &options,
                      MLIRContext &context, llvm::raw_ostream &os) {
  const Outcome &outcome = failure.outcome;
  SmallVector<StringRef> message;
  StringRef(outcome.message).trim().split(message, '\n');
  os << "// " << outcome.target << ": " << stringifyOutcome(outcome.kind)
     << ": " << message.front() << "\n";
  for (StringRef line : ArrayRef(message).drop_front().take_front(20))
    os << "//   " << line << "\n";
  os << "// Found by scan-fuzz --seed=" << options.seed
     << " --only-program=" << failure.programIndex
     << " --only-case=" << failure.caseIndex << " and made smaller.\n//\n";

  std::string inputs;
  for (const std::string &spec :
       printArguments(failure.program, failure.call, context))
    inputs += " --input=" + spec;
  os << "// RUN: scan-run %s --target=reference" << inputs
     << " | FileCheck %s\n";
  std::string text = printProgram(failure.program);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, ParserConfig(&context));
  SmallVector<HostArray> arguments =
      makeArguments(failure.program, failure.call, context);
  FailureOr<SmallVector<HostArray>> results = mlir::failure();
  if (module)
    results = interpret(*module, "f", arguments);
  bool canCheck = succeeded(results) && !hasNaN(*results);
  if (outcome.target != "reference" && outcome.target != kCleanUp) {
    std::string target =
        printTargetOptions(outcome.target, failure.programIndex);
    if (isExact(failure.program) && canCheck)
      os << "// RUN: scan-run %s " << target << inputs << " | FileCheck %s\n";
    os << "// RUN: scan-run %s " << target
       << " --compare=reference --tolerance=" << getTolerance(failure) << inputs
       << "\n";
  }
  os << "//\n";
  if (canCheck)
    printChecks(*results, os);
  else
    os << "// CHECK: result 0:\n";
  os << "\n" << text;
}

std::string fuzz::printRegressionTest(const Failure &failure,
                                      const FuzzOptions &options) {
  std::vector<std::string> lines;
  // The interpreter may be what does not come to an end.
  (void)runInChild(
      options.timeout,
      [&](MLIRContext &context, ChildStatus &, llvm::raw_ostream &os) {
        printTest(failure, options, context, os);
      },
      lines);
  return llvm::join(lines, "\n") + "\n";
}
