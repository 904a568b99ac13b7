//===- KernelEmitter.h - Code for one point of a scan -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_KERNELEMITTER_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_KERNELEMITTER_H

#include "InvariantCode.h"
#include "OperandAccess.h"
#include "Scan/Conversion/ScanToLoops/Passes.h"
#include "Scan/IR/ScanDialect.h"

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::scan {

struct LoopPlan;

/// Emits the loads, the regions and the stores of one kernel.
class KernelEmitter : public OperandAccess {
public:
  KernelEmitter(OpBuilder &builder, KernelOp kernel);

  /// The static extents of the domain; ShapedType::kDynamic where unknown.
  ArrayRef<int64_t> getStaticSizes() const { return staticSizes; }
  /// Which leaves are carried from step to step.
  ArrayRef<bool> getCarried() const { return carried; }

  /// Emits run-time checks that the operands' extents agree.
  void emitExtentChecks();

  /// For each input that does not vary along the scan dimension its elements at
  /// `point`, whose index along that dimension need not be set.
  SmallVector<SmallVector<Value>> loadInvariants(const Point &point);
  /// The elements of all inputs at `point`; those of `invariants`, if there are
  /// any, are taken from there.
  SmallVector<Value> loadInputs(const Point &point,
                                ArrayRef<SmallVector<Value>> invariants = {});
  /// The state before the first step: the initialised leaves.
  SmallVector<Value> initialize(const Point &point);
  /// The state before the first step of an empty scan without init: zeros.
  SmallVector<Value> zeroState(int64_t width);

  /// What a step computes: the new state, and the elements of all outputs.
  struct Step {
    SmallVector<Value> state;
    SmallVector<Value> outputs;
  };
  /// The step at `point` from `state`; an empty `state` makes it the first step
  /// of a scan without init. `invariants`, if there are any, are what
  /// `computeInvariants` has returned for the point.
  Step step(ValueRange state, ValueRange inputs, const Point &point,
            ValueRange invariants = {});

  /// The parts of a step, for callers that combine in another order: the leaves
  /// that `load` makes of the input elements, `combine` of two states, the one
  /// of earlier steps first, and the elements of all outputs.
  SmallVector<Value> applyLoad(ValueRange inputs, const Point &point) {
    return inlineRegion(kernel.getLoad(), inputs, point);
  }
  SmallVector<Value> applyCombine(ValueRange earlier, ValueRange later,
                                  const Point &point);
  SmallVector<Value> applyStore(ValueRange inclusive, ValueRange exclusive,
                                ValueRange inputs, const Point &point);

  /// The types of what `computeInvariants` returns.
  SmallVector<Type> getInvariantTypes();
  /// What expensive code in `load` and `store` gives at every step of the scan
  /// at `point`, whose index along the scan dimension need not be set.
  SmallVector<Value> computeInvariants(const Point &point);
  /// Stores the elements of outputs, or adds them to those of reduction
  /// outputs, but for elements that `held` says to be added up elsewhere.
  void storeOutputs(const Point &point, ValueRange elements,
                    ArrayRef<bool> held = {}) {
    storeOutputs(point, elements, held, StoreKind::Plain);
  }
  /// The same for several points. A true `streams`, which may be null, lets
  /// contiguous vectors bypass the caches; their addresses then are multiples
  /// of the vectors' sizes.
  void storeOutputs(ArrayRef<Point> points,
                    ArrayRef<SmallVector<Value>> elements, ArrayRef<bool> held,
                    Value streams);

  /// Reductions over a dimension of the domain are held in registers while
  /// a loop walks along it. Of each element of all outputs whether it is one of
  /// these; empty if none is.
  SmallVector<bool> getHeldReductions(unsigned dim);
  /// Zeros, `width` of each, to add the elements of held reductions to.
  SmallVector<Value> zeroReductions(ArrayRef<bool> held, int64_t width);
  /// Adds those of `elements`, all of a step's, that are held to `totals`.
  void addToReductions(ArrayRef<bool> held, ValueRange elements,
                       SmallVectorImpl<Value> &totals);
  /// One number for each vector: the sum over its lanes.
  SmallVector<Value> reduceLanes(ValueRange totals);
  /// Adds the held `totals`, scalars, to what is in memory for `point`, whose
  /// index along the reduced dimension need not be set.
  void storeReductions(const Point &point, ArrayRef<bool> held,
                       ValueRange totals);

  /// Stores the finals that belong to the last `state`.
  void finalize(const Point &point, ValueRange state);

  /// The index along the scan dimension of step `i`, counted from 0.
  Value getTime(Value i);

  /// Whether all of the kernel can work on vectors along `laneDim`, and most of
  /// its accesses then are contiguous.
  bool isVectorizable(unsigned laneDim) {
    return describeScalar(laneDim).empty();
  }
  /// Why not; empty if so.
  std::string describeScalar(unsigned laneDim);
  /// Why its code cannot work on vectors, however its operands lie in memory;
  /// empty if it can.
  std::string describeScalarCode();
  /// Fills in what a plan says of operands and of what is the same at every
  /// step.
  void completePlan(LoopPlan &plan);
  /// How many lanes vectors of at most `bits` bits have: as many as the widest
  /// leaf or element allows; 1 if there are to be none.
  int64_t getLanes(unsigned bits);

private:
  /// Clones `region` at `point` for `arguments` and returns what it yields. The
  /// values of `known`, if there are any, are `knownValues` there.
  SmallVector<Value> inlineRegion(Region &region, ValueRange arguments,
                                  const Point &point,
                                  const InvariantCode *known = nullptr,
                                  ValueRange knownValues = {});
  void cloneOperation(Operation &op, IRMapping &mapping, const Point &point);
  void storeOutputs(const Point &point, ValueRange elements,
                    ArrayRef<bool> held, StoreKind kind);
  const InvariantCode &getInvariantCode(Region &region);
  /// Whether the input does not vary along the scan dimension.
  bool isInvariantInput(OpOperand &operand);
  /// The indices along domain dimension `dim` of `point`.
  Value createIndex(unsigned dim, const Point &point);

  SmallVector<int64_t> staticSizes;
  SmallVector<bool> carried;
  /// Of `load` and of `store`, once somebody has asked.
  std::optional<InvariantCode> invariantLoad, invariantStore;
};

/// The schedule for scans along an inner dimension or without other dimensions:
/// each row is walked with its state in registers, a vector of neighbouring
/// steps at a time where `chooseRowLanes` says so. The kernels, which have one
/// domain, alternate after every few rows, so that what one has read is in the
/// cache for the next.
void emitRowLoops(OpBuilder &builder, MutableArrayRef<KernelEmitter> kernels,
                  const ConvertScanToLoopsOptions &options);
/// How many rows without vectors to walk at a time: fewer where the regions are
/// long, for the sake of registers and compile time.
unsigned chooseRows(KernelOp kernel, unsigned rows);

/// The schedule for scans along an outer dimension: every step walks a block of
/// `laneDim`, whose state is in a buffer. Several kernels, of one domain,
/// alternate after every block.
void emitColumnLoops(OpBuilder &builder, MutableArrayRef<KernelEmitter> kernels,
                     unsigned laneDim,
                     const ConvertScanToLoopsOptions &options);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_KERNELEMITTER_H
