//===- LookBackCarry.cpp - The states before a tile, by look-back ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LookBackCarry.h"
#include "../../GPUCommon/Emit.h"
#include "../Primitives/InitAndFinals.h"
#include "../Primitives/WarpScan.h"

using namespace mlir;
using namespace mlir::scan;

TileDescriptors::TileDescriptors(ImplicitLocOpBuilder &b, KernelFrame &frame,
                                 const ScanLanes &lanes, Value isVectorized) {
  Value all = indexConstant(b, lanes.getScans());
  Value columns = b.createOrFold<arith::MinUIOp>(frame.getInnerExtent(b), all);
  if (getConstantIntValue(columns) == lanes.getScans())
    return;
  count = columns;
  Value stride = indexConstant(b, lanes.lanes);
  Value lanesInUse = b.createOrFold<arith::MinUIOp>(columns, stride);
  if (isVectorized) {
    Value threads =
        b.createOrFold<arith::DivUIOp>(columns, indexConstant(b, lanes.vector));
    stride = b.createOrFold<arith::SelectOp>(isVectorized, threads, stride);
    lanesInUse =
        b.createOrFold<arith::SelectOp>(isVectorized, threads, lanesInUse);
  }
  Value isInUse = compare(b, arith::CmpIPredicate::ult, lanes.lane, lanesInUse);
  Value lane = b.createOrFold<arith::MinUIOp>(lanes.lane,
                                              addConstant(b, lanesInUse, -1));
  for (int64_t scan = 0; scan < lanes.vector; ++scan) {
    Value number =
        b.createOrFold<arith::AddIOp>(lane, mulConstant(b, stride, scan));
    numbers.push_back(
        b.createOrFold<arith::MinUIOp>(number, addConstant(b, columns, -1)));
    inBounds.push_back(b.createOrFold<arith::AndIOp>(
        isInUse, compare(b, arith::CmpIPredicate::ult, number, columns)));
  }
}

GridTile GridTile::ofRow(ImplicitLocOpBuilder &b, KernelFrame &frame,
                         Value tile, Value row, Value tiles) {
  GridTile result;
  result.number = tile;
  result.last = addConstant(b, tiles, -1);
  result.first = b.createOrFold<arith::MulIOp>(row, tiles);
  result.points.push_back(frame.createScanPoint(b, row));
  return result;
}

LookBackCarry::LookBackCarry(KernelFrame &frame, const ScanLanes &lanes,
                             const GridWorkspace &workspace)
    : frame(frame), kernel(frame.getKernel()), lanes(lanes),
      workspace(workspace),
      carries(frame, kernel, frame.getPlan().statesBeforeTiles),
      parked(frame, kernel, frame.getPlan().parkedStates) {}

/// Of the descriptor of tile number `number` for one of the thread's scans.
Value LookBackCarry::getAddress(ImplicitLocOpBuilder &b, const GridTile &tile,
                                Value number, int64_t scan) {
  Value inWorkspace = b.createOrFold<arith::AddIOp>(tile.first, number);
  const TileDescriptors &descriptors = tile.descriptors;
  Value descriptor =
      descriptors.count
          ? b.createOrFold<arith::AddIOp>(
                b.createOrFold<arith::MulIOp>(inWorkspace, descriptors.count),
                descriptors.numbers[scan])
          : b.createOrFold<arith::AddIOp>(
                mulConstant(b, inWorkspace, lanes.getScans()),
                lanes.getScanNumber(b, scan));
  return workspace.getAddress(b, descriptor);
}

Value LookBackCarry::getSlot(ImplicitLocOpBuilder &b, Value slot,
                             int64_t scan) {
  return b.createOrFold<arith::AddIOp>(mulConstant(b, slot, lanes.getScans()),
                                       lanes.getScanNumber(b, scan));
}

void LookBackCarry::storeAll(ImplicitLocOpBuilder &b, ArrayRef<State> states,
                             Value slot) {
  for (auto [scan, state] : llvm::enumerate(states))
    carries.store(b, state, getSlot(b, slot, scan));
}

SmallVector<State> LookBackCarry::loadAll(ImplicitLocOpBuilder &b, Value slot) {
  SmallVector<State> states;
  for (int64_t scan = 0; scan < lanes.vector; ++scan)
    states.push_back(carries.load(b, getSlot(b, slot, scan)));
  return states;
}

/// In all lanes the states in a buffer slot, which mean something only in
/// leaves that are not published.
SmallVector<State> LookBackCarry::loadUnpublished(ImplicitLocOpBuilder &b,
                                                  Value slot) {
  if (!llvm::is_contained(frame.getPlan().descriptor.published, false))
    return SmallVector<State>(lanes.vector, zeroState(b, kernel));
  SmallVector<State> states = loadAll(b, slot);
  // The first group overwrites them.
  syncWarp(b);
  return states;
}

void LookBackCarry::store(ImplicitLocOpBuilder &b, ArrayRef<State> states,
                          Value slot) {
  createIf(b, isFirstGroup(b),
           [&](ImplicitLocOpBuilder &inner) { storeAll(inner, states, slot); });
}

SmallVector<State> LookBackCarry::createInits(ImplicitLocOpBuilder &b,
                                              const GridTile &tile) {
  SmallVector<State> inits;
  for (ArrayRef<Value> point : tile.points)
    inits.push_back(createStartState(b, frame, point));
  return inits;
}

/// The states after a tile, from those before it, which may be absent.
SmallVector<State> LookBackCarry::addTotals(ImplicitLocOpBuilder &b,
                                            ArrayRef<State> before,
                                            ArrayRef<State> totals,
                                            bool isPresent) {
  SmallVector<State> after(totals);
  if (isPresent)
    for (auto [state, carry] : llvm::zip_equal(after, before))
      state = combine(b, kernel, carry, state);
  return after;
}

void LookBackCarry::publishAll(ImplicitLocOpBuilder &b, const GridTile &tile,
                               const DescriptorFlags &flags,
                               Descriptor::Kind kind, ArrayRef<State> states) {
  for (auto [scan, state] : llvm::enumerate(states)) {
    auto publishOne = [&, scan = scan,
                       &state = state](ImplicitLocOpBuilder &inner) {
      workspace.getDescriptor().publish(
          inner, getAddress(inner, tile, tile.number, scan), flags, kind,
          state);
    };
    if (tile.descriptors.count)
      createIf(b, tile.descriptors.inBounds[scan], publishOne);
    else
      publishOne(b);
  }
}

/// In the first group, for the tiles behind this one, of which the last one has
/// none.
void LookBackCarry::publishAs(
    ImplicitLocOpBuilder &b, const GridTile &tile, const DescriptorFlags &flags,
    Descriptor::Kind kind,
    function_ref<SmallVector<State>(ImplicitLocOpBuilder &)> body) {
  Value publishes =
      arith::AndIOp::create(b, isFirstGroup(b), isNotLast(b, tile));
  createIf(b, publishes, [&](ImplicitLocOpBuilder &inner) {
    publishAll(inner, tile, flags, kind, body(inner));
  });
}

void LookBackCarry::publishAggregates(ImplicitLocOpBuilder &b,
                                      const GridTile &tile,
                                      const DescriptorFlags &flags,
                                      ArrayRef<State> totals) {
  if (LookBack::readsAggregates(kernel, lanes))
    publishAs(b, tile, flags, Descriptor::Kind::Aggregate,
              [&](ImplicitLocOpBuilder &) -> SmallVector<State> {
                return SmallVector<State>(totals);
              });
}

/// The states before a tile that is not the first one.
SmallVector<State> LookBackCarry::findBefore(ImplicitLocOpBuilder &b,
                                             const GridTile &tile,
                                             const DescriptorFlags &flags,
                                             ArrayRef<State> totals) {
  auto addressOf = [&](ImplicitLocOpBuilder &inner, Value number,
                       int64_t scan) {
    return getAddress(inner, tile, number, scan);
  };
  LookBack lookBack(kernel, workspace.getDescriptor(), flags, lanes,
                    frame.getPlan().firstLookBackTiles, totals, addressOf);
  return lookBack.emit(b, tile.number);
}

void LookBackCarry::exchange(ImplicitLocOpBuilder &b, const GridTile &tile,
                             const DescriptorFlags &flags,
                             ArrayRef<State> totals, Value slot) {
  // One branch for the first group: the states of many scans take registers.
  auto finishIn = [&](ImplicitLocOpBuilder &inner, ArrayRef<State> before,
                      bool isPresent) {
    createIf(inner, isFirstGroup(inner), [&](ImplicitLocOpBuilder &group) {
      storeAll(group, before, slot);
      SmallVector<State> after = addTotals(group, before, totals, isPresent);
      createIf(group, isNotLast(group, tile), [&](ImplicitLocOpBuilder &body) {
        publishAll(body, tile, flags, Descriptor::Kind::Prefix, after);
      });
    });
  };
  createIf(
      b, compare(b, arith::CmpIPredicate::eq, tile.number, 0),
      [&](ImplicitLocOpBuilder &first) {
        finishIn(first, createInits(first, tile), kernel.hasInit());
      },
      [&](ImplicitLocOpBuilder &later) {
        publishAggregates(later, tile, flags, totals);
        finishIn(later, findBefore(later, tile, flags, totals),
                 /*isPresent=*/true);
      });
}

void LookBackCarry::publish(ImplicitLocOpBuilder &b, const GridTile &tile,
                            const DescriptorFlags &flags,
                            ArrayRef<State> totals) {
  createIf(
      b, compare(b, arith::CmpIPredicate::eq, tile.number, 0),
      [&](ImplicitLocOpBuilder &first) {
        publishAs(first, tile, flags, Descriptor::Kind::Prefix,
                  [&](ImplicitLocOpBuilder &inner) {
                    if (!kernel.hasInit())
                      return SmallVector<State>(totals);
                    return addTotals(inner, createInits(inner, tile), totals,
                                     /*isPresent=*/true);
                  });
      },
      [&](ImplicitLocOpBuilder &later) {
        publishAggregates(later, tile, flags, totals);
      });
}

void LookBackCarry::lookBack(ImplicitLocOpBuilder &b, const GridTile &tile,
                             const DescriptorFlags &flags,
                             ArrayRef<State> totals, Value slot) {
  createIf(
      b, compare(b, arith::CmpIPredicate::eq, tile.number, 0),
      [&](ImplicitLocOpBuilder &first) {
        store(first, createInits(first, tile), slot);
      },
      [&](ImplicitLocOpBuilder &later) {
        // Totals are parked where the states before the tile are going to be.
        bool parks = totals.empty() || frame.getPlan().parksStates();
        if (parks && !totals.empty())
          store(later, totals, slot);
        SmallVector<State> before =
            findBefore(later, tile, flags,
                       totals.empty() ? loadUnpublished(later, slot)
                                      : SmallVector<State>(totals));
        publishAs(later, tile, flags, Descriptor::Kind::Prefix,
                  [&](ImplicitLocOpBuilder &inner) {
                    return addTotals(inner, before,
                                     parks ? loadAll(inner, slot)
                                           : SmallVector<State>(totals),
                                     /*isPresent=*/true);
                  });
        store(later, before, slot);
      });
}

void LookBackCarry::park(ImplicitLocOpBuilder &b, const State &state) {
  parked.store(b, state, lanes.warpLane);
}

State LookBackCarry::unpark(ImplicitLocOpBuilder &b) {
  return parked.load(b, lanes.warpLane);
}

SmallVector<Prefix> LookBackCarry::createPrefixes(ImplicitLocOpBuilder &b,
                                                  const GridTile &tile,
                                                  ArrayRef<Prefix> inTile,
                                                  Value slot) {
  SmallVector<Prefix> prefixes;
  for (auto [scan, part] : llvm::enumerate(inTile)) {
    Prefix carry;
    carry.state = carries.load(b, getSlot(b, slot, scan));
    if (!hasStartState(kernel))
      carry.present = compare(b, arith::CmpIPredicate::ne, tile.number, 0);
    prefixes.push_back(joinPrefixes(b, kernel, carry, part));
  }
  return prefixes;
}
