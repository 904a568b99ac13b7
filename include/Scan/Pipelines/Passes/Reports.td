//===- Reports.td - What passes and kernels do -------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_PIPELINES_PASSES_REPORTS_TD
#define SCAN_PIPELINES_PASSES_REPORTS_TD

include "mlir/Pass/PassBase.td"

def ScanCountMatches : Pass<"scan-count-matches", "::mlir::ModuleOp"> {
  let summary = "let the passes that follow count what they find";
  let description = [{
    Marks the module, so that passes on modules add what they count (their
    statistics) to the attribute `scan.matches`. MLIR prints statistics of its
    own only in builds with assertions or with statistics enabled.
    `--scan-print-traffic` prints the counts as well.

    ```mlir
    func.func @cumsum(%x: tensor<8xf32>) -> tensor<8xf32> {
      %y = scan.associative ins(%x : tensor<8xf32>) dim = 0 {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } -> tensor<8xf32>
      return %y : tensor<8xf32>
    }
    ```

    After `--scan-count-matches --scan-normalize`:

    ```mlir
    module attributes {scan.matches = {"scan-normalize" = {kernels = 1 : i64}}} {
      // ...
    }
    ```
  }];
}

def ScanExplain : Pass<"scan-explain", "::mlir::ModuleOp"> {
  let summary = "print how each scan runs on a GPU or a CPU, and why";
  let description = [{
    Normalises and fuses a copy of the program, and prints for each kernel what
    `--scan-assign-schedule` makes of it on `chip`: the schedule, the tile that
    a block handles at a time, how many blocks a multiprocessor runs and what
    limits them, how many bytes of loads wait at a time (a memory that is to be
    kept busy needs bandwidth times latency of them), the bytes that are moved
    and the time they take, each beside a lower bound (the *compulsory* traffic,
    each input read and each output written once, at the speed of a copy), and the best schedule of each
    other strategy. Changes nothing. A schedule that the program gives is kept,
    and estimated; one that breaks a limit of the chip is an error that names
    the limit.

    Behind the schedule is where it comes from: the program (`given`), what
    `scan-tune` measured (`tuned`), or the model (`chosen by the model`).

    The *roofline* has what a walk over the elements does at the least, whatever
    the schedule: bytes, instructions of the special function unit (ex2, rcp, rsqrt
    and so on: 16 per clock and multiprocessor), float operations of 32 bits (128; 64
    on sm_75 and sm_80) and issue slots (128), each with the time that it takes at
    that rate; and what part of the highest of these roofs the kernel reaches.

    Each operation that computes what the kernel reads, or reads what it computes,
    and is not part of it is listed with the reason (`outside`).

    The figures come from a model: they rank schedules, and are no measurement.
    Its constants were measured on some chips; for the others the report says
    "not measured", and the times are those of the nearest chip that was,
    scaled by clock and bandwidth.
    Where an extent is dynamic one is assumed, which is said, or `steps` and
    `batch` say for which ones to explain. Then there may be
    several schedules, which are listed with their conditions: on `steps`, the
    extent of the scan dimension, and `batch`, the product of the others: how
    many independent scans there are.

    ```mlir
    func.func @cumsum(%x: tensor<64x65536xf32>) -> tensor<64x65536xf32> {
      %y = scan.associative ins(%x : tensor<64x65536xf32>) dim = 1 {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } -> tensor<64x65536xf32>
      return %y : tensor<64x65536xf32>
    }
    ```

    After `--scan-explain -o /dev/null`:

    ```mlir
    @cumsum (...) on sm_90
      scan        65536 steps, 64 independent scans
      schedule    strategy = ...; chosen by the model
      tile        ...
      occupancy   ...
      in flight   ...
      moves       32.0 MiB; compulsory 32.0 MiB
      time        ...
      roofline    ...
      considered  ...
    ```

    With `cpu` the report is about the loops that `--convert-scan-to-loops` makes
    of each kernel: whether columns or rows are walked, the vectors (or why there
    are none), blocks, functions that are called for each number, whether results
    are stored past the caches, which dimensions threads share; what memory and
    arithmetic take on a machine, on one core and on all. Of loops over steps that are
    no scans, such as cells with weights, it says whether threads share them
    (`--scan-batch-to-threads`), or what keeps them from it.

    ```mlir
    func.func @decay(%a: tensor<2048x4096xf32>, %b: tensor<2048x4096xf32>) -> tensor<2048x4096xf32> {
      %h = scan.linear_recurrence ins(%a, %b : tensor<2048x4096xf32>, tensor<2048x4096xf32>) dim = 0 -> tensor<2048x4096xf32>
      return %h : tensor<2048x4096xf32>
    }
    ```

    After `--scan-explain=cpu -o /dev/null`:

    ```mlir
    @decay (...) on AMD EPYC (family 25, model 17)
      scan        2048 steps, 4096 independent scans
      walk        columns of dimension 1, blocks of at most 4096 with 16384 bytes from step to step
      vectors     16 lanes of 512 bits; about ... instructions for each
      stores      past the caches where they are aligned
      threads     2, which share dimension 1
      moves       96.0 MiB
      time        ... ms on one core, bound by memory (memory ... ms, arithmetic ... ms); ... ms on 2 cores
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90\"",
           "GPU architecture to explain for, such as sm_80 or sm_90; an unknown one "
           "is an error that lists them">,
    Option<"cpu", "cpu", "bool", "false",
           "Explain what a CPU does, not a GPU: options of schedules count for "
           "nothing">,
    Option<"machine", "machine", "std::string", "\"\"",
           "With cpu: file with a description of the machine, as "
           "benchmark/cpu/machine.py writes it (default: the one of "
           "benchmark/results/cpu-AMD-EPYC.md)">,
    Option<"dispatch", "dispatch", "bool", "true",
           "Whether kernels with dynamic extents may have several schedules, "
           "among which the host chooses">,
    Option<"maxVariants", "max-variants", "unsigned", "0",
           "At most so many schedules per kernel with dynamic extents, as long as "
           "each makes it faster (0: as many as are worth their compilation)">,
    Option<"maxStateBytes", "max-state-bytes", "int64_t", "256",
           "The most bytes of states that fusion may give a thread for each scan">,
    Option<"tuning", "tuning", "std::string", "\"\"",
           "File with schedules that scan-tune measured, which are preferred "
           "(default: the one that the environment variable SCAN_TUNING names)">,
    Option<"steps", "steps", "int64_t", "0",
           "Extent of the scan dimension to explain for where it is dynamic "
           "(default: one is assumed)">,
    Option<"batch", "batch", "int64_t", "0",
           "Product of the other extents to explain for where one of them is "
           "dynamic (default: one is assumed)">,
    Option<"points", "points", "int64_t", "0",
           "The old name of batch, for one more release">,
    Option<"candidates", "candidates", "bool", "false",
           "List every schedule that was considered, not only the best of each "
           "strategy">,
    Option<"calibration", "calibration", "std::string", "\"\"",
           "File with a calibration as in lib/Schedule/Chips, or with an array of "
           "them: the JSON report has a list of the times that they predict">,
    Option<"format", "format", "::mlir::scan::ReportFormat",
           "::mlir::scan::ReportFormat::Table", "How to print it",
           [{::llvm::cl::values(
             clEnumValN(::mlir::scan::ReportFormat::Table, "table", "for people"),
             clEnumValN(::mlir::scan::ReportFormat::Json, "json", "for programs"))}]>,
    Option<"output", "output", "std::string", "\"-\"",
           "File to print to; - is standard output">
  ];
}

def ScanPrintTraffic : Pass<"scan-print-traffic", "::mlir::ModuleOp"> {
  let summary = "print how many bytes each operation reads and writes";
  let description = [{
    Prints, for each function, the bytes that each of its operations reads from
    memory and writes to it, if each is one loop nest, or one kernel of a GPU,
    and nothing stays in a cache in between; their sum; and the *compulsory* traffic: what any program for the function
    has to move, its inputs and its outputs, once.
    Of branches `total` takes the one that moves more, and if others move less, `least`
    says what is moved if those are taken. A kernel that is run with some extents only
    (`scan.steps_range`) has these beside it.
    Changes nothing. How each operation is counted is written in
    `lib/Analysis/Traffic.h`: each element counts once per operation, however
    often it is read; broadcasts, fills, slices, updates in place or not, and
    loops have their rules there.

    Dynamic extents appear by the names that they have in a launch manifest:
    `arg0_d1` is the extent of dimension 1 of argument 0, `arg2` an index
    argument; what is neither is `n0`, `n1`, ... Extents that have to be equal
    share a name. `extents` puts numbers in their place.

    ```mlir
    func.func @decay(%x: tensor<8x1024xf32>) -> tensor<8x1024xf32> {
      %half = arith.constant dense<0.5> : tensor<8x1024xf32>
      %0 = arith.mulf %x, %half : tensor<8x1024xf32>
      %y = math.exp %0 : tensor<8x1024xf32>
      return %y : tensor<8x1024xf32>
    }
    ```

    After `--scan-print-traffic -o /dev/null`:

    ```mlir
    @decay                      bytes read  bytes written
      arith.mulf  ...:3:8   32768       32768
      math.exp    ...:4:8   32768       32768
      total       2 operations  65536       65536
      compulsory                32768       32768
      total / compulsory  2
    ```

    `compare` shows what `--scan-normalize --scan-fuse-elementwise` make of the
    program as well, without changing it, and how often they found something to
    do; otherwise these counts are there if `--scan-count-matches` ran before
    the passes. With `format=json` this is one object: `functions` as they are,
    `fused` as they become, and `matches`.
  }];
  let options = [
    Option<"format", "format", "::mlir::scan::ReportFormat",
           "::mlir::scan::ReportFormat::Table", "How to print it",
           [{::llvm::cl::values(
             clEnumValN(::mlir::scan::ReportFormat::Table, "table", "for people"),
             clEnumValN(::mlir::scan::ReportFormat::Json, "json", "for programs"))}]>,
    Option<"output", "output", "std::string", "\"-\"",
           "File to print to; - is standard output">,
    ListOption<"extents", "extents", "std::string",
               "Numbers for dynamic extents: arg0_d0=2,arg0_d1=1024">,
    Option<"compare", "compare", "bool", /*default=*/"false",
           "Also show the program normalised and fused">
  ];
}

#endif // SCAN_PIPELINES_PASSES_REPORTS_TD
