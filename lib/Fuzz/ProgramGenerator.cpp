//===- ProgramGenerator.cpp - Random scan programs ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramGenerator.h"
#include "Scan/IR/ScanDialect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

static MapChain makeChain(fuzz::Random &random, bool isSink) {
  MapChain chain;
  chain.asGeneric = random.chance(50);
  if (!random.chance(45))
    return chain;
  // Sums and products with an argument make it be read twice.
  for (int64_t i = 0, e = random.between(1, 3); i < e; ++i) {
    MapStep step;
    step.kind = random.pick(
        {Map::Negate, Map::Absolute, Map::AddConstant, Map::MultiplyConstant,
         Map::XorConstant, Map::AndConstant, Map::MaximumConstant,
         Map::MinimumConstant, Map::AddArgument, Map::AddArgument,
         Map::MultiplyArgument, Map::Sigmoid, Map::Tanh, Map::ExpMinusAbs});
    step.constant = random.between(-20, 20);
    chain.steps.push_back(step);
  }
  return chain;
}

static std::string makeNarrowType(fuzz::Random &random, StringRef type) {
  if (isIntegerType(type))
    return random.pick({"i1", "i8", "i16", "i32"});
  if (type == "f64")
    return "f32";
  return random.pick({"f16", "bf16"});
}

static std::string makeSchedule(fuzz::Random &random, bool isSequential) {
  unsigned strategies = getMaxEnumValForStrategy() + 1;
  auto strategy =
      static_cast<Strategy>(isSequential ? 0 : random.below(strategies));
  std::string text = "strategy = " + stringifyStrategy(strategy).str();
  // Few threads and items leave room for any number of leaves, and make tiles
  // that the usual extents fill more than once.
  bool isColumn = strategy == Strategy::Column;
  int64_t threads = isColumn ? random.pick({32, 64, 64, 96, 128})
                             : random.pick({32, 32, 64, 64, 96, 128, 256});
  text += ", threads = " + std::to_string(threads);
  // Several rows share a block by powers of two of threads; a single one may be
  // shared by blocks, as columns may, and by those of a persistent kernel.
  bool isRow = strategy == Strategy::Row;
  if (isRow && llvm::isPowerOf2_64(threads) && random.chance(50))
    text += ", rows = " + std::to_string(random.pick({2, 4, 8, 32}));
  else if (isRow && random.chance(60))
    text += ", scope = grid, blocks = " +
            std::to_string(random.pick({0, 1, 2, 3, 7}));
  // Matrices of 64-bit elements need room in shared memory.
  text +=
      ", items = " + std::to_string(random.between(1, threads > 96 ? 2 : 6));
  if (isColumn) {
    int64_t lanes = random.pick({1, 2, 4, 8, 16, 32});
    text += ", lanes = " + std::to_string(lanes);
    text += ", vector = " +
            std::to_string(lanes > 8 ? 1 : random.pick({1, 2, 2, 4}));
    if (random.chance(40))
      text += ", scope = grid";
  }
  return text;
}

/// Which iteration dimensions an argument has: most often all, in order.
static SmallVector<unsigned> makeDims(fuzz::Random &random, unsigned rank) {
  SmallVector<unsigned> dims = llvm::to_vector(llvm::seq<unsigned>(rank));
  if (random.chance(15) && rank > 1)
    dims.erase(dims.begin() + random.below(rank));
  if (random.chance(10))
    for (unsigned i = dims.size(); i > 1; --i)
      std::swap(dims[i - 1], dims[random.below(i)]);
  return dims;
}

static SmallVector<unsigned> makePermutation(fuzz::Random &random,
                                             unsigned rank) {
  SmallVector<unsigned> dims = llvm::to_vector(llvm::seq<unsigned>(rank));
  for (unsigned i = rank; i > 1; --i)
    std::swap(dims[i - 1], dims[random.below(i)]);
  return dims;
}

static Sink makeSink(fuzz::Random &random, const Leaf &leaf, unsigned rank) {
  Sink sink;
  sink.isReturned = random.chance(80);
  sink.chain = makeChain(random, /*isSink=*/true);
  if (random.chance(15))
    sink.type = isIntegerType(leaf.type)
                    ? random.pick({"i1", "i8", "i16", "i32", "i64"})
                : leaf.type == "f64" ? "f32"
                                     : "bf16";
  if (random.chance(12))
    sink.permutation = makePermutation(random, rank);
  return sink;
}

static Scan makeScan(fuzz::Random &random, const Program &program) {
  unsigned rank = program.getRank();
  Scan scan;
  scan.isRecurrence = random.chance(18);
  if (scan.isRecurrence) {
    Factor factor{Base::Affine, "", {}, {}};
    factor.type = random.pick({"i8", "i16", "i32", "i64", "f16", "bf16", "f32",
                               "f64", "complex<f32>", "complex<f64>"});
    scan.factors.push_back(factor);
    for (unsigned dim = 0; dim < rank; ++dim)
      if (random.chance(20))
        scan.broadcast.push_back(dim);
  } else {
    scan.factors = makeCombiner(random, random.pick({1, 1, 2, 2, 3, 4}));
  }
  scan.dim = random.below(rank);
  scan.reverse = random.chance(50);
  scan.init = random.chance(55);
  scan.exclusive = random.chance(45);
  scan.finals = random.chance(40);
  if (random.chance(10))
    scan.order = random.pick({"sequential", "deterministic", "any"});
  if (random.chance(50))
    scan.schedule = makeSchedule(random, scan.isSequential());
  scan.compensated = random.chance(40);
  scan.wideAccumulators = random.chance(8);

  SmallVector<Leaf> leaves = getLeaves(scan);
  for (const Leaf &leaf : leaves) {
    Source &source = scan.sources.emplace_back();
    source.dims = makeDims(random, rank);
    source.chain = makeChain(random, /*isSink=*/false);
    source.hasTensorInit = random.chance(50);
    if (random.chance(12))
      source.type = makeNarrowType(random, leaf.type);
    if (!program.scans.empty() && random.chance(70))
      source.chained = random.below(getNumResults(program.scans.front()));
    if (random.chance(15)) {
      source.shift = random.pick({1, 1, -1, -1, 2, -3, 31, -40});
      source.shiftDim = random.chance(85) ? scan.dim : random.below(rank);
    }
  }
  for (const Leaf &leaf : ArrayRef(leaves).drop_front(getFirstResultLeaf(scan)))
    scan.sinks.push_back(makeSink(random, leaf, rank));
  return scan;
}

static void drawSegments(fuzz::Random &random, unsigned rank, Scan &scan) {
  if (!random.chance(25))
    return;
  scan.segments = random.pick({Segments::StepFlags, Segments::PointFlags,
                               Segments::Offsets, Segments::Offsets});
  for (unsigned dim = 0; dim < rank; ++dim)
    if (random.chance(40))
      scan.segmentUnits.push_back(dim);
  scan.segmentCount = random.pick({1, 2, 3, 5, 9, 40});
  scan.segmentLength = random.pick({0, 1, 2, 7, 31, 64, 100});
  scan.hasSegmentInits = random.chance(60);
}

/// Items with which a thread has an odd number of 16-byte vectors of each input
/// of `scan`, as bulk copies have it. None where inputs may not be contiguous
/// along the scan dimension, or have other elements than they show here.
static SmallVector<int64_t> getBulkItems(const Program &program,
                                         const Scan &scan) {
  constexpr int64_t vectorBytes = 16, mostItems = 64;
  unsigned rank = program.getRank();
  // Leaves of a second scan may be results of the first one.
  if (program.scans.size() != 1 || scan.dim + 1 != rank ||
      scan.segments != Segments::None || scan.isSequential())
    return {};
  SmallVector<int64_t> stepBytes;
  for (auto [source, leaf] : llvm::zip_equal(scan.sources, getLeaves(scan))) {
    if (source.shift != 0 || !source.type.empty() ||
        source.dims != llvm::to_vector(llvm::seq<unsigned>(rank)))
      return {};
    int64_t bytes = llvm::divideCeil(getBitWidth(leaf.type), 8);
    for (int64_t extent : leaf.trailing)
      bytes *= extent;
    stepBytes.push_back(bytes);
  }
  SmallVector<int64_t> result;
  // A single element needs no buffer, and has none.
  for (int64_t items = 2; items <= mostItems; ++items)
    if (llvm::all_of(stepBytes, [&](int64_t bytes) {
          return items * bytes % (2 * vectorBytes) == vectorBytes;
        }))
      result.push_back(items);
  return result;
}

/// Lets the warps of a scan's blocks have roles where they can.
static void drawStages(fuzz::Random &random, const Program &program,
                       Scan &scan) {
  SmallVector<int64_t> items = getBulkItems(program, scan);
  if (items.empty() || !random.chance(40))
    return;
  // The fewest items make tiles that the usual extents fill more than once, and
  // leave room for any number of leaves.
  int64_t threads = random.pick({160, 160, 160, 192, 256});
  int64_t chosen =
      items[threads == 160 && items.size() > 1 && random.chance(30)];
  scan.schedule =
      "strategy = row, threads = " + std::to_string(threads) +
      ", scope = grid, blocks = " + std::to_string(random.pick({1, 2, 3, 7})) +
      ", stages = " + std::to_string(random.between(3, 6)) +
      ", items = " + std::to_string(chosen);
}

/// Lets blocks share the steps of packed sequences, of columns. An operator
/// that takes the newer value, as one that takes the older one does the other
/// way round, has no states to start anew, and no flags.
static void drawChunks(fuzz::Random &random, unsigned rank, Scan &scan) {
  bool needsState = llvm::all_of(scan.factors, [](const Factor &factor) {
    return factor.base != Base::First && factor.base != Base::Last;
  });
  if (rank < 2 || scan.isSequential() || !needsState || !random.chance(50) ||
      (scan.segments != Segments::StepFlags &&
       scan.segments != Segments::Offsets))
    return;
  int64_t lanes = random.pick({4, 8, 16, 32});
  scan.schedule = "strategy = column, threads = " +
                  std::to_string(random.pick({32, 64, 96})) +
                  ", items = " + std::to_string(random.between(1, 5)) +
                  ", lanes = " + std::to_string(lanes) + ", vector = " +
                  std::to_string(lanes > 8 ? 1 : random.pick({1, 2, 4})) +
                  ", blocks = " + std::to_string(random.pick({2, 3, 4, 7}));
}

/// Hides static extents, here and there.
static void drawCasts(fuzz::Random &random, Program &program) {
  if (!random.chance(70))
    return;
  auto draw = [&](Hidden &hidden) {
    if (!random.chance(55))
      return;
    for (unsigned bit : {0u, 1u, 2u, 3u, kTrailingBit})
      if (random.chance(60))
        hidden |= 1u << bit;
  };
  for (Scan &scan : program.scans) {
    for (Source &source : scan.sources) {
      draw(source.hiddenArgument);
      draw(source.hiddenLeaf);
      draw(source.hiddenInit);
    }
    for (Sink &sink : scan.sinks) {
      draw(sink.hiddenResult);
      draw(sink.hiddenReturn);
    }
    draw(scan.hiddenSegments);
  }
}

Program fuzz::makeProgram(uint64_t seed, uint64_t index) {
  fuzz::Random random(seed, index);
  Program program;
  unsigned rank = random.pick({1, 2, 2, 2, 3, 3, 4});
  // Most extents are dynamic, so that one compilation serves many shapes.
  bool isStatic = random.chance(15);
  for (unsigned i = 0; i < rank; ++i)
    program.extents.push_back(
        isStatic || random.chance(10)
            ? random.pick({0, 1, 2, 3, 5, 7, 16, 31, 32, 33, 64, 65, 128, 129})
            : kDynamic);
  // A static shape has to stay small.
  int64_t product = 1;
  for (int64_t &extent : program.extents) {
    if (extent > 1 && product * extent > 4096)
      extent = 2;
    product *= std::max<int64_t>(1, extent);
  }
  program.scans.push_back(makeScan(random, program));
  if (random.chance(15))
    program.scans.push_back(makeScan(random, program));
  program.returnsLeaf = random.chance(10);
  unsigned id = 0;
  for (Scan &scan : program.scans)
    for (Source &source : scan.sources)
      source.id = id++;
  for (Scan &scan : program.scans)
    drawSegments(random, rank, scan);
  // Apart from the rest, which stays the same without them.
  fuzz::Random casts(seed + 0xCA57, index);
  drawCasts(casts, program);
  repair(program);
  fuzz::Random stages(seed + 0x57A6, index);
  for (Scan &scan : program.scans)
    drawStages(stages, program, scan);
  fuzz::Random chunks(seed + 0xC4A5, index);
  for (Scan &scan : program.scans)
    drawChunks(chunks, rank, scan);
  return program;
}
