//===- UniformHalves.h - Loads that ptxas gets wrong ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_UNIFORMHALVES_H
#define SCAN_LIB_TARGET_UNIFORMHALVES_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::scan {

/// Makes loads of 16 bits and fewer from shared memory volatile where all
/// threads load from the same address, so that LLVM does not merge neighbours
/// into words.
///
/// ptxas 13.0 takes such a word apart in uniform registers where choices that
/// are uniform, too, depend on its halves. For sm_90 and sm_100 it forgets to
/// shift the second half into the register that it then reads, which holds
/// whatever was in it before. It does so with words from anywhere, shuffles
/// included; only these loads make words of halves that are the same for all
/// threads. Loads at an address of each thread's own are merged as ever.
void keepUniformHalvesApart(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_UNIFORMHALVES_H
