//===- BytecodeInterface.cpp - The dialect in bytecode --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BytecodeInterface.h"
#include "Scan/IR/DialectVersion.h"
#include "Scan/IR/ScanDialect.h"
#include "Scan/IR/ScanRecurrence.h"
#include "mlir/Bytecode/Encoding.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::scan;

/// Whether recurrences say in which order their steps may be taken.
static bool hasRecurrenceOrder(const ScanDialectVersion &version) {
  return version.major > 6 || (version.major == 6 && version.minor >= 3);
}

/// Whether inputs of kernels may be gathered.
static bool hasGathers(const ScanDialectVersion &version) {
  return version.major > 6 || (version.major == 6 && version.minor >= 4);
}

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

  LogicalResult upgradeFromVersion(Operation *top,
                                   const DialectVersion &found) const final {
    // There was one order of steps before there was the attribute.
    if (!hasRecurrenceOrder(static_cast<const ScanDialectVersion &>(found)))
      top->walk([](RecurrenceOp recurrence) {
        recurrence.setOrder(Order::Sequential);
      });
    // Bytecode of MLIR's version 4 has properties by name. The former one is
    // read for one release.
    top->walk([](KernelOp kernel) {
      auto leaves = kernel->getAttrOfType<IntegerAttr>("opposite");
      if (!leaves)
        return;
      kernel->removeDiscardableAttr("opposite");
      kernel.setBidirectionalAttr(leaves);
    });
    return success();
  }
};

} // namespace

/// What is wrong about writing `kernel` as `version`; empty if nothing is.
static std::string describeUnknown(KernelOp kernel,
                                   const ScanDialectVersion &version) {
  if (!kernel.getGathersAttr() || hasGathers(version))
    return "";
  return llvm::formatv("expected no 'gathers' in bytecode of the scan dialect "
                       "before version 6.4, found it in a kernel that is to be "
                       "written as version {0}.{1}; write version 6.4 or text",
                       version.major, version.minor);
}

LogicalResult scan::verifyBytecodeVersion(Operation *top,
                                          const ScanDialectVersion &version) {
  bool isKnown = true;
  top->walk([&](KernelOp kernel) {
    std::string error = describeUnknown(kernel, version);
    if (error.empty())
      return;
    isKnown = false;
    kernel.emitOpError(error);
  });
  return success(isKnown);
}

/// Reads the sizes of the groups of operands of `op` as an attribute.
static LogicalResult readSizes(DialectBytecodeReader &reader,
                               MutableArrayRef<int32_t> sizes, StringRef op) {
  DenseI32ArrayAttr attribute;
  if (failed(reader.readAttribute(attribute)))
    return failure();
  if (attribute.size() != static_cast<int64_t>(sizes.size()))
    return reader.emitError("expected ")
           << sizes.size() << " groups of operands of " << op << ", found "
           << attribute.size();
  llvm::copy(attribute.asArrayRef(), sizes.begin());
  return success();
}

/// The generated code would have properties in the order of their names; this
/// is their order in version 6.0 of the dialect, behind which there are those
/// of later versions. MLIR's bytecode before version 6 has the sizes of operand
/// groups among them, as an attribute.
LogicalResult KernelOp::readProperties(DialectBytecodeReader &reader,
                                       OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  MutableArrayRef<int32_t> sizes = properties.operandSegmentSizes;
  bool hasSizesLast =
      reader.getBytecodeVersion() >= bytecode::kNativePropertiesODSSegmentSize;
  if (failed(reader.readOptionalAttribute(properties.boundaries)) ||
      failed(reader.readAttribute(properties.dim)) ||
      failed(reader.readAttribute(properties.indexing_maps)))
    return failure();
  if (!hasSizesLast && failed(readSizes(reader, sizes, "scan.kernel")))
    return failure();
  if (failed(reader.readOptionalAttribute(properties.bidirectional)) ||
      failed(reader.readOptionalAttribute(properties.order)) ||
      failed(reader.readOptionalAttribute(properties.reverse)) ||
      failed(reader.readOptionalAttribute(properties.schedule)) ||
      failed(reader.readOptionalAttribute(properties.segment_offsets)) ||
      failed(reader.readOptionalAttribute(properties.shifts)))
    return failure();
  FailureOr<const DialectVersion *> version =
      reader.getDialectVersion<ScanDialect>();
  if (succeeded(version) &&
      hasGathers(*static_cast<const ScanDialectVersion *>(*version)) &&
      failed(reader.readOptionalAttribute(properties.gathers)))
    return failure();
  return hasSizesLast ? reader.readSparseArray(sizes) : success();
}

void KernelOp::writeProperties(DialectBytecodeWriter &writer) {
  Properties &properties = getProperties();
  ArrayRef<int32_t> sizes = properties.operandSegmentSizes;
  bool hasSizesLast =
      writer.getBytecodeVersion() >= bytecode::kNativePropertiesODSSegmentSize;
  FailureOr<const DialectVersion *> wanted =
      writer.getDialectVersion<ScanDialect>();
  ScanDialectVersion version;
  if (succeeded(wanted))
    version = *static_cast<const ScanDialectVersion *>(*wanted);
  writer.writeOptionalAttribute(properties.boundaries);
  std::string error = describeUnknown(*this, version);
  if (error.empty()) {
    writer.writeAttribute(properties.dim);
  } else {
    // Nothing else stops the writer. Readers say what they expect as `dim`, and
    // that they have found the error.
    emitOpError(error);
    writer.writeAttribute(StringAttr::get(getContext(), error));
  }
  writer.writeAttribute(properties.indexing_maps);
  if (!hasSizesLast)
    writer.writeAttribute(DenseI32ArrayAttr::get(getContext(), sizes));
  writer.writeOptionalAttribute(properties.bidirectional);
  writer.writeOptionalAttribute(properties.order);
  writer.writeOptionalAttribute(properties.reverse);
  writer.writeOptionalAttribute(properties.schedule);
  writer.writeOptionalAttribute(properties.segment_offsets);
  writer.writeOptionalAttribute(properties.shifts);
  if (hasGathers(version))
    writer.writeOptionalAttribute(properties.gathers);
  if (hasSizesLast)
    writer.writeSparseArray(sizes);
}

/// As for kernels: this is the order of version 6.3.
LogicalResult RecurrenceOp::readProperties(DialectBytecodeReader &reader,
                                           OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  MutableArrayRef<int32_t> sizes = properties.operandSegmentSizes;
  bool hasSizesLast =
      reader.getBytecodeVersion() >= bytecode::kNativePropertiesODSSegmentSize;
  if (failed(reader.readAttribute(properties.dim)) ||
      failed(reader.readOptionalAttribute(properties.final_states)) ||
      failed(reader.readOptionalAttribute(properties.init_rows)) ||
      (!hasSizesLast && failed(readSizes(reader, sizes, "scan.recurrence"))))
    return failure();
  FailureOr<const DialectVersion *> version =
      reader.getDialectVersion<ScanDialect>();
  bool hasOrder =
      succeeded(version) &&
      hasRecurrenceOrder(*static_cast<const ScanDialectVersion *>(*version));
  if ((hasOrder && failed(reader.readOptionalAttribute(properties.order))) ||
      failed(reader.readOptionalAttribute(properties.reverse)))
    return failure();
  return hasSizesLast ? reader.readSparseArray(sizes) : success();
}

void RecurrenceOp::writeProperties(DialectBytecodeWriter &writer) {
  Properties &properties = getProperties();
  ArrayRef<int32_t> sizes = properties.operandSegmentSizes;
  bool hasSizesLast =
      writer.getBytecodeVersion() >= bytecode::kNativePropertiesODSSegmentSize;
  writer.writeAttribute(properties.dim);
  writer.writeOptionalAttribute(properties.final_states);
  writer.writeOptionalAttribute(properties.init_rows);
  if (!hasSizesLast)
    writer.writeAttribute(DenseI32ArrayAttr::get(getContext(), sizes));
  // Without it steps are taken one after the other, as each order allows.
  FailureOr<const DialectVersion *> version =
      writer.getDialectVersion<ScanDialect>();
  if (failed(version) ||
      hasRecurrenceOrder(*static_cast<const ScanDialectVersion *>(*version)))
    writer.writeOptionalAttribute(properties.order);
  writer.writeOptionalAttribute(properties.reverse);
  if (hasSizesLast)
    writer.writeSparseArray(sizes);
}

void scan::impl::addBytecodeInterface(ScanDialect &dialect) {
  dialect.addInterface(std::make_unique<ScanBytecodeInterface>(&dialect));
}
