//===- CastOperands.cpp - Operands behind casts ---------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CastOperands.h"
#include "CombineRegion.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::impl;

Value scan::impl::getHiddenBehindCast(Value value) {
  if (auto cast = value.getDefiningOp<tensor::CastOp>())
    return tensor::canFoldIntoConsumerOp(cast) ? cast.getSource() : Value();
  if (auto cast = value.getDefiningOp<memref::CastOp>())
    return memref::CastOp::canFoldIntoConsumerOp(cast) ? cast.getSource()
                                                       : Value();
  return {};
}

namespace {

/// What an operand is to a graph-level scan. (All of a kernel and of a shift
/// have extents of the domain only.)
enum class Role { Input, Coefficients, State, Flags, Offsets };

Role getRole(Operation *op, unsigned number) {
  unsigned inputs = op->getNumOperands();
  Value segments;
  if (auto associative = dyn_cast<AssociativeOp>(op)) {
    inputs = associative.getInputs().size();
    segments = associative.getSegments();
  } else if (auto recurrence = dyn_cast<LinearRecurrenceOp>(op)) {
    inputs = 2;
    segments = recurrence.getSegments();
    if (number == 0)
      return Role::Coefficients;
  }
  if (segments && number + 1 == op->getNumOperands())
    return areOffsets(segments) ? Role::Offsets : Role::Flags;
  return number < inputs ? Role::Input : Role::State;
}

/// The static extents of a scan: those of its domain, and how many segments
/// there are.
class StaticExtents {
public:
  explicit StaticExtents(const IndexedScan &scan)
      : scan(scan), extents(scan.rank + 1) {
    for (auto [number, operand] : llvm::enumerate(scan.op->getOperands()))
      add(number, operand);
  }

  /// Takes note of what the type of `value` says in the place of operand
  /// `number`.
  void add(unsigned number, Value value) {
    forEach(number, value, [&](unsigned slot, int64_t extent) {
      extents[slot] = extent;
      return true;
    });
  }

  /// Whether `value` may stand in the place of operand `number`.
  bool fits(unsigned number, Value value) const {
    Role role = getRole(scan.op, number);
    bool mayBroadcast = role == Role::Coefficients || role == Role::Flags;
    return forEach(number, value, [&](unsigned slot, int64_t extent) {
      if (extents[slot])
        return *extents[slot] == extent;
      // What the cast calls an extent of the domain must not become a
      // broadcast.
      bool becomesBroadcast = mayBroadcast && extent == 1 && slot != scan.dim;
      return extent >= 0 && !becomesBroadcast;
    });
  }

private:
  /// Calls `callback` with the number of each static extent of `value` and the
  /// extent, for as long as it returns true; returns whether it always did.
  bool forEach(unsigned number, Value value,
               function_ref<bool(unsigned, int64_t)> callback) const {
    auto type = dyn_cast<ShapedType>(value.getType());
    if (!type)
      return true;
    Role role = getRole(scan.op, number);
    for (auto [i, expr] :
         llvm::enumerate(scan.operandMaps[number].getResults())) {
      if (type.isDynamicDim(i))
        continue;
      int64_t extent = type.getDimSize(i);
      bool agrees = true;
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        agrees = callback(dim.getPosition(), extent);
      else if (role == Role::State)
        agrees = callback(scan.rank, extent);
      else if (role == Role::Offsets)
        agrees = callback(scan.rank, extent - 1);
      if (!agrees)
        return false;
    }
    return true;
  }

  const IndexedScan &scan;
  SmallVector<std::optional<int64_t>> extents;
};

} // namespace

bool scan::impl::readThroughCasts(const IndexedScan &scan,
                                  MutableArrayRef<Value> operands) {
  StaticExtents extents(scan);
  bool changed = false;
  for (auto [number, operand] : llvm::enumerate(operands)) {
    Value source = getHiddenBehindCast(operand);
    if (!source || !extents.fits(number, source))
      continue;
    extents.add(number, source);
    operand = source;
    changed = true;
  }
  return changed;
}
