//===- kernels.c - Programs to PTX, kernel by kernel ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: scan-c-kernels
//
// The driver is one that takes notes, on standard error. A sum along one
// dimension has three kernels: for a few thousand elements, for more, and for
// very many.
//
//===----------------------------------------------------------------------===//

#include "common.h"

#include <pthread.h>

#define SUMS(more)                                                             \
  "func.func @sums(%x: tensor<?xf32>) -> tensor<?xf32> {\n"                    \
  "  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {\n"                \
  "  ^bb0(%acc: f32, %new: f32):\n"                                            \
  "    %s = arith.addf %acc, %new : f32\n"                                     \
  "    scan.yield %s : f32\n"                                                  \
  "  } -> tensor<?xf32>\n" more "}"

static Text message = {0};
/// On the device, for a workspace.
static MlirScanDevicePointer memory = 0;

static MlirScanErrorHandler handler(void) {
  return (MlirScanErrorHandler){append, &message};
}

static void expectError(bool failed) {
  CHECK(failed && message.length > 0);
  printf("error: %s\n", message.length ? message.data : "none");
  message.length = 0;
}

static MlirModule parse(MlirContext context, const char *text) {
  MlirModule module = mlirScanModuleParse(context, mlirScanString(text),
                                          mlirScanString("memory.mlir"));
  CHECK(module.ptr);
  return module;
}

/// What is behind the header of a PTX.
static const char *getBody(MlirStringRef ptx) {
  const char *end = strstr(ptx.data, ".address_size 64\n");
  return end ? strchr(end, '\n') : "";
}

/// The kernels of `module`: each is a part of the PTX of all.
static MlirScanKernels compile(MlirModule module) {
  // There would be more of them by default than of a whole program.
  MlirScanPTXOptions options = mlirScanPTXOptionsGetDefault();
  options.maxVariants = 3;
  MlirScanKernels kernels = mlirScanKernelsCreate(module, &options);
  CHECK(!mlirScanKernelsIsNull(kernels));
  MlirScanPTX whole = mlirScanPTXCompile(module, &options);
  CHECK(!mlirScanPTXIsNull(whole));

  intptr_t count = mlirScanKernelsGetNum(kernels);
  CHECK(count == 3);
  size_t length = 0;
  for (intptr_t i = 0; i < count; ++i) {
    MlirStringRef name = mlirScanKernelsGetName(kernels, i);
    CHECK(mlirScanKernelsFind(kernels, name) == i);
    MlirScanPTX part = mlirScanKernelsCompile(kernels, i, handler());
    CHECK(!mlirScanPTXIsNull(part));
    MlirStringRef text = mlirScanPTXGetText(part);
    CHECK(contains(mlirScanPTXGetText(whole), getBody(text)));
    CHECK(contains(text, ".target sm_90"));
    length += strlen(getBody(text));
    CHECK(mlirScanPTXGetManifest(part).length == 0);
    mlirScanPTXDestroy(part);
  }
  // Without what PTX texts have in front.
  CHECK(length == strlen(getBody(mlirScanPTXGetText(whole))) + 2);

  // The manifests differ by the hash, which one of them has.
  const char *all = mlirScanPTXGetManifest(whole).data;
  const char *hash = strstr(all, "  \"ptx_sha256\"");
  MlirStringRef manifest = mlirScanKernelsGetManifest(kernels);
  CHECK(hash && strncmp(manifest.data, all, (size_t)(hash - all)) == 0);
  CHECK(hash &&
        equals(mlirStringRefCreate(manifest.data + (hash - all),
                                   manifest.length - (size_t)(hash - all)),
               strchr(hash, '\n') + 1));
  printf("%s", manifest.data);
  mlirScanPTXDestroy(whole);
  return kernels;
}

/// What was written and read compiles to the same.
static MlirScanKernels writeAndRead(MlirScanKernels kernels) {
  Text bytes = {0}, again = {0};
  CHECK_SUCCESS(mlirScanKernelsWrite(kernels, append, &bytes));
  MlirScanKernels read = mlirScanKernelsRead(getText(&bytes));
  CHECK(!mlirScanKernelsIsNull(read));
  CHECK(equals(mlirScanKernelsGetManifest(read),
               mlirScanKernelsGetManifest(kernels).data));
  CHECK_SUCCESS(mlirScanKernelsWrite(read, append, &again));
  CHECK(again.length == bytes.length &&
        memcmp(again.data, bytes.data, bytes.length) == 0);
  MlirScanPTX first = mlirScanKernelsCompile(kernels, 1, handler());
  MlirScanPTX second = mlirScanKernelsCompile(read, 1, handler());
  CHECK(equals(mlirScanPTXGetText(second), mlirScanPTXGetText(first).data));
  mlirScanPTXDestroy(first);
  mlirScanPTXDestroy(second);
  // Cut off anywhere, or with more behind it, it is nothing.
  for (size_t length = 0; length < bytes.length;
       length += 1 + bytes.length / 97)
    CHECK(mlirScanKernelsIsNull(
        mlirScanKernelsRead(mlirStringRefCreate(bytes.data, length))));
  append(mlirScanString("x"), &bytes);
  CHECK(mlirScanKernelsIsNull(mlirScanKernelsRead(getText(&bytes))));
  CHECK_FAILURE(mlirScanKernelsWrite((MlirScanKernels){NULL}, append, &bytes));
  CHECK_FAILURE(mlirScanKernelsWrite(kernels, NULL, &bytes));
  free(bytes.data);
  free(again.data);
  mlirScanKernelsDestroy(kernels);
  return read;
}

typedef struct Worker {
  pthread_t thread;
  MlirScanKernels kernels;
  MlirScanPTX ptx;
} Worker;

static void *compileFirst(void *argument) {
  Worker *worker = argument;
  MlirScanErrorHandler deaf = {NULL, NULL};
  worker->ptx = mlirScanKernelsCompile(worker->kernels, 0, deaf);
  return NULL;
}

/// Several threads compile one kernel.
static void compileAtOnce(MlirScanKernels kernels) {
  Worker workers[3];
  for (int i = 0; i < 3; ++i) {
    workers[i].kernels = kernels;
    CHECK(pthread_create(&workers[i].thread, NULL, compileFirst, &workers[i]) ==
          0);
  }
  for (int i = 0; i < 3; ++i) {
    pthread_join(workers[i].thread, NULL);
    CHECK(!mlirScanPTXIsNull(workers[i].ptx));
    CHECK(equals(mlirScanPTXGetText(workers[i].ptx),
                 mlirScanPTXGetText(workers[0].ptx).data));
  }
  for (int i = 0; i < 3; ++i)
    mlirScanPTXDestroy(workers[i].ptx);
}

/// Launches a prepared call and destroys it.
static void launch(MlirScanCall call, bool isBest) {
  CHECK(!mlirScanCallIsNull(call));
  CHECK(mlirScanCallIsBest(call) == isBest);
  MlirScanDevicePointer input = 0x1000, buffers[2] = {0x2000, memory};
  CHECK_SUCCESS(mlirScanCallLaunch(call, 1, &input,
                                   mlirScanCallGetNumBuffers(call), buffers,
                                   NULL, handler()));
  mlirScanCallDestroy(call);
}

static void loadKernel(MlirScanProgram program, MlirScanKernels kernels,
                       const Text *name) {
  intptr_t number = mlirScanKernelsFind(kernels, getText(name));
  MlirScanPTX ptx = mlirScanKernelsCompile(kernels, number, handler());
  CHECK_SUCCESS(
      mlirScanProgramAdd(program, mlirScanPTXGetText(ptx), handler()));
  mlirScanPTXDestroy(ptx);
}

/// Calls with few elements and with many, of which the kernels come one by one.
static void launchAsTheyCome(MlirScanDevice device, MlirScanKernels kernels) {
  title("launches");
  MlirScanProgram program = mlirScanProgramLoadManifest(
      device, mlirScanKernelsGetManifest(kernels), handler());
  CHECK(!mlirScanProgramIsNull(program));
  MlirScanFunction function = mlirScanProgramGetFunction(program, 0);
  int64_t few = 100, many = 100000, most = 1 << 28;
  MlirScanBuffer small = {NULL, MlirScanElementTypeF32, 1, &few, NULL};
  MlirScanBuffer large = {NULL, MlirScanElementTypeF32, 1, &many, NULL};
  MlirScanBuffer huge = {NULL, MlirScanElementTypeF32, 1, &most, NULL};

  Text first = {0}, second = {0}, none = {0};
  CHECK_SUCCESS(mlirScanFunctionGetMissing(function, 1, &small, append, &first,
                                           handler()));
  CHECK_SUCCESS(mlirScanFunctionGetMissing(function, 1, &large, append, &second,
                                           handler()));
  printf("missing: %s %s\n", first.data, second.data);
  expectError(mlirScanCallIsNull(
      mlirScanFunctionPrepare(function, 1, &small, handler())));
  // Nothing is there that could stand in.
  expectError(mlirScanCallIsNull(mlirScanFunctionPrepareAvailable(
      function, 1, &small, /*forGraph=*/false, handler())));

  loadKernel(program, kernels, &first);
  CHECK_SUCCESS(mlirScanFunctionGetMissing(function, 1, &small, append, &none,
                                           handler()));
  CHECK(none.length == 0);
  fprintf(stderr, "few\n");
  launch(mlirScanFunctionPrepare(function, 1, &small, handler()), true);
  launch(
      mlirScanFunctionPrepareAvailable(function, 1, &small, false, handler()),
      true);

  // The kernel for few does for more, but not for very many, of which each of
  // its threads would have a million.
  fprintf(stderr, "more\n");
  expectError(mlirScanCallIsNull(
      mlirScanFunctionPrepare(function, 1, &large, handler())));
  launch(
      mlirScanFunctionPrepareAvailable(function, 1, &large, false, handler()),
      false);
  expectError(mlirScanCallIsNull(mlirScanFunctionPrepareAvailable(
      function, 1, &huge, /*forGraph=*/false, handler())));

  // A call that was prepared before keeps its kernel.
  MlirScanCall before = mlirScanFunctionPrepareAvailable(
      function, 1, &large, /*forGraph=*/true, handler());
  CHECK(mlirScanCallGetNumBuffers(before) == 1);
  loadKernel(program, kernels, &second);
  loadKernel(program, kernels, &second);
  fprintf(stderr, "many\n");
  launch(before, false);
  launch(mlirScanFunctionPrepare(function, 1, &large, handler()), true);
  MlirScanCall graph = mlirScanFunctionPrepareAvailable(
      function, 1, &large, /*forGraph=*/true, handler());
  CHECK(mlirScanCallGetNumBuffers(graph) == 2);
  launch(graph, true);
  // The kernel for many does for very many.
  launch(mlirScanFunctionPrepareAvailable(function, 1, &huge, false, handler()),
         false);
  mlirScanProgramDestroy(program);
  free(first.data);
  free(second.data);
}

static void fail(MlirContext context, MlirScanDevice device,
                 MlirScanKernels kernels) {
  title("errors");
  MlirScanKernels null = {NULL};
  MlirScanProgram program = mlirScanProgramLoadManifest(
      device, mlirScanKernelsGetManifest(kernels), handler());
  MlirScanFunction function = mlirScanProgramGetFunction(program, 0);
  expectError(mlirScanPTXIsNull(mlirScanKernelsCompile(null, 0, handler())));
  expectError(mlirScanPTXIsNull(mlirScanKernelsCompile(kernels, 3, handler())));
  expectError(
      mlirScanPTXIsNull(mlirScanKernelsCompile(kernels, -1, handler())));
  // The function is missing from libdevice, which is looked at last.
  MlirModule module = parse(context, SUMS("  %z = math.sin %y : tensor<?xf32>\n"
                                          "  return %z : tensor<?xf32>\n"));
  MlirScanPTXOptions options = mlirScanPTXOptionsGetDefault();
  options.libdevice = mlirScanString("/no/such/libdevice.bc");
  MlirScanKernels sines = mlirScanKernelsCreate(module, &options);
  CHECK(!mlirScanKernelsIsNull(sines));
  expectError(mlirScanPTXIsNull(mlirScanKernelsCompile(sines, 0, handler())));
  options.chip = mlirScanString("sm_1");
  CHECK(mlirScanKernelsIsNull(mlirScanKernelsCreate(module, &options)));
  CHECK(mlirScanKernelsIsNull(mlirScanKernelsCreate((MlirModule){NULL}, NULL)));
  mlirScanKernelsDestroy(sines);
  mlirScanModuleDestroy(module);

  MlirStringRef text = mlirScanString("text"), noText = {NULL, 0};
  MlirScanDevice noDevice = {NULL};
  MlirScanProgram noProgram = {NULL};
#define LOAD(device, manifest)                                                 \
  expectError(mlirScanProgramIsNull(                                           \
      mlirScanProgramLoadManifest(device, manifest, handler())))
  LOAD(noDevice, text);
  LOAD(device, noText);
  LOAD(device, text);
#define ADD(program, ptx)                                                      \
  expectError(                                                                 \
      mlirLogicalResultIsFailure(mlirScanProgramAdd(program, ptx, handler())))
  ADD(noProgram, text);
  ADD(program, noText);
  ADD(program, text);
  // A kernel of another program has another number of parameters.
  ADD(program, mlirScanString(".visible .entry sums_scan0(.param .u64 p) {}"));
#define MISSING(function, count, callback)                                     \
  expectError(mlirLogicalResultIsFailure(mlirScanFunctionGetMissing(           \
      function, count, NULL, callback, &message, handler())))
  MISSING((MlirScanFunction){NULL}, 1, append);
  MISSING(function, 1, NULL);
  MISSING(function, 2, append);
  MISSING(function, 1, append);
  expectError(mlirScanCallIsNull(mlirScanFunctionPrepareAvailable(
      (MlirScanFunction){NULL}, 0, NULL, false, handler())));

  CHECK(mlirScanKernelsGetNum(null) == -1);
  CHECK(mlirScanKernelsGetManifest(null).length == 0);
  CHECK(mlirScanKernelsGetName(null, 0).length == 0);
  CHECK(mlirScanKernelsGetName(kernels, 3).length == 0);
  CHECK(mlirScanKernelsFind(null, text) == -1);
  CHECK(mlirScanKernelsFind(kernels, text) == -1);
  CHECK(!mlirScanCallIsBest((MlirScanCall){NULL}));
  mlirScanKernelsDestroy(null);
  mlirScanProgramDestroy(program);
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  MlirScanDevice device = mlirScanDeviceOpen(0, handler());
  CHECK(!mlirScanDeviceIsNull(device));
  CHECK_SUCCESS(mlirScanDeviceAllocate(device, 4096, &memory, handler()));
  MlirContext context = mlirScanContextCreate(/*threading=*/false);
  mlirScanContextAttachDiagnosticCallback(context, printDiagnostic, NULL);
  MlirModule module = parse(context, SUMS("  return %y : tensor<?xf32>\n"));
  MlirScanKernels kernels = compile(module);
  // Neither module nor context are needed any more.
  mlirScanModuleDestroy(module);
  kernels = writeAndRead(kernels);
  compileAtOnce(kernels);
  launchAsTheyCome(device, kernels);
  fail(context, device, kernels);
  mlirScanContextDestroy(context);
  mlirScanKernelsDestroy(kernels);
  CHECK_SUCCESS(mlirScanDeviceFree(device, memory, handler()));
  mlirScanDeviceDestroy(device);
  free(message.data);
  return finish();
}
