//===- NewtonIterations.cpp - Iterations of Newton's method ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NewtonIterations.h"
#include "../Utils/ScalarCast.h"
#include "IR/RecurrenceRows.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

NewtonIterations::NewtonIterations(RewriterBase &rewriter, RecurrenceOp op,
                                   NewtonCell &cell, OpFoldResult steps,
                                   int64_t chunk)
    : rewriter(rewriter), op(op), cell(cell), loc(op.getLoc()),
      dim(op.getDim()), rank(cell.getBody().getNumLanes() + 1), steps(steps),
      domain(rewriter.getMultiDimIdentityMap(rank + 1)),
      affine(cell.getPattern(), cell.getBody().getRowTypes()) {
  AffineExpr s0 = rewriter.getAffineSymbolExpr(0);
  OpFoldResult zero = rewriter.getIndexAttr(0);
  OpFoldResult numRest = apply(s0 % chunk, steps);
  OpFoldResult numMain = apply(s0 - s0 % chunk, steps);
  main = {op.getReverse() ? numRest : zero, apply(s0.floorDiv(chunk), steps),
          rewriter.getIndexAttr(chunk)};
  rest = {op.getReverse() ? zero : numMain, rewriter.getIndexAttr(1), numRest};
  for (Value init : op.getInits()) {
    // One type for all, whatever is known of the extents of which one.
    Type type = op.getInits().front().getType();
    inits.push_back(init.getType() == type
                        ? init
                        : tensor::CastOp::create(rewriter, loc, type, init));
  }
  sizes = tensor::getMixedSizes(rewriter, loc, inits.front());
  sizes.insert(sizes.begin() + dim, main.count);
  PointwiseParts parts(rewriter, op, steps);
  for (const PointwiseBody::Element &element : cell.getBody().getElements())
    reads.push_back(parts.createRead(element));
}

OpFoldResult NewtonIterations::apply(AffineExpr expr,
                                     ArrayRef<OpFoldResult> symbols) {
  return affine::makeComposedFoldedAffineApply(
      rewriter, loc, AffineMap::get(0, symbols.size(), expr), symbols);
}

OpFoldResult NewtonIterations::getNumRows(const Chunks &chunks) {
  return isConstantIntValue(chunks.count, 1)
             ? chunks.length
             : apply(rewriter.getAffineSymbolExpr(0) *
                         rewriter.getAffineSymbolExpr(1),
                     {chunks.count, chunks.length});
}

//===----------------------------------------------------------------------===//
// Walks
//===----------------------------------------------------------------------===//

/// The dimensions of a tensor of `rank`, of which number `dim` is two.
static SmallVector<ReassociationIndices> getGroups(int64_t rank, int64_t dim) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < rank; ++i) {
    groups.push_back({i + (i > dim)});
    if (i == dim)
      groups.back().push_back(i + 1);
  }
  return groups;
}

/// The rows of `chunks`, with the dimension of time divided into one for the
/// chunks and one for the steps of each.
Value NewtonIterations::createChunks(Value rows, const Chunks &chunks) {
  Sizes extents = tensor::getMixedSizes(rewriter, loc, rows);
  OpFoldResult count = getNumRows(chunks);
  if (!isEqualConstantIntOrValue(extents[dim], count)) {
    Sizes offsets(extents.size(), rewriter.getIndexAttr(0));
    Sizes strides(extents.size(), rewriter.getIndexAttr(1));
    offsets[dim] = chunks.firstRow;
    extents[dim] = count;
    rows = tensor::ExtractSliceOp::create(rewriter, loc, rows, offsets, extents,
                                          strides);
  }
  extents[dim] = chunks.length;
  extents.insert(extents.begin() + dim, chunks.count);
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(extents, dynamic, shape);
  Type type = RankedTensorType::get(shape, getElementTypeOrSelf(rows));
  return tensor::ExpandShapeOp::create(
      rewriter, loc, type, rows, getGroups(extents.size() - 1, dim), extents);
}

SmallVector<Value> NewtonIterations::addReads(RecurrenceBuilder &walk,
                                              const Chunks &chunks) {
  SmallVector<Value> rows;
  // Two elements of a row are of one input.
  DenseMap<Value, Value> inputs, captures;
  for (const PointwiseParts::Read &read : reads) {
    if (!read.source) {
      rows.push_back({});
      continue;
    }
    bool isInput = read.map.isFunctionOfDim(dim);
    Value &row = (isInput ? inputs : captures)[read.source];
    if (!row)
      row = isInput ? walk.addInput(createChunks(read.source, chunks))
                    : walk.addCapture(read.source);
    rows.push_back(row);
  }
  return rows;
}

RecurrenceOp NewtonIterations::createWalk(const Chunks &chunks,
                                          ValueRange inits,
                                          ArrayRef<Type> types, Body body) {
  // The order of f: nothing makes a scan of these steps.
  RecurrenceBuilder walk(
      rewriter, loc, dim + 1, op.getReverse(), chunks.length,
      OrderAttr::get(rewriter.getContext(), Order::Sequential));
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  AffineMap lanes = rewriter.getMultiDimIdentityMap(rank);
  for (Value init : inits) {
    operands.push_back(walk.addState(init));
    maps.push_back(lanes);
  }
  // Read at the places of the lanes, where the number of the chunk stands for
  // that of the step.
  SmallVector<Value> rows = addReads(walk, chunks);
  for (auto [read, row] : llvm::zip_equal(reads, rows))
    if (row) {
      operands.push_back(row);
      maps.push_back(read.map);
    }
  OpBuilder &inner = walk.getBodyBuilder();
  Value first = walk.addCapture(
      getValueOrCreateConstantIndexOp(rewriter, loc, chunks.firstRow));
  Value length = walk.addCapture(
      getValueOrCreateConstantIndexOp(rewriter, loc, chunks.length));
  SmallVector<OpFoldResult> extents =
      tensor::getMixedSizes(inner, loc, operands.front());
  SmallVector<Value> outputs;
  for (Type type : types) {
    outputs.push_back(tensor::EmptyOp::create(inner, loc, extents, type));
    maps.push_back(lanes);
  }
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto step = linalg::GenericOp::create(
      inner, loc, ValueRange(outputs).getTypes(), operands, outputs, maps,
      iterators, [&](OpBuilder &b, Location, ValueRange elements) {
        SmallVector<Value> values(elements.take_front(inits.size()));
        elements = elements.drop_front(inits.size());
        for (auto [row, element] :
             llvm::zip_equal(rows, cell.getBody().getElements())) {
          if (row) {
            values.push_back(elements.front());
            elements = elements.drop_front();
            continue;
          }
          unsigned d =
              element.lane ? *element.lane + (*element.lane >= dim) : dim;
          Value index = linalg::IndexOp::create(b, loc, d);
          if (!element.lane) {
            index = arith::MulIOp::create(b, loc, index, length);
            index = arith::AddIOp::create(b, loc, index, walk.getTime());
            index = arith::AddIOp::create(b, loc, index, first);
          }
          values.push_back(
              arith::IndexCastOp::create(b, loc, element.type, index));
        }
        linalg::YieldOp::create(b, loc, body(b, values));
      });
  SmallVector<OpFoldResult> outer(sizes);
  outer[dim] = chunks.count;
  outer.erase(outer.begin() + dim + 1);
  for (auto [i, row] : llvm::enumerate(step.getResults()))
    if (i < inits.size())
      walk.setNext(i, row);
    else
      walk.addOutput(row, outer);
  return walk.create(/*hasSteps=*/false);
}

SmallVector<Value> NewtonIterations::createRowsOf(const Chunks &chunks,
                                                  ValueRange inits) {
  Operation *yield = op.getBody().front().getTerminator();
  SmallVector<Type> types =
      llvm::map_to_vector(yield->getOperandTypes(),
                          [](Type type) { return getElementTypeOrSelf(type); });
  RecurrenceOp walk =
      createWalk(chunks, inits, types, [&](OpBuilder &b, ValueRange values) {
        return cell.emit(b, values);
      });
  // Where a step reads no input, results do not say how many steps there are.
  Sizes extents(sizes);
  extents.erase(extents.begin() + dim);
  extents[dim] = getNumRows(chunks);
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(extents, dynamic, shape);
  SmallVector<Value> results;
  for (Value rows : walk.getResults().take_front(types.size())) {
    rows = tensor::CollapseShapeOp::create(rewriter, loc, rows,
                                           getGroups(rank, dim));
    auto type = RankedTensorType::get(shape, getElementTypeOrSelf(rows));
    if (rows.getType() != type)
      rows = tensor::CastOp::create(rewriter, loc, type, rows);
    results.push_back(rows);
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Chunks
//===----------------------------------------------------------------------===//

Value NewtonIterations::sliceChunks(Value value, int64_t first,
                                    OpFoldResult count) {
  Sizes extents(sizes), offsets(sizes.size(), rewriter.getIndexAttr(0));
  Sizes strides(sizes.size(), rewriter.getIndexAttr(1));
  extents[dim] = count;
  offsets[dim] = rewriter.getIndexAttr(first);
  return tensor::ExtractSliceOp::create(rewriter, loc, value, offsets, extents,
                                        strides);
}

Value NewtonIterations::fillChunks(double number) {
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, cell.getType());
  Value value = ScalarMath{rewriter, loc}.constant(cell.getType(), number);
  return linalg::FillOp::create(rewriter, loc, value, empty).getResult(0);
}

SmallVector<Value> NewtonIterations::createStarts() {
  SmallVector<utils::IteratorType> iterators(rank + 1,
                                             utils::IteratorType::parallel);
  return llvm::map_to_vector(inits, [&](Value init) -> Value {
    Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, cell.getType());
    return linalg::GenericOp::create(
               rewriter, loc, empty.getType(), init, empty,
               {domain.dropResult(dim), domain}, iterators,
               [&](OpBuilder &b, Location, ValueRange elements) {
                 linalg::YieldOp::create(b, loc, elements.front());
               })
        .getResult(0);
  });
}

NewtonIterations::Pass NewtonIterations::createPass(ValueRange starts) {
  unsigned numStates = cell.getNumStates();
  SmallVector<Value> all(starts);
  for (auto [i, j] : affine.getEntries())
    all.push_back(fillChunks(i == j ? 1.0 : 0.0));
  SmallVector<Type> types(all.size(), cell.getType());
  RecurrenceOp walk =
      createWalk(main, all, types, [&](OpBuilder &b, ValueRange values) {
        ScalarMath math{b, loc};
        ValueRange states = values.take_front(numStates);
        ValueRange products = values.slice(numStates, all.size() - numStates);
        SmallVector<Value> arguments(states);
        llvm::append_range(arguments, values.drop_front(all.size()));
        NewtonCell::Slopes slopes = cell.emitSlopes(b, arguments);
        // The map of the step behind that of the steps before. Of the latter
        // the offsets count for nothing: states are computed by f.
        arguments.assign(products.begin(), products.end());
        llvm::append_range(arguments, states);
        for (auto [i, j] : affine.getEntries()) {
          Value slope = slopes.matrix[i * numStates + j];
          arguments.push_back(slope ? slope
                                    : math.constant(cell.getType(), 0.0));
        }
        llvm::append_range(arguments, slopes.states);
        SmallVector<Value> yields(slopes.states);
        llvm::append_range(yields,
                           ArrayRef(affine.emitComposition(b, loc, arguments))
                               .take_front(products.size()));
        return yields;
      });
  ResultRange finals = walk.getFinalResults();
  return {SmallVector<Value>(finals.take_front(numStates)),
          SmallVector<Value>(finals.drop_front(numStates))};
}

SmallVector<Value> NewtonIterations::solve(ArrayRef<Value> maps) {
  if (cell.getNumStates() == 1 && affine.getEntries().size() == 1) {
    auto scan = LinearRecurrenceOp::create(
        rewriter, loc, maps[0], maps[1], inits[0], dim, op.getReverse(),
        /*exclusive=*/true, /*finalState=*/false);
    scan.setOrderAttr(op.getOrderAttr());
    return {scan.getResult()};
  }
  SmallVector<Value> starts = affine.createIdentity({rewriter, loc});
  llvm::append_range(starts, inits);
  auto scan = AssociativeOp::create(
      rewriter, loc, maps, starts, dim, op.getReverse(), /*exclusive=*/true,
      /*finalStates=*/false, affine.getLeafTypes(),
      [&](OpBuilder &b, Location at, ValueRange args) {
        return affine.emitCombine(b, at, args);
      });
  scan.setOrderAttr(op.getOrderAttr());
  return SmallVector<Value>(
      scan.getScanResults().drop_front(affine.getEntries().size()));
}

SmallVector<Value> NewtonIterations::createNext(ValueRange starts,
                                                const Pass &pass) {
  unsigned numStates = cell.getNumStates();
  unsigned numSlopes = pass.slopes.size(), size = numSlopes + numStates;
  SmallVector<Value> operands(pass.slopes), outputs;
  llvm::append_range(operands, starts);
  llvm::append_range(operands, pass.ends);
  for (unsigned i = 0; i < numStates; ++i)
    outputs.push_back(
        tensor::EmptyOp::create(rewriter, loc, sizes, cell.getType()));
  SmallVector<AffineMap> maps(operands.size() + numStates, domain);
  SmallVector<utils::IteratorType> iterators(rank + 1,
                                             utils::IteratorType::parallel);
  auto loops = linalg::GenericOp::create(
      rewriter, loc, ValueRange(outputs).getTypes(), operands, outputs, maps,
      iterators, [&](OpBuilder &b, Location, ValueRange elements) {
        ScalarMath math{b, loc};
        // F - D p: what has D and F is behind what has -p.
        SmallVector<Value> arguments(elements.take_front(numSlopes));
        for (Value start : elements.slice(numSlopes, numStates))
          arguments.push_back(math.neg(start));
        llvm::append_range(arguments, elements.take_front(numSlopes));
        llvm::append_range(arguments, elements.slice(size, numStates));
        SmallVector<Value> offsets = affine.emitComposition(b, loc, arguments);
        offsets.erase(offsets.begin(), offsets.begin() + numSlopes);
        linalg::YieldOp::create(b, loc, offsets);
      });
  SmallVector<Value> scanned(pass.slopes);
  llvm::append_range(scanned, loops.getResults());
  return solve(scanned);
}

/// The largest element along the last dimension of what `body` computes of the
/// elements of `inputs`; not a number where one of them is not.
static Value createMaximum(OpBuilder &builder, Location loc, ValueRange inputs,
                           function_ref<Value(OpBuilder &, ValueRange)> body) {
  SmallVector<OpFoldResult> extents =
      tensor::getMixedSizes(builder, loc, inputs.front());
  unsigned rank = extents.size();
  Type type = getElementTypeOrSelf(inputs.front());
  Value zero = createScalarConstant(builder, loc, type, 0);
  Value empty = tensor::EmptyOp::create(builder, loc,
                                        ArrayRef(extents).drop_back(), type);
  Value none = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  AffineMap domain = builder.getMultiDimIdentityMap(rank);
  SmallVector<AffineMap> maps(inputs.size(), domain);
  maps.push_back(domain.dropResult(rank - 1));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.back() = utils::IteratorType::reduction;
  return linalg::GenericOp::create(
             builder, loc, none.getType(), inputs, none, maps, iterators,
             [&](OpBuilder &b, Location, ValueRange elements) {
               // arith.maximumf hands on what is not a number.
               Value largest = arith::MaximumFOp::create(
                   b, loc, elements.back(), body(b, elements.drop_back()));
               linalg::YieldOp::create(b, loc, largest);
             })
      .getResult(0);
}

Value NewtonIterations::createResidual(ValueRange starts, ValueRange ends) {
  // One less than there are chunks, or none.
  OpFoldResult count = apply(rewriter.getAffineSymbolExpr(0) - 1, main.count);
  count = getAsOpFoldResult(rewriter.createOrFold<arith::MaxSIOp>(
      loc, getValueOrCreateConstantIndexOp(rewriter, loc, count),
      arith::ConstantIndexOp::create(rewriter, loc, 0)));
  SmallVector<Value> inputs;
  auto add = [&](ValueRange values, int64_t first) {
    for (Value value : values)
      inputs.push_back(tensor::CollapseShapeOp::create(
          rewriter, loc, sliceChunks(value, first, count),
          getGroups(rank, dim)));
  };
  add(starts, !op.getReverse());
  add(ends, op.getReverse());
  Value largest = createMaximum(
      rewriter, loc, inputs, [&](OpBuilder &b, ValueRange elements) {
        Value most;
        for (size_t i = 0, e = starts.size(); i < e; ++i) {
          Value difference =
              arith::SubFOp::create(b, loc, elements[i], elements[e + i]);
          Value magnitude = math::AbsFOp::create(b, loc, difference);
          most = most ? arith::MaximumFOp::create(b, loc, most, magnitude)
                      : magnitude;
        }
        return most;
      });
  if (rank == 1)
    return largest;
  // All others at once.
  if (rank > 2)
    largest = tensor::CollapseShapeOp::create(
        rewriter, loc, largest,
        SmallVector<ReassociationIndices>{
            llvm::to_vector<2>(llvm::seq<int64_t>(0, rank - 1))});
  return createMaximum(
      rewriter, loc, largest,
      [](OpBuilder &, ValueRange elements) { return elements.front(); });
}

Value NewtonIterations::createLast(Value rows, Value init,
                                   OpFoldResult extent) {
  Sizes one = tensor::getMixedSizes(rewriter, loc, init);
  Value number = getValueOrCreateConstantIndexOp(rewriter, loc, extent);
  OpFoldResult count = getAsOpFoldResult(rewriter.createOrFold<arith::MinSIOp>(
      loc, number, arith::ConstantIndexOp::create(rewriter, loc, 1)));
  OpFoldResult first = rewriter.getIndexAttr(0);
  if (!op.getReverse())
    first = getAsOpFoldResult(rewriter.createOrFold<arith::SubIOp>(
        loc, number, getValueOrCreateConstantIndexOp(rewriter, loc, count)));
  RecurrenceRows slices(rewriter, loc, dim);
  Value last = slices.extractSome(rows, one, first, count);
  if (isConstantIntValue(count, 1))
    return last;
  return slices.insertSome(last, init, one, rewriter.getIndexAttr(0), count);
}

SmallVector<Value> NewtonIterations::createRows(ValueRange starts,
                                                ValueRange ends) {
  if (isConstantIntValue(rest.length, 0))
    return createRowsOf(main, starts);
  // In front of what writes into it.
  Sizes extents(sizes);
  extents.erase(extents.begin() + dim);
  extents[dim] = steps;
  SmallVector<Value> all;
  for (Type row : op.getBody().front().getTerminator()->getOperandTypes())
    all.push_back(tensor::EmptyOp::create(rewriter, loc, extents,
                                          getElementTypeOrSelf(row)));
  RecurrenceRows slices(rewriter, loc, dim);
  auto insert = [&](const Chunks &chunks, ValueRange inits) {
    OpFoldResult count = getNumRows(chunks);
    SmallVector<Value> rows = createRowsOf(chunks, inits);
    for (auto [place, value] : llvm::zip_equal(all, rows))
      place = slices.insertSome(value, place, extents, chunks.firstRow, count);
  };
  insert(main, starts);
  OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
  SmallVector<Value> last;
  for (auto [init, end] : llvm::zip_equal(inits, ends))
    last.push_back(
        createLast(end, createChunks(init, {zero, one, one}), main.count));
  insert(rest, last);
  return all;
}
