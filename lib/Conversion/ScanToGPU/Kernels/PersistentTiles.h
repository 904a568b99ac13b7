//===- PersistentTiles.h - The tiles of a persistent kernel -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The thread blocks of a persistent kernel draw tickets for the tiles of all
// rows: the first tiles of all rows come first, then the second ones, so that
// a tile's predecessor is drawn long before it.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_PERSISTENTTILES_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_PERSISTENTTILES_H

#include "../LookBack/LookBackCarry.h"
#include "../Tile/RowTile.h"

namespace mlir::scan {

/// The tile of a ticket. There is none behind the last tile of the launch; then
/// the numbers mean nothing.
struct TicketTile {
  /// i1, the same in all threads of the block.
  Value inBounds;
  /// Indices: the tile's number along its row, and the row's.
  Value tile, row;
};

class PersistentTiles {
public:
  /// Counts the tiles, at the insertion point of `b`, which is in a block of
  /// the function that is run once.
  PersistentTiles(ImplicitLocOpBuilder &b, KernelFrame &frame, RowTile &row);

  /// The tickets of a launch whose blocks draw `extra` each besides those of
  /// their tiles, i64.
  Value countTickets(ImplicitLocOpBuilder &b, int64_t extra);
  /// The number of no tile, an index.
  Value getEnd() const { return allTiles; }

  TicketTile createTile(ImplicitLocOpBuilder &b, Value ticket);
  /// Turns to the tile.
  GridTile start(ImplicitLocOpBuilder &b, const TicketTile &tile);
  /// The position along the row at which it begins.
  Value createBase(ImplicitLocOpBuilder &b, const TicketTile &tile) {
    return mulConstant(b, tile.tile, row.getSteps());
  }

  /// Emits `body`, and for rows without elements, of which there are finals,
  /// the store of these.
  void emitUnlessEmpty(ImplicitLocOpBuilder &b,
                       function_ref<void(ImplicitLocOpBuilder &)> body);

private:
  void emitEmptyRows(ImplicitLocOpBuilder &b);

  KernelFrame &frame;
  RowTile &row;
  /// Indices: how many rows there are, tiles of each, and tiles in all.
  Value rows, tiles, allTiles;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_PERSISTENTTILES_H
