//===- ColumnIO.cpp - Moving tiles of columns -----------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnIO.h"

using namespace mlir;
using namespace mlir::scan;

ColumnIO::ColumnIO(KernelFrame &frame, const ColumnLayout &layout)
    : frame(frame), layout(layout), points(frame, layout) {
  for (const OperandView &view : frame.getInputs())
    inputs.emplace_back(points, view);
  for (const OperandView &view : frame.getOutputs())
    outputs.emplace_back(points, view);
}

bool ColumnIO::mayVectorize() const {
  return llvm::any_of(
      llvm::concat<const ColumnOperand>(inputs, outputs),
      [](const ColumnOperand &operand) { return operand.mayVectorize(); });
}

Value ColumnIO::createCanVectorize(ImplicitLocOpBuilder &b) {
  Value rest = b.createOrFold<arith::RemUIOp>(frame.getInnerExtent(b),
                                              indexConstant(b, layout.vector));
  Value canVectorize = compare(b, arith::CmpIPredicate::eq, rest, 0);
  for (ColumnOperand &operand : llvm::concat<ColumnOperand>(inputs, outputs))
    if (operand.mayVectorize())
      canVectorize = operand.createCanVectorize(b, canVectorize);
  return canVectorize;
}

void ColumnIO::start(ImplicitLocOpBuilder &b, ArrayRef<Value> outer,
                     Value first, bool isVectorized) {
  points.start(b, outer, first, isVectorized);
  for (ColumnOperand &operand : llvm::concat<ColumnOperand>(inputs, outputs))
    operand.start(b, isVectorized);
}

/// The next accesses are at `position`; and then at the position after.
void ColumnIO::startItems(ImplicitLocOpBuilder &b, Value position) {
  for (ColumnOperand &operand : llvm::concat<ColumnOperand>(inputs, outputs))
    operand.startItems(b, position);
}
void ColumnIO::advanceItems(ImplicitLocOpBuilder &b) {
  for (ColumnOperand &operand : llvm::concat<ColumnOperand>(inputs, outputs))
    operand.advanceItems(b);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// What `body` returns, or `otherwise` where `condition`, which may be null,
/// does not hold.
static SmallVector<Value> createIfInBounds(
    ImplicitLocOpBuilder &b, Value condition, ValueRange otherwise,
    function_ref<SmallVector<Value>(ImplicitLocOpBuilder &)> body) {
  return createIfElse(b, condition, body, [&](ImplicitLocOpBuilder &) {
    return llvm::to_vector(otherwise);
  });
}

/// How many values `loadStep` returns.
int64_t ColumnIO::getNumValues(int64_t column) const {
  int64_t count = 0;
  for (const ColumnOperand &input : inputs)
    if (input.isAccessedFor(column))
      count += input.getNumValues();
  return count;
}

/// What is loaded for one column, which exists, at the step at which
/// `startItems` or `advanceItems` has arrived.
SmallVector<Value> ColumnIO::loadStep(ImplicitLocOpBuilder &b, int64_t column) {
  SmallVector<Value> values;
  for (const ColumnOperand &input : inputs)
    if (input.isAccessedFor(column))
      llvm::append_range(values, input.load(b, column));
  return values;
}

/// Loads the items from `firstItem` on: column by column, and of each item by
/// item. `otherwise` has as many values.
SmallVector<Value> ColumnIO::loadItems(ImplicitLocOpBuilder &b, Value base,
                                       int64_t firstItem, ValueRange otherwise,
                                       bool isStep) {
  auto loadAll = [&](ImplicitLocOpBuilder &inner, int64_t column) {
    SmallVector<Value> loaded;
    startItems(inner, points.getPosition(inner, base, firstItem));
    for (int64_t i = firstItem; i < layout.items; ++i) {
      llvm::append_range(loaded, loadStep(inner, column));
      advanceItems(inner);
    }
    return loaded;
  };
  // Where all items are in bounds, the loads are in one piece, without
  // conditions in between.
  auto loadFull = [&](ImplicitLocOpBuilder &inner) {
    SmallVector<Value> values;
    ValueRange rest = otherwise;
    for (int64_t column = 0; column < layout.vector; ++column) {
      int64_t count = getNumValues(column) * (layout.items - firstItem);
      if (count == 0)
        continue;
      llvm::append_range(values,
                         createIfInBounds(inner, points.isActive(column),
                                          rest.take_front(count),
                                          [&](ImplicitLocOpBuilder &active) {
                                            return loadAll(active, column);
                                          }));
      rest = rest.drop_front(count);
    }
    return values;
  };
  // Step by step, so that no address is kept until the next column.
  auto loadPartial = [&](ImplicitLocOpBuilder &inner) {
    SmallVector<SmallVector<Value>> loaded(layout.vector);
    startItems(inner, points.getPosition(inner, base, firstItem));
    for (int64_t i = firstItem; i < layout.items; ++i) {
      ValueRange rest = otherwise;
      for (int64_t column = 0; column < layout.vector; ++column) {
        int64_t count = getNumValues(column);
        if (count == 0)
          continue;
        ValueRange ofColumn =
            rest.take_front(count * (layout.items - firstItem));
        rest = rest.drop_front(ofColumn.size());
        llvm::append_range(
            loaded[column],
            createIfInBounds(inner, points.createMask(inner, column, base, i),
                             ofColumn.slice((i - firstItem) * count, count),
                             [&](ImplicitLocOpBuilder &there) {
                               return loadStep(there, column);
                             }));
      }
      advanceItems(inner);
    }
    SmallVector<Value> values;
    for (ArrayRef<Value> ofColumn : loaded)
      llvm::append_range(values, ofColumn);
    return values;
  };
  if (otherwise.empty())
    return {};
  if (!points.isExactTile())
    return createIfElse(b, points.createAllInBounds(b, base), loadFull,
                        loadPartial);
  Value end = addConstant(b, base, layout.getTileSteps());
  Value isTile = compare(b, arith::CmpIPredicate::ule, end, frame.getExtent());
  return createIfInBounds(b, isStep ? Value() : isTile, otherwise, loadFull);
}

SmallVector<Value> ColumnIO::load(ImplicitLocOpBuilder &b, Value base,
                                  ValueRange otherwise, bool isStep) {
  return loadItems(b, base, 0, otherwise, isStep);
}

bool ColumnIO::readsOtherThreads() const {
  return !points.isExactTile() || !points.areAllActive();
}

SmallVector<Value> ColumnIO::loadNearest(ImplicitLocOpBuilder &b, Value base) {
  Value first = points.getPosition(b, base, 0);
  if (!points.isExactTile())
    first = frame.clampPosition(b, first);
  SmallVector<Value> values;
  for (int64_t column = 0; column < layout.vector; ++column) {
    SmallVector<Value> step;
    for (const ColumnOperand &input : inputs)
      if (input.isAccessedFor(column))
        llvm::append_range(step, input.loadNearest(b, column, first));
    for (int64_t item = 0; item < layout.items; ++item)
      llvm::append_range(values, step);
  }
  return values;
}

SmallVector<Value> ColumnIO::loadFirst(ImplicitLocOpBuilder &b, Value base,
                                       ValueRange nearest) {
  // Of each column, the first item apart from the others.
  SmallVector<SmallVector<Value>> firsts;
  SmallVector<Value> otherwise;
  for (int64_t column = 0; column < layout.vector; ++column) {
    int64_t count = getNumValues(column);
    ValueRange ofColumn = nearest.take_front(count * layout.items);
    firsts.push_back(llvm::to_vector(ofColumn.take_front(count)));
    llvm::append_range(otherwise, ofColumn.drop_front(count));
    nearest = nearest.drop_front(ofColumn.size());
  }
  SmallVector<Value> others = loadItems(b, base, 1, otherwise, /*isStep=*/true);
  SmallVector<Value> values;
  ValueRange rest(others);
  for (const SmallVector<Value> &first : firsts) {
    llvm::append_range(values, first);
    int64_t count = first.size() * (layout.items - 1);
    llvm::append_range(values, rest.take_front(count));
    rest = rest.drop_front(count);
  }
  return values;
}

SmallVector<Elements> ColumnIO::unpack(ImplicitLocOpBuilder &b, Value base,
                                       ValueRange values) {
  // Per input and item the elements of all columns, or of any.
  SmallVector<SmallVector<Elements>> loaded(
      inputs.size(), SmallVector<Elements>(layout.items));
  for (int64_t column = 0; column < layout.vector; ++column)
    for (int64_t item = 0; item < layout.items; ++item)
      for (auto [number, input] : llvm::enumerate(inputs)) {
        if (!input.isAccessedFor(column))
          continue;
        int64_t count = input.getNumValues();
        llvm::append_range(loaded[number][item],
                           input.unpack(b, values.take_front(count)));
        values = values.drop_front(count);
      }

  SmallVector<Elements> result;
  for (int64_t item = 0; item < layout.items; ++item)
    for (int64_t column = 0; column < layout.vector; ++column) {
      Elements &elements = result.emplace_back();
      for (auto [number, input] : llvm::enumerate(inputs)) {
        const OperandView &view = input.getView();
        Elements own = input.isVarying()
                           ? input.getElements(loaded[number][item], column)
                           : input.getInvariant(column);
        if (view.shift != 0) {
          Value index = points.createPoint(b, column, base,
                                           item)[frame.getKernel().getDim()];
          own = selectInBounds(
              b, createShiftedIndex(b, view, index, frame.getExtent()).inBounds,
              own, inputs[view.boundary].getInvariant(column));
        }
        llvm::append_range(elements, own);
      }
    }
  return result;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Stores what is stored for one column at one step; `ofColumns` has the
/// elements of all columns.
void ColumnIO::storeStep(ImplicitLocOpBuilder &b, int64_t column,
                         ArrayRef<Elements> ofColumns) {
  size_t first = 0;
  for (const ColumnOperand &output : outputs) {
    if (output.isAccessedFor(column))
      output.store(b, column, ofColumns, first);
    first += output.getView().numElements;
  }
}

void ColumnIO::store(ImplicitLocOpBuilder &b, Value base,
                     ArrayRef<Elements> results) {
  auto storeItem = [&](ImplicitLocOpBuilder &inner, int64_t column,
                       int64_t item) {
    storeStep(inner, column,
              results.slice(item * layout.vector, layout.vector));
  };
  auto hasStore = [&](int64_t column) {
    return llvm::any_of(outputs, [&](const ColumnOperand &output) {
      return output.isAccessedFor(column);
    });
  };
  auto storeFull = [&](ImplicitLocOpBuilder &inner) {
    for (int64_t column = 0; column < layout.vector; ++column)
      if (hasStore(column))
        createIf(inner, points.isActive(column),
                 [&](ImplicitLocOpBuilder &active) {
                   startItems(active, points.getPosition(active, base, 0));
                   for (int64_t item = 0; item < layout.items; ++item) {
                     storeItem(active, column, item);
                     advanceItems(active);
                   }
                 });
  };
  auto storePartial = [&](ImplicitLocOpBuilder &inner) {
    startItems(inner, points.getPosition(inner, base, 0));
    for (int64_t item = 0; item < layout.items; ++item) {
      for (int64_t column = 0; column < layout.vector; ++column)
        if (hasStore(column))
          createIf(inner, points.createMask(inner, column, base, item),
                   [&](ImplicitLocOpBuilder &there) {
                     storeItem(there, column, item);
                   });
      advanceItems(inner);
    }
  };
  if (points.isExactTile())
    return storeFull(b);
  createIf(b, points.createAllInBounds(b, base), storeFull, storePartial);
}
