//===- PrintGraph.cpp - Random graphs around scans as text ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphPrinter.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

std::string GraphPrinter::getType(const GraphTensor &type,
                                  ArrayRef<unsigned> hidden) {
  std::string name = "tensor<";
  for (unsigned dim : type.dims)
    name +=
        (isDynamic(dim, hidden) ? "?" : std::to_string(graph.dims[dim])) + "x";
  return name + type.element + ">";
}

GraphPrinter::Operand GraphPrinter::cast(GraphValue value,
                                         ArrayRef<unsigned> to) {
  std::string from = getType(value), type = getType(graph.getType(value), to);
  if (from == type)
    return {getName(value), type};
  std::string name = newName();
  os << "  " << name << " = tensor.cast " << getName(value) << " : " << from
     << " to " << type << "\n";
  return {name, type};
}

/// Operand `number`, cast to what the node shows unless it may be mixed.
GraphPrinter::Operand GraphPrinter::printOperand(const GraphNode &node,
                                                 unsigned number) {
  GraphValue value = node.operands[number];
  bool isScan = node.kind == GraphNode::Associative ||
                node.kind == GraphNode::Recurrence ||
                node.kind == GraphNode::Affine;
  bool mayDiffer =
      (node.kind == GraphNode::Recurrence && number == 0) ||
      (isScan && node.tensorInit && number + 1 == node.operands.size()) ||
      isGeneric(node);
  if (node.isMixed && mayDiffer)
    return {getName(value), getType(value)};
  return cast(value, hidden);
}

std::string GraphPrinter::getConstant(StringRef element, int64_t value) {
  if (element == "i1")
    return value % 2 ? "true" : "false";
  return std::to_string(value) + (isFloat(element) ? ".0" : "") + " : " +
         element.str();
}

std::string GraphPrinter::printScalarConstant(StringRef element,
                                              int64_t value) {
  std::string name = newName();
  os << "  " << name << " = arith.constant " << getConstant(element, value)
     << "\n";
  return name;
}

std::string GraphPrinter::printEmpty(const GraphTensor &type) {
  std::string name = newName();
  SmallVector<std::string> sizes;
  for (unsigned dim : type.dims)
    if (isDynamic(dim, hidden))
      sizes.push_back("%d" + std::to_string(dim));
  os << "  " << name << " = tensor.empty(" << llvm::join(sizes, ", ")
     << ") : " << getType(type) << "\n";
  return name;
}

std::string GraphPrinter::printFill(const GraphTensor &type, int64_t value) {
  std::string constant = printScalarConstant(type.element, value);
  std::string empty = printEmpty(type), name = newName();
  os << "  " << name << " = linalg.fill ins(" << constant << " : "
     << type.element << ") outs(" << empty << " : " << getType(type) << ") -> "
     << getType(type) << "\n";
  return name;
}

void GraphPrinter::printReduce(const GraphNode &node,
                               const std::string &result) {
  const GraphTensor &type = node.results[0];
  Operand input = printOperand(node, 0);
  std::string fill = printFill(type, node.constant);
  os << "  " << result << " = linalg.reduce { "
     << getBinary(node.operation, isFloat(type.element)) << " } ins("
     << input.name << " : " << input.type << ") outs(" << fill << " : "
     << getType(type) << ") dimensions = [" << node.dim << "]\n";
}

void GraphPrinter::printScan(unsigned index, const GraphNode &node) {
  bool isPair = node.kind != GraphNode::Associative;
  const std::string &element = node.results[0].element;
  std::string init, initType;
  if (node.scalarInit) {
    init = printScalarConstant(element, 1);
    initType = element;
  } else if (node.tensorInit) {
    Operand operand = printOperand(node, node.operands.size() - 1);
    init = operand.name;
    initType = operand.type;
  }
  SmallVector<std::string> names, inputs, types, results;
  for (unsigned r = 0; r < node.results.size(); ++r) {
    names.push_back(getName({index, r}));
    results.push_back(getType(node.results[r]));
  }
  for (unsigned i = 0; i < (isPair ? 2 : 1); ++i) {
    Operand operand = printOperand(node, i);
    inputs.push_back(operand.name);
    types.push_back(operand.type);
  }
  os << "  " << llvm::join(names, ", ") << " = scan."
     << (node.kind == GraphNode::Recurrence ? "linear_recurrence"
                                            : "associative")
     << " ins(" << llvm::join(inputs, ", ") << " : " << llvm::join(types, ", ")
     << ")";
  if (!init.empty())
    os << " init(" << init << " : " << initType << ")";
  os << " dim = " << node.dim << (node.reverse ? " reverse" : "")
     << (node.exclusive ? " exclusive" : "");
  SmallVector<std::string> attributes;
  if (!node.order.empty())
    attributes.push_back("order = #scan.order<" + node.order + ">");
  if (!node.schedule.empty())
    attributes.push_back("schedule = #scan.schedule<" + node.schedule + ">");
  if (!attributes.empty())
    os << " attributes {" << llvm::join(attributes, ", ") << "}";
  if (node.kind == GraphNode::Associative) {
    os << " {\n  ^bb0(%l: " << element << ", %r: " << element << "):\n";
    std::string value =
        printBinary("    ", node.operation, "%l", "%r", element, element);
    os << "    scan.yield " << value << " : " << element << "\n  }";
  } else if (node.kind == GraphNode::Affine) {
    os << " {\n  ^bb0(%la: " << element << ", %lb: " << element
       << ", %ra: " << element << ", %rb: " << element << "):\n";
    auto mul = unsigned(GraphBinary::Mul), add = unsigned(GraphBinary::Add);
    std::string a = printBinary("    ", mul, "%ra", "%la", element, element);
    std::string m = printBinary("    ", mul, "%ra", "%lb", element, element);
    std::string b = printBinary("    ", add, m, "%rb", element, element);
    os << "    scan.yield " << a << ", " << b << " : " << element << ", "
       << element << "\n  }";
  }
  os << " -> " << llvm::join(results, ", ") << "\n";
}

void GraphPrinter::printNode(unsigned index) {
  const GraphNode &node = graph.nodes[index];
  hidden = node.hidden;
  std::string name = "%v" + std::to_string(index);
  const GraphTensor &type = node.results[0];
  auto slice = [&](const GraphTensor &part) {
    SmallVector<std::string> offsets, sizes, strides(part.dims.size(), "1");
    for (auto [i, dim] : llvm::enumerate(part.dims)) {
      offsets.push_back(i == node.dim ? std::to_string(node.constant) : "0");
      sizes.push_back(isDynamic(dim, hidden) ? "%d" + std::to_string(dim)
                                             : std::to_string(graph.dims[dim]));
    }
    return "[" + llvm::join(offsets, ", ") + "] [" + llvm::join(sizes, ", ") +
           "] [" + llvm::join(strides, ", ") + "]";
  };
  switch (node.kind) {
  case GraphNode::Argument:
    return;
  case GraphNode::Fill: {
    std::string fill = printFill(type, node.constant);
    size_t at = text.rfind("  " + fill + " = ");
    text.replace(at, fill.size() + 2, "  " + name);
    return;
  }
  case GraphNode::Unary:
  case GraphNode::Binary:
  case GraphNode::Select:
  case GraphNode::Cast:
    return printElementwise(index, node);
  case GraphNode::Transpose: {
    SmallVector<std::string> permutation;
    ArrayRef<unsigned> from = graph.getType(node.operands[0]).dims;
    for (unsigned dim : type.dims)
      permutation.push_back(
          std::to_string(llvm::find(from, dim) - from.begin()));
    Operand input = printOperand(node, 0);
    std::string empty = printEmpty(type);
    os << "  " << name << " = linalg.transpose ins(" << input.name << " : "
       << input.type << ") outs(" << empty << " : " << getType(type)
       << ") permutation = [" << llvm::join(permutation, ", ") << "]\n";
    return;
  }
  case GraphNode::Broadcast: {
    Operand input = printOperand(node, 0);
    std::string empty = printEmpty(type);
    os << "  " << name << " = linalg.broadcast ins(" << input.name << " : "
       << input.type << ") outs(" << empty << " : " << getType(type)
       << ") dimensions = [" << node.dim << "]\n";
    return;
  }
  case GraphNode::Slice: {
    Operand input = printOperand(node, 0);
    os << "  " << name << " = tensor.extract_slice " << input.name
       << slice(type) << " : " << input.type << " to " << getType(type) << "\n";
    return;
  }
  case GraphNode::Insert: {
    Operand dest = printOperand(node, 0), part = printOperand(node, 1);
    os << "  " << name << " = tensor.insert_slice " << part.name << " into "
       << dest.name << slice(graph.getType(node.operands[1])) << " : "
       << part.type << " into " << getType(type) << "\n";
    return;
  }
  case GraphNode::Reduce:
    return printReduce(node, name);
  case GraphNode::Associative:
  case GraphNode::Affine:
  case GraphNode::Recurrence:
    return printScan(index, node);
  }
}

/// %d0, %d1 and so on: the extents that are dynamic somewhere.
void GraphPrinter::printExtents() {
  SmallVector<bool> live = findLiveNodes(graph);
  auto isNeeded = [&](unsigned dim) {
    if (graph.dims[dim] == kDynamic)
      return true;
    for (unsigned i = 0; i < graph.nodes.size(); ++i)
      if (live[i] && graph.nodes[i].kind != GraphNode::Argument &&
          llvm::is_contained(graph.nodes[i].hidden, dim))
        return true;
    return false;
  };
  // The first argument has every dynamic dimension.
  const GraphTensor &first = graph.nodes[0].results[0];
  for (unsigned dim = 0; dim < graph.dims.size(); ++dim) {
    if (!isNeeded(dim))
      continue;
    std::string name = "%d" + std::to_string(dim);
    const auto *found = llvm::find(first.dims, dim);
    if (found == first.dims.end()) {
      os << "  " << name << " = arith.constant " << graph.dims[dim]
         << " : index\n";
      continue;
    }
    std::string index = "%c" + std::to_string(found - first.dims.begin());
    os << "  " << index << " = arith.constant " << found - first.dims.begin()
       << " : index\n  " << name << " = tensor.dim %v0, " << index << " : "
       << getType(GraphValue{0, 0}) << "\n";
  }
}

std::string GraphPrinter::print() {
  SmallVector<bool> live = findLiveNodes(graph);
  SmallVector<std::string> arguments, names, types;
  SmallVector<std::string> casts;
  for (auto [i, node] : llvm::enumerate(graph.nodes)) {
    if (node.kind != GraphNode::Argument || (!live[i] && i > 0))
      continue;
    std::string name = getName({unsigned(i), 0});
    std::string type = getType(GraphValue{unsigned(i), 0}), outer = type;
    if (graph.hasDynamicArguments)
      outer = getType(node.results[0], node.results[0].dims);
    if (outer != type) {
      casts.push_back("  " + name + " = tensor.cast " + name +
                      "_dynamic : " + outer + " to " + type + "\n");
      name += "_dynamic";
    }
    arguments.push_back(name + ": " + outer);
  }
  for (GraphValue value : graph.returned)
    types.push_back(getType(graph.getType(value), graph.hiddenResults));
  os << "func.func @f(" << llvm::join(arguments, ", ") << ")\n    -> ("
     << llvm::join(types, ", ") << ") {\n"
     << llvm::join(casts, "");
  printExtents();
  for (unsigned i = 0; i < graph.nodes.size(); ++i)
    if (live[i])
      printNode(i);
  for (GraphValue value : graph.returned)
    names.push_back(cast(value, graph.hiddenResults).name);
  os << "  return " << llvm::join(names, ", ") << " : "
     << llvm::join(types, ", ") << "\n}\n";
  return text;
}

std::string fuzz::printGraph(const Graph &graph) {
  return GraphPrinter(graph).print();
}
