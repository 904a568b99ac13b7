//===- Elementwise.cpp - Scalar operations and their tensor forms ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan::reference;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The value of a scalar attribute held in `format`, which is at least as wide
/// as the attribute's type.
static std::optional<Scalar> readAttribute(Attribute attr, Format format) {
  Scalar value = {};
  if (auto integer = dyn_cast<IntegerAttr>(attr)) {
    unsigned width = integer.getValue().getBitWidth();
    if (width > 64 || !format.isInteger())
      return std::nullopt;
    value.i = integer.getValue().getZExtValue();
    return convert(value, Format::integer(width), format);
  }
  if (auto real = dyn_cast<FloatAttr>(attr)) {
    if (!format.isFloat())
      return std::nullopt;
    return fromDouble(real.getValueAsDouble(), format);
  }
  if (auto parts = dyn_cast<ArrayAttr>(attr)) {
    if (!format.isComplex() || parts.size() != 2)
      return std::nullopt;
    auto re = dyn_cast<FloatAttr>(parts[0]);
    auto im = dyn_cast<FloatAttr>(parts[1]);
    if (!re || !im)
      return std::nullopt;
    value.cd.re = re.getValueAsDouble();
    value.cd.im = im.getValueAsDouble();
    return convert(value, Format{Format::C64, 128}, format);
  }
  return std::nullopt;
}

static double toDouble(const llvm::APFloat &value) {
  llvm::APFloat wide = value;
  bool losesInfo = false;
  wide.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
               &losesInfo);
  return wide.convertToDouble();
}

static void fillConstant(DenseElementsAttr attr, Tensor &tensor) {
  Format format = tensor.format;
  auto fill = [&](auto values, auto read) {
    if (attr.isSplat()) {
      Scalar value = read(*values.begin());
      for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i)
        tensor.store(i, value);
      return;
    }
    for (auto [i, value] : llvm::enumerate(values))
      tensor.store(i, read(value));
  };
  if (format.isInteger()) {
    fill(attr.getValues<APInt>(), [&](const APInt &bits) {
      Scalar value = {};
      value.i = bits.getZExtValue();
      return convert(value, Format::integer(bits.getBitWidth()), format);
    });
  } else if (format.isFloat()) {
    fill(attr.getValues<APFloat>(), [&](const APFloat &number) {
      return fromDouble(::toDouble(number), format);
    });
  } else {
    fill(attr.getValues<std::complex<APFloat>>(),
         [&](const std::complex<APFloat> &number) {
           Scalar value = {};
           value.cd.re = ::toDouble(number.real());
           value.cd.im = ::toDouble(number.imag());
           return convert(value, Format{Format::C64, 128}, format);
         });
  }
}

FailureOr<Step> mlir::scan::reference::compileConstant(Compiler &compiler,
                                                       Operation *op) {
  Attribute attr;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    attr = constant.getValue();
  else if (auto constant = dyn_cast<complex::ConstantOp>(op))
    attr = constant.getValue();
  else
    return Step();

  Slot slot = compiler.lookup(op->getResult(0));
  if (!slot.isTensor) {
    std::optional<Scalar> value = readAttribute(attr, slot.format);
    if (!value)
      return op->emitError("constant ")
             << attr << " is not supported by the reference interpreter";
    return Step([slot, value = *value](Frame &frame) {
      frame.scalar(slot) = value;
      return success();
    });
  }
  auto dense = dyn_cast<DenseElementsAttr>(attr);
  auto resource = dyn_cast<DenseResourceElementsAttr>(attr);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  bool isSplat = false;
  if (blob && DenseElementsAttr::isValidRawBuffer(resource.getType(),
                                                  blob->getData(), isSplat))
    dense = DenseElementsAttr::getFromRawBuffer(resource.getType(),
                                                blob->getData());
  if (!dense)
    return op->emitError("only dense constants are supported by the reference "
                         "interpreter");
  FailureOr<Tensor> tensor = compiler.getSession().allocate(
      op, slot.format, dense.getType().getShape());
  if (failed(tensor))
    return failure();
  if (tensor->getNumElements() > 0)
    fillConstant(dense, *tensor);
  return Step([slot, tensor = *tensor](Frame &frame) {
    frame.tensor(slot) = tensor;
    return success();
  });
}

//===----------------------------------------------------------------------===//
// Scalars and tensors, element by element
//===----------------------------------------------------------------------===//

static Step makeScalarStep(Operation *op, ScalarKernel kernel,
                           ArrayRef<Slot> operands, ArrayRef<Slot> results) {
  SmallVector<unsigned, kMaxScalarOperands> in =
      llvm::map_to_vector<kMaxScalarOperands>(
          operands, [](Slot slot) { return slot.index; });
  SmallVector<unsigned, kMaxScalarResults> out =
      llvm::map_to_vector<kMaxScalarResults>(
          results, [](Slot slot) { return slot.index; });
  return [op, kernel = std::move(kernel), in, out](Frame &frame) {
    Scalar arguments[kMaxScalarOperands];
    Scalar values[kMaxScalarResults] = {};
    for (unsigned i = 0, e = in.size(); i < e; ++i)
      arguments[i] = frame.scalars[in[i]];
    if (const char *message = kernel(arguments, values))
      return LogicalResult(op->emitOpError(message));
    for (unsigned i = 0, e = out.size(); i < e; ++i)
      frame.scalars[out[i]] = values[i];
    return success();
  };
}

/// Applies the kernel to each element; scalar operands (the condition of a
/// select) are the same for all elements.
static LogicalResult runOnTensors(Frame &frame, Operation *op,
                                  const ScalarKernel &kernel,
                                  ArrayRef<Use> operands,
                                  ArrayRef<Slot> results) {
  Scalar arguments[kMaxScalarOperands];
  Scalar values[kMaxScalarResults] = {};
  SmallVector<std::pair<unsigned, Tensor>, kMaxScalarOperands> sources;
  for (auto [i, use] : llvm::enumerate(operands)) {
    if (!use.slot.isTensor) {
      arguments[i] = frame.scalar(use.slot);
      continue;
    }
    sources.emplace_back(i, frame.take(use));
    ArrayRef<int64_t> expected = sources.front().second.shape;
    ArrayRef<int64_t> found = sources.back().second.shape;
    if (expected != found)
      return op->emitOpError("operand #")
             << i << " has other extents than operand #"
             << sources.front().first << ": expected "
             << describeShape(expected) << ", found " << describeShape(found);
  }
  const Tensor &first = sources.front().second;
  SmallVector<Tensor, kMaxScalarResults> targets;
  for (Slot slot : results) {
    FailureOr<Tensor> target =
        frame.session.allocate(op, slot.format, first.shape);
    if (failed(target))
      return failure();
    targets.push_back(std::move(*target));
  }
  for (int64_t i = 0, e = first.getNumElements(); i < e; ++i) {
    for (auto &[position, tensor] : sources)
      arguments[position] = tensor.load(i);
    if (const char *message = kernel(arguments, values))
      return op->emitOpError(message);
    for (auto [target, value] : llvm::zip(targets, values))
      target.store(i, value);
  }
  for (auto [i, slot] : llvm::enumerate(results))
    if (failed(setResult(frame, op, i, slot, std::move(targets[i]))))
      return failure();
  return success();
}

/// Whether the operation computes the same number on integers that are held
/// sign-extended in a wider format, up to wrap-around.
static bool readsSignedIntegers(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
             arith::OrIOp, arith::XOrIOp, arith::MaxSIOp, arith::MinSIOp,
             arith::MaxUIOp, arith::MinUIOp, arith::ShLIOp, arith::ShRSIOp,
             arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp,
             arith::FloorDivSIOp, arith::CmpIOp, arith::SelectOp,
             arith::ExtSIOp, arith::SIToFPOp, arith::FPToSIOp,
             arith::IndexCastOp, math::AbsIOp, math::FPowIOp, math::IPowIOp>(
      op);
}

/// The format in which the operation sees a value that is held in `held`: other
/// operations on integers, and those on bit patterns, see the declared type.
static Format getOperationFormat(Operation *op, Type type, Format held) {
  bool isDeclared = isa<arith::BitcastOp>(op) ||
                    (held.isInteger() && !readsSignedIntegers(op));
  return isDeclared ? *getFormat(getElementTypeOrSelf(type)) : held;
}

/// `kernel` with its operands and results converted from and to what they are
/// held in.
static ScalarKernel withConversions(ScalarKernel kernel,
                                    ArrayRef<Format> heldIn,
                                    ArrayRef<Format> in, ArrayRef<Format> out,
                                    ArrayRef<Format> heldOut) {
  if (heldIn == in && heldOut == out)
    return kernel;
  return [kernel = std::move(kernel), heldIn = SmallVector<Format>(heldIn),
          in = SmallVector<Format>(in), out = SmallVector<Format>(out),
          heldOut = SmallVector<Format>(heldOut)](
             const Scalar *arguments, Scalar *results) -> const char * {
    Scalar narrow[kMaxScalarOperands];
    for (size_t i = 0; i < in.size(); ++i)
      narrow[i] = convert(arguments[i], heldIn[i], in[i]);
    if (const char *message = kernel(narrow, results))
      return message;
    for (size_t i = 0; i < out.size(); ++i)
      results[i] = convert(results[i], out[i], heldOut[i]);
    return nullptr;
  };
}

FailureOr<Step> mlir::scan::reference::compileElementwise(Compiler &compiler,
                                                          Operation *op) {
  if (op->getNumOperands() == 0 || op->getNumOperands() > kMaxScalarOperands ||
      op->getNumResults() == 0 || op->getNumResults() > kMaxScalarResults ||
      op->getNumRegions() != 0)
    return Step();
  using Builder =
      ScalarKernel (*)(Operation *, ArrayRef<Format>, ArrayRef<Format>);
  StringRef dialect = op->getName().getDialectNamespace();
  Builder builder = dialect == "arith"     ? buildArithKernel
                    : dialect == "math"    ? buildMathKernel
                    : dialect == "complex" ? buildComplexKernel
                                           : nullptr;
  if (!builder)
    return Step();

  SmallVector<Use> operands = compiler.useAll(op->getOpOperands());
  SmallVector<Slot> results = compiler.lookupAll(op->getResults());
  SmallVector<Format> heldIn, in, heldOut, out;
  for (auto [use, type] : llvm::zip_equal(operands, op->getOperandTypes())) {
    heldIn.push_back(use.slot.format);
    in.push_back(getOperationFormat(op, type, use.slot.format));
  }
  for (auto [slot, type] : llvm::zip_equal(results, op->getResultTypes())) {
    heldOut.push_back(slot.format);
    out.push_back(getOperationFormat(op, type, slot.format));
  }
  ScalarKernel kernel = builder(op, in, out);
  if (!kernel)
    return Step();
  kernel = withConversions(std::move(kernel), heldIn, in, out, heldOut);
  if (!results.front().isTensor)
    return makeScalarStep(
        op, std::move(kernel),
        llvm::map_to_vector(operands, [](const Use &use) { return use.slot; }),
        results);
  return Step([=](Frame &frame) {
    return runOnTensors(frame, op, kernel, operands, results);
  });
}
