//===- scan-search-test.cpp - What searches make of small inputs ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input is two words, `first` and `second`; each test makes one smaller and
// prints what is left of it, and which inputs were tried.
//
//===----------------------------------------------------------------------===//

#include "Reduce/GreedySearch.h"
#include <cstdio>
#include <string>

using namespace mlir::scan;

namespace {
struct Words {
  std::string first, second;
};
using Search = GreedySearch<Words>;
} // namespace

static bool contains(const std::string &word, const std::string &part) {
  return word.find(part) != std::string::npos;
}

static void test(const char *name, Words words, Search::Predicate fails,
                 llvm::function_ref<void(Search &)> run,
                 std::optional<unsigned> seconds = std::nullopt) {
  std::string log;
  Search search(
      words,
      [&](Words &input) {
        bool isKept = fails(input);
        log += (isKept ? " +" : " -") + input.first + "." + input.second;
        return isKept;
      },
      seconds);
  run(search);
  std::printf("%s: %s.%s; %u tried, %u kept%s:%s\n", name, words.first.c_str(),
              words.second.c_str(), search.getNumTried(), search.getNumKept(),
              search.isOver() ? ", over" : "", log.c_str());
}

/// Step 0 removes the end of the first word, step 1 that of the second if the
/// first is empty; step 2 never applies.
static StepResult removeEnd(Words &words, size_t step) {
  StepFinder steps(step);
  return steps.getResult(steps.apply(!words.first.empty(), [&] {
    words.first.pop_back();
  }) || steps.apply(words.first.empty() && !words.second.empty(), [&] {
    words.second.pop_back();
  }) || steps.apply(false, [] {}));
}

/// Step 0 needs the second word to be empty, step 1 makes it so.
static StepResult removeBackwards(Words &words, size_t step) {
  StepFinder steps(step);
  return steps.getResult(
      steps.apply(words.second.empty() && !words.first.empty(),
                  [&] { words.first.clear(); }) ||
      steps.clear(words.second));
}

int main() {
  auto always = [](Words &) { return true; };
  auto removeFirst = [](Search &search) { search.removeRanges(&Words::first); };

  test(
      "halves", {"abcdefgh", ""},
      [](Words &words) { return contains(words.first, "f"); }, removeFirst);
  test(
      "two items", {"abcdefgh", ""},
      [](Words &words) {
        return contains(words.first, "b") && contains(words.first, "g");
      },
      removeFirst);
  test("one item", {"a", ""}, always, removeFirst);
  test("no item", {"", ""}, always, removeFirst);
  test("cannot be removed", {"abcd", ""}, always, [](Search &search) {
    search.removeRanges(4, [](Words &words, size_t begin, size_t size) {
      words.first.erase(begin, size);
      return contains(words.first, "bc");
    });
  });

  test(
      "steps", {"abc", "de"},
      [](Words &words) { return words.second.size() > 1; },
      [](Search &search) { search.applySteps(removeEnd); });
  test("one round", {"a", "b"}, always,
       [](Search &search) { search.applySteps(removeBackwards); });
  test("rounds", {"a", "b"}, always, [](Search &search) {
    search.repeat([&] { search.applySteps(removeBackwards); });
  });

  auto keepOne = [](Search &search) { search.keepOne(&Words::first); };
  test(
      "keep one", {"abc", ""},
      [](Words &words) { return contains(words.first, "b"); }, keepOne);
  test(
      "keep all", {"abc", ""},
      [](Words &words) { return words.first.size() > 1; }, keepOne);

  test(
      "noted", {"abc", ""},
      [](Words &words) {
        words.second = "seen" + words.first;
        return words.first != "c";
      },
      removeFirst);

  auto repeatRemoval = [&](Search &search) {
    search.repeat([&] { removeFirst(search); });
  };
  test("no time", {"abcd", ""}, always, repeatRemoval, 0);
  test("some time", {"abcd", ""}, always, repeatRemoval, 1000);
  test("stopped", {"abcd", ""}, always, [](Search &search) {
    search.repeat([&] {
      search.attempt([&](Words &words) {
        search.stop();
        words.first.pop_back();
        return StepResult::Changed;
      });
    });
  });
}
