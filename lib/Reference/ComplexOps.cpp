//===- ComplexOps.cpp - Scalar semantics of the complex dialect -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHelpers.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan::reference;

using Complex = std::complex<double>;

/// Sums and products in the precision of the format, by their definition.
template <typename Fn> static ScalarKernel narrowBinary(Format f, Fn fn) {
  if (f.kind == Format::C64)
    return [fn](const Scalar *in, Scalar *out) -> const char * {
      put(*out, fn(get<Complex>(in[0]), get<Complex>(in[1])));
      return nullptr;
    };
  return [fn](const Scalar *in, Scalar *out) -> const char * {
    put(*out,
        fn(get<std::complex<float>>(in[0]), get<std::complex<float>>(in[1])));
    return nullptr;
  };
}

/// Everything else in double, each component rounded once.
template <typename Fn> static ScalarKernel complexUnary(Format f, Fn fn) {
  return [fn, f](const Scalar *in, Scalar *out) -> const char * {
    putWide(*out, fn(getWide(*in, f)), f);
    return nullptr;
  };
}
template <typename Fn> static ScalarKernel complexBinary(Format f, Fn fn) {
  return [fn, f](const Scalar *in, Scalar *out) -> const char * {
    putWide(*out, fn(getWide(in[0], f), getWide(in[1], f)), f);
    return nullptr;
  };
}
/// A real number computed from a complex one.
template <typename Fn>
static ScalarKernel toReal(Format from, Format to, Fn fn) {
  return [fn, from, to](const Scalar *in, Scalar *out) -> const char * {
    *out = fromDouble(fn(getWide(*in, from)), to);
    return nullptr;
  };
}

/// The product by its definition, without the recovery of infinities that C
/// asks for.
template <typename T>
static std::complex<T> multiply(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(),
          a.real() * b.imag() + a.imag() * b.real()};
}

static ScalarKernel buildUnary(Operation *op, Format f) {
  using Kernel = ScalarKernel;
  return llvm::TypeSwitch<Operation *, Kernel>(op)
      .Case([&](complex::ConjOp) {
        return complexUnary(f, [](Complex z) { return std::conj(z); });
      })
      .Case([&](complex::NegOp) {
        return complexUnary(f, [](Complex z) { return -z; });
      })
      .Case([&](complex::CosOp) {
        return complexUnary(f, [](Complex z) { return std::cos(z); });
      })
      .Case([&](complex::SinOp) {
        return complexUnary(f, [](Complex z) { return std::sin(z); });
      })
      .Case([&](complex::TanOp) {
        return complexUnary(f, [](Complex z) { return std::tan(z); });
      })
      .Case([&](complex::TanhOp) {
        return complexUnary(f, [](Complex z) { return std::tanh(z); });
      })
      .Case([&](complex::ExpOp) {
        return complexUnary(f, [](Complex z) { return std::exp(z); });
      })
      .Case([&](complex::Expm1Op) {
        // exp(x) cos(y) - 1 = expm1(x) cos(y) - 2 sin(y/2)^2, which does not
        // cancel near zero.
        return complexUnary(f, [](Complex z) {
          double half = std::sin(z.imag() / 2);
          return Complex(std::expm1(z.real()) * std::cos(z.imag()) -
                             2 * half * half,
                         std::exp(z.real()) * std::sin(z.imag()));
        });
      })
      .Case([&](complex::LogOp) {
        return complexUnary(f, [](Complex z) { return std::log(z); });
      })
      .Case([&](complex::Log1pOp) {
        // |1+z|^2 - 1 = x (2 + x) + y^2, which does not cancel near zero.
        return complexUnary(f, [](Complex z) {
          double x = z.real(), y = z.imag();
          double real = std::fabs(x) < 0.5 && std::fabs(y) < 0.5
                            ? 0.5 * std::log1p(x * (2 + x) + y * y)
                            : std::log(std::abs(Complex(1 + x, y)));
          return Complex(real, std::atan2(y, 1 + x));
        });
      })
      .Case([&](complex::SqrtOp) {
        return complexUnary(f, [](Complex z) { return std::sqrt(z); });
      })
      .Case([&](complex::RsqrtOp) {
        return complexUnary(f, [](Complex z) { return 1.0 / std::sqrt(z); });
      })
      .Case([&](complex::SignOp) {
        return complexUnary(
            f, [](Complex z) { return z == Complex(0) ? z : z / std::abs(z); });
      })
      .Default([](Operation *) { return Kernel(); });
}

static ScalarKernel buildBinary(Operation *op, Format f) {
  using Kernel = ScalarKernel;
  return llvm::TypeSwitch<Operation *, Kernel>(op)
      .Case([&](complex::AddOp) {
        return narrowBinary(f, [](auto a, auto b) { return a + b; });
      })
      .Case([&](complex::SubOp) {
        return narrowBinary(f, [](auto a, auto b) { return a - b; });
      })
      .Case([&](complex::MulOp) {
        return narrowBinary(f, [](auto a, auto b) { return multiply(a, b); });
      })
      .Case([&](complex::DivOp) {
        return complexBinary(f, [](Complex a, Complex b) { return a / b; });
      })
      .Case([&](complex::PowOp) {
        return complexBinary(
            f, [](Complex a, Complex b) { return std::pow(a, b); });
      })
      .Case([&](complex::Atan2Op) {
        // -i log((x + i y) / sqrt(x^2 + y^2)) with y = a and x = b.
        return complexBinary(f, [](Complex a, Complex b) {
          Complex i(0, 1);
          return -i * std::log((b + i * a) / std::sqrt(b * b + a * a));
        });
      })
      .Case<complex::EqualOp, complex::NotEqualOp>(
          [&](Operation *op) -> Kernel {
            bool wantEqual = isa<complex::EqualOp>(op);
            return [wantEqual, f](const Scalar *in,
                                  Scalar *out) -> const char * {
              out->i = (getWide(in[0], f) == getWide(in[1], f)) == wantEqual;
              return nullptr;
            };
          })
      .Default([](Operation *) { return Kernel(); });
}

ScalarKernel mlir::scan::reference::buildComplexKernel(Operation *op,
                                                       ArrayRef<Format> in,
                                                       ArrayRef<Format> out) {
  using Kernel = ScalarKernel;
  if (isa<complex::CreateOp>(op))
    return [from = in[0], to = out[0]](const Scalar *in,
                                       Scalar *out) -> const char * {
      putWide(*out, {toDouble(in[0], from), toDouble(in[1], from)}, to);
      return nullptr;
    };
  if (!in[0].isComplex())
    return Kernel();
  if (isa<complex::ReOp>(op))
    return toReal(in[0], out[0], [](Complex z) { return z.real(); });
  if (isa<complex::ImOp>(op))
    return toReal(in[0], out[0], [](Complex z) { return z.imag(); });
  if (isa<complex::AbsOp>(op))
    return toReal(in[0], out[0], [](Complex z) { return std::abs(z); });
  if (isa<complex::AngleOp>(op))
    return toReal(in[0], out[0], [](Complex z) { return std::arg(z); });
  return op->getNumOperands() == 1 ? buildUnary(op, in[0])
                                   : buildBinary(op, in[0]);
}
