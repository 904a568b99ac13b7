//===- MapPrinter.h - Elementwise code as text ------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_MAPPRINTER_H
#define SCAN_LIB_FUZZ_MAPPRINTER_H

#include "Program.h"
#include "llvm/ADT/Twine.h"

namespace mlir::scan::fuzz {

/// A value of the function body.
struct PrintedValue {
  std::string name, element;
  llvm::SmallVector<int64_t> shape;
  bool isScalar = false;
  /// Which iteration dimension each dimension is; trailing ones come after.
  llvm::SmallVector<unsigned> dims;

  std::string getType() const;
};

/// Prints elementwise code on tensors into the body of a function.
class MapPrinter {
public:
  explicit MapPrinter(const Program &program) : program(program) {}

  /// The argument of leaf 0, which has every extent.
  void setArgument(PrintedValue value) { argument = std::move(value); }

  std::string fresh() { return "%t" + std::to_string(count++); }
  void line(const llvm::Twine &text) { body += indent + text.str() + "\n"; }
  std::string take() { return std::move(body); }
  /// Constants and extents that the body needs.
  std::string takePrologue() { return std::move(prologue); }

  /// `value` converted to `element`, before or after it is put through `chain`;
  /// with all iteration dimensions, in order, where it had some of them. With
  /// `isModuli` differences become sums; what was converted before, its
  /// modulus. The result has the type of `value`, if that has all dimensions,
  /// or else hides `hidden`.
  PrintedValue printChain(PrintedValue value, const MapChain &chain,
                          llvm::StringRef element, bool convertsFirst,
                          bool isModuli, Hidden hidden);
  PrintedValue printModulus(PrintedValue value);
  PrintedValue printGrowth(PrintedValue value);
  PrintedValue printSum(const PrintedValue &left, const PrintedValue &right);
  /// `value` shifted by `by` along dimension `dim`; 1, or a quarter, comes in.
  PrintedValue printShift(PrintedValue value, unsigned dim, int64_t by);
  PrintedValue printTranspose(PrintedValue value,
                              llvm::ArrayRef<unsigned> permutation);
  /// `value` with the extents of `shape` in its type: cast, if it has others.
  PrintedValue printCast(PrintedValue value, llvm::ArrayRef<int64_t> shape);

private:
  std::string getExtent(unsigned dim);
  std::string printEmpty(const PrintedValue &like);
  std::string printExtents(const PrintedValue &value);
  std::string getConstant(int64_t number, const PrintedValue &like,
                          bool inEighths);
  std::string define(const llvm::Twine &operation, const llvm::Twine &operands,
                     const PrintedValue &like);
  PrintedValue cast(PrintedValue value, llvm::StringRef element);
  PrintedValue step(PrintedValue value, const MapStep &step,
                    const PrintedValue &second, bool isModuli);
  PrintedValue modulus(PrintedValue value);
  /// Wraps what `emit` prints on scalars into a linalg.generic.
  template <typename Emit>
  PrintedValue generic(llvm::ArrayRef<PrintedValue> inputs, PrintedValue result,
                       Emit emit);

  const Program &program;
  PrintedValue argument;
  std::string body, prologue, indent = "  ";
  unsigned count = 0;
  llvm::SmallVector<unsigned> knownExtents;
};

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_MAPPRINTER_H
