//===- ReduceDriver.cpp - What scan-reduce does ---------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReduceDriver.h"
#include "Driver/ProgramFile.h"
#include "Reducer.h"
#include "Scan/IR/ScanDialect.h"
#include "Target/OutputFiles.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"
#include <chrono>
#include <csignal>

using namespace mlir;
using namespace mlir::scan;

/// Seconds between reports of progress.
static constexpr double kReportEvery = 5;

static LogicalResult fail(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "scan-reduce") << message << "\n";
  return failure();
}

static void note(const Twine &message) {
  llvm::errs() << "scan-reduce: " << message << "\n";
}

/// Finds out before the work, not after it, that its result has no place.
static LogicalResult checkOutput(StringRef path, ArrayRef<StringRef> inputs) {
  if (path == "-")
    return success();
  if (llvm::Error error = checkOutputPaths(path, inputs))
    return fail(llvm::toString(std::move(error)));
  StringRef folder = llvm::sys::path::parent_path(path);
  if (!folder.empty() && !llvm::sys::fs::is_directory(folder))
    return fail("cannot write '" + path + "': no folder '" + folder + "'");
  if (llvm::sys::fs::is_directory(path))
    return fail("cannot write '" + path + "': it is a folder");
  if (!llvm::sys::fs::can_write(folder.empty() ? "." : folder))
    return fail("cannot write '" + path + "': no permission");
  return success();
}

static LogicalResult checkNames(ArrayRef<std::string> only,
                                MLIRContext &context) {
  llvm::StringSet<> known;
  for (const ReductionInfo &info : listReductions(context))
    known.insert(info.name);
  for (StringRef name : only)
    if (!known.contains(name))
      return fail("unknown reduction '" + name + "'; --list shows all");
  return success();
}

static OwningOpRef<ModuleOp> parseProgram(StringRef path,
                                          const DialectRegistry &registry,
                                          MLIRContext &context) {
  auto file = readProgramFile(path, registry);
  if (!file) {
    (void)fail(llvm::toString(file.takeError()));
    return nullptr;
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*file), SMLoc());
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  return parseSourceFile<ModuleOp>(sources, &context);
}

static std::string describe(StringRef program) {
  return llvm::formatv("{0} lines", program.count('\n')).str();
}

extern "C" {
static void stopSearch(int) { InterestingnessTest::stop = true; }
}

LogicalResult scan::runReduce(const ReduceDriverOptions &options,
                              const DialectRegistry &registry) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  context.allowUnregisteredDialects(options.allowUnregistered);
  context.loadDialect<ScanDialect>();
  if (failed(
          checkOutput(options.output, {options.input, options.test.script})) ||
      failed(checkNames(options.only, context)))
    return failure();
  auto test = InterestingnessTest::create(options.test);
  if (!test)
    return fail(llvm::toString(test.takeError()));
  OwningOpRef<ModuleOp> module = parseProgram(options.input, registry, context);
  if (!module)
    return failure();

  std::signal(SIGINT, stopSearch);
  std::signal(SIGTERM, stopSearch);
  std::string before = printProgram(*module);
  llvm::Expected<bool> interesting = (*test)->run(before);
  if (!interesting)
    return fail(llvm::toString(interesting.takeError()));
  if (!*interesting) {
    StringRef wanted =
        !options.test.script.empty()  ? "the test says so by exit code 0"
        : !options.test.fails.empty() ? "the command has to fail"
                                      : "the command has to crash";
    return fail("the program is not interesting to begin with: " + wanted +
                ", and " + (*test)->describeLastRun());
  }

  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now(), reported = start;
  auto seconds = [](Clock::duration duration) {
    return std::chrono::duration<double>(duration).count();
  };
  ReducerOptions::Progress last;
  auto onProgress = [&](const ReducerOptions::Progress &progress) {
    last = progress;
    bool step = options.verbose && !progress.reduction.empty();
    if (options.quiet ||
        (!step && seconds(Clock::now() - reported) < kReportEvery))
      return;
    reported = Clock::now();
    note(llvm::formatv("{0}{1} tried, {2} kept, {3} -> {4}",
                       step ? progress.reduction + ": " : "", progress.tried,
                       progress.kept, describe(before),
                       describe(progress.program))
             .str());
  };
  ReducerOptions reducer;
  reducer.only = options.only;
  reducer.onProgress = onProgress;
  llvm::Error stopped = reduceProgram(module, **test, reducer);
  std::string after = printProgram(*module);
  if (llvm::Error error = writeOutputFiles({{options.output, after}})) {
    llvm::consumeError(std::move(stopped));
    return fail(llvm::toString(std::move(error)));
  }
  if (stopped)
    return fail(llvm::toString(std::move(stopped)) + " after " +
                Twine(last.tried) + " programs; " +
                (options.output == "-"
                     ? "the smallest of them is printed"
                     : "'" + options.output + "' has the smallest of them"));
  if (after.empty())
    llvm::WithColor::warning(llvm::errs(), "scan-reduce")
        << "an empty program is interesting, too: does the test look at the "
           "file that it is given?\n";
  if (!options.quiet)
    note(llvm::formatv("{0} -> {1}; {2} programs tried, {3} kept, in {4:F1} s",
                       describe(before), describe(after), last.tried, last.kept,
                       seconds(Clock::now() - start))
             .str());
  return success();
}

void scan::printReductions(const DialectRegistry &registry,
                           llvm::raw_ostream &os) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadDialect<ScanDialect>();
  for (const ReductionInfo &info : listReductions(context))
    os << llvm::formatv("{0,-26} {1}\n", info.name, info.summary);
}
