//===- KernelFusion.h - Inlining elementwise code into kernels --*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of --scan-fuse-elementwise and what they share: where the loops
// of an elementwise operation lie in the domain of a kernel.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_FUSION_KERNELFUSION_H
#define SCAN_LIB_TRANSFORMS_FUSION_KERNELFUSION_H

#include "IR/ElementwiseView.h"
#include "IR/Extents.h"
#include "IR/KernelParts.h"
#include "Scan/Transforms/Fusion.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::scan {

class MergeFactsCache;

/// Where one loop of an elementwise operation lies: it is a domain dimension of
/// the kernel (or the constant 0, for an extent of 1), or it runs over a
/// trailing dimension, whose points the kernel has unrolled.
struct LoopPlace {
  AffineExpr expr;
  int trailing = -1;
};

/// An operand of an elementwise operation as an operand of the kernel, or as
/// several that have one element each: slices.
struct PlacedOperand {
  /// The number of elements under each point of the domain.
  int64_t getNumElements() const { return countElements(trailingShape); }
  /// Which of these the trailing point `point` reads.
  int64_t getPosition(ArrayRef<int64_t> point) const;
  bool isSliced() const { return !slicedDims.empty(); }
  /// What the kernel reads, all under `map`: the value itself, or one slice for
  /// each element. Slices that are made are made at the insertion point.
  SmallVector<Value> createValues(OpBuilder &builder, Location loc) const;

  ElementwiseView::Operand source;
  /// From the domain to the leading dimensions.
  AffineMap map;
  SmallVector<int64_t> trailingShape;
  /// For each trailing dimension the trailing loop that runs over it, or -1 for
  /// an extent of 1.
  SmallVector<int> trailingLoops;
  /// The dimensions of the value that `trailingShape` is of, if dimensions of
  /// the domain stand behind them; otherwise they are its last, and not listed.
  SmallVector<int64_t> slicedDims;
};

/// What `value`, a ranked tensor, has at the indices `indices` of its
/// dimensions `dims`, which the result does not have. An equal slice before the
/// insertion point is taken again.
Value createSliceAt(OpBuilder &builder, Location loc, Value value,
                    ArrayRef<int64_t> dims, ArrayRef<int64_t> indices);

/// The loops of an elementwise operation, one tensor of which (`resultMap`:
/// from the loops, a projected permutation) is the operand or result of a
/// kernel under `kernelMap`. Loops that it does not have lie nowhere.
SmallVector<LoopPlace> placeLoops(AffineMap resultMap, AffineMap kernelMap);

/// Where an operand or result that has the map `source.map` from the loops
/// lies; nothing and the reason in `why` if a kernel cannot have such an
/// operand. `shape` are its extents, if not those of its type. With `maySlice`,
/// it may be one that has to be sliced.
std::optional<PlacedOperand>
placeOperand(const ElementwiseView::Operand &source, ArrayRef<LoopPlace> loops,
             unsigned domainRank, std::string &why,
             std::optional<ArrayRef<int64_t>> shape = std::nullopt,
             bool maySlice = false);

/// The zero of an element type, as materializeScalar takes it.
Attribute getZeroElement(Type type);

/// How many domain dimensions `map` uses.
unsigned countDims(AffineMap map);

/// The bytes that a kernel moves for an operand, per point of `numDims`
/// dimensions of the domain: nothing if the operand has fewer, that is, if its
/// elements are read over and over.
int64_t getTraffic(Type elementType, AffineMap map, int64_t numElements,
                   unsigned numDims);

/// The index of the loop that lies at `place`, in a region of a kernel, for the
/// trailing point `point`.
Value createLoopIndex(OpBuilder &builder, Location loc, const LoopPlace &place,
                      ArrayRef<int64_t> point);

/// Appends what a kernel reads for `operand` to its inputs or inits `values`
/// under `maps`, but for what is there already in an operand that `mayShare`,
/// and the types of the elements that this adds to `added`. Returns which of
/// all elements are those of `operand`. What is made is made at the insertion
/// point.
SmallVector<int64_t> addElements(OpBuilder &builder, Location loc,
                                 const PlacedOperand &operand,
                                 SmallVectorImpl<Value> &values,
                                 SmallVectorImpl<AffineMap> &maps,
                                 function_ref<bool(unsigned)> mayShare,
                                 SmallVectorImpl<Type> &added);

/// The operations of `block` that compute `values`, in their order, and the
/// arguments of `block` that they and `values` need.
SmallVector<Operation *> getCodeOf(Block &block, ValueRange values,
                                   llvm::SetVector<BlockArgument> &arguments);

/// An operation in front of `op`, elementwise code of several results, that
/// computes one of them, and reads only what that needs. Its other results, and
/// `op`, stay as they are.
linalg::GenericOp createForResult(RewriterBase &rewriter, linalg::GenericOp op,
                                  unsigned result);

/// True if elementwise `op`, which `kernel` reads, computes one array of
/// several that another kernel writes for it alone: inlined there, it is the
/// only one that is written and read.
bool isConsumerOfOther(Operation *op, KernelOp kernel);

/// Inlines what computes `operand`, an input or init, into the kernel. The
/// kernel is replaced.
LogicalResult fuseProducer(RewriterBase &rewriter, KernelOp kernel,
                           OpOperand &operand, const FusionOptions &options);

/// Makes `operand`, which elementwise code for this kernel only computes and
/// shifted inputs continue with, an input like others: the regions choose
/// between both by the index. The kernel is replaced.
LogicalResult fuseBoundary(RewriterBase &rewriter, KernelOp kernel,
                           OpOperand &operand);

/// Lets the store region of `kernel` choose by the index between the elements
/// of the shifted input number `input` and what it continues with, so that
/// nothing depends any more on what it is out of bounds.
void chooseBoundary(RewriterBase &rewriter, KernelOp kernel, unsigned input);

/// Rematerializes the input `operand`, an output of another kernel that needs
/// no state of its scan, from the inputs of that, if no more bytes are moved
/// then.
/// The kernel is replaced.
LogicalResult rematerializeOutput(RewriterBase &rewriter, KernelOp kernel,
                                  OpOperand &operand);

/// Replaces a slice of the result of elementwise code by that code on slices,
/// if nothing needs the whole result, and a slice of what only moves elements
/// as takeSliceOfMoved does.
LogicalResult moveSlice(RewriterBase &rewriter, tensor::ExtractSliceOp slice);

/// Each of `rank` dimensions that stays with the dropped ones around it.
SmallVector<ReassociationIndices>
groupDroppedDims(int64_t rank, const llvm::SmallBitVector &dropped);

/// Replaces a slice of a concatenation or of an inserted slice that lies in one
/// of its parts by a slice of that, one of a splat by a splat, and one of a
/// scan.shift that takes all of the dimension of the shift by a shift.
LogicalResult takeSliceOfMoved(RewriterBase &rewriter,
                               tensor::ExtractSliceOp slice);

/// Makes the input `operand`, which a scan.shift makes, a shifted one. The
/// kernel is replaced.
LogicalResult fuseShift(RewriterBase &rewriter, KernelOp kernel,
                        OpOperand &operand);

/// The dimension of an input that is scanned; nothing for other operands.
std::optional<int64_t> getScannedDim(KernelOp kernel, OpOperand &operand);

/// Makes a scan.shift of the input `operand`, a pad, slice or concatenation
/// along the scan dimension of a tensor of the same extents. Kernels that read
/// it read the shift.
LogicalResult makeShift(RewriterBase &rewriter, KernelOp kernel,
                        OpOperand &operand);

/// Replaces the input `operand`, a scan.shift of what elementwise code computes
/// for kernels only, by that code on shifted operands.
LogicalResult moveShift(RewriterBase &rewriter, KernelOp kernel,
                        OpOperand &operand, const FusionOptions &options);

/// Replaces `shift`, of what is one array with factors that are the same for
/// all steps, by the same of a shift of that array: where several factors are
/// multiplied by one array and shifted, that one is read by all.
LogicalResult moveShiftOfOne(RewriterBase &rewriter, ShiftOp shift);

/// Replaces what computes the input `operand`, a convolution over a few steps
/// of a padded tensor, by one elementwise operation per step, of shifts of the
/// tensor.
LogicalResult unrollWindow(RewriterBase &rewriter, KernelOp kernel,
                           OpOperand &operand);

/// Reads the tensors themselves whose trailing elements the input `operand` is
/// put together of. The kernel is replaced.
LogicalResult fuseTrailingInput(RewriterBase &rewriter, KernelOp kernel,
                                OpOperand &operand);

/// Makes `op`, a slice of trailing elements of an output, or several outputs
/// put together there, an output of its own. Both are replaced.
LogicalResult fuseTrailingOutput(RewriterBase &rewriter, KernelOp kernel,
                                 Operation *op);

/// Unrolls the kernel over dimensions along which `op`, a slice of an output
/// that is read in slices only, takes components. The kernel is replaced.
LogicalResult unrollForSlices(RewriterBase &rewriter, KernelOp kernel,
                              Operation *op, const FusionOptions &options);

/// Unrolls the kernel over the dimension along which the input `operand` is put
/// together of components. The kernel is replaced.
LogicalResult unrollForJoins(RewriterBase &rewriter, KernelOp kernel,
                             OpOperand &operand, const FusionOptions &options);

/// Inlines `consumer`, which reads results of the kernel, into it. Both are
/// replaced. A reduction may unroll dimensions of the kernel's domain; with
/// `mayUnroll` false, it is not inlined then.
LogicalResult fuseConsumer(RewriterBase &rewriter, KernelOp kernel,
                           Operation *consumer, const FusionOptions &options,
                           bool mayUnroll);

/// What reads results of `kernel`, perhaps through casts and reshapes.
SmallVector<Operation *> getConsumers(KernelOp kernel);

/// Makes one kernel of two in one block that read much of the same, where
/// `first` stands; the later one must not depend on it. Both are replaced. The
/// cache is one that hears of all changes.
LogicalResult fuseHorizontally(RewriterBase &rewriter, KernelOp first,
                               KernelOp second, MergeFactsCache &cache);

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_FUSION_KERNELFUSION_H
