//===- DataGenerator.cpp - Random arrays ----------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataGenerator.h"
#include "Compare.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

std::optional<Values> fuzz::parseValues(StringRef name) {
  return llvm::StringSwitch<std::optional<Values>>(name)
      .Case("bits", Values::Bits)
      .Case("few", Values::Few)
      .Case("unit", Values::Unit)
      .Case("near_one", Values::NearOne)
      .Case("rotation", Values::Rotation)
      .Case("flag", Values::Flag)
      .Case("position", Values::Position)
      .Case("growing", Values::Growing)
      .Case("sparse", Values::Sparse)
      .Default(std::nullopt);
}

using Generator = std::mt19937_64;

/// Uniform in [low, high]; the distributions of the standard library differ
/// from one implementation to the next.
static double draw(Generator &random, double low, double high) {
  return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
}

/// A number of the given modulus: with a random sign, or a random argument.
static std::complex<double> turn(Generator &random, double modulus, Type type) {
  if (isa<ComplexType>(type))
    return std::polar(modulus, draw(random, -3.14159, 3.14159));
  return random() & 1 ? modulus : -modulus;
}

static void fillIntegers(HostArray &array, Values values, Generator &random) {
  int64_t width = *getElementByteSize(array.elementType);
  bool isBool = array.elementType.isInteger(1);
  for (int64_t i = 0, e = array.getNumElements(); i < e; ++i) {
    uint64_t value = random();
    switch (values) {
    case Values::Few:
      value = value % 5 - 2;
      break;
    case Values::Flag:
      value = value % 8 == 0;
      break;
    case Values::Small:
      value %= 4;
      break;
    case Values::Position:
      value = static_cast<uint64_t>(i);
      break;
    default:
      break;
    }
    if (isBool)
      value &= 1;
    std::memcpy(array.data.data() + i * width, &value, width);
  }
}

/// The smallest normal number of a real type, and its largest one.
static double getSmallest(FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  return std::ldexp(1.0, APFloat::semanticsMinExponent(semantics));
}

static double drawSpecial(Generator &random, bool withNaN) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (random() % 32) {
  case 0:
    return infinity;
  case 1:
    return -infinity;
  case 2:
    return withNaN ? std::numeric_limits<double>::quiet_NaN() : 1.0;
  case 3:
    return 0.0;
  case 4:
    return -0.0;
  default:
    return draw(random, -1, 1);
  }
}

/// A coefficient of a recurrence; `growth`, drawn once, says of all of them how
/// large they are, and how often one is zero.
static double drawGrowing(Generator &random, double &growth) {
  if (growth == 0)
    growth = static_cast<double>(1 + random() % 12);
  auto kind = static_cast<uint64_t>(growth);
  // Few zeros, so that long products overflow between them; or many, so that
  // most of them do not.
  if (random() % (kind % 2 ? 8 : 128) == 0)
    return random() & 1 ? 0.0 : -0.0;
  double largest = std::ldexp(1.0, static_cast<int>((kind - 1) / 2) + 1);
  double number = draw(random, kind % 3 ? 1 : 1 / largest, largest);
  return random() & 1 ? number : -number;
}

/// What is added in a recurrence: most often nothing.
static double drawSparse(Generator &random, FloatType type) {
  switch (random() % 64) {
  case 0:
    return draw(random, -1, 1);
  case 1:
    return getSmallest(type) * draw(random, 0, 2);
  default:
    return 0;
  }
}

static std::complex<double> drawFloat(Values values, Type type, int64_t i,
                                      double &share, Generator &random) {
  auto complex = dyn_cast<ComplexType>(type);
  auto real = cast<FloatType>(complex ? complex.getElementType() : type);
  switch (values) {
  case Values::Few:
    // Without a zero: it would have two representations.
    return static_cast<double>(random() % 5) - 2.5;
  case Values::NearOne:
    return turn(random, draw(random, 0.95, 1.05), type);
  case Values::Rotation:
    share = i % 2 ? 1.0 - share : draw(random, 0, 1);
    return turn(random, share, type);
  case Values::Third:
    return turn(random, draw(random, 0, 1.0 / 3), type);
  case Values::Positive:
    return draw(random, 0.5, 1);
  case Values::Cancel: {
    // Where one is large, the next one is most often its negative; f16 has room
    // for little.
    double modulus =
        std::ldexp(draw(random, 0.5, 1), static_cast<int>(random() % 40) - 20);
    if (real.isF16())
      modulus = std::ldexp(modulus, -18);
    bool cancels = i % 2 && random() % 4;
    share = cancels ? -share : random() & 1 ? modulus : -modulus;
    return share;
  }
  case Values::Tiny:
    return turn(random, getSmallest(real) * draw(random, 0, 2), type);
  case Values::Growing:
    return drawGrowing(random, share);
  case Values::Sparse:
    return drawSparse(random, real);
  case Values::Special:
    return drawSpecial(random, /*withNaN=*/true);
  case Values::Infinite:
    return drawSpecial(random, /*withNaN=*/false);
  default:
    return turn(random, draw(random, 0, 1), type);
  }
}

static void fillFloats(HostArray &array, Values values, Generator &random) {
  double share = 0;
  for (int64_t i = 0, e = array.getNumElements(); i < e; ++i)
    setElement(array, i,
               drawFloat(values, array.elementType, i, share, random));
}

HostArray fuzz::makeRandomArray(Values values, Type elementType,
                                ArrayRef<int64_t> shape, uint64_t seed) {
  HostArray array = HostArray::zeros(elementType, shape);
  Generator random(seed);
  if (isFloatLike(elementType))
    fillFloats(array, values, random);
  else
    fillIntegers(array, values, random);
  return array;
}
