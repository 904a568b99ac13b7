//===- TransposeLayout.cpp - How a tile lies in shared memory -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransposeLayout.h"
#include "../../GPUCommon/Emit.h"

using namespace mlir;
using namespace mlir::scan;

Value mlir::scan::createSlot(ImplicitLocOpBuilder &b,
                             const TransposeLayout &layout, Value number,
                             int64_t offset, int64_t unit,
                             std::optional<int64_t> bound) {
  Value slot = mulConstant(b, number, unit);
  if (layout.group == 0)
    return addConstant(b, slot, offset * unit);
  // Constants stay apart from what varies from thread to thread: they are part
  // of an instruction then, and take no register.
  int64_t perGroup = layout.group * layout.length / unit;
  int64_t unused = offset / perGroup, rest = offset % perGroup;
  if (!bound || rest + *bound > perGroup) {
    Value groups = b.createOrFold<arith::DivUIOp>(addConstant(b, number, rest),
                                                  indexConstant(b, perGroup));
    slot = b.createOrFold<arith::AddIOp>(slot,
                                         mulConstant(b, groups, layout.length));
  }
  return addConstant(b, slot, offset * unit + unused * layout.length);
}

Value mlir::scan::createThreadSlot(ImplicitLocOpBuilder &b,
                                   const TransposeLayout &layout,
                                   Value thread) {
  Value slot = mulConstant(b, thread, layout.perThread);
  if (layout.group != 0)
    slot = b.createOrFold<arith::AddIOp>(
        slot, b.createOrFold<arith::DivUIOp>(
                  thread, indexConstant(b, layout.group / layout.perThread)));
  return mulConstant(b, slot, layout.length);
}
