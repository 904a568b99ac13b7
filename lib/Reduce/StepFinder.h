//===- StepFinder.h - Steps of a search by their number ---------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_REDUCE_STEPFINDER_H
#define SCAN_LIB_REDUCE_STEPFINDER_H

#include "GreedySearch.h"

namespace mlir::scan {

/// Applies one of the steps that a function enumerates, for
/// `GreedySearch::applySteps`. The function offers all of them in order, and
/// returns as soon as one says that it was the wanted one.
class StepFinder {
public:
  explicit StepFinder(size_t wanted) : wanted(wanted) {}

  /// A step, possible or not.
  bool apply(bool isPossible, llvm::function_ref<void()> change) {
    if (count++ != wanted)
      return false;
    hasChanged = isPossible;
    if (isPossible)
      change();
    return true;
  }
  /// A step that sets `field`.
  template <typename T> bool set(T &field, const T &value) {
    return apply(!(field == value), [&] { field = value; });
  }
  /// A step that empties a list.
  template <typename T> bool clear(T &list) {
    return apply(!list.empty(), [&] { list = T(); });
  }
  /// A step that removes an item of a list of more than `minSize`.
  template <typename T> bool erase(T &list, size_t index, size_t minSize = 0) {
    return apply(index < list.size() && list.size() > minSize,
                 [&] { list.erase(list.begin() + index); });
  }

  /// Whether the wanted step was possible.
  bool hasChanged = false;

private:
  size_t wanted, count = 0;
};

} // namespace mlir::scan

#endif // SCAN_LIB_REDUCE_STEPFINDER_H
