//===- ManifestWriter.cpp - One function of a manifest --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ManifestWriter.h"
#include "ElementText.h"
#include "HostExpression.h"
#include "IR/OperandMemory.h"

using namespace mlir;
using namespace mlir::scan;

void ManifestWriter::writeShape(ArrayRef<Attribute> shape) {
  json.attributeArray("shape", [&] {
    for (Attribute extent : shape)
      writeExpression(json, extent);
  });
}

void ManifestWriter::writeNumberOrName(int64_t number, StringRef name) {
  if (ShapedType::isDynamic(number))
    json.value(name);
  else
    json.value(number);
}

void ManifestWriter::writeArguments() {
  json.attributeArray("arguments", [&] {
    for (BlockArgument argument : function.getArguments()) {
      unsigned number = argument.getArgNumber();
      if (function.getArgAttr(number, resultAttrName))
        continue;
      json.object([&] {
        json.attribute("name", getArgumentName(number));
        auto type = dyn_cast<MemRefType>(argument.getType());
        if (!type) {
          json.attribute("kind", "scalar");
          json.attribute("element", getElementName(argument.getType()));
          return;
        }
        json.attribute("kind", "tensor");
        json.attribute("element", getElementName(type.getElementType()));
        json.attributeArray("shape", [&] {
          for (auto [i, extent] : llvm::enumerate(type.getShape()))
            writeNumberOrName(extent, getExtentName(number, i));
        });
        if (type.getLayout().isIdentity())
          return;
        SmallVector<int64_t> strides;
        int64_t offset;
        if (failed(type.getStridesAndOffset(strides, offset)))
          return;
        json.attributeArray("strides", [&] {
          for (auto [i, stride] : llvm::enumerate(strides))
            writeNumberOrName(stride, getStrideName(number, i));
        });
        json.attributeBegin("offset");
        writeNumberOrName(offset, getOffsetName(number));
        json.attributeEnd();
      });
    }
  });
}

void ManifestWriter::writeBuffer(const HostBuffer &buffer) {
  constexpr StringLiteral kinds[] = {"argument", "result", "temporary",
                                     "constant"};
  json.object([&] {
    json.attribute("name", buffer.name);
    json.attribute("kind", kinds[static_cast<unsigned>(buffer.kind)]);
    json.attribute("index", buffer.index);
    json.attribute("element", getElementName(buffer.type.getElementType()));
    json.attribute("element_bytes",
                   getStorageBytes(buffer.type.getElementType()));
    writeShape(buffer.shape);
    std::string hex;
    if (buffer.value && succeeded(appendElementsHex(buffer.value, hex)))
      json.attribute("data", hex);
  });
}

LogicalResult ManifestWriter::writeResult(unsigned index, Value result) {
  FailureOr<unsigned> buffer = tracer.traceBuffer(result);
  if (failed(buffer))
    return failure();
  SmallVector<Attribute> shape;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto attr = function.getArgAttrOfType<DictionaryAttr>(i, resultAttrName);
    if (attr && cast<IntegerAttr>(attr.get("index")).getInt() == index)
      llvm::append_range(shape, cast<ArrayAttr>(attr.get("shape")));
  }
  // The function returns another view of what it has allocated.
  tracer.holdResult(*buffer, index, shape);
  Type element = cast<MemRefType>(result.getType()).getElementType();
  json.object([&] {
    json.attribute("buffer", tracer.getBuffers()[*buffer].name);
    json.attribute("element", getElementName(element));
    writeShape(shape);
  });
  return success();
}

LogicalResult ManifestWriter::writeRepeat(const RepeatedLaunches &repeat) {
  IndexTracer &indices = tracer.getIndices();
  FailureOr<Attribute> count = indices.traceTripCount(repeat.loop);
  if (failed(count))
    return failure();
  json.object([&] {
    json.attribute("first", static_cast<int64_t>(repeat.first));
    json.attribute("kernels", static_cast<int64_t>(repeat.count));
    json.attribute("step", indices.getStepName(repeat.loop));
    json.attributeBegin("steps");
    writeExpression(json, *count);
    json.attributeEnd();
  });
  return success();
}

LogicalResult ManifestWriter::writeFunction(ArrayRef<Launch> launches,
                                            ArrayRef<RepeatedLaunches> repeats,
                                            ArrayRef<ClearedBuffer> cleared,
                                            ArrayRef<Value> results) {
  LogicalResult status = success();
  json.object([&] {
    json.attribute("name", function.getName());
    writeArguments();
    json.attributeArray("results", [&] {
      for (auto [index, result] : llvm::enumerate(results))
        if (failed(status) || failed(writeResult(index, result)))
          status = failure();
    });
    if (failed(status))
      return;
    json.attributeArray("kernels", [&] {
      for (const Launch &launch : launches)
        if (failed(status) ||
            failed(KernelWriter(json, function, tracer).write(launch)))
          status = failure();
    });
    if (!repeats.empty())
      json.attributeArray("repeat", [&] {
        for (const RepeatedLaunches &repeat : repeats)
          if (failed(status) || failed(writeRepeat(repeat)))
            status = failure();
      });
    if (!cleared.empty())
      json.attributeArray("cleared", [&] {
        for (const ClearedBuffer &entry : cleared) {
          FailureOr<unsigned> buffer = tracer.traceBuffer(entry.memref);
          if (failed(buffer)) {
            status = failure();
            continue;
          }
          json.object([&] {
            json.attribute("buffer", tracer.getBuffers()[*buffer].name);
            json.attribute("before", static_cast<int64_t>(entry.before));
          });
        }
      });
    if (!tracer.getStatuses().empty())
      json.attributeArray("status", [&] {
        for (std::optional<unsigned> argument : tracer.getStatuses())
          json.object([&] {
            json.attribute("kind", "segment-offsets");
            if (argument)
              json.attribute("argument", getArgumentName(*argument));
          });
      });
    if (auto required =
            function->getAttrOfType<ArrayAttr>(requirementsAttrName))
      json.attribute("requires", getJSON(required));
    // Last: by now the tracer has met all buffers.
    json.attributeArray("buffers", [&] {
      for (const HostBuffer &buffer : tracer.getBuffers())
        writeBuffer(buffer);
    });
  });
  for (const HostBuffer &buffer : tracer.getBuffers()) {
    std::string hex;
    if (buffer.value && failed(appendElementsHex(buffer.value, hex)))
      return function.emitError()
             << "expected constants with plain numbers, found " << buffer.type;
  }
  return status;
}
