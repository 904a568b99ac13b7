//===- scan-translate.cpp - Scan programs to PTX and object files ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/ProgramFile.h"
#include "Options.h"
#include "Scan/Execution/HostObject.h"
#include "Scan/InitAll/InitAll.h"
#include "Scan/Pipelines/ScanToPTX.h"
#include "Scan/Transforms/Normalize.h"
#include "Target/CudaToolkit.h"
#include "Target/OutputFiles.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace mlir::scan;

/// What LLVM's backend cannot go on from: one line, and no crash report.
static void exitOnFatalError(void *, const char *reason, bool) {
  WithColor::error(errs(), "scan-translate")
      << "LLVM's code generator: " << reason << "\n";
  sys::Process::Exit(EXIT_FAILURE, /*NoCleanup=*/true);
}

static int fail(const Twine &message) {
  WithColor::error(errs(), "scan-translate") << message << "\n";
  return EXIT_FAILURE;
}

/// Options of one translation that were given for the other one, or neither of
/// them: an error.
static Error checkTranslation() {
  if (scanToPTX == scanToObject)
    return createStringError("expected --scan-to-ptx or --scan-to-object");
  cl::Option *const ofPTX[] = {&chip,      &manifest,         &ptxIsa,
                               &libdevice, &dispatch,         &maxVariants,
                               &tuning,    &stridedArguments, &ptxas};
  cl::Option *const ofObjects[] = {&header, &cpu, &targetTriple, &openMP};
  auto check = [](ArrayRef<cl::Option *> options, StringRef other) -> Error {
    for (cl::Option *option : options)
      if (option->getNumOccurrences() != 0)
        return createStringError("expected no --" + option->ArgStr + " with " +
                                 other);
    return Error::success();
  };
  return scanToPTX ? check(ofObjects, "--scan-to-ptx")
                   : check(ofPTX, "--scan-to-object");
}

static PTXOptions getPTXOptions() {
  PTXOptions options;
  options.chip = chip;
  options.ptxIsa = ptxIsa;
  options.libdevice = libdevice;
  options.dispatch = dispatch;
  options.maxVariants = maxVariants;
  options.stridedArguments = stridedArguments;
  options.maxStateBytes = maxStateBytes;
  options.tuning = tuning;
  return options;
}

static HostObjectOptions getObjectOptions() {
  if (scanToObject) {
    InitializeAllTargetInfos();
    InitializeAllTargets();
    InitializeAllTargetMCs();
    InitializeAllAsmPrinters();
    InitializeAllAsmParsers();
  }
  HostObjectOptions options;
  options.triple = targetTriple;
  options.cpu = cpu;
  options.maxStateBytes = maxStateBytes;
  options.threads = openMP;
  return options;
}

static int translateToPTX(mlir::ModuleOp module, const PTXOptions &options,
                          mlir::TimingScope &timing) {
  std::string ptx, json;
  if (failed(compileToPTX(module, options, ptx, json, &timing)))
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

static int translateToObject(mlir::ModuleOp module,
                             const HostObjectOptions &options) {
  mlir::FailureOr<HostObject> result = compileToObject(module, options);
  if (failed(result))
    return EXIT_FAILURE;
  SmallVector<OutputFile> files = {{output, result->object}};
  if (!header.empty())
    files.push_back({header, result->header});
  if (Error error = writeOutputFiles(files))
    return fail(toString(std::move(error)));
  return EXIT_SUCCESS;
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
  if (Error error = checkTranslation())
    return fail(toString(std::move(error)));

  PTXOptions ptxOptions = getPTXOptions();
  HostObjectOptions objectOptions = getObjectOptions();
  if (Error error = scanToPTX ? resolvePTXIsa(ptxOptions).takeError()
                              : checkHostObjectOptions(objectOptions))
    return fail(toString(std::move(error)));

  SmallVector<StringRef> outputs = {output};
  for (const std::string *file : {&manifest.getValue(), &header.getValue()})
    if (!file->empty())
      outputs.push_back(*file);
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
  // To free all types, attributes and operations one by one takes as long as a
  // pass; the end of the process does it at once.
  static mlir::MLIRContext &context = *new mlir::MLIRContext(registry);
  context.printOpOnDiagnostic(false);
  if (!remarkFilters.isEmpty())
    if (Error error = enableRemarks(context, remarkFilters))
      return fail(toString(std::move(error)));
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  static mlir::ModuleOp module =
      mlir::parseSourceFile<mlir::ModuleOp>(sources, &context).release();
  if (!module || failed(proveAssociativity(module, prove, emitSMT)))
    return EXIT_FAILURE;
  if (fastMath)
    allowFastMath(module);
  return scanToPTX ? translateToPTX(module, ptxOptions, timing)
                   : translateToObject(module, objectOptions);
}
