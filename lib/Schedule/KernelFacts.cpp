//===- KernelFacts.cpp - What the speed of a scan depends on --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFacts.h"
#include "Plan/KernelPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
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

/// Instructions of a division, of a function of the math library that is not
/// listed below, and of a trigonometric one.
static constexpr int64_t kDivisionInstructions = 10;
static constexpr int64_t kFunctionInstructions = 20;
static constexpr int64_t kAngleInstructions = 30;

static int64_t getWords(Type type) {
  return llvm::divideCeil(getStorageBytes(type), 4);
}

/// What a GPU takes for a function of `math` in f32, without its rare paths: as
/// ptxas assembles a scan for sm_90 in whose load map the function is, per
/// element and less what it takes without; instructions of the special function
/// unit, which runs at a quarter of the rate, count twice.
static int64_t countMath(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
            math::FloorOp, math::FmaOp, math::IsFiniteOp, math::IsInfOp,
            math::IsNaNOp, math::TruncOp>([](auto) { return 1; })
      .Case<math::SqrtOp, math::RsqrtOp>([](auto) { return 6; })
      .Case<math::ExpOp, math::Exp2Op>([](auto) { return 9; })
      .Case<math::TanhOp>([](auto) { return 17; })
      .Case<math::ExpM1Op>([](auto) { return 22; })
      .Case<math::LogOp, math::Log2Op, math::Log10Op, math::Log1pOp>(
          [](auto) { return 26; })
      .Case<math::PowFOp>([](auto) { return 46; })
      .Case<math::SinOp, math::CosOp, math::TanOp>(
          [](auto) { return kAngleInstructions; })
      .Default([](auto) { return kFunctionInstructions; });
}

static int64_t countInstructions(KernelOp kernel) {
  int64_t count = 0;
  kernel->walk([&](Operation *op) {
    if (op == kernel.getOperation() || op->hasTrait<OpTrait::IsTerminator>() ||
        op->hasTrait<OpTrait::ConstantLike>())
      return;
    if (isa_and_present<math::MathDialect>(op->getDialect()))
      count += countMath(op);
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
    // Outputs are arrays of their own, also where tensors of the same contents
    // stand for what they overwrite.
    bool isKnown = false;
    for (unsigned i = 0; i < number && isInput; ++i)
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
    if (!kernel.isReduction(number)) {
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
  facts.hasSegmentOffsets = kernel.hasSegmentOffsets();
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
