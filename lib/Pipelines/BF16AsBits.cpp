//===- BF16AsBits.cpp - Values of type bf16 as 16-bit integers ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Pipelines/Passes.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANBF16ASBITS
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

namespace {
struct ScanBF16AsBits : scan::impl::ScanBF16AsBitsBase<ScanBF16AsBits> {
  void runOnOperation() override {
    auto bits = IntegerType::get(&getContext(), 16);
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](BFloat16Type) -> Type { return bits; });
    replacer.addReplacement(
        [&](FloatAttr attr) -> std::optional<std::pair<Attribute, WalkResult>> {
          if (!attr.getType().isBF16())
            return std::nullopt;
          return std::make_pair(
              IntegerAttr::get(bits, attr.getValue().bitcastToAPInt()),
              WalkResult::skip());
        });
    replacer.addReplacement(
        [&](DenseFPElementsAttr attr)
            -> std::optional<std::pair<Attribute, WalkResult>> {
          if (!attr.getElementType().isBF16())
            return std::nullopt;
          return std::make_pair(attr.bitcast(bits), WalkResult::skip());
        });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }
};
} // namespace
