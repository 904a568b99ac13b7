//===- Module.cpp - Programs: read, check, transform, compile -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Module.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

using namespace mlir_scan;

static void append(MlirStringRef text, void *string) {
  static_cast<std::string *>(string)->append(text.data, text.length);
}

Module::~Module() {
  context->destroyLater([module = module] { mlirScanModuleDestroy(module); });
}

/// Uses the module's context without the GIL. `body` returns whether it
/// succeeded; raises CompileError otherwise.
template <typename Body>
std::vector<Diagnostic> Module::use(const char *what, Body body) {
  std::vector<Diagnostic> diagnostics;
  bool succeeded = false;
  {
    ReleaseGil release;
    DiagnosticCollector collector;
    context->use([&] { succeeded = body(); });
    diagnostics = std::move(collector.diagnostics);
  }
  // An interrupt that came in the meantime.
  if (PyErr_CheckSignals())
    throw nb::python_error();
  if (!succeeded)
    raise("CompileError", diagnostics, what);
  warn(diagnostics);
  return diagnostics;
}

std::unique_ptr<Module> Module::parse(std::string_view text,
                                      std::string_view name) {
  std::unique_ptr<Module> result(new Module);
  {
    ReleaseGil release;
    result->context = Context::create();
  }
  result->use("cannot parse the program", [&] {
    result->module =
        mlirScanModuleParse(result->context->get(), toRef(text), toRef(name));
    return !mlirModuleIsNull(result->module);
  });
  return result;
}

std::unique_ptr<Module> Module::clone() {
  std::unique_ptr<Module> result(new Module);
  result->context = context;
  use("cannot copy the module", [&] {
    result->module = mlirScanModuleClone(module);
    return !mlirModuleIsNull(result->module);
  });
  return result;
}

std::string Module::print(bool withLocations) {
  std::string text;
  use("cannot print the module", [&] {
    return mlirLogicalResultIsSuccess(
        mlirScanModulePrint(module, withLocations, append, &text));
  });
  return text;
}

nb::bytes Module::bytecode() {
  std::string bytes;
  use("cannot write the module", [&] {
    return mlirLogicalResultIsSuccess(
        mlirScanModuleWriteBytecode(module, append, &bytes));
  });
  return nb::bytes(bytes.data(), bytes.size());
}

void Module::verify() {
  use("the module is not valid",
      [&] { return mlirLogicalResultIsSuccess(mlirScanModuleVerify(module)); });
}

nb::list Module::run(std::string_view pipeline) {
  return toPython(use("the pipeline failed", [&] {
    return mlirLogicalResultIsSuccess(
        mlirScanModuleRunPipeline(module, toRef(pipeline)));
  }));
}

std::vector<std::string> Module::functions() {
  std::vector<std::string> names;
  use("cannot list the functions", [&] {
    return mlirLogicalResultIsSuccess(mlirScanModuleForEachFunction(
        module,
        [](MlirStringRef name, void *data) {
          static_cast<std::vector<std::string> *>(data)->push_back(
              toString(name));
        },
        &names));
  });
  return names;
}

Signature Module::signature(std::string_view function) {
  Signature result;
  use("there is no signature", [&] {
    MlirScanSignature signature = mlirScanSignatureGet(module, toRef(function));
    if (mlirScanSignatureIsNull(signature))
      return false;
    result = Signature(signature);
    mlirScanSignatureDestroy(signature);
    return true;
  });
  return result;
}

static MlirScanStridedArguments getStridedArguments(std::string_view name) {
  if (name == "none")
    return MlirScanStridedArgumentsNone;
  if (name == "outer")
    return MlirScanStridedArgumentsOuter;
  if (name == "any")
    return MlirScanStridedArgumentsAny;
  raise("ScanError", "strided_arguments: expected 'none', 'outer' or 'any', "
                     "found '" +
                         std::string(name) + "'");
}

std::unique_ptr<Executable> Module::compile(std::string_view function,
                                            std::string_view target,
                                            std::string_view stridedArguments) {
  MlirScanStridedArguments strided = getStridedArguments(stridedArguments);
  MlirScanExecutable executable = {nullptr};
  use("cannot compile", [&] {
    executable = mlirScanExecutableCreateStrided(module, toRef(function),
                                                 toRef(target), strided);
    return !mlirScanExecutableIsNull(executable);
  });
  return std::make_unique<Executable>(
      context, executable, std::string(function), std::string(target));
}

static MlirScanPTXOptions
getOptions(std::string_view chip, uint32_t optLevel, uint32_t ptxIsa,
           std::string_view libdevice, std::string_view stridedArguments,
           uint32_t maxVariants, uint32_t maxStateBytes, bool dispatch) {
  MlirScanPTXOptions options = mlirScanPTXOptionsGetDefault();
  options.chip = toRef(chip);
  options.optLevel = optLevel;
  options.ptxIsa = ptxIsa;
  options.libdevice = toRef(libdevice);
  options.stridedArguments = getStridedArguments(stridedArguments);
  options.maxVariants = maxVariants;
  options.maxStateBytes = maxStateBytes;
  options.dispatch = dispatch;
  return options;
}

std::unique_ptr<Kernels>
Module::kernels(std::string_view chip, uint32_t optLevel, uint32_t ptxIsa,
                std::string_view libdevice, std::string_view stridedArguments,
                uint32_t maxVariants, uint32_t maxStateBytes, bool dispatch) {
  MlirScanPTXOptions options =
      getOptions(chip, optLevel, ptxIsa, libdevice, stridedArguments,
                 maxVariants, maxStateBytes, dispatch);
  MlirScanKernels kernels = {nullptr};
  use("cannot compile to kernels", [&] {
    kernels = mlirScanKernelsCreate(module, &options);
    return !mlirScanKernelsIsNull(kernels);
  });
  return std::make_unique<Kernels>(kernels);
}

std::pair<std::string, std::string>
Module::ptx(std::string_view chip, uint32_t optLevel, uint32_t ptxIsa,
            std::string_view libdevice, std::string_view stridedArguments,
            uint32_t maxVariants, uint32_t maxStateBytes, bool dispatch) {
  MlirScanPTXOptions options =
      getOptions(chip, optLevel, ptxIsa, libdevice, stridedArguments,
                 maxVariants, maxStateBytes, dispatch);
  std::pair<std::string, std::string> result;
  use("cannot compile to PTX", [&] {
    MlirScanPTX ptx = mlirScanPTXCompile(module, &options);
    if (mlirScanPTXIsNull(ptx))
      return false;
    result = {toString(mlirScanPTXGetText(ptx)),
              toString(mlirScanPTXGetManifest(ptx))};
    mlirScanPTXDestroy(ptx);
    return true;
  });
  return result;
}

/// Asks of each scan whether its operator is associative: a tuple of verdict,
/// reason, a, b, c, left and right for each.
nb::list Module::prove(bool solver, std::string_view z3, uint32_t timeout,
                       uint32_t triples) {
  using Found = std::pair<MlirScanVerdict, std::vector<std::string>>;
  std::vector<Found> found;
  MlirScanProveOptions options = mlirScanProveOptionsGetDefault();
  options.solver = solver;
  options.z3 = toRef(z3);
  options.timeout = timeout;
  options.randomTriples = triples;
  use("cannot ask about the scans", [&] {
    return mlirLogicalResultIsSuccess(mlirScanModuleProve(
        module, &options,
        [](const MlirScanProof *proof, void *data) {
          std::vector<std::string> texts;
          for (MlirStringRef text :
               {proof->reason, proof->a, proof->b, proof->c, proof->left,
                proof->right, proof->types})
            texts.push_back(toString(text));
          static_cast<std::vector<Found> *>(data)->emplace_back(
              proof->verdict, std::move(texts));
        },
        &found));
  });
  const char *verdicts[] = {"proved", "proved up to rounding", "refuted",
                            "unknown"};
  nb::list result;
  for (auto &[verdict, texts] : found)
    result.append(nb::make_tuple(verdicts[verdict], texts[0], texts[1],
                                 texts[2], texts[3], texts[4], texts[5],
                                 texts[6]));
  return result;
}

void mlir_scan::addModules(nb::module_ &module) {
  using namespace nb::literals;
  nb::class_<Module>(module, "Module",
                     R"(A program: functions with scans on tensors.

One thread at a time works on a module and its clones; others wait. Modules that were
parsed separately do not wait for each other. Methods release the GIL, and raise
mlir_scan.CompileError, with diagnostics, for what is wrong in the program.)")
      .def_static(
          "parse", &Module::parse, "text"_a, "name"_a = "<text>",
          "Parses and verifies MLIR text, or bytecode. `name` stands for "
          "the file in diagnostics.")
      .def_static(
          "parse",
          [](nb::bytes text, std::string_view name) {
            return Module::parse({text.c_str(), text.size()}, name);
          },
          "text"_a, "name"_a = "<text>")
      .def("__str__", [](Module &self) { return self.print(false); })
      .def(
          "to_text", &Module::print, "locations"_a = false,
          "The program as text, with the locations of operations if asked for.")
      .def("to_bytecode", &Module::bytecode, "The program as bytecode.")
      .def("verify", &Module::verify,
           "Checks the constraints of every operation.")
      .def("run", &Module::run, "pipeline"_a,
           "Runs a pass pipeline on the module, in place, such as "
           "\"scan-normalize,canonicalize\".\n\nReturns the warnings and "
           "remarks. On "
           "failure the module is as the pass that failed left it.")
      .def("prove", &Module::prove, "solver"_a = true, "z3"_a = "",
           "timeout"_a = 5, "triples"_a = 10000,
           "Asks of each scan.associative whether its operator is associative. "
           "See mlir_scan.prove.\n\nReturns a tuple for each: \"proved\", "
           "\"proved up to rounding\", \"refuted\" or \"unknown\"; the "
           "reason; and, as text, a, b, c, f(f(a, b), c) and f(a, f(b, c)) if "
           "refuted.")
      .def("clone", &Module::clone, "A copy, in the same context.")
      .def_prop_ro("functions", &Module::functions,
                   "The names of the public functions with a body.")
      .def("signature", &Module::signature, "function"_a,
           "The types of a function's inputs and outputs.")
      .def("compile", &Module::compile, "function"_a, "target"_a = "cpu",
           "strided_arguments"_a = "none",
           "Makes a function ready to run, for any shapes that its types "
           "allow.\n\n"
           "`target` is \"cpu\" (machine code for this processor), "
           "\"reference\" (the interpreter: slow), \"emulator\" (GPU kernels "
           "on an "
           "emulated GPU: slow) or \"cuda\" (the first GPU; arrays of the CPU "
           "are "
           "copied there and back).\n\n"
           "`strided_arguments` are the inputs that \"cpu\" and \"emulator\" "
           "read where they are: dense ones (\"none\"), those whose innermost "
           "dimension is contiguous (\"outer\"), or all (\"any\"). Others are "
           "copied first.")
      .def("ptx", &Module::ptx, "chip"_a = "sm_90", "opt_level"_a = 3,
           "ptx_isa"_a = 0, "libdevice"_a = "", "strided_arguments"_a = "none",
           "max_variants"_a = 0, "max_state_bytes"_a = 256, "dispatch"_a = true,
           "Compiles the public functions to PTX; returns it and its manifest, "
           "which "
           "says how to launch it.\n\nNeeds no GPU. `ptx_isa` is major * 10 + "
           "minor, 0 "
           "the lowest that fits. `libdevice` is the path of libdevice.10.bc, "
           "which is "
           "otherwise looked for in CUDA_HOME, CUDA_PATH, /usr/local/cuda and "
           "the "
           "wheels of the CUDA Toolkit. `strided_arguments` are the tensors "
           "that launches may pass: dense ones (\"none\"), those whose "
           "innermost "
           "dimension is contiguous (\"outer\"), or all (\"any\"). A scan with "
           "dynamic extents has `max_variants` kernels at most; 0: as many as "
           "are worth their compilation. Fusion gives a thread at most "
           "`max_state_bytes` of states for each scan; 0 never unrolls a "
           "kernel over a dimension to fuse a sum over it. Without `dispatch` "
           "there is one kernel, which is least slower than the best over all "
           "extents.")
      .def("kernels", &Module::kernels, "chip"_a = "sm_90", "opt_level"_a = 3,
           "ptx_isa"_a = 0, "libdevice"_a = "", "strided_arguments"_a = "none",
           "max_variants"_a = 0, "max_state_bytes"_a = 256, "dispatch"_a = true,
           "Compiles the public functions up to their kernels; returns the "
           "Kernels, each of which is compiled when it is asked for. Options "
           "are those of `ptx`.");
}
