//===- MapPrinter.cpp - Elementwise code as text --------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MapPrinter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::scan;
using namespace mlir::scan::fuzz;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::Twine;

std::string PrintedValue::getType() const {
  if (isScalar)
    return element;
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += (extent == kDynamic ? "?" : std::to_string(extent)) + "x";
  return text + element + ">";
}

std::string MapPrinter::define(const Twine &operation, const Twine &operands,
                               const PrintedValue &like) {
  std::string name = fresh();
  line(name + " = " + operation + " " + operands + " : " + like.getType());
  return name;
}

/// The name of a dynamic extent of the iteration shape.
std::string MapPrinter::getExtent(unsigned dim) {
  std::string name = "%d" + std::to_string(dim);
  if (!llvm::is_contained(knownExtents, dim)) {
    knownExtents.push_back(dim);
    std::string index = "%c" + std::to_string(dim);
    prologue += "  " + index + " = arith.constant " + std::to_string(dim) +
                " : index\n";
    prologue += "  " + name + " = tensor.dim " + argument.name + ", " + index +
                " : " + argument.getType() + "\n";
  }
  return name;
}

std::string MapPrinter::printEmpty(const PrintedValue &like) {
  SmallVector<std::string> extents;
  for (auto [i, dim] : llvm::enumerate(like.dims))
    if (like.shape[i] == kDynamic)
      extents.push_back(getExtent(dim));
  return define("tensor.empty", "(" + llvm::join(extents, ", ") + ")", like);
}

/// The dynamic extents of `value` itself. An init has one state per segment,
/// which is not an extent of the iteration shape.
std::string MapPrinter::printExtents(const PrintedValue &value) {
  SmallVector<std::string> extents;
  for (auto [i, extent] : llvm::enumerate(value.shape)) {
    if (extent != kDynamic)
      continue;
    std::string index = fresh();
    line(index + " = arith.constant " + Twine(i) + " : index");
    extents.push_back(define("tensor.dim", value.name + ", " + index, value));
  }
  return llvm::join(extents, ", ");
}

/// `number`, or a tensor of it.
std::string MapPrinter::getConstant(int64_t number, const PrintedValue &like,
                                    bool inEighths) {
  PrintedValue scalar = like;
  scalar.isScalar = true;
  std::string text;
  if (like.element == "i1")
    text = number & 1 ? "true" : "false";
  else if (isIntegerType(like.element))
    text = std::to_string(number);
  else
    text = llvm::formatv("{0:f3}", inEighths ? number / 8.0 : number * 1.0);
  std::string name = fresh();
  line(name + " = arith.constant " + text +
       (like.element == "i1" ? "" : " : " + like.element));
  if (like.isScalar)
    return name;
  SmallVector<std::string> extents;
  for (auto [i, dim] : llvm::enumerate(like.dims))
    if (like.shape[i] == kDynamic)
      extents.push_back(getExtent(dim));
  return define("tensor.splat",
                name + (extents.empty()
                            ? std::string()
                            : "[" + llvm::join(extents, ", ") + "]"),
                like);
}

//===----------------------------------------------------------------------===//
// Steps, on scalars and on tensors alike
//===----------------------------------------------------------------------===//

PrintedValue MapPrinter::cast(PrintedValue value, StringRef element) {
  if (value.element == element)
    return value;
  bool grows = getBitWidth(element) > getBitWidth(value.element);
  StringRef operation =
      isIntegerType(element)
          ? (grows ? (value.element == "i1" ? "arith.extui" : "arith.extsi")
                   : "arith.trunci")
          : (grows ? "arith.extf" : "arith.truncf");
  PrintedValue result = value;
  result.element = element.str();
  result.name = fresh();
  line(result.name + " = " + operation + " " + value.name + " : " +
       value.getType() + " to " + result.getType());
  return result;
}

PrintedValue MapPrinter::modulus(PrintedValue value) {
  if (isIntegerType(value.element))
    return value;
  PrintedValue result = value;
  if (!isComplexType(value.element)) {
    result.name = define("math.absf", value.name, value);
    return result;
  }
  PrintedValue part = value;
  part.element = StringRef(value.element).drop_front(8).drop_back().str();
  part.name = define("complex.abs", value.name, value);
  std::string zero = getConstant(0, part, false);
  result.name = define("complex.create", part.name + ", " + Twine(zero), value);
  return result;
}

PrintedValue MapPrinter::printShift(PrintedValue value, unsigned dim,
                                    int64_t by) {
  PrintedValue like = value;
  like.isScalar = true;
  std::string boundary;
  if (isComplexType(value.element)) {
    std::string part = StringRef(value.element).drop_front(8).drop_back().str();
    boundary = fresh();
    line(boundary + " = complex.constant [0.25 : " + part + ", 0.0 : " + part +
         "] : " + value.element);
  } else {
    boundary = isIntegerType(value.element) ? getConstant(1, like, false)
                                            : getConstant(2, like, true);
  }
  PrintedValue result = value;
  result.name = fresh();
  line(result.name + " = scan.shift " + value.name + " boundary(" + boundary +
       " : " + value.element + ") dim = " + Twine(dim) + " by = " + Twine(by) +
       " : " + value.getType());
  return result;
}

PrintedValue MapPrinter::step(PrintedValue value, const MapStep &step,
                              const PrintedValue &second, bool isModuli) {
  bool isInteger = isIntegerType(value.element);
  bool isComplex = isComplexType(value.element);
  PrintedValue result = value;
  auto binary = [&](StringRef integer, StringRef real, StringRef other) {
    std::string operation =
        isComplex ? ("complex." + real.drop_front(6).drop_back()).str()
                  : (isInteger ? integer : real).str();
    return define(operation, value.name + ", " + Twine(other), value);
  };
  auto constant = [&] {
    return getConstant(isModuli ? std::abs(step.constant) : step.constant,
                       value, /*inEighths=*/true);
  };
  auto whole = [&](int64_t number) {
    return getConstant(number, value, false);
  };
  switch (step.kind) {
  case Map::Negate:
    if (isModuli)
      return value;
    result.name = isInteger ? define("arith.subi",
                                     whole(0) + ", " + Twine(value.name), value)
                            : define(isComplex ? "complex.neg" : "arith.negf",
                                     value.name, value);
    return result;
  case Map::Absolute:
    if (isModuli)
      return value;
    result.name =
        define(isInteger ? "math.absi" : "math.absf", value.name, value);
    return result;
  case Map::AddConstant:
    result.name = binary("arith.addi", "arith.addf", constant());
    return result;
  case Map::MultiplyConstant:
    result.name = binary("arith.muli", "arith.mulf", constant());
    return result;
  case Map::XorConstant:
    result.name = binary("arith.xori", "", constant());
    return result;
  case Map::AndConstant:
    result.name = binary("arith.andi", "", constant());
    return result;
  case Map::MaximumConstant:
  case Map::MinimumConstant: {
    // It moves no two numbers apart.
    if (isModuli)
      return value;
    bool isMax = step.kind == Map::MaximumConstant;
    result.name =
        binary(isMax ? "arith.maxsi" : "arith.minsi",
               isMax ? "arith.maximumf" : "arith.minimumf", constant());
    return result;
  }
  case Map::AddArgument:
    result.name = binary("arith.addi", "arith.addf", second.name);
    return result;
  case Map::MultiplyArgument:
    result.name = binary("arith.muli", "arith.mulf", second.name);
    return result;
  case Map::Tanh:
    result.name = define("math.tanh", value.name, value);
    return result;
  case Map::ExpMinusAbs:
  case Map::Sigmoid: {
    std::string exponent = step.kind == Map::Sigmoid
                               ? value.name
                               : define("math.absf", value.name, value);
    std::string negative = define("arith.negf", exponent, value);
    result.name = define("math.exp", negative, value);
    if (step.kind == Map::ExpMinusAbs)
      return result;
    std::string one = whole(1);
    std::string sum =
        define("arith.addf", result.name + ", " + Twine(one), value);
    result.name = define("arith.divf", one + ", " + Twine(sum), value);
    return result;
  }
  }
  llvm_unreachable("all steps are handled");
}

//===----------------------------------------------------------------------===//
// linalg.generic
//===----------------------------------------------------------------------===//

static std::string getMap(unsigned rank, const PrintedValue &value,
                          unsigned iterationRank) {
  std::string domain, range;
  for (unsigned i = 0; i < rank; ++i)
    domain += (i ? ", d" : "d") + std::to_string(i);
  for (unsigned i = 0; i < value.shape.size(); ++i) {
    unsigned dim = i < value.dims.size()
                       ? value.dims[i]
                       : iterationRank + i - value.dims.size();
    range += (i ? ", d" : "d") + std::to_string(dim);
  }
  return "affine_map<(" + domain + ") -> (" + range + ")>";
}

template <typename Emit>
PrintedValue MapPrinter::generic(ArrayRef<PrintedValue> inputs,
                                 PrintedValue result, Emit emit) {
  std::string init = printEmpty(result);
  // The result has every dimension, in some order.
  unsigned rank = result.shape.size();
  unsigned iterationRank = result.dims.size();
  std::string maps, iterators, names, types, block;
  SmallVector<PrintedValue> scalars;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    maps += getMap(rank, input, iterationRank) + ", ";
    names += (i ? ", " : "") + input.name;
    types += (i ? ", " : "") + input.getType();
    PrintedValue scalar = input;
    scalar.name = fresh();
    scalar.isScalar = true;
    block += scalar.name + ": " + scalar.element + ", ";
    scalars.push_back(scalar);
  }
  maps += getMap(rank, result, iterationRank);
  for (unsigned i = 0; i < rank; ++i)
    iterators += i ? ", \"parallel\"" : "\"parallel\"";
  result.name = fresh();
  line(result.name + " = linalg.generic {");
  line("    indexing_maps = [" + maps + "],");
  line("    iterator_types = [" + iterators + "]}");
  line("    ins(" + names + " : " + types + ") outs(" + init + " : " +
       result.getType() + ") {");
  line("^bb0(" + block + "%out" + std::to_string(count) + ": " +
       result.element + "):");
  ++count;
  indent += "  ";
  PrintedValue yielded = emit(scalars);
  line("linalg.yield " + yielded.name + " : " + yielded.element);
  indent.resize(indent.size() - 2);
  line("} -> " + result.getType());
  return result;
}

PrintedValue MapPrinter::printChain(PrintedValue value, const MapChain &chain,
                                    StringRef element, bool convertsFirst,
                                    bool isModuli, Hidden hidden) {
  // Without all iteration dimensions, in order, it has to be a generic.
  SmallVector<unsigned> all =
      llvm::to_vector(llvm::seq<unsigned>(program.getRank()));
  bool isView = ArrayRef(value.dims) != ArrayRef(all);
  bool isPlain = chain.steps.empty() && value.element == element;
  if (isPlain && !isView)
    return value;
  auto readsArgument = [](const MapStep &step) {
    return step.kind == Map::AddArgument || step.kind == Map::MultiplyArgument;
  };
  auto run = [&](PrintedValue current, PrintedValue second) {
    if (isModuli && !second.name.empty())
      second = modulus(second);
    if (convertsFirst) {
      current = cast(current, element);
      if (isModuli)
        current = modulus(current);
    }
    for (const MapStep &next : chain.steps)
      current = step(current, next, second, isModuli);
    return cast(current, element);
  };
  bool needsArgument = llvm::any_of(chain.steps, readsArgument);
  if (!isView && !chain.asGeneric && !isComplexType(value.element)) {
    PrintedValue second =
        needsArgument ? printCast(argument, value.shape) : PrintedValue();
    return run(value, second);
  }
  PrintedValue result = value;
  result.element = element.str();
  if (isView) {
    ArrayRef<int64_t> trailing =
        ArrayRef(value.shape).drop_front(value.dims.size());
    result.shape.assign(program.extents.begin(), program.extents.end());
    for (unsigned dim : all)
      if (isHidden(hidden, dim))
        result.shape[dim] = kDynamic;
    result.shape.append(trailing.begin(), trailing.end());
    result.dims = all;
  }
  SmallVector<PrintedValue> inputs = {value};
  if (needsArgument)
    inputs.push_back(argument);
  return generic(inputs, result, [&](ArrayRef<PrintedValue> scalars) {
    return run(scalars[0], needsArgument ? scalars[1] : PrintedValue());
  });
}

/// Zero of zero, else the larger one of `value`, a modulus, and 1.
PrintedValue MapPrinter::printGrowth(PrintedValue value) {
  std::string extents = value.isScalar ? "" : printExtents(value);
  auto create = [&](int64_t number) {
    PrintedValue scalar = value;
    scalar.isScalar = true;
    std::string name = getConstant(number, scalar, /*inEighths=*/false);
    return value.isScalar
               ? name
               : define("tensor.splat",
                        name + (extents.empty() ? "" : "[" + extents + "]"),
                        value);
  };
  std::string zero = create(0), one = create(1);
  std::string larger =
      define("arith.maximumf", value.name + ", " + Twine(one), value);
  PrintedValue flags = value;
  flags.element = "i1";
  std::string isZero = fresh();
  line(isZero + " = arith.cmpf oeq, " + value.name + ", " + zero + " : " +
       value.getType());
  PrintedValue result = value;
  result.name = fresh();
  line(result.name + " = arith.select " + isZero + ", " + zero + ", " + larger +
       " : " + (value.isScalar ? "" : flags.getType() + ", ") +
       value.getType());
  return result;
}

PrintedValue MapPrinter::printSum(const PrintedValue &left,
                                  const PrintedValue &right) {
  PrintedValue result = left;
  result.name = define("arith.addf", left.name + ", " + right.name, left);
  return result;
}

PrintedValue MapPrinter::printModulus(PrintedValue value) {
  if (!isComplexType(value.element) || value.isScalar)
    return modulus(value);
  // Inits lack a dimension: a map of their own.
  PrintedValue view = value;
  for (unsigned i = 0; i < view.dims.size(); ++i)
    view.dims[i] = i;
  std::string extents = printExtents(value);
  std::string init = define("tensor.empty", "(" + extents + ")", value);
  std::string name = fresh();
  std::string map = getMap(view.shape.size(), view, view.dims.size());
  std::string iterators;
  for (unsigned i = 0; i < view.shape.size(); ++i)
    iterators += i ? ", \"parallel\"" : "\"parallel\"";
  line(name + " = linalg.generic {indexing_maps = [" + map + ", " + map +
       "], iterator_types = [" + iterators + "]} ins(" + value.name + " : " +
       value.getType() + ") outs(" + init + " : " + value.getType() + ") {");
  PrintedValue scalar = view;
  scalar.isScalar = true;
  scalar.name = fresh();
  line("^bb0(" + scalar.name + ": " + scalar.element +
       ", %unused: " + scalar.element + "):");
  PrintedValue yielded = modulus(scalar);
  line("linalg.yield " + yielded.name + " : " + yielded.element);
  line("} -> " + value.getType());
  value.name = name;
  return value;
}

PrintedValue MapPrinter::printCast(PrintedValue value,
                                   ArrayRef<int64_t> shape) {
  if (ArrayRef(value.shape) == shape)
    return value;
  PrintedValue result = value;
  result.shape.assign(shape.begin(), shape.end());
  result.name = fresh();
  line(result.name + " = tensor.cast " + value.name + " : " + value.getType() +
       " to " + result.getType());
  return result;
}

PrintedValue MapPrinter::printTranspose(PrintedValue value,
                                        ArrayRef<unsigned> permutation) {
  PrintedValue result = value;
  for (auto [i, dim] : llvm::enumerate(permutation)) {
    result.dims[i] = value.dims[dim];
    result.shape[i] = value.shape[dim];
  }
  return generic(value, result,
                 [](ArrayRef<PrintedValue> scalars) { return scalars[0]; });
}
