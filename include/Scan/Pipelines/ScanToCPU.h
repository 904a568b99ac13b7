//===- ScanToCPU.h - From tensors to the LLVM dialect -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_PIPELINES_SCANTOCPU_H
#define SCAN_PIPELINES_SCANTOCPU_H

#include "Scan/Pipelines/MaxStateBytes.h"
#include "Scan/Pipelines/ScanToFused.h"
#include "Scan/Pipelines/StridedArguments.h"
#include "Scan/Prove/ProveMode.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir {
class ModuleOp;
class OpPassManager;
} // namespace mlir

namespace mlir::scan {

/// Options of `--scan-to-cpu`.
struct ScanToCPUOptions : PassPipelineOptions<ScanToCPUOptions> {
  PassOptions::Option<unsigned> vectorBits{
      *this, "vector-bits",
      llvm::cl::desc("Size of the vectors of inner loops in bits, a power of "
                     "two from 8 to 4096; 0 gives scalar code"),
      llvm::cl::init(512)};
  PassOptions::Option<unsigned> stateBytes{
      *this, "state-bytes",
      llvm::cl::desc("Size in bytes of the state of one block of neighbouring "
                     "scans; should fit the first-level data cache with room "
                     "to spare"),
      llvm::cl::init(16384)};
  PassOptions::Option<unsigned> rows{
      *this, "rows",
      llvm::cl::desc(
          "How many neighbouring rows are walked at a time where the "
          "scan dimension is innermost, 64 at most"),
      llvm::cl::init(4)};
  PassOptions::Option<unsigned> streamingBytes{
      *this, "streaming-bytes",
      llvm::cl::desc("Size in bytes from which on the outputs of a scan are "
                     "stored past the caches, which should be that of the "
                     "last-level cache; 0 never does"),
      llvm::cl::init(32 << 20)};
  PassOptions::Option<bool> fusedMultiplyAdd{
      *this, "fused-multiply-add",
      llvm::cl::desc("Compute functions such as exp, and contractions, with "
                     "math.fma, for processors that have it as one "
                     "instruction"),
      llvm::cl::init(false)};
  PassOptions::Option<bool> writableArguments{
      *this, "writable-arguments",
      llvm::cl::desc("Public functions may write to the buffers of their "
                     "arguments"),
      llvm::cl::init(false)};
  StridedArgumentsOption stridedArguments{*this};
  MaxStateBytesOption maxStateBytes{*this};
  ProveModeOption prove{*this};
  PassOptions::Option<bool> checkBounds{
      *this, "check-bounds",
      llvm::cl::desc("Check at run time that indices and slices are inside of "
                     "their tensors, and extents what types say"),
      llvm::cl::init(true)};
  PassOptions::Option<bool> threads{
      *this, "threads",
      llvm::cl::desc("Compute independent scans, and batches of recurrences, "
                     "on several threads, by the "
                     "run-time library of OpenMP"),
      llvm::cl::init(false)};
  PassOptions::Option<unsigned> threadWork{
      *this, "thread-work",
      llvm::cl::desc(
          "With threads: the work of a scan, about the operations of "
          "all points, from which on it is divided"),
      llvm::cl::init(4194304)};
  /// Whether nothing is linked with the code by the names of its functions: all
  /// of them get the name of `getRenamedSymbol`. No option of the command line.
  bool renameAll = false;
  /// Whether the code calls `scan.allocate_result` for the memory of results,
  /// see `--scan-place-results`. No option of the command line.
  bool placeResults = false;
};

/// Adds the passes from scans on tensors, with the elementwise tensor code
/// around them, to functions on memrefs: normalisation, fusion, bufferization.
/// `scan.kernel` is left as the only op of the dialect. To be followed by a
/// conversion of the kernels and then by buffer deallocation.
void buildScanToBuffersPipeline(OpPassManager &manager, bool writableArguments,
                                StridedArguments stridedArguments,
                                const TensorPassOptions &options);
/// The part of that behind `buildScanToFusedPipeline`, bufferization.
void buildFusedToBuffersPipeline(
    OpPassManager &manager, bool writableArguments,
    StridedArguments stridedArguments = StridedArguments::None);

/// Adds the passes from scans on tensors to the LLVM dialect. The code calls
/// `malloc` and `free`, libm, and `puts` and `abort` where a check of extents
/// fails; the caller of a function owns the memory of its results.
void buildScanToCPUPipeline(OpPassManager &manager,
                            const ScanToCPUOptions &options);

/// The two halves of that: to functions on memrefs with `scan.kernel`, and from
/// these, in which what is allocated and not returned is not freed yet.
void buildScanToHostBuffersPipeline(OpPassManager &manager,
                                    const ScanToCPUOptions &options);
void buildHostBuffersToCPUPipeline(OpPassManager &manager,
                                   const ScanToCPUOptions &options);

/// Adds the last part of that: from functions on memrefs, with kernels, linalg
/// operations and loops, to the LLVM dialect. Nothing is added to free memory.
void buildBuffersToCPUPipeline(OpPassManager &manager,
                               const ScanToCPUOptions &options);

/// Runs these last parts on `module`. What comes out is verified once: to
/// verify loops after each pass takes as long as the passes.
LogicalResult lowerHostBuffersToCPU(ModuleOp module,
                                    const ScanToCPUOptions &options);
LogicalResult lowerBuffersToCPU(ModuleOp module,
                                const ScanToCPUOptions &options);

/// Registers `--scan-to-cpu`.
void registerScanToCPUPipeline();

} // namespace mlir::scan

#endif // SCAN_PIPELINES_SCANTOCPU_H
