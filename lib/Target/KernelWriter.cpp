//===- KernelWriter.cpp - One kernel of a manifest ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelWriter.h"
#include "ElementText.h"
#include "HostExpression.h"
#include "IR/OperandMemory.h"
#include "Scan/IR/ScanDialect.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::scan;

void mlir::scan::writeExpression(llvm::json::OStream &json,
                                 Attribute expression) {
  // In one line, as expressions are read.
  json.rawValue([&](raw_ostream &os) { os << getJSON(expression); });
}

/// Where an extent is 0 a grid may be empty, which no launch accepts: one block
/// finds nothing to do.
static Attribute getGridExtent(AffineExpr extent, ArrayRef<Attribute> sizes) {
  MLIRContext *context = extent.getContext();
  if (auto constant = dyn_cast<AffineConstantExpr>(extent))
    return Builder(context).getI64IntegerAttr(
        std::max<int64_t>(constant.getValue(), 1));
  return getHostExpression(
      "max",
      {getHostExpression(extent, sizes), Builder(context).getI64IntegerAttr(1)},
      context);
}

static bool isWorkspace(DictionaryAttr argument) {
  auto kind = argument.getAs<StringAttr>("kind");
  return kind && kind.getValue() == "workspace";
}

/// Whether a tree has the number of an iteration of a loop in it.
static bool dependsOnStep(Attribute tree) {
  return tree
      .walk([](StringAttr name) {
        return name.getValue().starts_with(kStepName) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult KernelWriter::writeValue(Value operand) {
  FailureOr<Attribute> value = tracer.getIndices().trace(operand);
  if (failed(value))
    return failure();
  json.attributeBegin("value");
  writeExpression(json, *value);
  json.attributeEnd();
  return success();
}

LogicalResult KernelWriter::writeScalar(Type type, Value operand) {
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
    return writeValue(operand);
  }
  return emitError(operand.getLoc())
         << "this scalar is an operand of a kernel: expected an argument of "
            "the function or a constant; compute it before the call and pass "
            "it in";
}

LogicalResult KernelWriter::writeArgument(gpu::GPUFuncOp kernel,
                                          DictionaryAttr description,
                                          Value operand) {
  auto name = description.getAs<StringAttr>("name");
  auto kind = description.getAs<StringAttr>("kind");
  auto number = description.getAs<IntegerAttr>("operand");
  auto dim = description.getAs<IntegerAttr>("dim");
  auto type = description.getAs<TypeAttr>("type");
  auto role = description.getAs<StringAttr>("role");
  constexpr StringLiteral kinds[] = {"pointer", "offset",    "stride", "size",
                                     "scalar",  "workspace", "status"};
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
  if (kind.getValue() == "status") {
    json.attribute("ctype", "uint64_t *");
    json.attribute("bytes", 8);
    FailureOr<unsigned> status = tracer.traceStatus(operand);
    if (failed(status))
      return failure();
    json.attribute("index", int64_t(*status));
    return success();
  }
  if (kind.getValue() == "pointer")
    json.attribute("ctype", getCType(type.getValue()) + " *");
  else
    json.attribute("ctype", isValue ? getCType(type.getValue()) : "int64_t");
  json.attribute("bytes", kind.getValue() == "scalar"
                              ? getStorageBytes(type.getValue())
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
  // Grids follow from sizes, and are the same for all launches of a loop.
  FailureOr<Attribute> value = tracer.getIndices().trace(operand);
  if (kind.getValue() == "size" && succeeded(value) && dependsOnStep(*value))
    return emitError(operand.getLoc())
           << "an extent depends on the step of a loop of launches: expected "
              "rows whose extents are the same in all steps; give the "
              "scan.recurrence a #scan.schedule<strategy = sequential>, for "
              "thread blocks that walk all steps";
  return writeValue(operand);
}

void KernelWriter::writeSharedMemory(gpu::GPUFuncOp kernel,
                                     int64_t dynamicBytes) {
  int64_t bytes = 0;
  for (auto [i, buffer] : llvm::enumerate(kernel.getWorkgroupAttributions())) {
    auto type = cast<MemRefType>(buffer.getType());
    int64_t element = getStorageBytes(type.getElementType());
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
LogicalResult KernelWriter::writeWorkspace(gpu::GPUFuncOp kernel,
                                           ArrayAttr arguments,
                                           ArrayRef<Attribute> sizes) {
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
    if (workspace) {
      AffineMap bytes = workspace.getAs<AffineMapAttr>("bytes").getValue();
      writeExpression(json, getHostExpression(bytes.getResult(0), sizes));
    } else {
      json.value(0);
    }
    json.attributeEnd();
    json.attribute("zeroed",
                   workspace && workspace.getAs<BoolAttr>("zeroed").getValue());
  });
  return success();
}

LogicalResult KernelWriter::writeConditions(const Launch &launch) {
  if (launch.conditions.empty())
    return success();
  LogicalResult status = success();
  json.attributeArray("when", [&] {
    for (auto [condition, isNegated] : launch.conditions) {
      FailureOr<Attribute> comparison =
          tracer.getIndices().traceCondition(condition, isNegated);
      if (failed(comparison))
        status = failure();
      else
        writeExpression(json, *comparison);
    }
  });
  return status;
}

void KernelWriter::writeVariant(gpu::LaunchFuncOp launch) {
  auto variant = launch->getAttrOfType<DenseI64ArrayAttr>(variantAttrName);
  if (!variant || variant.size() != 2)
    return;
  json.attributeObject("variant", [&] {
    json.attribute("scan", variant[0]);
    json.attribute("number", variant[1]);
  });
}

LogicalResult KernelWriter::write(const Launch &conditional) {
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
  SmallVector<Attribute> sizes;
  for (auto entry : arguments.getAsRange<DictionaryAttr>()) {
    auto kind = entry.getAs<StringAttr>("kind");
    auto name = entry.getAs<StringAttr>("name");
    if (kind && name && kind.getValue() == "size")
      sizes.push_back(name);
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
    writeVariant(launch);
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
        writeExpression(json, getGridExtent(extent, sizes));
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
    if (auto plan = kernel->getAttrOfType<DictionaryAttr>("scan.plan"))
      json.attribute("plan", getJSON(plan));
    StringRef name = schedule ? stringifyStrategy(schedule.getStrategy())
                              : strategy.getValue();
    json.attribute("strategy", name);
    json.attributeObject("schedule", [&] {
      json.attribute("strategy", name);
      json.attribute("threads",
                     schedule ? int64_t(schedule.getThreads()) : block[0]);
      auto items = kernel->getAttrOfType<IntegerAttr>("scan.items");
      json.attribute("items", schedule ? int64_t(schedule.getItems())
                              : items  ? items.getInt()
                                       : 1);
      if (!schedule)
        return;
      if (schedule.getStrategy() == Strategy::Row)
        json.attribute("rows", int64_t(schedule.getRows()));
      if (schedule.getStrategy() == Strategy::Column || schedule.sharesStates())
        json.attribute("lanes", int64_t(schedule.getLanes()));
      if (schedule.getStrategy() == Strategy::Column)
        json.attribute("vector", int64_t(schedule.getVector()));
      if (schedule.getStrategy() != Strategy::Sequential ||
          schedule.isGridWide())
        json.attribute("scope", stringifyScope(schedule.getScope()));
      if (schedule.getBlocks() != 0)
        json.attribute("blocks", int64_t(schedule.getBlocks()));
      if (schedule.isWarpSpecialized())
        json.attribute("stages", int64_t(schedule.getStages()));
      if (schedule.getWarps() != 1)
        json.attribute("warps", int64_t(schedule.getWarps()));
    });
  });
  return status;
}
