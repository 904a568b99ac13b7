//===- MergeKernels.h - Two kernels become one ------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_FUSION_MERGEKERNELS_H
#define SCAN_LIB_TRANSFORMS_FUSION_MERGEKERNELS_H

#include "Analysis/Traffic.h"
#include "Scan/IR/ScanDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::scan {

/// A thread keeps the state of all leaves, and often their new values, in
/// registers: a merged kernel has no more leaves than this.
constexpr unsigned kMaxMergedLeaves = 16;

/// What merging asks about the operations of one block, as they are when it is
/// made: for all pairs of its kernels, since it takes time linear in the block.
class MergeFacts {
public:
  explicit MergeFacts(Block &block);

  Block &getBlock() { return block; }
  /// True if `kernel` needs something that `other` computes; both are in the
  /// block.
  bool dependsOn(KernelOp kernel, KernelOp other) const;
  /// Of rewrites in the block.
  TrafficAnalysis &getTraffic();
  /// True if both kernels, whose domains have one rank, run over the same
  /// extents.
  bool haveSameDomain(KernelOp first, KernelOp second);
  /// True if one kernel in place of both would move so much less that it is
  /// worth the registers that it takes more. The inputs `chained` of `second`
  /// are results of `first` that it takes from where they are stored.
  bool isWorthMerging(KernelOp first, KernelOp second,
                      llvm::ArrayRef<unsigned> chained = {});
  /// The same of one kernel that reads the inputs `readTwice` of `first` twice,
  /// or, if `staysFirst` is set, of one in place of `second` that scans all
  /// that `first` reads once more.
  bool isWorthChaining(KernelOp first, KernelOp second,
                       llvm::ArrayRef<unsigned> chained,
                       const llvm::SmallBitVector &readTwice = {},
                       bool staysFirst = false);

private:
  /// What is asked about a kernel together with each of many others.
  struct KernelFacts {
    llvm::SmallVector<SymbolicPolynomial> domain;
    llvm::SmallVector<MemoryAccess> reads;
    SymbolicPolynomial read, total;
  };
  const KernelFacts &getFacts(KernelOp kernel);

  Block &block;
  std::optional<TrafficAnalysis> traffic;
  /// The kernels of the block, numbered.
  llvm::DenseMap<Operation *, unsigned> kernels;
  /// The numbers of the kernels that an operation needs, where it needs any.
  llvm::DenseMap<Operation *, llvm::BitVector> needed;
  llvm::DenseMap<Operation *, std::unique_ptr<KernelFacts>> facts;
};

/// Keeps the facts of the block that was asked for last, until something in it
/// changes: of that it has to be told as a listener.
class MergeFactsCache final : public RewriterBase::Listener {
public:
  MergeFacts &get(Block &block);

  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    forget(op);
  }
  void notifyOperationModified(Operation *op) override { forget(op); }
  void notifyOperationReplaced(Operation *op, ValueRange) override {
    forget(op);
  }
  void notifyOperationErased(Operation *op) override { forget(op); }

private:
  void forget(Operation *op);

  std::optional<MergeFacts> facts;
};

/// True if a kernel that saves so much of the bytes that two move is worth the
/// registers that it takes more.
bool isWorthMerging(const SymbolicPolynomial &saved,
                    const SymbolicPolynomial &total);

/// True if both kernels scan one dimension of domains of one rank and have the
/// same attributes but for the direction; otherwise `why` says what differs.
/// Both or neither have initial states, or one can be given some
/// (canBeginAtIdentity), if `mayGiveInit`. Together they have `mostLeaves` at
/// most.
bool areAlike(KernelOp first, KernelOp second, std::string &why,
              bool mayGiveInit = false, unsigned mostLeaves = kMaxMergedLeaves);

/// True if `kernel`, which has no initial states, computes the same from the
/// identity of its operator: each leaf is a sum, a product, a bitwise
/// operation, of integers an extremum, or the state of a linear recurrence
/// whose products of coefficients nobody looks at, and there are no finals,
/// which are zero of an empty scan.
bool canBeginAtIdentity(KernelOp kernel);

/// Gives such a kernel initial states, the identity, from which a recurrence
/// starts with the coefficient 1 at the first step; as an operand, which it
/// does not look at, it has the inits of `other`, which dominate it. What it
/// needs besides dominates both kernels, which are in one block and have the
/// same domain. Returns the kernel in its place.
KernelOp beginAtIdentity(RewriterBase &rewriter, KernelOp kernel,
                         KernelOp other);

/// The inputs of `second` that are results of `first`.
SmallVector<unsigned> getInputsFrom(KernelOp first, KernelOp second);

bool isReadOnlyBy(Value value, Operation *reader);

/// True if input `number` of `second` can be taken from where `first` stores
/// it: no other point reads it, and no leaf needs it.
bool isReadWhereStored(KernelOp first, KernelOp second, unsigned number);

/// True if input `number` of `second` is, at each point, what `first` stores at
/// the step before in its own direction, or what it would store of its initial
/// state, and no leaf needs it: it can be taken from the state before the step.
/// With `anyBoundary` it may continue with something else than that state,
/// which the merged kernel chooses by the number of the step.
bool isReadOneStepLater(KernelOp first, KernelOp second, unsigned number,
                        bool anyBoundary = false);

/// Moves what `second` needs to in front of `first`, which stands before it in
/// one block. Fails if some of it depends on `first`; inputs in `except` are
/// left out.
LogicalResult provideOperands(RewriterBase &rewriter, KernelOp first,
                              KernelOp second, ArrayRef<unsigned> except = {});

/// Replaces both kernels by one, at `first`, that has the inputs, leaves,
/// outputs and finals of `first`, then those of `second`. Its direction is that
/// of `first`. The inputs `chained` of `second`, in ascending order, are
/// results of `first`, which only `store` reads, at the points that they were
/// written at or one step later (isReadWhereStored, isReadOneStepLater): they
/// are taken from there and are no inputs any more.
KernelOp mergeKernels(RewriterBase &rewriter, KernelOp first, KernelOp second,
                      ArrayRef<unsigned> chained = {});

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_FUSION_MERGEKERNELS_H
