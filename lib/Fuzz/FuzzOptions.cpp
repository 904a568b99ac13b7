//===- FuzzOptions.cpp - The command line of scan-fuzz --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzOptions.h"
#include "Driver/ToolOptions.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;
namespace cl = llvm::cl;

static constexpr StringRef kOverview =
    R"(looks for programs that are compiled wrongly

Makes random scan programs and random data, runs them by the reference
interpreter and on the targets, compares. Integers have to agree exactly,
floating-point numbers within the bound that follows from the number of
roundings. What fails is made as small as possible and printed as a test, ready
to be put into test/Regression. The exit status is 1 if something failed.

The same seed gives the same programs and data on every machine. Everything runs
in child processes: a crash or a hang is a failure like any other.
)";

static constexpr StringRef kExamples = R"(
examples:
  scan-fuzz --seed=7 --count=1000
  scan-fuzz --targets=cpu --minutes=30 --jobs=8 --output-dir=failures
  scan-fuzz --seed=7 --only-program=123 --print
  scan-fuzz --seed=7 --only-program=123 --only-case=4
  scan-fuzz --verifier --count=5000
  scan-fuzz --cells --count=20000
  scan-fuzz --mixes --count=1000
  scan-fuzz --files --count=10000
  scan-fuzz --graphs --count=1000 --passes=scan-normalize,scan-fuse-elementwise
)";

/// Programs and cases are counted from there without overflow.
static constexpr uint64_t kMostPrograms = uint64_t(1) << 62;

namespace {
/// The options while the command line is read.
struct FuzzCommandLine {
  explicit FuzzCommandLine(FuzzOptions &options) : options(options) {}
  ~FuzzCommandLine() { scope.close(); }

  using Program = RangeParser<uint64_t, 0, kMostPrograms>;
  using Positive = RangeParser<unsigned, 1>;
  FuzzOptions &options;
  OptionScope scope;
  cl::OptionCategory general{"Options"};
  cl::OptionCategory modes{"What to run instead of programs with scans"};

  cl::opt<bool, true> help{"help", cl::location(options.help),
                           cl::desc("Print this text"), cl::cat(general)};
  cl::alias shortHelp{"h", cl::aliasopt(help), cl::desc("Alias for --help")};
  cl::opt<uint64_t, true, RangeParser<uint64_t>> seed{
      "seed", cl::location(options.seed), cl::value_desc("N"),
      cl::desc("Where programs and data are drawn from (default: 1)"),
      cl::cat(general)};
  cl::opt<uint64_t, true, RangeParser<uint64_t, 1>> count{
      "count", cl::location(options.count), cl::value_desc("N"),
      cl::desc("Cases to run, a case being a program with its data (default: "
               "20000; with --minutes: no limit)"),
      cl::cat(general)};
  cl::opt<double, false, FiniteParser<false>> minutes{
      "minutes", cl::value_desc("X"),
      cl::desc("Start no more programs after that time"), cl::cat(general)};
  cl::opt<std::string, false, TextParser> targets{
      "targets", cl::value_desc("T,T"),
      cl::desc("Any of cpu, emulator, cuda (default: cpu,emulator)"),
      cl::cat(general)};
  cl::opt<unsigned, true, RangeParser<unsigned, 1, 1024>> jobs{
      "jobs", cl::location(options.jobs), cl::value_desc("N"),
      cl::desc("Processes side by side (default: 1)"), cl::cat(general)};
  cl::opt<uint64_t, true, RangeParser<uint64_t, 1>> casesPerProgram{
      "cases", cl::location(options.casesPerProgram), cl::value_desc("N"),
      cl::desc("Cases per program with a dynamic shape (default: 60)"),
      cl::cat(general)};
  cl::opt<unsigned, true, RangeParser<unsigned, 0, 100>> emulatorShare{
      "emulator-share", cl::location(options.emulatorShare),
      cl::value_desc("P"),
      cl::desc("How many of 100 programs run in the emulator, beside another "
               "target; it is slow (default: 25)"),
      cl::cat(general)};
  cl::opt<int64_t, true, RangeParser<int64_t, 1, int64_t(1) << 30>> maxElements{
      "max-elements", cl::location(options.maxElements), cl::value_desc("N"),
      cl::desc("Size of most iteration shapes (default: 2500)"),
      cl::cat(general)};
  cl::opt<uint64_t, true, Program> firstProgram{
      "first-program", cl::location(options.firstProgram), cl::value_desc("N"),
      cl::desc("Start with this program of the seed (default: 0)"),
      cl::cat(general)};
  cl::opt<uint64_t, false, Program> onlyProgram{
      "only-program", cl::value_desc("N"), cl::desc("Run this program alone"),
      cl::cat(general)};
  cl::opt<uint64_t, false, Program> onlyCase{
      "only-case", cl::value_desc("N"),
      cl::desc("With --only-program: run this case of it"), cl::cat(general)};
  cl::opt<bool, true> print{
      "print", cl::location(options.print),
      cl::desc("Print the programs instead of running them"), cl::cat(general)};
  cl::opt<unsigned, true, Positive> timeout{
      "timeout", cl::location(options.timeout), cl::value_desc("S"),
      cl::desc("Seconds that one step may take (default: 60)"),
      cl::cat(general)};
  cl::opt<unsigned, true, Positive> maxFailures{
      "max-failures", cl::location(options.maxFailures), cl::value_desc("N"),
      cl::desc("Stop after so many failures (default: 5)"), cl::cat(general)};
  cl::opt<unsigned, true, RangeParser<unsigned>> shrinkSeconds{
      "shrink-seconds", cl::location(options.shrinkSeconds),
      cl::value_desc("S"),
      cl::desc("Time to make one failure smaller; 0: as it is (default: 60)"),
      cl::cat(general)};
  cl::opt<std::string, true, TextParser> outputDir{
      "output-dir", cl::location(options.outputDir), cl::value_desc("DIR"),
      cl::desc("Write each failure to DIR/fuzz-SEED-PROGRAM.mlir as well"),
      cl::cat(general)};
  cl::opt<bool, true> json{"json", cl::location(options.json),
                           cl::desc("Print the summary as one JSON object"),
                           cl::cat(general)};

  cl::opt<bool, true> verifier{
      "verifier", cl::location(options.verifier),
      cl::desc("Mutate programs, run them through parser, verifier and passes, "
               "where nothing may crash; --count counts them"),
      cl::cat(modes)};
  cl::opt<bool, true> graphs{
      "graphs", cl::location(options.graphs),
      cl::desc("Make random graphs around scans, of exact numbers; run them by "
               "the interpreter before and after the passes on graphs, and on "
               "the targets; --count counts the graphs"),
      cl::cat(modes)};
  cl::opt<bool, true> cells{
      "cells", cl::location(options.cells),
      cl::desc("Make random recurrences (scan.recurrence); run them by the "
               "interpreter before and after they are lowered, and on the "
               "targets, with --cases different extents and numbers of steps"),
      cl::cat(modes)};
  cl::opt<bool, true> mixes{
      "mixes", cl::location(options.mixes),
      cl::desc("Run random programs through random lists of passes, of this "
               "project and of MLIR, down to tensors or buffers; --count "
               "counts the lists, --only-program=N is one of them"),
      cl::cat(modes)};
  cl::opt<bool, true> files{
      "files", cl::location(options.files),
      cl::desc("Damage files of bytecode, launch manifests and .npy files, and "
               "read them; manifests need a driver, be it that of the tests. "
               "What crashes in MLIR's reader of bytecode alone is listed, and "
               "no failure"),
      cl::cat(modes)};
  cl::opt<std::string, true, TextParser> passes{
      "passes", cl::location(options.passes), cl::value_desc("PIPELINE"),
      cl::desc("With --graphs, --cells or --mixes: run these passes instead"),
      cl::cat(modes)};
  /// For the tests of the fuzzer itself.
  cl::opt<Fault, true, ChoiceParser<Fault>> fault{
      "inject-fault", cl::location(options.fault), cl::Hidden,
      cl::values(clEnumValN(Fault::Swap, "swap", ""),
                 clEnumValN(Fault::Flip, "flip", ""),
                 clEnumValN(Fault::Crash, "crash", ""),
                 clEnumValN(Fault::Hang, "hang", ""),
                 clEnumValN(Fault::CleanUp, "clean-up", ""),
                 clEnumValN(Fault::Cast, "cast", ""))};
  /// The older name.
  cl::alias plant{"plant", cl::aliasopt(fault), cl::Hidden};
};
} // namespace

static llvm::Error invalid(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static llvm::Error readTargets(StringRef value,
                               std::vector<std::string> &targets) {
  targets.clear();
  SmallVector<StringRef> names;
  value.split(names, ',');
  for (StringRef name : names) {
    if (name == "reference" || !findExecutionTarget(name))
      return invalid("option '--targets' expects targets to compare with the "
                     "reference, found '" +
                     name + "'; there are: " + listExecutionTargets());
    if (llvm::is_contained(targets, name))
      return invalid("option '--targets' expects each target once, found '" +
                     name + "' twice");
    targets.push_back(name.str());
  }
  return llvm::Error::success();
}

llvm::Expected<FuzzOptions> fuzz::parseFuzzOptions(int argc, char **argv) {
  FuzzOptions options;
  FuzzCommandLine line(options);
  cl::ParseCommandLineOptions(argc, argv, kOverview);
  if (options.help) {
    // What is added before the command line is read is gone by now.
    cl::extrahelp examples(kExamples);
    cl::PrintHelpMessage(/*Hidden=*/false, /*Categorized=*/true);
    return options;
  }
  if (line.targets.getNumOccurrences())
    if (llvm::Error error = readTargets(line.targets, options.targets))
      return std::move(error);
  if (line.minutes.getNumOccurrences()) {
    options.minutes = line.minutes;
    if (!line.count.getNumOccurrences())
      options.count = std::numeric_limits<uint64_t>::max();
  }
  if (line.onlyProgram.getNumOccurrences())
    options.onlyProgram = line.onlyProgram;
  if (line.onlyCase.getNumOccurrences())
    options.onlyCase = line.onlyCase;
  if (!options.passes.empty() && !options.graphs && !options.cells &&
      !options.mixes)
    return invalid(
        "option '--passes' needs '--graphs', '--cells' or '--mixes'");
  if (options.onlyCase && !options.onlyProgram)
    return invalid("option '--only-case' needs '--only-program'");
  return options;
}
