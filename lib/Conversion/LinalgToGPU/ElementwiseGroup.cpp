//===- ElementwiseGroup.cpp - Several elements for a thread ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   the group of this thread, `width` neighbours along the last loop:
//     if all of them exist:
//       load what they read, by vectors if all operands are aligned to them
//       compute the elements
//       store them, by vectors likewise
//     else:
//       one element after the other
//
// All loads of a group are on their way before one of them is waited for, and
// what its elements have in common is computed once: their coordinates, what
// they read of an operand that the loop does not change, and what depends on
// that alone.
//
//===----------------------------------------------------------------------===//

#include "../GPUCommon/Emit.h"
#include "../GPUCommon/GlobalAccess.h"
#include "ElementwisePart.h"

using namespace mlir;
using namespace mlir::scan;

/// What a thread loads and stores of an operand at a time.
static constexpr int64_t kVectorBytes = 16;
/// Fewer groups than these are not enough to keep a GPU busy.
static constexpr int64_t kFewestGroups = 128 * kElementwiseThreads;
/// The body is emitted once for each element of a group, and so many operations
/// at most.
static constexpr int64_t kMostOperations = 256;

static bool isOfNumbers(Type type) {
  return isa<IntegerType, FloatType, ComplexType>(type);
}

/// Whether the elements of a group are neighbours in the memory of `operand`.
bool ElementwisePart::isVector(OpOperand &operand) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type || type.getRank() == 0 || !isOfNumbers(type.getElementType()) ||
      getOperandStrides(type).back() != 1)
    return false;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  AffineExpr last = b.getAffineDimExpr(shared.back());
  return map.getResults().back() == last &&
         llvm::none_of(map.getResults().drop_back(), [&](AffineExpr expr) {
           return expr.isFunctionOfDim(shared.back());
         });
}

/// The operands whose elements the body needs at each point.
SmallVector<OpOperand *> ElementwisePart::getRead() {
  SmallVector<OpOperand *> read;
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.payloadUsesValueFromOperand(input))
      read.push_back(input);
  for (auto [output, initial] :
       llvm::zip_equal(op.getDpsInitsMutable(), initialValues))
    if (isCarried(output) && !initial)
      read.push_back(&getStart(output));
  return read;
}

/// The most elements of a group, 1 where there is no use for groups.
int64_t ElementwisePart::chooseWidth() {
  if (!walked.empty() || shared.empty() || hasAhead())
    return 1;
  int64_t bytes = 0;
  for (OpOperand &operand : op->getOpOperands())
    if (isVector(operand))
      bytes = std::max(bytes, getStorageBytes(getElementTypeOrSelf(
                                  operand.get().getType())));
  int64_t operations = 0;
  WalkResult isPlain = op.getBlock()->walk([&](Operation *inside) {
    ++operations;
    return isa<memref::StoreOp>(inside) ? WalkResult::interrupt()
                                        : WalkResult::advance();
  });
  if (bytes == 0 || isPlain.wasInterrupted())
    return 1;
  bool isKnown = true;
  uint64_t elements = 1;
  for (unsigned loop : shared) {
    if (ShapedType::isDynamic(domain[loop]))
      isKnown = false;
    else
      elements = llvm::SaturatingMultiply<uint64_t>(elements, domain[loop]);
  }
  int64_t last = domain[shared.back()];
  auto isUseful = [&](int64_t width) {
    return width * bytes <= kVectorBytes &&
           width * operations <= kMostOperations &&
           (ShapedType::isDynamic(last) || last % width == 0) &&
           (!isKnown || elements / width >= kFewestGroups);
  };
  int64_t most = 1;
  while (isUseful(2 * most))
    most *= 2;
  return most;
}

void ElementwisePart::Group::moveTo(ImplicitLocOpBuilder &inner,
                                    int64_t element) const {
  coordinate = addConstant(inner, first, element);
}

/// The address of the group in the memory of each operand of vectors, and
/// whether all of these are aligned.
void ElementwisePart::findVectors(ImplicitLocOpBuilder &inner, Group &group,
                                  ArrayRef<OpOperand *> operands) {
  for (OpOperand *operand : operands) {
    if (!isVector(*operand) ||
        group.addresses.contains(operand->getOperandNumber()))
      continue;
    auto global = GlobalPointer::get(inner, getValue(operand->get()));
    Value offset = global.createOffset(
        inner, getIndices(inner, op.getMatchingIndexingMap(operand)));
    group.isAligned =
        createAnd(inner, group.isAligned,
                  global.createIsAligned(inner, offset, {}, width));
    group.addresses[operand->getOperandNumber()] =
        global.createAddress(inner, offset);
  }
}

/// Loads what the elements of the group read of `operands`.
void ElementwisePart::loadGroup(ImplicitLocOpBuilder &inner, Group &group,
                                ArrayRef<OpOperand *> operands) {
  SmallVector<OpOperand *> vectors;
  for (OpOperand *operand : operands)
    if (group.addresses.contains(operand->getOperandNumber()))
      vectors.push_back(operand);
  auto loadEach = [&](ImplicitLocOpBuilder &at, OpOperand *operand) {
    SmallVector<Value> elements;
    AffineMap map = op.getMatchingIndexingMap(operand);
    for (int64_t element = 0; element < width; ++element) {
      group.moveTo(at, element);
      bool isSame = element > 0 && !map.isFunctionOfDim(shared.back());
      elements.push_back(isSame ? elements.front() : load(at, *operand));
    }
    return elements;
  };
  SmallVector<Value> loaded = createIfElse(
      inner, group.isAligned,
      [&](ImplicitLocOpBuilder &at) {
        SmallVector<Value> elements;
        for (OpOperand *operand : vectors) {
          Type type = getElementTypeOrSelf(operand->get().getType());
          Value parts = loadParts(
              at, type, group.addresses[operand->getOperandNumber()], width);
          llvm::append_range(elements, unpackElements(at, parts, type));
        }
        return elements;
      },
      [&](ImplicitLocOpBuilder &at) {
        SmallVector<Value> elements;
        for (OpOperand *operand : vectors)
          llvm::append_range(elements, loadEach(at, operand));
        return elements;
      });
  ArrayRef<Value> rest(loaded);
  for (OpOperand *operand : operands) {
    SmallVector<Value> &own = group.elements[operand->getOperandNumber()];
    if (!llvm::is_contained(vectors, operand)) {
      own = loadEach(inner, operand);
      continue;
    }
    own = llvm::to_vector(rest.take_front(width));
    rest = rest.drop_front(width);
  }
}

/// What the body yields for the element `element` of the group.
SmallVector<Value> ElementwisePart::computeElement(ImplicitLocOpBuilder &inner,
                                                   Group &group,
                                                   int64_t element) {
  group.moveTo(inner, element);
  auto get = [&](OpOperand &operand) {
    return group.elements[operand.getOperandNumber()][element];
  };
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.payloadUsesValueFromOperand(input))
      preloaded[input->getOperandNumber()] = get(*input);
  SmallVector<Value> carried;
  for (auto [output, initial] :
       llvm::zip_equal(op.getDpsInitsMutable(), initialValues))
    if (isCarried(output))
      carried.push_back(initial ? getValue(initial) : get(getStart(output)));
  return computeBody(inner, carried);
}

void ElementwisePart::storeGroup(ImplicitLocOpBuilder &inner, Group &group,
                                 OpOperand &output, ArrayRef<Value> values) {
  auto storeEach = [&](ImplicitLocOpBuilder &at) {
    for (int64_t element = 0; element < width; ++element) {
      group.moveTo(at, element);
      store(at, values[element], output);
    }
  };
  Value address = group.addresses.lookup(output.getOperandNumber());
  if (!address)
    return storeEach(inner);
  auto storeVector = [&](ImplicitLocOpBuilder &at) {
    storeParts(at, packElements(at, values), values.front().getType(), address,
               width);
  };
  createIf(inner, group.isAligned, storeVector, storeEach);
}

void ElementwisePart::emitFullGroup(ImplicitLocOpBuilder &inner, Value first) {
  Group group(first, point[shared.back()]);
  SmallVector<OpOperand *> read = getRead(), accessed = read;
  for (OpOperand &output : op.getDpsInitsMutable())
    accessed.push_back(&output);
  findVectors(inner, group, accessed);
  loadGroup(inner, group, read);
  SmallVector<SmallVector<Value>> results(op.getNumDpsInits());
  for (int64_t element = 0; element < width; ++element)
    for (auto [values, value] :
         llvm::zip_equal(results, computeElement(inner, group, element)))
      values.push_back(value);
  preloaded.clear();
  for (auto [output, values] :
       llvm::zip_equal(op.getDpsInitsMutable(), results))
    storeGroup(inner, group, output, values);
}

void ElementwisePart::emitGroup(ImplicitLocOpBuilder &inner) {
  unsigned loop = shared.back();
  Value first = mulConstant(inner, point[loop], width);
  point[loop] = first;
  // A static extent is a multiple.
  Value isFull;
  if (ShapedType::isDynamic(domain[loop]))
    isFull = compare(inner, arith::CmpIPredicate::ule,
                     addConstant(inner, first, width), sizes[loop]);
  auto emitEach = [&](ImplicitLocOpBuilder &some) {
    createFor(some, first, sizes[loop], indexConstant(some, 1), {},
              [&](ImplicitLocOpBuilder &one, Value index, ValueRange) {
                point[loop] = index;
                emitElement(one);
                return SmallVector<Value>();
              });
  };
  createIf(
      inner, isFull,
      [&](ImplicitLocOpBuilder &full) { emitFullGroup(full, first); },
      emitEach);
}
