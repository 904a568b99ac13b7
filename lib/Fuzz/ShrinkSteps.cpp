//===- ShrinkSteps.cpp - What can be taken away from a program ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shrink.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

namespace {
/// Offers the steps of a program and a case.
class ProgramSteps : public StepFinder {
public:
  ProgramSteps(size_t index, Program &program, Case &call)
      : StepFinder(index), program(program), call(call) {}

  StepResult run();

private:
  bool tryShape();
  bool tryScans();
  bool tryScan(Scan &scan);
  bool tryFactors(Scan &scan);
  bool tryWrappers(Scan &scan, size_t factor, size_t firstLeaf);
  bool tryChain(MapChain &chain);
  bool canDrop(unsigned dim) const;
  void dropDim(unsigned dim);
  void dropLeaves(Scan &scan, size_t first, size_t number);

  Program &program;
  Case &call;
};
} // namespace

/// Removes the sources and sinks of some leaves.
void ProgramSteps::dropLeaves(Scan &scan, size_t first, size_t number) {
  scan.sources.erase(scan.sources.begin() + first,
                     scan.sources.begin() + first + number);
  if (!scan.isRecurrence)
    scan.sinks.erase(scan.sinks.begin() + first,
                     scan.sinks.begin() + first + number);
}

bool ProgramSteps::canDrop(unsigned dim) const {
  return program.getRank() > 1 && dim < program.getRank() &&
         llvm::none_of(
             program.scans, [&](const Scan &scan) { return scan.dim == dim; });
}

void ProgramSteps::dropDim(unsigned dim) {
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
}

bool ProgramSteps::tryShape() {
  for (unsigned dim = 0; dim < 4; ++dim)
    if (apply(canDrop(dim), [&] { dropDim(dim); }))
      return true;
  for (unsigned dim = 0; dim < program.getRank(); ++dim) {
    int64_t extent = call.extents[dim];
    for (int64_t smaller : {int64_t(1), int64_t(2), extent / 4, extent / 2,
                            extent - extent / 4, extent - 8, extent - 1})
      if (apply(smaller < extent && smaller >= 0 && extent > 1, [&] {
            call.extents[dim] = smaller;
            if (program.extents[dim] != kDynamic)
              program.extents[dim] = smaller;
          }))
        return true;
    if (set(program.extents[dim], kDynamic))
      return true;
  }
  return false;
}

bool ProgramSteps::tryChain(MapChain &chain) {
  if (clear(chain.steps))
    return true;
  for (size_t i = 0; i < 3; ++i)
    if (erase(chain.steps, i))
      return true;
  return set(chain.asGeneric, false);
}

bool ProgramSteps::tryWrappers(Scan &scan, size_t index, size_t firstLeaf) {
  Factor &factor = scan.factors[index];
  auto isSegmented = [](const Wrapper &wrapper) {
    return wrapper.kind == Wrap::Segmented || wrapper.kind == Wrap::SegmentedIf;
  };
  for (size_t i = 0; i < factor.wrappers.size(); ++i)
    if (apply(true, [&] {
          // The flag of the outermost one comes first.
          size_t flag = llvm::count_if(
              ArrayRef(factor.wrappers).drop_front(i + 1), isSegmented);
          if (isSegmented(factor.wrappers[i]))
            dropLeaves(scan, firstLeaf + flag, 1);
          factor.wrappers.erase(factor.wrappers.begin() + i);
        }))
      return true;
  return false;
}

bool ProgramSteps::tryFactors(Scan &scan) {
  size_t firstLeaf = 0;
  for (size_t i = 0; i < scan.factors.size(); ++i) {
    Factor &factor = scan.factors[i];
    size_t leaves = getLeaves(factor).size();
    if (apply(scan.factors.size() > 1,
              [&] {
                dropLeaves(scan, firstLeaf, leaves);
                scan.factors.erase(scan.factors.begin() + i);
              }) ||
        tryWrappers(scan, i, firstLeaf) ||
        (factor.base != Base::Matrix && clear(factor.trailing)))
      return true;
    std::string simple = isIntegerType(factor.type) ? "i32" : "f32";
    // Another operator on the same leaves.
    bool canAdd = leaves == 1 && factor.base != Base::Add &&
                  factor.base != Base::Matrix && !scan.isRecurrence;
    if (set(factor.type, simple) ||
        apply(canAdd, [&] { factor.base = Base::Add; }))
      return true;
    firstLeaf += leaves;
  }
  return false;
}

bool ProgramSteps::tryScan(Scan &scan) {
  if (set(scan.segments, Segments::None) || clear(scan.segmentUnits) ||
      set(scan.hasSegmentInits, false) || set(scan.hiddenSegments, 0u) ||
      set(scan.finals, false) || set(scan.exclusive, false) ||
      set(scan.init, false) || set(scan.reverse, false) ||
      clear(scan.schedule) || clear(scan.order) ||
      set(scan.compensated, false) || set(scan.wideAccumulators, false) ||
      clear(scan.broadcast) || tryFactors(scan))
    return true;
  size_t items = StringRef(scan.schedule).find(", items");
  std::string shorter = scan.schedule.substr(0, items);
  if (items != std::string::npos)
    shorter += ", items = 1";
  if (set(scan.schedule, shorter))
    return true;
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

bool ProgramSteps::tryScans() {
  for (size_t i = 0; i < 2; ++i)
    if (erase(program.scans, i, /*minSize=*/1))
      return true;
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

StepResult ProgramSteps::run() {
  Program before = program;
  Case callBefore = call;
  bool isExplicit = call.filling == Case::Explicit;
  bool isDrawn = call.filling == Case::Drawn;
  if (!apply(!isExplicit && call.filling != Case::Ones,
             [&] { call.filling = Case::Ones; }) &&
      !apply(isDrawn, [&] { call.filling = Case::Uniform; }) && !tryShape() &&
      !tryScans())
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
  return ProgramSteps(index, program, call).run();
}
