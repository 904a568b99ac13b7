//===- ElementwisePart.h - One linalg operation in a kernel -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_LINALGTOGPU_ELEMENTWISEPART_H
#define SCAN_LIB_CONVERSION_LINALGTOGPU_ELEMENTWISEPART_H

#include "../GPUCommon/FlatArguments.h"
#include "ElementwiseKernel.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::scan {

/// Enough threads of a block to fill a multiprocessor with blocks of them.
constexpr int64_t kElementwiseThreads = 256;

/// What one linalg operation is in a kernel that may do several: each has
/// blocks of its own, one thread of which computes one element of the outputs,
/// or a group of neighbouring ones.
class ElementwisePart {
public:
  /// `b` is where code is emitted: on the host, then in the kernel.
  ElementwisePart(ImplicitLocOpBuilder &b, const ElementwiseLaunch &launch)
      : b(b), op(launch.op), initialValues(launch.initialValues),
        point(op.getNumLoops()) {}

  /// On the host: finds out what the kernel is passed and how its threads share
  /// out the loops. The names of operands count on from those of the part
  /// before.
  void prepare(unsigned &numInputs, unsigned &numOutputs);
  ArrayRef<FlatOperand> getOperands() const { return flat; }
  ArrayRef<OpFoldResult> getExtents() const { return extents; }
  ArrayRef<int64_t> getDomain() const { return domain; }
  /// As many threads as a block may have use for.
  int64_t getThreads() const;
  /// How many elements a thread has, at most.
  int64_t getItems() const { return width; }
  /// Whether a walk computes several points at a time: it is long, nothing in
  /// it is stored, which loads would have to wait for, and there is little to
  /// compute.
  bool isUnrolled() const;
  /// The groups of elements, one for a thread, in terms of the extents of its
  /// domain.
  AffineExpr countGroups(ArrayRef<AffineExpr> extents) const;
  Value countGroups(ImplicitLocOpBuilder &inner, ValueRange extents) const;

  /// In the kernel: makes views of the front of `values`, which loses them.
  /// `extents` are those of the domain.
  void createViews(ArrayRef<BlockArgument> &values, ArrayRef<Value> extents);
  /// What the thread `number` of this part does.
  void emitThread(ImplicitLocOpBuilder &inner, Value number);
  /// Whether threads do something for which there need not be elements.
  bool hasAhead();

private:
  void collectOperands(unsigned &numInputs, unsigned &numOutputs);
  void collectDomain();
  void orderLoops();
  int64_t chooseWidth();
  bool isGrouped(unsigned loop) const {
    return width > 1 && loop == shared.back();
  }
  SmallVector<Value> getGroups(ImplicitLocOpBuilder &inner,
                               ValueRange extents) const;
  bool isAhead(Operation &inside);
  void emitAhead(ImplicitLocOpBuilder &inner, Value number);
  void emitElement(ImplicitLocOpBuilder &inner);
  SmallVector<Value> emitLoops(ImplicitLocOpBuilder &inner,
                               ArrayRef<unsigned> rest, ValueRange carried);
  SmallVector<Value> computeBody(ImplicitLocOpBuilder &inner,
                                 ValueRange carried);
  SmallVector<Value> emitBody(ImplicitLocOpBuilder &inner, ValueRange carried);

  /// A group all of whose elements exist.
  struct Group {
    Group(Value first, Value &coordinate)
        : first(first), coordinate(coordinate) {}
    void moveTo(ImplicitLocOpBuilder &inner, int64_t element) const;

    /// The first element's coordinate along the last loop, and where that of
    /// the current one is kept.
    Value first;
    Value &coordinate;
    /// By the number of an operand: its address, where the elements are
    /// accessed as a vector if `isAligned`, an i1, and what they read of it.
    DenseMap<unsigned, Value> addresses;
    Value isAligned;
    DenseMap<unsigned, SmallVector<Value>> elements;
  };
  bool isVector(OpOperand &operand);
  SmallVector<OpOperand *> getRead();
  void findVectors(ImplicitLocOpBuilder &inner, Group &group,
                   ArrayRef<OpOperand *> operands);
  void loadGroup(ImplicitLocOpBuilder &inner, Group &group,
                 ArrayRef<OpOperand *> operands);
  SmallVector<Value> computeElement(ImplicitLocOpBuilder &inner, Group &group,
                                    int64_t element);
  void storeGroup(ImplicitLocOpBuilder &inner, Group &group, OpOperand &output,
                  ArrayRef<Value> values);
  void emitFullGroup(ImplicitLocOpBuilder &inner, Value first);
  void emitGroup(ImplicitLocOpBuilder &inner);

  Value getValue(Value host) { return inKernel.lookup(host); }
  OpOperand &getStart(OpOperand &output);
  Value load(ImplicitLocOpBuilder &inner, OpOperand &operand);
  void store(ImplicitLocOpBuilder &inner, Value value, OpOperand &output);
  SmallVector<Value> getIndices(ImplicitLocOpBuilder &inner, AffineMap map);
  bool isInvariant(OpOperand &operand) const {
    return llvm::none_of(walked, [&](unsigned loop) {
      return op.getMatchingIndexingMap(&operand).isFunctionOfDim(loop);
    });
  }
  /// Whether the output is in a register throughout the walk.
  bool isCarried(OpOperand &output) const {
    return isInvariant(output) && op.payloadUsesValueFromOperand(&output);
  }

  ImplicitLocOpBuilder &b;
  mutable linalg::LinalgOp op;
  ArrayRef<Value> initialValues;
  /// What the kernel is passed, and the values that it makes itself.
  SmallVector<FlatOperand> flat;
  SetVector<Value> constants;
  /// The extents of the loops, and after them those of what the region reads
  /// from outside, where these are dynamic; the latter by memref and dimension.
  SmallVector<OpFoldResult> extents;
  SmallVector<int64_t> domain;
  DenseMap<std::pair<Value, unsigned>, unsigned> capturedExtents;
  /// The loops that threads share out, the contiguous one last, and those that
  /// each thread walks.
  SmallVector<unsigned> shared, walked;
  /// So many neighbouring elements along the last of `shared` are a group.
  int64_t width = 1;

  /// In the kernel.
  SmallVector<Value> sizes;
  IRMapping inKernel;
  SmallVector<Value> point;
  /// What was loaded in front of the body, by the number of the operand.
  DenseMap<unsigned, Value> preloaded;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_LINALGTOGPU_ELEMENTWISEPART_H
