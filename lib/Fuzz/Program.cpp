//===- Program.cpp - A scan program as data -------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir::scan;
using namespace mlir::scan::fuzz;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

/// How far exp, tanh and sigmoid of two backends may be apart, in roundings:
/// four units in the last place for exp, and two operations on it.
static constexpr int64_t kMapRoundings = 8;
/// Above the numbers of all parameters that belong to sources.
static constexpr unsigned kFlagsId = 1000;

static SmallVector<unsigned> allDims(unsigned rank) {
  return llvm::to_vector(llvm::seq<unsigned>(rank));
}

SmallVector<Leaf> fuzz::getLeaves(const Scan &scan) {
  SmallVector<Leaf> leaves = getLeaves(scan.factors);
  if (hasGrowth(scan)) {
    leaves[0].domain = Domain::Coefficient;
    leaves[1].domain = Domain::Input;
  }
  return leaves;
}

bool fuzz::hasGrowth(const Scan &scan) {
  return scan.isRecurrence && !isIntegerType(scan.factors[0].type) &&
         !isComplexType(scan.factors[0].type);
}

unsigned fuzz::getNumResults(const Scan &scan) {
  return getLeaves(scan).size() - getFirstResultLeaf(scan);
}

std::string fuzz::getWideAccumulator(StringRef type) {
  return llvm::StringSwitch<StringRef>(type)
      .Case("i8", "i32")
      .Cases({"i16", "i32"}, "i64")
      .Cases({"f16", "f32"}, "f64")
      .Case("bf16", "f32")
      .Case("complex<f32>", "complex<f64>")
      .Default(type)
      .str();
}

SmallVector<int64_t> Parameter::getShape(ArrayRef<int64_t> extents) const {
  SmallVector<int64_t> shape;
  for (unsigned dim : dims)
    shape.push_back(getExtent(dim, extents[dim]));
  shape.append(trailing);
  return shape;
}

int64_t Parameter::getExtent(unsigned dim, int64_t extent) const {
  if (llvm::is_contained(unitDims, dim))
    return 1;
  return dim == segmentDim ? segmentCount : extent;
}

std::vector<Parameter> fuzz::getParameters(const Program &program) {
  std::vector<Parameter> parameters;
  for (size_t s = 0; s < program.scans.size(); ++s) {
    const Scan &scan = program.scans[s];
    SmallVector<Leaf> leaves = getLeaves(scan);
    auto add = [&](char kind, size_t i) -> Parameter & {
      Parameter &parameter = parameters.emplace_back();
      parameter.name = kind + std::to_string(s) + "_" + std::to_string(i);
      parameter.type = leaves[i].type;
      parameter.trailing = leaves[i].trailing;
      parameter.domain = leaves[i].domain;
      parameter.id = 2 * scan.sources[i].id + (kind == 'i' ? 1 : 0);
      return parameter;
    };
    for (auto [i, source] : llvm::enumerate(scan.sources)) {
      if (source.chained)
        continue;
      Parameter &parameter = add('x', i);
      parameter.hidden = source.hiddenArgument;
      if (!source.type.empty())
        parameter.type = source.type;
      parameter.dims = source.dims;
      if (scan.isRecurrence && i == 0)
        parameter.unitDims = scan.broadcast;
    }
    for (size_t i = getFirstResultLeaf(scan); scan.init && i < leaves.size();
         ++i) {
      Parameter &parameter = add('i', i);
      parameter.hidden = scan.sources[i].hiddenArgument;
      parameter.isScalar = !scan.sources[i].hasTensorInit;
      bool isPerSegment = scan.hasOffsets() && scan.hasSegmentInits;
      for (unsigned dim = 0; dim < program.getRank(); ++dim)
        if (!parameter.isScalar && (dim != scan.dim || isPerSegment))
          parameter.dims.push_back(dim);
      if (isPerSegment) {
        parameter.segmentDim = scan.dim;
        parameter.segmentCount = scan.segmentCount;
      }
    }
    if (scan.hasFlags()) {
      Parameter &parameter = add('s', 0);
      parameter.type = "i1";
      parameter.hidden = scan.hiddenSegments;
      parameter.trailing.clear();
      parameter.domain = Domain::Flag;
      // Of no source, and not of the other scan.
      parameter.id = kFlagsId + s;
      parameter.dims = {scan.dim};
      if (scan.segments == Segments::PointFlags) {
        parameter.dims = allDims(program.getRank());
        parameter.unitDims = scan.segmentUnits;
      }
    }
  }
  return parameters;
}

unsigned fuzz::getMainParameter(const Program &program) {
  return getFirstResultLeaf(program.scans.front());
}

//===----------------------------------------------------------------------===//
// Exactness
//===----------------------------------------------------------------------===//

static bool isTranscendental(const MapStep &step) {
  return step.kind == Map::Sigmoid || step.kind == Map::Tanh ||
         step.kind == Map::ExpMinusAbs;
}

int64_t fuzz::getRoundings(const MapChain &chain) {
  return kMapRoundings * llvm::count_if(chain.steps, isTranscendental);
}

/// Adds the rounding errors of code after the scan.
static void addSink(const Sink &sink, StringRef type, Result &result) {
  for (const MapStep &step : sink.chain.steps) {
    bool rounds =
        step.kind == Map::AddConstant || step.kind == Map::MultiplyConstant ||
        step.kind == Map::AddArgument || step.kind == Map::MultiplyArgument;
    if (rounds)
      ++(isShortFloat(type) ? result.shortRoundings : result.fixedRoundings);
  }
  if (sink.type == "f32")
    ++result.fixedRoundings;
}

SmallVector<Result> fuzz::getResults(const Program &program) {
  SmallVector<Result> results;
  for (size_t s = 0; s < program.scans.size(); ++s) {
    const Scan &scan = program.scans[s];
    SmallVector<Leaf> leaves = getLeaves(scan);
    // A leaf inherits the errors of the leaves that it is combined with.
    SmallVector<int64_t> noise;
    unsigned next = 0;
    for (const Factor &factor : scan.factors) {
      size_t size = getLeaves(factor).size();
      int64_t roundings = 0;
      for (size_t i = 0; i < size; ++i)
        roundings += getRoundings(scan.sources[next++].chain);
      noise.append(size, roundings);
    }
    if (s == 0 && program.returnsLeaf) {
      Result &result = results.emplace_back();
      result.fixedRoundings = getRoundings(scan.sources[0].chain);
    }
    auto get = [&](unsigned leaf) {
      Result result;
      result.scan = s;
      // The interpreter's compensated sums are exact sums, rounded once.
      bool isExact = leaves[leaf].roundings == 0 ||
                     (scan.isSequential() && !scan.compensated &&
                      noise[leaf] == 0 && !leaves[leaf].hasFunctions);
      if (isExact)
        return result;
      result.roundings = leaves[leaf].roundings + noise[leaf];
      result.fixedRoundings = scan.wideAccumulators ? 1 : 0;
      return result;
    };
    unsigned first = getFirstResultLeaf(scan);
    for (auto [i, sink] : llvm::enumerate(scan.sinks)) {
      if (!sink.isReturned)
        continue;
      Result result = get(first + i);
      result.dim = scan.dim;
      if (!sink.permutation.empty())
        result.dim =
            llvm::find(sink.permutation, scan.dim) - sink.permutation.begin();
      if (result.roundings > 0)
        addSink(sink, leaves[first + i].type, result);
      results.push_back(result);
    }
    for (unsigned i = first; scan.finals && i < leaves.size(); ++i)
      results.push_back(get(i));
  }
  return results;
}

bool fuzz::isExact(const Program &program) {
  return llvm::all_of(getResults(program), [](const Result &result) {
    return result.roundings == 0 && result.fixedRoundings == 0;
  });
}

//===----------------------------------------------------------------------===//
// Repair
//===----------------------------------------------------------------------===//

/// Whether the step keeps a value of the type within its domain.
static bool isAllowed(Map map, StringRef type, Domain domain, bool isSink,
                      bool hasArgument) {
  bool isInteger = isIntegerType(type), isComplex = isComplexType(type);
  bool isFree = isSink || domain == Domain::AnyInteger ||
                domain == Domain::AnyFloat || domain == Domain::Sum;
  switch (map) {
  case Map::Negate:
    return type != "i1" && domain != Domain::Position &&
           domain != Domain::Small && domain != Domain::Positive;
  case Map::Absolute:
    return type != "i1" && !isComplex && domain != Domain::Comparable;
  case Map::AddConstant:
  case Map::MultiplyConstant:
    return isFree && !isComplex;
  case Map::XorConstant:
    return isInteger && (isFree || domain == Domain::Flag);
  case Map::AndConstant:
    return isInteger && isFree;
  case Map::MaximumConstant:
  case Map::MinimumConstant:
    return isFree && !isComplex && type != "i1";
  case Map::AddArgument:
    return isFree && hasArgument;
  case Map::MultiplyArgument:
    return isFree && hasArgument && !isComplex;
  case Map::Sigmoid:
  case Map::Tanh:
  case Map::ExpMinusAbs:
    return !isSink && (type == "f32" || type == "f64") &&
           (domain == Domain::Sum || domain == Domain::Unit ||
            domain == Domain::NearOne || domain == Domain::Coefficient ||
            domain == Domain::Input);
  }
  llvm_unreachable("all maps are handled");
}

static bool isPermutation(ArrayRef<unsigned> dims, unsigned rank) {
  SmallVector<unsigned> sorted(dims);
  llvm::sort(sorted);
  return sorted == allDims(rank);
}

static void repairSource(const Program &program, Scan &scan, unsigned index,
                         bool isMain, const Leaf &leaf,
                         const Parameter *argument) {
  Source &source = scan.sources[index];
  if (!leaf.trailing.empty())
    source.hasTensorInit = true;
  llvm::erase_if(source.dims,
                 [&](unsigned dim) { return dim >= program.getRank(); });
  bool isBroadcast = scan.isRecurrence && index == 0 && !scan.broadcast.empty();
  if (isMain || isBroadcast || source.chained)
    source.dims = allDims(program.getRank());
  if (isBroadcast) {
    source.chain = MapChain();
    source.type.clear();
  }
  if (source.chained) {
    source.type.clear();
    const Scan &first = program.scans.front();
    unsigned from = *source.chained + getFirstResultLeaf(first);
    SmallVector<Leaf> leaves = getLeaves(first);
    bool fits =
        &scan != &first && from < leaves.size() &&
        leaves[from].roundings == 0 && leaves[from].type == leaf.type &&
        leaves[from].trailing.empty() && leaf.trailing.empty() &&
        leaf.domain == leaves[from].domain &&
        (leaf.domain == Domain::AnyInteger || leaf.domain == Domain::AnyFloat);
    if (!fits)
      source.chained.reset();
  }
  if (!source.type.empty() &&
      (isIntegerType(source.type) != isIntegerType(leaf.type) ||
       isComplexType(leaf.type) || leaf.domain == Domain::Position ||
       leaf.domain == Domain::Small || leaf.domain == Domain::Flag ||
       getBitWidth(source.type) >= getBitWidth(leaf.type)))
    source.type.clear();
  // The boundary has to be a value that the operator takes.
  bool takesBoundary =
      leaf.domain == Domain::AnyInteger || leaf.domain == Domain::Flag ||
      leaf.domain == Domain::AnyFloat || leaf.domain == Domain::Sum ||
      leaf.domain == Domain::Unit || leaf.domain == Domain::Third ||
      leaf.domain == Domain::Coefficient || leaf.domain == Domain::Input;
  if (!takesBoundary || source.shiftDim >= program.getRank() ||
      (isBroadcast && source.shiftDim != scan.dim))
    source.shift = 0;
  if (source.shift == 0)
    source.shiftDim = 0;
  bool hasArgument = argument && argument->type == leaf.type &&
                     argument->trailing == leaf.trailing && !isMain;
  llvm::erase_if(source.chain.steps, [&](const MapStep &step) {
    return !isAllowed(step.kind, leaf.type, leaf.domain, /*isSink=*/false,
                      hasArgument);
  });
}

static void repairSink(const Program &program, Sink &sink, const Leaf &leaf,
                       const Parameter &argument, bool isExact) {
  if (!sink.permutation.empty() &&
      !isPermutation(sink.permutation, program.getRank()))
    sink.permutation.clear();
  if (sink.permutation == allDims(program.getRank()))
    sink.permutation.clear();
  bool canConvert = (leaf.type == "f32" && sink.type == "bf16") ||
                    (leaf.type == "f64" && sink.type == "f32") ||
                    (isIntegerType(leaf.type) && leaf.type != "i1" &&
                     isIntegerType(sink.type) &&
                     getBitWidth(sink.type) != getBitWidth(leaf.type));
  if (!canConvert)
    sink.type.clear();
  bool hasArgument =
      argument.type == leaf.type && argument.trailing == leaf.trailing;
  llvm::erase_if(sink.chain.steps, [&](const MapStep &step) {
    return !isAllowed(step.kind, leaf.type, Domain::AnyInteger,
                      /*isSink=*/true, hasArgument);
  });
}

static void repairAttributes(Scan &scan, ArrayRef<Leaf> leaves) {
  if (!scan.init)
    scan.exclusive = false;
  if (scan.isSequential() &&
      !StringRef(scan.schedule).starts_with("strategy = sequential"))
    scan.schedule.clear();
  const Factor &factor = scan.factors.front();
  if (scan.isRecurrence || leaves.size() != 1 || factor.base != Base::Add ||
      isIntegerType(factor.type) || isComplexType(factor.type) ||
      !factor.wrappers.empty() || !factor.trailing.empty())
    scan.compensated = false;
  for (const Factor &part : scan.factors)
    // The inverse modulo 2^8 is none modulo 2^32.
    if (part.base == Base::RotateXor ||
        llvm::any_of(part.wrappers, [](const Wrapper &wrapper) {
          return wrapper.kind == Wrap::Multiply;
        }))
      scan.wideAccumulators = false;
}

bool fuzz::repair(Program &program) {
  if (program.scans.empty() || program.extents.empty())
    return false;
  unsigned rank = program.getRank();
  for (Scan &scan : program.scans) {
    if (scan.factors.empty())
      return false;
    if (scan.isRecurrence &&
        (scan.factors.size() != 1 || scan.factors[0].base != Base::Affine ||
         scan.factors[0].type == "i1"))
      return false;
    if (scan.isRecurrence)
      scan.factors[0].wrappers.clear();
    SmallVector<Leaf> leaves = getLeaves(scan);
    // Control flow in a region with tensors is refused, with a clear error.
    if (llvm::any_of(leaves, [](const Leaf &l) { return !l.trailing.empty(); }))
      for (Factor &factor : scan.factors)
        for (Wrapper &wrapper : factor.wrappers)
          if (wrapper.kind == Wrap::SegmentedIf)
            wrapper.kind = Wrap::Segmented;
    if (scan.sources.size() != leaves.size() ||
        scan.sinks.size() != getNumResults(scan) || scan.dim >= rank)
      return false;
    llvm::erase_if(scan.broadcast, [&](unsigned dim) {
      return dim == scan.dim || dim >= rank || !scan.isRecurrence;
    });
    llvm::erase_if(scan.segmentUnits, [&](unsigned dim) {
      return dim == scan.dim || dim >= rank;
    });
    scan.segmentCount = std::max<int64_t>(scan.segmentCount, 1);
    repairAttributes(scan, leaves);
  }
  // Which argument is the main one, and its type, has to be known first.
  for (bool isLast : {false, true})
    for (auto [s, scan] : llvm::enumerate(program.scans)) {
      std::vector<Parameter> parameters;
      if (isLast)
        parameters = getParameters(program);
      const Parameter *argument =
          isLast ? &parameters[getMainParameter(program)] : nullptr;
      SmallVector<Leaf> leaves = getLeaves(scan);
      unsigned first = getFirstResultLeaf(scan);
      for (unsigned i = 0; i < leaves.size(); ++i)
        if (isLast || (s == 0 && i == first))
          repairSource(program, scan, i, s == 0 && i == first, leaves[i],
                       argument);
      for (unsigned i = 0; isLast && i < scan.sinks.size(); ++i)
        repairSink(program, scan.sinks[i], leaves[first + i], *argument,
                   leaves[first + i].roundings == 0);
    }
  if (getResults(program).empty())
    program.scans.front().sinks.front().isReturned = true;
  return true;
}
