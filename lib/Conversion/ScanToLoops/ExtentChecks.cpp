//===- ExtentChecks.cpp - Run-time checks of extents ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/ScatteredOutputs.h"
#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::scan;

/// "input #1", "final #0": how messages name an operand.
static std::string describe(KernelOp kernel, OpOperand &operand) {
  unsigned number = operand.getOperandNumber();
  std::pair<OperandRange, StringRef> groups[] = {
      {kernel.getInputs(), "input"},
      {kernel.getInits(), "init"},
      {kernel.getOutputs(), "output"},
      {kernel.getFinals(), "final"}};
  for (auto [group, name] : groups) {
    if (number < group.size())
      return (name + " #" + Twine(number)).str();
    number -= group.size();
  }
  llvm_unreachable("an operand is in one of the groups");
}

/// "file:line: " if the location says so.
static std::string describe(Location loc) {
  std::string text;
  loc->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    text = (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ": ")
               .str();
    return WalkResult::interrupt();
  });
  return text;
}

void KernelEmitter::emitExtentChecks() {
  unsigned firstOutput = kernel.getInputs().size() + kernel.getInits().size();
  for (OpOperand &operand : kernel->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      continue;
    AffineMap map = kernel.getIndexingMap(operand);
    if (operand.getOperandNumber() - firstOutput < kernel.getOutputs().size())
      map = getWrittenMap(map, kernel.getDim());
    for (auto [position, expr] : llvm::enumerate(map.getResults())) {
      // The verifier has compared static extents, among them those of
      // broadcast dimensions.
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        continue;
      int64_t expected = staticSizes[dim.getPosition()];
      if (!type.isDynamicDim(position) && !ShapedType::isDynamic(expected))
        continue;
      std::string message = describe(loc) + "scan: expected dimension " +
                            std::to_string(position) + " of " +
                            describe(kernel, operand);
      Value size;
      if (!ShapedType::isDynamic(expected)) {
        size = index(expected);
        message += " to have extent " + std::to_string(expected);
      } else {
        auto [source, sourceDim] = kernel.getDomainDimSource(dim.getPosition());
        if (source == &operand && sourceDim == position)
          continue;
        size = sizes[dim.getPosition()];
        message += " to have the extent of dimension " +
                   std::to_string(sourceDim) + " of " +
                   describe(kernel, *source);
      }
      Value extent = memref::DimOp::create(builder, loc, operand.get(),
                                           static_cast<int64_t>(position));
      Value equal = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, extent, size);
      cf::AssertOp::create(builder, loc, equal, message);
    }
  }
}
