//===- VectorizedAccesses.cpp - Atomic accesses of 16 bytes in PTX --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Target/PTX.h"
#include "Scan/Target/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::scan {
#define GEN_PASS_DEF_VECTORIZEDACCESSESTOPTXPASS
#include "Scan/Target/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

/// The first version that has accesses of 128 bits, on all chips that we know.
static constexpr unsigned kVectorizedAccessIsa = 83;
static constexpr unsigned kAccessBits = 128;
static constexpr unsigned kGlobalMemory = 1;

/// Whether `op`, a load or a store of `type`, is one that PTX has and LLVM
/// makes an exchange of.
template <typename OpTy> static bool isVectorized(OpTy op, Type type) {
  auto pointer = cast<LLVM::LLVMPointerType>(op.getAddr().getType());
  return type.isInteger(kAccessBits) &&
         op.getOrdering() == LLVM::AtomicOrdering::monotonic &&
         op.getSyncscope() == "device" &&
         pointer.getAddressSpace() == kGlobalMemory;
}

static bool isVectorizedAccess(Operation *op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return isVectorized(load, load.getType());
  if (auto store = dyn_cast<LLVM::StoreOp>(op))
    return isVectorized(store, store.getValue().getType());
  return false;
}

unsigned mlir::scan::getRequiredPTXIsa(Operation *root) {
  WalkResult result = root->walk([](Operation *op) {
    return isVectorizedAccess(op) ? WalkResult::interrupt()
                                  : WalkResult::advance();
  });
  return result.wasInterrupted() ? kVectorizedAccessIsa : 0;
}

namespace {
struct VectorizedAccessesToPTX
    : public mlir::scan::impl::VectorizedAccessesToPTXPassBase<
          VectorizedAccessesToPTX> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Operation *> accesses;
    getOperation().walk([&](Operation *op) {
      if (isVectorizedAccess(op))
        accesses.push_back(op);
    });
    if (accesses.empty())
      return;
    IRRewriter rewriter(&getContext());
    for (Operation *op : accesses)
      lower(rewriter, op);
    raiseTargets();
  }

private:
  static void lower(IRRewriter &rewriter, Operation *op) {
    rewriter.setInsertionPoint(op);
    // Nothing may move across, as across an atomic access: a payload does not
    // hang on these words, but what is polled must be read anew each time.
    auto createAsm = [&](TypeRange result, ValueRange operands, StringRef text,
                         StringRef constraints) {
      return LLVM::InlineAsmOp::create(
          rewriter, op->getLoc(), result, operands, text, constraints,
          /*has_side_effects=*/true, /*is_align_stack=*/false,
          LLVM::tailcallkind::TailCallKind::None,
          /*asm_dialect=*/LLVM::AsmDialectAttr(),
          /*operand_attrs=*/ArrayAttr());
    };
    if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
      auto read =
          createAsm(load.getType(), load.getAddr(),
                    "ld.relaxed.gpu.global.b128 $0, [$1];", "=q,l,~{memory}");
      rewriter.replaceOp(op, read);
      return;
    }
    auto store = cast<LLVM::StoreOp>(op);
    createAsm(TypeRange(), {store.getAddr(), store.getValue()},
              "st.relaxed.gpu.global.b128 [$0], $1;", "l,q,~{memory}");
    rewriter.eraseOp(op);
  }

  /// Targets that name an older version of PTX get the one that is needed.
  void raiseTargets() {
    gpu::GPUModuleOp module = getOperation();
    if (!module.getTargetsAttr())
      return;
    SmallVector<Attribute> targets;
    for (Attribute attribute : module.getTargetsAttr()) {
      auto target = dyn_cast<NVVM::NVVMTargetAttr>(attribute);
      unsigned isa = 0;
      if (target && target.getFeatures().starts_with("+ptx") &&
          !target.getFeatures().drop_front(4).getAsInteger(10, isa) &&
          isa < kVectorizedAccessIsa)
        attribute = NVVM::NVVMTargetAttr::get(
            &getContext(), target.getO(), target.getTriple(), target.getChip(),
            "+ptx" + std::to_string(kVectorizedAccessIsa), target.getFlags(),
            target.getLink());
      targets.push_back(attribute);
    }
    module.setTargetsAttr(ArrayAttr::get(&getContext(), targets));
  }
};
} // namespace
