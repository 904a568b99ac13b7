//===- KernelFrame.cpp - The gpu.func around a scan -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFrame.h"
#include "WarpScan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::scan;

/// The operands that have an indexing map: all of them, in order.
static SmallVector<std::pair<Value, AffineMap>> getMappedOperands(KernelOp op) {
  SmallVector<std::pair<Value, AffineMap>> result;
  for (OpOperand &operand : op->getOpOperands())
    result.emplace_back(operand.get(), op.getIndexingMap(operand));
  return result;
}

FailureOr<SmallVector<KernelArgument>>
mlir::scan::listArguments(KernelOp kernel) {
  using Kind = KernelArgument::Kind;
  SmallVector<KernelArgument> result;
  for (OpOperand &operand : kernel->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type) {
      result.push_back({Kind::Scalar, number});
      continue;
    }
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)))
      return kernel.emitOpError()
             << "expected operand " << number
             << " to have a strided layout to become a GPU kernel, found "
             << type << "; copy it into a memref without a layout map";
    result.push_back({Kind::Pointer, number});
    if (ShapedType::isDynamic(offset))
      result.push_back({Kind::Offset, number});
    for (auto [dim, stride] : llvm::enumerate(strides))
      if (ShapedType::isDynamic(stride))
        result.push_back({Kind::Stride, number, unsigned(dim)});
  }
  for (auto [dim, extent] : llvm::enumerate(kernel.getStaticDomainShape()))
    if (ShapedType::isDynamic(extent))
      result.push_back({Kind::Size, 0, unsigned(dim)});
  return result;
}

/// The domain dimensions but the scanned one. The one along which most bytes
/// lie contiguously comes last, so that neighbouring threads share it.
static SmallVector<unsigned> orderPointDims(KernelOp kernel) {
  SmallVector<int64_t> contiguous(kernel.getDomainRank(), 0);
  for (auto [value, map] : getMappedOperands(kernel)) {
    // Values that are read or written in every step of the scan count.
    if (!isa<MemRefType>(value.getType()) ||
        !map.isFunctionOfDim(kernel.getDim()))
      continue;
    int64_t bytes = KernelOp::getNumElements(value, map) *
                    getStorageBytes(getElementTypeOrSelf(value.getType()));
    for (unsigned dim = 0; dim < kernel.getDomainRank(); ++dim)
      if (isContiguousAlong(value, map, dim))
        contiguous[dim] += bytes;
  }
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < kernel.getDomainRank(); ++dim)
    if (dim != kernel.getDim())
      dims.push_back(dim);
  if (dims.empty())
    return dims;
  auto *best = &dims.back();
  for (unsigned &dim : dims)
    if (contiguous[dim] > contiguous[*best])
      best = &dim;
  std::rotate(best, best + 1, dims.end());
  return dims;
}

static Type getArgumentType(KernelOp kernel, const KernelArgument &argument) {
  Type type = kernel->getOperand(argument.operand).getType();
  switch (argument.kind) {
  case KernelArgument::Kind::Pointer: {
    auto memref = cast<MemRefType>(type);
    return MemRefType::get({}, memref.getElementType(), AffineMap(),
                           memref.getMemorySpace());
  }
  case KernelArgument::Kind::Scalar:
    return type;
  default:
    return IndexType::get(kernel.getContext());
  }
}

/// Name of an argument and how the attribute `scan.args` describes it.
static DictionaryAttr describeArgument(Builder &b, KernelOp kernel,
                                       const KernelArgument &argument,
                                       Type type) {
  using Kind = KernelArgument::Kind;
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

  struct Group {
    StringRef role, prefix;
    OperandRange operands;
  };
  unsigned number = argument.operand;
  std::string base;
  for (const Group &group : {Group{"input", "x", kernel.getInputs()},
                             Group{"init", "init", kernel.getInits()},
                             Group{"output", "y", kernel.getOutputs()},
                             Group{"final", "final", kernel.getFinals()}}) {
    if (number < group.operands.size()) {
      base = (group.prefix + Twine(number)).str();
      add("role", b.getStringAttr(group.role));
      break;
    }
    number -= group.operands.size();
  }
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
    base += "_offset";
    break;
  default:
    kind = "stride";
    base += "_stride" + std::to_string(argument.dim);
    add("dim", b.getI64IntegerAttr(argument.dim));
    break;
  }
  add("kind", b.getStringAttr(kind));
  add("name", b.getStringAttr(base));
  return b.getDictionaryAttr(entries);
}

AffineMap mlir::scan::getGridMap(KernelOp kernel, ScheduleAttr schedule) {
  MLIRContext *context = kernel.getContext();
  AffineExpr points = getAffineConstantExpr(1, context);
  unsigned numSymbols = 0;
  for (auto [dim, extent] : llvm::enumerate(kernel.getStaticDomainShape())) {
    AffineExpr size = ShapedType::isDynamic(extent)
                          ? getAffineSymbolExpr(numSymbols++, context)
                          : getAffineConstantExpr(extent, context);
    if (dim != kernel.getDim())
      points = points * size;
  }
  AffineExpr one = getAffineConstantExpr(1, context);
  if (schedule.getStrategy() == Strategy::Sequential)
    points = points.ceilDiv(schedule.getThreads());
  AffineExpr columns = points.floorDiv(kGridLimit) + one;
  return AffineMap::get(0, numSymbols, {points.ceilDiv(columns), columns, one},
                        context);
}

KernelFrame::KernelFrame(ImplicitLocOpBuilder &b, KernelOp kernel,
                         StringRef name, gpu::GPUModuleOp module,
                         ArrayRef<KernelArgument> arguments,
                         ScheduleAttr schedule)
    : kernel(kernel), schedule(schedule),
      staticExtents(kernel.getStaticDomainShape()),
      pointDims(orderPointDims(kernel)) {
  SmallVector<Type> types;
  SmallVector<Attribute> descriptions;
  for (const KernelArgument &argument : arguments) {
    types.push_back(getArgumentType(kernel, argument));
    descriptions.push_back(describeArgument(b, kernel, argument, types.back()));
  }
  b.setInsertionPointToEnd(module.getBody());
  func = gpu::GPUFuncOp::create(b, name, b.getFunctionType(types, {}));
  int32_t threads = schedule.getThreads();
  func->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  func.setKnownBlockSize(std::array<int32_t, 3>{threads, 1, 1});
  func->setAttr("scan.args", b.getArrayAttr(descriptions));
  func->setAttr("scan.grid", AffineMapAttr::get(getGridMap(kernel, schedule)));
  func->setAttr("scan.block", b.getDenseI64ArrayAttr({threads, 1, 1}));
  func->setAttr("scan.schedule", schedule);
  b.setInsertionPointToStart(&func.getBody().front());
  createViews(b, arguments);
}

void KernelFrame::createViews(ImplicitLocOpBuilder &b,
                              ArrayRef<KernelArgument> arguments) {
  using Kind = KernelArgument::Kind;
  // Sizes first: the views need them.
  for (int64_t extent : staticExtents)
    extents.push_back(ShapedType::isDynamic(extent)
                          ? Value()
                          : arith::ConstantIndexOp::create(b, extent));
  for (auto [argument, value] : llvm::zip_equal(arguments, func.getArguments()))
    if (argument.kind == Kind::Size)
      extents[argument.dim] = value;

  ArrayRef<KernelArgument> rest = arguments;
  ArrayRef<BlockArgument> values(func.getArguments());
  auto pop = [&]() {
    Value value = values.front();
    rest = rest.drop_front();
    values = values.drop_front();
    return value;
  };
  SmallVector<OperandView> views;
  for (auto [operand, map] : getMappedOperands(kernel)) {
    OperandView view;
    view.map = map;
    view.trailing = llvm::to_vector(KernelOp::getTrailingShape(operand, map));
    view.numElements = KernelOp::getNumElements(operand, map);
    view.elementType = getElementTypeOrSelf(operand.getType());
    view.value = pop();
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type) {
      views.push_back(view);
      continue;
    }
    SmallVector<int64_t> strides;
    int64_t offset;
    // listArguments has checked that there are strides.
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
      int64_t known = size;
      Value dynamic;
      if (ShapedType::isDynamic(size)) {
        auto dim = dyn_cast<AffineDimExpr>(map.getResult(position));
        // A dimension under the constant 0 has extent 1.
        known = dim ? staticExtents[dim.getPosition()] : 1;
        if (dim)
          dynamic = extents[dim.getPosition()];
      }
      shape.push_back(known);
      sizes.push_back(ShapedType::isDynamic(known)
                          ? OpFoldResult(dynamic)
                          : OpFoldResult(b.getIndexAttr(known)));
    }
    auto viewType =
        MemRefType::get(shape, type.getElementType(),
                        StridedLayoutAttr::get(b.getContext(), offset, strides),
                        type.getMemorySpace());
    view.value = memref::ReinterpretCastOp::create(
        b, viewType, view.value, offsetValue, sizes, strideValues);
    views.push_back(view);
  }
  ArrayRef<OperandView> all(views);
  auto takeGroup = [&](SmallVector<OperandView> &group, unsigned size) {
    group.append(all.begin(), all.begin() + size);
    all = all.drop_front(size);
  };
  takeGroup(inputs, kernel.getInputs().size());
  takeGroup(inits, kernel.getInits().size());
  takeGroup(outputs, kernel.getOutputs().size());
  takeGroup(finals, kernel.getFinals().size());
}

ThreadIds KernelFrame::createThreadIds(ImplicitLocOpBuilder &b) {
  ThreadIds ids;
  ids.threads = schedule.getThreads();
  ids.thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  Value warpSize = arith::ConstantIndexOp::create(b, kWarpSize);
  ids.lane = arith::RemUIOp::create(b, ids.thread, warpSize);
  ids.warp = arith::DivUIOp::create(b, ids.thread, warpSize);
  return ids;
}

Value KernelFrame::createBlockNumber(ImplicitLocOpBuilder &b) {
  Value x = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  Value y = gpu::BlockIdOp::create(b, gpu::Dimension::y);
  Value width = gpu::GridDimOp::create(b, gpu::Dimension::x);
  return arith::AddIOp::create(b, arith::MulIOp::create(b, y, width), x);
}

Value KernelFrame::createPointCount(ImplicitLocOpBuilder &b) {
  Value count = arith::ConstantIndexOp::create(b, 1);
  for (unsigned dim : pointDims)
    count = b.createOrFold<arith::MulIOp>(count, extents[dim]);
  return count;
}

SmallVector<Value> KernelFrame::createPoint(ImplicitLocOpBuilder &b,
                                            Value number) {
  SmallVector<Value> point(extents.size());
  for (auto [i, dim] : llvm::enumerate(llvm::reverse(pointDims))) {
    if (i + 1 == pointDims.size()) {
      point[dim] = number;
      break;
    }
    point[dim] = b.createOrFold<arith::RemUIOp>(number, extents[dim]);
    number = b.createOrFold<arith::DivUIOp>(number, extents[dim]);
  }
  return point;
}

Value KernelFrame::addSharedBuffer(int64_t size, Type type) {
  // A flag takes a byte: there is no addressing single bits.
  if (type.isInteger(1))
    type = IntegerType::get(type.getContext(), 8);
  auto space = gpu::AddressSpaceAttr::get(kernel.getContext(),
                                          gpu::AddressSpace::Workgroup);
  unsigned number = func.getNumWorkgroupAttributions();
  Value buffer = func.addWorkgroupAttribution(
      MemRefType::get({size}, type, MemRefLayoutAttrInterface(), space),
      kernel.getLoc());
  // Without it LLVM's optimisations take a large array to start at 16 bytes,
  // and its PTX writer aligns it as its elements: wide accesses are then
  // misaligned.
  func.setWorkgroupAttributionAttr(
      number, LLVM::LLVMDialect::getAlignAttrName(),
      IntegerAttr::get(IntegerType::get(kernel.getContext(), 64),
                       kSharedAlignment));
  return buffer;
}
