//===- Options.h - The command line of scan-tune ----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TOOLS_SCANTUNE_OPTIONS_H
#define SCAN_TOOLS_SCANTUNE_OPTIONS_H

#include "Driver/RemarkOptions.h"
#include "Scan/Pipelines/MaxStateBytes.h"
#include "llvm/Support/CommandLine.h"

namespace cl = llvm::cl;

static cl::OptionCategory category("scan-tune options");
static cl::opt<std::string> program(cl::Positional, cl::desc("<in.mlir>"),
                                    cl::init("-"), cl::cat(category));
static cl::opt<std::string>
    entry("entry",
          cl::desc("The function to measure; not needed if only one is public"),
          cl::value_desc("name"), cl::cat(category));
static cl::list<std::string> extents(
    "extents", cl::CommaSeparated,
    cl::desc("Numbers for dynamic extents: arg0_d1 is the extent of dimension "
             "1 of argument 0. A:B stands for A, 2 A, 4 A and so on up to B"),
    cl::value_desc("NAME=N|NAME=A:B,..."), cl::cat(category));
static cl::opt<std::string>
    chip("chip",
         cl::desc("GPU to compile for, such as sm_90 (default: native, that of "
                  "this machine)"),
         cl::init("native"), cl::cat(category));
static cl::opt<std::string> output(
    "o",
    cl::desc("The tuning cache that winners are added to; its other entries "
             "stay (default: the file that SCAN_TUNING names)"),
    cl::value_desc("file"), cl::cat(category));
static cl::opt<unsigned>
    budget("budget", cl::desc("Seconds that measuring may take (default: 60)"),
           cl::value_desc("seconds"), cl::init(60), cl::cat(category));
static cl::opt<bool> dryRun(
    "dry-run",
    cl::desc("List what would be measured; with --chip no GPU is needed"),
    cl::cat(category));

static cl::opt<bool> ptxas(
    "ptxas",
    cl::desc("Note what ptxas says of the schedules that are chosen for any "
             "extents, instead of measuring: the model chooses none that "
             "spills registers then. Needs --chip, and no GPU"),
    cl::cat(category));

static cl::opt<int64_t> maxStateBytes(
    "max-state-bytes", cl::desc(mlir::scan::kMaxStateBytesDescription),
    cl::init(mlir::scan::kDefaultMaxStateBytes), cl::cat(category));
static mlir::scan::RemarkFilters remarkFilters;
static mlir::scan::RemarkCommandLine remarks(remarkFilters, category);

constexpr llvm::StringLiteral overview =
    R"(measures schedules of scans on this machine's GPU

  For each kernel of a function, and each combination of extents, the schedules
  that the cost model takes for the best are measured, and the fastest is kept in
  a file that scan-translate, scan-run, the passes and Python read: docs/tuning.md
  is its reference.

EXAMPLES:
  scan-tune cumsum.mlir --extents=arg0_d0=8,arg0_d1=2048:65536 -o tuning.json
  scan-tune cumsum.mlir --extents=arg0_d0=8,arg0_d1=2048 --chip=sm_90 --dry-run
  scan-tune cumsum.mlir --ptxas --chip=sm_90 -o tuning.json
  scan-translate --scan-to-ptx cumsum.mlir --tuning=tuning.json
  SCAN_TUNING=tuning.json scan-opt cumsum.mlir --scan-explain -o /dev/null
)";

#endif // SCAN_TOOLS_SCANTUNE_OPTIONS_H
