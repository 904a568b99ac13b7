// A schedule is one of the kernel that fusion makes of its scan, which may need more
// shared memory than the scan by itself.

// RUN: scan-translate --scan-to-ptx --chip=sm_90 %s -o %t.ptx --manifest=%t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: sed -e 's/threads = 64, items = 1, lanes = 16/threads = 1024, items = 1, lanes = 32/' %s > %t.large.mlir
// RUN: not scan-translate --scan-to-ptx --chip=sm_90 %t.large.mlir -o %t.none 2>&1 | FileCheck %s --check-prefix=LARGE

// LARGE: error: 'scan.kernel' op expected a schedule with at most {{[0-9]+}} bytes of shared memory per block for sm_90, found 1024 threads in 32 lanes with 1 columns each, which take {{[0-9]+}} bytes; lower threads, lanes or vector

// One launch of the threads that were asked for, and no other.
// CHECK:     "entry": "f_scan0"
// CHECK-NOT: "entry":
// CHECK:     "block": [
// CHECK:       64
// CHECK-NOT: "entry":

func.func @f(%b: tensor<?x?x16xf64>, %c: tensor<?x16xf64>) -> tensor<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %b, %c0 : tensor<?x?x16xf64>
  %m = tensor.dim %b, %c1 : tensor<?x?x16xf64>
  %h = scan.linear_recurrence ins(%b, %b : tensor<?x?x16xf64>, tensor<?x?x16xf64>) dim = 0
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 1, lanes = 16>} -> tensor<?x?x16xf64>
  %zero = arith.constant 0.0 : f64
  %f = tensor.empty(%n, %m) : tensor<?x?xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%f : tensor<?x?xf64>) -> tensor<?x?xf64>
  %y = linalg.generic {
      indexing_maps = [affine_map<(t, d, n) -> (t, d, n)>, affine_map<(t, d, n) -> (t, n)>, affine_map<(t, d, n) -> (t, d)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %c : tensor<?x?x16xf64>, tensor<?x16xf64>) outs(%zeros : tensor<?x?xf64>) {
  ^bb0(%x: f64, %w: f64, %acc: f64):
    %p = arith.mulf %x, %w : f64
    %s = arith.addf %acc, %p : f64
    linalg.yield %s : f64
  } -> tensor<?x?xf64>
  return %y : tensor<?x?xf64>
}
