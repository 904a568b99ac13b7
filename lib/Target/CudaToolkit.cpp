//===- CudaToolkit.cpp - Finds ptxas and libdevice ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaToolkit.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

using PathList = SmallVector<std::string>;

/// Appends the wheels' folder of each Python version in `environment`.
void addPythonEnvironment(StringRef environment, PathList &roots) {
  SmallString<128> lib(environment);
  llvm::sys::path::append(lib, "lib");
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(lib, error), end;
       !error && it != end; it.increment(error)) {
    if (!llvm::sys::path::filename(it->path()).starts_with("python"))
      continue;
    SmallString<128> root(it->path());
    llvm::sys::path::append(root, "site-packages", "nvidia", "cu13");
    if (llvm::sys::fs::is_directory(root))
      roots.push_back(std::string(root));
  }
}

/// Appends the wheels' folder of every `.venv` in `folder` or above it.
void addEnvironmentsAbove(StringRef folder, PathList &roots) {
  for (; !folder.empty(); folder = llvm::sys::path::parent_path(folder)) {
    SmallString<128> environment(folder);
    llvm::sys::path::append(environment, ".venv");
    if (llvm::sys::fs::is_directory(environment))
      addPythonEnvironment(environment, roots);
  }
}

/// The toolkits that the environment names.
PathList getNamedRoots() {
  PathList roots;
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (std::optional<std::string> value = llvm::sys::Process::GetEnv(name))
      if (!value->empty())
        roots.push_back(*value);
  return roots;
}

/// The folders that a toolkit may be in, in the order of preference.
PathList getRoots() {
  PathList roots = getNamedRoots();
  if (!roots.empty())
    return roots;
  roots.push_back("/usr/local/cuda");
  if (std::optional<std::string> value =
          llvm::sys::Process::GetEnv("VIRTUAL_ENV"))
    addPythonEnvironment(*value, roots);
  SmallString<128> working;
  if (!llvm::sys::fs::current_path(working))
    addEnvironmentsAbove(working, roots);
  std::string program = llvm::sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&findLibdevice));
  if (!program.empty())
    addEnvironmentsAbove(llvm::sys::path::parent_path(program), roots);
  return roots;
}

std::string findInRoots(ArrayRef<StringRef> relative,
                        llvm::sys::fs::AccessMode mode) {
  for (const std::string &root : getRoots()) {
    SmallString<128> path(root);
    for (StringRef part : relative)
      llvm::sys::path::append(path, part);
    if (!llvm::sys::fs::is_directory(path) &&
        !llvm::sys::fs::access(path, mode))
      return std::string(path);
  }
  return "";
}

/// The integer that stands before `unit` in `line`, 0 if there is none:
/// "Used 12 registers" holds 12 before " registers".
unsigned getNumberBefore(StringRef line, StringRef unit) {
  size_t end = line.find(unit);
  if (end == StringRef::npos)
    return 0;
  StringRef digits = line.take_front(end);
  digits = digits.substr(digits.find_last_not_of("0123456789") + 1);
  unsigned value = 0;
  return digits.getAsInteger(10, value) ? 0 : value;
}

/// Reads what `ptxas -v` prints.
SmallVector<KernelResources> parseResources(StringRef log) {
  SmallVector<KernelResources> resources;
  SmallVector<StringRef> lines;
  log.split(lines, '\n');
  for (StringRef line : lines) {
    constexpr llvm::StringLiteral entry = "Compiling entry function '";
    if (size_t at = line.find(entry); at != StringRef::npos) {
      resources.emplace_back();
      resources.back().entry =
          line.substr(at + entry.size()).take_until([](char c) {
            return c == '\'';
          });
    }
    if (resources.empty())
      continue;
    KernelResources &kernel = resources.back();
    if (line.contains("bytes stack frame")) {
      kernel.stackBytes = getNumberBefore(line, " bytes stack frame");
      kernel.spillStoreBytes = getNumberBefore(line, " bytes spill stores");
      kernel.spillLoadBytes = getNumberBefore(line, " bytes spill loads");
    } else if (line.contains(" registers")) {
      kernel.registers = getNumberBefore(line, " registers");
      kernel.sharedBytes = getNumberBefore(line, " bytes smem");
    }
  }
  return resources;
}

/// Counts the instructions of each kernel in `binary`, an object file for
/// NVIDIA's GPUs, which has a section for the code of each.
void countInstructions(StringRef binary,
                       MutableArrayRef<KernelResources> kernels) {
  // Of all chips from sm_70 on.
  constexpr uint64_t instructionBytes = 16;
  constexpr llvm::StringLiteral codePrefix = ".text.";
  llvm::Expected<llvm::object::ELF64LEFile> file =
      llvm::object::ELF64LEFile::create(binary);
  if (!file)
    return llvm::consumeError(file.takeError());
  auto sections = file->sections();
  if (!sections)
    return llvm::consumeError(sections.takeError());
  for (const llvm::object::ELF64LE::Shdr &section : *sections) {
    llvm::Expected<StringRef> name = file->getSectionName(section);
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    if (name->consume_front(codePrefix))
      for (KernelResources &kernel : kernels)
        if (kernel.entry == *name)
          kernel.instructions = section.sh_size / instructionBytes;
  }
}

} // namespace

std::string mlir::scan::findLibdevice() {
  return findInRoots({"nvvm", "libdevice", "libdevice.10.bc"},
                     llvm::sys::fs::AccessMode::Exist);
}

std::string mlir::scan::findPtxas() {
  if (getNamedRoots().empty())
    if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName("ptxas"))
      return *path;
  return findInRoots({"bin", "ptxas"}, llvm::sys::fs::AccessMode::Execute);
}

std::string mlir::scan::getToolkitHelp() {
  PathList named = getNamedRoots();
  if (!named.empty())
    return "looked in what CUDA_HOME and CUDA_PATH name, " +
           join(named, " and ") +
           "; set them to a CUDA Toolkit, or to nothing to look elsewhere";
  return "looked in /usr/local/cuda and in the Python environments VIRTUAL_ENV "
         "and .venv; install the CUDA Toolkit and set CUDA_HOME, or 'pip "
         "install nvidia-cuda-nvcc nvidia-nvvm' into .venv";
}

llvm::Expected<SmallVector<KernelResources>>
mlir::scan::assemblePTX(StringRef ptxas, StringRef ptx, StringRef chip) {
  SmallString<128> source, binary, log;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("scan", "ptx", source))
    return llvm::createStringError(error, "cannot make a temporary file: %s",
                                   error.message().c_str());
  llvm::FileRemover removeSource(source);
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("scan", "cubin", binary))
    return llvm::createStringError(error, "cannot make a temporary file: %s",
                                   error.message().c_str());
  llvm::FileRemover removeBinary(binary);
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("scan", "log", log))
    return llvm::createStringError(error, "cannot make a temporary file: %s",
                                   error.message().c_str());
  llvm::FileRemover removeLog(log);
  if (llvm::Error error = writeToOutput(source, [&](raw_ostream &os) {
        os << ptx;
        return llvm::Error::success();
      }))
    return std::move(error);

  std::string arch = ("-arch=" + chip).str();
  StringRef arguments[] = {ptxas, arch, "-v", "-o", binary, source};
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(log),
                                          StringRef(log)};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(ptxas, arguments, /*Env=*/std::nullopt,
                                         redirects, /*SecondsToWait=*/0,
                                         /*MemoryLimit=*/0, &message);
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> output =
      llvm::MemoryBuffer::getFile(log);
  StringRef text = output ? (*output)->getBuffer() : StringRef();
  if (status != 0) {
    std::string reason = text.trim().str();
    if (!message.empty())
      reason = message;
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "%s failed for %s: %s", ptxas.str().c_str(),
                                   chip.str().c_str(), reason.c_str());
  }
  SmallVector<KernelResources> resources = parseResources(text);
  if (auto assembled = llvm::MemoryBuffer::getFile(binary))
    countInstructions((*assembled)->getBuffer(), resources);
  return resources;
}

llvm::Error mlir::scan::reportKernelResources(StringRef ptx, StringRef chip,
                                              raw_ostream &os) {
  std::string ptxas = findPtxas();
  if (ptxas.empty()) {
    os << "ptxas was not found: " << getToolkitHelp() << "\n";
    return llvm::Error::success();
  }
  llvm::Expected<SmallVector<KernelResources>> resources =
      assemblePTX(ptxas, ptx, chip);
  if (!resources)
    return resources.takeError();
  size_t width = StringRef("kernel").size();
  for (const KernelResources &kernel : *resources)
    width = std::max(width, kernel.entry.size());
  os << llvm::left_justify("kernel", width)
     << "  registers  spill bytes  stack bytes  shared bytes\n";
  for (const KernelResources &kernel : *resources)
    os << llvm::left_justify(kernel.entry, width)
       << llvm::format("  %9u  %11u  %11u  %12u\n", kernel.registers,
                       kernel.spillStoreBytes + kernel.spillLoadBytes,
                       kernel.stackBytes, kernel.sharedBytes);
  return llvm::Error::success();
}
