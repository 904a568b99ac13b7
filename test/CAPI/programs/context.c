//===- context.c - Contexts, diagnostics, registration --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.h"

static int numDetached, numDeclined, numHandled;
static char lastMessage[256];

static MlirLogicalResult decline(const MlirScanDiagnostic *diagnostic,
                                 void *userData) {
  (void)diagnostic;
  ++*(int *)userData;
  return mlirLogicalResultFailure();
}

static MlirLogicalResult keep(const MlirScanDiagnostic *diagnostic,
                              void *userData) {
  ++*(int *)userData;
  snprintf(lastMessage, sizeof(lastMessage), "%.*s",
           (int)diagnostic->message.length, diagnostic->message.data);
  CHECK(diagnostic->severity == MlirDiagnosticError);
  return mlirLogicalResultSuccess();
}

static void parseNonsense(MlirContext context) {
  MlirModule module = mlirScanModuleParse(context, mlirScanString("nonsense"),
                                          mlirScanString("memory"));
  CHECK(!module.ptr);
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  CHECK(mlirScanString(NULL).length == 0);
  CHECK(mlirScanString("four").length == 4);
  printf("version %s, MLIR %s\n", mlirScanGetVersion().data,
         mlirScanGetMLIRVersion().data);
  CHECK(mlirScanGetVersion().length == strlen(mlirScanGetVersion().data));
  CHECK(mlirScanGetMLIRVersion().length ==
        strlen(mlirScanGetMLIRVersion().data));

  mlirScanRegisterAllPasses();
  mlirScanRegisterAllPasses();
  CHECK(mlirGetDialectHandle__scan__().ptr != NULL);

  // Several at a time, with and without threads.
  MlirContext threaded = mlirScanContextCreate(/*threading=*/true);
  MlirContext context = mlirScanContextCreate(/*threading=*/false);
  CHECK(!mlirContextIsNull(threaded) && !mlirContextIsNull(context));
  mlirScanContextRegisterAllDialects(context);

  // The last callback comes first; what it declines goes to the one before it.
  MlirDiagnosticHandlerID handled =
      mlirScanContextAttachDiagnosticCallback(context, keep, &numHandled);
  MlirDiagnosticHandlerID declined =
      mlirScanContextAttachDiagnosticCallback(context, decline, &numDeclined);
  MlirDiagnosticHandlerID detached =
      mlirScanContextAttachDiagnosticCallback(context, keep, &numDetached);
  CHECK(handled && declined && detached);
  CHECK(handled != declined && declined != detached);
  mlirScanContextDetachDiagnosticCallback(context, detached);
  mlirScanContextDetachDiagnosticCallback(context, detached);
  mlirScanContextDetachDiagnosticCallback(context, 12345);
  parseNonsense(context);
  CHECK(numHandled == 1 && numDeclined == 1 && numDetached == 0);
  CHECK(strstr(lastMessage, "nonsense") != NULL);

  title("no callback");
  CHECK(mlirScanContextAttachDiagnosticCallback(threaded, NULL, NULL) == 0);
  parseNonsense(threaded);
  CHECK(numHandled == 1);

  title("declined by all");
  mlirScanContextDetachDiagnosticCallback(context, handled);
  parseNonsense(context);
  CHECK(numDeclined == 2);

  title("null");
  MlirContext null = {NULL};
  CHECK(mlirScanContextAttachDiagnosticCallback(null, keep, NULL) == 0);
  mlirScanContextDetachDiagnosticCallback(null, 1);
  mlirScanContextRegisterAllDialects(null);
  MlirDialectRegistry registry = {NULL};
  mlirScanRegisterAllDialects(registry);
  mlirScanContextDestroy(null);

  mlirScanContextDestroy(context);
  mlirScanContextDestroy(threaded);
  return finish();
}
