//===- PackedArithmetic.cpp - Two f32 operations at once ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector of two f32 is a pair of neighbouring registers. Those that compute
// its two numbers can be such neighbours at no cost, as long as neither is in
// another pair. So operations are paired block by block in their order, each
// with the next one that is alike, whose operands are there already or can be
// computed earlier, and whose operands do not have to move: they are the
// numbers of a pair, the same number, or in no pair so far.
//
// LLVM's own vectorizer of straight-line code (SLP) begins at stores and takes
// NVPTX's registers to have 32 bits; of what states are computed of it finds
// little.
//
//===----------------------------------------------------------------------===//

#include "PackedArithmetic.h"
#include "Chips.h"
#include "ContractProducts.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace {

/// How many later operations are looked at for one.
constexpr unsigned kWindow = 64;
/// How deep the operations are compared that operands come from, and how many
/// of them one operation may take along.
constexpr unsigned kCompared = 3, kMoved = 24;

bool isFusedMultiplyAdd(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == llvm::Intrinsic::fma;
}

/// Whether there is an instruction for two of these.
bool isCandidate(const llvm::Instruction &instruction) {
  if (!instruction.getType()->isFloatTy())
    return false;
  switch (instruction.getOpcode()) {
  case llvm::Instruction::FAdd:
  case llvm::Instruction::FSub:
  case llvm::Instruction::FMul:
    return true;
  default:
    return isFusedMultiplyAdd(instruction);
  }
}

unsigned countOperands(const llvm::Instruction &instruction) {
  return isFusedMultiplyAdd(instruction) ? 3 : 2;
}

/// Two instructions of a block, the earlier one first.
std::pair<llvm::Instruction *, llvm::Instruction *>
inPlaceOrder(llvm::Instruction &one, llvm::Instruction &other) {
  return one.comesBefore(&other) ? std::make_pair(&one, &other)
                                 : std::make_pair(&other, &one);
}

class BlockPacker {
public:
  explicit BlockPacker(llvm::BasicBlock &block) : block(block) {}
  void run();

private:
  /// The vector that has a number as one of its elements.
  struct Element {
    llvm::Value *vector = nullptr;
    unsigned lane = 0;
  };

  llvm::hash_code getShape(llvm::Value *value, unsigned depth);
  bool isThere(llvm::Value *value, llvm::Instruction *at) const;
  bool canMove(llvm::Value *value, llvm::Instruction *to,
               llvm::SmallVectorImpl<llvm::Instruction *> &,
               llvm::SmallPtrSetImpl<llvm::Instruction *> &seen) const;
  std::optional<Element> findElement(llvm::Value *value) const;
  std::optional<unsigned> rate(llvm::Value *first, llvm::Value *second) const;
  bool canPair(llvm::Instruction &first, llvm::Instruction &second,
               llvm::SmallVectorImpl<llvm::Instruction *> &moved) const;
  llvm::Value *createPair(llvm::Instruction *at, llvm::Value *first,
                          llvm::Value *second);
  void pack(llvm::Instruction &first, llvm::Instruction &second,
            llvm::ArrayRef<llvm::Instruction *> moved);

  llvm::BasicBlock &block;
  /// Of numbers in pairs that are no results of operations on vectors: the
  /// other one, and which of both it is.
  llvm::DenseMap<llvm::Value *, std::pair<llvm::Value *, unsigned>> partners;
  llvm::DenseMap<std::pair<llvm::Value *, llvm::Value *>, llvm::Instruction *>
      pairs;
  /// What nothing uses any more. The tables above still have some of it, so
  /// that it must not make room for others.
  llvm::SmallVector<llvm::Instruction *> replaced;
};

} // namespace

/// What two operations have in common that do the same with different numbers.
llvm::hash_code BlockPacker::getShape(llvm::Value *value, unsigned depth) {
  if (llvm::isa<llvm::Constant>(value))
    return llvm::hash_value(value);
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction)
    return llvm::hash_value(value->getType());
  llvm::hash_code shape =
      llvm::hash_combine(instruction->getOpcode(), instruction->getType());
  if (depth == 0 || llvm::isa<llvm::PHINode, llvm::LoadInst>(instruction))
    return shape;
  for (llvm::Value *operand : instruction->operands())
    // Elements of a vector differ in their numbers.
    if (!llvm::isa<llvm::ExtractElementInst>(instruction) ||
        !llvm::isa<llvm::Constant>(operand))
      shape = llvm::hash_combine(shape, getShape(operand, depth - 1));
  return shape;
}

/// Whether `value` is known before instruction `at`.
bool BlockPacker::isThere(llvm::Value *value, llvm::Instruction *at) const {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || instruction->getParent() != &block)
    return true;
  return instruction->comesBefore(at);
}

/// Whether `value` can be known before instruction `to`; appends what has to be
/// moved there for that, in its order.
bool BlockPacker::canMove(
    llvm::Value *value, llvm::Instruction *to,
    llvm::SmallVectorImpl<llvm::Instruction *> &moved,
    llvm::SmallPtrSetImpl<llvm::Instruction *> &seen) const {
  if (isThere(value, to))
    return true;
  auto *instruction = llvm::cast<llvm::Instruction>(value);
  if (instruction == to || llvm::isa<llvm::PHINode>(instruction) ||
      instruction->mayReadOrWriteMemory() || instruction->mayHaveSideEffects())
    return false;
  // Shuffles and votes.
  if (auto *call = llvm::dyn_cast<llvm::CallBase>(instruction);
      call && call->isConvergent())
    return false;
  if (!seen.insert(instruction).second)
    return true;
  if (seen.size() > kMoved)
    return false;
  for (llvm::Value *operand : instruction->operands())
    if (!canMove(operand, to, moved, seen))
      return false;
  moved.push_back(instruction);
  return true;
}

std::optional<BlockPacker::Element>
BlockPacker::findElement(llvm::Value *value) const {
  auto *extract = llvm::dyn_cast<llvm::ExtractElementInst>(value);
  if (!extract || !extract->getType()->isFloatTy())
    return std::nullopt;
  auto *index = llvm::dyn_cast<llvm::ConstantInt>(extract->getIndexOperand());
  if (!index)
    return std::nullopt;
  return Element{extract->getVectorOperand(), unsigned(index->getZExtValue())};
}

/// How many instructions it takes to have two operands in neighbouring
/// registers; nothing where they would have to be moved there.
std::optional<unsigned> BlockPacker::rate(llvm::Value *first,
                                          llvm::Value *second) const {
  if (first == second)
    return llvm::isa<llvm::Constant>(first) || pairs.contains({first, second})
               ? 0
               : 1;
  if (llvm::isa<llvm::Constant>(first) || llvm::isa<llvm::Constant>(second)) {
    if (llvm::isa<llvm::Constant>(first) && llvm::isa<llvm::Constant>(second))
      return 0;
    return std::nullopt;
  }
  std::optional<Element> one = findElement(first), other = findElement(second);
  if (one || other) {
    if (one && other && one->vector == other->vector && one->lane % 2 == 0 &&
        other->lane == one->lane + 1)
      return 0;
    return std::nullopt;
  }
  auto ofFirst = partners.find(first), ofSecond = partners.find(second);
  if (ofFirst == partners.end() && ofSecond == partners.end())
    return 0;
  if (ofFirst != partners.end() &&
      ofFirst->second == std::make_pair(second, 0u))
    return 0;
  return std::nullopt;
}

/// Whether one operation on vectors in the place of the earlier one can replace
/// both, with fewer instructions; appends what has to be moved there for that.
/// The earlier one need not be `first`: it may have been moved.
bool BlockPacker::canPair(
    llvm::Instruction &first, llvm::Instruction &second,
    llvm::SmallVectorImpl<llvm::Instruction *> &moved) const {
  unsigned moves = 0;
  bool hasPair = false;
  for (unsigned i = 0; i < countOperands(first); ++i) {
    std::optional<unsigned> own =
        rate(first.getOperand(i), second.getOperand(i));
    if (!own)
      return false;
    moves += *own;
    hasPair |= first.getOperand(i) != second.getOperand(i) &&
               !llvm::isa<llvm::Constant>(first.getOperand(i));
  }
  if (!hasPair || moves > 1)
    return false;
  auto [at, later] = inPlaceOrder(first, second);
  llvm::SmallPtrSet<llvm::Instruction *, 16> seen;
  for (unsigned i = 0; i < countOperands(*later); ++i)
    if (!canMove(later->getOperand(i), at, moved, seen))
      return false;
  return true;
}

/// The vector of two operands, before instruction `at`.
llvm::Value *BlockPacker::createPair(llvm::Instruction *at, llvm::Value *first,
                                     llvm::Value *second) {
  llvm::IRBuilder<> builder(at);
  if (std::optional<Element> element = findElement(first);
      element && first != second) {
    auto *type = llvm::cast<llvm::FixedVectorType>(element->vector->getType());
    if (type->getNumElements() == 2)
      return element->vector;
    int lane = element->lane;
    return builder.CreateShuffleVector(element->vector, {lane, lane + 1});
  }
  if (auto *one = llvm::dyn_cast<llvm::ConstantFP>(first))
    if (auto *other = llvm::dyn_cast<llvm::ConstantFP>(second))
      return llvm::ConstantVector::get({one, other});
  llvm::Instruction *&pair = pairs[{first, second}];
  if (!pair) {
    auto *type = llvm::FixedVectorType::get(builder.getFloatTy(), 2);
    llvm::Value *half = builder.CreateInsertElement(
        llvm::PoisonValue::get(type), first, uint64_t(0));
    pair = llvm::cast<llvm::Instruction>(
        builder.CreateInsertElement(half, second, uint64_t(1)));
    if (first != second) {
      partners[first] = {second, 0};
      partners[second] = {first, 1};
    }
  } else if (at->comesBefore(pair)) {
    // Its numbers are there already.
    llvm::cast<llvm::Instruction>(pair->getOperand(0))
        ->moveBefore(at->getIterator());
    pair->moveBefore(at->getIterator());
  }
  return pair;
}

void BlockPacker::pack(llvm::Instruction &first, llvm::Instruction &second,
                       llvm::ArrayRef<llvm::Instruction *> moved) {
  llvm::Instruction *at = inPlaceOrder(first, second).first;
  for (llvm::Instruction *instruction : moved)
    instruction->moveBefore(at->getIterator());
  llvm::SmallVector<llvm::Value *, 3> operands;
  for (unsigned i = 0; i < countOperands(first); ++i)
    operands.push_back(
        createPair(at, first.getOperand(i), second.getOperand(i)));
  llvm::IRBuilder<> builder(at);
  builder.setFastMathFlags(first.getFastMathFlags() &
                           second.getFastMathFlags());
  llvm::Value *result =
      isFusedMultiplyAdd(first)
          ? builder.CreateIntrinsic(llvm::Intrinsic::fma,
                                    {operands[0]->getType()}, operands)
          : builder.CreateBinOp(
                static_cast<llvm::Instruction::BinaryOps>(first.getOpcode()),
                operands[0], operands[1]);
  for (auto [lane, scalar] : llvm::enumerate(std::array{&first, &second})) {
    scalar->replaceAllUsesWith(
        builder.CreateExtractElement(result, uint64_t(lane)));
    replaced.push_back(scalar);
  }
}

void BlockPacker::run() {
  llvm::SmallVector<llvm::Instruction *> candidates;
  for (llvm::Instruction &instruction : block)
    if (isCandidate(instruction))
      candidates.push_back(&instruction);
  for (size_t i = 0; i < candidates.size(); ++i) {
    llvm::Instruction *first = candidates[i];
    if (!first)
      continue;
    llvm::hash_code shape = getShape(first, kCompared);
    size_t end = std::min(candidates.size(), i + 1 + kWindow);
    for (size_t j = i + 1; j < end; ++j) {
      llvm::Instruction *second = candidates[j];
      llvm::SmallVector<llvm::Instruction *> moved;
      if (!second || second->getOpcode() != first->getOpcode() ||
          getShape(second, kCompared) != shape ||
          !canPair(*first, *second, moved))
        continue;
      pack(*first, *second, moved);
      candidates[i] = candidates[j] = nullptr;
      break;
    }
  }
  for (llvm::Instruction *instruction : replaced)
    instruction->eraseFromParent();
}

void mlir::scan::packArithmetic(llvm::Module &module, const Chip &chip,
                                const llvm::StringSet<> &scarce) {
  // For sm_120 ptxas makes two instructions of each.
  if (chip.computeCapability < 100 || chip.computeCapability >= 120)
    return;
  // The backend would not see a product and a sum any more of which one is in a
  // vector.
  contractProducts(module);
  for (llvm::Function &function : module)
    if (!scarce.contains(function.getName()))
      for (llvm::BasicBlock &block : function)
        BlockPacker(block).run();
}
