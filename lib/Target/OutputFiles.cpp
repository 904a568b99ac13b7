//===- OutputFiles.cpp - Files that appear whole or not at all ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputFiles.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

using namespace mlir;
using namespace mlir::scan;

static llvm::Error makeError(StringRef path, std::error_code code) {
  return llvm::createStringError(code, "cannot write '%s': %s",
                                 path.str().c_str(), code.message().c_str());
}

static llvm::Error makeError(StringRef path, llvm::Error error) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "cannot write '%s': %s", path.str().c_str(),
                                 llvm::toString(std::move(error)).c_str());
}

/// True for what cannot be replaced by renaming: standard output, devices.
static bool isWrittenInPlace(StringRef path) {
  if (path == "-")
    return true;
  llvm::sys::fs::file_status status;
  return !llvm::sys::fs::status(path, status) &&
         llvm::sys::fs::exists(status) &&
         !llvm::sys::fs::is_regular_file(status);
}

static llvm::Error writeInPlace(const OutputFile &file) {
  std::error_code code;
  llvm::raw_fd_ostream stream(file.path, code, llvm::sys::fs::OF_None);
  if (code)
    return makeError(file.path, code);
  stream << file.contents;
  stream.flush();
  if (stream.has_error()) {
    code = stream.error();
    stream.clear_error();
    return makeError(file.path, code);
  }
  return llvm::Error::success();
}

namespace {

/// A temporary file that is on its way to a path.
struct PendingFile {
  StringRef path;
  llvm::sys::fs::TempFile temporary;
};

} // namespace

static llvm::Expected<PendingFile> writeTemporary(const OutputFile &file) {
  llvm::Expected<llvm::sys::fs::TempFile> temporary =
      llvm::sys::fs::TempFile::create(file.path + ".tmp-%%%%%%",
                                      llvm::sys::fs::all_read |
                                          llvm::sys::fs::all_write);
  if (!temporary)
    return makeError(file.path, temporary.takeError());
  llvm::raw_fd_ostream stream(temporary->FD, /*shouldClose=*/false);
  stream << file.contents;
  stream.flush();
  if (stream.has_error()) {
    std::error_code code = stream.error();
    stream.clear_error();
    llvm::consumeError(temporary->discard());
    return makeError(file.path, code);
  }
  return PendingFile{file.path, std::move(*temporary)};
}

/// Where a path leads, also if there is nothing yet.
static SmallString<128> resolve(StringRef path) {
  SmallString<128> resolved;
  if (!llvm::sys::fs::real_path(path, resolved))
    return resolved;
  StringRef folder = llvm::sys::path::parent_path(path);
  if (llvm::sys::fs::real_path(folder.empty() ? "." : folder, resolved))
    return SmallString<128>(path);
  llvm::sys::path::append(resolved, llvm::sys::path::filename(path));
  return resolved;
}

/// Equal for two paths if they are one file, through links of any kind.
static std::string getIdentity(StringRef path) {
  llvm::sys::fs::UniqueID id;
  if (!llvm::sys::fs::getUniqueID(path, id))
    return (Twine(id.getDevice()) + ":" + Twine(id.getFile())).str();
  return resolve(path).str().str();
}

llvm::Error mlir::scan::checkOutputPaths(ArrayRef<StringRef> outputs,
                                         ArrayRef<StringRef> inputs) {
  // Programs may have thousands of both: each path is looked up once.
  llvm::StringMap<StringRef> read, written;
  for (StringRef input : inputs)
    if (input != "-")
      read.try_emplace(getIdentity(input), input);
  for (StringRef output : outputs) {
    if (output == "-") {
      if (!written.try_emplace("-", output).second)
        return llvm::createStringError(
            llvm::inconvertibleErrorCode(),
            "expected one output on standard output, "
            "found two; name a file for one of them");
      continue;
    }
    if (isWrittenInPlace(output))
      continue;
    std::string identity = getIdentity(output);
    if (auto [other, isNew] = written.try_emplace(identity, output); !isNew)
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "expected a file for each output, found '" + other->second +
              "' and '" + output + "', which are one file");
    if (auto input = read.find(identity); input != read.end())
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "expected an output that is no input, found '" + output +
              "', which is the input '" + input->second +
              "' and would be overwritten; name another file");
  }
  return llvm::Error::success();
}

llvm::Error mlir::scan::writeOutputFiles(ArrayRef<OutputFile> files) {
  std::vector<PendingFile> pending;
  auto discardFrom = [&](size_t first) {
    for (PendingFile &file : MutableArrayRef(pending).drop_front(first))
      llvm::consumeError(file.temporary.discard());
  };
  for (const OutputFile &file : files) {
    if (isWrittenInPlace(file.path))
      continue;
    llvm::Expected<PendingFile> written = writeTemporary(file);
    if (!written) {
      discardFrom(0);
      return written.takeError();
    }
    pending.push_back(std::move(*written));
  }
  for (const OutputFile &file : files)
    if (isWrittenInPlace(file.path))
      if (llvm::Error error = writeInPlace(file)) {
        discardFrom(0);
        return error;
      }
  for (size_t i = 0; i < pending.size(); ++i) {
    if (llvm::Error error = pending[i].temporary.keep(pending[i].path)) {
      // Whatever is in place already is of no use without the rest.
      for (size_t j = 0; j < i; ++j)
        llvm::sys::fs::remove(pending[j].path);
      discardFrom(i + 1);
      return makeError(pending[i].path, std::move(error));
    }
  }
  return llvm::Error::success();
}

llvm::Error mlir::scan::writeReport(StringRef output, StringRef text,
                                    Location program) {
  if (auto file = program->findInstanceOf<FileLineColLoc>())
    if (llvm::Error error =
            checkOutputPaths(output, file.getFilename().getValue()))
      return error;
  return writeOutputFiles({{output, text}});
}
