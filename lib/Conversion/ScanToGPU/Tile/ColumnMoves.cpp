//===- ColumnMoves.cpp - The loads and stores of a tile of columns --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnIO.h"

using namespace mlir;
using namespace mlir::scan;

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// What `body` returns, or `otherwise` where `condition`, which may be null,
/// does not hold.
static SmallVector<Value>
createIfThere(ImplicitLocOpBuilder &b, Value condition, ValueRange otherwise,
              function_ref<SmallVector<Value>(ImplicitLocOpBuilder &)> body) {
  if (!condition)
    return body(b);
  auto ifThere = scf::IfOp::create(
      b, condition,
      [&](OpBuilder &builder, Location loc) {
        ImplicitLocOpBuilder inner(loc, builder);
        scf::YieldOp::create(inner, body(inner));
      },
      [&](OpBuilder &builder, Location loc) {
        scf::YieldOp::create(builder, loc, otherwise);
      });
  return SmallVector<Value>(ifThere.getResults());
}

/// Whether an access for the thread's column number `column` is of `operand`:
/// one for all columns counts as one for the first.
bool ColumnIO::isLoadedFor(const Operand &operand, int64_t column) const {
  return operand.isVarying && (column == 0 || operand.access == Access::Single);
}

/// How many values `loadStep` returns.
int64_t ColumnIO::getNumValues(int64_t column) const {
  int64_t count = 0;
  for (const Operand &input : inputs)
    if (isLoadedFor(input, column))
      count += input.access == Access::Run ? input.run->numWords
                                           : input.view.numElements;
  return count;
}

/// The address of a run at index `index` along the scan dimension.
static Value getRunAddress(ImplicitLocOpBuilder &b, Value pointer,
                           Value indexBytes, Value index) {
  return offsetPointer(b, pointer,
                       b.createOrFold<arith::MulIOp>(index, indexBytes));
}

SmallVector<ColumnIO::Operand *> ColumnIO::getRuns() {
  SmallVector<Operand *> runs;
  for (Operand &operand : llvm::concat<Operand>(inputs, outputs))
    if (operand.access == Access::Run)
      runs.push_back(&operand);
  return runs;
}

/// Turns to the item at `position`, and to the one after. From item to item
/// addresses grow by what one register holds: as so many multiples of a stride
/// that is not known they would all take registers of their own.
void ColumnIO::startItems(ImplicitLocOpBuilder &b, Value position) {
  for (Operand *operand : getRuns())
    operand->item = getRunAddress(b, operand->pointer, operand->indexBytes,
                                  getIndex(b, position));
}
void ColumnIO::advanceItems(ImplicitLocOpBuilder &b) {
  for (Operand *operand : getRuns())
    operand->item = offsetPointer(b, operand->item, operand->stepBytes);
}

/// What is read for one column at one step, to which `startItems` or
/// `advanceItems` has turned.
SmallVector<Value> ColumnIO::loadStep(ImplicitLocOpBuilder &b, int64_t column,
                                      Value position) {
  SmallVector<Value> values;
  for (const Operand &input : inputs) {
    if (!isLoadedFor(input, column))
      continue;
    Value index = getIndex(b, position);
    if (input.view.shift != 0)
      index = createShiftedIndex(b, input.view, index, frame.getExtent()).index;
    if (input.access != Access::Run) {
      llvm::append_range(values,
                         loadElements(b, input.view, getPoint(column, index)));
      continue;
    }
    Value address = input.item;
    if (input.view.shift != 0)
      address = getRunAddress(b, input.pointer, input.indexBytes, index);
    llvm::append_range(values, loadWords(b, *input.run, address));
  }
  return values;
}

/// Reads the items from `firstItem` on: column by column, and of each item by
/// item. `otherwise` has as many values.
SmallVector<Value> ColumnIO::loadItems(ImplicitLocOpBuilder &b, Value base,
                                       int64_t firstItem, ValueRange otherwise,
                                       bool isStep) {
  auto loadAll = [&](ImplicitLocOpBuilder &inner, int64_t column) {
    SmallVector<Value> loaded;
    startItems(inner, getPosition(inner, base, firstItem));
    for (int64_t i = firstItem; i < layout.items; ++i) {
      llvm::append_range(loaded,
                         loadStep(inner, column, getPosition(inner, base, i)));
      advanceItems(inner);
    }
    return loaded;
  };
  // All loads of a full tile are in one piece, without conditions in between.
  auto loadFull = [&](ImplicitLocOpBuilder &inner) {
    SmallVector<Value> values;
    ValueRange rest = otherwise;
    for (int64_t column = 0; column < layout.vector; ++column) {
      int64_t count = getNumValues(column) * (layout.items - firstItem);
      if (count == 0)
        continue;
      llvm::append_range(
          values, createIfThere(inner, isActive(column), rest.take_front(count),
                                [&](ImplicitLocOpBuilder &active) {
                                  return loadAll(active, column);
                                }));
      rest = rest.drop_front(count);
    }
    return values;
  };
  auto loadPartial = [&](OpBuilder &builder, Location loc) {
    ImplicitLocOpBuilder inner(loc, builder);
    SmallVector<Value> values;
    ValueRange rest = otherwise;
    for (int64_t column = 0; column < layout.vector; ++column) {
      int64_t count = getNumValues(column);
      startItems(inner, getPosition(inner, base, firstItem));
      for (int64_t i = firstItem; count != 0 && i < layout.items; ++i) {
        Value position = getPosition(inner, base, i);
        Value isThere = compare(inner, arith::CmpIPredicate::ult, position,
                                frame.getExtent());
        if (Value active = isActive(column))
          isThere = inner.createOrFold<arith::AndIOp>(isThere, active);
        llvm::append_range(
            values, createIfThere(inner, isThere, rest.take_front(count),
                                  [&](ImplicitLocOpBuilder &there) {
                                    return loadStep(there, column, position);
                                  }));
        rest = rest.drop_front(count);
        advanceItems(inner);
      }
    }
    scf::YieldOp::create(inner, values);
  };
  if (otherwise.empty())
    return {};
  Value end = addConstant(b, base, layout.getTileSteps());
  Value isFull = compare(b, arith::CmpIPredicate::ule, end, frame.getExtent());
  if (isExactTile())
    return createIfThere(b, isStep ? Value() : isFull, otherwise, loadFull);
  auto ifFull = scf::IfOp::create(
      b, isFull,
      [&](OpBuilder &builder, Location loc) {
        ImplicitLocOpBuilder inner(loc, builder);
        scf::YieldOp::create(inner, loadFull(inner));
      },
      loadPartial);
  return SmallVector<Value>(ifFull.getResults());
}

SmallVector<Value> ColumnIO::load(ImplicitLocOpBuilder &b, Value base,
                                  ValueRange otherwise, bool isStep) {
  return loadItems(b, base, 0, otherwise, isStep);
}

bool ColumnIO::readsOtherThreads() const {
  return !isExactTile() || llvm::any_of(columns, [](const Column &column) {
    return column.isActive != nullptr;
  });
}

SmallVector<Value> ColumnIO::loadNearest(ImplicitLocOpBuilder &b, Value base) {
  Value first = getPosition(b, base, 0);
  if (!isExactTile())
    first = b.createOrFold<arith::MinUIOp>(
        first, addConstant(b, frame.getExtent(), -1));
  startItems(b, first);
  SmallVector<Value> values;
  for (int64_t column = 0; column < layout.vector; ++column) {
    SmallVector<Value> step = loadStep(b, column, first);
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

Elements ColumnIO::getInvariant(const Operand &operand, int64_t column) const {
  return operand.invariant[operand.access == Access::Common ? 0 : column];
}

SmallVector<Elements> ColumnIO::unpack(ImplicitLocOpBuilder &b, Value base,
                                       ValueRange values) {
  // Per input and item the elements of all columns, or of any.
  SmallVector<SmallVector<Elements>> loaded(
      inputs.size(), SmallVector<Elements>(layout.items));
  for (int64_t column = 0; column < layout.vector; ++column)
    for (int64_t item = 0; item < layout.items; ++item)
      for (auto [number, input] : llvm::enumerate(inputs)) {
        if (!isLoadedFor(input, column))
          continue;
        bool isRun = input.access == Access::Run;
        int64_t count = isRun ? input.run->numWords : input.view.numElements;
        ValueRange taken = values.take_front(count);
        values = values.drop_front(count);
        if (isRun)
          loaded[number][item] = unpackWords(b, *input.run, taken);
        else
          llvm::append_range(loaded[number][item], taken);
      }

  SmallVector<Elements> result;
  for (int64_t item = 0; item < layout.items; ++item)
    for (int64_t column = 0; column < layout.vector; ++column) {
      Elements &elements = result.emplace_back();
      for (auto [number, input] : llvm::enumerate(inputs)) {
        if (!input.isVarying) {
          llvm::append_range(elements, getInvariant(input, column));
          continue;
        }
        int64_t count = input.view.numElements;
        int64_t first = input.access == Access::Common ? 0 : column * count;
        Elements own(ArrayRef(loaded[number][item]).slice(first, count));
        if (input.view.shift != 0) {
          Value index = createPoint(b, column, base, item)[kernel.getDim()];
          own = selectInBounds(
              b,
              createShiftedIndex(b, input.view, index, frame.getExtent())
                  .inBounds,
              own, getInvariant(inputs[input.view.boundary], column));
        }
        llvm::append_range(elements, own);
      }
    }
  return result;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Writes what is written for one column at one step; `ofColumns` has the
/// elements of all columns.
void ColumnIO::storeStep(ImplicitLocOpBuilder &b, int64_t column,
                         Value position, ArrayRef<Elements> ofColumns) {
  Value index = getIndex(b, position);
  size_t first = 0;
  for (const Operand &output : outputs) {
    size_t count = output.view.numElements;
    if (output.access == Access::Run && column == 0) {
      SmallVector<Value> elements;
      for (const Elements &ofColumn : ofColumns)
        llvm::append_range(elements, ArrayRef(ofColumn).slice(first, count));
      storeWords(b, *output.run, output.item,
                 packWords(b, *output.run, elements));
    } else if (isLoadedFor(output, column)) {
      storeElements(b, output.view, getPoint(column, index),
                    ArrayRef(ofColumns[column]).slice(first, count));
    }
    first += count;
  }
}

void ColumnIO::store(ImplicitLocOpBuilder &b, Value base,
                     ArrayRef<Elements> results) {
  auto storeItem = [&](ImplicitLocOpBuilder &inner, int64_t column,
                       int64_t item) {
    storeStep(inner, column, getPosition(inner, base, item),
              results.slice(item * layout.vector, layout.vector));
  };
  auto hasStore = [&](int64_t column) {
    return llvm::any_of(outputs, [&](const Operand &output) {
      return isLoadedFor(output, column);
    });
  };
  auto ifActive = [&](ImplicitLocOpBuilder &inner, Value condition,
                      function_ref<void(ImplicitLocOpBuilder &)> body) {
    condition ? createIf(inner, condition, body) : body(inner);
  };
  auto storeFull = [&](ImplicitLocOpBuilder &inner) {
    for (int64_t column = 0; column < layout.vector; ++column)
      if (hasStore(column))
        ifActive(inner, isActive(column), [&](ImplicitLocOpBuilder &active) {
          startItems(active, getPosition(active, base, 0));
          for (int64_t item = 0; item < layout.items; ++item) {
            storeItem(active, column, item);
            advanceItems(active);
          }
        });
  };
  auto storePartial = [&](ImplicitLocOpBuilder &inner) {
    for (int64_t column = 0; column < layout.vector; ++column) {
      startItems(inner, getPosition(inner, base, 0));
      for (int64_t item = 0; hasStore(column) && item < layout.items; ++item) {
        Value isThere =
            compare(inner, arith::CmpIPredicate::ult,
                    getPosition(inner, base, item), frame.getExtent());
        if (Value active = isActive(column))
          isThere = inner.createOrFold<arith::AndIOp>(isThere, active);
        createIf(inner, isThere, [&](ImplicitLocOpBuilder &there) {
          storeItem(there, column, item);
        });
        advanceItems(inner);
      }
    }
  };
  if (isExactTile())
    return storeFull(b);
  Value end = addConstant(b, base, layout.getTileSteps());
  createIf(b, compare(b, arith::CmpIPredicate::ule, end, frame.getExtent()),
           storeFull, storePartial);
}
