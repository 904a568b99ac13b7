//===- SplitStatesTiles.cpp - Chunks in shared memory ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitStatesTiles.h"
#include "../../GPUCommon/Emit.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::scan;

using Elements = SmallVector<Value>;

SplitStatesTiles::SplitStatesTiles(ImplicitLocOpBuilder &b, KernelFrame &frame,
                                   StateTiles tiles, const LaneGroup &lanes,
                                   Value scanLane, Value warp)
    : frame(frame), tiles(std::move(tiles)), lanes(lanes), scanLane(scanLane),
      warp(warp), lane(b.createOrFold<arith::AddIOp>(
                      mulConstant(b, lanes.index, lanes.stride), scanLane)),
      bytes(frame.addSharedBuffer(this->tiles.bytes, b.getI8Type())) {
  for (const StateTiles::Input &input : this->tiles.inputs)
    pointers.push_back(
        GlobalPointer::get(b, frame.getInputs()[input.number].value));
}

Value SplitStatesTiles::createHasRows(ImplicitLocOpBuilder &b) {
  Value rest = b.createOrFold<arith::RemUIOp>(frame.getInnerExtent(b),
                                              indexConstant(b, lanes.stride));
  Value all = compare(b, arith::CmpIPredicate::eq, rest, 0);
  for (const GlobalPointer &pointer : pointers) {
    int64_t elements = StateTiles::kPieceBytes / getStorageBytes(pointer.type);
    all = createAnd(b, all,
                    pointer.createIsAligned(
                        b, indexConstant(b, 0),
                        ArrayRef(pointer.strides).drop_back(), elements));
  }
  return all;
}

void SplitStatesTiles::start(ImplicitLocOpBuilder &b, ArrayRef<Value> point) {
  KernelOp kernel = frame.getKernel();
  Elements first(point);
  first[kernel.getDim()] = indexConstant(b, 0);
  pieces.clear();
  for (int64_t round = 0; round < getRounds(); ++round) {
    Value number = addConstant(b, lane, round * kWarpSize);
    Piece piece;
    for (auto [input, global] : llvm::zip_equal(tiles.inputs, pointers)) {
      const OperandView &view = frame.getInputs()[input.number];
      Value own = addConstant(b, number, -input.firstPiece);
      Value rowPieces = indexConstant(b, input.rowPieces);
      Value step = b.createOrFold<arith::DivUIOp>(own, rowPieces);
      Value inRow =
          mulConstant(b, b.createOrFold<arith::RemUIOp>(own, rowPieces),
                      StateTiles::kPieceBytes);
      Elements trailing(view.trailing.size(), indexConstant(b, 0));
      Value row = global.createAddress(
          b,
          global.createOffset(b, getElementIndices(b, view, first, trailing)));
      Piece ofInput = {
          offsetPointer(b, row, inRow),
          mulConstant(b, global.strides[*view.findDim(kernel.getDim())],
                      getStorageBytes(view.elementType)),
          step};
      if (!piece.pointer) {
        piece = ofInput;
        continue;
      }
      Value isInput =
          compare(b, arith::CmpIPredicate::uge, number, input.firstPiece);
      auto select = [&](Value &one, Value other) {
        one = b.createOrFold<arith::SelectOp>(isInput, other, one);
      };
      select(piece.pointer, ofInput.pointer);
      select(piece.indexBytes, ofInput.indexBytes);
      select(piece.step, ofInput.step);
    }
    // Lanes without a piece load that of the first one again.
    piece.step = b.createOrFold<arith::MinUIOp>(
        piece.step, indexConstant(b, getSteps() - 1));
    pieces.push_back(piece);
  }
}

Elements SplitStatesTiles::load(ImplicitLocOpBuilder &b, Value t) const {
  Elements loaded;
  for (const Piece &piece : pieces) {
    Value index =
        frame.createIndex(b, b.createOrFold<arith::AddIOp>(t, piece.step));
    Value address =
        offsetPointer(b, piece.pointer,
                      b.createOrFold<arith::MulIOp>(index, piece.indexBytes));
    loaded.push_back(loadParts(b, b.getI32Type(), address,
                               StateTiles::kPieceBytes / sizeof(int32_t)));
  }
  return loaded;
}

/// The shared memory as elements of type `type`.
Value SplitStatesTiles::getBuffer(ImplicitLocOpBuilder &b, Type type) {
  auto from = cast<MemRefType>(bytes.getType());
  Type part = getPartsType(type, 1).getElementType();
  int64_t partBytes = getStorageBytes(part);
  auto to = MemRefType::get({from.getDimSize(0) / partBytes}, part,
                            MemRefLayoutAttrInterface(), from.getMemorySpace());
  return memref::ViewOp::create(b, to, bytes, indexConstant(b, 0),
                                ValueRange());
}

/// Where piece number `piece` lies in the slot of chunk number `chunk`, in
/// units of `unit` bytes.
Value SplitStatesTiles::createSlot(ImplicitLocOpBuilder &b, Value chunk,
                                   int64_t piece, int64_t unit) const {
  Value slot = b.createOrFold<arith::RemUIOp>(
      chunk, indexConstant(b, StateTiles::kSlots));
  constexpr int64_t pieceBytes = StateTiles::kPieceBytes;
  return addConstant(
      b,
      b.createOrFold<arith::AddIOp>(
          mulConstant(b, warp, tiles.warpBytes / unit),
          mulConstant(b, slot, tiles.pieces * pieceBytes / unit)),
      piece * pieceBytes / unit);
}

void SplitStatesTiles::store(ImplicitLocOpBuilder &b, ValueRange loaded,
                             Value chunk) {
  constexpr int64_t words = StateTiles::kPieceBytes / sizeof(int32_t);
  Type word = b.getI32Type();
  Value buffer = getBuffer(b, word);
  Value first = createSlot(b, chunk, /*piece=*/0, sizeof(int32_t));
  for (auto [round, piece] : llvm::enumerate(loaded)) {
    Value number = addConstant(b, lane, round * kWarpSize);
    bool isWhole = int64_t(round + 1) * kWarpSize <= tiles.pieces;
    createIf(b,
             isWhole
                 ? Value()
                 : compare(b, arith::CmpIPredicate::ult, number, tiles.pieces),
             [&, piece = piece](ImplicitLocOpBuilder &inner) {
               Value slot = inner.createOrFold<arith::AddIOp>(
                   first, mulConstant(inner, number, words));
               storeSharedParts(inner, piece, word, buffer, slot, words);
             });
  }
}

Elements SplitStatesTiles::readOwned(ImplicitLocOpBuilder &b, Value chunk,
                                     Value from, int64_t count) {
  Elements elements;
  for (const StateTiles::Input &input : tiles.inputs) {
    if (hasParts(input))
      continue;
    Type type = frame.getInputs()[input.number].elementType;
    Value buffer = getBuffer(b, type);
    Value first = b.createOrFold<arith::AddIOp>(
        createSlot(b, chunk, input.firstPiece, getStorageBytes(type)),
        b.createOrFold<arith::AddIOp>(
            mulConstant(b, b.createOrFold<arith::AddIOp>(lanes.index, from),
                        input.rowElements),
            scanLane));
    for (int64_t step = 0; step < count; step += lanes.count)
      elements.push_back(
          unpackElements(
              b,
              loadSharedParts(b, type, buffer,
                              addConstant(b, first, step * input.rowElements),
                              1),
              type)
              .front());
  }
  return elements;
}

Elements SplitStatesTiles::readParts(ImplicitLocOpBuilder &b, Value chunk,
                                     Value step) {
  Elements elements;
  for (const StateTiles::Input &input : tiles.inputs) {
    if (!hasParts(input))
      continue;
    Type type = frame.getInputs()[input.number].elementType;
    int64_t own = input.rowElements / lanes.count;
    int64_t bytes = own * getStorageBytes(type);
    // Accesses of at most 16 bytes.
    int64_t count = own / std::max<int64_t>(1, bytes / kMaxVectorBytes);
    Value buffer = getBuffer(b, type);
    Value first = b.createOrFold<arith::AddIOp>(
        b.createOrFold<arith::AddIOp>(
            createSlot(b, chunk, input.firstPiece, getStorageBytes(type)),
            mulConstant(b, lanes.index, own)),
        mulConstant(b, step, input.rowElements));
    for (int64_t i = 0; i < own; i += count)
      llvm::append_range(
          elements,
          unpackElements(
              b,
              loadSharedParts(b, type, buffer, addConstant(b, first, i), count),
              type));
  }
  return elements;
}
