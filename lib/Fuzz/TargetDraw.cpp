//===- TargetDraw.cpp - How a program is compiled for a target ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TargetDraw.h"
#include "Random.h"

using namespace mlir;
using namespace mlir::scan;

TargetOptions fuzz::drawTargetOptions(uint64_t index) {
  TargetOptions options;
  options.emulator.seed = index;
  fuzz::Random random(0xB10C5, index);
  // Of 4 to 100 columns, by the width of states.
  if (random.chance(50))
    options.stateBytes = random.between(32, 400);
  return options;
}

std::string fuzz::printTargetOptions(StringRef target, uint64_t index) {
  std::string text = ("--target=" + target).str();
  unsigned stateBytes = drawTargetOptions(index).stateBytes;
  if (target == "cpu" && stateBytes != 0)
    text += " --state-bytes=" + std::to_string(stateBytes);
  return text;
}
