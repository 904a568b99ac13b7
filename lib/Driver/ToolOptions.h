//===- ToolOptions.h - Command lines of the tools ---------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsers for llvm::cl whose messages tell what an option expects, and a scope
// for options that are no globals: the library is loaded into programs that
// have command lines of their own.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_DRIVER_TOOLOPTIONS_H
#define SCAN_LIB_DRIVER_TOOLOPTIONS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include <cmath>
#include <limits>

namespace mlir::scan {

/// While it lives, the options that are made in it are the only ones: those of
/// LLVM do not show, and none has the name of one (as --stats has).
class OptionScope {
public:
  OptionScope() {
    // Registers what LLVM registers at the first use.
    (void)llvm::cl::getRegisteredOptions();
    llvm::cl::ResetCommandLineParser();
  }
  /// To be called while the options are still there: the parser resets them.
  void close() { llvm::cl::ResetCommandLineParser(); }
  OptionScope(const OptionScope &) = delete;
  OptionScope &operator=(const OptionScope &) = delete;
};

/// What a number is parsed as: `cl::parser<long>` is final.
template <typename T>
using ParsedNumber = std::conditional_t<
    sizeof(T) < sizeof(long long), T,
    std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>>;

/// A number from `least` to `most`.
template <typename T, T least = 0, T most = std::numeric_limits<T>::max()>
class RangeParser : public llvm::cl::parser<ParsedNumber<T>> {
public:
  using llvm::cl::parser<ParsedNumber<T>>::parser;
  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef text,
             ParsedNumber<T> &value) {
    T number = 0;
    if (!text.getAsInteger(10, number) && number >= least && number <= most) {
      value = number;
      return false;
    }
    std::string range = " of " + std::to_string(least) + " or more";
    if (most != std::numeric_limits<T>::max())
      range = " from " + std::to_string(least) + " to " + std::to_string(most);
    return option.error("expects a number" + range + ", found '" + text + "'");
  }
};

/// A finite number above 0, or of 0 or more.
template <bool allowsZero>
class FiniteParser : public llvm::cl::parser<double> {
public:
  using llvm::cl::parser<double>::parser;
  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef text,
             double &value) {
    if (!text.getAsDouble(value) && std::isfinite(value) &&
        (value > 0 || (allowsZero && value == 0)))
      return false;
    return option.error(llvm::Twine("expects a finite number ") +
                        (allowsZero ? "of 0 or more" : "above 0") +
                        ", found '" + text + "'");
  }
};

/// A text that is not empty.
class TextParser : public llvm::cl::parser<std::string> {
public:
  using llvm::cl::parser<std::string>::parser;
  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef text,
             std::string &value) {
    if (text.empty())
      return option.error("expects a value, found none");
    value = text.str();
    return false;
  }
};

/// One of the names given as `cl::values`.
template <typename T> class ChoiceParser : public llvm::cl::parser<T> {
public:
  using llvm::cl::parser<T>::parser;
  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef text,
             T &value) {
    std::string names;
    for (auto [i, choice] : llvm::enumerate(this->Values)) {
      if (choice.Name == text) {
        value = choice.V.getValue();
        return false;
      }
      bool isLast = i + 1 == this->Values.size();
      names += (i == 0 ? "" : isLast ? " or " : ", ") + choice.Name.str();
    }
    return option.error("expects " + llvm::Twine(names) + ", found '" + text +
                        "'");
  }
};

} // namespace mlir::scan

#endif // SCAN_LIB_DRIVER_TOOLOPTIONS_H
