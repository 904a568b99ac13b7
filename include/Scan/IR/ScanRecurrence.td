//===- ScanRecurrence.td - scan.recurrence -----------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_IR_SCANRECURRENCE_TD
#define SCAN_IR_SCANRECURRENCE_TD

include "Scan/IR/ScanBase.td"

//===----------------------------------------------------------------------===//
// scan.recurrence
//===----------------------------------------------------------------------===//

def Scan_RecurrenceOp : Scan_Op<"recurrence", [
    AttrSizedOperandSegments, IsolatedFromAbove, NoMemoryEffect, SingleBlock,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<RegionBranchOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>]> {
  let summary = "a loop over time whose step reads the states of the previous steps";
  let description = [{
    Walks time, the dimension `dim`, one step after the other. A step computes, from
    what the states were in the k steps before it, what they are now:

    ```
    h_t = f(t, h_{t-1}, ..., h_{t-k}, x_t, w)
    ```

    f is any computation without side effects, and need not be associative: this is
    the general scan of TVM (`te.scan`), JAX (`jax.lax.scan`), PyTorch (`torch.scan`)
    and ONNX (`Scan`). Steps are computed in this order, so that results are those of f,
    to the bit, as far as f's own operations are. Only where f happens to be what a scan
    can bracket (h_t = a_t h_{t-1} + b_t, a sum, a maximum and others of
    `--scan-raise-recurrence`) may it be done so, as `order` says: `any`, the default, or
    `deterministic`; results then differ by rounding. With `order = sequential` they are
    those of f whatever f is.

    *Rows.* What a tensor has at one step, all of it without the dimension `dim`, is its
    row at that step: a tensor, or a scalar where no dimension is left.

    *Operands.* `init` has one tensor per state, and as many of these rows as f looks
    back: k, its static extent in dimension `dim`. States may differ in type, shape and
    k. `ins` are inputs, of which a step reads its own row; `captures` are tensors or
    scalars which each step sees whole (weights). `steps` says how many steps there
    are; without it there are as many as rows of the inputs. With it, inputs have that
    many rows at least, and rows beyond are not read: results are those of the
    recurrence over the first rows. `extents` says how wide the rows of outputs are
    where their types do not: it has one number for each dynamic extent, in the order
    of the outputs. (Rows of states are as wide as those of their inits.)

    *The body* has these block arguments, in this order:

    1.  `t`, the number of the row, an `index`;
    2.  for each state its k previous rows, the latest first: at t-1, t-2, ..., t-k;
    3.  for each input its row at t;
    4.  each capture.

    It yields the row at t of each state, then of any number of *outputs*, which no
    step reads. So no step can read its own state or a later one. A row may be yielded
    as it came in (delay lines, states that change places), and what is yielded is
    a value of its own: no row of a result shares memory with another.

    *Results* are, in this order, the *histories*, of each state its rows at all steps;
    the outputs likewise; and, if there are that many results, the *final states*, of
    each state its last k rows, of the type of its init. With `init_rows` histories have
    the rows of the init in front, as those of `te.scan`, and k rows more; without, as
    those of `jax.lax.scan` and `torch.scan`, they have one row per step. Final states
    are what a walk over the next part of time starts from. With fewer steps than k
    they have rows of the init.

    In the order of the walk the first step's row is row 0, whose previous rows are the
    last row of the init, the one before it, and so on. In particular, each state has
    its rows of init directly in front of the first step, whatever k the others have.
    With `reverse` the walk is from the last row to the first, the previous row of t is
    the one at t+1, the rows of the init lie *behind* the others, and the first of
    them is the one that the first step sees as its previous one: all tensors
    are those of the walk forward, flipped along `dim`. `t` counts rows in memory
    order in both directions.

    `segments` splits time into *segments*, as of packed sequences, and is offsets or
    flags as on `scan.associative`: the first step of each sees the rows of the init as
    its previous ones, whatever was before. Flags have rank 1, one per step. All segments
    start from the same rows of the init. With flags, final states are those after
    the last step. With offsets of S segments they have S times k rows, the last k of each
    segment, in the order of the segments; of an empty one the rows of the init. `t` counts
    on. The outputs of a cell over two sequences of one tensor:

    ```mlir
    func.func @packed(%x: tensor<?x4xf32>, %h0: tensor<1x4xf32>, %cu_seqlens: tensor<3xi32>)
        -> (tensor<?x4xf32>, tensor<2x4xf32>) {
      %h, %last = scan.recurrence ins(%x : tensor<?x4xf32>) init(%h0 : tensor<1x4xf32>)
          segments(%cu_seqlens : tensor<3xi32>) dim = 0 {
      ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>):
        %sum = arith.addf %h1, %row : tensor<4xf32>
        %next = math.tanh %sum : tensor<4xf32>
        scan.yield %next : tensor<4xf32>
      } -> tensor<?x4xf32>, tensor<2x4xf32>
      return %h, %last : tensor<?x4xf32>, tensor<2x4xf32>
    }
    ```

    The body computes in the types that it is written in: rows of `bf16` are rounded by
    each operation on them. A body that extends them first rounds a row once.

    *Schedules* are discardable attributes, on which no result depends. For a GPU
    `scan.schedule`, a `#scan.schedule`, says how many threads a block has, and by `items`
    how many steps ahead rows of inputs are loaded: with the strategy `sequential` both
    where each lane is walked by one thread (`--scan-normalize-recurrence`) and where a
    block computes whole rows (`--scan-recurrence-to-blocks`). The strategy `row` with as
    many rows as threads keeps the order, too. Other strategies split time between threads:
    they are those of the scan that the recurrence becomes (`--scan-raise-recurrence`), and
    errors where it becomes none. For a CPU `scan.loops`, a `#scan.loops`, unrolls the loop
    over time, and `scan.stage`, a `#scan.stage` on an operation of the body, divides a
    stage into parts and vectors, and places it. `transform.scan.*` write them and refuse
    what is illegal. A `#scan.newton` as `scan.schedule` solves, on CPUs and GPUs, for all
    steps at once where each lane is computed from the same lane, within a tolerance
    (`--scan-newton-recurrence`). A `#scan.step_launches` makes each step some launches of
    the whole grid of a GPU, for rows and weights that are too large for a thread block.

    Any number of steps is legal, 0 included; a negative one is an error when the
    program runs, as are negative `extents` and extents that contradict each other.

    The sums over the rows of a matrix, with the first row as init, as examples of
    `te.scan` have it:

    ```mlir
    func.func @cumsum(%x: tensor<10x?xf32>) -> tensor<10x?xf32> {
      %c1 = arith.constant 1 : index
      %n = tensor.dim %x, %c1 : tensor<10x?xf32>
      %first = tensor.extract_slice %x[0, 0] [1, %n] [1, 1] : tensor<10x?xf32> to tensor<1x?xf32>
      %rest = tensor.extract_slice %x[1, 0] [9, %n] [1, 1] : tensor<10x?xf32> to tensor<9x?xf32>
      %s = scan.recurrence ins(%rest : tensor<9x?xf32>) init(%first : tensor<1x?xf32>)
          dim = 0 init_rows {
      ^bb0(%t: index, %before: tensor<?xf32>, %row: tensor<?xf32>):
        %sum = arith.addf %before, %row : tensor<?xf32>
        scan.yield %sum : tensor<?xf32>
      } -> tensor<10x?xf32>
      return %s : tensor<10x?xf32>
    }
    ```

    No inputs, scalars as rows, k = 2; how many steps is known when it runs:

    ```mlir
    func.func @fibonacci(%steps: index) -> tensor<?xi64> {
      %init = arith.constant dense<[0, 1]> : tensor<2xi64>
      %f = scan.recurrence init(%init : tensor<2xi64>) steps(%steps : index)
          dim = 0 init_rows {
      ^bb0(%t: index, %f1: i64, %f2: i64):
        %sum = arith.addi %f1, %f2 : i64
        scan.yield %sum : i64
      } -> tensor<?xi64>
      return %f : tensor<?xi64>
    }
    ```

    A recurrent layer: its output is not its state, weights are captured, and the final
    state is a result. Time is the dimension in the middle:

    ```mlir
    func.func @layer(%x: tensor<2x?x8xf32>, %h0: tensor<2x1x8xf32>, %w: tensor<8x8xf32>)
        -> (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x1x8xf32>) {
      %h, %y, %last = scan.recurrence ins(%x : tensor<2x?x8xf32>) init(%h0 : tensor<2x1x8xf32>)
          captures(%w : tensor<8x8xf32>) dim = 1 {
      ^bb0(%t: index, %h1: tensor<2x8xf32>, %row: tensor<2x8xf32>, %weights: tensor<8x8xf32>):
        %sum = linalg.matmul ins(%h1, %weights : tensor<2x8xf32>, tensor<8x8xf32>)
                             outs(%row : tensor<2x8xf32>) -> tensor<2x8xf32>
        %next = math.tanh %sum : tensor<2x8xf32>
        %out = arith.mulf %next, %h1 : tensor<2x8xf32>
        scan.yield %next, %out : tensor<2x8xf32>, tensor<2x8xf32>
      } -> tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x1x8xf32>
      return %h, %y, %last : tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x1x8xf32>
    }
    ```

    An output whose rows are as wide as those of the inputs, in a step that also looks at
    how wide that is:

    ```mlir
    func.func @centered(%x: tensor<?x?xf32>, %sums: tensor<1xf32>) -> tensor<?x?xf32> {
      %c1 = arith.constant 1 : index
      %n = tensor.dim %x, %c1 : tensor<?x?xf32>
      %s, %y = scan.recurrence ins(%x : tensor<?x?xf32>) init(%sums : tensor<1xf32>)
          captures(%n : index) extents(%n : index) dim = 0 {
      ^bb0(%t: index, %before: f32, %row: tensor<?xf32>, %width: index):
        %zero = arith.constant dense<0.0> : tensor<f32>
        %total = linalg.reduce { arith.addf } ins(%row : tensor<?xf32>) outs(%zero : tensor<f32>) dimensions = [0]
        %sum = tensor.extract %total[] : tensor<f32>
        %mean = arith.addf %before, %sum : f32
        %all = tensor.splat %mean[%width] : tensor<?xf32>
        %out = arith.subf %row, %all : tensor<?xf32>
        scan.yield %mean, %out : f32, tensor<?xf32>
      } -> tensor<?xf32>, tensor<?x?xf32>
      return %y : tensor<?x?xf32>
    }
    ```

    Constraints:

    *   (C1) There is at least one state.
    *   (C2) Inits and inputs are ranked tensors of a supported element type.
    *   (C3) `dim` is in [0, rank) of each init and each input.
    *   (C4) The extent of an init in dimension `dim` is static, and 1 at least.
    *   (C5) There is an input or `steps`, which is one `index`. Without `steps` the
        inputs have the same extent in dimension `dim`.
    *   (C6) Captures are scalars of a supported element type or `index`, or ranked
        tensors of a supported element type.
    *   (C7) The body has the block arguments said above, of the types of the rows
        and of the captures.
    *   (C8) No closure: the body uses no value from outside.
    *   (C9) The body ends in `scan.yield` of the row of each state, then of outputs.
    *   (C10) An output's row is a scalar of a supported element type or a tensor of
        such a type, of rank `dim` at least.
    *   (C11) No mutation: the body has no memory effects.
    *   (C12) The results are those said above, of N states and M outputs N + M or
        N + M + N.
    *   (C13) `extents` has one `index` per dynamic extent of the rows of outputs.
    *   (C14) There is at most one tensor of segments: offsets of rank 1, at least one
        of them, or flags of rank 1, one per step.
    *   (C15) `segments` excludes `init_rows`.
  }];

  let arguments = (ins
    Variadic<AnyRankedTensor>:$inputs,
    Variadic<AnyRankedTensor>:$inits,
    Variadic<AnyType>:$captures,
    Optional<Index>:$steps,
    Variadic<Index>:$extents,
    Optional<AnyRankedTensor>:$segments,
    I64Attr:$dim,
    UnitAttr:$reverse,
    UnitAttr:$init_rows,
    UnitAttr:$final_states,
    OptionalAttr<Scan_OrderAttr>:$order
  );
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);

  // lib/IR/BytecodeInterface.cpp.
  let useCustomPropertiesEncoding = 1;
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The name of the schedule, a discardable attribute.
    static ::llvm::StringRef getScheduleName() { return "scan.schedule"; }
    /// How many states there are: N.
    unsigned getNumStates() { return getInits().size(); }
    /// How many rows of state `i` a step looks back: k.
    int64_t getWindow(unsigned i);
    /// How many outputs there are: M.
    unsigned getNumOutputs();
    /// The extents of a row of output `i`.
    ::llvm::SmallVector<::mlir::OpFoldResult> getOutputRowSizes(unsigned i);
    /// True if there are segments, said by offsets.
    bool hasSegmentOffsets();
    /// The results with the rows of each state.
    ::mlir::ResultRange getHistories() {
      return getResults().take_front(getNumStates());
    }
    /// The results with the rows of each output.
    ::mlir::ResultRange getOutputs() {
      return getResults().slice(getNumStates(), getNumOutputs());
    }
    /// The final states; empty if the op does not return them.
    ::mlir::ResultRange getFinalResults() {
      return getResults().drop_front(getNumStates() + getNumOutputs());
    }
    /// The type of a row of `tensor`: of a tensor without dimension `dim`, or
    /// its element type where none is left.
    static ::mlir::Type getRowType(::mlir::RankedTensorType tensor, int64_t dim);
    /// The block arguments that are rows of state `i`, the latest first.
    ::mlir::Block::BlockArgListType getWindowArguments(unsigned i);
    /// What a block argument, other than the first, is or is a row of: an
    /// init, an input or a capture.
    ::mlir::Value getOperandOf(::mlir::BlockArgument argument);
    /// The block arguments that are rows of the inputs.
    ::mlir::Block::BlockArgListType getInputArguments();
    /// The block arguments that are the captures.
    ::mlir::Block::BlockArgListType getCaptureArguments();
  }];
}

#endif // SCAN_IR_SCANRECURRENCE_TD
