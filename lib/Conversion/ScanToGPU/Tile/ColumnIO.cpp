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
  for (const OperandView &view : frame.getInputs()) {
    inputs.emplace_back(points, view);
    inputs.back().setSkipped(stepInputs.append(points, view));
  }
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

void ColumnIO::selectInputs(const llvm::SmallBitVector &wanted) {
  for (auto [number, input] : llvm::enumerate(inputs)) {
    bool skip = !wanted.test(number);
    input.setSkipped(stepInputs.setSkipped(number, skip) || skip);
  }
}

void ColumnIO::start(ImplicitLocOpBuilder &b, ArrayRef<Value> outer,
                     Value first, Value isVectorized) {
  points.start(b, outer, first, isVectorized);
  for (ColumnOperand &operand : llvm::concat<ColumnOperand>(inputs, outputs))
    operand.start(b);
  stepInputs.start(b);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Calls `body` for the items of a thread from `firstItem` on, where the next
/// accesses are at the item.
void ColumnIO::forEachItem(ImplicitLocOpBuilder &b,
                           MutableArrayRef<ColumnOperand> operands, Value base,
                           int64_t firstItem,
                           function_ref<void(int64_t)> body) {
  Value position = points.getPosition(b, base, firstItem);
  for (ColumnOperand &operand : operands)
    operand.startItems(b, position);
  for (int64_t item = firstItem; item < layout.items; ++item) {
    body(item);
    for (ColumnOperand &operand : operands)
      operand.advanceItems(b);
  }
}

/// How many values a step takes in registers.
static int64_t countValues(ArrayRef<ColumnOperand> operands) {
  int64_t count = 0;
  for (const ColumnOperand &operand : operands)
    count += operand.getNumValues();
  return count;
}

/// The elements of a step, those of all columns operand by operand, from its
/// values, and the other way round.
static ColumnIO::Step unpackStep(ImplicitLocOpBuilder &b,
                                 ArrayRef<ColumnOperand> operands,
                                 ValueRange values) {
  ColumnIO::Step step;
  for (const ColumnOperand &operand : operands) {
    int64_t count = operand.getNumValues();
    step.push_back(operand.unpack(b, values.take_front(count)));
    values = values.drop_front(count);
  }
  return step;
}
static SmallVector<Value> packStep(ImplicitLocOpBuilder &b,
                                   ArrayRef<ColumnOperand> operands,
                                   const ColumnIO::Step &step) {
  SmallVector<Value> values;
  for (auto [operand, elements] : llvm::zip_equal(operands, step))
    llvm::append_range(values, operand.pack(b, elements));
  return values;
}

/// The elements of a column in a step; `setColumn` takes so many off
/// `elements`.
static SmallVector<Value> getColumn(ArrayRef<ColumnOperand> operands,
                                    const ColumnIO::Step &step,
                                    int64_t column) {
  SmallVector<Value> elements;
  for (auto [operand, ofStep] : llvm::zip_equal(operands, step))
    if (operand.isAccessedFor(column))
      llvm::append_range(elements, operand.getElements(ofStep, column));
  return elements;
}
static void setColumn(ArrayRef<ColumnOperand> operands, ColumnIO::Step &step,
                      int64_t column, ValueRange &elements) {
  for (auto [operand, ofStep] : llvm::zip_equal(operands, step)) {
    if (!operand.isAccessedFor(column))
      continue;
    int64_t count = operand.getView().numElements;
    llvm::copy(elements.take_front(count), ofStep.begin() + column * count);
    elements = elements.drop_front(count);
  }
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

/// Loads the items from `firstItem` on by vectorized accesses, where all
/// columns exist or none does. `otherwise` has as many values.
SmallVector<Value> ColumnIO::loadVectorized(ImplicitLocOpBuilder &b, Value base,
                                            int64_t firstItem,
                                            ValueRange otherwise) {
  auto loadStep = [&](ImplicitLocOpBuilder &inner) {
    SmallVector<Value> values;
    for (const ColumnOperand &input : inputs)
      llvm::append_range(values, input.load(inner));
    return values;
  };
  // Where all items are in bounds, the loads are in one piece, without
  // conditions in between.
  auto loadAll = [&](ImplicitLocOpBuilder &inner) {
    SmallVector<Value> values;
    forEachItem(inner, inputs, base, firstItem,
                [&](int64_t) { llvm::append_range(values, loadStep(inner)); });
    return values;
  };
  // One condition inside of the other: with both at once, kernels take more
  // registers.
  auto loadFull = [&](ImplicitLocOpBuilder &inner) {
    return createIfInBounds(inner, points.isActive(0), otherwise, loadAll);
  };
  auto loadPartial = [&](ImplicitLocOpBuilder &inner) {
    SmallVector<Value> values;
    int64_t count = countValues(inputs);
    forEachItem(inner, inputs, base, firstItem, [&](int64_t item) {
      llvm::append_range(
          values,
          createIfInBounds(inner, points.createMask(inner, 0, base, item),
                           otherwise.slice(values.size(), count), loadStep));
    });
    return values;
  };
  if (points.isExactTile())
    return loadFull(b);
  return createIfElse(b, points.createAllInBounds(b, base), loadFull,
                      loadPartial);
}

/// The same by single accesses, where columns exist one by one.
SmallVector<Value> ColumnIO::loadSingle(ImplicitLocOpBuilder &b, Value base,
                                        int64_t firstItem,
                                        ValueRange otherwise) {
  auto loadColumn = [&](ImplicitLocOpBuilder &inner, int64_t column) {
    SmallVector<Value> elements;
    for (const ColumnOperand &input : inputs)
      if (input.isAccessedFor(column))
        llvm::append_range(elements, input.loadColumn(inner, column));
    return elements;
  };
  auto unpackAll = [&](ImplicitLocOpBuilder &inner) {
    SmallVector<Step> steps;
    int64_t count = countValues(inputs);
    for (ValueRange rest = otherwise; !rest.empty();
         rest = rest.drop_front(count))
      steps.push_back(unpackStep(inner, inputs, rest.take_front(count)));
    return steps;
  };
  // Behind all loads: none is to wait for another one.
  auto packAll = [&](ImplicitLocOpBuilder &inner, ArrayRef<Step> steps) {
    SmallVector<Value> values;
    for (const Step &step : steps)
      llvm::append_range(values, packStep(inner, inputs, step));
    return values;
  };
  auto loadFull = [&](ImplicitLocOpBuilder &inner) {
    SmallVector<Step> steps = unpackAll(inner);
    for (int64_t column = 0; column < layout.vector; ++column) {
      SmallVector<Value> before;
      for (const Step &step : steps)
        llvm::append_range(before, getColumn(inputs, step, column));
      SmallVector<Value> loaded = createIfInBounds(
          inner, points.isActive(column), before,
          [&](ImplicitLocOpBuilder &active) {
            SmallVector<Value> values;
            forEachItem(active, inputs, base, firstItem, [&](int64_t) {
              llvm::append_range(values, loadColumn(active, column));
            });
            return values;
          });
      ValueRange rest(loaded);
      for (Step &step : steps)
        setColumn(inputs, step, column, rest);
    }
    return packAll(inner, steps);
  };
  auto loadMasked = [&](ImplicitLocOpBuilder &inner) {
    SmallVector<Step> steps = unpackAll(inner);
    forEachItem(inner, inputs, base, firstItem, [&](int64_t item) {
      Step &step = steps[item - firstItem];
      for (int64_t column = 0; column < layout.vector; ++column) {
        SmallVector<Value> loaded = createIfInBounds(
            inner, points.createMask(inner, column, base, item),
            getColumn(inputs, step, column), [&](ImplicitLocOpBuilder &there) {
              return loadColumn(there, column);
            });
        ValueRange rest(loaded);
        setColumn(inputs, step, column, rest);
      }
    });
    return packAll(inner, steps);
  };
  // Where there are vectorized accesses, too, these have one way for all tiles.
  if (points.mayVectorize())
    return loadMasked(b);
  if (points.isExactTile())
    return loadFull(b);
  return createIfElse(b, points.createAllInBounds(b, base), loadFull,
                      loadMasked);
}

/// Loads the items from `firstItem` on: item by item, and of each input by
/// input, if by `wanted` accesses; and what lies step by step, of all items.
/// `otherwise` has as many values.
SmallVector<Value> ColumnIO::loadItems(ImplicitLocOpBuilder &b, Value base,
                                       int64_t firstItem, ValueRange otherwise,
                                       Accesses wanted) {
  ValueRange ofItems = otherwise.drop_back(stepInputs.countValues());
  ValueRange ofSteps = otherwise.drop_front(ofItems.size());
  SmallVector<Value> values;
  if (!ofItems.empty())
    values = points.ifVectorized(b, [&](ImplicitLocOpBuilder &inner,
                                        bool isVectorized) {
      if (wanted == (isVectorized ? Accesses::Single : Accesses::Vectorized))
        return llvm::to_vector(ofItems);
      return isVectorized ? loadVectorized(inner, base, firstItem, ofItems)
                          : loadSingle(inner, base, firstItem, ofItems);
    });
  llvm::append_range(values, wanted == Accesses::Single
                                 ? llvm::to_vector(ofSteps)
                                 : stepInputs.load(b, base, ofSteps));
  return values;
}

/// The same of a tile that need not exist.
SmallVector<Value> ColumnIO::loadTile(ImplicitLocOpBuilder &b, Value base,
                                      ValueRange otherwise, Accesses wanted) {
  Value end = addConstant(b, base, layout.getTileSteps());
  Value isTile = points.isExactTile() ? compare(b, arith::CmpIPredicate::ule,
                                                end, frame.getExtent())
                                      : Value();
  return createIfInBounds(b, isTile, otherwise,
                          [&](ImplicitLocOpBuilder &inner) {
                            return loadItems(inner, base, 0, otherwise, wanted);
                          });
}

SmallVector<Value> ColumnIO::load(ImplicitLocOpBuilder &b, Value base,
                                  ValueRange otherwise) {
  return loadTile(b, base, otherwise, Accesses::All);
}

/// Which accesses `prefetch` makes. Where all extents are known, addresses take
/// so few registers that those of single accesses do not count.
ColumnIO::Accesses ColumnIO::getPrefetched() const {
  KernelOp kernel = frame.getKernel();
  bool packsSingle =
      ShapedType::isDynamicShape(kernel.getStaticDomainShape()) &&
      points.mayVectorize() && !points.isAlwaysVectorized() &&
      llvm::any_of(inputs, [](const ColumnOperand &input) {
        return input.packsElements();
      });
  return packsSingle ? Accesses::Vectorized : Accesses::All;
}

SmallVector<Value> ColumnIO::prefetch(ImplicitLocOpBuilder &b, Value base,
                                      ValueRange otherwise) {
  return loadTile(b, base, otherwise, getPrefetched());
}

SmallVector<Value> ColumnIO::finishLoad(ImplicitLocOpBuilder &b, Value base,
                                        ValueRange prefetched) {
  if (getPrefetched() == Accesses::All)
    return llvm::to_vector(prefetched);
  return loadItems(b, base, 0, prefetched, Accesses::Single);
}

bool ColumnIO::readsOtherThreads() const {
  return !points.isExactTile() || !points.areAllActive();
}

SmallVector<Value> ColumnIO::loadNearest(ImplicitLocOpBuilder &b, Value base) {
  Value first = points.getPosition(b, base, 0);
  if (!points.isExactTile())
    first = points.clampPosition(b, first);
  SmallVector<Value> step = points.ifVectorized(
      b, [&](ImplicitLocOpBuilder &inner, bool isVectorized) {
        SmallVector<Value> values;
        for (const ColumnOperand &input : inputs)
          if (input.isVarying())
            llvm::append_range(values,
                               input.loadNearest(inner, first, isVectorized));
        return values;
      });
  SmallVector<Value> values;
  for (int64_t item = 0; item < layout.items; ++item)
    llvm::append_range(values, step);
  llvm::append_range(values, stepInputs.loadNearest(b, first));
  return values;
}

SmallVector<Value> ColumnIO::loadBehindFirst(ImplicitLocOpBuilder &b,
                                             Value base, ValueRange nearest,
                                             Accesses wanted) {
  int64_t count = countValues(inputs);
  SmallVector<Value> values = llvm::to_vector(nearest.take_front(count));
  llvm::append_range(values,
                     loadItems(b, base, 1, nearest.drop_front(count), wanted));
  return values;
}

SmallVector<Elements> ColumnIO::unpack(ImplicitLocOpBuilder &b, Value base,
                                       ValueRange values) {
  SmallVector<Elements> result;
  SmallVector<const OperandView *> views;
  for (const ColumnOperand &input : inputs)
    views.push_back(&input.getView());
  int64_t count = countValues(inputs);
  SmallVector<SmallVector<Value>> stepElements =
      stepInputs.unpack(b, values.drop_front(layout.items * count));
  for (int64_t item = 0; item < layout.items; ++item) {
    Step step = unpackStep(b, inputs, values.slice(item * count, count));
    for (auto [ofStep, elements] : llvm::zip_equal(step, stepElements))
      if (!elements.empty())
        ofStep.assign(1, elements[item]);
    for (int64_t column = 0; column < layout.vector; ++column) {
      SmallVector<SmallVector<Value>> ofInputs(inputs.size());
      for (auto [input, loaded, own] :
           llvm::zip_equal(inputs, step, ofInputs)) {
        const OperandView &view = input.getView();
        if (view.isGathered())
          continue;
        own = input.isVarying() ? input.getElements(loaded, column)
                                : input.getInvariant(column);
        if (view.shift != 0) {
          Value index = points.createPoint(b, column, base,
                                           item)[frame.getKernel().getDim()];
          own = selectInBounds(
              b, createShiftedIndex(b, view, index, frame.getExtent()).inBounds,
              own, inputs[view.boundary].getInvariant(column));
        }
      }
      // Where there is no such column, the point is that of another one.
      appendElements(b, views, ofInputs, points.getPoint(column, Value()),
                     result.emplace_back());
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Stores the values of all items by vectorized accesses.
void ColumnIO::storeVectorized(ImplicitLocOpBuilder &b, Value base,
                               ValueRange values) {
  int64_t count = countValues(outputs);
  auto storeStep = [&](ImplicitLocOpBuilder &inner, int64_t item) {
    ValueRange rest = values.slice(item * count, count);
    for (const ColumnOperand &output : outputs) {
      output.store(inner, rest.take_front(output.getNumValues()));
      rest = rest.drop_front(output.getNumValues());
    }
  };
  auto storeFull = [&](ImplicitLocOpBuilder &inner) {
    createIf(inner, points.isActive(0), [&](ImplicitLocOpBuilder &active) {
      forEachItem(active, outputs, base, 0,
                  [&](int64_t item) { storeStep(active, item); });
    });
  };
  auto storePartial = [&](ImplicitLocOpBuilder &inner) {
    forEachItem(inner, outputs, base, 0, [&](int64_t item) {
      createIf(inner, points.createMask(inner, 0, base, item),
               [&](ImplicitLocOpBuilder &there) { storeStep(there, item); });
    });
  };
  if (points.isExactTile())
    return storeFull(b);
  createIf(b, points.createAllInBounds(b, base), storeFull, storePartial);
}

/// The same by single accesses.
void ColumnIO::storeSingle(ImplicitLocOpBuilder &b, Value base,
                           ValueRange values) {
  int64_t count = countValues(outputs);
  auto storeColumn = [&](ImplicitLocOpBuilder &inner, int64_t column,
                         bool isFull) {
    forEachItem(inner, outputs, base, 0, [&](int64_t item) {
      Value inBounds =
          isFull ? Value() : points.createInBounds(inner, base, item);
      createIf(inner, inBounds, [&](ImplicitLocOpBuilder &there) {
        Step step =
            unpackStep(there, outputs, values.slice(item * count, count));
        for (auto [output, elements] : llvm::zip_equal(outputs, step))
          if (output.isAccessedFor(column))
            output.storeColumn(there, column,
                               output.getElements(elements, column));
      });
    });
  };
  auto store = [&](ImplicitLocOpBuilder &inner, bool isFull) {
    for (int64_t column = 0; column < layout.vector; ++column)
      createIf(inner, points.isActive(column),
               [&](ImplicitLocOpBuilder &active) {
                 storeColumn(active, column, isFull);
               });
  };
  auto storeFull = [&](ImplicitLocOpBuilder &inner) { store(inner, true); };
  auto storeMasked = [&](ImplicitLocOpBuilder &inner) { store(inner, false); };
  if (points.mayVectorize())
    return storeMasked(b);
  createIf(b, points.createAllInBounds(b, base), storeFull, storeMasked);
}

SmallVector<Value> ColumnIO::pack(ImplicitLocOpBuilder &b,
                                  ArrayRef<Elements> results) {
  SmallVector<Value> values;
  if (countValues(outputs) == 0)
    return values;
  for (int64_t item = 0; item < layout.items; ++item) {
    ArrayRef<Elements> ofColumns =
        results.slice(item * layout.vector, layout.vector);
    Step step;
    size_t first = 0;
    for (const ColumnOperand &output : outputs) {
      size_t count = output.getView().numElements;
      Elements &elements = step.emplace_back();
      if (output.isVarying())
        for (int64_t column = 0; column < layout.vector; ++column)
          if (output.isAccessedFor(column))
            llvm::append_range(elements,
                               ArrayRef(ofColumns[column]).slice(first, count));
      first += count;
    }
    llvm::append_range(values, packStep(b, outputs, step));
  }
  return values;
}

void ColumnIO::storePacked(ImplicitLocOpBuilder &b, Value base,
                           ValueRange values) {
  if (values.empty())
    return;
  points.ifVectorized(b,
                      [&](ImplicitLocOpBuilder &inner,
                          bool isVectorized) -> SmallVector<Value> {
                        if (isVectorized)
                          storeVectorized(inner, base, values);
                        else
                          storeSingle(inner, base, values);
                        return {};
                      });
}
