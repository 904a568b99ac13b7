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
#include <cstring>

using namespace mlir::scan::launcher;

namespace {
/// A parser by recursive descent that evaluates as it goes. After the first
/// error the values are meaningless, and no further error is recorded.
class Evaluator {
public:
  Evaluator(const std::string &text, const Names &names)
      : text(text), names(names) {
    next();
  }

  int64_t evaluate() {
    int64_t value = expression();
    if (!token.empty())
      fail("expected the end, found '" + token + "'");
    return value;
  }
  bool evaluateComparison() {
    int64_t left = expression();
    std::string comparison = token;
    if (comparison != "<" && comparison != "<=" && comparison != ">" &&
        comparison != ">=" && comparison != "==" && comparison != "!=")
      fail("expected a comparison, found '" + comparison + "'");
    next();
    int64_t right = expression();
    if (!token.empty())
      fail("expected the end, found '" + token + "'");
    bool isSmaller = left<right, isLarger = left> right;
    switch (comparison[0]) {
    case '<':
      return isSmaller || (comparison == "<=" && left == right);
    case '>':
      return isLarger || (comparison == ">=" && left == right);
    default:
      return (left == right) == (comparison == "==");
    }
  }
  const std::string &getError() const { return error; }

private:
  /// Manifests are written by machines; deeper than this is no honest one, and
  /// would use up the stack.
  static constexpr int kMaxDepth = 200;

  void fail(const std::string &what) {
    if (error.empty())
      error = what + " in '" + text + "'";
    // Ends every loop below.
    token.clear();
    position = text.size();
  }

  /// Reads one token; none at the end.
  void next() {
    while (position < text.size() && std::isspace(byte(position)))
      ++position;
    size_t start = position;
    if (start == text.size()) {
      token.clear();
      return;
    }
    auto isWord = [&](size_t i) {
      return i < text.size() && (std::isalnum(byte(i)) || text[i] == '_');
    };
    if (isWord(position))
      while (isWord(position))
        ++position;
    else {
      bool isComparison = std::strchr("<>=!", text[position]);
      ++position;
      if (isComparison && position < text.size() && text[position] == '=')
        ++position;
    }
    token = text.substr(start, position - start);
  }
  unsigned char byte(size_t i) const { return text[i]; }

  bool accept(const char *expected) {
    if (token != expected)
      return false;
    next();
    return true;
  }
  void expect(const char *expected) {
    if (!accept(expected))
      fail(std::string("expected '") + expected + "', found '" + token + "'");
  }

  int64_t expression() {
    int64_t value = term();
    while (token == "+" || token == "-") {
      bool isReduction = token == "+";
      next();
      int64_t right = term();
      if (isReduction ? __builtin_add_overflow(value, right, &value)
                      : __builtin_sub_overflow(value, right, &value))
        fail("a number of more than 64 bits");
    }
    return value;
  }

  int64_t term() {
    int64_t value = factor();
    while (token == "*" || token == "ceildiv" || token == "floordiv" ||
           token == "mod") {
      std::string op = token;
      next();
      int64_t right = factor();
      if (op == "*") {
        if (__builtin_mul_overflow(value, right, &value))
          fail("a number of more than 64 bits");
        continue;
      }
      if (right == 0 || (right == -1 && value == INT64_MIN)) {
        fail(right == 0 ? "a division by zero"
                        : "a number of more than 64 bits");
        return 0;
      }
      int64_t quotient = value / right, remainder = value % right;
      bool isNegative = (remainder < 0) != (right < 0);
      if (op == "mod")
        value = remainder != 0 && isNegative ? remainder + right : remainder;
      else if (op == "floordiv")
        value = quotient - (remainder != 0 && isNegative);
      else
        value = quotient + (remainder != 0 && !isNegative);
    }
    return value;
  }

  int64_t factor() {
    if (++depth > kMaxDepth) {
      fail("too many parentheses");
      return 0;
    }
    int64_t value = primary();
    --depth;
    return value;
  }

  int64_t primary() {
    if (accept("-")) {
      int64_t value = factor(), negated = 0;
      if (__builtin_sub_overflow(int64_t(0), value, &negated))
        fail("a number of more than 64 bits");
      return negated;
    }
    if (accept("(")) {
      int64_t value = expression();
      expect(")");
      return value;
    }
    if (token == "min" || token == "max") {
      bool isMin = token == "min";
      next();
      expect("(");
      int64_t value = expression();
      while (accept(",")) {
        int64_t right = expression();
        value = isMin ? std::min(value, right) : std::max(value, right);
      }
      expect(")");
      return value;
    }
    if (token.empty() ||
        !(token.back() == '_' ||
          std::isalnum(static_cast<unsigned char>(token.back())))) {
      fail("expected a number or a name, found '" + token + "'");
      return 0;
    }
    std::string word = token;
    next();
    if (!std::isdigit(static_cast<unsigned char>(word[0]))) {
      auto found = names.find(word);
      if (found == names.end()) {
        fail("unknown name '" + word + "'");
        return 0;
      }
      return found->second;
    }
    int64_t value = 0;
    for (char digit : word)
      if (!std::isdigit(static_cast<unsigned char>(digit)) ||
          __builtin_mul_overflow(value, int64_t(10), &value) ||
          __builtin_add_overflow(value, int64_t(digit - '0'), &value)) {
        fail("expected a number of 64 bits, found '" + word + "'");
        return 0;
      }
    return value;
  }

  const std::string &text;
  const Names &names;
  std::string token, error;
  size_t position = 0;
  int depth = 0;
};
} // namespace

Status mlir::scan::launcher::evaluate(const std::string &text,
                                      const Names &names, int64_t &value) {
  Evaluator evaluator(text, names);
  int64_t result = evaluator.evaluate();
  if (!evaluator.getError().empty())
    return Status::failure(evaluator.getError());
  value = result;
  return Status::success();
}

Status mlir::scan::launcher::holds(const std::string &text, const Names &names,
                                   bool &value) {
  Evaluator evaluator(text, names);
  bool result = evaluator.evaluateComparison();
  if (!evaluator.getError().empty())
    return Status::failure(evaluator.getError());
  value = result;
  return Status::success();
}
