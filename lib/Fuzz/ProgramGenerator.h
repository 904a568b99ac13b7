//===- ProgramGenerator.h - Random scan programs and their data -*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_PROGRAMGENERATOR_H
#define SCAN_LIB_FUZZ_PROGRAMGENERATOR_H

#include "Program.h"
#include "Scan/Reference/HostArray.h"
#include "mlir/IR/MLIRContext.h"
#include <map>

namespace mlir::scan::fuzz {

/// Program number `index` of a seed; the same one always and everywhere.
Program makeProgram(uint64_t seed, uint64_t index);

/// One call of a program.
struct Case {
  /// What fills the arguments.
  enum Filling {
    Drawn,    ///< numbers of many kinds, that suit the domains
    Uniform,  ///< `random:` specifications of scan-run
    Ones,     ///< ones
    Explicit, ///< `values`
  };
  /// The iteration shape.
  llvm::SmallVector<int64_t> extents;
  uint64_t seed = 0;
  Filling filling = Drawn;
  /// By the number of the parameter.
  std::map<unsigned, HostArray> values;
};

/// Case number `index` of a program; `maxElements` bounds the iteration shape.
Case makeCase(const Program &program, uint64_t seed, uint64_t programIndex,
              uint64_t index, int64_t maxElements);

/// The arguments of a case.
llvm::SmallVector<HostArray>
makeArguments(const Program &program, const Case &call, MLIRContext &context);

/// The arguments of a case as `--input` options of scan-run.
llvm::SmallVector<std::string>
printArguments(const Program &program, const Case &call, MLIRContext &context);

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_PROGRAMGENERATOR_H
