//===- SupportedMBarrierOps.cpp - Which mbarriers the emulator can run ----===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of the operations on mbarriers, of bulk copies and of fences between proxies
// the forms that kernels without clusters need. Each of the others would mean
// something that the runtime does not do, and is refused.
//
//===----------------------------------------------------------------------===//

#include "GPUToFibers.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::scan::emulator;

static constexpr unsigned kWorkgroupSpace = 3;
static constexpr unsigned kClusterSpace = 7;

static bool isPointerTo(Type type, unsigned space) {
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
  return pointer && pointer.getAddressSpace() == space;
}

static LogicalResult checkAddress(Operation *op, Value address) {
  if (isPointerTo(address.getType(), kWorkgroupSpace))
    return success();
  return unsupported(op, "expected an mbarrier at an address of type "
                         "'!llvm.ptr<3>', found ")
         << address.getType()
         << "; only mbarriers of the thread's own block are emulated";
}

/// The synchronisation that arrivals and waits bring.
template <typename OpTy> static LogicalResult checkOrder(OpTy op) {
  if (op.getScope() != NVVM::MemScopeKind::CTA)
    return unsupported(op, "expected the scope 'cta', found '")
           << NVVM::stringifyMemScopeKind(op.getScope())
           << "'; clusters are not emulated, use the scope 'cta'";
  if (op.getRelaxed())
    return unsupported(op, "expected an operation that releases or acquires, "
                           "found 'relaxed'; leave that out");
  return success();
}

template <typename OpTy> static LogicalResult checkArrival(OpTy op) {
  if (failed(checkAddress(op, op.getAddr())) || failed(checkOrder(op)))
    return failure();
  if (op->getNumResults() != 0 && !op->getResult(0).use_empty())
    return unsupported(op, "expected a result without uses; wait by the "
                           "parity of the phase instead");
  return success();
}

static LogicalResult checkPredicate(Operation *op, Value predicate) {
  if (!predicate)
    return success();
  return unsupported(op, "expected no predicate; use 'scf.if'");
}

static LogicalResult checkTryWait(NVVM::MBarrierTryWaitOp op) {
  if (failed(checkAddress(op, op.getAddr())) || failed(checkOrder(op)))
    return failure();
  if (!op.getStateOrPhase().getType().isInteger(32))
    return unsupported(op, "expected the parity of a phase, of type i32, found "
                           "the state of an arrival, of type ")
           << op.getStateOrPhase().getType()
           << "; wait by the parity of the phase";
  if (op.getTicks())
    return unsupported(op, "expected no time limit; leave it out, nothing "
                           "here takes time");
  return success();
}

static LogicalResult
checkBulkCopy(NVVM::CpAsyncBulkGlobalToSharedClusterOp op) {
  if (op.getMulticastMask())
    return unsupported(op, "expected no multicast mask; clusters are not "
                           "emulated, let each block copy for itself");
  if (op.getL2CacheHint())
    return unsupported(op, "expected no cache hint; leave it out, there is no "
                           "cache here");
  return success();
}

static LogicalResult checkProxyFence(NVVM::FenceProxyOp op) {
  if (op.getKind() == NVVM::ProxyKind::async_shared &&
      op.getSpace() == NVVM::SharedSpace::shared_cta)
    return success();
  InFlightDiagnostic diagnostic =
      unsupported(op, "expected the kind 'async.shared' and the space 'cta', "
                      "found the kind '");
  diagnostic << NVVM::stringifyProxyKind(op.getKind()) << "'";
  if (op.getSpace())
    diagnostic << " and the space '"
               << NVVM::stringifySharedSpace(*op.getSpace()) << "'";
  return diagnostic << "; other proxies are not emulated";
}

std::optional<LogicalResult>
mlir::scan::emulator::checkMBarrierOp(Operation *op) {
  using Result = std::optional<LogicalResult>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([](NVVM::MBarrierInitOp init) -> Result {
        if (failed(checkAddress(init, init.getAddr())))
          return failure();
        return checkPredicate(init, init.getPredicate());
      })
      .Case([](NVVM::MBarrierArriveOp arrive) -> Result {
        if (arrive.getCount())
          return unsupported(arrive, "expected one arrival, found a count; "
                                     "let it be executed that many times");
        return checkArrival(arrive);
      })
      .Case([](NVVM::MBarrierArriveExpectTxOp arrive) -> Result {
        if (failed(checkPredicate(arrive, arrive.getPredicate())))
          return failure();
        return checkArrival(arrive);
      })
      .Case([](NVVM::MBarrierTryWaitOp wait) -> Result {
        return checkTryWait(wait);
      })
      .Case([](NVVM::CpAsyncBulkGlobalToSharedClusterOp copy) -> Result {
        return checkBulkCopy(copy);
      })
      .Case([](NVVM::FenceProxyOp fence) -> Result {
        return checkProxyFence(fence);
      })
      .Case([](NVVM::FenceMbarrierInitOp) -> Result { return success(); })
      .Default([](Operation *) -> Result { return std::nullopt; });
}

LogicalResult mlir::scan::emulator::checkClusterPointers(Operation *op) {
  static constexpr const char *kExpected =
      "expected a pointer of type '!llvm.ptr<7>' to be an 'llvm.addrspacecast' "
      "of one of type '!llvm.ptr<3>': memory of other blocks cannot be reached";
  auto isCluster = [](Type type) { return isPointerTo(type, kClusterSpace); };
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    if (llvm::any_of(function.getArgumentTypes(), isCluster))
      return unsupported(op, kExpected) << ", found an argument";
  if (llvm::none_of(op->getResultTypes(), isCluster))
    return success();
  // These hand on, or move within one buffer, what was cast before.
  if (isa<LLVM::GEPOp, LLVM::SelectOp>(op) ||
      isa_and_nonnull<scf::SCFDialect>(op->getDialect()) ||
      op->getName().getStringRef() == "arith.select")
    return success();
  if (auto cast = dyn_cast<LLVM::AddrSpaceCastOp>(op))
    if (isPointerTo(cast.getArg().getType(), kWorkgroupSpace))
      return success();
  return unsupported(op, kExpected);
}
