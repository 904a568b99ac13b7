//===- PrintGraph.cpp - Random graphs around scans as text ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Fuzz/Graph.h"
#include "Scan/Fuzz/Program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;
using llvm::Twine;

using Kind = GraphNode::Kind;

namespace {
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
  std::string getType(const GraphType &type);
  std::string getType(GraphValue value) {
    return getType(graph.getType(value));
  }
  std::string getConstant(StringRef element, int64_t value);
  std::string newName() { return "%t" + std::to_string(next++); }
  std::string printEmpty(const GraphType &type);
  std::string printFill(const GraphType &type, int64_t value);
  std::string printScalarConstant(StringRef element, int64_t value);
  std::string printBinary(StringRef indent, unsigned operation, StringRef lhs,
                          StringRef rhs, StringRef element, StringRef type);
  void printElementwise(unsigned index, const GraphNode &node);
  std::string printBody(StringRef indent, const GraphNode &node,
                        ArrayRef<std::string> operands, StringRef suffix);
  void printReduce(const GraphNode &node, const std::string &result);
  void printScan(unsigned index, const GraphNode &node);
  void printNode(unsigned index);

  const Graph &graph;
  std::string text;
  llvm::raw_string_ostream os;
  unsigned next = 0;
};
} // namespace

std::string GraphPrinter::getType(const GraphType &type) {
  std::string name = "tensor<";
  for (unsigned dim : type.dims)
    name +=
        (graph.dims[dim] == kDynamic ? "?" : std::to_string(graph.dims[dim])) +
        "x";
  return name + type.element + ">";
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

std::string GraphPrinter::printEmpty(const GraphType &type) {
  std::string name = newName();
  SmallVector<std::string> sizes;
  for (unsigned dim : type.dims)
    if (graph.dims[dim] == kDynamic)
      sizes.push_back("%d" + std::to_string(dim));
  os << "  " << name << " = tensor.empty(" << llvm::join(sizes, ", ")
     << ") : " << getType(type) << "\n";
  return name;
}

std::string GraphPrinter::printFill(const GraphType &type, int64_t value) {
  std::string constant = printScalarConstant(type.element, value);
  std::string empty = printEmpty(type), name = newName();
  os << "  " << name << " = linalg.fill ins(" << constant << " : "
     << type.element << ") outs(" << empty << " : " << getType(type) << ") -> "
     << getType(type) << "\n";
  return name;
}

/// The right-hand side of an operation of kBinary.
static std::string getBinary(unsigned operation, bool isFloat) {
  static const char *const floats[] = {
      "arith.addf",     "arith.subf", "arith.mulf", "arith.maximumf",
      "arith.minimumf", "",           "",           ""};
  static const char *const integers[] = {
      "arith.addi",  "arith.subi", "arith.muli", "arith.maxsi",
      "arith.minsi", "arith.andi", "arith.ori",  "arith.xori"};
  return (isFloat ? floats : integers)[operation];
}

std::string GraphPrinter::printBinary(StringRef indent, unsigned operation,
                                      StringRef lhs, StringRef rhs,
                                      StringRef element, StringRef type) {
  std::string name = newName();
  os << indent << name << " = " << getBinary(operation, isFloat(element)) << " "
     << lhs << ", " << rhs << " : " << type << "\n";
  return name;
}

/// The operation on scalars, or on tensors of the type `suffix` where that has
/// one; returns the name of the result.
std::string GraphPrinter::printBody(StringRef indent, const GraphNode &node,
                                    ArrayRef<std::string> operands,
                                    StringRef suffix) {
  std::string element = graph.getType(node.operands[0]).element;
  bool isReal = isFloat(element);
  std::string type = suffix.empty() ? element : suffix.str();
  auto constant = [&](int64_t value) {
    std::string name = newName();
    os << indent << name << " = arith.constant " << getConstant(element, value)
       << "\n";
    return name;
  };
  auto emit = [&](const Twine &operation) {
    std::string name = newName();
    os << indent << name << " = " << operation << "\n";
    return name;
  };
  if (node.kind == Kind::Binary)
    return printBinary(indent, node.operation, operands[0], operands[1],
                       element, type);
  if (node.kind == Kind::Select) {
    std::string isLess =
        emit((isReal ? "arith.cmpf olt, " : "arith.cmpi slt, ") + operands[0] +
             ", " + operands[1] + " : " + type);
    std::string flags =
        suffix.empty()
            ? ""
            : StringRef(type).drop_back(1 + element.size()).str() + "i1>, ";
    return emit("arith.select " + isLess + ", " + operands[2] + ", " +
                operands[0] + " : " + flags + type);
  }
  if (node.kind == Kind::Cast) {
    const std::string &to = node.results[0].element;
    std::string target =
        suffix.empty()
            ? to
            : StringRef(type).drop_back(1 + element.size()).str() + to + ">";
    bool isWider = getBitWidth(to) > getBitWidth(element);
    StringRef name = isReal && isFloat(to) ? isWider ? "extf" : "truncf"
                     : isReal              ? "fptosi"
                     : isFloat(to)         ? "sitofp"
                     : isWider             ? "extsi"
                                           : "trunci";
    // Between f16 and bf16 there is no conversion.
    std::string value = operands[0];
    if (isReal && isFloat(to) && getBitWidth(to) == getBitWidth(element)) {
      std::string wide =
          suffix.empty()
              ? "f32"
              : StringRef(type).drop_back(1 + element.size()).str() + "f32>";
      value = emit("arith.extf " + value + " : " + type + " to " + wide);
      return emit("arith.truncf " + value + " : " + wide + " to " + target);
    }
    return emit("arith." + name + " " + value + " : " + type + " to " + target);
  }
  switch (static_cast<GraphUnary>(node.operation)) {
  case GraphUnary::Negate:
    if (isReal)
      return emit("arith.negf " + operands[0] + " : " + type);
    return printBinary(indent, unsigned(GraphBinary::Sub), constant(0),
                       operands[0], element, type);
  case GraphUnary::Absolute:
    return emit((isReal ? "math.absf " : "math.absi ") + operands[0] + " : " +
                type);
  case GraphUnary::AddConstant:
    return printBinary(indent, unsigned(GraphBinary::Add), operands[0],
                       constant(node.constant), element, type);
  case GraphUnary::XorConstant:
    return printBinary(indent, unsigned(GraphBinary::Xor), operands[0],
                       constant(node.constant), element, type);
  case GraphUnary::Clamp: {
    std::string low =
        printBinary(indent, unsigned(GraphBinary::Max), operands[0],
                    constant(-node.constant), element, type);
    return printBinary(indent, unsigned(GraphBinary::Min), low,
                       constant(node.constant), element, type);
  }
  }
  return "";
}

void GraphPrinter::printElementwise(unsigned index, const GraphNode &node) {
  const GraphType &result = node.results[0];
  bool isSame = llvm::all_of(node.operands, [&](GraphValue operand) {
    return graph.getType(operand).dims == result.dims;
  });
  // Constants of dynamic shapes do not exist; upstream makes one of x - x and
  // of x xor x.
  bool hasConstant = (node.kind == Kind::Unary &&
                      (node.operation > unsigned(GraphUnary::Absolute) ||
                       (node.operation == unsigned(GraphUnary::Negate) &&
                        !isFloat(graph.getType(node.operands[0]).element)))) ||
                     (node.kind == Kind::Binary &&
                      (node.operation == unsigned(GraphBinary::Sub) ||
                       node.operation == unsigned(GraphBinary::Xor)));
  SmallVector<std::string> operands, types, maps;
  for (GraphValue operand : node.operands) {
    operands.push_back(getName(operand));
    types.push_back(getType(operand));
  }
  std::string name = "%v" + std::to_string(index);
  if (isSame && !hasConstant && !node.asGeneric) {
    std::string value = printBody("  ", node, operands, types[0]);
    // Everything else refers to it by the number of the node.
    size_t at = text.rfind("  " + value + " = ");
    text.replace(at, value.size() + 2, "  " + name);
    return;
  }
  auto getMap = [&](const GraphType &type) {
    SmallVector<std::string> loops, dims;
    for (size_t i = 0; i < result.dims.size(); ++i)
      loops.push_back("d" + std::to_string(i));
    for (unsigned dim : type.dims)
      dims.push_back(loops[llvm::find(result.dims, dim) - result.dims.begin()]);
    return "affine_map<(" + llvm::join(loops, ", ") + ") -> (" +
           llvm::join(dims, ", ") + ")>";
  };
  SmallVector<std::string> arguments, names;
  for (auto [i, operand] : llvm::enumerate(node.operands)) {
    maps.push_back(getMap(graph.getType(operand)));
    names.push_back("%b" + std::to_string(i));
    arguments.push_back(names.back() + ": " + graph.getType(operand).element);
  }
  maps.push_back(getMap(result));
  SmallVector<std::string> parallel(result.dims.size(), "\"parallel\"");
  std::string empty = printEmpty(result);
  os << "  " << name << " = linalg.generic {indexing_maps = ["
     << llvm::join(maps, ", ") << "], iterator_types = ["
     << llvm::join(parallel, ", ") << "]} ins(" << llvm::join(operands, ", ")
     << " : " << llvm::join(types, ", ") << ") outs(" << empty << " : "
     << getType(result) << ") {\n  ^bb0(" << llvm::join(arguments, ", ")
     << ", %o: " << result.element << "):\n";
  std::string value = printBody("    ", node, names, "");
  os << "    linalg.yield " << value << " : " << result.element << "\n  } -> "
     << getType(result) << "\n";
}

void GraphPrinter::printReduce(const GraphNode &node,
                               const std::string &result) {
  const GraphType &type = node.results[0];
  std::string fill = printFill(type, node.constant);
  os << "  " << result << " = linalg.reduce { "
     << getBinary(node.operation, isFloat(type.element)) << " } ins("
     << getName(node.operands[0]) << " : " << getType(node.operands[0])
     << ") outs(" << fill << " : " << getType(type) << ") dimensions = ["
     << node.dim << "]\n";
}

void GraphPrinter::printScan(unsigned index, const GraphNode &node) {
  bool isPair = node.kind != Kind::Associative;
  const std::string &element = node.results[0].element;
  std::string init, initType;
  if (node.scalarInit) {
    init = printScalarConstant(element, 1);
    initType = element;
  } else if (node.tensorInit) {
    init = getName(node.operands.back());
    initType = getType(node.operands.back());
  }
  SmallVector<std::string> names, inputs, types, results;
  for (unsigned r = 0; r < node.results.size(); ++r) {
    names.push_back(getName({index, r}));
    results.push_back(getType(node.results[r]));
  }
  for (GraphValue operand :
       ArrayRef(node.operands).take_front(isPair ? 2 : 1)) {
    inputs.push_back(getName(operand));
    types.push_back(getType(operand));
  }
  os << "  " << llvm::join(names, ", ") << " = scan."
     << (node.kind == Kind::Recurrence ? "linear_recurrence" : "associative")
     << " ins(" << llvm::join(inputs, ", ") << " : " << llvm::join(types, ", ")
     << ")";
  if (!init.empty())
    os << " init(" << init << " : " << initType << ")";
  os << " dim = " << node.dim << (node.reverse ? " reverse" : "")
     << (node.exclusive ? " exclusive" : "");
  if (!node.schedule.empty())
    os << " attributes {schedule = #scan.schedule<" << node.schedule << ">}";
  if (node.kind == Kind::Associative) {
    os << " {\n  ^bb0(%l: " << element << ", %r: " << element << "):\n";
    std::string value =
        printBinary("    ", node.operation, "%l", "%r", element, element);
    os << "    scan.yield " << value << " : " << element << "\n  }";
  } else if (node.kind == Kind::Affine) {
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
  std::string name = "%v" + std::to_string(index);
  const GraphType &type = node.results[0];
  auto slice = [&](const GraphType &part) {
    SmallVector<std::string> offsets, sizes, strides(part.dims.size(), "1");
    for (auto [i, dim] : llvm::enumerate(part.dims)) {
      offsets.push_back(i == node.dim ? std::to_string(node.constant) : "0");
      sizes.push_back(graph.dims[dim] == kDynamic
                          ? "%d" + std::to_string(dim)
                          : std::to_string(graph.dims[dim]));
    }
    return "[" + llvm::join(offsets, ", ") + "] [" + llvm::join(sizes, ", ") +
           "] [" + llvm::join(strides, ", ") + "]";
  };
  switch (node.kind) {
  case Kind::Argument:
    return;
  case Kind::Fill: {
    std::string fill = printFill(type, node.constant);
    size_t at = text.rfind("  " + fill + " = ");
    text.replace(at, fill.size() + 2, "  " + name);
    return;
  }
  case Kind::Unary:
  case Kind::Binary:
  case Kind::Select:
  case Kind::Cast:
    return printElementwise(index, node);
  case Kind::Transpose: {
    SmallVector<std::string> permutation;
    ArrayRef<unsigned> from = graph.getType(node.operands[0]).dims;
    for (unsigned dim : type.dims)
      permutation.push_back(
          std::to_string(llvm::find(from, dim) - from.begin()));
    std::string empty = printEmpty(type);
    os << "  " << name << " = linalg.transpose ins("
       << getName(node.operands[0]) << " : " << getType(node.operands[0])
       << ") outs(" << empty << " : " << getType(type) << ") permutation = ["
       << llvm::join(permutation, ", ") << "]\n";
    return;
  }
  case Kind::Broadcast: {
    std::string empty = printEmpty(type);
    os << "  " << name << " = linalg.broadcast ins("
       << getName(node.operands[0]) << " : " << getType(node.operands[0])
       << ") outs(" << empty << " : " << getType(type) << ") dimensions = ["
       << node.dim << "]\n";
    return;
  }
  case Kind::Slice:
    os << "  " << name << " = tensor.extract_slice "
       << getName(node.operands[0]) << slice(type) << " : "
       << getType(node.operands[0]) << " to " << getType(type) << "\n";
    return;
  case Kind::Insert:
    os << "  " << name << " = tensor.insert_slice " << getName(node.operands[1])
       << " into " << getName(node.operands[0])
       << slice(graph.getType(node.operands[1])) << " : "
       << getType(node.operands[1]) << " into " << getType(type) << "\n";
    return;
  case Kind::Reduce:
    return printReduce(node, name);
  case Kind::Associative:
  case Kind::Affine:
  case Kind::Recurrence:
    return printScan(index, node);
  }
}

std::string GraphPrinter::print() {
  SmallVector<bool> live = findLiveNodes(graph);
  SmallVector<std::string> arguments, names, types;
  for (auto [i, node] : llvm::enumerate(graph.nodes))
    if (node.kind == Kind::Argument && (live[i] || i == 0))
      arguments.push_back("%v" + std::to_string(i) + ": " +
                          getType(node.results[0]));
  for (GraphValue value : graph.returned) {
    names.push_back(getName(value));
    types.push_back(getType(value));
  }
  os << "func.func @f(" << llvm::join(arguments, ", ") << ")\n    -> ("
     << llvm::join(types, ", ") << ") {\n";
  // The first argument has every dynamic dimension.
  for (auto [i, dim] : llvm::enumerate(graph.nodes[0].results[0].dims)) {
    if (graph.dims[dim] != kDynamic)
      continue;
    os << "  %c" << i << " = arith.constant " << i << " : index\n  %d" << dim
       << " = tensor.dim %v0, %c" << i << " : "
       << getType(graph.nodes[0].results[0]) << "\n";
  }
  for (unsigned i = 0; i < graph.nodes.size(); ++i)
    if (live[i])
      printNode(i);
  os << "  return " << llvm::join(names, ", ") << " : "
     << llvm::join(types, ", ") << "\n}\n";
  return text;
}

std::string fuzz::printGraph(const Graph &graph) {
  return GraphPrinter(graph).print();
}
