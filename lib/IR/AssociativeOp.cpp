//===- AssociativeOp.cpp - scan.associative -------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CombineRegion.h"
#include "IndexedScan.h"
#include "LeafInvariants.h"
#include "Syntax.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::impl;

/// More tensors are not scanned by one operator: passes and LLVM take time that
/// grows with the square of the operands of one operation.
static constexpr unsigned kMaxLeaves = 1024;

/// The rank of the trailing dimensions of a leaf with this block argument type.
static int64_t getTrailingRank(Type leafType) {
  auto tensor = dyn_cast<RankedTensorType>(leafType);
  return tensor ? tensor.getRank() : 0;
}

int64_t AssociativeOp::getIterationRank() {
  auto leaf = cast<RankedTensorType>(getInputs().front().getType());
  return leaf.getRank() - getTrailingRank(getLeafTypes().front());
}

Type AssociativeOp::getAccumulatorType(unsigned i) {
  if (std::optional<ArrayAttr> types = getAccumulators())
    return cast<TypeAttr>((*types)[i]).getValue();
  return getDefaultAccumulator(getElementTypeOrSelf(getInputs()[i].getType()));
}

bool AssociativeOp::hasSegmentOffsets() { return areOffsets(getSegments()); }

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// Appends the result types of a scan over `leaves`.
static void appendResultTypes(TypeRange leaves, Value segments, int64_t dim,
                              bool finalStates, SmallVectorImpl<Type> &types) {
  llvm::append_range(types, leaves);
  if (finalStates)
    for (Type leaf : leaves)
      types.push_back(
          getFinalType(cast<RankedTensorType>(leaf), dim, segments));
}

LogicalResult AssociativeOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferredReturnTypes) {
  Adaptor adaptor(operands, attributes, properties, regions);
  for (Value leaf : adaptor.getInputs()) {
    auto type = dyn_cast<RankedTensorType>(leaf.getType());
    if (!type || adaptor.getDim() >= static_cast<uint64_t>(type.getRank()))
      return emitOptionalError(
          location, "expected leaves to be ranked tensors with a dimension ",
          static_cast<int64_t>(adaptor.getDim()), ", found ", leaf.getType());
  }
  appendResultTypes(adaptor.getInputs().getTypes(), adaptor.getSegments(),
                    adaptor.getDim(), adaptor.getFinalStates(),
                    inferredReturnTypes);
  return success();
}

void AssociativeOp::build(
    OpBuilder &builder, OperationState &state, ValueRange inputs,
    ValueRange inits, int64_t dim, bool reverse, bool exclusive,
    bool finalStates, TypeRange leafTypes,
    function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)> body,
    Value segments) {
  state.addOperands(inputs);
  state.addOperands(inits);
  if (segments)
    state.addOperands(segments);
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {static_cast<int32_t>(inputs.size()),
                                    static_cast<int32_t>(inits.size()),
                                    segments ? 1 : 0};
  properties.dim = builder.getI64IntegerAttr(dim);
  UnitAttr unit = builder.getUnitAttr();
  properties.reverse = reverse ? unit : UnitAttr();
  properties.exclusive = exclusive ? unit : UnitAttr();
  properties.final_states = finalStates ? unit : UnitAttr();

  Region *region = state.addRegion();
  SmallVector<Type> argTypes(leafTypes);
  llvm::append_range(argTypes, leafTypes);
  {
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<Location> locs(argTypes.size(), state.location);
    Block *block = builder.createBlock(region, region->end(), argTypes, locs);
    YieldOp::create(builder, state.location,
                    body(builder, state.location, block->getArguments()));
  }
  // A builder cannot fail: the error is all there is.
  (void)checkDistinctYields(*region, [&] {
    return mlir::emitError(state.location)
           << "'" << getOperationName() << "' op ";
  });
  SmallVector<Type> types;
  appendResultTypes(inputs.getTypes(), segments, dim, finalStates, types);
  state.addTypes(types);
}

Speculation::Speculatability AssociativeOp::getSpeculatability() {
  // Offsets may be wrong ones, which compiled code stops at.
  return hasSegmentOffsets() ? Speculation::NotSpeculatable
                             : getScanSpeculatability(IndexedScan(*this));
}

LogicalResult
AssociativeOp::reifyResultShapes(OpBuilder &builder,
                                 ReifiedRankedShapedTypeDims &shapes) {
  for (Value leaf : getInputs())
    shapes.push_back(tensor::getMixedSizes(builder, getLoc(), leaf));
  if (!getFinalStates())
    return success();
  for (unsigned i = 0, e = getNumLeaves(); i < e; ++i) {
    SmallVector<OpFoldResult> sizes = shapes[i];
    reifyFinalShape(builder, getLoc(), getDim(), getSegments(), sizes);
    shapes.push_back(std::move(sizes));
  }
  return success();
}

bool AssociativeOp::hasSharedYields() {
  return failed(checkDistinctYields(getCombine(), nullptr));
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral kSharedYields = "shared_yields";

ParseResult AssociativeOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  int32_t numInputs = 0, numInits = 0, numSegments = 0;
  int64_t dim = 0;
  if (parseWord(parser, "ins") || parseGroupBody(parser, state, numInputs) ||
      parseOptionalGroup(parser, "init", state, numInits) ||
      parseOptionalSegments(parser, state, numSegments) ||
      parseDim(parser, dim, {"init", "segments"}))
    return failure();
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {numInputs, numInits, numSegments};
  properties.dim = builder.getI64IntegerAttr(dim);
  UnitAttr unit = builder.getUnitAttr();
  bool shared = false;
  auto setFlag = [&](StringRef flag) {
    if (flag == "reverse")
      properties.reverse = unit;
    else if (flag == "exclusive")
      properties.exclusive = unit;
    else
      shared = true;
  };
  Region *region = state.addRegion();
  if (parseFlagsAndAttributes(parser, state,
                              {"reverse", "exclusive", kSharedYields},
                              "a region", setFlag) ||
      parser.parseRegion(*region) ||
      // Without leaves there are no results.
      (numInputs ? parseResultTypes(parser, state.types)
                 : parseOptionalResultTypes(parser, state.types)))
    return failure();
  if (state.types.size() == 2 * static_cast<size_t>(numInputs) && numInputs)
    properties.final_states = unit;
  if (shared)
    return success();
  return checkDistinctYields(
      *region, [&] { return parser.emitError(parser.getNameLoc()); });
}

void AssociativeOp::print(OpAsmPrinter &printer) {
  printer << " ins(";
  if (!getInputs().empty())
    printer << getInputs() << " : " << getInputs().getTypes();
  printer << ')';
  printGroup(printer, "init", getInits());
  if (getSegments())
    printGroup(printer, "segments", getSegments());
  printer << " dim = " << static_cast<int64_t>(getDim());
  if (getReverse())
    printer << " reverse";
  if (getExclusive())
    printer << " exclusive";
  if (hasSharedYields())
    printer << ' ' << kSharedYields;
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {"operandSegmentSizes", getDimAttrName(), getReverseAttrName(),
       getExclusiveAttrName(), getFinalStatesAttrName()});
  printer << ' ';
  printer.printRegion(getCombine());
  if (getNumResults())
    printer << " -> " << getResultTypes();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// C2 to C4: the leaves and the block arguments that stand for their elements.
static LogicalResult verifyLeaves(AssociativeOp op) {
  unsigned leaves = op.getNumLeaves();
  // C2.
  for (auto [i, leaf] : llvm::enumerate(op.getInputs())) {
    Type element = getElementTypeOrSelf(leaf.getType());
    if (!ScanDialect::isSupportedElementType(element))
      return op.emitOpError()
             << "C2: expected leaf #" << i << " to have the element type "
             << ScanDialect::getSupportedElementTypes() << ", found "
             << leaf.getType();
  }
  // C3.
  Block &block = op.getCombine().front();
  if (block.getNumArguments() != 2 * leaves)
    return op.emitOpError()
           << "C3: expected the combine region to have " << 2 * leaves
           << " block arguments, the accumulated and the new value of each "
              "leaf, found "
           << block.getNumArguments();
  for (BlockArgument arg : block.getArguments()) {
    unsigned i = arg.getArgNumber() % leaves;
    auto leaf = cast<RankedTensorType>(op.getInputs()[i].getType());
    auto matrix = dyn_cast<RankedTensorType>(arg.getType());
    bool matches = matrix
                       ? matrix.hasStaticShape() && matrix.getRank() > 0 &&
                             matrix.getRank() < leaf.getRank() &&
                             matrix.getElementType() == leaf.getElementType() &&
                             matrix.getShape() ==
                                 leaf.getShape().take_back(matrix.getRank())
                       : arg.getType() == leaf.getElementType();
    if (!matches || arg.getType() != block.getArgument(i).getType()) {
      InFlightDiagnostic diag = op.emitOpError()
                                << "C3: expected block argument #"
                                << arg.getArgNumber() << " to be ";
      if (matches)
        diag << block.getArgument(i).getType() << " like argument #" << i;
      else
        diag << leaf.getElementType() << ", or a static tensor of "
             << leaf.getElementType()
             << " and of the trailing dimensions of leaf #" << i << " (" << leaf
             << ")";
      diag << ", found " << arg.getType();
      diag.attachNote(arg.getLoc()) << "the block argument is here";
      return diag;
    }
  }
  // C4.
  ArrayRef<int64_t> first;
  for (auto [i, leaf] : llvm::enumerate(op.getInputs())) {
    auto type = cast<RankedTensorType>(leaf.getType());
    ArrayRef<int64_t> shape = type.getShape().drop_back(
        getTrailingRank(block.getArgument(i).getType()));
    if (shape.empty())
      return op.emitOpError() << "C4: expected leaf #" << i
                              << " to have rank 1 at least without its "
                                 "trailing dimensions, found "
                              << type;
    if (i == 0)
      first = shape;
    else if (!areShapesCompatible(first, shape))
      return op.emitOpError()
             << "C4: expected all leaves to have the same extents, found "
             << printShape(first) << " for leaf #0 and " << printShape(shape)
             << " for leaf #" << i;
  }
  return success();
}

/// C11 to C14: inits and results.
static LogicalResult verifyInitsAndResults(AssociativeOp op) {
  unsigned leaves = op.getNumLeaves();
  int64_t dim = op.getDim();
  // C11.
  if (!op.getInits().empty() && op.getInits().size() != leaves)
    return op.emitOpError() << "C11: expected no init or one per leaf, "
                            << leaves << ", found " << op.getInits().size();
  // C12.
  for (auto [i, init] : llvm::enumerate(op.getInits())) {
    auto leaf = cast<RankedTensorType>(op.getInputs()[i].getType());
    if (failed(verifyInit(op, init.getType(), leaf, dim, op.getSegments(),
                          getTrailingRank(op.getLeafTypes()[i]) != 0, "C12",
                          "init #" + Twine(i))))
      return failure();
  }
  // C13.
  if (op.getExclusive() && op.getInits().empty())
    return op.emitOpError()
           << "C13: expected an init, as 'exclusive' starts with it, found "
              "none; add 'init(...)' with the identity of the operator";
  // C14.
  if (op.getNumResults() != leaves && op.getNumResults() != 2 * leaves)
    return op.emitOpError()
           << "C14: expected " << leaves << " result(s), one per leaf, or "
           << 2 * leaves << " with the final states, found "
           << op.getNumResults();
  if (op.getFinalStates() != (op.getNumResults() == 2 * leaves))
    return op.emitOpError()
           << "C14: expected " << (op.getFinalStates() ? 2 * leaves : leaves)
           << " result(s) " << (op.getFinalStates() ? "with" : "without")
           << " 'final_states', found " << op.getNumResults();
  SmallVector<Type> expected;
  appendResultTypes(op.getInputs().getTypes(), op.getSegments(), dim,
                    op.getFinalStates(), expected);
  for (auto [i, type, result] : llvm::enumerate(expected, op.getResultTypes()))
    if (type != result)
      return op.emitOpError() << "C14: expected result #" << i << " to be "
                              << type << ", found " << result;
  return success();
}

/// C15, C17 and C19 to C22: the attributes.
static LogicalResult verifyAttributes(AssociativeOp op) {
  // C15.
  if (std::optional<ArrayAttr> accumulators = op.getAccumulators()) {
    if (accumulators->size() != op.getNumLeaves())
      return op.emitOpError()
             << "C15: expected one accumulator per leaf, " << op.getNumLeaves()
             << ", found " << accumulators->size();
    for (unsigned i = 0, e = op.getNumLeaves(); i < e; ++i)
      if (failed(verifyAccumulator(
              op, getElementTypeOrSelf(op.getInputs()[i].getType()),
              op.getAccumulatorType(i), "C15")))
        return failure();
  }
  // C17.
  if (failed(
          verifySchedule(op, op.getOrderAttr(), op.getScheduleAttr(), "C17")))
    return failure();
  // C19 to C22.
  return verifyLeafInvariants(op);
}

LogicalResult AssociativeOp::verify() {
  if (failed(verifyAttributeNames(*this)))
    return failure();
  // C1.
  if (getInputs().empty())
    return emitOpError("C1: expected at least one leaf, found none; name the "
                       "tensors to scan in 'ins(...)'");
  if (getInputs().size() > kMaxLeaves)
    return emitOpError("C1: expected at most ")
           << kMaxLeaves << " leaves, found " << getInputs().size()
           << "; scan those that do not depend on each other by operations of "
              "their own, or join leaves of one type to a leaf of small "
              "tensors";
  // C2 to C4.
  if (failed(verifyLeaves(*this)))
    return failure();
  // C5.
  int64_t dim = getDim(), rank = getIterationRank();
  if (dim < 0 || dim >= rank)
    return emitOpError() << "C5: expected dim to be in [0, " << rank
                         << "), found " << dim;
  // C18. Ahead of what segments say about inits and results.
  auto first = cast<RankedTensorType>(getInputs().front().getType());
  if (failed(verifySegments(*this, getSegments(),
                            first.getShape().take_front(rank), dim, "C18")))
    return failure();
  // C6, first half: without a yield there is nothing further to look at.
  if (failed(verifyYields(*this, getCombine(), "C6", "combine region")))
    return failure();
  // C7. Here and not with the other constraints on the region, to be ahead of
  // the trait's less telling message.
  if (failed(verifyNoCapture(*this, getCombine(), "C7", "combine region")) ||
      failed(verifyInitsAndResults(*this)))
    return failure();
  return verifyAttributes(*this);
}

/// C16.
static LogicalResult verifyCompensated(AssociativeOp op) {
  auto fail = [&](const Twine &found) {
    return op.emitOpError()
           << "C16: expected 'compensated' on a scan of one floating-point "
              "leaf whose combine region is one 'arith.addf' of its two "
              "arguments, found "
           << found;
  };
  if (op.getNumLeaves() != 1)
    return fail(Twine(op.getNumLeaves()) + " leaves");
  if (!isa<FloatType>(op.getLeafTypes().front())) {
    std::string type;
    llvm::raw_string_ostream(type) << op.getLeafTypes().front();
    return fail("a leaf with elements of type " + type);
  }
  Block &block = op.getCombine().front();
  auto add = block.back().getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add || block.getOperations().size() != 2 ||
      !llvm::is_contained(add.getOperands(), block.getArgument(0)) ||
      !llvm::is_contained(add.getOperands(), block.getArgument(1)))
    return fail("another combine region");
  return success();
}

LogicalResult AssociativeOp::verifyRegions() {
  // C6, second half.
  if (failed(verifyYieldTypes(*this, getCombine(), getLeafTypes(), "C6",
                              "combine region")))
    return failure();
  // C8.
  if (failed(verifyNoEffects(*this, getCombine(), "C8", "combine region")))
    return failure();
  // C9 and C10 hold for what is written, not for what passes make of it.
  // C16.
  return getCompensated() ? verifyCompensated(*this) : success();
}
