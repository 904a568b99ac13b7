//===- RowLoops.cpp - Rows with their state in registers ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scan along the innermost dimension is a chain of dependent operations:
// several rows at a time keep the processor busy.
//
//   for outer dimensions
//     for row in steps of R
//       load R                                   what is the same at all steps
//       state = initialize                      R times the carried leaves
//       for t iter_args(state)
//         load R, combine R, store R
//       finalize R
//       add reductions over time to what is in memory, R times
//     the same for the rows left over, one at a time
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

/// All leaves of each row.
using States = SmallVector<SmallVector<Value>>;

/// What is carried from step to step: the leaves of each row, and the totals of
/// its reductions over time.
struct Walk {
  States states, totals;
};

class RowLoops {
public:
  RowLoops(OpBuilder &builder, KernelEmitter &emitter)
      : builder(builder), kernel(emitter.getKernel()), emitter(emitter),
        loc(kernel.getLoc()), length(emitter.getSizes()[kernel.getDim()]),
        held(emitter.getHeldReductions(kernel.getDim())) {}

  /// Emits the walk over `rows`, points whose index along the scan dimension is
  /// not set yet.
  void walk(MutableArrayRef<Point> rows);

private:
  /// The states before the first step that the time loop takes, which is the
  /// second step of the scan where there is no init.
  SmallVector<Value> start(MutableArrayRef<Point> rows);
  /// Emits a step of every row at time `i`. Empty states make it the first step
  /// of a scan without init.
  Walk step(MutableArrayRef<Point> rows, Value i, Walk walk);

  /// The carried leaves and the totals of all rows, and back with zeros for
  /// leaves that are not carried.
  SmallVector<Value> pack(const Walk &walk);
  Walk unpack(ValueRange carried, size_t numRows);
  States zeroTotals(size_t numRows) {
    return States(numRows, emitter.zeroReductions(held, /*width=*/1));
  }

  OpBuilder &builder;
  KernelOp kernel;
  KernelEmitter &emitter;
  Location loc;
  Value length;
  SmallVector<bool> held;
  /// Of each row the elements that do not vary along the scan dimension.
  SmallVector<SmallVector<SmallVector<Value>>> invariants;
};

} // namespace

SmallVector<Value> RowLoops::pack(const Walk &walk) {
  SmallVector<Value> packed;
  for (ArrayRef<Value> state : walk.states)
    for (auto [value, isCarried] : llvm::zip_equal(state, emitter.getCarried()))
      if (isCarried)
        packed.push_back(value);
  for (ArrayRef<Value> totals : walk.totals)
    llvm::append_range(packed, totals);
  return packed;
}

Walk RowLoops::unpack(ValueRange carried, size_t numRows) {
  Walk walk;
  for (size_t row = 0; row < numRows; ++row) {
    SmallVector<Value> state = emitter.zeroState(/*width=*/1);
    for (auto [value, isCarried] :
         llvm::zip_equal(state, emitter.getCarried())) {
      if (!isCarried)
        continue;
      value = carried.front();
      carried = carried.drop_front();
    }
    walk.states.push_back(std::move(state));
  }
  size_t numTotals = carried.size() / numRows;
  for (size_t row = 0; row < numRows; ++row) {
    walk.totals.push_back(llvm::to_vector(carried.take_front(numTotals)));
    carried = carried.drop_front(numTotals);
  }
  return walk;
}

Walk RowLoops::step(MutableArrayRef<Point> rows, Value i, Walk walk) {
  // All loads come first: as far as the optimiser knows, a store might overlap
  // any of them.
  Value time = emitter.getTime(i);
  States inputs, outputs;
  for (Point &row : rows) {
    row.indices[kernel.getDim()] = time;
    inputs.push_back(emitter.loadInputs(row, invariants[inputs.size()]));
  }
  for (size_t row = 0; row < rows.size(); ++row) {
    KernelEmitter::Step result =
        emitter.step(walk.states[row], inputs[row], rows[row]);
    walk.states[row] = std::move(result.state);
    emitter.addToReductions(held, result.outputs, walk.totals[row]);
    outputs.push_back(std::move(result.outputs));
  }
  for (auto [row, elements] : llvm::zip_equal(rows, outputs))
    emitter.storeOutputs(row, elements, held);
  return walk;
}

SmallVector<Value> RowLoops::start(MutableArrayRef<Point> rows) {
  if (kernel.hasInit()) {
    States states;
    for (Point &row : rows)
      states.push_back(emitter.initialize(row));
    return pack({std::move(states), zeroTotals(rows.size())});
  }
  Value isEmpty = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        length, emitter.index(0));
  SmallVector<Type> types;
  for (size_t row = 0; row < rows.size(); ++row)
    for (auto [type, isCarried] :
         llvm::zip_equal(kernel.getLeafTypes(), emitter.getCarried()))
      if (isCarried)
        types.push_back(type);
  for (size_t row = 0; row < rows.size(); ++row)
    llvm::append_range(types,
                       ValueRange(emitter.zeroReductions(held, 1)).getTypes());
  auto branch = scf::IfOp::create(builder, loc, types, isEmpty,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  States zeros;
  for (size_t row = 0; row < rows.size(); ++row)
    zeros.push_back(emitter.zeroState(/*width=*/1));
  scf::YieldOp::create(builder, loc,
                       pack({std::move(zeros), zeroTotals(rows.size())}));
  builder.setInsertionPointToStart(branch.elseBlock());
  Walk first = step(rows, emitter.index(0),
                    {States(rows.size()), zeroTotals(rows.size())});
  scf::YieldOp::create(builder, loc, pack(first));
  return branch.getResults();
}

void RowLoops::walk(MutableArrayRef<Point> rows) {
  // What is the same at every step is read once: then what depends on nothing
  // else need not be computed at every step either.
  invariants.clear();
  for (Point &row : rows)
    invariants.push_back(emitter.loadInvariants(row));
  SmallVector<Value> carried = start(rows);
  auto loop =
      scf::ForOp::create(builder, loc, emitter.index(kernel.hasInit() ? 0 : 1),
                         length, emitter.index(1), carried,
                         [&](OpBuilder &, Location, Value i, ValueRange state) {
                           Walk next =
                               step(rows, i, unpack(state, rows.size()));
                           scf::YieldOp::create(builder, loc, pack(next));
                         });
  if (kernel.getFinals().empty() && held.empty())
    return;
  Walk last = unpack(loop.getResults(), rows.size());
  for (auto [row, state, totals] :
       llvm::zip_equal(rows, last.states, last.totals)) {
    if (!kernel.getFinals().empty())
      emitter.finalize(row, state);
    emitter.storeReductions(row, held, totals);
  }
}

void mlir::scan::emitRowLoops(OpBuilder &builder,
                              MutableArrayRef<KernelEmitter> kernels,
                              unsigned rowsAtATime) {
  KernelEmitter &emitter = kernels.front();
  KernelOp kernel = emitter.getKernel();
  Location loc = kernel.getLoc();
  SmallVector<unsigned> outer;
  for (unsigned d = 0; d < kernel.getDomainRank(); ++d)
    if (d != kernel.getDim())
      outer.push_back(d);

  auto walk = [&](MutableArrayRef<Point> rows) {
    for (KernelEmitter &each : kernels)
      RowLoops(builder, each).walk(rows);
  };
  Point point;
  point.indices.resize(kernel.getDomainRank());
  OpBuilder::InsertionGuard guard(builder);
  if (outer.empty())
    return walk(point);

  Value zero = emitter.index(0), one = emitter.index(1);
  for (unsigned d : ArrayRef(outer).drop_back()) {
    auto loop =
        scf::ForOp::create(builder, loc, zero, emitter.getSizes()[d], one);
    point.indices[d] = loop.getInductionVar();
    builder.setInsertionPointToStart(loop.getBody());
  }

  unsigned d = outer.back();
  Value size = emitter.getSizes()[d];
  int64_t staticSize = emitter.getStaticSizes()[d];
  Value begin = zero;
  if (rowsAtATime > 1 &&
      (ShapedType::isDynamic(staticSize) || staticSize >= rowsAtATime)) {
    Value step = emitter.index(rowsAtATime);
    Value rest = arith::RemUIOp::create(builder, loc, size, step);
    begin = arith::SubIOp::create(builder, loc, size, rest);
    auto loop = scf::ForOp::create(builder, loc, zero, begin, step);
    OpBuilder::InsertionGuard loopGuard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<Point> group(rowsAtATime, point);
    for (unsigned row = 0; row < rowsAtATime; ++row)
      group[row].indices[d] = arith::AddIOp::create(
          builder, loc, loop.getInductionVar(), emitter.index(row));
    walk(group);
    if (!ShapedType::isDynamic(staticSize) && staticSize % rowsAtATime == 0)
      return;
  }
  auto loop = scf::ForOp::create(builder, loc, begin, size, one);
  builder.setInsertionPointToStart(loop.getBody());
  point.indices[d] = loop.getInductionVar();
  walk(point);
}
