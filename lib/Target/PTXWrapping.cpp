//===- PTXWrapping.cpp - Arithmetic that ptxas takes not to wrap ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXWrapping.h"
#include "llvm/ADT/Twine.h"
#include <tuple>

using llvm::StringRef;
using llvm::Twine;

namespace {
/// "\tneg.s32 \t%r1, %r2;" in its parts.
struct Unary {
  StringRef width, target, source;
};
} // namespace

/// Whether `line` is the instruction `name` on signed integers.
static bool match(StringRef line, StringRef name, Unary &parts) {
  StringRef rest = line.trim();
  if (!rest.consume_front(name) || !rest.consume_front(".s") ||
      !rest.consume_back(";"))
    return false;
  StringRef operands;
  std::tie(parts.width, operands) = rest.split(' ');
  std::tie(parts.target, parts.source) = operands.split(',');
  parts.target = parts.target.trim();
  parts.source = parts.source.trim();
  return (parts.width == "16" || parts.width == "32" || parts.width == "64") &&
         parts.target.starts_with("%") && !parts.source.empty();
}

static std::string negate(const Unary &parts, const Twine &target) {
  return ("\tnot.b" + parts.width + " \t" + target + ", " + parts.source +
          ";\n\tadd.s" + parts.width + " \t" + target + ", " + target + ", 1;")
      .str();
}

std::string mlir::scan::spellOutWrapping(StringRef ptx) {
  std::string result;
  result.reserve(ptx.size());
  while (!ptx.empty()) {
    StringRef line;
    Unary parts;
    std::tie(line, ptx) = ptx.split('\n');
    if (match(line, "neg", parts)) {
      result += negate(parts, parts.target);
    } else if (match(line, "abs", parts)) {
      // In a register of its own, as the target may be the source.
      result += ("\t{\n\t.reg .b" + parts.width + " %negated;\n" +
                 negate(parts, "%negated") + "\n\tmax.s" + parts.width + " \t" +
                 parts.target + ", " + parts.source + ", %negated;\n\t}")
                    .str();
    } else {
      result += line;
    }
    result += '\n';
  }
  return result;
}
