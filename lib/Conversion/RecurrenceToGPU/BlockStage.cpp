//===- BlockStage.cpp - One structured operation of a step ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for each point of the parallel loops that is this thread's:
//     load the outputs, if they are read
//     for each point of the reductions, in order: load inputs, compute
//     store the outputs
//
// Where a thread has one point, and the reductions are static, they are
// unrolled: what no step changes, the weights of the point, is loaded in front
// of the loop over time and stays in registers (*resident* operands), and
// consecutive elements of a row in shared memory come in one access.
//
//===----------------------------------------------------------------------===//

#include "../GPUCommon/Emit.h"
#include "../GPUCommon/Grid.h"
#include "BlockBody.h"
#include "IR/OperandMemory.h"
#include "Plan/SharedMemory.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::scan;

using By = BlockAccess::By;

namespace {

class Stage {
public:
  Stage(BlockBody &body, linalg::LinalgOp op) : body(body), op(op) {}

  LogicalResult emit(ImplicitLocOpBuilder &b);

private:
  void findExtents(ImplicitLocOpBuilder &b);
  LogicalResult noteAccesses(ImplicitLocOpBuilder &b);
  bool isUnrolled();
  bool isResident(OpOperand &input);
  void loadResidents(ImplicitLocOpBuilder &b);
  int64_t getVectorLength(OpOperand &input);
  void emitPoint(ImplicitLocOpBuilder &b, ArrayRef<Value> numbers);

  SmallVector<Value> getIndices(ImplicitLocOpBuilder &b, OpOperand &operand);
  Value load(ImplicitLocOpBuilder &b, OpOperand &operand);
  Value loadInput(ImplicitLocOpBuilder &b, OpOperand &input);
  Value loadPart(ImplicitLocOpBuilder &b, OpOperand &input, int64_t length);
  SmallVector<Value> compute(ImplicitLocOpBuilder &b, ValueRange carried);
  SmallVector<Value> walk(ImplicitLocOpBuilder &b, unsigned depth,
                          ValueRange carried);

  BlockBody &body;
  linalg::LinalgOp op;
  SmallVector<Value> extents;
  SmallVector<unsigned> divided, walked;
  /// How many points the reductions have, and whether they are unrolled; which
  /// one of them is computed then.
  int64_t reductionPoints = 1;
  bool unrolls = false;
  int64_t reductionPoint = 0;
  SmallVector<Value> point;
  /// The elements of the resident inputs, by the number of the operand.
  DenseMap<unsigned, SmallVector<Value>> residents;
  /// What was loaded last by an access of several elements.
  DenseMap<unsigned, Value> vectors;
};

} // namespace

static bool isMemRef(OpOperand &operand) {
  return isa<MemRefType>(operand.get().getType());
}

void Stage::findExtents(ImplicitLocOpBuilder &b) {
  extents.resize(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isMemRef(operand))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
        Value &extent = extents[loop.getPosition()];
        if (!extent || !getConstantIntValue(extent))
          extent = body.createExtent(b, operand.get(), dim);
      }
  }
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray()))
    (type == utils::IteratorType::parallel ? divided : walked).push_back(loop);
}

LogicalResult Stage::noteAccesses(ImplicitLocOpBuilder &b) {
  SmallVector<AffineExpr> own;
  for (unsigned loop : divided)
    own.push_back(b.getAffineDimExpr(loop));
  AffineMap owned = AffineMap::get(op.getNumLoops(), 0, own, b.getContext());
  SmallVector<BlockAccess> all;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isMemRef(operand))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isOutput = op.isDpsInit(&operand);
    if (isOutput && (!map.isProjectedPermutation() ||
                     map.getNumResults() != divided.size() ||
                     llvm::any_of(walked, [&](unsigned loop) {
                       return map.isFunctionOfDim(loop);
                     })))
      return op->emitOpError()
             << "cannot be computed by a thread block: expected each element "
                "of its outputs to be written at one point of its parallel "
                "loops, found the map "
             << AffineMapAttr::get(map)
             << "; reduce in an operation of its own";
    if (isOutput || op.payloadUsesValueFromOperand(&operand))
      all.push_back(
          {operand.get(), map == owned ? By::Owner : By::Any, isOutput});
  }
  body.noteAccesses(b, all);
  return success();
}

/// Whether a thread has one point at most, with few points of reductions.
bool Stage::isUnrolled() {
  if (walked.empty())
    return false;
  int64_t points = 1;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    std::optional<int64_t> known = getConstantIntValue(extents[loop]);
    if (!known || *known < 1 || *known > kMostUnrolled)
      return false;
    int64_t &count =
        llvm::is_contained(walked, loop) ? reductionPoints : points;
    count *= *known;
    if (reductionPoints > kMostUnrolled || points > body.getThreads())
      return false;
  }
  return true;
}

/// Whether each thread can keep its elements of `input` in registers.
bool Stage::isResident(OpOperand &input) {
  if (!isMemRef(input) || !op.payloadUsesValueFromOperand(&input) ||
      !body.isInvariant(input.get()))
    return false;
  AffineMap map = op.getMatchingIndexingMap(&input);
  auto varies = [&](unsigned loop) {
    return map.isFunctionOfDim(loop) && getConstantIntValue(extents[loop]) != 1;
  };
  // What all threads read alike is better in shared memory.
  return llvm::any_of(divided, varies) && llvm::any_of(walked, varies) &&
         body.takeRegisters(
             reductionPoints *
             llvm::divideCeil(
                 getStorageBytes(getElementTypeOrSelf(input.get().getType())),
                 4));
}

/// Loads them in front of the loop over time.
void Stage::loadResidents(ImplicitLocOpBuilder &b) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!isResident(*input))
      continue;
    OpBuilder::InsertionGuard guard(b);
    body.moveInFront(b);
    SmallVector<Value> sizes;
    int64_t count = 1;
    for (unsigned loop : divided) {
      count *= *getConstantIntValue(extents[loop]);
      sizes.push_back(indexConstant(b, *getConstantIntValue(extents[loop])));
    }
    Value thread = body.getThread();
    if (count < body.getThreads())
      thread = arith::MinUIOp::create(b, thread, indexConstant(b, count - 1));
    SmallVector<unsigned> dims =
        llvm::to_vector(llvm::seq<unsigned>(0, divided.size()));
    SmallVector<Value> numbers(divided.size());
    createCoordinates(b, thread, sizes, dims, numbers);
    point.assign(op.getNumLoops(), Value());
    for (auto [loop, number] : llvm::zip_equal(divided, numbers))
      point[loop] = number;
    SmallVector<Value> &values = residents[input->getOperandNumber()];
    for (int64_t i = 0; i < reductionPoints; ++i) {
      int64_t rest = i;
      for (unsigned loop : llvm::reverse(walked)) {
        int64_t extent = *getConstantIntValue(extents[loop]);
        point[loop] = indexConstant(b, rest % extent);
        rest /= extent;
      }
      values.push_back(load(b, *input));
    }
  }
}

SmallVector<Value> Stage::getIndices(ImplicitLocOpBuilder &b,
                                     OpOperand &operand) {
  SmallVector<Value> indices;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
    indices.push_back(affine::expandAffineExpr(b, b.getLoc(), expr, point, {}));
  return indices;
}

Value Stage::load(ImplicitLocOpBuilder &b, OpOperand &operand) {
  if (!isMemRef(operand))
    return body.lookUp(operand.get());
  return body.load(b, operand.get(), getIndices(b, operand));
}

/// How many elements of a row in shared memory one access takes that all
/// threads do alike, along the innermost reduction.
int64_t Stage::getVectorLength(OpOperand &input) {
  if (!isMemRef(input))
    return 1;
  auto type = dyn_cast<MemRefType>(body.lookUp(input.get()).getType());
  AffineMap map = op.getMatchingIndexingMap(&input);
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  if (!space || type.getRank() == 0 || !type.getLayout().isIdentity() ||
      getElementTypeOrSelf(input.get().getType()) != type.getElementType())
    return 1;
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!last || last.getPosition() != walked.back() ||
      !isa<FloatType>(type.getElementType()))
    return 1;
  int64_t length = kMaxVectorBytes / getStorageBytes(type.getElementType());
  return type.getShape().back() % length == 0 ? length : 1;
}

/// An element of an input in an unrolled reduction.
Value Stage::loadPart(ImplicitLocOpBuilder &b, OpOperand &input,
                      int64_t length) {
  unsigned number = input.getOperandNumber();
  int64_t place = reductionPoint % *getConstantIntValue(extents[walked.back()]);
  if (place % length == 0) {
    auto type = cast<MemRefType>(body.lookUp(input.get()).getType());
    vectors[number] = vector::LoadOp::create(
        b, VectorType::get({length}, type.getElementType()),
        body.lookUp(input.get()), getIndices(b, input), /*nontemporal=*/false,
        llvm::MaybeAlign(kMaxVectorBytes));
  }
  return vector::ExtractOp::create(b, vectors[number], place % length);
}

Value Stage::loadInput(ImplicitLocOpBuilder &b, OpOperand &input) {
  if (!unrolls)
    return load(b, input);
  auto resident = residents.find(input.getOperandNumber());
  if (resident != residents.end())
    return resident->second[reductionPoint];
  int64_t length = getVectorLength(input);
  return length == 1 ? load(b, input) : loadPart(b, input, length);
}

/// The body at one point.
SmallVector<Value> Stage::compute(ImplicitLocOpBuilder &b, ValueRange carried) {
  Block *code = op.getBlock();
  IRMapping values(body.getMapping());
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.payloadUsesValueFromOperand(input))
      values.map(op.getMatchingBlockArgument(input), loadInput(b, *input));
  for (auto [output, value] : llvm::zip_equal(op.getDpsInitsMutable(), carried))
    values.map(op.getMatchingBlockArgument(&output), value);
  for (Operation &inner : code->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      values.map(index.getResult(), point[index.getDim()]);
    else
      b.clone(inner, values);
  }
  return llvm::map_to_vector(
      code->getTerminator()->getOperands(),
      [&](Value value) { return values.lookupOrDefault(value); });
}

SmallVector<Value> Stage::walk(ImplicitLocOpBuilder &b, unsigned depth,
                               ValueRange carried) {
  if (depth == walked.size()) {
    SmallVector<Value> results = compute(b, carried);
    ++reductionPoint;
    return results;
  }
  unsigned loop = walked[depth];
  if (unrolls) {
    SmallVector<Value> values(carried);
    for (int64_t i = 0; i < *getConstantIntValue(extents[loop]); ++i) {
      point[loop] = indexConstant(b, i);
      values = walk(b, depth + 1, values);
    }
    return values;
  }
  return createFor(
      b, indexConstant(b, 0), extents[loop], indexConstant(b, 1), carried,
      [&](ImplicitLocOpBuilder &inner, Value number, ValueRange values) {
        point[loop] = number;
        return walk(inner, depth + 1, values);
      });
}

void Stage::emitPoint(ImplicitLocOpBuilder &b, ArrayRef<Value> numbers) {
  point.assign(op.getNumLoops(), Value());
  for (auto [loop, number] : llvm::zip_equal(divided, numbers))
    point[loop] = number;
  SmallVector<Value> results;
  for (OpOperand &output : op.getDpsInitsMutable())
    results.push_back(
        op.payloadUsesValueFromOperand(&output)
            ? load(b, output)
            : createZero(b, getElementTypeOrSelf(output.get().getType())));
  results = walk(b, 0, results);
  for (auto [output, value] : llvm::zip_equal(op.getDpsInitsMutable(), results))
    body.store(b, value, output.get(), getIndices(b, output));
}

LogicalResult Stage::emit(ImplicitLocOpBuilder &b) {
  findExtents(b);
  if (failed(noteAccesses(b)))
    return failure();
  unrolls = isUnrolled();
  if (unrolls)
    loadResidents(b);
  SmallVector<Value> shared;
  for (unsigned loop : divided)
    shared.push_back(extents[loop]);
  body.divide(b, shared,
              [&](ImplicitLocOpBuilder &inner, ArrayRef<Value> numbers) {
                emitPoint(inner, numbers);
              });
  return success();
}

LogicalResult BlockBody::emitStage(ImplicitLocOpBuilder &b,
                                   linalg::LinalgOp op) {
  return Stage(*this, op).emit(b);
}
