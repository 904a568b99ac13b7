//===- ElementwiseView.h - One look at all elementwise code -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fusion does not care how an elementwise computation is written. What it sees
// of an operation is this: a loop nest over some dimensions, the elements that
// each point of it reads, the elements that it writes, and a body of scalar
// code between them. In a reduction several points write the same element, one
// after the other, and each reads what the one before it has written.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_ELEMENTWISEVIEW_H
#define SCAN_LIB_IR_ELEMENTWISEVIEW_H

#include "Scan/IR/ScanDialect.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::scan {

class ElementwiseView {
public:
  /// Something that the body reads at each point.
  struct Operand {
    /// A ranked tensor, or a scalar; null for a constant.
    Value value;
    /// The scalar constant; null otherwise.
    Attribute constant;
    /// The type of what the body reads.
    Type elementType;
    /// From the loops to the dimensions of `value`; no results for scalars.
    AffineMap map;
  };

  /// The view of `op`, or nothing and the reason in `why`. Reductions have one
  /// only where the caller asks for them.
  static std::optional<ElementwiseView> get(Operation *op, std::string &why,
                                            bool allowReductions = false);

  Operation *getOperation() const { return op; }
  unsigned getNumLoops() const { return numLoops; }
  /// The extents of the loops, where they are static.
  ArrayRef<int64_t> getLoopExtents() const { return loopExtents; }
  bool isReduction(unsigned loop) const { return reductions.test(loop); }
  bool hasReductions() const { return reductions.any(); }
  ArrayRef<Operand> getOperands() const { return operands; }
  /// From the loops to the dimensions of the result: a permutation of the loops
  /// that are no reductions.
  AffineMap getResultMap(unsigned result) const { return resultMaps[result]; }
  /// Whether it has a function of `math`, a division or the like.
  bool isExpensive() const;
  /// In a reduction: the operand that is the result's element so far, before
  /// the first point the element of the operand's value. Nothing if no point
  /// reads it.
  std::optional<unsigned> getAccumulator(unsigned result) const {
    return accumulators[result];
  }

  /// Creates the body for one point: `elements` has one scalar per operand, the
  /// returned values are one per result.
  /// `getIndex` makes the index of a loop, for a body that reads it.
  SmallVector<Value> inlineBody(OpBuilder &builder, ValueRange elements,
                                function_ref<Value(unsigned)> getIndex) const;

private:
  ElementwiseView(Operation *op, unsigned numLoops)
      : op(op), numLoops(numLoops), reductions(numLoops),
        accumulators(op->getNumResults()) {}
  bool addOperand(Value value, AffineMap map, std::string &why);
  static std::optional<ElementwiseView>
  getLinalg(Operation *op, std::string &why, bool allowReductions);
  static std::optional<ElementwiseView> getReshape(Operation *op,
                                                   std::string &why);
  static std::optional<ElementwiseView> getTensorOp(Operation *op,
                                                    std::string &why);

  Operation *op;
  unsigned numLoops;
  SmallVector<int64_t> loopExtents;
  llvm::SmallBitVector reductions;
  SmallVector<std::optional<unsigned>> accumulators;
  SmallVector<Operand> operands;
  /// What stands for each operand in the code that is copied.
  SmallVector<Value> keys;
  SmallVector<AffineMap> resultMaps;
};

/// The scalar constant `attr` of `type`.
Value materializeScalar(OpBuilder &builder, Location loc, Type type,
                        Attribute attr);

} // namespace mlir::scan

#endif // SCAN_LIB_IR_ELEMENTWISEVIEW_H
