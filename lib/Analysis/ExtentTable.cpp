//===- ExtentTable.cpp - Which dynamic extents are equal ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExtentTable.h"
#include "IR/ScanMaps.h"
#include "Scan/IR/ScanDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::scan;

/// The number of dimensions, 0 for what has none or an unknown number.
static unsigned getRank(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return type && type.hasRank() ? type.getRank() : 0;
}

//===----------------------------------------------------------------------===//
// Classes of equal extents
//===----------------------------------------------------------------------===//

unsigned ExtentTable::find(unsigned number) {
  while (parents[number] != number)
    number = parents[number] = parents[parents[number]];
  return number;
}

unsigned ExtentTable::getClass(Key key) {
  auto [it, isNew] = classes.try_emplace(key, parents.size());
  if (isNew) {
    keys.push_back(key);
    for (std::vector<unsigned> *list : {&parents, &next, &last})
      list->push_back(it->second);
  }
  return find(it->second);
}

SmallVector<ExtentTable::Key> ExtentTable::getMembers(unsigned number) const {
  SmallVector<Key> members = {keys[number]};
  for (; number != next[number]; number = next[number])
    members.push_back(keys[next[number]]);
  return members;
}

bool ExtentTable::unify(Key a, Key b) {
  unsigned to = getClass(a), from = getClass(b);
  if (to == from)
    return false;
  parents[from] = to;
  next[last[to]] = from;
  last[to] = last[from];
  return true;
}

void ExtentTable::unify(Key a, OpFoldResult b) {
  if (auto value = dyn_cast<Value>(b))
    unify(a, Key(value, kIndex));
}

void ExtentTable::unifyShapes(Value a, Value b) {
  if (getRank(a) == getRank(b))
    for (unsigned d = 0, e = getRank(a); d < e; ++d)
      unify(Key(a, d), Key(b, d));
}

/// Dimensions of operands and results that one loop runs over are equal.
void ExtentTable::unifyMapped(ValueRange values, ArrayRef<AffineMap> maps) {
  llvm::DenseMap<unsigned, Key> first;
  for (auto [value, map] : llvm::zip_equal(values, maps)) {
    if (getRank(value) < map.getNumResults())
      continue;
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
        Key key(value, i);
        auto [it, isNew] = first.try_emplace(dim.getPosition(), key);
        if (!isNew)
          unify(it->second, key);
      }
  }
}

/// Operations that take a tensor apart or make one of given extents.
void ExtentTable::addShapeOperation(Operation *op) {
  auto unifySizes = [&](Value shaped, ArrayRef<OpFoldResult> sizes,
                        const llvm::SmallBitVector &dropped) {
    unsigned d = 0;
    for (auto [i, size] : llvm::enumerate(sizes))
      if (!dropped.test(i))
        unify(Key(shaped, d++), size);
  };
  auto unifyDynamicSizes = [&](Value shaped, ValueRange sizes) {
    unsigned next = 0;
    auto type = cast<ShapedType>(shaped.getType());
    for (unsigned d = 0, e = type.getRank(); d < e; ++d)
      if (type.isDynamicDim(d))
        unify(Key(shaped, d), Key(sizes[next++], kIndex));
  };
  auto unifyDim = [&](auto dim) {
    std::optional<int64_t> index = dim.getConstantIndex();
    if (index && *index >= 0 && *index < getRank(dim.getSource()))
      unify(Key(dim.getSource(), *index), Key(dim.getResult(), kIndex));
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<tensor::DimOp, memref::DimOp>(unifyDim)
      .Case<tensor::EmptyOp, tensor::SplatOp>([&](auto make) {
        unifyDynamicSizes(make.getResult(), make.getDynamicSizes());
      })
      .Case<tensor::GenerateOp>([&](auto make) {
        unifyDynamicSizes(make.getResult(), make.getDynamicExtents());
      })
      .Case<memref::AllocOp, memref::AllocaOp>([&](auto make) {
        unifyDynamicSizes(make.getResult(), make.getDynamicSizes());
      })
      .Case<tensor::ExtractSliceOp, memref::SubViewOp>([&](auto slice) {
        unifySizes(slice.getResult(), slice.getMixedSizes(),
                   slice.getDroppedDims());
      })
      .Case<tensor::InsertSliceOp>([&](tensor::InsertSliceOp slice) {
        unifySizes(slice.getSource(), slice.getMixedSizes(),
                   slice.getDroppedDims());
        unifyShapes(slice.getDest(), slice.getResult());
      })
      .Case<tensor::ParallelInsertSliceOp>([&](auto slice) {
        unifySizes(slice.getSource(), slice.getMixedSizes(),
                   slice.getDroppedDims());
      })
      .Case<tensor::InsertOp, tensor::ScatterOp, ScatterOp>([&](auto update) {
        unifyShapes(update.getDest(), update.getResult());
      })
      .Case<tensor::CastOp, memref::CastOp>([&](auto cast) {
        unifyShapes(cast->getOperand(0), cast->getResult(0));
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>([&](auto cast) {
        unify(Key(cast.getIn(), kIndex), Key(cast.getOut(), kIndex));
      })
      .Case<tensor::ExpandShapeOp>([&](tensor::ExpandShapeOp expand) {
        unifySizes(expand.getResult(), expand.getMixedOutputShape(),
                   llvm::SmallBitVector(getRank(expand.getResult())));
      })
      .Case<memref::CopyOp>([&](memref::CopyOp copy) {
        unifyShapes(copy.getSource(), copy.getTarget());
      });
}

void ExtentTable::addOperation(Operation *op) {
  addShapeOperation(op);
  if (auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(op))
    for (OpResult result : op->getResults())
      unifyShapes(destinationStyle.getTiedOpOperand(result)->get(), result);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    unifyMapped(op->getOperands(), linalgOp.getIndexingMapsArray());
  } else if (std::optional<ScanMaps> maps = getScanMaps(op)) {
    SmallVector<Value> values(op->getOperands());
    llvm::append_range(values, op->getResults());
    llvm::append_range(maps->operandMaps, maps->resultMaps);
    unifyMapped(values, maps->operandMaps);
  } else if (OpTrait::hasElementwiseMappableTraits(op) ||
             op->hasTrait<OpTrait::SameOperandsAndResultType>() ||
             op->hasTrait<OpTrait::SameOperandsAndResultShape>()) {
    SmallVector<Value> values(op->getOperands());
    llvm::append_range(values, op->getResults());
    llvm::erase_if(values, [](Value value) { return getRank(value) == 0; });
    for (Value value : llvm::drop_begin(values, values.empty() ? 0 : 1))
      unifyShapes(values.front(), value);
  }
}

/// What is carried through a loop or chosen by a branch keeps its extents if
/// all that becomes of it does.
void ExtentTable::addLoops(Operation *root) {
  bool changed = true;
  auto unifyIfSame = [&](ArrayRef<Value> given, ArrayRef<Value> others) {
    for (unsigned d = 0, e = getRank(given.front()); d < e; ++d)
      if (llvm::all_of(given, [&](Value value) {
            return getRank(value) == e &&
                   getClass({value, d}) == getClass({given.front(), d});
          }))
        for (Value other : others)
          if (getRank(other) == e)
            changed |= unify(Key(given.front(), d), Key(other, d));
  };
  while (changed) {
    changed = false;
    root->walk([&](Operation *op) {
      if (auto branch = dyn_cast<scf::IfOp>(op)) {
        for (OpResult result : branch.getResults()) {
          unsigned i = result.getResultNumber();
          unifyIfSame({branch.thenYield().getOperand(i),
                       branch.elseYield().getOperand(i)},
                      {result});
        }
        return;
      }
      auto loop = dyn_cast<LoopLikeOpInterface>(op);
      std::optional<ResultRange> results =
          loop ? loop.getLoopResults() : std::nullopt;
      if (!results || isa<scf::WhileOp>(op))
        return;
      MutableArrayRef<OpOperand> inits = loop.getInitsMutable();
      auto arguments = loop.getRegionIterArgs();
      std::optional<MutableArrayRef<OpOperand>> yields =
          loop.getYieldedValuesMutable();
      for (unsigned i = 0;
           i < inits.size() && i < arguments.size() && i < results->size();
           ++i) {
        Value init = inits[i].get(), argument = arguments[i];
        // `scf.forall` yields nothing: it writes into what it shares.
        if (!yields || yields->size() != inits.size()) {
          unifyIfSame({init}, {argument, (*results)[i]});
          continue;
        }
        unifyIfSame({argument, (*yields)[i].get()}, {init, (*results)[i]});
      }
    });
  }
}

ExtentTable::ExtentTable(Operation *root) : root(root) {
  root->walk([&](Operation *op) { addOperation(op); });
  addLoops(root);
}

ExtentTable::ExtentTable(Operation *root, Operation *at) : root(root) {
  while (at && at != root) {
    for (Operation &op : *at->getBlock())
      addOperation(&op);
    at = at->getParentOp();
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

SymbolicPolynomial ExtentTable::makeSymbol(std::string name) {
  names.push_back(std::move(name));
  return SymbolicPolynomial::getSymbol(names.size() - 1);
}

SymbolicPolynomial ExtentTable::makeUnknown() {
  return makeSymbol("n" + std::to_string(numUnknown++));
}

std::optional<SymbolicPolynomial> ExtentTable::getDefinition(Key key) {
  Operation *op = key.first.getDefiningOp();
  unsigned dim = key.second;
  if (!op)
    return std::nullopt;
  if (dim == kIndex) {
    auto operand = [&](unsigned i) {
      return getValue({op->getOperand(i), kIndex});
    };
    if (isa<arith::AddIOp>(op))
      return operand(0) + operand(1);
    if (isa<arith::SubIOp>(op))
      return operand(0) - operand(1);
    if (isa<arith::MulIOp>(op))
      return operand(0) * operand(1);
    return std::nullopt;
  }
  auto productOf = [&](Value source, ArrayRef<ReassociationIndices> groups) {
    SymbolicPolynomial product = 1;
    for (int64_t d : groups[dim])
      product = product * getExtent(source, d);
    return product;
  };
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return productOf(collapse.getSrc(), collapse.getReassociationIndices());
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op))
    return productOf(collapse.getSrc(), collapse.getReassociationIndices());
  return std::nullopt;
}

SymbolicPolynomial ExtentTable::getValue(Key key) {
  unsigned number = getClass(key);
  auto known = values.find(number);
  if (known != values.end())
    return known->second;

  std::optional<std::pair<unsigned, unsigned>> argument;
  auto function = dyn_cast<FunctionOpInterface>(root);
  SmallVector<Key> members = getMembers(number);
  for (auto [value, dim] : members) {
    if (dim == kIndex) {
      if (std::optional<int64_t> constant = getConstantIntValue(value))
        return values[number] = *constant;
    } else if (auto type = cast<ShapedType>(value.getType());
               !type.isDynamicDim(dim)) {
      return values[number] = type.getDimSize(dim);
    }
    auto blockArgument = dyn_cast<BlockArgument>(value);
    if (!blockArgument || !function || function.isExternal() ||
        blockArgument.getOwner() != &function.getFunctionBody().front())
      continue;
    std::pair<unsigned, unsigned> place(blockArgument.getArgNumber(), dim);
    // The extent of a tensor is a better name than an index that equals it.
    if (!argument || std::pair(argument->second == kIndex, *argument) >
                         std::pair(dim == kIndex, place))
      argument = place;
  }
  if (argument) {
    std::string name = "arg" + std::to_string(argument->first);
    if (argument->second != kIndex)
      name += "_d" + std::to_string(argument->second);
    return values[number] = makeSymbol(name);
  }
  // Definitions that go round in a circle say nothing.
  if (inProgress.insert(number).second) {
    for (Key key : members)
      if (std::optional<SymbolicPolynomial> polynomial = getDefinition(key)) {
        inProgress.erase(number);
        return values[number] = *polynomial;
      }
    inProgress.erase(number);
  }
  return values[number] = makeUnknown();
}

SymbolicPolynomial ExtentTable::getExtent(Value shaped, unsigned dim) {
  return getValue({shaped, dim});
}

SmallVector<SymbolicPolynomial> ExtentTable::getExtents(Value shaped) {
  SmallVector<SymbolicPolynomial> extents;
  for (unsigned d = 0, e = getRank(shaped); d < e; ++d)
    extents.push_back(getExtent(shaped, d));
  return extents;
}

SymbolicPolynomial ExtentTable::getNumElements(Value shaped) {
  auto type = dyn_cast<ShapedType>(shaped.getType());
  if (type && !type.hasRank())
    return makeUnknown();
  SymbolicPolynomial product = 1;
  for (const SymbolicPolynomial &extent : getExtents(shaped))
    product = product * extent;
  return product;
}

SymbolicPolynomial ExtentTable::getIndex(OpFoldResult index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return *constant;
  auto value = dyn_cast<Value>(index);
  return value ? getValue({value, kIndex}) : makeUnknown();
}

std::string ExtentTable::toString(const SymbolicPolynomial &polynomial) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  polynomial.print(
      os, [&](SymbolicPolynomial::Symbol symbol) { return names[symbol]; });
  return text;
}

std::optional<SymbolicPolynomial> ExtentTable::lookup(StringRef name) {
  for (auto [i, known] : llvm::enumerate(names))
    if (known == name)
      return SymbolicPolynomial::getSymbol(i);
  auto function = dyn_cast<FunctionOpInterface>(root);
  unsigned number, dim = kIndex;
  if (!function || function.isExternal() || !name.consume_front("arg"))
    return std::nullopt;
  if (name.consumeInteger(10, number) ||
      (name.consume_front("_d") && name.consumeInteger(10, dim)) ||
      !name.empty() || number >= function.getNumArguments())
    return std::nullopt;
  Value argument = function.getArgument(number);
  if (dim == kIndex ? !argument.getType().isIntOrIndex()
                    : dim >= getRank(argument))
    return std::nullopt;
  return getValue({argument, dim});
}
