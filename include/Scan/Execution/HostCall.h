//===- HostCall.h - Calls of compiled functions with arrays -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_EXECUTION_HOSTCALL_H
#define SCAN_EXECUTION_HOSTCALL_H

#include "Scan/Execution/ArrayView.h"
#include "Scan/Execution/HostRuntime.h"
#include "Scan/Reference/HostArray.h"
#include "mlir/IR/BuiltinOps.h"

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::scan {

/// What a call has returned, for as long as somebody looks at it.
class CallResults {
public:
  /// One array per result, of any strides; they may be the same memory as
  /// inputs or as each other.
  ArrayRef<ArrayView> getViews() const { return views; }
  /// Takes over the memory of a result, which then stays where it is. Null if
  /// that cannot be done: the result is not dense and aligned, the memory is
  /// not the run's own, is far larger than the result, or was taken with an
  /// earlier result.
  HostBlock take(size_t index);

private:
  friend class HostCall;
  explicit CallResults(HostRuntime &runtime) : runtime(runtime) {}

  HostRuntime &runtime;
  SmallVector<ArrayView> views;
  SmallVector<void *> blocks; ///< What each view lies in, if it was allocated.
};

/// Gets the results of a call, which live until it returns. Its failure is the
/// call's.
using ResultReceiver = llvm::function_ref<LogicalResult(CallResults &results)>;

/// A function on ranked tensors and scalars, and how its compiled form on
/// memrefs, in the LLVM dialect's calling convention, is called with arrays.
class HostCall {
public:
  /// Describes the function `entry` of `module`, which is still on tensors.
  /// Emits an error if there is none, if it has no body, or if a type has no
  /// counterpart among arrays. With `acceptMemRefs` memrefs count as tensors if
  /// their layout is one that dense arrays have, results also with any other
  /// strides; the function may write to the inputs that it gets so.
  static FailureOr<HostCall> get(ModuleOp module, StringRef entry,
                                 bool acceptMemRefs = false);

  /// Where the results are in what the trampoline writes.
  struct ResultLayout {
    size_t bytes = 0;
    SmallVector<size_t> offsets;
  };
  /// Describes a function whose trampoline was compiled before, with what is
  /// known of it. Emits an error at `loc` if a type has no counterpart among
  /// arrays or the layout is not one of these results.
  static FailureOr<HostCall> restore(StringRef entry, Location loc,
                                     FunctionType type, ResultLayout layout);
  const ResultLayout &getResultLayout() const { return layout; }

  StringRef getEntry() const { return entry; }
  Location getLoc() const { return loc; }
  ArrayRef<Type> getArgumentTypes() const { return arguments; }
  ArrayRef<Type> getResultTypes() const { return results; }

  /// Emits an error if `inputs` are not what the function takes.
  LogicalResult checkInputs(ArrayRef<HostArray> inputs) const;

  /// The name of the function that `addTrampoline` adds. Those of the program
  /// have others (`getRenamedSymbol`).
  static StringRef getTrampolineName() { return "scan.call"; }
  /// Adds to `module`, the compiled form with its functions renamed, a function
  /// that takes the addresses of all arguments and of the result, and makes all
  /// others internal. Records the layout of the result.
  void addTrampoline(llvm::Module &module);

  /// Calls the compiled form through its trampoline at `address`, with
  /// `inputs`, which were checked; these are not written to. Appends the
  /// results to `outputs` as dense arrays, and frees all that the function
  /// allocated. `seconds` is the time spent in the function. Emits an error if
  /// the run failed, or if `runtime` checks memory and finds it misused.
  LogicalResult call(void *address, HostRuntime &runtime,
                     ArrayRef<HostArray> inputs,
                     SmallVectorImpl<HostArray> &outputs,
                     double &seconds) const;
  /// The same with inputs and results that are where they are: the inputs,
  /// which are dense, or strided as the function was compiled for, and aligned
  /// for their elements, are read in place, and
  /// `receive` gets the results, which may be the same memory as inputs.
  /// Several calls at a time need a runtime each.
  LogicalResult call(void *address, HostRuntime &runtime,
                     ArrayRef<ArrayView> inputs, ResultReceiver receive,
                     double &seconds) const;

private:
  /// The results that the compiled form has left at `result`.
  LogicalResult getResults(const char *result, CallResults &views) const;

  HostCall(StringRef entry, Location loc) : entry(entry), loc(loc) {}

  std::string entry;
  Location loc;
  SmallVector<Type> arguments, results;
  ResultLayout layout;
};

} // namespace mlir::scan

#endif // SCAN_EXECUTION_HOSTCALL_H
