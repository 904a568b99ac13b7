//===- Neighbours.cpp - What stays beside a kernel, and why ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reasons are those that the patterns of --scan-fuse-elementwise give: each
// neighbour is tried once more.
//
//===----------------------------------------------------------------------===//

#include "Neighbours.h"
#include "KernelFusion.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

/// Keeps the last reason that a rewrite gave for what it did not do.
class ReasonListener final : public RewriterBase::Listener {
public:
  void
  notifyMatchFailure(Location,
                     function_ref<void(Diagnostic &)> giveReason) override {
    Diagnostic diagnostic(UnknownLoc(), DiagnosticSeverity::Remark);
    giveReason(diagnostic);
    reason = diagnostic.str();
  }
  std::string take() {
    StringRef text(reason);
    text.consume_front("not inlined into the scan: ");
    text.consume_front("the producer cannot be inlined: ");
    std::string taken = text.str();
    reason.clear();
    return taken;
  }

private:
  std::string reason;
};

} // namespace

/// True for what only says where something else lies in memory.
static bool isView(Operation *op) {
  return isa<tensor::CastOp, tensor::ExtractSliceOp, tensor::CollapseShapeOp,
             tensor::ExpandShapeOp>(op);
}

/// True for what launches nothing and moves nothing by itself.
static bool movesNothing(Operation *op) {
  return isa<tensor::EmptyOp, tensor::DimOp, KernelOp>(op) ||
         op->hasTrait<OpTrait::ConstantLike>() ||
         op->hasTrait<OpTrait::IsTerminator>();
}

static bool isOnTensors(Operation *op) {
  return llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
}

/// What computes the operand, behind views.
static Operation *findProducer(Value operand) {
  Operation *op = operand.getDefiningOp();
  while (op && isView(op))
    op = op->getOperand(0).getDefiningOp();
  return op && !movesNothing(op) && isOnTensors(op) ? op : nullptr;
}

static void addProducers(RewriterBase &rewriter, ReasonListener &listener,
                         KernelOp &kernel, const FusionOptions &options,
                         SmallVectorImpl<Neighbour> &neighbours) {
  unsigned numRead = kernel.getInputs().size() + kernel.getInits().size();
  SmallPtrSet<Operation *, 8> seen;
  for (unsigned i = 0; i < numRead; ++i) {
    OpOperand &operand = kernel->getOpOperand(i);
    Operation *producer = findProducer(operand.get());
    if (!producer || !seen.insert(producer).second)
      continue;
    neighbours.push_back({producer->getName().getStringRef().str(),
                          producer->getLoc(), /*isBehind=*/false, ""});
    LogicalResult fused = failure();
    if (auto slice = operand.get().getDefiningOp<tensor::ExtractSliceOp>())
      fused = moveSlice(rewriter, slice);
    else
      fused = fuseProducer(rewriter, kernel, operand, options);
    neighbours.back().reason =
        succeeded(fused) ? "it may become part of the kernel when it is fused "
                           "once more"
                         : listener.take();
    if (succeeded(fused)) {
      kernel = {};
      return;
    }
  }
}

static void addConsumers(RewriterBase &rewriter, ReasonListener &listener,
                         KernelOp kernel, const FusionOptions &options,
                         SmallVectorImpl<Neighbour> &neighbours) {
  SetVector<Operation *> users(kernel->user_begin(), kernel->user_end());
  for (size_t i = 0; i < users.size(); ++i)
    if (isView(users[i]))
      users.insert(users[i]->user_begin(), users[i]->user_end());
  // The last use is the first one in the list of a value.
  for (Operation *user : llvm::reverse(users)) {
    if (isView(user) || movesNothing(user))
      continue;
    neighbours.push_back({user->getName().getStringRef().str(), user->getLoc(),
                          /*isBehind=*/true, ""});
    bool fused = succeeded(
        fuseConsumer(rewriter, kernel, user, options, /*mayUnroll=*/true));
    neighbours.back().reason =
        fused ? "it may become part of the kernel when it is fused once more"
              : listener.take();
    if (fused)
      return;
  }
}

SmallVector<SmallVector<Neighbour>>
scan::findNeighbours(ArrayRef<KernelOp> kernels, const FusionOptions &options) {
  SmallVector<SmallVector<Neighbour>> all;
  ReasonListener listener;
  for (KernelOp kernel : kernels) {
    SmallVector<Neighbour> &neighbours = all.emplace_back();
    if (!kernel.hasPureTensorSemantics())
      continue;
    IRRewriter rewriter(kernel.getContext(), &listener);
    addProducers(rewriter, listener, kernel, options, neighbours);
    if (kernel)
      addConsumers(rewriter, listener, kernel, options, neighbours);
  }
  return all;
}
