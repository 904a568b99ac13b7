//===- Cell.h - Random recurrences as data ----------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs with one scan.recurrence: several states, whose rows have one of two
// shapes, windows, inputs, weights, and a body of operations in stages. Those
// read rows element by element, across lanes, whole (sums), and times a matrix.
//
// Numbers are exact, so that an order of additions does not matter: integers
// wrap around; of floating-point numbers only element-by-element operations are
// made, which round in one way, and products are kept small, as what is not a
// number equals nothing. Cells that Newton's method solves have a tolerance
// that is below any difference: what it takes for solved has the numbers of the
// walk.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_CELL_H
#define SCAN_LIB_FUZZ_CELL_H

#include "Random.h"
#include "Reduce/GreedySearch.h"
#include "Scan/Reference/HostArray.h"
#include "mlir/IR/MLIRContext.h"
#include <string>
#include <vector>

namespace mlir::scan::fuzz {

/// An operation on rows. `a` and `b` are values: the rows of states, the latest
/// first, those of the inputs, the weights, one per shape, and then the results
/// of operations.
struct CellOperation {
  enum Kind {
    Add,
    Sub,
    Mul,
    Min,
    Max,
    Select,  ///< b where a < b, else a
    Time,    ///< a plus the number of the row
    Lane,    ///< element `lane` of a, of any shape, plus b
    Total,   ///< the sum of the elements of a plus b; of integers
    Product, ///< the matrix times a plus b, of rank 1; of integers
  };
  static constexpr unsigned kNumKinds = Product + 1;
  Kind kind = Add;
  unsigned a = 0, b = 0;
  int64_t lane = 0;
  /// As linalg.generic, and not as an operation on tensors.
  bool asGeneric = false;
  /// Its schedule as loops: a factor of the first dimension, 0 for none, and
  /// elements of a vector.
  unsigned split = 0, vector = 1;
};

struct CellState {
  unsigned shape = 0;
  int64_t window = 1;
  /// The value that is its next row.
  unsigned next = 0;
  bool returnsHistory = true, returnsLast = true;
};

struct Cell {
  std::string element = "i32";
  /// The shapes of rows, of the same rank.
  SmallVector<int64_t> shapes[2];
  unsigned dim = 0;
  int64_t steps = 1;
  /// How many more rows inputs have; none without an operand `steps`.
  std::optional<int64_t> extra;
  std::vector<CellState> states;
  /// The shapes of inputs, and the values that are outputs.
  SmallVector<unsigned> inputs, outputs;
  std::vector<CellOperation> operations;
  /// Where segments end, after a zero; none for one walk.
  std::optional<SmallVector<int32_t>> offsets;
  bool reverse = false, initRows = false, isDynamic = false;
  /// Whether Newton's method solves it. All rows are of one static shape then,
  /// and what is read are the same elements one row back.
  bool isSolved = false;
  /// Whether a schedule asks for launches for each step.
  bool isLaunched = false;
  /// Steps of an iteration of the loop over time; 0 if nothing says that there
  /// is to be one.
  unsigned unroll = 0;

  /// Whether something says how the steps become loops.
  bool isScheduled() const;
  unsigned getNumRows() const;
  /// The shape of a value.
  unsigned getShape(unsigned value) const;
};

/// Recurrence number `index` of a seed.
Cell makeCell(uint64_t seed, uint64_t index);

/// The same recurrence with other extents, as far as its types allow, and
/// another number of steps; case 0 is the cell itself.
Cell makeCellCase(Cell cell, uint64_t seed, uint64_t index, uint64_t number);

/// Whether all operands are values of the right shapes that exist, and there is
/// a result.
bool isValid(const Cell &cell);

/// The module with the function @f.
std::string printCell(const Cell &cell);

SmallVector<HostArray> makeCellArguments(const Cell &cell, uint64_t seed,
                                         MLIRContext &context);

/// Applies simplification number `step`.
StepResult simplifyCell(Cell &cell, size_t step);

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_CELL_H
