//===- Model.cpp - Values that a solver prints ----------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::scan::associativity;
using llvm::APFloat;
using llvm::APInt;

/// Digits beyond this are no number that anybody means.
static constexpr size_t kMaxDigits = 10000;

/// The words of `text`: parentheses, and what stands between them.
static SmallVector<StringRef> split(StringRef text) {
  SmallVector<StringRef> words;
  while (!(text = text.ltrim()).empty()) {
    size_t length =
        text[0] == '(' || text[0] == ')'
            ? 1
            : std::min(text.find_first_of("() \t\r\n"), text.size());
    words.push_back(text.take_front(length));
    text = text.drop_front(length);
  }
  return words;
}

/// "12.5"
static FailureOr<Rational> parseDecimal(StringRef text) {
  // Digits that were left out: the number is near enough to be tried.
  text.consume_back("?");
  auto [whole, fraction] = text.split('.');
  std::string digits = (whole + fraction).str();
  if (whole.empty() || digits.size() > kMaxDigits ||
      !llvm::all_of(digits, llvm::isDigit))
    return failure();
  unsigned bits = digits.size() * 4 + 2;
  APInt scale(bits, 1), ten(bits, 10);
  for (size_t i = 0; i < fraction.size(); ++i)
    scale *= ten;
  return presburger::reduce(Rational(
      llvm::DynamicAPInt(APInt(bits, digits, 10)), llvm::DynamicAPInt(scale)));
}

/// A number, `(- x)` or `(/ x y)`.
static FailureOr<Rational> parseRational(ArrayRef<StringRef> &words,
                                         unsigned depth = 0) {
  if (words.empty() || depth > 4)
    return failure();
  StringRef first = words.consume_front();
  if (first != "(")
    return parseDecimal(first);
  if (words.empty())
    return failure();
  StringRef name = words.consume_front();
  FailureOr<Rational> x = parseRational(words, depth + 1);
  if (failed(x))
    return failure();
  Rational result = *x;
  if (name == "-") {
    result = -*x;
  } else if (name == "/") {
    FailureOr<Rational> y = parseRational(words, depth + 1);
    if (failed(y) || *y == Rational(0, 1))
      return failure();
    result = *x / *y;
  } else {
    return failure();
  }
  if (words.empty() || words.consume_front() != ")")
    return failure();
  return result;
}

/// "12" or "(- 12)".
static FailureOr<Rational> parseInteger(ArrayRef<StringRef> words) {
  FailureOr<Rational> value = parseRational(words);
  if (failed(value) || !words.empty() || value->den != 1)
    return failure();
  return value;
}

/// "#x0f", "#b01", of any width up to 64.
static FailureOr<APInt> parseBits(StringRef text, unsigned width) {
  bool isHex = text.consume_front("#x");
  if (!isHex && !text.consume_front("#b"))
    return failure();
  auto isValid = [&](char c) {
    return isHex ? llvm::isHexDigit(c) : c == '0' || c == '1';
  };
  if (text.size() * (isHex ? 4 : 1) != width || text.empty() ||
      !llvm::all_of(text, isValid))
    return failure();
  return APInt(width, text, isHex ? 16 : 2);
}

/// `(fp sign exponent significand)`, or `(_ NaN 8 24)` and the like.
static FailureOr<APInt> parseFloat(ArrayRef<StringRef> words,
                                   const llvm::fltSemantics &semantics) {
  Sort sort = Sort::ieee(semantics);
  if (words.size() == 6 && words[1] == "fp") {
    FailureOr<APInt> sign = parseBits(words[2], 1),
                     exponent = parseBits(words[3], sort.width),
                     significand = parseBits(words[4], sort.precision - 1);
    if (failed(sign) || failed(exponent) || failed(significand))
      return failure();
    return sign->concat(*exponent).concat(*significand);
  }
  if (words.size() != 6 || words[1] != "_")
    return failure();
  StringRef name = words[2];
  if (name == "NaN")
    return APFloat::getNaN(semantics).bitcastToAPInt();
  bool isNegative = name.starts_with("-");
  if (name.drop_front() == "zero")
    return APFloat::getZero(semantics, isNegative).bitcastToAPInt();
  if (name.drop_front() == "oo")
    return APFloat::getInf(semantics, isNegative).bitcastToAPInt();
  return failure();
}

FailureOr<APInt> scan::associativity::parseValue(StringRef text, Type type,
                                                 FloatTheory theory,
                                                 Encoding encoding) {
  if (text.size() > kMaxDigits)
    return failure();
  text = text.trim();
  auto isReal = isa<FloatType>(type) && theory == FloatTheory::Real;
  if (encoding == Encoding::Integers && !isReal && !type.isInteger(1)) {
    FailureOr<Rational> value = parseInteger(split(text));
    if (failed(value))
      return failure();
    if (auto real = dyn_cast<FloatType>(type)) {
      const llvm::fltSemantics &semantics = real.getFloatSemantics();
      APFloat infinity = APFloat::getInf(semantics, /*Negative=*/true);
      if (*value < getOrderKey(infinity) ||
          *value > getOrderKey(APFloat::getNaN(semantics)))
        return failure();
      return getFloatOfKey(*value, semantics);
    }
    unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    llvm::SmallString<32> digits;
    llvm::raw_svector_ostream(digits) << value->num;
    if (*value < Rational(0, 1) || APInt::getBitsNeeded(digits, 10) > width)
      return failure();
    return APInt(width, digits, 10);
  }
  if (auto real = dyn_cast<FloatType>(type)) {
    SmallVector<StringRef> words = split(text);
    FailureOr<APInt> bits = parseFloat(words, real.getFloatSemantics());
    if (succeeded(bits))
      return bits;
    ArrayRef<StringRef> rest = words;
    FailureOr<Rational> value = parseRational(rest);
    if (failed(value) || !rest.empty())
      return failure();
    return toFloat(*value, real.getFloatSemantics()).bitcastToAPInt();
  }
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (width == 1 && (text == "true" || text == "false"))
    return APInt(1, text == "true");
  return parseBits(text, width);
}
