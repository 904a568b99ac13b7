//===- OperationTraffic.cpp - What one operation moves --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per rule of Traffic.h.
//
//===----------------------------------------------------------------------===//

#include "IR/ScanMaps.h"
#include "IR/ScatteredOutputs.h"
#include "MemoryAccesses.h"
#include "Scan/IR/ScanDialect.h"
#include "Scan/IR/ScanRecurrence.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::scan;

int64_t scan::getElementBytes(Type type) {
  type = getElementTypeOrSelf(type);
  if (auto complexType = dyn_cast<ComplexType>(type))
    return 2 * getElementBytes(complexType.getElementType());
  if (isa<IndexType>(type))
    return 8;
  return type.isIntOrFloat() ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8)
                             : 0;
}

/// True for a tensor or memref.
static bool isInMemory(Type type) {
  return isa<TensorType, BaseMemRefType>(type);
}

namespace {

/// Collects what one operation reads and writes.
class Collector {
public:
  Collector(Operation *op, ExtentTable &extents) : op(op), extents(extents) {
    traffic.op = op;
  }
  OperationTraffic collect();

private:
  void read(MemoryAccess access) {
    if (!isSplatConstant(access.root))
      traffic.reads.push_back(std::move(access));
  }
  void readAll(Value value) {
    if (isInMemory(value.getType()))
      read(accessAll(value, extents));
  }
  void readMapped(Value value, AffineMap map, int64_t shift = 0,
                  unsigned shiftedDim = 0) {
    if (auto type = dyn_cast<ShapedType>(value.getType());
        type && type.hasRank())
      read(accessMapped(value, map, extents, shift, shiftedDim));
    else
      readAll(value);
  }
  void write(MemoryAccess access) {
    traffic.bytes.written +=
        access.numElements *
        SymbolicPolynomial(getElementBytes(access.root.getType()));
    traffic.writes.push_back(std::move(access));
  }
  void writeAll(Value value) {
    if (isInMemory(value.getType()))
      write(accessAll(value, extents));
  }
  /// (T7) `destination` keeps what is not updated.
  void copyUnlessInPlace(OpOperand &destination);

  void collectScan(const ScanMaps &maps);
  void collectLinalg(linalg::LinalgOp linalgOp);
  void collectScatter(Value source, OpOperand &destination, Value indices,
                      const SymbolicPolynomial &numTouched);
  void collectLoop(LoopLikeOpInterface loop);
  void collectReturn();
  void collectOther();

  Operation *op;
  ExtentTable &extents;
  OperationTraffic traffic;
};

} // namespace

//===----------------------------------------------------------------------===//
// (T7) In place or not
//===----------------------------------------------------------------------===//

/// True if nobody looks at the value of `operand` once its owner has run. The
/// uses that come first in the same block do no harm.
static bool isLastUse(OpOperand &operand) {
  Operation *owner = operand.getOwner();
  return llvm::all_of(operand.get().getUses(), [&](OpOperand &use) {
    if (&use == &operand || isa<tensor::DimOp>(use.getOwner()))
      return true;
    return use.getOwner() != owner &&
           use.getOwner()->getBlock() == owner->getBlock() &&
           use.getOwner()->isBeforeInBlock(owner) &&
           // A view of it may be looked at later.
           getViewRoot(use.get()) == use.get() &&
           llvm::none_of(use.getOwner()->getResults(), [&](Value result) {
             return getViewRoot(result) == use.get();
           });
  });
}

static bool isOverwritable(OpOperand &destination) {
  Value value = destination.get();
  if (isa<BaseMemRefType>(value.getType()))
    return true;
  Value root = getViewRoot(value);
  if (root.getDefiningOp<tensor::EmptyOp>())
    return true;
  if (!isLastUse(destination))
    return false;
  // What a loop carries is the loop's to update; it is copied before it, if
  // need be.
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
  if (root != value)
    return isOverwritable(value.getDefiningOp()->getOpOperand(0));
  return !value.getDefiningOp()->hasTrait<OpTrait::ConstantLike>();
}

void Collector::copyUnlessInPlace(OpOperand &destination) {
  if (isOverwritable(destination))
    return;
  readAll(destination.get());
  writeAll(destination.get());
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

void Collector::collectScan(const ScanMaps &maps) {
  unsigned numRead = op->getNumOperands();
  auto kernel = dyn_cast<KernelOp>(op);
  if (kernel) {
    numRead = kernel.getInputs().size() + kernel.getInits().size();
    for (auto [i, out] :
         llvm::enumerate(op->getOperands().drop_front(numRead))) {
      if (i < kernel.getOutputs().size() && kernel.isReduction(i))
        readAll(out);
      // Elements that no step writes stay.
      if (i < kernel.getOutputs().size() && isScattered(kernel, i))
        copyUnlessInPlace(op->getOpOperand(numRead + i));
      writeAll(out);
    }
  } else {
    for (Value result : op->getResults())
      writeAll(result);
  }
  auto shiftOp = dyn_cast<ShiftOp>(op);
  // Offsets and states of segments are read whole.
  auto isWhole = [&](unsigned i) {
    auto type = dyn_cast<ShapedType>(op->getOperand(i).getType());
    return type &&
           llvm::any_of(llvm::enumerate(maps.operandMaps[i].getResults()),
                        [&](auto expr) {
                          return isa<AffineConstantExpr>(expr.value()) &&
                                 type.getDimSize(expr.index()) != 1;
                        });
  };
  for (unsigned i = 0; i < numRead; ++i) {
    if (isWhole(i)) {
      readAll(op->getOperand(i));
      continue;
    }
    int64_t shift = 0;
    if (kernel && i < kernel.getInputs().size())
      shift = kernel.getShift(i);
    else if (shiftOp && i == 0)
      shift = shiftOp.getDistance();
    readMapped(op->getOperand(i), maps.operandMaps[i], shift, maps.dim);
  }
}

void Collector::collectLinalg(linalg::LinalgOp linalgOp) {
  for (OpOperand &operand : op->getOpOperands())
    if (isInMemory(operand.get().getType()) &&
        linalgOp.payloadUsesValueFromOperand(&operand))
      readMapped(operand.get(), linalgOp.getMatchingIndexingMap(&operand));
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    if (isInMemory(value.getType()))
      readAll(value);
  for (OpOperand &init : linalgOp.getDpsInitsMutable())
    writeAll(init.get());
}

/// (T9)
void Collector::collectScatter(Value source, OpOperand &destination,
                               Value indices,
                               const SymbolicPolynomial &numTouched) {
  copyUnlessInPlace(destination);
  readAll(indices);
  readAll(source);
  read(accessSome(destination.get(), numTouched));
  write(accessSome(destination.get(), numTouched));
}

/// A loop that updates what it carries starts from a copy, if others need it.
void Collector::collectLoop(LoopLikeOpInterface loop) {
  for (auto [init, argument] :
       llvm::zip(loop.getInitsMutable(), loop.getRegionIterArgs()))
    if (isa<TensorType>(init.get().getType()) &&
        llvm::any_of(argument.getUses(), [](OpOperand &use) {
          auto update = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
          return (update && update.isDpsInit(&use)) ||
                 isa<tensor::InsertOp, tensor::InsertSliceOp,
                     tensor::ParallelInsertSliceOp, tensor::ScatterOp,
                     ScatterOp>(use.getOwner());
        }))
      copyUnlessInPlace(init);
}

/// (T13)
void Collector::collectReturn() {
  for (Value value : op->getOperands())
    if (isa<TensorType>(value.getType()) && isSlice(value)) {
      readAll(value);
      writeAll(value);
    }
}

/// (T12)
void Collector::collectOther() {
  traffic.isAssumed = true;
  auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands())
    if (!destinationStyle || !destinationStyle.isDpsInit(&operand))
      readAll(operand.get());
  for (Value result : op->getResults())
    writeAll(result);
}

/// True for an operation that passes tensors on, or says something of them.
static bool movesNothing(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>() ||
      op->hasTrait<OpTrait::ConstantLike>())
    return !isa<tensor::ParallelInsertSliceOp>(op);
  if (llvm::none_of(op->getOperandTypes(), isInMemory) &&
      llvm::none_of(op->getResultTypes(), isInMemory))
    return true;
  if (op->getNumResults() == 1 &&
      getViewRoot(op->getResult(0)) != op->getResult(0))
    return true;
  return isa<tensor::EmptyOp, tensor::DimOp, tensor::RankOp, memref::DimOp,
             memref::AllocOp, memref::AllocaOp, memref::DeallocOp,
             memref::AssumeAlignmentOp, memref::GetGlobalOp,
             memref::ExtractStridedMetadataOp, bufferization::DeallocTensorOp>(
      op);
}

OperationTraffic Collector::collect() {
  if (op->hasTrait<OpTrait::ReturnLike>() &&
      isa<FunctionOpInterface>(op->getParentOp())) {
    collectReturn();
    return traffic;
  }
  if (movesNothing(op))
    return traffic;
  if (std::optional<ScanMaps> maps = getScanMaps(op)) {
    collectScan(*maps);
    return traffic;
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case<linalg::LinalgOp>([&](auto op) { collectLinalg(op); })
      .Case<LoopLikeOpInterface>([&](auto op) { collectLoop(op); })
      // What a step moves besides depends on its body (T12).
      .Case<RecurrenceOp>([&](auto) { collectOther(); })
      .Case<RegionBranchOpInterface>([](auto) {})
      .Case<tensor::SplatOp, tensor::GenerateOp, tensor::FromElementsOp>(
          [&](auto op) { writeAll(op.getResult()); })
      .Case<tensor::InsertSliceOp, tensor::ParallelInsertSliceOp>([&](auto op) {
        copyUnlessInPlace(op.getDestMutable());
        readAll(op.getSource());
        writeAll(op.getSource());
      })
      .Case<tensor::InsertOp>([&](tensor::InsertOp op) {
        copyUnlessInPlace(op.getDestMutable());
        write(accessSome(op.getDest(), 1));
      })
      .Case<tensor::ExtractOp>(
          [&](tensor::ExtractOp op) { read(accessSome(op.getTensor(), 1)); })
      .Case<memref::LoadOp>(
          [&](memref::LoadOp op) { read(accessSome(op.getMemRef(), 1)); })
      .Case<memref::StoreOp>(
          [&](memref::StoreOp op) { write(accessSome(op.getMemRef(), 1)); })
      .Case<tensor::ScatterOp>([&](tensor::ScatterOp op) {
        // Each index is a vector along the last dimension of the indices; the
        // source has one slice for each.
        collectScatter(op.getSource(), op.getDestMutable(), op.getIndices(),
                       extents.getNumElements(op.getSource()));
      })
      .Case<ScatterOp>([&](ScatterOp op) {
        collectScatter(op.getSource(), op.getDestMutable(), op.getIndex(),
                       extents.getNumElements(op.getIndex()));
      })
      .Case<tensor::GatherOp>([&](tensor::GatherOp op) {
        readAll(op.getIndices());
        read(
            accessSome(op.getSource(), extents.getNumElements(op.getResult())));
        writeAll(op.getResult());
      })
      .Case<tensor::PadOp>([&](tensor::PadOp op) {
        readAll(op.getSource());
        writeAll(op.getResult());
      })
      .Case<tensor::ConcatOp>([&](tensor::ConcatOp op) {
        for (Value input : op.getInputs())
          readAll(input);
        writeAll(op.getResult());
      })
      .Case<bufferization::AllocTensorOp>([&](auto op) {
        if (Value copied = op.getCopy()) {
          readAll(copied);
          writeAll(op.getResult());
        }
      })
      .Case<bufferization::MaterializeInDestinationOp>([&](auto op) {
        readAll(op.getSource());
        writeAll(op.getSource());
      })
      .Case<memref::CopyOp>([&](memref::CopyOp op) {
        readAll(op.getSource());
        writeAll(op.getTarget());
      })
      .Default([&](Operation *op) {
        if (!OpTrait::hasElementwiseMappableTraits(op))
          return collectOther();
        for (Value operand : op->getOperands())
          readAll(operand);
        for (Value result : op->getResults())
          writeAll(result);
      });
  return traffic;
}

//===----------------------------------------------------------------------===//
// TrafficAnalysis
//===----------------------------------------------------------------------===//

Bytes &Bytes::operator+=(const Bytes &other) {
  read += other.read;
  written += other.written;
  return *this;
}

OperationTraffic TrafficAnalysis::getTraffic(Operation *op) {
  OperationTraffic traffic = Collector(op, extents).collect();
  traffic.bytes.read = getDistinctBytes(traffic.reads);
  return traffic;
}

SymbolicPolynomial
TrafficAnalysis::getDistinctBytes(ArrayRef<MemoryAccess> accesses) {
  llvm::MapVector<Value, SmallVector<MemoryAccess>> byRoot;
  for (const MemoryAccess &access : accesses)
    byRoot[access.root].push_back(access);
  SymbolicPolynomial bytes;
  for (auto &[root, ofRoot] : byRoot)
    bytes += countDistinct(ofRoot, extents) *
             SymbolicPolynomial(getElementBytes(root.getType()));
  return bytes;
}

SymbolicPolynomial
TrafficAnalysis::getDistinctReads(ArrayRef<Operation *> operations) {
  SmallVector<MemoryAccess> accesses;
  for (Operation *op : operations)
    llvm::append_range(accesses, getTraffic(op).reads);
  return getDistinctBytes(accesses);
}

SymbolicPolynomial TrafficAnalysis::getBytes(Value value) {
  if (!isInMemory(value.getType()))
    return 0;
  return extents.getNumElements(value) *
         SymbolicPolynomial(getElementBytes(value.getType()));
}
