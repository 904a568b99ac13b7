//===- StateSplit.cpp - States that threads can share ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each argument of a region belongs to one part or to all of them, and so each
// value depends on a set of parts. What depends on one part has to be the same
// expression as that of part 0, argument for argument. What depends on several
// has to be a sum of such expressions, one of each part, or, in the store
// region, something computed from these sums.
//
//===----------------------------------------------------------------------===//

#include "StateSplit.h"
#include "IR/ScatteredOutputs.h"
#include "IR/SplitBidirectional.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::scan;

/// Sets of parts are words.
static constexpr int64_t kMostParts = 64;

/// What a region computes, by parts.
namespace {
class PartedRegion {
public:
  PartedRegion(Region &region, int64_t parts) : region(region), parts(parts) {}

  /// The next argument is shared, or the next `parts` belong to a part each.
  void addArguments(bool isParted);
  /// The next arguments are those of all leaves.
  void addLeaves(const StateSplit &split);

  /// Finds what each value depends on.
  void analyze();

  uint64_t getParts(Value value) const { return dependences.lookup(value); }
  /// Whether `value` is for part `part` what `first` is for part 0.
  bool isSame(Value first, Value value, int64_t part);
  /// Whether each of `values`, one per part, depends on its own part at the
  /// most, as the first one does.
  bool areSame(ArrayRef<Value> values);
  /// The sum that `value` is, which depends on all parts.
  std::optional<StateSplit::Total> getTotal(Value value);

  SmallVector<Value> getYielded() {
    return llvm::to_vector(region.front().getTerminator()->getOperands());
  }

private:
  Region &region;
  int64_t parts;
  unsigned numArguments = 0;
  /// Of an argument that belongs to a part: which one, and its number in it.
  DenseMap<Value, std::pair<int64_t, unsigned>> owners;
  DenseMap<Value, uint64_t> dependences;
  DenseSet<std::pair<Value, Value>> known;
};
} // namespace

void PartedRegion::addArguments(bool isParted) {
  unsigned first = numArguments;
  numArguments += isParted ? parts : 1;
  if (isParted)
    for (int64_t part = 0; part < parts; ++part)
      owners[region.getArgument(first + part)] = {part, first};
}

void PartedRegion::addLeaves(const StateSplit &split) {
  for (int64_t part = 0; part < parts; ++part)
    for (unsigned i = 0; i < split.leavesPerPart; ++i)
      owners[region.getArgument(numArguments + split.getLeaf(part, i))] = {
          part, numArguments + i};
  numArguments += parts * split.leavesPerPart;
}

void PartedRegion::analyze() {
  for (auto [argument, owner] : owners)
    dependences[argument] = uint64_t(1) << owner.first;
  for (Operation &op : region.front()) {
    uint64_t all = 0;
    for (Value operand : op.getOperands())
      all |= getParts(operand);
    for (Value result : op.getResults())
      dependences[result] = all;
  }
}

bool PartedRegion::isSame(Value first, Value value, int64_t part) {
  if (first == value)
    return getParts(value) == 0 || part == 0;
  if (known.contains({first, value}))
    return true;
  auto owner = owners.find(value), firstOwner = owners.find(first);
  if (owner != owners.end() || firstOwner != owners.end()) {
    if (owner == owners.end() || firstOwner == owners.end() ||
        owner->second != std::pair(part, firstOwner->second.second) ||
        firstOwner->second.first != 0)
      return false;
  } else {
    Operation *a = first.getDefiningOp(), *b = value.getDefiningOp();
    if (!a || !b || a->getName() != b->getName() ||
        a->getAttrDictionary() != b->getAttrDictionary() ||
        a->getNumOperands() != b->getNumOperands() ||
        a->getResultTypes() != b->getResultTypes() ||
        cast<OpResult>(first).getResultNumber() !=
            cast<OpResult>(value).getResultNumber())
      return false;
    for (auto [x, y] : llvm::zip_equal(a->getOperands(), b->getOperands()))
      if (!isSame(x, y, part))
        return false;
  }
  known.insert({first, value});
  return true;
}

bool PartedRegion::areSame(ArrayRef<Value> values) {
  for (auto [part, value] : llvm::enumerate(values))
    if ((getParts(value) & ~(uint64_t(1) << part)) != 0 ||
        !isSame(values[0], value, part))
      return false;
  return true;
}

static bool isSum(Operation *op) {
  return isa_and_present<arith::AddFOp, arith::AddIOp, complex::AddOp>(op);
}

std::optional<StateSplit::Total> PartedRegion::getTotal(Value value) {
  SmallVector<Value> terms(parts);
  StateSplit::Total total = {value, Value(), {}};
  SmallVector<Value> left = {value};
  while (!left.empty()) {
    Value next = left.pop_back_val();
    uint64_t own = getParts(next);
    if (own == 0) {
      total.others.push_back(next);
    } else if (llvm::isPowerOf2_64(own)) {
      Value &term = terms[llvm::countr_zero(own)];
      if (term)
        return std::nullopt;
      term = next;
    } else if (isSum(next.getDefiningOp())) {
      llvm::append_range(left, next.getDefiningOp()->getOperands());
    } else {
      return std::nullopt;
    }
  }
  if (llvm::is_contained(terms, Value()))
    return std::nullopt;
  if (!areSame(terms)) {
    // What all parts share may have been added to one of them first.
    for (Value &term : terms)
      if (Operation *op = term.getDefiningOp(); isSum(op))
        for (unsigned i : {0, 1})
          if (getParts(op->getOperand(i)) == 0) {
            total.others.push_back(op->getOperand(i));
            term = op->getOperand(1 - i);
            break;
          }
    if (!areSame(terms))
      return std::nullopt;
  }
  total.term = terms[0];
  return total;
}

namespace {
class Splitter {
public:
  explicit Splitter(KernelOp kernel) : kernel(kernel) {}

  std::optional<StateSplit> take();

private:
  bool findParts();
  bool addOperands(ValueRange operands, ArrayRef<AffineMap> maps,
                   SmallVector<bool> &hasParts);
  bool splitLeaves();
  bool splitLoad();
  bool splitStore();
  bool splitInitAndFinals();
  /// Whether those of `yielded`, one per leaf, are the same for all parts.
  bool areLeavesSame(PartedRegion &region);
  void addInputs(PartedRegion &region) {
    for (bool isParted : split.hasInputParts)
      region.addArguments(isParted);
  }

  KernelOp kernel;
  StateSplit split;
};
} // namespace

/// Notes which operands have an element per part: those with more than one.
bool Splitter::addOperands(ValueRange operands, ArrayRef<AffineMap> maps,
                           SmallVector<bool> &hasParts) {
  for (auto [operand, map] : llvm::zip_equal(operands, maps)) {
    int64_t elements = KernelOp::getNumElements(operand, map);
    hasParts.push_back(elements != 1);
    if (elements == 1)
      continue;
    // They are found by one index.
    int64_t trailing =
        cast<ShapedType>(operand.getType()).getRank() - map.getNumResults();
    if (trailing != 1 || (split.parts != 0 && split.parts != elements))
      return false;
    split.parts = elements;
  }
  return true;
}

bool Splitter::findParts() {
  SmallVector<bool> hasFinalParts;
  return addOperands(kernel.getInputs(), kernel.getInputMaps(),
                     split.hasInputParts) &&
         addOperands(kernel.getInits(), kernel.getInitMaps(),
                     split.hasInitParts) &&
         addOperands(kernel.getOutputs(), kernel.getOutputMaps(),
                     split.hasOutputParts) &&
         addOperands(kernel.getFinals(), kernel.getFinalMaps(),
                     hasFinalParts) &&
         !llvm::is_contained(hasFinalParts, false) && split.parts > 1 &&
         split.parts <= kMostParts && llvm::isPowerOf2_64(split.parts) &&
         kernel.getNumLeaves() % split.parts == 0 &&
         kernel.getNumOpposite() % split.parts == 0;
}

bool Splitter::areLeavesSame(PartedRegion &region) {
  SmallVector<Value> yielded = region.getYielded();
  for (unsigned i = 0; i < split.leavesPerPart; ++i) {
    SmallVector<Value> leaves;
    for (int64_t part = 0; part < split.parts; ++part)
      leaves.push_back(yielded[split.getLeaf(part, i)]);
    if (!region.areSame(leaves))
      return false;
  }
  return true;
}

bool Splitter::splitLeaves() {
  split.leavesPerPart = kernel.getNumLeaves() / split.parts;
  split.sameLeavesPerPart =
      split.leavesPerPart - kernel.getNumOpposite() / split.parts;
  for (bool isPartMajor : {true, false}) {
    split.isPartMajor = isPartMajor;
    PartedRegion region(kernel.getCombine(), split.parts);
    region.addLeaves(split);
    region.addLeaves(split);
    region.analyze();
    if (areLeavesSame(region))
      return true;
  }
  return false;
}

bool Splitter::splitLoad() {
  PartedRegion region(kernel.getLoad(), split.parts);
  addInputs(region);
  region.analyze();
  return areLeavesSame(region);
}

/// Results that parts share may depend on sums over all of them, and else on no
/// part.
bool Splitter::splitStore() {
  PartedRegion region(kernel.getStore(), split.parts);
  region.addLeaves(split);
  region.addLeaves(split);
  addInputs(region);
  region.analyze();
  uint64_t all =
      split.parts == 64 ? ~uint64_t(0) : (uint64_t(1) << split.parts) - 1;
  DenseSet<Value> seen;
  SmallVector<Value> left, yielded = region.getYielded();
  ArrayRef<Value> rest = yielded;
  for (bool hasParts : split.hasOutputParts) {
    ArrayRef<Value> own = rest.take_front(hasParts ? split.parts : 1);
    rest = rest.drop_front(own.size());
    if (!hasParts)
      left.push_back(own.front());
    else if (!region.areSame(own))
      return false;
  }
  while (!left.empty()) {
    Value value = left.pop_back_val();
    uint64_t own = region.getParts(value);
    if (own == 0 || !seen.insert(value).second)
      continue;
    if (own != all)
      return false;
    Operation *op = value.getDefiningOp();
    // Of several additions the first one that has all parts is the sum.
    bool isLater = llvm::any_of(op->getOperands(), [&](Value operand) {
      return region.getParts(operand) == all;
    });
    if (!isLater) {
      std::optional<StateSplit::Total> total = region.getTotal(value);
      if (!total)
        return false;
      split.totals.push_back(*total);
      continue;
    }
    llvm::append_range(left, op->getOperands());
  }
  return true;
}

bool Splitter::splitInitAndFinals() {
  PartedRegion init(kernel.getInitialize(), split.parts);
  for (bool isParted : split.hasInitParts)
    init.addArguments(isParted);
  init.analyze();
  if (!areLeavesSame(init))
    return false;
  if (kernel.getFinals().empty())
    return true;
  PartedRegion finals(kernel.getFinalize(), split.parts);
  finals.addLeaves(split);
  finals.analyze();
  SmallVector<Value> yielded = finals.getYielded();
  for (size_t first = 0; first < yielded.size(); first += split.parts)
    if (!finals.areSame(ArrayRef(yielded).slice(first, split.parts)))
      return false;
  return true;
}

std::optional<StateSplit> Splitter::take() {
  bool isSimple =
      !kernel
           ->walk([&](Operation *op) {
             bool isOwn = op == kernel.getOperation();
             return !isOwn && (op->getNumRegions() != 0 || isa<IndexOp>(op))
                        ? WalkResult::interrupt()
                        : WalkResult::advance();
           })
           .wasInterrupted();
  if (hasScatteredOutputs(kernel) || !isSimple || !kernel.hasInit() ||
      kernel.hasSegmentOffsets() || kernel.hasGathered() ||
      (kernel.isBidirectional() && !mixesDirections(kernel)) || !findParts() ||
      !splitLeaves() || !splitLoad() || !splitInitAndFinals() || !splitStore())
    return std::nullopt;
  return std::move(split);
}

Value StateSplit::getYielded(KernelOp kernel, unsigned output) const {
  unsigned first = 0;
  for (bool hasParts : ArrayRef(hasOutputParts).take_front(output))
    first += hasParts ? parts : 1;
  return kernel.getStore().front().getTerminator()->getOperand(first);
}

std::optional<StateSplit> StateSplit::get(KernelOp kernel) {
  return Splitter(kernel).take();
}
