//===- MutateText.cpp - Random edits of a program's text ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutate.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

namespace {
using Tokens = std::vector<std::string>;
} // namespace

/// Splits at the borders of words, so that the pieces joined are the text.
static Tokens splitTokens(StringRef text) {
  Tokens tokens;
  auto isWord = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '%' || c == '#' ||
           c == '@' || c == '^' || c == '-' || c == '?';
  };
  while (!text.empty()) {
    size_t size = 1;
    if (isWord(text.front()))
      while (size < text.size() && isWord(text[size]))
        ++size;
    tokens.push_back(text.take_front(size).str());
    text = text.drop_front(size);
  }
  return tokens;
}

static bool isBlank(StringRef token) { return token.trim().empty(); }

/// The index of a token that means something.
static size_t pickToken(const Tokens &tokens, fuzz::Random &random) {
  for (int i = 0; i < 20; ++i) {
    size_t index = random.below(tokens.size());
    if (!isBlank(tokens[index]))
      return index;
  }
  return 0;
}

/// Words that have a meaning somewhere.
static std::string pickWord(fuzz::Random &random) {
  static const StringRef words[] = {
      "i1",
      "i7",
      "i32",
      "i64",
      "index",
      "f16",
      "bf16",
      "f32",
      "f64",
      "none",
      "f8E4M3FN",
      "complex<f32>",
      "complex<i32>",
      "tensor<f32>",
      "tensor<?xf32>",
      "tensor<4xf32>",
      "tensor<*xf32>",
      "memref<?xf32>",
      "memref<4x4xf32, strided<[1, ?]>>",
      "vector<4xf32>",
      "tensor<2x2xf32>",
      "tensor<0x?xi32>",
      "tensor<?x2x2xf32>",
      "tuple<i32>",
      "!llvm.ptr",
      "reverse",
      "exclusive",
      "boundary",
      "by",
      "shifts",
      "boundaries",
      "array<i64: 1, -1>",
      "dim",
      "init",
      "ins",
      "outs",
      "maps",
      "load",
      "initialize",
      "combine",
      "store",
      "finalize",
      "attributes",
      "order",
      "schedule",
      "accumulators",
      "accumulator",
      "compensated",
      "shared_yields",
      "final_states",
      "operandSegmentSizes",
      "#scan.order<sequential>",
      "#scan.order<any>",
      "#scan.schedule<strategy = row, threads = 0>",
      "#scan.schedule<strategy = row, threads = 4096, items = 100000>",
      "#scan.schedule<strategy = sequential, threads = 33>",
      "affine_map<(d0) -> (d0)>",
      "affine_map<(d0, d1) -> (d1)>",
      "affine_map<(d0)[s0] -> (d0 + s0)>",
      "affine_map<() -> ()>",
      "affine_map<(d0, d1) -> (d0 + d1, 7)>",
      "scan.yield",
      "scan.clone",
      "scan.associative",
      "scan.linear_recurrence",
      "scan.kernel",
      "scan.shift",
      "scan.index",
      "arith.addf",
      "arith.constant",
      "func.call",
      "memref.store",
      "tensor.dim",
      "cf.br",
      "->",
      ":",
      "{",
      "}",
      "(",
      ")",
      "[",
      "]",
      "<",
      ">",
      ",",
      "=",
      "\"",
      "unit",
      "true",
      "dense<0>",
      "^bb0",
      "^bb1",
      "%x0_0",
      "%a0",
      "%b0",
      "%t0",
      "loc(unknown)"};
  return random.pick(words).str();
}

static std::string pickNumber(fuzz::Random &random) {
  return random.pick({"0", "1", "2", "3", "7", "-1", "-2147483648",
                      "4294967296", "9223372036854775807",
                      "-9223372036854775808", "99999999999999999999", "1024",
                      "1000000", "?", "0.5", "0xFF"});
}

static bool isNumber(StringRef token) {
  return !token.empty() && llvm::all_of(token, llvm::isDigit);
}

/// Everywhere another number, type or word: what fits together still does, as
/// often as not.
static void replaceEverywhere(Tokens &tokens, fuzz::Random &random) {
  static const StringRef types[] = {"i1",  "i8",  "i16",  "i32", "i64",
                                    "f16", "f32", "bf16", "f64", "index"};
  static const StringRef steps[] = {
      "arith.addi",  "arith.addf",     "arith.muli",  "arith.mulf",
      "arith.maxsi", "arith.maximumf", "arith.xori",  "arith.subf",
      "arith.minui", "arith.divsi",    "arith.remui", "arith.shli",
      "arith.divf"};
  // The last part of a shape, as in "?x4xf32", counts as a type.
  auto split = [](StringRef token) { return token.rsplit('x'); };
  size_t index = pickToken(tokens, random);
  for (int i = 0; i < 200; ++i, index = pickToken(tokens, random)) {
    std::string old = tokens[index];
    StringRef last =
        split(old).second.empty() ? StringRef(old) : split(old).second;
    if (llvm::is_contained(types, last)) {
      std::string from = last.str();
      StringRef to = random.pick(types);
      for (std::string &token : tokens) {
        StringRef end = split(token).second.empty() ? StringRef(token)
                                                    : split(token).second;
        if (end == from)
          token = (StringRef(token).drop_back(from.size()) + to).str();
      }
      return;
    }
    bool isStep = llvm::is_contained(steps, old);
    if (!isStep && !isNumber(old))
      continue;
    std::string to = isStep ? random.pick(steps).str() : pickNumber(random);
    llvm::replace(tokens, old, to);
    return;
  }
}

static void editTokens(Tokens &tokens, fuzz::Random &random) {
  if (random.chance(40))
    return replaceEverywhere(tokens, random);
  size_t index = pickToken(tokens, random);
  switch (random.below(7)) {
  case 0:
    tokens[index].clear();
    return;
  case 1:
    tokens.insert(tokens.begin() + index, tokens[index] + " ");
    return;
  case 2:
    std::swap(tokens[index], tokens[pickToken(tokens, random)]);
    return;
  case 3:
    tokens[index] = tokens[pickToken(tokens, random)];
    return;
  case 4:
    tokens[index] = pickWord(random);
    return;
  case 5:
    tokens.insert(tokens.begin() + index, pickWord(random) + " ");
    return;
  default:
    // Most tokens are no numbers.
    for (int i = 0; i < 100 && !isNumber(tokens[index]); ++i)
      index = pickToken(tokens, random);
    tokens[index] = pickNumber(random);
    return;
  }
}

static std::string editLines(StringRef text, fuzz::Random &random) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  size_t index = random.below(lines.size());
  size_t other = random.below(lines.size());
  switch (random.below(3)) {
  case 0:
    lines.erase(lines.begin() + index);
    break;
  case 1: {
    StringRef line = lines[other];
    lines.insert(lines.begin() + index, line);
    break;
  }
  default:
    std::swap(lines[index], lines[other]);
  }
  return llvm::join(lines, "\n");
}

/// Whether a value is used above its definition. The parser of MLIR itself then
/// writes to memory that it has freed, if the definition is an argument of a
/// block that it gives up.
static bool usesBeforeDefinition(StringRef text) {
  llvm::StringSet<> used, defined;
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines) {
    bool definesAll = line.contains("^bb") || line.contains("func");
    size_t equals = line.find(" = ");
    for (size_t begin = line.find('%'); begin != StringRef::npos;
         begin = line.find('%', begin + 1)) {
      StringRef name = line.drop_front(begin + 1).take_while(
          [](char c) { return llvm::isAlnum(c) || c == '_' || c == '-'; });
      bool isDefined =
          definesAll || (equals != StringRef::npos && begin < equals);
      if (isDefined && used.contains(name) && !defined.contains(name))
        return true;
      (isDefined ? defined : used).insert(name);
    }
  }
  return false;
}

static std::string mutateOnce(StringRef text, fuzz::Random &random) {
  std::string result = text.str();
  for (int64_t i = 0, e = random.pick({1, 1, 1, 2, 3}); i < e; ++i) {
    if (random.chance(20)) {
      result = editLines(result, random);
      continue;
    }
    Tokens tokens = splitTokens(result);
    if (tokens.empty())
      return result;
    editTokens(tokens, random);
    result = llvm::join(tokens, "");
  }
  if (random.chance(3))
    result.resize(random.below(result.size() + 1));
  return result;
}

std::string fuzz::mutateText(StringRef text, fuzz::Random &random) {
  for (int i = 0; i < 20; ++i) {
    std::string result = mutateOnce(text, random);
    // The other known trap of that parser: it reads the width of an index.
    if (!StringRef(result).contains("array<index") &&
        !usesBeforeDefinition(result))
      return result;
  }
  return text.str();
}
