//===- InputSpec.h - Inputs by name, file or generator ----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input of scan-run is a .npy file or one of
//
//   random:TYPE:SHAPE:SEED            uniform numbers, see below
//   random:TYPE:SHAPE:SEED:LOW:HIGH   the same from a given range
//   zeros:TYPE:SHAPE    ones:TYPE:SHAPE    const:TYPE:SHAPE:VALUE
//   values:TYPE:SHAPE:VALUE,VALUE,... row-major; a complex number is two
//
// TYPE is an element type (i1 i8 i16 i32 i64 index f16 bf16 f32 f64 c64 c128,
// or MLIR's complex<f32>); SHAPE is extents with 'x' between, empty for a
// scalar.
//
// Random numbers are the same on every platform. Element k (row-major; real and
// imaginary part of a complex number are two elements) is made from
// w = splitmix64(SEED * 0x9E3779B97F4A7C15 + k): its highest p bits, p the
// precision of the type (11 for f16, 8 for bf16, 24 for f32, 53 for f64), read
// as an integer n, give u = n / 2^p in [0, 1) and the element LOW + u * (HIGH -
// LOW), computed in double and rounded once. By default LOW = -1 and HIGH = 1,
// for complex numbers -0.5 and 0.5: magnitudes stay below 1, so that products
// and linear recurrences stay bounded. Integers are LOW + w mod (HIGH - LOW +
// 1), by default in [-8, 7] (wrapped around for unsigned readers); i1 is the
// lowest bit of w >> 32, index is in [0, 15].
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_DRIVER_INPUTSPEC_H
#define SCAN_LIB_DRIVER_INPUTSPEC_H

#include "Scan/Reference/HostArray.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir::scan {

/// Reads or makes the input that `spec` describes, for a parameter of type
/// `type`. The error is one line with expected and found.
llvm::Expected<HostArray> makeInput(llvm::StringRef spec, Type type);

/// The `values:` specification of an array. A NaN loses its sign and payload.
std::string printInputSpec(const HostArray &array);

} // namespace mlir::scan

#endif // SCAN_LIB_DRIVER_INPUTSPEC_H
