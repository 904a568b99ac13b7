//===- Graph.cpp - Random graphs around scans as data ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "Compare.h"
#include "DataGenerator.h"
#include "Program.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

SmallVector<bool> fuzz::findLiveNodes(const Graph &graph) {
  SmallVector<bool> live(graph.nodes.size(), false);
  for (GraphValue value : graph.returned)
    live[value.node] = true;
  for (unsigned i = graph.nodes.size(); i-- > 0;)
    for (GraphValue operand : graph.nodes[i].operands)
      if (live[i])
        live[operand.node] = true;
  return live;
}

Graph fuzz::makeArgumentsDynamic(Graph graph) {
  graph.hasDynamicArguments = true;
  return graph;
}

//===----------------------------------------------------------------------===//
// Magnitudes
//===----------------------------------------------------------------------===//

/// From which integer on the type has gaps; 0 for integers, which have none.
static double getExactLimit(StringRef element) {
  return llvm::StringSwitch<double>(element)
      .Case("f16", 2048)
      .Case("bf16", 256)
      .Case("f32", 16777216)
      .Case("f64", 9007199254740992)
      .Default(0);
}

static int64_t getMaxExtent(const Graph &graph, unsigned dim) {
  int64_t extent = graph.dims[dim];
  return extent == kDynamic ? kMaxGraphExtent : extent;
}

/// The largest magnitude of `a` combined with `b`; negative if the operation is
/// none of floating-point numbers.
static double combineMagnitudes(unsigned operation, double a, double b) {
  switch (static_cast<GraphBinary>(operation)) {
  case GraphBinary::Add:
  case GraphBinary::Sub:
    return a + b;
  case GraphBinary::Mul:
    return a * b;
  case GraphBinary::Max:
  case GraphBinary::Min:
    return std::max(a, b);
  case GraphBinary::Decay:
    return a <= 1 && b <= 1 ? 1 : -1;
  default:
    return -1;
  }
}

/// The largest magnitude of `count` numbers of at most `a` each, combined.
static double foldMagnitude(unsigned operation, double a, int64_t count) {
  switch (static_cast<GraphBinary>(operation)) {
  case GraphBinary::Add:
    return a * static_cast<double>(count + 1);
  case GraphBinary::Mul:
    return a <= 1 ? a : HUGE_VAL;
  case GraphBinary::Max:
  case GraphBinary::Min:
    return a;
  default:
    return -1;
  }
}

/// The largest magnitude of the results of a node; negative where it is not
/// defined.
static double getMagnitude(const Graph &graph, const GraphNode &node,
                           ArrayRef<double> operands) {
  auto constant = static_cast<double>(std::abs(node.constant));
  auto extent = [&] {
    return getMaxExtent(graph, graph.getType(node.operands[0]).dims[node.dim]);
  };
  // Constant inits are 0 or 1.
  double least = std::max(1.0, operands.empty() ? 0 : operands[0]);
  switch (node.kind) {
  case GraphNode::Argument:
    return 1;
  case GraphNode::Fill:
    return constant;
  case GraphNode::Unary:
    switch (static_cast<GraphUnary>(node.operation)) {
    case GraphUnary::Negate:
    case GraphUnary::Absolute:
      return operands[0];
    case GraphUnary::AddConstant:
      return operands[0] + constant;
    case GraphUnary::XorConstant:
      return -1;
    case GraphUnary::Clamp:
      return std::min(operands[0], constant);
    }
    break;
  case GraphNode::Binary:
    return combineMagnitudes(node.operation, operands[0], operands[1]);
  case GraphNode::Select:
  case GraphNode::Insert:
    return std::max(operands[0], operands.back());
  case GraphNode::Cast:
    return graph.getType(node.operands[0]).element == "i8" ? 128 : operands[0];
  case GraphNode::Transpose:
  case GraphNode::Broadcast:
  case GraphNode::Slice:
    return operands[0];
  case GraphNode::Reduce:
  case GraphNode::Associative:
    return foldMagnitude(node.operation, std::max(least, operands.back()),
                         extent());
  case GraphNode::Affine:
  case GraphNode::Recurrence:
    // With |a| <= 1 each step adds |b| at most.
    return operands[0] > 1
               ? HUGE_VAL
               : std::max(1.0, operands[1]) * static_cast<double>(extent()) +
                     std::max(1.0, operands.back());
  }
  return -1;
}

bool fuzz::isExact(const Graph &graph) {
  SmallVector<double> magnitudes;
  SmallVector<bool> live = findLiveNodes(graph);
  for (auto [i, node] : llvm::enumerate(graph.nodes)) {
    magnitudes.push_back(0);
    double limit = getExactLimit(node.results[0].element);
    if (!live[i] || limit == 0)
      continue;
    SmallVector<double> operands;
    for (GraphValue operand : node.operands)
      operands.push_back(magnitudes[operand.node]);
    magnitudes.back() = getMagnitude(graph, node, operands);
    if (!(magnitudes.back() >= 0 && magnitudes.back() <= limit))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

SmallVector<int64_t> fuzz::makeGraphExtents(const Graph &graph, uint64_t seed,
                                            uint64_t program, uint64_t index) {
  static const int64_t choices[] = {0, 1, 2, 3, 5, 8, 16, 31, 33, 64, 65, 70};
  fuzz::Random random(seed + 0x6AF, (program << 8) + index);
  SmallVector<int64_t> extents(graph.dims);
  int64_t product = 1;
  for (int64_t &extent : extents) {
    if (extent == kDynamic) {
      extent = random.chance(4) ? 0 : random.pick(choices);
      if (product * extent > 1200)
        extent = random.between(1, 3);
    }
    product *= std::max<int64_t>(extent, 1);
  }
  return extents;
}

SmallVector<HostArray> fuzz::makeGraphArguments(const Graph &graph,
                                                ArrayRef<int64_t> extents,
                                                uint64_t seed,
                                                MLIRContext &context) {
  SmallVector<HostArray> arguments;
  SmallVector<bool> live = findLiveNodes(graph);
  for (auto [i, node] : llvm::enumerate(graph.nodes)) {
    // The first one has all dynamic extents.
    if (node.kind != GraphNode::Argument || (!live[i] && i > 0))
      continue;
    SmallVector<int64_t> shape;
    for (unsigned dim : node.results[0].dims)
      shape.push_back(extents[dim]);
    Type element = parseType(node.results[0].element, &context);
    fuzz::Random random(seed, i);
    HostArray array =
        makeRandomArray(isa<FloatType>(element) ? Values::Unit : Values::Bits,
                        element, shape, random.next());
    if (isa<FloatType>(element))
      for (int64_t k = 0, e = array.getNumElements(); k < e; ++k)
        setElement(array, k, static_cast<double>(random.between(-1, 1)));
    arguments.push_back(std::move(array));
  }
  return arguments;
}

//===----------------------------------------------------------------------===//
// Simpler graphs
//===----------------------------------------------------------------------===//

/// Makes all users of `from` users of `to`.
static void replaceUses(Graph &graph, GraphValue from, GraphValue to) {
  for (GraphNode &node : graph.nodes)
    llvm::replace(node.operands, from, to);
  llvm::replace(graph.returned, from, to);
}

/// Offers all steps; true if the wanted one is among them.
static bool findGraphStep(Graph &graph, SmallVectorImpl<int64_t> &extents,
                          StepFinder &steps) {
  for (size_t i = 0; i < graph.returned.size(); ++i)
    if (steps.erase(graph.returned, i, /*minSize=*/1))
      return true;
  SmallVector<bool> live = findLiveNodes(graph);
  auto isUsed = [&](GraphValue value) {
    for (auto [user, isLive] : llvm::zip_equal(graph.nodes, live))
      if (isLive && llvm::is_contained(user.operands, value))
        return true;
    return llvm::is_contained(graph.returned, value);
  };
  for (unsigned i = graph.nodes.size(); i-- > 0;) {
    GraphNode &node = graph.nodes[i];
    bool usesFirstOnly = true;
    for (unsigned result = 0; result < node.results.size(); ++result) {
      GraphValue value = {i, result};
      usesFirstOnly &= result == 0 || !isUsed(value);
      for (GraphValue operand : node.operands)
        if (steps.apply(graph.getType(operand) == node.results[result] &&
                            isUsed(value),
                        [&] { replaceUses(graph, value, operand); }))
          return true;
    }
    if (steps.apply(usesFirstOnly && node.kind != GraphNode::Argument,
                    [&] {
                      GraphNode argument;
                      argument.results = {node.results[0]};
                      node = argument;
                    }) ||
        steps.set(node.asGeneric, false) || steps.set(node.reverse, false) ||
        steps.set(node.exclusive, false) || steps.set(node.isMixed, false) ||
        steps.clear(node.hidden) || steps.clear(node.schedule) ||
        steps.clear(node.order)) {
      // Nodes that are not printed keep their numbers, so that those of others
      // remain what they are.
      steps.hasChanged &= live[i];
      return true;
    }
  }
  if (steps.set(graph.hasDynamicArguments, false) ||
      steps.clear(graph.hiddenResults))
    return true;
  for (auto [dim, extent] : llvm::zip_equal(graph.dims, extents))
    for (int64_t smaller : {int64_t(1), int64_t(2), extent / 2, extent - 1})
      if (steps.apply(dim == kDynamic && smaller >= 1 && smaller < extent,
                      [&, &extent = extent] { extent = smaller; }))
        return true;
  return false;
}

StepResult fuzz::simplifyGraph(Graph &graph, SmallVectorImpl<int64_t> &extents,
                               size_t step) {
  StepFinder steps(step);
  bool isFound = findGraphStep(graph, extents, steps);
  steps.hasChanged = steps.hasChanged && isExact(graph);
  return steps.getResult(isFound);
}
