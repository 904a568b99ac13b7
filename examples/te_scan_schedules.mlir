// Schedules for te_scan.mlir, as a transform script: those of te.scan's tutorial, and what
// else there is. docs/te-scan.md has both side by side. A schedule changes no number.
//
//   scan-opt examples/te_scan.mlir \
//       --transform-preload-library=transform-library-paths=examples/te_scan_schedules.mlir \
//       --transform-interpreter -o scheduled.mlir
//   scan-run scheduled.mlir --entry=two_stages --target=cpu --input=random:f32:10x1024:1 --output=sums.npy

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    transform.include @column_sums failures(propagate) (%module) : (!transform.any_op) -> ()
    transform.include @two_stages failures(propagate) (%module) : (!transform.any_op) -> ()
    transform.include @two_states failures(propagate) (%module) : (!transform.any_op) -> ()
    transform.include @filters failures(propagate) (%module) : (!transform.any_op) -> ()
    transform.yield
  }

  // xo, xi = s[s_update].split(s_update.op.axis[1], factor=256)
  // s[s_update].bind(xo, te.thread_axis("blockIdx.x"))
  // s[s_update].bind(xi, te.thread_axis("threadIdx.x"))
  //
  // Inputs are loaded four steps ahead, too.
  transform.named_sequence @column_sums(%module: !transform.any_op {transform.readonly}) {
    %function = transform.structured.match ops{["func.func"]} attributes {sym_name = "column_sums"} in %module
        : (!transform.any_op) -> !transform.any_op
    %scan = transform.structured.match ops{["scan.recurrence"]} in %function : (!transform.any_op) -> !transform.any_op
    transform.scan.set_schedule %scan <strategy = sequential, threads = 256, items = 4> : !transform.any_op
    transform.yield
  }

  // xo, xi = s[s_update_s2].split(s_update_s2.op.axis[1], factor=32)
  // s[s_update_s1].compute_at(s[s_update_s2], xo)
  //
  // Two steps per iteration; blocks of 256 threads, each of which does both stages.
  transform.named_sequence @two_stages(%module: !transform.any_op {transform.readonly}) {
    %function = transform.structured.match ops{["func.func"]} attributes {sym_name = "two_stages"} in %module
        : (!transform.any_op) -> !transform.any_op
    %scan = transform.structured.match ops{["scan.recurrence"]} in %function : (!transform.any_op) -> !transform.any_op
    %stages = transform.structured.match ops{["arith.addf"]} in %scan : (!transform.any_op) -> !transform.any_op
    %first, %second = transform.split_handle %stages : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.scan.split_stage %second by [32] : !transform.any_op
    transform.scan.compute_at %first in %second : !transform.any_op, !transform.any_op
    transform.scan.unroll_time %scan by 2 : !transform.any_op
    transform.scan.set_schedule %scan <strategy = sequential, threads = 256> : !transform.any_op
    transform.yield
  }

  // Stages of different widths: n in vectors of 8, l in parts of 4. One block of 128 threads
  // computes the rows of a step, as one state reads a lane of the other.
  transform.named_sequence @two_states(%module: !transform.any_op {transform.readonly}) {
    %function = transform.structured.match ops{["func.func"]} attributes {sym_name = "two_states"} in %module
        : (!transform.any_op) -> !transform.any_op
    %scan = transform.structured.match ops{["scan.recurrence"]} in %function : (!transform.any_op) -> !transform.any_op
    %stages = transform.structured.match ops{["arith.addf"]} in %scan : (!transform.any_op) -> !transform.any_op
    %sum, %total = transform.split_handle %stages : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.scan.split_stage %sum by [64] vector = 8 : !transform.any_op
    transform.scan.split_stage %total by [4] : !transform.any_op
    transform.scan.set_schedule %scan <strategy = sequential, threads = 128> : !transform.any_op
    transform.yield
  }

  // k = 2: Fibonacci's numbers three at a time; the filter's channels in blocks of 32 threads,
  // eight samples ahead, and on a CPU in vectors of 4.
  transform.named_sequence @filters(%module: !transform.any_op {transform.readonly}) {
    %numbers = transform.structured.match ops{["func.func"]} attributes {sym_name = "fibonacci"} in %module
        : (!transform.any_op) -> !transform.any_op
    %sums = transform.structured.match ops{["scan.recurrence"]} in %numbers : (!transform.any_op) -> !transform.any_op
    transform.scan.unroll_time %sums by 3 : !transform.any_op
    %biquad = transform.structured.match ops{["func.func"]} attributes {sym_name = "biquad"} in %module
        : (!transform.any_op) -> !transform.any_op
    %filter = transform.structured.match ops{["scan.recurrence"]} in %biquad : (!transform.any_op) -> !transform.any_op
    %next = transform.structured.match ops{["linalg.map"]} in %filter : (!transform.any_op) -> !transform.any_op
    transform.scan.split_stage %next vector = 4 : !transform.any_op
    transform.scan.set_schedule %filter <strategy = sequential, threads = 32, items = 8> : !transform.any_op
    transform.yield
  }
}
