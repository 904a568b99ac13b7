//===- ScanAttributes.td - Attributes of the scan dialect --*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_IR_SCANATTRIBUTES_TD
#define SCAN_IR_SCANATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "Scan/IR/ScanDialect.td"

def Scan_Order : I32EnumAttr<"Order", "how freely a scan may reassociate", [
    I32EnumAttrCase<"Any", 0, "any">,
    I32EnumAttrCase<"Deterministic", 1, "deterministic">,
    I32EnumAttrCase<"Sequential", 2, "sequential">]> {
  let cppNamespace = "::mlir::scan";
  let genSpecializedAttr = 0;
}

def Scan_OrderAttr : EnumAttr<Scan_Dialect, Scan_Order, "order"> {
  let summary = "how freely a scan may reassociate";
  let description = [{
    *   `any` (the default): the combine region is associative, possibly up to
        rounding and overflow; any bracketing is allowed.
    *   `deterministic`: any bracketing, but the same one in every run: results
        are bitwise equal from run to run.
    *   `sequential`: results are bitwise equal to the left fold. Functions such as
        `math.exp` are those of what computes it: libm's in the interpreter, on the
        CPU polynomials within 2.6 units in the last place, of scalars and vectors
        alike (`--scan-expand-math`). What calls none has the interpreter's bits.

    ```mlir
    #scan.order<deterministic>
    ```
  }];
  let assemblyFormat = "`<` custom<OrderKeyword>($value) `>`";
}

def Scan_Strategy : I32EnumAttr<"Strategy", "how threads are laid over a scan", [
    I32EnumAttrCase<"Sequential", 0, "sequential">,
    I32EnumAttrCase<"Row", 1, "row">,
    I32EnumAttrCase<"Column", 2, "column">]> {
  let cppNamespace = "::mlir::scan";
  let genSpecializedAttr = 0;
}

def Scan_StrategyAttr : EnumAttr<Scan_Dialect, Scan_Strategy, "strategy">;

def Scan_Scope : I32EnumAttr<"Scope", "which threads share one scan", [
    I32EnumAttrCase<"Block", 0, "block">,
    I32EnumAttrCase<"Grid", 1, "grid">]> {
  let cppNamespace = "::mlir::scan";
  let genSpecializedAttr = 0;
}

def Scan_ScheduleAttr : AttrDef<Scan_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "how a scan is laid over threads";
  let description = [{
    Data on the op: the result never depends on it, only the speed does.
    `--scan-assign-schedule` writes one where there is none.

    *   `strategy`: `sequential`, one thread walks the scan dimension and
        neighbouring threads own neighbouring elements of the innermost other
        dimension; `row`, a block of threads owns rows along the scan dimension,
        whose elements lie side by side in memory; `column`, a block owns
        neighbouring columns, and its threads split time between them.
    *   `threads`: threads per block, a multiple of 32 and at most 1024.
    *   `items`: consecutive elements of the scan dimension that one thread
        holds in registers at a time (`row`, `column`), or that it prefetches
        (`sequential`).
    *   `rows` (`row`): how many rows a block owns, a power of two; `threads /
        rows` threads share a row. With as many rows as threads, each thread
        takes the steps of its row one after the other, and tiles pass through
        shared memory, so that neighbouring threads access neighbouring
        elements of rows that are contiguous in memory.
        `sequential`, on a `scan.recurrence` that thread blocks compute: the batch
        tile, how many indices of the batch dimensions a block computes together.
        Each weight that it reads is used for all of them.
    *   `lanes` (`column`): how many threads lie side by side across the
        columns, a power of two up to 32; the `threads / lanes` groups of them
        split the scan dimension, `items` consecutive elements each.
        `sequential`: how many scans the threads of a warp have side by side;
        with fewer than 32, `32 / lanes` threads share a scan, of whose states
        each has a part. That is for kernels that were unrolled over a static
        dimension of `parts` indices, for all of which they compute the same:
        `32 / lanes` divides `parts` and `items`.
    *   `vector` (`column`): how many neighbouring columns one thread owns, a
        power of two up to 16.
    *   `scope`: `block`, a block walks the scan dimension tile by tile; `grid`,
        many blocks take the tiles of a scan, and each looks back at what those
        before it have published. `sequential` only where threads share the
        states of a scan: a block walks its tile twice then, for what its steps
        add up to and, with the states before the tile, for the results.
    *   `blocks` (`row` with `scope = grid`): the thread blocks of a persistent
        kernel, which take tiles from a counter (dynamic tile scheduling) in a
        software pipeline: one tile is prefetched, one scanned tile-locally, one
        looks back for the state before it, and one is stored. At most 65535;
        0, a block for each tile.
        `sequential` with `scope = grid`: how many blocks share the steps of a
        scan, a tile each, at least 2.
        `column` with `scope = block`: how many blocks share the steps of packed
        sequences, 2 to 64. They have equal shares, but that each border between
        two of them is at the head flag nearest to it, which no state crosses.
        Where sequences are so long that a chunk would have more than 7/4 of a
        share, they share the columns instead, a part of `lanes` x `vector` each. For
        kernels without reduction outputs whose states all start anew where a flag is
        set, which is computed from inputs that have one element for each step.
        0, one block for all steps.
    *   `stages` (`row` with `blocks`): how many tiles a block has in shared memory,
        3 to 16; bulk copies (TMA) fill them, from `sm_90` on. The warps of a block
        have roles then, and wait for each other at mbarriers: one loads, one
        publishes what tiles add up to and marks segment offsets, one looks back, and
        all others, `threads` - 96 threads, scan tiles and store them. All inputs
        that vary along the scan dimension are contiguous along it, and each thread
        has an odd number of vectors of 16 bytes of each: 4 bytes x 12, 20, 28 or 36
        `items`, say.
        0, threads load what they scan.
    *   `warps` (`sequential` where threads share the states of a scan, with `scope =
        block`): how many warps share the steps of a scan, a tile each, which they walk
        twice as blocks over the grid do: all warps of a block, `threads` / 32, which leave
        what their steps add up to in shared memory. 1, each warp walks all steps of
        its scans.

    ```mlir
    #scan.schedule<strategy = row, threads = 128, items = 8>
    ```

    ```mlir
    #scan.schedule<strategy = column, threads = 256, items = 8, lanes = 16, vector = 2>
    ```

    ```mlir
    #scan.schedule<strategy = column, threads = 512, items = 16, lanes = 8, vector = 4, blocks = 2>
    ```

    ```mlir
    #scan.schedule<strategy = sequential, threads = 64, items = 16, lanes = 8, scope = grid, blocks = 32>
    ```

    ```mlir
    #scan.schedule<strategy = sequential, threads = 256, items = 8, lanes = 16, warps = 8>
    ```

    ```mlir
    #scan.schedule<strategy = row, threads = 512, items = 16, scope = grid, blocks = 132>
    ```

    ```mlir
    #scan.schedule<strategy = row, threads = 288, items = 36, scope = grid, blocks = 132, stages = 8>
    ```
  }];
  let parameters = (ins
    EnumParameter<Scan_Strategy>:$strategy,
    DefaultValuedParameter<"unsigned", "128",
                           "threads per block, a multiple of 32 up to 1024">:$threads,
    DefaultValuedParameter<"unsigned", "1",
                           "elements per thread at a time">:$items,
    DefaultValuedParameter<"unsigned", "1", "rows per block">:$rows,
    DefaultValuedParameter<"unsigned", "32",
                           "threads side by side across columns">:$lanes,
    DefaultValuedParameter<"unsigned", "1", "columns per thread">:$vector,
    DefaultValuedParameter<"::mlir::scan::Scope", "::mlir::scan::Scope::Block",
                           "which threads share one scan">:$scope,
    DefaultValuedParameter<"unsigned", "0",
                           "thread blocks of a persistent kernel, or of a scan">:$blocks,
    DefaultValuedParameter<"unsigned", "0",
                           "tiles that bulk copies fill">:$stages,
    DefaultValuedParameter<"unsigned", "1",
                           "warps of a block that share a scan">:$warps
  );
  let builders = [
    // What the strategy does not have keeps its default.
    AttrBuilder<(ins "::mlir::scan::Strategy":$strategy, "unsigned":$threads,
                     "unsigned":$items), [{
      return $_get($_ctxt, strategy, threads, items, /*rows=*/1, /*lanes=*/32,
                   /*vector=*/1, ::mlir::scan::Scope::Block, /*blocks=*/0,
                   /*stages=*/0, /*warps=*/1);
    }]>,
    // A block for each tile.
    AttrBuilder<(ins "::mlir::scan::Strategy":$strategy, "unsigned":$threads,
                     "unsigned":$items, "unsigned":$rows, "unsigned":$lanes,
                     "unsigned":$vector, "::mlir::scan::Scope":$scope), [{
      return $_get($_ctxt, strategy, threads, items, rows, lanes, vector, scope,
                   /*blocks=*/0, /*stages=*/0, /*warps=*/1);
    }]>
  ];
  let extraClassDeclaration = [{
    /// Whether a scan's tiles belong to many thread blocks, which look back at
    /// what the blocks of earlier tiles have published.
    bool isGridWide() const { return getScope() == ::mlir::scan::Scope::Grid; }
    /// Whether a given number of thread blocks takes all tiles, one after the
    /// other (a persistent kernel), and not one thread block each.
    bool isPersistent() const {
      return getStrategy() == ::mlir::scan::Strategy::Row && getBlocks() != 0;
    }
    /// Most blocks that share the steps of packed sequences.
    static constexpr unsigned kMostChunks = 64;
    /// Whether a given number of thread blocks share the steps of packed
    /// sequences, each from a head flag on.
    bool splitsSegments() const {
      return getStrategy() == ::mlir::scan::Strategy::Column && getBlocks() != 0;
    }
    /// Whether the warps of a persistent kernel's blocks have roles, and bulk
    /// copies fill its tiles.
    bool isWarpSpecialized() const { return getStages() != 0; }
    /// Threads of a block that scan no tiles: those of the warps which load,
    /// publish and look back.
    static constexpr unsigned kRoleThreads = 3 * 32;
    /// Fewest and most stages: one tile is loaded while one waits for the state
    /// before it and one is scanned; with more than 16 they are small.
    static constexpr unsigned kFewestStages = 3, kMostStages = 16;
    /// Whether a thread block takes one tile of a scan over the grid and ends.
    bool isOneTilePerBlock() const { return isGridWide() && !isPersistent(); }
    /// Whether the threads of a warp that share a scan have a part of its
    /// states each.
    bool sharesStates() const {
      return getStrategy() == ::mlir::scan::Strategy::Sequential &&
             getLanes() != 32;
    }
    /// Threads that share the states of one scan: 1, unless they have parts.
    int64_t getThreadsPerState() const {
      return sharesStates() ? 32 / getLanes() : 1;
    }
    /// Whether what shares the states of a scan, or the steps of it with others,
    /// walks a tile twice: for what its steps add up to, and from the states
    /// before it on.
    bool walksTilesTwice() const {
      return sharesStates() && (isGridWide() || getWarps() != 1);
    }
    /// Threads that share the steps of one scan.
    int64_t getThreadsPerScan() const;
    /// Whether one thread takes all steps of a scan, each after the one before:
    /// what `order = sequential` asks for.
    bool keepsOrder() const {
      return !isGridWide() &&
             (getStrategy() == ::mlir::scan::Strategy::Sequential ||
              (getStrategy() == ::mlir::scan::Strategy::Row &&
               getRows() == getThreads()));
    }
    /// Independent scans that a thread block computes side by side.
    int64_t getScansPerBlock() const;
    /// Consecutive steps of the scan dimension that a thread block has in
    /// registers at a time.
    int64_t getTileSteps() const { return getThreadsPerScan() * getItems(); }
  }];
  let assemblyFormat = [{
    `<` struct(custom<StrategyKeyword>($strategy), custom<Count>($threads),
               custom<Count>($items), custom<Count>($rows), custom<Count>($lanes),
               custom<Count>($vector), custom<ScopeKeyword>($scope),
               custom<Count>($blocks), custom<Count>($stages),
               custom<Count>($warps)) `>`
  }];
  let genVerifyDecl = 1;
}

def Scan_NewtonAttr : AttrDef<Scan_Dialect, "Newton"> {
  let mnemonic = "newton";
  let summary = "how a recurrence is solved for all steps at once";
  let description = [{
    A schedule of `scan.recurrence`, in its attribute `scan.schedule`, for steps that
    compute each lane from the same lane one row back: chunks of the steps are walked side by
    side, each from a state that is solved for by Newton's method, whose iterations are
    linear recurrences over the chunks and therefore parallel in time
    (`--scan-newton-recurrence`).

    *   `iterations`: how many of them are made at most, 1 to 64. After n of them the
        first n + 1 chunks are right, whatever the step is.
    *   `tolerance`: the residual, the largest difference of a state that a chunk starts
        from and the state behind the chunk before it, up to which an approximation is taken:
        a positive finite number. What has a larger one, or one that is not a number, after
        the last iteration is walked one step after the other instead.
    *   `chunk`: how many steps a chunk has, 128 if it is not given. Steps that are left
        over come behind the last one; of fewer than two chunks all steps are walked.

    ```mlir
    #scan.newton<iterations = 8, tolerance = 1.0e-6>
    ```

    ```mlir
    #scan.newton<iterations = 8, tolerance = 1.0e-6, chunk = 32>
    ```
  }];
  let parameters = (ins
    AttrParameter<"unsigned", "iterations at most">:$iterations,
    AttrParameter<"::mlir::FloatAttr", "the largest residual, an f64">:$tolerance,
    DefaultValuedParameter<"unsigned", "NewtonAttr::kDefaultChunk", "steps of a chunk">:$chunk
  );
  let assemblyFormat = [{
    `<` struct(custom<Count>($iterations), custom<Tolerance>($tolerance), custom<Count>($chunk)) `>`
  }];
  let extraClassDeclaration = [{
    /// A program for a GPU has kernels for each of them.
    static constexpr unsigned kMaxIterations = 64;
    /// Long enough that a pass over all steps takes most of the time, and the
    /// linear recurrence over the chunks little; short enough that some
    /// hundred lanes over some ten thousand steps fill a GPU.
    static constexpr unsigned kDefaultChunk = 128;
  }];
  let genVerifyDecl = 1;
}

def Scan_StepLaunchesAttr : AttrDef<Scan_Dialect, "StepLaunches"> {
  let mnemonic = "step_launches";
  let summary = "kernels of a whole grid for each step of a recurrence";
  let description = [{
    A schedule of `scan.recurrence`, in its attribute `scan.schedule`: on a GPU, each step is
    one launch or several, whose thread blocks share the lanes of the rows and the batch; the
    next launch is the barrier between them, and rows go through global memory. The host has
    a loop of launches, which the manifest says as `repeat`.

    For rows or weights that one thread block has no room for, and for weights that take a
    multiprocessor long to read in each step. `--scan-recurrence-to-blocks` chooses it by
    itself where its model of both forms says that it takes less time;
    `#scan.schedule<strategy = sequential>` asks for thread blocks in any case. Loops for a
    CPU know nothing of it.

    ```mlir
    #scan.step_launches
    ```
  }];
}

def Scan_InvariantAttr : AttrDef<Scan_Dialect, "Invariant"> {
  let mnemonic = "invariant";
  let summary = "what holds of every element of a leaf";
  let description = [{
    A condition that whoever wrote a `scan.associative` guarantees for each element
    of one leaf, and of its init. It stands in the array `scan.assume` of the operation.

    *   `leaf`: which leaf, from 0.
    *   `abs`: the bounds are those of the magnitude, |x|.
    *   `gt` or `ge`: greater than a number, or equal to it, too; `lt` or `le`:
        less than a number, or equal to it, too. What is not a number (NaN) is
        within no bounds.
    *   `finite`: neither infinite nor NaN.
    *   `not_nan`: not NaN.

    All parts of an invariant hold together, and so do all invariants of a leaf. For
    a leaf with trailing dimensions they hold for each element of the small tensors.
    Integers are compared as signed ones, `i1` as 0 and 1. Complex numbers have bounds
    of their magnitude only; they are finite, or not NaN, if both parts are.

    A bound is a finite number that the element type can hold. One that a
    floating-point type has no exact value for (0.1) is rounded to its nearest one.

    ```mlir
    #scan.invariant<leaf = 0, gt = 0>
    ```

    ```mlir
    #scan.invariant<leaf = 2, ge = 0.0, le = 1.0>
    ```

    ```mlir
    #scan.invariant<leaf = 1, abs, le = 1.0>
    ```

    ```mlir
    #scan.invariant<leaf = 0, finite>
    ```
  }];
  let parameters = (ins
    AttrParameter<"unsigned", "which leaf, from 0">:$leaf,
    DefaultValuedParameter<"bool", "false", "bounds are those of |x|">:$magnitude,
    DefaultValuedParameter<"bool", "false", "neither infinite nor NaN">:$finite,
    DefaultValuedParameter<"bool", "false", "not NaN">:$notNaN,
    OptionalParameter<"::mlir::FloatAttr", "lower bound, an f64; may be null">:$lower,
    DefaultValuedParameter<"bool", "false", "greater than `lower`">:$lowerStrict,
    OptionalParameter<"::mlir::FloatAttr", "upper bound, an f64; may be null">:$upper,
    DefaultValuedParameter<"bool", "false", "less than `upper`">:$upperStrict
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // SCAN_IR_SCANATTRIBUTES_TD
