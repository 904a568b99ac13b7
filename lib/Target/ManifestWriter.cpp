//===- ManifestWriter.cpp - One function of a manifest --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ManifestWriter.h"
#include "Scan/IR/ScanDialect.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::scan;

//===----------------------------------------------------------------------===//
// Types and values
//===----------------------------------------------------------------------===//

/// Bytes that a value takes in a buffer and as a kernel argument.
static int64_t getBytes(Type type) {
  return DataLayout().getTypeSize(type).getFixedValue();
}

static std::string getElementName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

/// What the type is called in C23 (with the compilers' __bf16).
static std::string getCType(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return getCType(complex.getElementType()) + " _Complex";
  if (type.isIndex())
    return "int64_t";
  if (type.isInteger(1))
    return "bool";
  if (type.isInteger())
    return "int" + std::to_string(type.getIntOrFloatBitWidth()) + "_t";
  if (type.isF16())
    return "_Float16";
  if (type.isBF16())
    return "__bf16";
  return type.isF32() ? "float" : "double";
}

/// Appends the bytes of a constant, little-endian, as hexadecimal digits. Fails
/// for attributes that are no number.
static LogicalResult appendHex(Attribute value, std::string &hex) {
  if (auto pair = dyn_cast<ArrayAttr>(value)) {
    for (Attribute part : pair)
      if (failed(appendHex(part, hex)))
        return failure();
    return success();
  }
  APInt bits;
  int64_t bytes;
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    bits = integer.getValue();
    bytes = getBytes(integer.getType());
  } else if (auto number = dyn_cast<FloatAttr>(value)) {
    bits = number.getValue().bitcastToAPInt();
    bytes = getBytes(number.getType());
  } else {
    return failure();
  }
  bits = bits.zextOrTrunc(bytes * 8);
  for (int64_t i = 0; i < bytes; ++i) {
    uint64_t byte = bits.extractBitsAsZExtValue(8, i * 8);
    hex += llvm::hexdigit(byte >> 4, /*LowerCase=*/true);
    hex += llvm::hexdigit(byte & 15, /*LowerCase=*/true);
  }
  return success();
}

/// The bytes of a constant buffer; fails for element types without numbers.
static LogicalResult appendElementsHex(Attribute value, std::string &hex) {
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements)
    return failure();
  if (isa<ComplexType>(elements.getElementType())) {
    auto append = [&](APFloat part) {
      APInt bits = part.bitcastToAPInt();
      Type type = IntegerType::get(value.getContext(), bits.getBitWidth());
      return appendHex(IntegerAttr::get(type, bits), hex);
    };
    for (std::complex<APFloat> element :
         elements.getValues<std::complex<APFloat>>())
      if (failed(append(element.real())) || failed(append(element.imag())))
        return failure();
    return success();
  }
  for (Attribute element : elements.getValues<Attribute>())
    if (failed(appendHex(element, hex)))
      return failure();
  return success();
}

bool mlir::scan::isWorkspace(DictionaryAttr argument) {
  auto kind = argument.getAs<StringAttr>("kind");
  return kind && kind.getValue() == "workspace";
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// A number where `text` is one, a string otherwise.
static void writeExpression(llvm::json::OStream &json, StringRef text) {
  int64_t number;
  if (text.getAsInteger(10, number))
    json.value(text);
  else
    json.value(number);
}

/// Where an extent is 0 a grid may be empty, which no launch accepts: one block
/// finds nothing to do.
static void writeGridExtent(llvm::json::OStream &json, AffineExpr extent,
                            ArrayRef<std::string> sizes) {
  if (auto constant = dyn_cast<AffineConstantExpr>(extent))
    json.value(std::max<int64_t>(constant.getValue(), 1));
  else
    json.value("max(" + printExpression(extent, sizes) + ", 1)");
}

void ManifestWriter::writeShape(ArrayRef<std::string> shape) {
  json.attributeArray("shape", [&] {
    for (const std::string &extent : shape)
      writeExpression(json, extent);
  });
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
        SmallVector<std::string> shape;
        for (auto [i, extent] : llvm::enumerate(type.getShape()))
          shape.push_back(ShapedType::isDynamic(extent)
                              ? getExtentName(number, i)
                              : std::to_string(extent));
        writeShape(shape);
        if (type.getLayout().isIdentity())
          return;
        SmallVector<int64_t> strides;
        int64_t offset;
        if (failed(type.getStridesAndOffset(strides, offset)))
          return;
        json.attributeArray("strides", [&] {
          for (auto [i, stride] : llvm::enumerate(strides))
            if (ShapedType::isDynamic(stride))
              json.value(getStrideName(number, i));
            else
              json.value(stride);
        });
        if (ShapedType::isDynamic(offset))
          json.attribute("offset", getOffsetName(number));
        else
          json.attribute("offset", offset);
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
    json.attribute("element_bytes", getBytes(buffer.type.getElementType()));
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
  SmallVector<std::string> shape;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto attr = function.getArgAttrOfType<DictionaryAttr>(i, resultAttrName);
    if (attr && cast<IntegerAttr>(attr.get("index")).getInt() == index)
      for (Attribute extent : cast<ArrayAttr>(attr.get("shape")))
        shape.push_back(cast<StringAttr>(extent).str());
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

LogicalResult ManifestWriter::writeFunction(ArrayRef<Launch> launches,
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
        if (failed(status) || failed(writeKernel(launch)))
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
    // Last: the kernels have told by now which buffers there are.
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

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

LogicalResult ManifestWriter::writeScalar(Type type, Value operand) {
  // A constant is given by its bytes: JSON has no NaN, no infinity and no
  // promise of 64 bits.
  Attribute constant;
  if (auto complex = operand.getDefiningOp<complex::ConstantOp>())
    constant = complex.getValue();
  if (constant || matchPattern(operand, m_Constant(&constant))) {
    std::string hex;
    if (failed(appendHex(constant, hex)))
      return emitError(operand.getLoc())
             << "expected a number, found " << constant;
    json.attribute("constant", hex);
    return success();
  }
  auto argument = dyn_cast<BlockArgument>(operand);
  if (argument && argument.getOwner() == &function.front()) {
    json.attribute("value", getArgumentName(argument.getArgNumber()));
    return success();
  }
  if (auto cast = operand.getDefiningOp<arith::IndexCastOp>())
    operand = cast.getIn();
  if (operand.getType().isIndex()) {
    FailureOr<std::string> value = tracer.traceIndexText(operand);
    if (failed(value))
      return failure();
    json.attribute("value", *value);
    return success();
  }
  return emitError(operand.getLoc())
         << "this scalar is an operand of a kernel: expected an argument of "
            "the function or a constant; compute it before the call and pass "
            "it in";
}

LogicalResult ManifestWriter::writeArgument(gpu::GPUFuncOp kernel,
                                            DictionaryAttr description,
                                            Value operand) {
  auto name = description.getAs<StringAttr>("name");
  auto kind = description.getAs<StringAttr>("kind");
  auto number = description.getAs<IntegerAttr>("operand");
  auto dim = description.getAs<IntegerAttr>("dim");
  auto type = description.getAs<TypeAttr>("type");
  auto role = description.getAs<StringAttr>("role");
  constexpr StringLiteral kinds[] = {"pointer", "offset", "stride",
                                     "size",    "scalar", "workspace"};
  bool isValue =
      kind && (kind.getValue() == "pointer" || kind.getValue() == "scalar");
  if (!name || !kind || !llvm::is_contained(kinds, kind.getValue()) ||
      (isValue && !type))
    return kernel.emitError() << "expected a name, a known kind and a type in "
                                 "each entry of scan.args, found "
                              << description;

  json.attribute("name", name.getValue());
  json.attribute("kind", kind.getValue());
  if (kind.getValue() == "workspace") {
    json.attribute("ctype", "void *");
    json.attribute("bytes", 8);
    return success();
  }
  if (kind.getValue() == "pointer")
    json.attribute("ctype", getCType(type.getValue()) + " *");
  else
    json.attribute("ctype", isValue ? getCType(type.getValue()) : "int64_t");
  json.attribute("bytes", kind.getValue() == "scalar"
                              ? getBytes(type.getValue())
                              : int64_t(8));
  if (isValue)
    json.attribute("element", getElementName(type.getValue()));
  if (role)
    json.attribute("role", role.getValue());
  if (number)
    json.attribute("operand", number.getInt());
  if (dim)
    json.attribute("dimension", dim.getInt());

  if (kind.getValue() == "pointer") {
    FailureOr<unsigned> buffer = tracer.traceBuffer(operand);
    if (failed(buffer))
      return failure();
    json.attribute("buffer", tracer.getBuffers()[*buffer].name);
    return success();
  }
  if (kind.getValue() == "scalar")
    return writeScalar(type.getValue(), operand);
  FailureOr<std::string> value = tracer.traceIndexText(operand);
  if (failed(value))
    return failure();
  json.attributeBegin("value");
  writeExpression(json, *value);
  json.attributeEnd();
  return success();
}

void ManifestWriter::writeSharedMemory(gpu::GPUFuncOp kernel,
                                       int64_t dynamicBytes) {
  int64_t bytes = 0;
  for (auto [i, buffer] : llvm::enumerate(kernel.getWorkgroupAttributions())) {
    auto type = cast<MemRefType>(buffer.getType());
    int64_t element = getBytes(type.getElementType());
    auto align =
        dyn_cast_or_null<IntegerAttr>(kernel.getWorkgroupAttributionAttr(
            i, LLVM::LLVMDialect::getAlignAttrName()));
    bytes = llvm::alignTo(bytes, align ? align.getInt() : element) +
            element * type.getNumElements();
  }
  json.attributeObject("shared_bytes", [&] {
    json.attribute("static", bytes);
    json.attribute("dynamic", dynamicBytes);
  });
}

/// Bytes of memory, and whether they have to be zero; 0 without an argument of
/// that kind. They are no traffic of the scan: a few bytes for each tile.
LogicalResult ManifestWriter::writeWorkspace(gpu::GPUFuncOp kernel,
                                             ArrayAttr arguments,
                                             ArrayRef<std::string> sizes) {
  DictionaryAttr workspace;
  for (auto entry : arguments.getAsRange<DictionaryAttr>()) {
    if (!isWorkspace(entry))
      continue;
    auto bytes = entry.getAs<AffineMapAttr>("bytes");
    if (workspace || !bytes || bytes.getValue().getNumDims() != 0 ||
        bytes.getValue().getNumSymbols() != sizes.size() ||
        bytes.getValue().getNumResults() != 1 ||
        !entry.getAs<BoolAttr>("zeroed"))
      return kernel.emitError()
             << "expected at most one workspace in scan.args, with its bytes "
                "in one symbol per size argument, and zeroed, found "
             << entry;
    workspace = entry;
  }
  json.attributeObject("workspace", [&] {
    json.attributeBegin("bytes");
    if (workspace)
      writeExpression(
          json,
          printExpression(
              workspace.getAs<AffineMapAttr>("bytes").getValue().getResult(0),
              sizes));
    else
      json.value(0);
    json.attributeEnd();
    json.attribute("zeroed",
                   workspace && workspace.getAs<BoolAttr>("zeroed").getValue());
  });
  return success();
}

LogicalResult ManifestWriter::writeConditions(const Launch &launch) {
  if (launch.conditions.empty())
    return success();
  LogicalResult status = success();
  json.attributeArray("when", [&] {
    for (auto [condition, isNegated] : launch.conditions) {
      FailureOr<std::string> text =
          tracer.traceConditionText(condition, isNegated);
      if (failed(text))
        status = failure();
      else
        json.value(*text);
    }
  });
  return status;
}

LogicalResult ManifestWriter::writeKernel(const Launch &conditional) {
  gpu::LaunchFuncOp launch = conditional.op;
  auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
      launch, launch.getKernelAttr());
  if (!kernel)
    return launch.emitError() << "expected a gpu.func called "
                              << launch.getKernelAttr() << ", found none";
  auto arguments = kernel->getAttrOfType<ArrayAttr>("scan.args");
  auto grid = kernel->getAttrOfType<AffineMapAttr>("scan.grid");
  auto block = kernel->getAttrOfType<DenseI64ArrayAttr>("scan.block");
  auto schedule = kernel->getAttrOfType<ScheduleAttr>("scan.schedule");
  auto strategy = kernel->getAttrOfType<StringAttr>("scan.strategy");
  if (!arguments || !grid || !block || (!schedule && !strategy))
    return kernel.emitError()
           << "expected the attributes scan.args, scan.grid, scan.block and "
              "scan.schedule or scan.strategy that --convert-scan-to-gpu and "
              "--scan-linalg-to-gpu write; a kernel without them has no "
              "manifest";
  OperandRange operands = launch.getKernelOperands();
  if (arguments.size() != operands.size())
    return kernel.emitError()
           << "expected one entry in scan.args per argument, found "
           << arguments.size() << " for " << operands.size();
  int64_t dynamicBytes = 0;
  if (Value bytes = launch.getDynamicSharedMemorySize()) {
    std::optional<int64_t> known = getConstantIntValue(bytes);
    if (!known)
      return launch.emitError("expected a constant amount of dynamic shared "
                              "memory, found one that is computed");
    dynamicBytes = *known;
  }
  SmallVector<std::string> sizes;
  for (auto entry : arguments.getAsRange<DictionaryAttr>()) {
    auto kind = entry.getAs<StringAttr>("kind");
    auto name = entry.getAs<StringAttr>("name");
    if (kind && name && kind.getValue() == "size")
      sizes.push_back(name.str());
  }
  AffineMap map = grid.getValue();
  if (map.getNumDims() != 0 || map.getNumSymbols() != sizes.size() ||
      map.getNumResults() != 3 || block.size() != 3)
    return kernel.emitError()
           << "expected three extents in scan.grid, in one symbol per size "
              "argument, and three in scan.block, found "
           << grid << " and " << block << " with " << sizes.size() << " sizes";

  LogicalResult status = success();
  json.object([&] {
    json.attribute("entry", kernel.getName());
    if (failed(writeConditions(conditional)))
      status = failure();
    json.attributeArray("arguments", [&] {
      for (auto [entry, operand] :
           llvm::zip_equal(arguments.getAsRange<DictionaryAttr>(), operands))
        json.object([&, &entry = entry, &operand = operand] {
          if (failed(status) || failed(writeArgument(kernel, entry, operand)))
            status = failure();
        });
    });
    json.attributeArray("grid", [&] {
      for (AffineExpr extent : map.getResults())
        writeGridExtent(json, extent, sizes);
    });
    json.attributeArray("block", [&] {
      for (int64_t extent : block.asArrayRef())
        json.value(extent);
    });
    writeSharedMemory(kernel, dynamicBytes);
    if (failed(status) || failed(writeWorkspace(kernel, arguments, sizes))) {
      status = failure();
      return;
    }
    StringRef name = schedule ? stringifyStrategy(schedule.getStrategy())
                              : strategy.getValue();
    json.attribute("strategy", name);
    json.attributeObject("schedule", [&] {
      json.attribute("strategy", name);
      json.attribute("threads",
                     schedule ? int64_t(schedule.getThreads()) : block[0]);
      json.attribute("items", schedule ? int64_t(schedule.getItems()) : 1);
      if (!schedule)
        return;
      if (schedule.getStrategy() == Strategy::Row)
        json.attribute("rows", int64_t(schedule.getRows()));
      if (schedule.getStrategy() == Strategy::Column) {
        json.attribute("lanes", int64_t(schedule.getLanes()));
        json.attribute("vector", int64_t(schedule.getVector()));
      }
      if (schedule.getStrategy() != Strategy::Sequential)
        json.attribute("scope", stringifyScope(schedule.getScope()));
      if (schedule.isPersistent())
        json.attribute("blocks", int64_t(schedule.getBlocks()));
    });
  });
  return status;
}
