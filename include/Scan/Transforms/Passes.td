//===- Passes.td - Passes from scans to scans --------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMS_PASSES_TD
#define SCAN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ScanNormalize : Pass<"scan-normalize"> {
  let summary = "turn every scan into scan.kernel";
  let description = [{
    Rewrites `scan.associative` and `scan.linear_recurrence` to `scan.kernel`,
    the one op that the backends read. Nothing about the numbers is left to
    them:

    *   The leaves of the kernel have the types to accumulate in. `load` and
        `initialize` extend, `store` and `finalize` round once, and the combine
        region is retyped so that no 16-bit floating-point arithmetic is left.
    *   Leaves with trailing dimensions are split into one scalar leaf per
        element, and so are the tensor operations of their combine region. An
        operation that has no such rewrite is an error.
    *   `compensated` becomes a second leaf that carries the rounding errors of
        the first.
    *   `scan.linear_recurrence` becomes the composition of affine maps, of
        which only the offset is stored.

    The results keep their types; the outputs are new (`tensor.empty`).

    Before:

    ```mlir
    func.func @rnn(%a: tensor<?xbf16>, %b: tensor<?xbf16>) -> tensor<?xbf16> {
      %h = scan.linear_recurrence ins(%a, %b : tensor<?xbf16>, tensor<?xbf16>) dim = 0
          -> tensor<?xbf16>
      return %h : tensor<?xbf16>
    }
    ```

    After `--scan-normalize`:

    ```mlir
    func.func @rnn(%a: tensor<?xbf16>, %b: tensor<?xbf16>) -> tensor<?xbf16> {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %b, %c0 : tensor<?xbf16>
      %empty = tensor.empty(%n) : tensor<?xbf16>
      %h = scan.kernel dim = 0
          ins(%a, %b : tensor<?xbf16>, tensor<?xbf16>) outs(%empty : tensor<?xbf16>)
          maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
          load {
          ^bb0(%at: bf16, %bt: bf16):
            %a1 = arith.extf %at : bf16 to f32
            %b1 = arith.extf %bt : bf16 to f32
            scan.yield %a1, %b1 : f32, f32
          } combine {
          ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
            %a2 = arith.mulf %a1, %a0 : f32
            %t = arith.mulf %a1, %b0 : f32
            %b2 = arith.addf %t, %b1 : f32
            scan.yield %a2, %b2 : f32, f32
          } store {
          ^bb0(%ai: f32, %bi: f32, %ae: f32, %be: f32, %at: bf16, %bt: bf16):
            %y = arith.truncf %bi : f32 to bf16
            scan.yield %y : bf16
          } -> tensor<?xbf16>
      return %h : tensor<?xbf16>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::scan::ScanDialect", "::mlir::arith::ArithDialect",
    "::mlir::complex::ComplexDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numKernels", "kernels", "Kernels made">];
}

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
    Elements are added up in the order of the loops. The leaves of a point may
    take `max-state-bytes` then, and a kernel that has a schedule is not unrolled.

    A `scan.shift` of an input along the scan dimension makes it a shifted input.
    Where the inlined code reads its loop indices (`linalg.index`), the kernel
    reads `scan.index`.

    A producer is inlined if only this kernel uses it, or if inlining makes the
    kernel read no more bytes than it does now. Expensive code (functions of
    `math` and `complex`, divisions) is inlined only if it is computed at most
    `max-recompute` times as often then. That it does not vary along the scanned
    dimension does not count: what is the same at every step can be computed once
    per walk, in front of the steps. A consumer is inlined if it lies in the kernel's
    block and needs nothing that is computed from the kernel but the kernel's own
    results; a consumer of final states reads nothing else. Consumers see through
    casts, transpositions and added extents of 1. Outputs that nobody uses any
    more disappear.

    Two kernels in one block become one, with the leaves of both, if they read
    much of the same: if neither depends on the other, they scan the same
    dimension of the same extents in the same direction, both or neither have
    initial states, their attributes (`order`, `schedule`) are equal, there are
    16 leaves at most, and what is then read once makes up a sixteenth of the
    bytes that both move (as `--scan-print-traffic` counts them).

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
    Statistic<"numKernels", "kernels-merged", "Kernels merged with another">];
}

def ScanFuseSums : Pass<"scan-fuse-sums"> {
  let summary = "sum results of scan.kernel up where they come into being";
  let description = [{
    A sum (`linalg.reduce`, or a structured `linalg` operation whose body adds
    something to its output) of what a kernel computes, over dimensions of the
    kernel's domain, becomes a sum of the kernel: an output that leaves these
    dimensions out. What was only stored to be summed up is then not stored. To
    be run after `--scan-normalize` and `--scan-fuse-elementwise`, before
    bufferization. So the way back of a model sums gradients of parameters up
    over batch and time.

    The terms are any elementwise function of outputs of the kernel and of tensors
    that fit the domain; over further static dimensions they are added up at each
    point, which has at most 32 of them (more are a product of matrices). Elements of `f16` and `bf16` are added up in `f32` and rounded
    afterwards. Since the terms are added up in any order, additions of
    floating-point and complex numbers have to be marked `fastmath<reassoc>`, as
    those that `--scan-differentiate` makes are, and the kernel must not have
    `order = deterministic` or `sequential`.

    Elementwise code and sums that read no result of the kernel, but an input of
    it that has all dimensions of the domain, become further outputs and sums of
    it: the input is read once. An elementwise result has the dimensions in the
    order of that input. What nobody else reads any more moves into the kernel, as
    by `--scan-fuse-elementwise`.

    A sum next to a kernel that stays is a missed optimisation: the remark says
    why. It is shown by `--remarks-filter-missed=scan-fuse-sums`.

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

    After `--scan-fuse-sums`:

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
    Statistic<"numSums", "sums-fused", "Sums that kernels add up">,
    Statistic<"numSiblings", "siblings-fused",
              "Elementwise operations that read what a kernel reads">,
    Statistic<"numMissed", "missed", "Sums next to kernels that stay">];
}

def ScanBidirectional : Pass<"scan-bidirectional"> {
  let summary = "merge scans that go opposite ways over the same input";
  let description = [{
    A forward and a reverse `scan.kernel` over the same input become one, with
    `opposite`, whose input is read once. So does what follows both: where the
    second one reads in `store` what the first one has computed at the same step,
    as `--scan-fuse-elementwise` leaves it of the sum of both, that is taken from
    where it is stored, and not written if nobody else needs it. To be run after
    `--scan-normalize` and `--scan-fuse-elementwise`, before bufferization.

    The two scans meet each element at opposite times. It is read once only where
    a lowering has all of a row at hand, and only there are they merged:

    *   `target=gpu`: the row fits in one tile of a block of the strategy `row`,
        which `--scan-assign-schedule` then chooses. Neither kernel has
        `order = sequential`. A schedule that they have already has to hold the
        row in one tile.
    *   `target=cpu`: `--convert-scan-to-loops` walks a few rows one way and then
        the other, when they are in the cache. A kernel does not become part of
        the one whose results it reads.

    In both cases the extent of the scanned dimension is static, positive and
    `max-extent` at most; all inputs and outputs that have the dimension lie in
    memory along it; the kernels are in one block, neither needs the other but as
    said above, and they run over the same extents; both or neither have initial
    states; their attributes (`order`, `schedule`) are equal; there are 16 leaves
    at most; and what is not read and written any more makes up a sixteenth of
    the bytes that both move (as `--scan-print-traffic` counts them).

    Two kernels that go opposite ways over the same input and stay are a missed
    optimisation: the remark says why. It is shown by
    `--remarks-filter-missed=scan-bidirectional`.

    `split` does the opposite: each kernel with `opposite` becomes two without.
    States that an output of both directions needs are stored in between, in new
    tensors; on memrefs that is an error. A lowering that cannot read the inputs
    once splits by itself where nothing is to be stored; for the others, the pass
    without `split` does so too, where the target could not follow.

    Before:

    ```mlir
    func.func @both_ways(%x: tensor<?x512xf32>, %empty: tensor<?x512xf32>) -> tensor<?x512xf32> {
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
    func.func @both_ways(%x: tensor<?x512xf32>, %empty: tensor<?x512xf32>) -> tensor<?x512xf32> {
      %y = scan.kernel dim = 1
          ins(%x : tensor<?x512xf32>) outs(%empty : tensor<?x512xf32>)
          maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
          attributes {opposite = 1 : i64}
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
    "::mlir::scan::ScanDialect", "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"target", "target", "::mlir::scan::BidirectionalTarget",
           /*default=*/"::mlir::scan::BidirectionalTarget::GPU",
           "Where the input is to be read once",
           [{::llvm::cl::values(
             clEnumValN(::mlir::scan::BidirectionalTarget::GPU, "gpu",
                        "in a block that holds a row in one tile"),
             clEnumValN(::mlir::scan::BidirectionalTarget::CPU, "cpu",
                        "in loops that walk a row in the cache"))}]>,
    Option<"maxExtent", "max-extent", "int64_t", /*default=*/"4096",
           "The most elements that the scanned dimension of merged kernels has">,
    Option<"split", "split", "bool", /*default=*/"false",
           "Split kernels that scan both ways instead">];
  let statistics = [
    Statistic<"numMerged", "kernels-merged",
              "Kernels merged with one that scans the other way">,
    Statistic<"numMissed", "missed",
              "Pairs of kernels over the same input that stay">,
    Statistic<"numSplit", "kernels-split", "Kernels split in two">];
}

def ScanShiftToSlices : Pass<"scan-shift-to-slices"> {
  let summary = "make slices of a tensor of every scan.shift that is left";
  let description = [{
    Rewrites `scan.shift` to what bufferizes: a new tensor, one slice of which is
    filled with the boundary and one with the elements that stay within the
    extent. A shift that `--scan-fuse-elementwise` has made a shifted input of a
    kernel costs nothing; this one is a copy, so run it last.

    Before:

    ```mlir
    func.func @previous(%h: tensor<4x8xf32>, %h0: f32) -> tensor<4x8xf32> {
      %p = scan.shift %h boundary(%h0 : f32) dim = 1 by = 1 : tensor<4x8xf32>
      return %p : tensor<4x8xf32>
    }
    ```

    After `--scan-shift-to-slices`:

    ```mlir
    func.func @previous(%h: tensor<4x8xf32>, %h0: f32) -> tensor<4x8xf32> {
      %empty = tensor.empty() : tensor<4x8xf32>
      %edge = tensor.extract_slice %empty[0, 0] [4, 1] [1, 1] : tensor<4x8xf32> to tensor<4x1xf32>
      %filled = linalg.fill ins(%h0 : f32) outs(%edge : tensor<4x1xf32>) -> tensor<4x1xf32>
      %first = tensor.insert_slice %filled into %empty[0, 0] [4, 1] [1, 1]
          : tensor<4x1xf32> into tensor<4x8xf32>
      %rest = tensor.extract_slice %h[0, 0] [4, 7] [1, 1] : tensor<4x8xf32> to tensor<4x7xf32>
      %p = tensor.insert_slice %rest into %first[0, 1] [4, 7] [1, 1]
          : tensor<4x7xf32> into tensor<4x8xf32>
      return %p : tensor<4x8xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numShifts", "shifts", "Shifts lowered">];
}

def ScanDifferentiate : Pass<"scan-differentiate", "::mlir::ModuleOp"> {
  let summary = "add the derivative of a function, in reverse mode";
  let description = [{
    Adds to a function `loss` the function `loss_vjp`, its vector-Jacobian
    product: it takes the arguments of `loss` and a cotangent for each
    differentiated result, and returns the gradient for each differentiated
    argument, of the argument's type. With `primal` it returns the results of
    `loss`, too, before the gradients. `loss` stays as it is.

    The way back of a scan is a scan in the other direction, over the same time
    and with memory for the states and no more:

    *   `scan.linear_recurrence`, h_t = a_t h_{t-1} + b_t: what later steps make
        of h_t is u_t = a_{t+1} (dh_{t+1} + u_{t+1}), a reversed, exclusive
        recurrence that starts with the cotangent of the final state; then
        db_t = g_t = dh_t + u_t and da_t = g_t h_{t-1}, and the final state is
        the gradient of `init`. Where `a` is broadcast, da is summed up.
        (Such long sums carry `fastmath<reassoc>`: nobody has asked for an
        order, and a GPU adds with many threads.)
    *   `scan.associative`, y_t = f(y_{t-1}, x_t) with any number of leaves: the
        same with the transposed Jacobian matrices of f in the place of a_t. An
        entry that is 0 or 1 by the way f is written is not computed: a running
        sum goes back as a running sum, a product or a maximum as a linear
        recurrence.
    *   `scan.shift` goes back shifted.

    Structured operations (`linalg`) without reductions or whose reductions are
    sums, elementwise operations on tensors, operations on scalars, and
    `tensor.extract_slice`, `insert_slice`, `expand_shape`, `collapse_shape`,
    `cast`, `splat`, `extract`, `insert` and `from_elements` go back by rules.
    Any other operation between differentiated arguments and results is an error
    at that operation. The derivative consists of such operations itself, so that
    it can be differentiated again.

    Integers have no derivative. Of equal operands, a maximum or minimum gives
    the whole cotangent to the first; in a scan, that is the accumulated one.
    Where a function has a corner (`absf`, `clampf`) the derivative is one from
    either side, or 0.

    A complex cotangent is the direction in which a real loss grows fastest: for
    w = f(z), dz = conj(f'(z)) dw, as PyTorch has it. (JAX's gradients are the
    conjugates of these.)

    Before:

    ```mlir
    func.func @total(%x: tensor<8xf32>) -> tensor<8xf32> {
      %y = scan.associative ins(%x : tensor<8xf32>) dim = 0 {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } -> tensor<8xf32>
      return %y : tensor<8xf32>
    }
    ```

    After `--scan-differentiate=function=total`:

    ```mlir
    func.func @total(%x: tensor<8xf32>) -> tensor<8xf32> {
      %y = scan.associative ins(%x : tensor<8xf32>) dim = 0 {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } -> tensor<8xf32>
      return %y : tensor<8xf32>
    }
    func.func @total_vjp(%x: tensor<8xf32>, %dy: tensor<8xf32>) -> tensor<8xf32> {
      %zero = arith.constant 0.0 : f32
      %u = scan.associative ins(%dy : tensor<8xf32>) init(%zero : f32) dim = 0 reverse exclusive {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } -> tensor<8xf32>
      %empty = tensor.empty() : tensor<8xf32>
      %dx = linalg.generic {
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = ["parallel"]}
          ins(%dy, %u : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
      ^bb0(%d: f32, %later: f32, %out: f32):
        %g = arith.addf %d, %later : f32
        linalg.yield %g : f32
      } -> tensor<8xf32>
      return %dx : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::scan::ScanDialect", "::mlir::arith::ArithDialect",
    "::mlir::complex::ComplexDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"function", "function", "std::string", "",
           "The function to differentiate; needed.">,
    ListOption<"arguments", "arguments", "unsigned",
               "The arguments to differentiate with respect to, counted from 0. "
               "Default: all floating-point and complex ones.">,
    ListOption<"results", "results", "unsigned",
               "The results that have a cotangent, counted from 0; the others "
               "have none, as if nothing depended on them. Default: all "
               "floating-point and complex ones.">,
    Option<"primal", "primal", "bool", "false",
           "Return the results of the function before the gradients.">,
    Option<"name", "name", "std::string", "",
           "The name of the derivative. Default: the function's, followed by "
           "_vjp.">,
    Option<"recompute", "recompute", "::mlir::scan::RecomputeMode",
           "::mlir::scan::RecomputeMode::Auto",
           "Elementwise values that the way forward and the way back both read: "
           "never, always or where it reads no more bytes compute them again for "
           "the way back.",
           [{::llvm::cl::values(
             clEnumValN(::mlir::scan::RecomputeMode::Never, "never",
                        "compute them once and store them"),
             clEnumValN(::mlir::scan::RecomputeMode::Always, "always",
                        "compute them again"),
             clEnumValN(::mlir::scan::RecomputeMode::Auto, "auto",
                        "compute them again where that reads no more bytes than "
                        "storing moves; a dynamic extent counts as 1024"))}]>];
  let statistics = [
    Statistic<"numFunctions", "functions", "Functions differentiated">];
}

def ScanScatterToSelect : Pass<"scan-scatter-to-select"> {
  let summary = "turn scatters of a scalar into constant tensors into elementwise code";
  let description = [{
    A tensor that is a constant but for one element along a dimension, as in the
    gradient of "take state t" or of a cross-entropy loss, need not be filled and
    then written to. Each of its elements is

    ```
    select(iota along the dimension == index, value, fill)
    ```

    which reads the indices only and fuses into a scan that reads it
    (`--scan-fuse-elementwise`). These forms become such a `linalg.generic`:

    *   `scan.scatter` of a scalar (or of a tensor of equal elements) whose index
        tensor has the extent 1 along `dim` and the extents of the destination
        elsewhere.
    *   A nest of `scf.for`, one for each dimension but one, from 0 to the extent
        of the destination by 1, around `tensor.insert` of the scalar; or an
        `scf.forall` over these dimensions with `tensor.parallel_insert_slice` of
        one element. The coordinate along the remaining dimension is a
        `tensor.extract` (behind `arith.index_cast` and `arith.extsi`, if
        anything) from an index tensor at induction variables and constants.
    *   `tensor.scatter` with one `scatter_dims` and one index; or with all
        dimensions, if the coordinates are a `tensor.concat` of iotas
        (`tensor.generate` or `linalg.generic` of an index) and one index tensor.

    The destination is constant if it is a `linalg.fill` (or a `linalg.generic`
    that writes one value), a `tensor.splat` or a splat constant. Extents are
    equal if they are the same constant, value, or dimension of the same tensor.

    A scatter that stays is a missed optimisation: the remark says why. It is
    shown by `--remarks-filter-missed=scan-scatter-to-select`. A scatter stays
    if the index tensor is shorter than the destination; if it writes several
    times along the dimension (a dense index); if the destination is not
    constant; if the source is not a scalar. Loops that are not a scatter are not
    mentioned.

    Before:

    ```mlir
    func.func @one_hot(%index: tensor<4x1xi64>) -> tensor<4x10xf32> {
      %zeros = arith.constant dense<0.0> : tensor<4x10xf32>
      %one = arith.constant 1.0 : f32
      %r = scan.scatter %one into %zeros at %index dim = 1
          : f32 into tensor<4x10xf32> at tensor<4x1xi64>
      return %r : tensor<4x10xf32>
    }
    ```

    After `--scan-scatter-to-select`:

    ```mlir
    func.func @one_hot(%index: tensor<4x1xi64>) -> tensor<4x10xf32> {
      %one = arith.constant 1.0 : f32
      %empty = tensor.empty() : tensor<4x10xf32>
      %r = linalg.generic {
          indexing_maps = [affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%index : tensor<4x1xi64>) outs(%empty : tensor<4x10xf32>) {
      ^bb0(%i: i64, %out: f32):
        %place = arith.index_cast %i : i64 to index
        %value = arith.constant 1.0 : f32
        %fill = arith.constant 0.0 : f32
        %iota = linalg.index 1 : index
        %here = arith.cmpi eq, %iota, %place : index
        %element = arith.select %here, %value, %fill : f32
        linalg.yield %element : f32
      } -> tensor<4x10xf32>
      return %r : tensor<4x10xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numScatters", "scatters", "Scatters turned into selects">,
    Statistic<"numMissed", "missed", "Scatters that stay">];
}

def ScanScatterToLoops : Pass<"scan-scatter-to-loops"> {
  let summary = "turn scatters into loops that write one element after the other";
  let description = [{
    Makes a nest of `scf.for` of each `scan.scatter` and each `tensor.scatter`:
    what `--scan-to-cpu` does to those that `--scan-scatter-to-select` leaves. A
    `scan.scatter` whose extents may not fit stops the program when it runs
    (`cf.assert`), as scans do.

    Before:

    ```mlir
    func.func @put(%x: tensor<8xf32>, %dest: tensor<?xf32>, %index: tensor<8xindex>) -> tensor<?xf32> {
      %r = scan.scatter %x into %dest at %index dim = 0
          : tensor<8xf32> into tensor<?xf32> at tensor<8xindex>
      return %r : tensor<?xf32>
    }
    ```

    After `--scan-scatter-to-loops`:

    ```mlir
    func.func @put(%x: tensor<8xf32>, %dest: tensor<?xf32>, %index: tensor<8xindex>) -> tensor<?xf32> {
      %c8 = arith.constant 8 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r = scf.for %p = %c0 to %c8 step %c1 iter_args(%t = %dest) -> (tensor<?xf32>) {
        %i = tensor.extract %index[%p] : tensor<8xindex>
        %e = tensor.extract %x[%p] : tensor<8xf32>
        %c0_0 = arith.constant 0 : index
        %n = tensor.dim %t, %c0_0 : tensor<?xf32>
        %inside = arith.cmpi ult, %i, %n : index
        %next = scf.if %inside -> (tensor<?xf32>) {
          %u = tensor.insert %e into %t[%i] : tensor<?xf32>
          scf.yield %u : tensor<?xf32>
        } else {
          scf.yield %t : tensor<?xf32>
        }
        scf.yield %next : tensor<?xf32>
      }
      return %r : tensor<?xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numScatters", "scatters", "Scatters turned into loops">];
}

def ScanRaiseRecurrence : Pass<"scan-raise-recurrence"> {
  let summary = "turn loops over a dimension of tensors into scans";
  let description = [{
    An `scf.for` that walks one dimension of tensors and carries a state from step
    to step becomes a scan, and what it computes elementwise around the update
    becomes operations on whole tensors. Each carried value is one of two things:

    *   An *output*: a tensor that each step writes once, at the step along one
        dimension (`tensor.insert`, `tensor.insert_slice`), and does not read.
    *   A *state* `h`: a scalar, or a tensor of the shape of a slice. Its update
        is one of

        ```
        a * h + b        scan.linear_recurrence; also h * a, math.fma, and with
                         subtractions and negations: a * h - b, b - a * h, b - h
        h + b, h - b     scan.associative with a sum
        op(h, b)         scan.associative: product; arith.maximumf, minimumf,
                         maxnumf, minnumf, maxsi, minsi, maxui, minui; arith.andi,
                         ori, xori
        p * a, h * a + b of two states with one a: scan.associative of the pair
        ```

        with the operands in either order, of floating-point, complex or integer
        numbers, on scalars, tensors or in bodies of `linalg` operations. `a` and
        `b` do not depend on a state.

    A step reads slices by `tensor.extract` and `tensor.extract_slice` at the step
    `t` or in reverse at `c - t`, where everything but `t` is the same in each
    step; the slice drops the dimension that is walked. From slices, values from
    outside and `t`, anything elementwise can be computed. What is written may
    depend on the state after the update and before it (an exclusive scan).
    The bounds may be any; a loop over a part of a tensor scans a slice of it.

    All other loops stay. A loop that carries a value and stays is a missed
    optimisation, shown with the reason by
    `--remarks-filter-missed=scan-raise-recurrence`. `scf.while` and `affine.for`
    are not looked at. A loop around a loop stays around the scan.

    By default the scan may bracket the steps in any order, and 16-bit floats
    accumulate in `f32`: floating-point results differ from those of the loop by
    rounding. With `order=sequential` they are the same bit for bit (a recurrence
    with `math.fma` then stays).

    Before:

    ```mlir
    func.func @gated(%a: tensor<2x100x8xf32>, %x: tensor<2x100x8xf32>, %h0: tensor<2x8xf32>)
        -> tensor<2x100x8xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 100 : index
      %empty = tensor.empty() : tensor<2x100x8xf32>
      %y, %last = scf.for %t = %c0 to %n step %c1 iter_args(%out = %empty, %h = %h0)
          -> (tensor<2x100x8xf32>, tensor<2x8xf32>) {
        %at = tensor.extract_slice %a[0, %t, 0] [2, 1, 8] [1, 1, 1]
            : tensor<2x100x8xf32> to tensor<2x8xf32>
        %xt = tensor.extract_slice %x[0, %t, 0] [2, 1, 8] [1, 1, 1]
            : tensor<2x100x8xf32> to tensor<2x8xf32>
        %scaled = arith.mulf %at, %h : tensor<2x8xf32>
        %next = arith.addf %scaled, %xt : tensor<2x8xf32>
        %written = tensor.insert_slice %next into %out[0, %t, 0] [2, 1, 8] [1, 1, 1]
            : tensor<2x8xf32> into tensor<2x100x8xf32>
        scf.yield %written, %next : tensor<2x100x8xf32>, tensor<2x8xf32>
      }
      return %y : tensor<2x100x8xf32>
    }
    ```

    After `--scan-raise-recurrence`:

    ```mlir
    func.func @gated(%a: tensor<2x100x8xf32>, %x: tensor<2x100x8xf32>, %h0: tensor<2x8xf32>)
        -> tensor<2x100x8xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 100 : index
      %empty = tensor.empty() : tensor<2x100x8xf32>
      %y = scan.linear_recurrence ins(%a, %x : tensor<2x100x8xf32>, tensor<2x100x8xf32>)
          init(%h0 : tensor<2x8xf32>) dim = 1 -> tensor<2x100x8xf32>
      return %y : tensor<2x100x8xf32>
    }
    ```
  }];
  let options = [
    Option<"order", "order", "::mlir::scan::Order",
           /*default=*/"::mlir::scan::Order::Any",
           "How freely the scans may reassociate (#scan.order)",
           [{::llvm::cl::values(
               clEnumValN(::mlir::scan::Order::Any, "any",
                          "any bracketing"),
               clEnumValN(::mlir::scan::Order::Deterministic, "deterministic",
                          "any bracketing, the same in each run"),
               clEnumValN(::mlir::scan::Order::Sequential, "sequential",
                          "the bits of the loop"))}]>];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scan::ScanDialect",
    "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numRaised", "loops-raised", "Loops turned into scans">,
    Statistic<"numMissed", "missed", "Loops with a carried value that stay">];
}

def ScanReductionsToKernels : Pass<"scan-reductions-to-kernels"> {
  let summary = "turn long reductions into scan.kernel without outputs";
  let description = [{
    A reduction is the final state of a scan of which nobody wants the outputs.
    As a `scan.kernel` it is laid over the threads of a GPU as any scan is; as a
    plain loop one thread would walk all of it. `--scan-to-gpu` and
    `--scan-to-ptx` run this pass after fusion. Of several reduced dimensions
    the innermost goes first, from the neutral element of the combiner.

    Only where any bracketing gives the same: integers, `maximumf`, `minimumf`;
    `addf` and `mulf` with `fastmath<reassoc>` or the option. Other reductions,
    and those whose extent is known to be small, stay as they are, and keep the
    order of their terms.

    Before:

    ```mlir
    func.func @sums(%x: tensor<?x?xi32>, %y: tensor<?xi32>) -> tensor<?xi32> {
      %s = linalg.generic {
          indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
          iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<?x?xi32>) outs(%y : tensor<?xi32>) {
      ^bb0(%a: i32, %acc: i32):
        %q = arith.muli %a, %a : i32
        %t = arith.addi %acc, %q : i32
        linalg.yield %t : i32
      } -> tensor<?xi32>
      return %s : tensor<?xi32>
    }
    ```

    After `--scan-reductions-to-kernels`:

    ```mlir
    func.func @sums(%x: tensor<?x?xi32>, %y: tensor<?xi32>) -> tensor<?xi32> {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %y, %c0 : tensor<?xi32>
      %empty = tensor.empty(%n) : tensor<?xi32>
      %s = scan.kernel dim = 1
          ins(%x : tensor<?x?xi32>) init(%y : tensor<?xi32>) finals(%empty : tensor<?xi32>)
          maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>,
                affine_map<(d0, d1) -> (d0)>]
          load {
          ^bb0(%a: i32):
            %q = arith.muli %a, %a : i32
            scan.yield %q : i32
          } initialize {
          ^bb0(%i: i32):
            scan.yield %i : i32
          } combine {
          ^bb0(%acc: i32, %new: i32):
            %t = arith.addi %acc, %new : i32
            scan.yield %t : i32
          } store {
          ^bb0(%inclusive: i32, %exclusive: i32, %a: i32):
            scan.yield
          } finalize {
          ^bb0(%last: i32):
            scan.yield %last : i32
          } -> tensor<?xi32>
      return %s : tensor<?xi32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::scan::ScanDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"reassociateFloats", "reassociate-floats", "bool",
           /*default=*/"false",
           "Sums and products of floating-point numbers may be bracketed "
           "otherwise, as fastmath<reassoc> says of single ones">,
    Option<"minExtent", "min-extent", "int64_t", /*default=*/"32",
           "Static extents below that stay, in elements">];
}

#endif // SCAN_TRANSFORMS_PASSES_TD
