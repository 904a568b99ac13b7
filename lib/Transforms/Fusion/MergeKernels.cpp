//===- MergeKernels.cpp - Two kernels become one --------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergeKernels.h"
#include "IR/KernelParts.h"
#include "IR/OperatorFacts.h"
#include "IR/ScatteredOutputs.h"
#include "KernelFusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;

/// Two kernels that share a vector of coefficients among large tensors gain
/// nothing worth the registers: this part of the bytes has to be saved.
static constexpr int64_t kLeastSavedPart = 16;

static Operation *getFunction(Block &block) {
  Operation *parent = block.getParentOp();
  if (isa<FunctionOpInterface>(parent))
    return parent;
  Operation *function = parent->getParentOfType<FunctionOpInterface>();
  return function ? function : parent;
}

MergeFacts::MergeFacts(Block &block) : block(block) {
  for (KernelOp kernel : block.getOps<KernelOp>())
    kernels.try_emplace(kernel, kernels.size());
  for (Operation &op : block) {
    llvm::BitVector ofOp;
    auto add = [&](Value value) {
      Operation *def = value.getDefiningOp();
      def = def ? block.findAncestorOpInBlock(*def) : nullptr;
      if (!def || def == &op)
        return;
      ofOp.resize(kernels.size());
      if (auto it = needed.find(def); it != needed.end())
        ofOp |= it->second;
      if (auto it = kernels.find(def); it != kernels.end())
        ofOp.set(it->second);
    };
    op.walk<WalkOrder::PreOrder>([&](Operation *inner) {
      llvm::for_each(inner->getOperands(), add);
      return inner->hasTrait<OpTrait::IsIsolatedFromAbove>()
                 ? WalkResult::skip()
                 : WalkResult::advance();
    });
    if (ofOp.any())
      needed[&op] = std::move(ofOp);
  }
}

TrafficAnalysis &MergeFacts::getTraffic() {
  if (!traffic)
    traffic.emplace(getFunction(block), &block.front());
  return *traffic;
}

bool MergeFacts::dependsOn(KernelOp kernel, KernelOp other) const {
  auto it = needed.find(kernel);
  return it != needed.end() && it->second.test(kernels.at(other));
}

const MergeFacts::KernelFacts &MergeFacts::getFacts(KernelOp kernel) {
  std::unique_ptr<KernelFacts> &known = facts[kernel];
  if (known)
    return *known;
  known = std::make_unique<KernelFacts>();
  for (unsigned d = 0, e = kernel.getDomainRank(); d < e; ++d) {
    auto [operand, dim] = kernel.getDomainDimSource(d);
    known->domain.push_back(
        getTraffic().getExtents().getExtent(operand->get(), dim));
  }
  OperationTraffic moved = getTraffic().getTraffic(kernel);
  known->reads = std::move(moved.reads);
  known->read = moved.bytes.read;
  known->total = moved.bytes.getTotal();
  return *known;
}

bool MergeFacts::haveSameDomain(KernelOp first, KernelOp second) {
  return getFacts(first).domain == getFacts(second).domain;
}

bool MergeFacts::isWorthMerging(KernelOp first, KernelOp second,
                                ArrayRef<unsigned> chained) {
  if (!chained.empty())
    return isWorthChaining(first, second, chained);
  const KernelFacts &ofFirst = getFacts(first), &ofSecond = getFacts(second);
  SymbolicPolynomial total = ofFirst.total + ofSecond.total;
  // No more is saved than all that either reads. That is asked first because
  // of the kernels that read one input most write too much for one more.
  if (!scan::isWorthMerging(ofFirst.read, total) ||
      !scan::isWorthMerging(ofSecond.read, total))
    return false;
  SmallVector<MemoryAccess> reads(ofFirst.reads);
  llvm::append_range(reads, ofSecond.reads);
  SymbolicPolynomial saved =
      ofFirst.read + ofSecond.read - getTraffic().getDistinctBytes(reads);
  return scan::isWorthMerging(saved, total);
}

bool MergeFacts::isWorthChaining(KernelOp first, KernelOp second,
                                 ArrayRef<unsigned> chained,
                                 const llvm::SmallBitVector &readTwice,
                                 bool staysFirst) {
  Bytes bytes = getTraffic().getTraffic(first).bytes;
  SymbolicPolynomial readFirst = bytes.read;
  bytes += getTraffic().getTraffic(second).bytes;
  SymbolicPolynomial saved =
      bytes.read - getTraffic().getDistinctReads({first, second});
  // What the second one takes from the first one is not read, and if nobody
  // else does, not written.
  llvm::SmallDenseSet<Value> taken;
  for (unsigned input : chained) {
    Value value = second.getInputs()[input];
    if (!taken.insert(value).second)
      continue;
    saved = saved + getTraffic().getBytes(value);
    if (isReadOnlyBy(value, second))
      saved = saved + getTraffic().getBytes(value);
  }
  if (staysFirst)
    saved = saved - readFirst;
  for (unsigned input : readTwice.set_bits())
    if (Value value = first.getInputs()[input];
        isa<ShapedType>(value.getType()))
      saved = saved - getTraffic().getBytes(value);
  return scan::isWorthMerging(saved, bytes.getTotal());
}

MergeFacts &MergeFactsCache::get(Block &block) {
  if (!facts || &facts->getBlock() != &block)
    facts.emplace(block);
  return *facts;
}

void MergeFactsCache::forget(Operation *op) {
  // What a kernel computes at a point says nothing of the block.
  if (!isa_and_nonnull<KernelOp>(op->getParentOp()))
    facts.reset();
}

bool scan::isWorthMerging(const SymbolicPolynomial &saved,
                          const SymbolicPolynomial &total) {
  return !saved.isZero() && total.isAtMostForLargeExtents(
                                saved * SymbolicPolynomial(kLeastSavedPart));
}

/// The discardable attributes that have to be the same: not what is known of
/// the operators.
static DictionaryAttr getOtherAttributes(KernelOp kernel) {
  NamedAttrList attributes(kernel->getDiscardableAttrDictionary());
  attributes.erase(kOperatorFactsAttrName);
  return attributes.getDictionary(kernel.getContext());
}

bool scan::areAlike(KernelOp first, KernelOp second, std::string &why,
                    bool mayGiveInit, unsigned mostLeaves) {
  if (first.isBidirectional() || second.isBidirectional())
    why = "one of them scans in both directions already";
  else if (first.hasSegmentOffsets() || second.hasSegmentOffsets())
    why = "one of them reads a list of segment offsets";
  else if (first.hasGathered() || second.hasGathered())
    why = "one of them has a gathered input";
  else if (hasScatteredOutputs(first) || hasScatteredOutputs(second))
    why = "an output of one of them is scattered";
  else if (first.getDomainRank() != second.getDomainRank() ||
           first.getDim() != second.getDim())
    why = "they scan along different dimensions";
  else if (first.getOrderAttr() != second.getOrderAttr() ||
           first.getScheduleAttr() != second.getScheduleAttr() ||
           getOtherAttributes(first) != getOtherAttributes(second))
    why = "their attributes differ";
  else if (first.hasInit() != second.hasInit() &&
           !(mayGiveInit &&
             canBeginAtIdentity(first.hasInit() ? second : first)))
    why = "only one of them has initial states";
  else if (first.getNumLeaves() + second.getNumLeaves() > mostLeaves)
    why = "there would be more than " + std::to_string(mostLeaves) + " leaves";
  else
    return true;
  return false;
}

bool scan::isReadOnlyBy(Value value, Operation *reader) {
  return llvm::all_of(value.getUsers(),
                      [&](Operation *user) { return user == reader; });
}

SmallVector<unsigned> scan::getInputsFrom(KernelOp first, KernelOp second) {
  SmallVector<unsigned> inputs;
  for (auto [i, input] : llvm::enumerate(second.getInputs()))
    if (input.getDefiningOp() == first)
      inputs.push_back(i);
  return inputs;
}

/// Whether `first` stores what input `number` of `second` reads for each of its
/// points, wherever that is, and no leaf needs it.
static bool isReadByStore(KernelOp first, KernelOp second, unsigned number) {
  auto result = cast<OpResult>(second.getInputs()[number]);
  if (result.getResultNumber() >= first.getOutputs().size() ||
      first.isReduction(result.getResultNumber()) ||
      second.getInputMaps()[number] !=
          first.getOutputMaps()[result.getResultNumber()] ||
      second.isBoundary(number))
    return false;
  SmallVector<Value> inputs(second.getInputs());
  auto [begin, count] = getElementRange(inputs, second.getInputMaps(), number);
  return llvm::all_of(
      second.getLoad().front().getArguments().slice(begin, count),
      [](BlockArgument argument) { return argument.use_empty(); });
}

bool scan::isReadWhereStored(KernelOp first, KernelOp second, unsigned number) {
  return second.getShift(number) == 0 && isReadByStore(first, second, number);
}

/// What `kernel` stores for its result `number`, in the order of elements.
static ValueRange getStored(KernelOp kernel, unsigned number) {
  SmallVector<Value> outputs(kernel.getOutputs());
  auto [begin, count] =
      getElementRange(outputs, kernel.getOutputMaps(), number);
  return kernel.getStore().front().getTerminator()->getOperands().slice(begin,
                                                                        count);
}

/// The leaf of which `value` of the store region is the inclusive state, or
/// that rounded to the type in memory; none if it is something else.
static std::optional<unsigned> findInclusiveLeaf(KernelOp kernel, Value value) {
  if (auto rounded = value.getDefiningOp<arith::TruncFOp>())
    value = rounded.getIn();
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getArgNumber() >= kernel.getNumLeaves())
    return std::nullopt;
  return argument.getArgNumber();
}

/// Whether input `number` of `second`, a result of `first` one step later,
/// continues with what `first` would store of its initial state.
static bool continuesWithInit(KernelOp first, KernelOp second,
                              unsigned number) {
  if (first.getInits().size() != 1)
    return false;
  int64_t boundary = second.getBoundary(number);
  Value init = first.getInits().front();
  AffineMap initMap = first.getInitMaps().front();
  if (second.getInputs()[boundary] != init ||
      second.getInputMaps()[boundary] != initMap)
    return false;
  bool isScalar = KernelOp::getNumElements(init, initMap) == 1;
  Operation *yield = first.getInitialize().front().getTerminator();
  unsigned result =
      cast<OpResult>(second.getInputs()[number]).getResultNumber();
  for (auto [i, stored] : llvm::enumerate(getStored(first, result))) {
    Value begin = yield->getOperand(*findInclusiveLeaf(first, stored));
    if (auto extended = begin.getDefiningOp<arith::ExtFOp>())
      begin = extended.getIn();
    auto argument = dyn_cast<BlockArgument>(begin);
    if (!argument || argument.getType() != stored.getType() ||
        argument.getArgNumber() != (isScalar ? 0 : i))
      return false;
  }
  return true;
}

bool scan::isReadOneStepLater(KernelOp first, KernelOp second, unsigned number,
                              bool anyBoundary) {
  if (second.getShift(number) != (first.getReverse() ? -1 : 1) ||
      !isReadByStore(first, second, number))
    return false;
  auto result = cast<OpResult>(second.getInputs()[number]);
  auto isState = [&](Value stored) {
    return findInclusiveLeaf(first, stored).has_value();
  };
  if (!llvm::all_of(getStored(first, result.getResultNumber()), isState))
    return false;
  // Which step is the last one is not known where the extent is dynamic.
  int64_t extent = second.getStaticDomainShape()[second.getDim()];
  bool canChoose = !first.getReverse() || !ShapedType::isDynamic(extent);
  return (anyBoundary && canChoose) || continuesWithInit(first, second, number);
}

/// `stored`, the inclusive state of a leaf or that rounded, one step before.
static Value createStoredBefore(RewriterBase &rewriter, KernelOp kernel,
                                Value stored) {
  Value before = kernel.getStore().getArgument(
      kernel.getNumLeaves() + *findInclusiveLeaf(kernel, stored));
  if (before.getType() == stored.getType())
    return before;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfterValue(stored);
  return arith::TruncFOp::create(rewriter, stored.getLoc(), stored.getType(),
                                 before);
}

LogicalResult scan::provideOperands(RewriterBase &rewriter, KernelOp first,
                                    KernelOp second,
                                    ArrayRef<unsigned> except) {
  SmallVector<Value> needed;
  for (OpOperand &operand : second->getOpOperands()) {
    Operation *def = operand.get().getDefiningOp();
    if (!def || def->getBlock() != first->getBlock() ||
        def->isBeforeInBlock(first) ||
        llvm::is_contained(except, operand.getOperandNumber()))
      continue;
    if (def == first)
      return failure();
    needed.push_back(operand.get());
  }
  return needed.empty() ? success()
                        : moveValueDefinitions(rewriter, needed, first);
}

/// Moves the code of `from` to the end of `to` and yields what both have
/// yielded. `arguments` stand for those of `from`; where one is null, `to` gets
/// a new argument at the next of `positions`.
static void appendBlock(RewriterBase &rewriter, Block &to, Block &from,
                        SmallVector<Value> arguments,
                        ArrayRef<unsigned> positions) {
  for (auto [argument, stand] :
       llvm::zip_equal(from.getArguments(), arguments)) {
    if (stand)
      continue;
    stand = to.insertArgument(positions.front(), argument.getType(),
                              argument.getLoc());
    positions = positions.drop_front();
  }
  Operation *yield = to.getTerminator(), *other = from.getTerminator();
  SmallVector<Value> yields(yield->getOperands());
  rewriter.inlineBlockBefore(&from, yield, arguments);
  llvm::append_range(yields, other->getOperands());
  rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(yields); });
  rewriter.eraseOp(other);
}

/// `count` numbers from `first` on.
static void addRange(SmallVector<unsigned> &positions, unsigned first,
                     unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    positions.push_back(first + i);
}

KernelOp scan::mergeKernels(RewriterBase &rewriter, KernelOp first,
                            KernelOp second, ArrayRef<unsigned> chained) {
  OpBuilder::InsertionGuard guard(rewriter);
  for (unsigned input : chained)
    if (second.getShift(input) != 0 && !continuesWithInit(first, second, input))
      chooseBoundary(rewriter, second, input);
  rewriter.setInsertionPoint(first);
  KernelParts parts(first), added(second);
  unsigned outputs = parts.outputs.size(), finals = parts.finals.size();
  unsigned inputs = parts.inputs.size();
  unsigned leaves = first.getNumLeaves(), others = second.getNumLeaves();
  OperatorFacts facts =
      joinFacts(getOperatorFacts(first), getOperatorFacts(second));

  // What the first kernel stores stands for what the second one reads of it.
  Block &secondStore = second.getStore().front();
  SmallVector<Value> stored(secondStore.getNumArguments());
  for (unsigned input : llvm::reverse(chained)) {
    auto [begin, count] = getElementRange(added.inputs, added.inputMaps, input);
    auto result = cast<OpResult>(added.inputs[input]);
    for (auto [i, value] :
         llvm::enumerate(getStored(first, result.getResultNumber())))
      stored[2 * others + begin + i] =
          added.isShifted(input) ? createStoredBefore(rewriter, first, value)
                                 : value;
    second.getLoad().front().eraseArguments(begin, count);
  }
  for (unsigned input : llvm::reverse(chained))
    added.eraseInput(input);

  for (unsigned i = 0; i < added.inputs.size(); ++i)
    parts.addInput(added.inputs[i], added.inputMaps[i], added.shifts[i],
                   added.boundaries[i] + (added.isShifted(i) ? inputs : 0));
  llvm::append_range(parts.inits, added.inits);
  llvm::append_range(parts.initMaps, added.initMaps);
  llvm::append_range(parts.outputs, added.outputs);
  llvm::append_range(parts.outputMaps, added.outputMaps);
  llvm::append_range(parts.finals, added.finals);
  llvm::append_range(parts.finalMaps, added.finalMaps);
  KernelOp merged = parts.rebuild(rewriter, first);

  auto append = [&](Region &to, Region &from, ArrayRef<unsigned> positions) {
    appendBlock(rewriter, to.front(), from.front(),
                SmallVector<Value>(from.getNumArguments()), positions);
  };
  auto behind = [](Region &to, Region &from) {
    SmallVector<unsigned> positions;
    addRange(positions, to.getNumArguments(), from.getNumArguments());
    return positions;
  };
  append(merged.getLoad(), second.getLoad(),
         behind(merged.getLoad(), second.getLoad()));
  append(merged.getInitialize(), second.getInitialize(),
         behind(merged.getInitialize(), second.getInitialize()));
  append(merged.getFinalize(), second.getFinalize(),
         behind(merged.getFinalize(), second.getFinalize()));
  // Two groups of values for the leaves; then, in `store`, the inputs.
  SmallVector<unsigned> positions;
  addRange(positions, leaves, others);
  addRange(positions, 2 * leaves + others, others);
  append(merged.getCombine(), second.getCombine(), positions);
  setOperatorFacts(merged, facts);
  addRange(positions, merged.getStore().getNumArguments() + 2 * others,
           secondStore.getNumArguments() - 2 * others);
  appendBlock(rewriter, merged.getStore().front(), secondStore, stored,
              positions);

  SmallVector<Value> firstResults, secondResults;
  ResultRange results = merged.getResults();
  unsigned newOutputs = second.getOutputs().size();
  llvm::append_range(firstResults, results.take_front(outputs));
  llvm::append_range(secondResults, results.slice(outputs, newOutputs));
  llvm::append_range(firstResults, results.slice(outputs + newOutputs, finals));
  llvm::append_range(secondResults,
                     results.drop_front(outputs + newOutputs + finals));
  rewriter.replaceOp(second, secondResults);
  rewriter.replaceOp(first, firstResults);
  return merged;
}
