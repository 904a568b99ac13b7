//===- driver.cpp - A compiler that has the scan dialect in it ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers the dialect, makes a recurrence with the classes of the operations,
// runs a pass and a pipeline, and runs the program. Everything here crosses the
// border between this program and the shared library: types, attributes,
// interfaces, passes, options, resources of memory effects, compiled code.
//
//===----------------------------------------------------------------------===//

#include "Scan/Execution/CPU.h"
#include "Scan/IR/ScanDialect.h"
#include "Scan/InitAll/InitAll.h"
#include "Scan/Pipelines/ScanToCPU.h"
#include "Scan/Reference/Interpreter.h"
#include "Scan/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;

/// func.func @decay(%a, %b : tensor<?x?xf64>) -> tensor<?x?xf64>, the
/// recurrence h_t = a_t h_{t+1} + b_t along dimension 1, walked from its end.
static OwningOpRef<ModuleOp> build(MLIRContext &context) {
  context.loadDialect<func::FuncDialect, scan::ScanDialect>();
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  int64_t dynamic = ShapedType::kDynamic;
  Type type = RankedTensorType::get({dynamic, dynamic}, builder.getF64Type());
  auto function = func::FuncOp::create(
      builder, loc, "decay", builder.getFunctionType({type, type}, {type}));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  auto order = scan::OrderAttr::get(&context, scan::Order::Sequential);
  auto scan = scan::LinearRecurrenceOp::create(
      builder, loc, body->getArgument(0), body->getArgument(1),
      /*init=*/Value(), /*dim=*/1, /*reverse=*/true, /*exclusive=*/false,
      /*finalState=*/false);
  scan.setOrderAttr(order);
  func::ReturnOp::create(builder, loc, scan->getResults());
  return module;
}

template <typename OpT> static int64_t count(ModuleOp module) {
  int64_t n = 0;
  module.walk([&](OpT) { ++n; });
  return n;
}

/// The kernel on memrefs and memref.dealloc, an operation of libMLIR.so, have
/// to mean the same memory: analyses compare the addresses of the resources.
static bool sharesMemory(ModuleOp module) {
  DenseSet<SideEffects::Resource *> resources;
  int64_t kernels = 0;
  module.walk([&](MemoryEffectOpInterface op) {
    if (!isa<scan::KernelOp, memref::DeallocOp, memref::CopyOp>(op))
      return;
    kernels += isa<scan::KernelOp>(op);
    SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects)
      resources.insert(effect.getResource());
  });
  return kernels == 1 && resources.size() == 1 &&
         resources.contains(SideEffects::DefaultResource::get());
}

int main() {
  DialectRegistry registry;
  scan::registerAllDialects(registry);
  scan::registerAllPasses();
  MLIRContext context(registry);

  // An operation, by its class.
  OwningOpRef<ModuleOp> module = build(context);
  if (failed(verify(*module)))
    return 1;
  module->walk([](Operation *op) {
    if (auto scan = dyn_cast<scan::LinearRecurrenceOp>(op))
      llvm::outs() << scan->getName() << ": dim " << scan.getDim()
                   << ", reverse " << scan.getReverse() << ", order "
                   << scan::stringifyOrder(
                          scan.getOrder().value_or(scan::Order::Any))
                   << ", infers its types " << isa<InferTypeOpInterface>(op)
                   << "\n";
  });

  // One that its verifier refuses.
  OwningOpRef<ModuleOp> wrong(module->clone());
  wrong->walk([](scan::LinearRecurrenceOp scan) { scan.setDim(2); });
  if (succeeded(verify(*wrong)))
    return 2;

  // A pass.
  OwningOpRef<ModuleOp> kernels(module->clone());
  PassManager pass(&context);
  pass.addPass(scan::createScanNormalize());
  if (failed(pass.run(*kernels)))
    return 3;
  llvm::outs() << "scan-normalize: "
               << count<scan::LinearRecurrenceOp>(*kernels) << " recurrences, "
               << count<scan::KernelOp>(*kernels) << " kernel\n";

  // Passes of both libraries, by name.
  PassManager buffers(&context);
  if (failed(parsePassPipeline("scan-bufferize,func.func(buffer-hoisting),cse",
                               buffers)) ||
      failed(buffers.run(*kernels)))
    return 4;
  // What upstream's side of the border makes.
  kernels->walk([](func::ReturnOp op) {
    OpBuilder builder(op);
    memref::CopyOp::create(builder, op.getLoc(), op.getOperand(0),
                           op.getOperand(0));
  });
  llvm::outs() << "one memory: " << sharesMemory(*kernels) << "\n";

  // A pipeline, with its options.
  OwningOpRef<ModuleOp> lowered(module->clone());
  PassManager pipeline(&context);
  scan::ScanToCPUOptions options;
  options.vectorBits = 128;
  scan::buildScanToCPUPipeline(pipeline, options);
  if (failed(pipeline.run(*lowered)))
    return 5;
  llvm::outs() << "scan-to-cpu: " << count<scan::KernelOp>(*lowered)
               << " kernels, LLVM functions "
               << (count<LLVM::LLVMFuncOp>(*lowered) > 0) << "\n";

  // Numbers: compiled, against the interpreter and against this loop.
  constexpr int64_t rows = 3, length = 37;
  auto a = scan::HostArray::zeros(Float64Type::get(&context), {rows, length});
  auto b = scan::HostArray::zeros(Float64Type::get(&context), {rows, length});
  auto *as = reinterpret_cast<double *>(a.data.data());
  auto *bs = reinterpret_cast<double *>(b.data.data());
  for (int64_t i = 0; i < rows * length; ++i) {
    as[i] = 0.5 + 0.25 * (i % 5);
    bs[i] = 1.0 - 0.125 * (i % 7);
  }
  auto compiled = scan::CpuExecutable::compile(*module, "decay");
  SmallVector<scan::HostArray> results;
  if (failed(compiled) || failed((*compiled)->run({a, b}, results)))
    return 6;
  auto expected = scan::interpret(*module, "decay", {a, b});
  if (failed(expected))
    return 7;
  auto *found = reinterpret_cast<double *>(results[0].data.data());
  int64_t wrongNumbers = 0;
  for (int64_t row = 0; row < rows; ++row) {
    double state = 0;
    for (int64_t t = length - 1; t >= 0; --t) {
      int64_t i = row * length + t;
      state = as[i] * state + bs[i];
      wrongNumbers += !(std::abs(found[i] - state) <= 1e-12 * std::abs(state));
    }
  }
  llvm::outs() << "numbers: " << wrongNumbers << " wrong, same as interpreter "
               << (results[0].data == (*expected)[0].data) << "\n";
  return wrongNumbers != 0;
}
