//===- Invariants.cpp - What a scan assumes of its elements ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks at each element of the leaves and inits that `scan.assume` names,
// before the scan runs: an operator may be associative on such elements only.
//
//===----------------------------------------------------------------------===//

#include "IR/LeafInvariants.h"
#include "ScanWalk.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::reference;

static bool holds(const LeafInvariant &invariant, Scalar value, Format format) {
  if (format.isInteger()) {
    // The numbers of i1 are 0 and 1, not 0 and -1.
    return invariant.holds(format.width == 1
                               ? static_cast<int64_t>(value.i)
                               : signExtend(value.i, format.width));
  }
  if (format.kind == Format::C32)
    return invariant.holds(value.cf.re, value.cf.im);
  if (format.kind == Format::C64)
    return invariant.holds(value.cd.re, value.cd.im);
  return invariant.holds(toDouble(value, format));
}

static std::string printValue(Scalar value, Format format) {
  auto print = [](double number) {
    SmallString<32> text;
    llvm::APFloat(number).toString(text);
    return std::string(text);
  };
  if (format.isInteger())
    return std::to_string(format.width == 1
                              ? static_cast<int64_t>(value.i)
                              : signExtend(value.i, format.width));
  if (format.kind == Format::C32)
    return "(" + print(value.cf.re) + ", " + print(value.cf.im) + ")";
  if (format.kind == Format::C64)
    return "(" + print(value.cd.re) + ", " + print(value.cd.im) + ")";
  return print(toDouble(value, format));
}

/// The error that element `index` of what is read from `what` is not as
/// assumed.
static LogicalResult fail(AssociativeOp op, const LeafInvariant &invariant,
                          StringRef what, Scalar value, Format format,
                          ArrayRef<int64_t> shape, int64_t index) {
  InFlightDiagnostic diag = op.emitOpError()
                            << what << " #" << invariant.leaf << " is not as '"
                            << AssociativeOp::getAssumeName()
                            << "' says: expected elements to be "
                            << invariant.describe() << ", found "
                            << printValue(value, format);
  if (!shape.empty()) {
    SmallVector<std::string> point;
    for (int64_t stride : getStrides(shape)) {
      point.push_back(std::to_string(index / stride));
      index %= stride;
    }
    diag << " at [" << llvm::join(point, ", ") << "]";
  }
  return diag;
}

static LogicalResult check(Frame &frame, AssociativeOp op,
                           const LeafInvariant &invariant, StringRef what,
                           Slot slot) {
  if (!slot.isTensor) {
    Scalar value = frame.scalar(slot);
    return holds(invariant, value, slot.format)
               ? success()
               : fail(op, invariant, what, value, slot.format, {}, 0);
  }
  const Tensor &tensor = frame.tensor(slot);
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i)
    if (Scalar value = tensor.load(i); !holds(invariant, value, tensor.format))
      return fail(op, invariant, what, value, tensor.format, tensor.shape, i);
  return success();
}

Step mlir::scan::reference::compileInvariants(Compiler &compiler,
                                              AssociativeOp op) {
  struct Checked {
    LeafInvariant invariant;
    Slot leaf;
    std::optional<Slot> init;
  };
  SmallVector<Checked> all;
  for (const LeafInvariant &invariant : getLeafInvariants(op)) {
    Checked checked{invariant, compiler.lookup(op.getInputs()[invariant.leaf]),
                    std::nullopt};
    if (!op.getInits().empty())
      checked.init = compiler.lookup(op.getInits()[invariant.leaf]);
    all.push_back(checked);
  }
  if (all.empty())
    return Step();
  return [op, all = std::move(all)](Frame &frame) -> LogicalResult {
    for (const Checked &checked : all)
      if (failed(check(frame, op, checked.invariant, "leaf", checked.leaf)) ||
          (checked.init &&
           failed(check(frame, op, checked.invariant, "init", *checked.init))))
        return failure();
    return success();
  };
}
