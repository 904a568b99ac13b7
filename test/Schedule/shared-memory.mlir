// A schedule under which operands find no room in shared memory is slower, and no error:
// fusion may have given its kernel more operands than whoever asked for it knew of.
//
// RUN: scan-opt %s --scan-assign-schedule --remarks-filter-missed=scan-assign-schedule 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: scan-run %s --entry=sum --target=emulator --input=random:f64:5000:1 --compare=reference --tolerance=1e-12
//
// What a kernel cannot do without is an error.
// RUN: %python %S/../IR/Inputs/many_leaves.py kernel 400 | sed 's/maps \(.*\)/maps \1 attributes {schedule = #scan.schedule<strategy = row, threads = 1024, items = 1>}/' > %t.mlir
// RUN: not scan-opt %t.mlir --scan-assign-schedule 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: 'scan.kernel' op expected a schedule with at most 49152 bytes of shared memory per block for sm_90, found 1024 threads with 1 items, which take 102400 bytes; lower threads or items

// CHECK-LABEL: func.func @sum
// CHECK: scan.kernel
// CHECK: threads = 512, items = 8
// REMARK: shared-memory.mlir:[[#]]:8: remark: [Missed] AssignSchedule | Category:scan-assign-schedule | Function=sum | Reason="the schedule takes 73952 bytes of 49152; lower threads or items", Remark="operands find no room in shared memory and are accessed in a slower order"
// REMARK-NOT: remark
#m = affine_map<(d0) -> (d0)>
func.func @sum(%x: tensor<?xf64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf64>
  %y = tensor.empty(%n) : tensor<?xf64>
  %0 = scan.kernel dim = 0 ins(%x : tensor<?xf64>) outs(%y : tensor<?xf64>) maps [#m, #m]
      attributes {schedule = #scan.schedule<strategy = row, threads = 512, items = 8>}
      load {
      ^bb0(%e: f64):
        scan.yield %e : f64
      } combine {
      ^bb0(%acc: f64, %new: f64):
        %s = arith.addf %acc, %new : f64
        scan.yield %s : f64
      } store {
      ^bb0(%inclusive: f64, %exclusive: f64, %e: f64):
        scan.yield %inclusive : f64
      } -> tensor<?xf64>
  return %0 : tensor<?xf64>
}
