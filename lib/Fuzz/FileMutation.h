//===- FileMutation.h - Damaged files for whatever reads files --*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_FILEMUTATION_H
#define SCAN_LIB_FUZZ_FILEMUTATION_H

#include "FuzzOptions.h"
#include "Isolation.h"
#include "Scan/Launcher/Launcher.h"
#include "mlir/IR/MLIRContext.h"

namespace mlir::scan::fuzz {

enum class FileKind { Bytecode, Manifest, Npy };
constexpr unsigned kNumFileKinds = 3;
StringRef stringifyFileKind(FileKind kind);
/// That many files in a row are of one kind.
constexpr uint64_t kFilesOfOneKind = 50;
inline FileKind getFileKind(uint64_t index) {
  return static_cast<FileKind>(index / kFilesOfOneKind % kNumFileKinds);
}

/// Files as they should be.
struct FileSamples {
  struct Launch {
    std::string ptx, manifest;
  };
  struct Array {
    /// As MLIR writes it: the parameter that the array is for.
    std::string type, contents;
  };
  std::vector<std::string> programs;
  std::vector<Launch> launches;
  std::vector<Array> arrays;
};

/// Writes the files that those of a seed are made of.
FileSamples makeFileSamples(uint64_t seed);

/// File number `index`: what it is, the sample that it was made of, and the
/// bytes.
struct MutatedFile {
  FileKind kind = FileKind::Bytecode;
  size_t sample = 0;
  std::string contents;
};
MutatedFile makeMutatedFile(const FileSamples &samples, uint64_t seed,
                            uint64_t index);

/// A few edits of `contents`: bits, bytes and numbers changed, parts taken out,
/// repeated, cut off, and replaced by parts of `other`.
std::string mutateBytes(StringRef contents, StringRef other, bool isText,
                        Random &random);

/// Reads one file after the other.
class FileReader {
public:
  FileReader(const FileSamples &samples, MLIRContext &context);

  /// What is wrong with how it went, if it came back at all; empty: nothing.
  /// `isAccepted` tells whether the file was read with success.
  std::string read(const MutatedFile &file, Random &random, bool &isAccepted);

  /// Whether there is a driver to read manifests with.
  bool canLaunch() const { return hasDevice; }

private:
  std::string readProgram(const MutatedFile &file, bool &isAccepted);
  std::string readManifest(const MutatedFile &file, Random &random,
                           bool &isAccepted);
  std::string readArray(const MutatedFile &file, bool &isAccepted);

  const FileSamples &samples;
  MLIRContext &context;
  launcher::Device device;
  bool hasDevice = false;
};

/// Lets signals of crashes write the frames of the stack to standard error.
void traceCrashes();

/// Where a crash happened, of what `traceCrashes` wrote: the innermost frames
/// that are not the C library's, in one line. `isForeign` says whether no code
/// of this project was under way below the outermost frame of MLIR's.
std::string describeCrash(StringRef trace, bool &isForeign);

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_FILEMUTATION_H
