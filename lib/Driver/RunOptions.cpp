//===- RunOptions.cpp - The command line of scan-run ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunDriver.h"
#include "llvm/ADT/StringRef.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan;

static constexpr StringRef kHelp =
    R"(scan-run: runs a function of an .mlir file over arrays

usage: scan-run PROGRAM.mlir [options]        ('-' reads standard input)

  --entry=NAME        the function to call; not needed if only one is public
  --input=INPUT       one per parameter, in order: a .npy file or
                        random:TYPE:SHAPE:SEED[:LOW:HIGH]  uniform numbers
                        zeros:TYPE:SHAPE  ones:TYPE:SHAPE  const:TYPE:SHAPE:VALUE
                        values:TYPE:SHAPE:VALUE,VALUE,...  one after the other
                      TYPE is i1 i8 i16 i32 i64 index f16 bf16 f32 f64 c64 c128,
                      SHAPE is 4x1024x512, or empty for a scalar
  --output=FILE.npy   one per result, in order; without it results are printed
  --target=TARGET     where to run (default: reference)
%TARGETS%  --compare=TARGET    run there, too, and print how the results differ
  --tolerance=X       with --compare: fail if a difference exceeds X times the
                      largest magnitude in the result
  --dispatch=on|off   with --target=emulator or cuda: whether scans with dynamic
                      extents may become several kernels, among which the host
                      chooses (default: off)
  --time              print the median time, and GB/s: the bytes of all inputs
                      and results over that time
  --repeat=N          runs to take the median of, after one more (default: 5)
  --json              print one JSON object instead of tables
  --help              this text

with --target=cpu:
  --check-memory      fail if the program does not free what it allocates, or
                      frees what it has not allocated; memory that is new or
                      freed holds NaN

with --target=emulator:
  --seed=N            draw the order of threads and blocks from N (default: 0)
  --schedule=S        random; in-order: by ascending id; or adversarial: the last
                      block first, and whoever is ahead goes on (default: random)
  --resident-blocks=K how many blocks run side by side (default: 4)
  --step-budget=N     give a launch up as endless after N loop iterations,
                      barriers and shuffles of all its threads together; 0 never
                      does (default: 1000000000)
  --races=on|off      whether to check every access to memory for races, bounds
                      and values that nobody has written (default: on)
  --stats             print what a profiler would count: bytes of global memory
                      per element and what they have to be at least, sectors,
                      bank conflicts, barriers, shuffles, atomics

A function on memrefs, as passes have left it, runs on the targets cpu and
emulator: there it gets copies of the inputs, and has to free what it allocates.

bf16 arrays are .npy files of two-byte words (dtype V2 or u2): the bit patterns.

examples:
  scan-run cumsum.mlir --input=random:f32:4x1024:1
  scan-run cumsum.mlir --entry=cumsum --input=x.npy --output=y.npy --target=cpu
  scan-run rglru.mlir --input=random:f32:4x1024x512:1:0:1 --input=x.npy
      --target=cpu --compare=reference --time
  scan-run cumsum.mlir --input=random:f32:4x1024:1 --target=emulator --seed=7
      --compare=reference
)";

void mlir::scan::printRunHelp(llvm::raw_ostream &os) {
  std::string targets;
  for (const ExecutionTarget &target : getExecutionTargets()) {
    std::string line = "                        " + target.name.str();
    line.resize(std::max<size_t>(line.size() + 1, 35), ' ');
    targets += line + target.description.str() + "\n";
  }
  auto [before, after] = kHelp.split("%TARGETS%");
  os << before << targets << after;
}

static llvm::Error invalid(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// The option that was probably meant, as part of a message.
static std::string suggest(StringRef name, ArrayRef<StringRef> known) {
  StringRef best;
  unsigned bestDistance = 3;
  for (StringRef option : known) {
    unsigned distance = name.edit_distance(option);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = option;
    }
  }
  return best.empty() ? "; see --help" : "; did you mean '" + best.str() + "'?";
}

/// Reads the options of the emulator; empty ones keep their default.
static llvm::Error parseEmulatorOptions(StringRef seed, StringRef schedule,
                                        StringRef residentBlocks,
                                        StringRef stepBudget, StringRef races,
                                        StringRef dispatch,
                                        emulator::EmulatorOptions &options) {
  auto fail = [](StringRef name, StringRef expected, StringRef found) {
    return invalid("option '" + name + "' expects " + expected + ", found '" +
                   found + "'");
  };
  if (!seed.empty() && seed.getAsInteger(10, options.seed))
    return fail("--seed", "a number of 0 or more", seed);
  if (schedule == "in-order")
    options.schedule = emulator::Schedule::InOrder;
  else if (schedule == "adversarial")
    options.schedule = emulator::Schedule::Adversarial;
  else if (!schedule.empty() && schedule != "random")
    return fail("--schedule", "random, in-order or adversarial", schedule);
  if (!residentBlocks.empty() &&
      (residentBlocks.getAsInteger(10, options.residentBlocks) ||
       options.residentBlocks == 0 || options.residentBlocks > 1024))
    return fail("--resident-blocks", "a number from 1 to 1024", residentBlocks);
  if (!stepBudget.empty() && stepBudget.getAsInteger(10, options.stepBudget))
    return fail("--step-budget", "a number of 0 or more", stepBudget);
  if (races == "off")
    options.checkMemory = false;
  else if (!races.empty() && races != "on")
    return fail("--races", "on or off", races);
  if (!dispatch.empty() && dispatch != "on" && dispatch != "off")
    return fail("--dispatch", "on or off", dispatch);
  options.dispatch = dispatch == "on";
  return llvm::Error::success();
}

llvm::Expected<RunOptions>
mlir::scan::parseRunOptions(ArrayRef<StringRef> arguments) {
  RunOptions options;
  std::string tolerance, repeat;
  std::string seed, schedule, residentBlocks, stepBudget, races, dispatch;
  std::pair<StringRef, bool *> flags[] = {
      {"--time", &options.time},
      {"--json", &options.json},
      {"--check-memory", &options.targetOptions.checkMemory},
      {"--stats", &options.stats},
      {"--help", &options.help}};
  std::pair<StringRef, std::string *> values[] = {
      {"--entry", &options.entry},     {"--target", &options.target},
      {"--compare", &options.compare}, {"--tolerance", &tolerance},
      {"--repeat", &repeat},           {"--seed", &seed},
      {"--schedule", &schedule},       {"--resident-blocks", &residentBlocks},
      {"--step-budget", &stepBudget},  {"--races", &races},
      {"--dispatch", &dispatch}};
  std::pair<StringRef, std::vector<std::string> *> lists[] = {
      {"--input", &options.inputs}, {"--output", &options.outputs}};

  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (argument == "-h") {
      options.help = true;
      continue;
    }
    if (!argument.starts_with("-") || argument == "-") {
      if (!options.program.empty())
        return invalid("expected one program, found '" + options.program +
                       "' and '" + argument + "'");
      options.program = argument.str();
      continue;
    }
    // One dash is as good as two.
    std::string dashed =
        argument.starts_with("--") ? argument.str() : "-" + argument.str();
    StringRef name = StringRef(dashed).split('=').first;
    StringRef value = StringRef(dashed).split('=').second;
    bool hasValue = name.size() != dashed.size();
    SmallVector<StringRef> known;
    bool isKnown = false;
    for (auto [flag, target] : flags) {
      known.push_back(flag);
      if (name != flag)
        continue;
      if (hasValue)
        return invalid("option '" + name + "' takes no value, found '" + value +
                       "'");
      *target = isKnown = true;
    }
    auto takeValue = [&]() -> llvm::Expected<std::string> {
      isKnown = true;
      if (!hasValue && i + 1 == arguments.size())
        return invalid("option '" + name + "' expects a value: " + name +
                       "=...");
      std::string text = hasValue ? value.str() : arguments[++i].str();
      if (text.empty())
        return invalid("option '" + name + "' expects a value, found none");
      return text;
    };
    for (auto [option, target] : values) {
      known.push_back(option);
      if (name != option)
        continue;
      llvm::Expected<std::string> text = takeValue();
      if (!text)
        return text.takeError();
      *target = *text;
    }
    for (auto [option, target] : lists) {
      known.push_back(option);
      if (name != option)
        continue;
      llvm::Expected<std::string> text = takeValue();
      if (!text)
        return text.takeError();
      target->push_back(*text);
    }
    if (!isKnown)
      return invalid("unknown option '" + argument.split('=').first + "'" +
                     suggest(name, known));
  }
  if (options.help)
    return options;

  if (options.program.empty())
    return invalid("expected a program, an .mlir file; see --help");
  if (!tolerance.empty()) {
    double number = 0;
    if (StringRef(tolerance).getAsDouble(number) || !(number >= 0) ||
        !std::isfinite(number))
      return invalid("option '--tolerance' expects a finite number of 0 or "
                     "more, found '" +
                     tolerance + "'");
    if (options.compare.empty())
      return invalid("option '--tolerance' needs '--compare'");
    options.tolerance = number;
  }
  if (options.targetOptions.checkMemory && options.target != "cpu")
    return invalid("option '--check-memory' needs '--target=cpu'");
  if (!repeat.empty() && (StringRef(repeat).getAsInteger(10, options.repeat) ||
                          options.repeat == 0 || options.repeat > 1000000))
    return invalid("option '--repeat' expects a number from 1 to 1000000, "
                   "found '" +
                   repeat + "'");
  if (llvm::Error error =
          parseEmulatorOptions(seed, schedule, residentBlocks, stepBudget,
                               races, dispatch, options.targetOptions.emulator))
    return std::move(error);
  options.targetOptions.dispatch = dispatch == "on";
  options.targetOptions.emulator.countAccesses = options.stats;
  if (options.stats && options.target != "emulator")
    return invalid("option '--stats' needs '--target=emulator'");
  for (StringRef name : {StringRef(options.target), StringRef(options.compare)})
    if (!name.empty() && !findExecutionTarget(name))
      return invalid("unknown target '" + name +
                     "'; expected one of: " + listExecutionTargets());
  return options;
}
