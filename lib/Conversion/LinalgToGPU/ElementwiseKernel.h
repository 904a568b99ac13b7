//===- ElementwiseKernel.h - Kernels of linalg operations -------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_LINALGTOGPU_ELEMENTWISEKERNEL_H
#define SCAN_LIB_CONVERSION_LINALGTOGPU_ELEMENTWISEKERNEL_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::scan {

/// Whether two iterations of `op` that differ in loop `loop` never write the
/// same element: such iterations may belong to different threads.
bool isThreadLoop(linalg::LinalgOp op, unsigned loop);

/// Whether `op` writes every element of output number `output`, once per
/// thread.
bool overwritesOutput(linalg::LinalgOp op, unsigned output);

/// The buffer that `memref` is a view of.
Value getBufferRoot(Value memref);

/// Whether nothing that has another root than `root` is the same memory.
bool isOwnBuffer(Value root);

/// An operation on memrefs with strided layouts. Where `initialValues` has a
/// scalar for an output, that is what its elements are taken to hold before.
struct ElementwiseLaunch {
  linalg::LinalgOp op;
  SmallVector<Value> initialValues;
};

/// Replaces the operations of `group`, none of which needs another one, by the
/// launch of one kernel where the last one stands, in which each thread
/// computes one element of the outputs of one of them. Fails after an error was
/// emitted, with the operations unchanged.
LogicalResult lowerToElementwiseKernel(RewriterBase &rewriter,
                                       ArrayRef<ElementwiseLaunch> group);

/// `ops`, in the order of their blocks, in groups that may share a launch where
/// the last of each stands.
SmallVector<SmallVector<linalg::LinalgOp>>
findLaunchGroups(ArrayRef<linalg::LinalgOp> ops);

/// Makes one loop of neighbouring ones that are one in memory everywhere, where
/// there are such: a thread then finds its indices with fewer divisions.
/// Returns what has taken the place of `op`.
linalg::LinalgOp collapseLoops(RewriterBase &rewriter, linalg::LinalgOp op);

/// Whether the body of `op` writes to `memref` from outside, where it computes
/// to.
bool writesByAddress(linalg::LinalgOp op, Value memref);

/// On an operation whose elements walk keys: no two keys of a walk that are
/// places are equal.
inline constexpr llvm::StringLiteral kUniqueKeysAttrName = "scan.unique_keys";

/// Replaces `op`, if each element of its output walks keys and takes what comes
/// with the last one that is the element's place, by operations that take
/// linear time: `last`, by atomic maxima, and what reads it; or, where keys are
/// known to differ, writes. Returns whether it does.
bool expandKeyedWrites(RewriterBase &rewriter, linalg::LinalgOp op);

/// An operation that fills a memref, and what with.
struct FoldedFill {
  linalg::LinalgOp op;
  Value scalar;
};

/// The fills whose only purpose is to say what the outputs of `op` start from:
/// one per output, null where there is none.
SmallVector<FoldedFill> findFoldableFills(linalg::LinalgOp op);

/// The scalar that `op` writes to every element of its only output, if that is
/// all that it does.
Value getFilledWith(linalg::LinalgOp op);

/// On an operation with reductions: the number of the output, and that of the
/// input whose elements it starts from instead of its own.
inline constexpr llvm::StringLiteral kStartAttrName = "scan.start";

/// Has operations in loops of `function` read slices where they are, instead of
/// copies of these, where nothing changes the slices before; sums that start
/// from a copy start from what is copied. Returns how often.
unsigned foldCopies(RewriterBase &rewriter, func::FuncOp function);

/// Replaces `op` by a gpu.memset if it sets all bits of a whole buffer to zero:
/// that takes no kernel. Returns whether it does.
bool lowerToMemset(RewriterBase &rewriter, linalg::LinalgOp op);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_LINALGTOGPU_ELEMENTWISEKERNEL_H
