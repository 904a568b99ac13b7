//===- Graph.h - Random graphs around scans as data -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs for passes that look at several operations at once: scans that share
// inputs or read each other, elementwise code that is used more than once,
// broadcasts, transpositions, slices, fills and reductions in between.
//
// No result depends on rounding, so that every order of every combine gives the
// same numbers: integers wrap around, and floating-point numbers are integers
// whose magnitude is followed through the graph and stays below the point from
// which on their type has gaps.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_GRAPH_H
#define SCAN_LIB_FUZZ_GRAPH_H

#include "Random.h"
#include "Reduce/GreedySearch.h"
#include "Scan/Reference/HostArray.h"
#include "mlir/IR/MLIRContext.h"
#include <string>
#include <vector>

namespace mlir::scan::fuzz {

/// An element type and the graph's dimensions that a tensor has, in order.
struct GraphTensor {
  std::string element;
  SmallVector<unsigned> dims;
  bool operator==(const GraphTensor &other) const {
    return element == other.element && dims == other.dims;
  }
};

struct GraphValue {
  unsigned node = 0, result = 0;
  bool operator==(const GraphValue &other) const {
    return node == other.node && result == other.result;
  }
};

struct GraphNode {
  enum Kind {
    Argument,
    Fill,   ///< `constant`
    Unary,  ///< `operation` of kUnary
    Binary, ///< `operation` of kBinary; the second may lack dimensions
    Select, ///< the third where the first is less than the second
    Cast,   ///< to the element type of the result
    Transpose,
    Broadcast,   ///< adds dimension number `dim` of the result
    Slice,       ///< of dimension number `dim`, from `constant` on
    Insert,      ///< the second into the first, at `constant` of `dim`
    Reduce,      ///< `operation` of kBinary along dimension number `dim`
    Associative, ///< `operation` of kBinary
    Affine,      ///< scan.associative on pairs
    Recurrence,  ///< scan.linear_recurrence
  };
  Kind kind = Argument;
  unsigned operation = 0, dim = 0;
  int64_t constant = 0;
  /// The inputs; of scans the init after them, if it is a tensor.
  SmallVector<GraphValue> operands;
  std::vector<GraphTensor> results;
  /// The static dimensions of the graph that are dynamic in the types of its
  /// operands and results. What others show otherwise is cast.
  SmallVector<unsigned> hidden;
  /// Where the operation allows it, operands are read as others show them, so
  /// that it has static and dynamic types of one extent.
  bool isMixed = false;
  /// As linalg.generic, not as an operation on tensors.
  bool asGeneric = false;
  bool reverse = false, exclusive = false, scalarInit = false;
  bool tensorInit = false, finals = false;
  /// Text of #scan.schedule and #scan.order; empty: none.
  std::string schedule, order;
};

struct Graph {
  /// Extents; kDynamic where each case has its own.
  SmallVector<int64_t> dims;
  std::vector<GraphNode> nodes;
  SmallVector<GraphValue> returned;
  /// Static dimensions that are dynamic in the types of the function's results.
  SmallVector<unsigned> hiddenResults;
  /// The types of the function's arguments are dynamic, behind casts.
  bool hasDynamicArguments = false;

  const GraphTensor &getType(GraphValue value) const {
    return nodes[value.node].results[value.result];
  }
};

/// Of kUnary and kBinary, in the order of GraphNode::operation.
enum class GraphUnary { Negate, Absolute, AddConstant, XorConstant, Clamp };
enum class GraphBinary {
  Add,
  Sub,
  Mul,
  Max,
  Min,
  And,
  Or,
  Xor,
  /// 1 - |x| |y| for floating-point numbers of at most 1, as models have it:
  /// exp(1000 |x| * -exp(1000 (|y| - 1))). Not among those drawn for any graph.
  Decay
};
constexpr unsigned kNumGraphUnary = 5;

/// Dynamic extents are at most that.
constexpr int64_t kMaxGraphExtent = 70;

/// Graph number `index` of a seed.
Graph makeGraph(uint64_t seed, uint64_t index);
/// A model whose scans have states that lanes can share, with schedules for
/// that; and now and then one of these.
Graph makeModelGraph(uint64_t seed, uint64_t index);
Graph makeGraphOrModel(uint64_t seed, uint64_t index);

/// Whether all values are integers that their types hold, and the operations
/// make sense for their types.
bool isExact(const Graph &graph);

/// The same with dynamic arguments only; the text is another one if an argument
/// has a static extent.
Graph makeArgumentsDynamic(Graph graph);

/// Which nodes something returned depends on.
SmallVector<bool> findLiveNodes(const Graph &graph);

/// The module with the function @f.
std::string printGraph(const Graph &graph);

/// The extents of case `index`, one per dimension, and the arguments.
SmallVector<int64_t> makeGraphExtents(const Graph &graph, uint64_t seed,
                                      uint64_t program, uint64_t index);
SmallVector<HostArray> makeGraphArguments(const Graph &graph,
                                          ArrayRef<int64_t> extents,
                                          uint64_t seed, MLIRContext &context);

/// Applies simplification number `step`. The graph remains exact if the result
/// is `Changed`.
StepResult simplifyGraph(Graph &graph, SmallVectorImpl<int64_t> &extents,
                         size_t step);

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_GRAPH_H
