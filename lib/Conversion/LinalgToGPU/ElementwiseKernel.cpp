//===- ElementwiseKernel.cpp - One thread per output element --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   the element of this thread in the dimensions that all outputs have:
//     load what the other dimensions do not change
//     for each index of the other dimensions, in the order of the loops:
//       load the rest, compute; the outputs stay in registers
//     store the outputs
//
// Nothing is passed between threads, so that results are those of the loops to
// the bit, reductions included.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseKernel.h"
#include "../GPUCommon/Emit.h"
#include "../GPUCommon/FlatArguments.h"
#include "../GPUCommon/Grid.h"
#include "IR/OffsetsCheck.h"
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
class ElementwiseKernel {
public:
  ElementwiseKernel(RewriterBase &rewriter, linalg::LinalgOp op,
                    ArrayRef<Value> initialValues)
      : rewriter(rewriter), b(op.getLoc(), rewriter), op(op),
        initialValues(initialValues), point(op.getNumLoops()) {}

  LogicalResult lower();

private:
  void collectOperands();
  void collectDomain();
  void orderLoops();
  int64_t getThreads();
  AffineMap getGrid(int64_t threads);
  void createViews();
  bool isAhead(Operation &inside);
  void emitAhead(Value number);
  void emitThread(int64_t threads);
  void emitElement(ImplicitLocOpBuilder &inner);
  SmallVector<Value> emitLoops(ImplicitLocOpBuilder &inner,
                               ArrayRef<unsigned> rest, ValueRange carried);
  SmallVector<Value> emitBody(ImplicitLocOpBuilder &inner, ValueRange carried);

  Value getValue(Value host) { return inKernel.lookup(host); }
  Value load(ImplicitLocOpBuilder &inner, OpOperand &operand);
  void store(ImplicitLocOpBuilder &inner, Value value, OpOperand &output);
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
  ArrayRef<Value> initialValues;
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

void ElementwiseKernel::collectOperands() {
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
  for (Value initial : initialValues)
    if (initial)
      add(initial, "input", "x" + std::to_string(number++));
  seen.clear();
  for (auto [i, output] : llvm::enumerate(op.getDpsInitsMutable()))
    if (seen.insert(output.get()))
      flat.push_back({output.get(), "output", "y" + std::to_string(i)});
}

void ElementwiseKernel::collectDomain() {
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
void ElementwiseKernel::orderLoops() {
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    (isThreadLoop(op, loop) ? shared : walked).push_back(loop);
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
  moveContiguousLast(shared, contiguous);
}

int64_t ElementwiseKernel::getThreads() {
  int64_t elements = 1;
  for (unsigned loop : shared) {
    if (ShapedType::isDynamic(domain[loop]))
      return kThreads;
    elements = std::min(kThreads, elements * std::min(domain[loop], kThreads));
  }
  return std::max<int64_t>(llvm::alignTo(elements, 32), 32);
}

AffineMap ElementwiseKernel::getGrid(int64_t threads) {
  AffineExpr elements = b.getAffineConstantExpr(1);
  for (auto [loop, extent] :
       llvm::enumerate(getSymbolicExtents(domain, b.getContext())))
    if (llvm::is_contained(shared, loop))
      elements = elements * extent;
  return getGridMap(elements.ceilDiv(threads),
                    llvm::count_if(domain, ShapedType::isDynamic));
}

/// The operands inside the kernel.
void ElementwiseKernel::createViews() {
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
      // last of the loops' iterations is asked for it.
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

SmallVector<Value> ElementwiseKernel::getIndices(ImplicitLocOpBuilder &inner,
                                                 AffineMap map) {
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults())
    indices.push_back(
        affine::expandAffineExpr(inner, inner.getLoc(), expr, point, {}));
  return indices;
}

Value ElementwiseKernel::load(ImplicitLocOpBuilder &inner, OpOperand &operand) {
  Value value = getValue(operand.get());
  if (!isa<MemRefType>(operand.get().getType()))
    return value;
  return memref::LoadOp::create(
      inner, value, getIndices(inner, op.getMatchingIndexingMap(&operand)));
}

void ElementwiseKernel::store(ImplicitLocOpBuilder &inner, Value value,
                              OpOperand &output) {
  memref::StoreOp::create(
      inner, value, getValue(output.get()),
      getIndices(inner, op.getMatchingIndexingMap(&output)));
}

/// Runs the body at the current point; returns the next values of the carried
/// outputs.
SmallVector<Value> ElementwiseKernel::emitBody(ImplicitLocOpBuilder &inner,
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
    if (isAhead(inside))
      continue;
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
      store(inner, value, output);
  }
  return next;
}

/// Walks the loops `rest`, the outermost first.
SmallVector<Value> ElementwiseKernel::emitLoops(ImplicitLocOpBuilder &inner,
                                                ArrayRef<unsigned> rest,
                                                ValueRange carried) {
  if (rest.empty())
    return emitBody(inner, carried);
  return createFor(
      inner, indexConstant(inner, 0), sizes[rest.front()],
      indexConstant(inner, 1), carried,
      [&](ImplicitLocOpBuilder &nested, Value index, ValueRange values) {
        point[rest.front()] = index;
        return emitLoops(nested, rest.drop_front(), values);
      });
}

/// Computes the elements at which this thread stores outputs.
void ElementwiseKernel::emitElement(ImplicitLocOpBuilder &inner) {
  for (OpOperand *input : op.getDpsInputOperands())
    if (!walked.empty() && isInvariant(*input) &&
        op.payloadUsesValueFromOperand(input))
      preloaded[input->getOperandNumber()] = load(inner, *input);
  SmallVector<Value> carried;
  for (auto [output, initial] :
       llvm::zip_equal(op.getDpsInitsMutable(), initialValues))
    if (isCarried(output))
      carried.push_back(initial ? getValue(initial) : load(inner, output));
  SmallVector<Value> results = emitLoops(inner, walked, carried);
  ValueRange rest(results);
  for (OpOperand &output : op.getDpsInitsMutable()) {
    if (!isCarried(output))
      continue;
    store(inner, rest.front(), output);
    rest = rest.drop_front();
  }
}

/// Whether `inside`, of the body, is a loop that checks offsets and is not done
/// at the element of the thread but in front: there are offsets to check where
/// there are no elements, too.
bool ElementwiseKernel::isAhead(Operation &inside) {
  auto loop = dyn_cast<scf::ForOp>(inside);
  return loop && loop->hasAttr(offsetsLoopAttrName) && op.getNumLoops() == 1 &&
         walked.empty() &&
         loop.getLowerBound().getDefiningOp<linalg::IndexOp>();
}

/// Does the loops that are ahead, with the number of the thread for that of its
/// element, in as many threads as their step says.
void ElementwiseKernel::emitAhead(Value number) {
  if (llvm::none_of(*op.getBlock(),
                    [&](Operation &inside) { return isAhead(inside); }))
    return;
  IRMapping mapping(inKernel);
  auto isKnown = [&](Value value) { return mapping.contains(value); };
  for (Operation &inside : op.getBlock()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inside)) {
      mapping.map(index.getResult(), number);
    } else if (isAhead(inside)) {
      auto loop = cast<scf::ForOp>(inside);
      Value count = mapping.lookupOrDefault(loop.getStep());
      createIf(
          b, compare(b, arith::CmpIPredicate::ult, number, count),
          [&](ImplicitLocOpBuilder &some) { some.clone(inside, mapping); });
    } else if (inside.getNumRegions() == 0 && isMemoryEffectFree(&inside) &&
               llvm::all_of(inside.getOperands(), isKnown)) {
      b.clone(inside, mapping);
    }
  }
}

void ElementwiseKernel::emitThread(int64_t threads) {
  Value number = createThreadNumber(b, threads);
  emitAhead(number);
  Value count = multiplyExtents(b, sizes, shared);
  createIf(b, compare(b, arith::CmpIPredicate::ult, number, count),
           [&](ImplicitLocOpBuilder &inner) {
             createCoordinates(inner, number, sizes, shared, point);
             emitElement(inner);
           });
  gpu::ReturnOp::create(b);
}

LogicalResult ElementwiseKernel::lower() {
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
    emitThread(threads);
  }

  SmallVector<Value> operands =
      createLaunchOperands(b, flat, arguments, extents);
  Value elements = indexConstant(b, 1);
  for (unsigned loop : shared)
    elements = b.createOrFold<arith::MulIOp>(
        elements,
        getValueOrCreateConstantIndexOp(b, b.getLoc(), extents[loop]));
  Value one = indexConstant(b, 1);
  gpu::KernelDim3 grid = createGrid(
      b,
      b.createOrFold<arith::CeilDivUIOp>(elements, indexConstant(b, threads)));
  gpu::LaunchFuncOp::create(
      b, func, grid, gpu::KernelDim3{indexConstant(b, threads), one, one},
      /*dynamicSharedMemorySize=*/Value(), operands);
  rewriter.eraseOp(op);
  return success();
}

LogicalResult
mlir::scan::lowerToElementwiseKernel(RewriterBase &rewriter,
                                     linalg::LinalgOp op,
                                     ArrayRef<Value> initialValues) {
  OpBuilder::InsertionGuard guard(rewriter);
  return ElementwiseKernel(rewriter, op, initialValues).lower();
}
