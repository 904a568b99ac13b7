// Does what --scan-normalize and --scan-fuse-elementwise do, scan by scan.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %scans = transform.structured.match ops{["scan.associative", "scan.linear_recurrence"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %kernels = transform.scan.normalize %scans : (!transform.any_op) -> !transform.op<"scan.kernel">
    %fused = transform.scan.fuse_elementwise %kernels
        : (!transform.op<"scan.kernel">) -> !transform.op<"scan.kernel">
    transform.scan.set_schedule %fused <strategy = sequential, threads = 64, items = 2>
        : !transform.op<"scan.kernel">
    transform.yield
  }
}
