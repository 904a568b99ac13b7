//===- PointKernel.cpp - One thread per point of an operation -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   the point of this thread in the dimensions that all outputs have:
//     load what the other dimensions do not change
//     for each point of the other dimensions, in the order of the loops:
//       load the rest, compute; the outputs stay in registers
//     store the outputs
//
//===----------------------------------------------------------------------===//

#include "PointKernel.h"
#include "../GPUCommon/Emit.h"
#include "../GPUCommon/FlatArguments.h"
#include "IR/OperandMemory.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;

/// Enough to fill a multiprocessor with blocks of them.
static constexpr int64_t kThreads = 256;

static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

namespace {
class PointKernel {
public:
  PointKernel(RewriterBase &rewriter, linalg::LinalgOp op,
              ArrayRef<Value> starts)
      : rewriter(rewriter), b(op.getLoc(), rewriter), op(op), starts(starts),
        point(op.getNumLoops()) {}

  LogicalResult lower();

private:
  void collectOperands();
  void collectDomain();
  void orderLoops();
  int64_t getThreads();
  AffineMap getGrid(int64_t threads);
  void createViews();
  void emitThread();
  SmallVector<Value> emitLoops(ImplicitLocOpBuilder &inner,
                               ArrayRef<unsigned> rest, ValueRange carried);
  SmallVector<Value> emitPoint(ImplicitLocOpBuilder &inner, ValueRange carried);

  Value getValue(Value host) { return inKernel.lookup(host); }
  Value load(ImplicitLocOpBuilder &inner, OpOperand &operand);
  SmallVector<Value> getIndices(ImplicitLocOpBuilder &inner, AffineMap map);
  bool isInvariant(OpOperand &operand) {
    return llvm::none_of(walked, [&](unsigned loop) {
      return op.getMatchingIndexingMap(&operand).isFunctionOfDim(loop);
    });
  }
  /// Whether the output is in a register throughout the walk.
  bool isCarried(OpOperand &output) {
    return isInvariant(output) && op.payloadUsesValueFromOperand(&output);
  }

  RewriterBase &rewriter;
  ImplicitLocOpBuilder b;
  linalg::LinalgOp op;
  ArrayRef<Value> starts;
  /// What the kernel is passed, and the values that it makes itself.
  SmallVector<FlatOperand> flat;
  SetVector<Value> constants;
  /// The extents of the loops, and after them those of what the region reads
  /// from outside, where these are dynamic; the latter by memref and dimension.
  SmallVector<OpFoldResult> extents;
  SmallVector<int64_t> domain;
  DenseMap<std::pair<Value, unsigned>, unsigned> capturedExtents;
  /// The loops that threads share out, the contiguous one last, and those that
  /// each thread walks.
  SmallVector<unsigned> shared, walked;

  gpu::GPUFuncOp func;
  SmallVector<KernelArgument> arguments;
  SmallVector<Value> sizes;
  IRMapping inKernel;
  SmallVector<Value> point;
  /// What was loaded in front of the walk, by the number of the operand.
  DenseMap<unsigned, Value> preloaded;
};
} // namespace

void PointKernel::collectOperands() {
  SetVector<Value> seen;
  auto add = [&](Value value, StringRef role, const std::string &name) {
    if (isConstant(value))
      constants.insert(value);
    else if (seen.insert(value))
      flat.push_back({value, role, name});
  };
  // An input that is an output, too, is passed as the latter.
  for (OpOperand &output : op.getDpsInitsMutable())
    seen.insert(output.get());
  unsigned number = 0;
  for (OpOperand *input : op.getDpsInputOperands())
    add(input->get(), "input", "x" + std::to_string(number++));
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    add(value, "input", "x" + std::to_string(number++));
  for (Value start : starts)
    if (start)
      add(start, "input", "x" + std::to_string(number++));
  seen.clear();
  for (auto [i, output] : llvm::enumerate(op.getDpsInitsMutable()))
    if (seen.insert(output.get()))
      flat.push_back({output.get(), "output", "y" + std::to_string(i)});
}

void PointKernel::collectDomain() {
  for (Range range : op.createLoopRanges(b, b.getLoc()))
    extents.push_back(range.size);
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    if (auto type = dyn_cast<MemRefType>(value.getType()))
      for (unsigned dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim)) {
          capturedExtents[{value, dim}] = extents.size();
          extents.push_back(memref::getMixedSize(b, b.getLoc(), value, dim));
        }
  for (OpFoldResult &extent : extents) {
    std::optional<int64_t> known = getConstantIntValue(extent);
    domain.push_back(known ? *known : ShapedType::kDynamic);
    if (known)
      extent = b.getIndexAttr(*known);
  }
}

/// Shares out the loops, and puts that one last along which the threads access
/// most bytes contiguously.
void PointKernel::orderLoops() {
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    (isThreadLoop(op, loop) ? shared : walked).push_back(loop);
  if (shared.empty())
    return;
  SmallVector<int64_t> contiguous(op.getNumLoops(), 0);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type || type.getRank() == 0)
      continue;
    SmallVector<int64_t> strides = getOperandStrides(type);
    auto dim = dyn_cast<AffineDimExpr>(
        op.getMatchingIndexingMap(&operand).getResults().back());
    if (!dim || strides.back() != 1)
      continue;
    // A scattered write costs a whole sector, and what is read in every step of
    // a walk counts as often.
    int64_t weight = 8 * getStorageBytes(type.getElementType());
    if (op.isDpsInit(&operand))
      weight += 1;
    else if (!isInvariant(operand))
      weight *= 8;
    contiguous[dim.getPosition()] += weight;
  }
  auto *best = &shared.back();
  for (unsigned &loop : shared)
    if (contiguous[loop] > contiguous[*best])
      best = &loop;
  std::rotate(best, best + 1, shared.end());
}

int64_t PointKernel::getThreads() {
  int64_t points = 1;
  for (unsigned loop : shared) {
    if (ShapedType::isDynamic(domain[loop]))
      return kThreads;
    points = std::min(kThreads, points * std::min(domain[loop], kThreads));
  }
  return std::max<int64_t>(llvm::alignTo(points, 32), 32);
}

AffineMap PointKernel::getGrid(int64_t threads) {
  AffineExpr points = b.getAffineConstantExpr(1);
  unsigned numSymbols = 0;
  for (auto [i, extent] : llvm::enumerate(domain)) {
    AffineExpr size = ShapedType::isDynamic(extent)
                          ? b.getAffineSymbolExpr(numSymbols++)
                          : b.getAffineConstantExpr(extent);
    if (llvm::is_contained(shared, i))
      points = points * size;
  }
  return getGridMap(points.ceilDiv(threads), numSymbols);
}

/// The operands inside the kernel.
void PointKernel::createViews() {
  sizes = createExtents(b, func, arguments, domain);
  ArrayRef<BlockArgument> values(func.getArguments());
  auto asFold = [&](unsigned i) -> OpFoldResult {
    if (ShapedType::isDynamic(domain[i]))
      return sizes[i];
    return b.getIndexAttr(domain[i]);
  };
  for (const FlatOperand &operand : flat) {
    auto type = dyn_cast<MemRefType>(operand.value.getType());
    if (!type) {
      inKernel.map(operand.value, values.front());
      values = values.drop_front();
      continue;
    }
    AffineMap map;
    for (OpOperand &use : op->getOpOperands())
      if (use.get() == operand.value)
        map = op.getMatchingIndexingMap(&use);
    auto getExtent = [&](unsigned position) -> OpFoldResult {
      auto captured = capturedExtents.find({operand.value, position});
      if (captured != capturedExtents.end())
        return asFold(captured->second);
      AffineExpr expr = map.getResult(position);
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        return asFold(dim.getPosition());
      // One more than the last element that the loops reach: nothing but the
      // last of the loops' points is asked for it.
      SmallVector<Value> last;
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
        last.push_back(addConstant(b, sizes[loop], -1));
      return addConstant(
          b, affine::expandAffineExpr(b, b.getLoc(), expr, last, {}), 1);
    };
    inKernel.map(operand.value, createView(b, type, values, getExtent));
  }
  for (Value constant : constants)
    inKernel.map(constant,
                 b.clone(*constant.getDefiningOp())
                     ->getResult(cast<OpResult>(constant).getResultNumber()));
}

SmallVector<Value> PointKernel::getIndices(ImplicitLocOpBuilder &inner,
                                           AffineMap map) {
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults())
    indices.push_back(
        affine::expandAffineExpr(inner, inner.getLoc(), expr, point, {}));
  return indices;
}

Value PointKernel::load(ImplicitLocOpBuilder &inner, OpOperand &operand) {
  Value value = getValue(operand.get());
  if (!isa<MemRefType>(operand.get().getType()))
    return value;
  return memref::LoadOp::create(
      inner, value, getIndices(inner, op.getMatchingIndexingMap(&operand)));
}

/// Computes the current point; returns the next values of the carried outputs.
SmallVector<Value> PointKernel::emitPoint(ImplicitLocOpBuilder &inner,
                                          ValueRange carried) {
  Block *body = op.getBlock();
  IRMapping mapping(inKernel);
  ValueRange rest = carried;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    Value value;
    if (op.isDpsInit(&operand) && isCarried(operand)) {
      value = rest.front();
      rest = rest.drop_front();
    } else if (argument.use_empty()) {
      continue;
    } else {
      value = preloaded.lookup(operand.getOperandNumber());
      if (!value)
        value = load(inner, operand);
    }
    mapping.map(argument, value);
  }
  for (Operation &inside : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inside)) {
      mapping.map(index.getResult(), point[index.getDim()]);
      continue;
    }
    Operation *clone = inner.clone(inside, mapping);
    clone->walk([&](linalg::IndexOp index) {
      index.replaceAllUsesWith(point[index.getDim()]);
      index.erase();
    });
  }
  SmallVector<Value> next;
  for (auto [output, yielded] : llvm::zip_equal(
           op.getDpsInitsMutable(), body->getTerminator()->getOperands())) {
    Value value = mapping.lookupOrDefault(yielded);
    if (isCarried(output))
      next.push_back(value);
    else
      memref::StoreOp::create(
          inner, value, getValue(output.get()),
          getIndices(inner, op.getMatchingIndexingMap(&output)));
  }
  return next;
}

/// Walks the loops `rest`, the outermost first.
SmallVector<Value> PointKernel::emitLoops(ImplicitLocOpBuilder &inner,
                                          ArrayRef<unsigned> rest,
                                          ValueRange carried) {
  if (rest.empty())
    return emitPoint(inner, carried);
  return createFor(
      inner, indexConstant(inner, 0), sizes[rest.front()],
      indexConstant(inner, 1), carried,
      [&](ImplicitLocOpBuilder &nested, Value index, ValueRange values) {
        point[rest.front()] = index;
        return emitLoops(nested, rest.drop_front(), values);
      });
}

void PointKernel::emitThread() {
  Value number = arith::AddIOp::create(
      b,
      mulConstant(b, createBlockNumber(b),
                  func->getAttrOfType<DenseI64ArrayAttr>("scan.block")[0]),
      gpu::ThreadIdOp::create(b, gpu::Dimension::x));
  Value count = indexConstant(b, 1);
  for (unsigned loop : shared)
    count = b.createOrFold<arith::MulIOp>(count, sizes[loop]);
  createIf(
      b, compare(b, arith::CmpIPredicate::ult, number, count),
      [&](ImplicitLocOpBuilder &inner) {
        Value rest = number;
        for (auto [i, loop] : llvm::enumerate(llvm::reverse(shared))) {
          if (i + 1 == shared.size()) {
            point[loop] = rest;
            break;
          }
          point[loop] = inner.createOrFold<arith::RemUIOp>(rest, sizes[loop]);
          rest = inner.createOrFold<arith::DivUIOp>(rest, sizes[loop]);
        }
        SmallVector<Value> carried;
        for (OpOperand *input : op.getDpsInputOperands())
          if (!walked.empty() && isInvariant(*input) &&
              op.payloadUsesValueFromOperand(input))
            preloaded[input->getOperandNumber()] = load(inner, *input);
        for (auto [output, start] :
             llvm::zip_equal(op.getDpsInitsMutable(), starts))
          if (isCarried(output))
            carried.push_back(start ? getValue(start) : load(inner, output));
        ValueRange rest2;
        SmallVector<Value> results = emitLoops(inner, walked, carried);
        rest2 = results;
        for (OpOperand &output : op.getDpsInitsMutable()) {
          if (!isCarried(output))
            continue;
          memref::StoreOp::create(
              inner, rest2.front(), getValue(output.get()),
              getIndices(inner, op.getMatchingIndexingMap(&output)));
          rest2 = rest2.drop_front();
        }
      });
  gpu::ReturnOp::create(b);
}

LogicalResult PointKernel::lower() {
  b.setInsertionPoint(op);
  collectOperands();
  collectDomain();
  FailureOr<SmallVector<KernelArgument>> listed =
      listFlatArguments(op, flat, domain);
  if (failed(listed))
    return failure();
  arguments = std::move(*listed);
  orderLoops();
  int64_t threads = getThreads();

  gpu::GPUModuleOp module =
      getKernelModule(rewriter, op->getParentOfType<ModuleOp>());
  {
    OpBuilder::InsertionGuard guard(b);
    func = createKernelFunc(b, module, chooseKernelName(op, "_map", module),
                            flat, arguments, threads, getGrid(threads));
    func->setAttr("scan.strategy", b.getStringAttr("elementwise"));
    createViews();
    emitThread();
  }

  SmallVector<Value> operands =
      createLaunchOperands(b, flat, arguments, extents);
  Value points = indexConstant(b, 1);
  for (unsigned loop : shared)
    points = b.createOrFold<arith::MulIOp>(
        points, getValueOrCreateConstantIndexOp(b, b.getLoc(), extents[loop]));
  Value one = indexConstant(b, 1);
  gpu::KernelDim3 grid = createGrid(
      b, b.createOrFold<arith::CeilDivUIOp>(points, indexConstant(b, threads)));
  gpu::LaunchFuncOp::create(
      b, func, grid, gpu::KernelDim3{indexConstant(b, threads), one, one},
      /*dynamicSharedMemorySize=*/Value(), operands);
  rewriter.eraseOp(op);
  return success();
}

LogicalResult mlir::scan::lowerToPointKernel(RewriterBase &rewriter,
                                             linalg::LinalgOp op,
                                             ArrayRef<Value> starts) {
  OpBuilder::InsertionGuard guard(rewriter);
  return PointKernel(rewriter, op, starts).lower();
}
