//===- Raise.td - From loops and reductions to scans -------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMS_PASSES_RAISE_TD
#define SCAN_TRANSFORMS_PASSES_RAISE_TD

include "mlir/Pass/PassBase.td"

def ScanRaiseRecurrence : Pass<"scan-raise-recurrence"> {
  let summary = "turn loops, recurrences and windows over a dimension into scans";
  let description = [{
    A loop that walks one dimension of tensors and carries a state from step to
    step becomes a scan, and what it computes around the update becomes operations
    on whole tensors. Each carried value is one of two things:

    *   An *output*: a tensor that each step writes once, at the step along one
        dimension (`tensor.insert`, `tensor.insert_slice`). A step may read the row
        that it writes, or one that a later step writes, as they were before; rows
        of the last eight steps are states.
    *   A *state* `h`: a scalar, or a tensor of the shape of a slice. Its update
        is one of

        ```
        a * h + b             scan.linear_recurrence, also with a and b spread over
                              several operations, as in h + z * (x - h)
        h + b, h - b          scan.associative with a sum
        op(h, b)              scan.associative: product; arith.maximumf, minimumf,
                              maxnumf, minnumf, maxsi, minsi, maxui, minui;
                              arith.andi, ori, xori
        M h + v               of two to four states that read each other
        select(c, b, f(h))    f is any of those above, or h itself
        max(h + a, b)         and min; max and min as a comparison and a selection
        log(exp(h) + exp(b))  as max(h, b) + log1p(exp(-|h - b|))
        (a h + b) / (c h + d) as the variance of a Kalman filter
        b                     the last value of something else
        ```

        with the operands in either order, of floating-point, complex or integer
        numbers, on scalars, tensors or in bodies of `linalg` operations. `a`, `b`,
        `c` and `d` do not depend on `h`, but may depend on states that do not
        depend on `h` (as the sum of an online softmax depends on the maximum).

    With `prove` updates of other forms are scans, too, if z3 proves them: `n` states
    (three at most) that are updated from each other and from `n` elements of the
    same types, h = f(h, x), where f is associative for all states, floats taken for
    real numbers if they are computed with. So `min(h + x, 255)` of unsigned numbers
    becomes a `scan.associative` with that in its region.

    A step reads slices by `tensor.extract` and `tensor.extract_slice` at the step
    `t` or in reverse at `c - t`, where everything but `t` is the same in each
    step. Indices may be clamped and wrapped where that changes nothing, and
    counted in another type, beside the loop or in tensors of one element: an index
    that wraps around would be outside of the tensor. From slices, values from
    outside and `t`, anything elementwise can be computed. What is written may
    depend on the state after the update and before it (an exclusive scan), also
    by `linalg` operations that are not elementwise (`y = C h`). The bounds may be
    any; a loop over a part of a tensor scans a slice of it.

    How the loop is written does not matter: `scf.for`, `scf.while` that counts,
    `affine.for`; with `scf.if`, and with calls of functions of one block. Loops
    around it (`scf.for`, `scf.forall`, `scf.parallel`, `affine.parallel`) or in
    it, whose iterations each have their own place in what is written, become
    dimensions of the scan. On memrefs, what a nest loads and stores is read before
    it and written after it. Distinct memrefs are taken not to overlap, as affine
    analyses do; they have to be arguments of the function or allocated in it.

    A `scan.recurrence` whose updates are among those above becomes scans as a loop
    that carries its k previous rows would, unless its `order` or its schedule is in the
    way. A state that looks back k > 1 steps, and states that read each other, are a
    scan of matrices then (the companion form), which multiplies k times as much as the
    steps in order do where it is bracketed. On a GPU that pays where too few lanes walk side
    by side to keep it busy: up to `max-matrix-lanes` elements in a row, a static number;
    others stay. `--scan-to-cpu` sets no limit: from step to step no matrices are
    multiplied by each other. Rows whose extents are not static have to be pointwise
    (`--scan-normalize-recurrence`), and the extents that have to agree are checked with
    `cf.assert` in front of the scans.

    Reductions that give each step the sum of all steps up to it become scans, too:
    a window as long as the dimension over a padded tensor (StableHLO's
    `reduce_window`), a product by a constant triangular matrix of ones, and a sum
    over `select(s <= t, x, 0)`. What such a product does to numbers that are not
    finite (zero times infinity) the scan does not do.

    With `recurrences` an `scf.for` on tensors that is no scan becomes a
    `scan.recurrence` if it carries rows: what it carries are states, of which each
    step may compute anything; tensors that a step writes a row of are outputs, and
    rows of the last eight steps that are read again states as well; slices at the step
    are rows of inputs. What else a step reads, it sees whole. So a GPU, which has no loops on the
    host, walks it in a kernel. A remark says what is in the way of that, too.

    All other loops stay as they were. A nest is raised as a whole or, if an outer
    loop is in the way, from the next one inwards. A loop that stays is a missed
    optimisation: `--remarks-filter-missed=scan-raise-recurrence`, of `scan-opt`,
    `scan-run` and `scan-translate`, shows the operation that is in the way and
    the reason; where such a loop is refused for a GPU, a note of the error does.

    By default the scan may bracket the steps in any order, and 16-bit floats
    accumulate in `f32`: floating-point results differ from those of the loop by
    rounding. With `order=sequential` they are the same bit for bit, and updates for
    which scans round otherwise stay.

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
                          "the bits of the loop"))}]>,
    Option<"recurrences", "recurrences", "bool", /*default=*/"false",
           "Turn loops that carry rows and are no scans into scan.recurrence">,
    Option<"maxMatrixLanes", "max-matrix-lanes", "int64_t", /*default=*/"4096",
           "Elements of a row up to which states of a scan.recurrence that are "
           "updated together become a scan of matrices">,
    Option<"checkExtents", "check-extents", "bool", /*default=*/"true",
           "Stop the program where a scan.recurrence that is raised has extents "
           "that contradict each other">,
    Option<"prove", "prove", "bool", /*default=*/"false",
           "Ask z3 whether updates that have none of the forms are associative">,
    Option<"z3", "z3", "std::string", "\"\"",
           "Path of z3 (default: z3 in PATH, or in the active environment of Python)">,
    Option<"timeout", "timeout", "unsigned", /*default=*/"5",
           "Seconds for the proof of one update">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::complex::ComplexDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scan::ScanDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numRaised", "loops-raised", "Loops turned into scans">,
    Statistic<"numRecurrent", "loops-to-recurrences",
              "Loops turned into scan.recurrence">,
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

#endif // SCAN_TRANSFORMS_PASSES_RAISE_TD
