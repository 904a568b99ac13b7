//===- PersistentTiles.cpp - The tiles of a persistent kernel -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PersistentTiles.h"
#include "../Primitives/InitAndFinals.h"

using namespace mlir;
using namespace mlir::scan;

PersistentTiles::PersistentTiles(ImplicitLocOpBuilder &b, KernelFrame &frame,
                                 RowTile &row)
    : frame(frame), row(row) {
  // Where there are no rows, no ticket is valid; its numbers are computed.
  rows = b.createOrFold<arith::MaxUIOp>(frame.createScanCount(b),
                                        indexConstant(b, 1));
  tiles = frame.createTileCount(b);
  allTiles = b.createOrFold<arith::MulIOp>(frame.createScanCount(b), tiles);
}

Value PersistentTiles::countTickets(ImplicitLocOpBuilder &b, int64_t extra) {
  return arith::IndexCastOp::create(
      b, b.getI64Type(),
      addConstant(b, allTiles, extra * frame.getSchedule().getBlocks()));
}

TicketTile PersistentTiles::createTile(ImplicitLocOpBuilder &b, Value ticket) {
  TicketTile tile;
  tile.inBounds = compare(b, arith::CmpIPredicate::ult, ticket, allTiles);
  tile.tile = b.createOrFold<arith::DivUIOp>(ticket, rows);
  tile.row = b.createOrFold<arith::RemUIOp>(ticket, rows);
  return tile;
}

GridTile PersistentTiles::start(ImplicitLocOpBuilder &b,
                                const TicketTile &tile) {
  GridTile started = GridTile::ofRow(b, frame, tile.tile, tile.row, tiles);
  row.startRow(b, started.points.front());
  return started;
}

/// Rows without elements have finals.
void PersistentTiles::emitEmptyRows(ImplicitLocOpBuilder &b) {
  createFor(b, createBlockNumber(b), frame.createScanCount(b),
            indexConstant(b, frame.getSchedule().getBlocks()), {},
            [&](ImplicitLocOpBuilder &inner, Value number, ValueRange) {
              row.startRow(inner, frame.createScanPoint(inner, number));
              row.storeFinalsOf(
                  inner, createInitialState(inner, frame, row.getPoint()));
              return SmallVector<Value>();
            });
}

void PersistentTiles::emitUnlessEmpty(
    ImplicitLocOpBuilder &b, function_ref<void(ImplicitLocOpBuilder &)> body) {
  if (frame.getFinals().empty())
    return body(b);
  createIf(b, compare(b, arith::CmpIPredicate::ne, frame.getExtent(), 0), body,
           [&](ImplicitLocOpBuilder &none) { emitEmptyRows(none); });
}
