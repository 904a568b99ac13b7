//===- AssociativeScan.cpp - The scan of an associative scan's adjoint ----===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Utils/ScalarCast.h"
#include "AssociativeAdjoint.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

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
  if (segments.starts)
    reads.push_back({segments.starts, segments.getStartsMap(rank)});
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
  Value isFirst =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, position, start);
  if (!segments.starts)
    return isFirst;
  return arith::OrIOp::create(b, loc, isFirst,
                              args.drop_back(lastIndex ? 1 : 0).back());
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

SmallVector<Value> AssociativeAdjoint::getWholeCotangents(OpBuilder &b,
                                                          ValueRange args) {
  SmallVector<Value> g(parts.size());
  // The cotangents of an exclusive scan are those of the states before.
  if (!op.getExclusive())
    g = getCotangents(b, args);
  for (auto [k, i] : llvm::enumerate(carried)) {
    Value state = args[firstMore + k];
    g[i] = g[i] ? ScalarMath{b, loc}.add(g[i], state) : state;
  }
  return g;
}

/// The affine maps that the way back composes: entries and offsets.
void AssociativeAdjoint::createMaps() {
  SmallVector<LoopOperand> reads = getReads({});
  SmallVector<LoopResult> writes;
  for (auto [row, column] : entries)
    writes.push_back({combine->getType(carried[row]), sizes, identity});
  for (unsigned i : carried)
    writes.push_back({combine->getType(i), sizes, identity});
  SmallVector<Value> values = *createLoops(
      graph, loc, rank, reads, writes, [&](OpBuilder &b, ValueRange args) {
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
            op.getExclusive() ? seeds
                              : combine->emit(b, at, seeds, graph.isMasked());
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

Value AssociativeAdjoint::createBackwardInit(unsigned part) {
  Type type = combine->getType(part);
  Value last = lastCotangents[part];
  if (!last)
    return ScalarMath{builder, loc}.constant(type, 0.0);
  last = graph.castElements(loc, last, type);
  return segments.areFlags() ? segments.spreadLast(last, sizes, type) : last;
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
    inits.push_back(createBackwardInit(i));
    types.push_back(combine->getType(i));
  }
  bool wantsFirst =
      !segments.areFlags() && llvm::any_of(op.getInits(), [&](Value init) {
        return graph.isActive(init);
      });
  auto scan = AssociativeOp::create(
      builder, loc, leaves, inits, dim, !op.getReverse(), /*exclusive=*/true,
      wantsFirst, types,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        return emitComposition(b, loc, args);
      },
      segments.backward);
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
  bool wantsFirst = !op.getInits().empty() && !segments.areFlags() &&
                    graph.isActive(op.getInits()[parts[i].leaf]);
  auto scan = LinearRecurrenceOp::create(
      builder, loc, matrices[0], offsets[0], createBackwardInit(i), dim,
      !op.getReverse(),
      /*exclusive=*/true, wantsFirst, segments.backward);
  scan.setOrderAttr(op.getOrderAttr());
  u[i] = scan.getResult();
  first[i] = scan.getLast();
}
