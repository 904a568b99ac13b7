//===- GraphGenerator.cpp - Random graphs around scans --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "Program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

namespace {
class GraphGenerator {
public:
  /// What draws from `blocks` came later: the rest stays the same without it.
  GraphGenerator(fuzz::Random &random, fuzz::Random &blocks)
      : random(random), blocks(blocks) {}
  Graph make();

private:
  bool isFloat(GraphValue value) {
    StringRef element = graph.getType(value).element;
    return element.contains('f');
  }
  GraphValue pick();
  GraphValue addArgument(GraphTensor type);
  GraphValue pickLike(const GraphTensor &type);
  GraphValue pickPart(const GraphTensor &type);
  unsigned pickBinary(GraphValue operand, bool isFold);
  bool addNode(GraphNode::Kind kind);
  bool addScan(GraphNode &node, GraphValue input);
  bool addMirrored();
  bool addChained();
  void fillOperands(GraphNode &node, GraphValue first);
  void returnSome();

  fuzz::Random &random, &blocks;
  Graph graph;
};
} // namespace

/// Any value, later ones more often.
GraphValue GraphGenerator::pick() {
  unsigned count = graph.nodes.size();
  unsigned node = std::max(random.below(count), random.below(count));
  return {node, unsigned(random.below(graph.nodes[node].results.size()))};
}

GraphValue GraphGenerator::addArgument(GraphTensor type) {
  GraphNode node;
  node.results = {std::move(type)};
  graph.nodes.push_back(node);
  return {unsigned(graph.nodes.size() - 1), 0};
}

/// A value of that type that there is already, or a new argument.
GraphValue GraphGenerator::pickLike(const GraphTensor &type) {
  SmallVector<GraphValue> found;
  for (unsigned i = 0; i < graph.nodes.size(); ++i)
    for (unsigned r = 0; r < graph.nodes[i].results.size(); ++r)
      if (graph.nodes[i].results[r] == type)
        found.push_back({i, r});
  if (found.empty() || random.chance(20))
    return addArgument(type);
  return random.pick(found);
}

/// A value of that type or with fewer dimensions, in any order.
GraphValue GraphGenerator::pickPart(const GraphTensor &type) {
  if (random.chance(60))
    return pickLike(type);
  SmallVector<GraphValue> found;
  for (unsigned i = 0; i < graph.nodes.size(); ++i)
    for (unsigned r = 0; r < graph.nodes[i].results.size(); ++r) {
      const GraphTensor &other = graph.nodes[i].results[r];
      if (other.element == type.element &&
          llvm::all_of(other.dims, [&](unsigned dim) {
            return llvm::is_contained(type.dims, dim);
          }))
        found.push_back({i, r});
    }
  if (!found.empty() && random.chance(70))
    return random.pick(found);
  GraphTensor part = type;
  if (!part.dims.empty())
    part.dims.erase(part.dims.begin() + random.below(part.dims.size()));
  if (part.dims.size() > 1 && random.chance(30))
    std::swap(part.dims.front(), part.dims.back());
  return addArgument(part);
}

unsigned GraphGenerator::pickBinary(GraphValue operand, bool isFold) {
  using Op = GraphBinary;
  Op op =
      isFloat(operand)
          ? random.pick({Op::Add, Op::Add, Op::Sub, Op::Mul, Op::Max, Op::Min})
          : random.pick({Op::Add, Op::Add, Op::Sub, Op::Mul, Op::Max, Op::Min,
                         Op::And, Op::Or, Op::Xor});
  if (isFold && op == Op::Sub)
    op = Op::Add;
  return static_cast<unsigned>(op);
}

bool GraphGenerator::addScan(GraphNode &node, GraphValue input) {
  GraphTensor type = graph.getType(input);
  if (type.dims.empty())
    return false;
  bool isPair = node.kind != GraphNode::Associative;
  if (isPair && type.element == "i1")
    return false;
  node.dim = random.below(type.dims.size());
  node.operation = pickBinary(input, /*isFold=*/true);
  node.reverse = random.chance(40);
  node.operands = {input};
  if (isPair)
    node.operands.push_back(pickLike(type));
  node.finals = random.chance(30);
  GraphTensor state = type;
  state.dims.erase(state.dims.begin() + node.dim);
  if (node.kind != GraphNode::Affine && random.chance(50)) {
    node.tensorInit = random.chance(50);
    node.scalarInit = !node.tensorInit;
    if (node.tensorInit)
      node.operands.push_back(pickLike(state));
    node.exclusive = node.kind == GraphNode::Associative && random.chance(40);
  }
  if (random.chance(40))
    node.schedule = random.pick({"strategy = row, threads = 32, items = 2",
                                 "strategy = row, threads = 64, items = 1",
                                 "strategy = row, threads = 32, items = 2, "
                                 "scope = grid, blocks = 2",
                                 "strategy = row, threads = 64, items = 4, "
                                 "rows = 8",
                                 "strategy = column, threads = 64, items = 2, "
                                 "lanes = 4, vector = 2",
                                 "strategy = sequential, threads = 32"});
  unsigned outputs = node.kind == GraphNode::Affine ? 2 : 1;
  node.results.assign(outputs, type);
  if (node.finals)
    node.results.insert(node.results.end(), outputs, state);
  return true;
}

/// Draws what the node does to `first`; false if it cannot.
bool GraphGenerator::addNode(GraphNode::Kind kind) {
  GraphValue first = pick();
  GraphTensor type = graph.getType(first);
  GraphNode node;
  node.kind = kind;
  node.asGeneric = random.chance(50);
  node.operands = {first};
  node.results = {type};
  auto isStatic = [&](unsigned position) {
    return graph.dims[type.dims[position]] != kDynamic;
  };
  switch (kind) {
  case GraphNode::Argument:
    return false;
  case GraphNode::Fill:
    node.operands.clear();
    node.constant = random.between(-3, 3);
    break;
  case GraphNode::Unary:
    node.operation = random.below(kNumGraphUnary);
    node.constant = random.between(1, 3);
    if (type.element == "i1")
      node.operation = unsigned(GraphUnary::XorConstant);
    break;
  case GraphNode::Binary:
    node.operation = pickBinary(first, /*isFold=*/false);
    node.operands.push_back(pickPart(type));
    break;
  case GraphNode::Select:
    node.operands.push_back(pickPart(type));
    node.operands.push_back(pickLike(type));
    break;
  case GraphNode::Cast: {
    static const StringRef elements[] = {"i8",  "i16",  "i32", "i64",
                                         "f16", "bf16", "f32", "f64"};
    node.results[0].element = random.pick(elements).str();
    // Of the wider integers nothing says that they are small.
    bool isExactCast = isFloat(first) ||
                       !StringRef(node.results[0].element).contains('f') ||
                       type.element == "i8";
    // Larger numbers than a narrow integer holds convert to anything.
    if (isFloat(first) && !StringRef(node.results[0].element).contains('f'))
      node.results[0].element = "i64";
    if (node.results[0].element == type.element || type.element == "i1" ||
        !isExactCast)
      return false;
    break;
  }
  case GraphNode::Transpose:
    if (type.dims.size() < 2)
      return false;
    for (size_t i = type.dims.size() - 1; i > 0; --i)
      std::swap(node.results[0].dims[i],
                node.results[0].dims[random.below(i + 1)]);
    break;
  case GraphNode::Broadcast: {
    unsigned dim = random.below(graph.dims.size());
    if (llvm::is_contained(type.dims, dim) || type.dims.size() > 3)
      return false;
    node.dim = random.below(type.dims.size() + 1);
    node.results[0].dims.insert(node.results[0].dims.begin() + node.dim, dim);
    break;
  }
  case GraphNode::Slice: {
    if (type.dims.empty())
      return false;
    node.dim = random.below(type.dims.size());
    int64_t extent = graph.dims[type.dims[node.dim]];
    if (!isStatic(node.dim) || extent < 2)
      return false;
    int64_t length = random.between(1, extent - 1);
    node.constant = random.between(0, extent - length);
    node.results[0].dims[node.dim] = graph.dims.size();
    graph.dims.push_back(length);
    break;
  }
  case GraphNode::Insert: {
    if (type.dims.empty())
      return false;
    node.dim = random.below(type.dims.size());
    int64_t extent = graph.dims[type.dims[node.dim]];
    if (!isStatic(node.dim) || extent < 1)
      return false;
    GraphTensor part = type;
    int64_t length = random.between(1, extent);
    node.constant = random.between(0, extent - length);
    // A part of that length that there is, or an argument.
    for (unsigned dim = 0; dim < graph.dims.size(); ++dim)
      if (graph.dims[dim] == length && !llvm::is_contained(type.dims, dim))
        part.dims[node.dim] = dim;
    if (part.dims[node.dim] == type.dims[node.dim]) {
      part.dims[node.dim] = graph.dims.size();
      graph.dims.push_back(length);
    }
    node.operands.push_back(pickLike(part));
    break;
  }
  case GraphNode::Reduce:
    if (type.dims.empty())
      return false;
    node.dim = random.below(type.dims.size());
    node.operation = pickBinary(first, /*isFold=*/true);
    node.constant = random.between(0, 1);
    node.results[0].dims.erase(node.results[0].dims.begin() + node.dim);
    break;
  case GraphNode::Associative:
  case GraphNode::Affine:
  case GraphNode::Recurrence:
    if (!addScan(node, first))
      return false;
    break;
  }
  graph.nodes.push_back(std::move(node));
  return true;
}

/// Adds a scan in the other direction over what the last node, a scan, scans;
/// false if that would be no exact one.
bool GraphGenerator::addMirrored() {
  GraphNode node = graph.nodes.back();
  node.reverse = !node.reverse;
  if (random.chance(50))
    node.operation = pickBinary(node.operands.front(), /*isFold=*/true);
  Graph before = graph;
  graph.nodes.push_back(std::move(node));
  graph.returned = {{unsigned(graph.nodes.size() - 1), 0}};
  bool isAdded = isExact(graph);
  if (!isAdded)
    graph = before;
  return isAdded;
}

/// Adds a scan of what the last node, a scan, returns, along the same dimension
/// in the other direction, often of another type; false if that would be no
/// exact one. No kernel computes both: on the CPU they share blocks of columns.
bool GraphGenerator::addChained() {
  const GraphNode last = graph.nodes.back();
  Graph before = graph;
  std::swap(random, blocks);
  llvm::scope_exit restore([&] { std::swap(random, blocks); });
  GraphValue value = {unsigned(graph.nodes.size() - 1), 0};
  if (random.chance(70) && isFloat(value)) {
    GraphNode cast;
    cast.kind = GraphNode::Cast;
    cast.operands = {value};
    cast.results = {last.results.front()};
    cast.results[0].element = random.pick({"f16", "bf16", "f32", "f64"});
    if (cast.results[0].element != last.results[0].element) {
      graph.nodes.push_back(std::move(cast));
      value = {unsigned(graph.nodes.size() - 1), 0};
    }
  }
  GraphNode node;
  node.kind = GraphNode::Associative;
  bool isAdded = addScan(node, value);
  node.dim = last.dim;
  node.reverse = !last.reverse;
  if (node.tensorInit || node.finals)
    isAdded = false;
  if (isAdded) {
    graph.nodes.push_back(std::move(node));
    graph.returned = {{unsigned(graph.nodes.size() - 1), 0}};
    isAdded = isExact(graph);
  }
  if (!isAdded)
    graph = before;
  return isAdded;
}

/// Returns what nobody else reads, and now and then something that is read.
void GraphGenerator::returnSome() {
  SmallVector<GraphValue> all, unread;
  for (unsigned i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].kind == GraphNode::Argument)
      continue;
    for (unsigned r = 0; r < graph.nodes[i].results.size(); ++r) {
      bool isRead = llvm::any_of(graph.nodes, [&](const GraphNode &node) {
        return llvm::is_contained(node.operands, GraphValue{i, r});
      });
      (isRead ? all : unread).push_back({i, r});
    }
  }
  while (unread.size() > 4)
    unread.erase(unread.begin() + random.below(unread.size()));
  graph.returned.assign(unread.begin(), unread.end());
  if (!all.empty() && random.chance(30))
    graph.returned.push_back(random.pick(all));
}

Graph GraphGenerator::make() {
  unsigned rank = random.between(1, 3);
  GraphTensor type;
  for (unsigned dim = 0; dim < rank; ++dim) {
    graph.dims.push_back(
        random.chance(70) ? kDynamic : random.pick({1, 2, 3, 4, 5, 8, 33}));
    // Vectors divide it, small blocks of columns do not.
    if (graph.dims.back() == 33 && blocks.chance(50))
      graph.dims.back() = 48;
    type.dims.push_back(dim);
  }
  // A small dimension within, as of a state.
  graph.dims.push_back(random.between(2, 4));
  if (random.chance(40))
    type.dims.push_back(rank);
  static const StringRef elements[] = {"i32", "i32", "i64",  "i8",  "i16", "i1",
                                       "f32", "f32", "bf16", "f16", "f64"};
  type.element = random.pick(elements).str();
  addArgument(type);

  static const GraphNode::Kind kinds[] = {
      GraphNode::Unary,       GraphNode::Unary,     GraphNode::Binary,
      GraphNode::Binary,      GraphNode::Binary,    GraphNode::Select,
      GraphNode::Cast,        GraphNode::Transpose, GraphNode::Broadcast,
      GraphNode::Slice,       GraphNode::Insert,    GraphNode::Fill,
      GraphNode::Reduce,      GraphNode::Reduce,    GraphNode::Associative,
      GraphNode::Associative, GraphNode::Affine,    GraphNode::Recurrence};
  static const GraphNode::Kind scans[] = {
      GraphNode::Associative, GraphNode::Associative, GraphNode::Recurrence,
      GraphNode::Affine};
  unsigned wanted = random.between(2, 10), scanAt = random.below(wanted);
  unsigned attempts = 0;
  for (unsigned made = 0; made < wanted && attempts < 200; ++attempts) {
    Graph before = graph;
    bool isAdded =
        addNode(made == scanAt ? random.pick(scans) : random.pick(kinds));
    // Whatever is too large to be exact is drawn again.
    if (isAdded) {
      graph.returned = {{unsigned(graph.nodes.size() - 1), 0}};
      isAdded = isExact(graph);
    }
    if (!isAdded) {
      graph = before;
      continue;
    }
    ++made;
    if (llvm::is_contained(scans, graph.nodes.back().kind) &&
        random.chance(40) && addMirrored())
      ++made;
    if (llvm::is_contained(scans, graph.nodes.back().kind) &&
        blocks.chance(30) && addChained())
      ++made;
  }
  returnSome();
  if (graph.returned.empty())
    graph.returned = {{0, 0}};
  return graph;
}

/// Hides static dimensions, here and there.
static void drawCasts(fuzz::Random &random, Graph &graph) {
  if (!random.chance(60))
    return;
  auto draw = [&](SmallVectorImpl<unsigned> &hidden) {
    if (random.chance(50))
      return;
    for (unsigned dim = 0; dim < graph.dims.size(); ++dim)
      if (graph.dims[dim] != kDynamic && random.chance(60))
        hidden.push_back(dim);
  };
  for (GraphNode &node : graph.nodes) {
    draw(node.hidden);
    node.isMixed = random.chance(40);
  }
  draw(graph.hiddenResults);
}

Graph fuzz::makeGraph(uint64_t seed, uint64_t index) {
  fuzz::Random random(seed + 0x96AF, index);
  fuzz::Random blocks(seed + 0xB10C, index);
  Graph graph = GraphGenerator(random, blocks).make();
  // Apart from the rest, which stays the same without them.
  fuzz::Random casts(seed + 0xCA57, index);
  drawCasts(casts, graph);
  return graph;
}

Graph fuzz::makeGraphOrModel(uint64_t seed, uint64_t index) {
  fuzz::Random random(seed + 0x0DE1, index);
  // Few: they take the interpreter longer than others.
  if (!random.chance(20))
    return makeGraph(seed, index);
  Graph graph = makeModelGraph(seed, index);
  drawCasts(random, graph);
  // Where a cast hides the states, kernels may not be unrolled over them, and
  // have no lanes to share them.
  unsigned state = graph.dims.size() - 1;
  for (GraphNode &node : graph.nodes)
    llvm::erase(node.hidden, state);
  llvm::erase(graph.hiddenResults, state);
  return graph;
}
