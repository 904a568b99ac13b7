//===- TestPasses.h - Passes for tests of the dialect -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TEST_IR_TESTPASSES_H
#define SCAN_TEST_IR_TESTPASSES_H

namespace mlir::scan::test {

/// Upstream fuses consumers into tile loops by a function only, writes bytecode
/// of other dialect versions by a configuration only, and C++ alone calls
/// builders: passes make tests of them.
void registerBuildAssociative();
void registerFuseConsumer();
void registerWriteBytecode();

} // namespace mlir::scan::test

#endif // SCAN_TEST_IR_TESTPASSES_H
