//===- InitAndFinals.cpp - The first state of a scan, and the last --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InitAndFinals.h"
#include "../../GPUCommon/Emit.h"

using namespace mlir;
using namespace mlir::scan;

State mlir::scan::createInitialState(ImplicitLocOpBuilder &b,
                                     KernelFrame &frame,
                                     ArrayRef<Value> point) {
  KernelOp kernel = frame.getKernel();
  if (!kernel.hasInit())
    return zeroState(b, kernel);
  SmallVector<Value> elements;
  for (const OperandView &init : frame.getInits())
    llvm::append_range(elements, loadElements(b, init, point));
  return inlineRegion(b, kernel.getInitialize(), elements, point);
}

State mlir::scan::createStartState(ImplicitLocOpBuilder &b, KernelFrame &frame,
                                   ArrayRef<Value> point) {
  KernelOp kernel = frame.getKernel();
  if (kernel.hasInit() || !hasStartState(kernel))
    return createInitialState(b, frame, point);
  return createIdentity(b, kernel);
}

State mlir::scan::createFinalState(ImplicitLocOpBuilder &b, KernelFrame &frame,
                                   ValueRange state) {
  KernelOp kernel = frame.getKernel();
  int64_t known = frame.getStaticExtent();
  bool isNeverEmpty = !ShapedType::isDynamic(known) && known != 0;
  if (kernel.hasInit() || !hasStartState(kernel) || isNeverEmpty ||
      frame.getFinals().empty())
    return State(state);
  return selectState(b,
                     compare(b, arith::CmpIPredicate::ne, frame.getExtent(), 0),
                     state, zeroState(b, kernel));
}

/// Writes those final elements that are `wanted`, all of them if that is empty.
static void storeWanted(ImplicitLocOpBuilder &b, KernelFrame &frame,
                        ArrayRef<Value> point, ValueRange state,
                        ArrayRef<bool> wanted) {
  SmallVector<Value> elements =
      inlineRegion(b, frame.getKernel().getFinalize(), state, point);
  ValueRange rest(elements);
  for (auto [number, final] : llvm::enumerate(frame.getFinals())) {
    if (wanted.empty() || wanted[number])
      storeElements(b, final, point, rest.take_front(final.numElements));
    rest = rest.drop_front(final.numElements);
  }
}

void mlir::scan::storeFinals(ImplicitLocOpBuilder &b, KernelFrame &frame,
                             ArrayRef<Value> point, ValueRange state) {
  if (!frame.getFinals().empty())
    storeWanted(b, frame, point, state, /*wanted=*/{});
}

void mlir::scan::storeFinals(ImplicitLocOpBuilder &b, KernelFrame &frame,
                             ArrayRef<Value> point, ValueRange state,
                             KernelOp::Direction direction) {
  SmallVector<bool> wanted;
  for (KernelOp::Direction other : frame.getKernel().getFinalDirections())
    wanted.push_back(other == direction);
  if (llvm::is_contained(wanted, true))
    storeWanted(b, frame, point, state, wanted);
}
