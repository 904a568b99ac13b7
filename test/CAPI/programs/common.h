//===- common.h - Shared by the test programs ---------------------*- C -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TEST_CAPI_COMMON_H
#define SCAN_TEST_CAPI_COMMON_H

#include "Scan-c/Scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int numChecks = 0;
static int numFailed = 0;

/// Counts a condition, and says where it does not hold.
#define CHECK(condition)                                                       \
  do {                                                                         \
    ++numChecks;                                                               \
    if (!(condition)) {                                                        \
      ++numFailed;                                                             \
      printf("%s:%d: FAILED: %s\n", __FILE__, __LINE__, #condition);           \
    }                                                                          \
  } while (0)

#define CHECK_SUCCESS(result) CHECK(mlirLogicalResultIsSuccess(result))
#define CHECK_FAILURE(result) CHECK(mlirLogicalResultIsFailure(result))

/// The last line of a program, and its exit code.
static inline int finish(void) {
#ifdef INJECT_LEAK
  // What the test of the leak check has to find: contexts that nobody destroys.
  // Several, as the last one may still be in a register or on the stack.
  for (int i = 0; i < 3; ++i)
    mlirScanContextCreate(/*threading=*/false);
#endif
  printf("%d checks, %d failed\n", numChecks, numFailed);
  return numFailed || !numChecks ? EXIT_FAILURE : EXIT_SUCCESS;
}

static inline bool equals(MlirStringRef string, const char *text) {
  return string.length == strlen(text) &&
         memcmp(string.data, text, string.length) == 0;
}

static inline bool contains(MlirStringRef string, const char *text) {
  size_t length = strlen(text);
  for (size_t i = 0; i + length <= string.length; ++i)
    if (memcmp(string.data + i, text, length) == 0)
      return true;
  return false;
}

/// Text that grows.
typedef struct Text {
  char *data;
  size_t length;
} Text;

/// A callback that appends to a Text.
static inline void append(MlirStringRef piece, void *userData) {
  Text *text = userData;
  text->data = realloc(text->data, text->length + piece.length + 1);
  if (!text->data)
    abort();
  if (piece.length)
    memcpy(text->data + text->length, piece.data, piece.length);
  text->length += piece.length;
  text->data[text->length] = '\0';
}

static inline MlirStringRef getText(const Text *text) {
  return mlirStringRefCreate(text->data, text->length);
}

/// Prints a diagnostic to standard output, for FileCheck. The user data, if
/// any, is an int that counts.
static inline MlirLogicalResult
printDiagnostic(const MlirScanDiagnostic *diagnostic, void *userData) {
  static const char *const severities[] = {"error", "warning", "note",
                                           "remark"};
  if (userData)
    ++*(int *)userData;
  if (diagnostic->line)
    printf("%.*s:%u:%u: ", (int)diagnostic->file.length, diagnostic->file.data,
           (unsigned)diagnostic->line, (unsigned)diagnostic->column);
  printf("%s: %.*s\n", severities[diagnostic->severity],
         (int)diagnostic->message.length, diagnostic->message.data);
  for (intptr_t i = 0; i < diagnostic->numNotes; ++i)
    printDiagnostic(&diagnostic->notes[i], NULL);
  return mlirLogicalResultSuccess();
}

/// What the next lines of the output belong to.
static inline void title(const char *text) { printf("-- %s\n", text); }

#endif // SCAN_TEST_CAPI_COMMON_H
