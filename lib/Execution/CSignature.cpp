//===- CSignature.cpp - Functions as C sees them --------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CSignature.h"
#include "Scan/Reference/HostArray.h"
#include "Target/ElementText.h"
#include "Target/HostAttributes.h"
#include "Target/HostExpression.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::scan;

/// Whether a function in C, or in C++, can have that name.
static bool isFunctionName(StringRef name) {
  static const llvm::StringSet<> reserved = {
      "alignas",  "alignof", "and",       "asm",       "auto",   "bool",
      "break",    "case",    "catch",     "char",      "class",  "const",
      "continue", "default", "delete",    "do",        "double", "else",
      "enum",     "export",  "extern",    "false",     "float",  "for",
      "friend",   "goto",    "if",        "inline",    "int",    "long",
      "main",     "mutable", "namespace", "new",       "not",    "nullptr",
      "operator", "or",      "private",   "protected", "public", "register",
      "restrict", "return",  "short",     "signed",    "sizeof", "static",
      "struct",   "switch",  "template",  "this",      "throw",  "true",
      "try",      "typedef", "typeid",    "typename",  "union",  "unsigned",
      "using",    "virtual", "void",      "volatile",  "while",  "xor"};
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; }) &&
         !reserved.contains(name);
}

/// Fails, after an error at `function`, where C has no value of `type` that is
/// passed as LLVM passes it.
static LogicalResult checkType(func::FuncOp function, Type type) {
  Type element = getElementTypeOrSelf(type);
  if (getElementByteSize(element) &&
      (type != element || !isa<ComplexType>(element)))
    return success();
  return function.emitError()
         << "expected tensors, or scalars that are numbers and not complex, in "
            "a function that C calls, found "
         << type << "; a tensor of one element has what is complex";
}

FailureOr<CSignature> CSignature::get(func::FuncOp function) {
  CSignature signature;
  signature.name = function.getName().str();
  if (!isFunctionName(signature.name))
    return function.emitError()
           << "expected the name of a function of C, found '"
           << function.getName() << "'; rename it, or make it private";
  MLIRContext *context = function.getContext();
  llvm::SmallBitVector isResult;
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    CParameter parameter;
    parameter.elementType = getElementTypeOrSelf(argument.getType());
    if (failed(checkType(function, argument.getType())))
      return failure();
    auto array = dyn_cast<MemRefType>(argument.getType());
    parameter.isArray = bool(array);
    if (auto result =
            function.getArgAttrOfType<DictionaryAttr>(number, resultAttrName)) {
      parameter.result = result.getAs<IntegerAttr>("index").getInt();
      isResult.resize(std::max<size_t>(isResult.size(), *parameter.result + 1));
      isResult.set(*parameter.result);
      llvm::append_range(parameter.shape, result.getAs<ArrayAttr>("shape"));
    } else if (array) {
      for (auto [dim, extent] : llvm::enumerate(array.getShape()))
        parameter.shape.push_back(
            ShapedType::isDynamic(extent)
                ? Attribute(
                      StringAttr::get(context, getExtentName(number, dim)))
                : Builder(context).getI64IntegerAttr(extent));
    }
    parameter.name = parameter.result
                         ? "result" + std::to_string(*parameter.result)
                         : getArgumentName(number);
    signature.parameters.push_back(std::move(parameter));
  }
  // The function still returns what is no array: those are the other numbers.
  unsigned number = 0;
  for (Type type : function.getResultTypes()) {
    if (isa<MemRefType>(type))
      return function.emitError()
             << "expected a public function that no other one calls, for C to "
                "call it; make it private, and call it from one that is not";
    if (failed(checkType(function, type)))
      return failure();
    while (number < isResult.size() && isResult.test(number))
      ++number;
    signature.returned.push_back(
        {number, "result" + std::to_string(number), type, false, {}});
    ++number;
  }
  return signature;
}

SmallVector<const CParameter *> CSignature::getOrdered() const {
  SmallVector<const CParameter *> ordered, results;
  for (const CParameter &parameter :
       llvm::concat<const CParameter>(parameters, returned))
    (parameter.result ? results : ordered).push_back(&parameter);
  llvm::sort(results, [](const CParameter *a, const CParameter *b) {
    return *a->result < *b->result;
  });
  llvm::append_range(ordered, results);
  return ordered;
}

/// An extent for a reader of the header.
static std::string describe(Attribute extent) {
  if (auto number = dyn_cast<IntegerAttr>(extent))
    return std::to_string(number.getInt());
  if (auto name = dyn_cast<StringAttr>(extent))
    return name.str();
  auto tree = cast<ArrayAttr>(extent);
  StringRef op = cast<StringAttr>(tree[0]);
  SmallVector<std::string> operands;
  for (Attribute operand : tree.getValue().drop_front())
    operands.push_back(describe(operand));
  if (op == "min" || op == "max")
    return (op + "(" + llvm::join(operands, ", ") + ")").str();
  return "(" + llvm::join(operands, (" " + op + " ").str()) + ")";
}

std::string CSignature::getDeclaration() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  SmallVector<std::string> written;
  for (const CParameter *parameter : getOrdered()) {
    std::string ctype = getCType(parameter->elementType);
    bool isPointer = parameter->isArray || parameter->result;
    written.push_back((isPointer && !parameter->result ? "const " : "") +
                      ctype + (isPointer ? " *" : " ") + parameter->name);
    if (!parameter->isArray)
      continue;
    os << "/// " << parameter->name << ": " << ctype << " ["
       << llvm::join(llvm::map_range(parameter->shape, describe), ", ")
       << "]\n";
    if (parameter->result)
      continue;
    for (Attribute extent : parameter->shape)
      if (auto name = dyn_cast<StringAttr>(extent))
        written.push_back("int64_t " + name.str());
  }
  os << "const char *" << name << "("
     << (written.empty() ? "void" : llvm::join(written, ", ")) << ");\n";
  return text;
}

std::string mlir::scan::getCHeader(ArrayRef<CSignature> functions,
                                   StringRef triple, StringRef cpu) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "// Scans compiled for " << triple;
  if (!cpu.empty())
    os << ", processor " << cpu;
  os << R"(.
//
// Arrays are dense and in row-major order; results are memory of the caller and
// overlap no other array. A function returns null, or what is wrong, and then
// results are undefined. It may be called by several threads at a time.

#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
)";
  for (const CSignature &function : functions)
    os << "\n" << function.getDeclaration();
  os << R"(
#ifdef __cplusplus
}
#endif
)";
  return text;
}
