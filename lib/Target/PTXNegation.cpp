//===- PTXNegation.cpp - Negations that ptxas gets wrong ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXNegation.h"
#include "llvm/ADT/Twine.h"
#include <tuple>

using llvm::StringRef;

/// "\tneg.s32 \t%r1, %r2;" as width, target and source; false for other lines.
static bool matchNegation(StringRef line, StringRef &width, StringRef &target,
                          StringRef &source) {
  StringRef rest = line.trim();
  if (!rest.consume_front("neg.s") || !rest.consume_back(";"))
    return false;
  StringRef operands;
  std::tie(width, operands) = rest.split(' ');
  std::tie(target, source) = operands.split(',');
  target = target.trim();
  source = source.trim();
  return (width == "16" || width == "32" || width == "64") &&
         target.starts_with("%") && !source.empty();
}

std::string mlir::scan::spellOutNegations(StringRef ptx) {
  std::string result;
  result.reserve(ptx.size());
  while (!ptx.empty()) {
    StringRef line, width, target, source;
    std::tie(line, ptx) = ptx.split('\n');
    if (!matchNegation(line, width, target, source)) {
      result += line;
    } else {
      result +=
          ("\tnot.b" + width + " \t" + target + ", " + source + ";\n").str();
      result +=
          ("\tadd.s" + width + " \t" + target + ", " + target + ", 1;").str();
    }
    result += '\n';
  }
  return result;
}
