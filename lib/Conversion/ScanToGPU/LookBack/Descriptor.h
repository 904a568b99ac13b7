//===- Descriptor.h - The published states of tiles -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Publishes states in descriptors, and waits for those of other tiles
// (Plan/DescriptorLayout.h says how they lie there).
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_DESCRIPTOR_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_DESCRIPTOR_H

#include "../Primitives/Combine.h"
#include "Plan/DescriptorLayout.h"

namespace mlir::scan {

/// The flags of one launch, i32. They are compared for equality with those of
/// other launches, never for order: it does not matter when they wrap around.
struct DescriptorFlags {
  Value aggregate, prefix;
};

class Descriptor {
public:
  /// For states that lie as `layout` says.
  explicit Descriptor(const DescriptorLayout &layout) : layout(layout) {}

  /// Bytes from one descriptor to the next.
  int64_t getBytes() const { return layout.bytes; }

  enum class Kind { Aggregate, Prefix };
  /// Writes `state` to the descriptor at `address` (i64), for all to see.
  void publish(ImplicitLocOpBuilder &b, Value address,
               const DescriptorFlags &flags, Kind kind, ValueRange state) const;

  struct Observed {
    /// i1: whether they are prefixes, not aggregates.
    Value arePrefixes;
    SmallVector<State> states;
  };
  /// What to wait for: all aggregates or all prefixes, or the latter.
  enum class Wanted { Any, Prefixes };
  /// Waits until the states at several addresses, which one thread publishes,
  /// are of one kind, all published in this launch. For each of them `own` has
  /// what all tiles have alike, and is not published: of aggregates the states
  /// have it, and in prefixes nobody needs it.
  Observed observe(ImplicitLocOpBuilder &b, ArrayRef<Value> addresses,
                   ArrayRef<State> own, const DescriptorFlags &flags,
                   Wanted wanted) const;

private:
  /// A state as integers, two for a complex leaf.
  SmallVector<Value> toParts(ImplicitLocOpBuilder &b, ValueRange state) const;
  State fromParts(ImplicitLocOpBuilder &b, ArrayRef<Value> parts,
                  ValueRange own) const;
  /// The words, or the flags, that lie there; they may be of an earlier launch.
  SmallVector<Value> peek(ImplicitLocOpBuilder &b,
                          ArrayRef<Value> addresses) const;
  Value isUnset(ImplicitLocOpBuilder &b, Value flag,
                const DescriptorFlags &flags) const;
  SmallVector<Value> waitFor(ImplicitLocOpBuilder &b, ArrayRef<Value> addresses,
                             const DescriptorFlags &flags, Wanted wanted,
                             ValueRange words) const;
  Observed read(ImplicitLocOpBuilder &b, ArrayRef<Value> addresses,
                ArrayRef<State> own, const DescriptorFlags &flags,
                ValueRange words) const;

  DescriptorLayout layout;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_DESCRIPTOR_H
