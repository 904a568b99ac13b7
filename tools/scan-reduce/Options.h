//===- Options.h - The command line of scan-reduce ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TOOLS_SCANREDUCE_OPTIONS_H
#define SCAN_TOOLS_SCANREDUCE_OPTIONS_H

#include "llvm/Support/CommandLine.h"

namespace cl = llvm::cl;

static cl::OptionCategory category("scan-reduce options");
static cl::opt<std::string> input(cl::Positional, cl::desc("<in.mlir>"),
                                  cl::init("-"), cl::cat(category));
static cl::opt<std::string> script(
    "test",
    cl::desc("Program that exits with 0 if the file it gets is interesting"),
    cl::value_desc("program"), cl::cat(category));
static cl::opt<std::string>
    fails("fails",
          cl::desc("Instead of --test: a command line; interesting is a file "
                   "for which it fails as it does for the first one"),
          cl::value_desc("command"), cl::cat(category));
static cl::opt<std::string> crashes(
    "crashes",
    cl::desc("Like --fails, but the command has to be killed by a signal"),
    cl::value_desc("command"), cl::cat(category));
static cl::opt<std::string>
    message("message",
            cl::desc("With --fails or --crashes: text that the command has to "
                     "print besides; keeps one failure from becoming another"),
            cl::value_desc("text"), cl::cat(category));
static cl::opt<std::string> output("o",
                                   cl::desc("Where the smallest program goes "
                                            "(default: standard output)"),
                                   cl::value_desc("file"), cl::init("-"),
                                   cl::cat(category));
static cl::opt<unsigned>
    timeLimit("time-limit",
              cl::desc("Seconds that the test may take (default 60); a file "
                       "for which it takes longer is not interesting"),
              cl::value_desc("seconds"), cl::init(60), cl::cat(category));
static cl::list<std::string> only("only", cl::desc("Use only these reductions"),
                                  cl::value_desc("name,..."),
                                  cl::CommaSeparated, cl::cat(category));
static cl::opt<bool> allowUnregistered(
    "allow-unregistered-dialect",
    cl::desc("Accept operations of dialects that are not known"),
    cl::cat(category));
static cl::opt<bool> list("list", cl::desc("List the reductions"),
                          cl::cat(category));
static cl::opt<bool> verbose("verbose", cl::desc("Report every step"),
                             cl::cat(category));
static cl::opt<bool> quiet("quiet", cl::desc("Report errors only"),
                           cl::cat(category));

constexpr llvm::StringLiteral overview =
    R"(makes a program smaller while it stays interesting

  What is interesting is for a test to say, most often that something still
  fails: smaller and smaller programs are made from the first one, and those are
  kept for which the test holds. All of them are valid. Interrupted, it still
  writes the smallest so far.

  The test is a program that is called with the path of a file and exits with 0 if
  the file is interesting (as for creduce and llvm-reduce; mlir-reduce has it the
  other way round). This one looks for a line that --scan-normalize prints:

    #!/bin/sh
    scan-opt "$1" --scan-normalize | grep -q 'reverse.*threads = 256'

  For the frequent case that a command fails there is --fails. The path is
  appended to the command, or stands where it has $1.

EXAMPLES:
  scan-reduce in.mlir --test=./interesting.sh -o out.mlir
  scan-reduce in.mlir --fails='scan-opt --scan-to-cpu' --message='op C4'
  scan-reduce in.mlir --crashes='scan-opt --scan-to-gpu'
  scan-reduce in.mlir --message='differs from target' \
      --fails='scan-run --target=cpu --compare=reference --input=ones:f32:4x8'
)";

#endif // SCAN_TOOLS_SCANREDUCE_OPTIONS_H
