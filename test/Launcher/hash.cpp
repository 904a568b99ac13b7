//===- hash.cpp - Prints the launcher's hash of files ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SHA256.h"
#include <cstdio>
#include <fstream>
#include <sstream>

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    for (uint8_t byte : mlir::scan::launcher::computeSHA256(text.str()))
      std::printf("%02x", byte);
    std::printf("\n");
  }
}
