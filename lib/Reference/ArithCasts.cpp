//===- ArithCasts.cpp - Scalar semantics of arith's casts -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHelpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan::reference;

/// The bit pattern of a number, as wide as its format.
static uint64_t getBits(Scalar value, Format format) {
  uint64_t bits = 0;
  switch (format.kind) {
  case Format::F16:
    return floatToHalf(value.f);
  case Format::BF16:
    return floatToBFloat(value.f);
  case Format::F32:
    std::memcpy(&bits, &value.f, sizeof(float));
    return bits;
  case Format::F64:
    std::memcpy(&bits, &value.d, sizeof(double));
    return bits;
  default:
    return value.i;
  }
}

static Scalar fromBits(uint64_t bits, Format format) {
  Scalar value = {};
  switch (format.kind) {
  case Format::F16:
    value.f = halfToFloat(static_cast<uint16_t>(bits));
    break;
  case Format::BF16:
    value.f = bfloatToFloat(static_cast<uint16_t>(bits));
    break;
  case Format::F32:
    std::memcpy(&value.f, &bits, sizeof(float));
    break;
  case Format::F64:
    std::memcpy(&value.d, &bits, sizeof(double));
    break;
  default:
    value.i = bits;
  }
  return value;
}

static ScalarKernel bitcast(Format from, Format to) {
  // Vectors of another length are no values of this interpreter.
  if (from.isComplex() || to.isComplex() || from.width != to.width)
    return ScalarKernel();
  return [from, to](const Scalar *in, Scalar *out) -> const char * {
    *out = fromBits(getBits(*in, from), to);
    return nullptr;
  };
}

/// Rounds toward zero; a number that the integer type cannot hold is an error.
static ScalarKernel floatToInteger(Format from, Format to, bool isSigned) {
  double low = isSigned ? -std::ldexp(1.0, to.width - 1) : 0.0;
  double end = std::ldexp(1.0, isSigned ? to.width - 1 : to.width);
  return [=](const Scalar *in, Scalar *out) -> const char * {
    double value = std::trunc(toDouble(*in, from));
    if (!(value >= low && value < end))
      return "the integer type cannot hold the value";
    uint64_t bits = isSigned
                        ? static_cast<uint64_t>(static_cast<int64_t>(value))
                        : static_cast<uint64_t>(value);
    out->i = truncateBits(bits, to.width);
    return nullptr;
  };
}

/// Rounds once, which 64-bit integers on their way to 16-bit floats need care
/// for: APFloat converts exactly.
static ScalarKernel integerToFloat(Format from, Format to, bool isSigned) {
  return [=](const Scalar *in, Scalar *out) -> const char * {
    int64_t value = signExtend(in->i, from.width);
    if (to.kind == Format::F64)
      out->d =
          isSigned ? static_cast<double>(value) : static_cast<double>(in->i);
    else if (to.kind == Format::F32)
      out->f = isSigned ? static_cast<float>(value) : static_cast<float>(in->i);
    else {
      const llvm::fltSemantics &semantics = to.kind == Format::F16
                                                ? llvm::APFloat::IEEEhalf()
                                                : llvm::APFloat::BFloat();
      llvm::APFloat rounded(semantics);
      llvm::APInt bits(64, isSigned ? static_cast<uint64_t>(value) : in->i);
      rounded.convertFromAPInt(bits, isSigned,
                               llvm::APFloat::rmNearestTiesToEven);
      *out = fromBits(rounded.bitcastToAPInt().getZExtValue(), to);
    }
    return nullptr;
  };
}

static ScalarKernel extend(Format from, Format to, bool isSigned) {
  return [=](const Scalar *in, Scalar *out) -> const char * {
    out->i =
        isSigned
            ? truncateBits(static_cast<uint64_t>(signExtend(in->i, from.width)),
                           to.width)
            : truncateBits(in->i, to.width);
    return nullptr;
  };
}

static ScalarKernel changeFormat(Format from, Format to) {
  return [=](const Scalar *in, Scalar *out) -> const char * {
    *out = convert(*in, from, to);
    return nullptr;
  };
}

ScalarKernel mlir::scan::reference::buildArithCastKernel(Operation *op,
                                                         Format in,
                                                         Format out) {
  using Kernel = ScalarKernel;
  return llvm::TypeSwitch<Operation *, Kernel>(op)
      .Case([&](arith::ExtFOp) { return changeFormat(in, out); })
      .Case([&](arith::TruncFOp cast) {
        std::optional<arith::RoundingMode> mode = cast.getRoundingmode();
        if (mode && *mode != arith::RoundingMode::to_nearest_even)
          return Kernel();
        return changeFormat(in, out);
      })
      .Case<arith::ExtSIOp, arith::IndexCastOp>(
          [&](auto) { return extend(in, out, /*isSigned=*/true); })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp, arith::TruncIOp>(
          [&](auto) { return extend(in, out, /*isSigned=*/false); })
      .Case([&](arith::SIToFPOp) {
        return integerToFloat(in, out, /*isSigned=*/true);
      })
      .Case([&](arith::UIToFPOp) {
        return integerToFloat(in, out, /*isSigned=*/false);
      })
      .Case([&](arith::FPToSIOp) {
        return floatToInteger(in, out, /*isSigned=*/true);
      })
      .Case([&](arith::FPToUIOp) {
        return floatToInteger(in, out, /*isSigned=*/false);
      })
      .Case([&](arith::BitcastOp) { return bitcast(in, out); })
      .Default([](Operation *) { return Kernel(); });
}
