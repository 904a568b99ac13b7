//===- CheckGPUHost.cpp - Nothing may be left on the host -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostMemory.h"
#include "IR/MissedLoops.h"
#include "LoweringAdvice.h"
#include "Scan/IR/ScanRecurrence.h"
#include "Scan/Target/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::scan {
#define GEN_PASS_DEF_CHECKGPUHOSTPASS
#include "Scan/Target/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

bool mlir::scan::isHostAddressing(Operation *op) {
  if (op->getNumRegions() != 0)
    return false;
  if (isa<memref::AllocOp, memref::DeallocOp, memref::DimOp,
          memref::ExtractStridedMetadataOp, memref::GetGlobalOp,
          affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp,
          arith::ConstantOp, complex::ConstantOp, ViewLikeOpInterface>(op))
    return true;
  return isa<arith::ArithDialect>(op->getDialect()) &&
         llvm::all_of(op->getResultTypes(),
                      [](Type type) { return type.isIntOrIndex(); });
}

/// The end of a message about `memref.alloca`.
static constexpr StringLiteral kStackAdvice =
    "a GPU cannot reach the stack of the host; make the buffer with "
    "memref.alloc or gpu.alloc, or pass it in";

LogicalResult mlir::scan::checkReachable(Operation *op, Value operand) {
  SmallVector<Value> left = {operand};
  while (!left.empty()) {
    Operation *source = left.pop_back_val().getDefiningOp();
    if (!source)
      continue;
    if (auto view = dyn_cast<ViewLikeOpInterface>(source))
      left.push_back(view.getViewSource());
    else if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(source))
      left.push_back(metadata.getSource());
    else if (auto select = dyn_cast<arith::SelectOp>(source))
      left.append({select.getTrueValue(), select.getFalseValue()});
    if (!isa<memref::AllocaOp>(source))
      continue;
    InFlightDiagnostic error =
        emitError(op->getLoc())
        << "'" << op->getName()
        << "' op expected buffers that the GPU can reach, found one of a "
           "'memref.alloca': "
        << kStackAdvice;
    error.attachNote(source->getLoc()) << "the buffer is made here";
    return error;
  }
  return success();
}

/// The type of the buffer that `op` makes a tensor of, or writes a tensor to,
/// as loops on buffers do that have become scans; none of another one.
static Type getBufferType(Operation *op) {
  if (auto read = dyn_cast<bufferization::ToTensorOp>(op))
    return read.getBuffer().getType();
  if (auto write = dyn_cast<bufferization::MaterializeInDestinationOp>(op))
    return write.getDest().getType();
  return Type();
}

LogicalResult mlir::scan::emitHostOpError(Operation *op) {
  if (isa<memref::AllocaOp>(op))
    return emitError(op->getLoc())
           << "'memref.alloca' op cannot become part of a GPU kernel: "
           << kStackAdvice;
  if (Type buffer = getBufferType(op))
    return emitError(op->getLoc())
           << "expected a function on tensors to be compiled to PTX, found "
              "code on a buffer of type "
           << buffer
           << "; take the tensor as an argument, and return what becomes of it";
  // The op may be unverifiable in the middle of a lowering: emitError would
  // then print all of it.
  StringRef advice = getLoweringAdvice(op);
  InFlightDiagnostic error =
      emitError(op->getLoc())
      << "'" << op->getName()
      << "' op cannot become part of a GPU kernel: expected only scans, "
         "elementwise and linalg operations on tensors, and slices of them "
         "in a function that is compiled to PTX; "
      << advice << (advice.empty() ? "" : ", or ")
      << "compute it outside and pass it in or out";
  if (std::optional<MissedLoop> missed = getMissedLoop(op->getLoc()))
    error.attachNote(missed->place)
        << "this keeps the loop from becoming a scan: " << missed->why;
  return error;
}

/// The operations on tensors that bufferize to addresses and to what
/// --scan-linalg-to-gpu makes kernels of.
static bool isForKernels(Operation *op) {
  if (isa<linalg::LinalgOp>(op))
    return llvm::none_of(op->getOperandTypes(), llvm::IsaPred<VectorType>);
  return isa<tensor::InsertSliceOp, tensor::InsertOp, tensor::FromElementsOp,
             tensor::SplatOp, tensor::PadOp, tensor::GenerateOp,
             tensor::ConcatOp, memref::CopyOp, memref::StoreOp, tensor::EmptyOp,
             tensor::DimOp, tensor::CastOp, tensor::ExtractSliceOp,
             tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             bufferization::AllocTensorOp>(op);
}

/// True for what kernels find out for themselves (--scan-predicate-launches):
/// a number in memory that nothing but a choice among launches asks for.
static bool isPredicate(Operation *op) {
  auto extract = dyn_cast<tensor::ExtractOp>(op);
  return extract && extract.getTensor().getType().getRank() == 0 &&
         llvm::all_of(op->getUsers(), [](Operation *compared) {
           return isa<arith::CmpFOp>(compared) &&
                  llvm::all_of(compared->getUsers(), llvm::IsaPred<scf::IfOp>);
         });
}

/// Checks what a function, or a branch of one, does on the host.
static LogicalResult checkBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (auto choice = dyn_cast<scf::IfOp>(op);
        choice && llvm::all_of(choice.getResultTypes(),
                               llvm::IsaPred<RankedTensorType>)) {
      // A choice among launches. Where both branches write their results to
      // one place, it has none after bufferization; elsewhere it is refused
      // then.
      for (Region &region : choice->getRegions())
        if (!region.empty() && failed(checkBlock(region.front())))
          return failure();
      continue;
    }
    if (!isa<KernelOp, RecurrenceOp, gpu::LaunchFuncOp, gpu::MemsetOp>(op) &&
        !isHostAddressing(&op) && !isForKernels(&op) && !isPredicate(&op))
      return emitHostOpError(&op);
  }
  return success();
}

namespace {

struct CheckGPUHost
    : public mlir::scan::impl::CheckGPUHostPassBase<CheckGPUHost> {
  using Base::Base;

  void runOnOperation() override {
    if (getOperation().isDeclaration())
      return;
    if (!getOperation().getBody().hasOneBlock()) {
      getOperation().emitError()
          << "expected a function without control flow to be compiled to PTX";
      return signalPassFailure();
    }
    if (failed(checkBlock(getOperation().front())))
      signalPassFailure();
  }
};

} // namespace
