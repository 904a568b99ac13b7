//===- OperatorFacts.cpp - What is known of a combine region --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorFacts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;

static constexpr llvm::StringLiteral kCommutative = "commutative",
                                     kIdempotent = "idempotent",
                                     kIdentity = "identity", kLeaves = "leaves";

/// The types of the leaves; fails for other operations.
static FailureOr<SmallVector<Type>> getLeafTypes(Operation *op) {
  if (auto scan = dyn_cast<AssociativeOp>(op))
    return SmallVector<Type>(scan.getLeafTypes());
  if (auto kernel = dyn_cast<KernelOp>(op))
    return SmallVector<Type>(kernel.getLeafTypes());
  return failure();
}

/// Whether `constant` is a number of the leaf type `leaf`.
static bool fits(Attribute constant, Type leaf) {
  auto typed = dyn_cast<TypedAttr>(constant);
  if (!typed || typed.getType() != leaf)
    return false;
  if (isa<RankedTensorType>(leaf))
    return isa<DenseElementsAttr>(constant);
  return isa<IntegerAttr, FloatAttr, complex::NumberAttr>(constant);
}

OperatorFacts scan::getOperatorFacts(Operation *op) {
  OperatorFacts facts;
  auto dictionary = op->getAttrOfType<DictionaryAttr>(kOperatorFactsAttrName);
  FailureOr<SmallVector<Type>> leaves = getLeafTypes(op);
  if (!dictionary || failed(leaves))
    return facts;
  auto count = dictionary.getAs<IntegerAttr>(kLeaves);
  if (!count || count.getValue() != leaves->size())
    return facts;
  facts.isCommutative = dictionary.contains(kCommutative);
  facts.isIdempotent = dictionary.contains(kIdempotent);
  auto identity = dictionary.getAs<ArrayAttr>(kIdentity);
  if (identity && identity.size() == leaves->size() &&
      llvm::all_of_zip(identity, *leaves, fits))
    facts.identity = llvm::to_vector(identity);
  return facts;
}

void scan::setOperatorFacts(Operation *op, const OperatorFacts &facts) {
  FailureOr<SmallVector<Type>> leaves = getLeafTypes(op);
  if (failed(leaves) || !facts.any()) {
    op->removeDiscardableAttr(kOperatorFactsAttrName);
    return;
  }
  Builder builder(op->getContext());
  SmallVector<NamedAttribute> entries;
  auto add = [&](StringRef name, Attribute value) {
    entries.push_back(builder.getNamedAttr(name, value));
  };
  if (facts.isCommutative)
    add(kCommutative, builder.getUnitAttr());
  if (facts.isIdempotent)
    add(kIdempotent, builder.getUnitAttr());
  if (!facts.identity.empty())
    add(kIdentity, builder.getArrayAttr(facts.identity));
  add(kLeaves, builder.getI64IntegerAttr(leaves->size()));
  op->setDiscardableAttr(kOperatorFactsAttrName,
                         builder.getDictionaryAttr(entries));
}

OperatorFacts scan::dropLeafFacts(OperatorFacts facts,
                                  const llvm::BitVector &dead) {
  SmallVector<Attribute> kept;
  for (auto [leaf, constant] : llvm::enumerate(facts.identity))
    if (leaf >= dead.size() || !dead.test(leaf))
      kept.push_back(constant);
  facts.identity = std::move(kept);
  return facts;
}

OperatorFacts scan::joinFacts(const OperatorFacts &first,
                              const OperatorFacts &second) {
  OperatorFacts facts;
  facts.isCommutative = first.isCommutative && second.isCommutative;
  facts.isIdempotent = first.isIdempotent && second.isIdempotent;
  if (!first.identity.empty() && !second.identity.empty()) {
    facts.identity = first.identity;
    llvm::append_range(facts.identity, second.identity);
  }
  return facts;
}

/// The elements of a constant of a small tensor, as numbers; empty for elements
/// of unknown kind.
static SmallVector<Attribute> getNumbers(DenseElementsAttr elements) {
  SmallVector<Attribute> numbers;
  auto complex = dyn_cast<ComplexType>(elements.getElementType());
  if (!complex) {
    llvm::append_range(numbers, elements.getValues<Attribute>());
    return numbers;
  }
  if (!isa<FloatType>(complex.getElementType()))
    return numbers;
  for (const std::complex<APFloat> &number :
       elements.getValues<std::complex<APFloat>>())
    numbers.push_back(
        complex::NumberAttr::get(complex, number.real().convertToDouble(),
                                 number.imag().convertToDouble()));
  return numbers;
}

OperatorFacts scan::splitIntoScalars(const OperatorFacts &facts) {
  OperatorFacts split = facts;
  split.identity.clear();
  for (Attribute constant : facts.identity) {
    if (auto elements = dyn_cast<DenseElementsAttr>(constant))
      llvm::append_range(split.identity, getNumbers(elements));
    else
      split.identity.push_back(constant);
  }
  return split;
}

/// The number that all elements of a constant are; null if they differ.
static Attribute getOnlyNumber(Attribute constant, Type element) {
  if (auto parts = dyn_cast<ArrayAttr>(constant)) {
    // complex.constant.
    auto complex = dyn_cast<ComplexType>(element);
    if (!complex || parts.size() != 2)
      return {};
    return complex::NumberAttr::get(
        complex, cast<FloatAttr>(parts[0]).getValueAsDouble(),
        cast<FloatAttr>(parts[1]).getValueAsDouble());
  }
  auto elements = dyn_cast<DenseElementsAttr>(constant);
  if (!elements)
    return constant;
  if (!elements.isSplat())
    return {};
  auto one = elements.resizeSplat(
      RankedTensorType::get({1}, elements.getElementType()));
  SmallVector<Attribute> numbers = getNumbers(one);
  return numbers.empty() ? Attribute() : numbers.front();
}

TypedAttr scan::getLeafIdentity(KernelOp kernel, unsigned leaf) {
  OperatorFacts facts = getOperatorFacts(kernel);
  if (!facts.identity.empty())
    return dyn_cast<TypedAttr>(facts.identity[leaf]);
  Block &combine = kernel.getCombine().front();
  Operation *op = combine.back().getOperand(leaf).getDefiningOp();
  Value earlier = combine.getArgument(leaf),
        later = combine.getArgument(leaf + kernel.getNumLeaves());
  if (!isa_and_nonnull<arith::AddFOp, arith::MulFOp, arith::AddIOp,
                       arith::MulIOp, arith::AndIOp, arith::OrIOp,
                       arith::XOrIOp, arith::MaxSIOp, arith::MaxUIOp,
                       arith::MinSIOp, arith::MinUIOp, arith::MaximumFOp,
                       arith::MinimumFOp>(op) ||
      !llvm::is_contained(op->getOperands(), earlier) ||
      !llvm::is_contained(op->getOperands(), later))
    return {};
  // Upstream's is 0, which makes 0 of a first element that is -0.
  if (auto type = dyn_cast<FloatType>(op->getResult(0).getType());
      type && isa<arith::AddFOp>(op))
    return FloatAttr::get(
        type, APFloat::getZero(type.getFloatSemantics(), /*Negative=*/true));
  return arith::getNeutralElement(op).value_or(TypedAttr());
}

bool scan::isConstantOf(Value value, Attribute identity) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return isConstantOf(fill.getInputs().front(), identity);
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return false;
  if (constant == identity)
    return true;
  Type element = getElementTypeOrSelf(value.getType());
  Attribute number = getOnlyNumber(constant, element);
  return number && number == getOnlyNumber(identity, element);
}

LogicalResult scan::impl::verifyOperatorFacts(Operation *op,
                                              Attribute attribute) {
  FailureOr<SmallVector<Type>> leaves = getLeafTypes(op);
  if (failed(leaves))
    return op->emitOpError()
           << "expected '" << kOperatorFactsAttrName << "' on a '"
           << AssociativeOp::getOperationName() << "' or a '"
           << KernelOp::getOperationName() << "' only";
  auto dictionary = dyn_cast<DictionaryAttr>(attribute);
  if (!dictionary || !dictionary.getAs<IntegerAttr>(kLeaves))
    return op->emitOpError()
           << "expected '" << kOperatorFactsAttrName
           << "' to be a dictionary with the number of leaves that it is for "
              "('leaves'), found "
           << attribute;
  for (NamedAttribute entry : dictionary) {
    StringRef name = entry.getName();
    bool isFlag = name == kCommutative || name == kIdempotent;
    if (name == kLeaves || (isFlag && isa<UnitAttr>(entry.getValue())) ||
        (name == kIdentity && isa<ArrayAttr>(entry.getValue())))
      continue;
    return op->emitOpError()
           << "expected '" << kOperatorFactsAttrName
           << "' to have 'commutative', 'idempotent', 'identity = [...]' and "
              "'leaves', found '"
           << name << " = " << entry.getValue() << "'";
  }
  // Of another number of leaves nothing is known: a rewrite may have changed
  // them.
  auto identity = dictionary.getAs<ArrayAttr>(kIdentity);
  if (!identity || dictionary.getAs<IntegerAttr>(kLeaves).getValue() !=
                       static_cast<uint64_t>(leaves->size()))
    return success();
  if (identity.size() != leaves->size())
    return op->emitOpError()
           << "expected '" << kOperatorFactsAttrName
           << "' to have an identity with a constant for each of "
           << leaves->size() << " leaves, found " << identity;
  for (auto [constant, leaf] : llvm::zip_equal(identity, *leaves))
    if (!fits(constant, leaf))
      return op->emitOpError() << "expected '" << kOperatorFactsAttrName
                               << "' to have a constant of " << leaf
                               << " in its identity, found " << constant;
  return success();
}
