//===- PrintGraphElementwise.cpp - Elementwise nodes as text --------------===//
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
using llvm::Twine;

/// The right-hand side of an operation of kBinary.
std::string GraphPrinter::getBinary(unsigned operation, bool isFloat) {
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
  if (node.kind == GraphNode::Binary &&
      node.operation == unsigned(GraphBinary::Decay)) {
    auto binary = [&](GraphBinary operation, StringRef lhs, StringRef rhs) {
      return printBinary(indent, unsigned(operation), lhs, rhs, element, type);
    };
    auto unary = [&](const char *operation, StringRef operand) {
      return emit(Twine(operation) + " " + operand + " : " + type);
    };
    std::string most = constant(1000), one = constant(1);
    std::string ofStep =
        binary(GraphBinary::Mul, unary("math.absf", operands[0]), most);
    std::string less =
        binary(GraphBinary::Sub, unary("math.absf", operands[1]), one);
    std::string rate = unary(
        "arith.negf", unary("math.exp", binary(GraphBinary::Mul, less, most)));
    return unary("math.exp", binary(GraphBinary::Mul, ofStep, rate));
  }
  if (node.kind == GraphNode::Binary)
    return printBinary(indent, node.operation, operands[0], operands[1],
                       element, type);
  if (node.kind == GraphNode::Select) {
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
  if (node.kind == GraphNode::Cast) {
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

/// Whether an elementwise node is printed as a linalg.generic.
bool GraphPrinter::isGeneric(const GraphNode &node) {
  if (node.kind != GraphNode::Unary && node.kind != GraphNode::Binary &&
      node.kind != GraphNode::Select && node.kind != GraphNode::Cast)
    return false;
  bool isSame = llvm::all_of(node.operands, [&](GraphValue operand) {
    return graph.getType(operand).dims == node.results[0].dims;
  });
  // Constants of dynamic shapes do not exist; upstream makes one of x - x and
  // of x xor x.
  bool hasConstant = (node.kind == GraphNode::Unary &&
                      (node.operation > unsigned(GraphUnary::Absolute) ||
                       (node.operation == unsigned(GraphUnary::Negate) &&
                        !isFloat(graph.getType(node.operands[0]).element)))) ||
                     (node.kind == GraphNode::Binary &&
                      (node.operation == unsigned(GraphBinary::Sub) ||
                       node.operation >= unsigned(GraphBinary::Xor)));
  return !isSame || hasConstant || node.asGeneric;
}

void GraphPrinter::printElementwise(unsigned index, const GraphNode &node) {
  const GraphTensor &result = node.results[0];
  SmallVector<std::string> operands, types, maps;
  for (unsigned i = 0; i < node.operands.size(); ++i) {
    Operand operand = printOperand(node, i);
    operands.push_back(operand.name);
    types.push_back(operand.type);
  }
  std::string name = "%v" + std::to_string(index);
  if (!isGeneric(node)) {
    std::string value = printBody("  ", node, operands, types[0]);
    // Everything else refers to it by the number of the node.
    size_t at = text.rfind("  " + value + " = ");
    text.replace(at, value.size() + 2, "  " + name);
    return;
  }
  auto getMap = [&](const GraphTensor &type) {
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
