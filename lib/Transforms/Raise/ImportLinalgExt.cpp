//===- ImportLinalgExt.cpp - Scans of IREE and torch-mlir -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What these operations mean is said by their lowerings to loops
// (ScanOp::generateScalarImplementation in both projects): with acc the
// accumulator, x the input and f the region,
//
//   inclusive: y[0] = x[0], y[t] = f(y[t-1], x[t])
//   exclusive: y[0] = acc,  y[t] = f(y[t-1], x[t-1])
//
// and acc is set to y[t] for t > 0. The dialects are not linked: operations are
// recognised by their names.
//
//===----------------------------------------------------------------------===//

#include "IR/MatchCounts.h"
#include "Scan/Transforms/Raise.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANIMPORTLINALGEXT
#include "Scan/Transforms/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

namespace {

/// A scan that is well-formed.
struct ForeignScan {
  Operation *op;
  RankedTensorType type;
  int64_t dim;
  bool isInclusive;

  Value getInput() const { return op->getOperand(0); }
  Value getAccumulator() const { return op->getOperand(2); }
  Block &getBody() const { return op->getRegion(0).front(); }
};

} // namespace

static bool isForeignScan(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return name == "iree_linalg_ext.scan" || name == "tm_tensor.scan";
}

/// The attribute of an operation of an unknown dialect, among its properties or
/// its attributes.
static Attribute getProperty(Operation *op, StringRef name) {
  if (auto properties =
          dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute()))
    if (Attribute property = properties.get(name))
      return property;
  return op->getAttr(name);
}

/// Checks what the dialect's own verifier would have checked.
static FailureOr<ForeignScan> read(Operation *op) {
  auto fail = [&](const Twine &expected) {
    return op->emitError() << "'" << op->getName() << "' op expected "
                           << expected;
  };
  if (op->getNumOperands() != 3 || op->getNumResults() != 2 ||
      op->getNumRegions() != 1 || !op->getRegion(0).hasOneBlock())
    return fail("an input, an output and an accumulator, two results and a "
                "region of one block; scans of several inputs are not read");
  ForeignScan scan = {op, {}, 0, false};
  scan.type = dyn_cast<RankedTensorType>(scan.getInput().getType());
  auto output = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  auto accumulator =
      dyn_cast<RankedTensorType>(scan.getAccumulator().getType());
  auto dimension = dyn_cast_or_null<IntegerAttr>(getProperty(op, "dimension"));
  auto inclusive = dyn_cast_or_null<BoolAttr>(getProperty(op, "inclusive"));
  if (!scan.type || !output || !accumulator)
    return fail("ranked tensors");
  if (!dimension || !inclusive)
    return fail("the attributes 'dimension', an integer, and 'inclusive', true "
                "or false");
  scan.dim = dimension.getInt();
  scan.isInclusive = inclusive.getValue();
  if (scan.dim < 0 || scan.dim >= scan.type.getRank() ||
      output.getRank() != scan.type.getRank() ||
      accumulator.getRank() + 1 != scan.type.getRank())
    return fail("a dimension of the input, an output of its rank and an "
                "accumulator without the dimension");
  Type element = scan.type.getElementType();
  Block &body = scan.getBody();
  bool isTyped =
      output.getElementType() == element &&
      accumulator.getElementType() == element &&
      llvm::equal(body.getArgumentTypes(), TypeRange({element, element}));
  if (!isTyped || body.empty() || body.back().getNumOperands() != 1 ||
      body.back().getOperand(0).getType() != element ||
      !body.back().getName().getStringRef().ends_with(".yield"))
    return fail("a region of two elements that yields one, all of the element "
                "type of the input, the output and the accumulator");
  return scan;
}

/// The accumulator at the end; null after an error.
static Value getLast(OpBuilder &builder, const ForeignScan &scan,
                     Value scanned) {
  Location loc = scan.op->getLoc();
  if (scan.type.isDynamicDim(scan.dim)) {
    emitError(loc) << "'" << scan.op->getName()
                   << "' op expected a static extent in dimension " << scan.dim
                   << ", as result #1 is used: it is the last element, but the "
                      "accumulator where there are fewer than two";
    return {};
  }
  int64_t steps = scan.type.getDimSize(scan.dim);
  if (steps < 2)
    return scan.getAccumulator();
  auto type = cast<RankedTensorType>(scan.op->getResult(1).getType());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, scanned);
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  sizes[scan.dim] = builder.getIndexAttr(1);
  offsets[scan.dim] = builder.getIndexAttr(steps - 1);
  SmallVector<int64_t> shape(scan.type.getShape());
  shape.erase(shape.begin() + scan.dim);
  Value last = tensor::ExtractSliceOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()),
      scanned, offsets, sizes, strides);
  return builder.createOrFold<tensor::CastOp>(loc, type, last);
}

static LogicalResult import(IRRewriter &rewriter, Operation *op) {
  FailureOr<ForeignScan> scan = read(op);
  if (failed(scan))
    return failure();
  rewriter.setInsertionPoint(op);
  auto body = [&](OpBuilder &builder, Location loc, ValueRange arguments) {
    IRMapping mapping;
    mapping.map(scan->getBody().getArguments(), arguments);
    // Of an unknown operation nobody knows that it is a terminator.
    for (Operation &inner : llvm::drop_end(scan->getBody()))
      builder.clone(inner, mapping);
    Value yielded =
        mapping.lookupOrDefault(scan->getBody().back().getOperand(0));
    // scan.associative yields fresh values.
    if (llvm::is_contained(arguments, yielded))
      yielded = CloneOp::create(builder, loc, yielded);
    return SmallVector<Value>{yielded};
  };
  SmallVector<Value> inits;
  if (!scan->isInclusive)
    inits.push_back(scan->getAccumulator());
  auto made = AssociativeOp::create(
      rewriter, op->getLoc(), scan->getInput(), inits, scan->dim,
      /*reverse=*/false, /*exclusive=*/!scan->isInclusive,
      /*finalStates=*/false, TypeRange(scan->type.getElementType()), body);
  Value scanned = made->getResult(0);
  Value last = op->getResult(1);
  if (!last.use_empty()) {
    last = getLast(rewriter, *scan, scanned);
    if (!last)
      return failure();
    rewriter.replaceAllUsesWith(op->getResult(1), last);
  }
  rewriter.replaceAllUsesWith(
      op->getResult(0), rewriter.createOrFold<tensor::CastOp>(
                            op->getLoc(), op->getResult(0).getType(), scanned));
  rewriter.eraseOp(op);
  return success();
}

namespace {

struct ImportLinalgExt : scan::impl::ScanImportLinalgExtBase<ImportLinalgExt> {
  void runOnOperation() override {
    SmallVector<Operation *> scans;
    getOperation()->walk([&](Operation *op) {
      if (isForeignScan(op))
        scans.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : scans) {
      if (failed(import(rewriter, op)))
        return signalPassFailure();
      ++numScans;
    }
    addMatchCounts(getOperation(), getArgument(), {{"scans", scans.size()}});
  }
};

} // namespace
