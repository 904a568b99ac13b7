//===- CPUReport.cpp - How a CPU runs scans, and how long -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model. Memory takes the bytes of all operands, each once, divided by what
// a copy moves; an output that is not stored past the caches is read first, as
// the cache loads its lines. Arithmetic takes the instructions of a vector of
// points, divided by how many a core executes. The two overlap. One step after
// the other without vectors, the chain of the combines is waited for, too.
//
//===----------------------------------------------------------------------===//

#include "CPUReport.h"
#include "Conversion/ScanToLoops/BatchRows.h"
#include "Conversion/ScanToLoops/KernelGroups.h"
#include "Conversion/ScanToLoops/SplitComplex.h"
#include "IR/ExpensiveOps.h"
#include "IR/SplitBidirectional.h"
#include "Schedule/ExplainReport.h"

#include "mlir/Analysis/AliasAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::scan;

/// Nanoseconds until the next step can use the result of an addition.
static constexpr double kLatency = 1.2;
/// What a call of libm takes, in instructions.
static constexpr double kCallInstructions = 40;

/// Instructions on vectors of `lanes` lanes; names the function in `calls` if
/// it is called for each lane.
static double countInstructions(Operation *op, int64_t lanes,
                                SmallVectorImpl<std::string> &calls) {
  if (op->hasTrait<OpTrait::ConstantLike>() || isa<IndexOp>(op))
    return 0;
  Type type = op->getNumResults() != 0
                  ? getElementTypeOrSelf(op->getResult(0).getType())
                  : Type();
  // Polynomials of f64 are longer.
  double longer = isa_and_nonnull<Float64Type>(type) ? 1.4 : 1;
  double expanded =
      TypeSwitch<Operation *, double>(op)
          .Case<math::ExpOp>([](Operation *) { return 19; })
          .Case<math::Exp2Op>([](Operation *) { return 16; })
          .Case<math::ExpM1Op>([](Operation *) { return 19; })
          .Case<math::LogOp>([](Operation *) { return 29; })
          .Case<math::Log1pOp>([](Operation *) { return 40; })
          .Case<math::TanhOp>([](Operation *) { return 26; })
          // In f64, also those of f32.
          .Case<math::SinOp, math::CosOp>([](Operation *) { return 40; })
          .Default([](Operation *) { return 0; });
  if (expanded != 0)
    return expanded * longer;
  if (isa<arith::DivFOp>(op))
    return 5;
  if (isa<math::SqrtOp>(op))
    return 8;
  // One comparison for NaN, and one for the signs of zeros.
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(op))
    return 5;
  if (!isExpensive(op))
    return 1;
  if (isa<math::MathDialect>(op->getDialect())) {
    std::string name = op->getName().stripDialect().str();
    if (!llvm::is_contained(calls, name))
      calls.push_back(name);
    return kCallInstructions * lanes;
  }
  // Divisions of integers and complex arithmetic.
  return 10 * lanes;
}

void CPUReport::estimate(Kernel &kernel, KernelOp op,
                         const ConvertScanToLoopsOptions &options) {
  const LoopPlan &plan = kernel.plan;
  int64_t lanes = plan.getLanes();
  auto count = [&](Region &region) {
    double instructions = 0;
    for (Operation &inner : region.front().without_terminator())
      if (!plan.hoisted.contains(&inner))
        inner.walk([&](Operation *each) {
          instructions += countInstructions(each, lanes, kernel.calls);
        });
    return instructions;
  };
  double combine = count(op.getCombine());
  double leaves = op.getNumLeaves();
  double combines = 1, shuffles = 0;
  if (!plan.laneDim && plan.lanes > 1) {
    double rounds = llvm::Log2_64(lanes), vectors = plan.vectors;
    combines = vectors > 1 ? (2 * vectors + rounds + 1) / vectors : rounds + 2;
    // One to move lanes and one to choose among them in each round; 4 for each
    // vector that is transposed and transposed back.
    shuffles = leaves * (2 * rounds / vectors + (vectors > 1 ? 4 : 2));
  }
  kernel.instructions = count(op.getLoad()) + count(op.getStore()) +
                        combines * combine + shuffles + plan.vectorElements +
                        plan.singleElements * 2.0 * lanes;
  if (plan.laneDim)
    kernel.instructions += 2 * plan.carriedLeaves;

  const KernelFacts &facts = kernel.facts;
  double points = double(facts.extent) * facts.batch;
  double outputs = 0;
  for (const KernelFacts::Operand &operand : facts.operands)
    if (!operand.isInput && !operand.isReduction)
      outputs += operand.bytes;
  kernel.bytes = facts.getCompulsoryBytes();
  kernel.streams = lanes > 1 && options.streamingBytes != 0 &&
                   points * plan.streamedBytes >= options.streamingBytes;
  bool isCached = kernel.bytes <= processor.cacheBytes;
  double moved = kernel.bytes + (isCached || kernel.streams ? 0 : outputs);
  double bandwidth =
      isCached ? processor.coreCacheBandwidth : processor.coreBandwidth;
  kernel.memory = moved / bandwidth;
  kernel.compute = points / lanes * kernel.instructions / processor.vectorRate;
  if (plan.lanes == 1 && !plan.laneDim)
    kernel.compute = std::max(
        kernel.compute,
        points * kLatency * llvm::range_size(op.getCombine().front()) /
            std::min<double>(plan.rows, std::max<double>(facts.batch, 1)));

  kernel.isSmall = points * plan.pointWork < options.threadWork;
  bool isDivided =
      !kernel.isSmall && (!plan.threadDims.empty() || plan.cutsRows);
  kernel.threads = isDivided ? processor.cores : 1;
  kernel.memoryOfAll = isDivided ? moved / (isCached ? processor.cacheBandwidth
                                                     : processor.bandwidth)
                                 : kernel.memory;
  kernel.computeOfAll = kernel.compute / kernel.threads;
}

void CPUReport::add(ArrayRef<KernelOp> ops, bool areGroup,
                    const ConvertScanToLoopsOptions &options,
                    const KernelFacts::Question &question) {
  std::vector<Kernel> added;
  SmallVector<KernelOp> lowered;
  IRRewriter rewriter(ops.front());
  for (KernelOp op : ops) {
    Kernel &kernel = added.emplace_back();
    if (auto function = op->getParentOfType<FunctionOpInterface>())
      kernel.function = function.getName().str();
    kernel.location = describeLocation(op.getLoc());
    kernel.facts = KernelFacts::get(op, question);
    kernel.isReverse = op.getReverse();
    if (areGroup) {
      kernel.groupSize = ops.size();
      kernel.groupNumber = added.size();
    }
    lowered.push_back(splitComplex(rewriter, op));
  }
  std::vector<LoopPlan> plans = LoopPlan::get(rewriter, lowered, options);
  for (auto [kernel, op, plan] : llvm::zip_equal(added, lowered, plans)) {
    kernel.plan = std::move(plan);
    estimate(kernel, op, options);
    kernels.push_back(std::move(kernel));
  }
}

CPUReport::CPUReport(Operation *root, const Processor &processor,
                     const ConvertScanToLoopsOptions &options,
                     const KernelFacts::Question &question)
    : processor(processor) {
  SmallVector<KernelOp> found;
  root->walk([&](KernelOp op) { found.push_back(op); });
  IRRewriter rewriter(root->getContext());
  AliasAnalysis aliases(root);
  for (const KernelGroup &group : groupKernels(found, aliases)) {
    SmallVector<KernelOp> directions(group.begin(), group.end());
    if (KernelOp op = group.front(); op.isBidirectional()) {
      KernelDirections split = splitBidirectional(rewriter, op);
      directions = {split.same, split.opposite};
      llvm::erase(directions, KernelOp());
    }
    add(directions, /*areGroup=*/group.size() > 1, options, question);
  }
  addSteps(root);
}

/// The outermost loops whose steps threads can share, and the innermost ones
/// of others.
void CPUReport::addSteps(Operation *root) {
  root->walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    moveLoopInvariantCode(loop);
    BatchRows rows(loop);
    bool isShared = rows.find();
    auto inner = loop.getBody()->walk([](LoopLikeOpInterface each) {
      return each->walk([](linalg::LinalgOp) {
                   return WalkResult::interrupt();
                 }).wasInterrupted()
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (!isShared && inner.wasInterrupted())
      return WalkResult::advance();
    int64_t operations = 0;
    loop->walk([&](Operation *op) {
      operations += isa<linalg::LinalgOp, memref::CopyOp>(op);
    });
    if (operations == 0)
      return WalkResult::advance();
    auto function = loop->getParentOfType<FunctionOpInterface>();
    loops.push_back({function ? function.getName().str() : "",
                     describeLocation(loop.getLoc()), operations,
                     isShared ? "" : rows.describeObstacle()});
    return WalkResult::skip();
  });
}

//===----------------------------------------------------------------------===//
// Text and JSON
//===----------------------------------------------------------------------===//

static std::string toMilliseconds(double nanoseconds) {
  return llvm::formatv("{0:F4} ms", nanoseconds * 1e-6);
}

static std::string countOf(int64_t count, StringRef what) {
  return llvm::formatv("{0} {1}{2}", count, what, count == 1 ? "" : "s");
}

void CPUReport::printText(llvm::raw_ostream &os, const Steps &loop) const {
  os << "@" << loop.function;
  if (!loop.location.empty())
    os << " (" << loop.location << ")";
  os << " on " << processor.name << "\n  steps       one after the other, "
     << countOf(loop.operations, "operation")
     << " on rows in each\n  threads     ";
  if (loop.obstacle.empty())
    os << processor.cores
       << ", which share a dimension that no step reads across, where there is "
          "work enough\n";
  else
    os << "1: " << loop.obstacle << "\n";
}

void CPUReport::printJson(llvm::json::OStream &json, const Steps &loop) const {
  json.object([&] {
    json.attribute("function", loop.function);
    json.attribute("location", loop.location);
    json.attributeObject("machine", [&] { processor.print(json); });
    json.attribute("operations_per_step", loop.operations);
    json.attribute("threads", loop.obstacle.empty() ? processor.cores : 1);
    if (!loop.obstacle.empty())
      json.attribute("thread_reason", loop.obstacle);
  });
}

/// Whether threads get blocks of columns, which are narrower where there would
/// be few of them.
static bool isDividedByColumns(const LoopPlan &plan, int64_t threads) {
  return threads > 1 && llvm::is_contained(plan.threadDims, *plan.laneDim);
}

void CPUReport::printText(llvm::raw_ostream &os) const {
  for (const Kernel &kernel : kernels) {
    const KernelFacts &facts = kernel.facts;
    const LoopPlan &plan = kernel.plan;
    auto line = [&](StringRef name) -> llvm::raw_ostream & {
      return os << "  " << llvm::left_justify(name, 12);
    };
    os << "@" << kernel.function;
    if (!kernel.location.empty())
      os << " (" << kernel.location << ")";
    os << " on " << processor.name << "\n";
    line("scan") << facts.extent << " steps"
                 << (facts.isExtentAssumed ? " (assumed)" : "") << ", "
                 << countOf(facts.batch, "independent scan")
                 << (facts.isBatchAssumed ? " (assumed)" : "")
                 << (kernel.isReverse ? ", from the last step" : "") << "\n";
    line("walk");
    if (plan.laneDim)
      os << "columns of dimension " << *plan.laneDim << ", blocks of "
         << (isDividedByColumns(plan, kernel.threads) ? "at most " : "")
         << plan.columns.block << " with " << plan.columns.stateBytes
         << " bytes from step to step\n";
    else if (plan.lanes > 1)
      os << "a row, tiles of " << plan.vectors * plan.lanes << " steps"
         << (plan.masksEnd ? ", masked at its end\n" : "\n");
    else
      os << countOf(plan.rows, "row") << " at a time, step by step\n";
    if (kernel.groupSize > 1)
      line("group") << "each block goes through " << kernel.groupSize
                    << " kernels in turn; this is number " << kernel.groupNumber
                    << "\n";
    line("vectors");
    if (plan.getLanes() > 1)
      os << plan.getLanes() << " lanes of " << processor.vectorBits
         << " bits; about " << llvm::formatv("{0:F0}", kernel.instructions)
         << " instructions for each\n";
    else
      os << "none: " << plan.scalarReason << "; about "
         << llvm::formatv("{0:F0}", kernel.instructions)
         << " instructions for each point\n";
    if (!kernel.calls.empty())
      line("calls") << llvm::join(kernel.calls, ", ")
                    << ", for each number by itself\n";
    line("stores") << (kernel.streams ? "past the caches where they are aligned"
                                      : "through the caches")
                   << "\n";
    line("threads");
    if (kernel.threads > 1) {
      os << kernel.threads << ", which share ";
      if (plan.threadDims.empty())
        os << "blocks of the row";
      else
        os << (plan.threadDims.size() > 1 ? "dimensions " : "dimension ");
      llvm::interleave(plan.threadDims, os, ", ");
      os << (plan.hasPartialSums ? ", each with sums of its own\n" : "\n");
    } else {
      os << "1: "
         << (kernel.isSmall ? "there is too little work"
                            : "no dimension has parts that are independent")
         << "\n";
    }
    line("moves") << formatBytes(kernel.bytes) << "\n";
    line("time") << toMilliseconds(kernel.getTime())
                 << " on one core, bound by " << kernel.getBound()
                 << " (memory " << toMilliseconds(kernel.memory)
                 << ", arithmetic " << toMilliseconds(kernel.compute) << "); "
                 << toMilliseconds(kernel.getTimeOfAll()) << " on "
                 << countOf(kernel.threads, "core") << "\n";
  }
  for (const Steps &loop : loops)
    printText(os, loop);
}

void CPUReport::printJson(llvm::json::OStream &json) const {
  json.array([&] {
    for (const Kernel &kernel : kernels)
      json.object([&] {
        const LoopPlan &plan = kernel.plan;
        json.attribute("function", kernel.function);
        json.attribute("location", kernel.location);
        json.attributeObject("machine", [&] { processor.print(json); });
        json.attribute("steps", kernel.facts.extent);
        json.attribute("steps_assumed", kernel.facts.isExtentAssumed);
        json.attribute("batch", kernel.facts.batch);
        json.attribute("batch_assumed", kernel.facts.isBatchAssumed);
        json.attribute("reverse", kernel.isReverse);
        json.attribute("walk", plan.laneDim ? "columns" : "rows");
        json.attribute("lanes", plan.getLanes());
        json.attribute("group_size", kernel.groupSize);
        json.attribute("group_number", kernel.groupNumber);
        if (plan.laneDim) {
          json.attribute("lane_dimension", int64_t(*plan.laneDim));
          json.attribute("block", plan.columns.block);
          json.attribute("state_bytes", plan.columns.stateBytes);
        } else {
          json.attribute("tile_vectors", plan.vectors);
          json.attribute("masks_end", plan.masksEnd);
          json.attribute("rows", plan.rows);
          json.attribute("row_lanes", plan.rowLanes);
        }
        if (!plan.scalarReason.empty())
          json.attribute("scalar_reason", plan.scalarReason);
        json.attributeArray("calls", [&] {
          for (const std::string &name : kernel.calls)
            json.value(name);
        });
        json.attribute("streams", kernel.streams);
        json.attribute("threads", kernel.threads);
        json.attribute("cuts_rows", plan.cutsRows);
        json.attribute("partial_sums", plan.hasPartialSums);
        json.attributeArray("thread_dimensions", [&] {
          for (unsigned d : plan.threadDims)
            json.value(int64_t(d));
        });
        json.attribute("instructions", kernel.instructions);
        json.attribute("traffic_bytes", kernel.bytes);
        json.attribute("memory_nanoseconds", kernel.memory);
        json.attribute("arithmetic_nanoseconds", kernel.compute);
        json.attribute("nanoseconds", kernel.getTime());
        json.attribute("nanoseconds_of_all_cores", kernel.getTimeOfAll());
        json.attribute("bound", kernel.getBound());
      });
    for (const Steps &loop : loops)
      printJson(json, loop);
  });
}
