//===- GreedySearch.h - The search for a smaller input ----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that makes a failing input small, in scan-reduce and in each mode of
// scan-fuzz, is one local search: a copy of the smallest input so far is made
// smaller in one way, and is kept if it still fails. What an input is, the ways
// to make it smaller, and how to find out whether it fails are the caller's;
// the order in which ways are tried, the deadline and the counts are here.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_REDUCE_GREEDYSEARCH_H
#define SCAN_LIB_REDUCE_GREEDYSEARCH_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>

namespace mlir::scan {

/// What a way to make an input smaller has done to it.
enum class StepResult {
  Changed,
  /// There was nothing to take away.
  Unchanged,
  /// The number is beyond the last step.
  NoSuchStep,
};

/// Makes an input smaller for as long as it fails. An `Input` can be copied.
template <typename Input> class GreedySearch {
public:
  /// Whether an input still fails. It may note in the input what it has seen;
  /// `best` is still the input that this one is to replace.
  using Predicate = std::function<bool(Input &)>;

  /// `best` is the input, which fails, and later the smallest that does. The
  /// search ends after that many seconds: after none nothing is tried. Without
  /// a number it has all the time that it needs.
  GreedySearch(Input &best, Predicate fails,
               std::optional<unsigned> seconds = std::nullopt)
      : best(best), fails(std::move(fails)) {
    if (seconds)
      deadline = Clock::now() + std::chrono::seconds(*seconds);
  }

  /// Nothing more will be tried.
  bool isOver() const {
    return isStopped || (deadline && Clock::now() >= *deadline);
  }
  void stop() { isStopped = true; }

  /// How many inputs were run to see whether they fail, and how many did.
  unsigned getNumTried() const { return numTried; }
  unsigned getNumKept() const { return numKept; }

  /// Applies `change` to a copy, which takes the place of the best input if it
  /// is changed and fails. Returns what became of the best input;
  /// `NoSuchStep` if the search is over.
  StepResult attempt(llvm::function_ref<StepResult(Input &)> change) {
    if (isOver())
      return StepResult::NoSuchStep;
    Input candidate = best;
    StepResult result = change(candidate);
    if (result != StepResult::Changed)
      return result;
    ++numTried;
    if (!fails(candidate))
      return StepResult::Unchanged;
    ++numKept;
    best = std::move(candidate);
    return StepResult::Changed;
  }

  /// Tries steps number 0, 1, 2, ... until there are no more. One that was kept
  /// is tried again: either it takes away more, or what came next has got its
  /// number. Applied often enough, every step has to have nothing left to do.
  void applySteps(llvm::function_ref<StepResult(Input &, size_t step)> change) {
    StepResult result = StepResult::Changed;
    for (size_t step = 0; result != StepResult::NoSuchStep;
         step += result == StepResult::Unchanged)
      result = attempt([&](Input &input) { return change(input, step); });
  }

  /// Removes ranges of `count` items, first halves, then quarters, down to
  /// single items, by `remove`, which returns false where it cannot. This is
  /// delta debugging (Zeller and Hildebrandt, Simplifying and Isolating
  /// Failure-Inducing Input, 2002) by complements only, which keep more of what
  /// makes an input valid than parts of it do.
  void removeRanges(
      size_t count,
      llvm::function_ref<bool(Input &, size_t begin, size_t size)> remove) {
    for (size_t size = std::max<size_t>(count / 2, 1); size > 0; size /= 2)
      for (size_t begin = 0; begin + size <= count;) {
        StepResult result = attempt([&](Input &input) {
          return remove(input, begin, size) ? StepResult::Changed
                                            : StepResult::Unchanged;
        });
        (result == StepResult::Changed ? count -= size : begin += size);
      }
  }
  /// The same for the items of a list.
  template <typename List> void removeRanges(List Input::*list) {
    removeRanges((best.*list).size(),
                 [&](Input &input, size_t begin, size_t size) {
                   auto first = (input.*list).begin() + begin;
                   (input.*list).erase(first, first + size);
                   return true;
                 });
  }

  /// Leaves one item of a list, the first that is enough. Where it takes
  /// several, all remain.
  template <typename List> void keepOne(List Input::*list) {
    for (size_t i = 0, e = (best.*list).size(); e > 1 && i < e; ++i)
      if (attempt([&](Input &input) {
            input.*list = {(best.*list)[i]};
            return StepResult::Changed;
          }) == StepResult::Changed)
        return;
  }

  /// Repeats what is tried in `round` until one round keeps nothing: what was
  /// taken away in it may be what something before has needed.
  void repeat(llvm::function_ref<void()> round) {
    unsigned before;
    do {
      before = numKept;
      round();
    } while (numKept > before && !isOver());
  }

private:
  using Clock = std::chrono::steady_clock;

  Input &best;
  Predicate fails;
  std::optional<Clock::time_point> deadline;
  bool isStopped = false;
  unsigned numTried = 0, numKept = 0;
};

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

  /// The result, if the function has found the step.
  StepResult getResult(bool isFound) const {
    return !isFound     ? StepResult::NoSuchStep
           : hasChanged ? StepResult::Changed
                        : StepResult::Unchanged;
  }

private:
  size_t wanted, count = 0;
};

} // namespace mlir::scan

#endif // SCAN_LIB_REDUCE_GREEDYSEARCH_H
