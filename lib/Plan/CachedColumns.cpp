//===- CachedColumns.cpp - Columns that a CPU's cache holds ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CachedColumns.h"
#include "IR/OperandMemory.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::scan;

/// Bytes of a second-level cache. With fewer columns than the least, of which
/// each step reads too short a run, a share of the third level has to do:
/// recurrences in both directions over f32[2,2048,2048] in C took 7 ms with
/// blocks of 128 or 256 columns, 10 with 512, and 10 in two passes (one core of
/// an AMD EPYC with AVX-512).
static constexpr int64_t kCacheBytes = int64_t(1) << 20;
static constexpr int64_t kMostBytes = int64_t(1) << 22;
static constexpr int64_t kLeastColumns = 128;

std::optional<int64_t>
mlir::scan::getCachedColumns(ArrayRef<KernelOp> kernels) {
  llvm::SmallSetVector<std::pair<Value, AffineMap>, 8> inputs;
  int64_t extent = ShapedType::kDynamic;
  for (KernelOp kernel : kernels) {
    if (ShapedType::isDynamic(extent))
      extent = kernel.getStaticDomainShape()[kernel.getDim()];
    for (auto [input, map] :
         llvm::zip_equal(kernel.getInputs(), kernel.getInputMaps()))
      if (map.isFunctionOfDim(kernel.getDim()))
        inputs.insert({input, map});
  }
  if (ShapedType::isDynamic(extent))
    return std::nullopt;
  int64_t ofStep = 0;
  for (auto [input, map] : inputs)
    ofStep += KernelOp::getNumElements(input, map) *
              getStorageBytes(getElementTypeOrSelf(input.getType()));
  int64_t bytes = 0;
  if (llvm::MulOverflow(std::max<int64_t>(extent, 1),
                        std::max<int64_t>(ofStep, 1), bytes) ||
      bytes > kMostBytes / kLeastColumns)
    return std::nullopt;
  return std::max(kLeastColumns,
                  kCacheBytes / bytes / kLeastColumns * kLeastColumns);
}
