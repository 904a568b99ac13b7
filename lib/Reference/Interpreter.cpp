//===- Interpreter.cpp - The reference interpreter ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Reference/Interpreter.h"
#include "Compiler.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::reference;

/// Regions, of functions and of operations in them, may nest this deeply while
/// they run: each level takes some of the host's stack.
static constexpr unsigned kMaxCallDepth = 1000;
/// So may calls while functions are compiled.
static constexpr unsigned kMaxCompiling = 200;

Session::Session(ModuleOp module)
    : module(module), meter(std::make_shared<MemoryMeter>()) {
  meter->limit = getMemoryLimit();
}

FailureOr<Function *> Session::getFunction(func::FuncOp op, Operation *user) {
  std::unique_ptr<Function> &entry = functions[op];
  if (entry)
    return entry.get();
  if (op.isExternal())
    return user->emitError("function '")
           << op.getSymName() << "' has no body to interpret";
  if (numCompiling == kMaxCompiling)
    return user->emitError("calls of different functions nest deeper than ")
           << kMaxCompiling << " levels";
  entry = std::make_unique<Function>();
  // A function that calls itself finds this entry while it is compiled; the
  // map may grow meanwhile, the function stays where it is.
  Function *function = entry.get();
  function->op = op;
  ++numCompiling;
  FailureOr<ProgramPtr> body =
      Compiler(*this, *function).compileRegion(op.getBody());
  --numCompiling;
  if (failed(body))
    return failure();
  function->body = *body;
  return function;
}

LogicalResult Session::call(Function &function, Operation *caller,
                            unsigned depth, SmallVectorImpl<Datum> &values) {
  depth += function.nesting;
  if (depth > kMaxCallDepth)
    return caller->emitError("calls and regions nest deeper than ")
           << kMaxCallDepth << " levels in '" << function.op.getSymName()
           << "'";
  Frame frame{*this, depth, std::vector<Scalar>(function.numScalars),
              std::vector<Tensor>(function.numTensors)};
  function.body->writeArguments(frame, values);
  if (failed(function.body->run(frame)))
    return failure();
  values = function.body->readYields(frame);
  return success();
}

FailureOr<Tensor> Session::allocate(Operation *op, Format format,
                                    ArrayRef<int64_t> shape) {
  if (std::optional<Tensor> tensor = Tensor::create(meter, format, shape))
    return std::move(*tensor);
  return op->emitError("a tensor of ")
         << describeShape(shape) << " elements of " << format.getByteSize()
         << " bytes exceeds the " << (meter->limit - meter->live)
         << " bytes that are left of the memory limit";
}

FailureOr<Tensor> Session::makeUnique(Operation *op, Tensor tensor) {
  if (tensor.isUnique())
    return std::move(tensor);
  FailureOr<Tensor> copy = allocate(op, tensor.format, tensor.shape);
  if (succeeded(copy))
    copy->storage->bytes = tensor.storage->bytes;
  return copy;
}

/// The names of the functions that could have been meant, for messages.
static std::string listFunctions(ModuleOp module) {
  std::string names;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      names +=
          (names.empty() ? "'" : ", '") + function.getSymName().str() + "'";
  return names.empty() ? "none" : names;
}

FailureOr<SmallVector<HostArray>>
mlir::scan::interpret(ModuleOp module, StringRef entry,
                      ArrayRef<HostArray> inputs) {
  auto op = module.lookupSymbol<func::FuncOp>(entry);
  if (!op)
    return module.emitError("no function '")
           << entry << "' in the module; found: " << listFunctions(module);
  if (op.getNumArguments() != inputs.size() && !op.isExternal())
    return op.emitError("function '")
           << entry << "' expects " << op.getFunctionType().getNumInputs()
           << " inputs, found " << inputs.size();
  Session session(module);
  FailureOr<Function *> function = session.getFunction(op, op);
  if (failed(function))
    return failure();

  SmallVector<Datum> values;
  for (auto [index, input] : llvm::enumerate(inputs)) {
    Slot slot = (*function)->body->arguments[index];
    std::string reason;
    if (!isCompatible(input, op.getArgument(index).getType(), &reason))
      return op.emitError("input #")
             << index << " of function '" << entry << "': " << reason;
    if (getByteSize(input.elementType, input.shape) !=
        static_cast<int64_t>(input.data.size()))
      return op.emitError("input #")
             << index << " of function '" << entry << "': expected "
             << getByteSize(input.elementType, input.shape).value_or(0)
             << " bytes of data, found " << input.data.size();
    Datum datum;
    datum.isTensor = slot.isTensor;
    if (slot.isTensor) {
      FailureOr<Tensor> tensor = session.allocate(op, slot.format, input.shape);
      if (failed(tensor))
        return failure();
      tensor->storage->bytes = input.data;
      datum.tensor = std::move(*tensor);
    } else {
      datum.scalar = loadElement(input.data.data(), 0, slot.format);
    }
    values.push_back(std::move(datum));
  }

  if (failed(session.call(**function, op, /*depth=*/0, values)))
    return failure();

  SmallVector<HostArray> outputs;
  for (auto [index, value, type] :
       llvm::enumerate(values, op.getResultTypes())) {
    HostArray array;
    if (!value.isTensor) {
      array = HostArray::zeros(type, {});
      storeElement(array.data.data(), 0, *getFormat(type), value.scalar);
      outputs.push_back(std::move(array));
      continue;
    }
    auto tensorType = cast<RankedTensorType>(type);
    array.elementType = tensorType.getElementType();
    array.shape.assign(value.tensor.shape.begin(), value.tensor.shape.end());
    array.data = value.tensor.isUnique()
                     ? std::move(value.tensor.storage->bytes)
                     : value.tensor.storage->bytes;
    outputs.push_back(std::move(array));
  }
  return outputs;
}
