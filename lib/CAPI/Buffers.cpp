//===- Buffers.cpp - Arrays of the caller ---------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::capi;

using llvm::AddOverflow;
using llvm::MulOverflow;

InFlightDiagnostic BufferChecker::emit(StringRef kind, size_t index) {
  return emitError(location)
         << kind << " #" << index << " of '" << signature.name << "': ";
}

LogicalResult BufferChecker::emitTooLarge(StringRef kind, size_t index) {
  return emit(kind, index) << "expected an array that fits into the address "
                              "space; extents or strides are too large";
}

//===----------------------------------------------------------------------===//
// One array
//===----------------------------------------------------------------------===//

LogicalResult BufferChecker::checkType(StringRef kind, size_t index,
                                       const ArrayType &type,
                                       const MlirScanBuffer &buffer) {
  int64_t rank = buffer.rank;
  if (rank < 0)
    return emit(kind, index) << "expected a rank of 0 or more, found " << rank;
  if (rank > 0 && !buffer.shape)
    return emit(kind, index)
           << "expected " << rank << " extents, found a null pointer";
  // A rank that is wrong may be anything: extents are read only if it is right.
  if (static_cast<size_t>(rank) != type.shape.size())
    return emit(kind, index)
           << "expected " << describe(type.cElementType, type.shape)
           << ", which has rank " << type.shape.size() << ", found rank "
           << rank;
  ArrayRef<int64_t> shape(buffer.shape, rank);
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (extent < 0)
      return emit(kind, index)
             << "expected an extent of 0 or more in dimension " << dim
             << ", found " << extent;
  bool fits = buffer.elementType == type.cElementType;
  for (auto [found, expected] : llvm::zip_equal(shape, type.shape))
    fits &= ShapedType::isDynamic(expected) || found == expected;
  if (!fits)
    return emit(kind, index)
           << "expected " << describe(type.cElementType, type.shape)
           << ", found " << describe(buffer.elementType, shape);
  return success();
}

LogicalResult
BufferChecker::checkMemory(StringRef kind, size_t index, ArrayView &view,
                           std::pair<uintptr_t, uintptr_t> &range) {
  range = {0, 0};
  if (llvm::is_contained(view.shape, 0)) {
    view.data = nullptr;
    return success();
  }
  if (!view.data)
    return emit(kind, index) << "expected data, found a null pointer";
  // The farthest elements on both sides of the first one, in elements.
  int64_t lowest = 0, highest = 0;
  bool overflows = false;
  for (auto [extent, stride] : llvm::zip_equal(view.shape, view.strides)) {
    int64_t reach = 0;
    overflows |= MulOverflow(extent - 1, stride, reach) != 0;
    int64_t &side = reach < 0 ? lowest : highest;
    overflows |= AddOverflow(side, reach, side) != 0;
  }
  int64_t size = *getElementByteSize(view.elementType);
  overflows |= AddOverflow<int64_t>(highest, 1, highest) != 0;
  overflows |= MulOverflow(lowest, size, lowest) != 0;
  overflows |= MulOverflow(highest, size, highest) != 0;
  int64_t address = reinterpret_cast<intptr_t>(view.data);
  overflows |= AddOverflow(address, lowest, lowest) != 0;
  overflows |= AddOverflow(address, highest, highest) != 0;
  if (overflows || lowest < 0)
    return emitTooLarge(kind, index);
  range = {lowest, highest};
  return success();
}

LogicalResult BufferChecker::checkFlags(size_t index, const ArrayView &view) {
  if (llvm::is_contained(view.shape, 0))
    return success();
  SmallVector<int64_t> position(view.shape.size());
  int64_t offset = 0;
  while (true) {
    auto value = static_cast<unsigned char>(view.data[offset]);
    if (value > 1) {
      InFlightDiagnostic diagnostic = emit("input", index);
      diagnostic << "expected 0 or 1 in each i1, found "
                 << static_cast<unsigned>(value) << " at [";
      llvm::interleaveComma(position, diagnostic);
      return diagnostic << "]";
    }
    size_t dim = view.shape.size();
    while (dim > 0) {
      --dim;
      offset += view.strides[dim];
      if (++position[dim] < view.shape[dim])
        break;
      offset -= position[dim] * view.strides[dim];
      position[dim] = 0;
      if (dim == 0)
        return success();
    }
    if (view.shape.empty())
      return success();
  }
}

LogicalResult BufferChecker::checkDistinct(size_t index,
                                           const ArrayView &view) {
  if (llvm::is_contained(view.shape, 0))
    return success();
  // From the shortest stride to the longest: each has to step over all that the
  // shorter ones reach.
  SmallVector<std::pair<int64_t, int64_t>> dims;
  for (auto [extent, stride] : llvm::zip_equal(view.shape, view.strides))
    if (extent > 1)
      dims.push_back({std::abs(stride), extent});
  llvm::sort(dims);
  int64_t reach = 0;
  for (auto [stride, extent] : dims) {
    if (stride <= reach)
      return emit("output", index)
             << "expected strides that give each element memory of its own";
    reach += stride * (extent - 1);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// All arrays
//===----------------------------------------------------------------------===//

FailureOr<Buffers> BufferChecker::check(StringRef kind,
                                        ArrayRef<ArrayType> types,
                                        intptr_t count,
                                        const MlirScanBuffer *buffers) {
  if (count < 0 || static_cast<size_t>(count) != types.size())
    return emitError(location)
           << "'" << signature.name << "': expected " << types.size()
           << " as the number of " << kind << "s, found " << count;
  if (count > 0 && !buffers)
    return emitError(location)
           << "'" << signature.name << "': expected an array of " << kind
           << "s, found a null pointer";
  Buffers result;
  for (auto [i, type] : llvm::enumerate(types)) {
    const MlirScanBuffer &buffer = buffers[i];
    if (failed(checkType(kind, i, type, buffer)))
      return failure();
    ArrayView view;
    view.elementType = type.elementType;
    if (buffer.rank > 0)
      view.shape.assign(buffer.shape, buffer.shape + buffer.rank);
    view.data = static_cast<const char *>(buffer.data);
    if (!getByteSize(view.elementType, view.shape))
      return emitTooLarge(kind, i);
    if (buffer.rank > 0 && buffer.strides)
      view.strides.assign(buffer.strides, buffer.strides + buffer.rank);
    else
      view.strides = getDenseStrides(view.shape);
    std::pair<uintptr_t, uintptr_t> range;
    if (failed(checkMemory(kind, i, view, range)))
      return failure();
    result.views.push_back(std::move(view));
    result.ranges.push_back(range);
  }
  return result;
}

FailureOr<Buffers> BufferChecker::checkInputs(intptr_t count,
                                              const MlirScanBuffer *buffers) {
  FailureOr<Buffers> inputs = check("input", signature.inputs, count, buffers);
  if (failed(inputs))
    return failure();
  for (auto [i, type] : llvm::enumerate(signature.inputs))
    if (type.cElementType == MlirScanElementTypeI1 &&
        failed(checkFlags(i, inputs->views[i])))
      return failure();
  return inputs;
}

FailureOr<Buffers> BufferChecker::checkOutputs(intptr_t count,
                                               const MlirScanBuffer *buffers,
                                               const Buffers &inputs) {
  FailureOr<Buffers> outputs =
      check("output", signature.outputs, count, buffers);
  if (failed(outputs))
    return failure();
  for (auto [i, range] : llvm::enumerate(outputs->ranges)) {
    if (failed(checkDistinct(i, outputs->views[i])))
      return failure();
    auto overlaps = [&, first = range.first,
                     last = range.second](std::pair<uintptr_t, uintptr_t> b) {
      return first < b.second && b.first < last;
    };
    for (auto [j, other] : llvm::enumerate(inputs.ranges))
      if (overlaps(other))
        return emit("output", i)
               << "expected memory of its own, found some of input #" << j;
    for (size_t j = 0; j < i; ++j)
      if (overlaps(outputs->ranges[j]))
        return emit("output", i)
               << "expected memory of its own, found some of output #" << j;
  }
  return outputs;
}

LogicalResult BufferChecker::checkResults(ArrayRef<ArrayView> results,
                                          const Buffers &outputs) {
  for (auto [i, result] : llvm::enumerate(results))
    if (result.shape != outputs.views[i].shape) {
      MlirScanElementType type = signature.outputs[i].cElementType;
      return emit("output", i)
             << "expected " << describe(type, result.shape) << ", found "
             << describe(type, outputs.views[i].shape);
    }
  return success();
}

bool mlir::scan::capi::isUsableInPlace(const ArrayView &view,
                                       StridedArguments stridedArguments) {
  int64_t alignment = *getElementByteSize(view.elementType);
  if (isa<ComplexType>(view.elementType))
    alignment /= 2;
  bool isUsable = stridedArguments == StridedArguments::Any ||
                  (stridedArguments == StridedArguments::Outer &&
                   view.isInnermostDense()) ||
                  view.isDense();
  return isUsable && reinterpret_cast<uintptr_t>(view.data) % alignment == 0;
}
