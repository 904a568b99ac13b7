//===- GridCarry.cpp - The state before a tile of many --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridCarry.h"
#include "../../GPUCommon/Emit.h"
#include "../Primitives/InitAndFinals.h"

using namespace mlir;
using namespace mlir::scan;

GridTile GridTile::get(ImplicitLocOpBuilder &b, KernelFrame &frame, Value tile,
                       Value row, Value tiles) {
  GridTile result;
  result.number = tile;
  result.last = addConstant(b, tiles, -1);
  result.firstDescriptor = b.createOrFold<arith::MulIOp>(row, tiles);
  result.point = frame.createScanPoint(b, row);
  return result;
}

GridCarry::GridCarry(KernelFrame &frame, const ThreadIds &ids,
                     const GridWorkspace &workspace, int64_t places)
    : frame(frame), kernel(frame.getKernel()), ids(ids), workspace(workspace),
      firstLanes(frame.getPlan().firstLookBackTiles),
      carries(frame, kernel, places) {}

Value GridCarry::addressOf(ImplicitLocOpBuilder &b, const GridTile &tile,
                           Value number) {
  return workspace.getAddress(
      b, b.createOrFold<arith::AddIOp>(tile.firstDescriptor, number));
}

void GridCarry::store(ImplicitLocOpBuilder &b, ValueRange state, Value place) {
  createIf(b, compare(b, arith::CmpIPredicate::eq, ids.thread, 0),
           [&](ImplicitLocOpBuilder &thread) {
             carries.store(thread, state, place);
           });
}

void GridCarry::publish(ImplicitLocOpBuilder &b, const GridTile &tile,
                        const DescriptorFlags &flags, Descriptor::Kind kind,
                        function_ref<State(ImplicitLocOpBuilder &)> state) {
  Value publishes = arith::AndIOp::create(
      b, compare(b, arith::CmpIPredicate::eq, ids.thread, 0),
      compare(b, arith::CmpIPredicate::ne, tile.number, tile.last));
  createIf(b, publishes, [&](ImplicitLocOpBuilder &inner) {
    workspace.getDescriptor().publish(
        inner, addressOf(inner, tile, tile.number), flags, kind, state(inner));
  });
}

void GridCarry::publish(ImplicitLocOpBuilder &b, const GridTile &tile,
                        const DescriptorFlags &flags, ValueRange total) {
  createIf(
      b, compare(b, arith::CmpIPredicate::eq, tile.number, 0),
      [&](ImplicitLocOpBuilder &first) {
        publish(first, tile, flags, Descriptor::Kind::Prefix,
                [&](ImplicitLocOpBuilder &inner) {
                  if (!kernel.hasInit())
                    return State(total);
                  State init = createInitialState(inner, frame, tile.point);
                  return combine(inner, kernel, init, total);
                });
      },
      [&](ImplicitLocOpBuilder &later) {
        publish(later, tile, flags, Descriptor::Kind::Aggregate,
                [&](ImplicitLocOpBuilder &) { return State(total); });
      });
}

void GridCarry::lookBack(ImplicitLocOpBuilder &b, const GridTile &tile,
                         const DescriptorFlags &flags, ValueRange total,
                         Value place) {
  createIf(
      b, compare(b, arith::CmpIPredicate::eq, tile.number, 0),
      [&](ImplicitLocOpBuilder &first) {
        store(first, createInitialState(first, frame, tile.point), place);
      },
      [&](ImplicitLocOpBuilder &later) {
        State carry = LookBack(kernel, workspace.getDescriptor(), flags,
                               ids.lane, firstLanes)
                          .emit(later, tile.number,
                                [&](ImplicitLocOpBuilder &inner, Value number) {
                                  return addressOf(inner, tile, number);
                                });
        store(later, carry, place);
        publish(later, tile, flags, Descriptor::Kind::Prefix,
                [&](ImplicitLocOpBuilder &inner) {
                  return combine(inner, kernel, carry, total);
                });
      });
}

Prefix GridCarry::createPrefix(ImplicitLocOpBuilder &b, const GridTile &tile,
                               const Prefix &inTile, Value place) {
  Prefix carry;
  carry.state = carries.load(b, place);
  if (!kernel.hasInit())
    carry.present = compare(b, arith::CmpIPredicate::ne, tile.number, 0);
  return joinPrefixes(b, kernel, carry, inTile);
}
