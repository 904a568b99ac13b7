//===- ColumnKernel.cpp - A block walks neighbouring columns --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   the columns of this block:
//     carry = init                                 absent in front of the first
//     load the first tile                               tile without an init
//     for each tile:
//       load the next tile; total of the thread's items; scan across the groups
//       of the block after the carry; scan of the thread's items after its
//       prefix; store; in the last tile, store finals
//     add up sums over threads
//
// Loads do not depend on the state, so that those of the next tile are in
// flight while this one is combined. What was loaded stays as it is in
// registers and is walked twice.
//
// Steps beyond the end come after all others in scan order, so garbage in them
// reaches no element that is stored: only memory accesses are masked, and no
// identity of the operator is needed. The same holds for columns that are not
// there: no column reaches another.
//
//===----------------------------------------------------------------------===//

#include "../Primitives/InitAndFinals.h"
#include "../Tile/ColumnTile.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::scan;

namespace {
class ColumnKernel {
public:
  ColumnKernel(ImplicitLocOpBuilder &b, KernelFrame &frame)
      : frame(frame), kernel(frame.getKernel()),
        layout(b, frame.getSchedule(), frame.createThreadIds(b)),
        scan(frame, layout), io(frame, layout), columns(b, frame, layout, io) {}

  void emit(ImplicitLocOpBuilder &b);

private:
  SmallVector<Value> packStates(ArrayRef<State> states);
  SmallVector<State> unpackStates(ImplicitLocOpBuilder &b, ValueRange carried);
  SmallVector<State> emitTile(ImplicitLocOpBuilder &b, Value base, Value tile,
                              ArrayRef<State> carry, ValueRange loaded);
  void emitTiles(ImplicitLocOpBuilder &b, ArrayRef<State> init,
                 bool loadsAhead);
  void emitColumns(ImplicitLocOpBuilder &b, ArrayRef<Value> outer, Value first,
                   bool isWide);

  KernelFrame &frame;
  KernelOp kernel;
  ColumnLayout layout;
  ColumnScan scan;
  ColumnIO io;
  ColumnTile columns;
};
} // namespace

/// The carried leaves of the states of all columns.
SmallVector<Value> ColumnKernel::packStates(ArrayRef<State> states) {
  SmallVector<Value> carried;
  for (const State &state : states)
    llvm::append_range(carried, packCarried(kernel, state));
  return carried;
}

SmallVector<State> ColumnKernel::unpackStates(ImplicitLocOpBuilder &b,
                                              ValueRange carried) {
  size_t numCarried = carried.size() / layout.vector;
  SmallVector<State> states;
  for (int64_t column = 0; column < layout.vector; ++column)
    states.push_back(unpackCarried(
        b, kernel, carried.slice(column * numCarried, numCarried)));
  return states;
}

/// Emits tile number `tile`, which begins at position `base` and of which
/// `loaded` was loaded; returns the states of the columns after it, which mean
/// nothing if the tile reaches beyond the end.
SmallVector<State> ColumnKernel::emitTile(ImplicitLocOpBuilder &b, Value base,
                                          Value tile, ArrayRef<State> carry,
                                          ValueRange loaded) {
  Value hasCarry;
  if (!kernel.hasInit())
    hasCarry = compare(b, arith::CmpIPredicate::ne, tile, 0);
  ColumnTile::Items items = columns.unpack(b, base, loaded);
  SmallVector<Prefix> carries;
  for (const State &state : carry)
    carries.push_back({state, hasCarry});
  Value parity = b.createOrFold<arith::AndIOp>(tile, indexConstant(b, 1));
  SmallVector<Prefix> prefixes;
  SmallVector<State> after;
  for (ColumnScan::Result &column :
       scan.emit(b, items.totals, carries, parity)) {
    prefixes.push_back(column.prefix);
    after.push_back(column.total);
  }
  columns.store(b, base, items, prefixes);
  return after;
}

/// Emits all tiles of a scan of at least one step.
void ColumnKernel::emitTiles(ImplicitLocOpBuilder &b, ArrayRef<State> init,
                             bool loadsAhead) {
  columns.startReductions(b);
  Value zero = indexConstant(b, 0);
  int64_t tileSize = layout.getTileSteps();
  SmallVector<Value> nearest = io.loadNearest(b, zero);
  if (!scan.hasBarrier() && io.readsOtherThreads())
    gpu::BarrierOp::create(b);
  int64_t known = frame.getStaticExtent();
  bool isOneTile = !ShapedType::isDynamic(known) && known <= tileSize;
  SmallVector<Value> first;
  if (isOneTile || loadsAhead)
    first = io.loadFirst(b, zero, nearest);
  if (isOneTile) {
    emitTile(b, zero, zero, init, first);
    columns.finishReductions(b);
    return;
  }
  SmallVector<Value> inits = packStates(init);
  unsigned numCarried = inits.size();
  llvm::append_range(inits, first);
  Value tiles = b.createOrFold<arith::CeilDivUIOp>(frame.getExtent(),
                                                   indexConstant(b, tileSize));
  createFor(b, zero, tiles, indexConstant(b, 1), inits,
            [&](ImplicitLocOpBuilder &inner, Value tile, ValueRange carried) {
              Value base = mulConstant(inner, tile, tileSize);
              SmallVector<Value> current =
                  llvm::to_vector(carried.drop_front(numCarried));
              SmallVector<Value> next;
              if (loadsAhead)
                next = io.load(inner, addConstant(inner, base, tileSize),
                               current, /*isStep=*/false);
              else
                current = io.load(inner, base, nearest, /*isStep=*/true);
              SmallVector<State> carry =
                  unpackStates(inner, carried.take_front(numCarried));
              SmallVector<Value> yielded =
                  packStates(emitTile(inner, base, tile, carry, current));
              llvm::append_range(yielded, next);
              return yielded;
            });
  columns.finishReductions(b);
}

void ColumnKernel::emitColumns(ImplicitLocOpBuilder &b, ArrayRef<Value> outer,
                               Value first, bool isWide) {
  io.start(b, outer, first, isWide);
  // The narrow accesses of a kernel that has wide ones, too, must not cost it
  // registers: they set how many blocks a multiprocessor has either way.
  bool loadsAhead = isWide || !io.mayVectorize();
  SmallVector<State> init;
  for (int64_t column = 0; column < layout.vector; ++column)
    init.push_back(
        createInitialState(b, frame, io.getPoints().createPoint(column)));

  auto storeInit = [&](ImplicitLocOpBuilder &inner) {
    if (frame.getFinals().empty())
      return;
    createIf(inner, compare(inner, arith::CmpIPredicate::eq, layout.group, 0),
             [&](ImplicitLocOpBuilder &group) {
               columns.storeFinalsOf(group, init);
             });
  };
  int64_t known = frame.getStaticExtent();
  if (!ShapedType::isDynamic(known))
    return known == 0 ? storeInit(b) : emitTiles(b, init, loadsAhead);
  createIf(
      b, compare(b, arith::CmpIPredicate::ne, frame.getExtent(), 0),
      [&](ImplicitLocOpBuilder &inner) { emitTiles(inner, init, loadsAhead); },
      storeInit);
}

void ColumnKernel::emit(ImplicitLocOpBuilder &b) {
  Value isWide;
  if (io.mayVectorize())
    isWide = io.createCanVectorize(b);
  Value number = createBlockNumber(b);
  Value perRow = b.createOrFold<arith::CeilDivUIOp>(
      frame.getInnerExtent(b), indexConstant(b, layout.getColumns()));
  Value count =
      b.createOrFold<arith::MulIOp>(frame.createOuterCount(b), perRow);
  // The same for all threads of the block: they meet at barriers.
  Value isInside = compare(b, arith::CmpIPredicate::ult, number, count);
  createIf(b, isInside, [&](ImplicitLocOpBuilder &inner) {
    SmallVector<Value> outer = frame.createOuterPoint(
        inner, inner.createOrFold<arith::DivUIOp>(number, perRow));
    Value first =
        mulConstant(inner, inner.createOrFold<arith::RemUIOp>(number, perRow),
                    layout.getColumns());
    auto emitWith = [&](bool wide) {
      return [&, wide](ImplicitLocOpBuilder &body) {
        emitColumns(body, outer, first, wide);
      };
    };
    if (isWide)
      createIf(inner, isWide, emitWith(true), emitWith(false));
    else
      emitColumns(inner, outer, first, false);
  });
  gpu::ReturnOp::create(b);
}

void mlir::scan::emitColumnKernel(ImplicitLocOpBuilder &b, KernelFrame &frame) {
  ColumnKernel(b, frame).emit(b);
}
