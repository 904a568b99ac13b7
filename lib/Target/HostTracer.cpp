//===- HostTracer.cpp - Buffers of a host function ----------------------- ===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTracer.h"
#include "HostAttributes.h"
#include "IR/OffsetsCheck.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::scan;

FailureOr<unsigned> HostTracer::traceBuffer(Value memref) {
  Value root = getRootBuffer(memref);
  auto known = bufferOf.find(root);
  if (known != bufferOf.end())
    return known->second;

  HostBuffer buffer;
  buffer.type = dyn_cast<MemRefType>(root.getType());
  if (!buffer.type)
    return indices.report(root.getLoc(), "expected a ranked buffer");
  StringRef prefix;
  DictionaryAttr result;
  if (auto argument = dyn_cast<BlockArgument>(root)) {
    if (argument.getOwner() != &function.front())
      return indices.report(
          root.getLoc(),
          "a buffer depends on control flow: expected arguments, "
          "results and temporaries of the function");
    buffer.index = argument.getArgNumber();
    buffer.kind = HostBuffer::Kind::Argument;
    prefix = "arg";
    result =
        function.getArgAttrOfType<DictionaryAttr>(buffer.index, resultAttrName);
    if (result) {
      buffer.kind = HostBuffer::Kind::Result;
      buffer.index = cast<IntegerAttr>(result.get("index")).getInt();
      prefix = "result";
    }
  } else if (root.getDefiningOp<memref::AllocOp>()) {
    buffer.kind = HostBuffer::Kind::Temporary;
    prefix = "temporary";
  } else if (auto get = root.getDefiningOp<memref::GetGlobalOp>()) {
    buffer.kind = HostBuffer::Kind::Constant;
    prefix = "constant";
    auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
        get, get.getNameAttr());
    if (!global || !global.getInitialValue() || !global.getConstant())
      return indices.report(get.getLoc(), "expected a constant with a value");
    buffer.value = *global.getInitialValue();
  } else {
    return indices.report(
        root.getLoc(),
        "'" + root.getDefiningOp()->getName().getStringRef() +
            "' op makes a buffer that a kernel uses: expected "
            "arguments, results, temporaries and constants of the "
            "function");
  }
  if (buffer.kind == HostBuffer::Kind::Temporary ||
      buffer.kind == HostBuffer::Kind::Constant)
    buffer.index = llvm::count_if(buffers, [&](const HostBuffer &other) {
      return other.kind == buffer.kind;
    });
  buffer.name = (prefix + Twine(buffer.index)).str();

  if (result) {
    llvm::append_range(buffer.shape, cast<ArrayAttr>(result.get("shape")));
  } else {
    FailureOr<SmallVector<Attribute>> shape = indices.traceShape(root);
    if (failed(shape))
      return failure();
    buffer.shape = std::move(*shape);
  }
  bufferOf[root] = buffers.size();
  buffers.push_back(std::move(buffer));
  return buffers.size() - 1;
}

FailureOr<unsigned> HostTracer::traceStatus(Value memref) {
  Value root = getRootBuffer(memref);
  if (!isStatus(root))
    return indices.report(memref.getLoc(),
                          "expected the memref.alloc of a status");
  auto about =
      root.getDefiningOp()->getAttrOfType<DictionaryAttr>(statusAttrName);
  auto number = about ? about.getAs<IntegerAttr>("argument") : IntegerAttr();
  std::optional<unsigned> argument;
  if (number)
    argument = number.getInt();
  // Kernels that check the same offsets share it.
  auto *found = llvm::find(statuses, argument);
  if (found == statuses.end() || !argument) {
    statuses.push_back(argument);
    return statuses.size() - 1;
  }
  return found - statuses.begin();
}

void HostTracer::holdResult(unsigned buffer, unsigned index,
                            ArrayRef<Attribute> shape) {
  HostBuffer &held = buffers[buffer];
  if (held.kind != HostBuffer::Kind::Temporary)
    return;
  held.kind = HostBuffer::Kind::Result;
  held.index = index;
  held.name = ("result" + Twine(index)).str();
  held.shape.assign(shape.begin(), shape.end());
}
