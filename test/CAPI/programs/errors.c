//===- errors.c - Bad arguments of runs -----------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.h"

static const MlirScanElementType f32 = MlirScanElementTypeF32;

static MlirScanExecutable create(MlirModule module, const char *function,
                                 const char *target) {
  return mlirScanExecutableCreate(module, mlirScanString(function),
                                  mlirScanString(target));
}

static void cannotCreate(MlirModule module, const char *function,
                         const char *target) {
  title(function);
  CHECK(mlirScanExecutableIsNull(create(module, function, target)));
}

static void checkCreation(MlirModule module) {
  cannotCreate(module, "unknown_function", "cpu");
  cannotCreate(module, "declared", "cpu");
  cannotCreate(module, "unknown_callee", "cpu");
  cannotCreate(module, "nibbles", "cpu");
  cannotCreate(module, "unsigned", "reference");
  cannotCreate(module, "unranked", "cpu");
  cannotCreate(module, "sums", "tpu");
  cannotCreate(module, "", "cpu");
  title("signature");
  CHECK(mlirScanSignatureIsNull(
      mlirScanSignatureGet(module, mlirScanString("unknown_function"))));

  title("null strings");
  MlirStringRef wrong = mlirStringRefCreate(NULL, 3),
                cpu = mlirScanString("cpu");
  CHECK(mlirScanSignatureIsNull(mlirScanSignatureGet(module, wrong)));
  CHECK(mlirScanExecutableIsNull(mlirScanExecutableCreate(module, wrong, cpu)));
  CHECK(mlirScanExecutableIsNull(mlirScanExecutableCreate(module, cpu, wrong)));

  title("null handles");
  MlirModule noModule = {NULL};
  MlirScanExecutable noExecutable = {NULL};
  MlirScanSignature noSignature = {NULL};
  MlirScanResults noResults = {NULL};
  CHECK(mlirScanExecutableIsNull(mlirScanExecutableCreate(noModule, cpu, cpu)));
  CHECK(mlirScanSignatureIsNull(mlirScanSignatureGet(noModule, cpu)));
  CHECK(mlirScanSignatureIsNull(mlirScanExecutableGetSignature(noExecutable)));
  CHECK(mlirScanSignatureGetNumInputs(noSignature) == -1);
  CHECK(mlirScanSignatureGetNumOutputs(noSignature) == -1);
  CHECK(mlirScanSignatureGetInput(noSignature, 0).rank == -1);
  CHECK(mlirScanSignatureGetOutput(noSignature, 0).rank == -1);
  CHECK_FAILURE(mlirScanExecutableRun(noExecutable, 0, NULL, 0, NULL));
  CHECK(mlirScanResultsIsNull(mlirScanExecutableCall(noExecutable, 0, NULL)));
  CHECK(mlirScanResultsGetNum(noResults) == -1);
  CHECK(mlirScanResultsGet(noResults, 0).rank == -1);
  mlirScanExecutableDestroy(noExecutable);
  mlirScanSignatureDestroy(noSignature);
  mlirScanResultsDestroy(noResults);
}

/// The arguments of "static", which takes and returns tensor<4x8xf32>, to be
/// made wrong in one thing.
typedef struct Arguments {
  intptr_t numInputs, numOutputs;
  MlirScanBuffer input, output;
} Arguments;

static float from[64], to[64];
static const int64_t shape[] = {4, 8};

static Arguments getArguments(void) {
  return (Arguments){
      1, 1, {from, f32, 2, shape, NULL}, {to, f32, 2, shape, NULL}};
}

static MlirScanExecutable executable;

/// Fails and writes nothing.
static void fails(const char *name, Arguments arguments) {
  title(name);
  for (int i = 0; i < 64; ++i)
    to[i] = 99;
  CHECK_FAILURE(mlirScanExecutableRun(executable, arguments.numInputs,
                                      &arguments.input, arguments.numOutputs,
                                      &arguments.output));
  for (int i = 0; i < 64; ++i)
    CHECK(to[i] == 99);
}

static void checkArrays(void) {
  Arguments a = getArguments();
  a.numInputs = 0;
  fails("too few inputs", a);
  CHECK(mlirScanResultsIsNull(mlirScanExecutableCall(executable, -1, NULL)));
  a = getArguments();
  a.numOutputs = 2;
  fails("too many outputs", a);

  title("null arrays");
  a = getArguments();
  CHECK_FAILURE(mlirScanExecutableRun(executable, 1, NULL, 1, &a.output));
  CHECK_FAILURE(mlirScanExecutableRun(executable, 1, &a.input, 1, NULL));

  a = getArguments();
  a.input.elementType = MlirScanElementTypeF64;
  fails("element type", a);
  a = getArguments();
  a.output.elementType = MlirScanElementTypeI32;
  fails("output element type", a);
  a = getArguments();
  a.input.elementType = 77;
  fails("no element type", a);

  a = getArguments();
  a.input.rank = 3;
  fails("rank", a);
  a = getArguments();
  a.output.rank = 0;
  fails("output rank", a);
  a = getArguments();
  a.input.rank = -1;
  fails("negative rank", a);
  a = getArguments();
  a.input.shape = NULL;
  fails("null shape", a);

  const int64_t wrong[] = {4, 9}, negative[] = {4, -8};
  a = getArguments();
  a.input.shape = wrong;
  fails("extent", a);
  a = getArguments();
  a.output.shape = wrong;
  fails("output extent", a);
  a = getArguments();
  a.input.shape = negative;
  fails("negative extent", a);
  a = getArguments();
  a.input.data = NULL;
  fails("null data", a);
  a = getArguments();
  a.output.data = NULL;
  fails("null output data", a);

  const int64_t farStrides[] = {INT64_MAX / 2, 1},
                farBack[] = {INT64_MIN / 16, 1}, zero[] = {0, 1},
                close[] = {7, 1}, woven[] = {1, 3};
  a = getArguments();
  a.input.strides = farStrides;
  fails("far strides", a);
  a = getArguments();
  a.input.strides = farBack;
  fails("far back", a);
  a = getArguments();
  a.output.strides = zero;
  fails("output stride 0", a);
  a = getArguments();
  a.output.strides = close;
  fails("output rows overlap", a);
  a = getArguments();
  a.output.strides = woven;
  fails("output columns overlap", a);

  a = getArguments();
  a.output.data = from;
  fails("output is input", a);
  a = getArguments();
  a.input.data = from + 31;
  a.output.data = from;
  fails("output overlaps input", a);
  // One after the other is no overlap.
  a = getArguments();
  a.input.data = from + 32;
  a.output.data = from;
  CHECK_SUCCESS(mlirScanExecutableRun(executable, 1, &a.input, 1, &a.output));
}

static void checkShapes(MlirModule module) {
  MlirScanExecutable sums = create(module, "sums", "cpu");
  const int64_t small[] = {4, 7}, large[] = {INT64_MAX / 2, 3},
                empty[] = {INT64_MAX / 2, 0};
  title("shape of a result");
  MlirScanBuffer input = {from, f32, 2, shape, NULL};
  MlirScanBuffer output = {to, f32, 2, small, NULL};
  to[0] = 99;
  CHECK_FAILURE(mlirScanExecutableRun(sums, 1, &input, 1, &output));
  CHECK(to[0] == 99);
  title("size");
  input.shape = large;
  CHECK(mlirScanResultsIsNull(mlirScanExecutableCall(sums, 1, &input)));
  title("no elements");
  input.shape = empty;
  output.shape = empty;
  input.data = output.data = NULL;
  CHECK_SUCCESS(mlirScanExecutableRun(sums, 1, &input, 1, &output));
  mlirScanExecutableDestroy(sums);

  title("outputs overlap");
  MlirScanExecutable segments = create(module, "affine", "cpu");
  int32_t a[32] = {0}, b[32] = {0}, c[32] = {0};
  MlirScanElementType i32 = MlirScanElementTypeI32;
  MlirScanBuffer inputs[] = {{a, i32, 2, shape, NULL},
                             {b, i32, 2, shape, NULL}};
  MlirScanBuffer outputs[] = {{c, i32, 2, shape, NULL},
                              {from, i32, 2, shape, NULL},
                              {c + 31, i32, 1, shape, NULL}};
  CHECK_FAILURE(mlirScanExecutableRun(segments, 2, inputs, 3, outputs));
  mlirScanExecutableDestroy(segments);

  title("extents that do not agree");
  MlirScanExecutable recurrence = create(module, "recurrence", "cpu");
  const int64_t first[] = {1, 2, 4}, second[] = {1, 2, 5}, init[] = {1, 4};
  MlirScanBuffer arrays[] = {{from, f32, 3, first, NULL},
                             {from, f32, 3, second, NULL},
                             {from, f32, 2, init, NULL}};
  CHECK(mlirScanResultsIsNull(mlirScanExecutableCall(recurrence, 3, arrays)));
  mlirScanExecutableDestroy(recurrence);
  recurrence = create(module, "recurrence", "reference");
  CHECK(mlirScanResultsIsNull(mlirScanExecutableCall(recurrence, 3, arrays)));
  mlirScanExecutableDestroy(recurrence);

  title("memory");
  MlirScanExecutable huge = create(module, "huge", "cpu");
  CHECK(mlirScanResultsIsNull(mlirScanExecutableCall(huge, 0, NULL)));
  // And once more: a run that failed leaves nothing behind.
  CHECK(mlirScanResultsIsNull(mlirScanExecutableCall(huge, 0, NULL)));
  mlirScanExecutableDestroy(huge);
}

static void checkFlags(MlirModule module) {
  title("flags");
  MlirScanExecutable segments = create(module, "segments", "cpu");
  uint8_t flags[] = {0, 1, 1, 2, 0, 255};
  uint16_t numbers[6] = {0};
  const int64_t six[] = {6}, three[] = {3}, two[] = {2};
  MlirScanElementType i1 = MlirScanElementTypeI1,
                      bf16 = MlirScanElementTypeBF16;
  MlirScanBuffer inputs[] = {{flags, i1, 1, six, NULL},
                             {numbers, bf16, 1, six, NULL}};
  CHECK(mlirScanResultsIsNull(mlirScanExecutableCall(segments, 2, inputs)));
  // Only what is read counts.
  inputs[0] = (MlirScanBuffer){flags, i1, 1, three, two};
  inputs[1].shape = three;
  MlirScanResults results = mlirScanExecutableCall(segments, 2, inputs);
  CHECK(!mlirScanResultsIsNull(results));
  mlirScanResultsDestroy(results);
  inputs[0].data = flags + 1;
  CHECK(mlirScanResultsIsNull(mlirScanExecutableCall(segments, 2, inputs)));
  mlirScanExecutableDestroy(segments);

  MlirScanExecutable flag = create(module, "flag", "cpu");
  MlirScanBuffer scalar = {flags + 5, i1, 0, NULL, NULL};
  CHECK(mlirScanResultsIsNull(mlirScanExecutableCall(flag, 1, &scalar)));
  mlirScanExecutableDestroy(flag);
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IONBF, 0);
  if (argc != 2)
    return EXIT_FAILURE;
  MlirContext context = mlirScanContextCreate(/*threading=*/false);
  mlirScanContextAttachDiagnosticCallback(context, printDiagnostic, NULL);
  MlirModule module = mlirScanModuleParseFile(context, mlirScanString(argv[1]));
  CHECK(module.ptr);
  checkCreation(module);
  executable = create(module, "static", "cpu");
  checkArrays();
  mlirScanExecutableDestroy(executable);
  checkShapes(module);
  checkFlags(module);
  mlirScanModuleDestroy(module);
  mlirScanContextDestroy(context);
  return finish();
}
