//===- CPUImage.cpp - Compiled functions as bytes -------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An image is a line of text, the hash of everything after it, and then fields:
// numbers of eight bytes, and texts with their lengths in front of them.
//
//===----------------------------------------------------------------------===//

#include "JIT.h"
#include "Scan/Execution/CPU.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::scan;

/// What the fields are, and what the code expects of this library: to be
/// changed with either.
static constexpr StringLiteral magic = "mlir-scan machine code 3\n";

static std::string getVersion() {
  return (Twine(SCAN_VERSION) + ", LLVM " + LLVM_VERSION_STRING).str();
}

namespace {
class Writer {
public:
  void addNumber(uint64_t number) {
    char bytes[sizeof(number)];
    llvm::support::endian::write64le(bytes, number);
    fields.append(bytes, sizeof(bytes));
  }
  void addText(StringRef text) {
    addNumber(text.size());
    fields += text;
  }

  std::string fields;
};

/// What is missing reads as 0 and empty texts.
class Reader {
public:
  explicit Reader(StringRef fields) : fields(fields) {}

  uint64_t getNumber() {
    StringRef bytes = take(sizeof(uint64_t));
    return isComplete ? llvm::support::endian::read64le(bytes.data()) : 0;
  }
  StringRef getText() { return take(getNumber()); }
  bool isAtEnd() const { return isComplete && fields.empty(); }
  bool hasMore() const { return isComplete; }

private:
  StringRef take(uint64_t size) {
    isComplete &= size <= fields.size();
    if (!isComplete)
      return StringRef();
    StringRef bytes = fields.take_front(size);
    fields = fields.drop_front(size);
    return bytes;
  }

  StringRef fields;
  bool isComplete = true;
};
} // namespace

static std::string getHash(StringRef bytes) {
  llvm::XXH128_hash_t hash =
      llvm::xxh3_128bits(ArrayRef<uint8_t>(bytes.bytes_begin(), bytes.size()));
  Writer writer;
  writer.addNumber(hash.low64);
  writer.addNumber(hash.high64);
  return writer.fields;
}

void CpuExecutable::write(llvm::raw_ostream &stream) const {
  Writer writer;
  writer.addText(getVersion());
  writer.addText(JITModule::getProcessor());
  writer.addText(call.getEntry());
  auto place =
      LocationAttr(call.getLoc()).findInstanceOfOrUnknown<FileLineColLoc>();
  auto file = dyn_cast<FileLineColLoc>(place);
  writer.addText(file ? file.getFilename().getValue() : StringRef());
  writer.addNumber(file ? file.getLine() : 0);
  writer.addNumber(file ? file.getColumn() : 0);
  std::string type;
  llvm::raw_string_ostream(type)
      << FunctionType::get(call.getLoc().getContext(), call.getArgumentTypes(),
                           call.getResultTypes());
  writer.addText(type);
  writer.addNumber(static_cast<uint64_t>(stridedArguments));
  const HostCall::ResultLayout &layout = call.getResultLayout();
  writer.addNumber(layout.bytes);
  writer.addNumber(layout.offsets.size());
  for (size_t offset : layout.offsets)
    writer.addNumber(offset);
  writer.addNumber(jit->getObjects().size());
  for (StringRef object : jit->getObjects())
    writer.addText(object);
  stream << magic << getHash(writer.fields) << writer.fields;
}

FailureOr<std::unique_ptr<CpuExecutable>> CpuExecutable::read(Location location,
                                                              StringRef bytes) {
  StringRef fields = bytes;
  if (!fields.consume_front(magic))
    return emitError(location, "expected machine code of this library, found "
                               "something else, or that of another version");
  std::string hash = getHash(StringRef());
  if (fields.size() < hash.size() ||
      fields.take_front(hash.size()) != getHash(fields.drop_front(hash.size())))
    return emitError(location, "expected machine code as it was written, found "
                               "some that was damaged");
  Reader reader(fields.drop_front(hash.size()));
  if (StringRef version = reader.getText(); version != getVersion())
    return emitError(location) << "expected machine code of version "
                               << getVersion() << ", found " << version;
  std::string processor = JITModule::getProcessor();
  if (StringRef found = reader.getText(); found != processor)
    return emitError(location) << "expected machine code for " << processor
                               << ", found some for " << found;
  StringRef entry = reader.getText();
  MLIRContext *context = location.getContext();
  StringRef file = reader.getText();
  unsigned line = reader.getNumber(), column = reader.getNumber();
  Location place = file.empty()
                       ? Location(UnknownLoc::get(context))
                       : FileLineColLoc::get(context, file, line, column);
  StringRef typeText = reader.getText();
  uint64_t strided = reader.getNumber();
  HostCall::ResultLayout layout;
  layout.bytes = reader.getNumber();
  for (uint64_t i = reader.getNumber(); i > 0 && reader.hasMore(); --i)
    layout.offsets.push_back(reader.getNumber());
  std::vector<std::string> objects;
  for (uint64_t i = reader.getNumber(); i > 0 && reader.hasMore(); --i)
    objects.push_back(reader.getText().str());
  if (!reader.isAtEnd())
    return emitError(location, "expected machine code, found a part of some");

  auto type = dyn_cast_or_null<FunctionType>(parseType(typeText, context));
  if (!type)
    return emitError(location)
           << "expected a function type, found '" << typeText << "'";
  if (strided > static_cast<uint64_t>(StridedArguments::Any))
    return emitError(location)
           << "expected the strides of arguments, found " << strided;
  FailureOr<HostCall> call =
      HostCall::restore(entry, place, type, std::move(layout));
  if (failed(call))
    return failure();
  FailureOr<std::unique_ptr<JITModule>> jit =
      JITModule::load(location, std::move(objects), HostRuntime::getSymbols());
  if (failed(jit))
    return failure();
  StringRef name = HostCall::getTrampolineName();
  std::unique_ptr<CpuExecutable> executable(
      new CpuExecutable(std::move(*call), std::move(*jit)));
  executable->stridedArguments = static_cast<StridedArguments>(strided);
  std::string error;
  executable->address = executable->jit->lookup(name, error);
  if (!executable->address)
    return emitError(location)
           << "'" << entry << "' cannot be linked: " << error;
  return executable;
}
