//===- LinearRecurrenceOp.cpp - scan.linear_recurrence --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CombineRegion.h"
#include "IndexedScan.h"
#include "Syntax.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::impl;

Type LinearRecurrenceOp::getAccumulatorType() {
  if (std::optional<Type> type = getAccumulator())
    return *type;
  return getDefaultAccumulator(getElementTypeOrSelf(getB().getType()));
}

void LinearRecurrenceOp::build(OpBuilder &builder, OperationState &state,
                               Value a, Value b, Value init, int64_t dim,
                               bool reverse, bool exclusive, bool finalState,
                               Value segments) {
  state.addOperands({a, b});
  for (Value optional : {init, segments})
    if (optional)
      state.addOperands(optional);
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {1, 1, init ? 1 : 0, segments ? 1 : 0};
  properties.dim = builder.getI64IntegerAttr(dim);
  UnitAttr unit = builder.getUnitAttr();
  properties.reverse = reverse ? unit : UnitAttr();
  properties.exclusive = exclusive ? unit : UnitAttr();
  properties.final_state = finalState ? unit : UnitAttr();
  auto type = cast<RankedTensorType>(b.getType());
  state.addTypes(type);
  if (finalState)
    state.addTypes(getFinalType(type, dim, segments));
}

LogicalResult LinearRecurrenceOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferredReturnTypes) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto type = dyn_cast<RankedTensorType>(adaptor.getB().getType());
  if (!type || adaptor.getDim() >= static_cast<uint64_t>(type.getRank()))
    return emitOptionalError(
        location, "expected 'b' to be a ranked tensor with a dimension ",
        static_cast<int64_t>(adaptor.getDim()), ", found ",
        adaptor.getB().getType());
  inferredReturnTypes.push_back(type);
  if (adaptor.getFinalState())
    inferredReturnTypes.push_back(
        getFinalType(type, adaptor.getDim(), adaptor.getSegments()));
  return success();
}

bool LinearRecurrenceOp::hasSegmentOffsets() {
  return areOffsets(getSegments());
}

Speculation::Speculatability LinearRecurrenceOp::getSpeculatability() {
  // Offsets may be wrong ones, which compiled code stops at.
  return hasSegmentOffsets() ? Speculation::NotSpeculatable
                             : getScanSpeculatability(IndexedScan(*this));
}

LogicalResult
LinearRecurrenceOp::reifyResultShapes(OpBuilder &builder,
                                      ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getB()));
  if (!getFinalState())
    return success();
  SmallVector<OpFoldResult> sizes = shapes.front();
  reifyFinalShape(builder, getLoc(), getDim(), getSegments(), sizes);
  shapes.push_back(std::move(sizes));
  return success();
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

ParseResult LinearRecurrenceOp::parse(OpAsmParser &parser,
                                      OperationState &state) {
  Builder &builder = parser.getBuilder();
  int32_t numInputs = 0, numInits = 0, numSegments = 0;
  int64_t dim = 0;
  SMLoc insLoc, initLoc;
  if (parseWord(parser, "ins") || parser.getCurrentLocation(&insLoc) ||
      parseGroupBody(parser, state, numInputs))
    return failure();
  if (numInputs != 2)
    return parser.emitError(insLoc)
           << "expected two operands, 'a' and 'b', found " << numInputs;
  if (parser.getCurrentLocation(&initLoc) ||
      parseOptionalGroup(parser, "init", state, numInits))
    return failure();
  if (numInits > 1)
    return parser.emitError(initLoc)
           << "C5: expected at most one init, found " << numInits;
  if (parseOptionalSegments(parser, state, numSegments) ||
      parseDim(parser, dim, {"init", "segments"}))
    return failure();
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {1, 1, numInits, numSegments};
  properties.dim = builder.getI64IntegerAttr(dim);
  auto setFlag = [&](StringRef flag) {
    (flag == "reverse" ? properties.reverse : properties.exclusive) =
        builder.getUnitAttr();
  };
  if (parseFlagsAndAttributes(parser, state, {"reverse", "exclusive"}, "'->'",
                              setFlag) ||
      parseResultTypes(parser, state.types))
    return failure();
  if (state.types.size() == 2)
    properties.final_state = builder.getUnitAttr();
  return success();
}

void LinearRecurrenceOp::print(OpAsmPrinter &printer) {
  printer << " ins(" << getA() << ", " << getB() << " : " << getA().getType()
          << ", " << getB().getType() << ')';
  if (getInit())
    printGroup(printer, "init", {getInit()});
  if (getSegments())
    printGroup(printer, "segments", getSegments());
  printer << " dim = " << static_cast<int64_t>(getDim());
  if (getReverse())
    printer << " reverse";
  if (getExclusive())
    printer << " exclusive";
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {"operandSegmentSizes", getDimAttrName(), getReverseAttrName(),
       getExclusiveAttrName(), getFinalStateAttrName()});
  printer << " -> " << getResultTypes();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult LinearRecurrenceOp::verify() {
  if (failed(verifyAttributeNames(*this)))
    return failure();
  RankedTensorType a = getA().getType(), b = getB().getType();
  int64_t dim = getDim(), rank = b.getRank();
  // C1.
  if (rank == 0 || a.getRank() != rank)
    return emitOpError() << "C1: expected 'a' and 'b' to have the same rank, 1 "
                            "at least, found "
                         << a << " and " << b;
  // C2.
  if (a.getElementType() != b.getElementType() ||
      !ScanDialect::isSupportedElementType(b.getElementType()) ||
      b.getElementType().isInteger(1))
    return emitOpError() << "C2: expected 'a' and 'b' to have the same element "
                            "type, a supported one other than i1, found "
                         << a << " and " << b;
  // C3.
  if (dim < 0 || dim >= rank)
    return emitOpError() << "C3: expected dim to be in [0, " << rank
                         << "), found " << dim;
  // C4.
  for (int64_t i = 0; i < rank; ++i) {
    int64_t extentA = a.getDimSize(i), extentB = b.getDimSize(i);
    bool broadcast = i != dim && extentA == 1;
    if (broadcast || extentA == extentB || ShapedType::isDynamic(extentA) ||
        ShapedType::isDynamic(extentB))
      continue;
    return emitOpError() << "C4: expected 'a' to have extent " << extentB
                         << (i == dim ? "" : " or 1") << " in dimension " << i
                         << ", found " << extentA;
  }
  // C10. Ahead of what segments say about the init and the results.
  if (failed(verifySegments(*this, getSegments(), b.getShape(), dim, "C10")))
    return failure();
  // C5.
  if (getInit() &&
      failed(verifyInit(*this, getInit().getType(), b, dim, getSegments(),
                        /*hasTrailing=*/false, "C5", "init")))
    return failure();
  // C6.
  if (getResult().getType() != b)
    return emitOpError() << "C6: expected result #0 to be " << b << ", found "
                         << getResult().getType();
  if (getFinalState() != (getLast() != nullptr))
    return emitOpError() << "C6: expected " << (getFinalState() ? 2 : 1)
                         << " result(s) "
                         << (getFinalState() ? "with" : "without")
                         << " 'final_state', found "
                         << getOperation()->getNumResults();
  RankedTensorType last = getFinalType(b, dim, getSegments());
  if (getLast() && getLast().getType() != last)
    return emitOpError() << "C6: expected result #1 to be " << last
                         << ", found " << getLast().getType();
  // C7.
  if (getAccumulator() && failed(verifyAccumulator(*this, b.getElementType(),
                                                   *getAccumulator(), "C7")))
    return failure();
  // C8.
  if (failed(verifySchedule(*this, getOrderAttr(), getScheduleAttr(), "C8")))
    return failure();
  // C9.
  if (getExclusive() && !getInit())
    return emitOpError("C9: expected an init for 'exclusive', found none; "
                       "there is no state before the first step without one");
  return success();
}
