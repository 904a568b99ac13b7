//===- VariantLimits.cpp - How many variants a scan may have --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each variant is a kernel to compile, all of them before the program runs:
// there are fewer of each where a program has several scans.
//
//===----------------------------------------------------------------------===//

#include "MeasuredSchedules.h"
#include "Variants.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::scan;

/// The most where schedules were measured, which need variants of their own
/// beside those that the model would choose.
static constexpr unsigned kMostTunedVariants = 16;

/// VariantLimits::worthwhile of those who ask for a number of variants.
static constexpr double kWorthwhileAsked = 1.003;

/// The most of all scans that run one after another; and of each of them so
/// many.
static constexpr unsigned kMostTogether = 10, kFewVariants = 3;

/// How many scans run whenever `kernel` does, itself included; of many, some.
static unsigned countScansTogether(KernelOp kernel) {
  constexpr unsigned kMany = 4;
  unsigned count = 1;
  if (auto function = kernel->getParentOfType<FunctionOpInterface>())
    function->walk([&](KernelOp other) {
      count +=
          other != kernel && !insideMutuallyExclusiveRegions(kernel, other);
      return count < kMany ? WalkResult::advance() : WalkResult::interrupt();
    });
  return count;
}

VariantLimits mlir::scan::getVariantLimits(KernelOp kernel, const GPUModel &gpu,
                                           unsigned asked) {
  VariantLimits limits;
  if (asked != 0)
    return {asked, kWorthwhileAsked};
  unsigned together = countScansTogether(kernel);
  limits.most =
      MeasuredSchedules::get(kernel, gpu).getAll().empty()
          ? std::clamp(kMostTogether / together, kFewVariants, limits.most)
          : kMostTunedVariants;
  // Of a program's time, each of several scans takes a part, and all of them
  // have variants to compile.
  limits.worthwhile = std::pow(limits.worthwhile, double(together));
  return limits;
}
