//===- PrintProgram.cpp - Scan programs as text ---------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MapPrinter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::scan;
using namespace mlir::scan::fuzz;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::Twine;

namespace {
class ProgramPrinter {
public:
  ProgramPrinter(const Program &program, Variant variant)
      : program(program), variant(variant), printer(program) {}
  std::string print();

private:
  using Names = SmallVector<std::string>;

  bool isBound() const {
    return variant == Variant::Moduli || variant == Variant::Growth;
  }
  bool isGrowth(unsigned scan) const {
    return variant == Variant::Growth && hasGrowth(program.scans[scan]);
  }
  PrintedValue getArgument(const Parameter &parameter) const;
  /// The shape of an argument; without the extents that `hidden` says.
  SmallVector<int64_t> getShape(const Parameter &parameter,
                                Hidden hidden) const;
  PrintedValue show(PrintedValue value, SmallVector<int64_t> shape,
                    Hidden hidden);
  PrintedValue printSource(unsigned scan, unsigned leaf, const Leaf &type);
  PrintedValue printInit(unsigned scan, unsigned leaf, const Leaf &type);
  /// The segments of a scan over `leaf`; with its type, as the operand is
  /// written.
  std::string printSegments(unsigned scan, const PrintedValue &leaf);
  void printScan(unsigned index);
  void printSink(unsigned scan, unsigned result, PrintedValue value,
                 bool isExact);
  std::string getAttributes(const Scan &scan) const;

  const Program &program;
  Variant variant;
  MapPrinter printer;
  std::vector<Parameter> parameters;
  /// Results of the first scan.
  SmallVector<PrintedValue> scanned;
  SmallVector<PrintedValue> returned;
};
} // namespace

SmallVector<int64_t> ProgramPrinter::getShape(const Parameter &parameter,
                                              Hidden hidden) const {
  SmallVector<int64_t> shape = parameter.getShape(program.extents);
  for (unsigned i = 0; i < shape.size(); ++i)
    if (isHidden(hidden,
                 i < parameter.dims.size() ? parameter.dims[i] : kTrailingBit))
      shape[i] = kDynamic;
  return shape;
}

PrintedValue ProgramPrinter::getArgument(const Parameter &parameter) const {
  PrintedValue value{
      "%" + parameter.name, parameter.type, {}, parameter.isScalar, {}};
  value.shape = getShape(parameter, parameter.hidden);
  value.dims.assign(parameter.dims.begin(), parameter.dims.end());
  return value;
}

/// `value`, whose shape is known to be `shape`, in a type that does not show
/// the extents of `hidden`.
PrintedValue ProgramPrinter::show(PrintedValue value,
                                  SmallVector<int64_t> shape, Hidden hidden) {
  for (auto [extent, dim] : llvm::zip(shape, value.dims))
    if (isHidden(hidden, dim))
      extent = kDynamic;
  return printer.printCast(value, shape);
}

static const Parameter *find(ArrayRef<Parameter> parameters, StringRef name) {
  const auto *it = llvm::find_if(parameters, [&](const Parameter &parameter) {
    return parameter.name == name;
  });
  return it == parameters.end() ? nullptr : &*it;
}

PrintedValue ProgramPrinter::printSource(unsigned scan, unsigned leaf,
                                         const Leaf &type) {
  const Source &source = program.scans[scan].sources[leaf];
  std::string name = ("x" + Twine(scan) + "_" + Twine(leaf)).str();
  const Parameter *parameter = find(parameters, name);
  PrintedValue value =
      source.chained ? scanned[*source.chained] : getArgument(*parameter);
  SmallVector<int64_t> shape(program.extents);
  if (!source.chained)
    shape = getShape(*parameter, /*hidden=*/0);
  // Where an extent of 1 is a broadcast it has to be seen.
  Hidden hidden = source.hiddenLeaf;
  for (unsigned dim : parameter ? parameter->unitDims : SmallVector<unsigned>())
    hidden &= ~(1u << dim);
  value = show(value, shape, hidden);
  auto print = [&](bool isModuli) {
    PrintedValue mapped =
        printer.printChain(value, source.chain, type.type,
                           /*convertsFirst=*/true, isModuli, hidden);
    return source.shift == 0
               ? mapped
               : printer.printShift(mapped, source.shiftDim, source.shift);
  };
  PrintedValue mapped = print(/*isModuli=*/false);
  if (!isBound() || type.roundings == 0)
    return mapped;
  mapped = printer.printModulus(mapped);
  if (isGrowth(scan))
    return printer.printGrowth(mapped);
  // Terms that differ from backend to backend may cancel.
  if (getRoundings(source.chain) > 0)
    mapped = printer.printSum(mapped, print(/*isModuli=*/true));
  return mapped;
}

PrintedValue ProgramPrinter::printInit(unsigned scan, unsigned leaf,
                                       const Leaf &type) {
  std::string name = ("i" + Twine(scan) + "_" + Twine(leaf)).str();
  const Parameter *parameter = find(parameters, name);
  PrintedValue value = getArgument(*parameter);
  if (!parameter->isScalar)
    value = show(value, getShape(*parameter, /*hidden=*/0),
                 program.scans[scan].sources[leaf].hiddenInit);
  if (isBound() && type.roundings > 0)
    value = printer.printModulus(value);
  return isGrowth(scan) ? printer.printGrowth(value) : value;
}

std::string ProgramPrinter::printSegments(unsigned index,
                                          const PrintedValue &leaf) {
  const Scan &scan = program.scans[index];
  if (scan.hasFlags()) {
    const Parameter *parameter =
        find(parameters, ("s" + Twine(index) + "_0").str());
    PrintedValue value = getArgument(*parameter);
    Hidden hidden = scan.hiddenSegments;
    for (unsigned dim : parameter->unitDims)
      hidden &= ~(1u << dim);
    value = show(value, getShape(*parameter, /*hidden=*/0), hidden);
    return " segments(" + value.name + " : " + value.getType() + ")";
  }
  if (!scan.hasOffsets())
    return "";
  std::string type =
      "tensor<" + std::to_string(scan.segmentCount + 1) + "xi32>";
  auto name = [&] { return printer.fresh(); };
  std::string dim = name(), steps = name(), empty = name(), result = name();
  printer.line(dim + " = arith.constant " + std::to_string(scan.dim) +
               " : index");
  printer.line(steps + " = tensor.dim " + leaf.name + ", " + dim + " : " +
               leaf.getType());
  printer.line(empty + " = tensor.empty() : " + type);
  std::string text =
      result +
      " = linalg.generic {indexing_maps = [affine_map<(s) -> (s)>], "
      "iterator_types = [\"parallel\"]} outs(" +
      empty + " : " + type + ") {\n  ^bb0(%offset: i32):\n";
  text += "    %s = linalg.index 0 : index\n";
  text += "    %length = arith.constant " + std::to_string(scan.segmentLength) +
          " : index\n";
  text += "    %count = arith.constant " + std::to_string(scan.segmentCount) +
          " : index\n";
  text += "    %far = arith.muli %s, %length : index\n";
  text += "    %near = arith.minsi %far, " + steps + " : index\n";
  text += "    %last = arith.cmpi eq, %s, %count : index\n";
  text += "    %end = arith.select %last, " + steps + ", %near : index\n";
  text += "    %cast = arith.index_cast %end : index to i32\n";
  text += "    linalg.yield %cast : i32\n  } -> " + type;
  printer.line(text);
  if (scan.hiddenSegments) {
    std::string dynamic = name();
    printer.line(dynamic + " = tensor.cast " + result + " : " + type +
                 " to tensor<?xi32>");
    return " segments(" + dynamic + " : tensor<?xi32>)";
  }
  return " segments(" + result + " : " + type + ")";
}

std::string ProgramPrinter::getAttributes(const Scan &scan) const {
  SmallVector<std::string> entries;
  if (!scan.order.empty())
    entries.push_back("order = #scan.order<" + scan.order + ">");
  if (scan.wideAccumulators) {
    SmallVector<std::string> types;
    for (const Leaf &leaf : getLeaves(scan))
      types.push_back(getWideAccumulator(leaf.type));
    entries.push_back(scan.isRecurrence
                          ? "accumulator = " + types[0]
                          : "accumulators = [" + llvm::join(types, ", ") + "]");
  }
  if (scan.compensated)
    entries.push_back("compensated");
  if (!scan.schedule.empty())
    entries.push_back("schedule = #scan.schedule<" + scan.schedule + ">");
  return entries.empty() ? ""
                         : " attributes {" + llvm::join(entries, ", ") + "}";
}

static std::string listNames(ArrayRef<PrintedValue> values) {
  return llvm::join(
      llvm::map_range(values, [](const PrintedValue &v) { return v.name; }),
      ", ");
}
static std::string listTypes(ArrayRef<PrintedValue> values) {
  return llvm::join(
      llvm::map_range(values,
                      [](const PrintedValue &v) { return v.getType(); }),
      ", ");
}

void ProgramPrinter::printScan(unsigned index) {
  const Scan &scan = program.scans[index];
  SmallVector<Leaf> leaves = getLeaves(scan);
  SmallVector<PrintedValue> inputs, inits, results;
  for (auto [i, leaf] : llvm::enumerate(leaves))
    inputs.push_back(printSource(index, i, leaf));
  if (index == 0 && program.returnsLeaf)
    returned.push_back(inputs[0]);
  unsigned first = getFirstResultLeaf(scan);
  if (scan.init)
    for (unsigned i = first; i < leaves.size(); ++i)
      inits.push_back(printInit(index, i, leaves[i]));

  for (unsigned i = first; i < leaves.size(); ++i) {
    PrintedValue value = inputs[i];
    value.name = printer.fresh();
    results.push_back(value);
  }
  if (scan.finals)
    for (unsigned i = first; i < leaves.size(); ++i) {
      PrintedValue value = inputs[i];
      value.name = printer.fresh();
      if (scan.hasOffsets()) {
        value.shape[scan.dim] =
            scan.hiddenSegments ? kDynamic : scan.segmentCount;
      } else {
        value.shape.erase(value.shape.begin() + scan.dim);
        value.dims.erase(value.dims.begin() + scan.dim);
      }
      results.push_back(value);
    }

  std::string segments = printSegments(index, inputs[first]);
  std::string text = listNames(results) + " = scan." +
                     (scan.isRecurrence ? "linear_recurrence" : "associative") +
                     " ins(" + listNames(inputs) + " : " + listTypes(inputs) +
                     ")";
  if (scan.init)
    text += " init(" + listNames(inits) + " : " + listTypes(inits) + ")";
  text += segments + " dim = " + std::to_string(scan.dim);
  if (scan.reverse)
    text += " reverse";
  if (scan.exclusive)
    text += " exclusive";
  text += getAttributes(scan);
  if (!scan.isRecurrence) {
    SmallVector<std::string> block;
    for (char side : {'a', 'b'})
      for (auto [i, leaf] : llvm::enumerate(leaves))
        block.push_back(std::string("%") + side + std::to_string(i) + ": " +
                        leaf.blockType());
    text += " {\n  ^bb0(" + llvm::join(block, ", ") + "):\n" +
            printCombineRegion(scan.factors,
                               variant == Variant::Growth ? Variant::Moduli
                                                          : variant,
                               "    ") +
            "  }";
  }
  printer.line(text + " -> " + listTypes(results));

  if (index == 0)
    scanned.append(results.begin(), results.begin() + getNumResults(scan));
  for (unsigned i = 0; i < results.size(); ++i) {
    if (i >= getNumResults(scan)) {
      returned.push_back(results[i]);
      continue;
    }
    if (scan.sinks[i].isReturned)
      printSink(index, i, results[i], leaves[first + i].roundings == 0);
  }
}

void ProgramPrinter::printSink(unsigned scan, unsigned result,
                               PrintedValue value, bool isExact) {
  const Sink &sink = program.scans[scan].sinks[result];
  bool isModuli = isBound() && !isExact;
  auto getShape = [&](const PrintedValue &value) {
    SmallVector<int64_t> shape(value.shape);
    for (auto [extent, dim] : llvm::zip(shape, value.dims))
      extent = program.extents[dim];
    return shape;
  };
  value = show(value, getShape(value), sink.hiddenResult);
  value = printer.printChain(value, sink.chain,
                             sink.type.empty() ? value.element : sink.type,
                             /*convertsFirst=*/false, isModuli, /*hidden=*/0);
  if (!sink.permutation.empty())
    value = printer.printTranspose(value, sink.permutation);
  returned.push_back(show(value, getShape(value), sink.hiddenReturn));
}

std::string ProgramPrinter::print() {
  parameters = getParameters(program);
  std::string casts;
  SmallVector<std::string> signature;
  for (const Parameter &parameter : parameters) {
    PrintedValue value = getArgument(parameter), outer = value;
    if (program.hasDynamicArguments)
      outer.shape.assign(value.shape.size(), kDynamic);
    if (outer.getType() != value.getType()) {
      outer.name += "_dynamic";
      casts += "  " + value.name + " = tensor.cast " + outer.name + " : " +
               outer.getType() + " to " + value.getType() + "\n";
    }
    signature.push_back(outer.name + ": " + outer.getType());
  }
  printer.setArgument(getArgument(parameters[getMainParameter(program)]));
  for (unsigned i = 0; i < program.scans.size(); ++i)
    printScan(i);
  return "func.func @f(" + llvm::join(signature, ", ") + ")\n    -> (" +
         listTypes(returned) + ") {\n" + casts + printer.takePrologue() +
         printer.take() + "  return " + listNames(returned) + " : " +
         listTypes(returned) + "\n}\n";
}

std::string fuzz::printProgram(const Program &program, Variant variant) {
  return ProgramPrinter(program, variant).print();
}
