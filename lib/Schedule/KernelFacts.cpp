//===- KernelFacts.cpp - What the speed of a scan depends on --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Schedule/KernelFacts.h"
#include "Scan/Conversion/ScanToGPU/Resources.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan;

/// Assumed where an extent is dynamic.
static constexpr int64_t kAssumedExtent = 2048;
static constexpr int64_t kAssumedPoints = 4096;

/// From here on more points make no difference to a decision; and nothing
/// overflows.
static constexpr int64_t kManyPoints = int64_t(1) << 30;

/// A function of the math library, and a division, in instructions.
static constexpr int64_t kFunctionInstructions = 20;
static constexpr int64_t kDivisionInstructions = 10;

static int64_t getWords(Type type) {
  return llvm::divideCeil(getStorageBytes(type), 4);
}

static int64_t countInstructions(KernelOp kernel) {
  int64_t count = 0;
  kernel->walk([&](Operation *op) {
    if (op == kernel.getOperation() || op->hasTrait<OpTrait::IsTerminator>() ||
        op->hasTrait<OpTrait::ConstantLike>())
      return;
    if (isa_and_present<math::MathDialect>(op->getDialect()))
      count += kFunctionInstructions;
    else if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemFOp,
                 arith::RemSIOp, arith::RemUIOp>(op))
      count += kDivisionInstructions;
    else
      ++count;
  });
  return count;
}

namespace {
/// Collects the operands of one kernel.
class FactsCollector {
public:
  FactsCollector(KernelOp kernel, KernelFacts::Question question,
                 KernelFacts &facts)
      : kernel(kernel), question(question), facts(facts),
        shape(kernel.getStaticDomainShape()) {}

  void collect();

private:
  void collectExtents();
  void addOperands(ValueRange operands, ArrayRef<AffineMap> maps, bool isInput,
                   std::optional<ArrayRef<bool>> starts = std::nullopt);
  void addStarts(ShapedType type);
  void addOutputs();
  double countElements(AffineMap map) const;

  KernelOp kernel;
  KernelFacts::Question question;
  KernelFacts &facts;
  SmallVector<int64_t> shape;
  /// Of the whole domain, numbers in place of what is dynamic.
  SmallVector<double> extents;
};
} // namespace

void FactsCollector::collectExtents() {
  unsigned scanDim = kernel.getDim();
  facts.points = 1;
  facts.isExtentStatic = facts.arePointsStatic = true;
  unsigned numDynamic = 0;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    bool isDynamic = ShapedType::isDynamic(extent);
    if (dim == scanDim) {
      facts.isExtentStatic = !isDynamic;
      facts.isExtentAssumed = isDynamic && !question.extent;
      facts.extent =
          isDynamic ? question.extent.value_or(kAssumedExtent) : extent;
    } else if (isDynamic) {
      facts.arePointsStatic = false;
      ++numDynamic;
    } else {
      facts.points = std::min<int64_t>(
          kManyPoints, facts.points * std::min<int64_t>(extent, kManyPoints));
    }
  }
  facts.staticPoints = facts.points;
  facts.arePointsAssumed = !facts.arePointsStatic && !question.points;
  // What the static extents leave of the points is shared out.
  double each = 1;
  if (!facts.arePointsStatic && facts.points > 0) {
    facts.points =
        std::max(facts.points, question.points.value_or(kAssumedPoints));
    each =
        std::pow(double(facts.points) / facts.staticPoints, 1.0 / numDynamic);
  }
  for (auto [dim, extent] : llvm::enumerate(shape))
    extents.push_back(dim == scanDim                  ? double(facts.extent)
                      : ShapedType::isDynamic(extent) ? each
                                                      : double(extent));
}

double FactsCollector::countElements(AffineMap map) const {
  double count = 1;
  for (AffineExpr result : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(result))
      count *= extents[dim.getPosition()];
  return count;
}

void FactsCollector::addOperands(ValueRange operands, ArrayRef<AffineMap> maps,
                                 bool isInput,
                                 std::optional<ArrayRef<bool>> starts) {
  for (auto [number, value, map] : llvm::enumerate(operands, maps)) {
    int64_t elements = KernelOp::getNumElements(value, map);
    Type type = getElementTypeOrSelf(value.getType());
    if (starts && (*starts)[number]) {
      addStarts(cast<ShapedType>(value.getType()));
      continue;
    }
    KernelFacts::Operand operand;
    operand.isInput = isInput;
    operand.isVarying = map.isFunctionOfDim(kernel.getDim());
    operand.words = elements * getWords(type);
    bool isKnown = false;
    for (unsigned i = 0; i < number; ++i)
      isKnown |= operands[i] == value && maps[i] == map;
    if (isKnown || !isa<ShapedType>(value.getType()))
      continue;
    operand.elementBytes = elements * getStorageBytes(type);
    operand.bytes = countElements(map) * operand.elementBytes;
    operand.isContiguousInScan = isContiguousAlong(value, map, kernel.getDim());
    operand.isContiguousAcross = false;
    for (unsigned dim = 0; dim < kernel.getDomainRank(); ++dim)
      operand.isContiguousAcross |=
          dim != kernel.getDim() && isContiguousAlong(value, map, dim);
    facts.operands.push_back(operand);
  }
}

/// Of offsets of a number that is not known, it is not known what they take.
void FactsCollector::addStarts(ShapedType type) {
  KernelFacts::Operand operand = {};
  operand.isInput = true;
  operand.elementBytes = getStorageBytes(type.getElementType());
  if (type.hasStaticShape())
    operand.bytes = double(type.getNumElements()) * operand.elementBytes;
  facts.operands.push_back(operand);
}

void FactsCollector::addOutputs() {
  std::optional<unsigned> inner = getInnerDim(kernel);
  SmallVector<Value> stored;
  SmallVector<AffineMap> maps;
  for (auto [number, value, map] :
       llvm::enumerate(kernel.getOutputs(), kernel.getOutputMaps())) {
    if (!kernel.isSum(number)) {
      stored.push_back(value);
      maps.push_back(map);
      continue;
    }
    Type type = getElementTypeOrSelf(value.getType());
    int64_t elements = KernelOp::getNumElements(value, map);
    KernelFacts::Sum sum = {elements * getStorageBytes(type), elements,
                            elements * getWords(type),
                            map.isFunctionOfDim(kernel.getDim()),
                            !inner || !map.isFunctionOfDim(*inner)};
    facts.sums.push_back(sum);
    KernelFacts::Operand operand = {};
    operand.bytes = 2 * countElements(map) * sum.elementBytes;
    operand.elementBytes = sum.elementBytes;
    operand.words = sum.words;
    facts.operands.push_back(operand);
  }
  addOperands(stored, maps, /*isInput=*/false);
}

void FactsCollector::collect() {
  collectExtents();
  addOperands(kernel.getInputs(), kernel.getInputMaps(), /*isInput=*/true,
              kernel.getStarts());
  addOperands(kernel.getInits(), kernel.getInitMaps(), /*isInput=*/true);
  addOutputs();
  addOperands(kernel.getFinals(), kernel.getFinalMaps(), /*isInput=*/false);
  for (auto [type, isCarried] :
       llvm::zip_equal(kernel.getLeafTypes(), kernel.getCarriedLeaves())) {
    facts.stateWords += getWords(type);
    facts.carriedWords += isCarried ? getWords(type) : 0;
  }
  facts.instructions = countInstructions(kernel);
}

KernelFacts KernelFacts::get(KernelOp kernel, Question question) {
  KernelFacts facts = {};
  FactsCollector(kernel, question, facts).collect();
  return facts;
}

double KernelFacts::getFloor() const {
  double bytes = 0;
  for (const Operand &operand : operands)
    bytes += operand.bytes;
  return bytes;
}

int64_t KernelFacts::getInputBytes() const {
  int64_t bytes = 0;
  for (const Operand &operand : operands)
    if (operand.isInput && operand.isVarying)
      bytes += operand.elementBytes;
  return bytes;
}
