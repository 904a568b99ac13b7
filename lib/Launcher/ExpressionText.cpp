//===- ExpressionText.cpp - Numbers of older manifests --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpressionText.h"
#include <algorithm>
#include <cctype>
#include <cstring>

using namespace mlir::scan::launcher;

namespace {
/// Parses by recursive descent. After the first error what is read is
/// meaningless, and no further error is recorded.
class Parser {
public:
  explicit Parser(const std::string &text) : text(text) { next(); }

  Status parse(bool isComparison, Expression &expression) {
    Tree tree = parseBinary(Operator::Kind::Sum);
    if (isComparison) {
      const Operator *op = Operator::find(token);
      if (!op || op->kind != Operator::Kind::Comparison)
        fail("expected a comparison, found '" + token + "'");
      next();
      tree = combine(op, std::move(tree), parseBinary(Operator::Kind::Sum));
    }
    if (!token.empty())
      fail("expected the end, found '" + token + "'");
    if (!error.empty())
      return Status::failure(error + " in '" + text + "'");
    expression = std::move(tree.expression);
    expression.text = text;
    return Status::success();
  }

private:
  struct Tree {
    Expression expression;
    int depth = 1;
  };

  void fail(const std::string &what) {
    if (error.empty())
      error = what;
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

  Tree combine(const Operator *op, Tree left, Tree right) {
    Tree tree;
    tree.depth = 1 + std::max(left.depth, right.depth);
    if (tree.depth > Expression::kMaxDepth)
      fail("too many parentheses");
    tree.expression.op = op;
    tree.expression.operands.push_back(std::move(left.expression));
    tree.expression.operands.push_back(std::move(right.expression));
    return tree;
  }

  /// Operators of `kind` and of those that bind tighter, from left to right.
  Tree parseBinary(Operator::Kind kind) {
    bool isProduct = kind == Operator::Kind::Product;
    auto parseOperand = [&] {
      return isProduct ? parsePrimary() : parseBinary(Operator::Kind::Product);
    };
    Tree tree = parseOperand();
    while (const Operator *op = Operator::find(token)) {
      if (op->kind != kind)
        break;
      next();
      tree = combine(op, std::move(tree), parseOperand());
    }
    return tree;
  }

  Tree parsePrimary() {
    if (depth == Expression::kMaxDepth) {
      fail("too many parentheses");
      return {};
    }
    ++depth;
    Tree tree = parseNested();
    --depth;
    return tree;
  }

  Tree parseNested() {
    if (accept("-"))
      return combine(Operator::find("-"), Tree(), parsePrimary());
    if (accept("(")) {
      Tree tree = parseBinary(Operator::Kind::Sum);
      expect(")");
      return tree;
    }
    const Operator *op = Operator::find(token);
    if (op && op->kind == Operator::Kind::Extremum) {
      next();
      expect("(");
      Tree tree = parseBinary(Operator::Kind::Sum);
      while (accept(","))
        tree = combine(op, std::move(tree), parseBinary(Operator::Kind::Sum));
      expect(")");
      return tree;
    }
    return parseWord();
  }

  /// A name or a number.
  Tree parseWord() {
    std::string word = token;
    Tree tree;
    if (word.empty() || !(word[0] == '_' || std::isalnum(byteOf(word)))) {
      fail("expected a number or a name, found '" + word + "'");
      return tree;
    }
    next();
    if (!std::isdigit(byteOf(word))) {
      tree.expression.name = word;
      return tree;
    }
    int64_t &value = tree.expression.number;
    for (unsigned char digit : word)
      if (!std::isdigit(digit) ||
          __builtin_mul_overflow(value, int64_t(10), &value) ||
          __builtin_add_overflow(value, int64_t(digit - '0'), &value)) {
        fail("expected a number of 64 bits, found '" + word + "'");
        break;
      }
    return tree;
  }
  static unsigned char byteOf(const std::string &word) { return word[0]; }

  const std::string &text;
  std::string token, error;
  size_t position = 0;
  int depth = 0;
};
} // namespace

Status mlir::scan::launcher::parseExpressionText(const std::string &text,
                                                 Expression &expression) {
  return Parser(text).parse(/*isComparison=*/false, expression);
}

Status mlir::scan::launcher::parseComparisonText(const std::string &text,
                                                 Expression &comparison) {
  return Parser(text).parse(/*isComparison=*/true, comparison);
}
