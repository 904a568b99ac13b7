//===- Traffic.h - Bytes that operations move -------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many bytes each operation reads from memory and writes to it, if each is
// one loop nest, or one kernel of a GPU, and nothing stays in a cache from one
// to the next. All quantities are bytes; an element takes a whole number of
// them (an `i1` one, a complex number two of its parts, an index 8).
//
// What an operation reads is a set of elements: each counts once, however often
// it is read.
//
//   (T1)  An operand that a structured operation (`linalg`) or a scan indexes
//   by
//         its loops: the elements that these reach. A broadcast operand has
//         fewer than the loops have iterations. An operand whose value the body
//         ignores is not read. Scalars that are not in tensors are not counted.
//   (T2)  One tensor read through several operands, slices or shifts: the union
//         of what they read. Of slices the union is exact where they differ in
//         one dimension, by offsets and sizes whose differences are constants;
//         otherwise they are added up, and the sum is an upper bound.
//   (T3)  Elements whose place is computed from data, or by more than one loop
//         (a convolution): the whole operand, an upper bound. So is a gathered
//         input of `scan.kernel`, of whose elements each has a step as a rule.
//   (T4)  An output is written once. A destination that is overwritten is not
//         read; one whose old value the body uses (a reduction output
//         of `scan.kernel`) is.
//   (T5)  A fill writes. So do `tensor.splat`, `generate`, `from_elements`.
//   (T6)  Constants, `tensor.empty`, casts, slices, reshapes and other views,
//         `dim`, and allocations move nothing (but see T13). Reading a splat
//         constant does not either: it is part of the code.
//   (T7)  An update of part of a tensor (`insert_slice`, `insert`, a scatter)
//         works in place if the tensor was made in the function and nothing
//         reads its old value afterwards. Otherwise the tensor is copied first:
//         read once and written once (only written where it is a splat).
//   (T8)  `insert_slice`, `insert`: the slice is read and written.
//   (T9)  A scatter (`tensor.scatter`, `scan.scatter`): indices and source are
//         read, and the elements that the indices name (one slice for each, an
//         upper bound) are read, modified and written: memory moves more than
//         one element at a time. `gather` reads indices and what it returns,
//         and writes that.
//   (T10) `tensor.pad`, `tensor.concat`, copies: read the source, write the
//         result. A shift (`scan.shift`, or of an input of `scan.kernel`) reads
//         what stays inside, and its boundary.
//   (T11) An operation in a loop counts as often as the loop runs; of branches
//         the one that moves more (an upper bound, for each product of dynamic
//         extents); `least` has the one that moves less of each.
//   (T12) Any other operation with tensors or memrefs (a call): reads all of
//         each operand and writes all of each result; it is marked as assumed.
//         Operations without uses or effects are not counted.
//   (T13) A result of a function that is a slice of a tensor, perhaps cast or
//         reshaped, is copied into memory of its own: read and written.
//
// The compulsory traffic of a function is what any program for it has to move:
// of each argument and constant the elements that are read at all, once, and
// each returned tensor, or memref argument that is written, once. An argument
// that is returned as it is, perhaps cast or reshaped, moves nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_ANALYSIS_TRAFFIC_H
#define SCAN_LIB_ANALYSIS_TRAFFIC_H

#include "ExtentTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::scan {

/// The bytes that an element of `type` takes in memory: of a scalar type; for a
/// tensor or memref, of its element type. 0 for a type that is in no memory.
int64_t getElementBytes(Type type);

/// Bytes read and bytes written.
struct Bytes {
  SymbolicPolynomial read, written;
  SymbolicPolynomial getTotal() const { return read + written; }
  Bytes &operator+=(const Bytes &other);
};

/// Elements of one tensor or memref that an operation reads or writes.
struct MemoryAccess {
  /// Along one dimension: from `begin` to `end`, without `end`.
  struct Interval {
    SymbolicPolynomial begin, end;
    bool operator==(const Interval &other) const {
      return begin == other.begin && end == other.end;
    }
  };
  /// Where the elements are: a value that is no view of another.
  Value root;
  /// The part of `root` along each of its dimensions; nothing if the elements
  /// form no box that is known.
  std::optional<llvm::SmallVector<Interval>> box;
  /// How many elements there are; of a box, all.
  SymbolicPolynomial numElements;
  /// Tells accesses without a box apart: the operand and how it is indexed.
  Value view;
  AffineMap map;
};

struct OperationTraffic {
  Operation *op = nullptr;
  /// How often the operation runs.
  SymbolicPolynomial count = 1;
  /// Of all its runs.
  Bytes bytes;
  /// What is read and written, by one run.
  llvm::SmallVector<MemoryAccess> reads, writes;
  /// Nothing is known of the operation (T12).
  bool isAssumed = false;
};

struct FunctionTraffic {
  /// Each operation that moves something, in program order.
  std::vector<OperationTraffic> operations;
  /// The sum, and what it is if of all branches those are taken that move less.
  Bytes total, least;
  Bytes compulsory;
  /// Whether `least` is something else than `total`.
  bool hasChoice = false;
};

/// Counts for the operations below one operation, usually a function. Knows the
/// extents as they are when it is made; see ExtentTable for operations that are
/// created later.
class TrafficAnalysis {
public:
  explicit TrafficAnalysis(Operation *root) : extents(root) {}
  /// For rewrites at `at`.
  TrafficAnalysis(Operation *root, Operation *at) : extents(root, at) {}

  ExtentTable &getExtents() { return extents; }

  /// What one run of the operation moves, whether or not it has uses. Of
  /// operations with regions of control flow, only what is moved for
  /// themselves.
  OperationTraffic getTraffic(Operation *op);

  /// The bytes of all elements that these accesses have, each counted once.
  SymbolicPolynomial getDistinctBytes(llvm::ArrayRef<MemoryAccess> accesses);
  /// The same for what the operations read, one run of each: what one
  /// operation in their place would read.
  SymbolicPolynomial getDistinctReads(llvm::ArrayRef<Operation *> operations);

  /// Bytes of the whole of a tensor or memref; 0 for other values.
  SymbolicPolynomial getBytes(Value value);

  FunctionTraffic getFunctionTraffic(FunctionOpInterface function);

private:
  void countBlock(Block &block, const SymbolicPolynomial &count,
                  FunctionTraffic &traffic, Bytes &most, Bytes &least);
  SymbolicPolynomial getTripCount(Operation *loop);
  Bytes getCompulsoryBytes(FunctionOpInterface function,
                           const FunctionTraffic &traffic);

  ExtentTable extents;
};

} // namespace mlir::scan

#endif // SCAN_LIB_ANALYSIS_TRAFFIC_H
