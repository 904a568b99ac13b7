//===- Fractions.h - Quotients without a division ---------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_ANALYSIS_ASSOCIATIVITY_FRACTIONS_H
#define SCAN_LIB_ANALYSIS_ASSOCIATIVITY_FRACTIONS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace mlir::scan::associativity {

/// Names for texts of SMT-LIB: one text has one name.
class LetNames {
public:
  LetNames() : strings(allocator) {}
  StringRef save(const Twine &text) { return strings.save(text); }
  /// The name of `body`, which is defined in `os` the first time.
  StringRef let(llvm::raw_ostream &os, StringRef body, StringRef sort);
  /// What stands behind the definitions from now on.
  void setComment(StringRef text) { comment = text; }

private:
  llvm::BumpPtrAllocator allocator;
  llvm::UniqueStringSaver strings;
  llvm::StringMap<StringRef> names;
  StringRef comment;
};

/// A real number num / den; den is 1 where it is empty. Both are names or
/// constants of SMT-LIB.
struct Fraction {
  StringRef num, den;
  /// den > 0, wherever the fraction is defined.
  bool isDenPositive = true;
  bool operator==(const Fraction &other) const {
    return num == other.num && den == other.den;
  }
};

/// Arithmetic on fractions, which writes what it needs to `os`.
class FractionWriter {
public:
  FractionWriter(llvm::raw_ostream &os, LetNames &lets) : os(os), lets(lets) {}

  Fraction add(Fraction x, Fraction y);
  Fraction negate(Fraction x);
  Fraction multiply(Fraction x, Fraction y);
  /// y is not 0; `isPositive`: y > 0.
  Fraction divide(Fraction x, Fraction y, bool isPositive);
  Fraction invert(Fraction x, bool isPositive);
  Fraction power(Fraction x, unsigned n);
  Fraction choose(StringRef condition, Fraction x, Fraction y);
  /// `relation` is =, < or <=.
  std::string compare(StringRef relation, Fraction x, Fraction y);
  /// As one term, with a division if need be.
  std::string print(Fraction x) const;

  StringRef let(StringRef body, StringRef sort = "Real") {
    return lets.let(os, body, sort);
  }

private:
  StringRef product(StringRef x, StringRef y);

  llvm::raw_ostream &os;
  LetNames &lets;
};

} // namespace mlir::scan::associativity

#endif // SCAN_LIB_ANALYSIS_ASSOCIATIVITY_FRACTIONS_H
