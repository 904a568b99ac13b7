//===- Fusion.td - What kernels are fused with -------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMS_PASSES_FUSION_TD
#define SCAN_TRANSFORMS_PASSES_FUSION_TD

include "mlir/Pass/PassBase.td"

def ScanFuseElementwise : Pass<"scan-fuse-elementwise"> {
  let summary = "grow the maps of scan.kernel by the elementwise code around it";
  let description = [{
    Inlines elementwise producers of a kernel's inputs and inits into `load` and
    `initialize`, and elementwise consumers and reductions of its outputs into
    `store`, until nothing changes. What was read and written between them is then neither.

    *Elementwise* is every operation that computes each element of its result
    from at most one element of each operand at permuted or repeated indices:
    structured `linalg` operations whose iterators are all parallel
    (`linalg.generic`, `map`, `fill`, `broadcast`, `transpose`, named
    elementwise ones), elementwise `arith`, `math` and `complex` operations on
    tensors, `tensor.splat`, `tensor.cast`, splat constants, and reshapes that
    only add or remove extents of 1. A `tensor.extract_slice` of what such an
    operation computes becomes the operation on slices, if nothing else needs
    the result: a slice of an argument is a view, which a kernel reads in place.

    *Reductions* of outputs or final states over static dimensions (structured
    `linalg` operations: `linalg.reduce`, `generic`, `contract`, matrix products)
    go into `store` and `finalize`, too. If the dimension is one of the kernel's
    domain, the kernel is *unrolled* over it: the dimension leaves the domain and
    becomes a trailing dimension of operands, or one slice per element of inputs
    that do not have it last; there are as many leaves for each leaf of before.
    What else is inlined into an unrolled kernel is read the same way, in 64 slices
    at most. Elements are added up in the order of the loops; if the scan has
    no `order` or `any`, who lowers the kernel may add them up in another one, and
    round a product together with the sum (`reassoc`, `contract`). The leaves of a point
    may take `max-state-bytes` then, and a step `max-registers` for its states and for
    what it reads and writes. A schedule that the kernel has, it keeps: if the leaves
    then need more shared memory than there is, `--scan-assign-schedule` says so.

    A `scan.shift` of an input along the scan dimension makes it a shifted input.
    So does what programs write instead, where it has the extents of the tensor
    that it moves: a slice of a padded tensor (`tensor.pad`, or `tensor.concat`
    with one constant), and initial elements joined with all but as many others.
    A convolution that reads at most eight steps of a padded tensor
    (`linalg.depthwise_conv_1d_nwc_wc`, `linalg.depthwise_conv_1d_ncw_cw`, or any
    operation that reads at `t + k`, possibly dilated, and reduces `k` only) is so
    many shifted inputs. A shift of what elementwise code computes for kernels
    only is that code on shifted inputs.

    Slices of trailing elements of outputs, and outputs that are put together
    there (`tensor.extract_slice`, `tensor.concat`, `tensor.insert_slice`),
    become outputs; inputs that are put together there are read one by one.
    Where the inlined code reads its loop indices (`linalg.index`), the kernel
    reads `scan.index`.

    A producer is inlined if only this kernel uses it, or if inlining makes the
    kernel read no more bytes than it does now. Expensive code (functions of
    `math` and `complex`, divisions) is inlined only if it is computed at most
    `max-recompute` times as often then. That it does not vary along the scanned
    dimension does not count: what is the same at every step can be computed once
    per walk, in front of the steps. It does for tensors of at most 64 elements, as
    a scan over so few numbers is split among many threads along time. A consumer is inlined if it lies in the kernel's
    block and needs nothing that is computed from the kernel but the kernel's own
    results; a consumer of final states reads nothing else. Consumers see through
    casts, transpositions and added extents of 1. Outputs that nobody uses any
    more disappear.

    Two kernels in one block become one, with the leaves of both, if they read
    much of the same: if neither depends on the other, they scan the same
    dimension of the same extents in the same direction, both or neither have
    initial states, their attributes (`order`, `schedule`) are equal, there are
    16 leaves at most, and what is then read once makes up a sixteenth of the
    bytes that both move (as `--scan-print-traffic` counts them). The later one
    may depend on the other by what that has stored, where `store` reads it at the
    same point and nothing else does: then it is not read, and if nobody else
    needs it, not written. If only one has initial states, the other one gets the
    identity of its operator, where each leaf is a sum, a product, a bitwise operation
    or an extremum of integers, and it has no finals.

    Before:

    ```mlir
    func.func @negated(%x: tensor<8xf32>) -> tensor<8xf32> {
      %negated = arith.negf %x : tensor<8xf32>
      %empty = tensor.empty() : tensor<8xf32>
      %sum = scan.kernel dim = 0
          ins(%negated : tensor<8xf32>) outs(%empty : tensor<8xf32>)
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
          } -> tensor<8xf32>
      %y = math.exp %sum : tensor<8xf32>
      return %y : tensor<8xf32>
    }
    ```

    After `--scan-fuse-elementwise`:

    ```mlir
    func.func @negated(%x: tensor<8xf32>) -> tensor<8xf32> {
      %empty = tensor.empty() : tensor<8xf32>
      %y = scan.kernel dim = 0
          ins(%x : tensor<8xf32>) outs(%empty : tensor<8xf32>)
          maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
          load {
          ^bb0(%e: f32):
            %n = arith.negf %e : f32
            scan.yield %n : f32
          } combine {
          ^bb0(%acc: f32, %new: f32):
            %s = arith.addf %acc, %new : f32
            scan.yield %s : f32
          } store {
          ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
            %r = math.exp %inclusive : f32
            scan.yield %r : f32
          } -> tensor<8xf32>
      return %y : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::scan::ScanDialect", "::mlir::arith::ArithDialect",
    "::mlir::complex::ComplexDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"maxStateBytes", "max-state-bytes", "int64_t", /*default=*/"256",
           "The most bytes that the leaves of one point may take after "
           "unrolling for a reduction">,
    Option<"maxRegisters", "max-registers", "int64_t", /*default=*/"0",
           "The most 32-bit registers that a step of a kernel may take, by an "
           "estimate, after unrolling for a reduction; 0: as many as it takes, "
           "as may a kernel that has a schedule">,
    Option<"maxRecompute", "max-recompute", "int64_t", /*default=*/"4",
           "How often a value of expensive code (a function of math, a "
           "division) may be computed where it was computed once">];
  let statistics = [
    Statistic<"numProducers", "producers-fused", "Producers inlined">,
    Statistic<"numConsumers", "consumers-fused",
              "Elementwise consumers inlined">,
    Statistic<"numReductions", "reductions-fused", "Reductions inlined">,
    Statistic<"numUnrolled", "kernels-unrolled",
              "Kernels unrolled for a reduction">,
    Statistic<"numSlices", "slices-moved",
              "Slices moved in front of elementwise code">,
    Statistic<"numMoves", "moves-fused",
              "Pads, concatenations, slices and convolutions along time or under "
              "a point that became reads of their own, step by step">,
    Statistic<"numKernels", "kernels-merged", "Kernels merged with another">];
}

def ScanFuseReductionOutputs : Pass<"scan-fuse-reduction-outputs"> {
  let summary = "sum results of scan.kernel up where they come into being";
  let description = [{
    A sum (`linalg.reduce`, or a structured `linalg` operation whose body adds
    something to its output) of what a kernel computes, over dimensions of the
    kernel's domain, becomes a *reduction output* of the kernel, which leaves these
    dimensions out. What was only stored to be summed up is then not stored. To
    be run after `--scan-normalize` and `--scan-fuse-elementwise`, before
    bufferization. So the backward pass of a model sums gradients of parameters up
    over batch and time.

    The terms are any elementwise function of outputs of the kernel and of tensors
    that fit the domain; over further static dimensions they are added up at each
    point, which has at most 32 of them (more are a product of matrices). Elements of `f16` and
    `bf16` are added up in `f32` and rounded
    afterwards. Since the terms are added up in any order, additions of
    floating-point and complex numbers have to be marked `fastmath<reassoc>`, as
    those that `--scan-differentiate` makes are, and the kernel must not have
    `order = deterministic` or `sequential`.

    Elementwise code and sums that read no result of the kernel, but an input of
    it that has all dimensions of the domain, become further outputs and reduction outputs
    of it: the input is read once. An elementwise result has the dimensions in the
    order of that input. What nobody else reads any more moves into the kernel, as
    by `--scan-fuse-elementwise`.

    A sum next to a kernel that stays is a missed optimisation: the remark says
    why. It is shown by `--remarks-filter-missed=scan-fuse-reduction-outputs`.

    Before:

    ```mlir
    func.func @total(%x: tensor<?x512xf32>, %y: tensor<?x512xf32>, %start: tensor<512xf32>) -> tensor<512xf32> {
      %h = scan.kernel dim = 0
          ins(%x : tensor<?x512xf32>) outs(%y : tensor<?x512xf32>)
          maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
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
          } -> tensor<?x512xf32>
      %sum = linalg.reduce { arith.addf {fastmath = #arith.fastmath<reassoc>} }
          ins(%h : tensor<?x512xf32>) outs(%start : tensor<512xf32>) dimensions = [0]
      return %sum : tensor<512xf32>
    }
    ```

    After `--scan-fuse-reduction-outputs`:

    ```mlir
    func.func @total(%x: tensor<?x512xf32>, %y: tensor<?x512xf32>, %start: tensor<512xf32>) -> tensor<512xf32> {
      %sum = scan.kernel dim = 0
          ins(%x : tensor<?x512xf32>) outs(%start : tensor<512xf32>)
          maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>]
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
          } -> tensor<512xf32>
      return %sum : tensor<512xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::scan::ScanDialect", "::mlir::arith::ArithDialect",
    "::mlir::complex::ComplexDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numReductions", "reduction-outputs-fused", "Reductions that kernels compute">,
    Statistic<"numSiblings", "siblings-fused",
              "Elementwise operations that read what a kernel reads">,
    Statistic<"numMissed", "missed", "Sums next to kernels that stay">];
}

def ScanBidirectional : Pass<"scan-bidirectional"> {
  let summary = "merge scans in opposite directions over the same input";
  let description = [{
    A forward and a reverse `scan.kernel` over the same input become one, with
    `bidirectional`, whose input is read once. So does what follows both: where the
    second one reads in `store` what the first one has computed at the same step,
    as `--scan-fuse-elementwise` leaves it of the sum of both, that is taken from
    where it is stored, and not written if nobody else needs it. To be run after
    `--scan-normalize` and `--scan-fuse-elementwise`, before bufferization.

    The two scans meet each element at opposite times. It is read once only where
    a lowering has all steps at hand, and only there are they merged:

    *   `target=gpu`: all steps fit in one tile of a block, of the strategy `row`
        where operands lie in memory along the scanned dimension, and of the
        strategy `column` where they do along another one: those of 4 to 32
        neighbouring columns. `--scan-assign-schedule` then chooses it. Neither
        kernel has `order = sequential`. A schedule that they have already has to
        hold all steps in one tile of that strategy.
    *   `target=cpu`: `--convert-scan-to-loops` walks a few rows, or a block of
        columns, forward and then in reverse, when they are in the cache; what is
        read of 128 columns is at most 4 MB. A kernel does not become part of the
        one whose results it reads.

    In both cases the extent of the scanned dimension is positive and `max-extent` at
    most; all inputs and outputs that have the dimension lie in
    memory along it, or all along one other; the kernels are in one block,
    neither needs the other but as said above, and they run over the same extents; both or neither have initial
    states; their attributes (`order`, `schedule`) are equal; there are 16 leaves
    at most; and what is not read and written any more makes up a sixteenth of
    the bytes that both move (as `--scan-print-traffic` counts them).

    With `target=gpu` the extent may be dynamic. Then the host chooses when the
    program runs: of an `scf.if`, one branch has the merged kernel, for as many steps as
    a tile holds, and the other one the two kernels, for more, which move what
    they did before. For that, destinations have to be `tensor.empty`, or a
    fill of one that nothing else uses, so that both branches write the same memory.
    Each of the three kernels has the attribute `scan.steps_range`, `array<i64: LEAST,
    MOST>` or `array<i64: LEAST>`, which promises the extents of the scanned dimension
    with which it is run; the interpreter checks it. `--scan-assign-schedule`
    makes variants of the merged kernel, whose tiles are smaller for fewer steps, and
    a manifest says of each launch when it is (`when`). With `target=cpu` the extent
    has to be static.

    With `target=gpu` a third case has no bound on the extent: that of a backward pass, which
    reads all states of the forward pass, each once. Where lanes of a warp can share the
    states of either kernel (of a model with 16 states per channel, say: they were unrolled
    over a dimension, and only sums join them), and the second kernel reads in `store` alone
    what the first one has stored at the same step or at the one before, the two become
    one kernel, whose second walk computes the states again, chunk by chunk, from the
    state before each chunk. Only these are kept (`--convert-scan-to-gpu`). The results of the
    first kernel that the second one takes from there are read by nobody else, `order` is not
    `sequential`, there is no schedule yet, and there are at least `min-scans` independent
    scans: with fewer, a GPU has to divide the time between threads. Where the number of scans
    is dynamic, the host chooses, as above, and `scan.scans_range` promises between which numbers
    of scans each of the three kernels is run. `--scan-assign-schedule` gives these kernels
    schedules with `lanes` only.

    So do the kernels for columns, those whose operands lie in memory along another
    dimension than the scanned one, if there are at least `min-columns` of them: blocks walk
    their tiles in the direction of the first kernel, read only what its states are computed
    from, and keep the states before each tile; and then back. What the states are computed
    from is read twice, and they are never stored: together, the two have to move fewer
    bytes so. The second kernel may continue with something else than the initial state in
    front of the first step, and one of the two may have no initial states.
    `--scan-assign-schedule` gives these kernels the strategy `column`.

    Two kernels of opposite directions over the same input that stay apart are a missed
    optimisation: the remark says why. It is shown by
    `--remarks-filter-missed=scan-bidirectional`.

    `split` does the opposite: each kernel with `bidirectional` becomes two without.
    States that an output of both directions needs are stored in between, in new
    tensors; on memrefs that is an error. A lowering that cannot read the inputs
    once splits by itself where nothing is to be stored; for the others, the pass
    without `split` does so too, where the target could not follow.

    Before:

    ```mlir
    func.func @bidirectional(%x: tensor<?x512xf32>, %empty: tensor<?x512xf32>) -> tensor<?x512xf32> {
      %f = scan.kernel dim = 1
          ins(%x : tensor<?x512xf32>) outs(%empty : tensor<?x512xf32>)
          maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
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
          } -> tensor<?x512xf32>
      %y = scan.kernel dim = 1 reverse
          ins(%x, %f : tensor<?x512xf32>, tensor<?x512xf32>) outs(%empty : tensor<?x512xf32>)
          maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>,
                affine_map<(d0, d1) -> (d0, d1)>]
          load {
          ^bb0(%e: f32, %fe: f32):
            scan.yield %e : f32
          } combine {
          ^bb0(%acc: f32, %new: f32):
            %m = arith.maximumf %acc, %new : f32
            scan.yield %m : f32
          } store {
          ^bb0(%inclusive: f32, %exclusive: f32, %e: f32, %fe: f32):
            %s = arith.addf %inclusive, %fe : f32
            scan.yield %s : f32
          } -> tensor<?x512xf32>
      return %y : tensor<?x512xf32>
    }
    ```

    After `--scan-bidirectional`:

    ```mlir
    func.func @bidirectional(%x: tensor<?x512xf32>, %empty: tensor<?x512xf32>) -> tensor<?x512xf32> {
      %y = scan.kernel dim = 1
          ins(%x : tensor<?x512xf32>) outs(%empty : tensor<?x512xf32>)
          maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
          attributes {bidirectional = 1 : i64}
          load {
          ^bb0(%e: f32):
            scan.yield %e, %e : f32, f32
          } combine {
          ^bb0(%acc0: f32, %acc1: f32, %new0: f32, %new1: f32):
            %s = arith.addf %acc0, %new0 : f32
            %m = arith.maximumf %acc1, %new1 : f32
            scan.yield %s, %m : f32, f32
          } store {
          ^bb0(%sum: f32, %max: f32, %before: f32, %behind: f32, %e: f32):
            %s = arith.addf %max, %sum : f32
            scan.yield %s : f32
          } -> tensor<?x512xf32>
      return %y : tensor<?x512xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scan::ScanDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"target", "target", "::mlir::scan::BidirectionalTarget",
           /*default=*/"::mlir::scan::BidirectionalTarget::GPU",
           "Where the input is to be read once",
           [{::llvm::cl::values(
             clEnumValN(::mlir::scan::BidirectionalTarget::GPU, "gpu",
                        "in a block that holds all steps in one tile"),
             clEnumValN(::mlir::scan::BidirectionalTarget::CPU, "cpu",
                        "in loops that walk rows or columns in the cache"))}]>,
    Option<"maxExtent", "max-extent", "int64_t", /*default=*/"4096",
           "The most elements that the scanned dimension of merged kernels has">,
    Option<"minScans", "min-scans", "int64_t", /*default=*/"1024",
           "The least independent scans of merged kernels that compute states "
           "again">,
    Option<"minColumns", "min-columns", "int64_t", /*default=*/"8192",
           "The same of columns in which lanes cannot share states">,
    Option<"split", "split", "bool", /*default=*/"false",
           "Split kernels that scan in both directions instead">];
  let statistics = [
    Statistic<"numMerged", "kernels-merged",
              "Kernels merged with one in the opposite direction">,
    Statistic<"numMissed", "missed",
              "Pairs of kernels over the same input that stay">,
    Statistic<"numSplit", "kernels-split", "Kernels split in two">];
}

#endif // SCAN_TRANSFORMS_PASSES_FUSION_TD
