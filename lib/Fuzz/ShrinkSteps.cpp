//===- ShrinkSteps.cpp - What can be taken away from a program ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShrinkSteps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

namespace {
/// Counts steps until the wanted one and applies that.
class StepFinder {
public:
  StepFinder(size_t index, Program &program, Case &call)
      : wanted(index), program(program), call(call) {}

  StepResult run();

private:
  /// Whether the step that comes next is the wanted one.
  bool isNext() { return count++ == wanted; }

  /// A step that sets `field`.
  template <typename T> bool set(T &field, const T &value) {
    if (!isNext())
      return false;
    hasChanged = !(field == value);
    field = value;
    return true;
  }
  template <typename T> bool clear(T &list) {
    if (!isNext())
      return false;
    hasChanged = !list.empty();
    list = T();
    return true;
  }

  bool tryShape();
  bool tryScans();
  bool tryScan(Scan &scan);
  bool tryFactors(Scan &scan);
  bool tryWrappers(Scan &scan, size_t factor, size_t firstLeaf);
  bool tryChain(MapChain &chain);
  bool dropDim(unsigned dim);
  void dropLeaves(Scan &scan, size_t first, size_t number);

  size_t wanted, count = 0;
  Program &program;
  Case &call;
  bool hasChanged = false;
};
} // namespace

/// Removes the sources and sinks of some leaves.
void StepFinder::dropLeaves(Scan &scan, size_t first, size_t number) {
  scan.sources.erase(scan.sources.begin() + first,
                     scan.sources.begin() + first + number);
  if (!scan.isRecurrence)
    scan.sinks.erase(scan.sinks.begin() + first,
                     scan.sinks.begin() + first + number);
}

bool StepFinder::dropDim(unsigned dim) {
  if (!isNext())
    return false;
  for (const Scan &scan : program.scans)
    if (scan.dim == dim)
      return true;
  if (program.getRank() == 1 || dim >= program.getRank())
    return true;
  auto drop = [dim](SmallVector<unsigned> &dims) {
    llvm::erase(dims, dim);
    for (unsigned &other : dims)
      other -= other > dim;
  };
  for (Scan &scan : program.scans) {
    for (Source &source : scan.sources)
      drop(source.dims);
    for (Sink &sink : scan.sinks)
      drop(sink.permutation);
    drop(scan.broadcast);
    scan.dim -= scan.dim > dim;
  }
  program.extents.erase(program.extents.begin() + dim);
  call.extents.erase(call.extents.begin() + dim);
  hasChanged = true;
  return true;
}

bool StepFinder::tryShape() {
  for (unsigned dim = 0; dim < 4; ++dim)
    if (dropDim(dim))
      return true;
  for (unsigned dim = 0; dim < program.getRank(); ++dim) {
    int64_t extent = call.extents[dim];
    for (int64_t smaller : {int64_t(1), int64_t(2), extent / 4, extent / 2,
                            extent - extent / 4, extent - 8, extent - 1}) {
      if (!isNext())
        continue;
      hasChanged = smaller < extent && smaller >= 0 && extent > 1;
      if (hasChanged) {
        call.extents[dim] = smaller;
        if (program.extents[dim] != kDynamic)
          program.extents[dim] = smaller;
      }
      return true;
    }
    if (set(program.extents[dim], kDynamic))
      return true;
  }
  return false;
}

bool StepFinder::tryChain(MapChain &chain) {
  if (clear(chain.steps))
    return true;
  for (size_t i = 0; i < 3; ++i) {
    if (!isNext())
      continue;
    hasChanged = i < chain.steps.size();
    if (hasChanged)
      chain.steps.erase(chain.steps.begin() + i);
    return true;
  }
  return set(chain.asGeneric, false);
}

bool StepFinder::tryWrappers(Scan &scan, size_t index, size_t firstLeaf) {
  Factor &factor = scan.factors[index];
  for (size_t i = 0; i < factor.wrappers.size(); ++i) {
    if (!isNext())
      continue;
    auto isSegmented = [](const Wrapper &wrapper) {
      return wrapper.kind == Wrap::Segmented ||
             wrapper.kind == Wrap::SegmentedIf;
    };
    // The flag of the outermost one comes first.
    size_t flag = llvm::count_if(ArrayRef(factor.wrappers).drop_front(i + 1),
                                 isSegmented);
    if (isSegmented(factor.wrappers[i]))
      dropLeaves(scan, firstLeaf + flag, 1);
    factor.wrappers.erase(factor.wrappers.begin() + i);
    hasChanged = true;
    return true;
  }
  return false;
}

bool StepFinder::tryFactors(Scan &scan) {
  size_t firstLeaf = 0;
  for (size_t i = 0; i < scan.factors.size(); ++i) {
    Factor &factor = scan.factors[i];
    size_t leaves = getLeaves(factor).size();
    if (isNext()) {
      hasChanged = scan.factors.size() > 1;
      if (hasChanged) {
        dropLeaves(scan, firstLeaf, leaves);
        scan.factors.erase(scan.factors.begin() + i);
      }
      return true;
    }
    if (tryWrappers(scan, i, firstLeaf))
      return true;
    if (factor.base != Base::Matrix && clear(factor.trailing))
      return true;
    bool isSimple = factor.type == "i32" || factor.type == "f32";
    if (isNext()) {
      hasChanged = !isSimple;
      if (hasChanged)
        factor.type = isIntegerType(factor.type) ? "i32" : "f32";
      return true;
    }
    // What stays the same whatever the operator is.
    if (isNext()) {
      hasChanged = leaves == 1 && factor.base != Base::Add &&
                   factor.base != Base::Matrix && !scan.isRecurrence;
      if (hasChanged)
        factor.base = Base::Add;
      return true;
    }
    firstLeaf += leaves;
  }
  return false;
}

bool StepFinder::tryScan(Scan &scan) {
  if (set(scan.segments, Segments::None) || clear(scan.segmentUnits) ||
      set(scan.hasSegmentInits, false) || set(scan.hiddenSegments, 0u) ||
      set(scan.finals, false) || set(scan.exclusive, false) ||
      set(scan.init, false) || set(scan.reverse, false) ||
      clear(scan.schedule) || clear(scan.order) ||
      set(scan.compensated, false) || set(scan.wideAccumulators, false) ||
      clear(scan.broadcast) || tryFactors(scan))
    return true;
  size_t items = StringRef(scan.schedule).find(", items");
  if (isNext()) {
    std::string shorter = scan.schedule.substr(0, items);
    if (items != std::string::npos)
      shorter += ", items = 1";
    hasChanged = shorter != scan.schedule;
    scan.schedule = shorter;
    return true;
  }
  for (Source &source : scan.sources) {
    SmallVector<unsigned> all =
        llvm::to_vector(llvm::seq<unsigned>(program.getRank()));
    if (set(source.shift, int64_t(0)) || tryChain(source.chain) ||
        clear(source.type) || set(source.dims, all) ||
        set(source.hasTensorInit, false) ||
        set(source.chained, std::optional<unsigned>()) ||
        set(source.hiddenArgument, 0u) || set(source.hiddenLeaf, 0u) ||
        set(source.hiddenInit, 0u))
      return true;
  }
  for (Sink &sink : scan.sinks)
    if (set(sink.isReturned, false) || tryChain(sink.chain) ||
        clear(sink.type) || clear(sink.permutation) ||
        set(sink.hiddenResult, 0u) || set(sink.hiddenReturn, 0u))
      return true;
  return false;
}

bool StepFinder::tryScans() {
  for (size_t i = 0; i < 2; ++i) {
    if (!isNext())
      continue;
    hasChanged = program.scans.size() > 1;
    if (hasChanged)
      program.scans.erase(program.scans.begin() + i);
    return true;
  }
  if (set(program.returnsLeaf, false) ||
      set(program.hasDynamicArguments, false))
    return true;
  for (Scan &scan : program.scans)
    if (tryScan(scan))
      return true;
  return false;
}

/// Whether the values of a case are still those of all parameters, or can be
/// made so by dropping dimensions of extent 1.
static bool fitValues(const Program &program, const Program &before,
                      Case &call) {
  std::map<unsigned, std::string> types;
  for (const Parameter &parameter : getParameters(before))
    types[parameter.id] = parameter.type;
  for (const Parameter &parameter : getParameters(program)) {
    auto it = call.values.find(parameter.id);
    if (it == call.values.end() || types[parameter.id] != parameter.type)
      return false;
    int64_t count = 1;
    for (int64_t extent : parameter.getShape(call.extents))
      count *= extent;
    if (count != it->second.getNumElements())
      return false;
  }
  return true;
}

StepResult StepFinder::run() {
  Program before = program;
  Case callBefore = call;
  bool isExplicit = call.filling == Case::Explicit;
  bool isFound = false;
  if (isNext()) {
    isFound = true;
    hasChanged = call.filling != Case::Ones && !isExplicit;
    call.filling = Case::Ones;
  } else if (isNext()) {
    isFound = true;
    hasChanged = call.filling == Case::Drawn;
    call.filling = Case::Uniform;
  } else {
    isFound = tryShape() || tryScans();
  }
  if (!isFound)
    return StepResult::NoSuchStep;
  if (!hasChanged || !repair(program))
    return StepResult::Unchanged;
  // A repair may have undone the step.
  bool isSame = printProgram(program) == printProgram(before) &&
                call.extents == callBefore.extents &&
                call.filling == callBefore.filling;
  if (isSame || (isExplicit && !fitValues(program, before, call)))
    return StepResult::Unchanged;
  return StepResult::Changed;
}

/// Copies the part of `array` that is left without `removed` indices from
/// `begin` on along `axis`.
static HostArray removeSlice(const HostArray &array, size_t axis, int64_t begin,
                             int64_t removed) {
  HostArray result = array;
  result.shape[axis] -= removed;
  result.data.clear();
  int64_t inner = *getElementByteSize(array.elementType), outer = 1;
  for (size_t i = 0; i < array.shape.size(); ++i)
    (i < axis ? outer : inner) *= i == axis ? 1 : array.shape[i];
  for (int64_t i = 0; i < outer; ++i)
    for (int64_t k = 0; k < array.shape[axis]; ++k)
      if (k < begin || k >= begin + removed) {
        auto from = array.data.begin() + (i * array.shape[axis] + k) * inner;
        result.data.insert(result.data.end(), from, from + inner);
      }
  return result;
}

bool fuzz::removeIndices(Program &program, Case &call, unsigned dim,
                         int64_t begin, int64_t number) {
  for (const Parameter &parameter : getParameters(program)) {
    auto it = call.values.find(parameter.id);
    const auto *axis = llvm::find(parameter.dims, dim);
    if (it == call.values.end() || axis == parameter.dims.end() ||
        llvm::is_contained(parameter.unitDims, dim))
      continue;
    it->second.shape = parameter.getShape(call.extents);
    it->second =
        removeSlice(it->second, axis - parameter.dims.begin(), begin, number);
  }
  call.extents[dim] -= number;
  if (program.extents[dim] != kDynamic)
    program.extents[dim] = call.extents[dim];
  return repair(program);
}

StepResult fuzz::applyShrinkStep(size_t index, Program &program, Case &call) {
  return StepFinder(index, program, call).run();
}
