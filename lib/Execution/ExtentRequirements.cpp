//===- ExtentRequirements.cpp - What a call's extents have to be ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExtentRequirements.h"
#include "Launcher/Requirements.h"
#include "Target/HostAttributes.h"
#include "Target/HostExpression.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include <cstring>

using namespace mlir;
using namespace mlir::scan;

static launcher::Expression getExpression(Attribute attribute) {
  launcher::Expression expression;
  if (auto name = dyn_cast<StringAttr>(attribute)) {
    expression.name = name.str();
  } else if (auto number = dyn_cast<IntegerAttr>(attribute)) {
    expression.number = number.getInt();
  } else {
    auto tree = cast<ArrayAttr>(attribute);
    expression.op =
        launcher::Operator::find(cast<StringAttr>(tree[0]).getValue().str());
    for (Attribute operand : tree.getValue().drop_front())
      expression.operands.push_back(getExpression(operand));
  }
  llvm::raw_string_ostream(expression.text) << getJSON(attribute);
  return expression;
}

ExtentRequirements::ExtentRequirements(Operation *function, StringRef name,
                                       TypeRange types) {
  description.name = name.str();
  for (auto [i, type] : llvm::enumerate(types)) {
    launcher::ArgumentDescription &argument =
        description.arguments.emplace_back();
    argument.name = getArgumentName(i);
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      for (int64_t dim = 0; dim < tensor.getRank(); ++dim)
        argument.extentNames.push_back(
            tensor.isDynamicDim(dim) ? getExtentName(i, dim) : "");
  }
  auto required = function->getAttrOfType<ArrayAttr>(requirementsAttrName);
  if (!required)
    return;
  for (Attribute requirement : required)
    description.requirements.push_back(getExpression(requirement));
}

LogicalResult ExtentRequirements::check(Location loc,
                                        ArrayRef<ArrayView> inputs) const {
  launcher::Names names;
  for (auto [argument, input] :
       llvm::zip_equal(description.arguments, inputs)) {
    for (auto [name, extent] : llvm::zip(argument.extentNames, input.shape))
      if (!name.empty())
        names[name] = extent;
    if (!input.elementType.isIntOrIndex() || !input.shape.empty())
      continue;
    // Of a scalar, which is little-endian and may be narrow.
    int64_t value = 0;
    unsigned bytes = *getElementByteSize(input.elementType);
    std::memcpy(&value, input.data, bytes);
    unsigned unused = 64 - 8 * bytes;
    names[argument.name] = int64_t(uint64_t(value) << unused) >> unused;
  }
  launcher::Status status = launcher::checkRequirements(description, names);
  return status.ok() ? success() : emitError(loc) << status.getMessage();
}
