//===- LastWriters.cpp - Scatters in linear time --------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for each element d of the output, for each step s:
//     if key(s) == d: output[d] = element(s)
//
// compares as often as there are pairs of elements and steps. The same is
//
//   last = 0
//   for each step s, all at once:      last[key(s)] max= s + 1   (an atomic)
//   for each element d, all at once:
//     if last[d]: output[d] = element(last[d] - 1)
//
// which is linear, and as deterministic: the last one of several writers wins
// in whatever order the threads come. Zero stands for no writer, so that
// clearing `last` takes no kernel. Where keys are known to differ
// (kUniqueKeysAttrName), steps write by themselves:
//
//   for each step s, all at once:      output[key(s)] = element(s)
//
//===----------------------------------------------------------------------===//

#include "ElementwiseKernel.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::scan;

/// What holds a number of a step.
static constexpr int64_t kWordBytes = 8;

namespace {

/// A value of the body and the operations in it that compute it, in order.
struct Slice {
  Value value;
  SetVector<Operation *> ops;
  /// The operands of the linalg operation that they read.
  SmallVector<OpOperand *> operands;
  /// The loops that the value depends on.
  llvm::SmallBitVector loops;
};

/// A walk that overwrites an element where its place is the key of a step.
class KeyedWrites {
public:
  KeyedWrites(RewriterBase &rewriter, linalg::GenericOp op)
      : op(op), rewriter(rewriter), b(op.getLoc(), rewriter) {}

  bool match();
  /// Replaces the operation by those that take linear time.
  void expand();

private:
  /// Whether steps may write by themselves, and their operands say how far all
  /// loops go.
  bool canWriteAtOnce();
  void createWrites();
  bool findStep();
  bool findWrite();
  bool findSlice(Value value, Slice &slice);
  void chooseMarkLoops();
  Value createMarks();
  void emitMark(ImplicitLocOpBuilder &inner, Value marks, ValueRange arguments);
  void createGather(Value marks);
  Value emitElement(ImplicitLocOpBuilder &inner, Value number,
                    SmallVector<Value> indices);

  linalg::GenericOp op;
  RewriterBase &rewriter;
  ImplicitLocOpBuilder b;
  /// The loop over steps, and the one over places that keys are of.
  unsigned step = 0, place = 0;
  Slice key, element;
  /// The loops that marks differ along, that of places last; and those of the
  /// operation that sets them, that of steps last.
  SmallVector<unsigned> markLoops, keyLoops;
};

} // namespace

/// Whether there is one loop over steps, and whether there may be several.
bool KeyedWrites::findStep() {
  if (op.getNumDpsInits() != 1 || !op.hasPureBufferSemantics() ||
      !overwritesOutput(op, 0))
    return false;
  SmallVector<unsigned> walked;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (!isThreadLoop(op, loop))
      walked.push_back(loop);
  if (walked.size() != 1)
    return false;
  step = walked.front();
  return op.getStaticLoopRanges()[step] != 1;
}

/// Whether the body is `select(index == key, element, output)`.
bool KeyedWrites::findWrite() {
  Block *body = op.getBlock();
  BlockArgument output = body->getArguments().back();
  auto select =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
  if (!select || select.getFalseValue() != output || !output.hasOneUse())
    return false;
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || compare->getBlock() != body ||
      compare.getPredicate() != arith::CmpIPredicate::eq)
    return false;
  for (bool isSwapped : {false, true}) {
    auto here = compare->getOperand(isSwapped).getDefiningOp<linalg::IndexOp>();
    key = {};
    element = {};
    if (!here || here.getDim() == step)
      continue;
    place = here.getDim();
    if (findSlice(compare->getOperand(!isSwapped), key) &&
        findSlice(select.getTrueValue(), element))
      return true;
  }
  return false;
}

/// Whether `value` can be computed without the place, and elsewhere.
bool KeyedWrites::findSlice(Value value, Slice &slice) {
  slice.value = value;
  slice.loops.resize(op.getNumLoops());
  SetVector<Operation *> found;
  SmallVector<Value> rest = {value};
  while (!rest.empty()) {
    Value next = rest.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next);
        argument && argument.getOwner() == op.getBlock()) {
      OpOperand *operand = op.getMatchingOpOperand(argument);
      AffineMap map = op.getMatchingIndexingMap(operand);
      if (op.isDpsInit(operand))
        return false;
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
        if (map.isFunctionOfDim(loop))
          slice.loops.set(loop);
      if (!llvm::is_contained(slice.operands, operand))
        slice.operands.push_back(operand);
      continue;
    }
    Operation *inside = next.getDefiningOp();
    if (!inside || inside->getBlock() != op.getBlock() || !found.insert(inside))
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(inside))
      slice.loops.set(index.getDim());
    else if (inside->getNumRegions() != 0 ||
             (!isPure(inside) && !isa<memref::LoadOp>(inside)))
      return false;
    llvm::append_range(rest, inside->getOperands());
  }
  for (Operation &inside : *op.getBlock())
    if (found.contains(&inside))
      slice.ops.insert(&inside);
  return !slice.loops.test(place);
}

/// Keys need not differ along all dimensions of the output: such dimensions
/// share their marks.
void KeyedWrites::chooseMarkLoops() {
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (loop != step && key.loops.test(loop))
      markLoops.push_back(loop);
  keyLoops = markLoops;
  markLoops.push_back(place);
  keyLoops.push_back(step);
}

bool KeyedWrites::match() {
  if (!findStep() || !findWrite())
    return false;
  chooseMarkLoops();
  // The operands say how far all loops go, and none is written meanwhile.
  Value output = getBufferRoot(op.getDpsInits()[0]);
  llvm::SmallBitVector ranges(op.getNumLoops());
  for (const Slice *slice : {&key, &element})
    for (OpOperand *operand : slice->operands)
      if (getBufferRoot(operand->get()) == output)
        return false;
  for (OpOperand *operand : key.operands)
    for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        ranges.set(dim.getPosition());
  return llvm::all_of(keyLoops,
                      [&](unsigned loop) { return ranges.test(loop); });
}

/// The extent of a memref in the body of an operation: not folded to what the
/// host knows, which the kernel would be passed again.
static Value createExtent(ImplicitLocOpBuilder &b, Value memref, unsigned dim) {
  auto type = cast<MemRefType>(memref.getType());
  Value number = arith::ConstantIndexOp::create(b, dim);
  if (type.isDynamicDim(dim))
    return memref::DimOp::create(b, memref, number);
  return arith::ConstantIndexOp::create(b, type.getDimSize(dim));
}

/// `maxs` at the mark of a step, where its key is a place.
void KeyedWrites::emitMark(ImplicitLocOpBuilder &inner, Value marks,
                           ValueRange arguments) {
  IRMapping mapping;
  for (auto [operand, argument] : llvm::zip_equal(key.operands, arguments))
    mapping.map(op.getMatchingBlockArgument(operand), argument);
  SmallVector<Value> indices;
  for (unsigned i = 0, e = keyLoops.size(); i < e; ++i)
    indices.push_back(linalg::IndexOp::create(inner, i));
  for (Operation *inside : key.ops) {
    if (auto index = dyn_cast<linalg::IndexOp>(inside))
      mapping.map(
          index.getResult(),
          indices[llvm::find(keyLoops, index.getDim()) - keyLoops.begin()]);
    else
      inner.clone(*inside, mapping);
  }
  Value at = mapping.lookupOrDefault(key.value);
  auto getExtent = [&](ImplicitLocOpBuilder &where, unsigned dim) {
    return createExtent(where, marks, dim);
  };
  // Taken as unsigned, a negative key is beyond the end.
  Value isPlace = arith::CmpIOp::create(inner, arith::CmpIPredicate::ult, at,
                                        getExtent(inner, markLoops.size() - 1));
  auto branch = scf::IfOp::create(inner, isPlace);
  ImplicitLocOpBuilder then(inner.getLoc(),
                            branch.getThenBodyBuilder(inner.getListener()));
  Value number = arith::ConstantIndexOp::create(then, 0);
  for (unsigned i = 0, e = markLoops.size(); i < e; ++i) {
    number = arith::MulIOp::create(then, number, getExtent(then, i));
    number = arith::AddIOp::create(then, number, i + 1 == e ? at : indices[i]);
  }
  Type word = then.getI64Type();
  Value bytes = arith::MulIOp::create(
      then, number, arith::ConstantIndexOp::create(then, kWordBytes));
  Value address = arith::AddIOp::create(
      then, memref::ExtractAlignedPointerAsIndexOp::create(then, marks), bytes);
  address = arith::IndexCastOp::create(then, word, address);
  Value pointer = LLVM::IntToPtrOp::create(
      then, LLVM::LLVMPointerType::get(then.getContext()), address);
  Value mark = arith::AddIOp::create(
      then, arith::IndexCastOp::create(then, word, indices.back()),
      arith::ConstantOp::create(then, then.getI64IntegerAttr(1)));
  LLVM::AtomicRMWOp::create(then, LLVM::AtomicBinOp::max, pointer, mark,
                            LLVM::AtomicOrdering::monotonic,
                            /*syncscope=*/"device", kWordBytes);
}

/// The numbers of the last steps with each key, from 1.
Value KeyedWrites::createMarks() {
  SmallVector<Range> ranges =
      cast<linalg::LinalgOp>(op.getOperation()).createLoopRanges(b, b.getLoc());
  SmallVector<OpFoldResult> sizes;
  for (unsigned loop : markLoops)
    sizes.push_back(ranges[loop].size);
  auto [shape, dynamic] = decomposeMixedValues(sizes);
  auto type = MemRefType::get(shape, b.getI64Type());
  Value marks = memref::AllocOp::create(b, type, dynamic);
  Value zero = arith::ConstantOp::create(b, b.getI64IntegerAttr(0));
  linalg::FillOp::create(b, zero, marks);

  // The loops by their numbers among those of keys.
  SmallVector<AffineExpr> loops(op.getNumLoops(), b.getAffineConstantExpr(0));
  for (auto [number, loop] : llvm::enumerate(keyLoops))
    loops[loop] = b.getAffineDimExpr(number);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *operand : key.operands) {
    inputs.push_back(operand->get());
    maps.push_back(op.getMatchingIndexingMap(operand).replaceDimsAndSymbols(
        loops, {}, keyLoops.size(), 0));
  }
  SmallVector<utils::IteratorType> kinds(keyLoops.size(),
                                         utils::IteratorType::parallel);
  linalg::GenericOp::create(
      b, inputs, ValueRange(), maps, kinds,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder inner(loc, builder);
        emitMark(inner, marks, arguments);
        linalg::YieldOp::create(inner, ValueRange());
      });
  return marks;
}

/// The element that step number `number` writes at `indices`, which have no
/// value for the steps yet.
Value KeyedWrites::emitElement(ImplicitLocOpBuilder &inner, Value number,
                               SmallVector<Value> indices) {
  indices[step] = number;
  IRMapping mapping;
  for (OpOperand *operand : element.operands) {
    Value value = operand->get();
    if (isa<MemRefType>(value.getType())) {
      SmallVector<Value> at;
      for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults())
        at.push_back(
            affine::expandAffineExpr(inner, inner.getLoc(), expr, indices, {}));
      value = memref::LoadOp::create(inner, value, at);
    }
    mapping.map(op.getMatchingBlockArgument(operand), value);
  }
  for (Operation *inside : element.ops) {
    if (auto index = dyn_cast<linalg::IndexOp>(inside))
      mapping.map(index.getResult(), indices[index.getDim()]);
    else
      inner.clone(*inside, mapping);
  }
  return mapping.lookupOrDefault(element.value);
}

void KeyedWrites::createGather(Value marks) {
  unsigned numLoops = op.getNumLoops() - 1;
  SmallVector<AffineExpr> loops;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    loops.push_back(loop == step ? b.getAffineConstantExpr(0)
                                 : b.getAffineDimExpr(loop - (loop > step)));
  SmallVector<AffineExpr> ofMarks;
  for (unsigned loop : markLoops)
    ofMarks.push_back(loops[loop]);
  OpOperand *output = op.getDpsInitOperand(0);
  SmallVector<AffineMap> maps = {
      AffineMap::get(numLoops, 0, ofMarks, b.getContext()),
      op.getMatchingIndexingMap(output).replaceDimsAndSymbols(loops, {},
                                                              numLoops, 0)};
  SmallVector<utils::IteratorType> kinds(numLoops,
                                         utils::IteratorType::parallel);
  linalg::GenericOp::create(
      b, marks, output->get(), maps, kinds,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder inner(loc, builder);
        // Not within the branch, where nobody expects them. Behind that of
        // steps, loops of the new operation count one less.
        SmallVector<Value> indices(op.getNumLoops());
        for (unsigned loop : element.loops.set_bits())
          if (loop != step)
            indices[loop] =
                linalg::IndexOp::create(inner, loop - (loop > step));
        Value zero = arith::ConstantOp::create(inner, b.getI64IntegerAttr(0));
        Value isWritten = arith::CmpIOp::create(inner, arith::CmpIPredicate::ne,
                                                arguments[0], zero);
        auto branch = scf::IfOp::create(inner, arguments[1].getType(),
                                        isWritten, /*withElseRegion=*/true);
        ImplicitLocOpBuilder then(
            loc, branch.getThenBodyBuilder(inner.getListener()));
        Value number = arith::SubIOp::create(
            then, arguments[0],
            arith::ConstantOp::create(then, b.getI64IntegerAttr(1)));
        number = arith::IndexCastOp::create(then, b.getIndexType(), number);
        scf::YieldOp::create(then, emitElement(then, number, indices));
        ImplicitLocOpBuilder other(
            loc, branch.getElseBodyBuilder(inner.getListener()));
        scf::YieldOp::create(other, arguments[1]);
        linalg::YieldOp::create(inner, branch.getResults());
      });
}

bool KeyedWrites::canWriteAtOnce() {
  if (!op->hasAttr(kUniqueKeysAttrName))
    return false;
  llvm::SmallBitVector ranges(op.getNumLoops());
  for (const Slice *slice : {&key, &element})
    for (OpOperand *operand : slice->operands)
      for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults())
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          ranges.set(dim.getPosition());
  return ranges.set(place).all();
}

/// One operation over all loops but that of places.
void KeyedWrites::createWrites() {
  SmallVector<AffineExpr> loops;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    loops.push_back(loop == place ? b.getAffineConstantExpr(0)
                                  : b.getAffineDimExpr(loop - (loop > place)));
  unsigned numLoops = op.getNumLoops() - 1;
  SetVector<OpOperand *> operands;
  SetVector<Operation *> ops;
  for (const Slice *slice : {&key, &element}) {
    operands.insert_range(slice->operands);
    ops.insert_range(slice->ops);
  }
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *operand : operands) {
    inputs.push_back(operand->get());
    maps.push_back(op.getMatchingIndexingMap(operand).replaceDimsAndSymbols(
        loops, {}, numLoops, 0));
  }
  OpOperand *output = op.getDpsInitOperand(0);
  SmallVector<utils::IteratorType> kinds(numLoops,
                                         utils::IteratorType::parallel);
  linalg::GenericOp::create(
      b, inputs, ValueRange(), maps, kinds,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder inner(loc, builder);
        SmallVector<Value> indices(op.getNumLoops());
        for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
          if (loop != place)
            indices[loop] =
                linalg::IndexOp::create(inner, loop - (loop > place));
        IRMapping mapping;
        for (auto [operand, argument] : llvm::zip_equal(operands, arguments))
          mapping.map(op.getMatchingBlockArgument(operand), argument);
        for (Operation &inside : *op.getBlock()) {
          if (!ops.contains(&inside))
            continue;
          if (auto index = dyn_cast<linalg::IndexOp>(inside))
            mapping.map(index.getResult(), indices[index.getDim()]);
          else
            inner.clone(inside, mapping);
        }
        indices[place] = mapping.lookupOrDefault(key.value);
        SmallVector<Value> at;
        Value extent;
        for (auto [number, expr] :
             llvm::enumerate(op.getMatchingIndexingMap(output).getResults())) {
          unsigned loop = cast<AffineDimExpr>(expr).getPosition();
          at.push_back(indices[loop]);
          if (loop == place)
            extent = createExtent(inner, output->get(), number);
        }
        // Taken as unsigned, a negative key is beyond the end.
        Value isPlace = arith::CmpIOp::create(inner, arith::CmpIPredicate::ult,
                                              indices[place], extent);
        auto branch = scf::IfOp::create(inner, isPlace);
        ImplicitLocOpBuilder then(
            loc, branch.getThenBodyBuilder(inner.getListener()));
        memref::StoreOp::create(then, mapping.lookupOrDefault(element.value),
                                output->get(), at);
        linalg::YieldOp::create(inner, ValueRange());
      });
}

void KeyedWrites::expand() {
  if (canWriteAtOnce()) {
    b.setInsertionPoint(op);
    createWrites();
    return rewriter.eraseOp(op);
  }
  Operation *fill = findFoldableFills(op).front().op;
  b.setInsertionPoint(op);
  Value marks = createMarks();
  // What the output starts from stays right in front of what overwrites it.
  if (fill)
    rewriter.moveOpBefore(fill, op);
  b.setInsertionPoint(op);
  createGather(marks);
  rewriter.eraseOp(op);
}

bool mlir::scan::expandKeyedWrites(RewriterBase &rewriter,
                                   linalg::LinalgOp op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic)
    return false;
  KeyedWrites writes(rewriter, generic);
  if (!writes.match())
    return false;
  writes.expand();
  return true;
}
