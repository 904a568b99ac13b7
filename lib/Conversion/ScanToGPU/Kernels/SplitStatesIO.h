//===- SplitStatesIO.h - Operands of scans that lanes share -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp has `lanes` scans side by side, and 32 / lanes lanes share each of
// them. A chunk is `items` steps of one scan. Of an input that has an element
// per part of the states, a lane loads those of the parts that it owns, at
// every step of a chunk; of any other input the elements of the steps that it
// owns: step i of a chunk belongs to lane i modulo the number of lanes.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESIO_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESIO_H

#include "../Primitives/Reductions.h"
#include "../Tile/StepPointer.h"
#include "Plan/StateSplit.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::scan {

class SplitStatesIO {
public:
  /// Of the scans of block number `block`, an index.
  SplitStatesIO(ImplicitLocOpBuilder &b, KernelFrame &frame,
                const StateSplit &split, Value block);

  /// Begins with the scan.
  void start(ImplicitLocOpBuilder &b);

  /// The lanes that share a scan, this lane's scan among those of its warp, and
  /// the warp.
  const LaneGroup &getLanes() const { return lanes; }
  Value getScanLane() const { return scanLane; }
  Value getWarp() const { return warp; }
  /// The elements of an input that does not vary along the scan dimension.
  ArrayRef<Value> getInvariant(unsigned input) const {
    return inputs[input].invariant;
  }
  /// This lane among those of the warp.
  Value getWarpLane() const { return warpLane; }
  /// This lane's scan among those that the blocks have room for.
  Value getNumber() const { return number; }
  /// The point of this lane's scan, or of some other's if there is none, and an
  /// i1 that says whether there is; null while warps are known to have all of
  /// their scans.
  ArrayRef<Value> getPoint() const { return point; }
  Value getIsValid() const { return areWarpsWhole ? Value() : isValid; }
  void setAreWarpsWhole(bool areWhole) { areWarpsWhole = areWhole; }
  /// The point of the first scan of the warp, or of the last warp if there is
  /// none; all warps have all of their scans.
  SmallVector<Value> createFirstPoint(ImplicitLocOpBuilder &b);
  /// The lane of the warp that is number `number` of them.
  Value getLane(ImplicitLocOpBuilder &b, int64_t number) const;
  /// The number of own part `part` among all of them, and the step of a chunk
  /// that is own step `group`.
  Value createPartNumber(ImplicitLocOpBuilder &b, int64_t part) const;
  Value createOwnStep(ImplicitLocOpBuilder &b, Value group) const;
  /// Parts, and steps of a chunk, that a lane owns; steps of a chunk.
  int64_t getOwnParts() const { return split.parts / lanes.count; }
  int64_t getOwnSteps() const { return getSteps() / lanes.count; }
  int64_t getSteps() const { return steps; }
  /// Has chunks of `number` steps, a multiple of getLanes().count, from now on:
  /// at first of those that the schedule says, fewer where less code counts for
  /// more than the time of the walk.
  void setSteps(int64_t number) { steps = number; }

  /// Loads of each input that the parts share the elements at the own steps of
  /// the chunk from step `t` on, of which `rest` steps are there, an index;
  /// null if all are.
  SmallVector<Value> loadOwned(ImplicitLocOpBuilder &b, Value t, Value rest);
  /// How many these are.
  size_t getNumOwned() const;
  /// Operands with an element per part that vary along the scan dimension: all
  /// of them; or those that each scan has by itself, and of which the elements
  /// of a lane are aligned to accesses of 16 bytes, or of all of them.
  enum class Parted { All, AlignedOfScan };
  /// Loads of each such input the elements of the own parts, at the step where
  /// startSteps was told to begin or those after it.
  SmallVector<Value> loadParts(ImplicitLocOpBuilder &b, Parted which) const;
  size_t getNumParts(Parted which) const;
  void startSteps(ImplicitLocOpBuilder &b, Value t);
  /// Goes on to the step after, where `condition`, which may be null, holds.
  void advanceSteps(ImplicitLocOpBuilder &b, Value condition = Value());
  /// What loadParts loads of all, where those that are not of each scan come
  /// from elsewhere.
  SmallVector<Value> joinParts(ValueRange others, ValueRange ofScan) const;
  /// i1: whether operands of each scan are aligned as that says.
  Value createIsAligned(ImplicitLocOpBuilder &b) const;

  /// Maps the arguments of the load or the store region `region` that are
  /// inputs which the parts share to their elements at own step `group`;
  /// `owned` is what loadOwned loaded.
  void mapShared(Region &region, ValueRange owned, int64_t group,
                 IRMapping &mapping) const;
  /// Maps those that are inputs of part 0 to the elements of own part `part`
  /// among `parts`, which loadParts loaded.
  void mapParts(Region &region, ValueRange parts, int64_t part,
                IRMapping &mapping) const;
  /// Maps those that never vary, to the elements of own part `part` where each
  /// part has one.
  void mapInvariant(Region &region, int64_t part, IRMapping &mapping) const;
  /// Maps the arguments of the region of inits to the elements of own part
  /// `part`.
  void mapInits(ImplicitLocOpBuilder &b, int64_t part,
                IRMapping &mapping) const;

  /// Stores what the own parts have of each output with an element per part,
  /// `results`, nothing of others, at the step where startStores was told to
  /// begin or those after it, if that is `inBounds`; without such a condition,
  /// elements are aligned.
  void startStores(ImplicitLocOpBuilder &b, Value t);
  void storeParts(ImplicitLocOpBuilder &b, Value inBounds,
                  ArrayRef<SmallVector<Value>> results);
  /// Stores the results of own step `group` of the chunk from step `t` on, an
  /// element of each output, or null.
  void storeStep(ImplicitLocOpBuilder &b, Value t, Value rest, int64_t group,
                 ValueRange results);
  /// Stores the final elements of the own parts, an element of each final per
  /// part, or null, if there is such a scan.
  void storeFinals(ImplicitLocOpBuilder &b, ArrayRef<SmallVector<Value>> parts);

private:
  /// An input or an output for one thread.
  struct Operand {
    OperandView view;
    bool hasParts, isVarying;
    StepPointer steps;
    /// Of an input that does not vary along the scan dimension: its element, or
    /// those of the own parts.
    SmallVector<Value> invariant;
  };
  Operand makeOperand(const OperandView &view, bool hasParts) const;

  void startPointer(ImplicitLocOpBuilder &b, Operand &operand);
  bool isOfScan(const Operand &operand) const;
  bool isParted(const Operand &input, Parted which) const {
    return input.isVarying && input.hasParts &&
           (which == Parted::All || isOfScan(input));
  }
  /// Own parts whose elements of `view` come in one access.
  int64_t getWidth(const OperandView &view) const;
  Value createFirstNumber(ImplicitLocOpBuilder &b) const;
  Value createFirstOwnAddress(ImplicitLocOpBuilder &b,
                              const Operand &operand) const;
  Value loadInvariant(ImplicitLocOpBuilder &b, const OperandView &view,
                      int64_t part) const;
  SmallVector<Value> loadPartsOf(ImplicitLocOpBuilder &b, const Operand &input,
                                 int64_t width) const;
  /// `elements`, which were loaded at the step where `input` is, or those of
  /// its boundary.
  SmallVector<Value> selectInBounds(ImplicitLocOpBuilder &b,
                                    const Operand &input,
                                    SmallVector<Value> elements) const;
  KernelFrame &frame;
  const StateSplit &split;
  int64_t steps;
  LaneGroup lanes;
  Value block, scanLane, warp, warpLane, number;
  /// Whether there is such a scan, and its point; some other's if not.
  Value isValid;
  bool areWarpsWhole = false;
  SmallVector<Value> point;
  SmallVector<Operand, 0> inputs, outputs;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_SPLITSTATESIO_H
