//===- RunDriver.cpp - Runs a function over arrays ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunDriver.h"
#include "InputSpec.h"
#include "NpyIO.h"
#include "ProgramFile.h"
#include "RunReport.h"
#include "Scan/IR/ScanDialect.h"
#include "Scan/Transforms/Normalize.h"
#include "Target/OutputFiles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include <algorithm>

using namespace mlir;
using namespace mlir::scan;

namespace {
/// Turns the first error among the diagnostics into one line, and so each
/// warning.
class OneLineDiagnostics {
public:
  OneLineDiagnostics(MLIRContext *context, llvm::raw_ostream &os)
      : os(os), handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            report(diagnostic);
          else if (diagnostic.getSeverity() == DiagnosticSeverity::Warning)
            printLine("warning", diagnostic.str());
          else if (printsRemarks &&
                   diagnostic.getSeverity() == DiagnosticSeverity::Remark)
            printLine("remark", locate(diagnostic));
        }) {}
  /// An error that is no diagnostic; only the first error is printed.
  void report(const Twine &message) {
    if (!hasError)
      fail(message.str());
  }

  /// Whether remarks, too, become lines: those of passes that were asked for.
  void setPrintsRemarks(bool prints) { printsRemarks = prints; }

private:
  void report(Diagnostic &diagnostic) {
    if (hasError)
      return;
    fail(locate(diagnostic));
  }
  /// The diagnostic behind its place.
  static std::string locate(Diagnostic &diagnostic) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (auto location =
            diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
      stream << location.getFilename().getValue() << ":" << location.getLine()
             << ":" << location.getColumn() << ": ";
    stream << diagnostic;
    return text;
  }
  void fail(std::string text) {
    printLine("error", std::move(text));
    hasError = true;
  }
  void printLine(StringRef severity, std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    os << "scan-run: " << severity << ": " << text << "\n";
  }

  llvm::raw_ostream &os;
  bool hasError = false, printsRemarks = false;
  ScopedDiagnosticHandler handler;
};

} // namespace

/// A program, and what was compiled of it.
struct RunSession::Program {
  Program(std::unique_ptr<llvm::MemoryBuffer> file,
          const DialectRegistry &registry, MLIRContext::Threading threading)
      : path(file->getBufferIdentifier()), text(file->getBuffer()),
        context(registry, threading) {
    sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  }

  std::string path, text;
  llvm::SourceMgr sources;
  MLIRContext context;
  /// Null until it is parsed.
  OwningOpRef<ModuleOp> module;
  /// By function, target, and the options that compiling depends on.
  llvm::StringMap<std::unique_ptr<Executable>> executables;
};

namespace {
/// One run of the driver.
class Driver {
public:
  Driver(const RunOptions &options, RunSession::Program &program,
         OneLineDiagnostics &diagnostics)
      : options(options), program(program), diagnostics(diagnostics) {}

  LogicalResult load();
  LogicalResult makeInputs();
  LogicalResult run();
  LogicalResult checkTolerance();
  LogicalResult writeOutputs();
  const RunReport &getReport() const { return report; }

private:
  LogicalResult fail(const Twine &message) {
    diagnostics.report(message);
    return failure();
  }
  LogicalResult findEntry();
  LogicalResult checkOutputs();
  LogicalResult execute(StringRef targetName, bool timed,
                        SmallVectorImpl<HostArray> &results, double &seconds);
  FailureOr<Executable *> compile(const ExecutionTarget &target);
  std::string adviseOnOverflow(const ResultError &error);

  /// The program, with what was proved about it and what this run allows.
  ModuleOp getModule() { return changed ? *changed : *program.module; }

  const RunOptions &options;
  RunSession::Program &program;
  OwningOpRef<ModuleOp> changed;
  OneLineDiagnostics &diagnostics;
  func::FuncOp entry;
  SmallVector<HostArray> inputs;
  SmallVector<HostArray> results;
  RunReport report;
};
} // namespace

LogicalResult Driver::findEntry() {
  SmallVector<func::FuncOp> candidates;
  std::string names;
  for (auto function : program.module->getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    if (function.getSymName() == options.entry) {
      entry = function;
      return success();
    }
    if (!function.isPublic())
      continue;
    candidates.push_back(function);
    names += (names.empty() ? "'" : ", '") + function.getSymName().str() + "'";
  }
  if (!options.entry.empty())
    return fail("no function '" + options.entry + "' with a body in '" +
                options.program +
                "'; public functions: " + (names.empty() ? "none" : names));
  if (candidates.empty())
    return fail("no public function in '" + options.program + "'");
  if (candidates.size() > 1)
    return fail(
        "'" + options.program +
        "' has several public functions, say which with --entry: " + names);
  entry = candidates.front();
  return success();
}

/// What can be said about the output files before anything has run.
LogicalResult Driver::checkOutputs() {
  if (options.outputs.empty())
    return success();
  if (options.outputs.size() != entry.getNumResults())
    return fail("function '" + entry.getSymName() + "' has " +
                Twine(entry.getNumResults()) + " results, found " +
                Twine(options.outputs.size()) + " --output options");
  llvm::StringSet<> seen;
  for (const std::string &path : options.outputs) {
    if (!seen.insert(path).second)
      return fail("output '" + path + "' is given twice");
    StringRef folder = llvm::sys::path::parent_path(path);
    if (!folder.empty() && !llvm::sys::fs::is_directory(folder))
      return fail("cannot write '" + path + "': no folder '" + folder + "'");
  }
  // What generates an input is no file either.
  SmallVector<StringRef> inputs(options.inputs.begin(), options.inputs.end());
  inputs.push_back(options.program);
  if (llvm::Error error = checkOutputPaths(
          llvm::to_vector_of<StringRef>(options.outputs), inputs))
    return fail(llvm::toString(std::move(error)));
  return success();
}

LogicalResult Driver::load() {
  if (!options.remarks.isEmpty()) {
    if (llvm::Error error = enableRemarks(program.context, options.remarks))
      return fail(llvm::toString(std::move(error)));
    diagnostics.setPrintsRemarks(true);
  }
  if (!program.module)
    program.module =
        parseSourceFile<ModuleOp>(program.sources, &program.context);
  if (!program.module)
    return fail("'" + options.program + "' is not a valid program");
  if (failed(findEntry()) || failed(checkOutputs()))
    return failure();
  if (options.inputs.size() != entry.getNumArguments())
    return fail("function '" + entry.getSymName() + "' expects " +
                Twine(entry.getNumArguments()) + " inputs, found " +
                Twine(options.inputs.size()) + " --input options");
  bool proves = options.prove != ProveMode::Off || !options.emitSMT.empty();
  if (!proves && !options.fastMath)
    return success();
  // What is found or allowed is not for other runs of the program.
  changed = program.module->clone();
  if (options.fastMath)
    allowFastMath(*changed);
  if (!proves)
    return success();
  diagnostics.setPrintsRemarks(true);
  LogicalResult result =
      proveAssociativity(*changed, options.prove, options.emitSMT);
  diagnostics.setPrintsRemarks(!options.remarks.isEmpty());
  return result;
}

LogicalResult Driver::makeInputs() {
  for (auto [i, spec] : llvm::enumerate(options.inputs)) {
    Type type = entry.getArgument(i).getType();
    // Which layouts can be passed is for the target to say.
    if (auto memref = dyn_cast<MemRefType>(type))
      type = RankedTensorType::get(memref.getShape(), memref.getElementType());
    if (!isa<RankedTensorType>(type) && !getElementByteSize(type)) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return fail("parameter #" + Twine(i) + " of function '" +
                  entry.getSymName() + "' has type " + text +
                  ": expected a ranked tensor or a scalar");
    }
    llvm::Expected<HostArray> array = makeInput(spec, type);
    if (!array)
      return fail("parameter #" + Twine(i) + ": " +
                  llvm::toString(array.takeError()));
    report.bytes += array->data.size();
    inputs.push_back(std::move(*array));
  }
  return success();
}

FailureOr<Executable *> Driver::compile(const ExecutionTarget &target) {
  const emulator::EmulatorOptions &emulation = options.targetOptions.emulator;
  std::string key =
      llvm::formatv("{0} {1} {2} {3} {4} {5} {6} {7} {8} {9}", target.name,
                    emulation.needsInstrumentation(), emulation.dispatch,
                    options.targetOptions.dispatch, entry.getSymName(),
                    emulation.maxStateBytes, static_cast<int>(options.prove),
                    options.fastMath, options.targetOptions.tuning,
                    options.targetOptions.stateBytes);
  std::unique_ptr<Executable> &executable = program.executables[key];
  if (executable) {
    executable->setOptions(options.targetOptions);
    return executable.get();
  }
  auto compiled =
      target.compile(getModule(), entry.getSymName(), options.targetOptions);
  if (failed(compiled))
    return fail("target '" + target.name + "' cannot compile the program");
  executable = std::move(*compiled);
  return executable.get();
}

LogicalResult Driver::execute(StringRef targetName, bool timed,
                              SmallVectorImpl<HostArray> &outputs,
                              double &seconds) {
  const ExecutionTarget *target = findExecutionTarget(targetName);
  if (!target)
    return fail("unknown target '" + targetName +
                "'; expected one of: " + listExecutionTargets());
  FailureOr<Executable *> executable = compile(*target);
  if (failed(executable))
    return failure();
  std::vector<double> times;
  for (unsigned i = 0, e = timed ? options.repeat + 1 : 1; i < e; ++i) {
    outputs.clear();
    if (failed((*executable)->run(inputs, outputs)))
      return fail("the run on target '" + targetName + "' failed");
    // The first run warms up.
    if (i > 0 || e == 1)
      times.push_back((*executable)->getLastSeconds());
  }
  if (options.stats && !report.statistics)
    if (const auto *statistics = (*executable)->getStatistics())
      report.statistics = *statistics;
  std::sort(times.begin(), times.end());
  size_t middle = times.size() / 2;
  seconds = times.size() % 2 ? times[middle]
                             : (times[middle - 1] + times[middle]) / 2;
  return success();
}

/// Whether `op` is a scan that lowerings may bracket as they like.
static bool isBracketedFreely(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<AssociativeOp, LinearRecurrenceOp, KernelOp>([](auto scan) {
        return scan.getOrder().value_or(Order::Any) != Order::Sequential;
      })
      .Default(false);
}

/// What to do where a result is infinite or not a number and the expected one
/// is finite; nothing where all scans are left folds.
std::string Driver::adviseOnOverflow(const ResultError &error) {
  // These two compute left folds.
  if (options.target == "cpu" || options.target == "reference")
    return {};
  Operation *scan = nullptr;
  getModule().walk([&](Operation *op) {
    if (isBracketedFreely(op))
      scan = op;
    return scan ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!scan)
    return {};
  std::string text;
  llvm::raw_string_ostream os(text);
  os << error.overflows
     << " elements are infinite or not a number, and finite by target '"
     << options.compare << "': where parts of a scan overflow ('"
     << scan->getName() << "'";
  if (auto location = scan->getLoc()->findInstanceOf<FileLineColLoc>())
    os << " in line " << location.getLine();
  os << "), order = #scan.order<sequential> makes it the left fold";
  return text;
}

LogicalResult Driver::run() {
  report.program = options.program;
  report.entry = entry.getSymName().str();
  report.target = options.target;
  report.compare = options.compare;
  double seconds = 0;
  if (failed(execute(options.target, options.time, results, seconds)))
    return failure();
  if (options.time)
    report.seconds = seconds;
  for (const HostArray &result : results) {
    report.bytes += result.data.size();
    report.results.push_back({&result, std::nullopt, {}});
  }
  for (const HostArray &array : llvm::concat<const HostArray>(inputs, results))
    report.elements =
        std::max(report.elements, ShapedType::getNumElements(array.shape));
  if (options.compare.empty())
    return success();

  SmallVector<HostArray> expected;
  if (failed(execute(options.compare, /*timed=*/false, expected, seconds)))
    return failure();
  if (options.time)
    report.compareSeconds = seconds;
  for (auto [i, result] : llvm::enumerate(results)) {
    if (i >= expected.size() || expected[i].shape != result.shape ||
        expected[i].elementType != result.elementType)
      return fail("result #" + Twine(i) + " differs in shape: target '" +
                  options.target + "' gives " +
                  describeArray(result.elementType, result.shape) +
                  ", target '" + options.compare + "' " +
                  (i < expected.size() ? describeArray(expected[i].elementType,
                                                       expected[i].shape)
                                       : std::string("nothing")));
    report.results[i].error = compareArrays(result, expected[i]);
    if (report.results[i].error->overflows != 0)
      report.results[i].advice = adviseOnOverflow(*report.results[i].error);
  }
  return success();
}

LogicalResult Driver::checkTolerance() {
  if (!options.tolerance)
    return success();
  for (auto [i, result] : llvm::enumerate(report.results))
    if (result.error && !(result.error->relative <= *options.tolerance)) {
      std::string text;
      llvm::raw_string_ostream(text)
          << "result #" << i << " differs from target '" << options.compare
          << "' by " << llvm::format("%.3g", result.error->relative)
          << " of its largest magnitude, more than the tolerance "
          << llvm::format("%.3g", *options.tolerance);
      if (!result.advice.empty())
        text += "; " + result.advice;
      return fail(text);
    }
  return success();
}

LogicalResult Driver::writeOutputs() {
  SmallVector<NpyOutput> files;
  for (auto [path, result] : llvm::zip(options.outputs, results))
    files.push_back({path, &result});
  if (llvm::Error error = writeNpyFiles(files))
    return fail(llvm::toString(std::move(error)));
  return success();
}

RunSession::RunSession(const DialectRegistry &registry,
                       MLIRContext::Threading threading)
    : registry(registry), threading(threading) {}
RunSession::~RunSession() = default;

RunSession::Program &
RunSession::getProgram(std::unique_ptr<llvm::MemoryBuffer> file) {
  auto found = llvm::find_if(programs, [&](const auto &program) {
    return program->path == file->getBufferIdentifier() &&
           program->text == file->getBuffer();
  });
  if (found == programs.end()) {
    if (programs.size() == kMostPrograms)
      programs.pop_back();
    programs.push_back(
        std::make_unique<Program>(std::move(file), registry, threading));
    found = std::prev(programs.end());
  }
  // The one that was used last comes first.
  std::rotate(programs.begin(), found, std::next(found));
  return *programs.front();
}

LogicalResult RunSession::run(const RunOptions &options, llvm::raw_ostream &out,
                              llvm::raw_ostream &err) {
  // Before there are threads.
  auto file = readProgramFile(options.program, registry);
  if (!file) {
    err << "scan-run: error: " << llvm::toString(file.takeError()) << "\n";
    return failure();
  }
  Program &program = getProgram(std::move(*file));
  OneLineDiagnostics diagnostics(&program.context, err);
  Driver driver(options, program, diagnostics);
  if (failed(driver.load()) || failed(driver.makeInputs()) ||
      failed(driver.run()) || failed(driver.writeOutputs()))
    return failure();
  printReport(options, driver.getReport(), out);
  out.flush();
  return driver.checkTolerance();
}
