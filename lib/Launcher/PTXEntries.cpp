//===- PTXEntries.cpp - The kernels of a PTX text -------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXEntries.h"
#include "ManifestReader.h"
#include "SHA256.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace mlir::scan::launcher;

//===----------------------------------------------------------------------===//
// The headers of entries
//===----------------------------------------------------------------------===//

static bool isFollow(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%';
}

static bool isDigit(char c) { return c >= '0' && c <= '9'; }

namespace {
/// Reads words, directives (`.entry`) and single characters; comments and
/// strings are left out.
class PTXReader {
public:
  PTXReader(const std::string &ptx) : ptx(ptx) {}

  Status read(std::vector<PTXEntry> &entries);

private:
  /// The next token goes to `token`, which is empty at the end.
  void next();
  Status readParameters(PTXEntry &entry);
  /// One parameter, up to the comma or the parenthesis behind it.
  Status readParameter(const PTXEntry &entry, PTXEntry::Parameter &parameter);
  /// A number of the current token; 0 where there is none.
  uint64_t getNumber() const {
    return isDigit(token[0]) ? std::strtoull(token.c_str(), nullptr, 0) : 0;
  }
  Status fail(const std::string &expected) const {
    return Status::failure("the PTX is damaged: expected " + expected +
                           ", found " +
                           (token.empty() ? "the end" : "'" + token + "'") +
                           "; write PTX and manifest anew");
  }

  const std::string &ptx;
  size_t position = 0;
  std::string token;
};
} // namespace

void PTXReader::next() {
  const size_t size = ptx.size();
  auto at = [&](size_t i) { return i < size ? ptx[i] : '\0'; };
  while (position < size) {
    char c = ptx[position];
    if (c == '/' && at(position + 1) == '/') {
      position = std::min(ptx.find('\n', position), size);
    } else if (c == '/' && at(position + 1) == '*') {
      size_t end = ptx.find("*/", position + 2);
      position = end == std::string::npos ? size : end + 2;
    } else if (c == '"') {
      // No string goes on in the next line.
      size_t end = ptx.find_first_of("\"\n", position + 1);
      position = end == std::string::npos ? size : end + 1;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++position;
    } else {
      break;
    }
  }
  size_t start = position;
  if (position < size)
    ++position;
  if (isFollow(at(start)) || (at(start) == '.' && isFollow(at(position))))
    while (isFollow(at(position)))
      ++position;
  token.assign(ptx, start, position - start);
}

Status PTXReader::readParameter(const PTXEntry &entry,
                                PTXEntry::Parameter &parameter) {
  const std::string what = " as parameter " +
                           std::to_string(entry.parameters.size()) + " of '" +
                           entry.name + "'";
  if (token != ".param")
    return fail("'.param'" + what);
  bool isPointer = false;
  for (next(); token != "," && token != ")"; next()) {
    if (token.empty())
      return fail("',' or ')'" + what);
    if (token == ".ptr") {
      // The alignment behind it is that of what the parameter points to.
      isPointer = true;
    } else if (token == ".align") {
      next();
      if (uint64_t alignment = getNumber(); alignment == 0)
        return fail("an alignment" + what);
      else if (!isPointer)
        parameter.alignment = alignment;
    } else if (token == "[") {
      next();
      uint64_t count = getNumber();
      next();
      if (count == 0 || token != "]" ||
          __builtin_mul_overflow(parameter.bytes, count, &parameter.bytes))
        return fail("a number of elements" + what);
    } else if (token.size() > 2 && token[0] == '.' &&
               std::strchr("bsuf", token[1]) && isDigit(token[2])) {
      // .u64 and the like, .f16x2: bits, and how often.
      char *end = nullptr;
      parameter.bytes = std::strtoull(token.c_str() + 2, &end, 10) / 8;
      if (*end == 'x')
        parameter.bytes *= std::strtoull(end + 1, nullptr, 10);
      if (parameter.alignment == 0)
        parameter.alignment = parameter.bytes;
    } else if (token == ".texref" || token == ".samplerref" ||
               token == ".surfref") {
      parameter = {8, 8};
    } else if (!isFollow(token[0]) && token[0] != '.') {
      return fail("',' or ')'" + what);
    }
  }
  if (parameter.bytes == 0)
    return fail("a type" + what);
  return Status::success();
}

Status PTXReader::readParameters(PTXEntry &entry) {
  next();
  // A kernel without parameters has no parentheses, or nothing in them.
  if (token != "(")
    return Status::success();
  next();
  while (token != ")") {
    PTXEntry::Parameter parameter;
    Status status = readParameter(entry, parameter);
    if (!status.ok())
      return status;
    entry.parameters.push_back(parameter);
    if (token == ",")
      next();
  }
  next();
  return Status::success();
}

Status PTXReader::read(std::vector<PTXEntry> &entries) {
  next();
  while (!token.empty()) {
    if (token != ".entry") {
      next();
      continue;
    }
    next();
    if (token.empty() || !isFollow(token[0]) || isDigit(token[0]))
      return fail("the name of a kernel");
    PTXEntry entry;
    entry.name = token;
    Status status = readParameters(entry);
    if (!status.ok())
      return status;
    entries.push_back(std::move(entry));
  }
  return Status::success();
}

Status mlir::scan::launcher::readPTXEntries(const std::string &ptx,
                                            std::vector<PTXEntry> &entries) {
  return PTXReader(ptx).read(entries);
}

//===----------------------------------------------------------------------===//
// PTX and manifest
//===----------------------------------------------------------------------===//

static Status failStale(const std::string &what) {
  return Status::failure(
      "the PTX and the manifest do not belong together: " + what +
      "; one of the two files is stale: write both anew, in one run of "
      "scan-translate with -o and --manifest");
}

static Status checkKernel(const KernelDescription &kernel,
                          const std::vector<PTXEntry> &entries) {
  auto entry =
      std::find_if(entries.begin(), entries.end(), [&](const PTXEntry &entry) {
        return entry.name == kernel.entry;
      });
  if (entry == entries.end())
    return failStale("expected a kernel '" + kernel.entry +
                     "' in the PTX, found none of that name among " +
                     std::to_string(entries.size()));
  const std::string where = "kernel '" + kernel.entry + "': expected ";
  if (entry->parameters.size() != kernel.parameters.size())
    return failStale(where + std::to_string(kernel.parameters.size()) +
                     " parameters, as the manifest says, found " +
                     std::to_string(entry->parameters.size()) + " in the PTX");
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const ParameterDescription &parameter = kernel.parameters[i];
    if (entry->parameters[i].bytes != uint64_t(parameter.size))
      return failStale(where + std::to_string(parameter.size) +
                       " bytes in parameter " + std::to_string(i) + ", '" +
                       parameter.name + "', as the manifest says, found " +
                       std::to_string(entry->parameters[i].bytes) +
                       " in the PTX");
  }
  return Status::success();
}

/// Fails where the PTX is not the one that the manifest was written with.
static Status checkHash(const ManifestDescription &manifest,
                        const std::string &ptx) {
  if (manifest.hash.empty())
    return Status::success();
  std::array<uint8_t, 32> found = computeSHA256(ptx);
  if (std::equal(found.begin(), found.end(), manifest.hash.begin(),
                 manifest.hash.end()))
    return Status::success();
  return failStale("the kernels have the same parameters, but the SHA-256 of "
                   "the PTX is not the one in the manifest (a PTX that was "
                   "changed on purpose needs a manifest without "
                   "'ptx_sha256')");
}

Status mlir::scan::launcher::checkPTX(const ManifestDescription &manifest,
                                      const std::string &ptx,
                                      std::vector<PTXEntry> &entries) {
  Status status = readPTXEntries(ptx, entries);
  for (const FunctionDescription &function : manifest.functions)
    for (const KernelDescription &kernel : function.kernels)
      if (status.ok())
        status = checkKernel(kernel, entries);
  return status.ok() ? checkHash(manifest, ptx) : status;
}

Status mlir::scan::launcher::checkPartOfPTX(const ManifestDescription &manifest,
                                            const std::string &ptx,
                                            std::vector<PTXEntry> &entries) {
  size_t kernels = 0;
  Status status = readPTXEntries(ptx, entries);
  for (const FunctionDescription &function : manifest.functions)
    for (const KernelDescription &kernel : function.kernels) {
      bool isThere =
          std::any_of(entries.begin(), entries.end(), [&](const auto &entry) {
            return entry.name == kernel.entry;
          });
      if (!status.ok() || !isThere)
        continue;
      ++kernels;
      status = checkKernel(kernel, entries);
    }
  if (status.ok() && kernels == 0)
    return failStale("expected some of the kernels of the manifest in the PTX, "
                     "found none among " +
                     std::to_string(entries.size()));
  return status.ok() ? checkHash(manifest, ptx) : status;
}
