//===- InputSpec.cpp - Inputs by name, file or generator ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputSpec.h"
#include "Execution/SplitMix64.h"
#include "NpyIO.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::scan;

static llvm::Error invalid(StringRef spec, const Twine &reason) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "input '" + spec + "': " + reason);
}

//===----------------------------------------------------------------------===//
// The parts of a specification
//===----------------------------------------------------------------------===//

static Type parseElementType(StringRef name, MLIRContext *context) {
  if (name == "c64")
    return ComplexType::get(Float32Type::get(context));
  if (name == "c128")
    return ComplexType::get(Float64Type::get(context));
  // The parser's message would be a second line on stderr.
  ScopedDiagnosticHandler silence(context, [](Diagnostic &) {});
  Type type = name.empty() ? Type() : parseType(name, context);
  return type && getElementByteSize(type) ? type : Type();
}

/// "4x1024" or nothing at all.
static bool parseShape(StringRef text, SmallVectorImpl<int64_t> &shape) {
  if (text.empty())
    return true;
  SmallVector<StringRef> parts;
  text.split(parts, 'x');
  for (StringRef part : parts) {
    int64_t extent = 0;
    if (part.getAsInteger(10, extent) || extent < 0)
      return false;
    shape.push_back(extent);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The word that element `k` is made of (InputSpec.h).
static uint64_t getRandomWord(uint64_t seed, int64_t k) {
  return SplitMix64(seed * SplitMix64::kGamma + static_cast<uint64_t>(k))
      .next();
}

/// A number of a real type from a double, rounded once.
static void storeFloat(char *target, const llvm::fltSemantics &semantics,
                       int64_t size, double value) {
  // The processor rounds to these likewise, and large inputs are many numbers.
  if (&semantics == &llvm::APFloat::IEEEdouble()) {
    std::memcpy(target, &value, sizeof(value));
    return;
  }
  if (&semantics == &llvm::APFloat::IEEEsingle()) {
    const float rounded = static_cast<float>(value);
    std::memcpy(target, &rounded, sizeof(rounded));
    return;
  }
  llvm::APFloat number(value);
  bool losesInfo = false;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  uint64_t bits = number.bitcastToAPInt().getZExtValue();
  std::memcpy(target, &bits, size);
}

static void storeInteger(char *target, int64_t size, uint64_t value) {
  std::memcpy(target, &value, size);
}

namespace {
/// What an array is filled with: a number, or numbers from a range.
struct Filling {
  bool isRandom = false;
  uint64_t seed = 0;
  double low = 0, high = 0;
  int64_t lowInteger = 0, highInteger = 0;
  /// Instead of all this: each number for itself.
  bool isList = false;
  SmallVector<double> numbers;
  SmallVector<int64_t> integers;
};
} // namespace

static void fillFloats(HostArray &array, FloatType type, int64_t count,
                       bool isComplex, const Filling &filling) {
  unsigned precision = type.getFPMantissaWidth();
  int64_t size = type.getWidth() / 8;
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  for (int64_t k = 0; k < count; ++k) {
    double value = filling.isList ? filling.numbers[k] : filling.low;
    // The imaginary part of a constant is 0.
    if (!filling.isRandom && !filling.isList && isComplex && k % 2 == 1)
      value = 0;
    if (filling.isRandom) {
      uint64_t word = getRandomWord(filling.seed, k);
      double unit = std::ldexp(static_cast<double>(word >> (64 - precision)),
                               -static_cast<int>(precision));
      value = filling.low + unit * (filling.high - filling.low);
    }
    storeFloat(array.data.data() + k * size, semantics, size, value);
  }
}

static void fillIntegers(HostArray &array, int64_t size,
                         const Filling &filling) {
  // The number of values; 0 stands for all 2^64.
  uint64_t span = static_cast<uint64_t>(filling.highInteger) -
                  static_cast<uint64_t>(filling.lowInteger) + 1;
  for (int64_t k = 0, e = array.getNumElements(); k < e; ++k) {
    uint64_t value = filling.isList ? filling.integers[k] : filling.lowInteger;
    if (filling.isRandom) {
      uint64_t word = getRandomWord(filling.seed, k);
      if (array.elementType.isInteger(1) && span == 2)
        word >>= 32;
      value += span == 0 ? word : word % span;
    }
    if (array.elementType.isInteger(1))
      value &= 1;
    storeInteger(array.data.data() + k * size, size, value);
  }
}

static void fill(HostArray &array, const Filling &filling) {
  if (auto complex = dyn_cast<ComplexType>(array.elementType))
    return fillFloats(array, cast<FloatType>(complex.getElementType()),
                      2 * array.getNumElements(), /*isComplex=*/true, filling);
  if (auto type = dyn_cast<FloatType>(array.elementType))
    return fillFloats(array, type, array.getNumElements(),
                      /*isComplex=*/false, filling);
  fillIntegers(array, *getElementByteSize(array.elementType), filling);
}

//===----------------------------------------------------------------------===//
// Specifications
//===----------------------------------------------------------------------===//

/// Whether a finite number stays finite in the element type.
static bool canHold(Type element, double number) {
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  llvm::APFloat rounded(number);
  bool losesInfo = false;
  rounded.convert(cast<FloatType>(element).getFloatSemantics(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return !std::isfinite(number) || rounded.isFinite();
}

/// Reads a number into the field for the element type; false if it is none that
/// the type can hold. Infinities and NaN are numbers of floating-point types.
static bool parseNumber(StringRef text, Type element, double &real,
                        int64_t &integer) {
  if (!element.isIntOrIndex())
    // What no double can hold comes as an infinity, too.
    return !text.getAsDouble(real) && canHold(element, real) &&
           (!std::isinf(real) || text.contains_insensitive("inf"));
  if (!text.getAsInteger(10, integer)) {
    if (element.isIndex() || element.isInteger(64))
      return true;
    unsigned width = element.getIntOrFloatBitWidth();
    return integer >= -(int64_t(1) << (width - 1)) &&
           integer < (int64_t(1) << width);
  }
  return false;
}

static void setDefaultRange(Type element, Filling &filling) {
  bool isComplex = isa<ComplexType>(element);
  filling.low = isComplex ? -0.5 : -1;
  filling.high = isComplex ? 0.5 : 1;
  bool isPositive = element.isIndex() || element.isInteger(1);
  filling.lowInteger = isPositive ? 0 : -8;
  filling.highInteger = element.isInteger(1) ? 1 : element.isIndex() ? 15 : 7;
}

/// The numbers of a list, as many as the shape has room for.
static llvm::Error parseList(StringRef spec, StringRef list, Type element,
                             int64_t expected, Filling &filling) {
  filling.isList = true;
  if (isa<ComplexType>(element))
    expected *= 2;
  SmallVector<StringRef> parts;
  if (!list.empty())
    list.split(parts, ',');
  for (StringRef part : parts) {
    double real = 0;
    int64_t integer = 0;
    if (!parseNumber(part, element, real, integer))
      return invalid(spec, "expected numbers that the element type can hold, "
                           "found '" +
                               part + "'");
    filling.numbers.push_back(real);
    filling.integers.push_back(integer);
  }
  if (static_cast<int64_t>(parts.size()) != expected)
    return invalid(spec, "expected " + Twine(expected) + " numbers, found " +
                             Twine(parts.size()));
  return llvm::Error::success();
}

/// The part of a specification after type and shape.
static llvm::Error parseFilling(StringRef spec, StringRef kind,
                                ArrayRef<StringRef> arguments, Type element,
                                Filling &filling) {
  bool isValid = true;
  if (kind == "random") {
    filling.isRandom = true;
    setDefaultRange(element, filling);
    if (arguments.size() != 1 && arguments.size() != 3)
      return invalid(spec, "expected random:TYPE:SHAPE:SEED or "
                           "random:TYPE:SHAPE:SEED:LOW:HIGH");
    if (arguments[0].getAsInteger(10, filling.seed))
      return invalid(spec, "expected a seed of 0 or more, found '" +
                               arguments[0] + "'");
    if (arguments.size() == 3) {
      isValid =
          parseNumber(arguments[1], element, filling.low, filling.lowInteger) &&
          parseNumber(arguments[2], element, filling.high, filling.highInteger);
      bool isOrdered = element.isIntOrIndex()
                           ? filling.lowInteger <= filling.highInteger
                           : filling.low <= filling.high;
      // No number is drawn from between infinities, or between what is too far
      // apart for a double.
      if (isValid && !element.isIntOrIndex() &&
          !std::isfinite(filling.high - filling.low))
        return invalid(spec,
                       "expected LOW and HIGH to be finite, with a finite "
                       "difference, found " +
                           arguments[1] + " and " + arguments[2]);
      if (isValid && !isOrdered)
        return invalid(spec, "expected LOW <= HIGH");
    }
  } else if (kind == "const") {
    if (arguments.size() != 1)
      return invalid(spec, "expected const:TYPE:SHAPE:VALUE");
    isValid =
        parseNumber(arguments[0], element, filling.low, filling.lowInteger);
  } else {
    if (!arguments.empty())
      return invalid(spec, "expected " + kind + ":TYPE:SHAPE");
    filling.low = filling.lowInteger = kind == "ones";
  }
  if (!isValid)
    return invalid(spec, "expected numbers that the element type can hold, "
                         "found '" +
                             llvm::join(arguments, ":") + "'");
  return llvm::Error::success();
}

llvm::Expected<HostArray> mlir::scan::makeInput(StringRef spec, Type type) {
  SmallVector<StringRef> parts;
  spec.split(parts, ':');
  StringRef kind = parts.front();
  bool isGenerated =
      parts.size() > 1 &&
      llvm::StringSwitch<bool>(kind)
          .Cases({"random", "zeros", "ones", "const", "values"}, true)
          .Default(false);
  if (!isGenerated)
    return readNpy(spec, type);
  if (parts.size() < 3)
    return invalid(spec, "expected " + kind + ":TYPE:SHAPE" +
                             (kind == "random"   ? ":SEED"
                              : kind == "const"  ? ":VALUE"
                              : kind == "values" ? ":VALUE,VALUE,..."
                                                 : ""));
  Type element = parseElementType(parts[1], type.getContext());
  if (!element)
    return invalid(spec, "unknown element type '" + parts[1] +
                             "'; expected i1, i8, i16, i32, i64, index, f16, "
                             "bf16, f32, f64, c64 or c128");
  HostArray array;
  array.elementType = element;
  if (!parseShape(parts[2], array.shape))
    return invalid(spec,
                   "expected a shape like 4x1024, found '" + parts[2] + "'");
  std::string reason;
  if (!isCompatible(array, type, &reason))
    return invalid(spec, reason);
  std::optional<int64_t> size = getByteSize(element, array.shape);
  if (!size || *size > getMemoryLimit())
    return invalid(spec, "the array exceeds the memory limit of " +
                             Twine(getMemoryLimit()) + " bytes");
  Filling filling;
  ArrayRef<StringRef> arguments = ArrayRef(parts).drop_front(3);
  if (kind == "values") {
    if (arguments.size() != 1)
      return invalid(spec, "expected values:TYPE:SHAPE:VALUE,VALUE,...");
    if (llvm::Error error = parseList(spec, arguments.front(), element,
                                      array.getNumElements(), filling))
      return std::move(error);
  } else if (llvm::Error error =
                 parseFilling(spec, kind, arguments, element, filling)) {
    return std::move(error);
  }
  array.data.resize(*size);
  fill(array, filling);
  return array;
}

/// A real number with enough digits to be read back as it is.
static std::string printNumber(const char *data, FloatType type) {
  uint64_t bits = 0;
  std::memcpy(&bits, data, type.getWidth() / 8);
  llvm::APFloat number(type.getFloatSemantics(),
                       llvm::APInt(type.getWidth(), bits));
  if (number.isNaN())
    return "nan";
  bool losesInfo = false;
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  char text[40];
  std::snprintf(text, sizeof(text), "%.*g", type.isF64() ? 17 : 9,
                number.convertToDouble());
  return text;
}

std::string mlir::scan::printInputSpec(const HostArray &array) {
  std::string text = "values:";
  Type part = array.elementType;
  if (auto complex = dyn_cast<ComplexType>(part)) {
    part = complex.getElementType();
    text += part.isF64() ? "c128" : "c64";
  } else {
    llvm::raw_string_ostream(text) << part;
  }
  text += ":";
  llvm::raw_string_ostream stream(text);
  llvm::interleave(array.shape, stream, "x");
  text += ":";
  bool isComplex = part != array.elementType;
  int64_t size = *getElementByteSize(part);
  for (int64_t i = 0, e = array.getNumElements() * (isComplex ? 2 : 1); i < e;
       ++i) {
    const char *data = array.data.data() + i * size;
    if (i > 0)
      text += ",";
    if (auto real = dyn_cast<FloatType>(part)) {
      text += printNumber(data, real);
      continue;
    }
    uint64_t bits = 0;
    std::memcpy(&bits, data, size);
    unsigned unused = part.isInteger(1) ? 0 : 64 - 8 * size;
    text += std::to_string(static_cast<int64_t>(bits << unused) >> unused);
  }
  return text;
}
