//===- HostExpression.h - Numbers that a launcher computes ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launcher computes extents, strides and grids from what the caller passes.
// Their expressions are trees of attributes, which are the trees of
// docs/manifest.md: an integer, a string (a name), or an array of an operator
// and its operands, as in ["max", ["ceildiv", "n0", 4], 1].
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_HOSTEXPRESSION_H
#define SCAN_LIB_TARGET_HOSTEXPRESSION_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/JSON.h"

namespace mlir::scan {

/// The names of what the caller knows: an integer argument, and extent, stride
/// or offset of a buffer argument.
std::string getArgumentName(unsigned argument);
std::string getExtentName(unsigned argument, unsigned dimension);
std::string getStrideName(unsigned argument, unsigned dimension);
std::string getOffsetName(unsigned argument);
/// The name of the number of an iteration of a loop of launches, from 0, and
/// how such names begin.
inline constexpr StringLiteral kStepName = "step";
std::string getStepName(unsigned loop);

/// The tree of `name` and `operands`.
Attribute getHostExpression(StringRef name, ArrayRef<Attribute> operands,
                            MLIRContext *context);
/// The tree of an affine expression whose symbols stand for `symbols`.
Attribute getHostExpression(AffineExpr expression, ArrayRef<Attribute> symbols);

/// Whether an attribute that a user may have written is such a tree.
bool isHostExpression(Attribute attribute);

/// Whether it is a comparison of two such trees: ["==", "arg0_d1", 8].
bool isHostComparison(Attribute attribute);

/// A tree, or what else the attributes of a kernel say in booleans, integers,
/// strings, arrays and dictionaries, as JSON. Strings of digits are integers.
llvm::json::Value getJSON(Attribute attribute);

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_HOSTEXPRESSION_H
