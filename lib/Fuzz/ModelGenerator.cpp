//===- ModelGenerator.cpp - Random models with states ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs of the form of a selective scan: each channel has a static number of
// states, factors of a step are shared by all states, all channels or all
// steps, and what is computed of the states is added up:
//
//   h_t[c, n] = a_t[c, n] h_{t-1}[c, n] + b_t[c, n]
//   y_t[c] = f(sum over n of g_t[n] h_t[c, n])
//
// Fused, they are kernels whose states lanes can share, for which these graphs
// have schedules.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "Program.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

namespace {
class ModelGenerator {
public:
  explicit ModelGenerator(fuzz::Random &random) : random(random) {}
  Graph make();

private:
  using Dims = SmallVector<unsigned>;

  GraphValue add(GraphNode node) {
    graph.nodes.push_back(std::move(node));
    return {unsigned(graph.nodes.size() - 1), 0};
  }
  GraphValue addArgument(const Dims &dims);
  GraphValue addBinary(GraphBinary operation, GraphValue left,
                       GraphValue right);
  GraphValue broadcast(GraphValue value);
  Dims drawDims(bool hasState);
  GraphValue drawLeaf(std::optional<GraphValue> factor);
  GraphValue drawDecay();
  std::string drawSchedule();
  GraphValue addScan(GraphValue a, GraphValue b, bool reverse);
  GraphValue addReduction(GraphValue value, unsigned dim);
  GraphValue addSum(GraphValue states);
  void addResults(GraphValue states);

  fuzz::Random &random;
  Graph graph;
  /// The type of the states, and the elements of what is read.
  GraphTensor type;
  std::string stored, schedule, order;
  unsigned time = 0, state = 0;
  /// What has all dimensions but that of the states.
  GraphValue input;
};
} // namespace

/// An argument, in the element type of the states.
GraphValue ModelGenerator::addArgument(const Dims &dims) {
  GraphNode node;
  node.results = {{stored, dims}};
  GraphValue argument = add(node);
  if (stored == type.element)
    return argument;
  node.kind = GraphNode::Cast;
  node.operands = {argument};
  node.results = {{type.element, dims}};
  return add(node);
}

GraphValue ModelGenerator::addBinary(GraphBinary operation, GraphValue left,
                                     GraphValue right) {
  GraphNode node;
  node.kind = GraphNode::Binary;
  node.operation = static_cast<unsigned>(operation);
  node.asGeneric = random.chance(50);
  node.operands = {left, right};
  node.results = {graph.getType(left)};
  return add(node);
}

/// `value` with all dimensions of the states.
GraphValue ModelGenerator::broadcast(GraphValue value) {
  for (auto [position, dim] : llvm::enumerate(type.dims)) {
    GraphTensor wider = graph.getType(value);
    if (llvm::is_contained(wider.dims, dim))
      continue;
    wider.dims.insert(wider.dims.begin() + position, dim);
    GraphNode node;
    node.kind = GraphNode::Broadcast;
    node.dim = position;
    node.operands = {value};
    node.results = {wider};
    value = add(node);
  }
  return value;
}

/// Some dimensions of the states; the state itself if `hasState`.
ModelGenerator::Dims ModelGenerator::drawDims(bool hasState) {
  Dims dims;
  for (unsigned dim : type.dims)
    if (dim == state ? hasState || random.chance(50) : random.chance(60))
      dims.push_back(dim);
  return dims.empty() ? type.dims : dims;
}

/// A product of `factor`, or of an argument, and of what some dimensions share,
/// not the same for all states.
GraphValue ModelGenerator::drawLeaf(std::optional<GraphValue> factor) {
  GraphValue leaf =
      broadcast(factor ? *factor : addArgument(drawDims(/*hasState=*/false)));
  for (int64_t i = 0, e = random.between(1, 2); i < e; ++i)
    leaf = addBinary(GraphBinary::Mul, leaf,
                     addArgument(drawDims(/*hasState=*/i == 0)));
  return leaf;
}

/// A coefficient that is the exponential of a step size, the same for all
/// states, and of a rate, which is the same at all steps.
GraphValue ModelGenerator::drawDecay() {
  Dims rate;
  for (unsigned dim : type.dims)
    if (dim == state || (dim != time && random.chance(70)))
      rate.push_back(dim);
  return addBinary(GraphBinary::Decay, broadcast(input), addArgument(rate));
}

/// As many lanes for a scan as divide its states, and tiles that the usual
/// extents fill more than once.
std::string ModelGenerator::drawSchedule() {
  int64_t sharing = 2;
  while (sharing < graph.dims[state] && random.chance(50))
    sharing *= 2;
  int64_t threads = random.pick({32, 32, 64, 128});
  std::string text =
      "strategy = sequential, threads = " + std::to_string(threads) +
      ", items = " + std::to_string(sharing * random.pick({1, 1, 2, 4})) +
      ", lanes = " + std::to_string(32 / sharing);
  if (random.chance(50))
    text += ", scope = grid, blocks = " +
            std::to_string(random.pick({2, 3, 4, 7, 40}));
  else if (random.chance(50))
    text += ", warps = " + std::to_string(threads / 32);
  return text;
}

GraphValue ModelGenerator::addScan(GraphValue a, GraphValue b, bool reverse) {
  GraphNode node;
  node.kind =
      random.chance(80) ? GraphNode::Recurrence : GraphNode::Associative;
  node.dim = llvm::find(type.dims, time) - type.dims.begin();
  node.operands = {b};
  if (node.kind == GraphNode::Recurrence)
    node.operands = {a, b};
  else
    node.operation = static_cast<unsigned>(
        random.pick({GraphBinary::Add, GraphBinary::Max, GraphBinary::Min}));
  GraphTensor final = type;
  final.dims.erase(final.dims.begin() + node.dim);
  node.tensorInit = random.chance(50);
  node.scalarInit = !node.tensorInit;
  if (node.tensorInit)
    node.operands.push_back(addArgument(final.dims));
  node.reverse = reverse;
  node.exclusive = node.kind == GraphNode::Associative && random.chance(40);
  node.results = {type};
  node.finals = random.chance(40);
  if (node.finals)
    node.results.push_back(final);
  node.schedule = schedule;
  node.order = order;
  return add(node);
}

/// The sum of `value` over a dimension.
GraphValue ModelGenerator::addReduction(GraphValue value, unsigned dim) {
  GraphNode node;
  node.kind = GraphNode::Reduce;
  node.operation = static_cast<unsigned>(GraphBinary::Add);
  node.operands = {value};
  node.results = {graph.getType(value)};
  SmallVector<unsigned> &dims = node.results[0].dims;
  node.dim = llvm::find(dims, dim) - dims.begin();
  dims.erase(dims.begin() + node.dim);
  return add(node);
}

/// What is added up of `states`.
GraphValue ModelGenerator::addSum(GraphValue states) {
  if (random.chance(80))
    states = addBinary(GraphBinary::Mul, states,
                       addArgument(drawDims(/*hasState=*/true)));
  return addReduction(states, state);
}

void ModelGenerator::addResults(GraphValue states) {
  GraphValue sum = addSum(states);
  for (int64_t i = 0, e = random.between(0, 2); i < e; ++i) {
    Dims dims = drawDims(/*hasState=*/false);
    llvm::erase(dims, state);
    sum = addBinary(random.pick({GraphBinary::Add, GraphBinary::Mul}), sum,
                    random.chance(40) ? input : addArgument(dims));
  }
  graph.returned.push_back(sum);
  for (unsigned i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].finals)
      graph.returned.push_back({i, 1});
  if (random.chance(25))
    graph.returned.push_back(addSum(states));
  if (random.chance(20))
    graph.returned.push_back(
        random.chance(50)
            ? states
            : addBinary(GraphBinary::Mul, states, addArgument(drawDims(true))));
  // Sums over channels or steps, as gradients have them. Kernels may be
  // unrolled over few channels as well, and have no states to share then.
  unsigned summed = random.pick({time, time + 1});
  if (graph.dims[summed] != kDynamic)
    return;
  if (random.chance(25))
    graph.returned.push_back(addReduction(sum, summed));
  if (random.chance(25))
    graph.returned.push_back(
        addReduction(addBinary(GraphBinary::Mul, states,
                               addArgument(drawDims(/*hasState=*/true))),
                     summed));
}

Graph ModelGenerator::make() {
  // [batch], time, channel, state; lanes have the channels side by side if
  // nothing comes behind them but the state.
  if (random.chance(30))
    graph.dims.push_back(random.chance(70) ? kDynamic : random.pick({1, 2, 3}));
  time = graph.dims.size();
  graph.dims.push_back(random.chance(70) ? kDynamic
                                         : random.pick({1, 8, 24, 33, 64}));
  graph.dims.push_back(random.chance(70) ? kDynamic
                                         : random.pick({1, 4, 16, 20, 48}));
  state = graph.dims.size();
  for (unsigned dim = 0; dim < state; ++dim)
    type.dims.push_back(dim);
  if (random.chance(15))
    std::swap(type.dims[time], type.dims[time + 1]);
  Dims inputDims = type.dims;
  graph.dims.push_back(random.pick({2, 4, 4, 8, 16}));
  type.dims.push_back(state);
  type.element = random.pick({"f32", "f32", "f32", "f64", "i32", "i64"});
  bool isFloat = StringRef(type.element).starts_with("f");
  stored = random.chance(60) ? type.element
           : isFloat         ? random.pick({"f16", "bf16"})
                             : random.pick({"i8", "i16"});
  input = addArgument(inputDims);

  // Of two directions the states may be stored in between, and no lanes share
  // them then: the cost model chooses.
  bool isBidirectional = random.chance(25);
  if (!isBidirectional)
    schedule = drawSchedule();
  if (random.chance(25))
    order = random.pick({"deterministic", "any"});
  bool reverse = random.chance(40);
  GraphValue a =
      isFloat && random.chance(50) ? drawDecay() : drawLeaf(std::nullopt);
  GraphValue states = addScan(
      a, drawLeaf(random.chance(70) ? std::optional(input) : std::nullopt),
      reverse);
  // Results that depend on both directions, as gradients do.
  if (isBidirectional)
    states = addBinary(GraphBinary::Mul, states,
                       addScan(random.chance(70) ? a : drawLeaf(std::nullopt),
                               drawLeaf(std::nullopt), !reverse));
  addResults(states);
  return graph;
}

Graph fuzz::makeModelGraph(uint64_t seed, uint64_t index) {
  fuzz::Random random(seed + 0x30DE1, index);
  // Whatever is too large to be exact is drawn again.
  while (true) {
    Graph graph = ModelGenerator(random).make();
    if (isExact(graph))
      return graph;
  }
}
