//===- KernelHelpers.h - Scalar kernels from functions ----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turn a C++ function on float, double, integers or std::complex into a kernel
// for values held in a given format.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_REFERENCE_KERNELHELPERS_H
#define SCAN_LIB_REFERENCE_KERNELHELPERS_H

#include "Compiler.h"
#include <complex>

namespace mlir::scan::reference {

template <typename T> T get(const Scalar &value);
template <> inline float get(const Scalar &value) { return value.f; }
template <> inline double get(const Scalar &value) { return value.d; }
template <> inline std::complex<float> get(const Scalar &value) {
  return {value.cf.re, value.cf.im};
}
template <> inline std::complex<double> get(const Scalar &value) {
  return {value.cd.re, value.cd.im};
}

inline void put(Scalar &target, float value) { target.f = value; }
inline void put(Scalar &target, double value) { target.d = value; }
inline void put(Scalar &target, std::complex<float> value) {
  target.cf.re = value.real();
  target.cf.im = value.imag();
}
inline void put(Scalar &target, std::complex<double> value) {
  target.cd.re = value.real();
  target.cd.im = value.imag();
}

/// A complex number of either format in double precision, exactly.
inline std::complex<double> getWide(const Scalar &value, Format format) {
  if (format.kind == Format::C64)
    return get<std::complex<double>>(value);
  return {value.cf.re, value.cf.im};
}
inline void putWide(Scalar &target, std::complex<double> value, Format format) {
  if (format.kind == Format::C64)
    return put(target, value);
  put(target, std::complex<float>(static_cast<float>(value.real()),
                                  static_cast<float>(value.imag())));
}

/// `fn` in the precision of the format: float for F32 and narrower.
template <typename Fn> ScalarKernel floatUnary(Format format, Fn fn) {
  if (format.kind == Format::F64)
    return [fn](const Scalar *in, Scalar *out) -> const char * {
      out->d = fn(in->d);
      return nullptr;
    };
  return [fn, format](const Scalar *in, Scalar *out) -> const char * {
    out->f = roundFloat(fn(in->f), format);
    return nullptr;
  };
}

template <typename Fn> ScalarKernel floatBinary(Format format, Fn fn) {
  if (format.kind == Format::F64)
    return [fn](const Scalar *in, Scalar *out) -> const char * {
      out->d = fn(in[0].d, in[1].d);
      return nullptr;
    };
  if (format.kind == Format::F32)
    return [fn](const Scalar *in, Scalar *out) -> const char * {
      out->f = fn(in[0].f, in[1].f);
      return nullptr;
    };
  return [fn, format](const Scalar *in, Scalar *out) -> const char * {
    out->f = roundFloat(fn(in[0].f, in[1].f), format);
    return nullptr;
  };
}

template <typename Fn> ScalarKernel floatTernary(Format format, Fn fn) {
  if (format.kind == Format::F64)
    return [fn](const Scalar *in, Scalar *out) -> const char * {
      out->d = fn(in[0].d, in[1].d, in[2].d);
      return nullptr;
    };
  return [fn, format](const Scalar *in, Scalar *out) -> const char * {
    out->f = roundFloat(fn(in[0].f, in[1].f, in[2].f), format);
    return nullptr;
  };
}

/// `fn` always in double precision; the result is rounded once.
template <typename Fn> ScalarKernel wideUnary(Format format, Fn fn) {
  return [fn, format](const Scalar *in, Scalar *out) -> const char * {
    *out = fromDouble(fn(toDouble(in[0], format)), format);
    return nullptr;
  };
}

template <typename Fn> ScalarKernel wideBinary(Format format, Fn fn) {
  return [fn, format](const Scalar *in, Scalar *out) -> const char * {
    *out = fromDouble(fn(toDouble(in[0], format), toDouble(in[1], format)),
                      format);
    return nullptr;
  };
}

/// A predicate on a floating-point number, as i1.
template <typename Fn> ScalarKernel floatPredicate(Format format, Fn fn) {
  return [fn, format](const Scalar *in, Scalar *out) -> const char * {
    out->i = fn(toDouble(*in, format));
    return nullptr;
  };
}

/// `fn` on zero-extended operands; the result is truncated.
template <typename Fn> ScalarKernel unsignedBinary(Format format, Fn fn) {
  return [fn, width = format.width](const Scalar *in,
                                    Scalar *out) -> const char * {
    out->i = truncateBits(fn(in[0].i, in[1].i), width);
    return nullptr;
  };
}

/// `fn` on sign-extended operands; the result is truncated.
template <typename Fn> ScalarKernel signedBinary(Format format, Fn fn) {
  return [fn, width = format.width](const Scalar *in,
                                    Scalar *out) -> const char * {
    out->i = truncateBits(static_cast<uint64_t>(fn(signExtend(in[0].i, width),
                                                   signExtend(in[1].i, width))),
                          width);
    return nullptr;
  };
}

} // namespace mlir::scan::reference

#endif // SCAN_LIB_REFERENCE_KERNELHELPERS_H
