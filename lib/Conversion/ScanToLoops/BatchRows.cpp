//===- BatchRows.cpp - Loops that treat indices apart ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dimension of one output is taken to be the batch dimension. Each operation
// that has an operand with it hands it on to its other operands, by the loop
// that indexes it, until nothing changes; then all that is written must have
// it. Buffers have it, not views: two views of a buffer are of one memory.
//
//===----------------------------------------------------------------------===//

#include "BatchRows.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::scan;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// The memref that `view` is one of; null if it is no view.
static Value getSource(Value view) {
  Operation *op = view.getDefiningOp();
  if (isa_and_present<memref::SubViewOp, memref::CastOp,
                      memref::CollapseShapeOp, memref::ExpandShapeOp>(op))
    return op->getOperand(0);
  return {};
}

static Value getBuffer(Value memref) {
  while (Value source = getSource(memref))
    memref = source;
  return memref;
}

/// Calls `each` for dimensions of a view and its source that are the same:
/// those of which the view has the first elements.
static void forSameDims(Value view,
                        function_ref<void(unsigned ofView, unsigned)> each) {
  Operation *op = view.getDefiningOp();
  auto ofGroups = [&](ArrayRef<ReassociationIndices> groups, bool isExpanded) {
    for (auto [number, group] : llvm::enumerate(groups))
      if (group.size() == 1)
        each(isExpanded ? group.front() : number,
             isExpanded ? number : group.front());
  };
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op))
    return ofGroups(collapse.getReassociationIndices(), /*isExpanded=*/false);
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(op))
    return ofGroups(expand.getReassociationIndices(), /*isExpanded=*/true);
  auto type = dyn_cast<MemRefType>(op->getOperand(0).getType());
  if (!type || !isa<MemRefType>(view.getType()))
    return;
  auto subview = dyn_cast<memref::SubViewOp>(op);
  unsigned ofView = 0;
  for (unsigned dim = 0, rank = type.getRank(); dim < rank; ++dim) {
    if (subview && subview.getDroppedDims().test(dim))
      continue;
    if (!subview || (isConstantIntValue(subview.getMixedOffsets()[dim], 0) &&
                     isConstantIntValue(subview.getMixedStrides()[dim], 1)))
      each(ofView, dim);
    ++ofView;
  }
}

static std::optional<unsigned> getSourceDim(Value view, unsigned dim) {
  std::optional<unsigned> found;
  forSameDims(view, [&](unsigned ofView, unsigned ofSource) {
    if (ofView == dim)
      found = ofSource;
  });
  return found;
}

std::optional<unsigned> BatchRows::getDim(Value memref) const {
  Value source = getSource(memref);
  if (!source) {
    auto known = dims.find(memref);
    return known == dims.end() ? std::nullopt
                               : std::optional<unsigned>(known->second);
  }
  std::optional<unsigned> dim = getDim(source), found;
  if (dim)
    forSameDims(memref, [&](unsigned ofView, unsigned ofSource) {
      if (ofSource == *dim)
        found = ofView;
    });
  return found;
}

/// Whether a view has it or is one of a buffer that has.
bool BatchRows::hasBatchDim(Value memref) const {
  return dims.contains(getBuffer(memref));
}

bool BatchRows::assign(Value memref, unsigned dim) {
  while (Value source = getSource(memref)) {
    std::optional<unsigned> ofSource = getSourceDim(memref, dim);
    if (!ofSource)
      return false;
    memref = source;
    dim = *ofSource;
  }
  auto [entry, isNew] = dims.try_emplace(memref, dim);
  hasChanged |= isNew;
  return entry->second == dim;
}

OpFoldResult BatchRows::getKnown(OpFoldResult size) const {
  auto dynamic = dyn_cast_if_present<Value>(size);
  if (!dynamic || loop.isDefinedOutsideOfLoop(dynamic))
    return size;
  auto extent = dynamic.getDefiningOp<memref::DimOp>();
  if (extent && extent.getConstantIndex())
    return getSize(extent.getSource(), *extent.getConstantIndex());
  return {};
}

OpFoldResult BatchRows::getSize(Value memref, unsigned dim) const {
  auto type = dyn_cast<MemRefType>(memref.getType());
  if (!type || dim >= type.getRank())
    return {};
  if (!type.isDynamicDim(dim))
    return Builder(memref.getContext()).getIndexAttr(type.getDimSize(dim));
  Operation *op = memref.getDefiningOp();
  if (auto alloc = dyn_cast_or_null<memref::AllocOp>(op))
    return getKnown(alloc.getMixedSizes()[dim]);
  if (auto expand = dyn_cast_or_null<memref::ExpandShapeOp>(op))
    return getKnown(expand.getMixedOutputShape()[dim]);
  if (auto subview = dyn_cast_or_null<memref::SubViewOp>(op)) {
    llvm::SmallBitVector dropped = subview.getDroppedDims();
    for (unsigned at = 0, number = 0; at < dropped.size(); ++at)
      if (!dropped.test(at) && number++ == dim)
        return getKnown(subview.getMixedSizes()[at]);
  }
  if (Value source = getSource(memref))
    if (std::optional<unsigned> ofSource = getSourceDim(memref, dim))
      return getSize(source, *ofSource);
  return {};
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Calls `each` with the memref operands of a structured operation or a copy,
/// and the loops that index them.
static void
forOperands(Operation *op,
            function_ref<void(Value, AffineMap, bool isOutput)> each) {
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    unsigned rank = cast<BaseMemRefType>(copy.getSource().getType()).getRank();
    auto map = AffineMap::getMultiDimIdentityMap(rank, op->getContext());
    each(copy.getSource(), map, /*isOutput=*/false);
    each(copy.getTarget(), map, /*isOutput=*/true);
    return;
  }
  auto linalgOp = cast<linalg::LinalgOp>(op);
  for (OpOperand &operand : op->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()))
      each(operand.get(), linalgOp.getMatchingIndexingMap(&operand),
           linalgOp.isDpsInit(&operand));
}

/// The dimension of an operand that a loop of its operation indexes, and
/// nothing else of the operand.
static std::optional<unsigned> findDim(AffineMap map, unsigned loop) {
  return map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
}

/// The loop of `op` that indexes the batch dimension.
static std::optional<unsigned> getLoop(const BatchRows &rows, Operation *op) {
  std::optional<unsigned> found;
  forOperands(op, [&](Value memref, AffineMap map, bool) {
    if (std::optional<unsigned> dim = rows.getDim(memref))
      if (auto index = dyn_cast<AffineDimExpr>(map.getResult(*dim)))
        found = index.getPosition();
  });
  return found;
}

/// Gives the operands of `op` the batch dimension, if one has it. False if it
/// reads across.
bool BatchRows::spread(Operation *op) {
  std::optional<unsigned> number = getLoop(*this, op);
  if (!number)
    return true;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    if (linalgOp.getIteratorTypesArray()[*number] !=
        utils::IteratorType::parallel)
      return false;
    WalkResult isIndexed = op->walk([&](linalg::IndexOp index) {
      return index.getDim() == *number ? WalkResult::interrupt()
                                       : WalkResult::advance();
    });
    if (isIndexed.wasInterrupted())
      return false;
  }
  bool result = true;
  forOperands(op, [&](Value memref, AffineMap map, bool isOutput) {
    std::optional<unsigned> dim = findDim(map, *number);
    for (auto [at, expr] : llvm::enumerate(map.getResults()))
      if (expr.isFunctionOfDim(*number) && at != dim)
        result = false;
    if (dim)
      result &= assign(memref, *dim);
    else
      result &= !isOutput && !hasBatchDim(memref);
  });
  return result;
}

bool BatchRows::tryDim(Value output, unsigned dim) {
  dims.clear();
  if (!assign(output, dim))
    return false;
  do {
    hasChanged = false;
    for (Operation *op : operations)
      if (!spread(op))
        return false;
  } while (hasChanged);
  // An operation without it writes what all indices are to see, or reads a view
  // of one index.
  if (!llvm::all_of(operations, [&](Operation *op) {
        return getLoop(*this, op) && getExtent(op);
      }))
    return false;
  return llvm::none_of(loaded,
                       [&](Value memref) { return hasBatchDim(memref); });
}

bool BatchRows::find() {
  if (unknown || loop.getNumResults() != 0 || operations.empty())
    return false;
  Value output;
  forOperands(operations.front(), [&](Value memref, AffineMap, bool isOutput) {
    if (isOutput && !output)
      output = memref;
  });
  auto type = cast<MemRefType>(output.getType());
  for (unsigned dim = 0, rank = type.getRank(); dim < rank; ++dim)
    if (type.getDimSize(dim) != 1 && tryDim(output, dim))
      return true;
  return false;
}

std::string BatchRows::describeObstacle() const {
  if (loop.getNumResults() != 0)
    return "the loop carries values from step to step";
  if (!unknown)
    return "no dimension has indices that all operations of a step treat apart";
  StringRef reason = "is no structured operation";
  if (checkedCode.contains(unknown))
    reason = "is what a check depends on, and reads memory";
  else if (isa<memref::AllocOp>(unknown))
    reason = "has an extent that is not known in front of the steps";
  else if (isa<linalg::LinalgOp, memref::CopyOp>(unknown))
    reason = "reads at places of its own choice, or writes what the program "
             "has not allocated";
  return ("a step has '" + unknown->getName().getStringRef() + "', which " +
          reason)
      .str();
}

OpFoldResult BatchRows::getExtent(Operation *op) const {
  OpFoldResult extent;
  forOperands(op, [&](Value memref, AffineMap, bool isOutput) {
    std::optional<unsigned> dim = getDim(memref);
    if (isOutput && dim && !extent)
      extent = getSize(memref, *dim);
  });
  return extent;
}

bool BatchRows::isInnermost() const {
  bool result = true;
  for (Operation *op : operations)
    forOperands(op, [&](Value memref, AffineMap map, bool isOutput) {
      result &= !isOutput || getDim(memref) == map.getNumResults() - 1;
    });
  return result;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// Whether nothing but the program itself can have another name for the memory
/// of a buffer.
static bool isOwnBuffer(Value buffer, bool isWritten) {
  Operation *op = buffer.getDefiningOp();
  if (isWritten || (op && !isa<memref::GetGlobalOp>(op)))
    return isa_and_present<memref::AllocOp>(op);
  auto argument = dyn_cast<BlockArgument>(buffer);
  return op || isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
}

/// Notes what `op` does; false if that is not known.
bool BatchRows::addOperation(Operation *op) {
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    allocs.push_back(alloc);
    return llvm::all_of(op->getOperands(), [&](Value size) {
      return static_cast<bool>(getKnown(size));
    });
  }
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    loaded.push_back(load.getMemRef());
    return isOwnBuffer(getBuffer(load.getMemRef()), /*isWritten=*/false);
  }
  if (auto check = dyn_cast<cf::AssertOp>(op)) {
    checks.push_back(check);
    return op->getBlock() == loop.getBody();
  }
  if (isa<memref::CopyOp, linalg::LinalgOp>(op)) {
    if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<UnrankedMemRefType>))
      return false;
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (linalgOp &&
        (!linalgOp.hasPureBufferSemantics() || linalgOp.getNumDpsInits() == 0 ||
         !llvm::all_of(
             linalgOp.getBlock()->without_terminator(),
             [](Operation &inner) { return isMemoryEffectFree(&inner); })))
      return false;
    operations.push_back(op);
    bool result = true;
    forOperands(op, [&](Value memref, AffineMap, bool isOutput) {
      result &= isOwnBuffer(getBuffer(memref), isOutput);
    });
    return result;
  }
  if (op->getNumResults() == 1 && getSource(op->getResult(0)))
    return true;
  bool hasMemRefs = llvm::any_of(op->getResultTypes(), [](Type type) {
    return isa<BaseMemRefType>(type);
  });
  return !hasMemRefs && (isa<scf::ForOp, scf::IfOp, scf::YieldOp>(op) ||
                         (op->getNumRegions() == 0 && isMemoryEffectFree(op)));
}

/// Collects what the checks ask for. Returns an operation by which they ask for
/// more than numbers that no memory is read for, if there is one.
Operation *BatchRows::findUncheckable() {
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) { return loop->isProperAncestor(op); };
  for (cf::AssertOp check : checks)
    if (failed(getBackwardSlice(check.getArg(), &checkedCode, options)))
      return check;
  checkedCode = topologicalSort(checkedCode);
  for (Operation *op : checkedCode)
    if (op->getBlock() != loop.getBody() || op->getNumRegions() != 0 ||
        isa<memref::AllocOp>(op) || !isMemoryEffectFree(op))
      return op;
  return nullptr;
}

BatchRows::BatchRows(scf::ForOp loop) : loop(loop) {
  loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
    if (!addOperation(op)) {
      unknown = op;
      return WalkResult::interrupt();
    }
    return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                     : WalkResult::advance();
  });
  if (!unknown)
    unknown = findUncheckable();
}
