//===- SHA256.h - The hash that ties PTX and manifest -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_LAUNCHER_SHA256_H
#define SCAN_LIB_LAUNCHER_SHA256_H

#include <array>
#include <cstdint>
#include <string>

namespace mlir::scan::launcher {

/// SHA-256 of the bytes of `text`, as FIPS 180-4 defines it. The compiler takes
/// LLVM's; here nothing of LLVM is linked.
std::array<uint8_t, 32> computeSHA256(const std::string &text);

} // namespace mlir::scan::launcher

#endif // SCAN_LIB_LAUNCHER_SHA256_H
