//===- Program.h - A scan program as data -----------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A generated program before it is text, so that it can be made simpler piece
// by piece. One function @f: elementwise code, one or two scans, elementwise
// code. Scans share the iteration shape; a leaf of the second may be a result
// of the first.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_PROGRAM_H
#define SCAN_LIB_FUZZ_PROGRAM_H

#include "Combiner.h"
#include <optional>
#include <vector>

namespace mlir::scan::fuzz {

/// One elementwise operation. Those with a constant read `MapStep::constant`.
enum class Map {
  Negate,
  Absolute,
  AddConstant,
  MultiplyConstant,
  XorConstant,
  AndConstant,
  MaximumConstant,
  MinimumConstant,
  AddArgument,      ///< plus the main argument
  MultiplyArgument, ///< times the main argument
  Sigmoid,
  Tanh,
  ExpMinusAbs, ///< exp(-|x|)
};

struct MapStep {
  Map kind;
  /// For floating-point numbers in eighths.
  int64_t constant = 0;
};

/// Elementwise code on the way into or out of a scan.
struct MapChain {
  llvm::SmallVector<MapStep> steps;
  /// As one linalg.generic instead of operations on tensors.
  bool asGeneric = false;
};

/// The dimensions of the iteration shape whose extents a type does not show,
/// one bit each, and one for trailing dimensions.
using Hidden = unsigned;
constexpr unsigned kTrailingBit = 31;
inline bool isHidden(Hidden hidden, unsigned bit) { return hidden >> bit & 1; }

/// How one leaf comes about.
struct Source {
  /// Tells the sources of a program apart, and stays the same when others are
  /// taken away.
  unsigned id = 0;
  /// Element type of the argument, if it is narrower than the leaf.
  std::string type;
  /// The iteration dimensions that the argument has, in its order.
  llvm::SmallVector<unsigned> dims;
  MapChain chain;
  /// The leaf is this result of the first scan instead of an argument.
  std::optional<unsigned> chained;
  /// By how much the leaf is shifted, and along which dimension; 0: not at all.
  int64_t shift = 0;
  unsigned shiftDim = 0;
  /// The init is a tensor (a scalar otherwise).
  bool hasTensorInit = false;
  /// Static extents that are dynamic in the type of the argument, of what the
  /// scan reads, and of the init. What shows them otherwise is cast.
  Hidden hiddenArgument = 0, hiddenLeaf = 0, hiddenInit = 0;
};

/// What happens to one result.
struct Sink {
  bool isReturned = true;
  MapChain chain;
  /// Another element type in the end.
  std::string type;
  /// The order of dimensions in which it is stored; empty: unchanged.
  llvm::SmallVector<unsigned> permutation;
  /// Static extents that are dynamic in the types of what the elementwise code
  /// reads, and of what is returned.
  Hidden hiddenResult = 0, hiddenReturn = 0;
};

/// What the segments of a scan are said by.
enum class Segments {
  None,
  StepFlags,  ///< an argument with one flag per step
  PointFlags, ///< an argument with one flag per point
  Offsets,    ///< computed: of segments of one length, as far as they go
};

struct Scan {
  /// scan.linear_recurrence rather than scan.associative; the factors are then
  /// one Affine.
  bool isRecurrence = false;
  llvm::SmallVector<Factor> factors;
  std::vector<Source> sources;
  /// One per result, final states excluded.
  std::vector<Sink> sinks;
  unsigned dim = 0;
  bool reverse = false, exclusive = false, init = false, finals = false;
  Segments segments = Segments::None;
  /// Flags per point: in which dimensions they have extent 1.
  llvm::SmallVector<unsigned> segmentUnits;
  /// Offsets: how many segments there are, and their length. The last one has
  /// what is left; some may be empty.
  int64_t segmentCount = 1, segmentLength = 1;
  /// Offsets: inits that are tensors have one state per segment.
  bool hasSegmentInits = false;
  /// Flags: as of an argument. Offsets: how many there are is hidden if any
  /// bit is set.
  Hidden hiddenSegments = 0;
  bool hasOffsets() const { return segments == Segments::Offsets; }
  bool hasFlags() const {
    return segments == Segments::StepFlags || segments == Segments::PointFlags;
  }
  /// Recurrence: in which dimensions `a` has extent 1.
  llvm::SmallVector<unsigned> broadcast;
  /// Text of #scan.order and #scan.schedule; empty: none.
  std::string order, schedule;
  bool compensated = false, wideAccumulators = false;

  bool isSequential() const { return order == "sequential"; }
};

constexpr int64_t kDynamic = -1;

struct Program {
  /// Extents of the iteration shape; kDynamic where each case has its own.
  llvm::SmallVector<int64_t> extents;
  std::vector<Scan> scans;
  /// Return the first leaf as the first scan reads it, too.
  bool returnsLeaf = false;
  /// The types of all arguments are dynamic, behind casts.
  bool hasDynamicArguments = false;

  unsigned getRank() const { return extents.size(); }
};

/// A parameter of @f. The main one has every extent and is a leaf of the first
/// scan.
struct Parameter {
  std::string name, type; ///< "x0_1", element type
  /// Which iteration dimensions it has, and which are of extent 1.
  llvm::SmallVector<unsigned> dims, unitDims;
  /// A dimension of an extent of its own, and this: that of segments.
  std::optional<unsigned> segmentDim;
  int64_t segmentCount = 0;
  /// The extent along iteration dimension `dim`, given that of the iteration.
  int64_t getExtent(unsigned dim, int64_t extent) const;
  llvm::SmallVector<int64_t> trailing;
  bool isScalar = false;
  Hidden hidden = 0;
  Domain domain = Domain::AnyInteger;
  /// Made from the source's.
  unsigned id = 0;
  /// Of the shape that a case has.
  llvm::SmallVector<int64_t> getShape(llvm::ArrayRef<int64_t> extents) const;
};

/// A result of @f, and how exact it is.
struct Result {
  int64_t roundings = 0, fixedRoundings = 0, shortRoundings = 1;
  /// The dimension of the result along which positions are counted.
  std::optional<int64_t> dim;
  /// The scan that it comes from.
  unsigned scan = 0;
};

std::vector<Parameter> getParameters(const Program &program);
llvm::SmallVector<Result> getResults(const Program &program);
/// How far what two backends make of a chain may be apart, in roundings of the
/// moduli of its terms: 0 if it has no transcendental function.
int64_t getRoundings(const MapChain &chain);

/// Which parameter is the main one.
unsigned getMainParameter(const Program &program);
/// Whether no result depends on rounding.
bool isExact(const Program &program);

/// Whether products of coefficients may overflow: a recurrence of real numbers.
bool hasGrowth(const Scan &scan);
/// The leaves of a scan; for a recurrence a and b.
llvm::SmallVector<Leaf> getLeaves(const Scan &scan);
/// The first leaf that has a result: b of a recurrence.
inline unsigned getFirstResultLeaf(const Scan &scan) {
  return scan.isRecurrence ? 1 : 0;
}
/// How many results besides final states.
unsigned getNumResults(const Scan &scan);
/// What a leaf of this type accumulates in, if it is to be wider.
std::string getWideAccumulator(llvm::StringRef type);

/// Puts everything right that a change elsewhere has made meaningless, so that
/// the program is valid. Returns false if that is not possible.
bool repair(Program &program);

/// The module with the function @f.
std::string printProgram(const Program &program,
                         Variant variant = Variant::Plain);

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_PROGRAM_H
