//===- LeafInvariants.cpp - What holds of the leaves of a scan ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LeafInvariants.h"
#include "OperatorFacts.h"
#include "StepsRange.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan;

/// `value` as a user would write it: 0, -3, 0.5, 1e-300. Never loses a digit.
static std::string printNumber(double value) {
  // Beyond this, neighbours are further apart than 1, and digits say nothing.
  constexpr double kExact = 9007199254740992.0;
  if (std::trunc(value) == value && std::fabs(value) <= kExact)
    return std::to_string(static_cast<int64_t>(value));
  SmallString<32> text;
  llvm::APFloat(value).toString(text);
  return std::string(text);
}

//===----------------------------------------------------------------------===//
// #scan.invariant
//===----------------------------------------------------------------------===//

/// Parses a number with a point or without one.
static ParseResult parseNumber(AsmParser &parser, FloatAttr &number) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute attribute;
  if (parser.parseAttribute(attribute))
    return failure();
  double value;
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    llvm::APFloat exact(0.0);
    if (exact.convertFromAPInt(integer.getValue(), /*IsSigned=*/true,
                               llvm::APFloat::rmNearestTiesToEven) !=
        llvm::APFloat::opOK)
      return parser.emitError(loc)
             << "expected a bound that an f64 can hold, found " << attribute;
    value = exact.convertToDouble();
  } else if (auto real = dyn_cast<FloatAttr>(attribute)) {
    value = real.getValueAsDouble();
  } else {
    return parser.emitError(loc) << "expected a number, found " << attribute;
  }
  // One zero: attributes that print alike are the same.
  number = parser.getBuilder().getF64FloatAttr(value == 0 ? 0.0 : value);
  return success();
}

Attribute InvariantAttr::parse(AsmParser &parser, Type) {
  unsigned leaf = 0;
  bool magnitude = false, finite = false, notNaN = false;
  FloatAttr lower, upper;
  bool lowerStrict = false, upperStrict = false;
  auto parseBound = [&](FloatAttr &bound, StringRef which) -> ParseResult {
    if (bound)
      return parser.emitError(parser.getCurrentLocation())
             << "expected one " << which << " bound, found a second one";
    return failure(parser.parseEqual() || parseNumber(parser, bound));
  };
  if (parser.parseLess() || parser.parseKeyword("leaf") ||
      parser.parseEqual() || parser.parseInteger(leaf))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (failed(parser.parseOptionalKeyword(
            &keyword, {"abs", "finite", "not_nan", "gt", "ge", "lt", "le"}))) {
      InFlightDiagnostic diag =
          parser.emitError(loc)
          << "expected one of abs, finite, not_nan, gt, ge, lt or le";
      if (succeeded(parser.parseOptionalKeyword(&keyword)))
        diag << ", found '" << keyword << "'";
      return {};
    }
    if (keyword == "abs") {
      magnitude = true;
    } else if (keyword == "finite") {
      finite = true;
    } else if (keyword == "not_nan") {
      notNaN = true;
    } else if (keyword.starts_with("g")) {
      lowerStrict = keyword == "gt";
      if (parseBound(lower, "lower"))
        return {};
    } else {
      upperStrict = keyword == "lt";
      if (parseBound(upper, "upper"))
        return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<InvariantAttr>(parser.getContext(), leaf, magnitude,
                                          finite, notNaN, lower, lowerStrict,
                                          upper, upperStrict);
}

void InvariantAttr::print(AsmPrinter &printer) const {
  printer << "<leaf = " << getLeaf();
  if (getMagnitude())
    printer << ", abs";
  if (getLower())
    printer << (getLowerStrict() ? ", gt = " : ", ge = ")
            << printNumber(getLower().getValueAsDouble());
  if (getUpper())
    printer << (getUpperStrict() ? ", lt = " : ", le = ")
            << printNumber(getUpper().getValueAsDouble());
  if (getFinite())
    printer << ", finite";
  if (getNotNaN())
    printer << ", not_nan";
  printer << ">";
}

LogicalResult
InvariantAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      unsigned leaf, bool magnitude, bool finite, bool notNaN,
                      FloatAttr lower, bool lowerStrict, FloatAttr upper,
                      bool upperStrict) {
  for (FloatAttr bound : {lower, upper})
    if (bound && (!bound.getType().isF64() || !bound.getValue().isFinite()))
      return emitError() << "expected a bound to be a finite number of f64, "
                            "found "
                         << bound << "; not_nan is there for what may be "
                         << "infinite, finite for what may not";
  if (!lower && !upper && !finite && !notNaN)
    return emitError() << "expected the invariant of leaf #" << leaf
                       << " to say something: a bound (gt, ge, lt or le), "
                          "finite or not_nan, found neither";
  if (!lower && !upper && magnitude)
    return emitError() << "expected abs only with a bound (gt, ge, lt or le), "
                          "found none";
  if ((lowerStrict && !lower) || (upperStrict && !upper))
    return emitError() << "expected a bound that is strict, found none";
  if (lower && upper) {
    double from = lower.getValueAsDouble(), to = upper.getValueAsDouble();
    if (from > to || (from == to && (lowerStrict || upperStrict)))
      return emitError() << "expected a number within the bounds, found none: "
                         << (lowerStrict ? "gt = " : "ge = ")
                         << printNumber(from)
                         << (upperStrict ? " and lt = " : " and le = ")
                         << printNumber(to);
  }
  if (magnitude && upper) {
    double to = upper.getValueAsDouble();
    if (to < 0 || (to == 0 && upperStrict))
      return emitError() << "expected a magnitude within the bounds, found "
                         << (upperStrict ? "lt = " : "le = ")
                         << printNumber(to);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// What an invariant means
//===----------------------------------------------------------------------===//

template <typename T> static bool isWithin(const LeafInvariant &inv, T value) {
  // Written so that NaN is within no bounds.
  if (inv.lower) {
    T bound = static_cast<T>(*inv.lower);
    if (!(inv.lowerStrict ? value > bound : value >= bound))
      return false;
  }
  if (inv.upper) {
    T bound = static_cast<T>(*inv.upper);
    if (!(inv.upperStrict ? value < bound : value <= bound))
      return false;
  }
  return true;
}

bool LeafInvariant::holds(double value) const {
  if ((finite && !std::isfinite(value)) || (notNaN && std::isnan(value)))
    return false;
  return isWithin(*this, magnitude ? std::fabs(value) : value);
}

bool LeafInvariant::holds(double real, double imaginary) const {
  if (finite && !(std::isfinite(real) && std::isfinite(imaginary)))
    return false;
  bool isNaN = std::isnan(real) || std::isnan(imaginary);
  if (notNaN && isNaN)
    return false;
  if (!lower && !upper)
    return true;
  // hypot of an infinity and NaN is infinite.
  return !isNaN && isWithin(*this, std::hypot(real, imaginary));
}

bool LeafInvariant::holds(int64_t value) const {
  return isWithin(*this, value);
}

std::string LeafInvariant::describe() const {
  SmallVector<std::string> parts;
  std::string name = magnitude ? "|x| " : "";
  if (finite)
    parts.push_back("finite");
  if (notNaN && !finite)
    parts.push_back("not NaN");
  if (lower)
    parts.push_back(name + (lowerStrict ? "> " : ">= ") + printNumber(*lower));
  if (upper)
    parts.push_back(name + (upperStrict ? "< " : "<= ") + printNumber(*upper));
  return llvm::join(parts, " and ");
}

/// `bound` as a number of a floating-point type; nothing if it exceeds it.
static std::optional<double> roundBound(double bound, FloatType type) {
  llvm::APFloat number(bound);
  bool losesInfo;
  number.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                 &losesInfo);
  if (number.isInfinity())
    return std::nullopt;
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

/// The type of which bounds of elements of `type` are.
static Type getBoundType(Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  return complex ? complex.getElementType() : type;
}

/// The least integer of `type`, and the least beyond its range.
static std::pair<double, double> getRange(IntegerType type) {
  if (type.getWidth() == 1)
    return {0, 2};
  double size = std::ldexp(1.0, type.getWidth() - 1);
  return {-size, size};
}

/// `bound` as a number of `type`; nothing if it has none that is near.
static std::optional<double> readBound(double bound, Type type) {
  if (auto real = dyn_cast<FloatType>(type))
    return roundBound(bound, real);
  auto [least, beyond] = getRange(cast<IntegerType>(type));
  if (std::trunc(bound) != bound || bound < least || bound >= beyond)
    return std::nullopt;
  return bound;
}

static LeafInvariant readInvariant(InvariantAttr attribute, Type element) {
  LeafInvariant invariant;
  invariant.leaf = attribute.getLeaf();
  invariant.magnitude = attribute.getMagnitude();
  invariant.finite = attribute.getFinite();
  invariant.notNaN = attribute.getNotNaN();
  Type type = getBoundType(element);
  if (FloatAttr lower = attribute.getLower())
    invariant.lower = readBound(lower.getValueAsDouble(), type);
  if (FloatAttr upper = attribute.getUpper())
    invariant.upper = readBound(upper.getValueAsDouble(), type);
  invariant.lowerStrict = attribute.getLowerStrict();
  invariant.upperStrict = attribute.getUpperStrict();
  return invariant;
}

SmallVector<LeafInvariant> mlir::scan::getLeafInvariants(AssociativeOp op) {
  SmallVector<LeafInvariant> invariants;
  auto list = op->getAttrOfType<ArrayAttr>(AssociativeOp::getAssumeName());
  if (!list)
    return invariants;
  for (auto attribute : list.getAsRange<InvariantAttr>()) {
    Value leaf = op.getInputs()[attribute.getLeaf()];
    invariants.push_back(
        readInvariant(attribute, getElementTypeOrSelf(leaf.getType())));
  }
  return invariants;
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Whether no number of `type` is within the bounds, which it can hold.
static bool isEmpty(const LeafInvariant &invariant, Type type) {
  bool isStrict = invariant.lowerStrict || invariant.upperStrict;
  if (invariant.lower && invariant.upper &&
      *invariant.lower == *invariant.upper && isStrict)
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return false;
  auto [least, beyond] = getRange(integer);
  if ((invariant.upperStrict && *invariant.upper == least) ||
      (invariant.lowerStrict && *invariant.lower == beyond - 1))
    return true;
  // Between two neighbours lies no integer.
  return invariant.lowerStrict && invariant.upperStrict &&
         *invariant.upper - *invariant.lower == 1;
}

/// C21 and C22.
static LogicalResult verifyFits(AssociativeOp op, InvariantAttr attribute,
                                Type element) {
  unsigned leaf = attribute.getLeaf();
  FloatAttr lower = attribute.getLower(), upper = attribute.getUpper();
  // C21.
  if (isa<IntegerType>(element) &&
      (attribute.getMagnitude() || attribute.getFinite() ||
       attribute.getNotNaN()))
    return op.emitOpError()
           << "C21: expected an invariant of leaf #" << leaf << ", of "
           << element << ", to have bounds only (gt, ge, lt or le), found "
           << attribute;
  if (isa<ComplexType>(element) && (lower || upper) &&
      !attribute.getMagnitude())
    return op.emitOpError()
           << "C21: expected bounds of leaf #" << leaf << ", of " << element
           << ", to be those of the magnitude ('abs'), found " << attribute;
  // C22.
  Type type = getBoundType(element);
  for (FloatAttr bound : {lower, upper})
    if (bound && !readBound(bound.getValueAsDouble(), type))
      return op.emitOpError()
             << "C22: expected a bound of leaf #" << leaf << " to be a number "
             << "of " << type << ", found "
             << printNumber(bound.getValueAsDouble());
  if (isEmpty(readInvariant(attribute, element), type))
    return op.emitOpError() << "C22: expected a number of " << type
                            << " within the bounds of leaf #" << leaf
                            << ", found none: " << attribute;
  return success();
}

LogicalResult mlir::scan::impl::verifyLeafInvariants(AssociativeOp op) {
  StringRef name = AssociativeOp::getAssumeName();
  // C19. The name without the dialect would be taken for a note of somebody's.
  if (op->hasAttr("assume"))
    return op.emitOpError() << "C19: expected the invariants of leaves in '"
                            << name << "', found 'assume'";
  Attribute attribute = op->getAttr(name);
  if (!attribute)
    return success();
  auto list = dyn_cast<ArrayAttr>(attribute);
  if (!list || !llvm::all_of(list, llvm::IsaPred<InvariantAttr>))
    return op.emitOpError()
           << "C19: expected '" << name
           << "' to be an array of #scan.invariant, found " << attribute;
  for (auto invariant : list.getAsRange<InvariantAttr>()) {
    // C20.
    if (invariant.getLeaf() >= op.getNumLeaves())
      return op.emitOpError() << "C20: expected an invariant of a leaf in [0, "
                              << op.getNumLeaves() << "), found " << invariant;
    Value leaf = op.getInputs()[invariant.getLeaf()];
    if (failed(verifyFits(op, invariant, getElementTypeOrSelf(leaf.getType()))))
      return failure();
  }
  return success();
}

LogicalResult ScanDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  if (attribute.getName() == AssociativeOp::getAssumeName() &&
      !isa<AssociativeOp>(op))
    return op->emitOpError()
           << "expected '" << AssociativeOp::getAssumeName() << "' on a '"
           << AssociativeOp::getOperationName() << "' only";
  if (attribute.getName() == kOperatorFactsAttrName)
    return impl::verifyOperatorFacts(op, attribute.getValue());
  if (attribute.getName() == kStepsRangeAttrName ||
      attribute.getName() == kScansRangeAttrName)
    return impl::verifyRange(op, attribute);
  return success();
}

Attribute mlir::scan::impl::keepInvariants(Attribute assume,
                                           const llvm::SmallBitVector &kept) {
  auto list = dyn_cast_or_null<ArrayAttr>(assume);
  if (!list || !llvm::all_of(list, llvm::IsaPred<InvariantAttr>))
    return assume;
  SmallVector<Attribute> left;
  for (auto old : list.getAsRange<InvariantAttr>()) {
    unsigned leaf = old.getLeaf();
    if (leaf >= kept.size() || !kept.test(leaf))
      continue;
    unsigned number = 0;
    for (unsigned before : kept.set_bits())
      number += before < leaf;
    left.push_back(InvariantAttr::get(
        old.getContext(), number, old.getMagnitude(), old.getFinite(),
        old.getNotNaN(), old.getLower(), old.getLowerStrict(), old.getUpper(),
        old.getUpperStrict()));
  }
  return left.empty() ? Attribute() : ArrayAttr::get(list.getContext(), left);
}
