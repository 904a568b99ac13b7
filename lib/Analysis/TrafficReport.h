//===- TrafficReport.h - Traffic as a table and as JSON ---------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_ANALYSIS_TRAFFICREPORT_H
#define SCAN_LIB_ANALYSIS_TRAFFICREPORT_H

#include "Traffic.h"
#include <memory>

namespace llvm::json {
class OStream;
} // namespace llvm::json

namespace mlir::scan {

/// What all functions below an operation move (Traffic.h), for people and for
/// programs. Refers to the operations, which must stay.
class TrafficReport {
public:
  /// A number for a dynamic extent, by its name in ExtentTable.
  struct Extent {
    std::string name;
    int64_t value;
  };

  explicit TrafficReport(Operation *root);

  /// Puts numbers in place of dynamic extents, in all functions that have them.
  /// The error says which two numbers contradict each other, or, unless it
  /// `mayBeUnknown`, which extent no function has.
  LogicalResult assume(llvm::ArrayRef<Extent> extents, std::string &error,
                       bool mayBeUnknown = false);

  /// One table per function: a line for each operation with the bytes that it
  /// reads and writes, then their sum, the least if there are branches, the
  /// compulsory traffic, and how often this is in the others. A kernel that is
  /// run with some extents only (getStepsRange) has these beside it.
  void printTable(llvm::raw_ostream &os) const;

  /// An array with an object per function: `name`, `extents`, `operations`,
  /// `total`, `compulsory`, `total_over_compulsory`, and where there are
  /// branches that move differently much `least`, `least_over_compulsory`.
  /// Bytes are given as an expression (`read`, `written`) and as a number
  /// (`read_bytes`, `written_bytes`), null if it depends on extents without a
  /// number.
  void printJson(llvm::json::OStream &json) const;

private:
  struct Function {
    std::string name;
    std::unique_ptr<TrafficAnalysis> analysis;
    FunctionTraffic traffic;
    llvm::DenseMap<SymbolicPolynomial::Symbol, int64_t> numbers;

    SymbolicPolynomial evaluate(const SymbolicPolynomial &polynomial) const;
    std::string toString(const SymbolicPolynomial &polynomial) const;
    /// Of these to the compulsory ones.
    std::optional<double> getRatio(const Bytes &bytes) const;
  };
  std::vector<Function> functions;
};

/// Reads `arg0_d1=1024`. The error says what was expected.
FailureOr<TrafficReport::Extent> parseExtent(llvm::StringRef text,
                                             std::string &error);

} // namespace mlir::scan

#endif // SCAN_LIB_ANALYSIS_TRAFFICREPORT_H
