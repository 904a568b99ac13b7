//===- StepForm.cpp - Blocks that walk, or launches for each step ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread block that walks all steps has one multiprocessor: what its rows and
// weights have no room for goes through global memory in each step, at the rate
// of one multiprocessor. Launches have all of them, and each step waits for
// launches. The model counts operations and bytes; it need not be exact, since
// a factor of several is between both forms where it matters.
//
//===----------------------------------------------------------------------===//

#include "BatchDims.h"
#include "IR/OperandMemory.h"
#include "Plan/BlockPlan.h"
#include "Scan/Conversion/RecurrenceToGPU/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::scan;

/// Of one multiprocessor, per nanosecond: scalar operations, and bytes from the
/// second-level cache.
static constexpr double kOperations = 100, kBytes = 60;
/// Of memory and of all second-level cache, per nanosecond.
static constexpr double kAllBytes = 3000;
/// What a launch takes, a barrier of a block, and a point of a reduction, some
/// of whose loads are in flight.
static constexpr double kLaunch = 2500, kBarrier = 300, kReductionPoint = 20;
/// The bytes of registers that a thread block has for weights.
static constexpr double kRegisterBytes = 128 << 10;
/// Launches have to be so much faster than a block.
static constexpr double kMargin = 1.5;

namespace {

/// What a step does of one index of the batch dimensions, and what it reads.
struct StepCost {
  /// Of all batch indices.
  double operations = 0, rowBytes = 0, weightBytes = 0;
  /// The largest stage, in elements, and the longest reduction.
  double elements = 0, reduction = 0;
  /// Launches: stages that need another one to be complete.
  double stages = 1;
  double batch = 1;
};

} // namespace

/// The bytes of a tensor of static extents, or of a scalar.
static double getBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return (tensor ? tensor.getNumElements() : 1) *
         getStorageBytes(getElementTypeOrSelf(type));
}

/// Adds what `op`, of a body whose tensors have static extents, does.
static bool addOperation(Operation *op, StepCost &cost) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    double points = 1, elements = 1, reduction = 1;
    for (auto [extent, kind] : llvm::zip(linalgOp.getStaticLoopRanges(),
                                         linalgOp.getIteratorTypesArray())) {
      if (ShapedType::isDynamic(extent))
        return false;
      points *= extent;
      (kind == utils::IteratorType::parallel ? elements : reduction) *= extent;
    }
    cost.operations += points * (linalgOp.getBlock()->getOperations().size() +
                                 linalgOp.getNumDpsInputs());
    cost.elements = std::max(cost.elements, elements);
    cost.reduction = std::max(cost.reduction, reduction);
    cost.stages += reduction > 1;
    return true;
  }
  // Loops and branches are nothing that launches have.
  if (op->getNumRegions() != 0 && !isa<tensor::TensorDialect>(op->getDialect()))
    return false;
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      continue;
    if (!tensor.hasStaticShape())
      return false;
    cost.operations += tensor.getNumElements();
    cost.elements = std::max<double>(cost.elements, tensor.getNumElements());
  }
  return true;
}

/// Launches keep the rows of all steps of each state: whether that is little
/// more than what the program has in memory in any case. Rows have static
/// extents.
static bool hasRoomForHistories(RecurrenceOp op) {
  constexpr double most = 4;
  double kept = 0, there = 0;
  for (auto [state, history] : llvm::enumerate(op.getHistories()))
    (history.use_empty() ? kept : there) +=
        getBytes(op.getWindowArguments(state).front().getType());
  for (BlockArgument input : op.getInputArguments())
    there += getBytes(input.getType());
  return kept <= most * there;
}

/// Nothing if that is not known.
static std::optional<StepCost> getCost(RecurrenceOp op) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || tensor.hasStaticShape();
  };
  Block &body = op.getBody().front();
  if (!llvm::all_of(body.getArgumentTypes(), isStatic))
    return std::nullopt;
  StepCost cost;
  BatchDims batches(op);
  Value row = op.getWindowArguments(0).front();
  if (auto type = dyn_cast<RankedTensorType>(row.getType()))
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (batches.get(row, dim))
        cost.batch *= type.getDimSize(dim);
  if (cost.batch == 0)
    return std::nullopt;
  for (Operation &inner : body.without_terminator())
    if (!addOperation(&inner, cost))
      return std::nullopt;
  for (BlockArgument argument : body.getArguments()) {
    bool isCapture = llvm::is_contained(op.getCaptureArguments(), argument);
    (isCapture ? cost.weightBytes : cost.rowBytes) +=
        getBytes(argument.getType());
  }
  return cost;
}

std::string scan::describeStepLaunches(RecurrenceOp op, int64_t sharedMemory,
                                       int64_t processors) {
  if (Attribute schedule = op->getAttr(RecurrenceOp::getScheduleName()))
    return isa<StepLaunchesAttr>(schedule) ? "its schedule asks for launches"
                                           : "";
  // A manifest has loops of a function, and none in branches.
  if (processors == 0 || !isa<FunctionOpInterface>(op->getParentOp()))
    return "";
  std::optional<StepCost> cost = getCost(op);
  if (!cost || !hasRoomForHistories(op))
    return "";
  double ofBlock = 1 / cost->batch;
  double room = std::max<double>(0, sharedMemory - cost->rowBytes * ofBlock);
  double streamed = std::max(0.0, cost->weightBytes - room - kRegisterBytes) +
                    2 * std::max(0.0, cost->rowBytes * ofBlock - sharedMemory);
  // What weights a block reads, it reads once for all of its batch tile.
  double tile =
      std::min<double>(kMostRows, std::ceil(cost->batch / processors));
  double rounds = std::ceil(cost->batch / (processors * tile));
  double block = rounds * (cost->stages * kBarrier + streamed / kBytes +
                           tile * cost->operations * ofBlock / kOperations);
  double busy = std::min<double>(processors, std::ceil(cost->elements / 256));
  double launches = cost->stages * kLaunch +
                    cost->operations / (kOperations * std::max(busy, 1.0)) +
                    (cost->reduction - 1) * kReductionPoint +
                    (cost->weightBytes + cost->rowBytes) / kAllBytes;
  if (launches * kMargin > block)
    return "";
  return llvm::formatv(
      "the model says {0:F1} microseconds for a step of launches, {1:F1} of "
      "thread blocks, {2} of which read and write {3} bytes in global memory",
      launches / 1000, block / 1000, int64_t(cost->batch), int64_t(streamed));
}
