//===- Options.h - The command line of scan-translate -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TOOLS_SCANTRANSLATE_OPTIONS_H
#define SCAN_TOOLS_SCANTRANSLATE_OPTIONS_H

#include "Driver/RemarkOptions.h"
#include "Scan/Pipelines/MaxStateBytes.h"
#include "Scan/Pipelines/StridedArguments.h"
#include "Scan/Prove/ProveMode.h"
#include "llvm/Support/CommandLine.h"

namespace cl = llvm::cl;

static cl::OptionCategory category("scan-translate options");
static cl::opt<std::string> input(cl::Positional, cl::desc("<in.mlir>"),
                                  cl::init("-"), cl::cat(category));
static cl::opt<bool> scanToPTX("scan-to-ptx",
                               cl::desc("Compile the scans to PTX"),
                               cl::cat(category));
static cl::opt<bool> scanToObject(
    "scan-to-object",
    cl::desc("Compile the scans to an object file for processors, which C "
             "calls"),
    cl::cat(category));
static cl::opt<std::string>
    header("header", cl::desc("Where the C header of the object file goes"),
           cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    cpu("cpu",
        cl::desc("Processor that the object file is for, such as native, "
                 "x86-64-v3 or znver4 (default: every one of the target); an "
                 "unknown one is an error that lists them"),
        cl::cat(category));
static cl::opt<std::string>
    targetTriple("target-triple",
                 cl::desc("System that the object file is for, such as "
                          "aarch64-linux-gnu (default: this one)"),
                 cl::value_desc("triple"), cl::cat(category));
static cl::opt<std::string>
    chip("chip",
         cl::desc("GPU to compile for, such as sm_80 or sm_90 (default); an "
                  "unknown one is an error that lists them"),
         cl::init("sm_90"), cl::cat(category));
static cl::opt<std::string> output("o",
                                   cl::desc("Where the PTX, or the object "
                                            "file, goes (default: standard "
                                            "output)"),
                                   cl::value_desc("file"), cl::init("-"),
                                   cl::cat(category));
static cl::opt<std::string>
    manifest("manifest", cl::desc("Where the launch manifest (JSON) goes"),
             cl::value_desc("file"), cl::cat(category));
static cl::opt<unsigned> ptxIsa(
    "ptx-isa",
    cl::desc("PTX ISA version times ten, 83 for 8.3 (default: an old one that "
             "suits the chip)"),
    cl::init(0), cl::cat(category));
static cl::opt<std::string> libdevice(
    "libdevice",
    cl::desc("Path of libdevice.10.bc, read if a math function is called "
             "(default: looked for)"),
    cl::value_desc("file"), cl::cat(category));
static cl::opt<bool> dispatch(
    "dispatch",
    cl::desc("Compile scans with dynamic extents several times, with schedules "
             "for different extents; launchers choose (default: true)"),
    cl::init(true), cl::cat(category));
static cl::opt<unsigned> maxVariants(
    "max-variants",
    cl::desc("At most so many kernels per scan with dynamic extents, as long "
             "as each makes it faster (default: as many as are worth their "
             "compilation)"),
    cl::init(0), cl::cat(category));
static cl::opt<bool>
    openMP("openmp",
           cl::desc("With --scan-to-object: divide independent scans among the "
                    "threads of OpenMP; programs are linked with -lomp"),
           cl::cat(category));
static cl::opt<int64_t> maxStateBytes(
    "max-state-bytes", cl::desc(mlir::scan::kMaxStateBytesDescription),
    cl::init(mlir::scan::kDefaultMaxStateBytes), cl::cat(category));
static cl::opt<mlir::scan::StridedArguments> stridedArguments(
    "strided-arguments",
    cl::desc("The strides and offsets that launchers may pass with tensor "
             "arguments (default: none; without a value: any)"),
    cl::values(clEnumValN(mlir::scan::StridedArguments::Any, "", "")),
    mlir::scan::getStridedArgumentsValues(), cl::ValueOptional,
    cl::init(mlir::scan::StridedArguments::None), cl::cat(category));
static cl::opt<bool> fastMath(
    "fast-math",
    cl::desc("Allow approximate functions and divisions, with the errors that "
             "--scan-fast-math documents"),
    cl::cat(category));
static cl::opt<std::string> tuning(
    "tuning",
    cl::desc("Schedules that scan-tune measured, which are preferred (default: "
             "the file that the environment variable SCAN_TUNING names)"),
    cl::value_desc("file"), cl::cat(category));
static cl::opt<mlir::scan::ProveMode>
    prove("prove", cl::desc(mlir::scan::kProveModeDescription),
          mlir::scan::getProveModeValues(),
          cl::init(mlir::scan::ProveMode::Off), cl::cat(category));
static cl::opt<std::string> emitSMT("scan-emit-smt",
                                    cl::desc(mlir::scan::kEmitSMTDescription),
                                    cl::value_desc("DIR"), cl::cat(category));
static mlir::scan::RemarkFilters remarkFilters;
static mlir::scan::RemarkCommandLine remarks(remarkFilters, category);
static cl::opt<bool> ptxas(
    "ptxas",
    cl::desc("Assemble the PTX and print registers, spills and shared memory "
             "of each kernel"),
    cl::cat(category));

constexpr llvm::StringLiteral overview =
    R"(compiles scan programs to PTX or to object files

  The input is MLIR with scans on tensors. The manifest says how to launch the
  kernels; docs/manifest.md is its reference. Neither a GPU nor a driver is
  needed. What is in an object file is called from C, without MLIR;
  docs/objects.md is the reference.

EXAMPLES:
  scan-translate --scan-to-ptx in.mlir --chip=sm_90 -o k.ptx --manifest=k.json
  scan-translate --scan-to-ptx in.mlir -o k.ptx --ptxas
  scan-opt --canonicalize in.mlir | scan-translate --scan-to-ptx
  scan-translate --scan-to-object in.mlir -o k.o --header=k.h --cpu=native
)";

#endif // SCAN_TOOLS_SCANTRANSLATE_OPTIONS_H
