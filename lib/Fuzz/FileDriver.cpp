//===- FileDriver.cpp - Looks for files that crash their readers ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "FileMangle.h"
#include "Random.h"
#include "Scan/InitAll/InitAll.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <sys/resource.h>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;
namespace json = llvm::json;

/// Files that one child reads, all of one kind: damaged bytecode may damage the
/// memory of those that come after it.
static constexpr uint64_t kBatch = kFilesOfOneKind;

/// Seconds of the processor that reading one file may take.
static constexpr unsigned kTimeout = 5;

namespace {
class FileDriver {
public:
  FileDriver(const FuzzOptions &options, llvm::raw_ostream &out,
             llvm::raw_fd_ostream &err)
      : options(options), out(out), err(err),
        start(std::chrono::steady_clock::now()),
        samples(makeFileSamples(options.seed)) {}
  LogicalResult run();

private:
  struct Counts {
    uint64_t files = 0, accepted = 0, foreign = 0;
  };
  uint64_t runBatch(uint64_t begin, uint64_t end);
  void endAt(uint64_t index, Outcome::Kind kind, const Child &child);
  void fail(uint64_t index, StringRef message);
  void printSummary();
  double getSeconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  }
  bool isOver() const {
    return failures >= options.maxFailures ||
           (options.minutes && getSeconds() > *options.minutes * 60);
  }
  Counts &count(uint64_t index) {
    return counts[static_cast<unsigned>(getFileKind(index))];
  }

  const FuzzOptions &options;
  llvm::raw_ostream &out;
  llvm::raw_fd_ostream &err;
  std::chrono::steady_clock::time_point start;
  FileSamples samples;
  Counts counts[kNumFileKinds];
  /// Where MLIR's reader crashed, how often, and in which file first.
  std::map<std::string, std::pair<uint64_t, uint64_t>> foreign;
  unsigned failures = 0;
};
} // namespace

void FileDriver::fail(uint64_t index, StringRef message) {
  if (failures >= options.maxFailures)
    return;
  ++failures;
  MangledFile file = makeMangledFile(samples, options.seed, index);
  out << "FAILED: file " << index << ", " << stringifyFileKind(file.kind)
      << ": " << message << "\n";
  out.flush();
  writeFailure(options,
               ("file-" + Twine(options.seed) + "-" + Twine(index) + "." +
                stringifyFileKind(file.kind))
                   .str(),
               file.contents, err);
}

/// A file at which a child came to no good end.
void FileDriver::endAt(uint64_t index, Outcome::Kind kind, const Child &child) {
  ++count(index).files;
  auto addForeign = [&](const std::string &where) {
    ++count(index).foreign;
    ++foreign.try_emplace(where, 0, index).first->second.first;
  };
  // It counts up to numbers out of the file.
  if (kind == Outcome::Timeout && getFileKind(index) == FileKind::Bytecode)
    return addForeign("no answer");
  if (kind == Outcome::Timeout)
    return fail(index, "no answer");
  std::string end = child.describeEnd();
  bool isForeign = false;
  std::string where = describeCrash(end, isForeign);
  std::string signal = StringRef(end).split('\n').first.str();
  if (!isForeign || getFileKind(index) != FileKind::Bytecode)
    return fail(index, signal + " in " + (where.empty() ? end : where));
  addForeign(signal + " in " + where);
}

/// Reads the files from `begin` on, up to the first that ends its child;
/// returns which one comes next.
uint64_t FileDriver::runBatch(uint64_t begin, uint64_t end) {
  Child child;
  bool hasStarted =
      child.start([&](ChildStatus &status, llvm::raw_ostream &os) {
        traceCrashes();
    // A size out of a file is no reason to fill the machine's memory.
#if !__has_feature(address_sanitizer)
        rlimit memory{rlim_t(1) << 30, rlim_t(1) << 30};
        setrlimit(RLIMIT_DATA, &memory);
#endif
        // Without destructors, which would walk what may be damaged.
        auto &registry = *new DialectRegistry;
        registerAllDialects(registry);
        auto &context =
            *new MLIRContext(registry, MLIRContext::Threading::DISABLED);
        auto &reader = *new FileReader(samples, context);
        for (uint64_t i = begin; i < end; ++i) {
          MangledFile file = makeMangledFile(samples, options.seed, i);
          if (file.kind == FileKind::Manifest && !reader.canLaunch()) {
            os << json::Value(json::Object{{"skipped", true}}) << "\n";
            continue;
          }
          status.setStage(stringifyFileKind(file.kind));
          fuzz::Random random(options.seed, i);
          bool isAccepted = false;
          std::string wrong = reader.read(file, random, isAccepted);
          os << json::Value(json::Object{{"accepted", isAccepted},
                                         {"wrong", json::fixUTF8(wrong)}})
             << "\n";
          os.flush();
        }
      });
  if (!hasStarted) {
    err << "scan-fuzz: error: cannot start a process\n";
    failures = options.maxFailures;
    return end;
  }
  std::vector<std::string> lines;
  size_t read = 0;
  uint64_t next = begin;
  while (true) {
    Child::State state = child.poll(200, lines);
    for (; read < lines.size(); ++read, ++next) {
      llvm::Expected<json::Value> value = json::parse(lines[read]);
      if (!value) {
        llvm::consumeError(value.takeError());
        continue;
      }
      const json::Object &object = *value->getAsObject();
      if (object.getBoolean("skipped").value_or(false))
        continue;
      ++count(next).files;
      count(next).accepted += object.getBoolean("accepted").value_or(false);
      StringRef wrong = object.getString("wrong").value_or("");
      if (!wrong.empty())
        fail(next, wrong);
    }
    if (state == Child::State::Finished || isOver())
      return end;
    if (state == Child::State::Running &&
        child.getStepSeconds() <= std::min(options.timeout, kTimeout))
      continue;
    bool isCrash = state == Child::State::Crashed;
    if (!isCrash)
      child.kill();
    // Damage may show after the last file.
    uint64_t last = std::min(next, end - 1);
    endAt(last, isCrash ? Outcome::Crash : Outcome::Timeout, child);
    return last + 1;
  }
}

void FileDriver::printSummary() {
  for (const auto &[where, entry] : foreign)
    out << "upstream: " << entry.first << " times, first file " << entry.second
        << ": " << where << "\n";
  out << "COUNT: seed " << options.seed;
  for (unsigned kind = 0; kind < kNumFileKinds; ++kind)
    out << ", " << counts[kind].files << " "
        << stringifyFileKind(static_cast<FileKind>(kind)) << " files ("
        << counts[kind].accepted << " accepted)";
  out << ", " << counts[unsigned(FileKind::Bytecode)].foreign
      << " crashes of MLIR's reader at " << foreign.size() << " places, "
      << failures << " failures; " << llvm::format("%.1f", getSeconds())
      << " s\n";
}

LogicalResult FileDriver::run() {
  if (samples.programs.empty() || samples.launches.empty() ||
      samples.arrays.empty()) {
    err << "scan-fuzz: error: cannot write files to be damaged\n";
    return failure();
  }
  uint64_t next = options.onlyProgram.value_or(options.firstProgram);
  uint64_t end = options.onlyProgram ? next + 1 : next + options.count;
  // Without a limit the sum has wrapped around.
  if (end < next)
    end = std::numeric_limits<uint64_t>::max();
  if (options.print) {
    for (; next < end; ++next)
      out << makeMangledFile(samples, options.seed, next).contents;
    return success();
  }
  while (next < end && !isOver())
    next = runBatch(next, std::min(end, next - next % kBatch + kBatch));
  printSummary();
  uint64_t files = 0;
  for (const Counts &kind : counts)
    files += kind.files;
  return success(failures == 0 && files > 0);
}

LogicalResult fuzz::runFiles(const FuzzOptions &options, llvm::raw_ostream &out,
                             llvm::raw_fd_ostream &err) {
  return FileDriver(options, out, err).run();
}
