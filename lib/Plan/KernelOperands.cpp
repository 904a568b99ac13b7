//===- KernelOperands.cpp - What a kernel reads, writes, carries ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelOperands.h"
#include "IR/KernelParts.h"
#include "IR/OperandMemory.h"
#include "IR/ScatteredOutputs.h"
#include "KernelPlan.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;

int64_t mlir::scan::getWords(Type type) {
  return llvm::divideCeil(getStorageBytes(type), 4);
}

static KernelOperands::Operand makeOperand(Value value, AffineMap map,
                                           unsigned dim, bool isInput) {
  Type type = getElementTypeOrSelf(value.getType());
  int64_t elements = KernelOp::getNumElements(value, map);
  return {value,
          map,
          elements * getStorageBytes(type),
          elements * getWords(type),
          isInput,
          map.isFunctionOfDim(dim),
          /*isOffsets=*/false,
          /*isGathered=*/false,
          /*isReduction=*/false};
}

namespace {
class OperandCollector {
public:
  explicit OperandCollector(KernelOp kernel)
      : kernel(kernel), inner(getInnerDim(kernel)) {}

  KernelOperands take();

private:
  void addInputs(ValueRange inputs, ArrayRef<AffineMap> maps, bool areInits);
  void addOutputs();

  KernelOp kernel;
  std::optional<unsigned> inner;
  KernelOperands result;
};
} // namespace

void OperandCollector::addInputs(ValueRange inputs, ArrayRef<AffineMap> maps,
                                 bool areInits) {
  size_t first = result.operands.size();
  for (auto [number, value, map] : llvm::enumerate(inputs, maps)) {
    auto operand = makeOperand(value, map, kernel.getDim(), /*isInput=*/true);
    if (!areInits &&
        (kernel.isSegmentOffsets(number) || kernel.isGathered(number))) {
      operand.isOffsets = kernel.isSegmentOffsets(number);
      operand.isGathered = kernel.isGathered(number);
      operand.isVarying = false;
      operand.words = 0;
    } else {
      if (!isa<ShapedType>(value.getType()))
        continue;
      auto *known = llvm::find_if(
          llvm::drop_begin(result.operands, first),
          [value = value, map = map](const KernelOperands::Operand &other) {
            return other.value == value && other.map == map &&
                   !other.isOffsets && !other.isGathered;
          });
      if (known != result.operands.end()) {
        ++known->reads;
        continue;
      }
    }
    result.operands.push_back(operand);
  }
}

/// Outputs are arrays of their own, also where tensors of the same contents
/// stand for what they overwrite.
void OperandCollector::addOutputs() {
  SmallVector<KernelOperands::Operand> stored;
  for (auto [number, value, map] :
       llvm::enumerate(kernel.getOutputs(), kernel.getOutputMaps())) {
    // A scattered one is written, step by step, as others are.
    auto operand = makeOperand(value, getWrittenMap(map, kernel.getDim()),
                               kernel.getDim(), /*isInput=*/false);
    if (!kernel.isReduction(number)) {
      stored.push_back(operand);
      continue;
    }
    result.reductions.push_back({operand.elementBytes,
                                 KernelOp::getNumElements(value, map),
                                 operand.words, operand.isVarying,
                                 !inner || !map.isFunctionOfDim(*inner)});
    operand.isReduction = true;
    operand.isVarying = false;
    result.operands.push_back(operand);
  }
  llvm::append_range(result.operands, stored);
}

KernelOperands OperandCollector::take() {
  addInputs(kernel.getInputs(), kernel.getInputMaps(), /*areInits=*/false);
  addInputs(kernel.getInits(), kernel.getInitMaps(), /*areInits=*/true);
  addOutputs();
  for (auto [value, map] :
       llvm::zip_equal(kernel.getFinals(), kernel.getFinalMaps()))
    result.operands.push_back(
        makeOperand(value, map, kernel.getDim(), /*isInput=*/false));
  llvm::DenseSet<Value> varying = getVaryingInLoad(kernel);
  for (auto [type, isCarried, loaded] : llvm::zip_equal(
           kernel.getLeafTypes(), kernel.getCarriedLeaves(),
           kernel.getLoad().front().getTerminator()->getOperands())) {
    result.stateWords += getWords(type);
    result.carriedWords += isCarried ? getWords(type) : 0;
    result.varyingStateWords += varying.contains(loaded) ? getWords(type) : 0;
  }
  return std::move(result);
}

llvm::DenseSet<Value> mlir::scan::getVaryingInLoad(KernelOp kernel) {
  SmallVector<Value> inputs(kernel.getInputs());
  SmallVector<AffineMap> maps = kernel.getInputMaps();
  Block &load = kernel.getLoad().front();
  llvm::DenseSet<Value> varying;
  for (auto [number, map] : llvm::enumerate(maps)) {
    if (!map.isFunctionOfDim(kernel.getDim()) &&
        !kernel.isSegmentOffsets(number) && !kernel.isGathered(number))
      continue;
    auto [first, count] = getElementRange(inputs, maps, number);
    auto elements = load.getArguments().slice(first, count);
    varying.insert(elements.begin(), elements.end());
  }
  for (Operation &op : load) {
    bool varies = op.walk([&](Operation *inner) {
                      auto index = dyn_cast<IndexOp>(inner);
                      bool isTime = index && index.getDim() == kernel.getDim();
                      bool reads =
                          llvm::any_of(inner->getOperands(), [&](Value v) {
                            return varying.contains(v);
                          });
                      return isTime || reads ? WalkResult::interrupt()
                                             : WalkResult::advance();
                    }).wasInterrupted();
    if (varies)
      varying.insert(op.result_begin(), op.result_end());
  }
  return varying;
}

KernelOperands KernelOperands::get(KernelOp kernel) {
  return OperandCollector(kernel).take();
}
