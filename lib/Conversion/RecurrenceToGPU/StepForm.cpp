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
static constexpr double kLaunch = 2500, kBarrier = 300, kReductionPoint = 13;
/// The bytes of registers that a thread block has for weights.
static constexpr double kRegisterBytes = 128 << 10;
/// Launches have to be so much faster than a block.
static constexpr double kMargin = 1.5;
/// A dynamic extent of the batch. The larger it is, the more alike both forms
/// are: of more than there are multiprocessors, blocks leave none idle.
static constexpr double kAssumedBatch = 16;

namespace {

/// What a step does of one index of the batch dimensions, and what it reads.
struct StepCost {
  /// Of all batch indices.
  double operations = 0, rowBytes = 0, weightBytes = 0;
  /// The weights of one batch index, such as those of one head.
  double ownWeightBytes = 0;
  /// The largest stage, in elements, and the longest reduction.
  double elements = 0, reduction = 0;
  /// Launches: stages that need another one to be complete.
  double stages = 1;
  double batch = 1;
  /// Whether an extent of the batch was taken to be kAssumedBatch.
  bool isBatchAssumed = false;
};

} // namespace

namespace {

/// Counts what a step does.
class CostModel {
public:
  explicit CostModel(RecurrenceOp op) : op(op), batches(op) {}

  /// Nothing if that is not known.
  std::optional<StepCost> get();

private:
  bool addExtents(Value value, double &elements);
  bool addBytes(Value value, double &bytes);
  double getOwnBytes(Value value);
  bool addOperation(Operation &inner);
  bool addLoops(linalg::LinalgOp inner);

  RecurrenceOp op;
  BatchDims batches;
  StepCost cost;
};

} // namespace

/// Multiplies `elements` by the extents of `value`; those of the batch may be
/// dynamic.
bool CostModel::addExtents(Value value, double &elements) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  for (int64_t dim = 0; tensor && dim < tensor.getRank(); ++dim) {
    bool isDynamic = tensor.isDynamicDim(dim);
    if (isDynamic && !batches.get(value, dim))
      return false;
    cost.isBatchAssumed |= isDynamic;
    elements *= isDynamic ? kAssumedBatch : tensor.getDimSize(dim);
  }
  return true;
}

bool CostModel::addBytes(Value value, double &bytes) {
  double elements = 1;
  bool isKnown = addExtents(value, elements);
  bytes += elements * getStorageBytes(getElementTypeOrSelf(value.getType()));
  return isKnown;
}

/// The bytes of `value`, whose extents are known, at one index of the batch.
double CostModel::getOwnBytes(Value value) {
  double bytes = getStorageBytes(getElementTypeOrSelf(value.getType()));
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  for (int64_t dim = 0; tensor && dim < tensor.getRank(); ++dim)
    if (!batches.get(value, dim))
      bytes *= tensor.getDimSize(dim);
  return bytes;
}

bool CostModel::addLoops(linalg::LinalgOp inner) {
  double points = 1, elements = 1, reduction = 1;
  SmallVector<utils::IteratorType> kinds = inner.getIteratorTypesArray();
  for (auto [loop, extent] : llvm::enumerate(inner.getStaticLoopRanges())) {
    double iterations = extent;
    if (ShapedType::isDynamic(extent)) {
      SmallVector<std::pair<Value, unsigned>> operands;
      inner.mapIterationSpaceDimToAllOperandDims(loop, operands);
      if (llvm::none_of(operands, [&](const auto &at) {
            return batches.get(at.first, at.second).has_value();
          }))
        return false;
      cost.isBatchAssumed = true;
      iterations = kAssumedBatch;
    }
    points *= iterations;
    (kinds[loop] == utils::IteratorType::parallel ? elements : reduction) *=
        iterations;
  }
  cost.operations += points * (inner.getBlock()->getOperations().size() +
                               inner.getNumDpsInputs());
  cost.elements = std::max(cost.elements, elements);
  cost.reduction = std::max(cost.reduction, reduction);
  cost.stages += reduction > 1;
  return true;
}

bool CostModel::addOperation(Operation &inner) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(inner))
    return addLoops(linalgOp);
  // Loops and branches are nothing that launches have.
  if (inner.getNumRegions() != 0 &&
      !isa<tensor::TensorDialect>(inner.getDialect()))
    return false;
  for (Value result : inner.getResults()) {
    if (!isa<RankedTensorType>(result.getType()))
      continue;
    double elements = 1;
    if (!addExtents(result, elements))
      return false;
    cost.operations += elements;
    cost.elements = std::max(cost.elements, elements);
  }
  return true;
}

std::optional<StepCost> CostModel::get() {
  Block &body = op.getBody().front();
  for (BlockArgument argument : body.getArguments()) {
    bool isCapture = llvm::is_contained(op.getCaptureArguments(), argument);
    if (!addBytes(argument, isCapture ? cost.weightBytes : cost.rowBytes))
      return std::nullopt;
    if (isCapture)
      cost.ownWeightBytes += getOwnBytes(argument);
  }
  Value row = op.getWindowArguments(0).front();
  if (auto type = dyn_cast<RankedTensorType>(row.getType()))
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (batches.get(row, dim))
        cost.batch *=
            type.isDynamicDim(dim) ? kAssumedBatch : type.getDimSize(dim);
  if (cost.batch == 0)
    return std::nullopt;
  for (Operation &inner : body.without_terminator())
    if (!addOperation(inner))
      return std::nullopt;
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
  std::optional<StepCost> cost = CostModel(op).get();
  if (!cost)
    return "";
  double ofBlock = 1 / cost->batch;
  double room = std::max<double>(0, sharedMemory - cost->rowBytes * ofBlock);
  double streamed =
      std::max(0.0, cost->ownWeightBytes - room - kRegisterBytes) +
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
      "thread blocks, {2} of which{3} read and write {4} bytes in global "
      "memory",
      launches / 1000, block / 1000, int64_t(cost->batch),
      cost->isBatchAssumed ? " (of a dynamic batch, so many are assumed)" : "",
      int64_t(streamed));
}
