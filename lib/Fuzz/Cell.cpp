//===- Cell.cpp - Random recurrences as data ------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cell.h"
#include "CellLayout.h"
#include "DataGenerator.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

unsigned Cell::getNumRows() const {
  unsigned count = inputs.size() + 2;
  for (const CellState &state : states)
    count += state.window;
  return count;
}

unsigned Cell::getShape(unsigned value) const {
  for (const CellState &state : states) {
    if (value < state.window)
      return state.shape;
    value -= state.window;
  }
  if (value < inputs.size())
    return inputs[value];
  value -= inputs.size();
  if (value < 2)
    return value;
  const CellOperation &operation = operations[value - 2];
  // `a` may have another shape where it is not read element by element.
  return getShape(operation.b);
}

static bool readsAcross(CellOperation::Kind kind) {
  return kind == CellOperation::Lane || kind == CellOperation::Total ||
         kind == CellOperation::Product;
}

static int64_t count(ArrayRef<int64_t> shape) {
  int64_t product = 1;
  for (int64_t extent : shape)
    product *= extent;
  return product;
}

static bool isFloat(const Cell &cell) { return cell.element[0] != 'i'; }

static bool isValid(const Cell &cell, const CellOperation &operation,
                    unsigned number) {
  unsigned value = cell.getNumRows() + number;
  if (operation.a >= value || operation.b >= value)
    return false;
  // Upstream folds x - x into a constant of the type of x, which has to be
  // static.
  if (operation.kind == CellOperation::Sub && operation.a == operation.b)
    return false;
  unsigned shape = cell.getShape(operation.a);
  if (cell.isSolved && readsAcross(operation.kind))
    return false;
  if (!readsAcross(operation.kind))
    return shape == cell.getShape(operation.b);
  if (operation.kind == CellOperation::Lane)
    return operation.lane < count(cell.shapes[shape]);
  return !isFloat(cell) &&
         (operation.kind == CellOperation::Total || cell.shapes[0].size() == 1);
}

bool fuzz::isValid(const Cell &cell) {
  for (auto [i, operation] : llvm::enumerate(cell.operations))
    if (!::isValid(cell, operation, i))
      return false;
  unsigned numValues = cell.getNumRows() + cell.operations.size();
  bool hasResult = !cell.outputs.empty();
  for (const CellState &state : cell.states) {
    if (state.next >= numValues || cell.getShape(state.next) != state.shape)
      return false;
    hasResult |= state.returnsHistory || state.returnsLast;
  }
  return hasResult &&
         llvm::all_of(cell.outputs,
                      [&](unsigned value) { return value < numValues; }) &&
         (cell.extra || !cell.inputs.empty());
}

CellLayout::CellLayout(const Cell &cell)
    : states(cell.states.size()), inputs(cell.inputs.size()),
      operations(cell.operations.size()) {
  SmallVector<unsigned> reached(cell.outputs);
  auto reachState = [&](unsigned i) {
    if (!states[i])
      reached.push_back(cell.states[i].next);
    states[i] = true;
  };
  for (auto [i, state] : llvm::enumerate(cell.states))
    if (state.returnsHistory || state.returnsLast)
      reachState(i);
  auto follow = [&] {
    while (!reached.empty()) {
      unsigned value = reached.pop_back_val(), first = 0;
      for (auto [i, state] : llvm::enumerate(cell.states)) {
        if (value >= first && value < first + state.window)
          reachState(i);
        first += state.window;
      }
      if (value >= first && value < first + inputs.size())
        inputs[value - first] = true;
      first += inputs.size() + 2;
      if (value < first || operations[value - first])
        continue;
      const CellOperation &operation = cell.operations[value - first];
      operations[value - first] = true;
      reached.push_back(operation.a);
      reached.push_back(operation.b);
      if (operation.kind == CellOperation::Product)
        products.insert(
            {cell.getShape(operation.b), cell.getShape(operation.a)});
    }
  };
  follow();
  // One state and, without a number of steps, an input there are always.
  if (llvm::none_of(states, [](bool isLive) { return isLive; })) {
    reachState(0);
    follow();
  }
  if (!cell.extra && llvm::none_of(inputs, [](bool isLive) { return isLive; }))
    inputs[0] = true;
}

//===----------------------------------------------------------------------===//
// Random cells
//===----------------------------------------------------------------------===//

static int64_t drawExtent(unsigned rank, fuzz::Random &random) {
  static const int64_t choices[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33};
  return random.chance(2) ? 0
         : rank == 1      ? random.pick(choices)
                          : random.between(1, 5);
}

static int64_t drawSteps(fuzz::Random &random) {
  return random.pick({0, 1, 1, 2, 3, 4, 5, 8, 13, 21});
}

/// Draws where segments end: `count` offsets, of which the first one is 0.
static void drawOffsets(Cell &cell, size_t count, fuzz::Random &random) {
  SmallVector<int32_t> offsets = {0, static_cast<int32_t>(cell.steps)};
  while (offsets.size() < count)
    offsets.push_back(random.below(cell.steps + 1));
  llvm::sort(offsets);
  cell.offsets = std::move(offsets);
}

static void drawShapes(Cell &cell, fuzz::Random &random) {
  unsigned rank = random.pick({0, 1, 1, 1, 1, 2, 2, 3});
  for (SmallVector<int64_t> &shape : cell.shapes)
    for (unsigned d = 0; d < rank; ++d)
      shape.push_back(drawExtent(rank, random));
  if (random.chance(40))
    cell.shapes[1] = cell.shapes[0];
  cell.dim = random.below(rank + 1);
  cell.isDynamic = random.chance(75);
}

static void drawOperation(Cell &cell, fuzz::Random &random) {
  unsigned numValues = cell.getNumRows() + cell.operations.size();
  // Half of what is read is young: stages, and not a heap of leaves.
  auto draw = [&] {
    return random.chance(50)
               ? random.below(numValues)
               : numValues - 1 - random.below(std::min(3u, numValues));
  };
  CellOperation operation;
  do {
    operation.kind = static_cast<CellOperation::Kind>(
        random.below(CellOperation::kNumKinds));
    operation.a = draw();
    operation.b = draw();
    operation.lane = random.below(40);
    operation.asGeneric = random.chance(30);
  } while (!isValid(cell, operation, cell.operations.size()));
  cell.operations.push_back(operation);
}

bool Cell::isScheduled() const {
  return unroll != 0 ||
         llvm::any_of(operations, [](const CellOperation &operation) {
           return operation.split != 0 || operation.vector != 1;
         });
}

/// By numbers of its own: cells without schedules are the same ones with them.
static void drawSchedule(Cell &cell, uint64_t seed, uint64_t index) {
  fuzz::Random random(seed + 0x5CED, index);
  if (!random.chance(20))
    return;
  cell.unroll = random.pick({0, 1, 2, 3});
  for (CellOperation &operation : cell.operations) {
    if (random.chance(40))
      continue;
    operation.vector = random.pick({1, 1, 2, 4});
    // A factor of the last dimension is a multiple of the vector.
    operation.split = operation.vector * random.pick({0, 1, 2, 3, 8});
  }
}

Cell fuzz::makeCell(uint64_t seed, uint64_t index) {
  fuzz::Random random(seed + 0xCE11, index);
  Cell cell;
  cell.isSolved = fuzz::Random(seed + 0xDEE2, index).chance(6);
  cell.element = random.pick(
      {"i32", "i32", "i64", "i16", "i8", "f32", "f32", "f64", "bf16", "f16"});
  drawShapes(cell, random);
  if (cell.isSolved) {
    cell.element = random.pick({"f32", "f64"});
    cell.shapes[1] = cell.shapes[0];
    cell.isDynamic = false;
  }
  cell.reverse = random.chance(40);
  cell.initRows = random.chance(40);
  cell.steps = drawSteps(random);
  if (random.chance(25)) {
    drawOffsets(cell, random.between(2, 5), random);
    cell.initRows = false;
  }
  for (unsigned i = random.between(1, 3); i > 0; --i) {
    CellState state;
    state.shape = random.below(2);
    state.window = cell.isSolved ? 1 : random.pick({1, 1, 1, 2, 2, 3, 5});
    state.returnsHistory = random.chance(70);
    state.returnsLast = random.chance(60);
    cell.states.push_back(state);
  }
  for (unsigned i = random.below(3); i > 0; --i)
    cell.inputs.push_back(random.below(2));
  if (cell.inputs.empty() || random.chance(40))
    cell.extra = random.pick({0, 0, 1, 3});
  for (unsigned i = random.between(1, 9); i > 0; --i)
    drawOperation(cell, random);
  unsigned numValues = cell.getNumRows() + cell.operations.size();
  for (CellState &state : cell.states)
    do
      state.next = random.chance(70)
                       ? numValues - 1 - random.below(cell.operations.size())
                       : random.below(numValues);
    while (cell.getShape(state.next) != state.shape && !random.chance(2));
  for (unsigned i = random.below(3); i > 0; --i)
    cell.outputs.push_back(random.below(numValues));
  // A weight has each shape, and no operation may have that of a state.
  for (CellState &state : cell.states)
    if (cell.getShape(state.next) != state.shape)
      state.next = cell.getNumRows() - 2 + state.shape;
  if (!isValid(cell))
    cell.states.front().returnsHistory = true;
  drawSchedule(cell, seed, index);
  cell.isLaunched =
      !cell.isSolved && fuzz::Random(seed + 0x1A7C, index).chance(15);
  return cell;
}

/// The element of `to` that has the indices of element `number` of `from`.
static int64_t moveElement(int64_t number, ArrayRef<int64_t> from,
                           ArrayRef<int64_t> to) {
  int64_t moved = 0, stride = 1;
  for (auto [old, extent] : llvm::reverse(llvm::zip_equal(from, to))) {
    moved += number % old * stride;
    number /= old;
    stride *= extent;
  }
  return moved;
}

Cell fuzz::makeCellCase(Cell cell, uint64_t seed, uint64_t index,
                        uint64_t number) {
  if (number == 0)
    return cell;
  fuzz::Random random(seed + 0xCA5E, (index << 16) + number);
  auto redrawOffsets = [&] {
    if (cell.offsets)
      drawOffsets(cell, cell.offsets->size(), random);
  };
  if (!cell.isDynamic) {
    // Inputs have as many rows as before.
    if (cell.extra) {
      int64_t rows = cell.steps + *cell.extra;
      cell.steps = random.between(0, rows);
      cell.extra = rows - cell.steps;
    }
    redrawOffsets();
    return cell;
  }
  cell.steps = drawSteps(random);
  if (cell.extra)
    cell.extra = random.pick({0, 0, 1, 3});
  for (unsigned i : {0, 1}) {
    SmallVector<int64_t> old(cell.shapes[i]);
    for (int64_t &extent : cell.shapes[i])
      extent = drawExtent(old.size(), random);
    // An element that is read across lanes is there.
    for (CellOperation &operation : cell.operations)
      if (operation.kind == CellOperation::Lane &&
          cell.getShape(operation.a) == i)
        for (auto [extent, before] : llvm::zip_equal(cell.shapes[i], old))
          extent = std::max(extent, before);
    for (CellOperation &operation : cell.operations)
      if (operation.kind == CellOperation::Lane &&
          cell.getShape(operation.a) == i)
        operation.lane = moveElement(operation.lane, old, cell.shapes[i]);
  }
  redrawOffsets();
  return cell;
}

SmallVector<HostArray> fuzz::makeCellArguments(const Cell &cell, uint64_t seed,
                                               MLIRContext &context) {
  SmallVector<HostArray> arguments;
  fuzz::Random random(seed);
  Type element = parseType(cell.element, &context);
  auto add = [&](SmallVector<int64_t> shape) {
    arguments.push_back(
        makeRandomArray(isFloat(cell) ? Values::Unit : Values::Bits, element,
                        shape, random.next()));
  };
  auto addRows = [&](unsigned shape, int64_t extent) {
    SmallVector<int64_t> all(cell.shapes[shape]);
    all.insert(all.begin() + cell.dim, extent);
    add(std::move(all));
  };
  CellLayout layout(cell);
  for (auto [state, isLive] : llvm::zip(cell.states, layout.states))
    if (isLive)
      addRows(state.shape, state.window);
  for (auto [shape, isLive] : llvm::zip(cell.inputs, layout.inputs))
    if (isLive)
      addRows(shape, cell.steps + cell.extra.value_or(0));
  for (const SmallVector<int64_t> &shape : cell.shapes)
    add(shape);
  for (auto [to, from] : layout.products)
    add({cell.shapes[to][0], cell.shapes[from][0]});
  if (cell.extra) {
    HostArray steps = HostArray::zeros(IndexType::get(&context), {});
    std::memcpy(steps.data.data(), &cell.steps, sizeof(cell.steps));
    arguments.push_back(std::move(steps));
  }
  if (cell.offsets) {
    auto count = static_cast<int64_t>(cell.offsets->size());
    HostArray offsets = HostArray::zeros(IntegerType::get(&context, 32), count);
    std::memcpy(offsets.data.data(), cell.offsets->data(),
                count * sizeof(int32_t));
    arguments.push_back(std::move(offsets));
  }
  return arguments;
}

//===----------------------------------------------------------------------===//
// Simpler cells
//===----------------------------------------------------------------------===//

static void replaceUses(Cell &cell, unsigned from, unsigned to) {
  for (CellOperation &operation : cell.operations)
    for (unsigned *operand : {&operation.a, &operation.b})
      if (*operand == from)
        *operand = to;
  for (CellState &state : cell.states)
    if (state.next == from)
      state.next = to;
  llvm::replace(cell.outputs, from, to);
}

/// Takes the last row out of a window; `value` is its number.
static void shortenWindow(Cell &cell, CellState &state, unsigned value) {
  replaceUses(cell, value, value - 1);
  auto shift = [&](unsigned &user) { user -= user > value; };
  for (CellOperation &operation : cell.operations) {
    shift(operation.a);
    shift(operation.b);
  }
  for (CellState &other : cell.states)
    shift(other.next);
  llvm::for_each(cell.outputs, shift);
  --state.window;
}

static void shortenWalk(Cell &cell, int64_t steps) {
  cell.steps = steps;
  if (!cell.offsets)
    return;
  for (int32_t &offset : *cell.offsets)
    offset = std::min<int32_t>(offset, steps);
  cell.offsets->back() = steps;
}

static bool findCellStep(Cell &cell, StepFinder &steps) {
  for (size_t i = 0; i < cell.outputs.size(); ++i)
    if (steps.erase(cell.outputs, i))
      return true;
  for (CellState &state : cell.states)
    if (steps.set(state.returnsHistory, false) ||
        steps.set(state.returnsLast, false))
      return true;
  CellLayout layout(cell);
  unsigned numRows = cell.getNumRows();
  for (unsigned i = cell.operations.size(); i-- > 0;) {
    CellOperation &operation = cell.operations[i];
    for (unsigned operand : {operation.a, operation.b})
      if (steps.apply(layout.operations[i] &&
                          cell.getShape(operand) == cell.getShape(numRows + i),
                      [&] { replaceUses(cell, numRows + i, operand); }))
        return true;
    if (steps.set(operation.split, 0u) || steps.set(operation.vector, 1u) ||
        steps.apply(layout.operations[i] && operation.asGeneric,
                    [&] { operation.asGeneric = false; }) ||
        steps.apply(layout.operations[i] && operation.lane > 0,
                    [&] { operation.lane = 0; }))
      return true;
  }
  unsigned first = 0;
  for (auto [i, state] : llvm::enumerate(cell.states)) {
    unsigned last = first + state.window - 1;
    first += state.window;
    if (steps.apply(layout.states[i] && state.window > 1,
                    [&, &state = state] { shortenWindow(cell, state, last); }))
      return true;
  }
  for (int64_t smaller : {int64_t(1), cell.steps / 2, cell.steps - 1})
    if (steps.apply(smaller >= 0 && smaller < cell.steps,
                    [&] { shortenWalk(cell, smaller); }))
      return true;
  for (SmallVector<int64_t> &shape : cell.shapes)
    for (int64_t &extent : shape)
      for (int64_t smaller : {int64_t(1), extent / 2, extent - 1})
        if (steps.apply(smaller >= 1 && smaller < extent,
                        [&] { extent = smaller; }))
          return true;
  return steps.set(cell.isSolved, false) || steps.set(cell.isLaunched, false) ||
         steps.set(cell.unroll, 0u) || steps.set(cell.reverse, false) ||
         steps.set(cell.initRows, false) || steps.set(cell.isDynamic, false) ||
         steps.apply(cell.offsets.has_value(),
                     [&] { cell.offsets = std::nullopt; }) ||
         steps.apply(cell.extra && !cell.inputs.empty(),
                     [&] { cell.extra = std::nullopt; });
}

StepResult fuzz::simplifyCell(Cell &cell, size_t step) {
  StepFinder steps(step);
  bool isFound = findCellStep(cell, steps);
  steps.hasChanged = steps.hasChanged && isValid(cell);
  return steps.getResult(isFound);
}
