//===- ManifestValues.cpp - The values in a manifest ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ManifestValues.h"
#include "ExpressionText.h"
#include <limits>

using namespace mlir::scan::launcher;

const Json &ManifestValues::get(const Json &object, const char *key,
                                const std::string &where, Json::value_t type) {
  if (!object.is_object()) {
    fail(where, std::string("expected an object, found ") + object.type_name());
    return null;
  }
  auto found = object.find(key);
  if (found == object.end()) {
    fail(where, std::string("expected an entry '") + key + "', found none");
    return null;
  }
  Json::value_t actual = found->type();
  if (actual == Json::value_t::number_unsigned)
    actual = Json::value_t::number_integer;
  if (type != Json::value_t::discarded && actual != type) {
    fail(where, std::string("'") + key + "' has an unexpected type, " +
                    found->type_name());
    return null;
  }
  return *found;
}

int64_t ManifestValues::getCount(const Json &object, const char *key,
                                 const std::string &where) {
  const Json &value = get(object, key, where, Json::value_t::number_integer);
  int64_t number = value.is_number_integer() ? value.get<int64_t>() : 0;
  if (number < 0) {
    fail(where, std::string("'") + key + "' is negative");
    return 0;
  }
  return number;
}

Expression ManifestValues::getTree(const Json &value, const std::string &where,
                                   bool isComparison, int depth) {
  Expression tree;
  if (depth == Expression::kMaxDepth) {
    fail(where, "an expression that is nested too deeply");
  } else if (value.is_number_integer()) {
    tree.number = value.get<int64_t>();
    if (value.is_number_unsigned() && tree.number < 0)
      fail(where, "expected a number of 64 bits, found " + value.dump());
  } else if (value.is_string()) {
    tree.name = value.get<std::string>();
    if (!isName(tree.name))
      fail(where, "expected a name, found '" + tree.name + "'");
  } else if (!value.is_array()) {
    fail(where, std::string("expected an integer or an expression, found ") +
                    value.type_name());
  } else {
    const std::string name = !value.empty() && value[0].is_string()
                                 ? value[0].get<std::string>()
                                 : std::string();
    tree.op = Operator::find(name);
    if (!tree.op ||
        (tree.op->kind == Operator::Kind::Comparison) != isComparison) {
      fail(where, std::string("expected ") +
                      (isComparison ? "a comparison" : "an operator") +
                      ", found '" + name + "'");
      return tree;
    }
    for (size_t i = 1; i < value.size() && status.ok(); ++i)
      tree.operands.push_back(
          getTree(value[i], where, /*isComparison=*/false, depth + 1));
    bool hasAnyNumber = tree.op->kind == Operator::Kind::Extremum;
    if (hasAnyNumber ? value.size() < 2 : value.size() != 3)
      fail(where, std::string("expected ") +
                      (hasAnyNumber ? "1 or more" : "2") + " operands of '" +
                      name + "', found " + std::to_string(value.size() - 1));
  }
  return tree;
}

Expression ManifestValues::getExpression(const Json &value,
                                         const std::string &where,
                                         bool isComparison, const char *key) {
  // Until version 3 strings were texts, and there were no trees.
  const bool isText = version < 4;
  if (isComparison && !(isText ? value.is_string() : value.is_array())) {
    fail(where, std::string("expected a comparison in '") + key + "', found " +
                    value.type_name());
    return {};
  }
  if (isText && value.is_string()) {
    Expression read;
    const std::string text = value.get<std::string>();
    Status parsed = isComparison ? parseComparisonText(text, read)
                                 : parseExpressionText(text, read);
    if (!parsed.ok())
      fail(where, parsed.getMessage());
    return read;
  }
  if (isText && value.is_array()) {
    fail(where, "expected an integer or an expression, found array");
    return {};
  }
  Expression read = getTree(value, where, isComparison);
  if (status.ok())
    read.text = value.is_string() ? read.name : value.dump();
  return read;
}

std::vector<Expression> ManifestValues::getShape(const Json &object,
                                                 const char *key,
                                                 const std::string &where) {
  std::vector<Expression> shape;
  for (const Json &extent : getArray(object, key, where))
    shape.push_back(getExpression(extent, where));
  return shape;
}

void ManifestValues::getNumberOrName(const Json &value,
                                     const std::string &where, int64_t &number,
                                     std::string &name) {
  if (value.is_number_integer())
    number = value.get<int64_t>();
  else if (value.is_string())
    name = value.get<std::string>();
  else
    fail(where, std::string("expected an integer or a name, found ") +
                    value.type_name());
}

int64_t ManifestValues::getElementBytes(const std::string &element,
                                        const std::string &where) {
  static constexpr struct {
    const char *name;
    int64_t bytes;
  } types[] = {{"i1", 1},  {"i8", 1},           {"i16", 2},
               {"i32", 4}, {"i64", 8},          {"index", 8},
               {"f16", 2}, {"bf16", 2},         {"f32", 4},
               {"f64", 8}, {"complex<f32>", 8}, {"complex<f64>", 16}};
  for (const auto &type : types)
    if (element == type.name)
      return type.bytes;
  fail(where, "unknown element type '" + element + "'");
  return 1;
}

std::vector<uint8_t> ManifestValues::getHex(const Json &object, const char *key,
                                            size_t bytes,
                                            const std::string &where) {
  std::string digits = getString(object, key, where);
  std::vector<uint8_t> data;
  auto value = [](char digit) {
    return digit >= '0' && digit <= '9'   ? digit - '0'
           : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                                          : -1;
  };
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    int high = value(digits[i]), low = value(digits[i + 1]);
    if (high < 0 || low < 0) {
      fail(where,
           std::string("'") + key + "' has other than hexadecimal digits");
      return {};
    }
    data.push_back(high * 16 + low);
  }
  if (digits.size() % 2 || (bytes && data.size() != bytes))
    fail(where, std::string("'") + key + "' has " +
                    std::to_string(digits.size()) + " digits");
  return data;
}
