//===- GraphPrinter.h - Random graphs around scans as text ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_GRAPHPRINTER_H
#define SCAN_LIB_FUZZ_GRAPHPRINTER_H

#include "Graph.h"
#include "Program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::scan::fuzz {

class GraphPrinter {
public:
  explicit GraphPrinter(const Graph &graph) : graph(graph), os(text) {}
  std::string print();

private:
  bool isFloat(StringRef element) { return element.contains('f'); }
  std::string getName(GraphValue value) {
    return "%v" + std::to_string(value.node) +
           (value.result ? "_" + std::to_string(value.result) : "");
  }
  bool isDynamic(unsigned dim, ArrayRef<unsigned> hidden) {
    return graph.dims[dim] == kDynamic || llvm::is_contained(hidden, dim);
  }
  std::string getType(const GraphTensor &type, ArrayRef<unsigned> hidden);
  /// As the node that is being printed shows it.
  std::string getType(const GraphTensor &type) { return getType(type, hidden); }
  /// As the node that makes it shows it.
  std::string getType(GraphValue value) {
    return getType(graph.getType(value), graph.nodes[value.node].hidden);
  }
  /// A value as the node that is being printed reads it.
  struct Operand {
    std::string name, type;
  };
  Operand cast(GraphValue value, ArrayRef<unsigned> to);
  Operand printOperand(const GraphNode &node, unsigned number);
  std::string getConstant(StringRef element, int64_t value);
  std::string newName() { return "%t" + std::to_string(next++); }
  std::string printEmpty(const GraphTensor &type);
  std::string printFill(const GraphTensor &type, int64_t value);
  std::string printScalarConstant(StringRef element, int64_t value);
  static std::string getBinary(unsigned operation, bool isFloat);
  std::string printBinary(StringRef indent, unsigned operation, StringRef lhs,
                          StringRef rhs, StringRef element, StringRef type);
  bool isGeneric(const GraphNode &node);
  void printElementwise(unsigned index, const GraphNode &node);
  std::string printBody(StringRef indent, const GraphNode &node,
                        ArrayRef<std::string> operands, StringRef suffix);
  void printReduce(const GraphNode &node, const std::string &result);
  void printScan(unsigned index, const GraphNode &node);
  void printNode(unsigned index);
  void printExtents();

  const Graph &graph;
  std::string text;
  llvm::raw_string_ostream os;
  unsigned next = 0;
  /// What the node that is being printed hides.
  ArrayRef<unsigned> hidden;
};

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_GRAPHPRINTER_H
