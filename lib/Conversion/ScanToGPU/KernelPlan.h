//===- KernelPlan.h - What a scheduled kernel will be -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything about a kernel that follows from its operation and its schedule
// before anything is emitted: which class emits it, how it accesses each
// operand, what lies where in shared memory, what a tile takes of the
// workspace, how many registers a thread takes. The emitters, the legality of
// schedules, the cost model and
// --scan-explain read the same plan.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_KERNELPLAN_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_KERNELPLAN_H

#include "IR/OperandMemory.h"
#include "Scan/IR/ScanDialect.h"

namespace mlir::scan {

/// Shared memory that a thread block can declare on every GPU, in bytes.
constexpr int64_t kStaticSharedLimit = int64_t(48) * 1024;
/// The most that a launch can ask for, on any GPU; persistent kernels do.
constexpr int64_t kDynamicSharedLimit = int64_t(227) * 1024;

/// Every buffer in shared memory starts at a multiple of so many bytes, the
/// widest access there is.
constexpr int64_t kSharedAlignment = 16;

/// Which class emits a kernel.
enum class KernelKind {
  /// A thread for each scan.
  Sequential,
  /// A thread block for each row, or some rows, walks tiles.
  Row,
  /// A thread block for each tile of a row.
  GridRow,
  /// A given number of thread blocks for all tiles of all rows.
  PersistentRow,
  /// A thread block for each row of one tile, scanned forward and in reverse.
  Bidirectional,
  /// A thread block for each group of columns walks tiles.
  Column,
  /// A thread block for each tile of a group of columns.
  GridColumn
};

/// How a tile of one operand lies in shared memory while it is transposed
/// between the order of memory (striped: neighbouring threads hold neighbouring
/// chunks) and that of threads (blocked: each has consecutive elements).
///
/// A tile is a row of chunks, vectors of up to 16 bytes. Shared memory serves
/// as many threads at a time as it takes to fill its 128 bytes: 8 of them with
/// 16 bytes each. Thread t then takes the bank of chunk t * perThread, modulo
/// 8: all different if that number is odd. If it is even, one chunk stays
/// unused after every 8 chunks, or after as many as 8 / gcd(8, perThread)
/// threads have, which moves the threads behind it to the next bank.
struct TransposeLayout {
  /// Number of elements with what stays unused between them, 0 if the operand
  /// is not transposed: threads hold one element each, or neighbouring threads
  /// access no neighbouring elements.
  int64_t slots = 0;
  /// Elements of a chunk, and chunks of a thread.
  int64_t length = 1, perThread = 1;
  /// One unused chunk after so many; 0: none.
  int64_t group = 0;
  int64_t elementBytes = 0;

  int64_t getBytes() const {
    return llvm::alignTo(slots * elementBytes, kSharedAlignment);
  }
  static TransposeLayout get(Value operand, AffineMap map, unsigned dim,
                             int64_t threads, int64_t items);
};

/// How the threads of a row kernel access an input or an output.
struct OperandPlan {
  enum class Access {
    /// Does not vary along the scan dimension: read once for each row. An
    /// output of this kind is a reduction, which is added to.
    Invariant,
    /// Each thread accesses the elements of its own items.
    Direct,
    /// Through shared memory, as `layout` says.
    Transposed,
    /// Segment offsets, of which a mask in shared memory is made.
    SegmentOffsets
  };
  Access access = Access::Direct;
  TransposeLayout layout;
};

/// A part of a thread block's shared memory.
struct SharedRegion {
  /// What it holds: "tickets", "states before tiles", "warp totals", "tiles",
  /// "segment masks".
  StringRef name;
  /// In bytes; only in persistent kernels does the conversion place regions.
  int64_t offset, bytes;
};

struct KernelPlan {
  KernelKind kind;
  ScheduleAttr schedule;
  /// Of row kernels.
  SmallVector<OperandPlan, 0> inputs, outputs;
  /// Tiles whose inputs lie in shared memory at a time: one in each stage of a
  /// persistent kernel's pipeline.
  int64_t stages = 1;
  /// Tiles whose segment masks do.
  int64_t maskStages = 1;
  /// Whether inputs of the next tile are read from global memory while this one
  /// is combined.
  bool prefetches = false;
  /// Neighbouring columns that a thread of a column kernel owns, whose elements
  /// come in one access; of a row kernel, the layout of each operand says how
  /// many of its elements do.
  int64_t vector = 1;
  /// 32-bit registers of a thread, roughly.
  int64_t registers = 0;
  SmallVector<SharedRegion, 0> regions;
  /// Bytes of shared memory: of `regions`; what the kernel cannot do without;
  /// and what it would take without a limit. Operands for which there is no
  /// room are accessed directly, which is slower.
  int64_t sharedBytes = 0, requiredSharedBytes = 0, wantedSharedBytes = 0;
  /// Bytes of the workspace for each tile; 0 without a workspace.
  int64_t descriptorBytes = 0;
  /// Bytes that a tile reads and writes at the least to publish the states of
  /// its scans and to learn those before it, and to find its segment offsets.
  int64_t lookBackBytes = 0;

  /// What readers of a manifest use of it (docs/manifest.md, `plan`).
  DictionaryAttr getAttr(MLIRContext *context) const;

  /// The plan of `kernel` under `schedule`, for thread blocks that may have
  /// `sharedLimit` bytes of shared memory.
  static KernelPlan get(KernelOp kernel, ScheduleAttr schedule,
                        int64_t sharedLimit);
  /// The same where the GPU is not known.
  static KernelPlan get(KernelOp kernel, ScheduleAttr schedule);
};

/// The domain dimension other than the scanned one along which most bytes lie
/// contiguously, if there is another: the one along which threads lie.
std::optional<unsigned> getInnerDim(KernelOp kernel);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELPLAN_H
