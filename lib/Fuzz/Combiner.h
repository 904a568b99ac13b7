//===- Combiner.h - A grammar of associative operators ----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every sentence of the grammar is associative (for floating-point numbers up
// to rounding):
//
//   combiner ::= factor x ... x factor      each on its own leaves
//   factor   ::= base                       known semigroups
//              | segmented(factor)          starts over at a flag
//              | opposite(factor)           operands exchanged
//              | phi^-1(factor(phi, phi))   for a bijection phi of the elements
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_COMBINER_H
#define SCAN_LIB_FUZZ_COMBINER_H

#include "DataGenerator.h"
#include "Random.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace mlir::scan::fuzz {

/// The semigroups that everything is made of.
enum class Base {
  Add,
  Mul,
  Max,
  Min,
  MaxUnsigned,
  MinUnsigned,
  And,
  Or,
  Xor,
  First,      ///< the older value: a left-zero band
  Last,       ///< the newer value: a right-zero band
  Coalesce,   ///< the older one unless it is zero
  Affine,     ///< (a, b): h -> a h + b
  Matrix,     ///< square matrices, one leaf with trailing dimensions
  Matrix2x2,  ///< 2x2 matrices, a leaf per element
  Heisenberg, ///< unitriangular 3x3 matrices
  Quaternion,
  Bicyclic,  ///< pairs of natural numbers, as of matching brackets
  ArgMax,    ///< (value, index), the first of equal ones
  ArgMin,    ///< the same
  MaxPlus,   ///< (a, b): h -> max(h + a, b)
  RotateXor, ///< (s, x): x rotates by the newer s, then exclusive or
  ClearSet,  ///< (m, x): masks out, then sets bits
  Softmax,   ///< (m, s): the maximum, and the sum of exp(x - m)
};

/// What may be done to a factor, from the inside out.
enum class Wrap {
  Segmented,   ///< one more leaf, in front: an i1 that says "start here"
  SegmentedIf, ///< the same, by scf.if
  Opposite,
  Negate,   ///< phi(x) = -x
  Flip,     ///< phi(x) = x xor constant
  Multiply, ///< phi(x) = x * constant, which is odd
};

struct Wrapper {
  Wrap kind;
  int64_t constant = 0;
};

/// A factor of a combiner.
struct Factor {
  Base base;
  /// Element type of its leaves, as MLIR writes it; ArgMax and ArgMin have a
  /// leaf of i64 beside it.
  std::string type;
  /// Of all leaves of the base; static extents.
  llvm::SmallVector<int64_t> trailing;
  /// From the inside out.
  llvm::SmallVector<Wrapper> wrappers;

  /// Results do not depend on rounding.
  bool isExact() const;
};

/// What numbers a leaf may hold.
enum class Domain {
  AnyInteger,
  Flag,
  Position,
  Small,      ///< integers from 0 to 3
  AnyFloat,   ///< compared and moved only
  Comparable, ///< the same, but neither NaNs nor zeros of two signs
  Sum,        ///< added only
  Unit,
  NearOne,
  Rotation, ///< rows of a 2x2 matrix: moduli add up to 1
  Third,    ///< factors of which up to three are added: moduli up to 1/3
  Positive,
  Coefficient, ///< of a recurrence: any number, also a large one or zero
  Input,       ///< of a recurrence: up to 1, and often zero
};

struct Leaf {
  std::string type;
  llvm::SmallVector<int64_t> trailing;
  Domain domain = Domain::AnyInteger;
  /// Rounding errors of one combine.
  int64_t roundings = 0;
  /// Whether a combine has functions such as exp, which the interpreter and
  /// the targets have their own of: then also its left fold is not the same to
  /// the bit.
  bool hasFunctions = false;

  /// "f32", or "tensor<2x2xf32>".
  std::string blockType() const;
};

bool isIntegerType(llvm::StringRef type);
bool isComplexType(llvm::StringRef type);
bool isShortFloat(llvm::StringRef type);
unsigned getBitWidth(llvm::StringRef type);

/// The leaves of a factor, in order.
llvm::SmallVector<Leaf> getLeaves(const Factor &factor);
llvm::SmallVector<Leaf> getLeaves(llvm::ArrayRef<Factor> factors);

/// Whether `wrap` may be put around `factor`.
bool canWrap(const Factor &factor, Wrap wrap);

/// A random combiner with at most `maxLeaves` leaves.
llvm::SmallVector<Factor> makeCombiner(Random &random, unsigned maxLeaves);

enum class Variant {
  Plain,
  /// Evaluates how large the terms of a sum are: differences become sums.
  Moduli,
  /// Evaluates how large products of coefficients become.
  Growth,
  /// A mistake: the operands of the first factor exchanged.
  Swapped,
};

/// The lines of the combine region, over %a0... (the values so far) and %b0...
/// (the new ones), with its scan.yield.
std::string printCombineRegion(llvm::ArrayRef<Factor> factors, Variant variant,
                               llvm::StringRef indent);

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_COMBINER_H
