//===- GridColumnKernel.cpp - Many blocks share columns -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   draw a ticket: which tile of which columns
//   load the tile; scan it alone
//   first tile:  carry = init; publish the prefixes
//   others:      publish the aggregates; look back for the carries; publish the
//                prefixes
//   put the carry before every item; store the tile, and the finals in the
//   last; add up sums over threads
//
// As in the kernel for rows; but a tile has a state for each of its columns.
// The threads of the first group publish theirs, and the first warp looks back.
// Tickets go by tile first and by columns last; descriptors by columns first,
// then by tile, then by column: lanes side by side access them side by side.
//
// Steps beyond the end come after all others, and columns that are not there
// reach no other: as in the kernel whose blocks walk, only memory accesses are
// masked. The descriptors of such columns are there, though.
//
//===----------------------------------------------------------------------===//

#include "../LookBack/ColumnLookBack.h"
#include "../LookBack/GridWorkspace.h"
#include "../Primitives/InitAndFinals.h"
#include "../Tile/ColumnTile.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::scan;

namespace {
class GridColumnKernel {
public:
  GridColumnKernel(ImplicitLocOpBuilder &b, KernelFrame &frame)
      : frame(frame), kernel(frame.getKernel()), ids(frame.createThreadIds(b)),
        layout(b, frame.getSchedule(), ids), workspace(b, frame),
        carries(frame, kernel, layout.getColumns()),
        scan(frame, layout, /*keepsAllLeaves=*/true), io(frame, layout),
        columns(b, frame, layout, io) {}

  void emit(ImplicitLocOpBuilder &b);

private:
  void emitColumns(ImplicitLocOpBuilder &b);
  void emitTile(ImplicitLocOpBuilder &b);
  void emitCarries(ImplicitLocOpBuilder &b, ArrayRef<State> totals);
  void finishCarries(ImplicitLocOpBuilder &b, ArrayRef<State> before,
                     ArrayRef<State> totals, bool arePresent);
  void publish(ImplicitLocOpBuilder &b, Descriptor::Kind kind,
               ArrayRef<State> states);
  Value getAddress(ImplicitLocOpBuilder &b, Value ofTile, int64_t column);
  SmallVector<State> createInits(ImplicitLocOpBuilder &b);
  Prefix createPrefix(ImplicitLocOpBuilder &b, int64_t column,
                      const Prefix &inTile);

  /// Where the thread's column number `column` is among those of the block.
  Value getSlot(ImplicitLocOpBuilder &b, int64_t column) {
    return addConstant(b, layout.lane, column * layout.lanes);
  }
  /// `body` in the threads of the first group.
  void ifFirstGroup(ImplicitLocOpBuilder &b,
                    function_ref<void(ImplicitLocOpBuilder &)> body) {
    createIf(b, compare(b, arith::CmpIPredicate::eq, layout.group, 0), body);
  }

  KernelFrame &frame;
  KernelOp kernel;
  ThreadIds ids;
  ColumnLayout layout;
  GridWorkspace workspace;
  /// The states before the tile, of all columns.
  SharedStates carries;
  ColumnScan scan;
  ColumnIO io;
  ColumnTile columns;
  GridWorkspace::Ticket ticket;
  /// Indices: the number of the tile along its columns, the last one's, and
  /// that of the columns' first tile among all tiles in the workspace.
  Value tile, lastTile, firstTile;
};
} // namespace

/// Of the descriptor of tile number `ofTile` for one of the thread's columns.
Value GridColumnKernel::getAddress(ImplicitLocOpBuilder &b, Value ofTile,
                                   int64_t column) {
  Value number = b.createOrFold<arith::AddIOp>(firstTile, ofTile);
  return workspace.getAddress(
      b, b.createOrFold<arith::AddIOp>(
             mulConstant(b, number, layout.getColumns()), getSlot(b, column)));
}

/// Nobody looks at the last tile.
void GridColumnKernel::publish(ImplicitLocOpBuilder &b, Descriptor::Kind kind,
                               ArrayRef<State> states) {
  createIf(b, compare(b, arith::CmpIPredicate::ne, tile, lastTile),
           [&](ImplicitLocOpBuilder &inner) {
             for (auto [column, state] : llvm::enumerate(states))
               workspace.getDescriptor().publish(
                   inner, getAddress(inner, tile, column), ticket.flags, kind,
                   state);
           });
}

SmallVector<State> GridColumnKernel::createInits(ImplicitLocOpBuilder &b) {
  SmallVector<State> inits;
  for (int64_t column = 0; column < layout.vector; ++column)
    inits.push_back(
        createInitialState(b, frame, io.getPoints().createPoint(column)));
  return inits;
}

/// In the first group: leaves the states before the tile in shared memory, and
/// publishes those after it.
void GridColumnKernel::finishCarries(ImplicitLocOpBuilder &b,
                                     ArrayRef<State> before,
                                     ArrayRef<State> totals, bool arePresent) {
  ifFirstGroup(b, [&](ImplicitLocOpBuilder &inner) {
    SmallVector<State> prefixes;
    for (auto [column, carry] : llvm::enumerate(before)) {
      carries.store(inner, carry, getSlot(inner, column));
      prefixes.push_back(arePresent
                             ? combine(inner, kernel, carry, totals[column])
                             : totals[column]);
    }
    publish(inner, Descriptor::Kind::Prefix, prefixes);
  });
}

/// In the first warp: publishes what there is of the tile, of which `totals`
/// are the columns' totals, and provides the states before it.
void GridColumnKernel::emitCarries(ImplicitLocOpBuilder &b,
                                   ArrayRef<State> totals) {
  auto first = [&](ImplicitLocOpBuilder &inner) {
    finishCarries(inner, createInits(inner), totals, kernel.hasInit());
  };
  auto later = [&](ImplicitLocOpBuilder &inner) {
    if (ColumnLookBack::readsAggregates(kernel))
      ifFirstGroup(inner, [&](ImplicitLocOpBuilder &group) {
        publish(group, Descriptor::Kind::Aggregate, totals);
      });
    auto addressOf = [&](ImplicitLocOpBuilder &at, Value ofTile,
                         int64_t column) {
      return getAddress(at, ofTile, column);
    };
    ColumnLookBack lookBack(kernel, workspace.getDescriptor(), ticket.flags,
                            layout);
    finishCarries(inner, lookBack.emit(inner, tile, addressOf), totals,
                  /*arePresent=*/true);
  };
  createIf(b, compare(b, arith::CmpIPredicate::eq, tile, 0), first, later);
}

/// The state before the thread's first item of a column; `inTile` is that part
/// of it which lies in the tile.
Prefix GridColumnKernel::createPrefix(ImplicitLocOpBuilder &b, int64_t column,
                                      const Prefix &inTile) {
  Prefix carry;
  carry.state = carries.load(b, getSlot(b, column));
  if (!kernel.hasInit())
    carry.present = compare(b, arith::CmpIPredicate::ne, tile, 0);
  return joinPrefixes(b, kernel, carry, inTile);
}

void GridColumnKernel::emitTile(ImplicitLocOpBuilder &b) {
  Value base = mulConstant(b, tile, layout.getTileSteps());
  ColumnTile::Items items =
      columns.unpack(b, base, io.loadFirst(b, base, io.loadNearest(b, base)));
  SmallVector<Prefix> nothing(layout.vector, createAbsent(b, kernel));
  SmallVector<ColumnScan::Result> scanned =
      scan.emit(b, items.totals, nothing, /*parity=*/indexConstant(b, 0));
  SmallVector<State> totals;
  for (const ColumnScan::Result &column : scanned)
    totals.push_back(column.total);
  createIf(b, compare(b, arith::CmpIPredicate::eq, layout.warp, 0),
           [&](ImplicitLocOpBuilder &inner) { emitCarries(inner, totals); });
  // Also between reading the tile and overwriting it, where the outputs share
  // the memory of the inputs.
  gpu::BarrierOp::create(b);
  SmallVector<Prefix> prefixes;
  for (auto [column, result] : llvm::enumerate(scanned))
    prefixes.push_back(createPrefix(b, column, result.prefix));
  columns.startReductions(b);
  columns.store(b, base, items, prefixes);
  columns.finishReductions(b);
}

void GridColumnKernel::emitColumns(ImplicitLocOpBuilder &b) {
  if (frame.getFinals().empty())
    return emitTile(b);
  // Columns without steps have a tile for their finals.
  createIf(
      b, compare(b, arith::CmpIPredicate::ne, frame.getExtent(), 0),
      [&](ImplicitLocOpBuilder &some) { emitTile(some); },
      [&](ImplicitLocOpBuilder &none) {
        ifFirstGroup(none, [&](ImplicitLocOpBuilder &group) {
          columns.storeFinalsOf(group, createInits(group));
        });
      });
}

void GridColumnKernel::emit(ImplicitLocOpBuilder &b) {
  ticket = workspace.drawTicket(b, ids);
  Value isWide;
  if (io.mayVectorize())
    isWide = io.createCanVectorize(b);
  Value perRow = b.createOrFold<arith::CeilDivUIOp>(
      frame.getInnerExtent(b), indexConstant(b, layout.getColumns()));
  Value count =
      b.createOrFold<arith::MulIOp>(frame.createOuterCount(b), perRow);
  Value tiles = frame.createTileCount(b);
  // The same for all threads of the block: they meet at barriers.
  Value isInside = compare(b, arith::CmpIPredicate::ult, ticket.number,
                           b.createOrFold<arith::MulIOp>(count, tiles));
  createIf(b, isInside, [&](ImplicitLocOpBuilder &inner) {
    tile = inner.createOrFold<arith::DivUIOp>(ticket.number, count);
    Value number = inner.createOrFold<arith::RemUIOp>(ticket.number, count);
    lastTile = addConstant(inner, tiles, -1);
    firstTile = inner.createOrFold<arith::MulIOp>(number, tiles);
    SmallVector<Value> outer = frame.createOuterPoint(
        inner, inner.createOrFold<arith::DivUIOp>(number, perRow));
    Value first =
        mulConstant(inner, inner.createOrFold<arith::RemUIOp>(number, perRow),
                    layout.getColumns());
    auto emitWith = [&](bool wide) {
      return [&, wide](ImplicitLocOpBuilder &body) {
        io.start(body, outer, first, wide);
        emitColumns(body);
      };
    };
    if (isWide)
      createIf(inner, isWide, emitWith(true), emitWith(false));
    else
      emitWith(false)(inner);
  });
  gpu::ReturnOp::create(b);
}

void mlir::scan::emitGridColumnKernel(ImplicitLocOpBuilder &b,
                                      KernelFrame &frame) {
  GridColumnKernel(b, frame).emit(b);
}
