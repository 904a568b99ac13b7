//===- MemoryInstrumentation.cpp - Reports accesses to memory -------------===//
//===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls are added to the LLVM dialect and not to what it came from: there, all
// ways to access memory have become a handful, with a pointer and a size. What
// the user wrote is still known from the locations, which are marked before.
//
//===----------------------------------------------------------------------===//

#include "AccessSite.h"
#include "GPUToFibers.h"
#include "IR/Divisions.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::scan::emulator;

/// Whether `op` accesses memory, as far as is known before the conversion.
static bool mayAccessMemory(Operation *op) {
  if (isa<CallOpInterface, gpu::BarrierOp, gpu::ShuffleOp, NVVM::SyncWarpOp,
          NVVM::VoteSyncOp>(op))
    return false;
  return isa<memref::GenericAtomicRMWOp>(op) ||
         (op->getNumRegions() == 0 && !isMemoryEffectFree(op));
}

void mlir::scan::emulator::markCheckedOps(gpu::GPUModuleOp gpuModule) {
  gpuModule.walk([](Operation *op) {
    // What a pass before has made of a division has its name.
    if (!mayAccessMemory(op) &&
        (!getDivisionFaults(op) ||
         op->getLoc()->findInstanceOf<FusedLocWith<StringAttr>>()))
      return;
    Attribute name =
        StringAttr::get(op->getContext(), op->getName().getStringRef());
    op->setLoc(FusedLoc::get(op->getContext(), {op->getLoc()}, name));
  });
}

StringRef mlir::scan::emulator::getOriginalName(Operation *op) {
  if (auto marked = op->getLoc()->findInstanceOf<FusedLocWith<StringAttr>>())
    return marked.getMetadata().strref();
  return op->getName().getStringRef();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The type of an element of a vector, the type itself else.
static Type getElementType(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getElementType() : type;
}

/// How many bytes an access moves: of a vector without the padding that its
/// data layout has.
static int64_t getAccessBytes(Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    Type element = vector.getElementType();
    if (element.isIntOrFloat())
      return llvm::divideCeil(
          vector.getNumElements() * element.getIntOrFloatBitWidth(), 8);
    return vector.getNumElements() * getAccessBytes(element);
  }
  return DataLayout().getTypeSize(type).getFixedValue();
}

/// What an address has to be a multiple of: a GPU does not access memory across
/// such borders. Vectors of which nothing is said are accessed in parts, and so
/// are structs.
static int64_t getAlignment(Operation *op, Type type) {
  std::optional<uint64_t> alignment;
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    alignment = load.getAlignment();
  else if (auto store = dyn_cast<LLVM::StoreOp>(op))
    alignment = store.getAlignment();
  if (alignment && *alignment != 0)
    return *alignment;
  return type.isIntOrFloat() ? llvm::PowerOf2Ceil(getAccessBytes(type)) : 1;
}

/// What an address was computed from, as far as that is in the same function.
static Value findRoot(Value address) {
  while (Operation *op = address.getDefiningOp()) {
    if (auto gep = dyn_cast<LLVM::GEPOp>(op)) {
      address = gep.getBase();
      continue;
    }
    auto extract = dyn_cast<LLVM::ExtractValueOp>(op);
    if (!extract)
      break;
    Value container = extract.getContainer();
    auto insert = container.getDefiningOp<LLVM::InsertValueOp>();
    while (insert && insert.getPosition() != extract.getPosition())
      insert = insert.getContainer().getDefiningOp<LLVM::InsertValueOp>();
    if (!insert)
      break;
    address = insert.getValue();
  }
  return address;
}

/// Whether the address is known to be on the thread's own stack.
static bool isPrivate(Value address) {
  return findRoot(address).getDefiningOp<LLVM::AllocaOp>() != nullptr;
}

//===----------------------------------------------------------------------===//
// Orderings
//===----------------------------------------------------------------------===//

static AccessOrder convertOrder(LLVM::AtomicOrdering ordering) {
  switch (ordering) {
  case LLVM::AtomicOrdering::not_atomic:
    return AccessOrder::Plain;
  case LLVM::AtomicOrdering::unordered:
  case LLVM::AtomicOrdering::monotonic:
    return AccessOrder::Relaxed;
  case LLVM::AtomicOrdering::acquire:
    return AccessOrder::Acquire;
  case LLVM::AtomicOrdering::release:
    return AccessOrder::Release;
  case LLVM::AtomicOrdering::acq_rel:
  case LLVM::AtomicOrdering::seq_cst:
    return AccessOrder::AcquireRelease;
  }
  llvm_unreachable("unknown ordering");
}

/// The scope by its name for NVPTX; no name is the whole system.
static FailureOr<AccessScope> convertScope(Operation *op,
                                           std::optional<StringRef> name) {
  if (!name || name->empty() || *name == "device")
    return AccessScope::Device;
  if (*name == "block")
    return AccessScope::Block;
  return op->emitError("'")
         << getOriginalName(op)
         << "' is not supported by the SIMT emulator: expected the "
            "synchronisation scope 'block', 'device' or none, found '"
         << *name << "'";
}

//===----------------------------------------------------------------------===//
// MemoryInstrumentation
//===----------------------------------------------------------------------===//

FlatSymbolRefAttr MemoryInstrumentation::createSite(
    Operation *op, int64_t bytes, int64_t elementBytes, AccessKind kind,
    AccessOrder order, AccessScope scope, int64_t alignment) {
  Location loc = op->getLoc();
  FlatSymbolRefAttr text = sites.create(getOriginalName(op), loc);
  OpBuilder builder(module.getBody(), module.getBody()->begin());
  Type pointer = LLVM::LLVMPointerType::get(op->getContext());
  Type i32 = builder.getI32Type(), i8 = builder.getI8Type();
  auto type = LLVM::LLVMStructType::getLiteral(
      op->getContext(), {pointer, i32, i32, i32, i32, i8, i8, i8});
  std::string name = "scan_emulator.access." + std::to_string(numSites++);
  auto global =
      LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                             LLVM::Linkage::Internal, name, Attribute());
  builder.createBlock(&global.getInitializer());
  auto constant = [&](Type type, int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, loc, type, value);
  };
  Value value = LLVM::PoisonOp::create(builder, loc, type);
  Value fields[] = {getSiteAddress(builder, loc, text),
                    constant(i32, bytes),
                    constant(i32, elementBytes),
                    constant(i32, numSites),
                    constant(i32, alignment),
                    constant(i8, static_cast<int64_t>(kind)),
                    constant(i8, static_cast<int64_t>(order)),
                    constant(i8, static_cast<int64_t>(scope))};
  for (auto [i, field] : llvm::enumerate(fields))
    value = LLVM::InsertValueOp::create(builder, loc, value, field, i);
  LLVM::ReturnOp::create(builder, loc, value);
  return FlatSymbolRefAttr::get(global);
}

void MemoryInstrumentation::addAccess(Operation *op, Value address, Type type,
                                      AccessKind kind, AccessOrder order,
                                      AccessScope scope) {
  if (!all && (order == AccessOrder::Plain || isPrivate(address)))
    return;
  OpBuilder builder(op);
  Value site = getSiteAddress(
      builder, op->getLoc(),
      createSite(op, getAccessBytes(type), getAccessBytes(getElementType(type)),
                 kind, order, scope, getAlignment(op, type)));
  callRuntime(builder, op->getLoc(),
              order == AccessOrder::Plain ? RuntimeCall::Access
                                          : RuntimeCall::AtomicAccess,
              {site, address});
}

void MemoryInstrumentation::addRange(Operation *op, Value address, Value bytes,
                                     AccessKind kind) {
  if (!all)
    return;
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Value site = getSiteAddress(builder, loc, createSite(op, 0, 1, kind));
  if (bytes.getType() != builder.getI64Type())
    bytes = LLVM::ZExtOp::create(builder, loc, builder.getI64Type(), bytes);
  callRuntime(builder, loc, RuntimeCall::AccessRange, {site, address, bytes});
}

void MemoryInstrumentation::addMasked(Operation *op, Value address, Value mask,
                                      VectorType type, AccessKind kind) {
  if (!all)
    return;
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Type element = type.getElementType();
  Type pointer = LLVM::LLVMPointerType::get(op->getContext());
  const int64_t bytes = getAccessBytes(element);
  Value site = getSiteAddress(builder, loc, createSite(op, bytes, bytes, kind));
  for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
    Value index =
        LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), lane);
    Value bit = LLVM::ExtractElementOp::create(builder, loc, mask, index);
    Value laneAddress;
    if (isa<VectorType>(address.getType()))
      laneAddress =
          LLVM::ExtractElementOp::create(builder, loc, address, index);
    else
      laneAddress = LLVM::GEPOp::create(
          builder, loc, pointer, builder.getI8Type(), address,
          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(lane * bytes)});
    bit = LLVM::ZExtOp::create(builder, loc, builder.getI32Type(), bit);
    callRuntime(builder, loc, RuntimeCall::AccessIf, {site, laneAddress, bit});
  }
}

/// A compare-exchange of 128 bits, which is atomic on the GPU: the processor
/// that runs the emulator need not have it, and one thread runs at a time.
static void expandWideExchange(LLVM::AtomicCmpXchgOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value old =
      LLVM::LoadOp::create(builder, loc, op.getVal().getType(), op.getPtr());
  Value equal = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, old,
                                     op.getCmp());
  Value stored = LLVM::SelectOp::create(builder, loc, old.getType(), equal,
                                        op.getVal(), old);
  LLVM::StoreOp::create(builder, loc, stored, op.getPtr());
  Value result = LLVM::PoisonOp::create(builder, loc, op.getRes().getType());
  result = LLVM::InsertValueOp::create(builder, loc, result, old,
                                       ArrayRef<int64_t>{0});
  result = LLVM::InsertValueOp::create(builder, loc, result, equal,
                                       ArrayRef<int64_t>{1});
  op.replaceAllUsesWith(result);
  op.erase();
}

LogicalResult
MemoryInstrumentation::addAtomic(Operation *op, Value address, Type type,
                                 AccessKind kind, LLVM::AtomicOrdering ordering,
                                 bool isVolatile,
                                 std::optional<StringRef> syncscope) {
  FailureOr<AccessScope> scope = convertScope(op, syncscope);
  if (failed(scope))
    return failure();
  AccessOrder order = convertOrder(ordering);
  // Volatile accesses are relaxed ones to a GPU, and so is the read with which
  // an atomic update begins that is repeated until no other thread has
  // interfered.
  if (order == AccessOrder::Plain &&
      (isVolatile || getOriginalName(op) == "memref.generic_atomic_rmw"))
    order = AccessOrder::Relaxed;
  addAccess(op, address, type, kind, order, *scope);
  if (order == AccessOrder::Plain)
    return success();
  if (getAccessBytes(type) > 16)
    return op->emitError("'")
           << getOriginalName(op)
           << "' is not supported by the SIMT emulator: expected an atomic "
              "access of at most 16 bytes, found "
           << getAccessBytes(type);
  op->removeAttr("syncscope");
  if (getAccessBytes(type) <= 8)
    return success();
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    load.setOrdering(LLVM::AtomicOrdering::not_atomic);
  else if (auto store = dyn_cast<LLVM::StoreOp>(op))
    store.setOrdering(LLVM::AtomicOrdering::not_atomic);
  else if (auto exchange = dyn_cast<LLVM::AtomicCmpXchgOp>(op))
    expandWideExchange(exchange);
  else // MLIR has no others so wide.
    return op->emitError("expected an atomic operation of at most 8 bytes, "
                         "found ")
           << getAccessBytes(type);
  return success();
}

LogicalResult MemoryInstrumentation::instrument(Operation *op) {
  using Kind = AccessKind;
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](LLVM::LoadOp load) {
        return addAtomic(op, load.getAddr(), load.getType(), Kind::Read,
                         load.getOrdering(), load.getVolatile_(),
                         load.getSyncscope());
      })
      .Case([&](LLVM::StoreOp store) {
        return addAtomic(op, store.getAddr(), store.getValue().getType(),
                         Kind::Write, store.getOrdering(), store.getVolatile_(),
                         store.getSyncscope());
      })
      .Case([&](LLVM::AtomicRMWOp rmw) {
        return addAtomic(op, rmw.getPtr(), rmw.getType(), Kind::ReadWrite,
                         rmw.getOrdering(), rmw.getVolatile_(),
                         rmw.getSyncscope());
      })
      .Case([&](LLVM::AtomicCmpXchgOp exchange) {
        return addAtomic(op, exchange.getPtr(), exchange.getVal().getType(),
                         Kind::ReadWrite, exchange.getSuccessOrdering(),
                         exchange.getVolatile_(), exchange.getSyncscope());
      })
      .Case([&](LLVM::FenceOp fence) -> LogicalResult {
        FailureOr<AccessScope> scope = convertScope(op, fence.getSyncscope());
        if (failed(scope))
          return failure();
        OpBuilder builder(op);
        Value site = getSiteAddress(
            builder, op->getLoc(),
            createSite(op, 0, 1, Kind::Read, convertOrder(fence.getOrdering()),
                       *scope));
        callRuntime(builder, op->getLoc(), RuntimeCall::Fence, site);
        op->removeAttr("syncscope");
        return success();
      })
      .Case<LLVM::MemcpyOp, LLVM::MemcpyInlineOp, LLVM::MemmoveOp>(
          [&](auto copy) {
            OpBuilder builder(op);
            Value bytes = getLength(builder, copy.getLoc(), copy.getLen());
            addRange(op, copy.getSrc(), bytes, Kind::Read);
            addRange(op, copy.getDst(), bytes, Kind::Write);
            return success();
          })
      .Case<LLVM::MemsetOp, LLVM::MemsetInlineOp>([&](auto set) {
        OpBuilder builder(op);
        addRange(op, set.getDst(),
                 getLength(builder, set.getLoc(), set.getLen()), Kind::Write);
        return success();
      })
      .Case([&](LLVM::MaskedLoadOp load) {
        addMasked(op, load.getData(), load.getMask(),
                  cast<VectorType>(load.getType()), Kind::Read);
        return success();
      })
      .Case([&](LLVM::MaskedStoreOp store) {
        addMasked(op, store.getData(), store.getMask(),
                  cast<VectorType>(store.getValue().getType()), Kind::Write);
        return success();
      })
      .Case([&](LLVM::masked_gather gather) {
        addMasked(op, gather.getPtrs(), gather.getMask(),
                  cast<VectorType>(gather.getType()), Kind::Read);
        return success();
      })
      .Case([&](LLVM::masked_scatter scatter) {
        addMasked(op, scatter.getPtrs(), scatter.getMask(),
                  cast<VectorType>(scatter.getValue().getType()), Kind::Write);
        return success();
      })
      .Default([&](Operation *other) -> LogicalResult {
        if (!accessesMemory(other))
          return success();
        return other->emitError("'")
               << getOriginalName(other)
               << "' is not supported by the SIMT emulator: it accesses memory "
                  "as '"
               << other->getName() << "' in a way that is not known here";
      });
}

bool MemoryInstrumentation::accessesMemory(Operation *op) {
  // Calls are of functions that are looked at themselves, or of libm.
  if (isa<CallOpInterface, LLVM::AllocaOp, LLVM::LifetimeStartOp,
          LLVM::LifetimeEndOp, LLVM::StackSaveOp, LLVM::StackRestoreOp,
          LLVM::UnreachableOp, LLVM::AssumeOp>(op))
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (effects)
    return !effects.hasNoEffect();
  return isa<LLVM::masked_expandload, LLVM::masked_compressstore,
             LLVM::VPLoadOp, LLVM::VPStoreOp, LLVM::VPStridedLoadOp,
             LLVM::VPStridedStoreOp>(op);
}

Value MemoryInstrumentation::getLength(OpBuilder &builder, Location,
                                       Value length) {
  return length;
}
Value MemoryInstrumentation::getLength(OpBuilder &builder, Location loc,
                                       const APInt &length) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                  length.getZExtValue());
}

LogicalResult
MemoryInstrumentation::instrumentDevice(LLVM::LLVMFuncOp function) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (op != function)
      ops.push_back(op);
  });
  for (Operation *op : ops)
    if (failed(instrument(op)))
      return failure();
  return success();
}

void MemoryInstrumentation::instrumentHost(LLVM::LLVMFuncOp function) {
  if (!all)
    return;
  auto add = [&](Operation *op, Value address, Value bytes) {
    OpBuilder builder(op);
    if (bytes.getType() != builder.getI64Type())
      bytes = LLVM::ZExtOp::create(builder, op->getLoc(), builder.getI64Type(),
                                   bytes);
    callRuntime(builder, op->getLoc(), RuntimeCall::HostWrite,
                {address, bytes});
  };
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    OpBuilder builder(op);
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](LLVM::StoreOp store) {
          if (!isPrivate(store.getAddr()))
            add(op, store.getAddr(),
                LLVM::ConstantOp::create(
                    builder, op->getLoc(), builder.getI64Type(),
                    getAccessBytes(store.getValue().getType())));
        })
        .Case<LLVM::AtomicRMWOp>([&](auto rmw) {
          add(op, rmw.getPtr(),
              LLVM::ConstantOp::create(builder, op->getLoc(),
                                       builder.getI64Type(),
                                       getAccessBytes(rmw.getType())));
        })
        .Case<LLVM::MemcpyOp, LLVM::MemmoveOp, LLVM::MemsetOp>(
            [&](auto write) { add(op, write.getDst(), write.getLen()); });
  }
}
