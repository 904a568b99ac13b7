//===- GridRowKernel.cpp - Many blocks share a row ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   draw a ticket: which tile of which row
//   load the tile; scan it alone
//   first tile:  carry = init; publish the prefix
//   others:      publish the aggregate; look back for the carry; publish the
//                prefix
//   put the carry before every item; store the tile, and the finals in the
//   last; add up sums over threads
//
// Tickets go by tile first and by row last: with many rows, the tile before was
// drawn that many tickets ago and has most likely published its prefix.
// Descriptors go by row first, so that the lanes that look back read
// neighbouring ones.
//
// As in the kernel with one block per row, positions beyond the end come after
// all others, and what is computed of them reaches nothing: the last tile of
// a row publishes nothing.
//
//===----------------------------------------------------------------------===//

#include "BlockScan.h"
#include "Emit.h"
#include "GridCarry.h"
#include "RowStarts.h"
#include "RowSums.h"
#include "RowTile.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::scan;

namespace {
class GridRowKernel {
public:
  GridRowKernel(ImplicitLocOpBuilder &b, KernelFrame &frame)
      : frame(frame), kernel(frame.getKernel()),
        tileSteps(getTileSteps(frame.getSchedule())),
        ids(frame.createThreadIds(b)), workspace(b, frame),
        carry(frame, ids, workspace, /*places=*/1),
        blockScan(b, frame, ids),
        io(b, frame, ids, frame.getSchedule().getItems(),
           kMaxSharedBytes - BlockScan::getSharedBytes(kernel, ids.threads) -
               getGridSharedBytes(kernel) -
               RowStarts::getSharedBytes(kernel, frame.getSchedule())),
        starts(frame, ids, frame.getSchedule().getItems(),
               RowStarts::getPlaces(frame.getSchedule())),
        row(frame, ids, io),
        sums(b, frame, ids, frame.getSchedule().getItems(), io) {}

  void emit(ImplicitLocOpBuilder &b);

private:
  void emitTile(ImplicitLocOpBuilder &b);
  SmallVector<Elements> loadTile(ImplicitLocOpBuilder &b, Value base);

  KernelFrame &frame;
  KernelOp kernel;
  int64_t tileSteps;
  ThreadIds ids;
  GridWorkspace workspace;
  GridCarry carry;
  BlockScan blockScan;
  TileIO io;
  RowStarts starts;
  RowTile row;
  RowSums sums;
  GridWorkspace::Ticket ticket;
  GridTile tile;
  /// i1: whether all positions of the tile lie before the end; null if they do
  /// in every tile.
  Value isFull;
};
} // namespace

int64_t mlir::scan::getGridSharedBytes(KernelOp kernel, int64_t states) {
  return GridWorkspace::getSharedBytes() +
         GridCarry::getSharedBytes(kernel, states);
}

/// Everything is loaded before anything is waited for. Starts are looked up in
/// the meantime.
SmallVector<Elements> GridRowKernel::loadTile(ImplicitLocOpBuilder &b,
                                              Value base) {
  auto loadAll = [&](ImplicitLocOpBuilder &inner, bool isPartial) {
    SmallVector<Value> fetched = io.fetch(inner, base, isPartial);
    starts.mark(inner, base, indexConstant(inner, 0));
    return io.arrange(inner, fetched, base, isPartial);
  };
  if (!isFull)
    return loadAll(b, /*isPartial=*/false);
  unsigned width = 0;
  auto load = [&](bool isPartial) {
    return [&, isPartial](OpBuilder &builder, Location loc) {
      ImplicitLocOpBuilder inner(loc, builder);
      SmallVector<Value> all;
      for (const Elements &item : loadAll(inner, isPartial)) {
        width = item.size();
        llvm::append_range(all, item);
      }
      scf::YieldOp::create(inner, all);
    };
  };
  auto loaded = scf::IfOp::create(b, isFull, load(false), load(true));
  SmallVector<Elements> items;
  for (unsigned item = 0; item < frame.getSchedule().getItems(); ++item)
    items.push_back(Elements(loaded.getResults().slice(item * width, width)));
  return items;
}

void GridRowKernel::emitTile(ImplicitLocOpBuilder &b) {
  Value base = mulConstant(b, tile.number, tileSteps);
  Value end = addConstant(b, base, tileSteps);
  int64_t known = frame.getStaticExtent();
  if (ShapedType::isDynamic(known) || known % tileSteps != 0)
    isFull = compare(b, arith::CmpIPredicate::ule, end, frame.getExtent());
  bool isPartial = isFull != nullptr;

  SmallVector<Elements> elements = loadTile(b, base);
  if (starts.any())
    gpu::BarrierOp::create(b);
  starts.addTo(b, indexConstant(b, 0), elements);
  SmallVector<State> leaves = row.computeLeaves(b, elements, base, isPartial);
  Prefix nothing;
  nothing.state = zeroState(b, kernel);
  nothing.present = arith::ConstantOp::create(b, b.getBoolAttr(false));
  BlockScan::Result scanned =
      blockScan.emit(b, reduceItems(b, kernel, leaves), nothing,
                     /*parity=*/indexConstant(b, 0));
  Value place = indexConstant(b, 0);
  createIf(b, compare(b, arith::CmpIPredicate::eq, ids.warp, 0),
           [&](ImplicitLocOpBuilder &inner) {
             carry.publish(inner, tile, ticket.flags, scanned.total);
             carry.lookBack(inner, tile, ticket.flags, scanned.total, place);
           });
  // Also between reading the tile and overwriting it, where the outputs share
  // the memory of the inputs.
  gpu::BarrierOp::create(b);

  ScannedItems states = scanItems(
      b, kernel, carry.createPrefix(b, tile, scanned.prefix, place), leaves);
  SmallVector<Elements> results =
      row.computeResults(b, states, elements, base, isPartial);
  sums.start(b, row.getPoint(), /*isRow=*/Value());
  for (auto [item, values] : llvm::enumerate(results))
    sums.add(b, base, item, isPartial, values);
  sums.finish(b);
  auto store = [&](bool partial) {
    return [&, partial](ImplicitLocOpBuilder &inner) {
      io.store(inner, base, partial, results);
    };
  };
  if (isFull)
    createIf(b, isFull, store(false), store(true));
  else
    store(false)(b);
  if (!frame.getFinals().empty())
    createIf(b, compare(b, arith::CmpIPredicate::eq, tile.number, tile.last),
             [&](ImplicitLocOpBuilder &inner) {
               row.storeLastFinals(inner, base, states.inclusive);
             });
}

void GridRowKernel::emit(ImplicitLocOpBuilder &b) {
  // The barrier behind is that of the ticket.
  starts.clear(b, indexConstant(b, 0));
  ticket = workspace.drawTicket(b, ids);
  Value rows = frame.createPointCount(b);
  Value tiles = frame.createTileCount(b);
  Value isInside = compare(b, arith::CmpIPredicate::ult, ticket.number,
                           b.createOrFold<arith::MulIOp>(rows, tiles));
  createIf(b, isInside, [&](ImplicitLocOpBuilder &inner) {
    tile.number = inner.createOrFold<arith::DivUIOp>(ticket.number, rows);
    Value number = inner.createOrFold<arith::RemUIOp>(ticket.number, rows);
    tile.last = addConstant(inner, tiles, -1);
    tile.firstDescriptor = inner.createOrFold<arith::MulIOp>(number, tiles);
    tile.point = frame.createPoint(inner, number);
    row.startRow(inner, tile.point);
    if (frame.getFinals().empty()) {
      emitTile(inner);
      return;
    }
    // A row without elements has a tile for its finals.
    createIf(
        inner, compare(inner, arith::CmpIPredicate::ne, frame.getExtent(), 0),
        [&](ImplicitLocOpBuilder &some) { emitTile(some); },
        [&](ImplicitLocOpBuilder &none) {
          row.storeFinalsOf(none,
                            createInitialState(none, frame, row.getPoint()));
        });
  });
  gpu::ReturnOp::create(b);
}

void mlir::scan::emitGridRowKernel(ImplicitLocOpBuilder &b,
                                   KernelFrame &frame) {
  GridRowKernel(b, frame).emit(b);
}
