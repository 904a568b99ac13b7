//===- LinalgOps.cpp - Structured operations by their interface -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every structured operation, named or generic, is a loop nest in row-major
// order around its body, whose operands are addressed by indexing maps.
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::scan::reference;

namespace {
/// One operand of a structured operation.
struct StructuredOperand {
  Use use;
  AffineMap map;
  /// Every result of the map is a loop or a constant.
  bool isProjection = false;
  Slot argument;
  bool argumentIsUsed = false;
};

struct StructuredOp {
  linalg::LinalgOp op;
  unsigned numLoops = 0;
  SmallVector<StructuredOperand> inputs;
  SmallVector<StructuredOperand> outputs;
  SmallVector<Slot> results;
  SmallVector<Slot> loopIndices;
  bool readsLoopIndices = false;
  ProgramPtr body;

  LogicalResult run(Frame &frame);
  LogicalResult runLoops(Frame &frame, ArrayRef<Tensor> in,
                         MutableArrayRef<Tensor> out,
                         ArrayRef<int64_t> extents);
  FailureOr<SmallVector<int64_t>> getExtents(ArrayRef<const Tensor *> tensors);
};

/// Where an operand's elements are as a function of the loops.
struct Access {
  const StructuredOperand *operand = nullptr;
  SmallVector<int64_t> shape;
  SmallVector<int64_t> strides;
  /// Of a projection: elements to go per step of each loop, and the start.
  SmallVector<int64_t> loopStrides;
  int64_t start = 0;
};
} // namespace

/// The value of an index expression; -1, which no dimension has, if it has
/// none.
static int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> point) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return point[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = evaluate(binary.getLHS(), point);
  int64_t rhs = evaluate(binary.getRHS(), point);
  int64_t result = 0;
  if (expr.getKind() == AffineExprKind::Add)
    return llvm::AddOverflow(lhs, rhs, result) ? -1 : result;
  if (expr.getKind() == AffineExprKind::Mul)
    return llvm::MulOverflow(lhs, rhs, result) ? -1 : result;
  if (rhs <= 0)
    return -1;
  if (expr.getKind() == AffineExprKind::Mod)
    return llvm::mod(lhs, rhs);
  return expr.getKind() == AffineExprKind::FloorDiv
             ? llvm::divideFloorSigned(lhs, rhs)
             : llvm::divideCeilSigned(lhs, rhs);
}

/// Each loop's extent, from the dimensions that it indexes directly. Dimensions
/// of one loop have to agree.
FailureOr<SmallVector<int64_t>>
StructuredOp::getExtents(ArrayRef<const Tensor *> tensors) {
  SmallVector<int64_t> extents(numLoops, -1);
  SmallVector<unsigned> source(numLoops, 0);
  auto operands = llvm::concat<StructuredOperand>(inputs, outputs);
  for (auto [number, operand] : llvm::enumerate(operands)) {
    for (auto [dim, expr] : llvm::enumerate(operand.map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        continue;
      unsigned position = loop.getPosition();
      int64_t found = tensors[number]->shape[dim];
      if (extents[position] == -1) {
        extents[position] = found;
        source[position] = number;
      } else if (extents[position] != found) {
        return op.emitOpError("operand #")
               << number << " does not fit operand #" << source[position]
               << ": dimension " << dim << " expected extent "
               << extents[position] << ", found " << found;
      }
    }
  }
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (extent == -1)
      return op.emitOpError("loop ")
             << loop << " has an extent that no operand says";
  return extents;
}

static Access makeAccess(const StructuredOperand &operand, const Tensor *tensor,
                         unsigned numLoops) {
  Access access;
  access.operand = &operand;
  access.loopStrides.assign(numLoops, 0);
  if (!tensor)
    return access;
  access.shape.assign(tensor->shape.begin(), tensor->shape.end());
  access.strides = getStrides(tensor->shape);
  if (operand.isProjection)
    for (auto [dim, expr] : llvm::enumerate(operand.map.getResults())) {
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        access.loopStrides[loop.getPosition()] += access.strides[dim];
      else
        access.start +=
            cast<AffineConstantExpr>(expr).getValue() * access.strides[dim];
    }
  return access;
}

/// The position of the element that an operand has at a point of the loops;
/// an error if the operand is too small for it.
static FailureOr<int64_t> getPosition(Operation *op, const Access &access,
                                      ArrayRef<int64_t> point) {
  int64_t position = access.start;
  if (access.operand->isProjection) {
    for (auto [stride, index] : llvm::zip(access.loopStrides, point))
      position += stride * index;
    return position;
  }
  for (auto [dim, expr] : llvm::enumerate(access.operand->map.getResults())) {
    int64_t index = evaluate(expr, point);
    if (index < 0 || index >= access.shape[dim])
      return op->emitOpError("index ")
             << index << " is out of bounds: dimension " << dim
             << " of an operand has extent " << access.shape[dim];
    position += index * access.strides[dim];
  }
  return position;
}

LogicalResult StructuredOp::runLoops(Frame &frame, ArrayRef<Tensor> in,
                                     MutableArrayRef<Tensor> out,
                                     ArrayRef<int64_t> extents) {
  SmallVector<Access> reads, writes;
  for (auto [i, operand] : llvm::enumerate(inputs)) {
    if (operand.use.slot.isTensor)
      reads.push_back(makeAccess(operand, &in[i], numLoops));
    else
      frame.scalar(operand.argument) = frame.scalar(operand.use.slot);
  }
  SmallVector<const Tensor *> sources;
  for (auto [i, operand] : llvm::enumerate(inputs))
    if (operand.use.slot.isTensor)
      sources.push_back(&in[i]);
  for (auto [i, operand] : llvm::enumerate(outputs))
    writes.push_back(makeAccess(operand, &out[i], numLoops));
  for (const Access &access : llvm::concat<Access>(reads, writes))
    for (auto [dim, expr] : llvm::enumerate(access.operand->map.getResults()))
      if (auto constant = dyn_cast<AffineConstantExpr>(expr))
        if (constant.getValue() < 0 || constant.getValue() >= access.shape[dim])
          return op.emitOpError("index ")
                 << constant.getValue() << " is out of bounds: dimension "
                 << dim << " of an operand has extent " << access.shape[dim];

  SmallVector<int64_t> point(numLoops, 0);
  SmallVector<int64_t, 4> targets(outputs.size());
  do {
    if (readsLoopIndices)
      for (auto [slot, index] : llvm::zip(loopIndices, point))
        frame.scalar(slot).i = index;
    for (auto [access, source] : llvm::zip(reads, sources)) {
      FailureOr<int64_t> position = getPosition(op, access, point);
      if (failed(position))
        return failure();
      frame.scalar(access.operand->argument) = source->load(*position);
    }
    for (auto [i, access] : llvm::enumerate(writes)) {
      FailureOr<int64_t> position = getPosition(op, access, point);
      if (failed(position))
        return failure();
      targets[i] = *position;
      if (access.operand->argumentIsUsed)
        frame.scalar(access.operand->argument) = out[i].load(*position);
    }
    if (failed(body->run(frame)))
      return failure();
    for (auto [i, use] : llvm::enumerate(body->yields))
      out[i].store(targets[i], frame.scalar(use.slot));
  } while (nextPoint(point, extents));
  return success();
}

LogicalResult StructuredOp::run(Frame &frame) {
  SmallVector<Tensor> in, out;
  for (const StructuredOperand &operand : inputs)
    in.push_back(operand.use.slot.isTensor ? frame.take(operand.use)
                                           : Tensor());
  for (const StructuredOperand &operand : outputs) {
    FailureOr<Tensor> tensor =
        frame.session.makeUnique(op, frame.take(operand.use));
    if (failed(tensor))
      return failure();
    out.push_back(std::move(*tensor));
  }
  SmallVector<const Tensor *> tensors;
  for (const Tensor &tensor : llvm::concat<Tensor>(in, out))
    tensors.push_back(&tensor);
  FailureOr<SmallVector<int64_t>> extents = getExtents(tensors);
  if (failed(extents))
    return failure();
  if (countElements(*extents) > 0 && failed(runLoops(frame, in, out, *extents)))
    return failure();
  for (auto [i, slot] : llvm::enumerate(results))
    if (failed(setResult(frame, op, i, slot, std::move(out[i]))))
      return failure();
  return success();
}

static FailureOr<Step> compileStructured(Compiler &compiler,
                                         linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return op.emitOpError("is supported by the reference interpreter on "
                          "tensors only");
  auto compiled = std::make_shared<StructuredOp>();
  compiled->op = op;
  compiled->numLoops = op.getNumLoops();
  for (unsigned i = 0; i < compiled->numLoops; ++i)
    compiled->loopIndices.push_back(
        compiler.defineScratch(Format::integer(64)));
  op->walk([&](linalg::IndexOp) { compiled->readsLoopIndices = true; });

  SmallVector<Slot> outer = compiler.exchangeLoopIndices(compiled->loopIndices);
  FailureOr<ProgramPtr> body = compiler.compileRegion(op->getRegion(0));
  compiler.exchangeLoopIndices(std::move(outer));
  if (failed(body))
    return failure();
  compiled->body = *body;

  for (OpOperand &operand : op->getOpOperands()) {
    StructuredOperand entry;
    entry.use = compiler.use(operand);
    entry.map = op.getMatchingIndexingMap(&operand);
    entry.isProjection = llvm::all_of(entry.map.getResults(), [](AffineExpr e) {
      return isa<AffineDimExpr, AffineConstantExpr>(e);
    });
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    entry.argument = compiler.lookup(argument);
    entry.argumentIsUsed = !argument.use_empty();
    (op.isDpsInput(&operand) ? compiled->inputs : compiled->outputs)
        .push_back(entry);
  }
  compiled->results = compiler.lookupAll(op->getResults());
  return Step([compiled](Frame &frame) { return compiled->run(frame); });
}

FailureOr<Step> mlir::scan::reference::compileLinalgOp(Compiler &compiler,
                                                       Operation *op) {
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    Slot source = compiler.getLoopIndices()[index.getDim()];
    Slot result = compiler.lookup(index.getResult());
    return Step([=](Frame &frame) {
      frame.scalar(result) = frame.scalar(source);
      return success();
    });
  }
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return compileStructured(compiler, structured);
  return Step();
}
