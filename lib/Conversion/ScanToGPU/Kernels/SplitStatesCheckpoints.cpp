//===- SplitStatesCheckpoints.cpp - States before chunks ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitStatesCheckpoints.h"
#include "../../GPUCommon/Emit.h"
#include "IR/OperandMemory.h"

using namespace mlir;
using namespace mlir::scan;

using Elements = SmallVector<Value>;

SplitStatesCheckpoints::SplitStatesCheckpoints(ImplicitLocOpBuilder &b,
                                               KernelFrame &frame,
                                               const StateSplit &split,
                                               const SplitStatesIO &io)
    : io(io), layout(StateCheckpoints::get(frame.getKernel(), split)),
      steps(io.getSteps()) {
  int64_t scans = frame.getSchedule().getScansPerBlock();
  // Lanes without a scan have a checkpoint, too.
  Value blocks = b.createOrFold<arith::CeilDivUIOp>(frame.createScanCount(b),
                                                    indexConstant(b, scans));
  chunkBytes = mulConstant(b, blocks, scans * layout.bytes);
  Value first = addConstant(b, mulConstant(b, io.getNumber(), layout.bytes),
                            kWorkspaceHeaderBytes);
  pointer = offsetPointer(
      b, GlobalPointer::get(b, frame.getWorkspace()).pointer, first);
}

void SplitStatesCheckpoints::forAccesses(
    ImplicitLocOpBuilder &b, Value t,
    function_ref<void(Value, unsigned, Type, int64_t, int64_t)> body) const {
  Value chunk = b.createOrFold<arith::DivUIOp>(t, indexConstant(b, steps));
  Value before = offsetPointer(
      b, pointer, b.createOrFold<arith::MulIOp>(chunk, chunkBytes));
  int64_t own = io.getOwnParts();
  for (auto [number, leaf] : llvm::enumerate(layout.leaves)) {
    int64_t bytes = getStorageBytes(leaf.type);
    int64_t width = getVectorLength(leaf.type, own);
    for (int64_t part = 0; part < own; part += width) {
      Value offset = mulConstant(b, io.createPartNumber(b, part), bytes);
      body(offsetPointer(b, before, addConstant(b, offset, leaf.offset)),
           number, leaf.type, part, width);
    }
  }
}

void SplitStatesCheckpoints::store(ImplicitLocOpBuilder &b, Value t,
                                   ValueRange state) const {
  size_t count = layout.leaves.size();
  forAccesses(b, t,
              [&](Value address, unsigned number, Type type, int64_t part,
                  int64_t width) {
                Elements own;
                for (int64_t i = 0; i < width; ++i)
                  own.push_back(state[(part + i) * count + number]);
                if (width == 1)
                  storeElement(b, own.front(), address);
                else
                  storeParts(b, packElements(b, own), type, address, width);
              });
}

Elements SplitStatesCheckpoints::load(ImplicitLocOpBuilder &b, Value t) const {
  size_t count = layout.leaves.size();
  Elements state(io.getOwnParts() * count);
  forAccesses(b, t,
              [&](Value address, unsigned number, Type type, int64_t part,
                  int64_t width) {
                Elements own =
                    width == 1
                        ? Elements{loadElement(b, type, address)}
                        : unpackElements(b, loadParts(b, type, address, width),
                                         type);
                for (int64_t i = 0; i < width; ++i)
                  state[(part + i) * count + number] = own[i];
              });
  return state;
}
