//===- AccessSite.h - Where compiled code accesses memory -------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_EMULATOR_ACCESSSITE_H
#define SCAN_LIB_EXECUTION_EMULATOR_ACCESSSITE_H

#include <cstdint>

namespace mlir::scan::emulator {

enum class AccessKind : uint8_t { Read, Write, ReadWrite };

/// What an access orders. Sequential consistency counts as AcquireRelease: the
/// detector looks for missing order, and a total order of all such accesses
/// orders no more of the others.
enum class AccessOrder : uint8_t {
  Plain,
  Relaxed,
  Acquire,
  Release,
  AcquireRelease
};

/// Among whom an atomic access or a fence orders. The memory of the whole
/// system is that of one device here.
enum class AccessScope : uint8_t { Block, Device };

inline bool acquires(AccessOrder order) {
  return order == AccessOrder::Acquire || order == AccessOrder::AcquireRelease;
}
inline bool releases(AccessOrder order) {
  return order == AccessOrder::Release || order == AccessOrder::AcquireRelease;
}

/// One place in the code that accesses memory, or a fence. Compiled code has
/// one constant for each; the layout is part of the contract with
/// --convert-gpu-to-fibers.
struct AccessSite {
  /// "memref.load at file:line:column", null-terminated.
  const char *text;
  /// How much one execution accesses; 0 where it says so itself.
  uint32_t bytes;
  /// The size of one element, in which messages count.
  uint32_t elementBytes;
  /// Different for each site of a program, from 1 on.
  uint32_t number;
  /// A power of two that its addresses have to be multiples of.
  uint32_t alignment;
  AccessKind kind;
  AccessOrder order;
  AccessScope scope;

  bool isAtomic() const { return order != AccessOrder::Plain; }
  bool reads() const { return kind != AccessKind::Write; }
  bool writes() const { return kind != AccessKind::Read; }
};

} // namespace mlir::scan::emulator

#endif // SCAN_LIB_EXECUTION_EMULATOR_ACCESSSITE_H
