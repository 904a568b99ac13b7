//===- HostExpression.cpp - Numbers that a launcher computes --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostExpression.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::scan;

std::string mlir::scan::getArgumentName(unsigned argument) {
  return "arg" + std::to_string(argument);
}

std::string mlir::scan::getExtentName(unsigned argument, unsigned dimension) {
  return getArgumentName(argument) + "_d" + std::to_string(dimension);
}

std::string mlir::scan::getStrideName(unsigned argument, unsigned dimension) {
  return getArgumentName(argument) + "_s" + std::to_string(dimension);
}

std::string mlir::scan::getOffsetName(unsigned argument) {
  return getArgumentName(argument) + "_offset";
}

std::string mlir::scan::getStepName(unsigned loop) {
  return kStepName.str() + std::to_string(loop);
}

Attribute mlir::scan::getHostExpression(StringRef name,
                                        ArrayRef<Attribute> operands,
                                        MLIRContext *context) {
  SmallVector<Attribute> tree = {StringAttr::get(context, name)};
  tree.append(operands.begin(), operands.end());
  return ArrayAttr::get(context, tree);
}

/// `-expression` where that is the simpler one: of -1, and of x * -2.
static std::optional<AffineExpr> getNegated(AffineExpr expression) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression)) {
    if (constant.getValue() < 0)
      return -expression;
  } else if (expression.getKind() == AffineExprKind::Mul) {
    auto factor = dyn_cast<AffineConstantExpr>(
        cast<AffineBinaryOpExpr>(expression).getRHS());
    if (factor && factor.getValue() < 0)
      return -expression;
  }
  return std::nullopt;
}

static StringRef getOperatorName(AffineExprKind kind) {
  switch (kind) {
  case AffineExprKind::Mul:
    return "*";
  case AffineExprKind::CeilDiv:
    return "ceildiv";
  case AffineExprKind::FloorDiv:
    return "floordiv";
  case AffineExprKind::Mod:
    return "mod";
  default:
    return "+";
  }
}

Attribute mlir::scan::getHostExpression(AffineExpr expression,
                                        ArrayRef<Attribute> symbols) {
  MLIRContext *context = expression.getContext();
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return Builder(context).getI64IntegerAttr(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expression);
  StringRef name = getOperatorName(expression.getKind());
  AffineExpr rhs = binary.getRHS();
  if (expression.getKind() == AffineExprKind::Add)
    if (std::optional<AffineExpr> subtrahend = getNegated(rhs)) {
      name = "-";
      rhs = *subtrahend;
    }
  return getHostExpression(name,
                           {getHostExpression(binary.getLHS(), symbols),
                            getHostExpression(rhs, symbols)},
                           context);
}

bool mlir::scan::isHostExpression(Attribute attribute) {
  if (auto name = dyn_cast<StringAttr>(attribute))
    return !name.empty() && llvm::all_of(name.getValue(), [](char character) {
      return llvm::isAlnum(character) || character == '_';
    });
  if (auto tree = dyn_cast<ArrayAttr>(attribute))
    return tree.size() > 1 && isa<StringAttr>(tree[0]) &&
           llvm::all_of(tree.getValue().drop_front(), isHostExpression);
  return isa<IntegerAttr>(attribute);
}

bool mlir::scan::isHostComparison(Attribute attribute) {
  auto tree = dyn_cast<ArrayAttr>(attribute);
  if (!tree || tree.size() != 3 || !isHostExpression(tree[1]) ||
      !isHostExpression(tree[2]))
    return false;
  auto name = dyn_cast<StringAttr>(tree[0]);
  return name && llvm::is_contained({"<", "<=", ">", ">=", "==", "!="},
                                    name.getValue());
}

llvm::json::Value mlir::scan::getJSON(Attribute attribute) {
  if (auto flag = dyn_cast<BoolAttr>(attribute))
    return flag.getValue();
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getInt();
  if (auto name = dyn_cast<StringAttr>(attribute)) {
    int64_t number;
    if (name.getValue().getAsInteger(10, number))
      return name.getValue();
    return number;
  }
  if (auto entries = dyn_cast<DictionaryAttr>(attribute)) {
    llvm::json::Object object;
    for (NamedAttribute entry : entries)
      object[entry.getName().getValue()] = getJSON(entry.getValue());
    return object;
  }
  llvm::json::Array array;
  for (Attribute element : cast<ArrayAttr>(attribute))
    array.push_back(getJSON(element));
  return array;
}
