//===- Syntax.h - The custom syntax of scans --------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scans are parts in a fixed order: groups of operands behind words, the
// dimension, words that stand for themselves, attributes, regions, types of
// results. Where something else stands, an error says which parts may be there,
// and which of them is spelled most like what was found.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_SYNTAX_H
#define SCAN_LIB_IR_SYNTAX_H

#include "mlir/IR/OpImplementation.h"

namespace mlir::scan::impl {

/// The one of `names` that is spelled most like `found`; empty if none is
/// similar.
StringRef findSimilar(StringRef found, ArrayRef<StringRef> names);

/// "; did you mean 'reverse'?", or nothing.
std::string suggestSimilar(StringRef found, ArrayRef<StringRef> names);

/// Parses a number of things. What is generated for `unsigned` takes -32 for
/// 4294967264.
ParseResult parseCount(AsmParser &parser, unsigned &count);

/// Parses `keyword`, in front of which any of `optional` may have stood.
ParseResult parseWord(OpAsmParser &parser, StringRef keyword,
                      ArrayRef<StringRef> optional = {});

/// Parses `dim = integer`, in front of which groups behind any of `optional`
/// may have stood.
ParseResult parseDim(OpAsmParser &parser, int64_t &dim,
                     ArrayRef<StringRef> optional = {});

/// Parses any of `flags`, in any order, each once at most, and `attributes
/// {...}`. Calls `set` for each flag. Fails at another word, `next` being what
/// else may follow ("a region"), and at attributes that are spelled almost as
/// one of the operation.
ParseResult parseFlagsAndAttributes(OpAsmParser &parser, OperationState &state,
                                    ArrayRef<StringRef> flags, StringRef next,
                                    llvm::function_ref<void(StringRef)> set);

/// Verifies that no discardable attribute of `op` is spelled almost as one of
/// the operation, which parseFlagsAndAttributes fails at: what is printed has
/// to be read back.
LogicalResult verifyAttributeNames(Operation *op);

/// Parses `( operands : types )` or `()`.
ParseResult parseGroupBody(OpAsmParser &parser, OperationState &state,
                           int32_t &count);

/// Parses `keyword ( operands : types )` if the keyword stands there.
ParseResult parseOptionalGroup(OpAsmParser &parser, StringRef keyword,
                               OperationState &state, int32_t &count);

/// Parses `segments( operand : type )` if the keyword stands there.
ParseResult parseOptionalSegments(OpAsmParser &parser, OperationState &state,
                                  int32_t &count);

/// Prints ` keyword(operands : types)` unless there are no operands.
void printGroup(OpAsmPrinter &printer, StringRef keyword, ValueRange operands);

/// Parses `-> type, type, ...` if an arrow stands there.
ParseResult parseOptionalResultTypes(OpAsmParser &parser,
                                     SmallVectorImpl<Type> &types);

/// Parses `-> type, type, ...`.
ParseResult parseResultTypes(OpAsmParser &parser, SmallVectorImpl<Type> &types);

} // namespace mlir::scan::impl

#endif // SCAN_LIB_IR_SYNTAX_H
