//===- Manifest.cpp - How the kernels are launched ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Manifest.h"
#include "HostExpression.h"
#include "IR/OffsetsCheck.h"
#include "ManifestWriter.h"
#include "Scan/Target/Passes.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

/// One host function: what it has the GPU do, and which buffer each result is.
struct HostFunction {
  func::FuncOp op;
  SmallVector<Launch> launches;
  SmallVector<RepeatedLaunches> repeats;
  SmallVector<ClearedBuffer> cleared;
  /// For each out-parameter, by its number, the buffer that it is.
  SmallVector<Value> results;
};

/// A manifest can say that all of a buffer becomes zero.
LogicalResult checkMemset(func::FuncOp function, gpu::MemsetOp memset) {
  Value value = memset.getValue();
  bool isZero =
      matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat());
  if (auto constant = value.getDefiningOp<complex::ConstantOp>())
    isZero = llvm::all_of(constant.getValue(), [](Attribute part) {
      return cast<FloatAttr>(part).getValue().isPosZero();
    });
  FailureOr<bool> isWhole =
      IndexTracer(function).isWholeBuffer(memset.getDst());
  if (failed(isWhole))
    return failure();
  if (isZero && *isWhole && !memset.getAsyncToken() &&
      memset.getAsyncDependencies().empty())
    return success();
  return emitError(memset.getLoc())
         << "expected a memset that is not asynchronous and sets a whole "
            "buffer to zero in a function that is compiled to PTX; "
            "--scan-linalg-to-gpu makes a kernel of a linalg.fill";
}

/// The two regions of an `scf.if` that chooses among launches, which are under
/// `conditions` themselves.
LogicalResult readBranches(scf::IfOp choice,
                           SmallVector<std::pair<Value, bool>> conditions,
                           SmallVectorImpl<Launch> &launches) {
  if (choice.getNumResults() != 0)
    return emitHostOpError(choice);
  for (Region &region : choice->getRegions()) {
    if (region.empty())
      continue;
    bool isElse = &region == &choice.getElseRegion();
    conditions.push_back({choice.getCondition(), isElse});
    for (Operation &op : region.front().without_terminator()) {
      if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
        launches.push_back({launch, conditions});
      else if (auto inner = dyn_cast<scf::IfOp>(op)) {
        if (failed(readBranches(inner, conditions, launches)))
          return failure();
      } else if (!op.hasAttr(workspaceAttrName) && !isHostAddressing(&op))
        return emitHostOpError(&op);
    }
    conditions.pop_back();
  }
  return success();
}

/// The launches of a loop, all of which are made in each of its iterations.
LogicalResult readLoop(scf::ForOp loop, HostFunction &host) {
  if (loop.getNumResults() != 0)
    return emitHostOpError(loop);
  size_t first = host.launches.size();
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
      host.launches.push_back({launch, {}});
    else if (!isHostAddressing(&op))
      return emitHostOpError(&op);
  }
  if (size_t count = host.launches.size() - first)
    host.repeats.push_back({loop, first, count});
  return success();
}

/// Emits an error where the function does what a manifest cannot say.
FailureOr<HostFunction> readFunction(func::FuncOp function) {
  HostFunction host{function, {}, {}, {}, {}};
  if (!function.getBody().hasOneBlock())
    return function.emitError()
           << "expected a function without control flow to launch kernels";
  if (function.getNumResults() != 0)
    return function.emitError()
           << "expected a function that returns tensors only, found a result "
              "of type "
           << function.getResultTypes().front();

  for (BlockArgument argument : function.getArguments())
    if (auto attr = function.getArgAttrOfType<DictionaryAttr>(
            argument.getArgNumber(), resultAttrName)) {
      auto number = attr.getAs<IntegerAttr>("index");
      auto shape = attr.getAs<ArrayAttr>("shape");
      if (!number || number.getValue().uge(function.getNumArguments()) ||
          !shape || !llvm::all_of(shape, isHostExpression))
        return function.emitError()
               << "expected the number of a result and its extents in "
               << resultAttrName
               << ", each an integer, a name, or an array of an operator and "
                  "its operands, found "
               << attr;
      size_t index = number.getInt();
      if (host.results.size() <= index)
        host.results.resize(index + 1);
      host.results[index] = argument;
    }

  for (Operation &op : function.front().without_terminator()) {
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op)) {
      host.launches.push_back({launch, {}});
      continue;
    }
    if (auto choice = dyn_cast<scf::IfOp>(op)) {
      if (failed(readBranches(choice, {}, host.launches)))
        return failure();
      continue;
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (failed(readLoop(loop, host)))
        return failure();
      continue;
    }
    if (auto memset = dyn_cast<gpu::MemsetOp>(op)) {
      if (failed(checkMemset(function, memset)))
        return failure();
      host.cleared.push_back({memset.getDst(), host.launches.size()});
      continue;
    }
    // What clears a workspace is the launcher's to do.
    if (op.hasAttr(workspaceAttrName))
      continue;
    // A copy into a result that nothing else writes: that result is the source.
    auto copy = dyn_cast<memref::CopyOp>(op);
    auto *result = copy ? llvm::find(host.results, copy.getTarget()) : nullptr;
    if (copy && result != host.results.end() && copy.getTarget().hasOneUse()) {
      FailureOr<bool> isWhole =
          IndexTracer(function).isWholeBuffer(copy.getSource());
      if (failed(isWhole))
        return failure();
      if (!*isWhole)
        return emitError(copy.getLoc())
               << "result " << result - host.results.begin()
               << " is a part of a tensor: expected whole tensors in a "
                  "function that is compiled to PTX; return the whole and take "
                  "the part outside";
      *result = copy.getSource();
      continue;
    }
    if (!isHostAddressing(&op))
      return emitHostOpError(&op);
  }
  return host;
}

/// Whether some kernel that is launched writes a status.
bool hasStatus(ArrayRef<HostFunction> functions) {
  for (const HostFunction &host : functions)
    for (const Launch &launch : host.launches)
      for (Value operand : gpu::LaunchFuncOp(launch.op).getKernelOperands())
        if (isa<MemRefType>(operand.getType()) &&
            isStatus(getRootBuffer(operand)))
          return true;
  return false;
}

/// The oldest version whose readers understand all that `functions` do.
int64_t chooseVersion(ArrayRef<HostFunction> functions) {
  if (llvm::any_of(functions, [](const HostFunction &host) {
        return !host.repeats.empty();
      }))
    return manifestVersionWithRepeat;
  return hasStatus(functions) ? manifestVersionWithStatus : manifestVersion;
}

} // namespace

FailureOr<std::string>
mlir::scan::buildManifest(ModuleOp module, StringRef chip, unsigned ptxIsa) {
  SmallVector<HostFunction, 1> functions;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isDeclaration() || function.isPrivate())
      continue;
    FailureOr<HostFunction> host = readFunction(function);
    if (failed(host))
      return failure();
    functions.push_back(std::move(*host));
  }
  if (llvm::all_of(functions, [](const HostFunction &host) {
        return host.launches.empty() && host.results.empty();
      })) {
    // A module that the parser made around functions is nowhere in the file.
    Location location =
        functions.empty() ? module.getLoc() : functions.front().op.getLoc();
    return emitError(location)
           << "expected a public function that computes something, found "
              "none: there is nothing to compile to PTX";
  }

  std::string text;
  {
    llvm::raw_string_ostream stream(text);
    llvm::json::OStream json(stream, /*IndentSize=*/2);
    LogicalResult status = success();
    json.object([&] {
      json.attribute("version", chooseVersion(functions));
      json.attribute("chip", chip);
      json.attribute("ptx_isa", std::to_string(ptxIsa / 10) + "." +
                                    std::to_string(ptxIsa % 10));
      json.attributeArray("functions", [&] {
        for (const HostFunction &host : functions)
          if (failed(status) ||
              failed(ManifestWriter(json, host.op)
                         .writeFunction(host.launches, host.repeats,
                                        host.cleared, host.results)))
            status = failure();
      });
    });
    if (failed(status))
      return failure();
  }
  text += "\n";
  return text;
}

void mlir::scan::addPTXHash(std::string &manifest, StringRef ptx) {
  // The first one is the entry: no string before it has a quotation mark.
  size_t position = manifest.find("\"functions\": [");
  std::array<uint8_t, 32> hash =
      llvm::SHA256::hash(llvm::arrayRefFromStringRef(ptx));
  manifest.insert(position, "\"ptx_sha256\": \"" +
                                llvm::toHex(hash, /*LowerCase=*/true) +
                                "\",\n  ");
}
