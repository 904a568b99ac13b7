//===- PrintCell.cpp - Random recurrences as programs ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CellLayout.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

namespace {

class CellPrinter {
public:
  explicit CellPrinter(const Cell &cell)
      : cell(cell), layout(cell), isFloat(cell.element[0] != 'i') {}
  std::string print();

private:
  /// The type of a tensor of `shape`, whose extents are dynamic but for that of
  /// dimension `fixed`; a scalar without dimensions.
  std::string getType(ArrayRef<int64_t> shape, StringRef element,
                      int64_t fixed = -1) const;
  std::string getRow(unsigned shape) const {
    return getType(cell.shapes[shape], cell.element);
  }
  std::string getRows(unsigned shape, int64_t extent, int64_t fixed) const;
  std::string getTime(unsigned shape, bool withInit, int64_t window) const;
  void nameRows();
  void collectOperands();
  void collectResults();

  std::string emit(const Twine &text) {
    std::string name = ("%v" + Twine(numValues++)).str();
    body += ("    " + name + " = " + text + "\n").str();
    return name;
  }
  std::string splat(StringRef scalar, unsigned shape);
  /// An operation of arith on two rows.
  std::string combine(StringRef name, StringRef a, StringRef b, unsigned shape,
                      bool asGeneric);
  std::string clamp(std::string value, unsigned shape);
  std::string select(StringRef a, StringRef b, unsigned shape);
  std::string time(unsigned shape);
  std::string total(StringRef a, unsigned shape);
  std::string lane(StringRef a, unsigned shape, int64_t number);
  std::string printOperation(const CellOperation &operation);

  const Cell &cell;
  CellLayout layout;
  bool isFloat;
  std::string body;
  unsigned numValues = 0;
  /// The attributes of the operation on rows that is printed.
  std::string stage;
  /// Of each value the name in the body; empty where it is not printed.
  std::vector<std::string> names;
  struct Operand {
    std::string name, type;
  };
  std::vector<Operand> inits, inputs, captures, arguments;
  std::vector<std::string> results, returned, returnedTypes, yields, yieldTypes,
      extents;
};

} // namespace

static std::string joinTypes(ArrayRef<std::string> types) {
  return llvm::join(types, ", ");
}

std::string CellPrinter::getType(ArrayRef<int64_t> shape, StringRef element,
                                 int64_t fixed) const {
  if (shape.empty())
    return element.str();
  std::string type = "tensor<";
  for (auto [d, extent] : llvm::enumerate(shape))
    type += (cell.isDynamic && static_cast<int64_t>(d) != fixed
                 ? std::string("?")
                 : std::to_string(extent)) +
            "x";
  return type + element.str() + ">";
}

std::string CellPrinter::getRows(unsigned shape, int64_t extent,
                                 int64_t fixed) const {
  SmallVector<int64_t> all(cell.shapes[shape]);
  all.insert(all.begin() + cell.dim, extent);
  return getType(all, cell.element, fixed);
}

/// The type of a result with one row per step.
std::string CellPrinter::getTime(unsigned shape, bool withInit,
                                 int64_t window) const {
  std::string type = "tensor<";
  SmallVector<int64_t> all(cell.shapes[shape]);
  all.insert(all.begin() + cell.dim, cell.steps + (withInit ? window : 0));
  for (auto [d, extent] : llvm::enumerate(all))
    type += (cell.isDynamic || (cell.extra && d == cell.dim)
                 ? std::string("?")
                 : std::to_string(extent)) +
            "x";
  return type + cell.element + ">";
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

std::string CellPrinter::splat(StringRef scalar, unsigned shape) {
  if (cell.shapes[shape].empty())
    return scalar.str();
  std::vector<std::string> sizes;
  if (cell.isDynamic)
    for (unsigned d = 0; d < cell.shapes[shape].size(); ++d) {
      std::string c = emit("arith.constant " + Twine(d) + " : index");
      sizes.push_back(emit("tensor.dim %w" + Twine(shape) + ", " + c + " : " +
                           getRow(shape)));
    }
  std::string list = sizes.empty() ? "" : "[" + llvm::join(sizes, ", ") + "]";
  return emit("tensor.splat " + scalar + list + " : " + getRow(shape));
}

std::string CellPrinter::combine(StringRef name, StringRef a, StringRef b,
                                 unsigned shape, bool asGeneric) {
  unsigned rank = cell.shapes[shape].size();
  std::string row = getRow(shape);
  if (!asGeneric || rank == 0)
    return emit("arith." + name + " " + a + ", " + b + (rank ? stage : "") +
                " : " + row);
  std::string dims, kinds;
  for (unsigned d = 0; d < rank; ++d) {
    dims += (d ? ", d" : "d") + std::to_string(d);
    kinds += d ? ", \"parallel\"" : "\"parallel\"";
  }
  std::string map = "affine_map<(" + dims + ") -> (" + dims + ")>";
  return emit("linalg.generic {indexing_maps = [" + map + ", " + map + ", " +
              map + "], iterator_types = [" + kinds + "]} ins(" + a + ", " + b +
              " : " + row + ", " + row + ") outs(" + a + " : " + row + ")" +
              (stage.empty() ? "" : " attrs =" + stage) + " {\n    ^bb0(%e: " +
              cell.element + ", %f: " + cell.element + ", %o: " + cell.element +
              "):\n      %r = arith." + name + " %e, %f : " + cell.element +
              "\n      linalg.yield %r : " + cell.element + "\n    } -> " +
              row);
}

std::string CellPrinter::clamp(std::string value, unsigned shape) {
  if (!isFloat)
    return value;
  std::string high = splat("%high", shape), low = splat("%low", shape);
  value = combine("minimumf", value, high, shape, false);
  return combine("maximumf", value, low, shape, false);
}

std::string CellPrinter::select(StringRef a, StringRef b, unsigned shape) {
  std::string row = getRow(shape);
  std::string less = emit((isFloat ? "arith.cmpf olt, " : "arith.cmpi slt, ") +
                          a + ", " + b + " : " + row);
  std::string flags = getType(cell.shapes[shape], "i1");
  return emit("arith.select " + less + ", " + b + ", " + a + " : " +
              (flags == "i1" ? "" : flags + ", ") + row);
}

std::string CellPrinter::time(unsigned shape) {
  std::string five = emit("arith.constant 5 : index");
  std::string rest = emit("arith.remui %t, " + Twine(five) + " : index");
  if (!isFloat)
    return splat(
        emit("arith.index_cast " + Twine(rest) + " : index to " + cell.element),
        shape);
  std::string number =
      emit("arith.index_cast " + Twine(rest) + " : index to i32");
  return splat(
      emit("arith.sitofp " + Twine(number) + " : i32 to " + cell.element),
      shape);
}

std::string CellPrinter::total(StringRef a, unsigned shape) {
  unsigned rank = cell.shapes[shape].size();
  if (rank == 0)
    return a.str();
  std::string scalar = "tensor<" + cell.element + ">", dims;
  for (unsigned d = 0; d < rank; ++d)
    dims += (d ? ", " : "") + std::to_string(d);
  std::string zero = emit("arith.constant dense<0> : " + Twine(scalar));
  std::string sum =
      emit("linalg.reduce { arith.addi } ins(" + a + " : " + getRow(shape) +
           ") outs(" + zero + " : " + scalar + ") dimensions = [" + dims + "]");
  return emit("tensor.extract " + Twine(sum) + "[] : " + scalar);
}

std::string CellPrinter::lane(StringRef a, unsigned shape, int64_t number) {
  if (cell.shapes[shape].empty())
    return a.str();
  std::vector<std::string> indices;
  for (int64_t extent : llvm::reverse(cell.shapes[shape])) {
    indices.insert(indices.begin(), emit("arith.constant " +
                                         Twine(number % extent) + " : index"));
    number /= extent;
  }
  return emit("tensor.extract " + a + "[" + llvm::join(indices, ", ") +
              "] : " + getRow(shape));
}

std::string CellPrinter::printOperation(const CellOperation &operation) {
  const std::string &a = names[operation.a], &b = names[operation.b];
  unsigned from = cell.getShape(operation.a), to = cell.getShape(operation.b);
  bool asGeneric = operation.asGeneric;
  StringRef add = isFloat ? "addf" : "addi";
  std::string parts;
  if (operation.split)
    parts = "split = [" + std::to_string(operation.split) + "]";
  if (operation.vector != 1)
    parts += (parts.empty() ? "vector = " : ", vector = ") +
             std::to_string(operation.vector);
  stage = parts.empty() ? "" : " {scan.stage = #scan.stage<" + parts + ">}";
  switch (operation.kind) {
  case CellOperation::Add:
    return clamp(combine(add, a, b, to, asGeneric), to);
  case CellOperation::Sub:
    return clamp(combine(isFloat ? "subf" : "subi", a, b, to, asGeneric), to);
  case CellOperation::Mul:
    return clamp(combine(isFloat ? "mulf" : "muli", a, b, to, asGeneric), to);
  case CellOperation::Min:
    return combine(isFloat ? "minimumf" : "minsi", a, b, to, asGeneric);
  case CellOperation::Max:
    return combine(isFloat ? "maximumf" : "maxsi", a, b, to, asGeneric);
  case CellOperation::Select:
    return select(a, b, to);
  case CellOperation::Time:
    return clamp(combine(add, a, time(to), to, asGeneric), to);
  case CellOperation::Lane:
    return clamp(combine(add, splat(lane(a, from, operation.lane), to), b, to,
                         asGeneric),
                 to);
  case CellOperation::Total:
    return combine(add, splat(total(a, from), to), b, to, asGeneric);
  case CellOperation::Product: {
    std::string matrix =
        getType({cell.shapes[to][0], cell.shapes[from][0]}, cell.element);
    return emit("linalg.matvec" + Twine(stage) + " ins(%m" + Twine(to) +
                Twine(from) + ", " + a + " : " + matrix + ", " + getRow(from) +
                ") outs(" + b + " : " + getRow(to) + ") -> " + getRow(to));
  }
  }
  return "";
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

void CellPrinter::nameRows() {
  for (auto [i, state] : llvm::enumerate(cell.states))
    for (int64_t back = 1; back <= state.window; ++back)
      names.push_back(("%h" + Twine(i) + "_" + Twine(back)).str());
  for (unsigned i = 0; i < cell.inputs.size(); ++i)
    names.push_back("%row" + std::to_string(i));
  names.push_back("%w0");
  names.push_back("%w1");
}

void CellPrinter::collectOperands() {
  arguments.push_back({"%t", "index"});
  for (auto [i, state] : llvm::enumerate(cell.states)) {
    if (!layout.states[i])
      continue;
    inits.push_back({"%init" + std::to_string(i),
                     getRows(state.shape, state.window, cell.dim)});
    for (int64_t back = 1; back <= state.window; ++back)
      arguments.push_back(
          {("%h" + Twine(i) + "_" + Twine(back)).str(), getRow(state.shape)});
  }
  for (auto [i, shape] : llvm::enumerate(cell.inputs)) {
    if (!layout.inputs[i])
      continue;
    inputs.push_back({"%x" + std::to_string(i),
                      getRows(shape, cell.steps + cell.extra.value_or(0), -1)});
    arguments.push_back({"%row" + std::to_string(i), getRow(shape)});
  }
  for (unsigned shape : {0u, 1u})
    captures.push_back({"%w" + std::to_string(shape), getRow(shape)});
  for (auto [to, from] : layout.products)
    captures.push_back(
        {("%m" + Twine(to) + Twine(from)).str(),
         getType({cell.shapes[to][0], cell.shapes[from][0]}, cell.element)});
  // The body has names of its own.
  llvm::append_range(arguments, captures);
  for (Operand &capture : captures)
    capture.name.insert(1, "outer_");
}

void CellPrinter::collectResults() {
  auto give = [&](std::string type, bool isReturned) {
    if (isReturned) {
      returned.push_back("%r#" + std::to_string(results.size()));
      returnedTypes.push_back(type);
    }
    results.push_back(std::move(type));
  };
  auto yield = [&](unsigned value, unsigned shape) {
    yields.push_back(names[value]);
    yieldTypes.push_back(getRow(shape));
  };
  for (auto [i, state] : llvm::enumerate(cell.states)) {
    if (!layout.states[i])
      continue;
    give(getTime(state.shape, cell.initRows, state.window),
         state.returnsHistory);
    yield(state.next, state.shape);
  }
  for (unsigned output : cell.outputs) {
    unsigned shape = cell.getShape(output);
    give(getTime(shape, false, 0), true);
    yield(output, shape);
    if (cell.isDynamic)
      for (unsigned d = 0; d < cell.shapes[shape].size(); ++d)
        extents.push_back(("%e" + Twine(shape) + Twine(d)).str());
  }
  if (llvm::none_of(cell.states,
                    [](const CellState &state) { return state.returnsLast; }))
    return;
  for (auto [i, state] : llvm::enumerate(cell.states))
    if (layout.states[i])
      give(getRows(state.shape,
                   state.window *
                       (cell.offsets ? int64_t(cell.offsets->size()) - 1 : 1),
                   cell.dim),
           state.returnsLast);
}

std::string CellPrinter::print() {
  nameRows();
  collectOperands();
  for (auto [i, operation] : llvm::enumerate(cell.operations))
    names.push_back(layout.operations[i] ? printOperation(operation) : "");
  collectResults();

  auto list = [](ArrayRef<Operand> operands) {
    std::vector<std::string> names, types;
    for (const Operand &operand : operands) {
      names.push_back(operand.name);
      types.push_back(operand.type);
    }
    return "(" + joinTypes(names) + " : " + joinTypes(types) + ")";
  };
  auto declare = [](ArrayRef<Operand> operands) {
    std::vector<std::string> texts;
    for (const Operand &operand : operands)
      texts.push_back(operand.name + ": " + operand.type);
    return joinTypes(texts);
  };
  std::vector<Operand> all(inits);
  llvm::append_range(all, inputs);
  llvm::append_range(all, captures);
  if (cell.extra)
    all.push_back({"%steps", "index"});
  std::string offsetsType;
  if (cell.offsets) {
    offsetsType = "tensor<" + std::to_string(cell.offsets->size()) + "xi32>";
    all.push_back({"%offsets", offsetsType});
  }
  std::string text = "func.func @f(" + declare(all) + ") -> (" +
                     joinTypes(returnedTypes) + ") {\n";
  for (unsigned shape : {0u, 1u})
    for (unsigned d = 0; !extents.empty() && d < cell.shapes[shape].size();
         ++d) {
      std::string name = (Twine(shape) + Twine(d)).str();
      text += "  %c" + name + " = arith.constant " + std::to_string(d) +
              " : index\n  %e" + name + " = tensor.dim %outer_w" +
              std::to_string(shape) + ", %c" + name + " : " + getRow(shape) +
              "\n";
    }
  text += "  %r:" + std::to_string(results.size()) + " = scan.recurrence ";
  if (!inputs.empty())
    text += "ins" + list(inputs) + " ";
  text += "init" + list(inits) + " captures" + list(captures);
  if (cell.extra)
    text += " steps(%steps : index)";
  if (!extents.empty())
    text += " extents(" + joinTypes(extents) + " : " +
            joinTypes(std::vector<std::string>(extents.size(), "index")) + ")";
  if (cell.offsets)
    text += " segments(%offsets : " + offsetsType + ")";
  text += " dim = " + std::to_string(cell.dim);
  text += std::string(cell.reverse ? " reverse" : "") +
          (cell.initRows ? " init_rows" : "");
  // Scans of integers have the same bits.
  std::vector<std::string> attributes;
  if (cell.isSolved)
    attributes.push_back("scan.schedule = #scan.newton<iterations = 3, "
                         "tolerance = 1.0e-300, chunk = 2>");
  else if (isFloat)
    attributes.push_back("order = #scan.order<sequential>");
  if (cell.isLaunched)
    attributes.push_back("scan.schedule = #scan.step_launches");
  if (cell.unroll)
    attributes.push_back("scan.loops = #scan.loops<unroll = " +
                         std::to_string(cell.unroll) + ">");
  if (!attributes.empty())
    text += " attributes {" + llvm::join(attributes, ", ") + "}";
  text += " {\n  ^bb0(" + declare(arguments) + "):\n";
  if (isFloat)
    text += "    %high = arith.constant 4.0 : " + cell.element +
            "\n    %low = arith.constant -4.0 : " + cell.element + "\n";
  text += body + "    scan.yield " + joinTypes(yields) + " : " +
          joinTypes(yieldTypes) + "\n  } -> " + joinTypes(results) +
          "\n  return " + joinTypes(returned) + " : " +
          joinTypes(returnedTypes) + "\n}\n";
  return text;
}

std::string fuzz::printCell(const Cell &cell) {
  return CellPrinter(cell).print();
}
