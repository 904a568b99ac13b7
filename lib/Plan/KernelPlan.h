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

#ifndef SCAN_LIB_PLAN_KERNELPLAN_H
#define SCAN_LIB_PLAN_KERNELPLAN_H

#include "DescriptorLayout.h"
#include "IR/OperandMemory.h"
#include "SharedMemory.h"
#include "TransposeLayout.h"

namespace mlir::scan {

/// In a workspace the counter of tickets has a cache line to itself: all blocks
/// update it, while others poll descriptors.
constexpr int64_t kWorkspaceHeaderBytes = 128;

/// Which class emits a kernel.
enum class KernelKind {
  /// A thread for each scan.
  Sequential,
  /// Some lanes of a warp for each scan, with a part of its states each.
  SplitStates,
  /// A thread block for each row, or some rows, walks tiles.
  Row,
  /// A thread block for each tile of a row.
  GridRow,
  /// A given number of thread blocks for all tiles of all rows.
  PersistentRow,
  /// The same where the warps of a block have roles, and bulk copies load.
  WarpSpecializedRow,
  /// A thread block for each row of one tile, scanned forward and in reverse.
  Bidirectional,
  /// A thread block for each group of columns of one tile, likewise.
  BidirectionalColumn,
  /// A thread block for each group of columns walks tiles there and back.
  CheckpointedColumn,
  /// A thread block for each group of columns walks tiles.
  Column,
  /// A thread block for each tile of a group of columns.
  GridColumn
};

/// How the threads of a row kernel access an input or an output.
struct OperandPlan {
  enum class Access {
    /// Does not vary along the scan dimension: read once for each row. An
    /// output of this kind is a reduction, which is added to, or scattered.
    Invariant,
    /// Each thread accesses the elements of its own items.
    Direct,
    /// Through shared memory, as `layout` says.
    Transposed,
    /// Segment offsets, of which a mask in shared memory is made.
    SegmentOffsets,
    /// Each thread accesses the places of its own items.
    Gathered
  };
  Access access = Access::Direct;
  TransposeLayout layout;
  /// Of an output: the input in whose buffer slot its tile is transposed, which
  /// every thread has read by then; if there is none, it has a buffer.
  std::optional<unsigned> sharedInput;
};

/// A part of a thread block's shared memory.
struct SharedRegion {
  /// What it holds: "tickets", "states before tiles", "parked states",
  /// "warp totals", "tiles", "segment masks", "segment borders", "mbarriers".
  StringRef name;
  /// In bytes; only in persistent kernels does the conversion place regions.
  int64_t offset, bytes;
};

struct KernelOperands;

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
  /// Tickets of a block, besides its first one, that are in use at a time.
  int64_t nextTickets = 0;
  /// Of a warp-specialized kernel: how many tiles are loaded ahead of the one
  /// that is scanned, and how many wait for the states before them.
  int64_t prefetchDistance = 0, waitingTiles = 0;
  /// Its mbarriers for each stage, one more where segment offsets are marked.
  int64_t barriersPerStage = 0;
  /// Whether inputs of the next tile are read from global memory while this one
  /// is combined.
  bool prefetches = false;
  /// Of row kernels that walk tiles: whether one loop walks full and partial
  /// tiles, so that the code is there once but for loads and stores.
  bool mergesPartialTiles = false;
  /// Neighbouring columns that a thread of a column kernel owns, whose elements
  /// come in one access; of a row kernel, the layout of each operand says how
  /// many of its elements do.
  int64_t vector = 1;
  /// 32-bit registers of a thread, roughly; and where the most are in use.
  int64_t registers = 0, mostRegisters = 0;
  /// Instructions of the kernel's code, if ptxas has said it; else 0.
  int64_t codeInstructions = 0;

  /// States that threads leave for each other in shared memory: those before
  /// tiles, as look-back finds them, and the totals of warps.
  int64_t statesBeforeTiles = 0, warpTotals = 0;
  /// Those that the threads of the first warp of a row kernel keep there while
  /// it looks back, for want of registers.
  int64_t parkedStates = 0;
  /// Words of the segment mask of a tile.
  int64_t maskWords = 0;
  SmallVector<SharedRegion, 0> regions;
  /// Bytes of shared memory: of `regions`; what the kernel cannot do without;
  /// and what it would take without a limit. Operands for which there is no
  /// room are accessed directly, which is slower.
  int64_t sharedBytes = 0, requiredSharedBytes = 0, wantedSharedBytes = 0;
  /// Of a kernel over the grid: how a state is published, and the bytes of the
  /// workspace for each tile, at most; 0 without a workspace.
  DescriptorLayout descriptor;
  int64_t descriptorBytes = 0;
  /// Tiles that look-back examines at first; from then on it is as many as a
  /// warp has lanes for.
  int64_t firstLookBackTiles = 0;
  /// Bytes that a tile reads and writes at the least to publish the states of
  /// its scans and to learn those before it, and to find its segment offsets.
  int64_t lookBackBytes = 0;
  /// Of a bidirectional kernel that computes states again: the bytes of a
  /// checkpoint, which each scan keeps in the workspace of the states before
  /// each tile, or each chunk of steps where lanes share states.
  int64_t checkpointBytes = 0;

  /// Whether the loop that looks back needs so many registers that states which
  /// are not used in it are kept in shared memory: those of 10 registers.
  bool parksStates() const { return descriptor.leafBytes >= 40; }

  bool hasWorkspace() const {
    return schedule.isGridWide() || checkpointBytes != 0;
  }

  /// Whether a launch asks for the shared memory: where there is more than a
  /// kernel can declare, as there is of a pipeline's stages.
  bool hasDynamicSharedMemory() const {
    return schedule.isPersistent() || sharedBytes > kStaticSharedLimit;
  }

  /// What readers of a manifest use of it (docs/manifest.md, `plan`).
  DictionaryAttr getAttr(MLIRContext *context) const;

  /// Bytes of the workspace for so many entries, descriptors or checkpoints; a
  /// multiple of 8.
  AffineExpr getWorkspaceBytes(AffineExpr entries) const {
    return entries * getEntryBytes() + kWorkspaceHeaderBytes;
  }
  int64_t getEntryBytes() const {
    return checkpointBytes != 0 ? checkpointBytes : descriptor.bytes;
  }

  /// The plan of `kernel` under `schedule`, for thread blocks that may have
  /// `sharedLimit` bytes of shared memory.
  static KernelPlan get(KernelOp kernel, ScheduleAttr schedule,
                        int64_t sharedLimit);
  /// The same for who asks for many: `operands` are those of the kernel.
  static KernelPlan get(KernelOp kernel, ScheduleAttr schedule,
                        int64_t sharedLimit, const KernelOperands &operands);
  /// The same where the GPU is not known.
  static KernelPlan get(KernelOp kernel, ScheduleAttr schedule);
};

/// The mbarriers of each stage of a warp-specialized kernel, besides one for
/// segment masks.
constexpr int64_t kBarriersPerStage = 5;

/// The domain dimensions but the scanned one: those of the independent scans.
/// The one along which most bytes lie contiguously comes last, so that
/// neighbouring threads share it.
SmallVector<unsigned> getBatchDims(KernelOp kernel);
/// The last of them, if there is one: the one along which threads lie.
std::optional<unsigned> getInnerDim(KernelOp kernel);

} // namespace mlir::scan

#endif // SCAN_LIB_PLAN_KERNELPLAN_H
