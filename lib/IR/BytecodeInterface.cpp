//===- BytecodeInterface.cpp - The dialect in bytecode --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BytecodeInterface.h"
#include "Scan/IR/DialectVersion.h"
#include "Scan/IR/ScanDialect.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

/// Says which version of the dialect wrote a file, and reads no other version
/// than it can.
struct ScanBytecodeInterface : public BytecodeDialectInterface {
  explicit ScanBytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  void writeVersion(DialectBytecodeWriter &writer) const final {
    // There is one format so far. Who asks for another version's name gets it.
    ScanDialectVersion version;
    FailureOr<const DialectVersion *> wanted =
        writer.getDialectVersion<ScanDialect>();
    if (succeeded(wanted))
      version = *static_cast<const ScanDialectVersion *>(*wanted);
    writer.writeVarInt(version.major);
    writer.writeVarInt(version.minor);
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const final {
    auto version = std::make_unique<ScanDialectVersion>();
    if (failed(reader.readVarInt(version->major)) ||
        failed(reader.readVarInt(version->minor)))
      return nullptr;
    constexpr uint64_t major = ScanDialectVersion::kMajor,
                       minor = ScanDialectVersion::kMinor;
    bool isNewer =
        std::pair(version->major, version->minor) > std::pair(major, minor);
    if (!isNewer && version->major == major)
      return version;
    reader.emitError() << "expected bytecode of the scan dialect, version "
                       << major
                       << (minor ? ".0 to " + std::to_string(major)
                                 : std::string())
                       << '.' << minor << ", found version " << version->major
                       << '.' << version->minor << "; "
                       << (isNewer ? "read it with a newer mlir-scan"
                                   : "read it with the mlir-scan that wrote it")
                       << ", or have the program written as text there";
    return nullptr;
  }
};

} // namespace

void scan::impl::addBytecodeInterface(ScanDialect &dialect) {
  dialect.addInterface(std::make_unique<ScanBytecodeInterface>(&dialect));
}
