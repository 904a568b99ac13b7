//===- Compiler.h - Regions as slot-indexed instructions --------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function is compiled once: every value gets a slot in the function's
// frame (nested regions included), every operation becomes a closure over the
// slots that it reads and writes. Running a region then looks up nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_REFERENCE_COMPILER_H
#define SCAN_LIB_REFERENCE_COMPILER_H

#include "Scan/IR/ScanDialect.h"
#include "Values.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>
#include <memory>

namespace mlir::tensor {
class ScatterOp;
} // namespace mlir::tensor

namespace mlir::scan::reference {

/// Where a value lives in its frame, and how it (or its elements) are held.
struct Slot {
  bool isTensor = false;
  unsigned index = 0;
  Format format;
};

/// A slot that is read. `isLastUse` says that nothing reads the same definition
/// afterwards, so that a tensor may be moved out of the slot.
struct Use {
  Slot slot;
  bool isLastUse = false;
};

/// A value outside of a frame: on its way through a call or to the next step of
/// a loop.
struct Datum {
  bool isTensor = false;
  Scalar scalar = {};
  Tensor tensor;
};

class Session;

/// The values of one activation of a function.
struct Frame {
  Session &session;
  /// How many regions of this and of calling functions nest at most; each takes
  /// some of the host's stack.
  unsigned depth = 0;
  std::vector<Scalar> scalars;
  std::vector<Tensor> tensors;

  Scalar &scalar(Slot slot) { return scalars[slot.index]; }
  Tensor &tensor(Slot slot) { return tensors[slot.index]; }
  int64_t integer(Slot slot) const {
    return signExtend(scalars[slot.index].i, slot.format.width);
  }
  /// The tensor in a slot, moved if this is its last use.
  Tensor take(Use use) {
    Tensor &tensor = tensors[use.slot.index];
    return use.isLastUse ? std::move(tensor) : tensor;
  }
  Datum read(Use use);
  void write(Slot slot, Datum datum);
};

using Step = std::function<LogicalResult(Frame &)>;

/// A compiled block.
struct Program {
  std::vector<Step> steps;
  SmallVector<Slot> arguments;
  /// What the terminator passes on.
  SmallVector<Use> yields;

  LogicalResult run(Frame &frame) const {
    for (const Step &step : steps)
      if (failed(step(frame)))
        return failure();
    return success();
  }
  SmallVector<Datum> readYields(Frame &frame) const;
  void writeArguments(Frame &frame, MutableArrayRef<Datum> values) const;
};
using ProgramPtr = std::shared_ptr<Program>;

/// A compiled function.
struct Function {
  func::FuncOp op;
  ProgramPtr body;
  unsigned numScalars = 0;
  unsigned numTensors = 0;
  /// How deeply its regions nest.
  unsigned nesting = 0;
};

/// One call of `interpret`: the compiled functions and the memory in use.
class Session {
public:
  explicit Session(ModuleOp module);

  /// Compiles `op` unless that has been done or is under way; `user` is where
  /// it is called.
  FailureOr<Function *> getFunction(func::FuncOp op, Operation *user);
  LogicalResult call(Function &function, Operation *caller, unsigned depth,
                     SmallVectorImpl<Datum> &values);

  /// A tensor of zeros; an error at `op` if it would exceed the memory limit.
  FailureOr<Tensor> allocate(Operation *op, Format format,
                             ArrayRef<int64_t> shape);
  /// `tensor` with elements that it shares with nobody.
  FailureOr<Tensor> makeUnique(Operation *op, Tensor tensor);

private:
  ModuleOp module;
  std::shared_ptr<MemoryMeter> meter;
  llvm::DenseMap<Operation *, std::unique_ptr<Function>> functions;
  /// Functions that are being compiled, one because of the other.
  unsigned numCompiling = 0;
};

/// Evaluates one scalar operation: reads operands, writes results. Returns what
/// went wrong, or null.
using ScalarKernel = std::function<const char *(const Scalar *, Scalar *)>;

/// The most operands and results that a scalar operation has.
constexpr unsigned kMaxScalarOperands = 4;
constexpr unsigned kMaxScalarResults = 2;

/// Kernels of the operations of one dialect, for operands and results held in
/// the given formats; null for an operation that is not supported.
ScalarKernel buildArithKernel(Operation *op, ArrayRef<Format> in,
                              ArrayRef<Format> out);
ScalarKernel buildArithCastKernel(Operation *op, Format in, Format out);
ScalarKernel buildMathKernel(Operation *op, ArrayRef<Format> in,
                             ArrayRef<Format> out);
ScalarKernel buildComplexKernel(Operation *op, ArrayRef<Format> in,
                                ArrayRef<Format> out);

/// Compiles the body of one function.
class Compiler {
public:
  Compiler(Session &session, Function &function)
      : session(session), function(function) {}

  /// Compiles the only block of `region`; its terminator's operands are the
  /// yields.
  FailureOr<ProgramPtr> compileRegion(Region &region);

  /// Gives a value its slot.
  FailureOr<Slot> define(Value value);
  /// A scalar slot that no value of the program has.
  Slot defineScratch(Format format);
  Slot lookup(Value value) const { return slots.at(value); }
  Use use(OpOperand &operand) const;
  SmallVector<Use> useAll(MutableArrayRef<OpOperand> operands) const;
  SmallVector<Slot> lookupAll(ValueRange values) const;

  /// How values of a scalar type are held where compilation is.
  FailureOr<Format> getFormatOf(Type type, Location loc);

  /// In a combine region: the formats in which the element types of leaves are
  /// held. Replaces the previous map and returns it.
  using Accumulators = llvm::DenseMap<Type, Format>;
  Accumulators exchangeAccumulators(Accumulators next) {
    std::swap(accumulators, next);
    return next;
  }

  /// The scalar slots that `linalg.index` reads, innermost structured op.
  SmallVector<Slot> exchangeLoopIndices(SmallVector<Slot> next) {
    std::swap(loopIndices, next);
    return next;
  }
  ArrayRef<Slot> getLoopIndices() const { return loopIndices; }

  /// The same for `scan.index` in a kernel: one slot per domain dimension.
  SmallVector<Slot> exchangeDomainIndices(SmallVector<Slot> next) {
    std::swap(domainIndices, next);
    return next;
  }
  ArrayRef<Slot> getDomainIndices() const { return domainIndices; }

  Session &getSession() { return session; }

private:
  LogicalResult compileOp(Operation *op, Program &program);

  Session &session;
  Function &function;
  llvm::DenseMap<Value, Slot> slots;
  Accumulators accumulators;
  SmallVector<Slot> loopIndices, domainIndices;
  unsigned nesting = 0;
};

/// Compile one operation of a family to a step. An empty step means that the
/// operation is not of the family; failure, that an error has been emitted.
FailureOr<Step> compileElementwise(Compiler &compiler, Operation *op);
FailureOr<Step> compileConstant(Compiler &compiler, Operation *op);
FailureOr<Step> compileTensorOp(Compiler &compiler, Operation *op);
FailureOr<Step> compileTensorReshape(Compiler &compiler, Operation *op);
FailureOr<Step> compileTensorSlice(Compiler &compiler, Operation *op);
FailureOr<Step> compileTensorScatter(Compiler &compiler, tensor::ScatterOp op);
FailureOr<Step> compileLinalgOp(Compiler &compiler, Operation *op);
FailureOr<Step> compileControlFlow(Compiler &compiler, Operation *op);
FailureOr<Step> compileScanOp(Compiler &compiler, Operation *op);

/// Puts a tensor result into its slot; an error if its extents contradict the
/// declared type of the result.
LogicalResult setResult(Frame &frame, Operation *op, unsigned result, Slot slot,
                        Tensor tensor);

/// "2x3" for messages; "no dimensions" for rank 0.
std::string describeShape(ArrayRef<int64_t> shape);

} // namespace mlir::scan::reference

#endif // SCAN_LIB_REFERENCE_COMPILER_H
