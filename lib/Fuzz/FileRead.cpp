//===- FileRead.cpp - Damaged files through their readers -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/NpyIO.h"
#include "FileMutation.h"
#include "Graph.h"
#include "Scan/InitAll/InitAll.h"
#include "Scan/Pipelines/ScanToPTX.h"
#include "Scan/Transforms/Passes.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

StringRef fuzz::stringifyFileKind(FileKind kind) {
  switch (kind) {
  case FileKind::Bytecode:
    return "bytecode";
  case FileKind::Manifest:
    return "manifest";
  case FileKind::Npy:
    return "npy";
  }
  llvm_unreachable("all kinds are handled");
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

/// Programs of both generators, every other one with kernels.
static void addPrograms(FileSamples &samples, uint64_t seed,
                        MLIRContext &context) {
  for (uint64_t i = 0; i < 16; ++i) {
    auto module =
        parseSourceString<ModuleOp>(i % 2 ? printGraph(makeGraph(seed, i))
                                          : printProgram(makeProgram(seed, i)),
                                    ParserConfig(&context));
    auto manager = PassManager::on<ModuleOp>(&context);
    manager.addPass(createScanNormalize());
    manager.addPass(createScanFuseElementwise());
    if (!module || (i % 4 > 1 && failed(manager.run(*module))))
      continue;
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    if (succeeded(writeBytecodeToFile(*module, os)))
      samples.programs.push_back(std::move(bytes));
  }
}

static void addLaunches(FileSamples &samples, uint64_t seed,
                        MLIRContext &context) {
  for (uint64_t i = 0; i < 60 && samples.launches.size() < 5; ++i) {
    auto module = parseSourceString<ModuleOp>(printGraph(makeGraph(seed, i)),
                                              ParserConfig(&context));
    PTXOptions options;
    options.dispatch = i % 2;
    FileSamples::Launch launch;
    if (module &&
        succeeded(compileToPTX(*module, options, launch.ptx, launch.manifest)))
      samples.launches.push_back(std::move(launch));
  }
}

static void addArrays(FileSamples &samples, MLIRContext &context) {
  for (StringRef type :
       {"tensor<?x?xf32>", "tensor<2x3xbf16>", "tensor<?xi1>", "tensor<?xi64>",
        "f64", "tensor<?x0xf16>", "tensor<?x2x?xcomplex<f32>>", "index"}) {
    Type parsed = parseType(type, &context);
    SmallVector<int64_t> shape;
    if (auto tensor = dyn_cast<RankedTensorType>(parsed))
      for (int64_t extent : tensor.getShape())
        shape.push_back(ShapedType::isDynamic(extent) ? 3 : extent);
    HostArray array = HostArray::zeros(getElementTypeOrSelf(parsed), shape);
    llvm::Expected<std::string> contents = formatNpy(array);
    if (!contents) {
      llvm::consumeError(contents.takeError());
      continue;
    }
    samples.arrays.push_back({type.str(), *contents});
    // Column-major, and in the format's second version.
    std::string other = *contents;
    if (size_t at = other.find("False"); at != std::string::npos)
      other.replace(at, 5, "True ");
    samples.arrays.push_back({type.str(), other});
    other[6] = 2;
    other.insert(10, 2, '\0');
    samples.arrays.push_back({type.str(), other});
  }
}

FileSamples fuzz::makeFileSamples(uint64_t seed) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  // Some graphs have no form on a GPU.
  context.getDiagEngine().registerHandler([](Diagnostic &) {});
  FileSamples samples;
  addPrograms(samples, seed, context);
  addLaunches(samples, seed, context);
  addArrays(samples, context);
  return samples;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

FileReader::FileReader(const FileSamples &samples, MLIRContext &context)
    : samples(samples), context(context) {
  context.getDiagEngine().registerHandler([](Diagnostic &) {});
  hasDevice = launcher::Device::open(0, device).ok();
}

/// Messages are one line.
static std::string checkMessage(StringRef message) {
  if (message.trim().empty())
    return "is refused without a message";
  return message.contains('\n') ? "is refused with more than one line" : "";
}

std::string FileReader::readProgram(const MutatedFile &file, bool &isAccepted) {
  Block block;
  llvm::MemoryBufferRef buffer(file.contents, "file");
  // What has lost its magic number is text for others to read.
  if (!isBytecode(buffer))
    return "";
  isAccepted =
      succeeded(readBytecodeFile(buffer, &block, ParserConfig(&context)));
  for (Operation &operation : block)
    operation.print(llvm::nulls());
  return "";
}

std::string FileReader::readArray(const MutatedFile &file, bool &isAccepted) {
  Type type = parseType(samples.arrays[file.sample].type, &context);
  llvm::Expected<HostArray> array = parseNpy(file.contents, "file", type);
  if (!array)
    return checkMessage(llvm::toString(array.takeError()));
  isAccepted = true;
  std::optional<int64_t> bytes = getByteSize(array->elementType, array->shape);
  return bytes && size_t(*bytes) == array->data.size()
             ? ""
             : "has data that do not fit its shape";
}

std::string FileReader::readManifest(const MutatedFile &file, Random &random,
                                     bool &isAccepted) {
  using launcher::Argument, launcher::Buffer, launcher::Call,
      launcher::DevicePointer, launcher::Function, launcher::Status;
  if (!hasDevice)
    return "";
  launcher::Program program;
  Status status = launcher::Program::load(
      device, samples.launches[file.sample].ptx, file.contents, program);
  if (!status.ok())
    return checkMessage(status.getMessage());
  isAccepted = true;
  for (const Function &function : program.getFunctions())
    for (int i = 0; i < 3; ++i) {
      std::vector<Argument> arguments(function.getArguments().size());
      for (auto [argument, type] :
           llvm::zip_equal(arguments, function.getArguments()))
        for (int64_t extent : type.shape)
          argument.shape.push_back(
              extent >= 0 ? extent
                          : random.pick<int64_t>({0, 1, 3, 33, 1000, 1 << 20}));
      Call call;
      status = function.prepare(arguments, call);
      if (!status.ok()) {
        if (std::string wrong = checkMessage(status.getMessage());
            !wrong.empty())
          return wrong;
        continue;
      }
      // Memory that is not there is nobody's to write to.
      constexpr int64_t most = 1 << 22;
      std::vector<std::vector<char>> memory;
      std::vector<DevicePointer> inputs(arguments.size()), buffers;
      bool isSmall = llvm::all_of(call.getBuffers(), [](const Buffer &buffer) {
        return buffer.bytes <= most;
      });
      for (auto [argument, type] :
           llvm::zip_equal(arguments, function.getArguments())) {
        double bytes = double(type.elementBytes);
        for (int64_t extent : argument.shape)
          bytes *= double(extent);
        isSmall = isSmall && bytes <= double(most);
      }
      if (!isSmall || device.getName() != "Fake GPU")
        continue;
      // The driver of the tests clears arguments, too.
      for (DevicePointer &input : inputs) {
        memory.emplace_back(most);
        input = reinterpret_cast<DevicePointer>(memory.back().data());
      }
      for (const Buffer &buffer : call.getBuffers()) {
        memory.emplace_back(buffer.bytes);
        buffers.push_back(
            reinterpret_cast<DevicePointer>(memory.back().data()));
      }
      status = call.launch(inputs, buffers, nullptr);
      if (!status.ok())
        if (std::string wrong = checkMessage(status.getMessage());
            !wrong.empty())
          return wrong;
    }
  return "";
}

std::string FileReader::read(const MutatedFile &file, Random &random,
                             bool &isAccepted) {
  isAccepted = false;
  switch (file.kind) {
  case FileKind::Bytecode:
    return readProgram(file, isAccepted);
  case FileKind::Manifest:
    return readManifest(file, random, isAccepted);
  case FileKind::Npy:
    return readArray(file, isAccepted);
  }
  llvm_unreachable("all kinds are handled");
}
