//===- threads.c - Runs on several threads --------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.h"

#include <pthread.h>

enum { numThreads = 6, numRuns = 40, length = 20000 };

/// One executable for all threads, and how many rows each of them gives it.
static MlirScanExecutable shared;
static int64_t rows = 1;
static const char *program;

typedef struct Worker {
  pthread_t thread;
  int number;
  int failures;
  int errors;
} Worker;

static void *runShared(void *argument) {
  Worker *worker = argument;
  int64_t *x = malloc(length * sizeof(*x)), *y = malloc(length * sizeof(*y));
  for (int run = 0; run < numRuns; ++run) {
    // Arrays of another size in each run and thread.
    const int64_t shape[] = {rows, (length - 17 * run) / rows - worker->number};
    const int64_t size = shape[0] * shape[1];
    for (int64_t i = 0; i < size; ++i)
      x[i] = worker->number + 1;
    MlirScanBuffer input = {x, MlirScanElementTypeI64, 2, shape, NULL};
    MlirScanBuffer output = {y, MlirScanElementTypeI64, 2, shape, NULL};
    if (mlirLogicalResultIsFailure(
            mlirScanExecutableRun(shared, 1, &input, 1, &output)))
      ++worker->failures;
    for (int64_t i = 0; i < size; ++i)
      worker->errors += y[i] != (i % shape[1] + 1) * (worker->number + 1);
    // The memory of results goes from thread to thread.
    MlirScanResults results = mlirScanExecutableCall(shared, 1, &input);
    const int64_t *z = mlirScanResultsGet(results, 0).data;
    worker->errors += !z || memcmp(z, y, (size_t)size * sizeof(*y)) != 0;
    mlirScanResultsDestroy(results);
    // Runs that fail among those that do not.
    output.shape = NULL;
    if (mlirLogicalResultIsSuccess(
            mlirScanExecutableRun(shared, 1, &input, 1, &output)))
      ++worker->failures;
  }
  free(x);
  free(y);
  return NULL;
}

/// A context of its own for each thread, from the text to PTX and numbers.
static void *compileAlone(void *argument) {
  Worker *worker = argument;
  MlirContext context = mlirScanContextCreate(/*threading=*/false);
  MlirModule module = mlirScanModuleParse(context, mlirScanString(program),
                                          mlirScanString("memory.mlir"));
  MlirScanPTX ptx = mlirScanPTXCompile(module, NULL);
  worker->failures += mlirScanPTXIsNull(ptx);
  mlirScanPTXDestroy(ptx);
  MlirScanExecutable executable = mlirScanExecutableCreate(
      module, mlirScanString("sums"), mlirScanString("cpu"));
  worker->failures += mlirScanExecutableIsNull(executable);
  int64_t x[] = {1, 2, 3};
  const int64_t shape[] = {1, 3};
  MlirScanBuffer input = {x, MlirScanElementTypeI64, 2, shape, NULL};
  MlirScanResults results = mlirScanExecutableCall(executable, 1, &input);
  worker->failures += mlirScanResultsIsNull(results);
  const int64_t *y = mlirScanResultsGet(results, 0).data;
  worker->errors += !y || y[0] != 1 || y[1] != 3 || y[2] != 6;
  mlirScanResultsDestroy(results);
  mlirScanExecutableDestroy(executable);
  if (mlirLogicalResultIsFailure(mlirScanModuleRunPipeline(
          module, mlirScanString("scan-normalize,canonicalize"))))
    ++worker->failures;
  mlirScanModuleDestroy(module);
  mlirScanContextDestroy(context);
  return NULL;
}

static void runThreads(void *(*work)(void *)) {
  Worker workers[numThreads] = {0};
  for (int i = 0; i < numThreads; ++i) {
    workers[i].number = i;
    CHECK(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
  }
  for (int i = 0; i < numThreads; ++i) {
    CHECK(pthread_join(workers[i].thread, NULL) == 0);
    CHECK(workers[i].failures == 0);
    CHECK(workers[i].errors == 0);
  }
}

/// Counts without a lock: callbacks are never called twice at the same time.
static MlirLogicalResult count(const MlirScanDiagnostic *diagnostic,
                               void *userData) {
  CHECK(contains(diagnostic->message, "expected 2 extents"));
  ++*(int *)userData;
  return mlirLogicalResultSuccess();
}

/// Runs that divide their rows among threads, of which one at a time has some;
/// and the same executable on one thread.
static void runOnSeveralThreads(MlirModule module) {
  CHECK(mlirScanGetNumThreads() == 1);
  mlirScanSetNumThreads(3);
  CHECK(mlirScanGetNumThreads() == 3);
  shared = mlirScanExecutableCreate(module, mlirScanString("sums"),
                                    mlirScanString("cpu"));
  CHECK(!mlirScanExecutableIsNull(shared));
  rows = 40;
  runThreads(runShared);
  mlirScanSetNumThreads(1);
  CHECK(mlirScanGetNumThreads() == 1);
  runThreads(runShared);
  mlirScanExecutableDestroy(shared);
  mlirScanSetNumThreads(0);
  CHECK(mlirScanGetNumThreads() >= 1);
  mlirScanSetNumThreads(1);
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  program = "func.func @sums(%x: tensor<?x?xi64>) -> tensor<?x?xi64> {\n"
            "  %y = scan.associative ins(%x : tensor<?x?xi64>) dim = 1 {\n"
            "  ^bb0(%acc: i64, %new: i64):\n"
            "    %s = arith.addi %acc, %new : i64\n"
            "    scan.yield %s : i64\n"
            "  } -> tensor<?x?xi64>\n"
            "  return %y : tensor<?x?xi64>\n}\n";
  int numErrors = 0;
  MlirContext context = mlirScanContextCreate(/*threading=*/false);
  mlirScanContextAttachDiagnosticCallback(context, count, &numErrors);
  MlirModule module = mlirScanModuleParse(context, mlirScanString(program),
                                          mlirScanString("memory.mlir"));
  shared = mlirScanExecutableCreate(module, mlirScanString("sums"),
                                    mlirScanString("cpu"));
  CHECK(!mlirScanExecutableIsNull(shared));
  runThreads(runShared);
  CHECK(numErrors == numThreads * numRuns);
  mlirScanExecutableDestroy(shared);
  numErrors = 0;
  runOnSeveralThreads(module);
  CHECK(numErrors == 2 * numThreads * numRuns);
  mlirScanModuleDestroy(module);
  mlirScanContextDestroy(context);
  runThreads(compileAlone);
  return finish();
}
