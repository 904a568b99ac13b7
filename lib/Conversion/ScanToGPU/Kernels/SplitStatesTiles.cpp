//===- SplitStatesTiles.cpp - Chunks in shared memory ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitStatesTiles.h"
#include "../../GPUCommon/Emit.h"
#include "../Primitives/PackedAccess.h"
#include "IR/KernelParts.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::scan;

using Elements = SmallVector<Value>;

SplitStatesTiles::SplitStatesTiles(
    ImplicitLocOpBuilder &b, KernelFrame &frame, StateTiles tiles,
    const LaneGroup &lanes, Value scanLane, Value warp,
    function_ref<ArrayRef<Value>(unsigned)> getInvariant)
    : frame(frame), tiles(std::move(tiles)), lanes(lanes), scanLane(scanLane),
      warp(warp), lane(b.createOrFold<arith::AddIOp>(
                      mulConstant(b, lanes.index, lanes.stride), scanLane)),
      bytes(frame.addSharedBuffer(this->tiles.bytes, b.getI8Type())) {
  for (const StateTiles::Input &input : this->tiles.inputs) {
    const OperandView &view = frame.getInputs()[input.number];
    pointers.push_back(GlobalPointer::get(b, view.value));
    boundaries.emplace_back();
    if (view.shift != 0)
      boundaries.back() = llvm::to_vector(getInvariant(view.boundary));
  }
}

Value SplitStatesTiles::createHasRows(ImplicitLocOpBuilder &b) {
  Value rest = b.createOrFold<arith::RemUIOp>(frame.getInnerExtent(b),
                                              indexConstant(b, lanes.stride));
  Value all = compare(b, arith::CmpIPredicate::eq, rest, 0);
  for (auto [input, pointer] : llvm::zip_equal(tiles.inputs, pointers)) {
    if (input.isOfStep())
      continue;
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
  stepPointers.clear();
  // The address of an input at index 0 of the first scan, and the bytes from
  // one index to the next.
  auto getRow = [&](const StateTiles::Input &input,
                    const GlobalPointer &global) {
    const OperandView &view = frame.getInputs()[input.number];
    Elements trailing(view.trailing.size(), indexConstant(b, 0));
    Value row = global.createAddress(
        b, global.createOffset(b, getElementIndices(b, view, first, trailing)));
    return std::pair(
        row, mulConstant(b, global.strides[*view.findDim(kernel.getDim())],
                         getStorageBytes(view.elementType)));
  };
  for (auto [input, global] : llvm::zip_equal(tiles.inputs, pointers))
    if (input.isOfStep())
      stepPointers.push_back(getRow(input, global));
  bool areShifted = llvm::any_of(
      boundaries, [](ArrayRef<Value> boundary) { return !boundary.empty(); });
  for (int64_t round = 0; round < getRounds(); ++round) {
    Value number = addConstant(b, lane, round * kWarpSize);
    Piece piece;
    for (auto [input, global] : llvm::zip_equal(tiles.inputs, pointers)) {
      if (input.isOfStep())
        continue;
      const OperandView &view = frame.getInputs()[input.number];
      Value own = addConstant(b, number, -input.firstPiece);
      Value rowPieces = indexConstant(b, input.rowPieces);
      Value step = b.createOrFold<arith::DivUIOp>(own, rowPieces);
      Value inRow =
          mulConstant(b, b.createOrFold<arith::RemUIOp>(own, rowPieces),
                      StateTiles::kPieceBytes);
      auto [row, indexBytes] = getRow(input, global);
      Piece ofInput = {offsetPointer(b, row, inRow), indexBytes, step,
                       areShifted ? indexConstant(b, view.shift) : Value()};
      if (!piece.pointer) {
        piece = ofInput;
        continue;
      }
      Value isInput = compare(b, arith::CmpIPredicate::ult, own,
                              input.rowPieces * getSteps());
      auto select = [&](Value &one, Value other) {
        one = b.createOrFold<arith::SelectOp>(isInput, other, one);
      };
      select(piece.pointer, ofInput.pointer);
      select(piece.indexBytes, ofInput.indexBytes);
      select(piece.step, ofInput.step);
      if (areShifted)
        select(piece.shift, ofInput.shift);
    }
    // Lanes without a piece load that of the first one again.
    piece.step = b.createOrFold<arith::MinUIOp>(
        piece.step, indexConstant(b, getSteps() - 1));
    pieces.push_back(piece);
  }
}

bool SplitStatesTiles::isUsed(const StateTiles::Input &input) const {
  if (!onlyLoaded)
    return true;
  KernelOp kernel = frame.getKernel();
  return llvm::any_of(getInputArguments(kernel, kernel.getLoad())[input.number],
                      [](Value argument) { return !argument.use_empty(); });
}

/// Whether lanes load anything that is used in round number `round`.
bool SplitStatesTiles::isRoundUsed(int64_t round) const {
  return llvm::any_of(tiles.inputs, [&](const StateTiles::Input &input) {
    int64_t end = input.firstPiece + input.rowPieces * getSteps();
    return !input.isOfStep() && isUsed(input) &&
           input.firstPiece < (round + 1) * kWarpSize &&
           end > round * kWarpSize;
  });
}

Elements SplitStatesTiles::load(ImplicitLocOpBuilder &b, Value t) const {
  Elements loaded;
  for (auto [round, piece] : llvm::enumerate(pieces)) {
    if (!isRoundUsed(round))
      continue;
    Value index =
        frame.createIndex(b, b.createOrFold<arith::AddIOp>(t, piece.step));
    if (piece.shift) {
      // Out of bounds, whatever there is: readOwned does not take it.
      Value moved = b.createOrFold<arith::SubIOp>(index, piece.shift);
      Value inBounds = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult,
                                                     moved, frame.getExtent());
      index = b.createOrFold<arith::SelectOp>(inBounds, moved, index);
    }
    Value address =
        offsetPointer(b, piece.pointer,
                      b.createOrFold<arith::MulIOp>(index, piece.indexBytes));
    loaded.push_back(loadParts(b, b.getI32Type(), address,
                               StateTiles::kPieceBytes / sizeof(int32_t)));
  }
  return loaded;
}

Elements SplitStatesTiles::loadOfSteps(ImplicitLocOpBuilder &b, Value t) const {
  Elements loaded;
  const auto *pointer = stepPointers.begin();
  for (const StateTiles::Input &input : tiles.inputs) {
    if (!input.isOfStep())
      continue;
    Value own = b.createOrFold<arith::AddIOp>(t, lanes.index);
    for (int64_t step = 0; step < getSteps(); step += lanes.count)
      loaded.push_back(
          loadElement(b, input.stored,
                      offsetPointer(b, pointer->first,
                                    b.createOrFold<arith::MulIOp>(
                                        frame.createIndex(b, own, step),
                                        pointer->second))));
    ++pointer;
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
          mulConstant(b, slot, tiles.slotPieces * pieceBytes / unit)),
      piece * pieceBytes / unit);
}

/// The elements of `piece`, of type `type`, in f32.
static Elements extendPiece(ImplicitLocOpBuilder &b, Value piece, Type type) {
  auto access =
      PackedAccess::get(type, StateTiles::kPieceBytes / getStorageBytes(type));
  Elements extended;
  for (Value element :
       unpackWords(b, access, unpackElements(b, piece, access.word)))
    extended.push_back(arith::ExtFOp::create(b, b.getF32Type(), element));
  return extended;
}

void SplitStatesTiles::store(ImplicitLocOpBuilder &b, ValueRange loaded,
                             Value chunk) {
  constexpr int64_t words = StateTiles::kPieceBytes / sizeof(int32_t);
  Type word = b.getI32Type();
  Value first = createSlot(b, chunk, /*piece=*/0, sizeof(int32_t));
  for (int64_t round = 0; round < getRounds(); ++round) {
    if (!isRoundUsed(round))
      continue;
    Value piece = loaded.front();
    loaded = loaded.drop_front();
    int64_t firstOfRound = round * kWarpSize;
    Value number = addConstant(b, lane, firstOfRound);
    // The runs of inputs that are stored alike.
    for (const StateTiles::Run &run : tiles.runs) {
      int64_t end = run.firstPiece + run.pieces;
      if (end <= firstOfRound || run.firstPiece >= firstOfRound + kWarpSize)
        continue;
      Value own = addConstant(b, number, -run.firstPiece);
      bool isWhole = run.firstPiece <= firstOfRound &&
                     (run.extended || end >= firstOfRound + kWarpSize);
      Type stored = word;
      SmallVector<Value> pieces = {piece};
      if (run.extended) {
        stored = b.getF32Type();
        Elements extended = extendPiece(b, piece, run.extended);
        pieces.clear();
        for (int64_t i = 0; i < run.scale; ++i)
          pieces.push_back(
              packElements(b, ValueRange(extended).slice(i * words, words)));
      }
      createIf(
          b,
          isWhole ? Value()
                  : compare(b, arith::CmpIPredicate::ult, own, run.pieces),
          [&](ImplicitLocOpBuilder &inner) {
            Value slot = inner.createOrFold<arith::AddIOp>(
                first,
                addConstant(inner, mulConstant(inner, own, words * run.scale),
                            run.firstSlotPiece * words));
            for (auto [i, part] : llvm::enumerate(pieces))
              storeSharedParts(inner, part, stored, getBuffer(inner, stored),
                               addConstant(inner, slot, i * words), words);
          });
    }
  }
}

Elements SplitStatesTiles::readOwned(ImplicitLocOpBuilder &b, Value chunk,
                                     Value t, ValueRange ofSteps) {
  Elements elements;
  for (auto [input, boundary] : llvm::zip_equal(tiles.inputs, boundaries)) {
    if (hasParts(input))
      continue;
    if (input.isOfStep()) {
      size_t count = llvm::divideCeil(getSteps(), lanes.count);
      llvm::append_range(elements, ofSteps.take_front(count));
      ofSteps = ofSteps.drop_front(count);
      continue;
    }
    const OperandView &view = frame.getInputs()[input.number];
    Type type = view.elementType;
    if (!isUsed(input)) {
      elements.append(llvm::divideCeil(getSteps(), lanes.count),
                      createZero(b, type));
      continue;
    }
    Value buffer = getBuffer(b, type);
    Value first = b.createOrFold<arith::AddIOp>(
        createSlot(b, chunk, input.firstSlotPiece, getStorageBytes(type)),
        b.createOrFold<arith::AddIOp>(
            mulConstant(b, lanes.index, input.rowElements), scanLane));
    for (int64_t step = 0; step < getSteps(); step += lanes.count) {
      Elements element = unpackElements(
          b,
          loadSharedParts(b, type, buffer,
                          addConstant(b, first, step * input.rowElements), 1),
          type);
      if (!boundary.empty()) {
        Value own = b.createOrFold<arith::AddIOp>(t, lanes.index);
        Value index = frame.createIndex(b, own, step);
        Value inBounds =
            createShiftedIndex(b, view, index, frame.getExtent()).inBounds;
        element = mlir::scan::selectInBounds(b, inBounds, element, boundary);
      }
      elements.push_back(element.front());
    }
  }
  return elements;
}

Elements SplitStatesTiles::readParts(ImplicitLocOpBuilder &b, Value chunk,
                                     int64_t step) {
  Elements elements;
  for (const StateTiles::Input &input : tiles.inputs) {
    if (!hasParts(input))
      continue;
    Type type = input.stored;
    int64_t own = input.rowElements / lanes.count;
    if (!isUsed(input)) {
      elements.append(own, createZero(b, type));
      continue;
    }
    int64_t bytes = own * getStorageBytes(type);
    // Accesses of at most 16 bytes.
    int64_t count = own / std::max<int64_t>(1, bytes / kMaxVectorBytes);
    Value buffer = getBuffer(b, type);
    Value first = addConstant(
        b,
        b.createOrFold<arith::AddIOp>(
            createSlot(b, chunk, input.firstSlotPiece, getStorageBytes(type)),
            mulConstant(b, lanes.index, own)),
        step * input.rowElements);
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
