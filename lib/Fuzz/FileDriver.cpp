//===- FileDriver.cpp - Looks for files that crash their readers ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "FileMutation.h"
#include "FuzzDriver.h"
#include "Random.h"
#include "llvm/ADT/StringExtras.h"
#include <sys/resource.h>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;
namespace json = llvm::json;

/// Files that one child reads, all of one kind: damaged bytecode may damage the
/// memory of those that come after it.
static constexpr uint64_t kFilesPerChild = kFilesOfOneKind;

/// Seconds of the processor that reading one file may take.
static constexpr unsigned kTimeout = 5;

namespace {
class FileDriver : public FuzzDriver {
public:
  FileDriver(const FuzzOptions &options, const FileSamples &samples,
             llvm::raw_ostream &out, llvm::raw_fd_ostream &err)
      : FuzzDriver(options, kFilesPerChild, out, err), samples(samples) {
    timeout = std::min(options.timeout, kTimeout);
    // MLIR's reader of bytecode does that.
    leavesDamage = true;
  }

private:
  struct Counts {
    uint64_t files = 0, accepted = 0, foreign = 0;
  };
  void print(uint64_t index) override {
    out << makeMutatedFile(samples, options.seed, index).contents;
  }
  void prepareChild() override;
  /// Whether the file fails nothing in a process that reads nothing else.
  bool passesAlone(uint64_t index);
  json::Object runCase(uint64_t index, MLIRContext &context,
                       ChildStatus &status) override;
  bool takeCase(uint64_t index, const json::Object &result) override;
  void takeEnd(uint64_t index, const Outcome &outcome,
               const ChildStatus &) override;
  void reportFailure(uint64_t index, Outcome &outcome, StringRef) override;
  LogicalResult checkCounts() override;
  void printCounts() override;
  void addCounts(json::Object &summary) override;
  Counts &count(uint64_t index) {
    return counts[static_cast<unsigned>(getFileKind(index))];
  }

  const FileSamples &samples;
  /// Of a child.
  std::unique_ptr<FileReader> reader;
  Counts counts[kNumFileKinds];
  /// Where MLIR's reader crashed, how often, and in which file first.
  std::map<std::string, std::pair<uint64_t, uint64_t>> foreign;
};
} // namespace

void FileDriver::reportFailure(uint64_t index, Outcome &outcome, StringRef) {
  MutatedFile file = makeMutatedFile(samples, options.seed, index);
  StringRef kind = stringifyFileKind(file.kind);
  out << "FAILED: file " << index << ", " << kind << ": " << outcome.message
      << "\n";
  out.flush();
  writeFile("file-" + Twine(options.seed) + "-" + Twine(index) + "." + kind,
            file.contents);
}

void FileDriver::takeEnd(uint64_t index, const Outcome &outcome,
                         const ChildStatus &) {
  ++count(index).files;
  auto addForeign = [&](const std::string &where) {
    ++count(index).foreign;
    ++foreign.try_emplace(where, 0, index).first->second.first;
  };
  // It counts up to numbers out of the file.
  if (outcome.kind == Outcome::Timeout &&
      getFileKind(index) == FileKind::Bytecode)
    return addForeign(outcome.message);
  if (outcome.kind == Outcome::Timeout)
    return fail(index, outcome);
  bool isForeign = false;
  std::string where = describeCrash(outcome.message, isForeign);
  std::string signal = StringRef(outcome.message).split('\n').first.str();
  // Of what MLIR's reader wrote where it should not another file may suffer.
  bool isBytecode = getFileKind(index) == FileKind::Bytecode;
  if (!isForeign && isBytecode && passesAlone(index))
    return addForeign(signal + " behind damaged bytecode");
  if (!isForeign || !isBytecode)
    return fail(index,
                {outcome.kind, outcome.target,
                 signal + " in " + (where.empty() ? outcome.message : where)});
  addForeign(signal + " in " + where);
}

bool FileDriver::passesAlone(uint64_t index) {
  auto read = [&](MLIRContext &context, ChildStatus &) -> Outcome {
    prepareChild();
    fuzz::Random random(options.seed, index);
    bool isAccepted = false;
    std::string wrong = FileReader(samples, context)
                            .read(makeMutatedFile(samples, options.seed, index),
                                  random, isAccepted);
    if (wrong.empty())
      return {};
    return {Outcome::Error, "", wrong};
  };
  return runCaseInChild(timeout, read).kind == Outcome::Pass;
}

void FileDriver::prepareChild() {
  traceCrashes();
  // A size out of a file is no reason to fill the machine's memory.
#if !__has_feature(address_sanitizer)
  rlimit memory{rlim_t(1) << 30, rlim_t(1) << 30};
  setrlimit(RLIMIT_DATA, &memory);
#endif
}

json::Object FileDriver::runCase(uint64_t index, MLIRContext &context,
                                 ChildStatus &status) {
  if (!reader)
    reader = std::make_unique<FileReader>(samples, context);
  MutatedFile file = makeMutatedFile(samples, options.seed, index);
  if (file.kind == FileKind::Manifest && !reader->canLaunch())
    return json::Object{{"skipped", true}};
  status.setStage(stringifyFileKind(file.kind));
  fuzz::Random random(options.seed, index);
  bool isAccepted = false;
  std::string wrong = reader->read(file, random, isAccepted);
  return json::Object{{"accepted", isAccepted},
                      {"wrong", json::fixUTF8(wrong)}};
}

bool FileDriver::takeCase(uint64_t index, const json::Object &object) {
  if (object.getBoolean("skipped").value_or(false))
    return false;
  ++count(index).files;
  count(index).accepted += object.getBoolean("accepted").value_or(false);
  StringRef wrong = object.getString("wrong").value_or("");
  if (!wrong.empty())
    fail(index, {Outcome::Error, "", wrong.str()});
  return true;
}

LogicalResult FileDriver::checkCounts() {
  if (!options.json)
    for (const auto &[where, entry] : foreign)
      out << "upstream: " << entry.first << " times, first file "
          << entry.second << ": " << where << "\n";
  return success();
}

void FileDriver::printCounts() {
  for (unsigned kind = 0; kind < kNumFileKinds; ++kind)
    out << ", " << counts[kind].files << " "
        << stringifyFileKind(static_cast<FileKind>(kind)) << " files ("
        << counts[kind].accepted << " accepted)";
  out << ", " << counts[unsigned(FileKind::Bytecode)].foreign
      << " crashes of MLIR's reader at " << foreign.size() << " places, "
      << failures.size() << " failures";
}

void FileDriver::addCounts(json::Object &summary) {
  json::Object files, accepted, upstream;
  for (unsigned kind = 0; kind < kNumFileKinds; ++kind) {
    StringRef name = stringifyFileKind(static_cast<FileKind>(kind));
    files[name] = counts[kind].files;
    accepted[name] = counts[kind].accepted;
  }
  for (const auto &[where, entry] : foreign)
    upstream[json::fixUTF8(where)] = entry.first;
  summary["files"] = std::move(files);
  summary["accepted"] = std::move(accepted);
  summary["upstream_crashes"] = std::move(upstream);
  summary["failures"] = failures.size();
}

LogicalResult fuzz::runFiles(const FuzzOptions &options, llvm::raw_ostream &out,
                             llvm::raw_fd_ostream &err) {
  FileSamples samples = makeFileSamples(options.seed);
  if (samples.programs.empty() || samples.launches.empty() ||
      samples.arrays.empty()) {
    err << "scan-fuzz: error: cannot write files to be damaged\n";
    return failure();
  }
  return FileDriver(options, samples, out, err).run();
}
