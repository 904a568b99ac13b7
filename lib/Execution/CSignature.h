//===- CSignature.h - Functions as C sees them ------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor is a pointer to its elements, dense and in row-major order. One that
// is an argument has its dynamic extents behind it; those of a result follow
// from them. A scalar is a value, or a pointer if it is a result.
//
//   const char *f(const float *arg0, int64_t arg0_d0, float *result0);
//
// The function returns null, or what is wrong.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_CSIGNATURE_H
#define SCAN_LIB_EXECUTION_CSIGNATURE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::scan {

/// An argument or a result of the program's function.
struct CParameter {
  /// Of a result: its number.
  std::optional<unsigned> result;
  std::string name;
  /// Of the elements, or of the scalar.
  Type elementType;
  bool isArray = false;
  /// Of an array: an integer, or an expression of extents of arguments as in
  /// launch manifests, for each dimension.
  SmallVector<Attribute> shape;
};

struct CSignature {
  std::string name;
  /// In the order of the function on memrefs, results as `scan.result` marks
  /// them among its arguments; and scalars that it returns.
  SmallVector<CParameter, 0> parameters, returned;

  /// Fails, after an error was emitted, if C has no such function.
  static FailureOr<CSignature> get(func::FuncOp function);

  /// All parameters in the order in which C passes them: arguments, and then
  /// results by their numbers.
  SmallVector<const CParameter *> getOrdered() const;
  /// The declaration with a comment that gives the shapes.
  std::string getDeclaration() const;
};

/// The whole header of code for the processor `cpu`, any one if that is empty.
std::string getCHeader(ArrayRef<CSignature> functions, StringRef triple,
                       StringRef cpu);

} // namespace mlir::scan

#endif // SCAN_LIB_EXECUTION_CSIGNATURE_H
