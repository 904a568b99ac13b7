//===- SplitStatesLookBack.cpp - The states before a tile's parts ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitStatesLookBack.h"
#include "../../GPUCommon/Emit.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::scan;

SmallVector<Value> SplitStatesLookBack::getAddresses(ImplicitLocOpBuilder &b,
                                                     Value number) const {
  Value scans = mulConstant(b, groups, scansPerBlock);
  Value firstPart = mulConstant(b, number, split.parts);
  SmallVector<Value> addresses;
  for (int64_t part = 0; part < io.getOwnParts(); ++part) {
    Value row =
        b.createOrFold<arith::AddIOp>(firstPart, io.createPartNumber(b, part));
    Value descriptorNumber = b.createOrFold<arith::AddIOp>(
        b.createOrFold<arith::MulIOp>(row, scans), io.getNumber());
    addresses.push_back(workspace.getAddress(b, descriptorNumber));
  }
  return addresses;
}

void SplitStatesLookBack::publish(ImplicitLocOpBuilder &b,
                                  Descriptor::Kind kind,
                                  ArrayRef<State> published) const {
  for (auto [address, state] :
       llvm::zip_equal(getAddresses(b, tile), published))
    descriptor.publish(b, address, flags, kind, state);
}

Descriptor::Observed SplitStatesLookBack::observe(ImplicitLocOpBuilder &b,
                                                  Value number) const {
  SmallVector<State> none(io.getOwnParts(), states.createZeros(b));
  return descriptor.observe(b, getAddresses(b, number), none, flags,
                            isDeterministic() ? Descriptor::Wanted::Prefixes
                                              : Descriptor::Wanted::Any);
}

SmallVector<State> SplitStatesLookBack::combine(ImplicitLocOpBuilder &b,
                                                ArrayRef<State> earlier,
                                                ArrayRef<State> later) const {
  SmallVector<State> combined;
  for (auto [left, right] : llvm::zip_equal(earlier, later))
    combined.push_back(states.combine(b, left, right));
  return combined;
}

/// The states before a tile that is not the first one: the first tile publishes
/// nothing but prefixes.
SmallVector<State>
SplitStatesLookBack::findBefore(ImplicitLocOpBuilder &b) const {
  Value nearest = addConstant(b, tile, -1);
  Descriptor::Observed seen = observe(b, nearest);
  if (isDeterministic())
    return seen.states;
  auto pack = [](const Descriptor::Observed &observed, Value number) {
    SmallVector<Value> carried = flatten(observed.states);
    carried.push_back(observed.arePrefixes);
    carried.push_back(number);
    return carried;
  };
  auto getStates = [&](ValueRange carried) {
    return unflatten(carried.drop_back(2), states.getNumLeaves());
  };
  SmallVector<Value> inits = pack(seen, nearest);
  auto loop = scf::WhileOp::create(
      b, ValueRange(inits).getTypes(), inits,
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        ImplicitLocOpBuilder inner(loc, builder);
        Value arePrefixes = carried.drop_back().back();
        scf::ConditionOp::create(
            inner,
            arith::XOrIOp::create(inner, arePrefixes,
                                  boolConstant(inner, true)),
            carried);
      },
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        ImplicitLocOpBuilder inner(loc, builder);
        Value before = addConstant(inner, carried.back(), -1);
        Descriptor::Observed earlier = observe(inner, before);
        earlier.states = combine(inner, earlier.states, getStates(carried));
        scf::YieldOp::create(inner, pack(earlier, before));
      });
  return getStates(loop.getResults());
}

SmallVector<State> SplitStatesLookBack::exchange(ImplicitLocOpBuilder &b,
                                                 ArrayRef<State> totals,
                                                 Value isLast) {
  Value publishes =
      b.createOrFold<arith::XOrIOp>(isLast, boolConstant(b, true));
  auto publishPrefix = [&](ImplicitLocOpBuilder &inner,
                           ArrayRef<State> before) {
    createIf(inner, publishes, [&](ImplicitLocOpBuilder &body) {
      publish(body, Descriptor::Kind::Prefix, combine(body, before, totals));
    });
    return flatten(before);
  };
  SmallVector<Value> before = createIfElse(
      b, compare(b, arith::CmpIPredicate::eq, tile, 0),
      [&](ImplicitLocOpBuilder &first) {
        SmallVector<State> inits;
        for (int64_t part = 0; part < io.getOwnParts(); ++part)
          inits.push_back(states.createInit(first, io, part));
        return publishPrefix(first, inits);
      },
      [&](ImplicitLocOpBuilder &later) {
        if (!isDeterministic())
          createIf(later, publishes, [&](ImplicitLocOpBuilder &body) {
            publish(body, Descriptor::Kind::Aggregate, totals);
          });
        return publishPrefix(later, findBefore(later));
      });
  return unflatten(before, states.getNumLeaves());
}
