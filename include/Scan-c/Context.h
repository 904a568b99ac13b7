//===- Scan-c/Context.h - Contexts and diagnostics ----------------*- C -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_C_CONTEXT_H
#define SCAN_C_CONTEXT_H

#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A C string, terminated, as a reference, which does not own it. Null gives
/// the empty string.
static inline MlirStringRef mlirScanString(const char *text) {
  return mlirStringRefCreate(text, text ? strlen(text) : 0);
}

/// The version of the library, such as "0.1.0". Terminated; lives as long as
/// the library.
MLIR_CAPI_EXPORTED MlirStringRef mlirScanGetVersion(void);

/// The version of MLIR that the library was built for, such as "22.1.8".
/// Terminated; lives as long as the library.
MLIR_CAPI_EXPORTED MlirStringRef mlirScanGetMLIRVersion(void);

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

/// Creates a context in which every dialect that scan programs use is
/// registered. With `threading`, passes may run on several threads, which the
/// context starts; without it everything happens on the calling thread, and the
/// process may fork. The context belongs to the caller: mlirScanContextDestroy.
/// Never null.
MLIR_CAPI_EXPORTED MlirContext mlirScanContextCreate(bool threading);

/// Destroys a context, after all modules, executables and results that were
/// made in it. Null is ignored.
MLIR_CAPI_EXPORTED void mlirScanContextDestroy(MlirContext context);

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

typedef struct MlirScanDiagnostic MlirScanDiagnostic;

/// An error, a warning, a remark, or a note to one of these.
struct MlirScanDiagnostic {
  MlirDiagnosticSeverity severity;
  /// Where: empty, 0 and 0 if that is not known; otherwise line and column
  /// count from 1. What was parsed from memory has the name that was given
  /// then.
  MlirStringRef file;
  uint32_t line;
  uint32_t column;
  /// What, without the severity and without a line break at its end.
  MlirStringRef message;
  /// Notes, in order; they have no notes themselves.
  intptr_t numNotes;
  const MlirScanDiagnostic *notes;
};

/// Receives a diagnostic, all of which lives until the callback returns.
/// Returns success if that was its last station, failure to pass it on to the
/// callback attached before and, behind the first one, to standard error. Must
/// not use the context, nor leave by longjmp or by an exception.
typedef MlirLogicalResult (*MlirScanDiagnosticCallback)(
    const MlirScanDiagnostic *diagnostic, void *userData);

/// Has `callback` called with `userData` for each diagnostic of the context, on
/// the thread that it occurs on, never for two at the same time. Callbacks
/// attached later are asked first, those of MLIR's C interface among them.
/// Returns the id for mlirScanContextDetachDiagnosticCallback; 0, which is no
/// id, after an error if an argument is null.
MLIR_CAPI_EXPORTED MlirDiagnosticHandlerID
mlirScanContextAttachDiagnosticCallback(MlirContext context,
                                        MlirScanDiagnosticCallback callback,
                                        void *userData);

/// Ends what mlirScanContextAttachDiagnosticCallback began. Ids that are not
/// attached are ignored.
MLIR_CAPI_EXPORTED void
mlirScanContextDetachDiagnosticCallback(MlirContext context,
                                        MlirDiagnosticHandlerID id);

#ifdef __cplusplus
}
#endif

#endif // SCAN_C_CONTEXT_H
