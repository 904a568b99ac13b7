//===- prove.c - Are combine regions associative? -------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.h"

#define SCAN(name, op)                                                         \
  "  %" name " = scan.associative ins(%x : tensor<?xi32>) dim = 0 {\n"         \
  "  ^bb0(%a: i32, %b: i32):\n"                                                \
  "    %s = arith." op " %a, %b : i32\n"                                       \
  "    scan.yield %s : i32\n"                                                  \
  "  } -> tensor<?xi32>\n"

static const char *const scans =
    "func.func @f(%x: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) "
    "{\n" SCAN("y", "addi") SCAN("z", "subi") //
    "  return %y, %z : tensor<?xi32>, tensor<?xi32>\n}";

/// What was found about both scans.
typedef struct Found {
  unsigned count;
  MlirScanVerdict verdicts[2];
  bool agree, isCounterexample;
} Found;

static void take(const MlirScanProof *proof, void *userData) {
  Found *found = userData;
  if (found->count < 2)
    found->verdicts[found->count] = proof->verdict;
  if (proof->verdict == MlirScanVerdictRefuted)
    found->isCounterexample =
        equals(proof->a, "0") && equals(proof->b, "0") &&
        equals(proof->c, "1") && equals(proof->left, "-1") &&
        equals(proof->right, "1") && proof->reason.length == 0;
  else
    found->agree = contains(proof->reason, "100 random triples agree") &&
                   proof->a.length == 0 && proof->right.length == 0;
  ++found->count;
}

int main(void) {
  MlirContext context = mlirScanContextCreate(/*threading=*/false);
  MlirModule module = mlirScanModuleParse(context, mlirScanString(scans),
                                          mlirScanString("memory.mlir"));
  CHECK(module.ptr);
  Text before = {0}, after = {0};
  mlirScanModulePrint(module, true, append, &before);

  MlirScanProveOptions options = mlirScanProveOptionsGetDefault();
  CHECK(options.solver && options.timeout == 5);
  CHECK(options.randomTriples == 10000);
  options.solver = false;
  options.randomTriples = 100;
  Found found = {0};
  CHECK_SUCCESS(mlirScanModuleProve(module, &options, take, &found));
  CHECK(found.count == 2);
  CHECK(found.verdicts[0] == MlirScanVerdictUnknown && found.agree);
  CHECK(found.verdicts[1] == MlirScanVerdictRefuted && found.isCounterexample);

  // A solver that is not there leaves the triples.
  options.solver = true;
  options.z3 = mlirScanString("/no/such/z3");
  found = (Found){0};
  CHECK_SUCCESS(mlirScanModuleProve(module, &options, take, &found));
  CHECK(found.count == 2 && found.agree);
  CHECK(found.verdicts[1] == MlirScanVerdictRefuted);

  // With the solver that there is, if any: it is never said to be wrong.
  found = (Found){0};
  CHECK_SUCCESS(mlirScanModuleProve(module, NULL, take, &found));
  CHECK(found.count == 2);
  CHECK(found.verdicts[0] == MlirScanVerdictProved ||
        found.verdicts[0] == MlirScanVerdictUnknown);
  CHECK(found.verdicts[1] == MlirScanVerdictRefuted);

  // The module is as it was.
  mlirScanModulePrint(module, true, append, &after);
  CHECK(equals(getText(&after), before.data));
  free(before.data);
  free(after.data);

  // Misuse.
  MlirModule null = {NULL};
  CHECK_FAILURE(mlirScanModuleProve(null, NULL, take, &found));
  CHECK_FAILURE(mlirScanModuleProve(module, NULL, NULL, NULL));
  options.z3 = mlirStringRefCreate(NULL, 5);
  CHECK_FAILURE(mlirScanModuleProve(module, &options, take, &found));

  mlirScanModuleDestroy(module);
  mlirScanContextDestroy(context);
  return finish();
}
