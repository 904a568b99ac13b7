//===- Proof.cpp - A proof, or none ---------------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Proof.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::associativity;

SmallVector<Encoding, 2>
scan::associativity::chooseEncodings(AssociativeOp op, FloatTheory theory) {
  bool hasIntegers = false, hasOrdered = false;
  auto look = [&](Type type) {
    Type element = getElementTypeOrSelf(type);
    if (auto complex = dyn_cast<ComplexType>(element))
      element = complex.getElementType();
    if (isa<FloatType>(element))
      hasOrdered |= theory == FloatTheory::IEEE;
    else
      hasIntegers |= !element.isInteger(1);
  };
  llvm::for_each(op.getLeafTypes(), look);
  op.getCombine().walk(
      [&](Operation *inner) { llvm::for_each(inner->getResultTypes(), look); });
  if (hasOrdered)
    return {Encoding::Integers, Encoding::Bits};
  if (hasIntegers)
    return {Encoding::Bits, Encoding::Integers};
  return {Encoding::Bits};
}

bool scan::associativity::isProvedAssociative(AssociativeOp op, Solver &solver,
                                              double seconds) {
  SmallVector<Encoding, 2> encodings =
      chooseEncodings(op, chooseFloatTheory(op));
  for (Encoding encoding : encodings) {
    Question question = Questioner(op, getLeafInvariants(op), encoding)
                            .isAssociative(/*isClosed=*/false);
    if (!question.refusal.empty() || !question.exclusions.empty())
      continue;
    if (question.isTrivial)
      return true;
    Answer answer =
        solver.ask(question.script, seconds / encodings.size()).answer;
    if (answer != Answer::Unknown)
      return answer == Answer::Unsatisfiable;
  }
  return false;
}
