//===- OperatorTable.cpp - Operators on few states as tables --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorTable.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <map>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::prove;

static int64_t getNumElements(Type leaf) {
  auto tensor = dyn_cast<RankedTensorType>(leaf);
  return tensor ? tensor.getNumElements() : 1;
}

std::optional<SmallVector<LeafRange>>
mlir::scan::prove::getFullRanges(AssociativeOp op) {
  SmallVector<LeafRange> ranges;
  for (Type leaf : op.getLeafTypes()) {
    auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(leaf));
    if (!type || type.getWidth() > 64)
      return std::nullopt;
    unsigned width = type.getWidth();
    ranges.push_back(
        width == 1 ? LeafRange{0, 1}
                   : LeafRange{llvm::minIntN(width), llvm::maxIntN(width)});
  }
  return ranges;
}

/// The values of a range of less than kMaxStates, those close to zero first.
static SmallVector<int64_t> getValues(LeafRange range) {
  SmallVector<int64_t> values;
  for (int64_t i = 0, e = range.upper - range.lower; i <= e; ++i)
    values.push_back(range.lower + i);
  auto rank = [](int64_t value) {
    uint64_t magnitude = value < 0 ? -uint64_t(value) : uint64_t(value);
    return std::make_pair(magnitude, value < 0);
  };
  llvm::sort(values, [&](int64_t a, int64_t b) { return rank(a) < rank(b); });
  return values;
}

/// How many states there are with elements within `ranges`; nothing if more
/// than a table holds.
static std::optional<unsigned> countStatesWithin(TypeRange leaves,
                                                 ArrayRef<LeafRange> ranges) {
  uint64_t count = 1;
  for (auto [leaf, range] : llvm::zip_equal(leaves, ranges)) {
    uint64_t values = uint64_t(range.upper) - uint64_t(range.lower);
    if (range.upper < range.lower || values >= OperatorTable::kMaxStates)
      return std::nullopt;
    // A single value makes no further states, of however many elements.
    for (int64_t i = 0, e = values ? getNumElements(leaf) : 0; i < e; ++i) {
      count *= values + 1;
      if (count > OperatorTable::kMaxStates)
        return std::nullopt;
    }
  }
  return count;
}

/// All states: the first element of the first leaf varies slowest.
static LeafValues enumerateStates(TypeRange leaves, ArrayRef<LeafRange> ranges,
                                  unsigned count) {
  LeafValues states;
  uint64_t repeat = count;
  for (auto [leaf, range] : llvm::zip_equal(leaves, ranges)) {
    SmallVector<int64_t> values = getValues(range);
    SmallVector<int64_t> shape{count};
    if (auto tensor = dyn_cast<RankedTensorType>(leaf))
      llvm::append_range(shape, tensor.getShape());
    HostArray &array = states.emplace_back(
        HostArray::zeros(getElementTypeOrSelf(leaf), shape));
    int64_t numElements = getNumElements(leaf);
    int64_t bytes = *getElementByteSize(array.elementType);
    for (int64_t element = 0; element < numElements; ++element) {
      repeat /= values.size();
      for (unsigned state = 0; state < count; ++state) {
        int64_t value = values[state / repeat % values.size()];
        std::memcpy(&array.data[(state * numElements + element) * bytes],
                    &value, bytes);
      }
    }
  }
  return states;
}

/// The bytes of one of `count` states.
static std::string getBytes(const LeafValues &states, unsigned state,
                            size_t count) {
  std::string bytes;
  for (const HostArray &leaf : states) {
    size_t size = leaf.data.size() / count;
    bytes.append(&leaf.data[state * size], size);
  }
  return bytes;
}

/// `count` states of `states`: those at `pick(0)`, `pick(1)`, ...
static LeafValues pickStates(const LeafValues &states, unsigned numStates,
                             size_t count,
                             llvm::function_ref<unsigned(size_t)> pick) {
  LeafValues picked;
  for (const HostArray &leaf : states) {
    SmallVector<int64_t> shape(leaf.shape);
    shape.front() = count;
    HostArray array = HostArray::zeros(leaf.elementType, shape);
    size_t size = leaf.data.size() / numStates;
    for (size_t i = 0; i < count; ++i)
      std::memcpy(&array.data[i * size], &leaf.data[pick(i) * size], size);
    picked.push_back(std::move(array));
  }
  return picked;
}

FailureOr<OperatorTable> OperatorTable::create(AssociativeOp op,
                                               ArrayRef<LeafRange> ranges,
                                               std::string &reason) {
  SmallVector<Type> leaves = llvm::to_vector(op.getLeafTypes());
  if (std::optional<ArrayAttr> accumulators = op.getAccumulators())
    for (auto [leaf, type] : llvm::zip_equal(leaves, *accumulators))
      if (cast<TypeAttr>(type).getValue() != getElementTypeOrSelf(leaf)) {
        reason = "values accumulate in a wider type";
        return failure();
      }
  std::optional<unsigned> count = countStatesWithin(leaves, ranges);
  if (!count) {
    reason = "there are more than " + std::to_string(kMaxStates) + " states";
    return failure();
  }

  OperatorTable result;
  const unsigned n = result.numStates = *count;
  result.states = enumerateStates(leaves, ranges, n);
  const size_t pairs = size_t(n) * n;
  FailureOr<LeafValues> combined = Replay(op).combine(
      pickStates(result.states, n, pairs, [&](size_t i) { return i / n; }),
      pickStates(result.states, n, pairs, [&](size_t i) { return i % n; }),
      reason);
  if (failed(combined))
    return failure();

  std::map<std::string, uint8_t> numbers;
  for (unsigned state = 0; state < n; ++state)
    numbers[getBytes(result.states, state, n)] = state;
  result.table.reserve(pairs);
  for (size_t i = 0; i < pairs; ++i) {
    auto found = numbers.find(getBytes(*combined, i, pairs));
    if (found == numbers.end()) {
      reason = "a combined value is not within the range of its leaf";
      return failure();
    }
    result.table.push_back(found->second);
  }
  return result;
}

std::optional<std::array<unsigned, 3>>
OperatorTable::findCounterexample() const {
  const unsigned n = numStates;
  for (unsigned a = 0; a < n; ++a)
    for (unsigned b = 0; b < n; ++b) {
      const uint8_t *fromA = &table[a * n], *fromB = &table[b * n];
      const uint8_t *fromAB = &table[combine(a, b) * n];
      for (unsigned c = 0; c < n; ++c)
        if (fromAB[c] != fromA[fromB[c]])
          return std::array<unsigned, 3>{a, b, c};
    }
  return std::nullopt;
}

std::optional<std::array<unsigned, 2>> OperatorTable::findNonCommuting() const {
  for (unsigned a = 0; a < numStates; ++a)
    for (unsigned b = 0; b < a; ++b)
      if (combine(a, b) != combine(b, a))
        return std::array<unsigned, 2>{a, b};
  return std::nullopt;
}

std::optional<unsigned> OperatorTable::findIdentity() const {
  for (unsigned e = 0; e < numStates; ++e)
    if (llvm::all_of(llvm::seq(numStates), [&](unsigned x) {
          return combine(e, x) == x && combine(x, e) == x;
        }))
      return e;
  return std::nullopt;
}

bool OperatorTable::isIdempotent() const {
  return llvm::all_of(llvm::seq(numStates),
                      [&](unsigned x) { return combine(x, x) == x; });
}

LeafValues OperatorTable::getState(unsigned number) const {
  return pickStates(states, numStates, 1, [&](size_t) { return number; });
}
