//===- NpyIO.h - Arrays in NumPy's file format ------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads versions 1 to 3 of the .npy format, writes version 1. Element types and
// dtypes:
//
//   i1           |b1                  f16           <f2
//   i8           |i1, |u1             bf16          |V2, <V2, <u2
//   i16          <i2, <u2             f32           <f4
//   i32          <i4, <u4             f64           <f8
//   i64, index   <i8, <u8             complex<f32>  <c8
//                                     complex<f64>  <c16
//
// The type that the program expects decides; the first dtype of a list is what
// is written. NumPy has no bfloat16: its bit patterns travel as two-byte words
// (`x.view(np.uint16)`; arrays of the package ml_dtypes are saved as `<V2`).
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_DRIVER_NPYIO_H
#define SCAN_LIB_DRIVER_NPYIO_H

#include "Scan/Reference/HostArray.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir::scan {

/// Reads an array to be passed for a parameter of type `type` (a ranked tensor
/// or a scalar, which is an array of rank 0). Arrays in Fortran order are
/// brought into row-major order. An error says in one line which file, what was
/// expected and what was found: a file that is missing, truncated, longer than
/// its shape says or no .npy file, big-endian or structured data, another
/// dtype, rank or extent.
llvm::Expected<HostArray> readNpy(llvm::StringRef path, Type type);

/// The same from the contents of a file; `name` is for messages.
llvm::Expected<HostArray> parseNpy(llvm::StringRef contents,
                                   llvm::StringRef name, Type type);

/// An array and the file that it is to be written to.
struct NpyOutput {
  std::string path;
  const HostArray *array;
};

/// Writes all the files or none: each goes to a temporary file beside its
/// destination, and they are renamed when all are complete.
llvm::Error writeNpyFiles(llvm::ArrayRef<NpyOutput> outputs);

/// The contents of the file for `array`.
llvm::Expected<std::string> formatNpy(const HostArray &array);

} // namespace mlir::scan

#endif // SCAN_LIB_DRIVER_NPYIO_H
