//===- ptx.c - Programs to PTX and a launch manifest ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.h"

#define SUM(name)                                                              \
  "func.func @" name "(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {\n"            \
  "  %y = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 {\n"              \
  "  ^bb0(%acc: f32, %new: f32):\n"                                            \
  "    %s = arith.addf %acc, %new : f32\n"                                     \
  "    scan.yield %s : f32\n"                                                  \
  "  } -> tensor<?x?xf32>\n"

static const char *const sums = SUM("sums") "  return %y : tensor<?x?xf32>\n}";
static const char *const sines =
    SUM("sines") "  %z = math.sin %y : tensor<?x?xf32>\n"
                 "  return %z : tensor<?x?xf32>\n}";

static MlirModule parse(MlirContext context, const char *text) {
  MlirModule module = mlirScanModuleParse(context, mlirScanString(text),
                                          mlirScanString("memory.mlir"));
  CHECK(module.ptr);
  return module;
}

static bool isTerminated(MlirStringRef text) {
  return text.data && text.data[text.length] == '\0' &&
         strlen(text.data) == text.length;
}

static void compile(MlirContext context) {
  MlirModule module = parse(context, sums);
  Text before = {0}, after = {0};
  mlirScanModulePrint(module, true, append, &before);

  MlirScanPTX first = mlirScanPTXCompile(module, NULL);
  CHECK(!mlirScanPTXIsNull(first));
  MlirScanPTXOptions options = mlirScanPTXOptionsGetDefault();
  options.chip = mlirScanString("");
  MlirScanPTX second = mlirScanPTXCompile(module, &options);
  CHECK(!mlirScanPTXIsNull(second));
  options.chip = mlirScanString("sm_80");
  options.ptxIsa = 80;
  options.optLevel = 1;
  MlirScanPTX third = mlirScanPTXCompile(module, &options);
  CHECK(!mlirScanPTXIsNull(third));

  // One kernel instead of some for different extents.
  options = mlirScanPTXOptionsGetDefault();
  options.dispatch = false;
  MlirScanPTX one = mlirScanPTXCompile(module, &options);
  CHECK(!mlirScanPTXIsNull(one));
  CHECK(contains(mlirScanPTXGetManifest(first), "\"when\""));
  CHECK(!contains(mlirScanPTXGetManifest(one), "\"when\""));
  mlirScanPTXDestroy(one);

  // The module is as it was; nothing depends on it any more.
  mlirScanModulePrint(module, true, append, &after);
  CHECK(equals(getText(&after), before.data));
  mlirScanModuleDestroy(module);
  free(before.data);
  free(after.data);

  CHECK(isTerminated(mlirScanPTXGetText(first)));
  CHECK(isTerminated(mlirScanPTXGetManifest(first)));
  CHECK(contains(mlirScanPTXGetText(first), ".target sm_90"));
  CHECK(contains(mlirScanPTXGetText(first), ".visible .entry"));
  CHECK(contains(mlirScanPTXGetManifest(first), "\"chip\""));
  CHECK(contains(mlirScanPTXGetManifest(first), "sums"));
  CHECK(equals(mlirScanPTXGetText(second), mlirScanPTXGetText(first).data));
  CHECK(equals(mlirScanPTXGetManifest(second),
               mlirScanPTXGetManifest(first).data));
  CHECK(contains(mlirScanPTXGetText(third), ".target sm_80"));
  CHECK(contains(mlirScanPTXGetText(third), ".version 8.0"));
  mlirScanPTXDestroy(first);
  mlirScanPTXDestroy(second);
  mlirScanPTXDestroy(third);
}

/// What the command line tool writes for the same program: `ptx` and `json`.
static void compare(MlirContext context, const char *program, FILE *ptx,
                    FILE *json) {
  MlirModule module = mlirScanModuleParseFile(context, mlirScanString(program));
  MlirScanPTX compiled = mlirScanPTXCompile(module, NULL);
  CHECK(!mlirScanPTXIsNull(compiled));
  MlirStringRef text = mlirScanPTXGetText(compiled);
  MlirStringRef manifest = mlirScanPTXGetManifest(compiled);
  CHECK(fwrite(text.data, 1, text.length, ptx) == text.length);
  CHECK(fwrite(manifest.data, 1, manifest.length, json) == manifest.length);
  mlirScanPTXDestroy(compiled);
  mlirScanModuleDestroy(module);
}

static void fail(MlirContext context, const char *program, const char *chip,
                 uint32_t ptxIsa, uint32_t optLevel, const char *libdevice) {
  MlirModule module = parse(context, program);
  MlirScanPTXOptions options = mlirScanPTXOptionsGetDefault();
  options.chip = mlirScanString(chip);
  options.ptxIsa = ptxIsa;
  options.optLevel = optLevel;
  options.libdevice = mlirScanString(libdevice);
  CHECK(mlirScanPTXIsNull(mlirScanPTXCompile(module, &options)));
  mlirScanModuleDestroy(module);
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IONBF, 0);
  int numErrors = 0;
  MlirContext context = mlirScanContextCreate(/*threading=*/false);
  mlirScanContextAttachDiagnosticCallback(context, printDiagnostic, &numErrors);
  compile(context);
  CHECK(numErrors == 0);
  if (argc == 4) {
    FILE *ptx = fopen(argv[2], "wb"), *json = fopen(argv[3], "wb");
    CHECK(ptx && json);
    if (ptx && json)
      compare(context, argv[1], ptx, json);
    if (ptx)
      fclose(ptx);
    if (json)
      fclose(json);
  }
  CHECK(numErrors == 0);

  title("chip");
  fail(context, sums, "sm_1", 0, 3, "");
  title("PTX ISA");
  fail(context, sums, "sm_90", 60, 3, "");
  title("level");
  fail(context, sums, "sm_90", 0, 4, "");
  title("libdevice");
  fail(context, sines, "sm_90", 0, 3, "/no/such/libdevice.bc");
  title("host");
  fail(context,
       "func.func @host(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
       "  %c0 = arith.constant 0 : index\n"
       "  %v = tensor.extract %x[%c0] : tensor<4xf32>\n"
       "  vector.print %v : f32\n"
       "  return %x : tensor<4xf32>\n}",
       "sm_90", 0, 3, "");
  CHECK(numErrors == 5);

  title("null strings");
  MlirModule module = parse(context, sums);
  MlirScanPTXOptions options = mlirScanPTXOptionsGetDefault();
  options.chip = mlirStringRefCreate(NULL, 5);
  CHECK(mlirScanPTXIsNull(mlirScanPTXCompile(module, &options)));
  options = mlirScanPTXOptionsGetDefault();
  options.libdevice = mlirStringRefCreate(NULL, 5);
  CHECK(mlirScanPTXIsNull(mlirScanPTXCompile(module, &options)));
  mlirScanModuleDestroy(module);

  title("null handles");
  MlirModule noModule = {NULL};
  MlirScanPTX null = {NULL};
  CHECK(mlirScanPTXIsNull(mlirScanPTXCompile(noModule, NULL)));
  CHECK(mlirScanPTXGetText(null).length == 0);
  CHECK(mlirScanPTXGetManifest(null).length == 0);
  mlirScanPTXDestroy(null);
  mlirScanContextDestroy(context);
  return finish();
}
