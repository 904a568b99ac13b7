//===- LoopHints.h - What LLVM need not try -------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_LOOPHINTS_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_LOOPHINTS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::scan {

/// Says of a loop of the scf dialect that LLVM makes no vectors of it: because
/// it works on vectors, is what they leave over, or carries a state from each
/// iteration to the next. Of the few iterations that are left over, LLVM would
/// make a vector loop behind checks of what overlaps, which they seldom reach.
/// Where all loops say so, its vectorisers do not run (`optimizeForMachine`).
inline void disableVectorization(Operation *loop) {
  MLIRContext *context = loop->getContext();
  auto vectorize = LLVM::LoopVectorizeAttr::get(
      context, /*disable=*/BoolAttr::get(context, true),
      /*predicateEnable=*/{}, /*scalableEnable=*/{}, /*width=*/{},
      /*followupVectorized=*/{}, /*followupEpilogue=*/{}, /*followupAll=*/{});
  auto annotation = LLVM::LoopAnnotationAttr::get(
      context, /*disableNonforced=*/{}, vectorize, /*interleave=*/{},
      /*unroll=*/{}, /*unrollAndJam=*/{}, /*licm=*/{}, /*distribute=*/{},
      /*pipeline=*/{}, /*peeled=*/{}, /*unswitch=*/{}, /*mustProgress=*/{},
      /*isVectorized=*/{}, /*startLoc=*/{}, /*endLoc=*/{},
      /*parallelAccesses=*/{});
  // Branches of the LLVM dialect call it that, and lowering copies it to them.
  loop->setDiscardableAttr("loop_annotation", annotation);
}

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_LOOPHINTS_H
