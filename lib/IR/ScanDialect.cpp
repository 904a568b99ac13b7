//===- ScanDialect.cpp - The scan dialect ---------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/IR/ScanDialect.h"
#include "BytecodeInterface.h"
#include "Scan/IR/ScanRecurrence.h"
#include "Syntax.h"
#include "TilingInterfaceImpl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace mlir::scan;

#include "Scan/IR/ScanDialect.cpp.inc"

#define GET_OP_CLASSES
#include "Scan/IR/ScanOps.cpp.inc"

namespace {

/// Functions with scans may be inlined: a scan uses nothing but its operands.
struct ScanInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};

} // namespace

void ScanDialect::initialize() {
  registerAttributes();
  addInterfaces<ScanInlinerInterface>();
  addOperations<
#define GET_OP_LIST
#include "Scan/IR/ScanOps.cpp.inc"
      >();
  addOperations<RecurrenceOp>();
  impl::attachTilingInterface(*getContext());
  impl::addBytecodeInterface(*this);
}

static ParseResult parseFormerHeadFlags(OpAsmParser &parser,
                                        OperationState &state) {
  state.name =
      OperationName(HeadFlagsOp::getOperationName(), parser.getContext());
  return HeadFlagsOp::parse(parser, state);
}

/// Of an operation that is not there upstream says that it is unknown.
static ParseResult parseUnknown(OpAsmParser &parser, OperationState &state) {
  SmallVector<StringRef> names;
  for (RegisteredOperationName known :
       parser.getContext()->getRegisteredOperations())
    if (known.getDialectNamespace() == ScanDialect::getDialectNamespace())
      names.push_back(known.getStringRef());
  return parser.emitError(parser.getNameLoc())
         << "is unknown"
         << scan::impl::suggestSimilar(state.name.getStringRef(), names);
}

std::optional<Dialect::ParseOpHook>
ScanDialect::getParseOperationHook(StringRef name) const {
  // The former name of scan.head_flags, for one release.
  if (name == "scan.starts")
    return ParseOpHook(parseFormerHeadFlags);
  return ParseOpHook(parseUnknown);
}

bool ScanDialect::isSupportedElementType(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF32() || complex.getElementType().isF64();
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() &&
           llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

StringRef ScanDialect::getSupportedElementTypes() {
  return "i1, i8, i16, i32, i64, f16, bf16, f32, f64, complex<f32> or "
         "complex<f64>";
}

LogicalResult CloneOp::reifyResultShapes(OpBuilder &builder,
                                         ReifiedRankedShapedTypeDims &shapes) {
  if (!isa<RankedTensorType>(getInput().getType()))
    return failure();
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getInput()));
  return success();
}
