//===- KernelShape.h - The domain of a kernel, unrolled ---------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel can be unrolled over static dimensions of its domain other than the
// scanned one: such a dimension of extent n leaves the domain and becomes a
// trailing dimension of the operands that have it. Each point of the domain is
// then n points of before, with n times the leaves, and code in the maps sees
// all of them: that is what a reduction over them needs.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_FUSION_KERNELSHAPE_H
#define SCAN_LIB_TRANSFORMS_FUSION_KERNELSHAPE_H

#include "Scan/IR/ScanDialect.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir {
class RewriterBase;
} // namespace mlir

namespace mlir::scan {

/// How the operands of a kernel lie in its domain, or would lie if it were
/// unrolled.
struct KernelShape {
  struct Operand {
    /// The static dimensions that the map does not index.
    ArrayRef<int64_t> getTrailingShape() const {
      return ArrayRef(shape).drop_front(map.getNumResults());
    }

    /// From the domain to the leading dimensions.
    AffineMap map;
    /// The dimensions of the operand as it is in their new order; that of an
    /// output may change.
    SmallVector<int64_t> order;
    /// The extents, in the new order.
    SmallVector<int64_t> shape;
    /// Of an input or init whose unrolled dimensions are not its last: it is
    /// replaced by one slice per unrolled point.
    bool isSliced = false;
  };

  /// The kernel as it is.
  explicit KernelShape(KernelOp kernel);

  /// The kernel unrolled over the dimensions `dims` of its domain; nothing and
  /// the reason in `why` if that cannot be.
  static std::optional<KernelShape>
  getUnrolled(KernelOp kernel, const llvm::SmallBitVector &dims,
              std::string &why);

  const Operand &operator[](OpOperand &operand) const {
    return operands[operand.getOperandNumber()];
  }
  /// The output or final that becomes `result`.
  const Operand &operator[](OpResult result) const;
  /// True if `result` has its dimensions in another order than before.
  bool isReordered(OpResult result) const {
    return !llvm::is_sorted((*this)[result].order);
  }

  unsigned domainRank;
  SmallVector<Operand> operands;
};

/// Replaces `kernel` by the kernel that is unrolled over `dims`, for which
/// there must be a KernelShape. Results in another order of dimensions are
/// transposed back behind it.
KernelOp unrollDomain(RewriterBase &rewriter, KernelOp kernel,
                      const llvm::SmallBitVector &dims);

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_FUSION_KERNELSHAPE_H
