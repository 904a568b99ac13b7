//===- Compiler.cpp - Regions as slot-indexed instructions ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace mlir::scan::reference;

//===----------------------------------------------------------------------===//
// Frames and programs
//===----------------------------------------------------------------------===//

Datum Frame::read(Use use) {
  Datum datum;
  datum.isTensor = use.slot.isTensor;
  if (datum.isTensor)
    datum.tensor = take(use);
  else
    datum.scalar = scalars[use.slot.index];
  return datum;
}

void Frame::write(Slot slot, Datum datum) {
  if (slot.isTensor)
    tensors[slot.index] = std::move(datum.tensor);
  else
    scalars[slot.index] = datum.scalar;
}

SmallVector<Datum> Program::readYields(Frame &frame) const {
  SmallVector<Datum> values;
  values.reserve(yields.size());
  for (Use use : yields)
    values.push_back(frame.read(use));
  return values;
}

void Program::writeArguments(Frame &frame,
                             MutableArrayRef<Datum> values) const {
  for (auto [slot, value] : llvm::zip_equal(arguments, values))
    frame.write(slot, std::move(value));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

FailureOr<Format> Compiler::getFormatOf(Type type, Location loc) {
  auto it = accumulators.find(type);
  if (it != accumulators.end())
    return it->second;
  if (std::optional<Format> format = getFormat(type))
    return *format;
  return emitError(loc) << "type " << type
                        << " is not supported by the reference interpreter";
}

FailureOr<Slot> Compiler::define(Value value) {
  Type type = value.getType();
  Slot slot;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    slot.isTensor = true;
    type = tensor.getElementType();
  }
  FailureOr<Format> format = getFormatOf(type, value.getLoc());
  if (failed(format))
    return failure();
  slot.format = *format;
  slot.index = slot.isTensor ? function.numTensors++ : function.numScalars++;
  slots[value] = slot;
  return slot;
}

Slot Compiler::defineScratch(Format format) {
  Slot slot;
  slot.format = format;
  slot.index = function.numScalars++;
  return slot;
}

Use Compiler::use(OpOperand &operand) const {
  Value value = operand.get();
  // A value from a block further out is read again when the block around the
  // operation runs again.
  // So is what the iterations of scf.forall share.
  auto argument = dyn_cast<BlockArgument>(value);
  bool isShared =
      argument && isa<scf::ForallOp>(argument.getOwner()->getParentOp());
  bool isLastUse = value.hasOneUse() && !isShared &&
                   value.getParentBlock() == operand.getOwner()->getBlock();
  return {lookup(value), isLastUse};
}

SmallVector<Use> Compiler::useAll(MutableArrayRef<OpOperand> operands) const {
  return llvm::map_to_vector(operands,
                             [&](OpOperand &operand) { return use(operand); });
}

SmallVector<Slot> Compiler::lookupAll(ValueRange values) const {
  return llvm::map_to_vector(values, [&](Value v) { return lookup(v); });
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

FailureOr<ProgramPtr> Compiler::compileRegion(Region &region) {
  if (!region.hasOneBlock())
    return region.getParentOp()->emitOpError(
        "control flow between blocks is not supported by the reference "
        "interpreter; use scf.if, scf.for or scf.while");
  ++nesting;
  llvm::scope_exit leave([&] { --nesting; });
  function.nesting = std::max(function.nesting, nesting);
  auto program = std::make_shared<Program>();
  Block &block = region.front();
  for (BlockArgument argument : block.getArguments()) {
    FailureOr<Slot> slot = define(argument);
    if (failed(slot))
      return failure();
    program->arguments.push_back(*slot);
  }
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      program->yields = useAll(op.getOpOperands());
      break;
    }
    if (failed(compileOp(&op, *program)))
      return failure();
  }
  return program;
}

LogicalResult Compiler::compileOp(Operation *op, Program &program) {
  for (Value result : op->getResults())
    if (failed(define(result)))
      return failure();
  using Family = FailureOr<Step> (*)(Compiler &, Operation *);
  for (Family family :
       {compileConstant, compileElementwise, compileScanOp, compileControlFlow,
        compileTensorOp, compileTensorReshape, compileTensorSlice,
        compileLinalgOp}) {
    FailureOr<Step> step = family(*this, op);
    if (failed(step))
      return failure();
    if (*step) {
      program.steps.push_back(std::move(*step));
      return success();
    }
  }
  return emitError(op->getLoc())
         << "op '" << op->getName()
         << "' is not supported by the reference interpreter";
}

std::string mlir::scan::reference::describeShape(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "no dimensions";
  std::string text;
  for (auto [i, extent] : llvm::enumerate(shape)) {
    if (i)
      text += "x";
    text += ShapedType::isDynamic(extent) ? "?" : std::to_string(extent);
  }
  return text;
}

LogicalResult mlir::scan::reference::setResult(Frame &frame, Operation *op,
                                               unsigned result, Slot slot,
                                               Tensor tensor) {
  auto type = cast<RankedTensorType>(op->getResult(result).getType());
  if (failed(verifyCompatibleShape(type.getShape(), tensor.shape)))
    return op->emitOpError("result #")
           << result << " has extents that contradict its type: expected "
           << describeShape(type.getShape()) << ", found "
           << describeShape(tensor.shape);
  frame.tensor(slot) = std::move(tensor);
  return success();
}
