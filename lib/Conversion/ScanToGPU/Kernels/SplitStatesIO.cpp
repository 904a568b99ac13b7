//===- SplitStatesIO.cpp - Operands of scans that lanes share -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitStatesIO.h"
#include "../../GPUCommon/Emit.h"
#include "IR/KernelParts.h"
#include "Plan/StateTiles.h"

using namespace mlir;
using namespace mlir::scan;

using Elements = SmallVector<Value>;

SplitStatesIO::SplitStatesIO(ImplicitLocOpBuilder &b, KernelFrame &frame,
                             const StateSplit &split, Value block)
    : frame(frame), split(split), steps(frame.getSchedule().getItems()),
      block(block) {
  ThreadIds ids = frame.createThreadIds(b);
  ScheduleAttr schedule = frame.getSchedule();
  int64_t side = schedule.getLanes();
  warp = ids.warp;
  warpLane = ids.lane;
  lanes = {arith::DivUIOp::create(b, ids.lane, indexConstant(b, side)),
           kWarpSize / side, side};
  scanLane = arith::RemUIOp::create(b, ids.lane, indexConstant(b, side));
  number = b.createOrFold<arith::AddIOp>(createFirstNumber(b), scanLane);
  Value count = frame.createScanCount(b);
  isValid = compare(b, arith::CmpIPredicate::ult, number, count);
  Value last = addConstant(b, count, -1);
  point = frame.createScanPoint(
      b, arith::SelectOp::create(b, isValid, number, last));
  for (auto [view, hasParts] :
       llvm::zip_equal(frame.getInputs(), split.hasInputParts))
    inputs.push_back(makeOperand(view, hasParts));
  for (auto [view, hasParts] :
       llvm::zip_equal(frame.getOutputs(), split.hasOutputParts))
    outputs.push_back(makeOperand(view, hasParts));
}

/// The number of the warp's first scan, which warps that share steps have
/// alike.
Value SplitStatesIO::createFirstNumber(ImplicitLocOpBuilder &b) const {
  ScheduleAttr schedule = frame.getSchedule();
  Value first = mulConstant(b, block, schedule.getScansPerBlock());
  return schedule.getWarps() == 1
             ? b.createOrFold<arith::AddIOp>(
                   first, mulConstant(b, warp, schedule.getLanes()))
             : first;
}

Elements SplitStatesIO::createFirstPoint(ImplicitLocOpBuilder &b) {
  int64_t side = lanes.stride;
  Value number = createFirstNumber(b);
  Value last = addConstant(b, frame.createScanCount(b), -side);
  return frame.createScanPoint(b, b.createOrFold<arith::MinUIOp>(number, last));
}

SplitStatesIO::Operand SplitStatesIO::makeOperand(const OperandView &view,
                                                  bool hasParts) const {
  bool isVarying = view.map.isFunctionOfDim(frame.getKernel().getDim());
  return {view, hasParts, isVarying, StepPointer(frame, view), {}};
}

void SplitStatesIO::startPointer(ImplicitLocOpBuilder &b, Operand &operand) {
  operand.steps = StepPointer(frame, operand.view);
  operand.steps.prepare(b);
  operand.steps.start(b, point);
}

void SplitStatesIO::start(ImplicitLocOpBuilder &b) {
  for (Operand &input : inputs) {
    if (input.isVarying) {
      startPointer(b, input);
      continue;
    }
    input.invariant.clear();
    for (int64_t i = 0; i < (input.hasParts ? getOwnParts() : 1); ++i)
      input.invariant.push_back(loadInvariant(b, input.view, i));
  }
  for (Operand &output : outputs)
    if (output.view.isStored())
      startPointer(b, output);
}

bool SplitStatesIO::isOfScan(const Operand &operand) const {
  return StateTiles::isOfScan(frame.getKernel(), operand.view.map);
}

int64_t SplitStatesIO::getWidth(const OperandView &view) const {
  return std::clamp<int64_t>(
      kMaxVectorBytes / getStorageBytes(view.elementType), 1, getOwnParts());
}

Value SplitStatesIO::createIsAligned(ImplicitLocOpBuilder &b) const {
  Value all;
  auto add = [&](const Operand &operand) {
    const GlobalPointer &global = operand.steps.getGlobal();
    all = createAnd(b, all,
                    global.createIsAligned(b, indexConstant(b, 0),
                                           ArrayRef(global.strides).drop_back(),
                                           getWidth(operand.view)));
  };
  for (const Operand &input : inputs)
    if (isParted(input, Parted::AlignedOfScan))
      add(input);
  for (const Operand &output : outputs)
    if (output.hasParts && output.view.isStored())
      add(output);
  return all;
}

Value SplitStatesIO::getLane(ImplicitLocOpBuilder &b, int64_t number) const {
  return addConstant(b, scanLane, number * lanes.stride);
}

Value SplitStatesIO::createOwnStep(ImplicitLocOpBuilder &b, Value group) const {
  return b.createOrFold<arith::AddIOp>(lanes.index,
                                       mulConstant(b, group, lanes.count));
}

Value SplitStatesIO::createPartNumber(ImplicitLocOpBuilder &b,
                                      int64_t part) const {
  return addConstant(b, mulConstant(b, lanes.index, getOwnParts()), part);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// The element of own part `part` of what does not vary, or the one there is.
Value SplitStatesIO::loadInvariant(ImplicitLocOpBuilder &b,
                                   const OperandView &view,
                                   int64_t part) const {
  if (view.numElements == 1)
    return loadElements(b, view, point).front();
  return memref::LoadOp::create(
      b, view.value,
      getElementIndices(b, view, point, createPartNumber(b, part)));
}

/// The address of the first own part's element at the step where `operand` is.
Value SplitStatesIO::createFirstOwnAddress(ImplicitLocOpBuilder &b,
                                           const Operand &operand) const {
  const GlobalPointer &global = operand.steps.getGlobal();
  return global.moveAddress(
      b, operand.steps.getAddress(b),
      b.createOrFold<arith::MulIOp>(mulConstant(b, lanes.index, getOwnParts()),
                                    global.strides.back()));
}

/// The elements of the own parts at the step where `input` is, `width` at a
/// time.
Elements SplitStatesIO::loadPartsOf(ImplicitLocOpBuilder &b,
                                    const Operand &input, int64_t width) const {
  const GlobalPointer &global = input.steps.getGlobal();
  Value first = createFirstOwnAddress(b, input);
  Type type = input.view.elementType;
  Elements elements;
  for (int64_t i = 0; i < getOwnParts(); i += width) {
    Value address =
        global.moveAddress(b, first, mulConstant(b, global.strides.back(), i));
    if (width == 1)
      elements.push_back(loadElement(b, type, address));
    else
      llvm::append_range(
          elements,
          unpackElements(b, mlir::scan::loadParts(b, type, address, width),
                         type));
  }
  return elements;
}

Elements SplitStatesIO::selectInBounds(ImplicitLocOpBuilder &b,
                                       const Operand &input,
                                       Elements elements) const {
  if (input.view.shift == 0)
    return elements;
  return input.steps.selectInBounds(b, elements,
                                    inputs[input.view.boundary].invariant);
}

Elements SplitStatesIO::loadOwned(ImplicitLocOpBuilder &b, Value t,
                                  Value rest) {
  Elements values;
  Value last = addConstant(b, frame.getExtent(), -1);
  for (Operand &input : inputs) {
    if (!input.isVarying || input.hasParts)
      continue;
    for (int64_t group = 0; group < getOwnSteps(); ++group) {
      Value position = b.createOrFold<arith::AddIOp>(
          t, createOwnStep(b, indexConstant(b, group)));
      if (rest)
        position = b.createOrFold<arith::MinUIOp>(position, last);
      input.steps.startAt(b, position);
      Elements own = input.steps.load(b, input.steps.getAddress(b));
      llvm::append_range(values, selectInBounds(b, input, own));
    }
  }
  return values;
}

size_t SplitStatesIO::getNumOwned() const {
  return getOwnSteps() * llvm::count_if(inputs, [](const Operand &input) {
           return input.isVarying && !input.hasParts;
         });
}

void SplitStatesIO::startSteps(ImplicitLocOpBuilder &b, Value t) {
  for (Operand &input : inputs)
    if (input.isVarying && input.hasParts)
      input.steps.startAt(b, t);
}

void SplitStatesIO::advanceSteps(ImplicitLocOpBuilder &b, Value condition) {
  for (Operand &input : inputs)
    if (input.isVarying && input.hasParts)
      input.steps.advance(b, condition);
}

Elements SplitStatesIO::loadParts(ImplicitLocOpBuilder &b, Parted which) const {
  Elements values;
  for (const Operand &input : inputs) {
    if (!isParted(input, which))
      continue;
    int64_t width = which == Parted::All ? 1 : getWidth(input.view);
    llvm::append_range(values,
                       selectInBounds(b, input, loadPartsOf(b, input, width)));
  }
  return values;
}

size_t SplitStatesIO::getNumParts(Parted which) const {
  return getOwnParts() * llvm::count_if(inputs, [&](const Operand &input) {
           return isParted(input, which);
         });
}

Elements SplitStatesIO::joinParts(ValueRange others, ValueRange ofScan) const {
  Elements all;
  for (const Operand &input : inputs) {
    if (!isParted(input, Parted::All))
      continue;
    ValueRange &from = isOfScan(input) ? ofScan : others;
    llvm::append_range(all, from.take_front(getOwnParts()));
    from = from.drop_front(getOwnParts());
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Arguments of regions
//===----------------------------------------------------------------------===//

void SplitStatesIO::mapShared(Region &region, ValueRange owned, int64_t group,
                              IRMapping &mapping) const {
  for (auto [input, arguments] :
       llvm::zip_equal(inputs, getInputArguments(frame.getKernel(), region))) {
    if (input.hasParts)
      continue;
    if (!input.isVarying) {
      mapping.map(arguments.front(), input.invariant.front());
      continue;
    }
    mapping.map(arguments.front(), owned[group]);
    owned = owned.drop_front(getOwnSteps());
  }
}

void SplitStatesIO::mapParts(Region &region, ValueRange parts, int64_t part,
                             IRMapping &mapping) const {
  for (auto [input, arguments] :
       llvm::zip_equal(inputs, getInputArguments(frame.getKernel(), region))) {
    if (!input.isVarying || !input.hasParts)
      continue;
    Value argument = arguments.front(), element = parts[part];
    mapping.map(argument, element);
    // Elements of tiles may have been extended when they got there.
    if (element.getType() != argument.getType())
      for (Operation *extension : argument.getUsers())
        mapping.map(extension->getResult(0), element);
    parts = parts.drop_front(getOwnParts());
  }
}

void SplitStatesIO::mapInvariant(Region &region, int64_t part,
                                 IRMapping &mapping) const {
  for (auto [input, arguments] :
       llvm::zip_equal(inputs, getInputArguments(frame.getKernel(), region)))
    if (!input.isVarying)
      mapping.map(arguments.front(),
                  input.invariant[input.hasParts ? part : 0]);
}

void SplitStatesIO::mapInits(ImplicitLocOpBuilder &b, int64_t part,
                             IRMapping &mapping) const {
  ArrayRef<BlockArgument> arguments =
      frame.getKernel().getInitialize().getArguments();
  for (const OperandView &init : frame.getInits()) {
    mapping.map(arguments.front(), loadInvariant(b, init, part));
    arguments = arguments.drop_front(init.numElements);
  }
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void SplitStatesIO::startStores(ImplicitLocOpBuilder &b, Value t) {
  for (Operand &output : outputs)
    if (output.hasParts && output.view.isStored())
      output.steps.startAt(b, t);
}

void SplitStatesIO::storeParts(ImplicitLocOpBuilder &b, Value inBounds,
                               ArrayRef<Elements> results) {
  for (auto [output, elements] : llvm::zip_equal(outputs, results)) {
    if (elements.empty() || !output.view.isStored())
      continue;
    const GlobalPointer &global = output.steps.getGlobal();
    int64_t width = inBounds ? 1 : getWidth(output.view);
    createIf(
        b, createAnd(b, getIsValid(), inBounds),
        [&, &output = output,
         &elements = elements](ImplicitLocOpBuilder &inner) {
          Value first = createFirstOwnAddress(inner, output);
          for (int64_t i = 0; i < getOwnParts(); i += width) {
            Value address = global.moveAddress(
                inner, first, mulConstant(inner, global.strides.back(), i));
            ArrayRef<Value> own = ArrayRef(elements).slice(i, width);
            if (width == 1)
              storeElement(inner, own.front(), address);
            else
              mlir::scan::storeParts(inner, packElements(inner, own),
                                     output.view.elementType, address, width);
          }
        });
    output.steps.advance(b);
  }
}

void SplitStatesIO::storeStep(ImplicitLocOpBuilder &b, Value t, Value rest,
                              int64_t group, ValueRange results) {
  Value step = createOwnStep(b, indexConstant(b, group));
  Value inBounds =
      rest ? compare(b, arith::CmpIPredicate::ult, step, rest) : Value();
  createIf(b, createAnd(b, getIsValid(), inBounds),
           [&](ImplicitLocOpBuilder &inner) {
             Value first = inner.createOrFold<arith::AddIOp>(t, lanes.index);
             for (auto [output, result] : llvm::zip_equal(outputs, results)) {
               if (!result || !output.view.isStored())
                 continue;
               output.steps.startAt(inner, first, group * lanes.count);
               output.steps.store(inner, result,
                                  output.steps.getAddress(inner));
             }
           });
}

void SplitStatesIO::storeFinals(ImplicitLocOpBuilder &b,
                                ArrayRef<Elements> parts) {
  createIf(b, isValid, [&](ImplicitLocOpBuilder &inner) {
    for (auto [part, elements] : llvm::enumerate(parts)) {
      Value number = createPartNumber(inner, part);
      for (auto [final, element] : llvm::zip_equal(frame.getFinals(), elements))
        if (element)
          memref::StoreOp::create(
              inner, element, final.value,
              getElementIndices(inner, final, point, number));
    }
  });
}
