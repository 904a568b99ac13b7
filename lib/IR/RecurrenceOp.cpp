//===- RecurrenceOp.cpp - scan.recurrence ---------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CombineRegion.h"
#include "RecurrenceTypes.h"
#include "Scan/IR/ScanRecurrence.h"
#include "Syntax.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::impl;

#define GET_OP_CLASSES
#include "Scan/IR/ScanRecurrence.cpp.inc"

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

int64_t RecurrenceOp::getWindow(unsigned i) {
  return cast<RankedTensorType>(getInits()[i].getType()).getDimSize(getDim());
}

unsigned RecurrenceOp::getNumOutputs() {
  return getBody().front().getTerminator()->getNumOperands() - getNumStates();
}

Type RecurrenceOp::getRowType(RankedTensorType tensor, int64_t dim) {
  return tensor.getRank() == 1 ? tensor.getElementType()
                               : Type(dropDim(tensor, dim));
}

Block::BlockArgListType RecurrenceOp::getWindowArguments(unsigned i) {
  unsigned first = 1;
  for (unsigned state = 0; state < i; ++state)
    first += getWindow(state);
  return getBody().getArguments().slice(first, getWindow(i));
}

Block::BlockArgListType RecurrenceOp::getInputArguments() {
  return getBody()
      .getArguments()
      .drop_back(getCaptures().size())
      .take_back(getInputs().size());
}

Block::BlockArgListType RecurrenceOp::getCaptureArguments() {
  return getBody().getArguments().take_back(getCaptures().size());
}

SmallVector<OpFoldResult> RecurrenceOp::getOutputRowSizes(unsigned i) {
  auto getShape = [&](unsigned output) {
    Type row = getBody()
                   .front()
                   .getTerminator()
                   ->getOperand(getNumStates() + output)
                   .getType();
    auto tensor = dyn_cast<RankedTensorType>(row);
    return tensor ? tensor.getShape() : ArrayRef<int64_t>();
  };
  unsigned next = 0;
  for (unsigned before = 0; before < i; ++before)
    next += llvm::count_if(getShape(before), ShapedType::isDynamic);
  SmallVector<OpFoldResult> sizes;
  for (int64_t extent : getShape(i))
    sizes.push_back(ShapedType::isDynamic(extent)
                        ? OpFoldResult(getExtents()[next++])
                        : Builder(getContext()).getIndexAttr(extent));
  return sizes;
}

Value RecurrenceOp::getOperandOf(BlockArgument argument) {
  unsigned number = argument.getArgNumber() - 1;
  for (auto [state, init] : llvm::enumerate(getInits())) {
    if (number < static_cast<uint64_t>(getWindow(state)))
      return init;
    number -= getWindow(state);
  }
  if (number < getInputs().size())
    return getInputs()[number];
  return getCaptures()[number - getInputs().size()];
}

/// The type of rows of type `row` at `extent` steps.
static RankedTensorType addDim(Type row, int64_t dim, int64_t extent) {
  SmallVector<int64_t> shape;
  if (auto tensor = dyn_cast<RankedTensorType>(row))
    shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  shape.insert(shape.begin() + dim, extent);
  return RankedTensorType::get(shape, getElementTypeOrSelf(row));
}

/// The type of a state at `extent` steps, with its init of `k` rows in front if
/// `initRows`.
static RankedTensorType getHistoryType(RankedTensorType init, int64_t dim,
                                       int64_t extent, bool initRows) {
  SmallVector<int64_t> shape(init.getShape());
  if (!initRows || ShapedType::isDynamic(extent))
    shape[dim] = extent;
  else
    shape[dim] += extent;
  return RankedTensorType::get(shape, init.getElementType());
}

int64_t scan::impl::getStaticSteps(ValueRange inputs, bool hasSteps,
                                   int64_t dim) {
  if (!hasSteps)
    for (Value input : inputs)
      if (auto type = cast<RankedTensorType>(input.getType());
          !type.isDynamicDim(dim))
        return type.getDimSize(dim);
  return ShapedType::kDynamic;
}

void scan::impl::appendResultTypes(ValueRange inputs, ValueRange inits,
                                   TypeRange outputs, bool hasSteps,
                                   Value segments, int64_t dim, bool initRows,
                                   bool finalStates,
                                   SmallVectorImpl<Type> &types) {
  int64_t steps = getStaticSteps(inputs, hasSteps, dim);
  for (Value init : inits)
    types.push_back(getHistoryType(cast<RankedTensorType>(init.getType()), dim,
                                   steps, initRows));
  for (Type output : outputs)
    types.push_back(addDim(output, dim, steps));
  if (!finalStates)
    return;
  for (Type init : inits.getTypes()) {
    auto type = cast<RankedTensorType>(init);
    SmallVector<int64_t> shape(type.getShape());
    if (areOffsets(segments)) {
      int64_t count = cast<RankedTensorType>(segments.getType()).getDimSize(0);
      shape[dim] =
          ShapedType::isDynamic(count) ? count : (count - 1) * shape[dim];
    }
    types.push_back(RankedTensorType::get(shape, type.getElementType()));
  }
}

bool RecurrenceOp::hasSegmentOffsets() { return areOffsets(getSegments()); }

bool scan::impl::isOutputRow(Type row, int64_t dim) {
  auto tensor = dyn_cast<RankedTensorType>(row);
  int64_t rank = tensor ? tensor.getRank() : 0;
  return (!tensor || rank > 0) && (tensor || !isa<ShapedType>(row)) &&
         rank >= dim &&
         ScanDialect::isSupportedElementType(getElementTypeOrSelf(row));
}

LogicalResult RecurrenceOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferredReturnTypes) {
  Adaptor adaptor(operands, attributes, properties, regions);
  int64_t dim = adaptor.getDim();
  for (ValueRange group : {adaptor.getInits(), adaptor.getInputs()})
    for (Value value : group)
      if (auto type = dyn_cast<RankedTensorType>(value.getType());
          !type || dim < 0 || dim >= type.getRank())
        return emitOptionalError(location,
                                 "expected inits and inputs to be ranked "
                                 "tensors with a dimension ",
                                 dim, ", found ", value.getType());
  Region *body = regions.empty() ? nullptr : regions.front();
  if (!body || body->empty() || body->front().empty() ||
      !isa<YieldOp>(body->front().back()) ||
      body->front().back().getNumOperands() < adaptor.getInits().size())
    return emitOptionalError(
        location, "expected a body that ends in 'scan.yield' of the row of "
                  "each state, which says the types of outputs");
  TypeRange outputs = TypeRange(body->front().back().getOperandTypes())
                          .drop_front(adaptor.getInits().size());
  for (Type output : outputs)
    if (!isOutputRow(output, dim))
      return emitOptionalError(
          location,
          "expected the row of an output to be a scalar or a tensor "
          "with a place for dimension ",
          dim, ", found ", output);
  appendResultTypes(adaptor.getInputs(), adaptor.getInits(), outputs,
                    static_cast<bool>(adaptor.getSteps()),
                    adaptor.getSegments(), dim, adaptor.getInitRows(),
                    adaptor.getFinalStates(), inferredReturnTypes);
  return success();
}

Speculation::Speculatability RecurrenceOp::getSpeculatability() {
  // Compiled code stops where extents, or how many steps there are, make no
  // sense; static extents have been verified.
  auto isStatic = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  };
  return getSteps() || !getExtents().empty() || hasSegmentOffsets() ||
                 !llvm::all_of(getOperandTypes(), isStatic)
             ? Speculation::NotSpeculatable
             : Speculation::RecursivelySpeculatable;
}

void RecurrenceOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors) {
  // The body runs any number of times, and no value that it yields is an
  // argument of the next step as it is.
  successors.emplace_back(&getBody());
  successors.emplace_back(getOperation(), getResults().take_front(0));
}

LogicalResult
RecurrenceOp::reifyResultShapes(OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes) {
  Location loc = getLoc();
  int64_t dim = getDim();
  OpFoldResult steps = getSteps();
  int64_t known = getStaticSteps(getInputs(), !!getSteps(), dim);
  if (!ShapedType::isDynamic(known))
    steps = builder.getIndexAttr(known);
  else if (!getSteps())
    steps = tensor::getMixedSize(builder, loc, getInputs().front(), dim);
  for (auto [i, init] : llvm::enumerate(getInits())) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, init);
    sizes[dim] = steps;
    if (getInitRows() && !ShapedType::isDynamic(known))
      sizes[dim] = builder.getIndexAttr(known + getWindow(i));
    else if (getInitRows())
      sizes[dim] = OpFoldResult(builder.createOrFold<arith::AddIOp>(
          loc, getValueOrCreateConstantIndexOp(builder, loc, steps),
          arith::ConstantIndexOp::create(builder, loc, getWindow(i))));
    shapes.push_back(std::move(sizes));
  }
  for (unsigned i = 0, e = getNumOutputs(); i < e; ++i) {
    SmallVector<OpFoldResult> sizes = getOutputRowSizes(i);
    sizes.insert(sizes.begin() + dim, steps);
    shapes.push_back(std::move(sizes));
  }
  if (!getFinalStates())
    return success();
  for (auto [i, init] : llvm::enumerate(getInits())) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, init);
    if (hasSegmentOffsets()) {
      reifyFinalShape(builder, loc, dim, getSegments(), sizes);
      Value segments =
          getValueOrCreateConstantIndexOp(builder, loc, sizes[dim]);
      sizes[dim] = getAsOpFoldResult(builder.createOrFold<arith::MulIOp>(
          loc, segments,
          arith::ConstantIndexOp::create(builder, loc, getWindow(i))));
    }
    shapes.push_back(std::move(sizes));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

ParseResult RecurrenceOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  int32_t numInputs = 0, numInits = 0, numCaptures = 0, numSteps = 0,
          numExtents = 0, numSegments = 0;
  int64_t dim = 0;
  SMLoc stepsLoc;
  if (parseOptionalGroup(parser, "ins", state, numInputs) ||
      parseWord(parser, "init", {"ins"}) ||
      parseGroupBody(parser, state, numInits) ||
      parseOptionalGroup(parser, "captures", state, numCaptures) ||
      parser.getCurrentLocation(&stepsLoc) ||
      parseOptionalGroup(parser, "steps", state, numSteps) ||
      parseOptionalGroup(parser, "extents", state, numExtents) ||
      parseOptionalSegments(parser, state, numSegments))
    return failure();
  if (numSteps > 1)
    return parser.emitError(stepsLoc)
           << "C5: expected one number of steps, found " << numSteps;
  if (parseDim(parser, dim, {"captures", "steps", "extents", "segments"}))
    return failure();
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {numInputs, numInits,   numCaptures,
                                    numSteps,  numExtents, numSegments};
  properties.dim = builder.getI64IntegerAttr(dim);
  auto setFlag = [&](StringRef flag) {
    (flag == "reverse" ? properties.reverse : properties.init_rows) =
        builder.getUnitAttr();
  };
  Region *region = state.addRegion();
  if (parseFlagsAndAttributes(parser, state, {"reverse", "init_rows"},
                              "a region", setFlag) ||
      parser.parseRegion(*region) ||
      // Without states there may be no results.
      (numInits ? parseResultTypes(parser, state.types)
                : parseOptionalResultTypes(parser, state.types)))
    return failure();
  if (numInits && !region->empty() && !region->front().empty() &&
      state.types.size() == region->front().back().getNumOperands() + numInits)
    properties.final_states = builder.getUnitAttr();
  return success();
}

void RecurrenceOp::print(OpAsmPrinter &printer) {
  printGroup(printer, "ins", getInputs());
  printer << " init(";
  if (!getInits().empty())
    printer << getInits() << " : " << getInits().getTypes();
  printer << ')';
  printGroup(printer, "captures", getCaptures());
  if (getSteps())
    printGroup(printer, "steps", getSteps());
  printGroup(printer, "extents", getExtents());
  if (getSegments())
    printGroup(printer, "segments", getSegments());
  printer << " dim = " << static_cast<int64_t>(getDim());
  if (getReverse())
    printer << " reverse";
  if (getInitRows())
    printer << " init_rows";
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {"operandSegmentSizes", getDimAttrName(), getReverseAttrName(),
       getInitRowsAttrName(), getFinalStatesAttrName()});
  printer << ' ';
  printer.printRegion(getBody());
  if (getNumResults())
    printer << " -> " << getResultTypes();
}
