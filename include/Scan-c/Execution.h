//===- Scan-c/Execution.h - Programs run over arrays of the caller *- C -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_C_EXECUTION_H
#define SCAN_C_EXECUTION_H

#include "Scan-c/Signature.h"
#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// An array in memory that belongs to somebody else. Nothing in here is kept
/// beyond the call that it is passed to.
typedef struct MlirScanBuffer {
  /// The element with all indices zero. May be null if the array has no
  /// elements.
  void *data;
  MlirScanElementType elementType;
  /// The number of dimensions; 0 for a scalar.
  int64_t rank;
  /// `rank` extents, 0 or more. May be null if the rank is 0.
  const int64_t *shape;
  /// `rank` distances between neighbours in a dimension, in elements (not in
  /// bytes), of any sign. Null means dense, row-major: the last dimension has
  /// stride 1.
  const int64_t *strides;
} MlirScanBuffer;

//===----------------------------------------------------------------------===//
// Executables
//===----------------------------------------------------------------------===//

/// A function made ready to run, for any shapes that its types allow.
typedef struct MlirScanExecutable {
  void *ptr;
} MlirScanExecutable;

/// Prepares the function called `function` of a module with scans on tensors,
/// and what it calls. `target` is one of
///
///   "cpu"        machine code for this processor, on the calling thread or
///                several (mlirScanSetNumThreads)
///   "reference"  the reference interpreter: slow, follows the definitions
///   "emulator"   GPU kernels on an emulated GPU: slow, finds what hangs
///   "cuda"       the first NVIDIA GPU of this machine; arrays are copied there
///                and back
///
/// The module is left as it is and not needed afterwards; the context is. The
/// executable belongs to the caller (mlirScanExecutableDestroy). Null after an
/// error: what cannot be compiled is found here.
///
/// Threads: executables for "cpu" may be run by any number of threads at the
/// same time, the same one included, also while another thread uses their
/// context. Diagnostics come on the thread that ran. A run of any other
/// executable is a use of its context, which only one thread may make at a
/// time.
MLIR_CAPI_EXPORTED MlirScanExecutable mlirScanExecutableCreate(
    MlirModule module, MlirStringRef function, MlirStringRef target);

/// Sets how many threads a run of an executable for "cpu" may use, in the whole
/// process: it divides independent scans among them where there is enough to
/// do. 0: as many as OpenMP says, which is OMP_NUM_THREADS, or one for each
/// processor that the process may run on. At first it is what the environment
/// variable SCAN_NUM_THREADS says, or 1. Executables that are compiled while it
/// is 1 stay on one thread. Results do not depend on it.
///
/// Threads belong to the run-time library of OpenMP, libomp.so.5, which is
/// found when it is first needed; without it there is one thread, and a warning
/// when an executable is compiled. One run at a time has them: runs that
/// overlap in time, and runs out of a parallel region of OpenMP, use their own
/// thread alone.
MLIR_CAPI_EXPORTED void mlirScanSetNumThreads(unsigned count);

/// How many threads a run may use; 1 where there is no libomp.
MLIR_CAPI_EXPORTED unsigned mlirScanGetNumThreads(void);

/// What executables for "cpu" are compiled for: triple, processor and its
/// features. Terminated; lives as long as the library.
MLIR_CAPI_EXPORTED MlirStringRef mlirScanGetProcessor(void);

/// Writes an executable for "cpu" as machine code, in pieces to `callback`,
/// each of which lives until the callback returns. Fails after an error for
/// other targets.
MLIR_CAPI_EXPORTED MlirLogicalResult mlirScanExecutableWrite(
    MlirScanExecutable executable, MlirStringCallback callback, void *userData);

/// Makes an executable of what mlirScanExecutableWrite wrote, in this process
/// or in another one, without compiling. It belongs to the caller
/// (mlirScanExecutableDestroy). Null after an error: these bytes are something
/// else, were damaged, or are from another version of the library or for
/// another processor. They are code that will be run: take them only from where
/// nobody else can write.
MLIR_CAPI_EXPORTED MlirScanExecutable
mlirScanExecutableRead(MlirContext context, MlirStringRef bytes);

/// The same for inputs with other strides: with "cpu" and "emulator" the
/// function reads those that `stridedArguments` allows where they are, dense
/// ones among them. Dense inputs are read faster by what
/// mlirScanExecutableCreate makes.
MLIR_CAPI_EXPORTED MlirScanExecutable mlirScanExecutableCreateStrided(
    MlirModule module, MlirStringRef function, MlirStringRef target,
    MlirScanStridedArguments stridedArguments);

/// Whether there was an error.
static inline bool mlirScanExecutableIsNull(MlirScanExecutable executable) {
  return !executable.ptr;
}

/// Destroys an executable that does not run. Null is ignored.
MLIR_CAPI_EXPORTED void
mlirScanExecutableDestroy(MlirScanExecutable executable);

/// The name of the function, terminated, owned by the executable; empty for
/// null.
MLIR_CAPI_EXPORTED MlirStringRef
mlirScanExecutableGetName(MlirScanExecutable executable);

/// The types of its inputs and outputs, owned by the executable; null for null.
MLIR_CAPI_EXPORTED MlirScanSignature
mlirScanExecutableGetSignature(MlirScanExecutable executable);

/// Runs the function, and writes its results to arrays of the caller.
///
/// Inputs are never written to. With "cpu", the function reads an input where
/// it is if that is dense, row-major and aligned for its elements, or strided
/// as it was compiled for (mlirScanExecutableCreateStrided); any other is
/// copied first, and the other targets copy all (but "emulator" inputs with
/// strides that it was compiled for). Outputs may have any strides
/// that keep their elements apart. With "cpu", a result that the function
/// allocates itself is computed in its output if that is dense, row-major and
/// aligned to 64 bytes; any other, and those of the other targets, are computed
/// in memory of the library's and copied to their outputs once the function has
/// returned. Where large outputs were never written to, the system is asked for
/// large pages (madvise, on Linux). An output must not overlap an input or
/// another output; that is judged by the addresses between an array's first and
/// last byte.
///
/// Fails after an error, and before anything is written to an output, if the
/// number, element type, rank or shape of an array is not what the types of the
/// function say, if arrays overlap, or if an i1 is neither 0 nor 1. Fails, too,
/// if the run does (extents that do not agree, not enough memory) or the shape
/// of a result is not that of its output: then outputs may hold anything. Where
/// the extents of a result are not known beforehand use mlirScanExecutableCall.
MLIR_CAPI_EXPORTED MlirLogicalResult
mlirScanExecutableRun(MlirScanExecutable executable, intptr_t numInputs,
                      const MlirScanBuffer *inputs, intptr_t numOutputs,
                      const MlirScanBuffer *outputs);

//===----------------------------------------------------------------------===//
// Results of unknown shape
//===----------------------------------------------------------------------===//

/// The results of one run, in memory of their own.
typedef struct MlirScanResults {
  void *ptr;
} MlirScanResults;

/// Runs the function as mlirScanExecutableRun does. The results belong to the
/// caller (mlirScanResultsDestroy) and depend on nothing else any more. With
/// "cpu" a result stays in the memory that the function computed it in; it is
/// copied, once, only if it is not dense there or shares memory with an input,
/// a constant or another result. Large blocks of memory go back to the
/// executable when the results are destroyed, for its next run. Null after an
/// error.
MLIR_CAPI_EXPORTED MlirScanResults
mlirScanExecutableCall(MlirScanExecutable executable, intptr_t numInputs,
                       const MlirScanBuffer *inputs);

/// Whether there was an error.
static inline bool mlirScanResultsIsNull(MlirScanResults results) {
  return !results.ptr;
}

/// Frees results and their memory. Null is ignored.
MLIR_CAPI_EXPORTED void mlirScanResultsDestroy(MlirScanResults results);

/// Frees the memory of one result, counted from 0, before that of the others:
/// its data must not be used any more, its type and shape may. Each result may
/// be freed on a thread of its own. A second time, or where there is none of
/// that number, nothing happens.
MLIR_CAPI_EXPORTED void mlirScanResultsDiscard(MlirScanResults results,
                                               intptr_t index);

/// How many there are; -1 for null.
MLIR_CAPI_EXPORTED intptr_t mlirScanResultsGetNum(MlirScanResults results);

/// A result, counted from 0: its data (aligned to 16 bytes), which may be
/// written to, its type and its shape, all owned by `results`; strides are
/// null. If there is none of that number, data is null and the rank -1.
MLIR_CAPI_EXPORTED MlirScanBuffer mlirScanResultsGet(MlirScanResults results,
                                                     intptr_t index);

#ifdef __cplusplus
}
#endif

#endif // SCAN_C_EXECUTION_H
