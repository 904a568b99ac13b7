//===- GridWorkspace.h - Memory that the blocks of a scan share -*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scan over the grid needs a workspace in global memory: a counter of tickets
// and one descriptor per tile, or in tiles of columns one for each column that
// there can be in one (TileDescriptors).
//
// Each block draws a ticket when it starts and takes the tile of that number,
// so that it only ever waits for tiles of blocks that run already. Block ids
// would not do: nothing says in which order blocks start.
//
// The lower half of the counter counts the tickets of a launch, the upper half
// the launches, whose number the flags of the descriptors have. Every launch
// draws as many tickets as it has blocks, or, of a persistent kernel, tiles and
// one or two more per block; who draws the last one sets the lower half to zero
// and adds one to the upper half. No host has to reset anything between
// launches: one needs no parameter of its own and can be replayed as part of a
// CUDA graph.
//
// The workspace is zeroed once, when it is allocated, and belongs to launches
// of one grid, one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_GRIDWORKSPACE_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_GRIDWORKSPACE_H

#include "../Primitives/SharedStates.h"
#include "Descriptor.h"

namespace mlir::scan {

/// Bytes of the workspace for so many entries, on the host.
Value createWorkspaceBytes(ImplicitLocOpBuilder &b, const KernelPlan &plan,
                           Value entries);

class GridWorkspace {
public:
  /// Allocates shared memory in `frame`'s function, which has a workspace.
  GridWorkspace(ImplicitLocOpBuilder &b, KernelFrame &frame);

  struct Ticket {
    /// An index: counts the tickets of this launch in the order in which they
    /// were drawn.
    Value number;
    /// i64: how many are drawn in this launch.
    Value perLaunch;
    DescriptorFlags flags;
  };
  /// Draws the block's first ticket, of `perLaunch` (i64) in all, by default as
  /// many as there are blocks. With `slot` it is left there for `readTicket`.
  /// To be called once, by all threads of the block; contains a barrier.
  Ticket drawTicket(ImplicitLocOpBuilder &b, const ThreadIds &ids,
                    Value perLaunch = {},
                    std::optional<int64_t> slot = std::nullopt) {
    return takeTicket(b, ids, beginTicket(b, ids), perLaunch, slot);
  }
  /// The two parts of that; what is between them does not wait for the counter.
  /// Returns what thread 0 draws, i64.
  Value beginTicket(ImplicitLocOpBuilder &b, const ThreadIds &ids);
  Ticket takeTicket(ImplicitLocOpBuilder &b, const ThreadIds &ids, Value drawn,
                    Value perLaunch = {},
                    std::optional<int64_t> slot = std::nullopt);

  /// Draws a further ticket in thread `thread` of the block and leaves its
  /// number in buffer slot `slot`, an index less than the plan's `nextTickets`.
  /// After a barrier `readTicket` returns it in all threads, an index.
  void drawNextTicket(ImplicitLocOpBuilder &b, const ThreadIds &ids,
                      int64_t thread, const Ticket &ticket, Value slot);
  Value readTicket(ImplicitLocOpBuilder &b, Value slot);
  /// The parts of that for one thread: draws a further ticket, an index, and
  /// leaves a number for `readTicket`.
  Value drawNumber(ImplicitLocOpBuilder &b, const Ticket &ticket);
  void storeTicket(ImplicitLocOpBuilder &b, Value number, Value slot);

  const Descriptor &getDescriptor() const { return descriptor; }
  /// The address of descriptor `number`, an index.
  Value getAddress(ImplicitLocOpBuilder &b, Value number) const;

private:
  Value addToCounter(ImplicitLocOpBuilder &b, Value summand);
  Value createDraw(ImplicitLocOpBuilder &b);
  void finishDraw(ImplicitLocOpBuilder &b, Value drawn, Value perLaunch);

  Descriptor descriptor;
  /// The workspace's address, i64.
  Value base;
  /// What was drawn first, and further tickets.
  Value ticketBuffer;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_GRIDWORKSPACE_H
