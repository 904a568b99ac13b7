//===- KernelEmitter.cpp - Code for one point of a scan -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "IR/ScatteredOutputs.h"
#include "LoopPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::scan;

KernelEmitter::KernelEmitter(OpBuilder &builder, KernelOp kernel)
    : OperandAccess(builder, kernel),
      staticSizes(kernel.getStaticDomainShape()),
      carried(kernel.getCarriedLeaves()) {}

Value KernelEmitter::getTime(Value i) {
  if (!kernel.getReverse())
    return i;
  Value last =
      arith::SubIOp::create(builder, loc, sizes[kernel.getDim()], index(1));
  return arith::SubIOp::create(builder, loc, last, i);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

Value KernelEmitter::createIndex(unsigned dim, const Point &point) {
  Value first = splat(point.indices[dim], point.width);
  if (point.width == 1 || dim != point.laneDim)
    return first;
  SmallVector<int64_t> numbers =
      llvm::to_vector(llvm::seq<int64_t>(point.width));
  Value lanes = arith::ConstantOp::create(builder, loc,
                                          builder.getIndexVectorAttr(numbers));
  return arith::AddIOp::create(builder, loc, first, lanes);
}

void KernelEmitter::cloneOperation(Operation &op, IRMapping &mapping,
                                   const Point &point) {
  int64_t width = point.width;
  if (width > 1) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto type = VectorType::get(width, constant.getType());
      mapping.map(
          constant.getResult(),
          arith::ConstantOp::create(
              builder, loc, DenseElementsAttr::get(type, constant.getValue()))
              .getResult());
      return;
    }
  }
  if (auto index = dyn_cast<IndexOp>(op)) {
    mapping.map(index.getResult(), createIndex(index.getDim(), point));
    return;
  }
  Operation *clone = builder.clone(op, mapping);
  clone->walk([&](IndexOp index) {
    index.replaceAllUsesWith(point.indices[index.getDim()]);
    index.erase();
  });
  if (width > 1)
    for (OpResult result : clone->getResults())
      result.setType(VectorType::get(width, result.getType()));
}

SmallVector<Value> KernelEmitter::inlineRegion(Region &region,
                                               ValueRange arguments,
                                               const Point &point,
                                               const InvariantCode *known,
                                               ValueRange knownValues) {
  Block &block = region.front();
  IRMapping mapping;
  for (auto [parameter, argument] :
       llvm::zip_equal(block.getArguments(), arguments))
    if (argument)
      mapping.map(parameter, argument);
  if (known)
    mapping.map(known->getValues(), knownValues);
  for (Operation &op : block.without_terminator())
    if (!known || !known->isDone(&op))
      cloneOperation(op, mapping, point);
  return llvm::map_to_vector(
      block.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookup(value); });
}

bool KernelEmitter::isInvariantInput(OpOperand &operand) {
  // Of a shifted one, the steps at the boundary differ.
  unsigned number = operand.getOperandNumber();
  return kernel.getShift(number) == 0 && !kernel.isGathered(number) &&
         !kernel.getIndexingMap(operand).isFunctionOfDim(kernel.getDim());
}

SmallVector<SmallVector<Value>>
KernelEmitter::loadInvariants(const Point &point) {
  SmallVector<SmallVector<Value>> invariants;
  for (OpOperand &operand : operandsOf(kernel.getInputs())) {
    invariants.emplace_back();
    if (isInvariantInput(operand))
      load(operand, point, invariants.back());
  }
  return invariants;
}

SmallVector<Value>
KernelEmitter::loadInputs(const Point &point,
                          ArrayRef<SmallVector<Value>> invariants) {
  MutableArrayRef<OpOperand> inputs = operandsOf(kernel.getInputs());
  SmallVector<SmallVector<Value>> ofInputs(inputs.size());
  for (auto [i, operand, elements] : llvm::enumerate(inputs, ofInputs)) {
    if (kernel.isGathered(i))
      continue;
    if (!invariants.empty() && !invariants[i].empty())
      elements = invariants[i];
    else if (kernel.getShift(i) == 0)
      load(operand, point, elements);
    else if (point.width > 1 && point.laneDim == kernel.getDim())
      loadInBounds(operand, point, elements);
    else
      loadShifted(operand, point, elements);
  }
  SmallVector<Value> all;
  for (auto [i, operand, elements] : llvm::enumerate(inputs, ofInputs)) {
    if (kernel.isGathered(i))
      loadGathered(operand, point, ofInputs[kernel.getPlacesInput(i)].front(),
                   elements);
    llvm::append_range(all, elements);
  }
  return all;
}

SmallVector<Value> KernelEmitter::initialize(const Point &point) {
  SmallVector<Value> elements;
  for (OpOperand &operand : operandsOf(kernel.getInits()))
    load(operand, point, elements);
  return inlineRegion(kernel.getInitialize(), elements, point);
}

SmallVector<Value> KernelEmitter::zeroState(int64_t width) {
  return llvm::map_to_vector(kernel.getLeafTypes(),
                             [&](Type type) { return zero(type, width); });
}

const InvariantCode &KernelEmitter::getInvariantCode(Region &region) {
  bool isLoad = &region == &kernel.getLoad();
  std::optional<InvariantCode> &code = isLoad ? invariantLoad : invariantStore;
  if (code)
    return *code;
  SmallVector<bool> isInvariant(isLoad ? 0 : 2 * kernel.getNumLeaves(), false);
  for (OpOperand &operand : operandsOf(kernel.getInputs()))
    isInvariant.append(
        KernelOp::getNumElements(operand.get(), kernel.getIndexingMap(operand)),
        isInvariantInput(operand));
  code.emplace(region.front(), isInvariant, kernel.getDim());
  return *code;
}

SmallVector<Type> KernelEmitter::getInvariantTypes() {
  SmallVector<Type> types;
  for (Region *region : {&kernel.getLoad(), &kernel.getStore()})
    llvm::append_range(
        types, ValueRange(getInvariantCode(*region).getValues()).getTypes());
  return types;
}

SmallVector<Value> KernelEmitter::computeInvariants(const Point &point) {
  SmallVector<SmallVector<Value>> inputs = loadInvariants(point);
  SmallVector<Value> values;
  for (Region *region : {&kernel.getLoad(), &kernel.getStore()}) {
    const InvariantCode &code = getInvariantCode(*region);
    bool isLoad = region == &kernel.getLoad();
    unsigned next = isLoad ? 0 : 2 * kernel.getNumLeaves();
    IRMapping mapping;
    for (auto [i, operand] : llvm::enumerate(operandsOf(kernel.getInputs()))) {
      for (auto [j, element] : llvm::enumerate(inputs[i]))
        mapping.map(region->getArgument(next + j), element);
      next += KernelOp::getNumElements(operand.get(),
                                       kernel.getIndexingMap(operand));
    }
    for (Operation *op : code.getOperations())
      cloneOperation(*op, mapping, point);
    for (Value value : code.getValues())
      values.push_back(mapping.lookup(value));
  }
  return values;
}

KernelEmitter::Step KernelEmitter::step(ValueRange state, ValueRange inputs,
                                        const Point &point,
                                        ValueRange invariants) {
  const InvariantCode *load = nullptr, *store = nullptr;
  ValueRange ofLoad, ofStore;
  if (!invariants.empty()) {
    load = &getInvariantCode(kernel.getLoad());
    store = &getInvariantCode(kernel.getStore());
    ofLoad = invariants.take_front(load->getValues().size());
    ofStore = invariants.drop_front(load->getValues().size());
  }
  SmallVector<Value> fresh =
      inlineRegion(kernel.getLoad(), inputs, point, load, ofLoad);
  Step result;
  result.state = fresh;
  SmallVector<Value> exclusive(state);
  if (state.empty()) {
    // The verifier has checked that what is missing here is not used.
    exclusive.assign(kernel.getNumLeaves(), Value());
  } else {
    result.state = applyCombine(state, fresh, point);
  }
  SmallVector<Value> arguments(result.state);
  llvm::append_range(arguments, exclusive);
  llvm::append_range(arguments, inputs);
  result.outputs =
      inlineRegion(kernel.getStore(), arguments, point, store, ofStore);
  return result;
}

SmallVector<Value> KernelEmitter::applyCombine(ValueRange earlier,
                                               ValueRange later,
                                               const Point &point) {
  SmallVector<Value> arguments(earlier);
  llvm::append_range(arguments, later);
  return inlineRegion(kernel.getCombine(), arguments, point);
}

SmallVector<Value> KernelEmitter::applyStore(ValueRange inclusive,
                                             ValueRange exclusive,
                                             ValueRange inputs,
                                             const Point &point) {
  SmallVector<Value> arguments(inclusive);
  llvm::append_range(arguments, exclusive);
  llvm::append_range(arguments, inputs);
  return inlineRegion(kernel.getStore(), arguments, point);
}

void KernelEmitter::storeOutputs(ArrayRef<Point> points,
                                 ArrayRef<SmallVector<Value>> elements,
                                 ArrayRef<bool> held, Value streams) {
  auto storeAll = [&](StoreKind kind) {
    for (auto [point, values] : llvm::zip_equal(points, elements))
      storeOutputs(point, values, held, kind);
  };
  if (!streams)
    return storeAll(StoreKind::Plain);
  auto branch =
      scf::IfOp::create(builder, loc, streams, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  storeAll(StoreKind::Streaming);
  builder.setInsertionPointToStart(branch.elseBlock());
  storeAll(StoreKind::Plain);
}

void KernelEmitter::storeOutputs(const Point &point, ValueRange elements,
                                 ArrayRef<bool> held, StoreKind kind) {
  ValueRange all = elements;
  for (auto [i, operand] : llvm::enumerate(operandsOf(kernel.getOutputs()))) {
    int64_t count =
        KernelOp::getNumElements(operand.get(), kernel.getIndexingMap(operand));
    if (isScattered(kernel, i))
      storeAtPlace(operand, point, all[getPlaceNumber(kernel, i)],
                   elements.take_front(count));
    else if (held.empty() || count == 0 || !held.front())
      store(operand, point, elements.take_front(count),
            kernel.isReduction(i) ? StoreKind::Add : kind);
    elements = elements.drop_front(count);
    held = held.drop_front(held.empty() ? 0 : count);
  }
}

void KernelEmitter::finalize(const Point &point, ValueRange state) {
  SmallVector<Value> values = inlineRegion(kernel.getFinalize(), state, point);
  ValueRange elements(values);
  for (OpOperand &operand : operandsOf(kernel.getFinals())) {
    int64_t count =
        KernelOp::getNumElements(operand.get(), kernel.getIndexingMap(operand));
    store(operand, point, elements.take_front(count));
    elements = elements.drop_front(count);
  }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

SmallVector<bool> KernelEmitter::getHeldReductions(unsigned dim) {
  SmallVector<bool> held;
  for (auto [output, map] :
       llvm::zip_equal(kernel.getOutputs(), kernel.getOutputMaps()))
    held.append(KernelOp::getNumElements(output, map),
                !getPlaceDim(map) && !map.isFunctionOfDim(dim));
  if (!llvm::is_contained(held, true))
    held.clear();
  return held;
}

SmallVector<Value> KernelEmitter::zeroReductions(ArrayRef<bool> held,
                                                 int64_t width) {
  SmallVector<Value> totals;
  Operation *yield = kernel.getStore().front().getTerminator();
  for (auto [i, isHeld] : llvm::enumerate(held))
    if (isHeld)
      totals.push_back(zero(yield->getOperand(i).getType(), width));
  return totals;
}

void KernelEmitter::addToReductions(ArrayRef<bool> held, ValueRange elements,
                                    SmallVectorImpl<Value> &totals) {
  Value *total = totals.begin();
  for (auto [isHeld, element] : llvm::zip(held, elements))
    if (isHeld) {
      *total = add(*total, element);
      ++total;
    }
}

SmallVector<Value> KernelEmitter::reduceLanes(ValueRange totals) {
  // They are added up in any order in any case.
  auto flags = arith::FastMathFlags::reassoc;
  return llvm::map_to_vector(totals, [&](Value total) -> Value {
    return isa<VectorType>(total.getType())
               ? vector::ReductionOp::create(
                     builder, loc, vector::CombiningKind::ADD, total, flags)
               : total;
  });
}

void KernelEmitter::storeReductions(const Point &point, ArrayRef<bool> held,
                                    ValueRange totals) {
  for (OpOperand &operand : operandsOf(kernel.getOutputs())) {
    int64_t count =
        KernelOp::getNumElements(operand.get(), kernel.getIndexingMap(operand));
    if (count == 0 || held.empty())
      continue;
    if (held.front()) {
      store(operand, point, totals.take_front(count), StoreKind::Add);
      totals = totals.drop_front(count);
    }
    held = held.drop_front(count);
  }
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

int64_t KernelEmitter::getLanes(unsigned bits) {
  int64_t widest = 8;
  for (Type type : kernel.getLeafTypes())
    widest = std::max(widest, getStorageBits(type));
  for (Value operand : kernel->getOperands())
    widest = std::max(widest, getStorageBits(operand.getType()));
  return llvm::bit_floor(std::max<uint64_t>(bits / widest, 1));
}

std::string KernelEmitter::describeScalarCode() {
  auto fits = [](Type type) {
    return isa<IntegerType, IndexType, FloatType>(type);
  };
  for (Region &region : kernel->getRegions()) {
    if (region.empty())
      continue;
    if (!llvm::all_of(region.front().getArgumentTypes(), fits))
      return "there are no vectors of its complex numbers";
    for (Operation &op : region.front().without_terminator()) {
      bool isMappable = isa<arith::ConstantOp, IndexOp>(op) ||
                        OpTrait::hasElementwiseMappableTraits(&op);
      if (!isMappable || op.getNumRegions() != 0 ||
          !llvm::all_of(op.getResultTypes(), fits))
        return ("'" + op.getName().getStringRef() +
                "' does not work on vectors")
            .str();
    }
  }
  if (hasScatteredOutputs(kernel))
    return "an output is written to places that are computed";
  return "";
}

std::string KernelEmitter::describeScalar(unsigned laneDim) {
  std::string why = describeScalarCode();
  if (!why.empty())
    return why;
  int64_t contiguous = 0, elements = 0;
  for (OperandRange group : {kernel.getInputs(), kernel.getOutputs()}) {
    for (OpOperand &operand : operandsOf(group)) {
      LaneAccess access = getLaneAccess(operand, laneDim);
      contiguous += access == LaneAccess::Contiguous ||
                    access == LaneAccess::Flags ||
                    access == LaneAccess::Interleaved;
      elements += access == LaneAccess::Elements;
    }
  }
  return contiguous > elements ? "" : "most operands have gaps along vectors";
}

void KernelEmitter::completePlan(LoopPlan &plan) {
  unsigned laneDim =
      plan.laneDim.value_or(plan.rowDim.value_or(kernel.getDim()));
  for (Region *region : {&kernel.getLoad(), &kernel.getStore()})
    for (Operation &op : region->front().without_terminator())
      if (getInvariantCode(*region).isDone(&op))
        plan.hoisted.insert(&op);
  auto isNeeded = [&](Value value) {
    Block *block = cast<BlockArgument>(value).getOwner();
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return !plan.hoisted.contains(block->findAncestorOpInBlock(*user));
    });
  };
  auto add = [&](OpOperand &operand, int64_t count) {
    switch (getLaneAccess(operand, laneDim)) {
    case LaneAccess::Contiguous:
    case LaneAccess::Flags:
    case LaneAccess::Interleaved:
      plan.vectorElements += count;
      break;
    case LaneAccess::Elements:
      plan.singleElements += count;
      break;
    case LaneAccess::Invariant:
      break;
    }
  };
  auto ofLoad = kernel.getLoad().getArguments();
  auto ofStore =
      kernel.getStore().getArguments().drop_front(2 * kernel.getNumLeaves());
  for (OpOperand &operand : operandsOf(kernel.getInputs())) {
    int64_t elements =
        KernelOp::getNumElements(operand.get(), kernel.getIndexingMap(operand));
    int64_t needed = 0;
    for (int64_t i = 0; i < elements; ++i)
      needed += isNeeded(ofLoad[i]) || isNeeded(ofStore[i]);
    add(operand, needed);
    ofLoad = ofLoad.drop_front(elements);
    ofStore = ofStore.drop_front(elements);
  }
  for (OpOperand &operand : operandsOf(kernel.getOutputs()))
    add(operand, KernelOp::getNumElements(operand.get(),
                                          kernel.getIndexingMap(operand)));
  for (OpOperand *output : getContiguousOutputs(laneDim))
    plan.streamedBytes += getStorageBits(output->get().getType()) / 8;
  plan.carriedLeaves = llvm::count(carried, true);
}
