//===- States.cpp - States of a scan as numbers ---------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "States.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallString.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::prove;
using associativity::FloatTheory;
using llvm::APFloat;
using llvm::APInt;

Type prove::getPartType(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return complex.getElementType();
  return element;
}

int64_t prove::countParts(Type leaf) {
  auto tensor = dyn_cast<RankedTensorType>(leaf);
  return (tensor ? tensor.getNumElements() : 1) *
         associativity::getNumParts(getElementTypeOrSelf(leaf));
}

LeafValues prove::makeStates(AssociativeOp op, int64_t count) {
  LeafValues states;
  for (Type leaf : op.getLeafTypes()) {
    SmallVector<int64_t> shape{count};
    if (auto tensor = dyn_cast<RankedTensorType>(leaf))
      llvm::append_range(shape, tensor.getShape());
    states.push_back(HostArray::zeros(getElementTypeOrSelf(leaf), shape));
  }
  return states;
}

static unsigned getBitWidth(Type part) {
  return part.isIndex() ? 64 : part.getIntOrFloatBitWidth();
}

APInt prove::getBits(const HostArray &array, int64_t part) {
  Type type = getPartType(array.elementType);
  int64_t size = *getElementByteSize(type);
  uint64_t bits = 0;
  std::memcpy(&bits, array.data.data() + part * size, size);
  return APInt(64, bits).trunc(getBitWidth(type));
}

void prove::setBits(HostArray &array, int64_t part, const APInt &bits) {
  int64_t size = *getElementByteSize(getPartType(array.elementType));
  uint64_t value = bits.getZExtValue();
  std::memcpy(array.data.data() + part * size, &value, size);
}

LeafValues prove::takeState(const LeafValues &states, int64_t index) {
  LeafValues taken;
  for (const HostArray &leaf : states) {
    HostArray one;
    one.elementType = leaf.elementType;
    one.shape = leaf.shape;
    size_t size = leaf.data.size() / leaf.shape[0];
    one.shape[0] = 1;
    one.data.assign(leaf.data.begin() + index * size,
                    leaf.data.begin() + (index + 1) * size);
    taken.push_back(std::move(one));
  }
  return taken;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static APFloat getFloat(Type type, const APInt &bits) {
  return APFloat(cast<FloatType>(type).getFloatSemantics(), bits);
}

static void printPart(llvm::raw_ostream &os, Type type, const APInt &bits) {
  if (isa<FloatType>(type)) {
    APFloat value = getFloat(type, bits);
    // NaN has a sign and a payload of which nothing depends.
    if (value.isNaN()) {
      os << "NaN";
      return;
    }
    llvm::SmallString<32> text;
    value.toString(text);
    os << (value.isInfinity() ? (value.isNegative() ? "-inf" : "inf")
                              : text.str());
  } else if (type.isInteger(1)) {
    os << (bits.isOne() ? "true" : "false");
  } else {
    bits.print(os, /*isSigned=*/true);
  }
}

static void printElements(llvm::raw_ostream &os, const HostArray &leaf,
                          int64_t &next, ArrayRef<int64_t> shape) {
  Type part = getPartType(leaf.elementType);
  if (shape.empty()) {
    bool isComplex = isa<ComplexType>(leaf.elementType);
    printPart(os, part, getBits(leaf, next++));
    if (isComplex) {
      os << " + ";
      printPart(os, part, getBits(leaf, next++));
      os << "i";
    }
    return;
  }
  os << "[";
  for (int64_t i = 0; i < shape[0]; ++i) {
    if (i)
      os << ", ";
    printElements(os, leaf, next, shape.drop_front());
  }
  os << "]";
}

std::string prove::printState(AssociativeOp op, const LeafValues &states,
                              int64_t index) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (states.size() > 1)
    os << "(";
  for (auto [i, leaf, type] : llvm::enumerate(states, op.getLeafTypes())) {
    if (i)
      os << ", ";
    int64_t next = index * ::prove::countParts(type);
    printElements(os, leaf, next, ArrayRef(leaf.shape).drop_front());
  }
  if (states.size() > 1)
    os << ")";
  return text;
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// Calls `fn` with each part of state `index` until it returns false.
static bool allParts(const LeafValues &states, int64_t index,
                     llvm::function_ref<bool(size_t leaf, int64_t part)> fn) {
  for (auto [leaf, array] : llvm::enumerate(states)) {
    int64_t parts = array.getNumElements() / array.shape[0] *
                    associativity::getNumParts(array.elementType);
    for (int64_t part = index * parts; part < (index + 1) * parts; ++part)
      if (!fn(leaf, part))
        return false;
  }
  return true;
}

static double getDouble(const HostArray &array, int64_t part) {
  APFloat value =
      getFloat(getPartType(array.elementType), getBits(array, part));
  bool losesInfo = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

static bool isFloat(const HostArray &array) {
  return isa<FloatType>(getPartType(array.elementType));
}

bool prove::isFinite(const LeafValues &states, int64_t index) {
  return allParts(states, index, [&](size_t leaf, int64_t part) {
    return !isFloat(states[leaf]) ||
           std::isfinite(getDouble(states[leaf], part));
  });
}

bool prove::fulfils(AssociativeOp op, ArrayRef<LeafInvariant> invariants,
                    const LeafValues &states, int64_t index) {
  for (const LeafInvariant &invariant : invariants) {
    const HostArray &array = states[invariant.leaf];
    unsigned parts = associativity::getNumParts(array.elementType);
    int64_t count = ::prove::countParts(op.getLeafTypes()[invariant.leaf]);
    for (int64_t at = index * count; at < (index + 1) * count; at += parts) {
      bool holds;
      if (!isFloat(array)) {
        APInt bits = getBits(array, at);
        holds = invariant.holds(bits.getBitWidth() == 1 ? int64_t(bits.isOne())
                                                        : bits.getSExtValue());
      } else if (parts == 2) {
        holds = invariant.holds(getDouble(array, at), getDouble(array, at + 1));
      } else {
        holds = invariant.holds(getDouble(array, at));
      }
      if (!holds)
        return false;
    }
  }
  return true;
}

bool prove::differ(const LeafValues &left, const LeafValues &right,
                   ArrayRef<const LeafValues *> operands, int64_t index,
                   FloatTheory theory) {
  double scale = 0;
  auto enlarge = [&](const LeafValues &states) {
    allParts(states, index, [&](size_t leaf, int64_t part) {
      if (isFloat(states[leaf]))
        scale = std::max(scale, std::fabs(getDouble(states[leaf], part)));
      return true;
    });
  };
  if (theory == FloatTheory::Real) {
    enlarge(left);
    enlarge(right);
    for (const LeafValues *operand : operands)
      enlarge(*operand);
  }
  return !allParts(left, index, [&](size_t leaf, int64_t part) {
    const HostArray &x = left[leaf], &y = right[leaf];
    APInt a = getBits(x, part), b = getBits(y, part);
    if (!isFloat(x))
      return a == b;
    Type type = getPartType(x.elementType);
    if (theory == FloatTheory::IEEE)
      return a == b || (getFloat(type, a).isNaN() && getFloat(type, b).isNaN());
    unsigned digits =
        APFloat::semanticsPrecision(cast<FloatType>(type).getFloatSemantics());
    double bound = std::ldexp(scale, -static_cast<int>(digits / 2));
    return std::fabs(getDouble(x, part) - getDouble(y, part)) <= bound;
  });
}
