//===- PredicateLaunches.cpp - Launches that depend on memory -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nobody on the host reads what kernels have written, and a launch is made or
// not before they run. So all launches are made, and those under a condition
// on memory get the condition as a predicate: their threads ask it first, and
// are done where it does not hold.
//
//===----------------------------------------------------------------------===//

#include "IndexTracer.h"
#include "Scan/Target/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANPREDICATELAUNCHES
#include "Scan/Target/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

/// Collects what computes `value` from elements of buffers without dimensions;
/// false if something else is needed for it.
static bool collect(Value value, llvm::SetVector<Operation *> &slice) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() != 0)
    return false;
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    MemRefType type = load.getMemRefType();
    if (type.getRank() != 0 || !type.getLayout().isIdentity())
      return false;
  } else if (!isa<arith::ArithDialect>(op->getDialect()) ||
             !llvm::all_of(op->getOperands(), [&](Value operand) {
               return collect(operand, slice);
             })) {
    return false;
  }
  slice.insert(op);
  return true;
}

namespace {

struct ScanPredicateLaunches final
    : scan::impl::ScanPredicateLaunchesBase<ScanPredicateLaunches> {
  void runOnOperation() override {
    SmallVector<scf::IfOp> choices;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](scf::IfOp choice) { choices.push_back(choice); });
    // Outer ones last: inner ones are part of their branches until then.
    for (scf::IfOp choice : choices)
      predicate(choice);
  }

private:
  void predicate(scf::IfOp choice) {
    llvm::SetVector<Operation *> slice;
    if (choice.getNumResults() != 0 || choice.elseBlock() ||
        !collect(choice.getCondition(), slice) ||
        llvm::none_of(slice, llvm::IsaPred<memref::LoadOp>) ||
        isWritten(choice, slice.getArrayRef()))
      return;
    choice.getThenRegion().walk([&](gpu::LaunchFuncOp launch) {
      SymbolRefAttr name = launch.getKernelAttr();
      addPredicate(launch, choice.getCondition(), slice.getArrayRef());
      shareKernel(launch, predicated[name]);
      ++numPredicated;
    });
    for (Operation &op :
         llvm::make_early_inc_range(choice.thenBlock()->without_terminator()))
      op.moveBefore(choice);
    choice.erase();
    for (Operation *op : llvm::reverse(slice))
      if (op->use_empty())
        op->erase();
  }

  /// Whether a launch of the choice could change what later ones ask.
  static bool isWritten(scf::IfOp choice, ArrayRef<Operation *> slice) {
    llvm::DenseSet<Value> asked;
    for (Operation *op : slice)
      if (auto load = dyn_cast<memref::LoadOp>(op))
        asked.insert(getRootBuffer(load.getMemRef()));
    return choice.getThenRegion()
        .walk([&](gpu::LaunchFuncOp launch) {
          for (Value operand : launch.getKernelOperands())
            if (isa<MemRefType>(operand.getType()) &&
                asked.contains(getRootBuffer(operand)))
              return WalkResult::interrupt();
          return WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// The kernel of `launch`, which nothing else launches.
  gpu::GPUFuncOp getOwnKernel(gpu::LaunchFuncOp launch) {
    auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
        launch, launch.getKernelAttr());
    unsigned launches = 0;
    getOperation().walk([&](gpu::LaunchFuncOp other) {
      launches += other.getKernelAttr() == launch.getKernelAttr();
    });
    if (launches == 1)
      return kernel;
    auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
    gpu::GPUFuncOp own = kernel.clone();
    StringAttr name = SymbolTable(module).insert(own);
    launch.setKernelAttr(SymbolRefAttr::get(module.getNameAttr(),
                                            {FlatSymbolRefAttr::get(name)}));
    return own;
  }

  /// One kernel for launches that ask the same of different buffers. `others`
  /// names those that were made of the kernel that `launch` had.
  static void shareKernel(gpu::LaunchFuncOp launch,
                          SmallVectorImpl<SymbolRefAttr> &others) {
    auto lookup = [&](SymbolRefAttr name) {
      return SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(launch, name);
    };
    gpu::GPUFuncOp kernel = lookup(launch.getKernelAttr());
    for (SymbolRefAttr name : others) {
      // Of nested choices, one may have become equal to another one since.
      gpu::GPUFuncOp other = lookup(name);
      if (!other || other == kernel ||
          other->getAttr("scan.args") != kernel->getAttr("scan.args") ||
          !OperationEquivalence::isRegionEquivalentTo(
              &other.getBody(), &kernel.getBody(),
              OperationEquivalence::IgnoreLocations))
        continue;
      launch.setKernelAttr(name);
      kernel.erase();
      return;
    }
    others.push_back(launch.getKernelAttr());
  }

  void addPredicate(gpu::LaunchFuncOp launch, Value condition,
                    ArrayRef<Operation *> slice) {
    gpu::GPUFuncOp kernel = getOwnKernel(launch);
    Block &entry = kernel.getBody().front();
    Operation *end = entry.getTerminator();
    SmallVector<Attribute> arguments(
        kernel->getAttrOfType<ArrayAttr>("scan.args").getValue());
    OpBuilder builder(&getContext());
    IRMapping mapping;
    // A block of the whole body, below the predicate.
    auto body = std::make_unique<Block>();
    body->getOperations().splice(body->end(), entry.getOperations(),
                                 entry.begin(), end->getIterator());
    builder.setInsertionPoint(end);
    for (Operation *op : slice) {
      auto load = dyn_cast<memref::LoadOp>(op);
      if (load && !mapping.contains(load.getMemRef())) {
        unsigned number = kernel.getNumArguments();
        (void)kernel.insertArgument(number, load.getMemRefType(), {},
                                    load.getLoc());
        mapping.map(load.getMemRef(), kernel.getArgument(number));
        launch.getKernelOperandsMutable().append(load.getMemRef());
        arguments.push_back(builder.getDictionaryAttr({
            builder.getNamedAttr("kind", builder.getStringAttr("pointer")),
            builder.getNamedAttr("name", builder.getStringAttr("predicate")),
            builder.getNamedAttr("operand", builder.getI64IntegerAttr(number)),
            builder.getNamedAttr("role", builder.getStringAttr("input")),
            builder.getNamedAttr(
                "type", TypeAttr::get(load.getMemRefType().getElementType())),
        }));
      }
      builder.clone(*op, mapping);
    }
    auto guarded =
        scf::IfOp::create(builder, kernel.getLoc(), mapping.lookup(condition));
    Block *then = guarded.thenBlock();
    then->getOperations().splice(then->begin(), body->getOperations());
    kernel->setAttr("scan.args", builder.getArrayAttr(arguments));
  }

  /// The kernels with a predicate, by the name of the one without.
  DenseMap<Attribute, SmallVector<SymbolRefAttr, 1>> predicated;
};

} // namespace
