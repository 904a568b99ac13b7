//===- cumsum.c - mlir-scan from C ----------------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles the function `cumsum` of examples/cumsum.mlir to PTX for a GPU, and
// runs it on this processor over arrays of this program.
//
//   clang -std=c11 cumsum.c -lMLIRScan -o cumsum
//   ./cumsum cumsum.mlir
//
//===----------------------------------------------------------------------===//

#include "Scan-c/Scan.h"

#include <stdio.h>
#include <stdlib.h>

/// Prints an error of the compiler as compilers do.
static MlirLogicalResult printDiagnostic(const MlirScanDiagnostic *diagnostic,
                                         void *userData) {
  FILE *stream = userData;
  fprintf(stream, "%.*s:%u:%u: %.*s\n", (int)diagnostic->file.length,
          diagnostic->file.data, (unsigned)diagnostic->line,
          (unsigned)diagnostic->column, (int)diagnostic->message.length,
          diagnostic->message.data);
  for (intptr_t i = 0; i < diagnostic->numNotes; ++i)
    printDiagnostic(&diagnostic->notes[i], userData);
  return mlirLogicalResultSuccess();
}

/// Compiles the module for an H100: PTX that any driver loads, and a manifest
/// that says how to launch its kernels.
static bool compile(MlirModule module) {
  MlirScanPTXOptions options = mlirScanPTXOptionsGetDefault();
  options.chip = mlirScanString("sm_90");
  MlirScanPTX ptx = mlirScanPTXCompile(module, &options);
  if (mlirScanPTXIsNull(ptx))
    return false;
  printf("%zu bytes of PTX, %zu bytes of manifest\n",
         mlirScanPTXGetText(ptx).length, mlirScanPTXGetManifest(ptx).length);
  mlirScanPTXDestroy(ptx);
  return true;
}

/// Runs `cumsum`: a tensor<?x?xf32> in, one of the same shape out.
static bool run(MlirModule module) {
  MlirScanExecutable cumsum = mlirScanExecutableCreate(
      module, mlirScanString("cumsum"), mlirScanString("cpu"));
  if (mlirScanExecutableIsNull(cumsum))
    return false;
  float x[2][4] = {{1, 2, 3, 4}, {10, 20, 30, 40}};
  float y[2][4];
  const int64_t shape[] = {2, 4};
  MlirScanBuffer input = {x, MlirScanElementTypeF32, 2, shape, NULL};
  MlirScanBuffer output = {y, MlirScanElementTypeF32, 2, shape, NULL};
  MlirLogicalResult status =
      mlirScanExecutableRun(cumsum, 1, &input, 1, &output);
  mlirScanExecutableDestroy(cumsum);
  if (mlirLogicalResultIsFailure(status))
    return false;
  for (int i = 0; i < 2; ++i)
    printf("%g %g %g %g\n", y[i][0], y[i][1], y[i][2], y[i][3]);
  return true;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s FILE.mlir\n", argv[0]);
    return EXIT_FAILURE;
  }
  MlirContext context = mlirScanContextCreate(/*threading=*/false);
  mlirScanContextAttachDiagnosticCallback(context, printDiagnostic, stderr);
  MlirModule module = mlirScanModuleParseFile(context, mlirScanString(argv[1]));
  bool succeeded = module.ptr && compile(module) && run(module);
  mlirScanModuleDestroy(module);
  mlirScanContextDestroy(context);
  return succeeded ? EXIT_SUCCESS : EXIT_FAILURE;
}
