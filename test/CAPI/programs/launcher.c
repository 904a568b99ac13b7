//===- launcher.c - Launches PTX on an NVIDIA GPU -------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: scan-c-launcher PROGRAMS REPEAT
//
// The programs are those of the launcher's tests, REPEAT has launches that are
// repeated; the driver is one that takes notes, on standard error.
//
//===----------------------------------------------------------------------===//

#include "common.h"

static Text message = {0};

static MlirScanErrorHandler handler(void) {
  return (MlirScanErrorHandler){append, &message};
}

/// Prints the message of the last error, and that there was one.
static void expectError(bool failed) {
  CHECK(failed && message.length > 0);
  printf("error: %s\n", message.length ? message.data : "none");
  message.length = 0;
  fflush(stdout);
}

static MlirScanFunction find(MlirScanProgram program, const char *name) {
  for (intptr_t i = 0; i < mlirScanProgramGetNumFunctions(program); ++i) {
    MlirScanFunction function = mlirScanProgramGetFunction(program, i);
    if (equals(mlirScanFunctionGetName(function), name))
      return function;
  }
  CHECK(!"found");
  return (MlirScanFunction){NULL};
}

static void devices(MlirScanDevice device) {
  CHECK(mlirScanDeviceGetName(device).length > 0);
  CHECK(mlirScanDeviceGetComputeCapability(device) >= 70);
  MlirScanDevicePointer pointer = 1;
  CHECK_SUCCESS(mlirScanDeviceAllocate(device, 0, &pointer, handler()));
  CHECK(pointer == 0);
  CHECK_SUCCESS(mlirScanDeviceFree(device, 0, handler()));
  CHECK_SUCCESS(mlirScanDeviceAllocate(device, 8, &pointer, handler()));
  int64_t there = 42, back = 0;
  CHECK_SUCCESS(
      mlirScanDeviceCopyToDevice(device, pointer, &there, 8, handler()));
  CHECK_SUCCESS(mlirScanDeviceCopyToHost(device, &back, pointer, 8, handler()));
  CHECK(back == 42);
  MlirScanDevicePointer other = 0;
  CHECK_SUCCESS(mlirScanDeviceAllocate(device, 8, &other, handler()));
  CHECK_SUCCESS(mlirScanDeviceCopyOnDevice(device, other, pointer, 8,
                                           (void *)0x77, handler()));
  CHECK_SUCCESS(
      mlirScanDeviceCopyOnDevice(device, other, pointer, 0, NULL, handler()));
  back = 0;
  CHECK_SUCCESS(mlirScanDeviceCopyToHost(device, &back, other, 8, handler()));
  CHECK(back == 42);
  CHECK_SUCCESS(mlirScanDeviceFree(device, other, handler()));
  CHECK_SUCCESS(mlirScanDeviceFree(device, pointer, handler()));
  CHECK_SUCCESS(mlirScanDeviceSynchronize(device, handler()));
  CHECK(message.length == 0);
}

/// A scan of two kernels, with a number, whose results are in buffers.
static void twice(MlirScanProgram program) {
  MlirScanFunction function = find(program, "twice");
  CHECK(mlirScanFunctionGetNumArguments(function) == 2);
  CHECK(mlirScanFunctionGetNumResults(function) == 2);
  MlirScanArrayType type = mlirScanFunctionGetArgument(function, 0);
  CHECK(type.elementType == MlirScanElementTypeI64 && type.rank == 2 &&
        type.shape[0] == MLIR_SCAN_DYNAMIC && !type.isScalar);
  CHECK(mlirScanFunctionGetArgument(function, 1).isScalar);
  CHECK(mlirScanFunctionGetArgument(function, 2).rank == -1);

  int64_t shape[2] = {5, 70}, number = -3;
  MlirScanBuffer arguments[2] = {
      {NULL, MlirScanElementTypeI64, 2, shape, NULL},
      {&number, MlirScanElementTypeI64, 0, NULL, NULL}};
  MlirScanCall call =
      mlirScanFunctionPrepare(function, 2, arguments, handler());
  CHECK(!mlirScanCallIsNull(call));
  CHECK(mlirScanCallGetNumBuffers(call) == 2);
  CHECK(mlirScanCallGetBuffer(call, 0).shape[1] == 70);
  CHECK(mlirScanCallGetBuffer(call, 2).rank == -1);
  CHECK(mlirScanCallGetNumResults(call) == 2);
  CHECK(mlirScanCallGetResult(call, 1).rank == 1);
  CHECK(mlirScanCallGetResult(call, 1).elementType == MlirScanElementTypeI64);
  CHECK(mlirScanCallGetResult(call, -1).rank == -1);
  CHECK(mlirScanCallGetResultPlace(call, 0).kind == MlirScanPlaceBuffer);
  CHECK(mlirScanCallGetResultPlace(call, 1).index == 1);
  CHECK(mlirScanCallGetResultPlace(call, 2).kind == MlirScanPlaceNone);
  MlirScanDevicePointer inputs[2] = {0x1000, 0}, buffers[2] = {0x2000, 0x3000};
  CHECK_SUCCESS(
      mlirScanCallLaunch(call, 2, inputs, 2, buffers, NULL, handler()));
  CHECK_SUCCESS(
      mlirScanCallLaunch(call, 2, inputs, 2, buffers, &number, handler()));
  fflush(stdout);

  title("launches");
  expectError(mlirLogicalResultIsFailure(
      mlirScanCallLaunch(call, 1, inputs, 2, buffers, NULL, handler())));
  expectError(mlirLogicalResultIsFailure(
      mlirScanCallLaunch(call, 2, inputs, -1, buffers, NULL, handler())));
  expectError(mlirLogicalResultIsFailure(
      mlirScanCallLaunch(call, 2, NULL, 2, buffers, NULL, handler())));
  expectError(mlirLogicalResultIsFailure(
      mlirScanCallLaunch(call, 2, inputs, 2, NULL, NULL, handler())));
  mlirScanCallDestroy(call);

  // The kernels of this function need no memory beside their buffers.
  MlirScanCall captured =
      mlirScanFunctionPrepareForGraph(function, 2, arguments, handler());
  CHECK(mlirScanCallGetNumBuffers(captured) == 2);
  mlirScanCallDestroy(captured);

  title("arguments");
#define PREPARE(count, array)                                                  \
  expectError(mlirScanCallIsNull(                                              \
      mlirScanFunctionPrepare(function, count, array, handler())))
  PREPARE(1, arguments);
  PREPARE(2, NULL);
  arguments[0].elementType = MlirScanElementTypeF64;
  PREPARE(2, arguments);
  arguments[0].elementType = MlirScanElementTypeI64;
  arguments[0].rank = 1;
  PREPARE(2, arguments);
  arguments[0].rank = 2;
  arguments[0].shape = NULL;
  PREPARE(2, arguments);
  shape[1] = -1;
  arguments[0].shape = shape;
  PREPARE(2, arguments);
  shape[1] = 70;
  arguments[1].data = NULL;
  PREPARE(2, arguments);
}

/// Results that are an argument and a constant.
static void same(MlirScanProgram program) {
  int64_t shape[1] = {4};
  MlirScanBuffer argument = {NULL, MlirScanElementTypeF32, 1, shape, NULL};
  MlirScanCall call =
      mlirScanFunctionPrepare(find(program, "same"), 1, &argument, handler());
  CHECK(!mlirScanCallIsNull(call));
  CHECK(mlirScanCallGetResultPlace(call, 0).kind == MlirScanPlaceArgument);
  CHECK(mlirScanCallGetResultPlace(call, 0).index == 0);
  // The program goes first, and stays until the call is done with it.
  mlirScanProgramDestroy(program);
  MlirScanResultPlace place = mlirScanCallGetResultPlace(call, 2);
  CHECK(place.kind == MlirScanPlaceConstant && place.constant != 0);
  mlirScanCallDestroy(call);
}

/// Counts the names of kernels.
static void count(MlirStringRef name, void *number) {
  CHECK(name.length > 0);
  ++*(int *)number;
}

static int countMissing(MlirScanFunction function,
                        const MlirScanBuffer arguments[2]) {
  int missing = 0;
  CHECK_SUCCESS(mlirScanFunctionGetMissing(function, 2, arguments, count,
                                           &missing, handler()));
  return missing;
}

/// Launches that are repeated as often as an extent says: of a program whose
/// kernels come one by one. How many steps there are does not say which kernels
/// a call needs.
static void repeated(MlirScanDevice device, MlirModule module) {
  MlirScanKernels kernels = mlirScanKernelsCreate(module, NULL);
  CHECK(!mlirScanKernelsIsNull(kernels));
  MlirScanProgram program = mlirScanProgramLoadManifest(
      device, mlirScanKernelsGetManifest(kernels), handler());
  MlirScanFunction function = find(program, "stages");
  int64_t steps[2] = {3, 40}, row[2] = {1, 40};
  MlirScanBuffer arguments[2] = {{NULL, MlirScanElementTypeF32, 2, steps, NULL},
                                 {NULL, MlirScanElementTypeF32, 2, row, NULL}};
  CHECK(countMissing(function, arguments) == 4);
  CHECK(mlirScanCallIsNull(
      mlirScanFunctionPrepare(function, 2, arguments, handler())));
  message.length = 0;
  for (intptr_t i = 0; i < mlirScanKernelsGetNum(kernels); ++i) {
    MlirScanPTX ptx = mlirScanKernelsCompile(kernels, i, handler());
    CHECK_SUCCESS(
        mlirScanProgramAdd(program, mlirScanPTXGetText(ptx), handler()));
    mlirScanPTXDestroy(ptx);
  }
  CHECK(countMissing(function, arguments) == 0);
  mlirScanKernelsDestroy(kernels);

  for (steps[0] = 2; steps[0] >= 0; --steps[0]) {
    // The one for graphs allocates nothing itself.
    MlirScanCall call =
        steps[0] == 1
            ? mlirScanFunctionPrepareForGraph(function, 2, arguments, handler())
            : mlirScanFunctionPrepare(function, 2, arguments, handler());
    CHECK(!mlirScanCallIsNull(call));
    // Two results, the history and what a step has between its launches.
    CHECK(mlirScanCallGetNumBuffers(call) == 4);
    CHECK(mlirScanCallGetResult(call, 0).shape[0] == steps[0]);
    MlirScanDevicePointer inputs[2] = {0x1000, 0x2000};
    MlirScanDevicePointer buffers[4] = {0x3000, 0x4000, 0x5000, 0x6000};
    fprintf(stderr, "steps %d\n", (int)steps[0]);
    CHECK_SUCCESS(
        mlirScanCallLaunch(call, 2, inputs, 4, buffers, NULL, handler()));
    mlirScanCallDestroy(call);
  }
  mlirScanProgramDestroy(program);
}

static void nothing(MlirScanDevice device) {
  title("nothing");
  MlirScanDevice none = {NULL};
  MlirScanDevicePointer pointer = 0;
  int64_t word = 0;
#define FAILS(call) expectError(mlirLogicalResultIsFailure(call))
  expectError(mlirScanDeviceIsNull(mlirScanDeviceOpen(99, handler())));
  FAILS(mlirScanDeviceAllocate(none, 8, &pointer, handler()));
  FAILS(mlirScanDeviceAllocate(device, 8, NULL, handler()));
  FAILS(mlirScanDeviceAllocate(device, -8, &pointer, handler()));
  FAILS(mlirScanDeviceFree(none, 0, handler()));
  FAILS(mlirScanDeviceCopyToDevice(none, 0, &word, 8, handler()));
  FAILS(mlirScanDeviceCopyToHost(none, &word, 0, 8, handler()));
  FAILS(mlirScanDeviceCopyOnDevice(none, 0, 0, 8, NULL, handler()));
  FAILS(mlirScanDeviceSynchronize(none, handler()));
  MlirStringRef text = mlirScanString("text");
  expectError(
      mlirScanProgramIsNull(mlirScanProgramLoad(none, text, text, handler())));
  expectError(mlirScanProgramIsNull(mlirScanProgramLoad(
      device, mlirStringRefCreate(NULL, 0), text, handler())));
  expectError(mlirScanProgramIsNull(mlirScanProgramLoad(
      device, text, mlirStringRefCreate(NULL, 0), handler())));
  expectError(mlirScanProgramIsNull(
      mlirScanProgramLoad(device, text, text, handler())));
  expectError(mlirScanCallIsNull(
      mlirScanFunctionPrepare((MlirScanFunction){NULL}, 0, NULL, handler())));
  expectError(mlirScanCallIsNull(mlirScanFunctionPrepareForGraph(
      (MlirScanFunction){NULL}, 0, NULL, handler())));
  FAILS(mlirScanCallLaunch((MlirScanCall){NULL}, 0, NULL, 0, NULL, NULL,
                           handler()));
  FAILS(mlirScanProgramCheck((MlirScanProgram){NULL}, handler()));
  // Nobody has to listen.
  MlirScanErrorHandler deaf = {NULL, NULL};
  CHECK_FAILURE(mlirScanDeviceSynchronize(none, deaf));

  CHECK(equals(mlirScanDeviceGetName(none), ""));
  CHECK(mlirScanDeviceGetComputeCapability(none) == -1);
  CHECK(!mlirScanDeviceIsCapturing(none, NULL));
  CHECK(!mlirScanDeviceIsCapturing(device, NULL));
  MlirScanProgram noProgram = {NULL};
  CHECK(mlirScanProgramGetNumFunctions(noProgram) == -1);
  MlirScanFunction noFunction = mlirScanProgramGetFunction(noProgram, 0);
  CHECK(!noFunction.ptr);
  CHECK(equals(mlirScanFunctionGetName(noFunction), ""));
  CHECK(mlirScanFunctionGetNumArguments(noFunction) == -1);
  CHECK(mlirScanFunctionGetNumResults(noFunction) == -1);
  CHECK(mlirScanFunctionGetArgument(noFunction, 0).rank == -1);
  MlirScanCall noCall = {NULL};
  CHECK(mlirScanCallGetNumBuffers(noCall) == -1);
  CHECK(mlirScanCallGetNumResults(noCall) == -1);
  CHECK(mlirScanCallGetBuffer(noCall, 0).rank == -1);
  CHECK(mlirScanCallGetResult(noCall, 0).rank == -1);
  CHECK(mlirScanCallGetResultPlace(noCall, 0).kind == MlirScanPlaceNone);
  mlirScanCallDestroy(noCall);
  mlirScanProgramDestroy(noProgram);
  mlirScanDeviceDestroy(none);
}

int main(int argc, char **argv) {
  if (argc != 3)
    return EXIT_FAILURE;
  MlirScanDevice device = mlirScanDeviceOpen(0, handler());
  if (mlirScanDeviceIsNull(device)) {
    expectError(true);
    return finish();
  }
  MlirContext context = mlirScanContextCreate(/*threading=*/false);
  MlirModule module = mlirScanModuleParseFile(context, mlirScanString(argv[1]));
  MlirScanPTX ptx = mlirScanPTXCompile(module, NULL);
  CHECK(!mlirScanPTXIsNull(ptx));
  MlirScanProgram program = mlirScanProgramLoad(
      device, mlirScanPTXGetText(ptx), mlirScanPTXGetManifest(ptx), handler());
  CHECK(!mlirScanProgramIsNull(program));
  mlirScanPTXDestroy(ptx);
  mlirScanModuleDestroy(module);
  MlirModule steps = mlirScanModuleParseFile(context, mlirScanString(argv[2]));
  repeated(device, steps);
  mlirScanModuleDestroy(steps);
  mlirScanContextDestroy(context);

  devices(device);
  nothing(device);
  // Whoever needs the device keeps it.
  mlirScanDeviceDestroy(device);
  twice(program);
  same(program);
  free(message.data);
  return finish();
}
