//===- Signature.cpp - Types of arrays and functions ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Signature.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::capi;

static_assert(MLIR_SCAN_DYNAMIC == ShapedType::kDynamic,
              "extents are passed on as they are");

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

namespace {
struct ElementInfo {
  size_t size;
  StringLiteral name;
};
} // namespace

/// In the order of MlirScanElementType.
static constexpr ElementInfo elementInfos[] = {
    {0, "none"},         {1, "i1"},  {1, "i8"},    {2, "i16"},
    {4, "i32"},          {8, "i64"}, {8, "index"}, {2, "f16"},
    {2, "bf16"},         {4, "f32"}, {8, "f64"},   {8, "complex<f32>"},
    {16, "complex<f64>"}};

static const ElementInfo &getInfo(MlirScanElementType elementType) {
  // Whatever the caller has passed.
  auto index = static_cast<size_t>(elementType);
  return elementInfos[index < std::size(elementInfos) ? index : 0];
}

static MlirScanElementType getElementType(Type type) {
  if (type.isIndex())
    return MlirScanElementTypeIndex;
  if (type.isF16())
    return MlirScanElementTypeF16;
  if (type.isBF16())
    return MlirScanElementTypeBF16;
  if (type.isF32())
    return MlirScanElementTypeF32;
  if (type.isF64())
    return MlirScanElementTypeF64;
  if (type.isSignlessInteger()) {
    switch (type.getIntOrFloatBitWidth()) {
    case 1:
      return MlirScanElementTypeI1;
    case 8:
      return MlirScanElementTypeI8;
    case 16:
      return MlirScanElementTypeI16;
    case 32:
      return MlirScanElementTypeI32;
    case 64:
      return MlirScanElementTypeI64;
    default:
      return MlirScanElementTypeNone;
    }
  }
  if (auto complex = dyn_cast<ComplexType>(type)) {
    if (complex.getElementType().isF32())
      return MlirScanElementTypeComplexF32;
    if (complex.getElementType().isF64())
      return MlirScanElementTypeComplexF64;
  }
  return MlirScanElementTypeNone;
}

size_t mlirScanElementTypeGetSize(MlirScanElementType elementType) {
  return getInfo(elementType).size;
}

MlirStringRef mlirScanElementTypeGetName(MlirScanElementType elementType) {
  return wrap(StringRef(getInfo(elementType).name));
}

MlirScanElementType mlirScanElementTypeFromName(MlirStringRef name) {
  for (auto [i, info] : llvm::enumerate(elementInfos))
    if (info.size != 0 && info.name == unwrap(name))
      return static_cast<MlirScanElementType>(i);
  return MlirScanElementTypeNone;
}

std::string mlir::scan::capi::describe(MlirScanElementType elementType,
                                       ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t extent : shape)
    text +=
        (ShapedType::isDynamic(extent) ? "?" : std::to_string(extent)) + "x";
  return text + getInfo(elementType).name.str();
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

MlirScanArrayType ArrayType::get() const {
  return {cElementType, static_cast<int64_t>(shape.size()), shape.data(),
          isScalar};
}

FailureOr<Signature> Signature::get(ModuleOp module, StringRef name) {
  FailureOr<HostCall> call = HostCall::get(module, name);
  if (failed(call))
    return failure();
  return get(*call);
}

FailureOr<Signature> Signature::get(const HostCall &call) {
  Signature signature;
  signature.name = call.getEntry().str();
  auto convert = [&](ArrayRef<Type> types, StringRef kind,
                     SmallVector<ArrayType> &result) -> LogicalResult {
    for (auto [i, type] : llvm::enumerate(types)) {
      ArrayType array;
      auto tensor = dyn_cast<RankedTensorType>(type);
      array.isScalar = !tensor;
      array.elementType = tensor ? tensor.getElementType() : type;
      if (tensor)
        array.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
      array.cElementType = getElementType(array.elementType);
      if (array.cElementType == MlirScanElementTypeNone)
        return emitError(call.getLoc())
               << "expected an element type that the C interface has for "
               << kind << " #" << i << " of '" << signature.name << "', found "
               << type;
      result.push_back(std::move(array));
    }
    return success();
  };
  if (failed(convert(call.getArgumentTypes(), "argument", signature.inputs)) ||
      failed(convert(call.getResultTypes(), "result", signature.outputs)))
    return failure();
  return signature;
}

MlirScanSignature mlirScanSignatureGet(MlirModule module,
                                       MlirStringRef function) {
  StringRef caller = "mlirScanSignatureGet";
  if (failed(checkHandle(module, caller, "module")) ||
      failed(checkString(unwrap(module).getContext(), function, caller,
                         "function")))
    return {nullptr};
  FailureOr<Signature> signature =
      Signature::get(unwrap(module), unwrap(function));
  if (failed(signature))
    return {nullptr};
  return {new Signature(std::move(*signature))};
}

void mlirScanSignatureDestroy(MlirScanSignature signature) {
  delete unwrap(signature);
}

intptr_t mlirScanSignatureGetNumInputs(MlirScanSignature signature) {
  return signature.ptr ? unwrap(signature)->inputs.size() : -1;
}

intptr_t mlirScanSignatureGetNumOutputs(MlirScanSignature signature) {
  return signature.ptr ? unwrap(signature)->outputs.size() : -1;
}

static MlirScanArrayType getType(ArrayRef<ArrayType> types, intptr_t index) {
  if (index < 0 || static_cast<size_t>(index) >= types.size())
    return {MlirScanElementTypeNone, -1, nullptr, false};
  return types[index].get();
}

MlirScanArrayType mlirScanSignatureGetInput(MlirScanSignature signature,
                                            intptr_t index) {
  return getType(signature.ptr ? ArrayRef(unwrap(signature)->inputs)
                               : ArrayRef<ArrayType>(),
                 index);
}

MlirScanArrayType mlirScanSignatureGetOutput(MlirScanSignature signature,
                                             intptr_t index) {
  return getType(signature.ptr ? ArrayRef(unwrap(signature)->outputs)
                               : ArrayRef<ArrayType>(),
                 index);
}
