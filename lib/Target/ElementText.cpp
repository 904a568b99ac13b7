//===- ElementText.cpp - Types and constants of a manifest ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementText.h"
#include "IR/OperandMemory.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::scan;

std::string mlir::scan::getElementName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

std::string mlir::scan::getCType(Type type) {
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

LogicalResult mlir::scan::appendHex(Attribute value, std::string &hex) {
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
    bytes = getStorageBytes(integer.getType());
  } else if (auto number = dyn_cast<FloatAttr>(value)) {
    bits = number.getValue().bitcastToAPInt();
    bytes = getStorageBytes(number.getType());
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

LogicalResult mlir::scan::appendElementsHex(Attribute value, std::string &hex) {
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
