//===- KernelOp.cpp - scan.kernel -----------------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CombineRegion.h"
#include "IndexedScan.h"
#include "ScatteredOutputs.h"
#include "Syntax.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::impl;

//===----------------------------------------------------------------------===//
// Accessors
//===----------------------------------------------------------------------===//

AffineMap KernelOp::getIndexingMap(OpOperand &operand) {
  return cast<AffineMapAttr>(getIndexingMaps()[operand.getOperandNumber()])
      .getValue();
}

/// The maps of the operands `[begin, begin + count)`.
static SmallVector<AffineMap> sliceMaps(KernelOp op, unsigned begin,
                                        unsigned count) {
  SmallVector<AffineMap> maps;
  for (Attribute map : op.getIndexingMaps().getValue().slice(begin, count))
    maps.push_back(cast<AffineMapAttr>(map).getValue());
  return maps;
}

SmallVector<AffineMap> KernelOp::getInputMaps() {
  return sliceMaps(*this, 0, getInputs().size());
}
SmallVector<AffineMap> KernelOp::getInitMaps() {
  return sliceMaps(*this, getInputs().size(), getInits().size());
}
SmallVector<AffineMap> KernelOp::getOutputMaps() {
  return sliceMaps(*this, getInputs().size() + getInits().size(),
                   getOutputs().size());
}
SmallVector<AffineMap> KernelOp::getFinalMaps() {
  return sliceMaps(*this, getNumOperands() - getFinals().size(),
                   getFinals().size());
}

bool KernelOp::isReduction(unsigned output) {
  unsigned first = getInputs().size() + getInits().size();
  auto map = cast<AffineMapAttr>(getIndexingMaps()[first + output]);
  return map.getValue().getNumResults() < getDomainRank();
}

bool KernelOp::hasReductions() {
  return llvm::any_of(getOutputMaps(), [&](AffineMap map) {
    return map.getNumResults() < getDomainRank();
  });
}

ArrayRef<int64_t> KernelOp::getTrailingShape(Value operand, AffineMap map) {
  auto type = dyn_cast<ShapedType>(operand.getType());
  if (!type)
    return {};
  return type.getShape().drop_front(map.getNumResults());
}

int64_t KernelOp::getNumElements(Value operand, AffineMap map) {
  return ShapedType::getNumElements(getTrailingShape(operand, map));
}

SmallVector<int64_t> KernelOp::getStaticDomainShape() {
  SmallVector<int64_t> shape(getDomainRank(), ShapedType::kDynamic);
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    auto type = dyn_cast<ShapedType>(operand.get().getType());
    if (!type)
      continue;
    for (auto [i, expr] : llvm::enumerate(getIndexingMap(operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (!type.isDynamicDim(i))
          shape[dim.getPosition()] = type.getDimSize(i);
  }
  return shape;
}

std::pair<OpOperand *, unsigned> KernelOp::getDomainDimSource(unsigned d) {
  for (OpOperand &operand : getOperation()->getOpOperands())
    if (isa<ShapedType>(operand.get().getType()))
      for (auto [i, expr] :
           llvm::enumerate(getIndexingMap(operand).getResults()))
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          if (dim.getPosition() == d)
            return {&operand, static_cast<unsigned>(i)};
  llvm_unreachable("C4: every domain dimension occurs in some map");
}

SmallVector<OpFoldResult> KernelOp::getDomainSizes(OpBuilder &builder,
                                                   Location loc) {
  IndexedScan scan(*this);
  SmallVector<OpFoldResult> sizes;
  for (unsigned d = 0; d < scan.rank; ++d)
    sizes.push_back(scan.getExtent(builder, d));
  return sizes;
}

void KernelOp::setInputShifts(ArrayRef<int64_t> shifts,
                              ArrayRef<int64_t> boundaries) {
  if (llvm::all_of(shifts, [](int64_t shift) { return shift == 0; })) {
    removeShiftsAttr();
    removeBoundariesAttr();
    return;
  }
  setShifts(shifts);
  setBoundaries(boundaries);
}

void KernelOp::setInputSegmentOffsets(ArrayRef<bool> inputs) {
  if (llvm::is_contained(inputs, true))
    setSegmentOffsets(inputs);
  else
    removeSegmentOffsetsAttr();
}

SmallVector<Type> KernelOp::getInputElementTypes() {
  SmallVector<Type> types;
  for (auto [i, input, map] : llvm::enumerate(getInputs(), getInputMaps()))
    types.append(getNumElements(input, map),
                 isSegmentOffsets(i) ? IntegerType::get(getContext(), 1)
                                     : getElementTypeOrSelf(input.getType()));
  return types;
}

/// Which leaves the elements that `block` yields for each of `operands` need.
/// Its arguments are `groups` times the leaves, then others.
static SmallVector<KernelOp::Direction>
getDirections(KernelOp op, ValueRange operands, ArrayRef<AffineMap> maps,
              Block &block, unsigned groups) {
  using Direction = KernelOp::Direction;
  unsigned leaves = op.getNumLeaves(), first = 0;
  SmallVector<Direction> result;
  for (auto [operand, map] : llvm::zip_equal(operands, maps)) {
    unsigned end = first + KernelOp::getNumElements(operand, map);
    bool needs[2] = {false, false};
    for (; first < end; ++first) {
      llvm::SmallBitVector needed = getNeededArguments(block, first);
      for (unsigned argument : needed.set_bits())
        if (argument < groups * leaves)
          needs[op.isOpposite(argument % leaves)] = true;
    }
    result.push_back(!needs[1]  ? Direction::Same
                     : needs[0] ? Direction::Both
                                : Direction::Opposite);
  }
  return result;
}

SmallVector<KernelOp::Direction> KernelOp::getOutputDirections() {
  return getDirections(*this, getOutputs(), getOutputMaps(), getStore().front(),
                       /*groups=*/2);
}

SmallVector<KernelOp::Direction> KernelOp::getFinalDirections() {
  return getDirections(*this, getFinals(), getFinalMaps(),
                       getFinalize().front(), /*groups=*/1);
}

bool KernelOp::hasPureTensorSemantics() {
  return llvm::none_of(getOperandTypes(), llvm::IsaPred<MemRefType>);
}

bool KernelOp::hasPureBufferSemantics() {
  return llvm::none_of(getOperandTypes(), llvm::IsaPred<TensorType>);
}

SmallVector<bool> KernelOp::getCarriedLeaves() {
  unsigned leaves = getNumLeaves();
  Block &store = getStore().front();
  // A state that leaves the kernel is carried; an inclusive value that does is
  // computed, and needs the accumulated values that it is computed from.
  SmallVector<bool> carried(leaves), computed(leaves);
  SmallVector<unsigned> worklist;
  for (unsigned i = 0; i < leaves; ++i) {
    carried[i] = !store.getArgument(leaves + i).use_empty() ||
                 !getFinalize().getArgument(i).use_empty();
    computed[i] = carried[i] || !store.getArgument(i).use_empty();
    if (computed[i])
      worklist.push_back(i);
  }
  while (!worklist.empty()) {
    llvm::SmallBitVector needed =
        getNeededArguments(getCombine().front(), worklist.pop_back_val());
    for (unsigned i = 0; i < leaves; ++i) {
      if (!needed.test(i))
        continue;
      carried[i] = true;
      if (!computed[i])
        worklist.push_back(i);
      computed[i] = true;
    }
  }
  return carried;
}

SmallVector<bool> KernelOp::getLiveLeaves() {
  unsigned leaves = getNumLeaves();
  Block &store = getStore().front();
  SmallVector<bool> live(leaves);
  SmallVector<unsigned> worklist;
  for (unsigned i = 0; i < leaves; ++i) {
    live[i] = !store.getArgument(i).use_empty() ||
              !store.getArgument(leaves + i).use_empty() ||
              !getFinalize().getArgument(i).use_empty();
    if (live[i])
      worklist.push_back(i);
  }
  while (!worklist.empty()) {
    llvm::SmallBitVector needed =
        getNeededArguments(getCombine().front(), worklist.pop_back_val());
    for (unsigned i : needed.set_bits()) {
      if (live[i % leaves])
        continue;
      live[i % leaves] = true;
      worklist.push_back(i % leaves);
    }
  }
  return live;
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

MutableOperandRange KernelOp::getDpsInitsMutable() {
  unsigned outs = getOutputs().size() + getFinals().size();
  return MutableOperandRange(getOperation(), getNumOperands() - outs, outs);
}

Speculation::Speculatability KernelOp::getSpeculatability() {
  return hasPureTensorSemantics() ? getScanSpeculatability(IndexedScan(*this))
                                  : Speculation::NotSpeculatable;
}

LogicalResult KernelOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferredReturnTypes) {
  Adaptor adaptor(operands, attributes, properties, regions);
  for (ValueRange group : {adaptor.getOutputs(), adaptor.getFinals()})
    for (Value out : group)
      if (isa<TensorType>(out.getType()))
        inferredReturnTypes.push_back(out.getType());
  return success();
}

void KernelOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  unsigned firstOut =
      getNumOperands() - getOutputs().size() - getFinals().size();
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    unsigned number = operand.getOperandNumber();
    bool isOut = number >= firstOut;
    // What reductions add to, and what scattered outputs leave as it is.
    bool isKept = isOut && number < firstOut + getOutputs().size() &&
                  (isReduction(number - firstOut) ||
                   isScattered(*this, number - firstOut));
    if (!isOut || isKept)
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isOut)
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

LogicalResult KernelOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  for (OpOperand &out : getDpsInitsMutable())
    shapes.push_back(tensor::getMixedSizes(builder, getLoc(), out.get()));
  return success();
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// Gives a region that has none yet a body that yields nothing.
static void addEmptyBody(Builder &builder, Location loc, Region &region,
                         TypeRange arguments) {
  if (!region.empty())
    return;
  Block &block = region.emplaceBlock();
  for (Type type : arguments)
    block.addArgument(type, loc);
  OpBuilder bodyBuilder(builder.getContext());
  bodyBuilder.setInsertionPointToEnd(&block);
  YieldOp::create(bodyBuilder, loc);
}

void KernelOp::addEmptyMaps(OpBuilder &builder) {
  addEmptyBody(builder, getLoc(), getInitialize(), {});
  addEmptyBody(builder, getLoc(), getFinalize(), getLeafTypes());
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  int64_t dim = 0;
  Properties &properties = state.getOrAddProperties<Properties>();
  if (parseDim(parser, dim))
    return failure();
  properties.dim = builder.getI64IntegerAttr(dim);
  if (succeeded(parser.parseOptionalKeyword("reverse")))
    properties.reverse = builder.getUnitAttr();

  int32_t inputs = 0, inits = 0, outputs = 0, finals = 0;
  ArrayAttr maps;
  SMLoc mapsLoc;
  if (parseOptionalGroup(parser, "ins", state, inputs) ||
      parseOptionalGroup(parser, "init", state, inits) ||
      parseOptionalGroup(parser, "outs", state, outputs) ||
      parseOptionalGroup(parser, "finals", state, finals) ||
      parseWord(parser, "maps", {"reverse", "ins", "init", "outs", "finals"}) ||
      parser.getCurrentLocation(&mapsLoc) || parser.parseAttribute(maps))
    return failure();
  if (!llvm::all_of(maps, llvm::IsaPred<AffineMapAttr>))
    return parser.emitError(mapsLoc, "expected a list of affine maps");
  properties.indexing_maps = maps;
  properties.operandSegmentSizes = {inputs, inits, outputs, finals};
  if (parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  // The former names, for one release.
  if (Attribute offsets = state.attributes.erase("starts"))
    state.addAttribute(getSegmentOffsetsAttrName(state.name), offsets);
  if (Attribute leaves = state.attributes.erase("opposite"))
    state.addAttribute(getBidirectionalAttrName(state.name), leaves);

  // Regions that are not written are those of a kernel without inits or finals;
  // whether they should have been is for the verifier to say.
  auto parseRegion = [&](StringRef keyword, bool optional,
                         bool &written) -> ParseResult {
    Region *region = state.addRegion();
    written = true;
    if (optional) {
      written = succeeded(parser.parseOptionalKeyword(keyword));
      if (!written)
        return success();
    } else if (parseWord(parser, keyword)) {
      return failure();
    }
    return parser.parseRegion(*region);
  };
  bool written, initializes, finalizes;
  SMLoc loc = parser.getCurrentLocation();
  if (parseRegion("load", false, written) ||
      parseRegion("initialize", true, initializes) ||
      parseRegion("combine", false, written) ||
      parseRegion("store", false, written) ||
      parseRegion("finalize", true, finalizes))
    return failure();
  for (auto [name, isWritten, operands, count] :
       {std::tuple(StringRef("initialize"), initializes, StringRef("inits"),
                   inits),
        std::tuple(StringRef("finalize"), finalizes, StringRef("finals"),
                   finals)})
    if (isWritten != (count != 0))
      return parser.emitError(loc)
             << "C7: expected " << (count ? "a" : "no") << " region '" << name
             << "' as there are " << (count ? "" : "no ") << operands
             << ", found " << (count ? "none" : "one");
  if (parseOptionalResultTypes(parser, state.types))
    return failure();
  if (state.regions[2]->empty())
    return parser.emitError(loc, "expected a non-empty region 'combine'");
  Block &combine = state.regions[2]->front();
  TypeRange leaves = TypeRange(combine.getArgumentTypes())
                         .take_front(combine.getNumArguments() / 2);
  addEmptyBody(builder, state.location, *state.regions[1], {});
  addEmptyBody(builder, state.location, *state.regions[4], leaves);
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << " dim = " << static_cast<int64_t>(getDim());
  if (getReverse())
    printer << " reverse";
  printer.increaseIndent();
  printer.increaseIndent();
  printer.printNewline();
  // The operands, with the separating blank that printGroup puts in front.
  auto group = [&, first = true](StringRef keyword,
                                 ValueRange operands) mutable {
    if (operands.empty())
      return;
    if (!first)
      printer << ' ';
    first = false;
    printer << keyword << '(' << operands << " : " << operands.getTypes()
            << ')';
  };
  group("ins", getInputs());
  group("init", getInits());
  group("outs", getOutputs());
  group("finals", getFinals());
  printer.printNewline();
  printer << "maps " << getIndexingMaps();
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {"operandSegmentSizes", getDimAttrName(),
                            getReverseAttrName(), getIndexingMapsAttrName()});
  printer.printNewline();
  auto region = [&, first = true](StringRef keyword, Region &region) mutable {
    if (!first)
      printer << ' ';
    first = false;
    printer << keyword << ' ';
    printer.printRegion(region);
  };
  region("load", getLoad());
  if (hasInit())
    region("initialize", getInitialize());
  region("combine", getCombine());
  region("store", getStore());
  if (!getFinals().empty())
    region("finalize", getFinalize());
  if (getNumResults())
    printer << " -> " << getResultTypes();
  printer.decreaseIndent();
  printer.decreaseIndent();
}
