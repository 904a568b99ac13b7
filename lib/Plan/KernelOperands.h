//===- KernelOperands.h - What a kernel reads, writes, carries --*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sizes of a kernel's operands and of its state, in bytes and in registers:
// what the estimate of registers and the cost model both count with.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PLAN_KERNELOPERANDS_H
#define SCAN_LIB_PLAN_KERNELOPERANDS_H

#include "Scan/IR/ScanDialect.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::scan {

struct KernelOperands {
  struct Operand {
    Value value;
    AffineMap map;
    /// Of one element of the domain, with its trailing elements: bytes, and
    /// 32-bit registers.
    int64_t elementBytes, words;
    bool isInput;
    /// Whether it varies along the scan dimension; reductions do not.
    bool isVarying;
    /// Segment offsets, which are looked up.
    bool isOffsets;
    /// An input that is read at places, and does not vary.
    bool isGathered;
    /// An output that is added to.
    bool isReduction;
    /// How many inputs it is: a shifted one is loaded by itself.
    int64_t reads = 1;
  };

  /// What registers hold of an output that is a reduction.
  struct Reduction {
    /// Of one element of the output, with its trailing elements.
    int64_t elementBytes, elements, words;
    /// Whether there is one for each step, and one for all scans along the
    /// innermost other dimension.
    bool isPerStep, isShared;
  };

  /// Inputs, inits, reductions, other outputs and final states; an array that
  /// is read at two shifts is there once, a scalar not at all.
  SmallVector<Operand> operands;
  SmallVector<Reduction> reductions;
  /// 32-bit registers for one state, and for what a walk carries of it.
  int64_t stateWords = 0, carriedWords = 0;
  /// Of the first ones, those of leaves that are not the same at every step, as
  /// the coefficients of a time-invariant model are.
  int64_t varyingStateWords = 0;

  static KernelOperands get(KernelOp kernel);
};

/// 32-bit registers for one value of an element type.
int64_t getWords(Type elementType);

/// The values in the load region of `kernel` that vary along the scan
/// dimension.
llvm::DenseSet<Value> getVaryingInLoad(KernelOp kernel);

} // namespace mlir::scan

#endif // SCAN_LIB_PLAN_KERNELOPERANDS_H
