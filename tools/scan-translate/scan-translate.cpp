//===- scan-translate.cpp - Scan programs to PTX --------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/ProgramFile.h"
#include "Options.h"
#include "Scan/InitAll/InitAll.h"
#include "Scan/Pipelines/ScanToPTX.h"
#include "Target/CudaToolkit.h"
#include "Target/OutputFiles.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace mlir::scan;

/// What LLVM's backend cannot go on from: one line, and no crash report.
static void exitOnFatalError(void *, const char *reason, bool) {
  WithColor::error(errs(), "scan-translate")
      << "LLVM's NVPTX backend: " << reason << "\n";
  sys::Process::Exit(EXIT_FAILURE, /*NoCleanup=*/true);
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  install_fatal_error_handler(exitOnFatalError);
  mlir::registerDefaultTimingManagerCLOptions();
  for (const char *name :
       {"mlir-timing", "mlir-timing-display", "mlir-output-format"})
    cl::getRegisteredOptions().lookup(name)->addCategory(category);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, overview);
  auto fail = [](const Twine &message) {
    WithColor::error(errs(), "scan-translate") << message << "\n";
    return EXIT_FAILURE;
  };
  if (!scanToPTX)
    return fail("expected --scan-to-ptx: there is no other translation");

  PTXOptions options;
  options.chip = chip;
  options.ptxIsa = ptxIsa;
  options.libdevice = libdevice;
  options.dispatch = dispatch;
  options.maxVariants = maxVariants;
  options.stridedArguments = stridedArguments;
  options.maxStateBytes = maxStateBytes;
  options.tuning = tuning;
  if (Expected<unsigned> isa = resolvePTXIsa(options); !isa)
    return fail(toString(isa.takeError()));

  SmallVector<StringRef> outputs = {output};
  if (!manifest.empty())
    outputs.push_back(manifest);
  SmallVector<StringRef> inputs = {input};
  for (const std::string *file : {&libdevice.getValue(), &tuning.getValue()})
    if (!file->empty())
      inputs.push_back(*file);
  if (Error error = checkOutputPaths(outputs, inputs))
    return fail(toString(std::move(error)));

  mlir::DefaultTimingManager timingManager;
  mlir::applyDefaultTimingManagerCLOptions(timingManager);
  mlir::TimingScope timing = timingManager.getRootScope();
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  Expected<std::unique_ptr<MemoryBuffer>> file =
      readProgramFile(input, registry);
  if (!file)
    return fail(toString(file.takeError()));
  SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*file), SMLoc());
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  if (!remarkFilters.isEmpty())
    if (Error error = enableRemarks(context, remarkFilters))
      return fail(toString(std::move(error)));
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  std::string ptx, json;
  if (!module || failed(proveAssociativity(*module, prove, emitSMT)) ||
      failed(compileToPTX(*module, options, ptx, json, &timing)))
    return EXIT_FAILURE;

  if (ptxas)
    if (Error error =
            reportKernelResources(ptx, chip, output == "-" ? errs() : outs()))
      return fail(toString(std::move(error)));
  SmallVector<OutputFile> files = {{output, ptx}};
  if (!manifest.empty())
    files.push_back({manifest, json});
  if (Error error = writeOutputFiles(files))
    return fail(toString(std::move(error)));
  return EXIT_SUCCESS;
}
