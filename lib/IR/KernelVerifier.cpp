//===- KernelVerifier.cpp - Constraints of scan.kernel --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CombineRegion.h"
#include "Extents.h"
#include "GatheredInputs.h"
#include "ScatteredOutputs.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::impl;

/// The trailing block of one operand is unrolled into scalars; beyond this many
/// that is certainly not meant.
static constexpr int64_t kMaxTrailingElements = 1024;

/// Nor are more scalars carried from step to step.
static constexpr unsigned kMaxKernelLeaves = 4096;

/// The group an operand belongs to, for diagnostics.
static StringRef getGroupName(KernelOp op, unsigned operand) {
  unsigned inputs = op.getInputs().size(), inits = op.getInits().size(),
           outputs = op.getOutputs().size();
  if (operand < inputs)
    return "input";
  if (operand < inputs + inits)
    return "init";
  return operand < inputs + inits + outputs ? "output" : "final";
}

static bool isOut(KernelOp op, unsigned operand) {
  return operand >= op.getInputs().size() + op.getInits().size();
}

/// C1.
static LogicalResult verifyOperandTypes(KernelOp op) {
  bool tensors = false, memrefs = false;
  for (auto [i, type] : llvm::enumerate(op.getOperandTypes())) {
    bool isTensor = isa<RankedTensorType>(type);
    bool isMemref = isa<MemRefType>(type);
    bool isScalar = !isa<ShapedType>(type);
    tensors |= isTensor;
    memrefs |= isMemref;
    // The type of a list of segment offsets is up to C23.
    bool isSegmentOffsets = i < op.getInputs().size() && op.isSegmentOffsets(i);
    if (!(isTensor || isMemref || (isScalar && !isOut(op, i))) ||
        (!isSegmentOffsets &&
         !ScanDialect::isSupportedElementType(getElementTypeOrSelf(type))))
      return op.emitOpError()
             << "C1: expected operand #" << i << " (" << getGroupName(op, i)
             << ") to be a ranked tensor" << (isOut(op, i) ? " or" : ",")
             << " a memref" << (isOut(op, i) ? "" : " or a scalar") << " of "
             << ScanDialect::getSupportedElementTypes() << ", found " << type;
  }
  if (tensors && memrefs)
    return op.emitOpError("C1: expected all shaped operands to be tensors or "
                          "all to be memrefs, found both; bufferize the "
                          "function as a whole");
  return success();
}

/// C2 and C3.
static LogicalResult verifyMaps(KernelOp op) {
  // C2.
  ArrayAttr maps = op.getIndexingMaps();
  if (maps.size() != op.getNumOperands())
    return op.emitOpError() << "C2: expected one indexing map per operand, "
                            << op.getNumOperands() << ", found " << maps.size();
  if (maps.empty())
    return op.emitOpError("C6: expected at least one output or final, found "
                          "none");
  unsigned rank = op.getDomainRank();
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned i = operand.getOperandNumber();
    AffineMap map = op.getIndexingMap(operand);
    if (map.getNumDims() != rank || map.getNumSymbols() != 0)
      return op.emitOpError()
             << "C2: expected indexing map #" << i << " to have " << rank
             << " dimensions and no symbols, found " << AffineMapAttr::get(map);
    llvm::SmallBitVector used(rank);
    for (AffineExpr expr : map.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      bool mayBeZero = getGroupName(op, i) != "final";
      bool zero =
          mayBeZero && expr == getAffineConstantExpr(0, op.getContext());
      if (!zero && (!dim || used.test(dim.getPosition())))
        return op.emitOpError()
               << "C2: expected the results of indexing map #" << i << " ("
               << getGroupName(op, i) << ") to be different domain dimensions"
               << (mayBeZero ? " or the constant 0" : "") << ", found "
               << AffineMapAttr::get(map);
      if (dim)
        used.set(dim.getPosition());
    }
    // C3.
    auto type = dyn_cast<ShapedType>(operand.get().getType());
    int64_t operandRank = type ? type.getRank() : 0;
    if (map.getNumResults() > operandRank)
      return op.emitOpError()
             << "C3: expected indexing map #" << i << " to have at most "
             << operandRank << " results, the rank of its operand, found "
             << AffineMapAttr::get(map);
    ArrayRef<int64_t> trailing = KernelOp::getTrailingShape(operand.get(), map);
    if (ShapedType::isDynamicShape(trailing) ||
        countElements(trailing) > kMaxTrailingElements)
      return op.emitOpError()
             << "C3: expected the trailing dimensions of operand #" << i
             << " to be static with at most " << kMaxTrailingElements
             << " elements, found " << printShape(trailing);
  }
  return success();
}

/// C4 and C5.
static LogicalResult verifyDomain(KernelOp op) {
  // C4.
  unsigned rank = op.getDomainRank();
  SmallVector<int64_t> extents(rank, ShapedType::kDynamic);
  llvm::SmallBitVector covered(rank);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<ShapedType>(operand.get().getType());
    if (!type)
      continue;
    unsigned number = operand.getOperandNumber();
    for (auto [i, expr] :
         llvm::enumerate(op.getIndexingMap(operand).getResults())) {
      int64_t extent = type.getDimSize(i);
      auto dim = dyn_cast<AffineDimExpr>(expr);
      bool isPlace = !dim && getGroupName(op, number) == "output";
      if (!dim && !isPlace) {
        bool hasOwnExtent =
            number < op.getInputs().size() &&
            (op.isSegmentOffsets(number) || op.isGathered(number));
        if (extent != 1 && !hasOwnExtent)
          return op.emitOpError()
                 << "C4: expected extent 1 under the constant 0 in dimension "
                 << i << " of operand #" << number << ", found " << type;
        continue;
      }
      unsigned d = isPlace ? op.getDim() : dim.getPosition();
      int64_t &known = extents[d];
      if (!isPlace)
        covered.set(d);
      if (ShapedType::isDynamic(extent))
        continue;
      if (!ShapedType::isDynamic(known) && known != extent)
        return op.emitOpError()
               << "C4: expected extent " << known << " for domain dimension d"
               << d << ", found " << extent << " in dimension " << i
               << " of operand #" << number;
      known = extent;
    }
  }
  if (!covered.all())
    return op.emitOpError()
           << "C4: expected every domain dimension to occur "
              "in the map of a shaped operand, found none for d"
           << covered.find_first_unset();
  // C5.
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned i = operand.getOperandNumber();
    StringRef group = getGroupName(op, i);
    AffineMap map = op.getIndexingMap(operand);
    bool usesDim = map.isFunctionOfDim(op.getDim());
    bool isFinal = group == "final";
    bool wrongDim = group == "init" || isFinal ? usesDim : false;
    if (wrongDim || (isFinal && map.getNumResults() != rank - 1))
      return op.emitOpError()
             << "C5: expected the map of " << group << " operand #" << i
             << (isFinal ? " to cover all domain dimensions but the scan "
                           "dimension"
                         : " not to use the scan dimension")
             << ", found " << AffineMapAttr::get(map);
  }
  return success();
}

/// C20 and C21.
static LogicalResult verifyReductions(KernelOp op) {
  OrderAttr order = op.getOrderAttr();
  bool anyOrder = !order || order.getValue() == Order::Any;
  for (auto [i, output, map] :
       llvm::enumerate(op.getOutputs(), op.getOutputMaps())) {
    if (map.getNumResults() == op.getDomainRank())
      continue;
    // C20.
    Type type = getElementTypeOrSelf(output.getType());
    auto complex = dyn_cast<ComplexType>(type);
    Type part = complex ? complex.getElementType() : type;
    if (!part.isF32() && !part.isF64() && !type.isInteger(32) &&
        !type.isInteger(64))
      return op.emitOpError("C20: expected output #")
             << i
             << ", a reduction output, whose map leaves out domain dimensions, "
                "to have elements of type f32, f64, complex<f32>, "
                "complex<f64>, i32 or i64, found "
             << output.getType();
    // C21.
    if (!anyOrder && !type.isInteger())
      return op.emitOpError(
                 "C21: expected no reduction output of floating-point "
                 "or complex numbers, which is added up in any "
                 "order, in a kernel with ")
             << order << ", found output #" << i
             << ", whose map leaves out domain dimensions";
  }
  return success();
}

/// C14, C15 and C16.
static LogicalResult verifyShifts(KernelOp op) {
  // C14.
  std::optional<ArrayRef<int64_t>> shifts = op.getShifts(),
                                   boundaries = op.getBoundaries();
  int64_t inputs = op.getInputs().size();
  if (!shifts && !boundaries)
    return success();
  if (!shifts || !boundaries)
    return op.emitOpError("C14: expected both 'shifts' and 'boundaries', or "
                          "neither, found only ")
           << (shifts ? "'shifts'" : "'boundaries'");
  for (auto [name, list] : {std::pair(StringRef("shifts"), *shifts),
                            std::pair(StringRef("boundaries"), *boundaries)})
    if (static_cast<int64_t>(list.size()) != inputs)
      return op.emitOpError("C14: expected '")
             << name << "' to have one entry per input, " << inputs
             << ", found " << list.size();
  SmallVector<AffineMap> maps = op.getInputMaps();
  for (auto [i, shift, boundary] : llvm::enumerate(*shifts, *boundaries)) {
    // C15.
    if (shift == 0) {
      if (boundary != -1)
        return op.emitOpError("C15: expected the boundary -1 for input #")
               << i << ", which is not shifted, found " << boundary;
      continue;
    }
    if (!maps[i].isFunctionOfDim(op.getDim()))
      return op.emitOpError("C15: expected the map of shifted input #")
             << i << " to use the scan dimension, found "
             << AffineMapAttr::get(maps[i]);
    if (boundary < 0 || boundary >= inputs)
      return op.emitOpError("C15: expected the boundary of shifted input #")
             << i << " to be the number of an input, in [0, " << inputs
             << "), found " << boundary;
    // C16.
    Value value = op.getInputs()[boundary], shifted = op.getInputs()[i];
    Type type = getElementTypeOrSelf(shifted.getType());
    int64_t elements = KernelOp::getNumElements(shifted, maps[i]);
    if (getElementTypeOrSelf(value.getType()) != type ||
        (isa<ShapedType>(value.getType()) &&
         KernelOp::getNumElements(value, maps[boundary]) != elements))
      return op.emitOpError("C16: expected input #")
             << boundary << ", the boundary of input #" << i << ", to have "
             << elements << " element(s) of type " << type
             << " or to be a scalar of it, found " << value.getType();
    if ((*shifts)[boundary] != 0 || maps[boundary].isFunctionOfDim(op.getDim()))
      return op.emitOpError("C16: expected input #")
             << boundary << ", the boundary of input #" << i
             << ", not to be shifted and its map not to use the scan "
                "dimension, found shift "
             << (*shifts)[boundary] << " and "
             << AffineMapAttr::get(maps[boundary]);
  }
  return success();
}

/// C22, which all that asks for lists of segment offsets relies on.
static LogicalResult verifySegmentOffsetsCount(KernelOp op) {
  std::optional<ArrayRef<bool>> offsets = op.getSegmentOffsets();
  if (!offsets)
    return success();
  if (offsets->size() != op.getInputs().size())
    return op.emitOpError(
               "C22: expected 'segment_offsets' to have one entry per "
               "input, ")
           << op.getInputs().size() << ", found " << offsets->size();
  if (op.isBidirectional())
    return op.emitOpError("C22: expected no 'bidirectional' in a kernel "
                          "with 'segment_offsets', found ")
           << op.getNumOpposite()
           << "; scan each direction by a kernel of its own";
  return success();
}

/// C23.
static LogicalResult verifySegmentOffsets(KernelOp op) {
  for (auto [i, input, map] :
       llvm::enumerate(op.getInputs(), op.getInputMaps())) {
    if (!op.isSegmentOffsets(i))
      continue;
    auto type = dyn_cast<ShapedType>(input.getType());
    Type element = getElementTypeOrSelf(input.getType());
    if (!type || type.getRank() != 1 ||
        !(element.isInteger(32) || element.isInteger(64) || element.isIndex()))
      return op.emitOpError("C23: expected input #")
             << i
             << ", a list of segment offsets, to be of rank 1, of type i32, "
                "i64 or "
                "index, found "
             << input.getType();
    if (map.getNumResults() != 1 || !isa<AffineConstantExpr>(map.getResult(0)))
      return op.emitOpError("C23: expected the map of input #")
             << i
             << ", a list of segment offsets, to have the constant 0 as its "
                "only "
                "result, found "
             << AffineMapAttr::get(map);
    if (op.getShift(i) != 0 || op.isBoundary(i))
      return op.emitOpError("C23: expected input #")
             << i
             << ", a list of segment offsets, not to be shifted and no "
                "boundary, found "
             << (op.isBoundary(i) ? "a boundary" : "a shifted input");
  }
  return success();
}

/// The types of all elements that `operands` contribute.
static SmallVector<Type> getElementTypes(ValueRange operands,
                                         ArrayRef<AffineMap> maps) {
  SmallVector<Type> types;
  for (auto [operand, map] : llvm::zip_equal(operands, maps))
    types.append(KernelOp::getNumElements(operand, map),
                 getElementTypeOrSelf(operand.getType()));
  return types;
}

/// C6 and the arguments of C8. (C7 is about what is written: the parser checks
/// it, and in the generic form it follows from C8.)
static LogicalResult verifyRegionArguments(KernelOp op) {
  // C6.
  Block &combine = op.getCombine().front();
  if (combine.getNumArguments() == 0 || combine.getNumArguments() % 2 != 0)
    return op.emitOpError() << "C6: expected the combine region to have two "
                               "arguments per leaf and at least one leaf, "
                               "found "
                            << combine.getNumArguments() << " arguments";
  if (op.getNumLeaves() > kMaxKernelLeaves)
    return op.emitOpError("C6: expected at most ")
           << kMaxKernelLeaves << " leaves, found " << op.getNumLeaves()
           << "; scan those that do not depend on each other by kernels of "
              "their own";
  if (op.getOutputs().empty() && op.getFinals().empty())
    return op.emitOpError("C6: expected at least one output or final, found "
                          "none");
  // C8.
  SmallVector<Type> leaves(op.getLeafTypes());
  for (Type type : leaves)
    if (!ScanDialect::isSupportedElementType(type))
      return op.emitOpError()
             << "C8: expected leaves of type "
             << ScanDialect::getSupportedElementTypes() << ", found " << type;
  SmallVector<Type> elements = op.getInputElementTypes();
  SmallVector<Type> inits = getElementTypes(op.getInits(), op.getInitMaps());
  SmallVector<Type> twice(leaves), stored(leaves);
  llvm::append_range(twice, leaves);
  llvm::append_range(stored, leaves);
  llvm::append_range(stored, elements);
  auto verifyArguments = [&](Region &region, StringRef name,
                             ArrayRef<Type> expected) -> LogicalResult {
    if (region.empty() ||
        region.front().getArgumentTypes() == TypeRange(expected))
      return success();
    return op.emitOpError()
           << "C8: expected the region '" << name
           << "' to have arguments of types (" << expected << "), found ("
           << region.front().getArgumentTypes() << ")";
  };
  return success(
      succeeded(verifyArguments(op.getLoad(), "load", elements)) &&
      succeeded(verifyArguments(op.getInitialize(), "initialize", inits)) &&
      succeeded(verifyArguments(op.getCombine(), "combine", twice)) &&
      succeeded(verifyArguments(op.getStore(), "store", stored)) &&
      succeeded(verifyArguments(op.getFinalize(), "finalize", leaves)));
}

/// C17.
static LogicalResult verifyBidirectional(KernelOp op) {
  // Generic text that has it beside the properties would lose it silently.
  if (op->getDiscardableAttr("opposite"))
    return op.emitOpError("expected the attribute 'bidirectional', found its "
                          "former name 'opposite'; rename it");
  IntegerAttr count = op.getBidirectionalAttr();
  int64_t leaves = op.getNumLeaves();
  if (count && (count.getInt() < 1 || count.getInt() >= leaves))
    return op.emitOpError("C17: expected 'bidirectional' to be at least 1 and "
                          "less than the number of leaves, ")
           << leaves << ", found " << count.getInt();
  return success();
}

/// C18 and C19.
static LogicalResult verifyDirections(KernelOp op) {
  if (!op.isBidirectional())
    return success();
  auto noteYield = [](InFlightDiagnostic &error, Block &block, unsigned i) {
    error.attachNote(block.back().getOperand(i).getLoc()) << "this value";
  };
  // C18.
  unsigned leaves = op.getNumLeaves();
  Block &combine = op.getCombine().front();
  for (unsigned leaf = 0; leaf < leaves; ++leaf) {
    llvm::SmallBitVector arguments = getNeededArguments(combine, leaf);
    for (unsigned needed : arguments.set_bits()) {
      if (op.isOpposite(needed % leaves) == op.isOpposite(leaf))
        continue;
      InFlightDiagnostic error =
          op.emitOpError("C18: expected the combined leaf #")
          << leaf
          << " to depend on leaves of its own direction only, found leaf #"
          << needed % leaves << ", which is scanned "
          << (op.isOpposite(needed % leaves) == op.getReverse() ? "forward"
                                                                : "in reverse");
      noteYield(error, combine, leaf);
      return error;
    }
  }
  // C19.
  Block &finalize = op.getFinalize().front();
  unsigned yield = 0;
  for (auto [i, final, map, direction] : llvm::enumerate(
           op.getFinals(), op.getFinalMaps(), op.getFinalDirections())) {
    if (direction == KernelOp::Direction::Both) {
      InFlightDiagnostic error =
          op.emitOpError("C19: expected final #")
          << i
          << " to depend on leaves of one direction only, found both; make one "
             "final of each";
      noteYield(error, finalize, yield);
      return error;
    }
    yield += KernelOp::getNumElements(final, map);
  }
  return success();
}

LogicalResult KernelOp::verify() {
  if (failed(verifySegmentOffsetsCount(*this)) ||
      failed(verifyGathersCount(*this)) || failed(verifyOperandTypes(*this)) ||
      failed(verifyMaps(*this)) || failed(verifyScatteredOutputs(*this)) ||
      failed(verifyDomain(*this)) || failed(verifyReductions(*this)) ||
      failed(verifyShifts(*this)) || failed(verifySegmentOffsets(*this)) ||
      failed(verifyGathers(*this)) || failed(verifyRegionArguments(*this)) ||
      failed(verifyBidirectional(*this)))
    return failure();
  // C8, first half of the yields; C13.
  for (Region *region : getRegions())
    if (failed(verifyYields(*this, *region, "C8", "region")) ||
        failed(verifyNoCapture(*this, *region, "C13", "region")))
      return failure();
  // C9.
  if (!hasInit())
    for (unsigned i = 0, e = getNumLeaves(); i < e; ++i)
      if (!getStore().front().getArgument(e + i).use_empty())
        return emitOpError()
               << "C9: expected the exclusive value of leaf #" << i
               << " to be unused in a kernel without an init, "
                  "found a use in 'store'";
  // C11.
  SmallVector<Type> expected;
  for (OpOperand &out : getDpsInitsMutable())
    if (isa<RankedTensorType>(out.get().getType()))
      expected.push_back(out.get().getType());
  if (getResultTypes() != TypeRange(expected))
    return emitOpError() << "C11: expected results of types (" << expected
                         << "), those of the outputs and finals that are "
                            "tensors, found ("
                         << getResultTypes() << ")";
  // C12.
  return verifySchedule(*this, getOrderAttr(), getScheduleAttr(), "C12");
}

LogicalResult KernelOp::verifyRegions() {
  SmallVector<Type> leaves(getLeafTypes());
  SmallVector<Type> outputs = getElementTypes(getOutputs(), getOutputMaps());
  SmallVector<Type> finals = getElementTypes(getFinals(), getFinalMaps());
  outputs.append(llvm::count_if(getOutputMaps(), getPlaceDim),
                 IndexType::get(getContext()));
  auto verifyRegion = [&](Region &region, StringRef name,
                          ArrayRef<Type> types) -> LogicalResult {
    std::string what = ("region '" + name + "'").str();
    // C8, C10.
    return success(
        succeeded(verifyYieldTypes(*this, region, types, "C8", what)) &&
        succeeded(verifyNoEffects(*this, region, "C10", what)));
  };
  return success(succeeded(verifyRegion(getLoad(), "load", leaves)) &&
                 succeeded(verifyRegion(getInitialize(), "initialize",
                                        hasInit() ? ArrayRef(leaves)
                                                  : ArrayRef<Type>())) &&
                 succeeded(verifyRegion(getCombine(), "combine", leaves)) &&
                 succeeded(verifyRegion(getStore(), "store", outputs)) &&
                 succeeded(verifyRegion(getFinalize(), "finalize", finals)) &&
                 succeeded(verifyDirections(*this)));
}
