//===- KernelHash.cpp - A kernel, whatever program it is in ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHash.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace mlir::scan;

/// Bytes of the hash that are kept: enough for there to be no two kernels with
/// the same ones.
static constexpr size_t kHashBytes = 16;

namespace {
/// Prints what the hash is made of: operations in the order in which results
/// need them, which is that of no pass, and values numbered in this order.
class CanonicalPrinter {
public:
  explicit CanonicalPrinter(llvm::raw_ostream &os) : os(os) {}

  void print(KernelOp kernel);

private:
  void printAttributes(DictionaryAttr attributes, StringAttr excluded = {});
  void printOperandType(Type type);
  void printOperation(Operation &op);
  void printRegion(Region &region);

  llvm::raw_ostream &os;
  DenseMap<Value, unsigned> numbers;
  DenseSet<Operation *> printed;
};
} // namespace

void CanonicalPrinter::printAttributes(DictionaryAttr attributes,
                                       StringAttr excluded) {
  if (attributes)
    for (NamedAttribute attribute : attributes)
      if (attribute.getName() != excluded)
        os << " " << attribute.getName().getValue() << "="
           << attribute.getValue();
}

void CanonicalPrinter::printOperandType(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped) {
    os << type << "\n";
    return;
  }
  llvm::interleave(
      shaped.getShape(), os,
      [&](int64_t extent) {
        if (ShapedType::isDynamic(extent))
          os << "?";
        else
          os << extent;
      },
      "x");
  os << "x" << shaped.getElementType();
  if (auto memref = dyn_cast<MemRefType>(type))
    if (!memref.getLayout().isIdentity())
      os << " " << memref.getLayout();
  os << "\n";
}

void CanonicalPrinter::printOperation(Operation &op) {
  if (!printed.insert(&op).second)
    return;
  op.walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      Operation *definition = operand.getDefiningOp();
      if (definition && definition->getBlock() == op.getBlock())
        printOperation(*definition);
    }
  });
  os << op.getName();
  for (Value operand : op.getOperands())
    os << " %" << numbers.lookup(operand);
  printAttributes(op.getAttrDictionary());
  for (Value result : op.getResults()) {
    numbers.try_emplace(result, numbers.size());
    os << " " << result.getType();
  }
  os << "\n";
  for (Region &inner : op.getRegions())
    printRegion(inner);
}

void CanonicalPrinter::printRegion(Region &region) {
  os << "{\n";
  for (Block &block : region) {
    os << "^";
    for (BlockArgument argument : block.getArguments()) {
      numbers.try_emplace(argument, numbers.size());
      os << " " << argument.getType();
    }
    os << "\n";
    for (Operation &op : block)
      if (op.hasTrait<OpTrait::IsTerminator>() || !isMemoryEffectFree(&op))
        printOperation(op);
  }
  os << "}\n";
}

void CanonicalPrinter::print(KernelOp kernel) {
  // What passes have attached besides is no part of the kernel.
  printAttributes(
      dyn_cast_or_null<DictionaryAttr>(kernel->getPropertiesAsAttribute()),
      kernel.getScheduleAttrName());
  os << "\n";
  for (Type type : kernel->getOperandTypes())
    printOperandType(type);
  for (Region &region : kernel->getRegions())
    printRegion(region);
}

std::string mlir::scan::getKernelHash(KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  CanonicalPrinter(os).print(kernel);
  std::array<uint8_t, 32> hash =
      llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  return llvm::toHex(ArrayRef(hash).take_front(kHashBytes), /*LowerCase=*/true);
}
