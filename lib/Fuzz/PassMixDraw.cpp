//===- PassMixDraw.cpp - Which passes a mix consists of -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassMix.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

namespace {
/// A pass, and options of which one text is drawn, empty for none.
struct PassChoice {
  StringRef name;
  SmallVector<StringRef, 4> options = {};
  /// On functions instead of modules.
  bool isNested = false;
  /// How often it is drawn.
  unsigned weight = 1;
};
using PassTable = ArrayRef<PassChoice>;
} // namespace

/// Passes that make sense anywhere, on tensors and on buffers.
static PassTable getGeneralPasses() {
  static const PassChoice table[] = {
      {"canonicalize",
       {"", "", "top-down=0", "region-simplify=aggressive",
        "region-simplify=disabled", "max-iterations=1"},
       false,
       6},
      {"cse", {}, false, 4},
      {"symbol-dce"},
      {"inline", {}, false, 2},
      {"sccp", {}, false, 2},
      {"loop-invariant-code-motion", {}, false, 2},
      // Not control-flow-sink, which moves what is outside of a linalg
      // operation into branches in its body: linalg.index, where that is
      // invalid, and linalg operations, whose indices convert-linalg-to-loops
      // takes for those of the operation around them.
      {"int-range-optimizations"},
      {"topological-sort"},
      {"strip-debuginfo"},
      {"arith-expand", {}, true},
      {"arith-unsigned-when-equivalent"},
      {"scf-for-loop-canonicalization", {}, true},
      {"scf-for-loop-range-folding"},
      {"scf-for-loop-specialization", {}, true},
      // Not with peel-front, which runs the first step of loops that have none.
      {"scf-for-loop-peeling", {}, true},
  };
  return table;
}

/// Passes on tensors.
static PassTable getTensorPasses() {
  static const PassChoice table[] = {
      {"scan-normalize", {}, false, 5},
      {"scan-fuse-elementwise",
       {"", "", "", "max-state-bytes=16", "max-state-bytes=4096",
        "max-recompute=1", "max-recompute=100"},
       false,
       5},
      {"scan-fuse-reduction-outputs", {}, false, 4},
      {"scan-bidirectional",
       {"", "target=cpu", "split=1", "max-extent=4", "max-extent=100000"},
       false,
       4},
      {"scan-shift-to-slices", {}, false, 2},
      {"scan-expand-segments", {"", "check-offsets=0"}, false, 3},
      {"scan-fuse-segment-offsets",
       {"", "max-scans=0", "max-scans=4096"},
       false,
       3},
      {"scan-raise-recurrence", {"", "order=sequential"}, false, 2},
      {"scan-scatter-to-select"},
      {"scan-scatter-to-loops"},
      {"scan-fuse-scatter"},
      {"scan-reductions-to-kernels",
       {"", "min-extent=1", "min-extent=1 reassociate-floats=1"},
       false,
       2},
      {"scan-assign-schedule",
       {"", "chip=sm_75", "chip=sm_120", "dispatch=1"},
       false,
       2},
      {"scan-count-matches"},
      {"scan-explain", {"output=/dev/null", "output=/dev/null dispatch=1"}},
      {"scan-print-traffic",
       {"output=/dev/null", "output=/dev/null compare=1"}},
      {"linalg-generalize-named-ops", {}, true, 2},
      {"linalg-fuse-elementwise-ops", {}, true, 2},
      {"linalg-fold-unit-extent-dims",
       {"", "use-rank-reducing-slices=1"},
       true,
       2},
      {"linalg-inline-scalar-operands", {}, true},
      {"linalg-morph-ops",
       // Not linalg-specialize-generic-ops or generic-to-named: they crash at
       // a scalar among the inputs.
       {"named-to-category=1", "named-to-generic=1", "category-to-generic=1"},
       true},
      {"linalg-fold-into-elementwise", {}, true},
      {"convert-elementwise-to-linalg", {}, true, 2},
      {"resolve-shaped-type-result-dims"},
      {"resolve-ranked-shaped-type-result-dims"},
      {"reify-result-shapes"},
      {"fold-tensor-subset-ops", {}, true},
      {"eliminate-empty-tensors"},
      {"loop-invariant-subset-hoisting"},
      {"math-uplift-to-fma", {}, true},
      {"duplicate-function-elimination"},
  };
  return table;
}

/// Passes on buffers, while nothing frees them yet.
static PassTable getBufferPasses() {
  static const PassChoice table[] = {
      {"buffer-hoisting", {}, true},
      {"buffer-loop-hoisting", {}, true},
      {"promote-buffers-to-stack", {}, true},
      {"drop-equivalent-buffer-results"},
      {"fold-memref-alias-ops"},
      {"resolve-shaped-type-result-dims"},
      {"linalg-generalize-named-ops", {}, true},
      {"linalg-fold-unit-extent-dims", {}, true},
      {"linalg-inline-scalar-operands", {}, true},
      {"scan-expand-copies"},
      {"scan-assign-schedule"},
  };
  return table;
}

/// Passes on buffers, when it is settled who frees them, and on loops.
static PassTable getLoopPasses() {
  static const PassChoice table[] = {
      {"fold-memref-alias-ops"},
      {"memref-expand", {}, true},
      {"scan-expand-copies"},
      {"scan-check-allocations"},
      {"convert-complex-to-standard", {}, true},
      {"scf-for-to-while", {}, true},
      {"expand-strided-metadata"},
  };
  return table;
}

static std::string drawPass(fuzz::Random &random, ArrayRef<PassTable> tables) {
  unsigned sum = 0;
  for (PassTable table : tables)
    for (const PassChoice &choice : table)
      sum += choice.weight;
  uint64_t number = random.below(sum);
  for (PassTable table : tables)
    for (const PassChoice &choice : table) {
      if (number >= choice.weight) {
        number -= choice.weight;
        continue;
      }
      std::string text = choice.name.str();
      if (!choice.options.empty())
        if (StringRef options = random.pick(choice.options); !options.empty())
          text += ("{" + options + "}").str();
      return choice.isNested ? "func.func(" + text + ")" : text;
    }
  llvm_unreachable("the number is below the sum");
}

namespace {
class PassDrawer {
public:
  PassDrawer(fuzz::Random &random) : random(random) {}

  void add(StringRef pass) { passes.push_back(pass.str()); }
  void draw(int64_t least, int64_t most, ArrayRef<PassTable> tables) {
    for (int64_t i = random.between(least, most); i > 0; --i)
      passes.push_back(drawPass(random, tables));
  }
  void drawBuffers(bool hasCalls);
  std::vector<std::string> take() { return std::move(passes); }

private:
  fuzz::Random &random;
  std::vector<std::string> passes;
};
} // namespace

/// The passes from scans on tensors to loops, or to kernels on buffers, with
/// others in between. Whatever frees buffers comes before, between or after the
/// conversions.
void PassDrawer::drawBuffers(bool hasCalls) {
  PassTable general = getGeneralPasses();
  // What has no form on buffers goes, in an order that leaves nothing behind.
  for (StringRef pass :
       {"scan-expand-segments", "scan-normalize", "scan-shift-to-slices",
        "scan-fuse-segment-offsets{max-scans=0}", "scan-scatter-to-loops",
        "func.func(convert-elementwise-to-linalg)"}) {
    add(pass);
    draw(0, 1, {general});
  }
  if (random.chance(50))
    add("eliminate-empty-tensors");
  constexpr StringRef oneShot =
      "one-shot-bufferize{bufferize-function-boundaries=1 "
      "allow-return-allocs-from-loops=1";
  // Upstream's own pass goes wrong at calls: results of one call that are in
  // one array are written to as if they were not, copies behind casts lack
  // extents, and copy-before-write reads memory that nobody has written.
  switch (hasCalls ? 3 : random.below(5)) {
  case 0:
    add((oneShot + "}").str());
    break;
  case 1:
    add((oneShot + " function-boundary-type-conversion=identity-layout-map}")
            .str());
    break;
  case 2:
    add((oneShot + " copy-before-write=1}").str());
    break;
  default:
    add("scan-bufferize");
  }
  PassTable buffers = getBufferPasses(), loops = getLoopPasses();
  draw(0, 2, {general, buffers});
  SmallVector<StringRef> deallocate;
  switch (random.below(3)) {
  case 0:
    deallocate = {"buffer-deallocation-pipeline"};
    break;
  case 1:
    deallocate = {
        "buffer-deallocation-pipeline{private-function-dynamic-ownership=1}"};
    break;
  default:
    deallocate = {"ownership-based-buffer-deallocation", "canonicalize",
                  "buffer-deallocation-simplification",
                  "bufferization-lower-deallocations"};
  }
  SmallVector<StringRef> linalgToLoops;
  switch (random.below(3)) {
  case 0:
    linalgToLoops = {"func.func(convert-linalg-to-loops)"};
    break;
  case 1:
    linalgToLoops = {"func.func(convert-linalg-to-parallel-loops)"};
    break;
  default:
    // Upstream's analysis of integer ranges crashes at affine loops, so that
    // they are only there in between.
    linalgToLoops = {"func.func(convert-linalg-to-affine-loops)"};
    if (random.chance(50))
      linalgToLoops.push_back(
          random.pick({"func.func(affine-loop-invariant-code-motion)",
                       "func.func(affine-simplify-structures)",
                       "func.func(affine-scalrep)"}));
    linalgToLoops.push_back("lower-affine");
  }
  SmallVector<SmallVector<StringRef>> steps = {
      {random.pick({"convert-scan-to-loops",
                    "convert-scan-to-loops{vector-bits=0}",
                    "convert-scan-to-loops{vector-bits=128 rows=1}",
                    "convert-scan-to-loops{state-bytes=64 rows=7}"})},
      linalgToLoops,
      deallocate};
  for (size_t i = steps.size(); i > 1; --i)
    std::swap(steps[i - 1], steps[random.below(i)]);
  // Buffers are moved only while nothing frees them.
  bool areFreed = false;
  for (ArrayRef<StringRef> step : steps) {
    for (StringRef pass : step)
      add(pass);
    areFreed |= step == ArrayRef<StringRef>(deallocate);
    draw(0, 1, {general, areFreed ? loops : buffers});
  }
  draw(0, 2, {general, loops});
}

std::vector<std::string> fuzz::drawPasses(Random &random, MixTarget target,
                                          bool hasCalls) {
  PassDrawer drawer(random);
  PassTable general = getGeneralPasses(), tensors = getTensorPasses();
  switch (target) {
  case MixTarget::Reference:
    drawer.draw(2, 12, {general, tensors});
    break;
  case MixTarget::Emulator:
    drawer.draw(1, 8, {general, tensors});
    break;
  case MixTarget::CPU:
    drawer.draw(0, 6, {general, tensors});
    if (random.chance(65))
      drawer.drawBuffers(hasCalls);
    break;
  }
  return drawer.take();
}

StringRef fuzz::getPassName(StringRef pass) {
  pass.consume_front("func.func(");
  return pass.take_until([](char c) { return c == '{' || c == ')'; });
}

namespace {
struct Refusal {
  StringRef pass, message, reason;
};
} // namespace

StringRef fuzz::getRefusalReason(StringRef pass, StringRef message) {
  static const StringRef graphLevel = "expected scan.kernel at bufferization";
  static const Refusal refusals[] = {
      {"eliminate-empty-tensors", graphLevel,
       "it analyses what is bufferized, which operations on graphs are not"},
      {"loop-invariant-subset-hoisting", graphLevel, "likewise"},
      {"convert-scan-to-loops",
       "expected no lists of segment offsets to become loops",
       "loops read flags; the message names the option that leaves them"},
      {"cpu", "expected no lists of segment offsets to become loops",
       "likewise"},
      {"reference", "is not supported by the reference interpreter",
       "MLIR's passes may leave operations that it does not know"},
      // Faults of upstream's passes.
      {"convert-linalg-to-affine-loops",
       "operand cannot be used as a dimension id",
       "it makes affine loops up to extents that are no symbols"},
  };
  StringRef name = getPassName(pass);
  for (const Refusal &refusal : refusals)
    if (refusal.pass == name && message.contains(refusal.message))
      return refusal.reason;
  return "";
}
