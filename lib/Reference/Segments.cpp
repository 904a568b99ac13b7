//===- Segments.cpp - Where a scan starts anew ----------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScanWalk.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::reference;

static LogicalResult verifyOffsets(Operation *op, ArrayRef<int64_t> offsets,
                                   int64_t extent) {
  if (offsets.empty())
    return op->emitOpError("segments: expected at least one offset, found "
                           "none");
  if (offsets.front() != 0)
    return op->emitOpError("segments: expected offset #0 to be 0, found ")
           << offsets.front();
  for (size_t i = 1; i < offsets.size(); ++i)
    if (offsets[i] < offsets[i - 1])
      return op->emitOpError("segments: expected offsets that do not "
                             "decrease, found ")
             << offsets[i] << " as offset #" << i << " after "
             << offsets[i - 1];
  if (offsets.back() != extent)
    return op->emitOpError("segments: expected the last offset to be ")
           << extent << ", the extent of the scan dimension, found "
           << offsets.back();
  return success();
}

static int64_t readOffset(const Tensor &offsets, int64_t i) {
  return signExtend(offsets.load(i).i, offsets.format.width);
}

LogicalResult mlir::scan::reference::verifyAscending(Operation *op,
                                                     const Tensor &offsets) {
  for (int64_t i = 1, e = countElements(offsets.shape); i < e; ++i)
    if (readOffset(offsets, i) < readOffset(offsets, i - 1))
      return op->emitOpError("starts: expected offsets that do not decrease, "
                             "found ")
             << readOffset(offsets, i) << " as offset #" << i << " after "
             << readOffset(offsets, i - 1);
  return success();
}

bool mlir::scan::reference::isInOffsets(const Tensor &offsets, int64_t value) {
  auto positions =
      llvm::seq<int64_t>(0, static_cast<int64_t>(countElements(offsets.shape)));
  auto found = llvm::partition_point(
      positions, [&](int64_t i) { return readOffset(offsets, i) < value; });
  return found != positions.end() && readOffset(offsets, *found) == value;
}

/// The number of the segment that has step `t`, if a walk starts there; -1 if
/// none does.
static int64_t findNumberAtHead(const Tensor &offsets, int64_t t,
                                bool reverse) {
  int64_t count = countElements(offsets.shape);
  auto positions = llvm::seq<int64_t>(0, count);
  int64_t behind = *llvm::partition_point(
      positions, [&](int64_t i) { return readOffset(offsets, i) <= t; });
  // The last one in front of which there is no other with the step.
  int64_t number = behind - 1;
  bool hasStep = number >= 0 && behind < count;
  int64_t end = reverse ? behind : number;
  return hasStep && readOffset(offsets, end) == t + reverse ? number : -1;
}

FailureOr<Step> mlir::scan::reference::compileHeadFlags(Compiler &compiler,
                                                        HeadFlagsOp op) {
  Use offsetsUse = compiler.use(op.getOffsetsMutable());
  std::optional<Use> extentUse;
  if (op.getExtent())
    extentUse = compiler.use(*op.getExtentMutable().begin());
  Slot resultSlot = compiler.lookup(op.getResult());
  return Step([=](Frame &frame) mutable -> LogicalResult {
    Tensor offsets = frame.take(offsetsUse);
    if (failed(verifyAscending(op, offsets)))
      return failure();
    int64_t extent = extentUse ? frame.integer(extentUse->slot)
                               : op.getResult().getType().getDimSize(0);
    if (extent < 0)
      return op.emitOpError("expected an extent that is not negative, found ")
             << extent;
    unsigned width =
        op.getResult().getType().getElementType().getIntOrFloatBitWidth();
    FailureOr<Tensor> result =
        frame.session.allocate(op, Format::integer(width), {extent});
    if (failed(result))
      return failure();
    for (int64_t t = 0; t < extent; ++t) {
      Scalar start = {};
      start.i = width == 1 ? isInOffsets(offsets, t + op.getReverse())
                           : findNumberAtHead(offsets, t, op.getReverse());
      result->store(t, start);
    }
    return setResult(frame, op, 0, resultSlot, std::move(*result));
  });
}

FailureOr<Segments> Segments::create(Frame &frame, Operation *op, Value value,
                                     std::optional<Use> use,
                                     ArrayRef<int64_t> shape, int64_t dim,
                                     bool reverse) {
  Segments segments;
  segments.extent = shape[dim];
  segments.dim = dim;
  segments.reverse = reverse;
  if (!use)
    return segments;
  Tensor tensor = frame.take(*use);
  unsigned width = tensor.format.width;
  if (width != 1) {
    segments.kind = Offsets;
    for (int64_t i = 0, e = countElements(tensor.shape); i < e; ++i)
      segments.offsets.push_back(signExtend(tensor.load(i).i, width));
    if (failed(verifyOffsets(op, segments.offsets, segments.extent)))
      return failure();
    return segments;
  }
  segments.kind = Flags;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> strides = getStrides(tensor.shape);
  segments.strides.assign(shape.size(), 0);
  for (auto [i, extent] : llvm::enumerate(tensor.shape)) {
    size_t d = tensor.shape.size() == shape.size() ? i : dim;
    if (d != static_cast<size_t>(dim) && type.getDimSize(i) == 1)
      continue;
    if (extent != shape[d])
      return op->emitOpError("segments: expected dimension ")
             << i << " of the flags to have extent " << shape[d] << ", found "
             << extent;
    segments.strides[d] = strides[i];
  }
  segments.flags = std::move(tensor);
  return segments;
}

SmallVector<int64_t> Segments::getFinalShape(ArrayRef<int64_t> leaf) const {
  if (kind != Offsets)
    return withoutDim(leaf, dim);
  SmallVector<int64_t> shape(leaf);
  shape[dim] = offsets.size() - 1;
  return shape;
}

SmallVector<int64_t> Segments::getInitShape(ArrayRef<int64_t> leaf,
                                            size_t rank) const {
  if (rank < leaf.size() || kind == None)
    return withoutDim(leaf, dim);
  return kind == Offsets ? getFinalShape(leaf) : SmallVector<int64_t>(leaf);
}

SmallVector<Run> Segments::getRuns(ArrayRef<int64_t> point) const {
  SmallVector<Run> runs;
  auto getStep = [&](int64_t i) { return reverse ? extent - 1 - i : i; };
  if (kind == Offsets) {
    for (size_t s = 0; s + 1 < offsets.size(); ++s) {
      int64_t count = offsets[s + 1] - offsets[s];
      int64_t first = reverse ? offsets[s + 1] - 1 : offsets[s];
      runs.push_back({first, count, static_cast<int64_t>(s)});
    }
    return runs;
  }
  runs.push_back({getStep(0), 0, getStep(0)});
  int64_t base = kind == Flags ? dot(point, strides) : 0;
  for (int64_t i = 0; i < extent; ++i) {
    int64_t t = getStep(i);
    if (i > 0 && kind == Flags && flags.load(base + t * strides[dim]).i)
      runs.push_back({t, 0, t});
    ++runs.back().count;
  }
  return runs;
}

StateIndex::StateIndex(ArrayRef<int64_t> state, ArrayRef<int64_t> leaf,
                       size_t rank, int64_t dim)
    : dim(dim) {
  if (state.size() == leaf.size())
    strides = getStrides(state.take_front(rank));
}

int64_t StateIndex::operator()(ArrayRef<int64_t> point, const Run &run,
                               int64_t line) const {
  return strides.empty() ? line
                         : dot(point, strides) + run.state * strides[dim];
}
