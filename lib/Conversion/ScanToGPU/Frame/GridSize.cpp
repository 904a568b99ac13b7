//===- GridSize.cpp - How many blocks and tiles a scan takes --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridSize.h"
#include "../../GPUCommon/Emit.h"
#include "../../GPUCommon/Grid.h"
#include "Plan/KernelPlan.h"
#include "Plan/StateSplit.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace mlir::scan;

/// Whether a tile has to be there even if there are no elements, to write the
/// finals.
static bool needsTile(KernelOp kernel) { return !kernel.getFinals().empty(); }

/// The innermost dimension other than the scan dimension, if a tile has several
/// scans along it.
static std::optional<unsigned> getTiledInnerDim(KernelOp kernel,
                                                ScheduleAttr schedule) {
  if (schedule.getStrategy() != Strategy::Column)
    return std::nullopt;
  return getInnerDim(kernel);
}

/// The number of parts of a domain with the extents `extents`, under
/// `schedule`: the product of those outside the scan dimension, some of which
/// are divided by what a block has of them; over the grid also of the tiles
/// along the scan dimension. `multiply`, `divide`, which rounds up, and
/// `countTiles` compute it.
template <typename T>
static T countParts(KernelOp kernel, ScheduleAttr schedule, T one,
                    ArrayRef<T> extents, function_ref<T(T, T)> multiply,
                    function_ref<T(T, int64_t)> divide,
                    function_ref<T(T)> countTiles) {
  std::optional<unsigned> inner = getTiledInnerDim(kernel, schedule);
  // Of scans that go along several dimensions the last block may have fewer, in
  // each of its tiles.
  bool areScansFirst = schedule.getStrategy() == Strategy::Sequential;
  T blocks = one;
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    if (dim == inner)
      blocks = multiply(blocks, divide(extent, schedule.getScansPerBlock()));
    else if (dim != kernel.getDim())
      blocks = multiply(blocks, extent);
    else if ((schedule.isGridWide() && !areScansFirst) ||
             schedule.splitsSegments())
      blocks = multiply(blocks, countTiles(extent));
  }
  int64_t scans = schedule.getScansPerBlock();
  if (schedule.getStrategy() != Strategy::Column && scans != 1)
    blocks = divide(blocks, scans);
  if (schedule.isGridWide() && areScansFirst)
    blocks = multiply(blocks, countTiles(extents[kernel.getDim()]));
  return blocks;
}

/// Whether the schedule says how many blocks share the steps of a scan.
static bool hasGivenTiles(ScheduleAttr schedule) {
  return schedule.getStrategy() == Strategy::Sequential ||
         schedule.splitsSegments();
}

AffineExpr mlir::scan::getPartCount(KernelOp kernel, ScheduleAttr schedule) {
  MLIRContext *context = kernel.getContext();
  AffineExpr one = getAffineConstantExpr(1, context);
  return countParts<AffineExpr>(
      kernel, schedule, one,
      getSymbolicExtents(kernel.getStaticDomainShape(), context),
      [](AffineExpr a, AffineExpr b) { return a * b; },
      [](AffineExpr a, int64_t b) { return a.ceilDiv(b); },
      [&](AffineExpr extent) {
        if (hasGivenTiles(schedule))
          return getAffineConstantExpr(schedule.getBlocks(), context);
        AffineExpr tiles = extent.ceilDiv(schedule.getTileSteps());
        // The second term is 1 for extent 0, and 0 for all others.
        return needsTile(kernel) ? tiles + one.floorDiv(extent + 1) : tiles;
      });
}

Value mlir::scan::createTileCount(ImplicitLocOpBuilder &b, KernelOp kernel,
                                  ScheduleAttr schedule, Value extent) {
  if (hasGivenTiles(schedule))
    return indexConstant(b, schedule.getBlocks());
  Value tiles = b.createOrFold<arith::CeilDivUIOp>(
      extent, indexConstant(b, schedule.getTileSteps()));
  if (needsTile(kernel))
    tiles = b.createOrFold<arith::MaxUIOp>(tiles, indexConstant(b, 1));
  return tiles;
}

Value mlir::scan::createPartCount(ImplicitLocOpBuilder &b, KernelOp kernel,
                                  ScheduleAttr schedule,
                                  ArrayRef<OpFoldResult> extents) {
  SmallVector<Value> values;
  for (OpFoldResult extent : extents)
    values.push_back(getValueOrCreateConstantIndexOp(b, b.getLoc(), extent));
  return countParts<Value>(
      kernel, schedule, indexConstant(b, 1), values,
      [&](Value lhs, Value rhs) {
        return b.createOrFold<arith::MulIOp>(lhs, rhs);
      },
      [&](Value lhs, int64_t rhs) {
        return b.createOrFold<arith::CeilDivUIOp>(lhs, indexConstant(b, rhs));
      },
      [&](Value extent) {
        return createTileCount(b, kernel, schedule, extent);
      });
}

/// The descriptors of a tile of scans of which lanes share the states: one for
/// each part of each of them.
static int64_t countStateParts(KernelOp kernel, ScheduleAttr schedule) {
  return StateSplit::get(kernel)->parts * schedule.getScansPerBlock();
}

static AffineExpr getDescriptorCount(KernelOp kernel, ScheduleAttr schedule) {
  AffineExpr parts = getPartCount(kernel, schedule);
  if (schedule.sharesStates())
    return parts * countStateParts(kernel, schedule);
  std::optional<unsigned> inner = getTiledInnerDim(kernel, schedule);
  if (!inner)
    return parts;
  MLIRContext *context = kernel.getContext();
  int64_t most = schedule.getScansPerBlock();
  AffineExpr columns =
      getSymbolicExtents(kernel.getStaticDomainShape(), context)[*inner];
  // The minimum of both: the quotient is 1 for fewer columns, and 0 else.
  AffineExpr areFewer =
      getAffineConstantExpr(1, context).floorDiv(columns.floorDiv(most) + 1);
  return parts * (areFewer * (columns - most) + most);
}

static Value createDescriptorCount(ImplicitLocOpBuilder &b, KernelOp kernel,
                                   ScheduleAttr schedule,
                                   ArrayRef<OpFoldResult> extents) {
  Value parts = createPartCount(b, kernel, schedule, extents);
  if (schedule.sharesStates())
    return mulConstant(b, parts, countStateParts(kernel, schedule));
  std::optional<unsigned> inner = getTiledInnerDim(kernel, schedule);
  if (!inner)
    return parts;
  Value columns =
      getValueOrCreateConstantIndexOp(b, b.getLoc(), extents[*inner]);
  return b.createOrFold<arith::MulIOp>(
      parts, b.createOrFold<arith::MinUIOp>(
                 columns, indexConstant(b, schedule.getScansPerBlock())));
}

AffineExpr mlir::scan::getWorkspaceEntries(KernelOp kernel,
                                           const KernelPlan &plan) {
  ScheduleAttr schedule = plan.schedule;
  if (plan.checkpointBytes == 0)
    return getDescriptorCount(kernel, schedule);
  AffineExpr extent = getSymbolicExtents(kernel.getStaticDomainShape(),
                                         kernel.getContext())[kernel.getDim()];
  return getPartCount(kernel, schedule) * schedule.getScansPerBlock() *
         extent.ceilDiv(schedule.getTileSteps());
}

Value mlir::scan::createWorkspaceEntries(ImplicitLocOpBuilder &b,
                                         KernelOp kernel,
                                         const KernelPlan &plan,
                                         ArrayRef<OpFoldResult> extents) {
  ScheduleAttr schedule = plan.schedule;
  if (plan.checkpointBytes == 0)
    return createDescriptorCount(b, kernel, schedule, extents);
  Value extent =
      getValueOrCreateConstantIndexOp(b, b.getLoc(), extents[kernel.getDim()]);
  Value chunks = b.createOrFold<arith::CeilDivUIOp>(
      extent, indexConstant(b, schedule.getTileSteps()));
  return b.createOrFold<arith::MulIOp>(
      mulConstant(b, createPartCount(b, kernel, schedule, extents),
                  schedule.getScansPerBlock()),
      chunks);
}
