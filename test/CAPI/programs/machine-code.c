//===- machine-code.c - Executables as bytes ------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: scan-c-machine-code PROGRAMS (write|read) FILE
//
// Writes a compiled function to the file, or reads it and runs it: two
// processes.
//
//===----------------------------------------------------------------------===//

#include "common.h"

/// Compositions of affine maps: not commutative, three results, a final state
/// among them.
static void run(MlirScanExecutable executable) {
  CHECK(equals(mlirScanExecutableGetName(executable), "affine"));
  MlirScanSignature signature = mlirScanExecutableGetSignature(executable);
  CHECK(mlirScanSignatureGetNumInputs(signature) == 2);
  CHECK(mlirScanSignatureGetNumOutputs(signature) == 3);
  int32_t a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {7, -1, 2, 0, 3, 1};
  int64_t shape[2] = {2, 3};
  MlirScanBuffer inputs[2] = {{a, MlirScanElementTypeI32, 2, shape, NULL},
                              {b, MlirScanElementTypeI32, 2, shape, NULL}};
  MlirScanResults results = mlirScanExecutableCall(executable, 2, inputs);
  CHECK(mlirScanResultsGetNum(results) == 3);
  if (mlirScanResultsIsNull(results))
    return;
  // From the last element to the first, exclusive, from the identity.
  for (int row = 0; row < 2; ++row) {
    int32_t p = 1, q = 0;
    for (int i = 2; i >= 0; --i) {
      CHECK(((int32_t *)mlirScanResultsGet(results, 0).data)[3 * row + i] == p);
      CHECK(((int32_t *)mlirScanResultsGet(results, 1).data)[3 * row + i] == q);
      q = a[3 * row + i] * q + b[3 * row + i];
      p *= a[3 * row + i];
    }
    CHECK(((int32_t *)mlirScanResultsGet(results, 2).data)[row] == q);
  }

  // One after the other; those that are left stay as they are.
  mlirScanResultsDiscard(results, 0);
  mlirScanResultsDiscard(results, 0);
  mlirScanResultsDiscard(results, 3);
  mlirScanResultsDiscard(results, -1);
  CHECK(!mlirScanResultsGet(results, 0).data);
  CHECK(mlirScanResultsGet(results, 0).rank == 2);
  CHECK(mlirScanResultsGet(results, 0).shape[1] == 3);
  CHECK(((int32_t *)mlirScanResultsGet(results, 1).data)[2] == 0);
  mlirScanResultsDiscard(results, 1);
  mlirScanResultsDiscard(results, 2);
  mlirScanResultsDestroy(results);
  mlirScanResultsDiscard((MlirScanResults){NULL}, 0);
}

static MlirScanExecutable compile(MlirContext context, const char *path,
                                  const char *target) {
  MlirModule module = mlirScanModuleParseFile(context, mlirScanString(path));
  MlirScanExecutable executable = mlirScanExecutableCreate(
      module, mlirScanString("affine"), mlirScanString(target));
  CHECK(!mlirScanExecutableIsNull(executable));
  mlirScanModuleDestroy(module);
  return executable;
}

static void expectFailure(MlirContext context, MlirStringRef bytes) {
  CHECK(mlirScanExecutableIsNull(mlirScanExecutableRead(context, bytes)));
}

static void misuse(MlirContext context, const char *path, const Text *bytes) {
  title("other targets");
  MlirScanExecutable reference = compile(context, path, "reference");
  Text none = {0};
  CHECK_FAILURE(mlirScanExecutableWrite(reference, append, &none));
  CHECK(none.length == 0);
  mlirScanExecutableDestroy(reference);
  title("callback");
  MlirScanExecutable executable =
      mlirScanExecutableRead(context, getText(bytes));
  CHECK_FAILURE(mlirScanExecutableWrite(executable, NULL, NULL));
  mlirScanExecutableDestroy(executable);

  title("nothing");
  expectFailure(context, mlirScanString(""));
  expectFailure(context, mlirStringRefCreate(NULL, 3));
  title("text");
  expectFailure(context, mlirScanString("module {}"));
  title("part");
  expectFailure(context, mlirStringRefCreate(bytes->data, bytes->length - 1));
  expectFailure(context, mlirStringRefCreate(bytes->data, 30));
  title("changed");
  bytes->data[bytes->length / 2] ^= 1;
  expectFailure(context, getText(bytes));
  bytes->data[bytes->length / 2] ^= 1;

  title("null handles");
  CHECK_FAILURE(
      mlirScanExecutableWrite((MlirScanExecutable){NULL}, append, &none));
  expectFailure((MlirContext){NULL}, getText(bytes));
  CHECK(equals(mlirScanExecutableGetName((MlirScanExecutable){NULL}), ""));
  CHECK(mlirScanGetProcessor().length > 10);
  CHECK(mlirScanElementTypeFromName(mlirScanString("complex<f32>")) ==
        MlirScanElementTypeComplexF32);
  CHECK(mlirScanElementTypeFromName(mlirScanString("none")) ==
        MlirScanElementTypeNone);
  CHECK(mlirScanElementTypeFromName(mlirScanString("f3")) ==
        MlirScanElementTypeNone);
}

int main(int argc, char **argv) {
  if (argc != 4)
    return EXIT_FAILURE;
  MlirContext context = mlirScanContextCreate(/*threading=*/false);
  mlirScanContextAttachDiagnosticCallback(context, printDiagnostic, NULL);
  if (strcmp(argv[2], "write") == 0) {
    MlirScanExecutable executable = compile(context, argv[1], "cpu");
    run(executable);
    Text bytes = {0};
    CHECK_SUCCESS(mlirScanExecutableWrite(executable, append, &bytes));
    mlirScanExecutableDestroy(executable);
    FILE *file = fopen(argv[3], "wb");
    CHECK(file && fwrite(bytes.data, 1, bytes.length, file) == bytes.length);
    CHECK(file && fclose(file) == 0);
    free(bytes.data);
  } else {
    char buffer[1 << 16];
    Text bytes = {0};
    FILE *file = fopen(argv[3], "rb");
    CHECK(file);
    for (size_t size; (size = fread(buffer, 1, sizeof(buffer), file)) > 0;)
      append(mlirStringRefCreate(buffer, size), &bytes);
    fclose(file);
    MlirScanExecutable executable =
        mlirScanExecutableRead(context, getText(&bytes));
    CHECK(!mlirScanExecutableIsNull(executable));
    run(executable);
    // What was read can be written again.
    Text again = {0};
    CHECK_SUCCESS(mlirScanExecutableWrite(executable, append, &again));
    CHECK(again.length == bytes.length &&
          memcmp(again.data, bytes.data, bytes.length) == 0);
    free(again.data);
    mlirScanExecutableDestroy(executable);
    misuse(context, argv[1], &bytes);
    free(bytes.data);
  }
  mlirScanContextDestroy(context);
  return finish();
}
