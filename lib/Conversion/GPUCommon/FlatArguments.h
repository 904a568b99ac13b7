//===- FlatArguments.h - What a GPU kernel is passed ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gpu.func and its launch, for an operation on memrefs whose domain is a box:
// the flat arguments (their list is in the description of
// --convert-scan-to-gpu) and the attributes that a manifest is written from.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_GPUCOMMON_FLATARGUMENTS_H
#define SCAN_LIB_CONVERSION_GPUCOMMON_FLATARGUMENTS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::scan {

/// A memref or scalar of the host that a kernel uses.
struct FlatOperand {
  Value value;
  /// Entries of scan.args: `"input"`, ..., and the name of the pointer.
  StringRef role;
  std::string name;
};

/// One argument of the gpu.func.
struct KernelArgument {
  enum class Kind { Pointer, Offset, Stride, Scalar, Size, Workspace, Status };
  Kind kind;
  /// Number of the operand; of a status, the one that it is about; not for
  /// sizes and workspaces.
  unsigned operand = 0;
  /// Dimension of the operand (strides) or of the domain (sizes).
  unsigned dim = 0;
};

/// The flat arguments of `op`, in order: those of each operand, then the
/// dynamic extents of `domain`. Emits an error and fails if an operand has no
/// strided layout.
FailureOr<SmallVector<KernelArgument>>
listFlatArguments(Operation *op, ArrayRef<FlatOperand> operands,
                  ArrayRef<int64_t> domain);

/// Makes the gpu.func `name` at the end of `module`, with an empty body, and
/// leaves `b` inside. `grid` maps the sizes to the grid, `workspace` to the
/// bytes of the argument of that kind, if there is one.
gpu::GPUFuncOp createKernelFunc(ImplicitLocOpBuilder &b,
                                gpu::GPUModuleOp module, StringRef name,
                                ArrayRef<FlatOperand> operands,
                                ArrayRef<KernelArgument> arguments,
                                int32_t threads, AffineMap grid,
                                AffineMap workspace = AffineMap());

/// The extents of the domain inside the gpu.func.
SmallVector<Value> createExtents(ImplicitLocOpBuilder &b, gpu::GPUFuncOp func,
                                 ArrayRef<KernelArgument> arguments,
                                 ArrayRef<int64_t> domain);

/// Rebuilds a memref of type `type` from the front of `values`, which loses its
/// pointer, offset and strides. `getExtent` says the extent of a dynamic
/// dimension. With `sharesStrides`, the strides of a memref without a layout
/// map are computed as products of extents: those of operands that have the
/// same are one value.
Value createView(ImplicitLocOpBuilder &b, MemRefType type,
                 ArrayRef<BlockArgument> &values,
                 function_ref<OpFoldResult(unsigned)> getExtent,
                 bool sharesStrides = false);

/// What a launch passes, on the host; `extents` are those of the domain,
/// `workspace` is the memref whose base a workspace is, and `statuses` those of
/// the arguments of that kind, in order.
SmallVector<Value> createLaunchOperands(ImplicitLocOpBuilder &b,
                                        ArrayRef<FlatOperand> operands,
                                        ArrayRef<KernelArgument> arguments,
                                        ArrayRef<OpFoldResult> extents,
                                        Value workspace = Value(),
                                        ArrayRef<Value> statuses = {});

/// The gpu.module that kernels of `module` are put into, made if there is none.
gpu::GPUModuleOp getKernelModule(RewriterBase &rewriter, ModuleOp module);

/// A name for the gpu.func of `op` that is not taken in `module`: the name of
/// the function around it, `suffix` and a number.
std::string chooseKernelName(Operation *op, StringRef suffix,
                             gpu::GPUModuleOp module);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_GPUCOMMON_FLATARGUMENTS_H
