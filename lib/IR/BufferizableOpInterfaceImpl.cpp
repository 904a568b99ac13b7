//===- BufferizableOpInterfaceImpl.cpp - Bufferization of scans -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferizableOpInterfaceImpl.h"
#include "Scan/IR/ScanDialect.h"
#include "Scan/IR/ScanRecurrence.h"
#include "ScatteredOutputs.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

/// True if `operand` belongs to the operand group `group`.
bool isIn(OperandRange group, OpOperand &operand) {
  if (group.empty())
    return false;
  unsigned number = operand.getOperandNumber();
  unsigned begin = group.getBeginOperandIndex();
  return number >= begin && number < begin + group.size();
}

/// True of an input that is read at other points than a step's own.
bool isReadElsewhere(KernelOp kernel, OpOperand &operand) {
  unsigned number = operand.getOperandNumber();
  return isIn(kernel.getInputs(), operand) &&
         (kernel.getShift(number) != 0 || kernel.isGathered(number));
}

/// True of an output that is added to, or of which only some elements may be
/// written.
bool isUpdated(KernelOp kernel, OpOperand &operand) {
  unsigned output =
      operand.getOperandNumber() - kernel.getOutputs().getBeginOperandIndex();
  return kernel.isReduction(output) || isScattered(kernel, output);
}

/// Whether threads may share the states of a scan, each of which has elements
/// of its own of some input or init: then several read what all states need of
/// another one, and one of them writes an output. Those without a scan read
/// what another one has.
bool mayShareStates(KernelOp kernel) {
  auto hasParts = [&](OpOperand &operand) {
    return KernelOp::getNumElements(operand.get(),
                                    kernel.getIndexingMap(operand)) > 1;
  };
  return kernel.hasInit() &&
         (llvm::any_of(kernel.getInputsMutable(), hasParts) ||
          llvm::any_of(kernel.getInitsMutable(), hasParts));
}

struct KernelOpModel
    : bufferization::DstBufferizableOpInterfaceExternalModel<KernelOpModel,
                                                             KernelOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const bufferization::AnalysisState &state) const {
    // Every element of an output or a final is written, none is read, but for
    // reductions, which are added to what is there, and what is scattered.
    auto kernel = cast<KernelOp>(op);
    if (isIn(kernel.getOutputs(), operand))
      return isUpdated(kernel, operand);
    return !isIn(kernel.getFinals(), operand);
  }

  bool bufferizesToElementwiseAccess(Operation *op,
                                     const bufferization::AnalysisState &state,
                                     ArrayRef<OpOperand *> operands) const {
    // An output element is written after the input elements of the same domain
    // point were read, and no other point reads them again, if input and output
    // are indexed alike: whichever way the walk goes and however it is laid
    // over threads. Inits and finals are left out: many threads may read an
    // init long after the first step. So is a shifted or gathered input: its
    // elements are read at other points than their own, before or after these
    // are written. And of two scans in opposite directions one may read an
    // element again after the other has written there. A reduction output and a
    // scattered one have the map of no such input. Where threads share states,
    // they read elements of others.
    auto kernel = cast<KernelOp>(op);
    if (operands.empty() || kernel.isBidirectional() || mayShareStates(kernel))
      return false;
    AffineMap map = kernel.getIndexingMap(*operands.front());
    if (!map.isPermutation())
      return false;
    return llvm::all_of(operands, [&](OpOperand *operand) {
      return (isIn(kernel.getInputs(), *operand) ||
              isIn(kernel.getOutputs(), *operand)) &&
             kernel.getIndexingMap(*operand) == map &&
             !isReadElsewhere(kernel, *operand);
    });
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    auto kernel = cast<KernelOp>(op);
    if (kernel.hasPureBufferSemantics())
      return success();

    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (!isa<TensorType>(operand.getType())) {
        operands.push_back(operand);
        continue;
      }
      FailureOr<Value> buffer =
          bufferization::getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      operands.push_back(*buffer);
    }

    auto destinations = kernel.getDpsInitsMutable();
    SmallVector<Value> results;
    for (OpOperand &destination : destinations)
      results.push_back(operands[destination.getOperandNumber()]);

    Operation *buffered = Operation::create(
        op->getLoc(), op->getName(), /*resultTypes=*/TypeRange(), operands,
        NamedAttrList(op->getDiscardableAttrDictionary()),
        op->getPropertiesStorage(), /*successors=*/BlockRange(),
        op->getNumRegions());
    rewriter.insert(buffered);
    for (auto [from, to] :
         llvm::zip_equal(op->getRegions(), buffered->getRegions()))
      rewriter.inlineRegionBefore(from, to, to.end());
    bufferization::replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};

/// Graph-level ops have no buffer form of their own.
template <typename OpTy>
struct GraphOpModel
    : bufferization::BufferizableOpInterface::ExternalModel<GraphOpModel<OpTy>,
                                                            OpTy> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const bufferization::AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const bufferization::AnalysisState &) const {
    return false;
  }
  bufferization::AliasingValueList
  getAliasingValues(Operation *, OpOperand &,
                    const bufferization::AnalysisState &) const {
    return {};
  }
  bool bufferizesToAllocation(Operation *, Value) const { return true; }

  LogicalResult verifyAnalysis(Operation *op,
                               const bufferization::AnalysisState &) const {
    return reject(op);
  }
  LogicalResult bufferize(Operation *op, RewriterBase &,
                          const bufferization::BufferizationOptions &,
                          bufferization::BufferizationState &) const {
    return reject(op);
  }

private:
  static LogicalResult reject(Operation *op) {
    if (isa<RecurrenceOp>(op))
      return op->emitOpError(
          "expected loops at bufferization, found a "
          "recurrence; run --convert-recurrence-to-loops "
          "first, or, for a GPU, --scan-normalize-recurrence "
          "and --scan-recurrence-to-blocks");
    return op->emitOpError("expected scan.kernel at bufferization, found a "
                           "graph-level op; run ")
           << (isa<ShiftOp>(op)       ? "--scan-shift-to-slices"
               : isa<HeadFlagsOp>(op) ? "--scan-fuse-segment-offsets"
                                      : "--scan-normalize")
           << " first";
  }
};

} // namespace

void mlir::scan::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, ScanDialect *dialect) {
    KernelOp::attachInterface<KernelOpModel>(*context);
    AssociativeOp::attachInterface<GraphOpModel<AssociativeOp>>(*context);
    LinearRecurrenceOp::attachInterface<GraphOpModel<LinearRecurrenceOp>>(
        *context);
    ShiftOp::attachInterface<GraphOpModel<ShiftOp>>(*context);
    HeadFlagsOp::attachInterface<GraphOpModel<HeadFlagsOp>>(*context);
    RecurrenceOp::attachInterface<GraphOpModel<RecurrenceOp>>(*context);
  });
}
