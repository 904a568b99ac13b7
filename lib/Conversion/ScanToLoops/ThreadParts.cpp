//===- ThreadParts.cpp - Independent scans in parts -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadParts.h"
#include "IR/ExpensiveOps.h"
#include "Scan/Conversion/ScanToLoops/ThreadLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::scan;

static int64_t getKernelWork(KernelOp kernel) {
  int64_t work = kernel.getInputs().size() + kernel.getOutputs().size();
  for (Region *region :
       {&kernel.getLoad(), &kernel.getCombine(), &kernel.getStore()})
    for (Operation &op : region->front().without_terminator())
      op.walk([&](Operation *inner) {
        work += isExpensive(inner) ? kExpensiveWork : 1;
      });
  return work;
}

int64_t mlir::scan::getPointWork(MutableArrayRef<KernelEmitter> kernels) {
  int64_t work = 0;
  for (KernelEmitter &each : kernels)
    work += getKernelWork(each.getKernel());
  return work;
}

/// Whether the work is statically known to be less than `threadWork`.
static bool isSmall(MutableArrayRef<KernelEmitter> kernels,
                    const ConvertScanToLoopsOptions &options) {
  std::optional<int64_t> work = getPointWork(kernels);
  for (int64_t size : kernels.front().getStaticSizes()) {
    if (ShapedType::isDynamic(size))
      return false;
    work = llvm::checkedMul(*work, size);
    if (!work)
      return false;
  }
  return *work < int64_t{options.threadWork};
}

bool mlir::scan::mayUseThreads(MutableArrayRef<KernelEmitter> kernels,
                               const ConvertScanToLoopsOptions &options) {
  KernelOp kernel = kernels.front().getKernel();
  return options.threads && !isSmall(kernels, options) &&
         !kernel->getParentOfType<scf::ParallelOp>() &&
         !kernel->getParentOfType<scf::ForallOp>();
}

SmallVector<unsigned>
mlir::scan::getThreadDims(MutableArrayRef<KernelEmitter> kernels,
                          const ConvertScanToLoopsOptions &options) {
  KernelOp kernel = kernels.front().getKernel();
  if (!mayUseThreads(kernels, options))
    return {};
  SmallVector<AffineMap> written;
  for (KernelEmitter &each : kernels) {
    llvm::append_range(written, each.getKernel().getOutputMaps());
    llvm::append_range(written, each.getKernel().getFinalMaps());
  }
  ArrayRef<int64_t> shape = kernels.front().getStaticSizes();
  SmallVector<unsigned> dims;
  for (unsigned d = 0; d < kernel.getDomainRank(); ++d)
    if (d != kernel.getDim() && shape[d] != 1 &&
        llvm::all_of(written,
                     [&](AffineMap map) { return map.isFunctionOfDim(d); }))
      dims.push_back(d);
  return dims;
}

ThreadParts::ThreadParts(OpBuilder &builder,
                         MutableArrayRef<KernelEmitter> kernels,
                         const ConvertScanToLoopsOptions &options)
    : builder(builder), emitter(kernels.front()), loc(emitter.getLoc()) {
  Value work = emitter.index(getPointWork(kernels));
  for (Value size : emitter.getSizes())
    work = arith::MulIOp::create(builder, loc, work, size);
  isLarge = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, work,
                                  emitter.index(options.threadWork));
}

void mlir::scan::emitThreadLoop(OpBuilder &builder, Location loc, Value count,
                                function_ref<void(Value)> body) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto loop = scf::ParallelOp::create(builder, loc, zero, count, one);
  loop->setDiscardableAttr(kThreadsAttrName, builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVars().front());
}

void mlir::scan::emitThreadParts(OpBuilder &builder, Location loc, Value parts,
                                 Value count,
                                 function_ref<void(Value, Value)> body) {
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  // There is nothing to divide by where there are no parts.
  Value divisor = arith::MaxUIOp::create(builder, loc, parts, one);
  emitThreadLoop(builder, loc, parts, [&](Value part) {
    auto getBegin = [&](Value part) -> Value {
      Value product = arith::MulIOp::create(builder, loc, part, count);
      return arith::DivUIOp::create(builder, loc, product, divisor);
    };
    Value begin = getBegin(part);
    body(begin, getBegin(arith::AddIOp::create(builder, loc, part, one)));
  });
}

Value ThreadParts::countNumbers(ArrayRef<Value> extents) {
  Value count = extents.front();
  for (Value extent : extents.drop_front())
    count = arith::MulIOp::create(builder, loc, count, extent);
  return count;
}

SmallVector<Value> ThreadParts::getIndices(ArrayRef<Value> extents,
                                           Value number) {
  SmallVector<Value> indices(extents.size());
  for (size_t i = extents.size() - 1; i > 0; --i) {
    // There are no numbers where an extent is 0, but code may be moved.
    Value divisor =
        arith::MaxUIOp::create(builder, loc, extents[i], emitter.index(1));
    indices[i] = arith::RemUIOp::create(builder, loc, number, divisor);
    number = arith::DivUIOp::create(builder, loc, number, divisor);
  }
  indices[0] = number;
  return indices;
}

void ThreadParts::emit(ArrayRef<Value> extents, function_ref<void()> prepare,
                       function_ref<void(ArrayRef<Value>)> body) {
  Value one = emitter.index(1), count = countNumbers(extents);
  Value parts =
      arith::MinUIOp::create(builder, loc, count, emitter.index(kMaxParts));
  parts = arith::SelectOp::create(builder, loc, isLarge, parts, one);
  emitThreadParts(builder, loc, parts, count, [&](Value begin, Value end) {
    prepare();
    auto numbers = scf::ForOp::create(builder, loc, begin, end, one);
    builder.setInsertionPointToStart(numbers.getBody());
    body(getIndices(extents, numbers.getInductionVar()));
  });
}
