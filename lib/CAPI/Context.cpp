//===- Context.cpp - Contexts, diagnostics, registration ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan-c/Context.h"
#include "Scan-c/Dialect.h"
#include "Scan/IR/ScanDialect.h"
#include "Scan/InitAll/InitAll.h"
#include "Support.h"

#include "mlir/CAPI/Registration.h"
#include "llvm/Config/llvm-config.h"
#include <mutex>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::capi;

//===----------------------------------------------------------------------===//
// Misuse
//===----------------------------------------------------------------------===//

LogicalResult mlir::scan::capi::reportNull(StringRef function, StringRef what) {
  // At once, so that lines of several threads do not mix.
  std::string line =
      ("mlir-scan: error: " + function + ": " + what + " is null\n").str();
  llvm::errs() << line;
  return failure();
}

InFlightDiagnostic mlir::scan::capi::emitMisuse(MLIRContext *context,
                                                StringRef function) {
  return emitError(UnknownLoc::get(context)) << function << ": ";
}

LogicalResult mlir::scan::capi::checkString(MLIRContext *context,
                                            MlirStringRef string,
                                            StringRef function,
                                            StringRef what) {
  if (string.data || string.length == 0)
    return success();
  return emitMisuse(context, function)
         << what << " is null and has a length of " << string.length;
}

std::optional<StridedArguments> mlir::scan::capi::getStridedArguments(
    MLIRContext *context, MlirScanStridedArguments number, StringRef function) {
  switch (number) {
  case MlirScanStridedArgumentsNone:
    return StridedArguments::None;
  case MlirScanStridedArgumentsOuter:
    return StridedArguments::Outer;
  case MlirScanStridedArgumentsAny:
    return StridedArguments::Any;
  }
  emitMisuse(context, function)
      << "expected one of MlirScanStridedArguments, found " << number;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Versions and registration
//===----------------------------------------------------------------------===//

MlirStringRef mlirScanGetVersion(void) { return mlirScanString(SCAN_VERSION); }

MlirStringRef mlirScanGetMLIRVersion(void) {
  return mlirScanString(LLVM_VERSION_STRING);
}

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Scan, scan, mlir::scan::ScanDialect)

void mlirScanRegisterAllDialects(MlirDialectRegistry registry) {
  if (succeeded(
          checkHandle(registry, "mlirScanRegisterAllDialects", "registry")))
    scan::registerAllDialects(*unwrap(registry));
}

const DialectRegistry &mlir::scan::capi::getAllDialects() {
  static const DialectRegistry registry = [] {
    DialectRegistry result;
    scan::registerAllDialects(result);
    return result;
  }();
  return registry;
}

void mlir::scan::capi::provideDialects(MLIRContext *context) {
  // Does nothing where they are there already.
  context->appendDialectRegistry(getAllDialects());
}

void mlirScanContextRegisterAllDialects(MlirContext context) {
  if (succeeded(checkHandle(context, "mlirScanContextRegisterAllDialects",
                            "context")))
    provideDialects(unwrap(context));
}

void mlirScanRegisterAllPasses(void) {
  // The registry of passes has no lock of its own.
  static std::once_flag once;
  std::call_once(once, scan::registerAllPasses);
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

MlirContext mlirScanContextCreate(bool threading) {
  DialectRegistry registry;
  scan::registerAllDialects(registry);
  auto *context =
      new MLIRContext(registry, threading ? MLIRContext::Threading::ENABLED
                                          : MLIRContext::Threading::DISABLED);
  // Whoever receives diagnostics has the module, too.
  context->printOpOnDiagnostic(false);
  return wrap(context);
}

void mlirScanContextDestroy(MlirContext context) { delete unwrap(context); }

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

static MlirDiagnosticSeverity getSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return MlirDiagnosticError;
  case DiagnosticSeverity::Warning:
    return MlirDiagnosticWarning;
  case DiagnosticSeverity::Note:
    return MlirDiagnosticNote;
  case DiagnosticSeverity::Remark:
    return MlirDiagnosticRemark;
  }
  llvm_unreachable("all severities are covered");
}

namespace {
/// A diagnostic without its notes, with the text that it refers to.
struct DiagnosticText {
  explicit DiagnosticText(Diagnostic &diagnostic) : message(diagnostic.str()) {
    while (StringRef(message).ends_with("\n"))
      message.pop_back();
    severity = getSeverity(diagnostic.getSeverity());
    location =
        diagnostic.getLocation()->findInstanceOfOrUnknown<FileLineColLoc>();
  }

  MlirScanDiagnostic get() const {
    MlirScanDiagnostic result = {};
    result.severity = severity;
    result.message = wrap(StringRef(message));
    result.file = wrap(StringRef());
    if (auto file = dyn_cast<FileLineColLoc>(location)) {
      result.file = wrap(file.getFilename().getValue());
      result.line = file.getLine();
      result.column = file.getColumn();
    }
    return result;
  }

  std::string message;
  MlirDiagnosticSeverity severity;
  LocationAttr location;
};
} // namespace

MlirDiagnosticHandlerID mlirScanContextAttachDiagnosticCallback(
    MlirContext context, MlirScanDiagnosticCallback callback, void *userData) {
  StringRef function = "mlirScanContextAttachDiagnosticCallback";
  if (failed(checkHandle(context, function, "context")))
    return 0;
  if (!callback) {
    emitMisuse(unwrap(context), function) << "callback is null";
    return 0;
  }
  return unwrap(context)->getDiagEngine().registerHandler(
      [=](Diagnostic &diagnostic) -> LogicalResult {
        SmallVector<DiagnosticText> noteTexts;
        for (Diagnostic &note : diagnostic.getNotes())
          noteTexts.emplace_back(note);
        SmallVector<MlirScanDiagnostic> notes;
        for (const DiagnosticText &note : noteTexts)
          notes.push_back(note.get());
        DiagnosticText text(diagnostic);
        MlirScanDiagnostic result = text.get();
        result.numNotes = notes.size();
        result.notes = notes.data();
        return unwrap(callback(&result, userData));
      });
}

void mlirScanContextDetachDiagnosticCallback(MlirContext context,
                                             MlirDiagnosticHandlerID id) {
  if (succeeded(checkHandle(context, "mlirScanContextDetachDiagnosticCallback",
                            "context")))
    unwrap(context)->getDiagEngine().eraseHandler(id);
}
