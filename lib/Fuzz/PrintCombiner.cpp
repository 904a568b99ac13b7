//===- PrintCombiner.cpp - Associative operators as regions ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combiner.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"

using namespace mlir::scan;
using namespace mlir::scan::fuzz;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::Twine;

namespace {
using Names = SmallVector<std::string>;

class RegionPrinter {
public:
  RegionPrinter(Variant variant, StringRef indent)
      : variant(variant), indent(indent.str()) {}

  void setFactor(const Factor &factor) {
    leaf = getLeaves(factor).back();
    type = factor.type;
    if (factor.base == Base::ArgMax || factor.base == Base::ArgMin)
      leaf.type = type;
    block = leaf.blockType();
    // Where rounding plays no part nothing has to be estimated.
    isModuli = variant == Variant::Moduli && !factor.isExact();
  }

  Names print(const Factor &factor, size_t level, Names a, Names b);
  void line(const Twine &text) { body += indent + text.str() + "\n"; }
  std::string take() { return std::move(body); }

private:
  std::string fresh() { return "%v" + std::to_string(count++); }
  /// Defines a value of the leaf's type.
  std::string define(const Twine &operation, const Twine &operands,
                     StringRef of = {}) {
    std::string name = fresh();
    line(name + " = " + operation + " " + operands + " : " +
         (of.empty() ? StringRef(block) : of));
    return name;
  }
  std::string binary(StringRef integer, StringRef real, StringRef complex,
                     StringRef x, StringRef y) {
    StringRef operation = isIntegerType(type)   ? integer
                          : isComplexType(type) ? complex
                                                : real;
    return define(operation, x + ", " + y);
  }
  std::string add(StringRef x, StringRef y) {
    return binary("arith.addi", "arith.addf", "complex.add", x, y);
  }
  std::string sub(StringRef x, StringRef y) {
    if (isModuli)
      return add(x, y);
    return binary("arith.subi", "arith.subf", "complex.sub", x, y);
  }
  std::string mul(StringRef x, StringRef y) {
    return binary("arith.muli", "arith.mulf", "complex.mul", x, y);
  }
  std::string max(StringRef x, StringRef y) {
    return binary("arith.maxsi", "arith.maximumf", "", x, y);
  }
  std::string constant(int64_t value) {
    std::string number = std::to_string(value);
    if (type == "i1")
      number = value ? "true" : "false";
    if (!isIntegerType(type))
      number += ".0";
    if (!leaf.trailing.empty())
      return define("arith.constant", "dense<" + number + ">");
    return type == "i1" ? "%" + boolean(number)
                        : define("arith.constant", number);
  }
  /// A constant of type i1 has no type behind it.
  std::string boolean(StringRef value) {
    std::string name = fresh();
    line(name + " = arith.constant " + value);
    return name.substr(1);
  }
  std::string select(StringRef condition, StringRef x, StringRef y) {
    return define("arith.select", condition + ", " + x + ", " + y);
  }
  std::string clone(StringRef x) { return define("scan.clone", x); }
  std::string matmul(StringRef x, StringRef y);

  Names printBase(Base base, const Names &a, const Names &b);
  Names printMatrix2x2(const Names &a, const Names &b);
  Names printQuaternion(const Names &a, const Names &b);
  Names printArg(bool isMax, const Names &a, const Names &b);
  Names printRotate(const Names &a, const Names &b);
  Names printSoftmax(const Names &a, const Names &b);
  Names printSegmented(const Factor &factor, size_t level, const Names &a,
                       const Names &b, bool useIf);
  /// phi, or its inverse, on all leaves that are no flags.
  Names map(const Wrapper &wrapper, bool inverse, Names x, size_t flags);

  Variant variant;
  std::string indent, body;
  unsigned count = 0;
  Leaf leaf;
  std::string type, block;
  bool isModuli = false;
};
} // namespace

std::string RegionPrinter::matmul(StringRef x, StringRef y) {
  std::string zero;
  if (isComplexType(type)) {
    StringRef part = StringRef(type).drop_front(8).drop_back();
    std::string scalar = define(
        "complex.constant", "[0.0 : " + part + ", 0.0 : " + part + "]", type);
    zero = define("tensor.splat", scalar);
  } else {
    zero = constant(0);
  }
  std::string result = fresh();
  line(result + " = linalg.matmul ins(" + x + ", " + y + " : " + block + ", " +
       block + ") outs(" + zero + " : " + block + ") -> " + block);
  return result;
}

Names RegionPrinter::printMatrix2x2(const Names &a, const Names &b) {
  auto entry = [&](size_t row, size_t column) {
    std::string x = mul(a[2 * row], b[column]);
    std::string y = mul(a[2 * row + 1], b[2 + column]);
    return add(x, y);
  };
  return {entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)};
}

Names RegionPrinter::printQuaternion(const Names &a, const Names &b) {
  // Which element of b goes with which of a, and where it is subtracted.
  static const int index[4][4] = {
      {0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
  static const bool minus[4][4] = {{false, true, true, true},
                                   {false, false, false, true},
                                   {false, true, false, false},
                                   {false, false, true, false}};
  Names results;
  for (int i = 0; i < 4; ++i) {
    std::string sum = mul(a[0], b[index[i][0]]);
    for (int k = 1; k < 4; ++k) {
      std::string term = mul(a[k], b[index[i][k]]);
      sum = minus[i][k] ? sub(sum, term) : add(sum, term);
    }
    results.push_back(sum);
  }
  return results;
}

Names RegionPrinter::printArg(bool isMax, const Names &a, const Names &b) {
  std::string newer = isIntegerType(type)
                          ? define("arith.cmpi", Twine(isMax ? "sgt" : "slt") +
                                                     ", " + b[0] + ", " + a[0])
                          : define("arith.cmpf", Twine(isMax ? "ogt" : "olt") +
                                                     ", " + b[0] + ", " + a[0]);
  std::string value = select(newer, b[0], a[0]);
  std::string index =
      define("arith.select", newer + ", " + Twine(b[1]) + ", " + a[1], "i64");
  return {value, index};
}

Names RegionPrinter::printRotate(const Names &a, const Names &b) {
  std::string mask = constant(getBitWidth(type) - 1);
  std::string zero = constant(0);
  std::string sum = define("arith.addi", a[0] + ", " + Twine(b[0]));
  std::string shift = define("arith.andi", sum + ", " + Twine(mask));
  std::string left = define("arith.andi", b[0] + ", " + Twine(mask));
  std::string minus = define("arith.subi", zero + ", " + Twine(b[0]));
  std::string right = define("arith.andi", minus + ", " + Twine(mask));
  std::string high = define("arith.shli", a[1] + ", " + Twine(left));
  std::string low = define("arith.shrui", a[1] + ", " + Twine(right));
  std::string rotated = define("arith.ori", high + ", " + Twine(low));
  // The two parts of a word that is not rotated are equal, and so is their
  // union.
  std::string value = define("arith.xori", rotated + ", " + Twine(b[1]));
  return {shift, value};
}

Names RegionPrinter::printSoftmax(const Names &a, const Names &b) {
  std::string m = max(a[0], b[0]);
  auto scaled = [&](const Names &x) {
    std::string difference = define("arith.subf", x[0] + ", " + Twine(m));
    std::string factor = define("math.exp", difference);
    return define("arith.mulf", x[1] + ", " + Twine(factor));
  };
  std::string older = scaled(a);
  std::string newer = scaled(b);
  return {m, define("arith.addf", older + ", " + Twine(newer))};
}

Names RegionPrinter::printBase(Base base, const Names &a, const Names &b) {
  switch (base) {
  case Base::Add:
    return {add(a[0], b[0])};
  case Base::Mul:
    return {mul(a[0], b[0])};
  case Base::Max:
    return {max(a[0], b[0])};
  case Base::Min:
    return {binary("arith.minsi", "arith.minimumf", "", a[0], b[0])};
  case Base::MaxUnsigned:
    return {define("arith.maxui", a[0] + ", " + Twine(b[0]))};
  case Base::MinUnsigned:
    return {define("arith.minui", a[0] + ", " + Twine(b[0]))};
  case Base::And:
    return {define("arith.andi", a[0] + ", " + Twine(b[0]))};
  case Base::Or:
    return {define("arith.ori", a[0] + ", " + Twine(b[0]))};
  case Base::Xor:
    return {define("arith.xori", a[0] + ", " + Twine(b[0]))};
  case Base::First:
    return {clone(a[0])};
  case Base::Last:
    return {clone(b[0])};
  case Base::Coalesce: {
    std::string zero = constant(0);
    std::string isSet =
        isIntegerType(type)
            ? define("arith.cmpi", "ne, " + Twine(a[0]) + ", " + zero)
            : define("arith.cmpf", "une, " + Twine(a[0]) + ", " + zero);
    return {select(isSet, a[0], b[0])};
  }
  case Base::Affine: {
    std::string factor = mul(b[0], a[0]);
    std::string moved = mul(b[0], a[1]);
    return {factor, add(moved, b[1])};
  }
  case Base::Matrix:
    return {matmul(a[0], b[0])};
  case Base::Matrix2x2:
    return printMatrix2x2(a, b);
  case Base::Heisenberg: {
    std::string x = add(a[0], b[0]);
    std::string y = add(a[1], b[1]);
    std::string product = mul(a[0], b[1]);
    std::string sum = add(a[2], b[2]);
    return {x, y, add(sum, product)};
  }
  case Base::Quaternion:
    return printQuaternion(a, b);
  case Base::Bicyclic: {
    std::string most = max(a[1], b[0]);
    std::string x = sub(a[0], a[1]);
    std::string y = sub(b[1], b[0]);
    std::string opening = add(x, most);
    return {opening, add(y, most)};
  }
  case Base::ArgMax:
  case Base::ArgMin:
    return printArg(base == Base::ArgMax, a, b);
  case Base::MaxPlus: {
    std::string x = add(a[0], b[0]);
    std::string moved = add(a[1], b[0]);
    return {x, max(moved, b[1])};
  }
  case Base::RotateXor:
    return printRotate(a, b);
  case Base::ClearSet: {
    std::string mask = define("arith.andi", a[0] + ", " + Twine(b[0]));
    std::string kept = define("arith.andi", a[1] + ", " + Twine(b[0]));
    return {mask, define("arith.ori", kept + ", " + Twine(b[1]))};
  }
  case Base::Softmax:
    return printSoftmax(a, b);
  }
  llvm_unreachable("all bases are handled");
}

Names RegionPrinter::map(const Wrapper &wrapper, bool inverse, Names x,
                         size_t flags) {
  if (wrapper.kind == Wrap::Negate && isModuli)
    return x;
  int64_t number = wrapper.constant;
  if (wrapper.kind == Wrap::Multiply && inverse) {
    // Newton's iteration doubles the number of right bits.
    uint64_t value = number;
    for (int i = 0; i < 6; ++i)
      value *= 2 - static_cast<uint64_t>(number) * value;
    unsigned width = getBitWidth(type);
    number = static_cast<int64_t>(value << (64 - width)) >> (64 - width);
  }
  for (std::string &value : llvm::MutableArrayRef(x).drop_front(flags)) {
    if (wrapper.kind == Wrap::Negate)
      value = isIntegerType(type)
                  ? define("arith.subi", constant(0) + ", " + Twine(value))
                  : define(isComplexType(type) ? "complex.neg" : "arith.negf",
                           value);
    else
      value = define(wrapper.kind == Wrap::Flip ? "arith.xori" : "arith.muli",
                     Twine(value) + ", " + constant(number));
  }
  return x;
}

Names RegionPrinter::printSegmented(const Factor &factor, size_t level,
                                    const Names &a, const Names &b,
                                    bool useIf) {
  auto rest = [](const Names &x) { return Names(ArrayRef(x).drop_front()); };
  std::string flag = fresh();
  line(flag + " = arith.ori " + a[0] + ", " + b[0] + " : i1");
  Names results = {flag};
  SmallVector<Leaf> leaves = getLeaves(factor);
  leaves.erase(leaves.begin(), leaves.end() - (a.size() - 1));
  auto typeOf = [&](size_t i) { return leaves[i].blockType(); };
  if (!useIf) {
    Names combined = print(factor, level, rest(a), rest(b));
    for (size_t i = 0; i < combined.size(); ++i)
      results.push_back(define(
          "arith.select", b[0] + ", " + Twine(b[i + 1]) + ", " + combined[i],
          typeOf(i)));
    return results;
  }
  std::string types, newer, name = fresh();
  for (size_t i = 0; i < leaves.size(); ++i) {
    types += (i ? ", " : "") + typeOf(i);
    newer += (i ? ", " : "") + b[i + 1];
    results.push_back(leaves.size() > 1 ? name + "#" + std::to_string(i)
                                        : name);
  }
  line(name + (leaves.size() > 1 ? ":" + std::to_string(leaves.size()) : "") +
       " = scf.if " + b[0] + " -> (" + types + ") {");
  line("  scf.yield " + newer + " : " + types);
  line("} else {");
  indent += "  ";
  Names combined = print(factor, level, rest(a), rest(b));
  line("scf.yield " + llvm::join(combined, ", ") + " : " + types);
  indent.resize(indent.size() - 2);
  line("}");
  return results;
}

Names RegionPrinter::print(const Factor &factor, size_t level, Names a,
                           Names b) {
  if (level == 0)
    return printBase(factor.base, a, b);
  const Wrapper &wrapper = factor.wrappers[--level];
  switch (wrapper.kind) {
  case Wrap::Segmented:
  case Wrap::SegmentedIf:
    return printSegmented(factor, level, a, b,
                          wrapper.kind == Wrap::SegmentedIf);
  case Wrap::Opposite:
    return print(factor, level, b, a);
  default:
    break;
  }
  size_t flags = llvm::count_if(
      ArrayRef(factor.wrappers).take_front(level), [](const Wrapper &inner) {
        return inner.kind == Wrap::Segmented || inner.kind == Wrap::SegmentedIf;
      });
  a = map(wrapper, false, a, flags);
  b = map(wrapper, false, b, flags);
  return map(wrapper, true, print(factor, level, a, b), flags);
}

std::string fuzz::printCombineRegion(ArrayRef<Factor> factors, Variant variant,
                                     StringRef indent) {
  RegionPrinter printer(variant, indent);
  Names results, types;
  llvm::StringSet<> taken;
  unsigned first = 0;
  for (const Factor &factor : factors) {
    printer.setFactor(factor);
    SmallVector<Leaf> leaves = getLeaves(factor);
    Names a, b;
    for (unsigned i = 0; i < leaves.size(); ++i) {
      a.push_back("%a" + std::to_string(first + i));
      b.push_back("%b" + std::to_string(first + i));
      taken.insert(a.back());
      taken.insert(b.back());
      types.push_back(leaves[i].blockType());
    }
    bool isSwapped = variant == Variant::Swapped && first == 0;
    results.append(printer.print(factor, factor.wrappers.size(),
                                 isSwapped ? b : a, isSwapped ? a : b));
    first += leaves.size();
  }
  // An argument, or a value twice, would have to be cloned to be yielded.
  for (auto [i, result] : llvm::enumerate(results))
    if (!taken.insert(result).second) {
      std::string clone = "%y" + std::to_string(i);
      printer.line(Twine(clone) + " = scan.clone " + result + " : " + types[i]);
      result = clone;
    }
  printer.line(Twine("scan.yield ") + llvm::join(results, ", ") + " : " +
               llvm::join(types, ", "));
  return printer.take();
}
