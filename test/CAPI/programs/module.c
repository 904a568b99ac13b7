//===- module.c - Programs: read, check, transform, write -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.h"

static const char *const twice =
    "func.func @twice(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
    "  %y = arith.addf %x, %x : tensor<?xf32>\n"
    "  return %y : tensor<?xf32>\n"
    "}\n"
    "func.func private @hidden() { return }\n"
    "func.func private @declared()\n"
    "func.func @sums(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
    "  %unused = arith.addf %x, %x : tensor<?xf32>\n"
    "  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {\n"
    "  ^bb0(%acc: f32, %new: f32):\n"
    "    %s = arith.addf %acc, %new : f32\n"
    "    scan.yield %s : f32\n"
    "  } -> tensor<?xf32>\n"
    "  return %y : tensor<?xf32>\n"
    "}\n";

static MlirModule parse(MlirContext context, const char *text) {
  return mlirScanModuleParse(context, mlirScanString(text),
                             mlirScanString("memory.mlir"));
}

static void read(MlirContext context, const char *example, int *numErrors) {
  MlirModule module = mlirScanModuleParseFile(context, mlirScanString(example));
  CHECK(module.ptr);
  CHECK(mlirScanModuleGetContext(module).ptr == context.ptr);
  CHECK_SUCCESS(mlirScanModuleVerify(module));
  mlirScanModuleDestroy(module);

  // Neither terminated nor at the end of the memory.
  const char text[] = "module {}]]]";
  module = mlirScanModuleParse(context, mlirStringRefCreate(text, 9),
                               mlirScanString("part"));
  CHECK(module.ptr);
  mlirScanModuleDestroy(module);
  module = mlirScanModuleParse(context, mlirScanString(""), mlirScanString(""));
  CHECK(module.ptr);
  mlirScanModuleDestroy(module);
  CHECK(*numErrors == 0);

  title("no such file");
  CHECK(!mlirScanModuleParseFile(context, mlirScanString("/no/such.mlir")).ptr);
  title("syntax");
  CHECK(!parse(context, "func.func @f() {\n  return 7\n}\n").ptr);
  title("verifier");
  CHECK(!parse(context,
               "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
               "  %y = scan.associative ins(%x : tensor<4xf32>) dim = 3 {\n"
               "  ^bb0(%acc: f32, %new: f32):\n"
               "    %s = arith.addf %acc, %new : f32\n"
               "    scan.yield %s : f32\n"
               "  } -> tensor<4xf32>\n"
               "  return %y : tensor<4xf32>\n"
               "}\n")
             .ptr);
  title("verifier with a note");
  CHECK(!parse(context, "func.func @f() { return }\n"
                        "func.func @f() { return }\n")
             .ptr);
  title("unregistered");
  CHECK(!parse(context, "\"other.op\"() : () -> ()").ptr);
  title("bytecode");
  CHECK(!parse(context, "ML\xefRnot bytecode").ptr);
  CHECK(*numErrors >= 6);
}

static void write(MlirContext context) {
  MlirModule module = parse(context, twice);
  Text text = {0}, names = {0}, bytecode = {0}, again = {0};
  CHECK_SUCCESS(mlirScanModulePrint(module, false, append, &text));
  CHECK(contains(getText(&text), "scan.associative"));
  CHECK(!contains(getText(&text), "loc("));

  CHECK_SUCCESS(mlirScanModuleForEachFunction(module, append, &names));
  CHECK(equals(getText(&names), "twicesums"));

  // Through bytecode and back.
  CHECK_SUCCESS(mlirScanModuleWriteBytecode(module, append, &bytecode));
  MlirModule read = mlirScanModuleParse(context, getText(&bytecode),
                                        mlirScanString("bytecode"));
  CHECK(read.ptr);
  CHECK_SUCCESS(mlirScanModulePrint(read, false, append, &again));
  CHECK(equals(getText(&again), text.data));
  mlirScanModuleDestroy(read);

  free(again.data);
  again = (Text){0};
  CHECK_SUCCESS(mlirScanModulePrint(module, true, append, &again));
  CHECK(contains(getText(&again), "loc(\"memory.mlir\":2:8)"));

  // A clone is a module of its own.
  MlirModule clone = mlirScanModuleClone(module);
  CHECK(clone.ptr && clone.ptr != module.ptr);
  mlirScanModuleDestroy(module);
  free(again.data);
  again = (Text){0};
  CHECK_SUCCESS(mlirScanModulePrint(clone, false, append, &again));
  CHECK(equals(getText(&again), text.data));
  mlirScanModuleDestroy(clone);

  free(text.data);
  free(names.data);
  free(bytecode.data);
  free(again.data);
}

static bool transforms(MlirContext context, const char *pipeline,
                       const char *expected, const char *unexpected) {
  MlirModule module = parse(context, twice);
  CHECK_SUCCESS(mlirScanModuleRunPipeline(module, mlirScanString(pipeline)));
  Text text = {0};
  CHECK_SUCCESS(mlirScanModulePrint(module, false, append, &text));
  bool result = contains(getText(&text), expected) &&
                !contains(getText(&text), unexpected);
  free(text.data);
  mlirScanModuleDestroy(module);
  return result;
}

static void fails(MlirContext context, const char *pipeline) {
  title(pipeline);
  MlirModule module = parse(context, twice);
  CHECK_FAILURE(mlirScanModuleRunPipeline(module, mlirScanString(pipeline)));
  // Still good for printing.
  Text text = {0};
  CHECK_SUCCESS(mlirScanModulePrint(module, false, append, &text));
  CHECK(contains(getText(&text), "@sums"));
  free(text.data);
  mlirScanModuleDestroy(module);
}

static void transform(MlirContext context) {
  CHECK(
      transforms(context, "scan-normalize", "scan.kernel", "scan.associative"));
  CHECK(transforms(context, "builtin.module(scan-normalize,canonicalize)",
                   "scan.kernel", "%unused"));
  CHECK(transforms(context, " builtin.module ( func.func(canonicalize) ) ",
                   "scan.associative", "@nothing"));
  CHECK(transforms(context, "func.func(canonicalize),symbol-dce",
                   "scan.associative", "@hidden"));
  CHECK(transforms(context, "", "@hidden", "scan.kernel"));
  CHECK(transforms(context, "scan-to-cpu{vector-bits=256}", "llvm.func",
                   "scan."));

  fails(context, "scan-no-such-pass");
  fails(context, "builtin.module(scan-no-such-pass)");
  fails(context, "scan-normalize{no-such-option=1}");
  fails(context, "builtin.module(canonicalize");
  fails(context, "func.func(canonicalize");
  // A pass that fails, in the middle.
  fails(context, "scan-to-ptx{chip=sm_1}");
}

static void misuse(MlirContext context) {
  MlirContext noContext = {NULL};
  MlirModule null = {NULL};
  MlirStringRef empty = mlirScanString(""),
                wrong = mlirStringRefCreate(NULL, 3);
  MlirModule module = parse(context, twice);
  title("null strings");
  CHECK(!mlirScanModuleParse(context, wrong, empty).ptr);
  CHECK(!mlirScanModuleParse(context, empty, wrong).ptr);
  CHECK(!mlirScanModuleParseFile(context, wrong).ptr);
  CHECK_FAILURE(mlirScanModuleRunPipeline(module, wrong));
  title("null callbacks");
  CHECK_FAILURE(mlirScanModulePrint(module, false, NULL, NULL));
  CHECK_FAILURE(mlirScanModuleWriteBytecode(module, NULL, NULL));
  CHECK_FAILURE(mlirScanModuleForEachFunction(module, NULL, NULL));
  title("null handles");
  CHECK(!mlirScanModuleParse(noContext, empty, empty).ptr);
  CHECK(!mlirScanModuleParseFile(noContext, empty).ptr);
  CHECK(!mlirScanModuleClone(null).ptr);
  CHECK(!mlirScanModuleGetContext(null).ptr);
  CHECK_FAILURE(mlirScanModuleVerify(null));
  CHECK_FAILURE(mlirScanModulePrint(null, false, append, NULL));
  CHECK_FAILURE(mlirScanModuleWriteBytecode(null, append, NULL));
  CHECK_FAILURE(mlirScanModuleForEachFunction(null, append, NULL));
  CHECK_FAILURE(mlirScanModuleRunPipeline(null, empty));
  mlirScanModuleDestroy(null);
  mlirScanModuleDestroy(module);
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IONBF, 0);
  if (argc != 2)
    return EXIT_FAILURE;
  int numErrors = 0;
  MlirContext context = mlirScanContextCreate(/*threading=*/true);
  mlirScanContextAttachDiagnosticCallback(context, printDiagnostic, &numErrors);
  read(context, argv[1], &numErrors);
  write(context);
  transform(context);
  misuse(context);
  mlirScanContextDestroy(context);
  return finish();
}
