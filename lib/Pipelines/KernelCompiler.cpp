//===- KernelCompiler.cpp - Kernels to PTX, one by one --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelCompiler.h"
#include "PTXSteps.h"
#include "Schedule/Variants.h"
#include "Target/KernelModules.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/EndianStream.h"

using namespace mlir;
using namespace mlir::scan;

/// The bytecode of a module with a copy of `kernels`.
static LogicalResult writeAlone(gpu::GPUModuleOp kernels, std::string &bytes) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernels.getLoc());
  OpBuilder::atBlockBegin(module->getBody()).clone(*kernels);
  llvm::raw_string_ostream stream(bytes);
  return writeBytecodeToFile(*module, stream);
}

std::unique_ptr<KernelCompiler>
KernelCompiler::create(ModuleOp module, const PTXOptions &options) {
  auto compiler = std::make_unique<KernelCompiler>();
  compiler->target = options;
  // Variants that nobody needs are never compiled.
  PTXOptions onDemand = options;
  if (onDemand.maxVariants == 0)
    onDemand.maxVariants = kMostVariantsOnDemand;
  if (failed(resolveTarget(module, compiler->target)) ||
      failed(lowerToLaunches(module, onDemand)) ||
      failed(raiseISA(module, options, compiler->target)))
    return nullptr;
  FailureOr<std::string> manifest =
      buildManifest(module, compiler->target.chip, compiler->target.ptxIsa);
  if (failed(manifest))
    return nullptr;
  compiler->manifest = std::move(*manifest);
  for (gpu::GPUModuleOp kernels : splitKernels(module)) {
    for (auto kernel : kernels.getOps<gpu::GPUFuncOp>())
      if (kernel.isKernel())
        compiler->kernels.push_back(
            {kernel.getName().str(), compiler->modules.size()});
    if (failed(writeAlone(kernels, compiler->modules.emplace_back())))
      return nullptr;
  }
  return compiler;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kMagic = "mlir-scan kernels 1\n";

namespace {
/// Strings and numbers one after the other, strings with their length in front.
class Writer {
public:
  explicit Writer(raw_ostream &os) : writer(os, llvm::endianness::little) {}

  void write(uint64_t number) { writer.write(number); }
  void write(StringRef text) {
    write(uint64_t(text.size()));
    writer.OS << text;
  }

private:
  llvm::support::endian::Writer writer;
};

class Reader {
public:
  explicit Reader(StringRef bytes) : rest(bytes) {}

  void read(uint64_t &number) {
    failed |= rest.size() < sizeof(number);
    number = failed ? 0 : llvm::support::endian::read64le(rest.data());
    rest = rest.drop_front(failed ? 0 : sizeof(number));
  }
  void read(std::string &text) {
    uint64_t size = 0;
    read(size);
    failed |= rest.size() < size;
    text = failed ? "" : rest.take_front(size).str();
    rest = rest.drop_front(failed ? 0 : size);
  }

  /// Whether all was there and there is no more.
  bool isDone() const { return !failed && rest.empty(); }
  bool failed = false;

private:
  StringRef rest;
};
} // namespace

void KernelCompiler::write(raw_ostream &os) const {
  os << kMagic;
  Writer writer(os);
  for (StringRef text : {StringRef(target.chip), StringRef(target.libdevice),
                         StringRef(manifest)})
    writer.write(text);
  for (uint64_t number : {target.ptxIsa, target.optLevel})
    writer.write(number);
  writer.write(uint64_t(kernels.size()));
  for (const Kernel &kernel : kernels) {
    writer.write(kernel.name);
    writer.write(uint64_t(kernel.module));
  }
  writer.write(uint64_t(modules.size()));
  for (StringRef module : modules)
    writer.write(module);
}

std::unique_ptr<KernelCompiler> KernelCompiler::read(StringRef bytes) {
  if (!bytes.consume_front(kMagic))
    return nullptr;
  auto compiler = std::make_unique<KernelCompiler>();
  Reader reader(bytes);
  for (std::string *text : {&compiler->target.chip, &compiler->target.libdevice,
                            &compiler->manifest})
    reader.read(*text);
  uint64_t number = 0, count = 0;
  for (unsigned *field :
       {&compiler->target.ptxIsa, &compiler->target.optLevel}) {
    reader.read(number);
    *field = number;
  }
  reader.read(count);
  for (uint64_t i = 0; i < count && !reader.failed; ++i) {
    Kernel &kernel = compiler->kernels.emplace_back();
    reader.read(kernel.name);
    reader.read(number);
    kernel.module = number;
  }
  reader.read(count);
  for (uint64_t i = 0; i < count && !reader.failed; ++i)
    reader.read(compiler->modules.emplace_back());
  bool isWhole = reader.isDone() &&
                 llvm::all_of(compiler->kernels, [&](const Kernel &kernel) {
                   return kernel.module < compiler->modules.size();
                 });
  return isWhole ? std::move(compiler) : nullptr;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static std::string describe(Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto location =
          diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
      // A module that the parser made around functions is nowhere in the file.
      location && location.getLine() > 0)
    stream << location.getFilename().getValue() << ":" << location.getLine()
           << ":" << location.getColumn() << ": ";
  stream << diagnostic;
  llvm::replace(text, '\n', ' ');
  return text;
}

FailureOr<std::string> KernelCompiler::compile(size_t kernel,
                                               const DialectRegistry &registry,
                                               std::string &error) const {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (error.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
      error = describe(diagnostic);
    return success();
  });
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      modules[kernels[kernel].module], config, kernels[kernel].name);
  if (!module)
    return failure();
  SmallVector<gpu::GPUModuleOp> kernels(module->getOps<gpu::GPUModuleOp>());
  return lowerToPTX(*module, kernels, target, /*timing=*/nullptr,
                    /*isPart=*/modules.size() > 1);
}
