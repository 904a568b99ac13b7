//===- SmtWriter.h - Terms as a script of SMT-LIB ---------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes a definition for each term, in the order in which terms were made, so
// that regions of any depth need no recursion. Real numbers are written in a
// form that solvers for polynomials decide quickly:
//
//   * A value is a fraction of two terms; there is no division. n/d = m/e
//   becomes
//     n e = m d, and n/d < m/e is multiplied by d e if both are known to be
//     positive, else by their squares.
//   * exp(u + v) = exp(u) exp(v), exp(-u) = 1 / exp(u), exp(if c u v) = if c
//     exp(u) exp(v), exp(log u) = u. What is left, such as exp(x) of an
//     argument x, is a variable of which is known that it is positive, and that
//     exponentials are ordered as their arguments are.
//   * The exponential function being strictly monotone, u = v and u < v are
//     compared as exp(u) and exp(v) where one of them is a sum with a
//     logarithm.
//
// (The dialect `smt` of MLIR, which has an exporter, has neither real numbers
// nor floats.)
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_ANALYSIS_ASSOCIATIVITY_SMTWRITER_H
#define SCAN_LIB_ANALYSIS_ASSOCIATIVITY_SMTWRITER_H

#include "Term.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::scan::associativity {

/// A question to the solver: are there values of the variables for which all
/// assertions hold?
struct Query {
  /// What comments say of it, several lines.
  std::string title;
  /// The variables whose values are asked for if there are such values.
  SmallVector<Term> variables;
  /// Assertions, and what comments say of them.
  SmallVector<std::pair<Term, std::string>> assertions;
  /// Of a conjunction whose negation is the last assertion: what it consists
  /// of.
  SmallVector<Term> goals;
  /// Where a part of the terms begins, and what comments say of it.
  SmallVector<std::pair<unsigned, std::string>> sections;
};

/// The script for `query`: its answer is sat, unsat or unknown in the first
/// line, and, if sat, the values of the variables.
/// `assertion` and `parts` receive the last assertion as it stands there, and
/// what may stand in its place.
std::string writeQuery(TermPool &pool, const Query &query,
                       std::string &assertion,
                       SmallVectorImpl<std::string> &parts);

} // namespace mlir::scan::associativity

#endif // SCAN_LIB_ANALYSIS_ASSOCIATIVITY_SMTWRITER_H
