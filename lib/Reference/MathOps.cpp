//===- MathOps.cpp - Scalar semantics of the math dialect -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHelpers.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan::reference;

/// The transcendental functions: computed in double, rounded once.
static ScalarKernel buildTranscendental(Operation *op, Format f) {
  using Fn = double (*)(double);
  Fn fn = llvm::TypeSwitch<Operation *, Fn>(op)
              .Case([](math::AcosOp) { return Fn(std::acos); })
              .Case([](math::AcoshOp) { return Fn(std::acosh); })
              .Case([](math::AsinOp) { return Fn(std::asin); })
              .Case([](math::AsinhOp) { return Fn(std::asinh); })
              .Case([](math::AtanOp) { return Fn(std::atan); })
              .Case([](math::AtanhOp) { return Fn(std::atanh); })
              .Case([](math::CbrtOp) { return Fn(std::cbrt); })
              .Case([](math::CosOp) { return Fn(std::cos); })
              .Case([](math::CoshOp) { return Fn(std::cosh); })
              .Case([](math::ErfOp) { return Fn(std::erf); })
              .Case([](math::ErfcOp) { return Fn(std::erfc); })
              .Case([](math::ExpOp) { return Fn(std::exp); })
              .Case([](math::Exp2Op) { return Fn(std::exp2); })
              .Case([](math::ExpM1Op) { return Fn(std::expm1); })
              .Case([](math::LogOp) { return Fn(std::log); })
              .Case([](math::Log10Op) { return Fn(std::log10); })
              .Case([](math::Log1pOp) { return Fn(std::log1p); })
              .Case([](math::Log2Op) { return Fn(std::log2); })
              .Case([](math::SinOp) { return Fn(std::sin); })
              .Case([](math::SinhOp) { return Fn(std::sinh); })
              .Case([](math::SqrtOp) { return Fn(std::sqrt); })
              .Case([](math::TanOp) { return Fn(std::tan); })
              .Case([](math::TanhOp) { return Fn(std::tanh); })
              .Case([](math::RsqrtOp) {
                return Fn([](double x) { return 1.0 / std::sqrt(x); });
              })
              .Default([](Operation *) { return Fn(nullptr); });
  return fn ? wideUnary(f, fn) : ScalarKernel();
}

/// The functions whose results are exact in the operand's type.
static ScalarKernel buildExact(Operation *op, Format f) {
  using Kernel = ScalarKernel;
  return llvm::TypeSwitch<Operation *, Kernel>(op)
      .Case([&](math::AbsFOp) {
        return floatUnary(f, [](auto x) { return std::fabs(x); });
      })
      .Case([&](math::CeilOp) {
        return floatUnary(f, [](auto x) { return std::ceil(x); });
      })
      .Case([&](math::FloorOp) {
        return floatUnary(f, [](auto x) { return std::floor(x); });
      })
      .Case([&](math::TruncOp) {
        return floatUnary(f, [](auto x) { return std::trunc(x); });
      })
      .Case([&](math::RoundOp) {
        return floatUnary(f, [](auto x) { return std::round(x); });
      })
      .Case([&](math::RoundEvenOp) {
        return floatUnary(f, [](auto x) { return std::nearbyint(x); });
      })
      .Case([&](math::CopySignOp) {
        return floatBinary(f,
                           [](auto a, auto b) { return std::copysign(a, b); });
      })
      .Case([&](math::ClampFOp) {
        // As maximumf(minimumf(value, max), min), NaN if any operand is.
        return floatTernary(f, [](auto x, auto low, auto high) {
          if (x != x || low != low || high != high)
            return x + low + high;
          return x < low ? low : x > high ? high : x;
        });
      })
      .Case([&](math::IsFiniteOp) {
        return floatPredicate(f, [](double x) { return std::isfinite(x); });
      })
      .Case([&](math::IsInfOp) {
        return floatPredicate(f, [](double x) { return std::isinf(x); });
      })
      .Case([&](math::IsNaNOp) {
        return floatPredicate(f, [](double x) { return std::isnan(x); });
      })
      .Case([&](math::IsNormalOp) -> Kernel {
        double smallest = f.kind == Format::F64   ? 0x1p-1022
                          : f.kind == Format::F16 ? 0x1p-14
                                                  : 0x1p-126;
        return floatPredicate(f, [smallest](double x) {
          return std::isfinite(x) && std::fabs(x) >= smallest;
        });
      })
      .Default([](Operation *) { return Kernel(); });
}

/// base^exponent with wrap-around; negative exponents round 1/base^n to zero.
static const char *integerPower(uint64_t base, int64_t exponent, unsigned width,
                                uint64_t &result) {
  if (exponent < 0) {
    int64_t signedBase = signExtend(base, width);
    if (signedBase == 0)
      return "zero to a negative power";
    if (signedBase == 1 || signedBase == -1)
      result = signedBase == 1 || exponent % 2 == 0 ? 1 : ~uint64_t(0);
    else
      result = 0;
  } else {
    result = 1;
    for (uint64_t n = exponent; n != 0; n >>= 1) {
      if (n & 1)
        result *= base;
      base *= base;
    }
  }
  result = truncateBits(result, width);
  return nullptr;
}

static ScalarKernel buildInteger(Operation *op, Format f) {
  using Kernel = ScalarKernel;
  auto unary = [f](auto fn) -> Kernel {
    return
        [fn, width = f.width](const Scalar *in, Scalar *out) -> const char * {
          out->i = truncateBits(fn(in->i, width), width);
          return nullptr;
        };
  };
  return llvm::TypeSwitch<Operation *, Kernel>(op)
      .Case([&](math::AbsIOp) {
        return unary([](uint64_t x, unsigned width) {
          return signExtend(x, width) < 0 ? -x : x;
        });
      })
      .Case([&](math::CtPopOp) {
        return unary(
            [](uint64_t x, unsigned) -> uint64_t { return llvm::popcount(x); });
      })
      .Case([&](math::CountLeadingZerosOp) {
        return unary([](uint64_t x, unsigned width) -> uint64_t {
          return llvm::countl_zero(x) - (64 - static_cast<int>(width));
        });
      })
      .Case([&](math::CountTrailingZerosOp) {
        return unary([](uint64_t x, unsigned width) -> uint64_t {
          return x == 0 ? width : llvm::countr_zero(x);
        });
      })
      .Case([&](math::IPowIOp) -> Kernel {
        return
            [width = f.width](const Scalar *in, Scalar *out) -> const char * {
              return integerPower(in[0].i, signExtend(in[1].i, width), width,
                                  out->i);
            };
      })
      .Default([](Operation *) { return Kernel(); });
}

ScalarKernel mlir::scan::reference::buildMathKernel(Operation *op,
                                                    ArrayRef<Format> in,
                                                    ArrayRef<Format> out) {
  using Kernel = ScalarKernel;
  Format f = in[0];
  if (f.isInteger())
    return buildInteger(op, f);
  if (!f.isFloat())
    return Kernel();
  if (Kernel kernel = buildTranscendental(op, f))
    return kernel;
  if (Kernel kernel = buildExact(op, f))
    return kernel;
  return llvm::TypeSwitch<Operation *, Kernel>(op)
      .Case([&](math::Atan2Op) {
        return wideBinary(f,
                          [](double a, double b) { return std::atan2(a, b); });
      })
      .Case([&](math::PowFOp) {
        return wideBinary(f, [](double a, double b) { return std::pow(a, b); });
      })
      .Case([&](math::FmaOp) {
        return floatTernary(
            f, [](auto a, auto b, auto c) { return std::fma(a, b, c); });
      })
      .Case([&](math::FPowIOp) -> Kernel {
        return [f, width = in[1].width](const Scalar *in,
                                        Scalar *out) -> const char * {
          double exponent = static_cast<double>(signExtend(in[1].i, width));
          *out = fromDouble(std::pow(toDouble(in[0], f), exponent), f);
          return nullptr;
        };
      })
      .Case([&](math::SincosOp) -> Kernel {
        return [f](const Scalar *in, Scalar *out) -> const char * {
          double x = toDouble(in[0], f);
          out[0] = fromDouble(std::sin(x), f);
          out[1] = fromDouble(std::cos(x), f);
          return nullptr;
        };
      })
      .Default([](Operation *) { return Kernel(); });
}
