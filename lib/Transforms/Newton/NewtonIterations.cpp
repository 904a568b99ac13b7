//===- NewtonIterations.cpp - Iterations of Newton's method ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NewtonIterations.h"
#include "../Utils/ScalarCast.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

/// An operand of linalg operations: without the dimensions of extent 1 that are
/// read at a constant index.
static Value dropConstantIndices(OpBuilder &builder, Location loc, Value source,
                                 AffineMap &map) {
  auto type = dyn_cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> exprs;
  for (auto [d, expr] : llvm::enumerate(map.getResults()))
    if (!isa<AffineConstantExpr>(expr)) {
      exprs.push_back(expr);
      shape.push_back(type.getDimSize(d));
    }
  if (exprs.size() == map.getNumResults())
    return source;
  map = AffineMap::get(map.getNumDims(), 0, exprs, builder.getContext());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, source);
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), source,
      offsets, sizes, strides);
}

NewtonIterations::NewtonIterations(RewriterBase &rewriter, RecurrenceOp op,
                                   NewtonCell &cell, OpFoldResult steps)
    : rewriter(rewriter), op(op), cell(cell), loc(op.getLoc()),
      dim(op.getDim()), rank(cell.getBody().getNumLanes() + 1),
      domain(rewriter.getMultiDimIdentityMap(rank)),
      sizes(tensor::getMixedSizes(rewriter, loc, op.getInits().front())),
      affine(cell.getPattern(), cell.getBody().getRowTypes()) {
  sizes[dim] = steps;
  PointwiseParts parts(rewriter, op, steps);
  for (unsigned i = 0; i < cell.getNumStates(); ++i) {
    inits.push_back(parts.createInitRow(i, 0));
    // One type for all, whatever is known of the extents of which one.
    if (inits[i].getType() != inits[0].getType())
      inits[i] =
          tensor::CastOp::create(rewriter, loc, inits[0].getType(), inits[i]);
  }
  for (const PointwiseBody::Element &element : cell.getBody().getElements()) {
    auto [source, map] = parts.createRead(element);
    if (source)
      source = dropConstantIndices(rewriter, loc, source, map);
    reads.push_back({source, map});
  }
}

SmallVector<NewtonIterations::Operand>
NewtonIterations::createPrevious(ValueRange histories) {
  SmallVector<Operand> previous;
  for (auto [history, init] : llvm::zip_equal(histories, inits))
    previous.push_back(
        {ShiftOp::create(rewriter, loc, history.getType(), history, init,
                         rewriter.getI64IntegerAttr(dim),
                         rewriter.getI64IntegerAttr(op.getReverse() ? -1 : 1)),
         domain});
  return previous;
}

SmallVector<Value> NewtonIterations::createLoops(ArrayRef<Operand> previous,
                                                 ArrayRef<Type> types,
                                                 Body body) {
  SmallVector<Value> inputs, outputs;
  SmallVector<AffineMap> maps;
  for (const Operand &operand :
       llvm::concat<const Operand>(previous, ArrayRef(reads)))
    if (operand.value) {
      inputs.push_back(operand.value);
      maps.push_back(operand.map);
    }
  for (Type type : types) {
    outputs.push_back(tensor::EmptyOp::create(rewriter, loc, sizes, type));
    maps.push_back(domain);
  }
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto loops = linalg::GenericOp::create(
      rewriter, loc, ValueRange(outputs).getTypes(), inputs, outputs, maps,
      iterators, [&](OpBuilder &b, Location, ValueRange elements) {
        SmallVector<Value> values(elements.take_front(previous.size()));
        elements = elements.drop_front(previous.size());
        for (auto [read, element] :
             llvm::zip(reads, cell.getBody().getElements())) {
          if (read.value) {
            values.push_back(elements.front());
            elements = elements.drop_front();
            continue;
          }
          unsigned d =
              element.lane ? *element.lane + (*element.lane >= dim) : dim;
          values.push_back(arith::IndexCastOp::create(
              b, loc, element.type, linalg::IndexOp::create(b, loc, d)));
        }
        linalg::YieldOp::create(b, loc, body(b, values));
      });
  return SmallVector<Value>(loops.getResults());
}

SmallVector<Value> NewtonIterations::solve(ArrayRef<Value> maps) {
  if (cell.getNumStates() == 1 && affine.getEntries().size() == 1) {
    auto scan = LinearRecurrenceOp::create(
        rewriter, loc, maps[0], maps[1], inits[0], dim, op.getReverse(),
        /*exclusive=*/false, /*finalState=*/false);
    scan.setOrderAttr(op.getOrderAttr());
    return {scan.getResult()};
  }
  SmallVector<Value> starts = affine.createIdentity({rewriter, loc});
  llvm::append_range(starts, inits);
  auto scan = AssociativeOp::create(
      rewriter, loc, maps, starts, dim, op.getReverse(), /*exclusive=*/false,
      /*finalStates=*/false, affine.getLeafTypes(),
      [&](OpBuilder &b, Location at, ValueRange args) {
        return affine.emitComposition(b, at, args);
      });
  scan.setOrderAttr(op.getOrderAttr());
  return SmallVector<Value>(
      scan.getScanResults().drop_front(affine.getEntries().size()));
}

SmallVector<Value>
NewtonIterations::createIteration(ArrayRef<Operand> previous) {
  SmallVector<Value> maps = createLoops(
      previous, affine.getLeafTypes(), [&](OpBuilder &b, ValueRange values) {
        ScalarMath math{b, loc};
        unsigned numStates = cell.getNumStates();
        NewtonCell::Slopes slopes = cell.emitSlopes(b, values);
        SmallVector<Value> yields;
        for (auto [i, j] : affine.getEntries()) {
          Value slope = slopes.matrix[i * numStates + j];
          yields.push_back(slope ? slope : math.constant(cell.getType(), 0.0));
        }
        for (unsigned i = 0; i < numStates; ++i) {
          Value offset = slopes.states[i];
          for (unsigned j = 0; j < numStates; ++j)
            if (Value slope = slopes.matrix[i * numStates + j])
              offset = math.sub(offset, math.mul(slope, values[j]));
          yields.push_back(offset);
        }
        return yields;
      });
  return solve(maps);
}

SmallVector<Value> NewtonIterations::createFirst() {
  return createIteration(llvm::map_to_vector(inits, [&](Value init) {
    return Operand{init, domain.dropResult(dim)};
  }));
}

SmallVector<Value> NewtonIterations::createNext(ValueRange histories) {
  return createIteration(createPrevious(histories));
}

Value NewtonIterations::createResidual(ValueRange histories, ValueRange rows) {
  Type type = cell.getType();
  SmallVector<Value> inputs(histories);
  llvm::append_range(inputs, rows);
  SmallVector<AffineMap> maps(inputs.size(), domain);
  maps.push_back(AffineMap::get(rank, 0, rewriter.getContext()));
  Value zero = createScalarConstant(rewriter, loc, type, 0);
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, ArrayRef<OpFoldResult>{}, type);
  Value none = linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::reduction);
  auto loops = linalg::GenericOp::create(
      rewriter, loc, none.getType(), inputs, none, maps, iterators,
      [&](OpBuilder &b, Location, ValueRange elements) {
        // arith.maximumf hands on what is not a number.
        Value largest = elements.back();
        for (size_t i = 0, e = histories.size(); i < e; ++i) {
          Value difference =
              arith::SubFOp::create(b, loc, elements[i], elements[e + i]);
          Value magnitude = math::AbsFOp::create(b, loc, difference);
          largest = arith::MaximumFOp::create(b, loc, largest, magnitude);
        }
        linalg::YieldOp::create(b, loc, largest);
      });
  return loops.getResult(0);
}

NewtonIterations::Check NewtonIterations::createCheck(ValueRange histories) {
  Operation *yield = op.getBody().front().getTerminator();
  SmallVector<Type> types =
      llvm::map_to_vector(yield->getOperandTypes(),
                          [](Type type) { return getElementTypeOrSelf(type); });
  SmallVector<Value> rows = createLoops(
      createPrevious(histories), types,
      [&](OpBuilder &b, ValueRange values) { return cell.emit(b, values); });
  Value residual = createResidual(
      histories, ValueRange(rows).take_front(cell.getNumStates()));
  return {rows, residual};
}
