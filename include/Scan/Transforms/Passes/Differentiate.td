//===- Differentiate.td - Derivatives ----------------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMS_PASSES_DIFFERENTIATE_TD
#define SCAN_TRANSFORMS_PASSES_DIFFERENTIATE_TD

include "mlir/Pass/PassBase.td"

defvar rematerializeModes = [{::llvm::cl::values(
  clEnumValN(::mlir::scan::RematerializeMode::Never, "never",
             "compute them once and store them"),
  clEnumValN(::mlir::scan::RematerializeMode::Always, "always",
             "compute them again"),
  clEnumValN(::mlir::scan::RematerializeMode::Auto, "auto",
             "compute them again where that reads no more bytes than "
             "storing moves; a dynamic extent counts as 1024"))}];

def ScanDifferentiate : Pass<"scan-differentiate", "::mlir::ModuleOp"> {
  let summary = "add the derivative of a function, in reverse mode";
  let description = [{
    Adds to a function `loss` the function `loss_vjp`, its vector-Jacobian
    product: it takes the arguments of `loss` and a cotangent for each
    differentiated result, and returns the gradient for each differentiated
    argument, of the argument's type. With `primal` it returns the results of
    `loss`, too, before the gradients. `loss` stays as it is.

    The backward pass of a scan is a scan in the other direction, over the same time
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
    *   `scan.scatter`: the destination's gradient is zero where something was
        written; the source's is gathered at the indices. Of several writes to one
        element the last one gets it, the others get zero.

    *   `scan.recurrence` goes back by a recurrence in the other direction
        (backpropagation through time), whose states are what later steps have given
        to the k rows before a step. A step computes the forward step again, from the
        rows that it has read, which histories and inputs have, and goes back through
        it by these rules: a body has a derivative if its operations have. Gradients
        of inputs are outputs. A capture that a step sums over, as a product of
        matrices or a broadcast over a batch does, gets its gradient behind the loop,
        by one contraction over time and batch of what the steps have read and of
        cotangents, which are outputs, too; a state sums up those of other captures.
        With `checkpoint=N` histories that nobody else reads are not kept: time is walked
        in parts of N steps, the states between parts are what is kept, and the
        backward pass walks a part again before it goes back through it.
        Loops of a step with 16 iterations at most are unrolled before, and branches of which both
        sides can be computed become selections: what is computed of the other side, even if it
        is not a number, changes no gradient.

    Segments stay in the backward pass. Offsets make the gradients of inits final
    states of its segments; with flags, they are computed at each step and count
    where a walk starts, and the cotangent of the final state is an init that only
    the last walk has.

    Structured operations (`linalg`) without reductions or whose reductions are
    sums, elementwise operations on tensors, operations on scalars, and
    `tensor.extract_slice`, `insert_slice`, `expand_shape`, `collapse_shape`,
    `cast`, `splat`, `extract`, `insert` and `from_elements` go back by rules.
    Any other operation between differentiated arguments and results is an error
    at that operation. The derivative consists of such operations itself, so that
    it can be differentiated again. (Two of them read a tensor at computed places,
    which cannot: the gradient of a scatter's source, and that of a scan with one
    init per segment.)

    Integers have no derivative. At ties the rules are PyTorch's. `maximumf` and
    `minimumf` give half of the cotangent to each of two equal operands
    (`torch.maximum`), in a scan at each step, so that of three equal elements the
    last one gets 1/2 and the others 1/4. `maxnumf` and `minnumf` give it to the
    first (`torch.fmax`), a comparison and a select to what they choose
    (`torch.cummax` to the last one). `clampf` gives it to the value at the bounds,
    too, and `absf` gives 0 at 0.

    What a `select`, a maximum, a minimum, `clampf` or a slice does not take has no
    part in the gradient, even where its derivative is infinite or not a number:
    `select(x > 0, log(x), 0)` has the gradient 0 at 0, and rows of the online
    softmax that start with -inf have a finite one. Such zeros stay zero through
    elementwise operations, combine regions and reductions; a contraction
    (`linalg.matmul`) and the coefficients of a scan are multiplied as they are.
    Code without any of these pays nothing for it.

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
    Option<"rematerialize", "rematerialize", "::mlir::scan::RematerializeMode",
           "::mlir::scan::RematerializeMode::Auto",
           "Elementwise values that the forward and the backward pass both read: "
           "never, always or where it reads no more bytes compute them again for "
           "the backward pass.", rematerializeModes>,
    Option<"checkpoint", "checkpoint", "unsigned", "0",
           "Keep the states of a scan.recurrence every N steps only, and let the "
           "backward pass compute those between again, N steps at a time: memory "
           "for T / N + N states in the place of T. 0: keep all.">,
    Option<"recompute", "recompute", "::mlir::scan::RematerializeMode",
           "::mlir::scan::RematerializeMode::Auto",
           "Former name of rematerialize, which wins if it is not auto.",
           rematerializeModes>];
  let statistics = [
    Statistic<"numFunctions", "functions", "Functions differentiated">];
}

#endif // SCAN_TRANSFORMS_PASSES_DIFFERENTIATE_TD
