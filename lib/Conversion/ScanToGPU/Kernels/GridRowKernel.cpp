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

#include "../../GPUCommon/Emit.h"
#include "../LookBack/GridCarry.h"
#include "../Primitives/BlockScan.h"
#include "../Primitives/InitAndFinals.h"
#include "../Tile/RowTile.h"
#include "../Tile/SegmentMasks.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::scan;

namespace {
class GridRowKernel {
public:
  GridRowKernel(ImplicitLocOpBuilder &b, KernelFrame &frame)
      : frame(frame), kernel(frame.getKernel()), ids(frame.createThreadIds(b)),
        workspace(b, frame), carry(frame, ids, workspace, /*places=*/1),
        blockScan(b, frame, ids), io(b, frame, ids), starts(frame, ids),
        row(b, frame, ids, frame.getSchedule().getItems(), io) {}

  void emit(ImplicitLocOpBuilder &b);

private:
  void emitTile(ImplicitLocOpBuilder &b, const GridTile &tile);

  KernelFrame &frame;
  KernelOp kernel;
  ThreadIds ids;
  GridWorkspace workspace;
  GridCarry carry;
  BlockScan blockScan;
  RowIO io;
  SegmentMasks starts;
  RowTile row;
  GridWorkspace::Ticket ticket;
};
} // namespace

void GridRowKernel::emitTile(ImplicitLocOpBuilder &b, const GridTile &tile) {
  Value base = mulConstant(b, tile.number, row.getSteps());
  Value place = indexConstant(b, 0);
  Value isFull = row.createIsFull(b, base);
  bool isPartial = isFull != nullptr;

  // Everything is loaded before anything is waited for. Starts are looked up in
  // the meantime.
  SmallVector<Elements> elements = row.elementsIfFull(
      b, isFull, [&](ImplicitLocOpBuilder &inner, bool partial) {
        SmallVector<Value> fetched = io.prefetch(inner, base, partial);
        starts.mark(inner, base, place);
        return io.exchange(inner, fetched, base, partial);
      });
  if (starts.any())
    gpu::BarrierOp::create(b);
  starts.addHeadFlags(b, place, elements);
  SmallVector<State> leaves = row.computeLeaves(b, elements, base, isPartial);
  BlockScan::Result scanned =
      blockScan.emit(b, reduceItems(b, kernel, leaves), createAbsent(b, kernel),
                     /*parity=*/place);
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
  row.storeResults(b, states, elements, base, isFull);
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
  Value rows = frame.createScanCount(b);
  Value tiles = frame.createTileCount(b);
  Value isInside = compare(b, arith::CmpIPredicate::ult, ticket.number,
                           b.createOrFold<arith::MulIOp>(rows, tiles));
  createIf(b, isInside, [&](ImplicitLocOpBuilder &inner) {
    Value number = inner.createOrFold<arith::DivUIOp>(ticket.number, rows);
    GridTile tile = GridTile::get(
        inner, frame, number,
        inner.createOrFold<arith::RemUIOp>(ticket.number, rows), tiles);
    row.startRow(inner, tile.point);
    if (frame.getFinals().empty())
      return emitTile(inner, tile);
    // A row without elements has a tile for its finals.
    createIf(
        inner, compare(inner, arith::CmpIPredicate::ne, frame.getExtent(), 0),
        [&](ImplicitLocOpBuilder &some) { emitTile(some, tile); },
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
