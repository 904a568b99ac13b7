//===- ScanKernel.td - The op that backends read -----------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_IR_SCANKERNEL_TD
#define SCAN_IR_SCANKERNEL_TD

include "Scan/IR/ScanBase.td"

//===----------------------------------------------------------------------===//
// scan.kernel
//===----------------------------------------------------------------------===//

def Scan_KernelOp : Scan_Op<"kernel", [
    AttrSizedOperandSegments, IsolatedFromAbove,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<RegionBranchOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>]> {
  let summary = "the canonical scan: load-map, combine, store-map";
  let description = [{
    The one op that the backends read; `--scan-normalize` makes it from the
    graph-level ops, and fusion grows its maps. It works on tensors, or on
    memrefs after bufferization, in destination-passing style.

    The *domain* of a kernel is a rectangle of index points `d0, d1, ...`, one of
    whose dimensions, `dim`, is scanned. For every point outside `dim`
    independently, with `L` leaves:

    ```
    state = initialize(init elements)                  if there is an init
    for t along dim (backwards with `reverse`):
      new       = load(input elements at t)            L leaves
      exclusive = state
      inclusive = combine(state, new)                  new itself at the first
                                                       step without an init
      output elements at t = store(inclusive, exclusive, input elements at t)
      state     = inclusive
    final elements = finalize(state)
    ```

    Every operand has an indexing map from the domain to its own dimensions, as
    in `linalg.generic`; the maps are listed in the order of operands: inputs,
    inits, outputs, finals. Each result of a map is a domain dimension or the
    constant 0 (a broadcast extent of 1). An operand that has more dimensions
    than its map has results has static *trailing* dimensions: it contributes
    all the elements of its trailing block, in row-major order, as so many
    values to its region. Scalar operands have a map without results and
    contribute one value.

    An output whose map leaves dimensions of the domain out is a *reduction output*: its elements
    are what they were plus all that `store` yields for them, over all points along
    these dimensions, added up in any order. (All other outputs are written without
    being read.) So gradients of parameters are summed up over the batch and over
    time where they come into being. A reduction output shares no memory with another operand.

    An output whose map has the constant 0 in place of `dim` is *scattered*: along this
    dimension, which has the extent of the scan dimension, a step writes where `store`
    says. Behind the elements of all outputs it yields an `index` for each scattered
    output, in their order, the *place*. A negative place counts from the end; outside of
    the extent nothing is written. Elements that no step writes stay what they were. No
    two steps of a walk may have the same place: which of them is written last is not
    said. A scattered output shares no memory with another operand.

    An input may be *shifted* along the scan dimension. The attributes `shifts`
    and `boundaries` then have one entry per input: an input whose shift s is
    not 0 contributes at step t its elements at t - s, and where that is outside
    of the scan dimension's extent, the elements of the input whose number its
    entry of `boundaries` is. An input that is not shifted has the entries 0 and
    -1. A shifted input must not share memory with an output.

    An input may be a list of *segment offsets* instead: with `segment_offsets[i]` set, input `i` is
    the offsets that split the steps along `dim` into segments, a list that does
    not decrease and has an extent of its own, under a map to the constant 0. It
    contributes an `i1`: whether a walk starts anew at step t, as `scan.head_flags` of
    this list and the kernel's direction says, also of a list that does not cover all steps. So packed sequences need no flags in memory.

    An input may be *gathered* along the scan dimension: with `gathers[i]` = j, not -1, its
    map has the constant 0 in place of `dim`, where it has an extent of its own, and at
    step t it contributes its elements at the *place* that input j is there, an integer.
    Where that is outside of the extent, it contributes zeros, and nothing is read. So
    packed sequences read one init per segment where the segment starts, and nowhere else.

    Regions see scalars only:

    *   `load`: one argument per input element; yields the L leaves.
    *   `initialize`: one argument per init element; yields the L leaves, or
        nothing (and is not printed) if the kernel has no init.
    *   `combine`: the L leaves so far, then the L new ones; yields L leaves.
    *   `store`: L inclusive leaves, L exclusive leaves (not to be used in a
        kernel without init), the input elements; yields one value per output
        element, then the places of scattered outputs.
    *   `finalize`: the L leaves; yields one value per final element. Not
        printed if the kernel has no finals.

    Where in the domain they are, `scan.index` tells all regions but `combine`.

    With the attribute `bidirectional = K` the kernel is *bidirectional*: its last K leaves are
    scanned from the last element to the first (with `reverse`, from the first to
    the last), as by a second kernel over the same inputs. `combine` must not mix
    the two groups of leaves; `store` may, and sees at step t what either scan has
    there. So two scans share their inputs, and what follows both is computed
    where both are known; `--scan-bidirectional` makes such kernels where
    a lowering reads these inputs once. An output of such a kernel must not share
    memory with an input.

    The types of the leaves are the types to accumulate in. The state before the
    first step of an empty scan without init is zero.

    ```mlir
    func.func @cumsum(%x: tensor<?x8xbf16>, %y: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
      %0 = scan.kernel dim = 0
          ins(%x : tensor<?x8xbf16>) outs(%y : tensor<?x8xbf16>)
          maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
          load {
          ^bb0(%e: bf16):
            %l = arith.extf %e : bf16 to f32
            scan.yield %l : f32
          } combine {
          ^bb0(%acc: f32, %new: f32):
            %s = arith.addf %acc, %new : f32
            scan.yield %s : f32
          } store {
          ^bb0(%inclusive: f32, %exclusive: f32, %e: bf16):
            %r = arith.truncf %inclusive : f32 to bf16
            scan.yield %r : bf16
          } -> tensor<?x8xbf16>
      return %0 : tensor<?x8xbf16>
    }
    ```

    On memrefs there are no results:

    ```mlir
    func.func @cumsum_memref(%x: memref<?xf32>, %y: memref<?xf32>) {
      scan.kernel dim = 0 reverse
          ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
          maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
          load {
          ^bb0(%e: f32):
            scan.yield %e : f32
          } combine {
          ^bb0(%acc: f32, %new: f32):
            %s = arith.addf %acc, %new : f32
            scan.yield %s : f32
          } store {
          ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
            scan.yield %inclusive : f32
          }
      return
    }
    ```

    The product of each new element and the one before it, a boundary value at
    the first step, summed up:

    ```mlir
    func.func @autocorrelation(%x: tensor<?xf32>, %before: f32, %y: tensor<?xf32>) -> tensor<?xf32> {
      %0 = scan.kernel dim = 0
          ins(%x, %x, %before : tensor<?xf32>, tensor<?xf32>, f32) outs(%y : tensor<?xf32>)
          maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>,
                affine_map<(d0) -> (d0)>]
          attributes {boundaries = array<i64: -1, 2, -1>, shifts = array<i64: 0, 1, 0>}
          load {
          ^bb0(%e: f32, %previous: f32, %b: f32):
            %l = arith.mulf %e, %previous : f32
            scan.yield %l : f32
          } combine {
          ^bb0(%acc: f32, %new: f32):
            %s = arith.addf %acc, %new : f32
            scan.yield %s : f32
          } store {
          ^bb0(%inclusive: f32, %exclusive: f32, %e: f32, %previous: f32, %b: f32):
            scan.yield %inclusive : f32
          } -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }
    ```

    The gradient of one decay per channel, added onto what is there:

    ```mlir
    func.func @decay_gradient(%a: tensor<?xf32>, %dh: tensor<?x?x?xf32>, %h: tensor<?x?x?xf32>, %da: tensor<?xf32>)
        -> tensor<?xf32> {
      %0 = scan.kernel dim = 1 reverse
          ins(%a, %dh, %h : tensor<?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%da : tensor<?xf32>)
          maps [affine_map<(b, t, c) -> (c)>, affine_map<(b, t, c) -> (b, t, c)>,
                affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (c)>]
          load {
          ^bb0(%x: f32, %dy: f32, %s: f32):
            %ady = arith.mulf %x, %dy : f32
            scan.yield %x, %ady : f32, f32
          } combine {
          ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
            %a2 = arith.mulf %a1, %a0 : f32
            %p = arith.mulf %a1, %b0 : f32
            %b2 = arith.addf %p, %b1 : f32
            scan.yield %a2, %b2 : f32, f32
          } store {
          ^bb0(%a0: f32, %u: f32, %e0: f32, %e1: f32, %x: f32, %dy: f32, %s: f32):
            %g = arith.mulf %u, %s : f32
            scan.yield %g : f32
          } -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }
    ```

    The elements with a flag, one after the other, in front of what `%y` had:

    ```mlir
    func.func @compact(%flag: tensor<?xi1>, %x: tensor<?xf32>, %none: i64, %y: tensor<?xf32>) -> tensor<?xf32> {
      %0 = scan.kernel dim = 0
          ins(%flag, %x : tensor<?xi1>, tensor<?xf32>) init(%none : i64) outs(%y : tensor<?xf32>)
          maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (0)>]
          load {
          ^bb0(%f: i1, %e: f32):
            %l = arith.extui %f : i1 to i64
            scan.yield %l : i64
          } initialize {
          ^bb0(%n: i64):
            scan.yield %n : i64
          } combine {
          ^bb0(%acc: i64, %new: i64):
            %s = arith.addi %acc, %new : i64
            scan.yield %s : i64
          } store {
          ^bb0(%inclusive: i64, %before: i64, %f: i1, %e: f32):
            %nowhere = arith.constant 0x7fffffffffffffff : index
            %i = arith.index_cast %before : i64 to index
            %place = arith.select %f, %i, %nowhere : index
            scan.yield %e, %place : f32, index
          } -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }
    ```

    The sum of all elements up to each one, and of all from each one on, and their
    product:

    ```mlir
    func.func @sums_from_both_ends(%x: tensor<512xf32>, %y: tensor<512xf32>)
        -> (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) {
      %0:3 = scan.kernel dim = 0
          ins(%x : tensor<512xf32>) outs(%y, %y, %y : tensor<512xf32>, tensor<512xf32>, tensor<512xf32>)
          maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>,
                affine_map<(d0) -> (d0)>]
          attributes {bidirectional = 1 : i64}
          load {
          ^bb0(%e: f32):
            scan.yield %e, %e : f32, f32
          } combine {
          ^bb0(%acc0: f32, %acc1: f32, %new0: f32, %new1: f32):
            %s0 = arith.addf %acc0, %new0 : f32
            %s1 = arith.addf %acc1, %new1 : f32
            scan.yield %s0, %s1 : f32, f32
          } store {
          ^bb0(%up_to: f32, %from: f32, %before: f32, %behind: f32, %e: f32):
            %p = arith.mulf %up_to, %from : f32
            scan.yield %up_to, %from, %p : f32, f32, f32
          } -> tensor<512xf32>, tensor<512xf32>, tensor<512xf32>
      return %0#0, %0#1, %0#2 : tensor<512xf32>, tensor<512xf32>, tensor<512xf32>
    }
    ```

    Constraints:

    *   (C1) Shaped operands are all ranked tensors or all memrefs; outputs and
        finals are shaped; element types are supported ones.
    *   (C2) There is one indexing map per operand, all from the same domain and
        without symbols; each map result is a domain dimension, used once, or
        the constant 0; the maps of finals have no constants, and those of outputs
        only as C24 says.
    *   (C3) A map has at most as many results as its operand has dimensions;
        further dimensions are static, 1024 elements at most.
    *   (C4) Each domain dimension occurs in the map of some shaped operand, and
        the static extents that belong to one domain dimension are equal; a
        dimension under the constant 0 has extent 1, but for a list of segment offsets and a
        gathered input.
    *   (C5) `dim` is a dimension of the domain; the map of every final covers all
        dimensions but `dim`, and no map of an init uses `dim`.
    *   (C6) There are 1 to 4096 leaves, and at least one output or final.
    *   (C7) `initialize` and `finalize` are written exactly if there are inits
        and finals.
    *   (C8) The arguments and yields of each region are as listed above.
    *   (C9) Without an init the exclusive arguments of `store` are unused.
    *   (C10) No region has memory effects.
    *   (C11) Tensors: one result per output and final, of its type. Memrefs: no
        results.
    *   (C12) `order = sequential` excludes a schedule other than `sequential`, or
        `row` with as many rows as threads.
    *   (C13) No region uses a value from outside.
    *   (C14) `shifts` and `boundaries` are both there or both missing, and have
        one entry per input.
    *   (C15) The map of a shifted input uses `dim`. Its boundary is the number
        of an input; that of an input that is not shifted is -1.
    *   (C16) A boundary has the element type of its input and as many elements,
        or is a scalar; it is not shifted, and its map does not use `dim`.
    *   (C17) `bidirectional` is at least 1 and less than the number of leaves.
    *   (C18) With `bidirectional`, what `combine` yields for a leaf depends on
        arguments of leaves of the same direction only.
    *   (C19) With `bidirectional`, the elements of one final depend on leaves of one
        direction only.
    *   (C20) A reduction output, whose map leaves out dimensions of the domain, has
        elements of type `f32`, `f64`, `complex` of these, `i32` or `i64`.
    *   (C21) `order = sequential` and `order = deterministic` exclude reduction outputs of
        floating-point and complex numbers.
    *   (C22) `segment_offsets` has one entry per input, and excludes `bidirectional`.
    *   (C23) A list of segment offsets is of rank 1, of type `i32`, `i64` or `index`; its
        map has the constant 0 as its only result; it is not shifted and no boundary.
    *   (C24) The map of a scattered output has all dimensions of the domain, but the
        constant 0 in place of `dim`; its extent there is that of the scan dimension. It
        excludes `bidirectional`.
    *   (C25) `gathers` has one entry per input, which is -1 or the number of an input,
        and excludes `bidirectional`.
    *   (C26) The map of a gathered input has the constant 0 once, and not `dim`; the
        input is a tensor or memref, not shifted, no boundary and no list of segment
        offsets.
    *   (C27) Places are of type `i32` or `i64`, one element at a point, and not
        shifted, gathered or a list of segment offsets.
  }];

  let arguments = (ins
    Variadic<AnyType>:$inputs,
    Variadic<AnyType>:$inits,
    Variadic<AnyType>:$outputs,
    Variadic<AnyType>:$finals,
    I64Attr:$dim,
    UnitAttr:$reverse,
    AffineMapArrayAttr:$indexing_maps,
    OptionalAttr<Scan_OrderAttr>:$order,
    OptionalAttr<Scan_ScheduleAttr>:$schedule,
    OptionalAttr<DenseI64ArrayAttr>:$shifts,
    OptionalAttr<DenseI64ArrayAttr>:$boundaries,
    OptionalAttr<I64Attr>:$bidirectional,
    OptionalAttr<DenseBoolArrayAttr>:$segment_offsets,
    OptionalAttr<DenseI64ArrayAttr>:$gathers
  );
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region
    SizedRegion<1>:$load,
    SizedRegion<1>:$initialize,
    SizedRegion<1>:$combine,
    SizedRegion<1>:$store,
    SizedRegion<1>:$finalize
  );

  let builders = [
    // A kernel none of whose inputs is shifted, with one direction.
    OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::ValueRange":$inputs,
      "::mlir::ValueRange":$inits, "::mlir::ValueRange":$outputs,
      "::mlir::ValueRange":$finals, "::mlir::IntegerAttr":$dim,
      "::mlir::UnitAttr":$reverse, "::mlir::ArrayAttr":$indexing_maps,
      "::mlir::scan::OrderAttr":$order, "::mlir::scan::ScheduleAttr":$schedule), [{
      build($_builder, $_state, results, inputs, inits, outputs, finals, dim,
            reverse, indexing_maps, order, schedule,
            /*shifts=*/::mlir::DenseI64ArrayAttr(),
            /*boundaries=*/::mlir::DenseI64ArrayAttr(),
            /*bidirectional=*/::mlir::IntegerAttr(),
            /*segment_offsets=*/::mlir::DenseBoolArrayAttr(),
            /*gathers=*/::mlir::DenseI64ArrayAttr());
    }]>
  ];

  let hasCustomAssemblyFormat = 1;
  // Which keeps the positions of properties when one gets another name.
  let useCustomPropertiesEncoding = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The number of dimensions of the domain.
    unsigned getDomainRank() {
      return ::llvm::cast<::mlir::AffineMapAttr>(getIndexingMaps()[0])
          .getValue().getNumDims();
    }
    /// L: how many values are carried from step to step.
    unsigned getNumLeaves() {
      return getCombine().front().getNumArguments() / 2;
    }
    /// The types that the leaves accumulate in; scalars.
    ::mlir::TypeRange getLeafTypes() {
      return ::mlir::TypeRange(getCombine().front().getArgumentTypes())
          .take_front(getNumLeaves());
    }
    bool hasInit() { return !getInits().empty(); }

    /// How many of the leaves, the last ones, are scanned in the direction
    /// opposite to the kernel's.
    unsigned getNumOpposite() { return getBidirectional().value_or(0); }
    /// True if some are: the kernel scans forward and in reverse.
    bool isBidirectional() { return getNumOpposite() != 0; }
    bool isOpposite(unsigned leaf) {
      return leaf + getNumOpposite() >= getNumLeaves();
    }
    /// In which direction the leaves are scanned that a value is computed from: the
    /// same as the kernel (or it depends on no leaf), the opposite one, or both.
    enum class Direction { Same, Opposite, Both };
    /// For each output, and for each final, which is never of both.
    ::llvm::SmallVector<Direction> getOutputDirections();
    ::llvm::SmallVector<Direction> getFinalDirections();

    /// Gives `initialize` and `finalize` of a kernel without inits or finals
    /// their empty bodies. Builders of kernels call it last.
    void addEmptyMaps(::mlir::OpBuilder &builder);

    /// The indexing map of the operand.
    ::mlir::AffineMap getIndexingMap(::mlir::OpOperand &operand);
    /// The indexing maps of one operand group, in order.
    ::llvm::SmallVector<::mlir::AffineMap> getInputMaps();
    ::llvm::SmallVector<::mlir::AffineMap> getInitMaps();
    ::llvm::SmallVector<::mlir::AffineMap> getOutputMaps();
    ::llvm::SmallVector<::mlir::AffineMap> getFinalMaps();

    /// True if output number `output` is a reduction: its map leaves out dimensions of
    /// the domain.
    bool isReduction(unsigned output);
    /// True if some output is one.
    bool hasReductions();

    /// By how many steps input number `input` is shifted; 0 if it is not.
    int64_t getShift(unsigned input) {
      std::optional<::llvm::ArrayRef<int64_t>> shifts = getShifts();
      return shifts ? (*shifts)[input] : 0;
    }
    /// The number of the input that a shifted input continues with outside of
    /// the extent; -1 for an input that is not shifted.
    int64_t getBoundary(unsigned input) {
      std::optional<::llvm::ArrayRef<int64_t>> inputs = getBoundaries();
      return inputs ? (*inputs)[input] : -1;
    }
    /// True if input number `input` is the boundary of a shifted one: it is
    /// then needed even if no region looks at its elements.
    bool isBoundary(unsigned input) {
      std::optional<::llvm::ArrayRef<int64_t>> inputs = getBoundaries();
      return inputs &&
             ::llvm::is_contained(*inputs, static_cast<int64_t>(input));
    }
    /// Writes both attributes, or neither where nothing is shifted.
    void setInputShifts(::llvm::ArrayRef<int64_t> shifts,
                        ::llvm::ArrayRef<int64_t> boundaries);

    /// True if input number `input` is a list of segment offsets.
    bool isSegmentOffsets(unsigned input) {
      std::optional<::llvm::ArrayRef<bool>> offsets = getSegmentOffsets();
      return offsets && (*offsets)[input];
    }
    /// True if some input is a list of segment offsets.
    bool hasSegmentOffsets() { return getSegmentOffsets().has_value(); }
    /// Writes the attribute, or none where no input is a list of segment offsets.
    void setInputSegmentOffsets(::llvm::ArrayRef<bool> inputs);

    /// The number of the input that holds the places of input number `input`; -1
    /// if that is not gathered.
    int64_t getPlacesInput(unsigned input) {
      std::optional<::llvm::ArrayRef<int64_t>> places = getGathers();
      return places ? (*places)[input] : -1;
    }
    /// True if input number `input` is gathered.
    bool isGathered(unsigned input) { return getPlacesInput(input) >= 0; }
    /// True if input number `input` holds the places of a gathered one: it is then
    /// needed even if no region looks at its elements.
    bool isPlaces(unsigned input) {
      std::optional<::llvm::ArrayRef<int64_t>> places = getGathers();
      return places &&
             ::llvm::is_contained(*places, static_cast<int64_t>(input));
    }
    /// True if some input is gathered.
    bool hasGathered() { return getGathers().has_value(); }
    /// The dimension of a gathered input, under the map `map`, that places are
    /// along.
    static unsigned getGatheredDim(::mlir::AffineMap map);
    /// Writes the attribute, or none where no input is gathered.
    void setInputGathers(::llvm::ArrayRef<int64_t> places);

    /// The types of all elements that the inputs contribute, in their order.
    ::llvm::SmallVector<::mlir::Type> getInputElementTypes();

    /// The static trailing shape of `operand` under `map`: the dimensions that
    /// the map does not index. Empty for most operands and for scalars.
    static ::llvm::ArrayRef<int64_t> getTrailingShape(::mlir::Value operand,
                                                      ::mlir::AffineMap map);
    /// How many scalars `operand` contributes to its region.
    static int64_t getNumElements(::mlir::Value operand, ::mlir::AffineMap map);

    /// Extents of the domain; `ShapedType::kDynamic` where no operand says.
    ::llvm::SmallVector<int64_t> getStaticDomainShape();
    /// Extents of the domain, dynamic ones as `tensor.dim` or `memref.dim` of
    /// the first operand that has the dimension.
    ::llvm::SmallVector<::mlir::OpFoldResult>
    getDomainSizes(::mlir::OpBuilder &builder, ::mlir::Location loc);
    /// The operand and its dimension that define extent `d` of the domain.
    std::pair<::mlir::OpOperand *, unsigned> getDomainDimSource(unsigned d);

    bool hasPureTensorSemantics();
    bool hasPureBufferSemantics();

    /// For each leaf: whether a sequential walk has to carry its accumulated
    /// value from step to step, because an exclusive value, a final or the
    /// combine step of another needed leaf reads it. The product of the `a`s
    /// of a linear recurrence, for one, is not carried.
    ::llvm::SmallVector<bool> getCarriedLeaves();
    /// The same for a walk that reassociates (a tree): the leaves whose values,
    /// accumulated or new, reach an output or a final at all.
    ::llvm::SmallVector<bool> getLiveLeaves();
  }];
}

#endif // SCAN_IR_SCANKERNEL_TD
