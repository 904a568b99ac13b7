//===- Associative.cpp - Associative scans backwards ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With y_t = f(y_{t-1}, x_t), and A_t and B_t the Jacobian matrices of f by its
// accumulated and by its new values at step t, the whole cotangent of y_t is
//
//   g_t = dy_t + u_t,  u_t = A_{t+1}^T g_{t+1},  and  dx_t = B_t^T g_t.
//
// The states s_t = A_t^T g_t = A_t^T s_{t+1} + A_t^T dy_t are those of a scan
// in the other direction whose elements are affine maps, and u_t is s before
// step t. Of an exclusive scan dy_t is the cotangent of y_{t-1}: there, s_t =
// A_t^T s_{t+1} + dy_t and g_t = u_t. Leaves that no cotangent reaches, leaves
// that nobody asks for, and entries of A that are 0 or 1 in every product are
// left out.
//
//===----------------------------------------------------------------------===//

#include "../CombineRewrite.h"
#include "../ScalarCast.h"
#include "GraphAdjoint.h"
#include "Jacobian.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

namespace {

/// One element of the leaves: which leaf, and where in its trailing dimensions.
struct Part {
  unsigned leaf;
  SmallVector<int64_t> position;
};

class AssociativeAdjoint {
public:
  AssociativeAdjoint(GraphAdjoint &graph, AssociativeOp op)
      : graph(graph), builder(graph.builder), op(op), loc(op.getLoc()),
        rank(op.getIterationRank()), dim(op.getDim()),
        identity(builder.getMultiDimIdentityMap(rank)) {}
  LogicalResult visit(Obstacle &obstacle);

private:
  LogicalResult initCombine(Obstacle &obstacle);
  void initParts();
  /// Finds the parts that have a cotangent on the way and that somebody asks
  /// for.
  void initCarried();

  /// The elements of one part of a tensor: of a leaf, a result or a cotangent,
  /// or of one without the scan dimension.
  Value getPart(Value tensor, const Part &part);
  /// The tensor of type and extents of `like` that has these parts.
  Value joinParts(Value like, unsigned leaf, ArrayRef<Value> parts,
                  RankedTensorType type);
  ArrayRef<int64_t> getTrailingShape(unsigned leaf);

  /// The states before each step, per leaf.
  void createPrevious();
  /// The operands of the loops over all elements: per part the state before
  /// the step, the new element, the cotangent if there is one, and `more`.
  SmallVector<LoopOperand> getReads(ArrayRef<Value> more);
  /// The 2N arguments of the combine region at one point.
  SmallVector<Value> getCombineValues(OpBuilder &b, ValueRange args,
                                      Value isFirst);
  /// The cotangent of each part at one point, null where it is zero.
  SmallVector<Value> getCotangents(OpBuilder &b, ValueRange args);
  /// True at the first step; null if it does not matter.
  Value createIsFirst(OpBuilder &b, ValueRange args);

  void createMaps();
  void createBackwardScan();
  void createAssociativeScan();
  SmallVector<Value> emitComposition(OpBuilder &b, Location loc,
                                     ValueRange args);
  void giveInits();
  void giveInputs();

  GraphAdjoint &graph;
  OpBuilder &builder;
  AssociativeOp op;
  Location loc;
  unsigned rank;
  int64_t dim;
  AffineMap identity;
  SmallVector<OpFoldResult> sizes;
  Region scalars, region;
  std::optional<CombineAdjoint> combine;
  SmallVector<Part> parts;
  SmallVector<Value> previous, inputs, cotangents, lastCotangents;
  unsigned firstCotangent = 0, firstMore = 0;
  /// No init: the first state is the first element, whatever f does.
  bool needsFirst = false;
  Value lastIndex;
  /// The parts whose cotangent is scanned, and the pattern of the matrices that
  /// do it, in this order.
  SmallVector<unsigned> carried;
  Sparsity pattern, closed;
  /// Per entry of the matrices that is scanned: its row and column.
  SmallVector<std::pair<unsigned, unsigned>> entries;
  SmallVector<Value> matrices, offsets;
  /// Per part, null where it is zero: u and the final states.
  SmallVector<Value> u, first;
};

ArrayRef<int64_t> AssociativeAdjoint::getTrailingShape(unsigned leaf) {
  auto type = dyn_cast<RankedTensorType>(op.getLeafTypes()[leaf]);
  return type ? type.getShape() : ArrayRef<int64_t>();
}

LogicalResult AssociativeAdjoint::initCombine(Obstacle &obstacle) {
  SmallVector<Type> types;
  for (auto [i, type] : llvm::enumerate(op.getLeafTypes())) {
    auto block = dyn_cast<RankedTensorType>(type);
    types.append(block ? block.getNumElements() : 1, op.getAccumulatorType(i));
  }
  if (failed(scalarizeCombine(op.getCombine(), scalars, obstacle)))
    return failure();
  promoteCombine(scalars, region, types);
  combine.emplace(region.front());
  return combine->init(obstacle);
}

void AssociativeAdjoint::initParts() {
  for (unsigned leaf = 0, e = op.getNumLeaves(); leaf < e; ++leaf) {
    ArrayRef<int64_t> shape = getTrailingShape(leaf);
    SmallVector<int64_t> strides = computeStrides(shape);
    for (int64_t i = 0, n = ShapedType::getNumElements(shape); i < n; ++i)
      parts.push_back({leaf, delinearize(i, strides)});
  }
  ValueRange finals = op.getFinalResults();
  SmallVector<OpFoldResult> all = graph.getSizes(op.getInputs().front());
  sizes.assign(all.begin(), all.begin() + rank);
  createPrevious();
  for (const Part &part : parts) {
    Value result = op.getScanResults()[part.leaf];
    Value cotangent = graph.getCotangent(result);
    Value last =
        finals.empty() ? Value() : graph.getCotangent(finals[part.leaf]);
    inputs.push_back(getPart(op.getInputs()[part.leaf], part));
    cotangents.push_back(cotangent ? getPart(cotangent, part) : Value());
    lastCotangents.push_back(last ? getPart(last, part) : Value());
  }
}

void AssociativeAdjoint::initCarried() {
  unsigned n = parts.size();
  const Sparsity &a = combine->getAccumulated(), &b = combine->getNew();
  llvm::SmallBitVector reached(n), wanted(n);
  for (unsigned i = 0; i < n; ++i) {
    if (cotangents[i] || lastCotangents[i])
      reached.set(i);
    if (!op.getInits().empty() && graph.isActive(op.getInits()[parts[i].leaf]))
      wanted.set(i);
    if (graph.isActive(op.getInputs()[parts[i].leaf]))
      for (unsigned j = 0; j < n; ++j)
        if (b.at(j, i) != Entry::Zero)
          wanted.set(j);
    // Without an init the first element is a state, too.
    if (op.getInits().empty() && graph.isActive(op.getInputs()[parts[i].leaf]))
      wanted.set(i);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned i = 0; i < n; ++i)
      for (unsigned j = 0; j < n; ++j) {
        if (a.at(j, i) == Entry::Zero)
          continue;
        if (reached[j] && !reached[i]) {
          reached.set(i);
          changed = true;
        }
        if (wanted[i] && !wanted[j]) {
          wanted.set(j);
          changed = true;
        }
      }
  }
  for (unsigned i = 0; i < n; ++i)
    if (reached[i] && wanted[i] && isDifferentiable(combine->getType(i)))
      carried.push_back(i);
  pattern = a.transpose().select(carried);
  closed = pattern.closure();
  for (unsigned i = 0; i < carried.size(); ++i)
    for (unsigned j = 0; j < carried.size(); ++j)
      if (closed.at(i, j) == Entry::Value)
        entries.push_back({i, j});
  needsFirst = op.getInits().empty() && !b.isIdentity();
}

//===----------------------------------------------------------------------===//
// Parts of leaves
//===----------------------------------------------------------------------===//

Value AssociativeAdjoint::getPart(Value tensor, const Part &part) {
  if (part.position.empty())
    return tensor;
  auto type = cast<RankedTensorType>(tensor.getType());
  unsigned leading = type.getRank() - part.position.size();
  SmallVector<OpFoldResult> extents = graph.getSizes(tensor), offsets;
  offsets.assign(leading, builder.getIndexAttr(0));
  for (int64_t position : part.position)
    offsets.push_back(builder.getIndexAttr(position));
  for (unsigned i = leading; i < extents.size(); ++i)
    extents[i] = builder.getIndexAttr(1);
  SmallVector<OpFoldResult> strides(extents.size(), builder.getIndexAttr(1));
  auto sliceType = RankedTensorType::get(type.getShape().take_front(leading),
                                         type.getElementType());
  return tensor::ExtractSliceOp::create(builder, loc, sliceType, tensor,
                                        offsets, extents, strides);
}

Value AssociativeAdjoint::joinParts(Value like, unsigned leaf,
                                    ArrayRef<Value> values,
                                    RankedTensorType type) {
  SmallVector<Value> ofLeaf;
  SmallVector<const Part *> places;
  for (auto [part, value] : llvm::zip_equal(parts, values))
    if (part.leaf == leaf) {
      ofLeaf.push_back(value);
      places.push_back(&part);
    }
  if (places.size() == 1 && places.front()->position.empty())
    return ofLeaf.front();
  if (llvm::none_of(ofLeaf, [](Value value) { return bool(value); }))
    return {};
  SmallVector<OpFoldResult> extents = graph.getSizes(like);
  Value joined = graph.createFill(loc, type.getElementType(), extents, 0.0);
  unsigned leading = type.getRank() - getTrailingShape(leaf).size();
  SmallVector<OpFoldResult> strides(extents.size(), builder.getIndexAttr(1));
  for (unsigned i = leading; i < extents.size(); ++i)
    extents[i] = builder.getIndexAttr(1);
  for (auto [place, value] : llvm::zip_equal(places, ofLeaf)) {
    if (!value)
      continue;
    SmallVector<OpFoldResult> offsets(leading, builder.getIndexAttr(0));
    for (int64_t position : place->position)
      offsets.push_back(builder.getIndexAttr(position));
    joined = tensor::InsertSliceOp::create(builder, loc, value, joined, offsets,
                                           extents, strides);
  }
  return joined;
}

void AssociativeAdjoint::createPrevious() {
  for (auto [i, result] : llvm::enumerate(op.getScanResults())) {
    if (op.getExclusive()) {
      previous.push_back(result);
      continue;
    }
    Value boundary =
        op.getInits().empty()
            ? createScalarConstant(builder, loc,
                                   getElementTypeOrSelf(result.getType()), 0)
            : op.getInits()[i];
    previous.push_back(
        ShiftOp::create(builder, loc, result.getType(), result, boundary,
                        builder.getI64IntegerAttr(dim),
                        builder.getI64IntegerAttr(op.getReverse() ? -1 : 1)));
  }
}

//===----------------------------------------------------------------------===//
// Loops over all elements
//===----------------------------------------------------------------------===//

SmallVector<LoopOperand> AssociativeAdjoint::getReads(ArrayRef<Value> more) {
  SmallVector<LoopOperand> reads;
  for (const Part &part : parts)
    reads.push_back({getPart(previous[part.leaf], part), identity});
  for (Value input : inputs)
    reads.push_back({input, identity});
  firstCotangent = reads.size();
  for (Value cotangent : cotangents)
    if (cotangent)
      reads.push_back({cotangent, identity});
  firstMore = reads.size();
  for (Value value : more)
    reads.push_back({value, identity});
  if (lastIndex)
    reads.push_back({lastIndex, AffineMap::get(rank, 0, builder.getContext())});
  return reads;
}

Value AssociativeAdjoint::createIsFirst(OpBuilder &b, ValueRange args) {
  if (!needsFirst)
    return {};
  Type i64 = b.getI64Type();
  Value index = linalg::IndexOp::create(b, loc, dim);
  Value position = arith::IndexCastOp::create(b, loc, i64, index);
  Value start = lastIndex ? args.back() : createScalarConstant(b, loc, i64, 0);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, position,
                               start);
}

SmallVector<Value> AssociativeAdjoint::getCombineValues(OpBuilder &b,
                                                        ValueRange args,
                                                        Value isFirst) {
  unsigned n = parts.size();
  SmallVector<Value> values;
  for (unsigned i = 0; i < 2 * n; ++i) {
    Value value = args[i];
    // Any state will do where none is: the slopes there are not used. But they
    // have to be numbers if they are differentiated again, and zero might not
    // be one of the states that f takes.
    if (i < n && isFirst && !combine->isPolynomial())
      value = arith::SelectOp::create(b, loc, isFirst, args[n + i], value);
    values.push_back(castScalar(b, loc, value, combine->getType(i % n)));
  }
  return values;
}

SmallVector<Value> AssociativeAdjoint::getCotangents(OpBuilder &b,
                                                     ValueRange args) {
  SmallVector<Value> values(parts.size());
  unsigned next = firstCotangent;
  for (unsigned i = 0; i < parts.size(); ++i)
    if (cotangents[i])
      values[i] = castScalar(b, loc, args[next++], combine->getType(i));
  return values;
}

/// The affine maps that the way back composes: entries and offsets.
void AssociativeAdjoint::createMaps() {
  SmallVector<LoopOperand> reads = getReads({});
  SmallVector<LoopResult> writes;
  for (auto [row, column] : entries)
    writes.push_back({combine->getType(carried[row]), sizes, identity});
  for (unsigned i : carried)
    writes.push_back({combine->getType(i), sizes, identity});
  SmallVector<Value> values = *graph.createLoops(
      loc, rank, reads, writes, [&](OpBuilder &b, ValueRange args) {
        ScalarMath math{b, loc};
        unsigned n = parts.size();
        SmallVector<Value> at =
            getCombineValues(b, args, createIsFirst(b, args));
        SmallVector<SmallVector<Value>> columns(carried.size());
        SmallVector<Value> yields;
        auto orConstant = [&](Value value, Entry entry, unsigned part) {
          if (value && entry != Entry::One)
            return value;
          return math.constant(combine->getType(part),
                               entry == Entry::One ? 1.0 : 0.0);
        };
        for (auto [row, column] : entries) {
          // Column j of the transposed matrix is row j of the matrix.
          SmallVector<Value> &values = columns[column];
          if (values.empty()) {
            SmallVector<Value> seeds(n);
            unsigned part = carried[column];
            seeds[part] = math.constant(combine->getType(part), 1.0);
            values = combine->emit(b, at, seeds);
          }
          yields.push_back(orConstant(values[carried[row]],
                                      pattern.at(row, column), carried[row]));
        }
        SmallVector<Value> seeds = getCotangents(b, args);
        SmallVector<Value> through =
            op.getExclusive() ? seeds : combine->emit(b, at, seeds);
        for (unsigned i : carried)
          yields.push_back(orConstant(through[i], Entry::Zero, i));
        return yields;
      });
  matrices.assign(values.begin(), values.begin() + entries.size());
  offsets.assign(values.begin() + entries.size(), values.end());
}

//===----------------------------------------------------------------------===//
// The scan
//===----------------------------------------------------------------------===//

/// The affine map after `args[0..]`, accumulated, and `args[E + C..]`, new.
SmallVector<Value> AssociativeAdjoint::emitComposition(OpBuilder &b,
                                                       Location loc,
                                                       ValueRange args) {
  ScalarMath math{b, loc};
  size_t size = carried.size(), half = entries.size() + size;
  // The entry of the accumulated (0) or new (1) matrix; null if it is constant.
  auto getEntry = [&](unsigned which, unsigned row, unsigned column) -> Value {
    for (auto [i, entry] : llvm::enumerate(entries))
      if (entry == std::make_pair(row, column))
        return args[which * half + i];
    return {};
  };
  auto accumulate = [&](Value sum, Value term) {
    return sum ? math.add(sum, term) : term;
  };
  SmallVector<Value> yields;
  for (auto [row, column] : entries) {
    Type type = combine->getType(carried[row]);
    Value sum;
    for (unsigned k = 0; k < size; ++k) {
      if (closed.at(row, k) == Entry::Zero ||
          closed.at(k, column) == Entry::Zero)
        continue;
      Value left = getEntry(1, row, k), right = getEntry(0, k, column);
      if (right)
        right = castScalar(b, loc, right, type);
      Value term = left && right ? math.mul(left, right)
                   : left        ? left
                   : right       ? right
                                 : math.constant(type, 1.0);
      sum = accumulate(sum, term);
    }
    if (!sum)
      sum = math.constant(type, 0.0);
    yields.push_back(sum);
  }
  for (unsigned i = 0; i < size; ++i) {
    Value sum;
    for (unsigned k = 0; k < size; ++k) {
      if (closed.at(i, k) == Entry::Zero)
        continue;
      Value factor = getEntry(1, i, k);
      Value state = castScalar(b, loc, args[entries.size() + k],
                               combine->getType(carried[i]));
      sum = accumulate(sum, factor ? math.mul(factor, state) : state);
    }
    yields.push_back(accumulate(sum, args[half + entries.size() + i]));
  }
  // A region yields no argument, and nothing twice.
  DenseSet<Value> seen;
  for (Value &yield : yields)
    if (isa<BlockArgument>(yield) || !seen.insert(yield).second)
      yield = CloneOp::create(b, loc, yield);
  return yields;
}

void AssociativeAdjoint::createAssociativeScan() {
  SmallVector<Value> leaves(matrices), inits;
  llvm::append_range(leaves, offsets);
  ScalarMath math{builder, loc};
  for (auto [row, column] : entries)
    inits.push_back(math.constant(combine->getType(carried[row]),
                                  row == column ? 1.0 : 0.0));
  SmallVector<Type> types;
  for (auto [row, column] : entries)
    types.push_back(combine->getType(carried[row]));
  for (unsigned i : carried) {
    Value last = lastCotangents[i];
    inits.push_back(last ? graph.castElements(loc, last, combine->getType(i))
                         : math.constant(combine->getType(i), 0.0));
    types.push_back(combine->getType(i));
  }
  bool wantsFirst = llvm::any_of(
      op.getInits(), [&](Value init) { return graph.isActive(init); });
  auto scan = AssociativeOp::create(
      builder, loc, leaves, inits, dim, !op.getReverse(), /*exclusive=*/true,
      wantsFirst, types, [&](OpBuilder &b, Location loc, ValueRange args) {
        return emitComposition(b, loc, args);
      });
  scan.setOrderAttr(op.getOrderAttr());
  if (op.getCompensated() && leaves.size() == 1)
    scan.setCompensated(true);
  for (auto [k, i] : llvm::enumerate(carried)) {
    u[i] = scan.getScanResults()[entries.size() + k];
    if (wantsFirst)
      first[i] = scan.getFinalResults()[entries.size() + k];
  }
}

void AssociativeAdjoint::createBackwardScan() {
  u.resize(parts.size());
  first.resize(parts.size());
  if (carried.size() != 1 || entries.size() != 1) {
    createAssociativeScan();
    return;
  }
  // One leaf: the affine maps of a linear recurrence.
  unsigned i = carried.front();
  Type type = combine->getType(i);
  Value last = lastCotangents[i];
  Value init = last ? graph.castElements(loc, last, type)
                    : ScalarMath{builder, loc}.constant(type, 0.0);
  bool wantsFirst =
      !op.getInits().empty() && graph.isActive(op.getInits()[parts[i].leaf]);
  auto leafType = cast<RankedTensorType>(offsets[0].getType());
  SmallVector<Type> types = {leafType};
  if (wantsFirst)
    types.push_back(RankedTensorType::Builder(leafType).dropDim(dim));
  UnitAttr unit = builder.getUnitAttr();
  auto scan = LinearRecurrenceOp::create(
      builder, loc, types, matrices[0], offsets[0], init,
      builder.getI64IntegerAttr(dim), op.getReverse() ? UnitAttr() : unit,
      /*exclusive=*/unit, wantsFirst ? unit : UnitAttr(), op.getOrderAttr(),
      /*accumulator=*/TypeAttr(), /*schedule=*/ScheduleAttr());
  u[i] = scan.getResult();
  first[i] = scan.getLast();
}

//===----------------------------------------------------------------------===//
// What the operands get
//===----------------------------------------------------------------------===//

void AssociativeAdjoint::giveInits() {
  for (auto [leaf, init] : llvm::enumerate(op.getInits())) {
    if (!graph.isActive(init))
      continue;
    Type element = getElementTypeOrSelf(init.getType());
    if (!isa<RankedTensorType>(init.getType())) {
      for (auto [part, value] : llvm::zip_equal(parts, first))
        if (part.leaf == leaf && value)
          graph.give(init, castScalar(builder, loc,
                                      graph.createTotal(loc, value), element));
      continue;
    }
    SmallVector<Value> values(first);
    for (Value &value : values)
      if (value)
        value = graph.castElements(loc, value, element);
    if (Value joined = joinParts(init, leaf, values,
                                 cast<RankedTensorType>(init.getType())))
      graph.give(init, joined);
  }
}

void AssociativeAdjoint::giveInputs() {
  SmallVector<Value> states;
  for (unsigned i : carried)
    states.push_back(u[i]);
  SmallVector<LoopOperand> reads = getReads(states);
  SmallVector<LoopResult> writes;
  for (auto [i, part] : llvm::enumerate(parts))
    writes.push_back({getElementTypeOrSelf(op.getInputs()[part.leaf].getType()),
                      sizes, identity});
  SmallVector<Value> values = *graph.createLoops(
      loc, rank, reads, writes, [&](OpBuilder &b, ValueRange args) {
        unsigned n = parts.size();
        Value isFirst = createIsFirst(b, args);
        SmallVector<Value> at = getCombineValues(b, args, isFirst);
        SmallVector<Value> g(n);
        if (!op.getExclusive())
          g = getCotangents(b, args);
        for (auto [k, i] : llvm::enumerate(carried)) {
          Value state = args[firstMore + k];
          g[i] = g[i] ? ScalarMath{b, loc}.add(g[i], state) : state;
        }
        SmallVector<Value> through = combine->emit(b, at, g), yields;
        for (auto [i, part] : llvm::enumerate(parts)) {
          Value value = through[n + i];
          if (!graph.isActive(op.getInputs()[part.leaf])) {
            value = {};
          } else if (isFirst && (value || g[i])) {
            Value none = ScalarMath{b, loc}.constant(combine->getType(i), 0.0);
            value = arith::SelectOp::create(b, loc, isFirst, g[i] ? g[i] : none,
                                            value ? value : none);
          }
          yields.push_back(value);
        }
        return yields;
      });
  for (auto [leaf, input] : llvm::enumerate(op.getInputs()))
    if (graph.isActive(input))
      if (Value joined = joinParts(input, leaf, values,
                                   cast<RankedTensorType>(input.getType())))
        graph.give(input, joined);
}

LogicalResult AssociativeAdjoint::visit(Obstacle &obstacle) {
  if (failed(initCombine(obstacle)))
    return failure();
  initParts();
  initCarried();
  if (needsFirst && op.getReverse()) {
    Value extent = getValueOrCreateConstantIndexOp(builder, loc, sizes[dim]);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value last = arith::SubIOp::create(builder, loc, extent, one);
    lastIndex =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), last);
  }
  if (!carried.empty()) {
    createMaps();
    createBackwardScan();
    giveInits();
  } else {
    u.resize(parts.size());
  }
  giveInputs();
  return success();
}

} // namespace

LogicalResult differentiate::visitAssociative(GraphAdjoint &graph,
                                              AssociativeOp op,
                                              Obstacle &obstacle) {
  return AssociativeAdjoint(graph, op).visit(obstacle);
}
