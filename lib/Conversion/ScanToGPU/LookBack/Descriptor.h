//===- Descriptor.h - What a tile tells the others --------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a scan over the grid each tile has a descriptor in global memory, in which
// it publishes a state: first its *aggregate*, the combination of its own
// elements, then its *prefix*, that of all elements up to its end, the init
// included. A flag says which of them it is, and in which launch.
//
// Where flag and state fit in 8 or 16 bytes they are one word, which is written
// and read as a whole: relaxed accesses suffice, and nobody waits for a fence.
// The parts are packed by their bits. Larger states have a place of their own
// beside the flag, one for the aggregate and one for the prefix, so that what
// somebody reads is never overwritten in the same launch; a release of the flag
// publishes them, an acquire observes them. Lanes that look back then share no
// sectors with each other. They would if flags, aggregates and prefixes were
// arrays of their own; but each publication would touch two sectors that are
// far apart, and there are more of these than looks that need many lanes.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_DESCRIPTOR_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_DESCRIPTOR_H

#include "../Primitives/Combine.h"

namespace mlir::scan {

/// The flags of one launch, i32. They are compared for equality with those of
/// other launches, never for order: it does not matter when they wrap around.
struct DescriptorFlags {
  Value aggregate, prefix;
};

class Descriptor {
public:
  /// For the states of `kernel`.
  explicit Descriptor(KernelOp kernel);

  /// Bytes from one descriptor to the next, a multiple of 8; 16-byte words are
  /// aligned to 16 if the first one is.
  int64_t getBytes() const { return bytes; }
  /// Bytes of it that are written to publish a state, and read to learn one.
  int64_t getStateBytes() const {
    return isOneWord() ? bytes : aggregateOffset + payloadBytes;
  }

  enum class Kind { Aggregate, Prefix };
  /// Writes `state` to the descriptor at `address` (i64), for all to see.
  void publish(ImplicitLocOpBuilder &b, Value address,
               const DescriptorFlags &flags, Kind kind, ValueRange state) const;

  struct Observed {
    /// i1: whether it is a prefix, not an aggregate.
    Value isPrefix;
    State state;
  };
  /// Waits until the tile has published something in this launch.
  Observed observe(ImplicitLocOpBuilder &b, Value address,
                   const DescriptorFlags &flags) const;

  struct ObservedStates {
    /// i1: whether they are prefixes, not aggregates.
    Value arePrefixes;
    SmallVector<State> states;
  };
  /// What to wait for: all aggregates or all prefixes, or the latter.
  enum class Wanted { Any, Prefixes };
  /// Waits until the states at several addresses, which one thread publishes,
  /// are of one kind, all published in this launch.
  ObservedStates observeAll(ImplicitLocOpBuilder &b, ArrayRef<Value> addresses,
                            const DescriptorFlags &flags, Wanted wanted) const;

private:
  /// A state as integers, two for a complex leaf.
  SmallVector<Value> toParts(ImplicitLocOpBuilder &b, ValueRange state) const;
  State fromParts(ImplicitLocOpBuilder &b, ArrayRef<Value> parts) const;
  bool isOneWord() const { return wordBits != 0; }
  /// The word, or the flag, that lies there; it may be of an earlier launch.
  Value peek(ImplicitLocOpBuilder &b, Value address) const;
  Value isUnset(ImplicitLocOpBuilder &b, Value flag,
                const DescriptorFlags &flags) const;
  SmallVector<Value> waitFor(ImplicitLocOpBuilder &b, ArrayRef<Value> addresses,
                             const DescriptorFlags &flags, Wanted wanted,
                             ValueRange words) const;
  ObservedStates read(ImplicitLocOpBuilder &b, ArrayRef<Value> addresses,
                      const DescriptorFlags &flags, ValueRange words) const;

  SmallVector<Type> leafTypes;
  SmallVector<unsigned> partBits;
  /// 64 or 128; 0 if flag and state are apart.
  unsigned wordBits = 0;
  /// The places of the parts: bits in the word, or bytes in the payload.
  SmallVector<int64_t> offsets;
  /// Flag and state apart: bytes from the flag to the payloads.
  int64_t aggregateOffset = 0, prefixOffset = 0;
  int64_t payloadBytes = 0;
  int64_t bytes = 0;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_LOOKBACK_DESCRIPTOR_H
