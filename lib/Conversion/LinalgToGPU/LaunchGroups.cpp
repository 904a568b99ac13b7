//===- LaunchGroups.cpp - Which operations share a launch -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch takes as long as a kernel over some hundred thousand elements. What
// is left beside scans is often several small operations that do not need each
// other, as the gradients of two parameters: these share one.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseKernel.h"
#include "IR/OffsetsCheck.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;

/// Launches with more operands than that are not made: each is a pointer and
/// strides, of which a kernel takes 4 KB.
static constexpr unsigned kMaxOperands = 32;

namespace {

/// The buffers that operations read and write.
struct Accesses {
  static Accesses get(Operation *op);
  void add(const Accesses &other);
  /// Whether operations with these may change places with some with `others`.
  bool areIndependent(const Accesses &others) const;

  SetVector<Value> read, written;
  /// Something that is seen in no operand.
  bool isUnknown = false;

private:
  void addOperation(Operation *op);
  void addLaunch(gpu::LaunchFuncOp launch);
};

} // namespace

static bool isMemory(Value value) {
  return isa<BaseMemRefType>(value.getType());
}

/// Kernels say of their pointers which ones are only read.
void Accesses::addLaunch(gpu::LaunchFuncOp launch) {
  Operation *kernel =
      SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernelAttr());
  auto arguments =
      kernel ? kernel->getAttrOfType<ArrayAttr>("scan.args") : ArrayAttr();
  for (auto [i, operand] : llvm::enumerate(launch.getKernelOperands())) {
    if (!isMemory(operand))
      continue;
    auto argument = arguments && i < arguments.size()
                        ? dyn_cast<DictionaryAttr>(arguments[i])
                        : DictionaryAttr();
    auto role = argument ? argument.getAs<StringAttr>("role") : StringAttr();
    (role && role.getValue() == "input" ? read : written)
        .insert(getBufferRoot(operand));
  }
  // Of what runs beside the host, nobody sees the order here.
  isUnknown |= !launch.getAsyncDependencies().empty() || launch.getAsyncToken();
}

void Accesses::addOperation(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    for (Value value : captured)
      if (isMemory(value))
        (writesByAddress(linalgOp, value) ? written : read)
            .insert(getBufferRoot(value));
    for (OpOperand &operand : op->getOpOperands())
      if (isMemory(operand.get()))
        (linalgOp.isDpsInit(&operand) ? written : read)
            .insert(getBufferRoot(operand.get()));
    return;
  }
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>()) {
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        addOperation(&inner);
    return;
  }
  if (isMemoryEffectFree(op) || isa<memref::AllocOp>(op))
    return;
  if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
    return addLaunch(launch);
  isUnknown |= !isa<gpu::MemsetOp, memref::CopyOp, memref::StoreOp,
                    memref::LoadOp, memref::DeallocOp>(op);
  for (Value operand : op->getOperands())
    if (isMemory(operand))
      written.insert(getBufferRoot(operand));
}

Accesses Accesses::get(Operation *op) {
  Accesses accesses;
  accesses.addOperation(op);
  return accesses;
}

void Accesses::add(const Accesses &other) {
  read.insert(other.read.begin(), other.read.end());
  written.insert(other.written.begin(), other.written.end());
  isUnknown |= other.isUnknown;
}

/// Whether two buffers, of which each is where views of it lead to, may be the
/// same memory in part.
static bool mayAlias(Value a, Value b) {
  auto isPlain = [](Value root) {
    return isa<BlockArgument>(root) ||
           isa<memref::AllocOp, memref::GetGlobalOp>(root.getDefiningOp());
  };
  if (a == b || !isPlain(a) || !isPlain(b))
    return true;
  return !isOwnBuffer(a) && !isOwnBuffer(b);
}

bool Accesses::areIndependent(const Accesses &others) const {
  auto areApart = [](const SetVector<Value> &as, const SetVector<Value> &bs) {
    return llvm::none_of(as, [&](Value a) {
      return llvm::any_of(bs, [&](Value b) { return mayAlias(a, b); });
    });
  };
  return !isUnknown && !others.isUnknown && areApart(written, others.written) &&
         areApart(written, others.read) && areApart(read, others.written);
}

namespace {

/// Operations that share a launch, which is where the last of them stands.
struct Group {
  SmallVector<linalg::LinalgOp> ops;
  Accesses accesses;
  unsigned numOperands = 0;
};

class LaunchGroups {
public:
  void add(linalg::LinalgOp op);
  SmallVector<SmallVector<linalg::LinalgOp>> take() {
    SmallVector<SmallVector<linalg::LinalgOp>> result;
    for (Group &group : groups)
      result.push_back(std::move(group.ops));
    return result;
  }

private:
  bool canMoveTo(const Group &group, Operation *place);

  SmallVector<Group> groups;
  /// What is done where a group stands.
  DenseMap<Operation *, unsigned> places;
};

} // namespace

/// Whether all of `group` may be done at `place`, which is behind it.
bool LaunchGroups::canMoveTo(const Group &group, Operation *place) {
  Operation *last = group.ops.back();
  if (last->getBlock() != place->getBlock())
    return false;
  for (Operation *next = last->getNextNode(); next != place;
       next = next->getNextNode()) {
    // What has moved on is done elsewhere, and what has joined another group is
    // done here.
    auto known = places.find(next);
    if (known == places.end()
            ? !group.accesses.areIndependent(Accesses::get(next))
            : groups[known->second].ops.back() == next &&
                  !group.accesses.areIndependent(
                      groups[known->second].accesses))
      return false;
  }
  return true;
}

/// Whether threads of `op` look for wrong offsets where there are no elements.
static bool checksOffsets(linalg::LinalgOp op) {
  return op
      ->walk([](scf::ForOp loop) {
        return loop->hasAttr(offsetsLoopAttrName) ? WalkResult::interrupt()
                                                  : WalkResult::advance();
      })
      .wasInterrupted();
}

void LaunchGroups::add(linalg::LinalgOp op) {
  Accesses accesses = Accesses::get(op);
  unsigned number = groups.size(), numOperands = op->getNumOperands();
  if (!checksOffsets(op))
    for (auto [i, group] : llvm::enumerate(groups))
      if (group.numOperands + numOperands <= kMaxOperands &&
          group.accesses.areIndependent(accesses) && canMoveTo(group, op)) {
        number = i;
        break;
      }
  if (number == groups.size())
    groups.emplace_back();
  Group &group = groups[number];
  group.ops.push_back(op);
  group.accesses.add(accesses);
  // Nothing joins what is to stay alone.
  group.numOperands += checksOffsets(op) ? kMaxOperands : numOperands;
  places[op] = number;
}

SmallVector<SmallVector<linalg::LinalgOp>>
mlir::scan::findLaunchGroups(ArrayRef<linalg::LinalgOp> ops) {
  LaunchGroups groups;
  for (linalg::LinalgOp op : ops)
    groups.add(op);
  return groups.take();
}
