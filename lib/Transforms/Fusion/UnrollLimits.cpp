//===- UnrollLimits.cpp - What an unrolled kernel may hold ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnrollLimits.h"
#include "Analysis/Traffic.h"
#include "KernelFusion.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::scan;

/// Registers of any kernel, for indices and addresses. Threads that scan a row
/// or column together hold three states at a time: their own, the one before
/// it, and what comes from another thread.
static constexpr int64_t kBase = 20;
static constexpr int64_t kStates = 3;

static constexpr int64_t kRegisterBytes = 4;

/// Narrow elements take a register each once they are computed with.
static int64_t countRegisters(Type elementType, int64_t elements) {
  return llvm::SaturatingMultiply<uint64_t>(
      elements, llvm::divideCeil(getElementBytes(elementType), kRegisterBytes));
}

int64_t scan::countRegisters(const PlacedOperand &operand) {
  return ::countRegisters(operand.source.elementType, operand.getNumElements());
}

/// How often elements under `map` are there once the domain is unrolled.
static int64_t countPoints(KernelOp kernel, AffineMap map,
                           const llvm::SmallBitVector &dims) {
  uint64_t points = 1;
  for (unsigned d : dims.set_bits())
    if (map.isFunctionOfDim(d))
      points = llvm::SaturatingMultiply<uint64_t>(
          points, kernel.getStaticDomainShape()[d]);
  return std::min<uint64_t>(points, INT32_MAX);
}

LogicalResult scan::checkUnrollLimits(KernelOp kernel,
                                      const llvm::SmallBitVector &dims,
                                      int64_t registers,
                                      const FusionOptions &options,
                                      std::string &why) {
  int64_t points = countPoints(kernel,
                               AffineMap::getMultiDimIdentityMap(
                                   kernel.getDomainRank(), kernel.getContext()),
                               dims);
  int64_t bytes = 0, state = 0;
  for (Type type : kernel.getLeafTypes()) {
    bytes += getElementBytes(type);
    state += ::countRegisters(type, 1);
  }
  if (bytes * points > options.maxStateBytes) {
    why = "the leaves of an unrolled point would take " +
          std::to_string(bytes * points) +
          " bytes, more than max-state-bytes=" +
          std::to_string(options.maxStateBytes);
    return failure();
  }
  registers += kBase + kStates * state * points;
  auto count = [&](OpOperand &operand) {
    AffineMap map = kernel.getIndexingMap(operand);
    registers += ::countRegisters(getElementTypeOrSelf(operand.get().getType()),
                                  KernelOp::getNumElements(operand.get(), map) *
                                      countPoints(kernel, map, dims));
  };
  // Initial and final states are held before and after all steps.
  for (OpOperand &input : kernel.getInputsMutable())
    count(input);
  for (OpOperand &output : kernel.getOutputsMutable())
    count(output);
  // A schedule that was asked for is one of the unrolled kernel.
  if (options.maxRegisters == 0 || kernel.getScheduleAttr() ||
      registers <= options.maxRegisters)
    return success();
  why = "an unrolled step would take about " + std::to_string(registers) +
        " registers, more than max-registers=" +
        std::to_string(options.maxRegisters);
  return failure();
}
