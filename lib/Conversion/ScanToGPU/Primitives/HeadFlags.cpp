//===- HeadFlags.cpp - Items at which no segment starts -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeadFlags.h"
#include "../../GPUCommon/Emit.h"
#include "WarpScan.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::scan;

/// The leaves that are flags by which the combine region selects a later
/// operand.
static SmallVector<unsigned> findFlags(KernelOp kernel) {
  Block &combine = KernelOp(kernel).getCombine().front();
  unsigned numLeaves = kernel.getNumLeaves();
  auto isLater = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &combine &&
           argument.getArgNumber() >= numLeaves;
  };
  SmallVector<unsigned> flags;
  for (unsigned leaf = 0; leaf < numLeaves; ++leaf) {
    BlockArgument later = combine.getArgument(numLeaves + leaf);
    if (llvm::any_of(later.getUsers(), [&](Operation *user) {
          auto select = dyn_cast<arith::SelectOp>(user);
          return select && select.getCondition() == later &&
                 isLater(select.getTrueValue());
        }))
      flags.push_back(leaf);
  }
  return flags;
}

HeadFlags::HeadFlags(ImplicitLocOpBuilder &b, KernelOp kernel,
                     SmallVector<SmallVector<State>> ofScans)
    : kernel(kernel), leaves(std::move(ofScans)), flags(findFlags(kernel)) {
  llvm::SetVector<Value> all;
  for (const SmallVector<State> &ofScan : leaves)
    for (const State &item : ofScan)
      for (unsigned flag : flags)
        all.insert(item[flag]);
  // Segments of scans side by side are the same. Other flags are too many to
  // vote on, and nothing says that few are set.
  if (all.empty() || all.size() > flags.size() * leaves.front().size())
    return;
  Value any = all.front();
  for (Value flag : ArrayRef(all.getArrayRef()).drop_front())
    any = b.createOrFold<arith::OrIOp>(any, flag);
  areClear = voteAll(b, createNot(b, any));
}

SmallVector<Value> HeadFlags::specialize(
    ImplicitLocOpBuilder &b,
    function_ref<SmallVector<Value>(ImplicitLocOpBuilder &,
                                    ArrayRef<SmallVector<State>>)>
        body) const {
  if (!any())
    return body(b, leaves);
  return createIfElse(
      b, areClear,
      [&](ImplicitLocOpBuilder &inner) {
        SmallVector<SmallVector<State>> known(leaves);
        Value clear = boolConstant(inner, false);
        for (SmallVector<State> &ofScan : known)
          for (State &item : ofScan)
            for (unsigned flag : flags)
              item[flag] = clear;
        return body(inner, known);
      },
      [&](ImplicitLocOpBuilder &inner) { return body(inner, leaves); });
}

SmallVector<State> HeadFlags::reduce(ImplicitLocOpBuilder &b) const {
  size_t numLeaves = KernelOp(kernel).getNumLeaves();
  SmallVector<Value> reduced = specialize(
      b, [&](ImplicitLocOpBuilder &inner, ArrayRef<SmallVector<State>> known) {
        SmallVector<Value> values;
        for (ArrayRef<State> ofScan : known)
          llvm::append_range(values, reduceItems(inner, kernel, ofScan));
        return values;
      });
  SmallVector<State> totals;
  for (ValueRange rest(reduced); !rest.empty();
       rest = rest.drop_front(numLeaves))
    totals.push_back(State(rest.take_front(numLeaves)));
  return totals;
}
