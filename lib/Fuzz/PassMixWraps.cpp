//===- PassMixWraps.cpp - Control flow and calls around parts -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassMix.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

namespace {
/// Neighbouring operations of a block, with what they read from above and what
/// others read of them.
struct Part {
  SmallVector<Operation *> operations;
  llvm::SetVector<Value> inputs;
  SmallVector<Value> outputs;

  bool contains(Operation *operation) const {
    for (Operation *member : operations)
      if (member->isAncestor(operation))
        return true;
    return false;
  }
};
} // namespace

/// Adds the block and those of branches and loops in it: blocks of statements,
/// not the bodies of structured operations.
static void findBlocks(Block &block, SmallVectorImpl<Block *> &blocks) {
  blocks.push_back(&block);
  for (Operation &operation : block)
    if (isa<scf::IfOp, scf::ForOp>(operation))
      for (Region &region : operation.getRegions())
        for (Block &nested : region)
          findBlocks(nested, blocks);
}

static std::optional<Part> drawPart(func::FuncOp function,
                                    fuzz::Random &random) {
  SmallVector<Block *> blocks;
  findBlocks(function.front(), blocks);
  Block *block = random.pick(blocks);
  size_t count = std::distance(block->begin(), block->end()) - 1;
  if (count == 0)
    return std::nullopt;
  Part part;
  size_t begin = random.below(count);
  size_t size = 1 + random.below(std::min<size_t>(count - begin, 9));
  for (Operation &operation :
       llvm::make_range(std::next(block->begin(), begin),
                        std::next(block->begin(), begin + size)))
    part.operations.push_back(&operation);
  for (Operation *operation : part.operations) {
    operation->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands()) {
        Operation *owner = operand.getDefiningOp();
        if (!owner)
          owner = operand.getParentBlock()->getParentOp();
        // The function itself, or what is above in the block or around it.
        if (!part.contains(owner))
          part.inputs.insert(operand);
      }
    });
    for (Value result : operation->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !part.contains(user); }))
        part.outputs.push_back(result);
  }
  // Of what nobody has written no copy is made.
  bool isWritten = llvm::none_of(part.outputs, [](Value output) {
    return output.getDefiningOp<tensor::EmptyOp>() != nullptr;
  });
  if (part.outputs.empty() || !isWritten)
    return std::nullopt;
  return part;
}

/// Clones the part, and returns what its outputs are there.
static SmallVector<Value> clonePart(const Part &part, OpBuilder &builder,
                                    IRMapping &mapping) {
  for (Operation *operation : part.operations)
    builder.clone(*operation, mapping);
  return llvm::map_to_vector(part.outputs, [&](Value output) {
    return mapping.lookupOrDefault(output);
  });
}

static void replacePart(const Part &part, ValueRange results) {
  for (auto pair : llvm::zip_equal(part.outputs, results)) {
    Value output = std::get<0>(pair), result = std::get<1>(pair);
    output.replaceUsesWithIf(
        result, [&](OpOperand &use) { return !part.contains(use.getOwner()); });
  }
  for (Operation *operation : llvm::reverse(part.operations))
    operation->erase();
}

static void wrapInCall(func::FuncOp function, const Part &part) {
  auto module = function->getParentOfType<ModuleOp>();
  OpBuilder builder(function);
  auto type = builder.getFunctionType(ValueRange(part.inputs.getArrayRef()),
                                      ValueRange(part.outputs));
  std::string name;
  for (unsigned i = 0; name.empty() || module.lookupSymbol(name); ++i)
    name = "g" + std::to_string(i);
  auto callee = func::FuncOp::create(builder, function.getLoc(), name, type);
  callee.setPrivate();
  Block *body = callee.addEntryBlock();
  IRMapping mapping;
  mapping.map(part.inputs.getArrayRef(), body->getArguments());
  builder.setInsertionPointToStart(body);
  SmallVector<Value> returned = clonePart(part, builder, mapping);
  func::ReturnOp::create(builder, function.getLoc(), returned);
  builder.setInsertionPoint(part.operations.front());
  auto call = func::CallOp::create(builder, function.getLoc(), callee,
                                   part.inputs.getArrayRef());
  replacePart(part, call.getResults());
}

/// A value of the type that is there before the part, or nothing.
static Value findOther(const Part &part, Type type, fuzz::Random &random) {
  SmallVector<Value> found;
  for (Value input : part.inputs)
    if (input.getType() == type && !input.getDefiningOp<tensor::EmptyOp>())
      found.push_back(input);
  return found.empty() ? Value() : random.pick(found);
}

static bool hasDynamicExtents(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return type && !type.hasStaticShape();
}

/// What stands for the outputs where they are not computed: any values of their
/// types, or a second computation, which alone has the same extents for sure.
static SmallVector<Value> makeOthers(const Part &part, OpBuilder &builder,
                                     fuzz::Random &random,
                                     bool keepsExtents = false) {
  SmallVector<Value> others;
  if (random.chance(50) &&
      !(keepsExtents && llvm::any_of(part.outputs, hasDynamicExtents)))
    for (Value output : part.outputs)
      if (Value other = findOther(part, output.getType(), random))
        others.push_back(other);
  if (others.size() == part.outputs.size())
    return others;
  IRMapping mapping;
  return clonePart(part, builder, mapping);
}

static void wrapInBranch(func::FuncOp function, const Part &part,
                         fuzz::Random &random) {
  bool isThen = random.chance(50);
  unsigned count = function.getNumArguments();
  // The last two arguments are true and false.
  Value condition = function.getArgument(isThen ? count - 2 : count - 1);
  OpBuilder builder(part.operations.front());
  Location loc = function.getLoc();
  auto branch =
      scf::IfOp::create(builder, loc, ValueRange(part.outputs).getTypes(),
                        condition, /*withElseRegion=*/true);
  for (bool side : {true, false}) {
    Block *block = side ? branch.thenBlock() : branch.elseBlock();
    builder.setInsertionPointToEnd(block);
    IRMapping mapping;
    SmallVector<Value> values = side == isThen
                                    ? clonePart(part, builder, mapping)
                                    : makeOthers(part, builder, random);
    scf::YieldOp::create(builder, loc, values);
  }
  replacePart(part, branch.getResults());
}

static void wrapInLoop(func::FuncOp function, const Part &part,
                       fuzz::Random &random) {
  OpBuilder builder(part.operations.front());
  Location loc = function.getLoc();
  // Upstream's canonicalization takes it that what a loop carries has the
  // extents of what it starts from.
  SmallVector<Value> starts =
      makeOthers(part, builder, random, /*keepsExtents=*/true);
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value lower = constant(0), upper = constant(random.between(1, 2));
  auto loop =
      scf::ForOp::create(builder, loc, lower, upper, constant(1), starts);
  Block *body = loop.getBody();
  // Made without a terminator where there are iteration arguments.
  builder.setInsertionPointToEnd(body);
  IRMapping mapping;
  SmallVector<Value> values = clonePart(part, builder, mapping);
  scf::YieldOp::create(builder, loc, values);
  replacePart(part, loop.getResults());
}

bool fuzz::needsConditions(ArrayRef<MixWrap> wraps) {
  return llvm::any_of(
      wraps, [](const MixWrap &wrap) { return wrap.kind == MixWrap::Branch; });
}

void fuzz::applyWraps(ModuleOp module, ArrayRef<MixWrap> wraps) {
  auto function = module.lookupSymbol<func::FuncOp>("f");
  module->getContext()->loadDialect<scf::SCFDialect, arith::ArithDialect>();
  if (needsConditions(wraps))
    for (unsigned i = 0; i < 2; ++i)
      (void)function.insertArgument(function.getNumArguments(),
                                    IntegerType::get(module->getContext(), 1),
                                    {}, function.getLoc());
  for (const MixWrap &wrap : wraps) {
    fuzz::Random random(wrap.seed);
    std::optional<Part> part;
    for (int i = 0; i < 8 && !part; ++i)
      part = drawPart(function, random);
    if (!part)
      continue;
    switch (wrap.kind) {
    case MixWrap::Call:
      wrapInCall(function, *part);
      break;
    case MixWrap::Branch:
      wrapInBranch(function, *part, random);
      break;
    case MixWrap::Loop:
      wrapInLoop(function, *part, random);
      break;
    }
  }
}
