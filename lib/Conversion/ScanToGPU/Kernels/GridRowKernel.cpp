//===- GridRowKernel.cpp - A tile of a row for each block -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the scope grid: many blocks take one tile each (RowAgent), and read the
// state before it from descriptors.
//
//   draw a ticket: which tile of which row; meanwhile, the second-level cache
//   fetches the tile of the ticket that has this block's number
//   load the tile; tile-local scan
//   first tile:  carry = init; publish the prefix
//   others:      publish the aggregate; look back for the carry; publish the
//                prefix
//   combine the carry with every item's prefix; store the tile, and the finals
//   in the last; add up reductions over threads
//
// Tickets go by tile first and by row last: with many rows, the tile before was
// drawn that many tickets ago and has most likely published its prefix. Where
// states are wide, the first warp looks back with its threads' states and the
// aggregate in shared memory (KernelPlan::parksStates).
//
// Positions beyond the end come after all others in scan order, so garbage in
// them reaches no element that is stored: only memory accesses are masked, and
// no identity of the operator is needed; the last tile of a row publishes
// nothing.
//
//===----------------------------------------------------------------------===//

#include "../../GPUCommon/Emit.h"
#include "../LookBack/LookBackCarry.h"
#include "../Primitives/InitAndFinals.h"
#include "Plan/LookBackWindow.h"
#include "RowAgent.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::scan;

namespace {
/// The block of one tile.
class GridRowKernel {
public:
  GridRowKernel(ImplicitLocOpBuilder &b, KernelFrame &frame,
                const ThreadIds &ids)
      : GridRowKernel(b, frame, ids, ScanLanes(b, ids)) {}

  void emit(ImplicitLocOpBuilder &b);

private:
  GridRowKernel(ImplicitLocOpBuilder &b, KernelFrame &frame,
                const ThreadIds &ids, const ScanLanes &lanes)
      : frame(frame), kernel(frame.getKernel()), ids(ids), workspace(b, frame),
        carry(frame, lanes, workspace), agent(b, frame, ids, lanes) {}

  bool drawsFirst();
  void emitTile(ImplicitLocOpBuilder &b, const GridTile &gridTile);

  KernelFrame &frame;
  KernelOp kernel;
  ThreadIds ids;
  GridWorkspace workspace;
  LookBackCarry carry;
  RowAgent agent;
  GridWorkspace::Ticket ticket;
};
} // namespace

void GridRowKernel::emitTile(ImplicitLocOpBuilder &b,
                             const GridTile &gridTile) {
  RowTile &row = agent.row;
  RowAgent::Tile tile =
      agent.createTile(b, mulConstant(b, gridTile.number, row.getSteps()));
  Value zero = indexConstant(b, 0);

  // Everything is loaded before anything is waited for. Segment offsets are
  // looked up in the meantime.
  SmallVector<Elements> elements = row.elementsIfFull(
      b, tile.isFull, [&](ImplicitLocOpBuilder &inner, bool isPartial) {
        SmallVector<Value> prefetched =
            agent.io.prefetch(inner, tile.base, isPartial);
        agent.masks.mark(inner, tile.base, zero);
        return agent.io.exchange(inner, prefetched, tile.base, isPartial);
      });
  if (agent.masks.any()) {
    agent.masks.checkShare(
        b, ticket.number,
        b.createOrFold<arith::MulIOp>(frame.createScanCount(b),
                                      frame.createTileCount(b)));
    gpu::BarrierOp::create(b);
  }
  agent.masks.addHeadFlags(b, zero, elements);
  auto createPrefix = [&](ImplicitLocOpBuilder &inner, ArrayRef<State> leaves) {
    BlockScan::Result scanned =
        agent.blockScan.emit(inner, reduceItems(inner, kernel, leaves), zero)
            .front();
    State &inTile = scanned.prefix.state;
    bool parks = frame.getPlan().parkedStates != 0;
    SmallVector<Value> unparked = createIfElse(
        inner, compare(inner, arith::CmpIPredicate::eq, ids.warp, 0),
        [&](ImplicitLocOpBuilder &warp) {
          carry.publish(warp, gridTile, ticket.flags, scanned.total);
          if (parks)
            carry.park(warp, inTile);
          carry.lookBack(warp, gridTile, ticket.flags, scanned.total, zero);
          return parks ? carry.unpark(warp) : State();
        },
        [&](ImplicitLocOpBuilder &) { return parks ? inTile : State(); });
    if (parks)
      inTile = State(unparked);
    // Also between reading the tile and overwriting it, where the outputs share
    // the memory of the inputs.
    gpu::BarrierOp::create(inner);
    return carry.createPrefixes(inner, gridTile, scanned.prefix, zero).front();
  };
  row.startReductions(b);
  ScannedItems states = agent.consumeTile(b, tile, elements, createPrefix);
  row.finishReductions(b);
  agent.storeFinalsIfLast(b, tile, gridTile.number, gridTile.last, states);
}

/// Whether a block draws its ticket before it has anything fetched: where many
/// blocks are known to wait for the counter, which serves one after the other.
bool GridRowKernel::drawsFirst() {
  // So many took 0.94 to 1.00 of the time on an H200 when they drew first, and
  // 64 or fewer up to 1.07.
  constexpr int64_t manyBlocks = 128;
  return countTiles(kernel, frame.getSchedule()).value_or(0) >= manyBlocks;
}

void GridRowKernel::emit(ImplicitLocOpBuilder &b) {
  Value drawn;
  if (drawsFirst())
    drawn = workspace.beginTicket(b, ids);
  agent.fetchTile(b, createBlockNumber(b));
  if (!drawn)
    drawn = workspace.beginTicket(b, ids);
  // The barrier behind is that of the ticket.
  agent.masks.clear(b, indexConstant(b, 0));
  ticket = workspace.takeTicket(b, ids, drawn);
  Value rows = frame.createScanCount(b);
  Value tiles = frame.createTileCount(b);
  Value inBounds = compare(b, arith::CmpIPredicate::ult, ticket.number,
                           b.createOrFold<arith::MulIOp>(rows, tiles));
  createIf(b, inBounds, [&](ImplicitLocOpBuilder &inner) {
    Value number = inner.createOrFold<arith::DivUIOp>(ticket.number, rows);
    GridTile gridTile = GridTile::ofRow(
        inner, frame, number,
        inner.createOrFold<arith::RemUIOp>(ticket.number, rows), tiles);
    RowTile &row = agent.row;
    row.startRow(inner, gridTile.points.front());
    if (frame.getFinals().empty())
      return emitTile(inner, gridTile);
    // A row without elements has a tile for its finals.
    createIf(
        inner, compare(inner, arith::CmpIPredicate::ne, frame.getExtent(), 0),
        [&](ImplicitLocOpBuilder &some) { emitTile(some, gridTile); },
        [&](ImplicitLocOpBuilder &none) {
          row.storeFinalsOf(none,
                            createInitialState(none, frame, row.getPoint()));
        });
  });
  agent.masks.checkAll(b, agent.masks.createHasNoTiles(b));
  gpu::ReturnOp::create(b);
}

void mlir::scan::emitGridRowKernel(ImplicitLocOpBuilder &b,
                                   KernelFrame &frame) {
  ThreadIds ids = frame.createThreadIds(b);
  GridRowKernel(b, frame, ids).emit(b);
}
