// The transform script for gated_tiles.mlir: tiles batch and channels, fuses the gates
// into the tiles, and maps the tiles to the blocks and threads of a GPU.
//
// Tiling, fusion, bufferization and mapping are upstream's operations; those of this
// project take the scan from one step to the next. Each thread walks the time of one
// channel, neighbouring threads have neighbouring channels: what the strategy
// `sequential` does, too. It is for compilers that tile whole programs; for a scan
// by itself `--scan-to-gpu` makes a kernel for any shape that prefetches, and rows of
// blocks of threads where time is contiguous.

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.consumed}) {
    %scan = transform.structured.match ops{["scan.linear_recurrence"]} in %module
        : (!transform.any_op) -> !transform.any_op
    %gates = transform.structured.match ops{["linalg.generic"]} in %module
        : (!transform.any_op) -> !transform.any_op
    %a, %b = transform.split_handle %gates : (!transform.any_op) -> (!transform.any_op, !transform.any_op)

    // One block for one element of the batch and 32 channels, with its gates.
    %tile, %blocks = transform.structured.tile_using_forall %scan tile_sizes [1, 0, 32]
        (mapping = [#gpu.block<y>, #gpu.block<x>])
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %b_tile, %blocks1 = transform.structured.fuse_into_containing_op %b into %blocks
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %a_tile, %blocks2 = transform.structured.fuse_into_containing_op %a into %blocks1
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)

    // One thread for one channel of the block.
    %column, %threads = transform.structured.tile_using_forall %tile tile_sizes [0, 0, 1]
        (mapping = [#gpu.thread<x>])
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %b_column, %threads1 = transform.structured.fuse_into_containing_op %b_tile into %threads
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %a_column, %threads2 = transform.structured.fuse_into_containing_op %a_tile into %threads1
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)

    // The gates move into the scan: the coefficients exist in registers only, and
    // what computed them for whole tiles has no users any more.
    %plain = transform.scan.normalize %column : (!transform.any_op) -> !transform.any_op
    %kernel = transform.scan.fuse_elementwise %plain : (!transform.any_op) -> !transform.any_op
    %tensors = transform.structured.match ops{["func.func"]} in %module
        : (!transform.any_op) -> !transform.any_op
    transform.apply_dce to %tensors : !transform.any_op

    // Each thread writes its part of the result in place: what would be copied to where
    // it is already is folded away.
    transform.bufferization.eliminate_empty_tensors %module : !transform.any_op
    %buffers = transform.bufferization.one_shot_bufferize layout{IdentityLayoutMap} %module
        {bufferize_function_boundaries = true} : (!transform.any_op) -> !transform.any_op

    %function = transform.structured.match ops{["func.func"]} in %buffers
        : (!transform.any_op) -> !transform.any_op
    transform.apply_cse to %function : !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.canonicalization
    } : !transform.any_op

    %bufferized = transform.structured.match ops{["scan.kernel"]} in %buffers
        : (!transform.any_op) -> !transform.any_op
    %loops = transform.scan.lower_to_loops %bufferized vector_bits = 0 rows = 1
        : (!transform.any_op) -> !transform.any_op

    %launch = transform.gpu.map_forall_to_blocks %function generate_gpu_launch
        : (!transform.any_op) -> !transform.any_op
    %mapped = transform.gpu.map_nested_forall_to_threads %launch block_dims = [32, 1, 1]
        : (!transform.any_op) -> !transform.any_op
    %outlined = transform.apply_registered_pass "gpu-kernel-outlining" to %buffers
        : (!transform.any_op) -> !transform.any_op
    %clean = transform.apply_registered_pass "canonicalize" to %outlined
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
