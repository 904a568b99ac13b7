//===- WarpSpecializedRowKernel.cpp - Persistent blocks, warps with roles -===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A persistent kernel whose warps meet at no barrier of the block but that of
// its first ticket. Tiles go round a ring of buffer slots in shared memory.
// Each warp has one role, and warps wait for one another at mbarriers of the
// slot:
//
//   loader      waits until the slot's last tile is stored; draws a ticket;
//               has a bulk copy bring the tile                     -> Loaded
//   scanning    scan their parts of the tile, leave the totals     -> Scanned
//   warps
//   publisher   adds the totals up, publishes the aggregate        -> Published
//   look-back   finds the state before the tile; publishes the
//   warp        prefix                                             -> Found
//   scanning    combine that state with every item, store the
//   warps       tile, some tiles later                             -> Stored
//
// The scanning warps store a tile `waitingTiles` tiles after they have scanned
// it: a look-back has the time of as many tiles, during which nobody waits for
// it. And each warp is on its own: one that is late delays the publication,
// not the others' loads and stores. Results take the place of inputs.
//
// With segment offsets, the publisher also makes the segment mask of the next
// tile while this one is scanned: from when the loader knows which one it is
// (-> Drawn) to when both have arrived (-> Loaded). A mask takes about 1 us, in
// which two loads depend on each other, and so much longer are tiles than
// without: packed sums of 2^28 f32 on an H200, of a copy, 0.59 in tiles of
// 192 x 20, 0.71 of 256 x 28, and 0.85 of 384 x 28.
//
// A tile that is partial, or that is not aligned to 16 bytes in memory, is
// loaded by the warps that scan it, as in other row kernels.
//
// Progress: of all tiles that are not done take the first one. All before it
// are stored, so its slot is filled, its state is found, and it is stored;
// blocks wait for tiles only that were drawn before their own, by blocks that
// run already. (Before a tile is published, the slot of the next one has to be
// stored, whose last tile is an earlier one.) Every block draws one ticket more
// than it gets tiles.
//
// Measured as hand-written CUDA on an H200, sums of 2^28 f32, of a copy:
// two roles (loading and publishing in one warp) 0.941, three 0.951; tiles of
// 192 x 36 in 8 slots 0.951, of 384 x 28 in 5 slots 0.938, of 448 x 28 in 4
// slots 0.886, and 0.728 if one of these waits and not two. Stores by bulk
// copies: 0.932.
//
//===----------------------------------------------------------------------===//

#include "../../GPUCommon/Emit.h"
#include "../Primitives/MBarriers.h"
#include "PersistentTiles.h"
#include "RowAgent.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::scan;

/// Those of the warps that scan.
static ScanLanes getScanningLanes(ImplicitLocOpBuilder &b,
                                  const ThreadIds &ids) {
  ScanLanes lanes(b, ids);
  lanes.blockWarps = lanes.warps;
  return lanes;
}

/// Those of another warp, whose first lane publishes.
static ScanLanes getRoleLanes(ImplicitLocOpBuilder &b, const ThreadIds &ids) {
  ScanLanes lanes = getScanningLanes(b, ids);
  lanes.group = ids.lane;
  return lanes;
}

namespace {
class WarpSpecializedRowKernel {
public:
  WarpSpecializedRowKernel(ImplicitLocOpBuilder &b, KernelFrame &frame,
                           const ThreadIds &ids)
      : frame(frame), kernel(frame.getKernel()), ids(ids),
        stages(frame.getPlan().stages), workspace(b, frame),
        carry(frame, getRoleLanes(b, ids), workspace), barriers(frame),
        agent(b, frame, ids, getScanningLanes(b, ids)),
        totals(agent.blockScan.getWarpTotals()), tiles(b, frame, agent.row) {}

  void emit(ImplicitLocOpBuilder &b);

private:
  using Kind = MBarriers::Kind;
  using Position = RingPosition;

  void emitRoles(ImplicitLocOpBuilder &b);
  void emitLoader(ImplicitLocOpBuilder &b);
  void emitPublisher(ImplicitLocOpBuilder &b);
  /// A tile whose segment mask is being made.
  struct Marking {
    Position at;
    TicketTile tile;
    Elements begun;
  };
  Marking beginMark(ImplicitLocOpBuilder &b, const Position &at);
  void finishMark(ImplicitLocOpBuilder &b, const Marking &marking);
  void emitLookBack(ImplicitLocOpBuilder &b);
  void emitScanning(ImplicitLocOpBuilder &b);

  void load(ImplicitLocOpBuilder &b, const TicketTile &tile,
            const Position &at);
  State scan(ImplicitLocOpBuilder &b, const TicketTile &tile,
             const Position &at);
  void store(ImplicitLocOpBuilder &b, const Position &at, ValueRange inclusive);

  void forEachTile(
      ImplicitLocOpBuilder &b, Kind after,
      function_ref<void(ImplicitLocOpBuilder &, const TicketTile &,
                        const Position &)>
          body,
      function_ref<void(ImplicitLocOpBuilder &, const Position &)> behind);

  Value isBulk(ImplicitLocOpBuilder &b, Value base) {
    return createAnd(b, agent.row.createIsFull(b, base),
                     agent.io.createIsAligned(b));
  }
  Value isFirstLane(ImplicitLocOpBuilder &b) {
    return compare(b, arith::CmpIPredicate::eq, ids.lane, 0);
  }
  /// Arrives once all lanes of the warp are there.
  void arriveOnce(ImplicitLocOpBuilder &b, Kind kind, const Position &at) {
    syncWarp(b);
    createIf(b, isFirstLane(b), [&](ImplicitLocOpBuilder &inner) {
      barriers.arrive(inner, kind, at);
    });
  }
  TicketTile readTile(ImplicitLocOpBuilder &b, const Position &at) {
    return tiles.createTile(b, workspace.readTicket(b, at.slot));
  }
  int64_t countWarps() const { return ids.rowThreads / kWarpSize; }

  KernelFrame &frame;
  KernelOp kernel;
  ThreadIds ids;
  int64_t stages;
  GridWorkspace workspace;
  LookBackCarry carry;
  MBarriers barriers;
  RowAgent agent;
  WarpTotals &totals;
  PersistentTiles tiles;
  GridWorkspace::Ticket ticket;
};
} // namespace

//===----------------------------------------------------------------------===//
// The loader
//===----------------------------------------------------------------------===//

/// In one thread: says of which tile the slot is, and has it filled.
void WarpSpecializedRowKernel::load(ImplicitLocOpBuilder &b,
                                    const TicketTile &tile,
                                    const Position &at) {
  auto arrive = [&](ImplicitLocOpBuilder &inner) {
    barriers.arrive(inner, Kind::Loaded, at);
  };
  createIf(
      b, tile.inBounds,
      [&](ImplicitLocOpBuilder &inner) {
        tiles.start(inner, tile);
        Value base = tiles.createBase(inner, tile);
        createIf(
            inner, isBulk(inner, base),
            [&](ImplicitLocOpBuilder &body) {
              agent.io.useBufferSlot(body, at.slot);
              barriers.arriveExpecting(body, Kind::Loaded, at,
                                       agent.io.getTileBytes());
              agent.io.copyTile(
                  body, base, barriers.getPointer(body, Kind::Loaded, at.slot));
            },
            arrive);
      },
      arrive);
}

/// One thread, until it has drawn the ticket of no tile.
void WarpSpecializedRowKernel::emitLoader(ImplicitLocOpBuilder &b) {
  Position first = Position::first(b);
  SmallVector<Value> inits{ticket.number, first.slot, first.phase};
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Type> positionTypes(ArrayRef(types).drop_front());
  scf::WhileOp::create(
      b, positionTypes, inits,
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        ImplicitLocOpBuilder inner(loc, builder);
        Position at{carried[1], carried[2]};
        workspace.storeTicket(inner, carried[0], at.slot);
        if (agent.masks.any())
          barriers.arrive(inner, Kind::Drawn, at);
        TicketTile tile = tiles.createTile(inner, carried[0]);
        load(inner, tile, at);
        scf::ConditionOp::create(inner, tile.inBounds, carried.drop_front());
      },
      [&](OpBuilder &builder, Location loc, ValueRange passed) {
        ImplicitLocOpBuilder inner(loc, builder);
        Position next = Position{passed[0], passed[1]}.next(inner, stages);
        barriers.waitForPrevious(inner, Kind::Stored, next);
        // Results have taken the place of inputs, or threads loaded these. Here
        // the fence is that of one thread, which has no stores to wait for.
        fenceBeforeBulkCopies(inner);
        // Not sooner: tickets are drawn in the order in which tiles are
        // published, as far as possible.
        Value number = workspace.drawNumber(inner, ticket);
        scf::YieldOp::create(inner, ValueRange{number, next.slot, next.phase});
      });
}

//===----------------------------------------------------------------------===//
// The publisher and the look-back warp
//===----------------------------------------------------------------------===//

/// `body` for each tile of the block, once `after` is reached; and `behind` at
/// the ticket of no tile.
void WarpSpecializedRowKernel::forEachTile(
    ImplicitLocOpBuilder &b, Kind after,
    function_ref<void(ImplicitLocOpBuilder &, const TicketTile &,
                      const Position &)>
        body,
    function_ref<void(ImplicitLocOpBuilder &, const Position &)> behind) {
  Position first = Position::first(b);
  SmallVector<Value> inits{first.slot, first.phase};
  SmallVector<Type> types(ValueRange(inits).getTypes());
  types.push_back(b.getIndexType());
  auto loop = scf::WhileOp::create(
      b, types, inits,
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        ImplicitLocOpBuilder inner(loc, builder);
        Position at{carried[0], carried[1]};
        barriers.wait(inner, after, at);
        Value number = workspace.readTicket(inner, at.slot);
        SmallVector<Value> passed{at.slot, at.phase, number};
        scf::ConditionOp::create(
            inner, tiles.createTile(inner, number).inBounds, passed);
      },
      [&](OpBuilder &builder, Location loc, ValueRange passed) {
        ImplicitLocOpBuilder inner(loc, builder);
        Position at{passed[0], passed[1]};
        body(inner, tiles.createTile(inner, passed[2]), at);
        Position next = at.next(inner, stages);
        scf::YieldOp::create(inner, ValueRange{next.slot, next.phase});
      });
  behind(b, {loop.getResult(0), loop.getResult(1)});
}

/// Clears the segment mask of a slot, and loads the segment offsets of its
/// tile.
WarpSpecializedRowKernel::Marking
WarpSpecializedRowKernel::beginMark(ImplicitLocOpBuilder &b,
                                    const Position &at) {
  barriers.wait(b, Kind::Drawn, at);
  TicketTile tile = readTile(b, at);
  Elements begun =
      createIfOrZeros(b, tile.inBounds, [&](ImplicitLocOpBuilder &inner) {
        agent.masks.clearInWarp(inner, at.slot);
        return agent.masks.beginMarkInWarp(inner,
                                           tiles.createBase(inner, tile));
      });
  return {at, tile, begun};
}

void WarpSpecializedRowKernel::finishMark(ImplicitLocOpBuilder &b,
                                          const Marking &marking) {
  createIf(b, marking.tile.inBounds, [&](ImplicitLocOpBuilder &inner) {
    agent.masks.finishMarkInWarp(inner, tiles.createBase(inner, marking.tile),
                                 marking.at.slot, marking.begun);
  });
  arriveOnce(b, Kind::Loaded, marking.at);
}

/// With segment offsets, the mask of the next tile is made while this one is
/// scanned.
void WarpSpecializedRowKernel::emitPublisher(ImplicitLocOpBuilder &b) {
  bool marks = agent.masks.any();
  if (marks)
    finishMark(b, beginMark(b, Position::first(b)));
  forEachTile(
      b, Kind::Loaded,
      [&](ImplicitLocOpBuilder &inner, const TicketTile &tile,
          const Position &at) {
        std::optional<Marking> next;
        if (marks)
          next = beginMark(inner, at.next(inner, stages));
        barriers.wait(inner, Kind::Scanned, at);
        State total = totals.scanInPlace(inner, at.slot);
        carry.publish(inner, tiles.start(inner, tile), ticket.flags, total);
        carry.leave(inner, total, at.slot);
        arriveOnce(inner, Kind::Published, at);
        if (next)
          finishMark(inner, *next);
      },
      [&](ImplicitLocOpBuilder &inner, const Position &at) {
        arriveOnce(inner, Kind::Published, at);
      });
}

void WarpSpecializedRowKernel::emitLookBack(ImplicitLocOpBuilder &b) {
  forEachTile(
      b, Kind::Published,
      [&](ImplicitLocOpBuilder &inner, const TicketTile &tile,
          const Position &at) {
        carry.lookBack(inner, tiles.start(inner, tile), ticket.flags,
                       /*totals=*/{}, at.slot);
        arriveOnce(inner, Kind::Found, at);
      },
      [](ImplicitLocOpBuilder &, const Position &) {});
}

//===----------------------------------------------------------------------===//
// The warps that scan
//===----------------------------------------------------------------------===//

/// The tile-local scan in each warp; returns the state after the thread's items
/// in its warp.
State WarpSpecializedRowKernel::scan(ImplicitLocOpBuilder &b,
                                     const TicketTile &tile,
                                     const Position &at) {
  tiles.start(b, tile);
  RowAgent::Tile started = agent.createTile(b, tiles.createBase(b, tile));
  RowIO &io = agent.io;
  io.useBufferSlot(b, at.slot);
  createIf(
      b, isBulk(b, started.base), [](ImplicitLocOpBuilder &) {},
      [&](ImplicitLocOpBuilder &inner) {
        io.storeToShared(inner,
                         io.prefetch(inner, started.base, /*isPartial=*/true));
        io.sync(inner);
      });
  SmallVector<Elements> elements =
      io.loadFromShared(b, /*direct=*/{}, started.base, started.isPartial);
  agent.masks.addHeadFlags(b, at.slot, elements);
  SmallVector<State> leaves =
      agent.row.computeLeaves(b, elements, started.base, started.isPartial);
  State inclusive =
      agent.blockScan.begin(b, reduceItems(b, kernel, leaves), at.slot).front();
  // The last lane has stored the total.
  createIf(b, compare(b, arith::CmpIPredicate::eq, ids.lane, kWarpSize - 1),
           [&](ImplicitLocOpBuilder &inner) {
             barriers.arrive(inner, Kind::Scanned, at);
           });
  return inclusive;
}

/// Combines the state before the tile with every item, and stores the tile;
/// `inclusive` is what `scan` has returned.
void WarpSpecializedRowKernel::store(ImplicitLocOpBuilder &b,
                                     const Position &at, ValueRange inclusive) {
  barriers.wait(b, Kind::Found, at);
  TicketTile ticketTile = readTile(b, at);
  GridTile gridTile = tiles.start(b, ticketTile);
  RowAgent::Tile tile = agent.createTile(b, tiles.createBase(b, ticketTile));
  Prefix inTile = agent.blockScan.createThreadPrefix(
      b, totals.loadBefore(b, at.slot), inclusive);
  Prefix prefix = carry.createPrefixes(b, gridTile, inTile, at.slot).front();
  agent.io.useBufferSlot(b, at.slot);
  SmallVector<Elements> elements =
      agent.io.loadFromShared(b, /*direct=*/{}, tile.base, tile.isPartial);
  agent.masks.addHeadFlags(b, at.slot, elements);
  ScannedItems states = agent.consumeTile(
      b, tile, elements,
      [&](ImplicitLocOpBuilder &, ArrayRef<State>) { return prefix; });
  agent.storeFinalsIfLast(b, tile, gridTile.number, gridTile.last, states);
  arriveOnce(b, Kind::Stored, at);
}

/// In each turn a tile is scanned, as long as there are any, and the one is
/// stored that was scanned `waitingTiles` turns ago.
void WarpSpecializedRowKernel::emitScanning(ImplicitLocOpBuilder &b) {
  size_t waiting = frame.getPlan().waitingTiles;
  size_t numLeaves = kernel.getNumLeaves();
  Position first = Position::first(b);
  // Carried: whether there are tiles to scan; how many turns there are still to
  // come behind the last one that scans, and in front of the first one that
  // stores; where the next tiles are; and what the scans of those that wait
  // have returned, the oldest first.
  Value all = indexConstant(b, waiting);
  SmallVector<Value> inits{
      boolConstant(b, true), all,        all,        first.slot,
      first.phase,           first.slot, first.phase};
  size_t numOthers = inits.size();
  for (size_t i = 0; i < waiting; ++i)
    llvm::append_range(inits, zeroState(b, kernel));
  auto countDown = [](ImplicitLocOpBuilder &inner, Value count) {
    Value one = indexConstant(inner, 1);
    return inner.createOrFold<arith::SubIOp>(
        inner.createOrFold<arith::MaxUIOp>(count, one), one);
  };
  scf::WhileOp::create(
      b, ValueRange(inits).getTypes(), inits,
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        ImplicitLocOpBuilder inner(loc, builder);
        scf::ConditionOp::create(
            inner, compare(inner, arith::CmpIPredicate::ne, carried[1], 0),
            carried);
      },
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        ImplicitLocOpBuilder inner(loc, builder);
        Position toScan{carried[3], carried[4]};
        Position toStore{carried[5], carried[6]};
        ValueRange waits = carried.drop_front(numOthers);
        SmallVector<Value> scanned =
            createIfOrZeros(inner, carried[0], [&](ImplicitLocOpBuilder &body) {
              barriers.wait(body, Kind::Loaded, toScan);
              TicketTile tile = readTile(body, toScan);
              SmallVector<Value> values{tile.inBounds};
              llvm::append_range(
                  values, createIfOrZeros(body, tile.inBounds,
                                          [&](ImplicitLocOpBuilder &some) {
                                            return scan(some, tile, toScan);
                                          }));
              return values;
            });
        Value stores = compare(inner, arith::CmpIPredicate::eq, carried[2], 0);
        createIf(inner, stores, [&](ImplicitLocOpBuilder &body) {
          store(body, toStore, waits.take_front(numLeaves));
        });
        Position nextToScan = toScan.next(inner, stages);
        Position following = toStore.next(inner, stages);
        SmallVector<Value> next{
            scanned.front(),
            arith::SelectOp::create(inner, scanned.front(), carried[1],
                                    countDown(inner, carried[1])),
            countDown(inner, carried[2]),
            nextToScan.slot,
            nextToScan.phase,
            arith::SelectOp::create(inner, stores, following.slot,
                                    toStore.slot),
            arith::SelectOp::create(inner, stores, following.phase,
                                    toStore.phase)};
        llvm::append_range(next, waits.drop_front(numLeaves));
        llvm::append_range(next, ArrayRef(scanned).drop_front());
        scf::YieldOp::create(inner, next);
      });
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void WarpSpecializedRowKernel::emitRoles(ImplicitLocOpBuilder &b) {
  createIf(
      b, compare(b, arith::CmpIPredicate::eq, ids.thread, 0),
      [&](ImplicitLocOpBuilder &inner) { barriers.init(inner, countWarps()); });
  // With a barrier, behind which all see the mbarriers.
  ticket = workspace.drawTicket(b, ids, tiles.countTickets(b, /*extra=*/1));
  auto isRole = [&](ImplicitLocOpBuilder &inner, int64_t role) {
    return compare(inner, arith::CmpIPredicate::eq, ids.warp,
                   countWarps() + role);
  };
  createIf(
      b, compare(b, arith::CmpIPredicate::ult, ids.warp, countWarps()),
      [&](ImplicitLocOpBuilder &scanning) { emitScanning(scanning); },
      [&](ImplicitLocOpBuilder &other) {
        createIf(
            other, isRole(other, 0),
            [&](ImplicitLocOpBuilder &loader) {
              createIf(loader, isFirstLane(loader),
                       [&](ImplicitLocOpBuilder &one) { emitLoader(one); });
            },
            [&](ImplicitLocOpBuilder &rest) {
              createIf(
                  rest, isRole(rest, 1),
                  [&](ImplicitLocOpBuilder &publisher) {
                    emitPublisher(publisher);
                  },
                  [&](ImplicitLocOpBuilder &last) { emitLookBack(last); });
            });
      });
}

void WarpSpecializedRowKernel::emit(ImplicitLocOpBuilder &b) {
  tiles.emitUnlessEmpty(b,
                        [&](ImplicitLocOpBuilder &some) { emitRoles(some); });
  // Which blocks get tiles is not known.
  agent.masks.checkAll(b);
  gpu::ReturnOp::create(b);
}

void mlir::scan::emitWarpSpecializedRowKernel(ImplicitLocOpBuilder &b,
                                              KernelFrame &frame) {
  ThreadIds ids = frame.createThreadIds(b);
  WarpSpecializedRowKernel(b, frame, ids).emit(b);
}
