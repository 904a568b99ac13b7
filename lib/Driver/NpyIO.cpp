//===- NpyIO.cpp - Arrays in NumPy's file format --------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NpyIO.h"
#include "Target/OutputFiles.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir;
using namespace mlir::scan;
using llvm::createStringError;

static constexpr char kMagic[] = "\x93NUMPY";
static constexpr size_t kMagicSize = 6;

/// The dtypes that hold an element type; the first is the one to write.
static SmallVector<StringRef> getDtypes(Type type) {
  if (type.isInteger(1))
    return {"|b1"};
  if (type.isInteger(8))
    return {"|i1", "|u1"};
  if (type.isInteger(16))
    return {"<i2", "<u2"};
  if (type.isInteger(32))
    return {"<i4", "<u4"};
  if (type.isInteger(64) || type.isIndex())
    return {"<i8", "<u8"};
  if (type.isF16())
    return {"<f2"};
  if (type.isBF16())
    return {"|V2", "<V2", "<u2"};
  if (type.isF32())
    return {"<f4"};
  if (type.isF64())
    return {"<f8"};
  if (auto complex = dyn_cast<ComplexType>(type)) {
    if (complex.getElementType().isF32())
      return {"<c8"};
    if (complex.getElementType().isF64())
      return {"<c16"};
  }
  return {};
}

//===----------------------------------------------------------------------===//
// The header, a Python dictionary
//===----------------------------------------------------------------------===//

/// Text from a file, fit for a message: on one line and not too long.
static std::string escape(StringRef text) {
  std::string escaped;
  llvm::raw_string_ostream os(escaped);
  llvm::printEscapedString(text.take_front(40), os);
  if (text.size() > 40)
    os << "...";
  return escaped;
}

namespace {
struct Header {
  std::string descr;
  bool fortranOrder = false;
  SmallVector<int64_t> shape;
};

/// Parses {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }, keys in
/// any order.
class HeaderParser {
public:
  HeaderParser(StringRef text, Header &header) : rest(text), header(header) {}

  /// What is wrong with the header; empty if nothing.
  std::string parse() {
    if (!consume('{'))
      return "expected '{'";
    bool hasDescr = false, hasOrder = false, hasShape = false;
    while (!consume('}')) {
      std::string key;
      if (!parseString(key))
        return "expected a key in quotes";
      if (!consume(':'))
        return "expected ':' after a key";
      if (key == "descr") {
        hasDescr = true;
        if (!parseString(header.descr))
          return "structured dtypes are not supported: expected one dtype in "
                 "quotes";
      } else if (key == "fortran_order") {
        hasOrder = true;
        if (consumeWord("True"))
          header.fortranOrder = true;
        else if (!consumeWord("False"))
          return "expected True or False after 'fortran_order'";
      } else if (key == "shape") {
        hasShape = true;
        if (!parseShape())
          return "expected a tuple of extents after 'shape'";
      } else {
        return "unexpected key '" + escape(key) + "'";
      }
      if (!consume(',') && !peek('}'))
        return "expected ',' or '}'";
    }
    if (!hasDescr || !hasOrder || !hasShape)
      return "expected the keys 'descr', 'fortran_order' and 'shape'";
    return rest.trim(" \n").empty() ? "" : "unexpected text after '}'";
  }

private:
  void skipSpace() { rest = rest.ltrim(" \t\n"); }
  bool peek(char c) {
    skipSpace();
    return rest.starts_with(StringRef(&c, 1));
  }
  bool consume(char c) {
    skipSpace();
    return rest.consume_front(StringRef(&c, 1));
  }
  bool consumeWord(StringRef word) {
    skipSpace();
    return rest.consume_front(word);
  }
  bool parseString(std::string &value) {
    skipSpace();
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"'))
      return false;
    size_t end = rest.find(rest.front(), 1);
    if (end == StringRef::npos)
      return false;
    value = rest.slice(1, end).str();
    rest = rest.drop_front(end + 1);
    return true;
  }
  bool parseShape() {
    header.shape.clear();
    if (!consume('('))
      return false;
    while (!consume(')')) {
      skipSpace();
      int64_t extent = 0;
      if (rest.consumeInteger(10, extent) || extent < 0)
        return false;
      consumeWord("L"); // Python 2 wrote long integers so.
      header.shape.push_back(extent);
      if (!consume(',') && !peek(')'))
        return false;
    }
    return true;
  }

  StringRef rest;
  Header &header;
};
} // namespace

static llvm::Error malformed(StringRef name, const Twine &reason) {
  return createStringError(llvm::inconvertibleErrorCode(),
                           "'" + name +
                               "': not a readable .npy file: " + reason);
}

/// Splits a file into its header and its data.
static llvm::Error parseFile(StringRef contents, StringRef name, Header &header,
                             StringRef &data) {
  StringRef magic(kMagic, kMagicSize);
  if (!contents.starts_with(magic))
    return malformed(name, contents.empty()
                               ? "the file is empty"
                               : "expected it to start with \\x93NUMPY");
  if (contents.size() < kMagicSize + 4)
    return malformed(name, "the header is truncated");
  unsigned major = static_cast<unsigned char>(contents[kMagicSize]);
  if (major < 1 || major > 3)
    return malformed(name, "expected format version 1, 2 or 3, found " +
                               Twine(major));
  size_t lengthSize = major == 1 ? 2 : 4;
  size_t start = kMagicSize + 2 + lengthSize;
  if (contents.size() < start)
    return malformed(name, "the header is truncated");
  const char *lengthBytes = contents.data() + kMagicSize + 2;
  uint64_t length = major == 1 ? llvm::support::endian::read16le(lengthBytes)
                               : llvm::support::endian::read32le(lengthBytes);
  if (contents.size() - start < length)
    return malformed(name, "the header is truncated: expected " +
                               Twine(length) + " bytes, found " +
                               Twine(contents.size() - start));
  std::string reason =
      HeaderParser(contents.substr(start, length), header).parse();
  if (!reason.empty())
    return malformed(name, "header: " + reason);
  data = contents.drop_front(start + length);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static llvm::Error checkDtype(StringRef name, StringRef found, Type element) {
  SmallVector<StringRef> dtypes = getDtypes(element);
  if (dtypes.empty()) {
    std::string text;
    llvm::raw_string_ostream(text) << element;
    return createStringError(llvm::inconvertibleErrorCode(),
                             "'" + name +
                                 "': no .npy dtype holds elements of "
                                 "type " +
                                 text);
  }
  // "|" and "=" beside "<": not applicable and native, on the little-endian
  // machines that this runs on.
  for (StringRef dtype : dtypes)
    if (found == dtype || (found.size() == dtype.size() &&
                           found.drop_front() == dtype.drop_front() &&
                           (found[0] == '|' || found[0] == '=' ||
                            (found[0] == '<' && dtype[0] == '|'))))
      return llvm::Error::success();
  std::string hint;
  if (found.starts_with(">"))
    hint = " (big-endian; write it with .astype('" + dtypes[0].str() + "'))";
  return createStringError(llvm::inconvertibleErrorCode(),
                           "'" + name + "': expected dtype " +
                               llvm::join(dtypes, " or ") + ", found " +
                               escape(found) + hint);
}

/// Copies column-major data into row-major order.
static void copyFromFortranOrder(StringRef data, ArrayRef<int64_t> shape,
                                 int64_t elementSize, char *target) {
  SmallVector<int64_t> point(shape.size(), 0), strides(shape.size(), 1);
  for (size_t i = 1; i < shape.size(); ++i)
    strides[i] = strides[i - 1] * shape[i - 1];
  for (size_t offset = 0; offset < data.size(); offset += elementSize) {
    int64_t source = 0;
    for (auto [index, stride] : llvm::zip(point, strides))
      source += index * stride;
    std::memcpy(target + offset, data.data() + source * elementSize,
                elementSize);
    for (size_t i = shape.size(); i > 0 && ++point[i - 1] == shape[i - 1]; --i)
      point[i - 1] = 0;
  }
}

llvm::Expected<HostArray> mlir::scan::parseNpy(StringRef contents,
                                               StringRef name, Type type) {
  Header header;
  StringRef data;
  if (llvm::Error error = parseFile(contents, name, header, data))
    return std::move(error);
  Type element = getElementTypeOrSelf(type);
  if (llvm::Error error = checkDtype(name, header.descr, element))
    return std::move(error);

  HostArray array;
  array.elementType = element;
  array.shape = header.shape;
  std::string reason;
  if (!isCompatible(array, type, &reason))
    return createStringError(llvm::inconvertibleErrorCode(),
                             "'" + name + "': " + reason);
  std::optional<int64_t> size = getByteSize(element, header.shape);
  if (!size)
    return malformed(name, "the shape has too many elements");
  if (static_cast<uint64_t>(*size) != data.size())
    return malformed(name, "expected " + Twine(*size) +
                               " bytes of data for its shape, found " +
                               Twine(data.size()));
  if (*size > getMemoryLimit())
    return createStringError(llvm::inconvertibleErrorCode(),
                             "'" + name +
                                 "': the array exceeds the memory "
                                 "limit of " +
                                 Twine(getMemoryLimit()) + " bytes");
  array.data.resize(*size);
  if (*size == 0)
    return array;
  if (header.fortranOrder && header.shape.size() > 1)
    copyFromFortranOrder(data, header.shape, *getElementByteSize(element),
                         array.data.data());
  else
    std::memcpy(array.data.data(), data.data(), data.size());
  if (element.isInteger(1))
    for (char &byte : array.data)
      byte = byte != 0;
  return array;
}

llvm::Expected<HostArray> mlir::scan::readNpy(StringRef path, Type type) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (std::error_code error = buffer.getError())
    return createStringError(error,
                             "cannot read '" + path + "': " + error.message());
  return parseNpy((*buffer)->getBuffer(), path, type);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

llvm::Expected<std::string> mlir::scan::formatNpy(const HostArray &array) {
  SmallVector<StringRef> dtypes = getDtypes(array.elementType);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (dtypes.empty()) {
    os << "no .npy dtype holds elements of type " << array.elementType;
    return createStringError(llvm::inconvertibleErrorCode(), text);
  }
  os << "{'descr': '" << dtypes[0] << "', 'fortran_order': False, 'shape': (";
  llvm::interleaveComma(array.shape, os);
  os << (array.shape.size() == 1 ? ",), }" : "), }");
  // Data starts at a multiple of 64 bytes, and the header ends with a newline.
  size_t prefix = kMagicSize + 4;
  text.append(63 - (prefix + text.size()) % 64, ' ');
  text += '\n';
  if (text.size() > UINT16_MAX)
    return createStringError(llvm::inconvertibleErrorCode(),
                             "too many dimensions for a .npy file: " +
                                 Twine(array.shape.size()));
  std::string file(kMagic, kMagicSize);
  file += '\x01';
  file += '\x00';
  file += static_cast<char>(text.size() & 0xff);
  file += static_cast<char>(text.size() >> 8);
  file += text;
  file.append(array.data.data(), array.data.size());
  return file;
}

llvm::Error mlir::scan::writeNpyFiles(ArrayRef<NpyOutput> outputs) {
  SmallVector<std::string> contents;
  for (const NpyOutput &output : outputs) {
    llvm::Expected<std::string> file = formatNpy(*output.array);
    if (!file)
      return createStringError(llvm::inconvertibleErrorCode(),
                               "cannot write '" + output.path +
                                   "': " + llvm::toString(file.takeError()));
    contents.push_back(std::move(*file));
  }
  SmallVector<OutputFile> files;
  for (auto [output, text] : llvm::zip_equal(outputs, contents))
    files.push_back({output.path, text});
  return writeOutputFiles(files);
}
