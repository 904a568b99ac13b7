//===- Support.h - Shared by the C interface --------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CAPI_SUPPORT_H
#define SCAN_LIB_CAPI_SUPPORT_H

#include "Scan-c/Signature.h"
#include "Scan/Pipelines/StridedArguments.h"
#include "mlir-c/Diagnostics.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Diagnostics.h"

namespace mlir::scan::capi {

/// Says on standard error that `function` was called with a null `what`. There
/// is no context then whose diagnostics could say it.
LogicalResult reportNull(StringRef function, StringRef what);

/// Returns success if the handle is not null; says so otherwise.
template <typename Handle>
LogicalResult checkHandle(Handle handle, StringRef function, StringRef what) {
  return handle.ptr ? success() : reportNull(function, what);
}

/// Starts an error about the arguments of `function`.
InFlightDiagnostic emitMisuse(MLIRContext *context, StringRef function);

/// Returns success if `string` is one: a null pointer has to be empty.
LogicalResult checkString(MLIRContext *context, MlirStringRef string,
                          StringRef function, StringRef what);

/// The strides of that number; none after an error.
std::optional<StridedArguments>
getStridedArguments(MLIRContext *context, MlirScanStridedArguments number,
                    StringRef function);

/// Everything that a context may need. Made once, as it takes its time.
const DialectRegistry &getAllDialects();

/// Adds to a context, which somebody else may have made, the dialects and
/// interfaces that the lowerings need.
void provideDialects(MLIRContext *context);

/// A stream into a callback.
class CallbackStream : public llvm::raw_ostream {
public:
  CallbackStream(MlirStringCallback callback, void *userData)
      : callback(callback), userData(userData) {}
  ~CallbackStream() override { flush(); }

private:
  void write_impl(const char *data, size_t size) override {
    callback(mlirStringRefCreate(data, size), userData);
    position += size;
  }
  uint64_t current_pos() const override { return position; }

  MlirStringCallback callback;
  void *userData;
  uint64_t position = 0;
};

} // namespace mlir::scan::capi

#endif // SCAN_LIB_CAPI_SUPPORT_H
