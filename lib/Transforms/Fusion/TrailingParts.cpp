//===- TrailingParts.cpp - Slices and joins under a point of a kernel -----===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel has several elements of an operand under each point of its domain
// where the operand has trailing dimensions: the components of a state. What
// takes some of them, or puts those of several tensors together, only says
// which elements these are.
//
//===----------------------------------------------------------------------===//

#include "ConsumerPlan.h"
#include "ShiftedRead.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

/// One element of a tensor under a point: which operand has it, and where.
struct Part {
  Value source;
  int64_t position;
};

/// The elements of a tensor under each point of its first `leading` dimensions,
/// in row-major order; nothing if they are no elements under the same point of
/// other tensors.
using Parts = SmallVector<Part>;

} // namespace

/// More elements than that are not moved around one by one.
static constexpr int64_t kMaxParts = 64;

static std::optional<SmallVector<int64_t>> getTrailing(Value value,
                                                       unsigned leading) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() < leading)
    return std::nullopt;
  ArrayRef<int64_t> shape = type.getShape().drop_front(leading);
  if (ShapedType::isDynamicShape(shape) || countElements(shape) > kMaxParts ||
      llvm::is_contained(shape, 0))
    return std::nullopt;
  return llvm::to_vector(shape);
}

/// The positions that a slice takes of the trailing elements of `whole`;
/// nothing if it does not take all of the leading dimensions.
template <typename SliceOp>
static std::optional<SmallVector<int64_t>> getTaken(SliceOp slice, Value whole,
                                                    unsigned leading) {
  std::optional<SmallVector<int64_t>> shape = getTrailing(whole, leading);
  if (!shape)
    return std::nullopt;
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  SmallVector<int64_t> offsets, sizes, steps;
  for (auto [i, offset, size, step] :
       llvm::enumerate(slice.getMixedOffsets(), slice.getMixedSizes(),
                       slice.getMixedStrides())) {
    if (i < leading) {
      if (dropped.test(i) || !isConstantIntValue(offset, 0) ||
          !isConstantIntValue(step, 1) ||
          !(KnownExtent(size) == KnownExtent(whole, i)))
        return std::nullopt;
      continue;
    }
    std::optional<int64_t> first = getConstantIntValue(offset),
                           count = getConstantIntValue(size),
                           by = getConstantIntValue(step);
    int64_t extent = (*shape)[i - leading];
    if (!first || !count || !by || *first < 0 || *count < 1 || *by < 1 ||
        *first >= extent || *count > extent ||
        *first + (*count - 1) * std::min(*by, kMaxParts) >= extent)
      return std::nullopt;
    offsets.push_back(*first);
    sizes.push_back(*count);
    steps.push_back(*by);
  }
  SmallVector<int64_t> strides = computeStrides(*shape),
                       sizeStrides = computeStrides(sizes), taken;
  for (int64_t i = 0, e = ShapedType::getNumElements(sizes); i < e; ++i) {
    int64_t position = 0;
    for (auto [index, first, by, stride] :
         llvm::zip_equal(delinearize(i, sizeStrides), offsets, steps, strides))
      position += (first + index * by) * stride;
    taken.push_back(position);
  }
  return taken;
}

/// Puts together what `concat` joins along a trailing dimension.
static std::optional<Parts> getParts(tensor::ConcatOp concat,
                                     unsigned leading) {
  std::optional<SmallVector<int64_t>> shape = getTrailing(concat, leading);
  int64_t dim = concat.getDim();
  if (!shape || dim < static_cast<int64_t>(leading))
    return std::nullopt;
  Parts parts;
  SmallVector<int64_t> strides = computeStrides(*shape);
  for (int64_t i = 0, e = ShapedType::getNumElements(*shape); i < e; ++i) {
    SmallVector<int64_t> index = delinearize(i, strides);
    int64_t &along = index[dim - leading];
    for (Value input : concat.getInputs()) {
      std::optional<SmallVector<int64_t>> part = getTrailing(input, leading);
      if (!part)
        return std::nullopt;
      int64_t extent = (*part)[dim - leading];
      if (along < extent) {
        parts.push_back({input, linearize(index, computeStrides(*part))});
        break;
      }
      along -= extent;
    }
  }
  if (static_cast<int64_t>(parts.size()) != ShapedType::getNumElements(*shape))
    return std::nullopt;
  return parts;
}

static std::optional<Parts> getParts(tensor::InsertSliceOp insert,
                                     unsigned leading) {
  std::optional<SmallVector<int64_t>> taken =
      getTaken(insert, insert.getDest(), leading);
  if (!taken)
    return std::nullopt;
  Parts parts;
  for (int64_t i = 0, e = ShapedType::getNumElements(
                          *getTrailing(insert.getDest(), leading));
       i < e; ++i)
    parts.push_back({insert.getDest(), i});
  for (auto [i, position] : llvm::enumerate(*taken))
    parts[position] = {insert.getSource(), static_cast<int64_t>(i)};
  return parts;
}

static std::optional<Parts> getParts(Operation *op, unsigned leading) {
  if (auto concat = dyn_cast_or_null<tensor::ConcatOp>(op))
    return getParts(concat, leading);
  if (auto insert = dyn_cast_or_null<tensor::InsertSliceOp>(op))
    return getParts(insert, leading);
  return std::nullopt;
}

LogicalResult scan::fuseTrailingInput(RewriterBase &rewriter, KernelOp kernel,
                                      OpOperand &operand) {
  auto fail = [&](const Twine &reason) {
    return rewriter.notifyMatchFailure(kernel, reason);
  };
  unsigned number = operand.getOperandNumber();
  if (!kernel.hasPureTensorSemantics() || number >= kernel.getInputs().size() ||
      kernel.getShift(number) != 0 || kernel.isBoundary(number) ||
      kernel.isSegmentOffsets(number) || kernel.isGathered(number) ||
      kernel.isPlaces(number))
    return fail("the operand is no input, or is shifted");
  AffineMap map = kernel.getIndexingMap(operand);
  Operation *def = operand.get().getDefiningOp();
  std::optional<Parts> found = getParts(def, map.getNumResults());
  if (!found)
    return fail("the input is not put together of trailing elements");

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  KernelParts parts(kernel);
  auto [oldFirst, oldCount] =
      getElementRange(parts.inputs, parts.inputMaps, number);
  parts.eraseInput(number);
  SmallVector<Value> sources;
  for (const Part &part : *found)
    if (!llvm::is_contained(sources, part.source)) {
      sources.push_back(part.source);
      parts.addInput(part.source, map);
    }
  if (!parts.coversDomain())
    return fail("the operand is the only one to say an extent");
  Type type = getElementTypeOrSelf(operand.get().getType());
  Location loc = def->getLoc();
  KernelOp fused = parts.rebuild(rewriter, kernel);
  for (auto [block, base] :
       {std::pair<Block *, unsigned>(&fused.getLoad().front(), 0),
        std::pair<Block *, unsigned>(&fused.getStore().front(),
                                     2 * fused.getNumLeaves())}) {
    DenseMap<Value, unsigned> firsts;
    for (Value source : sources) {
      firsts[source] = block->getNumArguments();
      for (int64_t i = 0, e = KernelOp::getNumElements(source, map); i < e; ++i)
        block->addArgument(type, loc);
    }
    for (auto [i, part] : llvm::enumerate(*found))
      rewriter.replaceAllUsesWith(
          block->getArgument(base + oldFirst + i),
          block->getArgument(firsts[part.source] + part.position));
    block->eraseArguments(base + oldFirst, oldCount);
  }
  rewriter.replaceOp(kernel, fused.getResults());
  return success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The output of `kernel` that `value` is, perhaps with more or fewer trailing
/// dimensions of extent 1: the same elements under each point.
static std::optional<unsigned> getOutput(KernelOp kernel, Value value,
                                         unsigned leading) {
  while (Operation *def = value.getDefiningOp()) {
    if (def == kernel) {
      unsigned number = cast<OpResult>(value).getResultNumber();
      if (number >= kernel.getOutputs().size() || kernel.isReduction(number) ||
          kernel.getOutputMaps()[number].getNumResults() != leading)
        return std::nullopt;
      return number;
    }
    SmallVector<ReassociationIndices> groups;
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(def))
      groups = expand.getReassociationIndices();
    else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(def))
      groups = collapse.getReassociationIndices();
    else
      return std::nullopt;
    auto larger = cast<RankedTensorType>(isa<tensor::ExpandShapeOp>(def)
                                             ? def->getResult(0).getType()
                                             : def->getOperand(0).getType());
    // A leading dimension stays itself, in front of extents of 1.
    for (unsigned i = 0; i < leading; ++i) {
      if (groups.size() <= i || groups[i].front() != static_cast<int64_t>(i) ||
          (groups[i].size() > 1 && i + 1 < leading))
        return std::nullopt;
      for (int64_t dim : ArrayRef(groups[i]).drop_front())
        if (larger.getDimSize(dim) != 1)
          return std::nullopt;
    }
    value = def->getOperand(0);
  }
  return std::nullopt;
}

namespace {

/// An element of an output, or a constant.
struct OutputPart {
  unsigned output = 0;
  int64_t position = 0;
  Attribute constant;
};

} // namespace

/// True if something needs all of output `number`, and cannot be inlined.
static bool isNeededWhole(KernelOp kernel, unsigned number) {
  return !llvm::all_of(kernel.getResult(number).getUsers(), [](Operation *op) {
    std::string why;
    return isa<tensor::ExtractSliceOp, tensor::ConcatOp, tensor::InsertSliceOp,
               tensor::DimOp>(op) ||
           ElementwiseView::get(op, why, /*allowReductions=*/true);
  });
}

/// The elements of outputs of `kernel` that `op` only moves around.
static std::optional<SmallVector<OutputPart>>
getOutputParts(KernelOp kernel, Operation *op, unsigned leading) {
  SmallVector<OutputPart> elements;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    std::optional<unsigned> output =
        getOutput(kernel, slice.getSource(), leading);
    std::optional<SmallVector<int64_t>> taken;
    if (!output || isNeededWhole(kernel, *output) ||
        !(taken = getTaken(slice, slice.getSource(), leading)))
      return std::nullopt;
    for (int64_t position : *taken)
      elements.push_back({*output, position, {}});
    return elements;
  }
  std::optional<Parts> parts = getParts(op, leading);
  if (!parts)
    return std::nullopt;
  for (const Part &part : *parts) {
    Type type = getElementTypeOrSelf(part.source.getType());
    if (std::optional<unsigned> output =
            getOutput(kernel, part.source, leading))
      elements.push_back({*output, part.position, {}});
    else if (Attribute splat = getSplat(part.source))
      elements.push_back({0, 0, splat});
    else if (part.source.getDefiningOp<tensor::EmptyOp>())
      // Nobody has written it, so that it may be anything.
      elements.push_back({0, 0, getZeroElement(type)});
    else
      return std::nullopt;
  }
  return elements;
}

/// The output of `kernel` that has the type `type` and the elements `elements`
/// of others already.
static std::optional<unsigned> findOutput(KernelOp kernel,
                                          ArrayRef<OutputPart> elements,
                                          RankedTensorType type,
                                          AffineMap map) {
  SmallVector<Value> outputs(kernel.getOutputs());
  SmallVector<AffineMap> maps = kernel.getOutputMaps();
  OperandRange yields =
      kernel.getStore().front().getTerminator()->getOperands();
  auto getFirst = [&](unsigned output) {
    return getElementRange(outputs, maps, output).first;
  };
  for (unsigned i = 0; i < outputs.size(); ++i) {
    if (kernel.getResult(i).getType() != type || maps[i] != map ||
        kernel.isReduction(i))
      continue;
    bool isSame = true;
    for (auto [j, part] : llvm::enumerate(elements))
      isSame &=
          !part.constant && yields[getFirst(i) + j] ==
                                yields[getFirst(part.output) + part.position];
    if (isSame)
      return i;
  }
  return std::nullopt;
}

LogicalResult scan::fuseTrailingOutput(RewriterBase &rewriter, KernelOp kernel,
                                       Operation *op) {
  auto fail = [&](const Twine &reason) {
    return rewriter.notifyMatchFailure(op, reason);
  };
  if (!kernel.hasPureTensorSemantics() ||
      op->getBlock() != kernel->getBlock() ||
      !isa<tensor::ExtractSliceOp, tensor::ConcatOp, tensor::InsertSliceOp>(op))
    return fail("it is no slice or concatenation in the block of the kernel");
  unsigned leading = kernel.getDomainRank();
  std::optional<SmallVector<OutputPart>> elements =
      getOutputParts(kernel, op, leading);
  if (!elements)
    return fail("it is not one of elements under each point of the domain");
  const OutputPart *known = llvm::find_if(
      *elements, [](const OutputPart &part) { return !part.constant; });
  if (known == elements->end())
    return fail("it has no element of a result");
  AffineMap map = kernel.getOutputMaps()[known->output];
  for (const OutputPart &part : *elements)
    if (!part.constant && kernel.getOutputMaps()[part.output] != map)
      return fail("it joins results with dimensions in different orders");

  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  for (unsigned i = leading; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      return fail("its type does not say how many elements it has of a point");
  if (std::optional<unsigned> same = findOutput(kernel, *elements, type, map)) {
    rewriter.replaceOp(op, kernel.getResult(*same));
    return success();
  }

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  Location loc = op->getLoc();
  KernelParts parts(kernel);
  Value like = kernel.getOutputs()[known->output];
  SmallVector<Value> sizes;
  for (unsigned i = 0; i < leading; ++i)
    if (type.isDynamicDim(i))
      sizes.push_back(tensor::DimOp::create(rewriter, loc, like, i));
  parts.outputs.push_back(tensor::EmptyOp::create(rewriter, loc, type, sizes));
  parts.outputMaps.push_back(map);
  SmallVector<int64_t> firsts;
  for (unsigned i = 0; i < kernel.getOutputs().size(); ++i)
    firsts.push_back(getElementRange(parts.outputs, parts.outputMaps, i).first);
  KernelOp fused = parts.rebuild(rewriter, kernel);
  Operation *yield = fused.getStore().front().getTerminator();
  SmallVector<Value> yields(yield->getOperands());
  rewriter.setInsertionPoint(yield);
  for (const OutputPart &part : *elements)
    yields.push_back(
        part.constant ? materializeScalar(rewriter, loc, type.getElementType(),
                                          part.constant)
                      : yields[firsts[part.output] + part.position]);
  rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(yields); });
  // The new output stands between the old ones and the finals.
  unsigned numOutputs = kernel.getOutputs().size();
  SmallVector<Value> results;
  for (unsigned i = 0; i < kernel.getNumResults(); ++i)
    results.push_back(fused.getResult(i < numOutputs ? i : i + 1));
  rewriter.replaceOp(op, fused.getResult(numOutputs));
  rewriter.replaceOp(kernel, results);
  return success();
}
