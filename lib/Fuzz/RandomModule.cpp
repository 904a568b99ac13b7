//===- RandomModule.cpp - Operations put together at random ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parser of an operation refuses much that its verifier would have to; what
// other passes build, or bytecode holds, never sees the parser.
//
//===----------------------------------------------------------------------===//

#include "Mutate.h"
#include "Scan/IR/ScanDialect.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

namespace {
class RandomModuleBuilder {
public:
  RandomModuleBuilder(MLIRContext &context, fuzz::Random &random)
      : builder(&context), random(random), loc(builder.getUnknownLoc()) {}

  OwningOpRef<ModuleOp> build();

private:
  Type pickType();
  Attribute pickAttribute();
  SmallVector<Type> pickTypes(unsigned most);
  SmallVector<Value> pickValues(ArrayRef<Value> values, unsigned most);
  void addAttributes(OperationState &state);
  void addPlausible(OperationState &state, ArrayRef<Value> values);
  void fillRegion(Region &region, ArrayRef<Value> outside, TypeRange likely);

  OpBuilder builder;
  fuzz::Random &random;
  Location loc;
};
} // namespace

Type RandomModuleBuilder::pickType() {
  static const StringRef types[] = {"f32",
                                    "i32",
                                    "i1",
                                    "bf16",
                                    "complex<f32>",
                                    "index",
                                    "none",
                                    "i7",
                                    "tensor<?xf32>",
                                    "tensor<?xf32>",
                                    "tensor<4xf32>",
                                    "tensor<?x?xf32>",
                                    "tensor<4x?xi32>",
                                    "tensor<?x2x2xf32>",
                                    "tensor<2x2xf32>",
                                    "tensor<f32>",
                                    "tensor<*xf32>",
                                    "tensor<0xf32>",
                                    "tensor<?xbf16>",
                                    "memref<?xf32>",
                                    "memref<?x?xf32>",
                                    "memref<4xf32>",
                                    "memref<*xf32>",
                                    "vector<4xf32>",
                                    "tensor<?xindex>",
                                    "tensor<1x?xf32>",
                                    "tensor<?xi1>"};
  return parseType(random.pick(types), builder.getContext());
}

Attribute RandomModuleBuilder::pickAttribute() {
  static const StringRef attributes[] = {
      "0 : i64",
      "1 : i64",
      "-1 : i64",
      "9223372036854775807 : i64",
      "0 : i32",
      "unit",
      "true",
      "\"text\"",
      "1.0 : f32",
      "[]",
      "[f32]",
      "[f64, f64]",
      "[1 : i64]",
      "f32",
      "f64",
      "{a = 1 : i64}",
      "#scan.order<sequential>",
      "#scan.order<any>",
      "#scan.schedule<strategy = row>",
      "#scan.schedule<strategy = column, lanes = 8, vector = 2>",
      "#scan.schedule<strategy = sequential, threads = 32>",
      "affine_map<(d0) -> (d0)>",
      "[affine_map<(d0) -> (d0)>]",
      "[affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]",
      "[affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>]",
      "[affine_map<(d0) -> (d0, d0)>, affine_map<(d0) -> ()>]",
      "[affine_map<(d0, d1) -> (d0)>, affine_map<(d0) -> (d0)>]",
      "array<i32: 1, 0>",
      "array<i32: 1, 1>",
      "array<i32: 2, -1>",
      "array<i32: 1, 0, 1, 0>",
      "array<i32: 1, 1, 1, 1>",
      "array<i32>",
      "array<i32: 0, 0, 0, 0>",
      "array<i64: 1, 0>",
      "array<i64: 1, -1>",
      "array<i64: 0, -9223372036854775808>",
      "array<i64: -1>",
      "dense<1> : tensor<2xi32>"};
  return parseAttribute(random.pick(attributes), builder.getContext());
}

SmallVector<Type> RandomModuleBuilder::pickTypes(unsigned most) {
  SmallVector<Type> types;
  for (uint64_t i = random.below(most + 1); i > 0; --i)
    types.push_back(pickType());
  return types;
}

SmallVector<Value> RandomModuleBuilder::pickValues(ArrayRef<Value> values,
                                                   unsigned most) {
  SmallVector<Value> picked;
  for (uint64_t i = random.below(most + 1); i > 0 && !values.empty(); --i)
    picked.push_back(random.pick(values));
  return picked;
}

void RandomModuleBuilder::addAttributes(OperationState &state) {
  static const StringRef names[] = {"dim",
                                    "reverse",
                                    "exclusive",
                                    "final_states",
                                    "final_state",
                                    "order",
                                    "compensated",
                                    "accumulators",
                                    "accumulator",
                                    "schedule",
                                    "shared_yields",
                                    "indexing_maps",
                                    "shifts",
                                    "boundaries",
                                    "by",
                                    "operandSegmentSizes",
                                    "unknown"};
  for (uint64_t i = random.below(5); i > 0; --i) {
    StringRef name = random.pick(names);
    if (!state.attributes.get(name))
      state.addAttribute(name, pickAttribute());
  }
}

/// Some of what a valid operation has, so that checks behind the first are
/// reached.
void RandomModuleBuilder::addPlausible(OperationState &state,
                                       ArrayRef<Value> values) {
  auto number = [&](int64_t value) { return builder.getI64IntegerAttr(value); };
  StringRef name = state.name.getStringRef();
  if (random.chance(80))
    state.attributes.set("dim", number(random.between(0, 1)));
  if (name == "scan.shift" && random.chance(90))
    state.attributes.set("by", number(random.between(-2, 2)));
  if (name == "scan.associative" && random.chance(80))
    state.attributes.set(
        "operandSegmentSizes",
        builder.getDenseI32ArrayAttr(
            {static_cast<int32_t>(state.operands.size()), 0, 0}));
  if (name != "scan.kernel" || random.chance(20))
    return;
  auto count = static_cast<int32_t>(state.operands.size());
  int32_t outputs = count > 1 ? 1 : 0;
  state.attributes.set(
      "operandSegmentSizes",
      builder.getDenseI32ArrayAttr({count - outputs, 0, outputs, 0}));
  SmallVector<Attribute> maps;
  for (Value operand : state.operands) {
    auto type = dyn_cast<ShapedType>(operand.getType());
    unsigned rank = type && type.hasRank() ? type.getRank() : 0;
    maps.push_back(
        AffineMapAttr::get(builder.getMultiDimIdentityMap(std::max(1u, rank))));
  }
  state.attributes.set("indexing_maps", builder.getArrayAttr(maps));
}

void RandomModuleBuilder::fillRegion(Region &region, ArrayRef<Value> outside,
                                     TypeRange likely) {
  for (uint64_t blocks = random.pick({1, 1, 1, 1, 1, 1, 0, 2}); blocks > 0;
       --blocks) {
    Block &block = region.emplaceBlock();
    // Most often twice the element types of the operands, as a combine region
    // has them.
    if (random.chance(70))
      for (int side = 0; side < 2; ++side)
        for (Type type : likely)
          block.addArgument(getElementTypeOrSelf(type), loc);
    else
      for (Type type : pickTypes(4))
        block.addArgument(type, loc);
    builder.setInsertionPointToEnd(&block);
    SmallVector<Value> values(block.getArguments());
    if (random.chance(15))
      values.append(outside.begin(), outside.end());
    for (uint64_t i = random.below(4); i > 0; --i) {
      StringRef name =
          random.pick({"arith.addf", "arith.addi", "arith.mulf", "scan.clone",
                       "scan.yield", "math.exp", "memref.load",
                       "scan.associative", "scan.index", "scan.shift"});
      OperationState state(loc, name);
      if (name == "scan.index" && random.chance(90)) {
        state.addAttribute("dim",
                           builder.getI64IntegerAttr(random.between(-1, 2)));
        state.addTypes(builder.getIndexType());
        values.push_back(builder.create(state)->getResult(0));
        continue;
      }
      state.addOperands(pickValues(values, 2));
      if (name == "scan.yield" && random.chance(90))
        continue;
      if (!state.operands.empty())
        state.addTypes(random.chance(85) ? state.operands[0].getType()
                                         : pickType());
      if (name == "scan.associative" && random.chance(50))
        state.addRegion();
      values.push_back(builder.create(state)->getNumResults()
                           ? block.back().getResult(0)
                           : random.pick(std::vector<Value>{Value()}));
      if (!values.back())
        values.pop_back();
    }
    if (random.chance(5))
      continue;
    OperationState yield(loc, "scan.yield");
    SmallVector<Value> yielded;
    for (size_t i = 0; i < likely.size() && !values.empty(); ++i)
      yielded.push_back(values[values.size() - 1 - i % values.size()]);
    yield.addOperands(random.chance(80) ? yielded : pickValues(values, 3));
    builder.create(yield);
  }
}

OwningOpRef<ModuleOp> RandomModuleBuilder::build() {
  auto module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> inputs = pickTypes(5);
  // So that there is something to scan.
  inputs.push_back(pickType());
  auto function = func::FuncOp::create(builder, loc, "f",
                                       builder.getFunctionType(inputs, {}));
  Block *entry = function.addEntryBlock();
  SmallVector<Value> values(entry->getArguments());
  for (uint64_t i = 1 + random.below(2); i > 0; --i) {
    OperationState state(
        loc,
        random.pick({"scan.associative", "scan.associative",
                     "scan.linear_recurrence", "scan.kernel", "scan.kernel",
                     "scan.yield", "scan.clone", "scan.shift", "scan.index"}));
    SmallVector<Value> operands = pickValues(values, 3);
    state.addOperands(operands);
    for (Value operand : operands)
      if (random.chance(80))
        state.addTypes(operand.getType());
    if (random.chance(20))
      state.addTypes(pickTypes(2));
    addAttributes(state);
    addPlausible(state, values);
    StringRef name = state.name.getStringRef();
    unsigned regions = name == "scan.associative" ? 1
                       : name == "scan.kernel"    ? 5
                                                  : 0;
    if (random.chance(10))
      regions = random.below(7);
    for (unsigned k = 0; k < regions; ++k)
      fillRegion(*state.addRegion(), values, ValueRange(operands).getTypes());
    builder.setInsertionPointToEnd(entry);
    Operation *op = builder.create(state);
    values.append(op->result_begin(), op->result_end());
  }
  func::ReturnOp::create(builder, loc);
  return module;
}

OwningOpRef<ModuleOp> fuzz::makeRandomModule(MLIRContext &context,
                                             fuzz::Random &random) {
  context.loadDialect<ScanDialect, func::FuncDialect, arith::ArithDialect>();
  // The dialects of the operations in regions.
  for (StringRef name : {"math", "memref", "tensor", "linalg"})
    context.getOrLoadDialect(name);
  return RandomModuleBuilder(context, random).build();
}
