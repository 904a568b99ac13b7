//===- OffsetsCheck.cpp - Checks of segment offsets in kernels ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OffsetsCheck.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::scan;

std::string scan::describeOffsetsError(int64_t dim) {
  return "scan: expected the offsets of segments to start with 0, not to "
         "decrease, and to end with the extent of dimension " +
         std::to_string(dim) + ", which is scanned";
}

/// The number of the function's argument that `value` is a view of.
static std::optional<unsigned> findArgument(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<ViewLikeOpInterface, tensor::CastOp, tensor::ExtractSliceOp,
             tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             bufferization::ToBufferOp, bufferization::ToTensorOp>(op))
      return std::nullopt;
    value = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(value);
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function || argument.getOwner() != &function.getFunctionBody().front())
    return std::nullopt;
  return argument.getArgNumber();
}

memref::AllocOp scan::createStatus(OpBuilder &builder, Location loc,
                                   Value offsets, Attribute dim) {
  auto type = MemRefType::get({kStatusWords}, builder.getI64Type());
  auto status = memref::AllocOp::create(builder, loc, type);
  SmallVector<NamedAttribute> entries = {builder.getNamedAttr("dim", dim)};
  if (std::optional<unsigned> argument = findArgument(offsets))
    entries.push_back(
        builder.getNamedAttr("argument", builder.getI64IntegerAttr(*argument)));
  status->setAttr(statusAttrName, builder.getDictionaryAttr(entries));
  return status;
}

bool scan::isStatus(Value value) {
  auto alloc = value.getDefiningOp<memref::AllocOp>();
  return alloc && alloc->hasAttr(statusAttrName);
}

/// Raises the words of the status to those of offset number `number`.
static void report(OpBuilder &b, Location loc, Value status, Value number,
                   ArrayRef<Value> payloads) {
  Type i64 = b.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  auto toWord = [&](Value index) -> Value {
    return arith::IndexCastOp::create(b, loc, i64, index);
  };
  Value width = constant(32);
  Value key = arith::SubIOp::create(
      b, loc, constant(0xFFFFFFFF),
      arith::MinUIOp::create(b, loc, toWord(number), constant(0xFFFFFFFE)));
  key = arith::ShLIOp::create(b, loc, key, width);
  Value base = arith::IndexCastOp::create(
      b, loc, i64,
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, status));
  for (auto [i, payload] : llvm::enumerate(payloads)) {
    Value low =
        arith::MaxSIOp::create(b, loc, toWord(payload), constant(INT32_MIN));
    low = arith::MinSIOp::create(b, loc, low, constant(INT32_MAX));
    low = arith::AndIOp::create(b, loc, low, constant(0xFFFFFFFF));
    Value word = arith::OrIOp::create(b, loc, key, low);
    Value address = arith::AddIOp::create(b, loc, base, constant(8 * i));
    Value pointer = LLVM::IntToPtrOp::create(
        b, loc, LLVM::LLVMPointerType::get(b.getContext()), address);
    LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::umax, pointer, word,
                              LLVM::AtomicOrdering::monotonic,
                              /*syncscope=*/"device", /*alignment=*/8);
  }
}

/// What concerns offset number `number`, which there is.
static void checkOffset(OpBuilder &b, Location loc, const OffsetsCheck &check,
                        Value number) {
  using Predicate = arith::CmpIPredicate;
  auto compare = [&](Predicate predicate, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  };
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value last = arith::SubIOp::create(b, loc, check.count, one);
  Value isFirst = compare(Predicate::eq, number, zero);
  Value isLast = compare(Predicate::eq, number, last);
  Value previous = arith::SubIOp::create(b, loc, number, one);
  previous = arith::SelectOp::create(b, loc, isFirst, zero, previous);
  Value offset = check.load(b, number);
  Value before = check.load(b, previous);
  before = arith::SelectOp::create(b, loc, isFirst, zero, before);
  Value decreases = compare(Predicate::slt, offset, before);
  Value begins = arith::AndIOp::create(b, loc, isFirst,
                                       compare(Predicate::ne, offset, zero));
  Value ends = arith::AndIOp::create(
      b, loc, isLast, compare(Predicate::ne, offset, check.extent));
  Value isBad = arith::OrIOp::create(b, loc, decreases, begins);
  isBad = arith::OrIOp::create(b, loc, isBad, ends);
  scf::IfOp::create(b, loc, isBad, [&](OpBuilder &inner, Location) {
    report(inner, loc, check.status, number, {offset, before, check.extent});
    scf::YieldOp::create(inner, loc);
  });
}

scf::ForOp scan::createOffsetsCheck(OpBuilder &builder, Location loc,
                                    const OffsetsCheck &check) {
  std::optional<int64_t> known = getConstantIntValue(check.count);
  bool hasAny = known && *known > 0;
  Value upper = check.count;
  if (!hasAny)
    upper = arith::MaxSIOp::create(
        builder, loc, upper, arith::ConstantIndexOp::create(builder, loc, 1));
  auto body = [&](OpBuilder &b, Location, Value number, ValueRange) {
    if (hasAny) {
      checkOffset(b, loc, check, number);
      scf::YieldOp::create(b, loc);
      return;
    }
    // That there are none is said by the thread of the first one.
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value isAny = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                        check.count, zero);
    scf::IfOp::create(
        b, loc, isAny,
        [&](OpBuilder &inner, Location) {
          checkOffset(inner, loc, check, number);
          scf::YieldOp::create(inner, loc);
        },
        [&](OpBuilder &inner, Location) {
          Value one = arith::ConstantIndexOp::create(inner, loc, 1);
          report(inner, loc, check.status, zero, {zero, one, check.extent});
          scf::YieldOp::create(inner, loc);
        });
    scf::YieldOp::create(b, loc);
  };
  auto loop = scf::ForOp::create(builder, loc, check.first, upper, check.stride,
                                 ValueRange(), body);
  loop->setAttr(offsetsLoopAttrName, builder.getUnitAttr());
  return loop;
}
