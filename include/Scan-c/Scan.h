//===- Scan-c/Scan.h - The C interface of mlir-scan ---------------*- C -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that a C program needs to read scan programs, to transform them,
// to compile them to PTX and to run them on this processor, from libMLIRScan
// alone. The headers "mlir-c/..." belong to MLIR's development package; only
// types and inline functions of them are used.
//
// MLIR's own C interface is not part of libMLIR.so. A program that links it
// (the static libMLIRCAPI*.a on top of libMLIR.so) may mix both: the types are
// the same, contexts and modules of either are good for the other.
//
// Names. Strings are MlirStringRef: a pointer and a length, not terminated.
// mlirScanString makes one from a C string.
//
// Ownership. What a function called ...Create, ...Parse, ...Clone, ...Get
// (where its comment says so), ...Compile or ...Call returns belongs to the
// caller and goes back to the ...Destroy of its type, once; a null handle may
// be passed to it. Nothing else is owned. The context is destroyed last.
//
// Errors. A function that can fail returns MlirLogicalResult or a handle, which
// is null then. The reason is a diagnostic of the context: an error with a
// location, given to the callbacks that are attached to the context
// (Context.h), or printed to standard error if there are none. Where a null
// handle leaves no context, one line goes to standard error. No argument makes
// a function crash, except pointers to what is not there.
//
// Threads. A context, and all that was made in it, is used by one thread at
// a time, and different contexts by different threads at the same time.
// Executables for "cpu" may do more (Execution.h).
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_C_SCAN_H
#define SCAN_C_SCAN_H

#include "Scan-c/Context.h"
#include "Scan-c/Dialect.h"
#include "Scan-c/Execution.h"
#include "Scan-c/Launcher.h"
#include "Scan-c/Module.h"
#include "Scan-c/PTX.h"
#include "Scan-c/Prove.h"
#include "Scan-c/Signature.h"

#endif // SCAN_C_SCAN_H
