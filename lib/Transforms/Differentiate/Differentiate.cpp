//===- Differentiate.cpp - Vector-Jacobian products of functions ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Fusion/ShiftedRead.h"
#include "GraphAdjoint.h"
#include "Rematerialize.h"
#include "Scan/Transforms/Segments/Passes.h"
#include "TimeLoops.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANDIFFERENTIATE
#include "Scan/Transforms/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

namespace {

/// The derivative of one function in the making: a copy of it that goes on
/// backwards where the function returns.
class FunctionAdjoint {
public:
  FunctionAdjoint(func::FuncOp function, ArrayRef<unsigned> arguments,
                  ArrayRef<unsigned> results)
      : function(function), arguments(arguments), results(results) {}

  /// Fails with a diagnostic and leaves no function behind.
  FailureOr<func::FuncOp> create(StringRef name, bool returnsPrimal,
                                 RematerializeMode mode, unsigned checkpoint);

private:
  /// Refuses what takes active values to where they are not followed.
  LogicalResult checkEffects(const GraphAdjoint &graph, Operation *op);
  LogicalResult visit(GraphAdjoint &graph, Operation *op);
  /// Erases what neither pass needs, and what is computed twice. `forward`
  /// keeps up with it.
  void cleanUp(SmallPtrSetImpl<Operation *> &forward);

  func::FuncOp function;
  ArrayRef<unsigned> arguments, results;
  func::FuncOp copy;
};

LogicalResult visitScalar(GraphAdjoint &graph, Operation *op, Refuse refuse) {
  IRMapping identity;
  ScalarAdjoint adjoint(graph.builder, identity);
  for (Value operand : op->getOperands())
    if (graph.isActive(operand))
      adjoint.activate(operand);
  for (Value result : op->getResults()) {
    adjoint.activate(result);
    if (Value cotangent = graph.getCotangent(result))
      adjoint.accumulate(result, cotangent, graph.isMasked());
  }
  if (failed(adjoint.visit(op, refuse)))
    return failure();
  SetVector<Value> operands(op->operand_begin(), op->operand_end());
  for (Value operand : operands)
    if (Value cotangent = adjoint.getCotangent(operand))
      graph.accumulate(operand, cotangent, adjoint.isMasked(operand));
  return success();
}

bool isScalarCode(Operation *op) {
  return op->getNumRegions() == 0 &&
         llvm::none_of(op->getOperandTypes(), llvm::IsaPred<ShapedType>) &&
         llvm::none_of(op->getResultTypes(), llvm::IsaPred<ShapedType>);
}

LogicalResult visitGraphOp(GraphAdjoint &graph, Operation *op, Refuse refuse) {
  if (auto recurrence = dyn_cast<LinearRecurrenceOp>(op)) {
    visitRecurrence(graph, recurrence);
    return success();
  }
  if (auto shift = dyn_cast<ShiftOp>(op)) {
    visitShift(graph, shift);
    return success();
  }
  if (auto scatter = dyn_cast<ScatterOp>(op)) {
    visitScatter(graph, scatter);
    return success();
  }
  if (auto recurrence = dyn_cast<RecurrenceOp>(op))
    return visitTimeLoop(graph, recurrence, refuse);
  if (auto associative = dyn_cast<AssociativeOp>(op))
    return visitAssociative(graph, associative, refuse);
  if (isLoopNest(op))
    return visitLoops(graph, op, refuse);
  if (isa<tensor::TensorDialect>(op->getDialect()))
    return visitTensorOp(graph, op, refuse);
  if (isScalarCode(op))
    return visitScalar(graph, op, refuse);
  if (isa<KernelOp>(op))
    return refuse(op, "cannot be differentiated; --scan-differentiate comes "
                      "before --scan-normalize");
  if (isa<CallOpInterface>(op))
    return refuse(op, "calls another function, which is not differentiated; "
                      "--inline puts its body here");
  if (op->getNumRegions() > 0)
    return refuse(op,
                  "is control flow, which is not differentiated; scans, "
                  "structured operations on tensors, and in the steps of a "
                  "scan.recurrence short loops and branches whose sides can "
                  "both be computed are");
  return refuse(op, "has no derivative that is known here");
}

} // namespace

LogicalResult differentiate::visitOperation(GraphAdjoint &graph, Operation *op,
                                            Refuse refuse) {
  if (isStepRows(op))
    return success();
  SmallVector<Value> results(op->getResults());
  if (auto recurrence = dyn_cast<RecurrenceOp>(op))
    for (unsigned i = 0, e = recurrence.getNumStates(); i < e; ++i)
      llvm::append_range(results, getStepRows(recurrence, i));
  bool isAsked = llvm::any_of(results, [&](Value result) {
    return graph.isActive(result) && graph.getCotangent(result);
  });
  if (!isAsked)
    return success();
  graph.enter(results);
  return visitGraphOp(graph, op, refuse);
}

LogicalResult FunctionAdjoint::checkEffects(const GraphAdjoint &graph,
                                            Operation *op) {
  bool hasMemory =
      llvm::any_of(op->getOperandTypes(), llvm::IsaPred<BaseMemRefType>);
  if (isMemoryEffectFree(op) || (isa<CallOpInterface>(op) && !hasMemory))
    return success();
  SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  if (llvm::none_of(used, [&](Value value) { return graph.isActive(value); }))
    return success();
  InFlightDiagnostic diagnostic =
      op->emitOpError("has an effect on memory, through which values are not "
                      "followed; tensors can be differentiated");
  diagnostic.attachNote(function.getLoc())
      << "while differentiating '" << function.getSymName() << "'";
  return failure();
}

LogicalResult FunctionAdjoint::visit(GraphAdjoint &graph, Operation *op) {
  return visitOperation(
      graph, op, [&](Operation *where, const Twine &reason) -> LogicalResult {
        // Of a copy on the way, only its place is known to the user.
        InFlightDiagnostic diagnostic = copy->isProperAncestor(where)
                                            ? where->emitOpError(reason)
                                            : emitError(where->getLoc())
                                                  << "'" << where->getName()
                                                  << "' op " << reason;
        if (where != op)
          diagnostic.attachNote(op->getLoc()) << "in this operation";
        diagnostic.attachNote(function.getLoc())
            << "while differentiating '" << function.getSymName() << "'";
        return diagnostic;
      });
}

namespace {
/// Keeps a set free of operations that are gone.
struct EraseListener : RewriterBase::Listener {
  explicit EraseListener(SmallPtrSetImpl<Operation *> &set) : set(set) {}
  void notifyOperationErased(Operation *op) override { set.erase(op); }
  SmallPtrSetImpl<Operation *> &set;
};
} // namespace

void FunctionAdjoint::cleanUp(SmallPtrSetImpl<Operation *> &forward) {
  EraseListener listener(forward);
  IRRewriter rewriter(copy.getContext(), &listener);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(copy.front())))
    if (isOpTriviallyDead(&op))
      rewriter.eraseOp(&op);
  DominanceInfo dominance(copy);
  eliminateCommonSubExpressions(rewriter, dominance, copy);
}

/// Writes convolutions over a few steps as sums, and what moves elements along
/// a dimension as scan.shift: these have derivatives, and both passes fuse
/// them.
static void prepareMoves(Block &block) {
  IRRewriter rewriter(block.getParentOp()->getContext());
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp)
      continue;
    FailureOr<Value> sum =
        createUnrolledWindow(rewriter, linalgOp, /*onlyShifts=*/false);
    if (succeeded(sum))
      rewriter.replaceOp(&op, *sum);
  }
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isa<tensor::ExtractSliceOp, tensor::PadOp, tensor::ConcatOp>(op) ||
        op.use_empty())
      continue;
    Value value = op.getResult(0);
    auto type = cast<RankedTensorType>(value.getType());
    if (!ScanDialect::isSupportedElementType(type.getElementType()))
      continue;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (std::optional<ShiftedRead> read = ShiftedRead::get(value, dim);
          read && read->by != 0) {
        rewriter.setInsertionPoint(&op);
        rewriter.replaceAllUsesWith(
            value, read->create(rewriter, op.getLoc(), dim, type));
        break;
      }
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      rewriter.eraseOp(&op);
}

FailureOr<func::FuncOp> FunctionAdjoint::create(StringRef name,
                                                bool returnsPrimal,
                                                RematerializeMode mode,
                                                unsigned checkpoint) {
  copy = function.clone();
  copy.setSymName(name);
  SymbolTable::setSymbolVisibility(copy,
                                   SymbolTable::getSymbolVisibility(function));
  OpBuilder builder(function.getContext());
  builder.setInsertionPointAfter(function);
  builder.insert(copy);
  auto fail = [&]() {
    copy.erase();
    return failure();
  };

  Block &block = copy.front();
  prepareMoves(block);
  flattenSteps(copy);
  // What is computed again checks no offsets again.
  expandRecurrenceSegments(copy, OffsetsChecking::None, /*scatters=*/true);
  if (checkpoint)
    differentiate::checkpoint(copy, checkpoint);
  keepInitRows(copy);
  unsigned numArguments = block.getNumArguments();
  Operation *end = block.getTerminator();
  builder.setInsertionPoint(end);
  SmallVector<Operation *> forward;
  for (Operation &op : block.without_terminator())
    forward.push_back(&op);

  GraphAdjoint graph(builder);
  for (unsigned i : arguments)
    graph.activate(block.getArgument(i));
  for (Operation *op : forward) {
    if (failed(checkEffects(graph, op)))
      return fail();
    graph.activateResults(op);
  }
  for (unsigned i : results) {
    Value result = end->getOperand(i);
    graph.accumulate(result,
                     block.addArgument(result.getType(), function.getLoc()));
  }
  for (Operation *op : llvm::reverse(forward))
    if (failed(visit(graph, op)))
      return fail();

  SmallVector<Value> returned;
  if (returnsPrimal)
    llvm::append_range(returned, end->getOperands());
  for (unsigned i : arguments) {
    Value argument = block.getArgument(i);
    Value gradient = graph.getCotangent(argument);
    if (!gradient)
      gradient = graph.castTo(function.getLoc(),
                              graph.createZeros(function.getLoc(), argument),
                              argument.getType());
    returned.push_back(gradient);
  }
  end->setOperands(returned);

  SmallVector<Attribute> argumentAttrs, resultAttrs;
  auto none = builder.getDictionaryAttr({});
  for (unsigned i = 0, e = block.getNumArguments(); i < e; ++i)
    argumentAttrs.push_back(i < numArguments && function.getArgAttrDict(i)
                                ? function.getArgAttrDict(i)
                                : none);
  resultAttrs.assign(returned.size(), none);
  copy.setFunctionType(builder.getFunctionType(
      block.getArgumentTypes(), ValueRange(returned).getTypes()));
  copy.setArgAttrsAttr(builder.getArrayAttr(argumentAttrs));
  copy.setResAttrsAttr(builder.getArrayAttr(resultAttrs));

  SmallPtrSet<Operation *, 32> forwardSet(forward.begin(), forward.end());
  cleanUp(forwardSet);
  rematerializeForward(copy, forwardSet, mode);
  return copy;
}

namespace {

struct ScanDifferentiatePass
    : scan::impl::ScanDifferentiateBase<ScanDifferentiatePass> {
  using ScanDifferentiateBase::ScanDifferentiateBase;

  void runOnOperation() override {
    if (failed(differentiateFunction()))
      signalPassFailure();
  }

  /// What a list option selects of `types`: all that have derivatives if the
  /// list is empty.
  FailureOr<SmallVector<unsigned>> select(func::FuncOp op, StringRef what,
                                          ArrayRef<unsigned> asked,
                                          TypeRange types) {
    SmallVector<unsigned> selected(asked);
    if (asked.empty())
      for (auto [i, type] : llvm::enumerate(types))
        if (isDifferentiable(type))
          selected.push_back(i);
    for (unsigned i : selected) {
      if (i >= types.size())
        return op.emitOpError("has ")
               << types.size() << " " << what << "s, and " << what << " " << i
               << " was asked for (they are counted from 0)";
      if (!isDifferentiable(types[i]))
        return op.emitOpError("has no derivative with respect to ")
               << what << " " << i << " of type " << types[i]
               << "; expected floating-point or complex numbers, or a ranked "
                  "tensor of them";
      if (llvm::count(selected, i) > 1)
        return op.emitOpError("was asked for ") << what << " " << i << " twice";
    }
    if (selected.empty())
      return op.emitOpError("has no ")
             << what << " of floating-point or complex numbers, so that there "
             << "is nothing to differentiate";
    return selected;
  }

  LogicalResult differentiateFunction() {
    ModuleOp module = getOperation();
    if (function.empty())
      return module.emitError("--scan-differentiate needs the name of a "
                              "function, as in function=loss");
    auto op = module.lookupSymbol<func::FuncOp>(function);
    if (!op)
      return module.emitError("there is no function '") << function << "'";
    if (!op.getBody().hasOneBlock())
      return op.emitOpError("cannot be differentiated: expected a body of one "
                            "block, found ")
             << op.getBody().getBlocks().size();
    std::string target = name.empty() ? function + "_vjp" : name.getValue();
    if (module.lookupSymbol(target))
      return op.emitOpError("cannot be differentiated: there is a symbol '")
             << target << "' already; name=... gives the derivative another "
             << "name";
    FailureOr<SmallVector<unsigned>> selectedArguments =
        select(op, "argument", *arguments, op.getArgumentTypes());
    if (failed(selectedArguments))
      return failure();
    FailureOr<SmallVector<unsigned>> selectedResults =
        select(op, "result", *results, op.getResultTypes());
    if (failed(selectedResults))
      return failure();
    FunctionAdjoint adjoint(op, *selectedArguments, *selectedResults);
    // `recompute` is the former name of the option, for one release.
    RematerializeMode mode =
        rematerialize == RematerializeMode::Auto ? recompute : rematerialize;
    if (failed(adjoint.create(target, primal, mode, checkpoint)))
      return failure();
    ++numFunctions;
    return success();
  }
};

} // namespace
