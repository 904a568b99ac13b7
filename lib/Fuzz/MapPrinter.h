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
struct Value {
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
  void setArgument(Value value) { argument = std::move(value); }

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
  Value printChain(Value value, const MapChain &chain, llvm::StringRef element,
                   bool convertsFirst, bool isModuli, Hidden hidden);
  Value printModulus(Value value);
  Value printGrowth(Value value);
  Value printSum(const Value &left, const Value &right);
  /// `value` shifted by `by` along dimension `dim`; 1, or a quarter, comes in.
  Value printShift(Value value, unsigned dim, int64_t by);
  Value printTranspose(Value value, llvm::ArrayRef<unsigned> permutation);
  /// `value` with the extents of `shape` in its type: cast, if it has others.
  Value printCast(Value value, llvm::ArrayRef<int64_t> shape);

private:
  std::string getExtent(unsigned dim);
  std::string printEmpty(const Value &like);
  std::string printExtents(const Value &value);
  std::string getConstant(int64_t number, const Value &like, bool inEighths);
  std::string define(const llvm::Twine &operation, const llvm::Twine &operands,
                     const Value &like);
  Value cast(Value value, llvm::StringRef element);
  Value step(Value value, const MapStep &step, const Value &second,
             bool isModuli);
  Value modulus(Value value);
  /// Wraps what `emit` prints on scalars into a linalg.generic.
  template <typename Emit>
  Value generic(llvm::ArrayRef<Value> inputs, Value result, Emit emit);

  const Program &program;
  Value argument;
  std::string body, prologue, indent = "  ";
  unsigned count = 0;
  llvm::SmallVector<unsigned> knownExtents;
};

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_MAPPRINTER_H
