//===- FuzzOptions.cpp - The command line of scan-fuzz --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzOptions.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

static constexpr StringRef kHelp =
    R"(scan-fuzz: looks for programs that are compiled wrongly

usage: scan-fuzz [options]

Makes random scan programs and random data, runs them by the reference
interpreter and on the targets, compares. Integers have to agree exactly,
floating-point numbers within the bound that follows from the number of
roundings. What fails is made as small as possible and printed as a test, ready
to be put into test/Regression. The exit status is 1 if something failed.

  --seed=N            where programs and data are drawn from (default: 1)
  --count=N           cases to run, a case being a program with its data
                      (default: 20000; with --minutes: no limit)
  --minutes=X         start no more programs after that time
  --targets=T,T       any of cpu, emulator, cuda (default: cpu,emulator)
  --jobs=N            processes side by side (default: 1)
  --cases=N           cases per program with a dynamic shape (default: 60)
  --emulator-share=P  how many of 100 programs run in the emulator, beside
                      another target; it is slow (default: 25)
  --max-elements=N    size of most iteration shapes (default: 2500)
  --first-program=N   start with this program of the seed (default: 0)
  --only-program=N    run this program alone; --only-case=N this case of it
  --print             print the programs instead of running them
  --timeout=S         seconds that one step may take (default: 60)
  --max-failures=N    stop after so many failures (default: 5)
  --shrink-seconds=S  time to make one failure smaller; 0: as it is (default: 60)
  --output-dir=DIR    write each failure to DIR/fuzz-SEED-PROGRAM.mlir as well
  --json              print the summary as one JSON object
  --verifier          mangle programs, run them through parser, verifier and
                      passes, where nothing may crash; --count counts them
  --graphs            make random graphs around scans, of exact numbers; run
                      them by the interpreter before and after the passes on
                      graphs, and on the targets; --count counts the graphs
  --mixes             run random programs through random lists of passes, of this
                      project and of MLIR, down to tensors or buffers; --count
                      counts the lists, --only-program=N is one of them
  --files             damage files of bytecode, launch manifests and .npy files,
                      and read them; manifests need a driver, be it that of the
                      tests. What crashes in MLIR's reader of bytecode alone is
                      listed, and no failure
  --passes=PIPELINE   with --graphs or --mixes: run these passes instead
  --help              this text

The same seed gives the same programs and data on every machine. Everything runs
in child processes: a crash or a hang is a failure like any other.

examples:
  scan-fuzz --seed=7 --count=1000
  scan-fuzz --targets=cpu --minutes=30 --jobs=8 --output-dir=failures
  scan-fuzz --seed=7 --only-program=123 --print
  scan-fuzz --seed=7 --only-program=123 --only-case=4
  scan-fuzz --verifier --count=5000
  scan-fuzz --mixes --count=1000
  scan-fuzz --files --count=10000
  scan-fuzz --graphs --count=1000 --passes=scan-normalize,scan-fuse-elementwise
)";

void fuzz::printFuzzHelp(llvm::raw_ostream &os) { os << kHelp; }

static llvm::Error invalid(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Programs and cases are counted from there without overflow.
static constexpr uint64_t kMostPrograms = uint64_t(1) << 62;

namespace {
/// Reads the value of one option after the other.
class OptionReader {
public:
  OptionReader(FuzzOptions &options) : options(options) {}
  llvm::Error read(StringRef name, StringRef value, bool hasValue);
  bool hasCount = false;

private:
  template <typename T>
  llvm::Error number(StringRef name, StringRef value, T &target, T least = 0,
                     T most = std::numeric_limits<T>::max()) {
    T parsed = 0;
    bool isNumber = !value.getAsInteger(10, parsed);
    if (most != std::numeric_limits<T>::max() &&
        (!isNumber || parsed < least || parsed > most))
      return invalid("option '" + name + "' expects a number from " +
                     Twine(least) + " to " + Twine(most) + ", found '" + value +
                     "'");
    if (!isNumber || parsed < least)
      return invalid("option '" + name + "' expects a number of " +
                     Twine(least) + " or more, found '" + value + "'");
    target = parsed;
    return llvm::Error::success();
  }
  llvm::Error number(StringRef name, StringRef value,
                     std::optional<uint64_t> &target) {
    uint64_t parsed = 0;
    if (llvm::Error error =
            number(name, value, parsed, uint64_t(0), kMostPrograms))
      return error;
    target = parsed;
    return llvm::Error::success();
  }
  llvm::Error readTargets(StringRef value);
  llvm::Error readPlant(StringRef value);

  FuzzOptions &options;
};
} // namespace

llvm::Error OptionReader::readTargets(StringRef value) {
  options.targets.clear();
  SmallVector<StringRef> names;
  value.split(names, ',');
  for (StringRef name : names) {
    if (name == "reference" || !findExecutionTarget(name))
      return invalid("option '--targets' expects targets to compare with the "
                     "reference, found '" +
                     name + "'; there are: " + listExecutionTargets());
    if (llvm::is_contained(options.targets, name))
      return invalid("option '--targets' expects each target once, found '" +
                     name + "' twice");
    options.targets.push_back(name.str());
  }
  return llvm::Error::success();
}

llvm::Error OptionReader::readPlant(StringRef value) {
  auto plant = llvm::StringSwitch<std::optional<Plant>>(value)
                   .Case("swap", Plant::Swap)
                   .Case("flip", Plant::Flip)
                   .Case("crash", Plant::Crash)
                   .Case("hang", Plant::Hang)
                   .Case("cast", Plant::Cast)
                   .Default(std::nullopt);
  if (!plant)
    return invalid("option '--plant' expects swap, flip, crash, hang or cast, "
                   "found '" +
                   value + "'");
  options.plant = *plant;
  return llvm::Error::success();
}

llvm::Error OptionReader::read(StringRef name, StringRef value, bool hasValue) {
  for (auto [flag, target] : {std::pair("--verifier", &options.verifier),
                              {"--graphs", &options.graphs},
                              {"--mixes", &options.mixes},
                              {"--files", &options.files},
                              {"--print", &options.print},
                              {"--json", &options.json},
                              {"--help", &options.help},
                              {"-h", &options.help}}) {
    if (name != flag)
      continue;
    if (hasValue)
      return invalid("option '" + name + "' takes no value, found '" + value +
                     "'");
    *target = true;
    return llvm::Error::success();
  }
  bool isKnown = llvm::is_contained(
      {"--seed", "--count", "--minutes", "--targets", "--jobs", "--cases",
       "--emulator-share", "--max-elements", "--first-program",
       "--only-program", "--only-case", "--timeout", "--max-failures",
       "--shrink-seconds", "--output-dir", "--passes", "--plant"},
      name);
  if (!isKnown)
    return invalid("unknown option '" + name + "'; see --help");
  if (value.empty())
    return invalid("option '" + name + "' expects a value: " + name + "=...");
  if (name == "--seed")
    return number(name, value, options.seed);
  if (name == "--count") {
    hasCount = true;
    return number(name, value, options.count, uint64_t(1));
  }
  if (name == "--minutes") {
    double minutes = 0;
    if (value.getAsDouble(minutes) || !(minutes > 0) || !std::isfinite(minutes))
      return invalid("option '--minutes' expects a finite number above 0, "
                     "found '" +
                     value + "'");
    options.minutes = minutes;
    return llvm::Error::success();
  }
  if (name == "--targets")
    return readTargets(value);
  if (name == "--jobs")
    return number(name, value, options.jobs, 1u, 1024u);
  if (name == "--cases")
    return number(name, value, options.casesPerProgram, uint64_t(1));
  if (name == "--emulator-share")
    return number(name, value, options.emulatorShare, 0u, 100u);
  if (name == "--max-elements")
    return number(name, value, options.maxElements, int64_t(1),
                  int64_t(1) << 30);
  if (name == "--first-program")
    return number(name, value, options.firstProgram, uint64_t(0),
                  kMostPrograms);
  if (name == "--only-program")
    return number(name, value, options.onlyProgram);
  if (name == "--only-case")
    return number(name, value, options.onlyCase);
  if (name == "--timeout")
    return number(name, value, options.timeout, 1u);
  if (name == "--max-failures")
    return number(name, value, options.maxFailures, 1u);
  if (name == "--shrink-seconds")
    return number(name, value, options.shrinkSeconds);
  if (name == "--output-dir") {
    options.outputDir = value.str();
    return llvm::Error::success();
  }
  if (name == "--passes") {
    options.passes = value.str();
    return llvm::Error::success();
  }
  // Not in the help: for the tests of the fuzzer itself.
  return readPlant(value);
}

llvm::Expected<FuzzOptions>
fuzz::parseFuzzOptions(ArrayRef<StringRef> arguments) {
  FuzzOptions options;
  OptionReader reader(options);
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (!argument.starts_with("-"))
      return invalid("unexpected argument '" + argument + "'; see --help");
    auto [name, value] = argument.split('=');
    if (llvm::Error error =
            reader.read(name, value, name.size() != argument.size()))
      return std::move(error);
  }
  if (options.minutes && !reader.hasCount)
    options.count = std::numeric_limits<uint64_t>::max();
  if (!options.passes.empty() && !options.graphs && !options.mixes)
    return invalid("option '--passes' needs '--graphs' or '--mixes'");
  if (options.onlyCase && !options.onlyProgram)
    return invalid("option '--only-case' needs '--only-program'");
  return options;
}
