//===- scan-doc-facts.cpp - What the reference says beside ODS ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pipelines are registered in C++ and interfaces are attached in C++: TableGen
// knows neither. This program prints what is registered, for
// scripts/generate_docs.py. With the argument `upstream` it prints the passes
// and pipelines of MLIR alone, which are then left out of the reference.
//
//===----------------------------------------------------------------------===//

#include "Scan/IR/ScanDialect.h"
#include "Scan/InitAll/InitAll.h"
#include "Scan/Pipelines/ScanToCPU.h"
#include "Scan/Pipelines/ScanToGPU.h"
#include "Scan/Pipelines/ScanToPTX.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// Prints the options of a pipeline with their defaults. A pipeline that has
/// options and is not printed here stops the generator.
template <typename Options> static void printDefaults(StringRef pipeline) {
  llvm::outs() << "defaults " << pipeline << " ";
  Options().print(llvm::outs());
  llvm::outs() << "\n";
}

template <typename Interface>
static void printImplementers(MLIRContext &context, StringRef interface) {
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getStringRef().contains("scan.") && name.hasInterface<Interface>())
      llvm::outs() << "interface " << interface << " " << name.getStringRef()
                   << "\n";
}

int main(int argc, char **argv) {
  bool upstream = argc == 2 && StringRef(argv[1]) == "upstream";
  if (upstream)
    registerAllPasses();
  else
    scan::registerAllPasses();
  // The registry can be listed only as the help text of a command line.
  PassPipelineCLParser passes("", "Passes");
  llvm::cl::ParseCommandLineOptions(1, argv);
  llvm::cl::PrintHelpMessage();
  if (upstream)
    return 0;

  printDefaults<scan::ScanToFusedOptions>("scan-to-fused");
  printDefaults<scan::ScanToCPUOptions>("scan-to-cpu");
  printDefaults<scan::ScanToGPUOptions>("scan-to-gpu");
  printDefaults<scan::ScanToPTXOptions>("scan-to-ptx");

  DialectRegistry registry;
  scan::registerAllDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  // Interfaces that are attached outside of ODS.
  printImplementers<bufferization::BufferizableOpInterface>(
      context, "BufferizableOpInterface");
  printImplementers<TilingInterface>(context, "TilingInterface");
  return 0;
}
