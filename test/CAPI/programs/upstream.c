//===- upstream.c - Beside MLIR's own C interface -------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.h"

#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/Func.h"
#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

static const char *const sums =
    "func.func @sums(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
    "  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {\n"
    "  ^bb0(%acc: f32, %new: f32):\n"
    "    %s = arith.addf %acc, %new : f32\n"
    "    scan.yield %s : f32\n"
    "  } -> tensor<?xf32>\n"
    "  return %y : tensor<?xf32>\n"
    "}\n";

static void run(MlirModule module) {
  MlirScanExecutable executable = mlirScanExecutableCreate(
      module, mlirScanString("sums"), mlirScanString("cpu"));
  CHECK(!mlirScanExecutableIsNull(executable));
  float x[] = {1, 2, 3}, y[3] = {0};
  const int64_t shape[] = {3};
  MlirScanBuffer input = {x, MlirScanElementTypeF32, 1, shape, NULL};
  MlirScanBuffer output = {y, MlirScanElementTypeF32, 1, shape, NULL};
  CHECK_SUCCESS(mlirScanExecutableRun(executable, 1, &input, 1, &output));
  CHECK(y[0] == 1 && y[1] == 3 && y[2] == 6);
  mlirScanExecutableDestroy(executable);
}

/// The operation of that name below `operation`, the first one.
static MlirOperation find(MlirOperation operation, const char *name) {
  MlirOperation none = {NULL};
  if (equals(mlirIdentifierStr(mlirOperationGetName(operation)), name))
    return operation;
  for (MlirRegion region = mlirOperationGetFirstRegion(operation);
       !mlirRegionIsNull(region); region = mlirRegionGetNextInOperation(region))
    for (MlirBlock block = mlirRegionGetFirstBlock(region);
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      for (MlirOperation inner = mlirBlockGetFirstOperation(block);
           !mlirOperationIsNull(inner);
           inner = mlirOperationGetNextInBlock(inner)) {
        MlirOperation found = find(inner, name);
        if (!mlirOperationIsNull(found))
          return found;
      }
  return none;
}

/// A program that was broken after it was parsed is refused by everything.
static void breakModule(MlirContext context, MlirModule module) {
  MlirOperation scan = find(mlirModuleGetOperation(module), "scan.associative");
  CHECK(!mlirOperationIsNull(scan));
  MlirAttribute seven =
      mlirAttributeParseGet(context, mlirScanString("7 : i64"));
  mlirOperationSetAttributeByName(scan, mlirScanString("dim"), seven);
  title("verify");
  CHECK_FAILURE(mlirScanModuleVerify(module));
  title("run a pipeline");
  CHECK_FAILURE(mlirScanModuleRunPipeline(module, mlirScanString("cse")));
  title("compile");
  CHECK(mlirScanPTXIsNull(mlirScanPTXCompile(module, NULL)));
  title("prepare to run");
  CHECK(mlirScanExecutableIsNull(mlirScanExecutableCreate(
      module, mlirScanString("sums"), mlirScanString("cpu"))));
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  // A context of MLIR's with our dialects.
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirScanRegisterAllDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  MlirDiagnosticHandlerID id =
      mlirScanContextAttachDiagnosticCallback(context, printDiagnostic, NULL);
  MlirModule module =
      mlirModuleCreateParse(context, mlirStringRefCreateFromCString(sums));
  CHECK(!mlirModuleIsNull(module));
  run(module);
  MlirScanPTX ptx = mlirScanPTXCompile(module, NULL);
  CHECK(!mlirScanPTXIsNull(ptx));
  mlirScanPTXDestroy(ptx);

  // MLIR's pass manager, our passes.
  mlirScanRegisterAllPasses();
  MlirModule clone = mlirScanModuleClone(module);
  MlirPassManager manager = mlirPassManagerCreate(context);
  Text errors = {0};
  append(mlirScanString(""), &errors);
  CHECK_SUCCESS(mlirParsePassPipeline(
      mlirPassManagerGetAsOpPassManager(manager),
      mlirScanString("builtin.module(scan-normalize,scan-bufferize)"), append,
      &errors));
  CHECK_SUCCESS(mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(clone)));
  MlirOperation kernel = find(mlirModuleGetOperation(clone), "scan.kernel");
  CHECK(!mlirOperationIsNull(kernel));
  mlirPassManagerDestroy(manager);
  free(errors.data);
  // What ours cloned, theirs destroys.
  mlirModuleDestroy(clone);

  breakModule(context, module);
  mlirModuleDestroy(module);
  mlirScanContextDetachDiagnosticCallback(context, id);
  mlirContextDestroy(context);

  // The dialect by its handle, in a bare context, then the rest.
  context = mlirContextCreate();
  MlirDialectHandle handle = mlirGetDialectHandle__scan__();
  CHECK(equals(mlirDialectHandleGetNamespace(handle), "scan"));
  CHECK(mlirContextGetNumLoadedDialects(context) == 1);
  CHECK(mlirDialectHandleLoadDialect(handle, context).ptr != NULL);
  mlirScanContextRegisterAllDialects(context);
  module = mlirScanModuleParse(context, mlirScanString(sums),
                               mlirScanString("memory.mlir"));
  CHECK(!mlirModuleIsNull(module));
  run(module);
  mlirScanModuleDestroy(module);
  // And what theirs created, ours destroys.
  mlirScanContextDestroy(context);

  // Only the dialect: everything that needs more says so.
  registry = mlirDialectRegistryCreate();
  mlirDialectHandleInsertDialect(handle, registry);
  context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirScanContextAttachDiagnosticCallback(context, printDiagnostic, NULL);
  title("without the other dialects");
  CHECK(!mlirScanModuleParse(context, mlirScanString(sums),
                             mlirScanString("memory.mlir"))
             .ptr);
  mlirContextDestroy(context);

  // The dialects that the program is written in, and nothing that the lowerings
  // need beside them.
  context = mlirContextCreate();
  mlirDialectHandleRegisterDialect(handle, context);
  mlirDialectHandleRegisterDialect(mlirGetDialectHandle__func__(), context);
  mlirDialectHandleRegisterDialect(mlirGetDialectHandle__arith__(), context);
  module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(sums));
  CHECK(!mlirModuleIsNull(module));
  run(module);
  ptx = mlirScanPTXCompile(module, NULL);
  CHECK(!mlirScanPTXIsNull(ptx));
  mlirScanPTXDestroy(ptx);
  CHECK_SUCCESS(
      mlirScanModuleRunPipeline(module, mlirScanString("scan-to-ptx")));
  mlirModuleDestroy(module);
  mlirContextDestroy(context);

  // A context of ours in their functions.
  context = mlirScanContextCreate(/*threading=*/false);
  module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(sums));
  CHECK(!mlirModuleIsNull(module));
  CHECK(mlirContextEqual(mlirScanModuleGetContext(module), context));
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  return finish();
}
