//===- Combiner.cpp - Random associative operators ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combiner.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace mlir::scan;
using namespace mlir::scan::fuzz;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

bool fuzz::isIntegerType(StringRef type) { return type.starts_with("i"); }
bool fuzz::isComplexType(StringRef type) { return type.starts_with("complex"); }
bool fuzz::isShortFloat(StringRef type) {
  return type == "f16" || type == "bf16";
}

unsigned fuzz::getBitWidth(StringRef type) {
  if (isComplexType(type))
    return 2 * getBitWidth(
                   type.drop_front(StringRef("complex<").size()).drop_back());
  unsigned width = 0;
  type.drop_until([](char c) { return c >= '0' && c <= '9'; })
      .getAsInteger(10, width);
  return width;
}

std::string Leaf::blockType() const {
  if (trailing.empty())
    return type;
  std::string text = "tensor<";
  for (int64_t extent : trailing)
    text += std::to_string(extent) + "x";
  return text + type + ">";
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

static bool isSegmented(const Wrapper &wrapper) {
  return wrapper.kind == Wrap::Segmented || wrapper.kind == Wrap::SegmentedIf;
}

/// How many leaves the base has.
static unsigned getArity(Base base) {
  switch (base) {
  case Base::Affine:
  case Base::Bicyclic:
  case Base::ArgMax:
  case Base::ArgMin:
  case Base::MaxPlus:
  case Base::RotateXor:
  case Base::ClearSet:
  case Base::Softmax:
    return 2;
  case Base::Heisenberg:
    return 3;
  case Base::Matrix2x2:
  case Base::Quaternion:
    return 4;
  default:
    return 1;
  }
}

/// The domain of floating-point leaves.
static Domain getFloatDomain(const Factor &factor) {
  switch (factor.base) {
  case Base::Add:
    return Domain::Sum;
  case Base::Mul:
    return Domain::NearOne;
  case Base::Max:
  case Base::Min:
  case Base::First:
  case Base::Last:
  case Base::Coalesce:
    return Domain::AnyFloat;
  case Base::Matrix:
    return factor.trailing.back() == 2 ? Domain::Rotation : Domain::Third;
  case Base::Heisenberg:
  case Base::Matrix2x2:
  case Base::Quaternion:
    return Domain::Third;
  case Base::ArgMax:
  case Base::ArgMin:
    return Domain::Comparable;
  default:
    return Domain::Unit;
  }
}

/// Rounding errors of one combine: one for an addition, one for a
/// multiplication of real numbers, three for one of complex numbers (at most
/// sqrt(5): Brent, Percival, Zimmermann, Error bounds on complex floating-point
/// multiplication).
static int64_t getCombineRoundings(const Factor &factor) {
  int64_t product = isComplexType(factor.type) ? 3 : 1;
  switch (factor.base) {
  case Base::Add:
  case Base::MaxPlus:
    return 1;
  case Base::Mul:
    return product;
  case Base::Affine:
  case Base::Matrix2x2:
    return product + 1;
  case Base::Matrix:
    return product + factor.trailing.back() - 1;
  case Base::Heisenberg:
    return product + 2;
  case Base::Quaternion:
    return product + 3;
  case Base::Softmax:
    // m - max(m, m') is at most 2 and is rounded: an error of two units in the
    // exponential, which has four of its own at most; a product, a sum.
    return 8;
  default:
    return 0;
  }
}

SmallVector<Leaf> fuzz::getLeaves(const Factor &factor) {
  Leaf leaf;
  leaf.type = factor.type;
  leaf.trailing = factor.trailing;
  if (!isIntegerType(factor.type)) {
    leaf.domain = getFloatDomain(factor);
    leaf.roundings = getCombineRoundings(factor);
  } else if (factor.base == Base::Bicyclic || factor.base == Base::MaxPlus) {
    leaf.domain = Domain::Small;
  }
  SmallVector<Leaf> leaves(getArity(factor.base), leaf);
  if (factor.base == Base::ArgMax || factor.base == Base::ArgMin) {
    leaves[1].type = "i64";
    leaves[1].domain = Domain::Position;
  }
  if (factor.base == Base::Softmax) {
    leaves[0].domain = Domain::Comparable;
    leaves[0].roundings = 0;
    leaves[1].domain = Domain::Positive;
    leaves[1].hasFunctions = true;
  }
  for (const Wrapper &wrapper : factor.wrappers)
    if (isSegmented(wrapper))
      leaves.insert(leaves.begin(), Leaf{"i1", {}, Domain::Flag, 0});
  return leaves;
}

SmallVector<Leaf> fuzz::getLeaves(ArrayRef<Factor> factors) {
  SmallVector<Leaf> leaves;
  for (const Factor &factor : factors)
    leaves.append(getLeaves(factor));
  return leaves;
}

bool Factor::isExact() const {
  return isIntegerType(type) || getCombineRoundings(*this) == 0;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

bool fuzz::canWrap(const Factor &factor, Wrap wrap) {
  if (wrap == Wrap::Segmented || wrap == Wrap::SegmentedIf ||
      wrap == Wrap::Opposite)
    return true;
  switch (factor.base) {
  // Their elements are not all numbers, or bounded ones.
  case Base::Bicyclic:
  case Base::ArgMax:
  case Base::ArgMin:
  case Base::MaxPlus:
  case Base::Softmax:
    return false;
  default:
    break;
  }
  // There is no negation of tensors of complex numbers.
  if (wrap == Wrap::Negate && isComplexType(factor.type))
    return factor.trailing.empty();
  return wrap == Wrap::Negate ? factor.type != "i1"
                              : isIntegerType(factor.type);
}

static bool canHave(Base base, StringRef type) {
  bool isInteger = isIntegerType(type), isComplex = isComplexType(type);
  switch (base) {
  case Base::And:
  case Base::Or:
  case Base::Xor:
  case Base::MaxUnsigned:
  case Base::MinUnsigned:
  case Base::ClearSet:
    return isInteger;
  case Base::RotateXor:
    return isInteger && type != "i1";
  case Base::Bicyclic:
    return type == "i32" || type == "i64";
  case Base::Max:
  case Base::Min:
  case Base::Coalesce:
  case Base::ArgMax:
  case Base::ArgMin:
    return !isComplex && type != "i1";
  case Base::MaxPlus:
    return !isComplex && (!isInteger || type == "i32" || type == "i64");
  case Base::Softmax:
    return type == "f32" || type == "f64";
  case Base::Quaternion:
    return !isComplex;
  default:
    return true;
  }
}

static bool canTrail(Base base, StringRef type) {
  if (base == Base::Matrix)
    return true;
  return getArity(base) == 1 && base != Base::Coalesce && !isComplexType(type);
}

static Factor makeFactor(Random &random, unsigned maxLeaves) {
  static const Base bases[] = {
      Base::Add,        Base::Add,         Base::Mul,        Base::Max,
      Base::Min,        Base::And,         Base::Or,         Base::Xor,
      Base::First,      Base::Last,        Base::Coalesce,   Base::Affine,
      Base::Affine,     Base::Affine,      Base::Matrix,     Base::Matrix2x2,
      Base::Heisenberg, Base::Quaternion,  Base::Bicyclic,   Base::ArgMax,
      Base::ArgMin,     Base::MaxPlus,     Base::RotateXor,  Base::ClearSet,
      Base::Softmax,    Base::MaxUnsigned, Base::MinUnsigned};
  static const StringRef types[] = {
      "i1",   "i8",  "i16", "i32", "i32",          "i64",         "f16",
      "bf16", "f32", "f32", "f64", "complex<f32>", "complex<f64>"};
  Factor factor;
  do {
    factor.base = random.pick(bases);
    factor.type = random.pick(types).str();
  } while (!canHave(factor.base, factor.type) ||
           getArity(factor.base) > maxLeaves);

  if (factor.base == Base::Matrix) {
    int64_t size = random.chance(75) ? 2 : 3;
    factor.trailing = {size, size};
  } else if (canTrail(factor.base, factor.type) && random.chance(12)) {
    factor.trailing.push_back(random.between(1, 4));
    if (random.chance(25))
      factor.trailing.push_back(random.between(1, 2));
  }

  unsigned leaves = getArity(factor.base);
  while (factor.wrappers.size() < 3 && random.chance(35)) {
    Wrapper wrapper;
    wrapper.kind =
        random.pick({Wrap::Segmented, Wrap::SegmentedIf, Wrap::Opposite,
                     Wrap::Opposite, Wrap::Negate, Wrap::Flip, Wrap::Multiply});
    if (!canWrap(factor, wrapper.kind))
      continue;
    if (isSegmented(wrapper) && leaves++ >= maxLeaves) {
      --leaves;
      continue;
    }
    if (wrapper.kind == Wrap::Flip)
      wrapper.constant = factor.type == "i1" ? 1 : random.between(1, 127);
    if (wrapper.kind == Wrap::Multiply)
      wrapper.constant =
          factor.type == "i1" ? 1 : random.between(0, 62) * 2 + 1;
    factor.wrappers.push_back(wrapper);
  }
  return factor;
}

SmallVector<Factor> fuzz::makeCombiner(Random &random, unsigned maxLeaves) {
  SmallVector<Factor> factors;
  unsigned leaves = 0;
  do {
    factors.push_back(makeFactor(random, maxLeaves - leaves));
    leaves = getLeaves(factors).size();
  } while (leaves < maxLeaves && random.chance(30));
  return factors;
}
