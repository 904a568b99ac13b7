//===- FlatArguments.cpp - What a GPU kernel is passed --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlatArguments.h"
#include "Emit.h"
#include "IR/OffsetsCheck.h"
#include "Target/HostMemory.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::scan;

using Kind = KernelArgument::Kind;

FailureOr<SmallVector<KernelArgument>>
mlir::scan::listFlatArguments(Operation *op, ArrayRef<FlatOperand> operands,
                              ArrayRef<int64_t> domain) {
  SmallVector<KernelArgument> result;
  for (auto [number, operand] : llvm::enumerate(operands)) {
    auto type = dyn_cast<MemRefType>(operand.value.getType());
    if (!type) {
      result.push_back({Kind::Scalar, unsigned(number)});
      continue;
    }
    if (failed(checkReachable(op, operand.value)))
      return failure();
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)))
      return op->emitOpError()
             << "expected operand " << number
             << " to have a strided layout to become a GPU kernel, found "
             << type << "; copy it into a memref without a layout map";
    result.push_back({Kind::Pointer, unsigned(number)});
    if (ShapedType::isDynamic(offset))
      result.push_back({Kind::Offset, unsigned(number)});
    for (auto [dim, stride] : llvm::enumerate(strides))
      if (ShapedType::isDynamic(stride))
        result.push_back({Kind::Stride, unsigned(number), unsigned(dim)});
  }
  for (auto [dim, extent] : llvm::enumerate(domain))
    if (ShapedType::isDynamic(extent))
      result.push_back({Kind::Size, 0, unsigned(dim)});
  return result;
}

static Type getArgumentType(ArrayRef<FlatOperand> operands,
                            const KernelArgument &argument, MLIRContext *ctx) {
  switch (argument.kind) {
  case Kind::Pointer: {
    auto memref = cast<MemRefType>(operands[argument.operand].value.getType());
    return MemRefType::get({}, memref.getElementType(), AffineMap(),
                           memref.getMemorySpace());
  }
  case Kind::Scalar:
    return operands[argument.operand].value.getType();
  case Kind::Workspace:
  case Kind::Status:
    return MemRefType::get({}, IntegerType::get(ctx, 64));
  default:
    return IndexType::get(ctx);
  }
}

/// Name of an argument and how the attribute `scan.args` describes it.
static DictionaryAttr describeArgument(Builder &b,
                                       ArrayRef<FlatOperand> operands,
                                       const KernelArgument &argument,
                                       Type type, AffineMap workspace) {
  SmallVector<NamedAttribute> entries;
  auto add = [&](StringRef name, Attribute value) {
    entries.push_back(b.getNamedAttr(name, value));
  };
  if (argument.kind == Kind::Size) {
    add("name", b.getStringAttr("n" + Twine(argument.dim)));
    add("kind", b.getStringAttr("size"));
    add("dim", b.getI64IntegerAttr(argument.dim));
    return b.getDictionaryAttr(entries);
  }
  if (argument.kind == Kind::Workspace) {
    add("name", b.getStringAttr("workspace"));
    add("kind", b.getStringAttr("workspace"));
    add("bytes", AffineMapAttr::get(workspace));
    add("zeroed", b.getBoolAttr(true));
    return b.getDictionaryAttr(entries);
  }
  const FlatOperand &operand = operands[argument.operand];
  if (argument.kind == Kind::Status ||
      (argument.kind == Kind::Pointer && isStatus(operand.value))) {
    add("name",
        b.getStringAttr(argument.kind == Kind::Status ? operand.name + "_status"
                                                      : "status"));
    add("kind", b.getStringAttr("status"));
    return b.getDictionaryAttr(entries);
  }
  std::string name = operand.name;
  add("role", b.getStringAttr(operand.role));
  add("operand", b.getI64IntegerAttr(argument.operand));
  StringRef kind;
  switch (argument.kind) {
  case Kind::Pointer:
    kind = "pointer";
    add("type", TypeAttr::get(cast<MemRefType>(type).getElementType()));
    break;
  case Kind::Scalar:
    kind = "scalar";
    add("type", TypeAttr::get(type));
    break;
  case Kind::Offset:
    kind = "offset";
    name += "_offset";
    break;
  default:
    kind = "stride";
    name += "_stride" + std::to_string(argument.dim);
    add("dim", b.getI64IntegerAttr(argument.dim));
    break;
  }
  add("kind", b.getStringAttr(kind));
  add("name", b.getStringAttr(name));
  return b.getDictionaryAttr(entries);
}

gpu::GPUFuncOp mlir::scan::createKernelFunc(
    ImplicitLocOpBuilder &b, gpu::GPUModuleOp module, StringRef name,
    ArrayRef<FlatOperand> operands, ArrayRef<KernelArgument> arguments,
    int32_t threads, AffineMap grid, AffineMap workspace) {
  SmallVector<Type> types;
  SmallVector<Attribute> descriptions;
  for (const KernelArgument &argument : arguments) {
    types.push_back(getArgumentType(operands, argument, b.getContext()));
    descriptions.push_back(
        describeArgument(b, operands, argument, types.back(), workspace));
  }
  b.setInsertionPointToEnd(module.getBody());
  auto func = gpu::GPUFuncOp::create(b, name, b.getFunctionType(types, {}));
  func->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  func.setKnownBlockSize(std::array<int32_t, 3>{threads, 1, 1});
  func->setAttr("scan.args", b.getArrayAttr(descriptions));
  func->setAttr("scan.grid", AffineMapAttr::get(grid));
  func->setAttr("scan.block", b.getDenseI64ArrayAttr({threads, 1, 1}));
  b.setInsertionPointToStart(&func.getBody().front());
  return func;
}

SmallVector<Value> mlir::scan::createExtents(ImplicitLocOpBuilder &b,
                                             gpu::GPUFuncOp func,
                                             ArrayRef<KernelArgument> arguments,
                                             ArrayRef<int64_t> domain) {
  SmallVector<Value> extents;
  for (int64_t extent : domain)
    extents.push_back(ShapedType::isDynamic(extent) ? Value()
                                                    : indexConstant(b, extent));
  // The attributions in shared memory are block arguments, too.
  for (auto [argument, value] : llvm::zip_first(arguments, func.getArguments()))
    if (argument.kind == Kind::Size)
      extents[argument.dim] = value;
  return extents;
}

Value mlir::scan::createView(ImplicitLocOpBuilder &b, MemRefType type,
                             ArrayRef<BlockArgument> &values,
                             function_ref<OpFoldResult(unsigned)> getExtent,
                             bool sharesStrides) {
  auto pop = [&]() {
    Value value = values.front();
    values = values.drop_front();
    return value;
  };
  Value pointer = pop();
  SmallVector<int64_t> strides;
  int64_t offset;
  // listFlatArguments has checked that there are strides.
  (void)type.getStridesAndOffset(strides, offset);
  auto take = [&](int64_t known) -> OpFoldResult {
    if (ShapedType::isDynamic(known))
      return pop();
    return b.getIndexAttr(known);
  };
  OpFoldResult offsetValue = take(offset);
  SmallVector<OpFoldResult> strideValues, sizes;
  for (int64_t stride : strides)
    strideValues.push_back(take(stride));
  SmallVector<int64_t> shape;
  for (auto [position, size] : llvm::enumerate(type.getShape())) {
    OpFoldResult extent = ShapedType::isDynamic(size)
                              ? getExtent(position)
                              : OpFoldResult(b.getIndexAttr(size));
    auto known = dyn_cast<Attribute>(extent);
    shape.push_back(known ? cast<IntegerAttr>(known).getInt()
                          : ShapedType::kDynamic);
    sizes.push_back(extent);
  }
  if (sharesStrides && type.getLayout().isIdentity()) {
    Value stride = indexConstant(b, 1);
    for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
      if (ShapedType::isDynamic(strides[dim]))
        strideValues[dim] = stride;
      stride = b.createOrFold<arith::MulIOp>(
          stride, getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes[dim]));
    }
  }
  auto viewType =
      MemRefType::get(shape, type.getElementType(),
                      StridedLayoutAttr::get(b.getContext(), offset, strides),
                      type.getMemorySpace());
  return memref::ReinterpretCastOp::create(b, viewType, pointer, offsetValue,
                                           sizes, strideValues);
}

SmallVector<Value> mlir::scan::createLaunchOperands(
    ImplicitLocOpBuilder &b, ArrayRef<FlatOperand> operands,
    ArrayRef<KernelArgument> arguments, ArrayRef<OpFoldResult> extents,
    Value workspace, ArrayRef<Value> statuses) {
  SmallVector<Value> values;
  memref::ExtractStridedMetadataOp metadata;
  for (const KernelArgument &argument : arguments) {
    switch (argument.kind) {
    case Kind::Pointer:
      metadata = memref::ExtractStridedMetadataOp::create(
          b, operands[argument.operand].value);
      values.push_back(metadata.getBaseBuffer());
      break;
    case Kind::Offset:
      values.push_back(metadata.getOffset());
      break;
    case Kind::Stride:
      values.push_back(metadata.getStrides()[argument.dim]);
      break;
    case Kind::Scalar:
      values.push_back(operands[argument.operand].value);
      break;
    case Kind::Size:
      values.push_back(cast<Value>(extents[argument.dim]));
      break;
    case Kind::Workspace:
      values.push_back(memref::ExtractStridedMetadataOp::create(b, workspace)
                           .getBaseBuffer());
      break;
    case Kind::Status:
      values.push_back(
          memref::ExtractStridedMetadataOp::create(b, statuses.front())
              .getBaseBuffer());
      statuses = statuses.drop_front();
      break;
    }
  }
  return values;
}

gpu::GPUModuleOp mlir::scan::getKernelModule(RewriterBase &rewriter,
                                             ModuleOp module) {
  constexpr StringRef name = "scan_kernels";
  SymbolTable symbols(module);
  if (auto found = symbols.lookup<gpu::GPUModuleOp>(name))
    return found;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(module.getBody());
  auto created = gpu::GPUModuleOp::create(rewriter, module.getLoc(), name);
  // Renames it if something else has the name.
  symbols.insert(created);
  rewriter.modifyOpInPlace(module, [&] {
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    rewriter.getUnitAttr());
  });
  return created;
}

std::string mlir::scan::chooseKernelName(Operation *op, StringRef suffix,
                                         gpu::GPUModuleOp module) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  StringRef base = function ? function.getName() : "kernel";
  std::string name;
  for (unsigned i = 0; name.empty() || module.lookupSymbol(name); ++i)
    name = (base + suffix + Twine(i)).str();
  return name;
}
