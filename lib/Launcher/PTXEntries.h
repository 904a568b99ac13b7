//===- PTXEntries.h - The kernels of a PTX text -----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_LAUNCHER_PTXENTRIES_H
#define SCAN_LIB_LAUNCHER_PTXENTRIES_H

#include "Scan/Launcher/Launcher.h"

namespace mlir::scan::launcher {

struct ManifestDescription;

/// An `.entry` of a PTX text: what a launch of it reads.
struct PTXEntry {
  struct Parameter {
    uint64_t bytes = 0;
    /// What the driver aligns it to among the others.
    uint64_t alignment = 0;
  };

  std::string name;
  std::vector<Parameter> parameters;
};

/// Reads the headers of all entries, in order; what is between them is not
/// looked at. Fails where a header is cut off or is none.
Status readPTXEntries(const std::string &ptx, std::vector<PTXEntry> &entries);

/// Fails unless each kernel of the manifest is an entry of the PTX with as many
/// parameters of the same sizes, and unless the PTX is the very text that the
/// manifest was written with, if it says which. A launch passes an array of
/// addresses whose length only the PTX has: with fewer arguments than
/// parameters the driver would read past it.
/// `entries` are those of the PTX.
Status checkPTX(const ManifestDescription &manifest, const std::string &ptx,
                std::vector<PTXEntry> &entries);

/// The same for a PTX that has some of the kernels. Fails where it has none.
Status checkPartOfPTX(const ManifestDescription &manifest,
                      const std::string &ptx, std::vector<PTXEntry> &entries);

} // namespace mlir::scan::launcher

#endif // SCAN_LIB_LAUNCHER_PTXENTRIES_H
