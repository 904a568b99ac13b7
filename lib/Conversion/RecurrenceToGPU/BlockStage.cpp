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
// Each of this for all rows of the batch tile, whose code is unrolled: what is
// the same for all of them, as weights are, is loaded once.
//
// What no step changes, the weights, is loaded in front of the loop over time
// where there is room. Where a thread has one point, and the reductions are
// static and short, they are unrolled, and the first of its weights stay in
// registers (*resident* operands). The others, and those of threads with
// several points, lie in shared memory (SharedWeights).
//
// Consecutive elements of a row in shared memory come in one access. Reductions
// that are not unrolled are walked in strips, all loads of which are in flight.
//
//===----------------------------------------------------------------------===//

#include "../GPUCommon/Emit.h"
#include "../GPUCommon/Grid.h"
#include "IR/OperandMemory.h"
#include "Plan/SharedMemory.h"
#include "SharedWeights.h"

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
  void countPoints();
  bool varies(OpOperand &input, ArrayRef<unsigned> loops);
  int64_t countResident(OpOperand &input);
  void loadResident(ImplicitLocOpBuilder &b, OpOperand &input, int64_t kept);
  void keepWeights(ImplicitLocOpBuilder &b, OpOperand &input);
  int64_t getVectorLength(OpOperand &input);
  void emitPoint(ImplicitLocOpBuilder &b, ArrayRef<Value> numbers);

  bool isUniform(OpOperand &operand);
  void forEachCopy(OpOperand &operand, function_ref<void()> body);
  unsigned getCopy(OpOperand &operand);
  SmallVector<Value> getIndices(ImplicitLocOpBuilder &b, OpOperand &operand);
  Value load(ImplicitLocOpBuilder &b, OpOperand &operand);
  Value loadInput(ImplicitLocOpBuilder &b, OpOperand &input);
  Value loadPart(ImplicitLocOpBuilder &b, OpOperand &input, int64_t length);
  SmallVector<Value> computeRow(ImplicitLocOpBuilder &b, ValueRange carried);
  SmallVector<Value> compute(ImplicitLocOpBuilder &b, ValueRange carried);
  SmallVector<Value> walkPart(ImplicitLocOpBuilder &b, unsigned depth,
                              Value first, int64_t count, ValueRange carried);
  SmallVector<Value> walk(ImplicitLocOpBuilder &b, unsigned depth,
                          ValueRange carried);

  BlockBody &body;
  linalg::LinalgOp op;
  SmallVector<Value> extents;
  SmallVector<unsigned> divided, walked;
  /// How many points the reductions have, 0 if that is not known; whether a
  /// thread has one point of the other loops at most.
  int64_t reductionPoints = 0;
  bool hasOnePoint = false;
  /// Whether the reductions are unrolled, and which point of them is computed
  /// then; its place in the part of the innermost one that is unrolled.
  bool unrolls = false;
  int64_t reductionPoint = 0, place = 0;
  SmallVector<Value> point;
  /// The number of an operand, and that of a row, 0 of what is the same for
  /// all.
  using Copy = std::pair<unsigned, unsigned>;
  /// The elements of the resident inputs, or the first of them, and the inputs
  /// in shared memory.
  DenseMap<Copy, SmallVector<Value>> residents;
  DenseMap<Copy, SharedWeights> sharedWeights;
  /// What was loaded last by an access of several elements.
  DenseMap<Copy, Value> vectors;
  /// The elements at this point of inputs that are the same for all rows.
  DenseMap<unsigned, Value> uniformElements;
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

void Stage::countPoints() {
  auto count = [&](ArrayRef<unsigned> loops, int64_t most) -> int64_t {
    int64_t points = 1;
    for (unsigned loop : loops) {
      std::optional<int64_t> known = getConstantIntValue(extents[loop]);
      if (!known || *known < 1 || *known > most / points)
        return 0;
      points *= *known;
    }
    return points;
  };
  reductionPoints = count(walked, std::numeric_limits<int32_t>::max());
  hasOnePoint = count(divided, body.getThreads()) != 0;
}

/// Whether the element of `input` changes along one of `loops`.
bool Stage::varies(OpOperand &input, ArrayRef<unsigned> loops) {
  AffineMap map = op.getMatchingIndexingMap(&input);
  return llvm::any_of(loops, [&](unsigned loop) {
    return map.isFunctionOfDim(loop) && getConstantIntValue(extents[loop]) != 1;
  });
}

/// How many of its elements of `input` each thread keeps in registers.
int64_t Stage::countResident(OpOperand &input) {
  // What all threads read alike is better in shared memory.
  bool isOfReduction = varies(input, walked);
  if (!hasOnePoint || !varies(input, divided) || (isOfReduction && !unrolls))
    return 0;
  int64_t copies = isUniform(input) ? 1 : body.getRows().size();
  return body.takeRegisters(
      isOfReduction ? reductionPoints : 1,
      copies *
          llvm::divideCeil(
              getStorageBytes(getElementTypeOrSelf(input.get().getType())), 4));
}

/// Whether the elements of `operand` are the same for all rows.
bool Stage::isUniform(OpOperand &operand) {
  return body.getRows().isUniform(operand.get());
}

/// Runs `body` once for an input that is the same for all rows, else for each.
void Stage::forEachCopy(OpOperand &operand, function_ref<void()> run) {
  if (isUniform(operand))
    return run();
  body.getRows().forEach(run);
}

/// The number of the copy of `operand` that the current row reads.
unsigned Stage::getCopy(OpOperand &operand) {
  return isUniform(operand) ? 0 : body.getRows().getNumber();
}

/// Loads the first `kept` of them.
void Stage::loadResident(ImplicitLocOpBuilder &b, OpOperand &input,
                         int64_t kept) {
  SmallVector<Value> sizes;
  int64_t count = 1;
  for (unsigned loop : divided) {
    count *= *getConstantIntValue(extents[loop]);
    sizes.push_back(indexConstant(b, *getConstantIntValue(extents[loop])));
  }
  SmallVector<unsigned> dims =
      llvm::to_vector(llvm::seq<unsigned>(0, divided.size()));
  Value thread = body.getThread(), isIn;
  if (count < body.getThreads())
    isIn = compare(b, arith::CmpIPredicate::ult, thread, count);
  auto loadAll = [&](ImplicitLocOpBuilder &inner) {
    SmallVector<Value> numbers(divided.size()), values;
    createCoordinates(inner, thread, sizes, dims, numbers);
    point.assign(op.getNumLoops(), Value());
    for (auto [loop, number] : llvm::zip_equal(divided, numbers))
      point[loop] = number;
    for (int64_t i = 0; i < kept; ++i) {
      int64_t rest = i;
      for (unsigned loop : llvm::reverse(walked)) {
        int64_t extent = getConstantIntValue(extents[loop]).value_or(1);
        point[loop] = indexConstant(inner, rest % extent);
        rest /= extent;
      }
      values.push_back(load(inner, input));
    }
    return values;
  };
  residents[{input.getOperandNumber(), getCopy(input)}] =
      isIn ? createIfOrZeros(b, isIn, loadAll) : loadAll(b);
}

/// Loads `input` in front of the loop over time, if no step changes it.
void Stage::keepWeights(ImplicitLocOpBuilder &b, OpOperand &input) {
  if (!isMemRef(input) || !op.payloadUsesValueFromOperand(&input) ||
      !body.isInvariant(input.get()))
    return;
  auto type = cast<MemRefType>(input.get().getType());
  if (llvm::is_contained(type.getShape(), 0))
    return;
  OpBuilder::InsertionGuard guard(b);
  body.moveInFront(b);
  int64_t before = body.getWeightRegisters(), kept = countResident(input);
  // What a thread reads of the others in each step is on its way in registers,
  // which several rows leave no room for.
  if (kept > 0 && kept < reductionPoints && varies(input, walked) &&
      body.getRows().size() > 1) {
    auto others = SharedWeights::get(op, input, walked, divided, kept);
    if (!others || !body.hasShared(others->getType())) {
      body.giveBackRegisters(body.getWeightRegisters() - before);
      kept = 0;
    }
  }
  if (kept > 0)
    forEachCopy(input, [&] { loadResident(b, input, kept); });
  if (kept > 0 && (kept == reductionPoints || !varies(input, walked)))
    return;
  std::optional<SharedWeights> weights =
      SharedWeights::get(op, input, walked, divided, kept);
  int64_t bytes = 0;
  if (type.hasStaticShape())
    bytes = type.getNumElements() * getStorageBytes(type.getElementType());
  if (kept > 0)
    bytes = bytes / reductionPoints * (reductionPoints - kept);
  forEachCopy(input, [&] {
    Value buffer = weights ? body.takeShared(weights->getType()) : Value();
    if (!buffer)
      return body.noteStreamed(bytes);
    SharedWeights own = *weights;
    own.fill(b, body, buffer);
    sharedWeights.insert({{input.getOperandNumber(), getCopy(input)}, own});
  });
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
/// threads do alike, along the innermost reduction, if that is unrolled.
int64_t Stage::getVectorLength(OpOperand &input) {
  if (!isMemRef(input) || walked.empty() ||
      !getConstantIntValue(extents[walked.back()]))
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
  Value &loaded = vectors[{input.getOperandNumber(), getCopy(input)}];
  if (place % length == 0) {
    auto type = cast<MemRefType>(body.lookUp(input.get()).getType());
    loaded = vector::LoadOp::create(
        b, VectorType::get({length}, type.getElementType()),
        body.lookUp(input.get()), getIndices(b, input), /*nontemporal=*/false,
        llvm::MaybeAlign(kMaxVectorBytes));
  }
  return vector::ExtractOp::create(b, loaded, place % length);
}

Value Stage::loadInput(ImplicitLocOpBuilder &b, OpOperand &input) {
  Copy copy = {input.getOperandNumber(), getCopy(input)};
  auto resident = residents.find(copy);
  if (resident != residents.end()) {
    int64_t which = varies(input, walked) ? reductionPoint : 0;
    if (which < static_cast<int64_t>(resident->second.size()))
      return resident->second[which];
  }
  auto weights = sharedWeights.find(copy);
  if (weights != sharedWeights.end())
    return weights->second.load(b, point);
  int64_t length = getVectorLength(input);
  return length == 1 ? load(b, input) : loadPart(b, input, length);
}

/// The body at one point of the current row.
SmallVector<Value> Stage::computeRow(ImplicitLocOpBuilder &b,
                                     ValueRange carried) {
  Block *code = op.getBlock();
  IRMapping values(body.getRows().getMapping());
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!op.payloadUsesValueFromOperand(input))
      continue;
    Value own;
    Value &element =
        isUniform(*input) ? uniformElements[input->getOperandNumber()] : own;
    if (!element)
      element = loadInput(b, *input);
    values.map(op.getMatchingBlockArgument(input), element);
  }
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

/// The body at one point of all rows.
SmallVector<Value> Stage::compute(ImplicitLocOpBuilder &b, ValueRange carried) {
  uniformElements.clear();
  SmallVector<Value> results;
  size_t numOutputs = op.getNumDpsInits();
  BlockRows &rows = body.getRows();
  rows.forEach([&] {
    llvm::append_range(
        results, computeRow(b, carried.slice(rows.getNumber() * numOutputs,
                                             numOutputs)));
  });
  return results;
}

/// Walks `count` points of the loop at `depth` from point `first` on, unrolled.
SmallVector<Value> Stage::walkPart(ImplicitLocOpBuilder &b, unsigned depth,
                                   Value first, int64_t count,
                                   ValueRange carried) {
  SmallVector<Value> values(carried);
  for (int64_t i = 0; i < count; ++i) {
    point[walked[depth]] = addConstant(b, first, i);
    place = i;
    values = walk(b, depth + 1, values);
  }
  return values;
}

SmallVector<Value> Stage::walk(ImplicitLocOpBuilder &b, unsigned depth,
                               ValueRange carried) {
  if (depth == walked.size()) {
    SmallVector<Value> results = compute(b, carried);
    ++reductionPoint;
    return results;
  }
  Value extent = extents[walked[depth]], zero = indexConstant(b, 0);
  std::optional<int64_t> known = getConstantIntValue(extent);
  if (unrolls)
    return walkPart(b, depth, zero, *known, carried);
  bool isStatic = known && depth + 1 == walked.size();
  int64_t width =
      isStatic ? BlockPlan::getReductionStrip(body.getRows().size()) : 1;
  int64_t rest = isStatic ? *known % width : 0;
  SmallVector<Value> values(carried);
  if (!isStatic || *known >= width)
    values = createFor(
        b, zero, isStatic ? indexConstant(b, *known - rest) : extent,
        indexConstant(b, width), values,
        [&](ImplicitLocOpBuilder &inner, Value number, ValueRange before) {
          return walkPart(inner, depth, number, width, before);
        });
  if (rest > 0)
    values = walkPart(b, depth, indexConstant(b, *known - rest), rest, values);
  return values;
}

void Stage::emitPoint(ImplicitLocOpBuilder &b, ArrayRef<Value> numbers) {
  point.assign(op.getNumLoops(), Value());
  for (auto [loop, number] : llvm::zip_equal(divided, numbers))
    point[loop] = number;
  // All rows are loaded before one is stored: those that are not present read
  // what another one writes.
  SmallVector<Value> results;
  BlockRows &rows = body.getRows();
  rows.forEach([&] {
    for (OpOperand &output : op.getDpsInitsMutable())
      results.push_back(
          op.payloadUsesValueFromOperand(&output)
              ? load(b, output)
              : createZero(b, getElementTypeOrSelf(output.get().getType())));
  });
  results = walk(b, 0, results);
  size_t next = 0;
  rows.forEach([&] {
    for (OpOperand &output : op.getDpsInitsMutable())
      body.store(b, results[next++], output.get(), getIndices(b, output));
  });
}

LogicalResult Stage::emit(ImplicitLocOpBuilder &b) {
  findExtents(b);
  if (failed(noteAccesses(b)))
    return failure();
  countPoints();
  unrolls = hasOnePoint && !walked.empty() && reductionPoints > 0 &&
            reductionPoints <= kMostUnrolled &&
            reductionPoints * body.getRows().size() <= kMostUnrolledRows;
  for (OpOperand *input : op.getDpsInputOperands())
    keepWeights(b, *input);
  // Many loads in flight would take the registers of a large block.
  bool isResident =
      llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
        return varies(*input, walked) &&
               residents.contains({input->getOperandNumber(), 0});
      });
  if (!isResident && reductionPoints > kMostUnrolledLoads)
    unrolls = false;
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
