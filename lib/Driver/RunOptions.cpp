//===- RunOptions.cpp - The command line of scan-run ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunDriver.h"
#include "ToolOptions.h"

using namespace mlir;
using namespace mlir::scan;
namespace cl = llvm::cl;

static constexpr StringRef kOverview =
    R"(runs a function of an .mlir file over arrays

An INPUT is a .npy file or
  random:TYPE:SHAPE:SEED[:LOW:HIGH]    uniform numbers
  zeros:TYPE:SHAPE  ones:TYPE:SHAPE  const:TYPE:SHAPE:VALUE
  values:TYPE:SHAPE:VALUE,VALUE,...    one after the other
TYPE is i1 i8 i16 i32 i64 index f16 bf16 f32 f64 c64 c128; SHAPE is 4x1024x512,
or empty for a scalar. bf16 arrays are .npy files of two-byte words (dtype V2 or
u2): the bit patterns.

A function on memrefs, as passes have left it, runs on the targets cpu and
emulator: there it gets copies of the inputs, and has to free what it allocates.

A TARGET is one of
%TARGETS%)";

static constexpr StringRef kExamples = R"(
examples:
  scan-run cumsum.mlir --input=random:f32:4x1024:1
  scan-run cumsum.mlir --entry=cumsum --input=x.npy --output=y.npy --target=cpu
  scan-run rglru.mlir --input=random:f32:4x1024x512:1:0:1 --input=x.npy
      --target=cpu --compare=reference --time
  scan-run cumsum.mlir --input=random:f32:4x1024:1 --target=emulator --seed=7
      --compare=reference
)";

namespace {
enum class Switch { Off, On };

/// The options while the command line is read.
struct RunCommandLine {
  explicit RunCommandLine(RunOptions &options) : options(options) {}
  ~RunCommandLine() { scope.close(); }

  RunOptions &options;
  emulator::EmulatorOptions &emulation = options.targetOptions.emulator;
  OptionScope scope;
  cl::OptionCategory general{"Options"};
  cl::OptionCategory withCPU{"With --target=cpu"};
  cl::OptionCategory withEmulator{"With --target=emulator"};

  cl::list<std::string> programs{cl::Positional, cl::desc("PROGRAM.mlir"),
                                 cl::cat(general)};
  cl::opt<bool, true> help{"help", cl::location(options.help),
                           cl::desc("Print this text"), cl::cat(general)};
  cl::alias shortHelp{"h", cl::aliasopt(help), cl::desc("Alias for --help")};
  cl::opt<std::string, true, TextParser> entry{
      "entry", cl::location(options.entry), cl::value_desc("NAME"),
      cl::desc("The function to call; not needed if only one is public"),
      cl::cat(general)};
  cl::list<std::string, std::vector<std::string>, TextParser> inputs{
      "input", cl::location(options.inputs), cl::value_desc("INPUT"),
      cl::desc("One per parameter, in order"), cl::cat(general)};
  cl::list<std::string, std::vector<std::string>, TextParser> outputs{
      "output", cl::location(options.outputs), cl::value_desc("FILE.npy"),
      cl::desc("One per result, in order; without it results are printed"),
      cl::cat(general)};
  cl::opt<std::string, true, TextParser> target{
      "target", cl::location(options.target), cl::value_desc("TARGET"),
      cl::desc("Where to run (default: reference)"), cl::cat(general)};
  cl::opt<std::string, true, TextParser> compare{
      "compare", cl::location(options.compare), cl::value_desc("TARGET"),
      cl::desc("Run there, too, and print how the results differ"),
      cl::cat(general)};
  cl::opt<double, false, FiniteParser<true>> tolerance{
      "tolerance", cl::value_desc("X"),
      cl::desc("With --compare: fail if a difference exceeds X times the "
               "largest magnitude in the result"),
      cl::cat(general)};
  cl::opt<Switch, false, ChoiceParser<Switch>> dispatch{
      "dispatch", cl::init(Switch::On),
      cl::values(clEnumValN(Switch::On, "on", "(default)"),
                 clEnumValN(Switch::Off, "off", "")),
      cl::desc("With --target=emulator or cuda: whether scans with dynamic "
               "extents become several kernels, for different extents, among "
               "which the host chooses"),
      cl::cat(general)};
  cl::opt<int64_t, true> maxStateBytes{
      "max-state-bytes",
      cl::location(options.targetOptions.emulator.maxStateBytes),
      cl::value_desc("N"),
      cl::desc("With --target=emulator or cuda: the most bytes of states that "
               "fusion may give a thread for each scan (default: 256; 0: "
               "never)"),
      cl::cat(general)};
  cl::opt<unsigned, true> stateBytes{
      "state-bytes", cl::location(options.targetOptions.stateBytes),
      cl::value_desc("N"),
      cl::desc("With --target=cpu: bytes of states in a block of neighbouring "
               "scans (default: 16384, for the first-level cache)"),
      cl::cat(general)};
  cl::opt<std::string, true, TextParser> tuning{
      "tuning", cl::location(options.targetOptions.tuning),
      cl::value_desc("FILE.json"),
      cl::desc("With --target=cuda: schedules that scan-tune measured, which "
               "are preferred (default: the file that the environment variable "
               "SCAN_TUNING names)"),
      cl::cat(general)};
  cl::opt<bool, true> fastMath{
      "fast-math", cl::location(options.fastMath),
      cl::desc(
          "Allow approximate functions and divisions, with the errors that "
          "--scan-fast-math documents; the reference stays accurate"),
      cl::cat(general)};
  cl::opt<ProveMode, true, ChoiceParser<ProveMode>> prove{
      "prove", cl::location(options.prove), getProveModeValues(),
      cl::desc(kProveModeDescription), cl::cat(general)};
  cl::opt<std::string, true> emitSMT{
      "scan-emit-smt", cl::location(options.emitSMT), cl::value_desc("DIR"),
      cl::desc(kEmitSMTDescription), cl::cat(general)};
  cl::opt<bool, true> time{
      "time", cl::location(options.time),
      cl::desc("Print the median time, and GB/s: the bytes of all inputs and "
               "results over that time"),
      cl::cat(general)};
  cl::opt<unsigned, true, RangeParser<unsigned, 1, 1000000>> repeat{
      "repeat", cl::location(options.repeat), cl::value_desc("N"),
      cl::desc("Runs to take the median of, after one more (default: 5)"),
      cl::cat(general)};
  RemarkCommandLine remarks{options.remarks, general};
  cl::opt<bool, true> json{"json", cl::location(options.json),
                           cl::desc("Print one JSON object instead of tables"),
                           cl::cat(general)};

  cl::opt<bool, true> checkMemory{
      "check-memory", cl::location(options.targetOptions.checkMemory),
      cl::desc("Fail if the program does not free what it allocates, or frees "
               "what it has not allocated; memory that is new or freed holds "
               "NaN"),
      cl::cat(withCPU)};

  cl::opt<unsigned, false, RangeParser<unsigned, 0, 1024>> threads{
      "threads", cl::value_desc("N"),
      cl::desc("Compute independent scans on N threads; 0: as many as "
               "OMP_NUM_THREADS says, or processors (default: the environment "
               "variable SCAN_NUM_THREADS, or 1)"),
      cl::cat(withCPU)};

  cl::opt<uint64_t, true, RangeParser<uint64_t>> seed{
      "seed", cl::location(emulation.seed), cl::value_desc("N"),
      cl::desc("Draw the order of threads and blocks from N (default: 0)"),
      cl::cat(withEmulator)};
  cl::opt<emulator::Schedule, true, ChoiceParser<emulator::Schedule>> schedule{
      "schedule", cl::location(emulation.schedule),
      cl::values(clEnumValN(emulator::Schedule::Random, "random",
                            "at random (default)"),
                 clEnumValN(emulator::Schedule::InOrder, "in-order",
                            "by ascending id"),
                 clEnumValN(emulator::Schedule::Adversarial, "adversarial",
                            "the last block first, and whoever is ahead goes "
                            "on")),
      cl::desc("Which thread goes on"), cl::cat(withEmulator)};
  cl::opt<unsigned, true, RangeParser<unsigned, 1, 1024>> residentBlocks{
      "resident-blocks", cl::location(emulation.residentBlocks),
      cl::value_desc("K"),
      cl::desc("How many blocks run side by side (default: 4)"),
      cl::cat(withEmulator)};
  cl::opt<uint64_t, true, RangeParser<uint64_t>> stepBudget{
      "step-budget", cl::location(emulation.stepBudget), cl::value_desc("N"),
      cl::desc("Give a launch up as endless after N loop iterations, barriers "
               "and shuffles of all its threads together; 0 never does "
               "(default: 1000000000)"),
      cl::cat(withEmulator)};
  cl::opt<Switch, false, ChoiceParser<Switch>> races{
      "races", cl::init(Switch::On),
      cl::values(clEnumValN(Switch::On, "on", "(default)"),
                 clEnumValN(Switch::Off, "off", "")),
      cl::desc("Whether to check every access to memory for races, bounds and "
               "values that nobody has written"),
      cl::cat(withEmulator)};
  cl::opt<bool, true> stats{
      "stats", cl::location(options.stats),
      cl::desc("Print what a profiler would count: bytes of global memory per "
               "element and what they have to be at least, sectors, bank "
               "conflicts, barriers, shuffles, atomics"),
      cl::cat(withEmulator)};
};
} // namespace

static llvm::Error invalid(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static std::string getOverview() {
  std::string targets;
  for (const ExecutionTarget &target : getExecutionTargets()) {
    std::string line = "  " + target.name.str();
    line.resize(std::max<size_t>(line.size() + 2, 13), ' ');
    targets += line + target.description.str() + "\n";
  }
  auto [before, after] = kOverview.split("%TARGETS%");
  return (before + targets + after).str();
}

llvm::Expected<RunOptions> mlir::scan::parseRunOptions(int argc, char **argv) {
  RunOptions options;
  RunCommandLine line(options);
  std::string overview = getOverview();
  cl::ParseCommandLineOptions(argc, argv, overview);
  if (options.help) {
    // What is added before the command line is read is gone by now.
    cl::extrahelp examples(kExamples);
    cl::PrintHelpMessage(/*Hidden=*/false, /*Categorized=*/true);
    return options;
  }

  if (line.programs.empty())
    return invalid("expected a program, an .mlir file; see --help");
  if (line.programs.size() > 1)
    return invalid("expected one program, found '" + line.programs[0] +
                   "' and '" + line.programs[1] + "'");
  options.program = line.programs.front();
  if (line.threads.getNumOccurrences())
    options.targetOptions.threads = line.threads;
  if (line.tolerance.getNumOccurrences()) {
    if (options.compare.empty())
      return invalid("option '--tolerance' needs '--compare'");
    options.tolerance = line.tolerance;
  }
  if (options.targetOptions.checkMemory && options.target != "cpu")
    return invalid("option '--check-memory' needs '--target=cpu'");
  if (!options.targetOptions.tuning.empty() && options.target != "cuda" &&
      options.compare != "cuda")
    return invalid("option '--tuning' needs '--target=cuda'");
  options.targetOptions.dispatch = line.dispatch == Switch::On;
  line.emulation.dispatch = line.dispatch == Switch::On;
  line.emulation.checkMemory = line.races == Switch::On;
  line.emulation.countAccesses = options.stats;
  if (options.stats && options.target != "emulator")
    return invalid("option '--stats' needs '--target=emulator'");
  const std::pair<const cl::Option *, StringRef> ofThreads[] = {
      {&line.seed, "seed"},
      {&line.schedule, "schedule"},
      {&line.residentBlocks, "resident-blocks"},
      {&line.stepBudget, "step-budget"},
      {&line.races, "races"}};
  for (auto [option, name] : ofThreads)
    if (option->getNumOccurrences() && options.target != "emulator" &&
        options.compare != "emulator")
      return invalid("option '--" + name +
                     "' needs '--target=emulator' or '--compare=emulator': "
                     "other targets have no threads whose order is drawn" +
                     (name == "seed" ? "; the seed of random inputs is in "
                                       "--input=random:TYPE:SHAPE:SEED"
                                     : ""));
  for (StringRef name : {StringRef(options.target), StringRef(options.compare)})
    if (!name.empty() && !findExecutionTarget(name))
      return invalid("unknown target '" + name +
                     "'; expected one of: " + listExecutionTargets());
  return options;
}
