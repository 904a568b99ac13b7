//===- Expression.cpp - The numbers of a manifest -------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expression.h"
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <functional>

using namespace mlir::scan::launcher;

static const char *checkOverflow(bool overflows) {
  return overflows ? "a number of more than 64 bits" : nullptr;
}

/// The quotient, rounded towards zero, and the remainder.
static const char *divide(int64_t left, int64_t right, int64_t &quotient,
                          int64_t &remainder) {
  if (right == 0)
    return "a division by zero";
  if (right == -1 && left == INT64_MIN)
    return checkOverflow(true);
  quotient = left / right;
  remainder = left % right;
  return nullptr;
}

static const char *ceilDiv(int64_t left, int64_t right, int64_t &result) {
  int64_t remainder = 0;
  const char *error = divide(left, right, result, remainder);
  result += remainder != 0 && (remainder < 0) == (right < 0);
  return error;
}

static const char *floorDiv(int64_t left, int64_t right, int64_t &result) {
  int64_t remainder = 0;
  const char *error = divide(left, right, result, remainder);
  result -= remainder != 0 && (remainder < 0) != (right < 0);
  return error;
}

/// With the sign of the divisor.
static const char *mod(int64_t left, int64_t right, int64_t &result) {
  int64_t quotient = 0;
  const char *error = divide(left, right, quotient, result);
  if (result != 0 && (result < 0) != (right < 0))
    result += right;
  return error;
}

static const char *add(int64_t left, int64_t right, int64_t &result) {
  return checkOverflow(__builtin_add_overflow(left, right, &result));
}

static const char *subtract(int64_t left, int64_t right, int64_t &result) {
  return checkOverflow(__builtin_sub_overflow(left, right, &result));
}

static const char *multiply(int64_t left, int64_t right, int64_t &result) {
  return checkOverflow(__builtin_mul_overflow(left, right, &result));
}

static const char *minimum(int64_t left, int64_t right, int64_t &result) {
  result = std::min(left, right);
  return nullptr;
}

static const char *maximum(int64_t left, int64_t right, int64_t &result) {
  result = std::max(left, right);
  return nullptr;
}

template <typename Relation>
static const char *compare(int64_t left, int64_t right, int64_t &result) {
  result = Relation()(left, right);
  return nullptr;
}

const Operator *Operator::find(const std::string &name) {
  static const Operator operators[] = {
      {"<", Kind::Comparison, compare<std::less<int64_t>>},
      {"<=", Kind::Comparison, compare<std::less_equal<int64_t>>},
      {">", Kind::Comparison, compare<std::greater<int64_t>>},
      {">=", Kind::Comparison, compare<std::greater_equal<int64_t>>},
      {"==", Kind::Comparison, compare<std::equal_to<int64_t>>},
      {"!=", Kind::Comparison, compare<std::not_equal_to<int64_t>>},
      {"+", Kind::Sum, add},
      {"-", Kind::Sum, subtract},
      {"*", Kind::Product, multiply},
      {"ceildiv", Kind::Product, ceilDiv},
      {"floordiv", Kind::Product, floorDiv},
      {"mod", Kind::Product, mod},
      {"min", Kind::Extremum, minimum},
      {"max", Kind::Extremum, maximum}};
  for (const Operator &op : operators)
    if (name == op.name)
      return &op;
  return nullptr;
}

bool mlir::scan::launcher::isName(const std::string &text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), [](unsigned char character) {
           return std::isalnum(character) || character == '_';
         });
}

/// Returns what is wrong, or an empty text.
static std::string compute(const Expression &expression, const Names &names,
                           int64_t &value) {
  if (!expression.name.empty()) {
    auto found = names.find(expression.name);
    if (found == names.end())
      return "unknown name '" + expression.name + "'";
    value = found->second;
    return "";
  }
  if (!expression.op) {
    value = expression.number;
    return "";
  }
  for (size_t i = 0; i < expression.operands.size(); ++i) {
    int64_t operand = 0;
    std::string error = compute(expression.operands[i], names, operand);
    if (!error.empty())
      return error;
    if (i == 0)
      value = operand;
    else if (const char *wrong = expression.op->apply(value, operand, value))
      return wrong;
  }
  return "";
}

bool Expression::mentions(const std::string &other) const {
  return (!op && name == other) || std::any_of(operands.begin(), operands.end(),
                                               [&](const Expression &operand) {
                                                 return operand.mentions(other);
                                               });
}

Status mlir::scan::launcher::evaluate(const Expression &expression,
                                      const Names &names, int64_t &value) {
  int64_t result = 0;
  std::string error = compute(expression, names, result);
  if (!error.empty())
    return Status::failure(error + " in '" + expression.text + "'");
  value = result;
  return Status::success();
}
